// Matrices that do not follow one another, as heads of an attention: they are read
// and written where they lie, with strides of the batch, and so are slices.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core=always --canonicalize | FileCheck %s
// `emulator.test` runs them.

// Scores: heads of Q and K are columns of one matrix, K's behind Q's.
// CHECK-LABEL: func @scores
// CHECK-SAME:    (%[[QKV:.*]]: tensor<2x24x192xf16>)
// CHECK-NOT:   transpose
// CHECK:       %[[ALL:.*]] = tensor.collapse_shape %[[QKV]]
// CHECK:       %[[Q:.*]] = tensor.extract_slice %[[ALL]][0] [9088] [1]
// CHECK:       %[[K:.*]] = tensor.extract_slice %{{.*}}[64] [9088] [1]
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[Q]], b = %[[K]]) outs(d = %{{.*}}) :
// CHECK:       batch = 8 : i64, batch_shape = array<i64: 2, 4>, batch_strides_a = array<i64: 4608, 16>, batch_strides_b = array<i64: 4608, 16>, batch_strides_d = array<i64: 2304, 576>
// CHECK-SAME:  layout = "nt", lda = 192 : i64, ldb = 192 : i64, ldd = 0 : i64
func.func @scores(%qkv: tensor<2x24x192xf16>) -> tensor<2x4x24x24xf32> {
  %c0 = arith.constant 0.0 : f32
  %q = tensor.extract_slice %qkv[0, 0, 0] [2, 24, 64] [1, 1, 1] : tensor<2x24x192xf16> to tensor<2x24x64xf16>
  %k = tensor.extract_slice %qkv[0, 0, 64] [2, 24, 64] [1, 1, 1] : tensor<2x24x192xf16> to tensor<2x24x64xf16>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 24, 4, 16] : tensor<2x24x64xf16> into tensor<2x24x4x16xf16>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 24, 4, 16] : tensor<2x24x64xf16> into tensor<2x24x4x16xf16>
  %qte = tensor.empty() : tensor<2x4x24x16xf16>
  %qt = linalg.transpose ins(%qh : tensor<2x24x4x16xf16>) outs(%qte : tensor<2x4x24x16xf16>) permutation = [0, 2, 1, 3]
  %kte = tensor.empty() : tensor<2x4x16x24xf16>
  %kt = linalg.transpose ins(%kh : tensor<2x24x4x16xf16>) outs(%kte : tensor<2x4x16x24xf16>) permutation = [0, 2, 3, 1]
  %se = tensor.empty() : tensor<2x4x24x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x4x24x24xf32>) -> tensor<2x4x24x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, t, s, k) -> (b, h, t, k)>, affine_map<(b, h, t, s, k) -> (b, h, k, s)>, affine_map<(b, h, t, s, k) -> (b, h, t, s)>]
      ins(%qt, %kt : tensor<2x4x24x16xf16>, tensor<2x4x16x24xf16>) outs(%sz : tensor<2x4x24x24xf32>) -> tensor<2x4x24x24xf32>
  return %s : tensor<2x4x24x24xf32>
}

// -----

// Values, written to where heads lie side by side, after the rounding.
// CHECK-LABEL: func @values
// CHECK-SAME:    (%[[P:.*]]: tensor<2x4x24x24xf16>, %[[V:.*]]: tensor<2x24x4x16xf16>)
// CHECK-NOT:   transpose
// CHECK:       %[[D:.*]] = tensor.empty() : tensor<2x24x4x16xf16>
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[P]], b = %[[V]]) outs(d = %[[D]])
// CHECK-NOT:   transpose
// CHECK:       batch_shape = array<i64: 2, 4>, batch_strides_a = array<i64: 2304, 576>, batch_strides_b = array<i64: 1536, 16>, batch_strides_d = array<i64: 1536, 16>
// CHECK-SAME:  ldb = 64 : i64, ldd = 64 : i64
func.func @values(%p: tensor<2x4x24x24xf16>, %v: tensor<2x24x4x16xf16>) -> tensor<2x24x64xf16> {
  %c0 = arith.constant 0.0 : f32
  %vte = tensor.empty() : tensor<2x4x24x16xf16>
  %vt = linalg.transpose ins(%v : tensor<2x24x4x16xf16>) outs(%vte : tensor<2x4x24x16xf16>) permutation = [0, 2, 1, 3]
  %se = tensor.empty() : tensor<2x4x24x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, t, d, s) -> (b, h, t, s)>, affine_map<(b, h, t, d, s) -> (b, h, s, d)>, affine_map<(b, h, t, d, s) -> (b, h, t, d)>]
      ins(%p, %vt : tensor<2x4x24x24xf16>, tensor<2x4x24x16xf16>) outs(%sz : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %r = arith.truncf %s : tensor<2x4x24x16xf32> to tensor<2x4x24x16xf16>
  %oe = tensor.empty() : tensor<2x24x4x16xf16>
  %o = linalg.transpose ins(%r : tensor<2x4x24x16xf16>) outs(%oe : tensor<2x24x4x16xf16>) permutation = [0, 2, 1, 3]
  %f = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<2x24x4x16xf16> into tensor<2x24x64xf16>
  return %f : tensor<2x24x64xf16>
}

