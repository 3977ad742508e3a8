// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=256" --canonicalize --cse | FileCheck %s

func.func @matmul(%a: memref<32x512xf16>, %b: memref<2048x512xf16>, %c: memref<32x2048xf32>) {
  linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<32x512xf16>, memref<2048x512xf16>) outs(%c : memref<32x2048xf32>)
  return
}

// Of a product whose rows of A are one block, A is packed once for each block of the sum, and B in narrow blocks that
// are multiplied before the next one is packed; others as for many rows.
// CHECK-LABEL: func.func private @amp_host_product_f16_f16
// CHECK:         arith.cmpi sle, %arg[[M:[0-9]+]], %c192
// CHECK:         scf.if
// CHECK-NEXT:      scf.for {{.*}} = %c0 to %arg15 step
// CHECK-NOT:         scf.for
// CHECK:             call @amp_host_pack_f16(%arg0, {{.*}}, %c6)
// CHECK:             scf.for {{.*}} = %c0 to %arg14 step %c64
// CHECK:               call @amp_host_pack_f16(%arg2, {{.*}}, %c16)
// CHECK-NOT:           amp_host_pack
// CHECK:               call @amp_host_tiles(
// CHECK:         } else {
// CHECK-NEXT:      scf.for {{.*}} = %c0 to %arg14 step %c1024
// CHECK:             scf.for {{.*}} = %c0 to %arg15 step
// CHECK:               call @amp_host_pack_f16(%arg2, {{.*}}, %c16)
// CHECK:               scf.for {{.*}} = %c0 to %arg[[M]] step %c192
// CHECK:                 call @amp_host_pack_f16(%arg0, {{.*}}, %c6)
// CHECK:                 call @amp_host_tiles(

// Squares below each other, to the end of a block, before those beside them.
// CHECK-LABEL: func.func private @amp_host_pack_f16
// CHECK:         vector.load {{.*}} : memref<?xf16>, vector<32xf16>
// CHECK:         } else {
// CHECK:           scf.for
// CHECK-COUNT-4:     scf.for {{.*}} step %c8
