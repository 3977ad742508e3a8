// Buffers that are copies of new weights.
//
// RUN: amp-opt %s --amp-guard-updates --split-input-file | FileCheck %s

// A buffer that is a copy of the new weights where the caller says so (a target network) is a
// copy of what a skipped step left of them, and so is the next one's copy of that.
// CHECK-LABEL: func.func @hard_copy
// CHECK: %[[NEW:.*]] = amp.apply_if_finite %[[FOUND:.*]] keep(%arg0)
// CHECK: %[[COPY:.*]] = arith.select %{{.*}}, %[[NEW]], %arg3
// CHECK: %[[SECOND:.*]]:2 = scf.if
// CHECK-NEXT: scf.yield %[[COPY]],
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %[[NEW]], %[[COPY]], %[[SECOND]]#0
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @hard_copy(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                     %c: i1, %t: tensor<4xf32> {amp.role = "buffer", amp.name = "t"}, %q: tensor<4xf32> {amp.role = "buffer", amp.name = "q"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "buffer", amp.name = "t"},
        tensor<4xf32> {amp.role = "buffer", amp.name = "q"}) {
  %a = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %a) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  %copy = arith.select %c, %n, %t : tensor<4xf32>
  %second = scf.if %c -> tensor<4xf32> {
    scf.yield %copy : tensor<4xf32>
  } else {
    scf.yield %q : tensor<4xf32>
  }
  return %n, %copy, %second : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Near miss: a gradient chooses it; and one that an optimizer's state is computed from.
// CHECK-LABEL: func.func @chosen_copy
// CHECK: amp.apply_if_finite
// CHECK: %[[CHOSEN:.*]] = arith.select
// CHECK: %[[KEPT:.*]]:{{.*}} = amp.apply_if_finite %{{.*}} keep({{.*}}%arg3
// CHECK: return %{{.*}}, %[[KEPT]]#
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @chosen_copy(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                       %c: i1, %t: tensor<4xf32> {amp.role = "buffer", amp.name = "t"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "buffer", amp.name = "t"}) {
  %a = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %a) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %one = arith.constant 1.0 : f32
  %large = arith.cmpf ogt, %e, %one : f32
  %copy = arith.select %large, %n, %t : tensor<4xf32>
  return %n, %copy : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @copy_and_state
// CHECK: arith.select
// CHECK: amp.apply_if_finite %{{.*}} keep(%arg0, %arg4, %arg3)
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @copy_and_state(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                          %c: i1, %t: tensor<4xf32> {amp.role = "buffer", amp.name = "t"},
                          %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "m"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "buffer", amp.name = "t"},
        tensor<4xf32> {amp.role = "opt_state", amp.name = "m"}) {
  %a = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %a) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  %copy = arith.select %c, %n, %t : tensor<4xf32>
  %moved = arith.addf %m, %copy : tensor<4xf32>
  return %n, %copy, %moved : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
