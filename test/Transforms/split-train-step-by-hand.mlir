// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O0 verbosity=0" --amp-split-train-step | FileCheck %s

// Where nothing is half and nothing scaled by the pipeline, a fused step that scales its
// loss itself stays whole, marked or not. At other levels it is refused
// (split-train-step-invalid.mlir).

// CHECK-LABEL: func.func @step
// CHECK-NOT: call
// CHECK: amp.scale_loss
// CHECK: amp.unscale
// CHECK: amp.update_scale
amp.scaler @l {initial_scale = 1024.0 : f64}
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %s = amp.scale_loss %seed using @l : tensor<f32>
  %g = arith.mulf %s, %w {amp.grad = ["w"]} : tensor<f32>
  %u, %f = amp.unscale %g using @l : (tensor<f32>) -> tensor<f32>
  amp.update_scale @l, %f
  %n = arith.subf %w, %u : tensor<f32>
  return %n : tensor<f32>
}
