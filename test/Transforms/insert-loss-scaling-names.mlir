// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-insert-loss-scaling --split-input-file | FileCheck %s

// Names of the scalers that the pass makes.

// A function of the name that a new scaler would have keeps it.
// CHECK: amp.scaler @loss_scaler0_0
// CHECK: func.func private @loss_scaler0()
func.func private @loss_scaler0() -> i32
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
// CHECK-LABEL: func.func @name_is_taken
func.func @name_is_taken(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: amp.scale_loss %{{.*}} using @loss_scaler0_0
  // CHECK: amp.unscale %{{.*}} using @loss_scaler0_0
  // CHECK: amp.update_scale @loss_scaler0_0
  // CHECK: amp.scale_loss %{{.*}} using @loss_scaler0_0
  %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %h = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.addf %g, %h : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Near miss: a scaler of that name is an earlier run's, and is shared.
// CHECK: amp.scaler @loss_scaler0 {
// CHECK-NOT: amp.scaler
amp.scaler @loss_scaler0 {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
// CHECK-LABEL: func.func @name_is_a_scaler
func.func @name_is_a_scaler(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: amp.scale_loss %{{.*}} using @loss_scaler0 :
  %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
