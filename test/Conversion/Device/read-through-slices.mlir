// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-read-through-slices,canonicalize))" | FileCheck %s

// Heads of queries and keys, parts of one product's rows: through the shape, from 0 and from 8 on.
// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 4 + d3)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 4 + d3 + 8)>
// CHECK-LABEL: func @heads
// CHECK-SAME:    (%[[X:.*]]: tensor<2x5x24xf32>)
// CHECK-NOT:   tensor.extract_slice
// CHECK:       linalg.generic {indexing_maps = [#[[Q]], #[[K]], #{{.*}}]
// CHECK-SAME:    ins(%[[X]], %[[X]] : tensor<2x5x24xf32>, tensor<2x5x24xf32>)
func.func @heads(%x: tensor<2x5x24xf32>) -> tensor<2x2x5x4xf32> {
  %q = tensor.extract_slice %x[0, 0, 0] [2, 5, 8] [1, 1, 1] : tensor<2x5x24xf32> to tensor<2x5x8xf32>
  %k = tensor.extract_slice %x[0, 0, 8] [2, 5, 8] [1, 1, 1] : tensor<2x5x24xf32> to tensor<2x5x8xf32>
  %q4 = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<2x5x8xf32> into tensor<2x5x2x4xf32>
  %k4 = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<2x5x8xf32> into tensor<2x5x2x4xf32>
  %e = tensor.empty() : tensor<2x2x5x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, h, t, e) -> (b, t, h, e)>, affine_map<(b, h, t, e) -> (b, t, h, e)>, affine_map<(b, h, t, e) -> (b, h, t, e)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q4, %k4 : tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>) outs(%e : tensor<2x2x5x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x2x5x4xf32>
  return %r : tensor<2x2x5x4xf32>
}

// -----

// A slice of a slice, with strides and a dimension that is dropped.
// CHECK: #[[AT:.*]] = affine_map<(d0) -> (5, d0 * 6 + 3)>
// CHECK-LABEL: func @strides
// CHECK-NOT:   tensor.extract_slice
// CHECK:       linalg.generic {indexing_maps = [#[[AT]], #{{.*}}]
func.func @strides(%x: tensor<7x20xf32>) -> tensor<3xf32> {
  %a = tensor.extract_slice %x[5, 1] [1, 8] [1, 2] : tensor<7x20xf32> to tensor<8xf32>
  %b = tensor.extract_slice %a[1] [3] [3] : tensor<8xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%b : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// From 0 on, shorter, by a loop alone: the loop would run as far as the tensor.
// CHECK-LABEL: func @first
// CHECK:       tensor.extract_slice
func.func @first(%x: tensor<8xf32>) -> tensor<4xf32> {
  %s = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %n = arith.negf %p : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// An offset that is not known; and a sum, whose loop has no dimension of the result.
// CHECK-LABEL: func @others
// CHECK:       tensor.extract_slice
// CHECK:       tensor.extract_slice
func.func @others(%x: tensor<8xf32>, %i: index) -> (tensor<4xf32>, tensor<f32>) {
  %s = tensor.extract_slice %x[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %t = tensor.extract_slice %x[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %n = arith.negf %p : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%t : tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %n = arith.addf %p, %o : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %r, %q : tensor<4xf32>, tensor<f32>
}
