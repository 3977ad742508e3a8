// RUN: amp-opt %s --convert-linalg-to-host-contraction=reference=true | FileCheck %s

// The oracle for all other lowerings: contractions stay for plain loops.
// CHECK-LABEL: @matmul
// CHECK:         linalg.matmul
// CHECK-NOT:   @amp
func.func @matmul(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>)
  return
}
