// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-drop-unit-dims))" | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-drop-unit-dims,amp-recompute-widenings),amp-fuse-elementwise)" | FileCheck %s --check-prefix=FUSED

// A sum that keeps its dimension, behind a reshape of what was widened: they become one.
// CHECK-LABEL: func @bias_gradient
// CHECK:       linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]}
// CHECK-SAME:    outs(%{{.*}} : tensor<6xf32>)
// CHECK:       tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, 6]
// FUSED-LABEL: func @bias_gradient
// FUSED-NOT:   linalg.generic {{.*}} iterator_types = ["parallel"
// FUSED:       linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "parallel"]}
// FUSED-SAME:    ins(%{{.*}} : tensor<2x4x6xf16>) outs(%{{.*}} : tensor<6xf32>)
// FUSED:       return
func.func @bias_gradient(%x: tensor<2x4x6xf16>, %start: tensor<1x6xf32>) -> tensor<1x6xf32> {
  %e = tensor.empty() : tensor<2x4x6xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x4x6xf16>) outs(%e : tensor<2x4x6xf32>) {
  ^bb0(%a: f16, %o: f32):
    %s = arith.extf %a : f16 to f32
    linalg.yield %s : f32
  } -> tensor<2x4x6xf32>
  %rows = tensor.collapse_shape %w [[0, 1], [2]] : tensor<2x4x6xf32> into tensor<8x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>], iterator_types = ["reduction", "parallel"]}
      ins(%rows : tensor<8x6xf32>) outs(%start : tensor<1x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<1x6xf32>
  return %r : tensor<1x6xf32>
}

// -----

// Statistics that the next operation broadcasts: no shape is left between them.
// CHECK-LABEL: func @statistics
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK-NOT:   tensor.expand_shape
// CHECK:       linalg.generic {{.*}} ins(%{{.*}}, %[[SUM]] : tensor<4x6xf32>, tensor<4xf32>)
func.func @statistics(%x: tensor<4x6xf32>, %start: tensor<4x1xf32>) -> tensor<4x6xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%start : tensor<4x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x6xf32>, tensor<4x1xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %s = arith.subf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %d : tensor<4x6xf32>
}

// -----

// What reads a product whose result keeps its shape either way: scores beside the maximum of each row.
// CHECK-LABEL: func @scores
// CHECK:       %[[PRODUCT:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK:       linalg.generic {{.*}} ins(%[[PRODUCT]], %{{.*}} : tensor<4x6xf32>, tensor<4xf32>)
func.func @scores(%a: tensor<4x2xf32>, %b: tensor<2x6xf32>, %largest: tensor<4x1xf32>, %start: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x2xf32>, tensor<2x6xf32>) outs(%start : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %largest : tensor<4x6xf32>, tensor<4x1xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %s = arith.subf %x, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %d : tensor<4x6xf32>
}

// -----

// Near misses. A product whose operands lie so that a loop of extent 1 is its own,
// CHECK-LABEL: func @alone
// CHECK-NOT:   tensor.collapse_shape
func.func @alone(%a: tensor<1x2x4xf32>, %b: tensor<4x6xf32>, %start: tensor<2x6x1xf32>) -> tensor<2x6x1xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, n, k) -> (n, i, k)>, affine_map<(i, j, n, k) -> (k, j)>, affine_map<(i, j, n, k) -> (i, j, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x2x4xf32>, tensor<4x6xf32>) outs(%start : tensor<2x6x1xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x6x1xf32>
  return %p : tensor<2x6x1xf32>
}

// -----

// a product of a row, and what is added to it:
// CHECK-LABEL: func @product
// CHECK-NOT:   tensor.collapse_shape
func.func @product(%a: tensor<1x4xf16>, %b: tensor<4x6xf16>, %bias: tensor<1x6xf32>, %start: tensor<1x6xf32>) -> tensor<1x6xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x4xf16>, tensor<4x6xf16>) outs(%start : tensor<1x6xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x6xf32>
  %e = tensor.empty() : tensor<1x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<1x6xf32>, tensor<1x6xf32>) outs(%e : tensor<1x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<1x6xf32>
  return %r : tensor<1x6xf32>
}

// -----

// windows, whose maps add loops:
// CHECK-LABEL: func @pool
// CHECK-NOT:   tensor.collapse_shape
func.func @pool(%x: tensor<1x8xf32>, %start: tensor<1x7xf32>) -> tensor<1x7xf32> {
  %window = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %window : tensor<1x8xf32>, tensor<2xf32>) outs(%start : tensor<1x7xf32>) {
  ^bb0(%a: f32, %w: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<1x7xf32>
  return %r : tensor<1x7xf32>
}

// -----

// and a row that a loop takes by its index, which amp-expand-slice-updates looks for.
// CHECK-LABEL: func @row
// CHECK-NOT:   tensor.collapse_shape
func.func @row(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = scf.for %i = %zero to %four step %one iter_args(%t = %x) -> tensor<4x6xf32> {
    %s = tensor.extract_slice %t[%i, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<1x6xf32>
    %e = tensor.empty() : tensor<1x6xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<1x6xf32>) outs(%e : tensor<1x6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.negf %a : f32
      linalg.yield %m : f32
    } -> tensor<1x6xf32>
    %u = tensor.insert_slice %n into %t[%i, 0] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<4x6xf32>
    scf.yield %u : tensor<4x6xf32>
  }
  return %r : tensor<4x6xf32>
}
