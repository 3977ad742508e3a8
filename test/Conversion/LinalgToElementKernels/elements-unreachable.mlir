// In a block that nothing reaches, views may be made of themselves: they are not followed for ever.
// RUN: amp-opt %s --convert-linalg-to-element-kernels | FileCheck %s

// CHECK-LABEL: func @views(
// CHECK:       return
// CHECK:       amp.launch_kernels
func.func @views(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^bb1:
  %flat = tensor.collapse_shape %wide [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
  %wide = tensor.expand_shape %flat [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%flat : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
