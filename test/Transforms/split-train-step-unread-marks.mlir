// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-split-train-step | FileCheck %s

// Marks outside of a fused step are never read. They stay, as long as they name a
// parameter of their function, or in a helper of any (split-train-step-invalid.mlir).

// CHECK: arith.negf {{.*}}amp.grad = ["w"]
// CHECK: linalg.broadcast {{.*}}amp.grad = ["w"]
func.func private @unread(%x: tensor<4xf32>) -> tensor<4xf32> {
  %g = arith.negf %x {amp.grad = ["w"]} : tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func @backward(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast {amp.grad = ["w"]} ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  return %b : tensor<4xf32>
}
