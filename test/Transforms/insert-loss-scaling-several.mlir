// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 num-losses=2 verbosity=0" --amp-insert-loss-scaling --amp-guard-updates --split-input-file \
// RUN:     | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 num-losses=1 verbosity=0" --amp-insert-loss-scaling --amp-guard-updates --split-input-file \
// RUN:     | FileCheck %s --check-prefixes=CHECK,ONE

// Several losses, optimizers and micro-batches in one train step.

// A GAN: two losses, two optimizers. Each loss has its scaler, in the order of first
// use, or both share the only one; each optimizer skips by its own gradients alone.

// TWO:     amp.scaler @loss_scaler0
// TWO:     amp.scaler @loss_scaler1
// ONE:     amp.scaler @loss_scaler0
// ONE-NOT: amp.scaler @loss_scaler1
module {
  func.func private @discriminator(
      tensor<4xf32> {amp.role = "param", amp.name = "d"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "d_loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "d"})
  func.func private @generator(
      tensor<4xf32> {amp.role = "param", amp.name = "g"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "g_loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "g"})
  func.func private @step_d(
      tensor<4xf32> {amp.role = "param", amp.name = "d"},
      tensor<4xf32> {amp.role = "grad", amp.name = "d"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "d"})
  func.func private @step_g(
      tensor<4xf32> {amp.role = "param", amp.name = "g"},
      tensor<4xf32> {amp.role = "grad", amp.name = "g"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "g"})
  // CHECK-LABEL: func.func @independent_optimizers
  // CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[G:[a-z0-9]+]]: tensor<4xf32>
  func.func @independent_optimizers(
      %d: tensor<4xf32> {amp.role = "param", amp.name = "d"},
      %g: tensor<4xf32> {amp.role = "param", amp.name = "g"},
      %seed_d: tensor<f32> {amp.role = "loss_seed", amp.name = "d_loss"},
      %seed_g: tensor<f32> {amp.role = "loss_seed", amp.name = "g_loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "d"},
          tensor<4xf32> {amp.role = "param", amp.name = "g"}) {
    // The first scaler moves on before the second pass asks for its scale.
    // CHECK: amp.scale_loss %{{.*}} using @loss_scaler0
    // CHECK: call @discriminator
    // CHECK: %[[UD:.*]], %[[FD:.*]] = amp.unscale %{{.*}} using @loss_scaler0
    // CHECK-NEXT: amp.update_scale @loss_scaler0, %[[FD]]
    // TWO: amp.scale_loss %{{.*}} using @loss_scaler1
    // ONE: amp.scale_loss %{{.*}} using @loss_scaler0
    // CHECK: call @generator
    // TWO: %[[UG:.*]], %[[FG:.*]] = amp.unscale %{{.*}} using @loss_scaler1
    // TWO-NEXT: amp.update_scale @loss_scaler1, %[[FG]]
    // ONE: %[[UG:.*]], %[[FG:.*]] = amp.unscale %{{.*}} using @loss_scaler0
    // ONE-NEXT: amp.update_scale @loss_scaler0, %[[FG]]
    // CHECK-NOT: arith.ori
    // CHECK: amp.apply_if_finite %[[FD]] keep(%[[D]])
    // CHECK: func.call @step_d(%[[D]], %[[UD]])
    // CHECK: amp.apply_if_finite %[[FG]] keep(%[[G]])
    // CHECK: func.call @step_g(%[[G]], %[[UG]])
    %gd = call @discriminator(%d, %seed_d) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %gg = call @generator(%g, %seed_g) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %nd = call @step_d(%d, %gd) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %ng = call @step_g(%g, %gg) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %nd, %ng : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Two losses into one optimizer: an overflow in either skips it.

module {
  func.func private @first(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss0"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @second(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss1"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  // CHECK-LABEL: func.func @two_losses_one_optimizer
  // CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
  func.func @two_losses_one_optimizer(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s0: tensor<f32> {amp.role = "loss_seed", amp.name = "loss0"},
      %s1: tensor<f32> {amp.role = "loss_seed", amp.name = "loss1"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[U0:.*]], %[[F0:.*]] = amp.unscale %{{.*}} using @loss_scaler0
    // TWO: %[[U1:.*]], %[[F1:.*]] = amp.unscale %{{.*}} using @loss_scaler1
    // ONE: %[[U1:.*]], %[[F1:.*]] = amp.unscale %{{.*}} using @loss_scaler0
    // The sum is of unscaled gradients, so two scales do not mix.
    // CHECK: %[[SUM:.*]] = arith.addf %[[U0]], %[[U1]]
    // CHECK: %[[ANY:.*]] = arith.ori %{{.*}}, %{{.*}} : tensor<i1>
    // CHECK: amp.apply_if_finite %[[ANY]] keep(%[[W]])
    // CHECK: func.call @optimizer_step(%[[W]], %[[SUM]])
    %g0 = call @first(%w, %s0) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g1 = call @second(%w, %s1) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g = arith.addf %g0, %g1 : tensor<4xf32>
    %n = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }
}

// -----

// Gradient accumulation: each micro-batch unscales and moves the scaler (Apex counts
// backward passes), and one bad micro-batch skips the whole step.

module {
  func.func private @forward_backward(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  // CHECK-LABEL: func.func @two_micro_batches
  func.func @two_micro_batches(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %y: tensor<4xf32> {amp.role = "batch", amp.name = "x1"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: amp.scale_loss
    // CHECK: %[[U0:.*]], %[[F0:.*]] = amp.unscale
    // CHECK: amp.update_scale @loss_scaler0, %[[F0]]
    // CHECK: amp.scale_loss
    // CHECK: %[[U1:.*]], %[[F1:.*]] = amp.unscale
    // CHECK: amp.update_scale @loss_scaler0, %[[F1]]
    // CHECK: %[[SUM:.*]] = arith.addf %[[U0]], %[[U1]]
    // CHECK: %[[ANY:.*]] = arith.ori
    // CHECK: amp.apply_if_finite %[[ANY]]
    %g0 = call @forward_backward(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g1 = call @forward_backward(%w, %y, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g = arith.addf %g0, %g1 : tensor<4xf32>
    %n = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // amp.delay_unscale: the first gradients stay scaled, are added to the second ones
  // and unscaled with them, once. The scaler moves once.
  // CHECK-LABEL: func.func @delay_unscale
  func.func @delay_unscale(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %y: tensor<4xf32> {amp.role = "batch", amp.name = "x1"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: amp.scale_loss
    // CHECK: %[[G0:.*]] = call @forward_backward
    // CHECK-NOT: amp.unscale
    // CHECK-NOT: amp.update_scale
    // CHECK: amp.scale_loss
    // CHECK: %[[G1:.*]] = call @forward_backward
    // CHECK: %[[SUM:.*]] = arith.addf %[[G0]], %[[G1]]
    // CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale %[[SUM]] using @loss_scaler0
    // CHECK: amp.update_scale @loss_scaler0, %[[F]]
    // CHECK-NOT: arith.ori
    // CHECK: amp.apply_if_finite %[[F]]
    // CHECK: func.call @optimizer_step(%{{.*}}, %[[U]])
    %g0 = call @forward_backward(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g1 = call @forward_backward(%w, %y, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g = arith.addf %g0, %g1 : tensor<4xf32>
    %n = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // Near miss: a flag that is false is none.
  // CHECK-LABEL: func.func @flags_that_are_false
  func.func @flags_that_are_false(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[G:.*]] = call @forward_backward
    // CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale %[[G]] using @loss_scaler0
    // CHECK: amp.update_scale @loss_scaler0, %[[F]]
    // CHECK: amp.apply_if_finite %[[F]]
    %g = call @forward_backward(%w, %x, %s) {amp.delay_unscale = false, amp.delay_overflow_check = false} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %n = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // Or mapped, or written over what it is added to.
  // CHECK-LABEL: func.func @delay_unscale_in_other_forms
  func.func @delay_unscale_in_other_forms(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[G0:.*]] = call @forward_backward
    // CHECK: %[[G1:.*]] = call @forward_backward
    // CHECK: %[[G2:.*]] = call @forward_backward
    // CHECK: %[[G3:.*]] = call @forward_backward
    // CHECK: %[[A:.*]] = linalg.map { arith.addf } ins(%[[G3]], %[[G0]]
    // CHECK: %[[B:.*]] = linalg.elementwise {{.*}} ins(%[[A]], %[[G1]]
    // CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[G2]] : {{.*}}) outs(%[[B]]
    // CHECK: amp.unscale %[[C]] using @loss_scaler0
    // CHECK-NOT: amp.unscale
    // CHECK: return
    %e = tensor.empty() : tensor<4xf32>
    %g0 = call @forward_backward(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g1 = call @forward_backward(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g2 = call @forward_backward(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g3 = call @forward_backward(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %a = linalg.map { arith.addf } ins(%g3, %g0 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
    %b = linalg.elementwise kind=#linalg.elementwise_kind<add> ins(%a, %g1 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%g2 : tensor<4xf32>) outs(%b : tensor<4xf32>) {
    ^bb0(%p: f32, %o: f32):
      %0 = arith.addf %o, %p : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    %n = call @optimizer_step(%w, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // The addition may be a linalg operation, and there may be more than two.
  // CHECK-LABEL: func.func @delay_unscale_twice
  func.func @delay_unscale_twice(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[G0:.*]] = call @forward_backward
    // CHECK: %[[G1:.*]] = call @forward_backward
    // CHECK: %[[G2:.*]] = call @forward_backward
    // CHECK: %[[A:.*]] = linalg.add ins(%[[G2]], %[[G0]]
    // CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[G1]]
    // CHECK: amp.unscale %[[B]] using @loss_scaler0
    // CHECK-NOT: amp.unscale
    // CHECK: return
    %e = tensor.empty() : tensor<4xf32>
    %g0 = call @forward_backward(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g1 = call @forward_backward(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g2 = call @forward_backward(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %a = linalg.add ins(%g2, %g0 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%a, %g1 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    %n = call @optimizer_step(%w, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // A running sum: the sum of two delayed gradients is a delayed one.
  // CHECK-LABEL: func.func @delayed_running_sum
  func.func @delayed_running_sum(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[SUM:.*]] = arith.addf
    // CHECK: %[[ALL:.*]] = arith.addf %[[SUM]], %{{.*}}
    // CHECK: %[[U:.*]], %{{.*}} = amp.unscale %[[ALL]] using @loss_scaler0
    // CHECK: func.call @optimizer_step(%{{.*}}, %[[U]])
    %g0 = call @forward_backward(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g1 = call @forward_backward(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %a = arith.addf %g0, %g1 : tensor<4xf32>
    %g2 = call @forward_backward(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %b = arith.addf %a, %g2 : tensor<4xf32>
    %n = call @optimizer_step(%w, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // A loop over micro-batches hands out what it found.
  // CHECK-LABEL: func.func @micro_batches_in_loop
  // CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
  func.func @micro_batches_in_loop(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[NO:.*]] = arith.constant dense<false> : tensor<i1>
    // CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[OLD:.*]] = %[[NO]])
    // CHECK:   %{{.*}}, %[[F:.*]] = amp.unscale
    // CHECK:   amp.update_scale @loss_scaler0, %[[F]]
    // CHECK:   %[[ANY:.*]] = arith.ori %[[OLD]], %[[F]] : tensor<i1>
    // CHECK:   scf.yield %{{.*}}, %[[ANY]]
    // CHECK: amp.apply_if_finite %[[R]]#1 keep(%[[W]])
    // CHECK: func.call @optimizer_step(%[[W]], %[[R]]#0)
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %start = arith.constant dense<0.0> : tensor<4xf32>
    %sum = scf.for %i = %zero to %four step %one iter_args(%acc = %start) -> tensor<4xf32> {
      %g = func.call @forward_backward(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %a = arith.addf %acc, %g : tensor<4xf32>
      scf.yield %a : tensor<4xf32>
    }
    %n = call @optimizer_step(%w, %sum) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // A pass that only one branch makes: nothing was found in the other.
  // CHECK-LABEL: func.func @pass_in_branch
  func.func @pass_in_branch(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<4xf32>, tensor<i1>)
    // CHECK:   %{{.*}}, %[[F:.*]] = amp.unscale
    // CHECK:   scf.yield %{{.*}}, %[[F]]
    // CHECK: else
    // CHECK:   scf.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i1>
    // CHECK: amp.apply_if_finite %[[R]]#1
    %r = scf.if %c -> tensor<4xf32> {
      %g = func.call @forward_backward(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      scf.yield %g : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    %n = call @optimizer_step(%w, %r) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // amp.delay_overflow_check: unscaled at once, but the scaler stays where it is, and
  // what was found goes to the next unscaling, whose predicate has it.
  // CHECK-LABEL: func.func @delay_overflow_check
  func.func @delay_overflow_check(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %y: tensor<4xf32> {amp.role = "batch", amp.name = "x1"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[U0:.*]], %[[F0:.*]] = amp.unscale %{{.*}} using @loss_scaler0
    // CHECK-NOT: amp.update_scale
    // CHECK: %[[U1:.*]], %[[F1:.*]] = amp.unscale %{{.*}} using @loss_scaler0 found(%[[F0]])
    // CHECK: amp.update_scale @loss_scaler0, %[[F1]]
    // CHECK: %[[SUM:.*]] = arith.addf %[[U0]], %[[U1]]
    // CHECK-NOT: arith.ori
    // CHECK: amp.apply_if_finite %[[F1]]
    %g0 = call @forward_backward(%w, %x, %s) {amp.delay_overflow_check} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g1 = call @forward_backward(%w, %y, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %g = arith.addf %g0, %g1 : tensor<4xf32>
    %n = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // A check that is delayed to after a loop is that of all its rounds.
  // CHECK-LABEL: func.func @delay_check_over_loop
  func.func @delay_check_over_loop(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %k: index)
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[NO:.*]] = arith.constant dense<false>
    // CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[OLD:.*]] = %[[NO]], %{{.*}} = %{{.*}})
    // CHECK:   %{{.*}}, %[[F:.*]] = amp.unscale
    // CHECK:   %[[ANY:.*]] = arith.ori %[[OLD]], %[[F]]
    // CHECK:   scf.yield %{{.*}}, %[[ANY]], %{{.*}}
    // CHECK: %{{.*}}, %[[F1:.*]] = amp.unscale %{{.*}} using @loss_scaler0 found(%[[R]]#1)
    // CHECK: %[[ALL:.*]] = arith.ori %[[R]]#2, %[[F1]]
    // CHECK: amp.apply_if_finite %[[ALL]]
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> tensor<4xf32> {
      %g = func.call @forward_backward(%w, %x, %s) {amp.delay_overflow_check} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %a = arith.addf %acc, %g : tensor<4xf32>
      scf.yield %a : tensor<4xf32>
    }
    %g1 = call @forward_backward(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %all = arith.addf %sum, %g1 : tensor<4xf32>
    %n = call @optimizer_step(%w, %all) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // One that is delayed out of a branch is that of the way that was taken.
  // CHECK-LABEL: func.func @delay_check_over_branch
  func.func @delay_check_over_branch(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[NO:.*]] = arith.constant dense<false>
    // CHECK: %[[R:.*]]:3 = scf.if
    // CHECK:   scf.yield %{{.*}}, %[[NO]], %{{.*}}
    // CHECK: else
    // CHECK:   %{{.*}}, %[[F:.*]] = amp.unscale
    // CHECK:   scf.yield %{{.*}}, %[[F]], %[[F]]
    // CHECK: %{{.*}}, %[[F1:.*]] = amp.unscale %{{.*}} using @loss_scaler0 found(%[[R]]#1)
    // CHECK: %[[ALL:.*]] = arith.ori %[[R]]#2, %[[F1]]
    // CHECK: amp.apply_if_finite %[[ALL]]
    %g = scf.if %c -> tensor<4xf32> {
      scf.yield %x : tensor<4xf32>
    } else {
      %g0 = func.call @forward_backward(%w, %x, %s) {amp.delay_overflow_check} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      scf.yield %g0 : tensor<4xf32>
    }
    %g1 = call @forward_backward(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %all = arith.addf %g, %g1 : tensor<4xf32>
    %n = call @optimizer_step(%w, %all) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // The order is the program's: a step before the second pass is guarded by the first
  // one alone, and the second pass sees the scale that the first one left.
  // CHECK-LABEL: func.func @step_between_passes
  func.func @step_between_passes(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[U0:.*]], %[[F0:.*]] = amp.unscale
    // CHECK: amp.update_scale @loss_scaler0, %[[F0]]
    // CHECK: %[[N0:.*]] = amp.apply_if_finite %[[F0]] keep(%{{.*}}) {
    // CHECK: func.call @optimizer_step(%{{.*}}, %[[U0]])
    // CHECK: amp.scale_loss
    // CHECK: call @forward_backward(%[[N0]],
    // CHECK: %[[U1:.*]], %[[F1:.*]] = amp.unscale
    // CHECK: amp.update_scale @loss_scaler0, %[[F1]]
    // CHECK-NOT: arith.ori
    // CHECK: amp.apply_if_finite %[[F1]] keep(%[[N0]]) {
    %g0 = call @forward_backward(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %n0 = call @optimizer_step(%w, %g0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g1 = call @forward_backward(%n0, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %n1 = call @optimizer_step(%n0, %g1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n1 : tensor<4xf32>
  }
}

// -----

// Two losses whose gradients one backward pass adds can have one scale only. (With two
// scalers it is the first one's: both losses then share it.)

module {
  func.func private @both(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss0"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss1"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  // CHECK-LABEL: func.func @two_seeds_one_call
  func.func @two_seeds_one_call(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s0: tensor<f32> {amp.role = "loss_seed", amp.name = "loss0"},
      %s1: tensor<f32> {amp.role = "loss_seed", amp.name = "loss1"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32>) {
    // CHECK-DAG: %[[A:.*]] = amp.scale_loss %{{.*}} using @loss_scaler0
    // CHECK-DAG: %[[B:.*]] = amp.scale_loss %{{.*}} using @loss_scaler0
    // CHECK: call @both(%{{.*}}, %{{.*}}, %{{.*}})
    // CHECK: amp.unscale %{{.*}} using @loss_scaler0
    // CHECK-NOT: amp.unscale
    // CHECK: return
    %g = call @both(%w, %s0, %s1) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    return %w, %g : tensor<4xf32>, tensor<4xf32>
  }
}
