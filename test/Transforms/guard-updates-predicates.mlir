// RUN: amp-opt %s --amp-guard-updates --split-input-file | FileCheck %s

// Which overflows a predicate is made of, where two ways lead to one state.

amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})

// Unscaling that adds to what was unscaled before: the sum has both overflows.
// CHECK-LABEL: func.func @accumulate(
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[SUM:.*]], %[[G:.*]] = amp.unscale {{.*}} accumulate(%[[U]])
// CHECK: %[[ANY:.*]] = arith.ori %[[G]], %[[F]]
// CHECK: amp.apply_if_finite %[[ANY]] keep(
func.func @accumulate(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %h = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %sum, %f1 = amp.unscale %h using @s accumulate(%u) : (tensor<4xf32>) -> tensor<4xf32>
  amp.update_scale @s, %f1
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n : tensor<4xf32>
}

// What gradients choose depends on them, though both choices are clean.
// CHECK-LABEL: func.func @chosen_by_select(
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[N:.*]] = arith.select
// CHECK: amp.apply_if_finite %[[F]] keep(%{{.*}}) {
// CHECK-NEXT: amp.yield %[[N]]
func.func @chosen_by_select(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %first = tensor.extract %u[%c0] : tensor<4xf32>
  %c = arith.cmpf ogt, %first, %one : f32
  %twice = arith.addf %w, %w : tensor<4xf32>
  %n = arith.select %c, %twice, %w : tensor<4xf32>
  return %n : tensor<4xf32>
}

// CHECK-LABEL: func.func @chosen_by_branch(
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[N:.*]] = scf.if
// CHECK: amp.apply_if_finite %[[F]] keep(%{{.*}}) {
// CHECK-NEXT: amp.yield %[[N]]
func.func @chosen_by_branch(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %first = tensor.extract %u[%c0] : tensor<4xf32>
  %c = arith.cmpf ogt, %first, %one : f32
  %n = scf.if %c -> (tensor<4xf32>) {
    %twice = arith.addf %w, %w : tensor<4xf32>
    scf.yield %twice : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  return %n : tensor<4xf32>
}

// A body that reads the gradient from outside.
// CHECK-LABEL: func.func @captured(
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[N:.*]] = linalg.generic
// CHECK: amp.apply_if_finite %[[F]] keep(%{{.*}}) {
// CHECK-NEXT: amp.yield %[[N]]
func.func @captured(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.empty() : tensor<4xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %b = tensor.extract %u[%i] : tensor<4xf32>
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  return %n : tensor<4xf32>
}

// A gradient that is only read as memory: what is read has its overflow.
// CHECK-LABEL: func.func @view_as_memory(
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: bufferization.to_buffer %[[U]]
// CHECK: %[[N:.*]] = arith.subf
// CHECK: amp.apply_if_finite %[[F]] keep(%{{.*}}) {
// CHECK-NEXT: amp.yield %[[N]]
func.func @view_as_memory(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %m = bufferization.to_buffer %u read_only : tensor<4xf32> to memref<4xf32>
  %e = memref.load %m[%c0] : memref<4xf32>
  %d = tensor.splat %e : tensor<4xf32>
  %n = arith.subf %w, %d : tensor<4xf32>
  return %n : tensor<4xf32>
}

