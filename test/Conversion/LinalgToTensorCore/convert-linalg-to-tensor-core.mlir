// Contractions in all their forms become launches; what lies between them and a
// matrix in memory is not computed.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core --canonicalize | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core=always --canonicalize | FileCheck %s --check-prefix=ALWAYS
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core=chip=sm_80 --canonicalize | FileCheck %s --check-prefix=SM80

// CHECK-LABEL: func @matmul
// CHECK-SAME:    (%[[A:.*]]: tensor<128x64xf16>, %[[B:.*]]: tensor<64x256xf16>)
// CHECK-NEXT:  %[[D:.*]] = tensor.empty() : tensor<128x256xf32>
// CHECK-NEXT:  amp.launch_kernels @gemm_0 ins(a = %[[A]], b = %[[B]]) outs(d = %[[D]])
// CHECK-NEXT:  return
// CHECK:       gpu.module @gemm_0
// CHECK-SAME:    amp.cost = {bound = "latency", bytes = 1.802240e+05 : f64, chip = "sm_90a", cluster = 1 : i64, epilogue_cycles = 0.000000e+00 : f64, epilogue_instructions = 0.000000e+00 : f64, flops = 0x4150000000000000 : f64
// CHECK-SAME:    split_k = 1 : i64, stages = 6 : i64
// CHECK-SAME:    tile = array<i64: 64, 64, 64>
// CHECK-SAME:    a = f16, b = f16, batch = 1 : i64, d = f32
// CHECK-SAME:    k = 64 : i64
// CHECK-SAME:    layout = "nn"
// CHECK-SAME:    m = 128 : i64, n = 256 : i64
// CHECK:       nvvm.wgmma
// SM80-LABEL:  func @matmul
// SM80:        amp.launch_kernels @gemm_0
// SM80:        nvvm.mma.sync
func.func @matmul(%a: tensor<128x64xf16>, %b: tensor<64x256xf16>) -> tensor<128x256xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<128x64xf16>, tensor<64x256xf16>)
      outs(%z : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

// A weight that the front end transposes is read as it lies; so is one that it
// makes wide first.
// CHECK-LABEL: func @transposed
// CHECK-SAME:    (%[[A:.*]]: tensor<128x64xbf16>, %[[W:.*]]: tensor<256x64xbf16>)
// CHECK-NEXT:  tensor.empty
// CHECK-NEXT:  amp.launch_kernels @gemm_0 ins(a = %[[A]], b = %[[W]])
// CHECK:       layout = "nt"
func.func @transposed(%a: tensor<128x64xbf16>, %w: tensor<256x64xbf16>) -> tensor<128x256xf32> {
  %c0 = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<64x256xbf16>
  %t = linalg.transpose ins(%w : tensor<256x64xbf16>) outs(%te : tensor<64x256xbf16>) permutation = [1, 0]
  %wide_a = arith.extf %a : tensor<128x64xbf16> to tensor<128x64xf32>
  %wide_w = arith.extf %t : tensor<64x256xbf16> to tensor<64x256xf32>
  %e = tensor.empty() : tensor<128x256xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %0 = linalg.matmul ins(%wide_a, %wide_w : tensor<128x64xf32>, tensor<64x256xf32>)
      outs(%z : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

// One wide operand makes it a product of f32, for which sm_90a has the kernel of
// sm_90: the narrow operand is not read narrow.
// CHECK-LABEL: func @one_is_wide
// CHECK:       %[[WIDE:.*]] = arith.extf
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[WIDE]], b = %{{.*}})
// CHECK:       gpu.module @gemm_0
// CHECK:       name = "a"
// CHECK-SAME:  type = f32
// CHECK-NOT:   wgmma
func.func @one_is_wide(%a: tensor<512x512xbf16>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %c0 = arith.constant 0.0 : f32
  %wide = arith.extf %a : tensor<512x512xbf16> to tensor<512x512xf32>
  %e = tensor.empty() : tensor<512x512xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul ins(%wide, %b : tensor<512x512xf32>, tensor<512x512xf32>)
      outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// Several loops are one where memory has them so: JAX's [B, T, C] x [C, D].
// CHECK-LABEL: func @rows_of_two_loops
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}) outs(d = %{{.*}}) : (tensor<4x32x64xf16>, tensor<64x96xf16>, tensor<4x32x96xf32>) -> tensor<4x32x96xf32>
// CHECK:       batch = 1 : i64
// CHECK-SAME:  layout = "nn"
// CHECK-SAME:  m = 128 : i64
func.func @rows_of_two_loops(%a: tensor<4x32x64xf16>, %b: tensor<64x96xf16>) -> tensor<4x32x96xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32x96xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x32x96xf32>) -> tensor<4x32x96xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(b, t, n, k) -> (b, t, k)>,
                                        affine_map<(b, t, n, k) -> (k, n)>,
                                        affine_map<(b, t, n, k) -> (b, t, n)>]
      ins(%a, %b : tensor<4x32x64xf16>, tensor<64x96xf16>)
      outs(%z : tensor<4x32x96xf32>) -> tensor<4x32x96xf32>
  return %0 : tensor<4x32x96xf32>
}

