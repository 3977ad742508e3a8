// RUN: amp-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(amp-copy-by-elements))' | FileCheck %s

// The copy of a loop on elements is a loop, and its memory in front, also in a branch.
// CHECK-LABEL: func @inside(
// CHECK:       %[[M:.*]] = memref.alloc() : memref<2x4xf32>
// CHECK-NEXT:  scf.for
// CHECK:         scf.if
// CHECK:           scf.for %[[I:.*]] =
// CHECK:             scf.for %[[J:.*]] =
// CHECK-NEXT:          %[[V:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]] : memref<2x4xf32, strided<[8, 1]>>
// CHECK-NEXT:          memref.store %[[V]], %[[M]][%[[I]], %[[J]]]
// CHECK-NOT:   memref.copy
func.func @inside(%x: memref<2x4xf32, strided<[8, 1]>>, %y: memref<4xf32>, %is: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.if %is {
      %m = memref.alloc() : memref<2x4xf32>
      memref.copy %x, %m : memref<2x4xf32, strided<[8, 1]>> to memref<2x4xf32>
      %v = memref.load %m[%c0, %i] : memref<2x4xf32>
      memref.store %v, %y[%i] : memref<4xf32>
    }
  }
  return
}

// -----

// Near misses: a loop that copies alone, one that hands its memory on, one that launches, one of unknown extents, and
// copies outside of loops.
// CHECK-LABEL: func @others(
// CHECK-COUNT-5: memref.copy
func.func @others(%x: memref<4xf32>, %y: memref<4xf32>, %u: memref<?xf32>, %w: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  }
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> memref<4xf32> {
    %m = memref.alloc() : memref<4xf32>
    memref.copy %a, %m : memref<4xf32> to memref<4xf32>
    memref.store %v, %m[%i] : memref<4xf32>
    scf.yield %m : memref<4xf32>
  }
  scf.for %i = %c0 to %c3 step %c1 {
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    memref.store %v, %y[%i] : memref<4xf32>
    func.call @launch(%y) : (memref<4xf32>) -> ()
  }
  scf.for %i = %c0 to %c3 step %c1 {
    memref.copy %u, %w : memref<?xf32> to memref<?xf32>
    memref.store %v, %w[%i] : memref<?xf32>
  }
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}
func.func private @launch(memref<4xf32>)
