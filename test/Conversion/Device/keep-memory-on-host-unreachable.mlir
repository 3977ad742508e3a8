// In a block that nothing reaches, casts may be made of themselves: they are not followed for ever.
// RUN: amp-opt %s --amp-keep-memory-on-host --amp-verify-device-lowering | FileCheck %s

// CHECK-LABEL: func @casts(
// CHECK-NOT:   memref.alloca
// CHECK:       call @helper
func.func @casts(%x: memref<4xf32>, %i: index) -> f32 {
  %v = memref.load %x[%i] : memref<4xf32>
  return %v : f32
^bb1:
  %a = memref.cast %b : memref<?xf32> to memref<4xf32>
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  %w = memref.load %a[%i] : memref<4xf32>
  func.call @helper(%b) : (memref<?xf32>) -> ()
  return %w : f32
}
func.func private @helper(%to: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %to[%c0] : memref<?xf32>
  return
}