// -----

// The gradient of keys comes transposed, and is moved to where the keys lie: the
// product is computed the other way round.
// CHECK-LABEL: func @key_gradient
// CHECK-SAME:    (%[[Q:.*]]: tensor<2x24x4x16xf16>, %[[DS:.*]]: tensor<2x4x24x32xf16>)
// CHECK-NOT:   transpose
// CHECK:       %[[D:.*]] = tensor.empty() : tensor<2x32x4x16xf32>
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[DS]], b = %[[Q]]) outs(d = %[[D]])
// CHECK-NOT:   transpose
// CHECK:       layout = "tn"
// CHECK-SAME:  ldd = 64 : i64, m = 32 : i64, n = 16 : i64
func.func @key_gradient(%q: tensor<2x24x4x16xf16>, %ds: tensor<2x4x24x32xf16>) -> tensor<2x32x4x16xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<2x4x16x32xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x4x16x32xf32>) -> tensor<2x4x16x32xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, d, s, t) -> (b, t, h, d)>, affine_map<(b, h, d, s, t) -> (b, h, t, s)>, affine_map<(b, h, d, s, t) -> (b, h, d, s)>]
      ins(%q, %ds : tensor<2x24x4x16xf16>, tensor<2x4x24x32xf16>) outs(%sz : tensor<2x4x16x32xf32>) -> tensor<2x4x16x32xf32>
  %oe = tensor.empty() : tensor<2x32x4x16xf32>
  %o = linalg.transpose ins(%s : tensor<2x4x16x32xf32>) outs(%oe : tensor<2x32x4x16xf32>) permutation = [0, 3, 1, 2]
  return %o : tensor<2x32x4x16xf32>
}

// -----

// Two heads of Q share one of K, and all of them a weight.
// CHECK-LABEL: func @shared_keys
// CHECK-NOT:   linalg.generic
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}) outs
// CHECK:       batch = 12 : i64, batch_shape = array<i64: 2, 3, 2>, batch_strides_a = array<i64: 2304, 32, 16>, batch_strides_b = array<i64: 1152, 16, 0>
func.func @shared_keys(%q: tensor<2x24x6x16xf16>, %k: tensor<2x24x3x16xf16>) -> tensor<2x3x2x24x24xf32> {
  %c0 = arith.constant 0.0 : f32
  %qh = tensor.expand_shape %q [[0], [1], [2, 3], [4]] output_shape [2, 24, 3, 2, 16] : tensor<2x24x6x16xf16> into tensor<2x24x3x2x16xf16>
  %ke = tensor.empty() : tensor<2x3x2x24x16xf16>
  %kb = linalg.generic {
    indexing_maps = [affine_map<(b, h, g, s, d) -> (b, s, h, d)>, affine_map<(b, h, g, s, d) -> (b, h, g, s, d)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]
  } ins(%k : tensor<2x24x3x16xf16>) outs(%ke : tensor<2x3x2x24x16xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<2x3x2x24x16xf16>
  %se = tensor.empty() : tensor<2x3x2x24x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x3x2x24x24xf32>) -> tensor<2x3x2x24x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, g, t, s, d) -> (b, t, h, g, d)>, affine_map<(b, h, g, t, s, d) -> (b, h, g, s, d)>, affine_map<(b, h, g, t, s, d) -> (b, h, g, t, s)>]
      ins(%qh, %kb : tensor<2x24x3x2x16xf16>, tensor<2x3x2x24x16xf16>) outs(%sz : tensor<2x3x2x24x24xf32>) -> tensor<2x3x2x24x24xf32>
  return %s : tensor<2x3x2x24x24xf32>
}