// -----

// A weight gradient sums over two loops: both operands are read transposed or
// not without a copy.
// CHECK-LABEL: func @sums_of_two_loops
// CHECK-NOT:   linalg.transpose
// CHECK:       amp.launch_kernels
// CHECK:       k = 128 : i64
// CHECK-SAME:  layout = "tn"
func.func @sums_of_two_loops(%g: tensor<4x32x96xf16>, %x: tensor<4x32x64xf16>) -> tensor<96x64xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x64xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<96x64xf32>) -> tensor<96x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, b, t) -> (b, t, m)>,
                                        affine_map<(m, n, b, t) -> (b, t, n)>,
                                        affine_map<(m, n, b, t) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%g, %x : tensor<4x32x96xf16>, tensor<4x32x64xf16>) outs(%z : tensor<96x64xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<96x64xf32>
  return %0 : tensor<96x64xf32>
}

// -----

// Reshapes do not move elements: heads folded into a batch.
// CHECK-LABEL: func @batch
// CHECK-SAME:    (%[[Q:.*]]: tensor<4x4x32x16xf16>, %[[K:.*]]: tensor<16x32x16xf16>)
// CHECK-NOT:   collapse_shape
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[Q]], b = %[[K]])
// CHECK:       batch = 16 : i64
// CHECK-SAME:  layout = "nt"
func.func @batch(%q: tensor<4x4x32x16xf16>, %k: tensor<16x32x16xf16>) -> tensor<16x32x32xf32> {
  %c0 = arith.constant 0.0 : f32
  %f = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<4x4x32x16xf16> into tensor<16x32x16xf16>
  %te = tensor.empty() : tensor<16x16x32xf16>
  %t = linalg.transpose ins(%k : tensor<16x32x16xf16>) outs(%te : tensor<16x16x32xf16>) permutation = [0, 2, 1]
  %e = tensor.empty() : tensor<16x32x32xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<16x32x32xf32>) -> tensor<16x32x32xf32>
  %0 = linalg.batch_matmul ins(%f, %t : tensor<16x32x16xf16>, tensor<16x16x32xf16>)
      outs(%z : tensor<16x32x32xf32>) -> tensor<16x32x32xf32>
  return %0 : tensor<16x32x32xf32>
}

// -----

// Heads that lie between rows and columns do not follow one another: the batch has
// strides (heads.mlir has more).
// CHECK-LABEL: func @heads_between
// CHECK-NOT:   linalg.transpose
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %arg0, b = %arg1)
// CHECK:       batch_shape = array<i64: 2, 4>, batch_strides_a = array<i64: 2048, 16>
func.func @heads_between(%q: tensor<2x32x4x16xf16>, %k: tensor<2x4x16x32xf16>) -> tensor<8x32x32xf32> {
  %c0 = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<2x4x32x16xf16>
  %t = linalg.transpose ins(%q : tensor<2x32x4x16xf16>) outs(%te : tensor<2x4x32x16xf16>) permutation = [0, 2, 1, 3]
  %f = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x4x32x16xf16> into tensor<8x32x16xf16>
  %g = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x4x16x32xf16> into tensor<8x16x32xf16>
  %e = tensor.empty() : tensor<8x32x32xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
  %0 = linalg.batch_matmul ins(%f, %g : tensor<8x32x16xf16>, tensor<8x16x32xf16>)
      outs(%z : tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
  return %0 : tensor<8x32x32xf32>
}

// -----

// The result's columns stand between its rows' two loops: it is computed in order
// and copied, and so is an operand.
// CHECK-LABEL: func @permuted_result
// CHECK:       %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<2x16x4xf16>){{.*}} permutation = [1, 0, 2]
// CHECK:       %[[D:.*]] = tensor.empty() : tensor<8x2x4xf32>
// CHECK:       %[[L:.*]] = amp.launch_kernels @gemm_0 ins(a = %arg1, b = %[[T]]) outs(d = %[[D]])
// CHECK:       linalg.transpose ins(%[[L]] : tensor<8x2x4xf32>){{.*}} permutation = [1, 0, 2]
// CHECK:       layout = "tn"
func.func @permuted_result(%a: tensor<2x16x4xf16>, %b: tensor<16x8xf16>) -> tensor<2x8x4xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x4xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(b, t, n, k) -> (b, k, t)>,
                                        affine_map<(b, t, n, k) -> (k, n)>,
                                        affine_map<(b, t, n, k) -> (b, n, t)>]
      ins(%a, %b : tensor<2x16x4xf16>, tensor<16x8xf16>)
      outs(%z : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}

