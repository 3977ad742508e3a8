// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=256" --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=512" --canonicalize --cse -o %t.wide.mlir
// RUN: FileCheck %s --check-prefix=WIDE < %t.wide.mlir
// RUN: amp-opt %t.mlir --pass-pipeline="builtin.module(%to_llvm)" | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -O2 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 | llc -O2 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 \
// RUN:   | FileCheck %s --check-prefix=ASM
// RUN: amp-opt %t.wide.mlir --pass-pipeline="builtin.module(%to_llvm)" | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -O2 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | llc -O2 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 \
// RUN:   | FileCheck %s --check-prefix=WIDE-ASM

func.func @matmul(%a: memref<64x256xf32>, %b: memref<256x32xf32>, %c: memref<64x32xf32>) {
  linalg.matmul ins(%a, %b : memref<64x256xf32>, memref<256x32xf32>) outs(%c : memref<64x32xf32>)
  return
}

// Of at most 128 columns, rows of A whose steps of the sum are neighbours are not packed: asked for each block of
// the sum, with the offsets that the tables have.
// CHECK-LABEL: func.func private @amp_host_product_f32_f32
// CHECK:         scf.for %[[L:.+]] = %c0 to %{{.+}} step %{{.+}} {
// CHECK:           %[[FEW:.+]] = arith.cmpi sle, %{{.+}}, %c128
// CHECK:           %[[ROWS:.+]] = scf.if %[[FEW]] -> (i1) {
// CHECK:             %[[BEGIN:.+]] = memref.load
// CHECK:             scf.for %[[I:.+]] = %c1
// CHECK:               %[[AT:.+]] = memref.load
// CHECK:               %[[NEXT:.+]] = arith.addi %[[BEGIN]], %[[I]]
// CHECK:               arith.cmpi eq, %[[AT]], %[[NEXT]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %false
// CHECK:           scf.if %[[ROWS]] {
// CHECK-NOT:         amp_host_pack_f32(%arg0
// CHECK:             call @amp_host_tiles_of_rows
// CHECK:           } else {
// CHECK:             call @amp_host_pack_f32(%arg0
// CHECK:             call @amp_host_tiles(
// Where A has more rows than a block, for each block of them.
// CHECK:         } else {
// CHECK:           call @amp_host_pack_f32(%arg2
// CHECK:           arith.cmpi sle, %{{.+}}, %c128
// CHECK-NOT:       amp_host_pack_f32
// CHECK:           call @amp_host_tiles_of_rows
// CHECK:           call @amp_host_pack_f32(%arg0
// CHECK:           call @amp_host_tiles(

// Six rows begin where a table says; those behind the last one are the last one.
// CHECK-LABEL: func.func private @amp_host_tiles_of_rows
// CHECK-SAME:    %[[TABLE:[^ ]+]]: index)
// CHECK-COUNT-6: arith.minsi

// Of wide vectors eight.
// WIDE-LABEL: func.func private @amp_host_tiles_of_rows
// WIDE-COUNT-8: arith.minsi

// Products of halves, whose rows are no words: rows-of-halves.mlir.

// Scalars from six rows, by one counter.
// ASM-LABEL: amp_host_tiles_of_rows:
// ASM-COUNT-6: vbroadcastss (%r{{[a-z0-9]+}},%r{{[a-z0-9]+}}{{(,4)?}}), %ymm
// ASM-LABEL: amp_host_tiles:
// WIDE-ASM-LABEL: amp_host_tiles_of_rows:
// WIDE-ASM-COUNT-8: vbroadcastss (%r{{[a-z0-9]+}},%r{{[a-z0-9]+}}{{(,4)?}}), %zmm
// WIDE-ASM-LABEL: amp_host_tiles:
