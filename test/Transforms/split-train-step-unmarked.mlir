// At O0 there is nothing to scale: a step without marks stays as it is.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O0 verbosity=0" --amp-split-train-step | FileCheck %s

// CHECK-LABEL: func @step(
// CHECK-NEXT:    %[[N:.*]] = arith.subf
// CHECK-NEXT:    return %[[N]]
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %n = arith.subf %w, %seed : tensor<f32>
  return %n : tensor<f32>
}
