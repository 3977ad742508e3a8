// Products are divided among threads where that costs least.
//
// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off threads=2 vector-bits=256" \
// RUN:   --canonicalize --cse | FileCheck %s
// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=256" | FileCheck %s --check-prefix=ONE
// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas-min-work=1 blas-min-copied-work=1 threads=2" \
// RUN:   | FileCheck %s --check-prefix=BLAS

// ONE-NOT: scf.parallel
// A library has threads of its own.
// BLAS-LABEL: func.func @columns(
// BLAS-NOT: scf.parallel
// BLAS-LABEL: func.func @dynamic(
// BLAS: scf.if
// BLAS: scf.parallel

// Columns, the longer side, in panels of 16: twice as many parts as threads where
// each is still wide.
// CHECK-LABEL: func.func @columns(
// CHECK-DAG: %[[PARTS:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[LENGTH:.*]] = arith.constant 256 : index
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[PARTS]])
// CHECK:   arith.muli %[[I]], %[[LENGTH]]
// CHECK:   memref.alloc()
// CHECK:   call @amp_host_product_f32_f32
// CHECK:   memref.dealloc
// CHECK:   scf.reduce
func.func @columns(%a: memref<64x256xf32>, %b: memref<256x1024xf32>, %c: memref<64x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<64x256xf32>, memref<256x1024xf32>) outs(%c : memref<64x1024xf32>)
  return
}

// Rows, in panels of 6: 260 of them are 2 times 132.
// CHECK-LABEL: func.func @rows(
// CHECK-DAG: %[[PARTS:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[LENGTH:.*]] = arith.constant 132 : index
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[PARTS]])
// CHECK:   arith.muli %[[I]], %[[LENGTH]]
func.func @rows(%a: memref<260x256xf32>, %b: memref<256x64xf32>, %c: memref<260x64xf32>) {
  linalg.matmul ins(%a, %b : memref<260x256xf32>, memref<256x64xf32>) outs(%c : memref<260x64xf32>)
  return
}

// The batch: its parts pack nothing twice.
// CHECK-LABEL: func.func @batch(
// CHECK-DAG: %[[PARTS:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[LENGTH:.*]] = arith.constant 4 : index
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[PARTS]])
// CHECK:   scf.for %{{.*}} = %{{.*}} to %
// CHECK:     call @amp_host_product_f32_f32
func.func @batch(%a: memref<32x64x64xf32>, %b: memref<32x64x64xf32>, %c: memref<32x64x64xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<32x64x64xf32>, memref<32x64x64xf32>) outs(%c : memref<32x64x64xf32>)
  return
}

// What is unknown counts as long.
// CHECK-LABEL: func.func @dynamic(
// CHECK: scf.parallel
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// Near miss: not worth a thread.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @small(%a: memref<64x64xf32>, %b: memref<64x256xf32>, %c: memref<64x256xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x256xf32>) outs(%c : memref<64x256xf32>)
  return
}
