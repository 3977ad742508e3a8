// RUN: amp-opt %s --amp-order-contraction-results | FileCheck %s
// RUN: amp-opt %s --amp-order-contraction-results --canonicalize | FileCheck %s --check-prefix=CLEAN

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>

// What rounds and transposes walks by one; the product writes its transpose.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[WRITTEN:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-LABEL: func.func @rounded
// CHECK:         %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2x4xf32>
// CHECK-NEXT:    %[[C:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[WRITTEN]]]
// CHECK-SAME:      outs(%[[ZEROS]] : tensor<2x4xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ID]]]
// CHECK-SAME:      ins(%[[C]] : tensor<2x4xf32>)
func.func @rounded(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<2x4xf16> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %e1 = tensor.empty() : tensor<2x4xf16>
  %1 = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x2xf32>) outs(%e1 : tensor<2x4xf16>) {
  ^bb0(%in: f32, %out: f16):
    %h = arith.truncf %in : f32 to f16
    linalg.yield %h : f16
  } -> tensor<2x4xf16>
  return %1 : tensor<2x4xf16>
}

// A transpose of three dimensions, none of which stays, is gone. The fill is
// shared with another product, whose result is read as it is.
// CLEAN-LABEL: func.func @three
// CLEAN:         %[[C:.*]] = linalg.generic
// CLEAN:         } -> tensor<2x3x4xf32>
// CLEAN:         %[[D:.*]] = linalg.generic
// CLEAN:         } -> tensor<3x4x2xf32>
// CLEAN-NEXT:    return %[[C]], %[[D]]
func.func @three(%a: tensor<3x4x8xf32>, %b: tensor<3x8x2xf32>) -> (tensor<2x3x4xf32>, tensor<3x4x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<3x4x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x8xf32>, tensor<3x8x2xf32>) outs(%zeros : tensor<3x4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x4x2xf32>
  %e1 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, k, i)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<3x4x2xf32>) outs(%e1 : tensor<2x3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4x8xf32>, tensor<3x8x2xf32>) outs(%zeros : tensor<3x4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x4x2xf32>
  return %1, %2 : tensor<2x3x4xf32>, tensor<3x4x2xf32>
}

// Near miss: a reader that counts its loops the other way round, but writes in the
// order in which it reads.
// CHECK-LABEL: func.func @same_order
// CHECK:         outs(%{{.*}} : tensor<4x2xf32>)
// CHECK:         outs(%{{.*}} : tensor<4x2xf32>)
func.func @same_order(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %1 = linalg.generic {indexing_maps = [#transposed, #transposed], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x2xf32>) outs(%e0 : tensor<4x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// Near misses: a start with values, a second reader, a reader that reduces, and a
// shape that is not static.
// CHECK-LABEL: func.func @kept
func.func @kept(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %start: tensor<4x2xf32>, %u: tensor<?x8xf32>, %n: index)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x2xf32>, tensor<2xf32>, tensor<2x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x2xf32>
  %e1 = tensor.empty() : tensor<2x4xf32>
  %e2 = tensor.empty() : tensor<2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %row = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2xf32>) -> tensor<2xf32>
  // CHECK: linalg.generic {{.*}}"reduction"]} ins({{.*}}) outs(%{{.*}} : tensor<4x2xf32>)
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%start : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %1 = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x2xf32>) outs(%e1 : tensor<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x4xf32>
  // CHECK: linalg.generic {{.*}}"reduction"]} ins({{.*}}) outs(%{{.*}} : tensor<4x2xf32>)
  %2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %3 = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<4x2xf32>) outs(%e1 : tensor<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x4xf32>
  // CHECK: linalg.generic {{.*}}"reduction"]} ins({{.*}}) outs(%{{.*}} : tensor<4x2xf32>)
  %4 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %5 = linalg.generic {indexing_maps = [#transposed, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%4 : tensor<4x2xf32>) outs(%row : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  %eu = tensor.empty(%n) : tensor<?x2xf32>
  %et = tensor.empty(%n) : tensor<2x?xf32>
  %unknown = linalg.fill ins(%zero : f32) outs(%eu : tensor<?x2xf32>) -> tensor<?x2xf32>
  // CHECK: linalg.generic {{.*}}"reduction"]} ins({{.*}}) outs(%{{.*}} : tensor<?x2xf32>)
  %6 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%u, %b : tensor<?x8xf32>, tensor<8x2xf32>) outs(%unknown : tensor<?x2xf32>) {
  ^bb0(%p: f32, %q: f32, %acc: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x2xf32>
  %7 = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%6 : tensor<?x2xf32>) outs(%et : tensor<2x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x?xf32>
  return %1, %3, %2, %5, %7 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x2xf32>, tensor<2xf32>, tensor<2x?xf32>
}
