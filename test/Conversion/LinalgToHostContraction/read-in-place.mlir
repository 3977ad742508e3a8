// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=512 bf16=pairs" --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: amp-opt %t.mlir --pass-pipeline="builtin.module(%to_llvm)" | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -O2 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | llc -O2 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 \
// RUN:   | FileCheck %s --check-prefix=ASM
// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=512 bf16=amx expand-tiles" | FileCheck %s --check-prefix=AMX

// The image is B, and is exchanged with A: pixels are rows, filters are columns, and C's tiles are turned.
// CHECK-LABEL: func.func @image(
// CHECK:         call @amp_host_product_f32_f32_in_place(
// AMX-LABEL:   func.func @image(
// AMX:           call @amp_host_product_f32_f32_in_place(
func.func @image(%image: memref<16x16x14x14xf32>, %filters: memref<32x16x3x3xf32>, %out: memref<16x32x12x12xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x16x14x14xf32>, memref<32x16x3x3xf32>) outs(%out : memref<16x32x12x12xf32>)
  return
}

// An image with channels innermost is A.
// CHECK-LABEL: func.func @channels_innermost(
// CHECK:         call @amp_host_product_f32_f32_in_place(
func.func @channels_innermost(%image: memref<16x34x34x32xf32>, %filters: memref<3x3x32x32xf32>, %out: memref<16x32x32x32xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x34x34x32xf32>, memref<3x3x32x32xf32>) outs(%out : memref<16x32x32x32xf32>)
  return
}

// A window of two bf16 in a row of the image is a word; one of three is not.
// CHECK-LABEL: func.func @pairs(
// CHECK:         call @amp_host_product_bf16_bf16_in_place(
// AMX-LABEL:   func.func @pairs(
// AMX-NOT:       in_place
// AMX:           return
func.func @pairs(%image: memref<16x16x14x14xbf16>, %filters: memref<32x16x2x2xbf16>, %out: memref<16x32x13x13xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x16x14x14xbf16>, memref<32x16x2x2xbf16>) outs(%out : memref<16x32x13x13xf32>)
  return
}

// CHECK-LABEL: func.func @odd_window(
// CHECK-NOT:     in_place
// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     in_place
func.func @odd_window(%image: memref<16x16x14x14xbf16>, %filters: memref<32x16x3x3xbf16>, %out: memref<16x32x12x12xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x16x14x14xbf16>, memref<32x16x3x3xbf16>) outs(%out : memref<16x32x12x12xf32>)
  return
}
func.func @halves(%image: memref<16x16x14x14xf16>, %filters: memref<32x16x3x3xf16>, %out: memref<16x32x12x12xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x16x14x14xf16>, memref<32x16x3x3xf16>) outs(%out : memref<16x32x12x12xf32>)
  return
}