// -----

// A vector: each element of the matrix is used once, so it is a sum (rule 5). With `always`, the operand with the
// result's last dimension becomes B.
// CHECK-LABEL: func @matvec
// CHECK:       linalg.matvec
// ALWAYS-LABEL: func @matvec
// ALWAYS-SAME:    (%[[A:.*]]: tensor<64x128xf16>, %[[X:.*]]: tensor<128xf16>)
// ALWAYS:       amp.launch_kernels @gemm_0 ins(a = %[[X]], b = %[[A]])
// ALWAYS:       m = 1 : i64, n = 64 : i64
func.func @matvec(%a: tensor<64x128xf16>, %x: tensor<128xf16>) -> tensor<64xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.matvec ins(%a, %x : tensor<64x128xf16>, tensor<128xf16>)
      outs(%z : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// wgmma reads 8-bit operands with K innermost only: B is copied, A is not.
// CHECK-LABEL: func @eight_bits
// CHECK-SAME:    (%[[A:.*]]: tensor<128x64xf8E4M3FN>, %[[B:.*]]: tensor<64x256xf8E5M2>)
// CHECK:       %[[T:.*]] = linalg.transpose ins(%[[B]]
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[A]], b = %[[T]])
// CHECK:       layout = "nt"
// SM80-LABEL:  func @eight_bits
// SM80:        linalg.generic
func.func @eight_bits(%a: tensor<128x64xf8E4M3FN>, %b: tensor<64x256xf8E5M2>) -> tensor<128x256xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                        affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<128x64xf8E4M3FN>, tensor<64x256xf8E5M2>) outs(%z : tensor<128x256xf32>) {
  ^bb0(%l: f8E4M3FN, %r: f8E5M2, %o: f32):
    %1 = arith.extf %l : f8E4M3FN to f32
    %2 = arith.extf %r : f8E5M2 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

// Equal products are one kernel, others are not; also inside branches.
// CHECK-LABEL: func @equal_once
// CHECK:       amp.launch_kernels @gemm_1
// CHECK:       scf.if
// CHECK:       amp.launch_kernels @gemm_1
// CHECK:       amp.launch_kernels @gemm_2
// CHECK:       gpu.module @gemm_1
// CHECK:       gpu.module @gemm_2
// CHECK-NOT:   gpu.module
func.func private @gemm_0()
func.func @equal_once(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: i1) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>)
      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = scf.if %c -> tensor<64x64xf32> {
    %2 = linalg.matmul ins(%b, %a : tensor<64x64xf16>, tensor<64x64xf16>)
        outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %2 : tensor<64x64xf32>
  } else {
    %2 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                                        affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>]
        ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>)
        outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %2 : tensor<64x64xf32>
  }
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A long sum of a small result is split; the workspace is memory of the step.
// CHECK-LABEL: func @split
// CHECK:       %[[W:.*]] = tensor.empty() : tensor<{{[0-9]+}}xf32>
// CHECK:       amp.launch_kernels @gemm_0 ins({{.*}}) outs(d = %{{.*}}, workspace = %[[W]])
// CHECK:       llvm.func @gemm_0(
// CHECK:       llvm.func @gemm_0_reduce(
// SM80-LABEL:  func @split
// SM80:        outs(d = %{{.*}}, workspace = %{{.*}})
func.func @split(%a: tensor<128x16384xf16>, %b: tensor<16384x128xf16>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<128x16384xf16>, tensor<16384x128xf16>)
      outs(%z : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}
