// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-lower-tile-loops))" | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-lower-tile-loops{threads=2 part-work=1024}))" \
// RUN:   | FileCheck %s --check-prefix=THREADS
// RUN: not amp-opt %s --pass-pipeline="builtin.module(func.func(amp-lower-tile-loops{threads=0}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not amp-opt %s --pass-pipeline="builtin.module(func.func(amp-lower-tile-loops{part-work=0}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PART

// NONE: expected 'threads' to be at least 1, but got 0
// PART: expected 'part-work' to be at least 1, but got 0

// Tiles in order, and what each needs for itself once, in front of them.

// CHECK-LABEL: func @tiles
// CHECK:         %[[TILES:.*]] = arith.constant 32 : index
// CHECK:         %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x512xf32>
// CHECK-NOT:     scf.parallel
// CHECK:         scf.for %[[TILE:.*]] = %{{.*}} to %[[TILES]]
// CHECK:           %[[NUMBERS:.*]]:2 = affine.delinearize_index %[[TILE]] into (16, 2)
// CHECK:           %[[J:.*]] = affine.apply {{.*}}[%[[NUMBERS]]#1]
// CHECK:           memref.subview %arg0[%[[NUMBERS]]#0, %[[J]]] [1, 512] [1, 1]
// CHECK:           outs(%[[SCRATCH]]

// Eight pieces of four tiles, each with its own scratch memory.

// THREADS-LABEL: func @tiles
// THREADS-DAG:     %[[PIECES:.*]] = arith.constant 8 : index
// THREADS-DAG:     %[[LENGTH:.*]] = arith.constant 4 : index
// THREADS:         scf.parallel (%[[PIECE:.*]]) = (%{{.*}}) to (%[[PIECES]])
// THREADS:           %[[BEGIN:.*]] = arith.muli %[[PIECE]], %[[LENGTH]]
// THREADS:           %[[LAST:.*]] = arith.addi %[[BEGIN]], %[[LENGTH]]
// THREADS:           %[[END:.*]] = arith.minui %{{.*}}, %[[LAST]]
// THREADS:           memref.alloca
// THREADS:           scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
func.func @tiles(%x: memref<16x1024xf32>, %y: memref<16x1024xf32>) {
  scf.forall (%i, %j) = (0, 0) to (16, 1024) step (1, 512) {
    %scratch = memref.alloc() {alignment = 64 : i64} : memref<1x512xf32>
    %in = memref.subview %x[%i, %j] [1, 512] [1, 1]
        : memref<16x1024xf32> to memref<1x512xf32, strided<[1024, 1], offset: ?>>
    %out = memref.subview %y[%i, %j] [1, 512] [1, 1]
        : memref<16x1024xf32> to memref<1x512xf32, strided<[1024, 1], offset: ?>>
    linalg.exp ins(%in : memref<1x512xf32, strided<[1024, 1], offset: ?>>) outs(%scratch : memref<1x512xf32>)
    linalg.exp ins(%scratch : memref<1x512xf32>) outs(%out : memref<1x512xf32, strided<[1024, 1], offset: ?>>)
  }
  return
}

// Too little work for a second thread.

