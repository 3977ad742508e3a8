// In a block that nothing reaches a value may be made of itself, or of one behind it: both stay.
// RUN: amp-opt %s --amp-recompute-elements | FileCheck %s

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @unreachable
// CHECK-COUNT-2: arith.addf
// CHECK-NOT:   arith.addf
// CHECK:       return
func.func @unreachable(%x: tensor<4096xf32>, %e: tensor<4096xf32>) -> tensor<4096xf32> {
  return %x : tensor<4096xf32>
^never:
  %self = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%self : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4096xf32>
  %early = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%late : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<4096xf32>
  %late = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4096xf32>
  %one = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%late, %self : tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4096xf32>
  return %one : tensor<4096xf32>
}
