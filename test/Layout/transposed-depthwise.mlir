// A transpose of what becomes another operation's result, in the order in which it is written.
// RUN: amp-opt %s --amp-assign-layouts | FileCheck %s

// CHECK-LABEL: func @depthwise
// CHECK:       %[[P:.*]] = linalg.generic
// CHECK:       %[[T:.*]] = linalg.transpose ins(%[[P]] : tensor<2x4x4x16xf32>) {{.*}} permutation = [2, 3, 0, 1]
// CHECK:       return %{{.*}}, %[[T]] :
func.func @depthwise(%x: tensor<2x6x6x16xf16>, %f: tensor<16x3x3xf16>) -> (tensor<32x16xf32>, tensor<4x16x2x4xf32>) {
  %z39 = arith.constant dense<0.0> : tensor<2x4x4x16xf32>
  %p40 = linalg.generic {indexing_maps = [affine_map<(n,p,q,g,r,s)->(n,p+r,q+s,g)>, affine_map<(n,p,q,g,r,s)->(g,r,s)>, affine_map<(n,p,q,g,r,s)->(n,p,q,g)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %f : tensor<2x6x6x16xf16>, tensor<16x3x3xf16>) outs(%z39 : tensor<2x4x4x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %l2 = arith.extf %l : f16 to f32
    %r2 = arith.extf %r : f16 to f32
    %m = arith.mulf %l2, %r2 : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4x16xf32>
  %c = tensor.collapse_shape %p40 [[0,1,2],[3]] : tensor<2x4x4x16xf32> into tensor<32x16xf32>
  %e70 = tensor.empty() : tensor<4x16x2x4xf32>
  %t71 = linalg.transpose ins(%p40 : tensor<2x4x4x16xf32>) outs(%e70 : tensor<4x16x2x4xf32>) permutation = [2, 3, 0, 1]
  return %c, %t71 : tensor<32x16xf32>, tensor<4x16x2x4xf32>
}
