// RUN: amp-opt %s --split-input-file --canonicalize \
// RUN:   --convert-linalg-to-host-contraction=blas=off --canonicalize --cse | FileCheck %s

// A table for rows, sum and columns, scratch memory, one call.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME:    (%[[X:.+]]: memref<32x64xf16>, %[[W:.+]]: memref<64x128xf16>, %[[Y:.+]]: memref<32x128xf32>)
func.func @matmul(%x: memref<32x64xf16>, %w: memref<64x128xf16>, %y: memref<32x128xf32>) {
  // CHECK-DAG:     %[[X_FLAT:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [2048], strides: [1]
  // CHECK-DAG:     %[[X_ALL:.+]] = memref.cast %[[X_FLAT]] : {{.*}} to memref<?xf16>
  // CHECK-DAG:     %[[W_FLAT:.+]] = memref.reinterpret_cast %[[W]]
  // CHECK-DAG:     %[[W_ALL:.+]] = memref.cast %[[W_FLAT]] : {{.*}} to memref<?xf16>
  // CHECK-DAG:     %[[Y_FLAT:.+]] = memref.reinterpret_cast %[[Y]]
  // CHECK-DAG:     %[[Y_ALL:.+]] = memref.cast %[[Y_FLAT]] : {{.*}} to memref<?xf32>
  // CHECK:         %[[TABLES:.+]] = memref.alloc() {alignment = 64 : i64} : memref<448xindex>
  // CHECK:         %[[ALL_TABLES:.+]] = memref.cast %[[TABLES]]
  // Rows: 32 entries for X and Y, whose rows are 64 and 128 elements apart.
  // CHECK:         call @amp_host_fill_offsets(%[[ALL_TABLES]], %c0, %c32, %c32, %c64, %c128)
  // Sum: 64 entries; X's are neighbours, W's 128 elements apart.
  // CHECK:         call @amp_host_fill_offsets(%[[ALL_TABLES]], %c64, %c128, %c64, %c1, %c128)
  // Columns: 128 entries, neighbours in both.
  // CHECK:         call @amp_host_fill_offsets(%[[ALL_TABLES]], %c192, %c320, %c128, %c1, %c1)
  // CHECK:         %[[SCRATCH:.+]] = memref.alloc() {alignment = 64 : i64} : memref<10504xf32>
  // CHECK:         %[[ALL_SCRATCH:.+]] = memref.cast %[[SCRATCH]]
  // CHECK:         call @amp_host_product_f16_f16(%[[X_ALL]], %c0, %[[W_ALL]], %c0, %[[Y_ALL]], %c0, %[[ALL_TABLES]],
  // CHECK-SAME:      %c32, %c128, %c64, %[[ALL_SCRATCH]], %c0, %false)
  // CHECK-DAG:     memref.dealloc %[[SCRATCH]]
  // CHECK-DAG:     memref.dealloc %[[TABLES]]
  // CHECK-NOT:     linalg
  linalg.matmul ins(%x, %w : memref<32x64xf16>, memref<64x128xf16>)
                outs(%y : memref<32x128xf32>)
  return
}
// CHECK:       func.func private @amp_host_fill_offsets
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>, no_inline
// CHECK:       func.func private @amp_host_product_f16_f16
// CHECK:         call @amp_host_pack_f16
// CHECK:         call @amp_host_pack_f16
// CHECK:         call @amp_host_tiles
// CHECK:       func.func private @amp_host_pack_f16
// CHECK:       func.func private @amp_host_tiles
// CHECK-NOT:   func.func

// -----

