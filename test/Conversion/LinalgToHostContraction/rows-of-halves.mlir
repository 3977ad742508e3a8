// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=256" | FileCheck %s

// CHECK-LABEL: func.func @matmul
// CHECK-NOT:   tiles_of_rows
func.func @matmul(%a: memref<64x256xf16>, %b: memref<256x32xf32>, %c: memref<64x32xf32>) {
  linalg.matmul ins(%a, %b : memref<64x256xf16>, memref<256x32xf32>) outs(%c : memref<64x32xf32>)
  return
}
