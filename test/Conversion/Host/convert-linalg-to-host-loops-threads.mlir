// Loops that are cut for several threads, and those that are not.
//
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-loops{threads=2 part-work=1000}),canonicalize,cse)" | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-loops))" | FileCheck %s --check-prefix=ONE
// RUN: not amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-loops{threads=0}))" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-loops{part-work=-1}))" 2>&1 | FileCheck %s --check-prefix=WORK

// ONE-NOT: scf.parallel
// THREADS: expected 'threads' to be at least 1, but got 0
// WORK: expected 'part-work' to be at least 1, but got -1

#id2 = affine_map<(a, b) -> (a, b)>

// One loop over 10000 elements, in 8 pieces of whole cache lines; the last one
// ends where the loop does.
// CHECK-LABEL: func.func @elementwise
// CHECK-DAG: %[[PIECES:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[LENGTH:.*]] = arith.constant 1280 : index
// CHECK-DAG: %[[ALL:.*]] = arith.constant 10000 : index
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[PIECES]])
// CHECK:   %[[BEGIN:.*]] = arith.muli %[[I]], %[[LENGTH]]
// CHECK:   %[[SUM:.*]] = arith.addi %[[BEGIN]], %[[LENGTH]]
// CHECK:   %[[END:.*]] = arith.minsi %[[SUM]], %[[ALL]]
// CHECK:   scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
func.func @elementwise(%x: memref<100x100xf32>, %y: memref<100x100xf32>) {
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<100x100xf32>) outs(%y : memref<100x100xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.absf %in : f32
    linalg.yield %0 : f32
  }
  return
}

// Sums of rows: rows are shared, 16 in 8 pieces, a sum is not.
// CHECK-LABEL: func.func @rows
// CHECK-DAG: %[[PIECES:.*]] = arith.constant 8 : index
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%[[PIECES]])
// CHECK:   scf.for
// CHECK:     scf.for {{.*}} iter_args
func.func @rows(%x: memref<16x1000xf32>, %y: memref<16xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<16x1000xf32>) outs(%y : memref<16xf32>) dimensions = [1]
  return
}

// Sums of columns: the loop over rows stands inside each piece of columns.
// CHECK-LABEL: func.func @columns
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[LENGTH:.*]] = arith.constant 128 : index
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK:   %[[BEGIN:.*]] = arith.muli %[[I]], %[[LENGTH]]
// CHECK:   scf.for %{{.*}} to %[[ROWS]]
// CHECK:     scf.for %{{.*}} = %[[BEGIN]] to
func.func @columns(%x: memref<16x1000xf32>, %y: memref<1000xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<16x1000xf32>) outs(%y : memref<1000xf32>) dimensions = [0]
  return
}

// Near misses: one sum has one order, and this is too little.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: scf.parallel
// CHECK-LABEL: func.func @little
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @sum(%x: memref<16x1000xf32>, %y: memref<f32>) {
  linalg.reduce {arith.addf} ins(%x : memref<16x1000xf32>) outs(%y : memref<f32>) dimensions = [0, 1]
  return
}
func.func @little(%x: memref<10x100xf32>, %y: memref<10x100xf32>) {
  linalg.copy ins(%x : memref<10x100xf32>) outs(%y : memref<10x100xf32>)
  return
}

// Near miss: pieces would write the same elements of a diagonal.
// CHECK-LABEL: func.func @diagonals
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @diagonals(%x: memref<100x100xf32>, %y: memref<199xf32>) {
  linalg.generic {indexing_maps = [#id2, affine_map<(a, b) -> (a + b)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<100x100xf32>) outs(%y : memref<199xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}
