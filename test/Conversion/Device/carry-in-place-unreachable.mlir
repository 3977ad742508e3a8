// In a block that nothing reaches, shapes may be made of themselves: they are not followed for ever.
// RUN: amp-opt %s --pass-pipeline='builtin.module(func.func(amp-carry-in-place))' | FileCheck %s

// CHECK-LABEL: func @shapes(
// CHECK:       ^bb1:
// CHECK:       scf.if
// CHECK-NOT:   materialize_in_destination
// CHECK:       return
func.func @shapes(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^bb1:
  %flat = tensor.collapse_shape %wide [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
  %wide = tensor.expand_shape %flat [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
  %r = scf.if %c -> tensor<4xf32> {
    scf.yield %flat : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
