// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=sapphirerapids" --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s --implicit-check-not=ampRtBlasSgemm < %t.mlir
// RUN: amp-opt %t.mlir --pass-pipeline="builtin.module(%amx_to_llvm)" | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -O2 -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids | llc -O2 -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids -o %t.s
// RUN: FileCheck %s --check-prefix=ASM < %t.s
// RUN: grep -c amx.tile_mulf %t.mlir | FileCheck %s --check-prefix=PRODUCTS
// RUN: grep -c amx.tile_load %t.mlir | FileCheck %s --check-prefix=LOADS
// RUN: grep -c tilestored %t.s | FileCheck %s --check-prefix=STORES
// RUN: grep -c ldtilecfg %t.s | FileCheck %s --check-prefix=CONFIGURATIONS

// Near misses: CPUs without tiles, and where they are not wanted.
// DEFINE: %{none} = FileCheck %s --check-prefix=NONE --implicit-check-not=amx
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=cooperlake" | %{none}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=znver4" | %{none}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=sapphirerapids bf16=widened f16=widened" | %{none}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=sapphirerapids vector-bits=256" | %{none}
// NONE: call @amp_host_product_bf16_bf16

// Large enough for BLAS, which would multiply as f32.
func.func @bf16(%a: memref<2048x2048xbf16>, %b: memref<2048x2048xbf16>, %c: memref<2048x2048xf32>) {
  linalg.matmul ins(%a, %b : memref<2048x2048xbf16>, memref<2048x2048xbf16>) outs(%c : memref<2048x2048xf32>)
  return
}
func.func @f16(%a: memref<32x70xf16>, %b: memref<70x32xf16>, %c: memref<32x32xf32>) {
  linalg.matmul ins(%a, %b : memref<32x70xf16>, memref<70x32xf16>) outs(%c : memref<32x32xf32>)
  return
}
// Of two types: panels of f32.
func.func @mixed(%a: memref<32x64xf16>, %b: memref<64x32xbf16>, %x: memref<32x64xbf16>, %y: memref<64x32xf32>, %c: memref<32x32xf32>) {
  linalg.matmul ins(%a, %b : memref<32x64xf16>, memref<64x32xbf16>) outs(%c : memref<32x32xf32>)
  linalg.matmul ins(%x, %y : memref<32x64xbf16>, memref<64x32xf32>) outs(%c : memref<32x32xf32>)
  return
}

// CHECK-LABEL: func.func @f16
// Two panels of each operand, 32 wide: 70 steps are 35 words, filled up to 48.
// CHECK:         memref.alloc() {{.*}} : memref<6152xf32>
// CHECK-LABEL: func.func @mixed
// CHECK:         call @amp_host_product_f16_bf16(
// CHECK:         call @amp_host_product_bf16_f32(

// A row of a tile is 32 steps of one row: a copy where they are neighbours.
// CHECK-LABEL: func.func private @amp_host_pack_rows_bf16
// CHECK:         vector.load {{.*}} : memref<?xbf16>, vector<32xbf16>
// CHECK:         vector.bitcast %{{.+}} : vector<32xi16> to vector<16xf32>

// CHECK-LABEL: func.func private @amp_host_tiles_amx
// CHECK:         amx.tile_load {{.*}} : memref<?xf32> into !amx.tile<16x16xf32>
// CHECK:         scf.for
// CHECK:         amx.tile_load {{.*}} : memref<?xf32> into !amx.tile<16x32xbf16>
// CHECK:         amx.tile_mulf {{.*}} : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
// CHECK:         amx.tile_store {{.*}} : memref<?xf32>, !amx.tile<16x16xf32>

// Each part of A with each part of B, in one pass over the operands and one over the panels.
// CHECK-LABEL: func.func private @amp_host_product_f16_f16
// CHECK:         call @amp_host_pack_f16_amx_parts(
// CHECK:         call @amp_host_pack_rows_f16_parts(
// CHECK:         call @amp_host_tiles_amx_parts(
// CHECK-NOT:     call @amp_host_tiles
// CHECK:         return

// Eight registers are enough: one store for each of C's tiles in the four forms of each
// kernel (1, 2, 2 and 4 tiles, of which branches may share some) says that none went to
// the stack. Four tiles of bf16 take four loads for four products, those of parts ten for
// sixteen: 2 + 3 + 3 + 4 and 4 + 6 + 6 + 10 loads, and 9 of C's tiles in each kernel. The
// CPU is told of its tiles once in each.
// ASM-LABEL: amp_host_tiles_amx:
// ASM:       ldtilecfg
// ASM:       tileloadd
// ASM:       tdpbf16ps
// ASM:       tilerelease
// ASM-LABEL: amp_host_tiles_amx_parts:
// ASM:       ldtilecfg
// ASM:       tdpbf16ps
// ASM:       tilerelease
// PRODUCTS: {{^}}45{{$}}
// STORES: {{^([89]|1[0-8])$}}
// LOADS: {{^}}56{{$}}
// CONFIGURATIONS: {{^}}2{{$}}
