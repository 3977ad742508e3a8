// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O5 verbosity=0" --amp-split-train-step | FileCheck %s

// Where no loss is scaled, a gradient may be added by hand to what the backward pass of
// its loss gives. Elsewhere it is refused (split-train-step-invalid.mlir).

// CHECK-LABEL: func.func @regularised
// CHECK:         call @model
// CHECK:         arith.subf
func.func private @model(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @regularised(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %l: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%l : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %r = arith.mulf %b, %w : tensor<4xf32>
  %g = call @model(%w, %l) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %sum = arith.addf %g, %r : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n : tensor<4xf32>
}
