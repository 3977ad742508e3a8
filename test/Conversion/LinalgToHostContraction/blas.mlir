// RUN: amp-opt %s --split-input-file \
// RUN:   --convert-linalg-to-host-contraction="blas-min-work=1000 blas-min-copied-work=4000" \
// RUN:   --canonicalize --cse | FileCheck %s

// f32 matrices in memory: the call gets their rows' distances, 30, 40 and 40.
// CHECK-LABEL: @in_place
func.func @in_place(%a: memref<20x30xf32>, %b: memref<30x40xf32>, %c: memref<20x40xf32>) {
  // CHECK:         call @amp_host_blas_f32_f32({{.*}}, %c30, %c40, %c40)
  linalg.matmul ins(%a, %b : memref<20x30xf32>, memref<30x40xf32>) outs(%c : memref<20x40xf32>)
  return
}
// CHECK:       func.func private @ampRtBlasSgemm(i64, i32, i32, i64, i64, i64, f32, i64, i64, i64, i64, f32, i64, i64) -> i32

// What is added to C is the product, 1 * A * B, and C itself, 1 * C, but where sums
// start from zero (start-from-zero.mlir). If the call
// returns an error, the generated kernel computes the same.
// CHECK:       func.func private @amp_host_blas_f32_f32
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[BETA:.+]] = arith.select %{{.+}}, %[[ZERO]], %[[ONE]]
// CHECK:         %[[STATUS:.+]] = func.call @ampRtBlasSgemm(%c0_i64, %c0_i32, %c0_i32,
// CHECK-SAME:      %[[ONE]], {{.*}}, %[[BETA]],
// CHECK:         %[[OK:.+]] = arith.cmpi eq, %[[STATUS]], %c0_i32
// CHECK:         scf.if %[[OK]] {
// CHECK-NEXT:    } else {
// CHECK:           call @amp_host_product_f32_f32

// -----

// Below the threshold of products in place.
// CHECK-LABEL: @small
func.func @small(%a: memref<9x10xf32>, %b: memref<10x11xf32>, %c: memref<9x11xf32>) {
  // CHECK:         call @amp_host_product_f32_f32
  linalg.matmul ins(%a, %b : memref<9x10xf32>, memref<10x11xf32>) outs(%c : memref<9x11xf32>)
  return
}
// CHECK-NOT:   ampRtBlasSgemm

// -----

// Stored transposed, or a part of a larger matrix: still in place.
// CHECK-LABEL: @transposed
func.func @transposed(%a: memref<30x20xf32>, %b: memref<40x30xf32, strided<[64, 1], offset: 7>>,
                      %c: memref<20x40xf32>) {
  // CHECK:         call @amp_host_blas_f32t_f32t({{.*}}, %c20, %c64, %c40)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                                 affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<30x20xf32>, memref<40x30xf32, strided<[64, 1], offset: 7>>)
    outs(%c : memref<20x40xf32>)
  return
}
// CHECK:       func.func private @amp_host_blas_f32t_f32t
// CHECK:         call @ampRtBlasSgemm(%c0_i64, %c1_i32, %c1_i32,

// -----

// Rows over two dimensions that lie in order are rows of one matrix, whether
// their sizes are known or not.
// CHECK-LABEL: @two_dimensions_of_rows
func.func @two_dimensions_of_rows(%a: memref<?x?x30xf32>, %b: memref<30x40xf32>, %c: memref<?x?x40xf32>) {
  // CHECK:         scf.if %{{.+}} {
  // CHECK:           func.call @amp_host_product_f32_f32
  // CHECK:         } else {
  // CHECK:           func.call @amp_host_blas_f32_f32({{.*}}, %c30, %c40, %c40)
  // CHECK:         }
  linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>,
                                   affine_map<(b, m, n, k) -> (b, m, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<?x?x30xf32>, memref<30x40xf32>) outs(%c : memref<?x?x40xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Halves are copied, which pays later.
// CHECK-LABEL: @copied
func.func @copied(%a: memref<20x30xf16>, %b: memref<30x40xf32>, %c: memref<20x40xf32>,
                  %d: memref<5x20xf16>, %e: memref<5x30xf32>, %f: memref<20x30xf32>) {
  // CHECK:         call @amp_host_blas_copied_f16_f32({{.*}}, %c0, %c40, %c40)
  linalg.matmul ins(%a, %b : memref<20x30xf16>, memref<30x40xf32>) outs(%c : memref<20x40xf32>)
  // CHECK:         call @amp_host_product_f16_f32
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                                 affine_map<(m, n, k) -> (m, n)>]
    ins(%d, %e : memref<5x20xf16>, memref<5x30xf32>) outs(%f : memref<20x30xf32>)
  return
}

// -----

// Windows overlap, so they are no matrix in memory although their strides look
// like one; the copy is, and has the pixels in order.
// CHECK-LABEL: @windows
func.func @windows(%a: memref<1100xf32>, %b: memref<101xf32>, %c: memref<1000xf32>) {
  // CHECK:         call @amp_host_blas_f32_copied_f32(
  linalg.conv_1d ins(%a, %b : memref<1100xf32>, memref<101xf32>) outs(%c : memref<1000xf32>)
  return
}

// -----

// Images lie one after the other, filter by filter: C is no matrix.
// CHECK-LABEL: @scattered
func.func @scattered(%a: memref<2x8x10x10xbf16>, %b: memref<16x8x3x3xbf16>, %c: memref<2x16x8x8xf32>) {
  // CHECK:         call @amp_host_blas_copied_bf16_copied_bf16_scattered
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%a, %b : memref<2x8x10x10xbf16>, memref<16x8x3x3xbf16>) outs(%c : memref<2x16x8x8xf32>)
  return
}
// The product alone goes to scratch memory (0 * C) and is added from there.
// CHECK:       func.func private @amp_host_blas_copied_bf16_copied_bf16_scattered
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         call @amp_host_pack_bf16
// CHECK:         call @amp_host_pack_bf16
// CHECK:         call @ampRtBlasSgemm({{.*}} %[[ONE]], {{.*}} %[[ZERO]],
// CHECK:         scf.if
// CHECK:           call @amp_host_add_scattered({{.*}}, %[[IS_START:.+]]) : (
// CHECK:         } else {
// CHECK:           call @amp_host_product_bf16_bf16({{.*}}, %[[IS_START]])
// It is added to zero where it is the start.
// CHECK:       func.func private @amp_host_add_scattered({{.*}}, %[[IS_START:.+]]: i1)
// CHECK:         scf.if %[[IS_START]]
// CHECK:           scf.yield %{{.+}} : vector<8xf32>
// CHECK:         } else {
// CHECK:           vector.load

// -----

// Without BLAS's unit stride: every second column.
// CHECK-LABEL: @steps
func.func @steps(%a: memref<20x30xf32, strided<[60, 2]>>, %b: memref<30x40xf32>, %c: memref<20x40xf32>) {
  // CHECK:         call @amp_host_blas_copied_f32_f32
  linalg.matmul ins(%a, %b : memref<20x30xf32, strided<[60, 2]>>, memref<30x40xf32>)
                outs(%c : memref<20x40xf32>)
  return
}