// THREADS-LABEL: func @short
// THREADS-NOT:     scf.parallel
// THREADS:         scf.for
func.func @short(%x: memref<4x16xf32>) {
  scf.forall (%i) in (4) {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1]
        : memref<4x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    linalg.exp ins(%row : memref<1x16xf32, strided<[16, 1], offset: ?>>) outs(%row : memref<1x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

// A number of tiles that is known at run time is divided at run time.

// CHECK-LABEL: func @unknown
// CHECK:         scf.for %{{.*}} = %{{.*}} to %arg1
// THREADS-LABEL: func @unknown
// THREADS:         %[[LENGTH:.*]] = arith.ceildivui %arg1, %{{.*}}
// THREADS:         scf.parallel
func.func @unknown(%x: memref<?x512xf32>, %n: index) {
  scf.forall (%i) in (%n) {
    %row = memref.subview %x[%i, 0] [1, 512] [1, 1]
        : memref<?x512xf32> to memref<1x512xf32, strided<[512, 1], offset: ?>>
    linalg.exp ins(%row : memref<1x512xf32, strided<[512, 1], offset: ?>>) outs(%row : memref<1x512xf32, strided<[512, 1], offset: ?>>)
  }
  return
}

// On tensors, it is left alone.

// CHECK-LABEL: func @tensors
// CHECK:         scf.forall
func.func @tensors(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = scf.forall (%i) in (4) shared_outs(%out = %x) -> tensor<4x16xf32> {
    %row = tensor.extract_slice %out[%i, 0] [1, 16] [1, 1] : tensor<4x16xf32> to tensor<1x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %out[%i, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<4x16xf32>
    }
  }
  return %0 : tensor<4x16xf32>
}

// More than a stack should hold is left to who frees buffers.

// CHECK-LABEL: func @large
// CHECK:         memref.alloca() : memref<16xf32>
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for
// CHECK:           memref.alloc() : memref<1048576xf32>
func.func @large(%x: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (4) {
    %large = memref.alloc() : memref<1048576xf32>
    %small = memref.alloc() : memref<16xf32>
    linalg.fill ins(%zero : f32) outs(%large : memref<1048576xf32>)
    linalg.fill ins(%zero : f32) outs(%small : memref<16xf32>)
  }
  return
}

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// Buffers that are not needed at the same time are one: what is written element by element over what
// is read last (%b over %a), and what comes when that is over (%d). Not what is written in another
// order than is read (%c).

// CHECK-LABEL: func @shared
// CHECK-SAME:    (%[[X:.*]]: memref<64x16xf32>)
// CHECK:         %[[FIRST:.*]] = memref.alloca() : memref<16x16xf32>
// CHECK:         %[[SECOND:.*]] = memref.alloca() : memref<16x16xf32>
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for
// CHECK:           linalg.fill ins(%{{.*}}) outs(%[[FIRST]] :
// CHECK:           linalg.generic {{.*}} ins(%[[FIRST]] : memref<16x16xf32>) outs(%[[FIRST]] : memref<16x16xf32>)
// CHECK:           linalg.generic {{.*}} ins(%[[FIRST]] : memref<16x16xf32>) outs(%[[SECOND]] : memref<16x16xf32>)
// CHECK:           linalg.copy ins(%[[SECOND]] : memref<16x16xf32>) outs(%[[FIRST]] : memref<16x16xf32>)
// CHECK:           linalg.copy ins(%[[FIRST]] :
func.func @shared(%x: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (64) step (16) {
    %a = memref.alloc() : memref<16x16xf32>
    %b = memref.alloc() : memref<16x16xf32>
    %c = memref.alloc() : memref<16x16xf32>
    %d = memref.alloc() : memref<16x16xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %y = math.absf %in : f32
      linalg.yield %y : f32
    }
    linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%b : memref<16x16xf32>) outs(%c : memref<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %y = math.absf %in : f32
      linalg.yield %y : f32
    }
    linalg.copy ins(%c : memref<16x16xf32>) outs(%d : memref<16x16xf32>)
    %row = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<64x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
    linalg.copy ins(%d : memref<16x16xf32>) outs(%row : memref<16x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

// Not where a view of it is read, where a body reads where it likes, where the operation reads it
// twice, once in another order, and not of another type.

// CHECK-LABEL: func @view
// CHECK-COUNT-2: memref.alloca()
// CHECK-NOT:     memref.alloca()
// CHECK:         scf.for
func.func @view(%x: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (64) step (16) {
    %a = memref.alloc() : memref<16x16xf32>
    %b = memref.alloc() : memref<16x16xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
    %view = memref.subview %a[0, 0] [16, 16] [1, 1] : memref<16x16xf32> to memref<16x16xf32, strided<[16, 1]>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%view : memref<16x16xf32, strided<[16, 1]>>) outs(%b : memref<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    %row = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<64x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
    linalg.copy ins(%b : memref<16x16xf32>) outs(%row : memref<16x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}
// CHECK-LABEL: func @read_in_body
// CHECK-COUNT-2: memref.alloca()
// CHECK-NOT:     memref.alloca()
// CHECK:         scf.for
func.func @read_in_body(%x: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (64) step (16) {
    %a = memref.alloc() : memref<16x16xf32>
    %b = memref.alloc() : memref<16x16xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = linalg.index 1 : index
      %v = memref.load %a[%n, %n] : memref<16x16xf32>
      %s = arith.addf %in, %v : f32
      linalg.yield %s : f32
    }
    %row = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<64x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
    linalg.copy ins(%b : memref<16x16xf32>) outs(%row : memref<16x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}
// CHECK-LABEL: func @read_twice
// CHECK-COUNT-2: memref.alloca()
// CHECK-NOT:     memref.alloca()
// CHECK:         scf.for
func.func @read_twice(%x: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (64) step (16) {
    %a = memref.alloc() : memref<16x16xf32>
    %b = memref.alloc() : memref<16x16xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
    linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %a : memref<16x16xf32>, memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
    ^bb0(%in: f32, %in1: f32, %out: f32):
      %s = arith.addf %in, %in1 : f32
      linalg.yield %s : f32
    }
    %row = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<64x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
    linalg.copy ins(%b : memref<16x16xf32>) outs(%row : memref<16x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}
// CHECK-LABEL: func @other_type
// CHECK-COUNT-2: memref.alloca()
// CHECK-NOT:     memref.alloca()
// CHECK:         scf.for
func.func @other_type(%x: memref<64x16xi32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (64) step (16) {
    %a = memref.alloc() : memref<16x16xf32>
    %b = memref.alloc() : memref<16x16xi32>
    linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xi32>) {
    ^bb0(%in: f32, %out: i32):
      %n = arith.fptosi %in : f32 to i32
      linalg.yield %n : i32
    }
    %row = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<64x16xi32> to memref<16x16xi32, strided<[16, 1], offset: ?>>
    linalg.copy ins(%b : memref<16x16xi32>) outs(%row : memref<16x16xi32, strided<[16, 1], offset: ?>>)
  }
  return
}

// What loops inside of a tile need in each iteration is on the stack once for each piece, and not in a loop, where the stack
// would grow; two loops that follow each other share it.
// CHECK-LABEL: func.func @loops_in_tiles
// CHECK:         memref.alloca() : memref<32xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:             scf.for
// CHECK:         return
func.func @loops_in_tiles(%x: memref<4x8x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%i) in (4) {
    scf.for %j = %c0 to %c8 step %c1 {
      scf.forall (%k) in (2) {
        %a = memref.alloc() : memref<32xf32>
        %row = memref.subview %x[%i, %j, 0] [1, 1, 32] [1, 1, 1] : memref<4x8x32xf32> to memref<32xf32, strided<[1], offset: ?>>
        memref.copy %row, %a : memref<32xf32, strided<[1], offset: ?>> to memref<32xf32>
        memref.copy %a, %row : memref<32xf32> to memref<32xf32, strided<[1], offset: ?>>
      }
      scf.forall (%k) in (2) {
        %a = memref.alloc() : memref<32xf32>
        %row = memref.subview %x[%i, %j, 0] [1, 1, 32] [1, 1, 1] : memref<4x8x32xf32> to memref<32xf32, strided<[1], offset: ?>>
        memref.copy %row, %a : memref<32xf32, strided<[1], offset: ?>> to memref<32xf32>
        memref.copy %a, %row : memref<32xf32> to memref<32xf32, strided<[1], offset: ?>>
      }
    }
  }
  return
}

// Near miss: an iteration hands its buffer on.
// CHECK-LABEL: func.func @handed_on
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             memref.alloc() : memref<32xf32>
// CHECK:         return
func.func @handed_on(%x: memref<4x8x32xf32>, %first: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%i) in (4) {
    %last = scf.for %j = %c0 to %c8 step %c1 iter_args(%before = %first) -> (memref<32xf32>) {
      %a = memref.alloc() : memref<32xf32>
      memref.copy %before, %a : memref<32xf32> to memref<32xf32>
      scf.yield %a : memref<32xf32>
    }
    %row = memref.subview %x[%i, 0, 0] [1, 1, 32] [1, 1, 1] : memref<4x8x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    memref.copy %last, %row : memref<32xf32> to memref<32xf32, strided<[1], offset: ?>>
  }
  return
}
