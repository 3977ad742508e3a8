// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=graniterapids" --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: amp-opt %t.mlir --pass-pipeline="builtin.module(%amx_to_llvm)" | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -O2 -mtriple=x86_64-linux-gnu -mcpu=graniterapids | llc -O2 -mtriple=x86_64-linux-gnu -mcpu=graniterapids -o %t.s
// RUN: FileCheck %s --check-prefix=ASM < %t.s
// RUN: grep -c tilestored %t.s | FileCheck %s --check-prefix=STORES

// Near misses: a CPU whose tiles know bf16 alone, and where f16 is asked for as parts or not in tiles.
// DEFINE: %{none} = FileCheck %s --check-prefix=NONE --implicit-check-not=16x32xf16
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=sapphirerapids" | %{none}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=graniterapids f16=amx-parts" | %{none}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=graniterapids f16=widened" | %{none}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=graniterapids vector-bits=256" | %{none}
// NONE: call @amp_host_product_f16_f16

func.func @f16(%a: memref<32x70xf16>, %b: memref<70x32xf16>, %c: memref<32x32xf32>) {
  linalg.matmul ins(%a, %b : memref<32x70xf16>, memref<70x32xf16>) outs(%c : memref<32x32xf32>)
  return
}
func.func @bf16(%a: memref<32x70xbf16>, %b: memref<70x32xbf16>, %c: memref<32x32xf32>) {
  linalg.matmul ins(%a, %b : memref<32x70xbf16>, memref<70x32xbf16>) outs(%c : memref<32x32xf32>)
  return
}
// Of two types: panels of f32.
func.func @mixed(%a: memref<32x64xf16>, %b: memref<64x32xbf16>, %c: memref<32x32xf32>) {
  linalg.matmul ins(%a, %b : memref<32x64xf16>, memref<64x32xbf16>) outs(%c : memref<32x32xf32>)
  return
}

// One panel of each operand, 32 wide: 70 steps are 35 words, filled up to 48.
// CHECK-LABEL: func.func @f16
// CHECK:         memref.alloc() {{.*}} : memref<3080xf32>
// CHECK:         call @amp_host_product_f16_f16(
// CHECK-LABEL: func.func @bf16
// CHECK:         call @amp_host_product_bf16_bf16(
// CHECK-LABEL: func.func @mixed
// CHECK:         call @amp_host_product_f16_bf16(

// CHECK-LABEL: func.func private @amp_host_product_f16_f16
// CHECK:         call @amp_host_pack_f16_amx(
// CHECK:         call @amp_host_pack_rows_f16(
// CHECK:         call @amp_host_tiles_amx_f16(

// The bits of f16 are packed as they are.
// CHECK-LABEL: func.func private @amp_host_pack_rows_f16(
// CHECK-NOT:     arith.extf
// CHECK:         return

// CHECK-LABEL: func.func private @amp_host_tiles_amx_f16(
// CHECK:         amx.tile_load {{.*}} : memref<?xf32> into !amx.tile<16x32xf16>
// CHECK:         amx.tile_mulf {{.*}} : !amx.tile<16x32xf16>, !amx.tile<16x32xf16>, !amx.tile<16x16xf32>
// CHECK-LABEL: func.func private @amp_host_tiles_amx(
// CHECK:         amx.tile_mulf {{.*}} : !amx.tile<16x32xbf16>

// Eight registers are enough for each (see kernels-amx.mlir).
// ASM-LABEL: amp_host_tiles_amx_f16:
// ASM:       tdpfp16ps
// ASM-NOT:   tdpbf16ps
// ASM:       tilerelease
// ASM-LABEL: amp_host_tiles_amx:
// ASM-NOT:   tdpfp16ps
// ASM:       tdpbf16ps
// STORES: {{^([89]|1[0-8])$}}
