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
// CHECK:       %[[E:.*]] = tensor.empty() {amp.own_memory = 0 : i64} : tensor<2x24x128xf16>
// CHECK:       %[[LINE:.*]] = tensor.collapse_shape %[[E]]
// CHECK:       %[[PART:.*]] = tensor.extract_slice %[[LINE]][0] [6080] [1]
// CHECK:       %[[D:.*]] = amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}) outs(d = %[[PART]]) {partial = ["d"]}
// CHECK:       %[[ONE:.*]] = tensor.insert_slice %[[D]] into %[[LINE]][0] [6080] [1]
// CHECK:       %[[MORE:.*]] = tensor.extract_slice %[[ONE]][64] [6080] [1]
// CHECK:       amp.launch_kernels @gemm_1 ins(a = %{{.*}}, b = %{{.*}}) outs(d = %[[MORE]]) {partial = ["d"]}
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

// -----

// Columns of every row, from another than the first on: as many rows as the whole tensor has.
// CHECK-LABEL: func @columns
// CHECK:       %[[A:.*]] = tensor.extract_slice %{{.*}}[32] [6080] [1]
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[A]], b = %{{.*}})
// CHECK:       batch_shape = array<i64: 1>
func.func @columns(%x: tensor<64x96xf16>, %b: tensor<32x24xf16>) -> tensor<64x24xf32> {
  %c0 = arith.constant 0.0 : f32
  %a = tensor.extract_slice %x[0, 32] [64, 32] [1, 1] : tensor<64x96xf16> to tensor<64x32xf16>
  %se = tensor.empty() : tensor<64x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<64x24xf32>) -> tensor<64x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<64x32xf16>, tensor<32x24xf16>) outs(%sz : tensor<64x24xf32>) -> tensor<64x24xf32>
  return %s : tensor<64x24xf32>
}

// -----

// The first columns need no other start: all of the tensor, with its row stride.
// CHECK-LABEL: func @first_columns
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %arg0, b = %arg1)
// CHECK-NOT:   batch_shape
func.func @first_columns(%x: tensor<64x96xf16>, %b: tensor<32x24xf16>) -> tensor<64x24xf32> {
  %c0 = arith.constant 0.0 : f32
  %a = tensor.extract_slice %x[0, 0] [64, 32] [1, 1] : tensor<64x96xf16> to tensor<64x32xf16>
  %se = tensor.empty() : tensor<64x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<64x24xf32>) -> tensor<64x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<64x32xf16>, tensor<32x24xf16>) outs(%sz : tensor<64x24xf32>) -> tensor<64x24xf32>
  return %s : tensor<64x24xf32>
}

// -----

// The same of a batch: values without heads.
// CHECK-LABEL: func @batch_of_columns
// CHECK:       tensor.extract_slice %{{.*}}[64] [6080] [1]
// CHECK:       batch_shape = array<i64: 2>
func.func @batch_of_columns(%p: tensor<2x16x32xf16>, %x: tensor<2x32x96xf16>) -> tensor<2x16x32xf32> {
  %c0 = arith.constant 0.0 : f32
  %v = tensor.extract_slice %x[0, 0, 64] [2, 32, 32] [1, 1, 1] : tensor<2x32x96xf16> to tensor<2x32x32xf16>
  %se = tensor.empty() : tensor<2x16x32xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, t, d, s) -> (b, t, s)>, affine_map<(b, t, d, s) -> (b, s, d)>, affine_map<(b, t, d, s) -> (b, t, d)>]
      ins(%p, %v : tensor<2x16x32xf16>, tensor<2x32x32xf16>) outs(%sz : tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
  return %s : tensor<2x16x32xf32>
}

// -----

// A near miss: sums that begin with a tensor lie as the product does; the move stays.
// CHECK-LABEL: func @sums_then_move
// CHECK:       %[[D:.*]] = amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}, operand0 = %{{.*}}) outs
// CHECK:       linalg.transpose ins(%[[D]]
func.func @sums_then_move(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %r: tensor<32x16xf32>) -> tensor<16x32xf32> {
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%r : tensor<32x16xf32>) -> tensor<32x16xf32>
  %oe = tensor.empty() : tensor<16x32xf32>
  %o = linalg.transpose ins(%s : tensor<32x16xf32>) outs(%oe : tensor<16x32xf32>) permutation = [1, 0]
  return %o : tensor<16x32xf32>
}

// -----