// A called step on a parameter that was updated before it, written out: what the call
// keeps is dirty itself, so both go together.
// CHECK-LABEL: func.func @updated_before(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[W1:.*]] = arith.subf %[[W]], %[[U]]
// CHECK: %{{.*}}, %[[G:.*]] = amp.unscale
// CHECK: %[[ANY:.*]] = arith.ori %[[F]], %[[G]]
// CHECK: %[[W2:.*]] = amp.apply_if_finite %[[ANY]] keep(%[[W1]])
// CHECK: %[[K:.*]] = amp.apply_if_finite %{{.*}} keep(%[[W]]) {
// CHECK-NEXT: amp.yield %[[W2]]
// CHECK: return %[[K]]
func.func @updated_before(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %w1 = arith.subf %w, %u : tensor<4xf32>
  %h = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %w2 = call @step(%w1, %u1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %w2 : tensor<4xf32>
}

// The other way round: the guarded call's overflow counts for what is made of it.
// CHECK-LABEL: func.func @updated_after(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[W1:.*]] = amp.apply_if_finite %[[F]] keep(%[[W]])
// CHECK: %[[U1:.*]], %[[G:.*]] = amp.unscale
// CHECK: %[[W2:.*]] = arith.subf %[[W1]], %[[U1]]
// CHECK: %[[ANY:.*]] = arith.ori %[[G]], %[[F]]
// CHECK: %[[K:.*]] = amp.apply_if_finite %[[ANY]] keep(%[[W]]) {
// CHECK-NEXT: amp.yield %[[W2]]
// CHECK: return %[[K]]
func.func @updated_after(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %w1 = call @step(%w, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %h = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %w2 = arith.subf %w1, %u1 : tensor<4xf32>
  return %w2 : tensor<4xf32>
}

// A state that is written out and reads the new parameter of a called step, with
// gradients of its own: the call's parameter is kept for those as well.
// CHECK-LABEL: func.func @state_of_two(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[M:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[W1:.*]] = amp.apply_if_finite %[[F]] keep(%[[W]])
// CHECK: %[[U1:.*]], %[[G:.*]] = amp.unscale
// CHECK: %[[D:.*]] = arith.addf %[[W1]], %[[U1]]
// CHECK: %[[M1:.*]] = arith.addf %[[M]], %[[D]]
// CHECK: %[[ANY:.*]] = arith.ori %[[F]], %[[G]]
// CHECK: %[[K:.*]]:2 = amp.apply_if_finite %[[ANY]] keep(%[[W]], %[[M]]) {
// CHECK-NEXT: amp.yield %[[W1]], %[[M1]]
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @state_of_two(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "w.m"},
                        %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "opt_state", amp.name = "w.m"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %w1 = call @step(%w, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %h = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %d = arith.addf %w1, %u1 : tensor<4xf32>
  %m1 = arith.addf %m, %d : tensor<4xf32>
  return %w1, %m1 : tensor<4xf32>, tensor<4xf32>
}

// Two parameters that are computed from each other's old values are one unit.
// CHECK-LABEL: func.func @crosswise(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[B:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[U1:.*]], %[[G:.*]] = amp.unscale
// CHECK: %[[A1:.*]] = arith.subf %[[B]], %[[U]]
// CHECK: %[[B1:.*]] = arith.subf %[[B]], %[[U1]]
// CHECK: %[[ANY:.*]] = arith.ori %[[F]], %[[G]]
// CHECK: amp.apply_if_finite %[[ANY]] keep(%[[A]], %[[B]]) {
// CHECK-NEXT: amp.yield %[[A1]], %[[B1]]
func.func @crosswise(%a: tensor<4xf32> {amp.role = "param", amp.name = "a"}, %b: tensor<4xf32> {amp.role = "param", amp.name = "b"},
                     %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "a"}, tensor<4xf32> {amp.role = "param", amp.name = "b"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%a, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %h = call @fb(%b, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %a1 = arith.subf %b, %u : tensor<4xf32>
  %b1 = arith.subf %b, %u1 : tensor<4xf32>
  return %a1, %b1 : tensor<4xf32>, tensor<4xf32>
}

// A unit whose operations stand in the block before that of its guard.
// CHECK-LABEL: func.func @unit_before_a_branch(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[M:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %{{.*}}, %[[G:.*]] = amp.unscale
// CHECK: amp.apply_if_finite %[[ANY:[a-z0-9]+]] keep(%[[W]], %[[M]])
// CHECK: return
func.func @unit_before_a_branch(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "w.m"},
                                %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "opt_state", amp.name = "w.m"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %h = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %m1 = arith.addf %m, %u : tensor<4xf32>
  %d = arith.mulf %m1, %u1 : tensor<4xf32>
  %w1 = arith.subf %w, %d : tensor<4xf32>
  cf.br ^end(%w1, %m1 : tensor<4xf32>, tensor<4xf32>)
^end(%p: tensor<4xf32>, %q: tensor<4xf32>):
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}

// -----

// Loops.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})

// An update that is written out before the loop that trains on: guarded before it.
// CHECK-LABEL: func.func @start_of_loop(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[W1:.*]] = arith.subf %[[W]], %[[U]]
// CHECK: %[[K:.*]] = amp.apply_if_finite %[[F]] keep(%[[W]]) {
// CHECK-NEXT: amp.yield %[[W1]]
// CHECK: scf.for {{.*}} iter_args(%[[V:.*]] = %[[K]])
// CHECK: %{{.*}}, %[[G:.*]] = amp.unscale
// CHECK: amp.apply_if_finite %[[G]] keep(%[[V]])
func.func @start_of_loop(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %w1 = arith.subf %w, %u : tensor<4xf32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%v = %w1) -> (tensor<4xf32>) {
    %h = func.call @fb(%v, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
    amp.update_scale @s, %f1
    %n = arith.subf %v, %u1 : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A count of calls beside a step and a loop of steps stays if any of them is skipped.
// CHECK-LABEL: func.func @count_beside_loop(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[N:[a-z0-9]+]]: tensor<i32>
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[K:.*]] = amp.apply_if_finite %[[F]] keep(%[[W]])
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[V:.*]] = %[[K]], %[[SOFAR:.*]] = %[[F]])
// CHECK: %{{.*}}, %[[G:.*]] = amp.unscale
// CHECK: %[[ANY:.*]] = arith.ori %[[SOFAR]], %[[G]]
// CHECK: scf.yield %{{.*}}, %[[ANY]]
// CHECK: arith.addi %[[N]]
// CHECK: amp.apply_if_finite %[[R]]#1 keep(%[[N]])
func.func @count_beside_loop(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %n: tensor<i32> {amp.role = "opt_state", amp.name = "n"},
                             %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i32> {amp.role = "opt_state", amp.name = "n"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %w1 = call @step(%w, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%v = %w1) -> (tensor<4xf32>) {
    %h = func.call @fb(%v, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
    amp.update_scale @s, %f1
    %m = func.call @step(%v, %u1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  }
  %one = arith.constant dense<1> : tensor<i32>
  %n1 = arith.addi %n, %one : tensor<i32>
  return %r, %n1 : tensor<4xf32>, tensor<i32>
}

// Gradients of two losses that one loop carries stay apart.
// CHECK-LABEL: func.func @two_in_a_loop(
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[U1:.*]], %[[G:.*]] = amp.unscale
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[P:.*]] = %[[U]], %[[Q:.*]] = %[[U1]], %[[PF:.*]] = %[[F]], %[[QF:.*]] = %[[G]])
// CHECK: amp.apply_if_finite %[[PF]] keep(%[[A]])
// CHECK: amp.apply_if_finite %[[QF]] keep(%[[B]])
// CHECK: %[[U2:.*]], %[[F2:.*]] = amp.unscale
// CHECK: %[[U3:.*]], %[[G2:.*]] = amp.unscale
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[U2]], %[[U3]], %[[F2]], %[[G2]]
func.func @two_in_a_loop(%a: tensor<4xf32> {amp.role = "param", amp.name = "a"}, %b: tensor<4xf32> {amp.role = "param", amp.name = "b"},
                         %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "a"}, tensor<4xf32> {amp.role = "param", amp.name = "b"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%x, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %h = call @fb(%x, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %r:4 = scf.for %i = %c0 to %k step %c1 iter_args(%v = %a, %z = %b, %p = %u, %q = %u1) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %n = func.call @step(%v, %p) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %m = func.call @step(%z, %q) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g2 = func.call @fb(%x, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %u2, %f2 = amp.unscale %g2 using @s : (tensor<4xf32>) -> (tensor<4xf32>)
    amp.update_scale @s, %f2
    %g3 = func.call @fb(%x, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %u3, %f3 = amp.unscale %g3 using @s : (tensor<4xf32>) -> (tensor<4xf32>)
    amp.update_scale @s, %f3
    scf.yield %n, %m, %u2, %u3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Accumulators, which a skipped step ends the window of.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
func.func private @window(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"},
    tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"})

// One that the optimizer step returns is zero after a skip, not what it was.
// CHECK-LABEL: func.func @in_the_step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[Z:.*]] = arith.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK: amp.apply_if_finite %{{.*}} keep(%[[W]], %[[Z]])
// CHECK: func.call @window
func.func @in_the_step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"},
                       %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n:2 = call @window(%w, %acc, %u) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %n#0, %n#1 : tensor<4xf32>, tensor<4xf32>
}

// Two steps at the end of one window: it is dropped if either is skipped.
// CHECK-LABEL: func.func @two_steps(
// CHECK: %[[BAD:.*]] = linalg.generic
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[ANY:.*]] = arith.ori %[[BAD]], %[[F]]
// CHECK: amp.apply_if_finite %[[ANY]]
// CHECK: %{{.*}}, %[[G:.*]] = amp.unscale
// CHECK: amp.apply_if_finite %[[G]]
// CHECK: %[[EITHER:.*]] = arith.ori %[[G]], %[[ANY]]
// CHECK: amp.apply_if_finite %[[EITHER]] keep(%{{.*}}) {
// CHECK-NEXT: amp.yield %{{.*}} : tensor<4xf32>
// CHECK: return
func.func @two_steps(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"},
                     %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = arith.addf %acc, %u : tensor<4xf32>
  %w1 = call @step(%w, %sum) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %h = call @fb(%w1, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %w2 = call @step(%w1, %u1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %rest = arith.subf %sum, %sum : tensor<4xf32>
  return %w2, %rest : tensor<4xf32>, tensor<4xf32>
}

// Two steps of which a select takes the first at times: it is skipped only then.
// CHECK-LABEL: func.func @selected_step(
// CHECK-SAME: %[[LAST:[a-z0-9]+]]: i1
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[ANY:.*]] = arith.ori %{{.*}}, %[[F]]
// CHECK: amp.apply_if_finite %[[ANY]]
// CHECK: arith.select %[[LAST]], {{.*}} : tensor<4xf32>
// CHECK: %[[SKIP:.*]] = arith.select %[[LAST]], %[[ANY]], %{{.*}} : tensor<i1>
// CHECK: %{{.*}}, %[[G:.*]] = amp.unscale
// CHECK: %[[N:.*]] = amp.apply_if_finite %[[G]]
// CHECK: %[[EITHER:.*]] = arith.ori %[[G]], %[[SKIP]]
// CHECK: amp.apply_if_finite %[[EITHER]] keep(
// CHECK: return %[[N]],
func.func @selected_step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"},
                         %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %last: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = arith.addf %acc, %u : tensor<4xf32>
  %k = call @step(%w, %sum) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = arith.select %last, %k, %w : tensor<4xf32>
  %h = call @fb(%n, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %w2 = call @step(%n, %u1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %rest = arith.subf %sum, %sum : tensor<4xf32>
  return %w2, %rest : tensor<4xf32>, tensor<4xf32>
}

// Two windows: each is dropped with the step of its own parameter.
// CHECK-LABEL: func.func @two_windows(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[B:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[SA:.*]] = arith.addf
// CHECK: %[[FA:.*]] = arith.ori %{{.*}}, %[[F]]
// CHECK: amp.apply_if_finite %[[FA]] keep(%[[A]])
// CHECK: %{{.*}}, %[[G:.*]] = amp.unscale
// CHECK: %[[SB:.*]] = arith.addf
// CHECK: %[[GB:.*]] = arith.ori %{{.*}}, %[[G]]
// CHECK: amp.apply_if_finite %[[GB]] keep(%[[B]])
// CHECK: amp.apply_if_finite %[[FA]] keep(%{{.*}}) {
// CHECK-NEXT: amp.yield %[[SA]]
// CHECK: amp.apply_if_finite %[[GB]] keep(%{{.*}}) {
// CHECK-NEXT: amp.yield %[[SB]]
func.func @two_windows(%a: tensor<4xf32> {amp.role = "param", amp.name = "a"}, %b: tensor<4xf32> {amp.role = "param", amp.name = "b"},
                       %x: tensor<4xf32> {amp.role = "accumulator", amp.name = "a"}, %y: tensor<4xf32> {amp.role = "accumulator", amp.name = "b"},
                       %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "a"}, tensor<4xf32> {amp.role = "param", amp.name = "b"},
        tensor<4xf32> {amp.role = "accumulator", amp.name = "a"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "b"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%a, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sa = arith.addf %x, %u : tensor<4xf32>
  %a1 = call @step(%a, %sa) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %h = call @fb(%b, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %sb = arith.addf %y, %u1 : tensor<4xf32>
  %b1 = call @step(%b, %sb) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a1, %b1, %sa, %sb : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A model that is called with the new weights of a unit whose predicate comes later sees
// them guarded by their own overflow.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @d(tensor<4xf32> {amp.role = "param", amp.name = "d"}, tensor<f32> {amp.role = "loss_seed", amp.name = "d"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "d"})
func.func private @g(tensor<4xf32> {amp.role = "param", amp.name = "d"}, tensor<4xf32> {amp.role = "param", amp.name = "g"}, tensor<f32> {amp.role = "loss_seed", amp.name = "g"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "g"})
// CHECK-LABEL: func.func @called_before_its_guard(
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[G:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[N:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %{{.*}}, %[[FD:.*]] = amp.unscale
// CHECK: %[[D1:.*]] = arith.subf %[[D]]
// CHECK: %[[EARLY:.*]] = amp.apply_if_finite %[[FD]] keep(%[[D]]) {
// CHECK-NEXT: amp.yield %[[D1]]
// CHECK: call @g(%[[EARLY]],
// CHECK: %{{.*}}, %[[FG:.*]] = amp.unscale
// CHECK: %[[ANY:.*]] = arith.ori %[[FD]], %[[FG]]
// CHECK: amp.apply_if_finite %[[ANY]] keep(%[[D]], %[[G]], %[[N]]) {
// CHECK-NEXT: amp.yield %[[D1]],
func.func @called_before_its_guard(%d: tensor<4xf32> {amp.role = "param", amp.name = "d"}, %g: tensor<4xf32> {amp.role = "param", amp.name = "g"},
                                   %n: tensor<4xf32> {amp.role = "opt_state", amp.name = "n"},
                                   %sd: tensor<f32> {amp.role = "loss_seed", amp.name = "d"}, %sg: tensor<f32> {amp.role = "loss_seed", amp.name = "g"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "d"}, tensor<4xf32> {amp.role = "param", amp.name = "g"},
        tensor<4xf32> {amp.role = "opt_state", amp.name = "n"}) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %n1 = arith.addf %n, %one : tensor<4xf32>
  %td = amp.scale_loss %sd using @s : tensor<f32>
  %gd = call @d(%d, %td) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %ud, %fd = amp.unscale %gd using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %fd
  %ad = arith.divf %ud, %n1 : tensor<4xf32>
  %d1 = arith.subf %d, %ad : tensor<4xf32>
  %tg = amp.scale_loss %sg using @s : tensor<f32>
  %gg = call @g(%d1, %g, %tg) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %ug, %fg = amp.unscale %gg using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %fg
  %ag = arith.divf %ug, %n1 : tensor<4xf32>
  %g1 = arith.subf %g, %ag : tensor<4xf32>
  return %d1, %g1, %n1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})

// The program skips the step itself: what goes with it is kept by what was found.
// CHECK-LABEL: func.func @skipped_by_select(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "param"}
// CHECK-SAME: %[[K:[a-z0-9]+]]: tensor<i32>
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK-DAG: amp.apply_if_finite %[[F]] keep(%[[W]])
// CHECK-DAG: amp.apply_if_finite %[[F]] keep(%[[K]])
func.func @skipped_by_select(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                             %k: tensor<i32> {amp.role = "opt_state", amp.name = "k"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i32> {amp.role = "opt_state", amp.name = "k"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %i = tensor.extract %f[] : tensor<i1>
  %one = arith.constant dense<1> : tensor<i32>
  %k1 = arith.addi %k, %one : tensor<i32>
  %a = arith.subf %w, %u : tensor<4xf32>
  %n = arith.select %i, %w, %a : tensor<4xf32>
  return %n, %k1 : tensor<4xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @skipped_by_branch(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "param"}
// CHECK-SAME: %[[K:[a-z0-9]+]]: tensor<i32>
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK-DAG: amp.apply_if_finite %[[F]] keep(%[[W]])
// CHECK-DAG: amp.apply_if_finite %[[F]] keep(%[[K]])
func.func @skipped_by_branch(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                             %k: tensor<i32> {amp.role = "opt_state", amp.name = "k"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i32> {amp.role = "opt_state", amp.name = "k"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %i = tensor.extract %f[] : tensor<i1>
  %yes = arith.constant true
  %go = arith.xori %i, %yes : i1
  %one = arith.constant dense<1> : tensor<i32>
  %k1 = arith.addi %k, %one : tensor<i32>
  %n = scf.if %go -> (tensor<4xf32>) {
    %a = arith.subf %w, %u : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  return %n, %k1 : tensor<4xf32>, tensor<i32>
}

// The ranks' answer, by which this one may skip where it found nothing itself.
// CHECK-LABEL: func.func @skipped_by_answer(
// CHECK: amp.unscale
// CHECK-NEXT: %[[ALL:.*]] = amp.all_reduce_found_inf
// CHECK-DAG: amp.apply_if_finite %[[ALL]] keep(%{{.*}}) {{{$}}
// CHECK-DAG: amp.apply_if_finite %[[ALL]] keep(%{{.*}}) {{{$}}
func.func @skipped_by_answer(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                             %k: tensor<i32> {amp.role = "opt_state", amp.name = "k"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i32> {amp.role = "opt_state", amp.name = "k"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %all = amp.all_reduce_found_inf %f
  %i = tensor.extract %all[] : tensor<i1>
  %one = arith.constant dense<1> : tensor<i32>
  %k1 = arith.addi %k, %one : tensor<i32>
  %a = arith.subf %w, %u : tensor<4xf32>
  %n = arith.select %i, %w, %a : tensor<4xf32>
  return %n, %k1 : tensor<4xf32>, tensor<i32>
}

// Near miss: a buffer that counts what was found is none that a gradient comes into.
// CHECK-LABEL: func.func @counted(
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[B:.*]] = arith.select
// CHECK: %[[N:.*]] = amp.apply_if_finite %[[F]]
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %[[N]], %[[B]]
func.func @counted(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                   %b: tensor<i32> {amp.role = "buffer", amp.name = "b"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i32> {amp.role = "buffer", amp.name = "b"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %i = tensor.extract %f[] : tensor<i1>
  %one = arith.constant dense<1> : tensor<i32>
  %more = arith.addi %b, %one : tensor<i32>
  %b1 = arith.select %i, %more, %b : tensor<i32>
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n, %b1 : tensor<4xf32>, tensor<i32>
}

// Near miss: what no gradient chooses hands on the side that is taken.
// CHECK-LABEL: func.func @not_by_finding(
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[NO:.*]] = arith.constant dense<false>
// CHECK: %[[ANY:.*]] = arith.select %{{.*}}, %[[F]], %[[NO]] : tensor<i1>
// CHECK: amp.apply_if_finite %[[ANY]]
func.func @not_by_finding(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                          %c: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %a = arith.subf %w, %u : tensor<4xf32>
  %n = arith.select %c, %a, %w : tensor<4xf32>
  return %n : tensor<4xf32>
}
