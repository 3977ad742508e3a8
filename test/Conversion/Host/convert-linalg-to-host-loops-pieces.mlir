// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-loops{threads=2 part-work=1000}),canonicalize,cse)" | FileCheck %s

// What runs in pieces already is not cut again.
// CHECK-LABEL: func.func @inPieces
// CHECK:         scf.parallel
// CHECK-NOT:     scf.parallel
// CHECK:         return
func.func @inPieces(%x: memref<8x4096xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %row = memref.subview %x[%i, 0] [1, 4096] [1, 1] : memref<8x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
    linalg.fill ins(%v : f32) outs(%row : memref<1x4096xf32, strided<[4096, 1], offset: ?>>)
  }
  return
}
