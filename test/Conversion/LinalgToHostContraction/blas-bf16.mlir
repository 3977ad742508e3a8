// Products of bf16 that go to a library as bf16, and those beside them that do not.
// RUN: amp-opt %s --split-input-file \
// RUN:   --convert-linalg-to-host-contraction="blas-min-bf16-work=1000 blas-min-work=1000 blas-min-copied-work=4000" \
// RUN:   --canonicalize --cse | FileCheck %s

// By default none does, whatever its size.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction="blas-min-work=0 blas-min-copied-work=0" \
// RUN:   | FileCheck %s --check-prefix=DEFAULT
// DEFAULT-NOT: ampRtBlasSbgemm
// Nor without a library.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction="blas=off blas-min-bf16-work=0" \
// RUN:   | FileCheck %s --check-prefix=DEFAULT

// A CPU that multiplies pairs of bf16 gives the same products to it, and no others.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction="cpu=znver4 blas-min-bf16-work=1000 blas-min-work=1000 blas-min-copied-work=4000" \
// RUN:   --canonicalize --cse | FileCheck %s --check-prefix=PAIRS

// CHECK-LABEL: @in_place
// PAIRS-LABEL: @in_place
func.func @in_place(%a: memref<20x30xbf16>, %b: memref<30x40xbf16>, %c: memref<20x40xf32>) {
  // CHECK:         call @amp_host_blas_bf16_bf16({{.*}}, %c30, %c40, %c40)
  // PAIRS:         call @amp_host_blas_bf16_bf16({{.*}}, %c30, %c40, %c40)
  linalg.matmul ins(%a, %b : memref<20x30xbf16>, memref<30x40xbf16>) outs(%c : memref<20x40xf32>)
  return
}
// CHECK:       func.func private @ampRtBlasSbgemm(i64, i32, i32, i64, i64, i64, f32, i64, i64, i64, i64, f32, i64, i64) -> i32

// Addresses of A and B count two bytes, those of C four. If the call returns an error,
// the generated kernel computes the same.
// CHECK:       func.func private @amp_host_blas_bf16_bf16(%[[A:[a-z0-9]+]]: memref<?xbf16>, %{{[a-z0-9]+}}: index, %[[B:[a-z0-9]+]]: memref<?xbf16>, %{{[a-z0-9]+}}: index, %[[C:[a-z0-9]+]]: memref<?xf32>,
// CHECK:         memref.extract_aligned_pointer_as_index %[[A]]
// CHECK-NEXT:    arith.muli %{{.+}}, %c2
// CHECK:         memref.extract_aligned_pointer_as_index %[[B]]
// CHECK-NEXT:    arith.muli %{{.+}}, %c2
// CHECK:         memref.extract_aligned_pointer_as_index %[[C]]
// CHECK-NEXT:    arith.muli %{{.+}}, %c4
// CHECK:         %[[STATUS:.+]] = func.call @ampRtBlasSbgemm(%c0_i64, %c0_i32, %c0_i32,
// CHECK:         arith.cmpi eq, %[[STATUS]], %c0_i32
// CHECK:         call @amp_host_product_bf16_bf16

// -----

// CHECK-LABEL: @small
func.func @small(%a: memref<9x10xbf16>, %b: memref<10x11xbf16>, %c: memref<9x11xf32>) {
  // CHECK:         call @amp_host_product_bf16_bf16
  linalg.matmul ins(%a, %b : memref<9x10xbf16>, memref<10x11xbf16>) outs(%c : memref<9x11xf32>)
  return
}
// CHECK-NOT:   ampRtBlasSbgemm

// -----

// CHECK-LABEL: @transposed
// PAIRS-LABEL: @transposed
func.func @transposed(%a: memref<30x20xbf16>, %b: memref<40x30xbf16, strided<[64, 1], offset: 7>>,
                      %c: memref<20x40xf32>) {
  // CHECK:         call @amp_host_blas_bf16t_bf16t({{.*}}, %c20, %c64, %c40)
  // PAIRS:         call @amp_host_blas_bf16t_bf16t({{.*}}, %c20, %c64, %c40)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                                 affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<30x20xbf16>, memref<40x30xbf16, strided<[64, 1], offset: 7>>)
    outs(%c : memref<20x40xf32>)
  return
}

// -----

// Sizes that are not known.
// CHECK-LABEL: @dynamic
func.func @dynamic(%a: memref<?x30xbf16>, %b: memref<30x40xbf16>, %c: memref<?x40xf32>) {
  // CHECK:         scf.if %{{.+}} {
  // CHECK:           func.call @amp_host_product_bf16_bf16
  // CHECK:         } else {
  // CHECK:           func.call @amp_host_blas_bf16_bf16
  linalg.matmul ins(%a, %b : memref<?x30xbf16>, memref<30x40xbf16>) outs(%c : memref<?x40xf32>)
  return
}

// -----

// What is no matrix in memory is copied, and so f32: every second column, and a result
// with gaps.
// CHECK-LABEL: @copied
// PAIRS-LABEL: @copied
func.func @copied(%a: memref<20x30xbf16, strided<[60, 2]>>, %b: memref<30x40xbf16>, %c: memref<20x40xf32>,
                  %d: memref<20x30xbf16>, %e: memref<20x40xf32, strided<[80, 2]>>) {
  // CHECK:         call @amp_host_blas_copied_bf16_copied_bf16(
  // PAIRS:         call @amp_host_product_bf16_bf16
  linalg.matmul ins(%a, %b : memref<20x30xbf16, strided<[60, 2]>>, memref<30x40xbf16>)
                outs(%c : memref<20x40xf32>)
  // CHECK:         call @amp_host_blas_copied_bf16_copied_bf16_scattered(
  // PAIRS:         call @amp_host_product_bf16_bf16
  linalg.matmul ins(%d, %b : memref<20x30xbf16>, memref<30x40xbf16>)
                outs(%e : memref<20x40xf32, strided<[80, 2]>>)
  return
}
// CHECK-NOT:   ampRtBlasSbgemm
// CHECK:       call @ampRtBlasSgemm

// -----

// No library has products of two types.
// CHECK-LABEL: @mixed
func.func @mixed(%a: memref<20x30xf16>, %b: memref<30x40xbf16>, %c: memref<20x40xf32>,
                 %d: memref<30x40xf32>, %e: memref<20x30xbf16>) {
  // CHECK:         call @amp_host_blas_copied_f16_copied_bf16
  linalg.matmul ins(%a, %b : memref<20x30xf16>, memref<30x40xbf16>) outs(%c : memref<20x40xf32>)
  // CHECK:         call @amp_host_blas_copied_bf16_f32
  linalg.matmul ins(%e, %d : memref<20x30xbf16>, memref<30x40xf32>) outs(%c : memref<20x40xf32>)
  return
}
// CHECK-NOT:   ampRtBlasSbgemm