// More columns than packing takes time for, with windows and without; a wide image, whose panels are runs of it; windows of
// one element; few steps; columns that do not fill a vector; a block that is spread over much memory; little work.
// CHECK-LABEL: func.func @many_filters(
// CHECK-NOT:     in_place
// CHECK-LABEL: func.func @many_filters_innermost(
// CHECK-NOT:     in_place
// CHECK-LABEL: func.func @wide_image(
// CHECK-NOT:     in_place
// CHECK-LABEL: func.func @no_window(
// CHECK-NOT:     in_place
// CHECK-LABEL: func.func @few_steps(
// CHECK-NOT:     in_place
// CHECK-LABEL: func.func @few_filters(
// CHECK-NOT:     in_place
// CHECK-LABEL: func.func @far(
// CHECK-NOT:     in_place
// CHECK-LABEL: func.func @little_work(
// CHECK-NOT:     in_place
func.func @many_filters(%image: memref<16x16x14x14xf32>, %filters: memref<144x16x3x3xf32>, %out: memref<16x144x12x12xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x16x14x14xf32>, memref<144x16x3x3xf32>) outs(%out : memref<16x144x12x12xf32>)
  return
}
func.func @many_filters_innermost(%image: memref<16x34x34x32xf32>, %filters: memref<3x3x32x96xf32>, %out: memref<16x32x32x96xf32>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x34x34x32xf32>, memref<3x3x32x96xf32>) outs(%out : memref<16x32x32x96xf32>)
  return
}
func.func @wide_image(%image: memref<16x16x34x34xf32>, %filters: memref<32x16x3x3xf32>, %out: memref<16x32x32x32xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x16x34x34xf32>, memref<32x16x3x3xf32>) outs(%out : memref<16x32x32x32xf32>)
  return
}
func.func @no_window(%image: memref<16x128x12x12xf32>, %filters: memref<32x128x1x1xf32>, %out: memref<16x32x12x12xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x128x12x12xf32>, memref<32x128x1x1xf32>) outs(%out : memref<16x32x12x12xf32>)
  return
}
func.func @few_steps(%image: memref<16x3x14x14xf32>, %filters: memref<32x3x3x3xf32>, %out: memref<16x32x12x12xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<16x3x14x14xf32>, memref<32x3x3x3xf32>) outs(%out : memref<16x32x12x12xf32>)
  return
}
func.func @few_filters(%image: memref<32x16x14x14xf32>, %filters: memref<3x16x3x3xf32>, %out: memref<32x3x12x12xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<32x16x14x14xf32>, memref<3x16x3x3xf32>) outs(%out : memref<32x3x12x12xf32>)
  return
}
#k_m = affine_map<(m, n, k) -> (k, m)>
#k_n = affine_map<(m, n, k) -> (k, n)>
#m_n = affine_map<(m, n, k) -> (m, n)>
func.func @far(%a: memref<400x192xf32>, %b: memref<400x32xf32>, %c: memref<192x32xf32>) {
  linalg.matmul indexing_maps = [#k_m, #k_n, #m_n]
    ins(%a, %b : memref<400x192xf32>, memref<400x32xf32>) outs(%c : memref<192x32xf32>)
  return
}
func.func @little_work(%image: memref<1x16x14x14xf32>, %filters: memref<32x16x3x3xf32>, %out: memref<1x32x12x12xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filters : memref<1x16x14x14xf32>, memref<32x16x3x3xf32>) outs(%out : memref<1x32x12x12xf32>)
  return
}

// As far, with fewer rows.
// CHECK-LABEL: func.func @near(
// CHECK:         call @amp_host_product_f32_f32_in_place(
func.func @near(%a: memref<400x64xf32>, %b: memref<400x48xf32>, %c: memref<64x48xf32>) {
  linalg.matmul indexing_maps = [#k_m, #k_n, #m_n]
    ins(%a, %b : memref<400x64xf32>, memref<400x48xf32>) outs(%c : memref<64x48xf32>)
  return
}

// Few rows of A, and columns of B that are rows in memory: these become rows of A, which a run finds to be neighbours
// (rows-in-place.mlir). Rows of more than a panel's columns stay.
// CHECK-LABEL: func.func @few_rows(
// CHECK:         %[[VIEW:.+]] = memref.reinterpret_cast %arg1
// CHECK:         %[[FLAT:.+]] = memref.cast %[[VIEW]]
// CHECK:         call @amp_host_product_f32_f32(%[[FLAT]], %c0
// CHECK-SAME:      %c200, %c16, %c256
// CHECK-LABEL: func.func @more_rows(
// CHECK:         %[[VIEW:.+]] = memref.reinterpret_cast %arg0
// CHECK:         %[[FLAT:.+]] = memref.cast %[[VIEW]]
// CHECK:         call @amp_host_product_f32_f32(%[[FLAT]], %c0
// CHECK-SAME:      %c48, %c200, %c256
func.func @few_rows(%a: memref<16x256xf32>, %b: memref<200x256xf32>, %c: memref<16x200xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, #m_n]
    ins(%a, %b : memref<16x256xf32>, memref<200x256xf32>) outs(%c : memref<16x200xf32>)
  return
}
func.func @more_rows(%a: memref<48x256xf32>, %b: memref<200x256xf32>, %c: memref<48x200xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, #m_n]
    ins(%a, %b : memref<48x256xf32>, memref<200x256xf32>) outs(%c : memref<48x200xf32>)
  return
}

// Splats of eight rows, at the offset of a step behind each.
// ASM-LABEL:   amp_host_tiles_of_elements:
// ASM-COUNT-8: vbroadcastss (%r{{[a-z0-9]+}},%r{{[a-z0-9]+}},4), %zmm
// ASM-LABEL:   amp_host_tiles_pairs_of_elements:
// ASM-COUNT-8: vbroadcastss (%r{{[a-z0-9]+}},%r{{[a-z0-9]+}},2), %zmm
