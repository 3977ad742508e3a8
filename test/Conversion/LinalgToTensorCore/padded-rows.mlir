// Rows at no multiple of 16 bytes, which threads would load and store element by element: where a copy to rows further
// apart takes less, there is one, and launches of the same operand share it.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core --canonicalize --cse | FileCheck %s
// `emulator.test` runs them.

// A long sum of odd length. B's rows are well.
// CHECK-LABEL: func @odd_sum
// CHECK-SAME:    (%[[A:.*]]: tensor<256x1001xf16>, %[[B:.*]]: tensor<1001x128xf16>)
// CHECK:       %[[E:.*]] = tensor.empty() : tensor<256x1008xf16>
// CHECK:       %[[P:.*]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [256, 1001] [1, 1]
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[P]], b = %[[B]])
// CHECK:       lda = 1008 : i64, ldb = 0 : i64, ldd = 0 : i64
func.func @odd_sum(%a: tensor<256x1001xf16>, %b: tensor<1001x128xf16>) -> tensor<256x128xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %s = linalg.matmul ins(%a, %b : tensor<256x1001xf16>, tensor<1001x128xf16>) outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %s : tensor<256x128xf32>
}

// -----

// Two dimensions are a row of the matrix, and two its rows; both products that read it have one copy, one of them
// transposed.
// CHECK-LABEL: func @shared_copy
// CHECK-SAME:    (%[[G:.*]]: tensor<2x256x7x143xf16>,
// CHECK:       %[[FLAT:.*]] = tensor.collapse_shape %[[G]] {{\[\[}}0, 1], [2, 3]]
// CHECK:       %[[P:.*]] = tensor.insert_slice %[[FLAT]] into %{{.*}}[0, 0] [512, 1001] [1, 1] : tensor<512x1001xf16> into tensor<512x1008xf16>
// CHECK-NOT:   tensor.insert_slice
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[P]],
// CHECK:       amp.launch_kernels @gemm_1 ins(a = %[[P]],
func.func @shared_copy(%g: tensor<2x256x7x143xf16>, %w: tensor<7x143x128xf16>, %x: tensor<2x256x128xf16>)
    -> (tensor<2x256x128xf32>, tensor<7x143x128xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x256x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x256x128xf32>) -> tensor<2x256x128xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, t, n, k, l) -> (b, t, k, l)>, affine_map<(b, t, n, k, l) -> (k, l, n)>, affine_map<(b, t, n, k, l) -> (b, t, n)>]
      ins(%g, %w : tensor<2x256x7x143xf16>, tensor<7x143x128xf16>) outs(%z : tensor<2x256x128xf32>) -> tensor<2x256x128xf32>
  %f = tensor.empty() : tensor<7x143x128xf32>
  %y = linalg.fill ins(%c0 : f32) outs(%f : tensor<7x143x128xf32>) -> tensor<7x143x128xf32>
  %t = linalg.contract indexing_maps = [affine_map<(b, t, n, k, l) -> (b, t, k, l)>, affine_map<(b, t, n, k, l) -> (b, t, n)>, affine_map<(b, t, n, k, l) -> (k, l, n)>]
      ins(%g, %x : tensor<2x256x7x143xf16>, tensor<2x256x128xf16>) outs(%y : tensor<7x143x128xf32>) -> tensor<7x143x128xf32>
  return %s, %t : tensor<2x256x128xf32>, tensor<7x143x128xf32>
}

// -----

// Matrices of a batch, each with rows of odd length.
// CHECK-LABEL: func @odd_batch
// CHECK:       tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [512, 501] [1, 1] : tensor<512x501xbf16> into tensor<512x504xbf16>
// CHECK:       amp.launch_kernels @gemm_0
// CHECK:       batch = 4 : i64,
// CHECK-SAME:  lda = 504 : i64
func.func @odd_batch(%a: tensor<4x128x501xbf16>, %b: tensor<4x501x128xbf16>) -> tensor<4x128x128xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x128x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  %s = linalg.batch_matmul ins(%a, %b : tensor<4x128x501xbf16>, tensor<4x501x128xbf16>) outs(%z : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  return %s : tensor<4x128x128xf32>
}

// -----

