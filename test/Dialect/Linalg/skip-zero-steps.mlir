// RUN: amp-opt %s --amp-skip-zero-steps --split-input-file | FileCheck %s

// The gradient of a filter as JAX writes it: strides of 2 in both dimensions, the image in rows.

// CHECK-DAG:   #[[IMAGE:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d2 * 2, d3 + d4 * 2, d6)>
// CHECK-DAG:   #[[GRADIENT:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d4, d5)>
// CHECK-LABEL: func @strides(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<2x33x33x4xf32>, %[[G:[a-z0-9]+]]: tensor<2x16x16x8xf32>
// CHECK-NOT:     tensor.insert_slice
// CHECK:         linalg.generic {indexing_maps = [#[[IMAGE]], #[[GRADIENT]], #{{.+}}]
// CHECK-SAME:      ins(%[[X]], %[[G]] : tensor<2x33x33x4xf32>, tensor<2x16x16x8xf32>)
func.func @strides(%x: tensor<2x33x33x4xf32>, %g: tensor<2x16x16x8xf32>, %start: tensor<3x3x4x8xf32>) -> tensor<3x3x4x8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x31x31x8xf32>
  %spread = tensor.insert_slice %g into %zeros[0, 0, 0, 0] [2, 16, 16, 8] [1, 2, 2, 1] : tensor<2x16x16x8xf32> into tensor<2x31x31x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, i, t, j, u, k, c) -> (n, i + t, j + u, c)>,
                                        affine_map<(n, i, t, j, u, k, c) -> (n, t, u, k)>,
                                        affine_map<(n, i, t, j, u, k, c) -> (i, j, c, k)>],
                       iterator_types = ["reduction", "parallel", "reduction", "parallel", "reduction", "parallel", "parallel"]}
      ins(%x, %spread : tensor<2x33x33x4xf32>, tensor<2x31x31x8xf32>) outs(%start : tensor<3x3x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x3x4x8xf32>
  return %y : tensor<3x3x4x8xf32>
}

// -----

// A product of matrices with a pad on the left: the sum begins where rows do.

// CHECK:       #[[A:.+]] = affine_map<(d0, d1, d2) -> (d0, d2 + 2)>
// CHECK-LABEL: func @padded(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<4x9xf32>, %[[G:[a-z0-9]+]]: tensor<5x8xf32>
// CHECK-NOT:     tensor.pad
// CHECK:         linalg.generic {indexing_maps = [#[[A]], {{.*}} ins(%[[X]], %[[G]] : tensor<4x9xf32>, tensor<5x8xf32>)
func.func @padded(%x: tensor<4x9xf32>, %g: tensor<5x8xf32>, %start: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %g low[2, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<5x8xf32> to tensor<9x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %padded : tensor<4x9xf32>, tensor<9x8xf32>) outs(%start : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Near misses: zeros along a loop of the result, along an index of two loops,
// ones instead of zeros, a sum of squares, a place that only a run knows.

// CHECK-LABEL: func @near_misses(
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<9x9xf32>, tensor<9x9xf32>)
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<9x9xf32>, tensor<3x7xf32>)
// CHECK-COUNT-3: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<9x9xf32>, tensor<9x9xf32>)
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @near_misses(%x: tensor<9x9xf32>, %g: tensor<5x9xf32>, %h: tensor<9x5xf32>, %at: index, %start: tensor<9x9xf32>,
                       %long: tensor<7x9xf32>, %few: tensor<3x7xf32>)
    -> (tensor<9x9xf32>, tensor<7x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<9x9xf32>
  %ones = arith.constant dense<1.0> : tensor<9x9xf32>
  %across = tensor.insert_slice %h into %zeros[0, 0] [9, 5] [1, 2] : tensor<9x5xf32> into tensor<9x9xf32>
  %0 = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %across : tensor<9x9xf32>, tensor<9x9xf32>) outs(%start : tensor<9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<9x9xf32>
  %along = tensor.insert_slice %g into %zeros[0, 0] [5, 9] [2, 1] : tensor<5x9xf32> into tensor<9x9xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m + k, n)>, affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%along, %few : tensor<9x9xf32>, tensor<3x7xf32>) outs(%long : tensor<7x9xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x9xf32>
  %among_ones = tensor.insert_slice %g into %ones[0, 0] [5, 9] [2, 1] : tensor<5x9xf32> into tensor<9x9xf32>
  %2 = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %among_ones : tensor<9x9xf32>, tensor<9x9xf32>) outs(%start : tensor<9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<9x9xf32>
  %3 = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %along : tensor<9x9xf32>, tensor<9x9xf32>) outs(%start : tensor<9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %d = arith.subf %a, %b : f32
    %p = arith.mulf %d, %d : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<9x9xf32>
  %somewhere = tensor.insert_slice %g into %zeros[%at, 0] [5, 9] [1, 1] : tensor<5x9xf32> into tensor<9x9xf32>
  %4 = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %somewhere : tensor<9x9xf32>, tensor<9x9xf32>) outs(%start : tensor<9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<9x9xf32>
  return %0, %1, %2, %3, %4 : tensor<9x9xf32>, tensor<7x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf32>
}
