// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-insert-loss-scaling --split-input-file --verify-diagnostics | FileCheck %s
// At O3, which scales nothing by itself, a declared scaler is asked for.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O3 verbosity=0" --amp-insert-loss-scaling --split-input-file --verify-diagnostics | FileCheck %s


// Scalers that the user declared.

// The only one is shared, as num_losses=1 says.
// CHECK: amp.scaler @mine
// CHECK-NOT: amp.scaler
amp.scaler @mine {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: amp.scale_loss %{{.*}} using @mine
  // CHECK: amp.unscale %{{.*}} using @mine
  // CHECK: amp.update_scale @mine
  %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// Near miss: a step that scales its loss is its author's.
// CHECK-LABEL: func.func @by_hand
// CHECK-NOT: amp.scale_loss
// CHECK: amp.scale_loss %{{.*}} using @mine
// CHECK-NOT: amp.scale_loss
// CHECK: return

func.func @by_hand(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @mine : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @mine : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @mine, %f
  return %u : tensor<4xf32>
}

// -----

// Each loss has the one of its name, whatever num_losses says.
amp.scaler @second {initial_scale = 1024.0 : f64}
amp.scaler @first {initial_scale = 2048.0 : f64}
func.func private @a(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "first"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @b(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "second"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
// CHECK-LABEL: func.func @by_name
func.func @by_name(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "first"},
                   %t: tensor<f32> {amp.role = "loss_seed", amp.name = "second"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: amp.unscale %{{.*}} using @first
  // CHECK: amp.unscale %{{.*}} using @second
  %g = call @a(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %h = call @b(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.addf %g, %h : tensor<4xf32>
  return %n : tensor<4xf32>
}
