// RUN: amp-opt %s --amp-insert-loss-scaling --amp-guard-updates --split-input-file | FileCheck %s
// A module that has scalers is left alone.
// RUN: amp-opt %s --amp-insert-loss-scaling --amp-guard-updates --split-input-file > %t.once
// RUN: amp-opt %t.once --amp-insert-loss-scaling --amp-guard-updates --split-input-file | diff %t.once -

// One loss, one backward pass: which scaler is declared, what stands around the call,
// and when a step is skipped. Several of anything: insert-loss-scaling-several.mlir.

// Dynamic, Apex's numbers. The scale meets the seed before the call; gradients are
// unscaled and tested after it; the scaler moves on; the step keeps its old values,
// each the argument of the same role and name, wherever it stands.

// CHECK: amp.scaler @loss_scaler0 {initial_scale = 6.553600e+04 : f64}
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @forward_backward(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<2xf32> {amp.role = "param", amp.name = "b"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<4xf32> {amp.role = "grad", amp.name = "w"},
          tensor<2xf32> {amp.role = "grad", amp.name = "b"})
  func.func private @optimizer_step(
      tensor<4xf32> {amp.role = "grad", amp.name = "w"},
      tensor<2xf32> {amp.role = "grad", amp.name = "b"},
      tensor<i32> {amp.role = "opt_state", amp.name = "step"},
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<2xf32> {amp.role = "param", amp.name = "b"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
          tensor<2xf32> {amp.role = "param", amp.name = "b"},
          tensor<i32> {amp.role = "opt_state", amp.name = "step"})

  // CHECK-LABEL: func.func @train_step
  // CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[B:[a-z0-9]+]]: tensor<2xf32> {{{[^}]*}}}, %[[N:[a-z0-9]+]]: tensor<i32> {{{[^}]*}}}, %[[SEED:[a-z0-9]+]]: tensor<f32>
  func.func @train_step(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %b: tensor<2xf32> {amp.role = "param", amp.name = "b"},
      %n: tensor<i32> {amp.role = "opt_state", amp.name = "step"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<4xf32> {amp.role = "param", amp.name = "w"},
          tensor<2xf32> {amp.role = "param", amp.name = "b"},
          tensor<i32> {amp.role = "opt_state", amp.name = "step"}) {
    // CHECK: %[[S:.*]] = amp.scale_loss %[[SEED]] using @loss_scaler0 : tensor<f32>
    // CHECK: %[[FB:.*]]:3 = call @forward_backward(%[[W]], %[[B]], %[[S]])
    // CHECK: %[[G:.*]]:2, %[[FOUND:.*]] = amp.unscale %[[FB]]#1, %[[FB]]#2 using @loss_scaler0
    // CHECK-NEXT: amp.update_scale @loss_scaler0, %[[FOUND]]
    // CHECK: %[[NEW:.*]]:3 = amp.apply_if_finite %[[FOUND]] keep(%[[W]], %[[B]], %[[N]]) {
    // CHECK:   %[[STEP:.*]]:3 = func.call @optimizer_step(%[[G]]#0, %[[G]]#1, %[[N]], %[[W]], %[[B]])
    // CHECK:   amp.yield %[[STEP]]#0, %[[STEP]]#1, %[[STEP]]#2
    // CHECK: }
    // The loss is reported as it was: only the seed is scaled.
    // CHECK: return %[[FB]]#0, %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#2
    %fb:3 = call @forward_backward(%w, %b, %seed)
        : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<2xf32>)
    %new:3 = call @optimizer_step(%fb#1, %fb#2, %n, %w, %b)
        : (tensor<4xf32>, tensor<2xf32>, tensor<i32>, tensor<4xf32>, tensor<2xf32>)
        -> (tensor<4xf32>, tensor<2xf32>, tensor<i32>)
    return %fb#0, %new#0, %new#1, %new#2 : tensor<f32>, tensor<4xf32>, tensor<2xf32>, tensor<i32>
  }
}

// -----

// Bounds of the policy become the scaler's; the start is below the ceiling.

// CHECK: amp.scaler @loss_scaler0 {initial_scale = 1.024000e+03 : f64, max_scale = 1.024000e+03 : f64, min_scale = 5.000000e-01 : f64}
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic,
    min_loss_scale = 0.5, max_loss_scale = 1024.0>} {
  func.func private @forward_backward(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  // What else is done with gradients is done with unscaled ones: the norm that is
  // clipped, the value that is logged.
  // CHECK-LABEL: func.func @clip_before_step
  func.func @clip_before_step(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32>) {
    // CHECK: %[[G:.*]], %[[FOUND:.*]] = amp.unscale %{{.*}} using @loss_scaler0
    // CHECK: %[[C:.*]] = arith.mulf %[[G]], %[[G]]
    // CHECK: return %{{.*}}, %[[C]]
    %g = call @forward_backward(%w, %seed) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %c = arith.mulf %g, %g : tensor<4xf32>
    return %w, %c : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A static scale never skips, as in Apex: no guard. The scaler counts all the same.

// CHECK: amp.scaler @loss_scaler0 {initial_scale = 1.280000e+02 : f64, static_scale}
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = 128.0>} {
  func.func private @forward_backward(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  // CHECK-LABEL: func.func @static_scale
  func.func @static_scale(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: amp.scale_loss
    // CHECK: %[[G:.*]], %[[FOUND:.*]] = amp.unscale
    // CHECK: amp.update_scale @loss_scaler0, %[[FOUND]]
    // CHECK-NOT: amp.apply_if_finite
    // CHECK: %[[NEW:.*]] = call @optimizer_step(%{{.*}}, %[[G]])
    // CHECK: return %[[NEW]]
    %g = call @forward_backward(%w, %seed) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %new = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %new : tensor<4xf32>
  }
}

// -----

// Apex's short circuit: a static scale of 1 without master weights is no scaling.

module attributes {amp.policy = #amp.policy<O0, cast_model_type = f32, master_weights = false, loss_scale = 1.0>} {
  func.func private @forward_backward(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  // CHECK-LABEL: func.func @short_circuit
  // CHECK-NOT: amp.scale_loss
  // CHECK-NOT: amp.unscale
  // CHECK: return
  func.func @short_circuit(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32>) {
    %g = call @forward_backward(%w, %seed) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %w, %g : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Near miss: with master weights the half gradients are widened somewhere, and Apex
// does not take the short way.

// CHECK: amp.scaler @loss_scaler0 {initial_scale = 1.000000e+00 : f64, static_scale}
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true,
    master_weights = true, loss_scale = 1.0>} {
  func.func private @forward_backward(
      tensor<4xf16> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf16> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  // The gradient is unscaled from half straight into f32: the widening that
  // amp-cast-model put there is taken over.
  // CHECK-LABEL: func.func @half_gradient_into_master
  func.func @half_gradient_into_master(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[G:.*]] = call @forward_backward
    // CHECK-NOT: amp.cast %[[G]]
    // CHECK: %[[U:.*]], %{{.*}} = amp.unscale %[[G]] using @loss_scaler0 : (tensor<4xf16>) -> tensor<4xf32>
    // CHECK: call @optimizer_step(%{{.*}}, %[[U]])
    %h = amp.cast %w : tensor<4xf32> to tensor<4xf16>
    %g = call @forward_backward(%h, %seed) : (tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
    %gw = amp.cast %g : tensor<4xf16> to tensor<4xf32>
    %new = call @optimizer_step(%w, %gw) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %new : tensor<4xf32>
  }
}

// -----

// O3 with a dynamic scale: half parameters take the unscaled gradient, rounded.

module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, keep_batchnorm_fp32 = false,
    master_weights = false, loss_scale = dynamic>} {
  func.func private @forward_backward(
      tensor<4xf16> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf16> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(
      tensor<4xf16> {amp.role = "param", amp.name = "w"},
      tensor<4xf16> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf16> {amp.role = "param", amp.name = "w"})
  // CHECK-LABEL: func.func @half_gradient_into_half
  // CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf16>
  func.func @half_gradient_into_half(
      %w: tensor<4xf16> {amp.role = "param", amp.name = "w"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf16> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[G:.*]] = call @forward_backward
    // CHECK: %[[U:.*]], %[[FOUND:.*]] = amp.unscale %[[G]] using @loss_scaler0 : (tensor<4xf16>) -> tensor<4xf32>
    // CHECK: %[[H:.*]] = amp.cast %[[U]] : tensor<4xf32> to tensor<4xf16>
    // CHECK: amp.apply_if_finite %[[FOUND]] keep(%[[W]])
    // CHECK: func.call @optimizer_step(%{{.*}}, %[[H]])
    %g = call @forward_backward(%w, %seed) : (tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
    %new = call @optimizer_step(%w, %g) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    return %new : tensor<4xf16>
  }
}

// -----

// With masters: the half copy is kept as the copy that the step was given.

module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true,
    master_weights = true, loss_scale = dynamic>} {
  func.func private @forward_backward(
      tensor<4xf16> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf16> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(
      tensor<4xf32> {amp.role = "master", amp.name = "w"},
      tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "master", amp.name = "w"},
          tensor<4xf16> {amp.role = "param", amp.name = "w"})
  // CHECK-LABEL: func.func @keeps_half_copy
  // CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %{{[^:]*}}: tensor<f32> {{{[^}]*}}}, %[[COPY:[a-z0-9]+]]: tensor<4xf16>
  func.func @keeps_half_copy(
      %m: tensor<4xf32> {amp.role = "master", amp.name = "w"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
      %w: tensor<4xf16> {amp.role = "param", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "master", amp.name = "w"},
          tensor<4xf16> {amp.role = "param", amp.name = "w"}) {
    // CHECK: amp.apply_if_finite %{{.*}} keep(%[[M]], %[[COPY]])
    %g = call @forward_backward(%w, %seed) : (tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
    %gw = amp.cast %g : tensor<4xf16> to tensor<4xf32>
    %new:2 = call @optimizer_step(%m, %gw) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf16>)
    return %new#0, %new#1 : tensor<4xf32>, tensor<4xf16>
  }
}

// -----

// Near misses: without a train step there is nobody to scale for. The forward-backward
// function takes its seed scaled from whoever calls it.

// CHECK-NOT: amp.scaler
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  // CHECK-LABEL: func.func @forward_backward_alone
  // CHECK-NOT: amp.scale_loss
  // CHECK: return
  func.func @forward_backward_alone(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
    return %w : tensor<4xf32>
  }
}

// -----

// A gradient that reaches its step through blocks is guarded as any other.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  // CHECK-LABEL: func.func @clipped_in_a_block
  func.func @clipped_in_a_block(%c: i1, %w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
    // CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^{{.*}}(%{{.*}}, %[[U]] : i1, tensor<4xf32>)
    %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    cf.cond_br %c, ^clip, ^end(%c, %g : i1, tensor<4xf32>)
  ^clip:
    %h = arith.addf %g, %g : tensor<4xf32>
    cf.br ^end(%c, %h : i1, tensor<4xf32>)
  ^end(%d: i1, %q: tensor<4xf32>):
    // CHECK: ^{{.*}}(%{{.*}}: i1, %[[Q:.*]]: tensor<4xf32>):
    // CHECK-NEXT: amp.apply_if_finite %[[F]]
    // CHECK-NEXT: func.call @step(%{{.*}}, %[[Q]])
    %n = call @step(%w, %q) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }
}

// -----

// A gradient that is none by its role, as it carries the scale of the seed: it is
// unscaled with the others. Near misses: one that is not used, a sign, a square (which is
// amp-verify-scaling's to refuse), a buffer.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}, tensor<4xf32> {amp.role = "output", amp.name = "x.grad"},
          tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {amp.role = "output", amp.name = "unused"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "b"}) {
    %e = tensor.empty() : tensor<4xf32>
    %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
    %gw = arith.mulf %b, %x : tensor<4xf32>
    %gx = arith.mulf %b, %w : tensor<4xf32>
    %sign = math.copysign %x, %gx : tensor<4xf32>
    %square = arith.mulf %gx, %gx : tensor<4xf32>
    return %gw, %gx, %gx, %sign, %square, %gx, %gx : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @gradient_of_input
  // CHECK: %[[R:.*]]:7 = call @fb
  // CHECK: %[[U:.*]]:3, %[[F:.*]] = amp.unscale %[[R]]#0, %[[R]]#1, %[[R]]#2 using
  // CHECK-NEXT: amp.update_scale @{{.*}}, %[[F]]
  // CHECK: arith.addf %[[U]]#1, %[[U]]#2
  // CHECK: arith.addf %{{.*}}, %[[R]]#3
  // CHECK: arith.addf %{{.*}}, %[[R]]#4
  // CHECK: return {{.*}}, %[[R]]#6
  func.func @gradient_of_input(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %b: tensor<4xf32> {amp.role = "buffer", amp.name = "b"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "output", amp.name = "y"}, tensor<4xf32> {amp.role = "output", amp.name = "z"}) {
    %g, %gx, %gy, %sign, %square, %unused, %buffer = call @fb(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>)
        -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    %y = arith.addf %gx, %gy : tensor<4xf32>
    %y1 = arith.addf %y, %sign : tensor<4xf32>
    %y2 = arith.addf %y1, %square : tensor<4xf32>
    %n = arith.subf %w, %g : tensor<4xf32>
    return %n, %y2, %buffer : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
