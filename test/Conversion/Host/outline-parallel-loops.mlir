// RUN: amp-opt %s --amp-outline-parallel-loops | FileCheck %s

// A part is called as what was divided. It is the body with what it uses: constants
// are cloned, and an argument that nothing overlaps stays one.
// CHECK-LABEL: func.func @fill(
// CHECK-SAME: %[[X:.*]]: memref<8x4xf32> {llvm.noalias}, %[[V:.*]]: f32)
// CHECK: %[[C8:.*]] = arith.constant 8 : index
// CHECK: call @fill_part(%[[C8]], %[[V]], %[[X]]) {amp.parallel} : (index, f32, memref<8x4xf32>) -> ()
// CHECK-NOT: scf.parallel
func.func @fill(%x: memref<8x4xf32> {llvm.noalias}, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    scf.for %j = %c0 to %c4 step %c1 {
      memref.store %v, %x[%i, %j] : memref<8x4xf32>
    }
  }
  return
}

// Two loops, one inside another: the inner one is the upstream conversion's.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK: call @two_part(%[[N]], %{{.*}}, %[[X]]) {amp.parallel}
// CHECK: call @two_part_0(%[[N]], %{{.*}}, %[[X]], %[[N]]) {amp.parallel}
func.func @two(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%c0] : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %v, %x[%j] : memref<?xf32>
    }
  }
  return
}

// Near misses: two dimensions, another start, a step, a reduction.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: scf.parallel
// CHECK: return
func.func @others(%x: memref<?xf32>, %n: index, %start: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %start, %x[%i] : memref<?xf32>
  }
  scf.parallel (%i) = (%c1) to (%n) step (%c1) {
    memref.store %start, %x[%i] : memref<?xf32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c2) {
    memref.store %start, %x[%i] : memref<?xf32>
  }
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%start) -> f32 {
    %v = memref.load %x[%i] : memref<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      scf.reduce.return %0 : f32
    }
  }
  return %sum : f32
}

// Memrefs that are known by their address are passed by it.
// CHECK: func.func private @fill_part(%[[I:.*]]: index, %[[V:.*]]: f32, %[[X:.*]]: memref<8x4xf32> {llvm.noalias})
// CHECK-SAME: llvm.bareptr
// CHECK: arith.constant 4 : index
// CHECK: scf.for %[[J:.*]] =
// CHECK: memref.store %[[V]], %[[X]][%[[I]], %[[J]]]
// CHECK: func.func private @two_part(%{{.*}}: index, %{{.*}}: f32, %{{.*}}: memref<?xf32>)
// CHECK-NOT: llvm.bareptr
// CHECK: func.func private @two_part_0
// CHECK: scf.parallel