// Columns of a matrix.
// CHECK-LABEL: func @columns_put_in
// CHECK:       {partial = ["d"]}
// CHECK:       batch_shape = array<i64: 1>
func.func @columns_put_in(%a: tensor<64x32xf16>, %b: tensor<32x24xf16>, %d: tensor<64x72xf32>) -> tensor<64x72xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<64x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<64x24xf32>) -> tensor<64x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<64x32xf16>, tensor<32x24xf16>) outs(%sz : tensor<64x24xf32>) -> tensor<64x24xf32>
  %t = tensor.insert_slice %s into %d[0, 24] [64, 24] [1, 1] : tensor<64x24xf32> into tensor<64x72xf32>
  return %t : tensor<64x72xf32>
}

// -----

// Sums that begin with a tensor, into columns.
// CHECK-LABEL: func @sums_put_in
// CHECK:       operand0 = {{.*}} {partial = ["d"]}
func.func @sums_put_in(%a: tensor<64x32xf16>, %b: tensor<32x24xf16>, %d: tensor<64x72xf32>, %c: tensor<64x24xf32>) -> tensor<64x72xf32> {
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<64x32xf16>, tensor<32x24xf16>) outs(%c : tensor<64x24xf32>) -> tensor<64x24xf32>
  %t = tensor.insert_slice %s into %d[0, 24] [64, 24] [1, 1] : tensor<64x24xf32> into tensor<64x72xf32>
  return %t : tensor<64x72xf32>
}

// -----

// A near miss: columns that begin at 100 bytes.
// CHECK-LABEL: func @unaligned_columns
// CHECK-NOT:   partial
// CHECK:       tensor.insert_slice %{{.*}}[0, 25]
func.func @unaligned_columns(%a: tensor<64x32xf16>, %b: tensor<32x24xf16>, %d: tensor<64x72xf32>) -> tensor<64x72xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<64x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<64x24xf32>) -> tensor<64x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<64x32xf16>, tensor<32x24xf16>) outs(%sz : tensor<64x24xf32>) -> tensor<64x24xf32>
  %t = tensor.insert_slice %s into %d[0, 25] [64, 24] [1, 1] : tensor<64x24xf32> into tensor<64x72xf32>
  return %t : tensor<64x72xf32>
}

// -----

// A near miss: columns that do not follow one another.
// CHECK-LABEL: func @every_third_column
// CHECK-NOT:   partial
// CHECK:       tensor.insert_slice %{{.*}}[0, 0] [64, 24] [1, 3]
func.func @every_third_column(%a: tensor<64x32xf16>, %b: tensor<32x24xf16>, %d: tensor<64x72xf32>) -> tensor<64x72xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<64x24xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<64x24xf32>) -> tensor<64x24xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<64x32xf16>, tensor<32x24xf16>) outs(%sz : tensor<64x24xf32>) -> tensor<64x24xf32>
  %t = tensor.insert_slice %s into %d[0, 0] [64, 24] [1, 3] : tensor<64x24xf32> into tensor<64x72xf32>
  return %t : tensor<64x72xf32>
}

// -----

// One column of a matrix.
// CHECK-LABEL: func @one_column
// CHECK:       {partial = ["d"]}
// CHECK:       ldd = 72 : i64, m = 64 : i64, n = 1 : i64
func.func @one_column(%a: tensor<64x32xf16>, %b: tensor<32x1xf16>, %d: tensor<64x72xf32>) -> tensor<64x72xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<64x1xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<64x1xf32>) -> tensor<64x1xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<64x32xf16>, tensor<32x1xf16>) outs(%sz : tensor<64x1xf32>) -> tensor<64x1xf32>
  %t = tensor.insert_slice %s into %d[0, 4] [64, 1] [1, 1] : tensor<64x1xf32> into tensor<64x72xf32>
  return %t : tensor<64x72xf32>
}

// -----

// A residual in the order of the product's matrices, and the result moved behind it.
// CHECK-LABEL: func @residual_heads
// CHECK:       %[[D:.*]] = tensor.empty() : tensor<2x24x4x16xf16>
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}, operand0 = %{{.*}}) outs(d = %[[D]])
func.func @residual_heads(%p: tensor<2x4x24x24xf16>, %v: tensor<2x4x24x16xf16>, %r: tensor<2x4x24x16xf16>) -> tensor<2x24x4x16xf16> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<2x4x24x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, t, d, s) -> (b, h, t, s)>, affine_map<(b, h, t, d, s) -> (b, h, s, d)>, affine_map<(b, h, t, d, s) -> (b, h, t, d)>]
      ins(%p, %v : tensor<2x4x24x24xf16>, tensor<2x4x24x16xf16>) outs(%sz : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %rw = arith.extf %r : tensor<2x4x24x16xf16> to tensor<2x4x24x16xf32>
  %sum = arith.addf %s, %rw : tensor<2x4x24x16xf32>
  %half = arith.truncf %sum : tensor<2x4x24x16xf32> to tensor<2x4x24x16xf16>
  %oe = tensor.empty() : tensor<2x24x4x16xf16>
  %o = linalg.transpose ins(%half : tensor<2x4x24x16xf16>) outs(%oe : tensor<2x24x4x16xf16>) permutation = [0, 2, 1, 3]
  return %o : tensor<2x24x4x16xf16>
}