// -----

// Gradients of Q and K become columns of one matrix, without a copy. What the kernel
// leaves as it is, is another's.
// CHECK-LABEL: func @concatenated
// CHECK:       %[[E:.*]] = tensor.empty() : tensor<2x24x128xf16>
// CHECK:       %[[LINE:.*]] = tensor.collapse_shape %[[E]]
// CHECK:       %[[PART:.*]] = tensor.extract_slice %[[LINE]][0] [6080] [1]
// CHECK:       %[[D:.*]] = amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}) outs(d = %[[PART]]) {partial}
// CHECK:       %[[ONE:.*]] = tensor.insert_slice %[[D]] into %[[LINE]][0] [6080] [1]
// CHECK:       %[[MORE:.*]] = tensor.extract_slice %[[ONE]][64] [6080] [1]
// CHECK:       amp.launch_kernels @gemm_1 ins(a = %{{.*}}, b = %{{.*}}) outs(d = %[[MORE]]) {partial}
// CHECK:       tensor.insert_slice %{{.*}} into %[[ONE]][64] [6080] [1]
// CHECK:       gpu.module @gemm_0
// CHECK-SAME:  batch_strides_d = array<i64: 3072, 16>
// CHECK-SAME:  ldd = 128 : i64
func.func @concatenated(%ds: tensor<2x4x24x24xf16>, %q: tensor<2x24x4x16xf16>, %k: tensor<2x24x4x16xf16>) -> tensor<2x24x128xf16> {
  %scale = arith.constant 0.25 : f16
  %c0 = arith.constant 0.0 : f32
  %kte = tensor.empty() : tensor<2x4x24x16xf16>
  %kt = linalg.transpose ins(%k : tensor<2x24x4x16xf16>) outs(%kte : tensor<2x4x24x16xf16>) permutation = [0, 2, 1, 3]
  %ae = tensor.empty() : tensor<2x4x24x16xf32>
  %az = linalg.fill ins(%c0 : f32) outs(%ae : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %a = linalg.contract indexing_maps = [affine_map<(b, h, t, d, s) -> (b, h, t, s)>, affine_map<(b, h, t, d, s) -> (b, h, s, d)>, affine_map<(b, h, t, d, s) -> (b, h, t, d)>]
      ins(%ds, %kt : tensor<2x4x24x24xf16>, tensor<2x4x24x16xf16>) outs(%az : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %ar = arith.truncf %a : tensor<2x4x24x16xf32> to tensor<2x4x24x16xf16>
  %aoe = tensor.empty() : tensor<2x24x4x16xf16>
  %ao = linalg.transpose ins(%ar : tensor<2x4x24x16xf16>) outs(%aoe : tensor<2x24x4x16xf16>) permutation = [0, 2, 1, 3]
  %af = tensor.collapse_shape %ao [[0], [1], [2, 3]] : tensor<2x24x4x16xf16> into tensor<2x24x64xf16>
  %be = tensor.empty() : tensor<2x4x16x24xf32>
  %bz = linalg.fill ins(%c0 : f32) outs(%be : tensor<2x4x16x24xf32>) -> tensor<2x4x16x24xf32>
  %b = linalg.contract indexing_maps = [affine_map<(b, h, d, s, t) -> (b, t, h, d)>, affine_map<(b, h, d, s, t) -> (b, h, t, s)>, affine_map<(b, h, d, s, t) -> (b, h, d, s)>]
      ins(%q, %ds : tensor<2x24x4x16xf16>, tensor<2x4x24x24xf16>) outs(%bz : tensor<2x4x16x24xf32>) -> tensor<2x4x16x24xf32>
  %br = arith.truncf %b : tensor<2x4x16x24xf32> to tensor<2x4x16x24xf16>
  %boe = tensor.empty() : tensor<2x24x4x16xf16>
  %bo = linalg.transpose ins(%br : tensor<2x4x16x24xf16>) outs(%boe : tensor<2x24x4x16xf16>) permutation = [0, 3, 1, 2]
  %bf = tensor.collapse_shape %bo [[0], [1], [2, 3]] : tensor<2x24x4x16xf16> into tensor<2x24x64xf16>
  %all = tensor.concat dim(2) %af, %bf : (tensor<2x24x64xf16>, tensor<2x24x64xf16>) -> tensor<2x24x128xf16>
  return %all : tensor<2x24x128xf16>
}

// -----

// Rows of a table: what was there before stays, and what is put in follows on.
// CHECK-LABEL: func @rows_of_a_table
// CHECK-SAME:    %[[T:[^ ]*]]: tensor<3x32x16xf32>
// CHECK:       %[[LINE:.*]] = tensor.collapse_shape %[[T]]
// CHECK:       %[[PART:.*]] = tensor.extract_slice %[[LINE]][512] [512] [1]
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}) outs(d = %[[PART]]) :
// CHECK-NOT:   batch_shape
func.func @rows_of_a_table(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %table: tensor<3x32x16xf32>) -> tensor<3x32x16xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %t = tensor.insert_slice %s into %table[1, 0, 0] [1, 32, 16] [1, 1, 1] : tensor<32x16xf32> into tensor<3x32x16xf32>
  return %t : tensor<3x32x16xf32>
}

