// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction=blas=off --canonicalize --cse | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction="blas-min-work=1" --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=BLAS

// The fill goes, and the product is told.
// CHECK-LABEL: func.func @filled
// CHECK-NOT:     linalg.fill
// CHECK:         %[[YES:.+]] = arith.constant true
// CHECK-NOT:     linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %[[YES]])
// CHECK-NOT:     linalg.fill
// CHECK:         return
func.func @filled(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// The first block of the sum alone starts: others add to what it left.
// CHECK-LABEL: func.func private @amp_host_product_f32_f32
// CHECK-SAME:    %[[FROM_ZERO:[^ ]+]]: i1)
// CHECK:         scf.for %{{.+}} = %c0 to %{{.+}} step %c1024
// CHECK:           scf.for %[[STEP:.+]] = %c0 to %{{.+}} step %{{.+}} {
// CHECK:             scf.for
// CHECK:               %[[FIRST:.+]] = arith.cmpi eq, %[[STEP]], %c0
// CHECK:               %[[IS_START:.+]] = arith.andi %[[FROM_ZERO]], %[[FIRST]]
// CHECK:               func.call @amp_host_tiles_of_rows({{.*}}, %[[IS_START]], %{{[^,]+}})
// CHECK:               %[[FIRST_IN_PANELS:.+]] = arith.cmpi eq, %[[STEP]], %c0
// CHECK:               %[[IS_START_IN_PANELS:.+]] = arith.andi %[[FROM_ZERO]], %[[FIRST_IN_PANELS]]
// CHECK:               func.call @amp_host_tiles({{.*}}, %[[IS_START_IN_PANELS]])

// A BLAS starts from 0 * C then, and what computes the block without one is told.
// BLAS-LABEL: func.func private @amp_host_blas_f32_f32
// BLAS-DAG:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// BLAS-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// BLAS:         scf.for %[[STEP:.+]] = %c0 to
// BLAS:           %[[FIRST:.+]] = arith.cmpi eq, %[[STEP]], %c0
// BLAS:           %[[IS_START:.+]] = arith.andi %{{.+}}, %[[FIRST]]
// BLAS:           %[[BETA:.+]] = arith.select %[[IS_START]], %[[ZERO]], %[[ONE]]
// BLAS:           call @ampRtBlasSgemm({{.*}} %[[ONE]], {{.*}}, %[[BETA]], %{{[^,]+}}, %{{[^,]+}})
// BLAS:           call @amp_host_product_f32_f32({{.*}}, %[[IS_START]])

// -----

// What a generic fills is filled, and constants and views in between touch no memory.
// CHECK-LABEL: func.func @generic
// CHECK:         %[[YES:.+]] = arith.constant true
// CHECK-NOT:     linalg.generic
// CHECK:         call @amp_host_product_bf16_bf16({{.*}}, %[[YES]])
func.func @generic(%a: memref<2x4x16xbf16>, %b: memref<16x8xbf16>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    outs(%c : memref<8x8xf32>) {
  ^bb0(%old: f32):
    linalg.yield %zero : f32
  }
  %rows = memref.collapse_shape %a [[0, 1], [2]] : memref<2x4x16xbf16> into memref<8x16xbf16>
  linalg.matmul ins(%rows, %b : memref<8x16xbf16>, memref<16x8xbf16>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// The length of the sum has to be known, other sizes have not.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT:     linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %true)
func.func @dynamic(%a: memref<?x16xf32>, %b: memref<16x?xf32>, %c: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32, strided<[?, 1], offset: ?>>)
  linalg.matmul ins(%a, %b : memref<?x16xf32>, memref<16x?xf32>) outs(%c : memref<?x?xf32, strided<[?, 1], offset: ?>>)
  return
}

// -----

// The dimension that no loop walks has one position.
// CHECK-LABEL: func.func @unit_dimension
// CHECK-NOT:     linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %true)
func.func @unit_dimension(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<1x8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<1x8x8xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (0, m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<1x8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Near misses. Without a step nothing would be written.
// CHECK-LABEL: func.func @unknown_steps
// CHECK:         linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @unknown_steps(%a: memref<8x?xf32>, %b: memref<?x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x?xf32>, memref<?x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @no_steps
// CHECK:         linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @no_steps(%a: memref<8x0xf32>, %b: memref<0x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x0xf32>, memref<0x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @another_value
// CHECK:         linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @another_value(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// -0 + -0 is -0, and 0 + -0 is not.
// CHECK-LABEL: func.func @negative_zero
// CHECK:         linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @negative_zero(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant -0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @unknown_value
// CHECK:         linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @unknown_value(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>, %start: f32) {
  linalg.fill ins(%start : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// Somebody reads the zeros.
// CHECK-LABEL: func.func @read_in_between
// CHECK:         linalg.fill
// CHECK:         memref.copy
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @read_in_between(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>, %d: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  memref.copy %c, %d : memref<8x8xf32> to memref<8x8xf32>
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// A part of the output is filled.
// CHECK-LABEL: func.func @partly_filled
// CHECK:         linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @partly_filled(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = memref.subview %c[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  linalg.fill ins(%zero : f32) outs(%rows : memref<4x8xf32, strided<[8, 1]>>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// A part of what is filled is the output.
// CHECK-LABEL: func.func @more_filled
// CHECK:         linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @more_filled(%a: memref<4x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = memref.subview %c[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<4x16xf32>, memref<16x8xf32>) outs(%rows : memref<4x8xf32, strided<[8, 1]>>)
  return
}

// -----

// The zeros are an input.
// CHECK-LABEL: func.func @input
// CHECK:         linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @input(%a: memref<8x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %c : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// Another product has written in between.
// CHECK-LABEL: func.func @second_product
// CHECK-NOT:     linalg.fill
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %true)
// CHECK:         call @amp_host_product_f32_f32({{.*}}, %false)
func.func @second_product(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  return
}