// -----

// A near miss: what is no contraction for kernels leaves a concatenation as it is.
// CHECK-LABEL: func @of_doubles
// CHECK:       tensor.concat
func.func @of_doubles(%a: tensor<8x8xf64>, %b: tensor<8x8xf64>, %c: tensor<8x8xf64>) -> tensor<8x16xf64> {
  %s = linalg.matmul ins(%a, %b : tensor<8x8xf64>, tensor<8x8xf64>) outs(%c : tensor<8x8xf64>) -> tensor<8x8xf64>
  %t = tensor.concat dim(1) %s, %a : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x16xf64>
  return %t : tensor<8x16xf64>
}

// -----

// A near miss: rows of 8193 elements are stored by threads, which takes longer than a result in
// order and a copy.
// CHECK-LABEL: func @slow_in_place
// CHECK-NOT:   partial
// CHECK:       tensor.insert_slice
func.func @slow_in_place(%a: tensor<4096x512xf16>, %b: tensor<512x4096xf16>, %d: tensor<4096x8193xf16>) -> tensor<4096x8193xf16> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<4096x4096xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<4096x512xf16>, tensor<512x4096xf16>) outs(%sz : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %h = arith.truncf %s : tensor<4096x4096xf32> to tensor<4096x4096xf16>
  %t = tensor.insert_slice %h into %d[0, 8] [4096, 4096] [1, 1] : tensor<4096x4096xf16> into tensor<4096x8193xf16>
  return %t : tensor<4096x8193xf16>
}

// -----

// A near miss: loops of 3 and 2 and those of 2 and 3 are not the same, so one operand is copied.
// CHECK-LABEL: func @unlike_loops
// CHECK:       %[[T:.*]] = linalg.transpose ins(%arg1
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %arg0, b = %[[T]])
func.func @unlike_loops(%a: tensor<2x3x16x8xf16>, %b: tensor<3x2x8x8xf16>) -> tensor<6x16x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %ate = tensor.empty() : tensor<3x2x16x8xf16>
  %at = linalg.transpose ins(%a : tensor<2x3x16x8xf16>) outs(%ate : tensor<3x2x16x8xf16>) permutation = [1, 0, 2, 3]
  %bte = tensor.empty() : tensor<2x3x8x8xf16>
  %bt = linalg.transpose ins(%b : tensor<3x2x8x8xf16>) outs(%bte : tensor<2x3x8x8xf16>) permutation = [1, 0, 2, 3]
  %x = tensor.collapse_shape %at [[0, 1], [2], [3]] : tensor<3x2x16x8xf16> into tensor<6x16x8xf16>
  %y = tensor.collapse_shape %bt [[0, 1], [2], [3]] : tensor<2x3x8x8xf16> into tensor<6x8x8xf16>
  %se = tensor.empty() : tensor<6x16x8xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<6x16x8xf32>) -> tensor<6x16x8xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%x, %y : tensor<6x16x8xf16>, tensor<6x8x8xf16>) outs(%sz : tensor<6x16x8xf32>) -> tensor<6x16x8xf32>
  return %s : tensor<6x16x8xf32>
}

// -----