// -----

// One matrix of some columns and every second row of another.
// CHECK-LABEL: func @slice
// CHECK:       %[[A:.*]] = tensor.extract_slice %{{.*}}[88] [2448] [1]
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[A]], b = %{{.*}})
// CHECK:       batch_shape = array<i64: 1>
// CHECK-SAME:  lda = 160 : i64
func.func @slice(%x: tensor<40x80xf16>, %b: tensor<48x24xf16>) -> tensor<16x24xf32> {
  %c0 = arith.constant 0.0 : f32
  %a = tensor.extract_slice %x[1, 8] [16, 48] [2, 1] : tensor<40x80xf16> to tensor<16x48xf16>
  %se = tensor.empty() : tensor<16x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<16x24xf32>) -> tensor<16x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<16x48xf16>, tensor<48x24xf16>) outs(%sz : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %s : tensor<16x24xf32>
}

// -----

// A near miss: a slice that begins at 8 bytes, where no copy engine starts, is one.
// CHECK-LABEL: func @unaligned_slice
// CHECK:       %[[A:.*]] = tensor.extract_slice %{{.*}}[0, 4] [16, 48]
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[A]], b = %{{.*}})
func.func @unaligned_slice(%x: tensor<16x80xf16>, %b: tensor<48x24xf16>) -> tensor<16x24xf32> {
  %c0 = arith.constant 0.0 : f32
  %a = tensor.extract_slice %x[0, 4] [16, 48] [1, 1] : tensor<16x80xf16> to tensor<16x48xf16>
  %se = tensor.empty() : tensor<16x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<16x24xf32>) -> tensor<16x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<16x48xf16>, tensor<48x24xf16>) outs(%sz : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %s : tensor<16x24xf32>
}

// -----

// A near miss: elements that begin in the middle of a row and go on in the next are no
// columns of what was transposed before.
// CHECK-LABEL: func @across_rows
// CHECK:       linalg.transpose
// CHECK:       amp.launch_kernels @gemm_0
func.func @across_rows(%x: tensor<32x64xf16>, %b: tensor<32x24xf16>) -> tensor<16x24xf32> {
  %c0 = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<64x32xf16>
  %t = linalg.transpose ins(%x : tensor<32x64xf16>) outs(%te : tensor<64x32xf16>) permutation = [1, 0]
  %line = tensor.collapse_shape %t [[0, 1]] : tensor<64x32xf16> into tensor<2048xf16>
  %part = tensor.extract_slice %line[16] [512] [1] : tensor<2048xf16> to tensor<512xf16>
  %a = tensor.expand_shape %part [[0, 1]] output_shape [16, 32] : tensor<512xf16> into tensor<16x32xf16>
  %se = tensor.empty() : tensor<16x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<16x24xf32>) -> tensor<16x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<16x32xf16>, tensor<32x24xf16>) outs(%sz : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %s : tensor<16x24xf32>
}

