// RUN: amp-opt %s --amp-mixed-precision="opt-level=O0 micro-batches=2" | FileCheck %s
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0 micro-batches=2" | FileCheck %s
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O0" | FileCheck %s --check-prefix=WHOLE

// A batch is divided at the gradients, which are found without marks at O0 as well.

// CHECK-LABEL: func.func @train
// CHECK:         call @train_forward_backward
// CHECK:         call @train_forward_backward
// CHECK:         call @train_optimizer_step
// WHOLE-LABEL: func.func @train
// WHOLE-NOT:     call
func.func @train(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<2x4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<2x4xf32>) dimensions = [0, 1]
  %p = arith.mulf %b, %x : tensor<2x4xf32>
  %g = linalg.reduce {arith.addf} ins(%p : tensor<2x4xf32>) outs(%zero : tensor<4xf32>) dimensions = [0]
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}
