// RUN: amp-opt %s --linalg-generalize-named-ops --amp-reduce-before-broadcast --canonicalize | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// A state of zeros: one sum for each column.
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @state
// CHECK-SAME:    (%[[W:.*]]: tensor<8x16xf32>)
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[START:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<8xf32>)
// CHECK:         %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[FIRST]]], iterator_types = ["parallel", "reduction"]} ins(%[[W]] :
// CHECK-SAME:      outs(%[[START]] : tensor<8xf32>)
// CHECK:           arith.mulf %{{.*}}, %[[ZERO]] : f32
// CHECK:           arith.addf
// CHECK:         %[[ALL:.*]] = linalg.generic {indexing_maps = [#[[SECOND]], #[[ROWS]]], iterator_types = ["parallel", "parallel"]} ins(%[[SUM]] :
// CHECK:         return %[[ALL]]
func.func @state(%w: tensor<8x16xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<4x16xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%zeros, %w : tensor<4x16xf32>, tensor<8x16xf32>)
      outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// The gradient of the weight there, by gradients in half precision: one sum for each row.
// CHECK-LABEL: func.func @gradient
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<16x4xbf16>) outs(%{{.*}} : tensor<4xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[FIRST]], #[[ROWS]]]
func.func @gradient(%g: tensor<16x4xbf16>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %h0 = arith.constant 0.0 : bf16
  %eh = tensor.empty() : tensor<16x8xbf16>
  %zeros = linalg.fill ins(%h0 : bf16) outs(%eh : tensor<16x8xbf16>) -> tensor<16x8xbf16>
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.matmul indexing_maps = [#km, #kn, #mn] ins(%g, %zeros : tensor<16x4xbf16>, tensor<16x8xbf16>)
      outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// A sum of rows that is given to all columns, with the index of a loop that is kept: the second one
// is the first then.
// CHECK-LABEL: func.func @index
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:           linalg.index 0
// CHECK:         iterator_types = ["parallel", "parallel"]
func.func @index(%x: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, m, k) -> (m, k)>, affine_map<(n, m, k) -> (n, m)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = linalg.index 1 : index
    %i = arith.index_cast %m : index to i32
    %n = arith.sitofp %i : i32 to f32
    %p = arith.mulf %a, %n : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// Near misses: both inputs walked, a start that is no constant, the index of the loop, no sum, a sum
// along constants alone, which say how long it is, as a filter does of its windows.
// CHECK-LABEL: func.func @walked
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
func.func @walked(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<4x16xf32>, tensor<8x16xf32>)
      outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @started
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
func.func @started(%w: tensor<8x16xf32>, %start: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x16xf32>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%zeros, %w : tensor<4x16xf32>, tensor<8x16xf32>)
      outs(%start : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @asked
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
func.func @asked(%x: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#mk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = linalg.index 1 : index
    %i = arith.index_cast %m : index to i32
    %n = arith.sitofp %i : i32 to f32
    %p = arith.mulf %a, %n : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @no_sum
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @no_sum(%x: tensor<4xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @constants
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
func.func @constants() -> tensor<4x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %ones = arith.constant dense<1.0> : tensor<4x16xf32>
  %zeros = arith.constant dense<0.0> : tensor<8x16xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%ones, %zeros : tensor<4x16xf32>, tensor<8x16xf32>)
      outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @windows
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]
func.func @windows(%image: tensor<10xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %ones = arith.constant dense<1.0> : tensor<4x3xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(f, x, i) -> (x + i)>, affine_map<(f, x, i) -> (f, i)>, affine_map<(f, x, i) -> (f, x)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%image, %ones : tensor<10xf32>, tensor<4x3xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