// -----

// A near miss: who else reads the result wants it in its own order.
// CHECK-LABEL: func @read_twice
// CHECK:       %[[D:.*]] = amp.launch_kernels @gemm_0
// CHECK:       linalg.transpose ins(%[[D]]
func.func @read_twice(%a: tensor<4x24x32xf16>, %b: tensor<4x32x16xf16>) -> (tensor<4x24x16xf32>, tensor<24x4x16xf32>) {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<4x24x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<4x24x16xf32>) -> tensor<4x24x16xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : tensor<4x24x32xf16>, tensor<4x32x16xf16>) outs(%sz : tensor<4x24x16xf32>) -> tensor<4x24x16xf32>
  %oe = tensor.empty() : tensor<24x4x16xf32>
  %o = linalg.transpose ins(%s : tensor<4x24x16xf32>) outs(%oe : tensor<24x4x16xf32>) permutation = [1, 0, 2]
  return %s, %o : tensor<4x24x16xf32>, tensor<24x4x16xf32>
}

// -----

// A near miss: four loops over a batch are more than kernels have, so one operand is copied.
// CHECK-LABEL: func @four_loops
// CHECK:       %[[T:.*]] = linalg.transpose
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[T]], b = %{{.*}})
func.func @four_loops(%a: tensor<2x2x2x2x24x16xf16>, %b: tensor<2x2x2x2x16x8xf16>) -> tensor<2x2x2x2x24x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<2x2x2x2x24x8xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x2x2x2x24x8xf32>) -> tensor<2x2x2x2x24x8xf32>
  %s = linalg.contract indexing_maps = [affine_map<(c, d, e, f, m, n, k) -> (f, e, d, c, m, k)>, affine_map<(c, d, e, f, m, n, k) -> (c, d, e, f, k, n)>, affine_map<(c, d, e, f, m, n, k) -> (c, d, e, f, m, n)>]
      ins(%a, %b : tensor<2x2x2x2x24x16xf16>, tensor<2x2x2x2x16x8xf16>) outs(%sz : tensor<2x2x2x2x24x8xf32>) -> tensor<2x2x2x2x24x8xf32>
  return %s : tensor<2x2x2x2x24x8xf32>
}

// -----

// A near miss: the epilogue reads a matrix in the order of the product as it stands, so
// it is not computed the other way round; the move stays.
// CHECK-LABEL: func @residual_then_move
// CHECK:       %[[D:.*]] = amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}, operand0 = %{{.*}}) outs
// CHECK:       linalg.transpose ins(%[[D]]
func.func @residual_then_move(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %r: tensor<32x16xf32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %sum = arith.addf %s, %r : tensor<32x16xf32>
  %oe = tensor.empty() : tensor<16x32xf32>
  %o = linalg.transpose ins(%sum : tensor<32x16xf32>) outs(%oe : tensor<16x32xf32>) permutation = [1, 0]
  return %o : tensor<16x32xf32>
}

// -----

// A near miss: heads of 3 columns begin at multiples of 6 bytes. They are read and
// written by threads, where they lie.
// CHECK-LABEL: func @odd_heads
// CHECK-NOT:   transpose
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}) outs(d = %{{.*}})
// CHECK:       batch_strides_a = array<i64: 72, 3>
// CHECK-NOT:   kind = "tensor-map", name = "a"
func.func @odd_heads(%a: tensor<2x8x3x3xf16>, %b: tensor<2x8x3x3xf16>) -> tensor<2x3x8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<2x3x8x8xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, t, s, d) -> (b, t, h, d)>, affine_map<(b, h, t, s, d) -> (b, s, h, d)>, affine_map<(b, h, t, s, d) -> (b, h, t, s)>]
      ins(%a, %b : tensor<2x8x3x3xf16>, tensor<2x8x3x3xf16>) outs(%sz : tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return %s : tensor<2x3x8x8xf32>
}