// A move that rounds is a rounding of the kernel's.
// CHECK-LABEL: func @rounded_move
// CHECK-NOT:   linalg.generic
// CHECK:       amp.launch_kernels @gemm_0 {{.*}} -> tensor<2x24x4x16xf16>
func.func @rounded_move(%p: tensor<2x4x24x24xf16>, %v: tensor<2x4x24x16xf16>) -> tensor<2x24x4x16xf16> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<2x4x24x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, t, d, s) -> (b, h, t, s)>, affine_map<(b, h, t, d, s) -> (b, h, s, d)>, affine_map<(b, h, t, d, s) -> (b, h, t, d)>]
      ins(%p, %v : tensor<2x4x24x24xf16>, tensor<2x4x24x16xf16>) outs(%sz : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %oe = tensor.empty() : tensor<2x24x4x16xf16>
  %o = linalg.generic {
    indexing_maps = [affine_map<(b, h, t, d) -> (b, h, t, d)>, affine_map<(b, h, t, d) -> (b, t, h, d)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%s : tensor<2x4x24x16xf32>) outs(%oe : tensor<2x24x4x16xf16>) {
  ^bb0(%in: f32, %out: f16):
    %h = arith.truncf %in : f32 to f16
    linalg.yield %h : f16
  } -> tensor<2x24x4x16xf16>
  return %o : tensor<2x24x4x16xf16>
}

// -----

// Behind a function of the sums, too.
// CHECK-LABEL: func @function_then_rounded_move
// CHECK-NOT:   linalg.generic
// CHECK:       amp.launch_kernels @gemm_0 {{.*}} -> tensor<2x24x4x16xf16>
func.func @function_then_rounded_move(%p: tensor<2x4x24x24xf16>, %v: tensor<2x4x24x16xf16>) -> tensor<2x24x4x16xf16> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<2x4x24x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, t, d, s) -> (b, h, t, s)>, affine_map<(b, h, t, d, s) -> (b, h, s, d)>, affine_map<(b, h, t, d, s) -> (b, h, t, d)>]
      ins(%p, %v : tensor<2x4x24x24xf16>, tensor<2x4x24x16xf16>) outs(%sz : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %re = tensor.empty() : tensor<2x4x24x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, h, t, d) -> (b, h, t, d)>, affine_map<(b, h, t, d) -> (b, h, t, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<2x4x24x16xf32>) outs(%re : tensor<2x4x24x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %c0 : f32
    linalg.yield %m : f32
  } -> tensor<2x4x24x16xf32>
  %oe = tensor.empty() : tensor<2x24x4x16xf16>
  %o = linalg.generic {
    indexing_maps = [affine_map<(b, h, t, d) -> (b, h, t, d)>, affine_map<(b, h, t, d) -> (b, t, h, d)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%r : tensor<2x4x24x16xf32>) outs(%oe : tensor<2x24x4x16xf16>) {
  ^bb0(%in: f32, %out: f16):
    %h = arith.truncf %in : f32 to f16
    linalg.yield %h : f16
  } -> tensor<2x24x4x16xf16>
  return %o : tensor<2x24x4x16xf16>
}

// -----

// A near miss: a move that computes.
// CHECK-LABEL: func @squared_move
// CHECK:       amp.launch_kernels @gemm_0 {{.*}} -> tensor<2x4x24x16xf32>
// CHECK:       linalg.generic
func.func @squared_move(%p: tensor<2x4x24x24xf16>, %v: tensor<2x4x24x16xf16>) -> tensor<2x24x4x16xf16> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<2x4x24x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, t, d, s) -> (b, h, t, s)>, affine_map<(b, h, t, d, s) -> (b, h, s, d)>, affine_map<(b, h, t, d, s) -> (b, h, t, d)>]
      ins(%p, %v : tensor<2x4x24x24xf16>, tensor<2x4x24x16xf16>) outs(%sz : tensor<2x4x24x16xf32>) -> tensor<2x4x24x16xf32>
  %oe = tensor.empty() : tensor<2x24x4x16xf16>
  %o = linalg.generic {
    indexing_maps = [affine_map<(b, h, t, d) -> (b, h, t, d)>, affine_map<(b, h, t, d) -> (b, t, h, d)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%s : tensor<2x4x24x16xf32>) outs(%oe : tensor<2x24x4x16xf16>) {
  ^bb0(%in: f32, %out: f16):
    %sq = arith.mulf %in, %in : f32
    %h = arith.truncf %sq : f32 to f16
    linalg.yield %h : f16
  } -> tensor<2x24x4x16xf16>
  return %o : tensor<2x24x4x16xf16>
}

// -----

// Two concatenations begin with memory of their own, and sums with zeros that a loop fills in.
// CHECK-LABEL: func @two_concatenations
// CHECK-DAG:   tensor.empty() {amp.own_memory = 0 : i64} : tensor<8x16xf32>
// CHECK-DAG:   tensor.empty() {amp.own_memory = 1 : i64} : tensor<8x16xf32>
// CHECK:       gpu.module
// CHECK-NOT:   epilogue =
func.func @two_concatenations(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %c0 = arith.constant 0.0 : f32
  %ze = tensor.empty() : tensor<8x8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%ze : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    linalg.yield %c0 : f32
  } -> tensor<8x8xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%b, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %u = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%b, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %x = tensor.concat dim(1) %s, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  %y = tensor.concat dim(1) %u, %v : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  return %x, %y : tensor<8x16xf32>, tensor<8x16xf32>
}
