// A value of a block that nothing reaches may be made of itself: it is not followed for ever.
// RUN: amp-opt %s --amp-skip-inserted-zeros | FileCheck %s

// CHECK-LABEL: func.func @unreachable
// CHECK:         return
func.func @unreachable(%w: tensor<4x8x3xf32>, %s: tensor<4x5xf32>) -> tensor<4x5xf32> {
  return %s : tensor<4x5xf32>
^bb1:
  %zero = arith.constant 0.0 : f32
  %x = tensor.pad %x low[0, 0] high[0, 0] {
  ^bb0(%c: index, %h: index):
    tensor.yield %zero : f32
  } : tensor<8x7xf32> to tensor<8x7xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>,
                       affine_map<(k, p, c, r) -> (k, p)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x7xf32>, tensor<4x8x3xf32>) outs(%s : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
