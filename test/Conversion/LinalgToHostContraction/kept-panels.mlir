// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction=blas=off --canonicalize --cse | FileCheck %s

// Tables in front of the loop; panels are packed where a part begins elsewhere than before.
// CHECK-LABEL: func.func @tiled
// CHECK-COUNT-3: call @amp_host_fill_offsets
// CHECK:         %[[PLACES:.+]] = memref.alloc() {{.*}} : memref<2xindex>
// CHECK:         memref.store %c-1, %[[PLACES]][%c0]
// CHECK:         memref.store %c-1, %[[PLACES]][%c1]
// CHECK:         scf.for
// CHECK-NOT:       linalg.fill
// CHECK:           %[[A:.+]] = memref.load %[[PLACES]][%c0]
// CHECK:           %[[A_MOVED:.+]] = arith.cmpi ne, %[[A]], %[[A_NOW:.+]] : index
// CHECK:           memref.store %[[A_NOW]], %[[PLACES]][%c0]
// CHECK:           %[[B:.+]] = memref.load %[[PLACES]][%c1]
// CHECK:           %[[B_MOVED:.+]] = arith.cmpi ne, %[[B]], %[[B_NOW:.+]] : index
// CHECK:           memref.store %[[B_NOW]], %[[PLACES]][%c1]
// CHECK:           func.call @amp_host_kept_product_f32_f32({{.*}}, %true, %[[A_MOVED]], %[[B_MOVED]])
// CHECK:         }
// CHECK-COUNT-3: memref.dealloc
// CHECK:         return
// CHECK-LABEL: func.func private @amp_host_kept_product_f32_f32
// CHECK:         scf.if
// CHECK:           call @amp_host_pack_f32
// CHECK:         scf.if
// CHECK:           call @amp_host_pack_f32
// CHECK:         call @amp_host_tiles
#tile = strided<[70, 1], offset: ?>
func.func @tiled(%a: memref<96x70xf32>, %b: memref<70x80xf32>, %c: memref<96x80xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c96 = arith.constant 96 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c96 step %c32 {
    %ai = memref.subview %a[%i, 0] [32, 70] [1, 1] : memref<96x70xf32> to memref<32x70xf32, #tile>
    %ci = memref.subview %c[%i, 0] [32, 80] [1, 1] : memref<96x80xf32> to memref<32x80xf32, strided<[80, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%ci : memref<32x80xf32, strided<[80, 1], offset: ?>>)
    linalg.matmul ins(%ai, %b : memref<32x70xf32, #tile>, memref<70x80xf32>)
        outs(%ci : memref<32x80xf32, strided<[80, 1], offset: ?>>)
  }
  return
}

// -----

// What the loop writes is packed for each tile: A is, before the product. B is kept.
// CHECK-LABEL: func.func @written
// CHECK:         %[[PLACES:.+]] = memref.alloc() {{.*}} : memref<2xindex>
// CHECK:         scf.for
// CHECK-NOT:       memref.load %[[PLACES]][%c0]
// CHECK:           memref.load %[[PLACES]][%c1]
// CHECK:           func.call @amp_host_kept_product_f32_f32({{.*}}, %false, %true, %{{[^t]+}})
func.func @written(%a: memref<8x8xf32> {llvm.noalias}, %b: memref<8x8xf32>, %c: memref<8x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %one, %a[%i, %i] : memref<8x8xf32>
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  }
  return
}

// -----

// Arguments may overlap, unless they say that they do not.
// CHECK-LABEL: func.func @overlapping
// CHECK:         scf.for
// CHECK:           func.call @amp_host_product_f32_f32
func.func @overlapping(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  }
  return
}

// -----

// Nobody knows what a call writes.
// CHECK-LABEL: func.func @calling
// CHECK:         scf.for
// CHECK:           func.call @amp_host_product_f32_f32
func.func private @unknown()
func.func @calling(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    func.call @unknown() : () -> ()
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  }
  return
}

// -----

// Sizes that are not known, and more than one product in a batch.
// CHECK-LABEL: func.func @unknown_sizes
// CHECK:         scf.for
// CHECK:           func.call @amp_host_product_f32_f32
// CHECK:           func.call @amp_host_product_f32_f32
func.func @unknown_sizes(%a: memref<?x8xf32>, %b: memref<8x8xf32>, %c: memref<?x8xf32> {llvm.noalias},
                         %x: memref<2x8x8xf32>, %y: memref<2x8x8xf32>, %z: memref<2x8x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.matmul ins(%a, %b : memref<?x8xf32>, memref<8x8xf32>) outs(%c : memref<?x8xf32>)
    linalg.batch_matmul ins(%x, %y : memref<2x8x8xf32>, memref<2x8x8xf32>) outs(%z : memref<2x8x8xf32>)
  }
  return
}

// -----

// More than 16 MiB of panels.
// CHECK-LABEL: func.func @large
// CHECK:         scf.for
// CHECK:           func.call @amp_host_product_f32_f32
func.func @large(%a: memref<8x4096xf32>, %b: memref<4096x2048xf32>, %c: memref<8x2048xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.matmul ins(%a, %b : memref<8x4096xf32>, memref<4096x2048xf32>) outs(%c : memref<8x2048xf32>)
  }
  return
}
