// Nothing is split where nothing is half and no loss is scaled: an optimizer step that is
// called behind a backward pass that is written out is none of the pass's business.
//
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O0 verbosity=0" --amp-split-train-step | FileCheck %s
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O0 verbosity=0" | FileCheck %s
// RUN: not amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0" 2>&1 | FileCheck %s --check-prefix=O1

// CHECK-LABEL: func.func @step
// CHECK:         arith.mulf
// CHECK-NEXT:    call @update
// CHECK-NEXT:    return
// O1: error: expected train step '@step', which calls an optimizer step, to call a function with a 'loss_seed' argument
func.func private @update(
    tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"})
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"}, %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %g = arith.mulf %seed, %x : tensor<f32>
  %w1 = call @update(%w, %g) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %w1 : tensor<f32>
}