// Products of other shapes and maps share all kernels, other types all but the
// packing and the loops around it.
// CHECK-LABEL: func.func @shared
func.func @shared(%a: memref<7x9xf32>, %b: memref<9x5xf32>, %c: memref<7x5xf32>,
                  %d: memref<5x7xf32>, %h: memref<9x5xbf16>) {
  // CHECK:         call @amp_host_product_f32_f32
  // CHECK:         call @amp_host_product_f32_f32
  // CHECK:         call @amp_host_product_f32_bf16
  linalg.matmul ins(%a, %b : memref<7x9xf32>, memref<9x5xf32>) outs(%c : memref<7x5xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                                 affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
                ins(%b, %a : memref<9x5xf32>, memref<7x9xf32>) outs(%d : memref<5x7xf32>)
  linalg.matmul ins(%a, %h : memref<7x9xf32>, memref<9x5xbf16>) outs(%c : memref<7x5xf32>)
  return
}
// CHECK-COUNT-7: func.func private @amp_host
// CHECK-NOT:   func.func

// -----

// The input that has the output's last dimension becomes the one in vectors: the
// weights of a convolution in NHWC, the image in NCHW.
// CHECK-LABEL: func.func @conv_nhwc
func.func @conv_nhwc(%image: memref<2x6x6x4xf16>, %weight: memref<3x3x4x8xf32>,
                     %out: memref<2x4x4x8xf32>) {
  // CHECK:         call @amp_host_product_f16_f32
  linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %weight : memref<2x6x6x4xf16>, memref<3x3x4x8xf32>)
    outs(%out : memref<2x4x4x8xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @conv_nchw
// CHECK-SAME:    (%[[IMAGE:.+]]: memref<2x4x9x10xf16>, %[[WEIGHT:.+]]: memref<8x4x3x3xf32>
func.func @conv_nchw(%image: memref<2x4x9x10xf16>, %weight: memref<8x4x3x3xf32>,
                     %out: memref<2x8x4x6xf32>) {
  // Rows are the filters: 36 weights apart, 24 elements in the output.
  // CHECK:         call @amp_host_fill_offsets(%[[TABLES:.+]], %c0, %c8, %c8, %c36, %c24)
  // The sum runs over channels, window rows and window columns; in the image,
  // dilation makes the latter 2 elements apart.
  // CHECK:         call @amp_host_fill_offsets(%[[TABLES]], %c16, %c52, %c3, %c1, %c2)
  // CHECK:         call @amp_host_extend_offsets(%[[TABLES]], %c16, %c52, %c3, %c3, %c3, %c10)
  // CHECK:         call @amp_host_extend_offsets(%[[TABLES]], %c16, %c52, %c9, %c4, %c9, %c90)
  // Columns are the pixels; the stride makes rows of the image 20 elements apart.
  // CHECK:         call @amp_host_fill_offsets(%[[TABLES]], %c88, %c136, %c6, %c1, %c1)
  // CHECK:         call @amp_host_extend_offsets(%[[TABLES]], %c88, %c136, %c6, %c4, %c20, %c6)
  // CHECK:         call @amp_host_extend_offsets(%[[TABLES]], %c88, %c136, %c24, %c2, %c360, %c192)
  // CHECK:         call @amp_host_product_f32_f16
  linalg.conv_2d_nchw_fchw {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}
    ins(%image, %weight : memref<2x4x9x10xf16>, memref<8x4x3x3xf32>)
    outs(%out : memref<2x8x4x6xf32>)
  return
}

// -----

// The batch is a loop around the call, with tables and memory outside.
// CHECK-LABEL: func.func @batch
func.func @batch(%a: memref<5x7x9xf32>, %b: memref<5x9x3xf32>, %c: memref<5x7x3xf32>) {
  // CHECK:         memref.alloc() {alignment = 64 : i64} : memref<38xindex>
  // CHECK:         memref.alloc() {alignment = 64 : i64} : memref<{{.+}}xf32>
  // CHECK:         scf.for %[[I:.+]] = %c0 to %c5 step %c1 {
  // CHECK-DAG:       %[[A:.+]] = arith.muli %[[I]], %c63
  // CHECK-DAG:       %[[B:.+]] = arith.muli %[[I]], %c27
  // CHECK-DAG:       %[[C:.+]] = arith.muli %[[I]], %c21
  // CHECK:           func.call @amp_host_product_f32_f32(%{{.+}}, %[[A]], %{{.+}}, %[[B]], %{{.+}}, %[[C]],
  // CHECK:         }
  // CHECK:         memref.dealloc
  linalg.batch_matmul ins(%a, %b : memref<5x7x9xf32>, memref<5x9x3xf32>)
                      outs(%c : memref<5x7x3xf32>)
  return
}

// -----

// Sizes and strides are read where they are not known; the offset of a subview
// is where its operand begins.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME:    (%[[A:.+]]: memref<?x?xf32, strided<[?, 1], offset: ?>>,
func.func @dynamic(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %b: memref<?x16xf16>,
                   %c: memref<?x16xf32>) {
  // CHECK-DAG:     %[[M:.+]] = memref.dim %[[A]], %c0
  // CHECK-DAG:     %[[K:.+]] = memref.dim %[[A]], %c1
  // CHECK-DAG:     %{{.+}}, %[[OFFSET:.+]], %{{.+}}:2, %[[STRIDES:.+]]:2 = memref.extract_strided_metadata %[[A]]
  // CHECK:         %[[TABLES:.+]] = memref.alloc(%{{.+}}) {alignment = 64 : i64} : memref<?xindex>
  // CHECK:         call @amp_host_fill_offsets(%[[TABLES]], %c0, %[[M]], %[[M]], %[[STRIDES]]#0, %c16)
  // CHECK:         call @amp_host_product_f32_f16(%{{.+}}, %[[OFFSET]], {{.*}} %[[M]], %c16, %[[K]],
  linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x16xf16>)
                outs(%c : memref<?x16xf32>)
  return
}

// -----

// A generic of that form, its product written the other way round.
// CHECK-LABEL: func.func @generic
func.func @generic(%a: memref<4x32x8xf32>, %b: memref<4x32x16xf16>, %c: memref<8x16xf32>) {
  // CHECK:         call @amp_host_product_f32_f16
  // CHECK-NOT:     linalg
  linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (k, l, m)>,
                                   affine_map<(m, n, k, l) -> (k, l, n)>,
                                   affine_map<(m, n, k, l) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<4x32x8xf32>, memref<4x32x16xf16>) outs(%c : memref<8x16xf32>) {
  ^bb0(%x: f32, %y: f16, %z: f32):
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %w, %x : f32
    %s = arith.addf %p, %z : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// And one that multiplies and adds in one operation.
// CHECK-LABEL: func.func @fma
func.func @fma(%a: memref<8x16xf32>, %b: memref<16x8xf16>, %c: memref<8x8xf32>) {
  // CHECK:         call @amp_host_product_f32_f16
  // CHECK-NOT:     linalg
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                   affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xf32>, memref<16x8xf16>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f16, %z: f32):
    %w = arith.extf %y : f16 to f32
    %s = math.fma %x, %w, %z : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A name that the user has taken stays the user's.
// CHECK-LABEL: func.func @amp_host_tiles(
func.func @amp_host_tiles(%a: memref<4x4xf32>) {
  // CHECK:         call @amp_host_product_f32_f32
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  return
}
// CHECK:       func.func private @amp_host_product_f32_f32
// CHECK:         call @[[TILES:amp_host_tiles_[0-9]+]](
// CHECK:       func.func private @[[TILES]](