// Inserted into a larger tensor, where matrices are walked by strides: the operand ends with its last row.
// CHECK-LABEL: func @odd_inserted
// CHECK:       %[[P:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [256, 1001] [1, 1] : tensor<256x1001xf16> into tensor<256x1008xf16>
// CHECK:       %[[FLAT:.*]] = tensor.collapse_shape %[[P]]
// CHECK:       %[[A:.*]] = tensor.extract_slice %[[FLAT]][0] [258041] [1]
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[A]],
func.func @odd_inserted(%a: tensor<256x1001xf16>, %b: tensor<1001x128xf16>, %c: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %s = linalg.matmul ins(%a, %b : tensor<256x1001xf16>, tensor<1001x128xf16>) outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  %r = tensor.insert_slice %s into %c[0, 128] [256, 128] [1, 1] : tensor<256x128xf32> into tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

// -----

// Heads of one operand between rows of the other's layout.
// CHECK-LABEL: func @odd_scores
// CHECK:       tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [512, 501] [1, 1] : tensor<512x501xf16> into tensor<512x504xf16>
// CHECK:       amp.launch_kernels @gemm_0
// CHECK:       batch_strides_a = array<i64: 504>, batch_strides_b = array<i64: 64512>
func.func @odd_scores(%a: tensor<128x4x504xf16>, %b: tensor<4x128x501xf16>) -> tensor<4x128x128xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x128x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  %t = tensor.extract_slice %a[0, 0, 0] [128, 4, 501] [1, 1, 1] : tensor<128x4x504xf16> to tensor<128x4x501xf16>
  %s = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%t, %b : tensor<128x4x501xf16>, tensor<4x128x501xf16>) outs(%z : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
  return %s : tensor<4x128x128xf32>
}

// -----

// A result with odd rows, behind its epilogue.
// CHECK-LABEL: func @odd_columns
// CHECK:       %[[E:.*]] = tensor.empty() : tensor<1024x1008xf16>
// CHECK:       %[[D:.*]] = amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}, operand0 = %{{.*}}) outs(d = %[[E]])
// CHECK:       %[[S:.*]] = tensor.extract_slice %[[D]][0, 0] [1024, 1001] [1, 1]
// CHECK:       %[[R:.*]] = tensor.expand_shape %[[S]] {{\[\[}}0, 1], [2]] output_shape [4, 256, 1001]
// CHECK:       return %[[R]]
// CHECK:       ldd = 1008 : i64
func.func @odd_columns(%a: tensor<4x256x64xf16>, %b: tensor<1001x64xf16>, %bias: tensor<1001xf32>) -> tensor<4x256x1001xf16> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x256x1001xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x256x1001xf32>) -> tensor<4x256x1001xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, t, n, k) -> (b, t, k)>, affine_map<(b, t, n, k) -> (n, k)>, affine_map<(b, t, n, k) -> (b, t, n)>]
      ins(%a, %b : tensor<4x256x64xf16>, tensor<1001x64xf16>) outs(%z : tensor<4x256x1001xf32>) -> tensor<4x256x1001xf32>
  %h = tensor.empty() : tensor<4x256x1001xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(b, t, n) -> (b, t, n)>, affine_map<(b, t, n) -> (n)>, affine_map<(b, t, n) -> (b, t, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<4x256x1001xf32>, tensor<1001xf32>) outs(%h : tensor<4x256x1001xf16>) {
  ^bb0(%x: f32, %v: f32, %o: f16):
    %0 = arith.addf %x, %v : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<4x256x1001xf16>
  return %r : tensor<4x256x1001xf16>
}

// -----

// Rows of a multiple of 16 bytes, a sum that threads load faster than a copy would be there, and rows of a
// larger tensor (near misses).
// CHECK-LABEL: func @as_they_are
// CHECK-NOT:   tensor.insert_slice
// CHECK:       return
func.func @as_they_are(%a: tensor<256x1000xf16>, %b: tensor<1000x128xf16>, %c: tensor<64x33xf16>, %d: tensor<33x64xf16>, %l: tensor<256x1003xf16>)
    -> (tensor<256x128xf32>, tensor<64x64xf32>, tensor<256x128xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %s = linalg.matmul ins(%a, %b : tensor<256x1000xf16>, tensor<1000x128xf16>) outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %y = linalg.fill ins(%c0 : f32) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = linalg.matmul ins(%c, %d : tensor<64x33xf16>, tensor<33x64xf16>) outs(%y : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = tensor.extract_slice %l[0, 0] [256, 1000] [1, 1] : tensor<256x1003xf16> to tensor<256x1000xf16>
  %u = linalg.matmul ins(%p, %b : tensor<256x1000xf16>, tensor<1000x128xf16>) outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %s, %t, %u : tensor<256x128xf32>, tensor<64x64xf32>, tensor<256x128xf32>
}
