// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-loops),canonicalize,cse)" --split-input-file | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-loops{threads=2 part-work=1000000000}),canonicalize,cse)" --split-input-file \
// RUN:   | FileCheck %s --check-prefix=THREADS

// Columns are read in blocks of 32 by 32: squares of eight rows are turned in
// registers, what fills none goes by elements, and the innermost loop reads a
// buffer by one. No extent is a multiple of 32, so that blocks end early.

// CHECK-LABEL: func @columns(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: memref<70x40xf32>, %[[Y:[a-z0-9]+]]: memref<40x70xf32>, %[[Z:[a-z0-9]+]]: memref<40x70xf32>
// CHECK-DAG:     %[[SIDE:.+]] = arith.constant 32 : index
// CHECK:         %[[BLOCK:.+]] = memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
// CHECK:         scf.for %[[T0:.+]] = %{{.+}} to %c40 step %[[SIDE]]
// CHECK:           %[[LEFT:.+]] = arith.subi %c40, %[[T0]]
// CHECK:           %[[TS:.+]] = arith.minsi %[[LEFT]], %[[SIDE]]
// CHECK:           scf.for %[[I0:.+]] = %{{.+}} to %c70 step %[[SIDE]]
// CHECK:             arith.minsi
// CHECK:             scf.for %{{.+}} to %{{.+}} step %c8
// CHECK:               scf.for %{{.+}} to %[[TS]] step %c8
// CHECK:                 scf.if
// CHECK-COUNT-8:           vector.load
// CHECK-COUNT-24:          vector.shuffle
// CHECK-COUNT-8:           vector.store %{{.+}}, %[[BLOCK]]
// CHECK:                 } else {
// CHECK:                   memref.store %{{.+}}, %[[BLOCK]]
// CHECK:             scf.for %[[T:.+]] = %{{.+}} to %[[TS]]
// CHECK:               scf.for %[[I:.+]] =
// CHECK-DAG:             memref.load %[[BLOCK]]
// CHECK:                 arith.addf
// CHECK:                 memref.store
func.func @columns(%x: memref<70x40xf32>, %y: memref<40x70xf32>, %z: memref<40x70xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : memref<70x40xf32>, memref<40x70xf32>) outs(%z : memref<40x70xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Halves are turned as bits; whole blocks need no look at their end. The loop
// over images stays outside, and pixels are one loop.

// CHECK-LABEL: func @images(
// CHECK:         %[[BLOCK:.+]] = memref.alloca() {{.*}} : memref<1024xi16>
// CHECK:         scf.for %{{.+}} to %c4 step %c1
// CHECK:           scf.for %{{.+}} to %c64 step %c32
// CHECK-NOT:         arith.minsi
// CHECK:             scf.for %{{.+}} to %c96 step %c32
// CHECK:               vector.shuffle
// CHECK:               %[[BITS:.+]] = memref.load %[[BLOCK]]
// CHECK:               arith.bitcast %[[BITS]] : i16 to bf16
func.func @images(%x: memref<4x96x8x8xbf16>, %y: memref<4x8x8x96xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, c, h, w)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : memref<4x96x8x8xbf16>) outs(%y : memref<4x8x8x96xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %w = arith.extf %a : bf16 to f32
    linalg.yield %w : f32
  }
  return
}

// -----

// Near misses: fewer rows or columns than a square has, other types, an input
// that no loop walks by one, a sum.

// CHECK-LABEL: func @near_misses(
// CHECK-NOT:     memref.alloca
func.func @near_misses(%few: memref<64x7xf32>, %narrow: memref<7x64xf32>, %ints: memref<64x64xi32>,
                       %apart: memref<64x64xf32, strided<[128, 2]>>, %square: memref<64x64xf32>,
                       %a: memref<7x64xf32>, %b: memref<64x7xf32>, %c: memref<64x64xi32>, %d: memref<64x64xf32>,
                       %e: memref<64xf32>) {
  linalg.transpose ins(%few : memref<64x7xf32>) outs(%a : memref<7x64xf32>) permutation = [1, 0]
  linalg.transpose ins(%narrow : memref<7x64xf32>) outs(%b : memref<64x7xf32>) permutation = [1, 0]
  linalg.transpose ins(%ints : memref<64x64xi32>) outs(%c : memref<64x64xi32>) permutation = [1, 0]
  linalg.transpose ins(%apart : memref<64x64xf32, strided<[128, 2]>>) outs(%d : memref<64x64xf32>) permutation = [1, 0]
  linalg.reduce {arith.addf} ins(%square : memref<64x64xf32>) outs(%e : memref<64xf32>) dimensions = [1]
  return
}

// -----

// In a loop over tiles the buffer is outside of the loop, or the stack would
// grow with each.

// CHECK-LABEL: func @tiles(
// CHECK:         memref.alloca()
// CHECK:         scf.for
// CHECK-NOT:       memref.alloca
func.func @tiles(%x: memref<64x320xf32>, %y: memref<320x64xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c320 = arith.constant 320 : index
  scf.for %i = %c0 to %c320 step %c32 {
    %from = memref.subview %x[0, %i] [64, 32] [1, 1] : memref<64x320xf32> to memref<64x32xf32, strided<[320, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [32, 64] [1, 1] : memref<320x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    linalg.transpose ins(%from : memref<64x32xf32, strided<[320, 1], offset: ?>>)
                     outs(%to : memref<32x64xf32, strided<[64, 1], offset: ?>>) permutation = [1, 0]
  }
  return
}

// -----

// Two operations, one buffer. With several threads each call of the outermost
// loop that they share has its own; loops that run in order have none.

// CHECK-LABEL: func @iterations(
// CHECK:         memref.alloca()
// CHECK-NOT:     memref.alloca()
// CHECK:         scf.parallel
// THREADS-LABEL: func @iterations(
// THREADS-NOT:   memref.alloca()
// THREADS:       scf.parallel (%{{.+}}) = (%c0) to (%c10) step (%c1)
// THREADS-NEXT:    memref.alloca()
// THREADS-NOT:     memref.alloca()
// THREADS:         scf.parallel (%{{.+}}) = (%c0) to (%c10) step (%c1)
// THREADS-LABEL: func @in_order(
// THREADS:       memref.alloca()
// THREADS:       scf.parallel
// THREADS-NOT:     memref.alloca()
func.func @iterations(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  scf.parallel (%i) = (%c0) to (%c10) step (%c1) {
    scf.parallel (%j) = (%c0) to (%c10) step (%c1) {
      linalg.transpose ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) permutation = [1, 0]
      linalg.transpose ins(%y : memref<64x64xf32>) outs(%z : memref<64x64xf32>) permutation = [1, 0]
    }
  }
  return
}
func.func @in_order(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  scf.parallel (%i) = (%c1) to (%c10) step (%c1) {
    linalg.transpose ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) permutation = [1, 0]
  }
  return
}
