// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction="blas=off vector-bits=512" --canonicalize --cse \
// RUN:   | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction="blas=off vector-bits=512 threads=3" --canonicalize \
// RUN:   --cse | FileCheck %s --check-prefix=THREADS

// Tiles of rows: B is packed in front of the loop.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-4: call @amp_host_fill_offsets
// CHECK-NOT:     call @amp_host_fill_offsets
// CHECK:         call @amp_host_pack_kept_f32
// CHECK-NOT:     call @amp_host_pack
// CHECK:         scf.for
// CHECK-NOT:       linalg.fill
// CHECK:           func.call @amp_host_kept_product_f32_f32({{.*}}, %true, %c96, %c0,
// CHECK:         }
// CHECK-COUNT-3: memref.dealloc
// CHECK:         return
// CHECK-LABEL: func.func private @amp_host_kept_product_f32_f32
// CHECK:         call @amp_host_pack_f32
// CHECK:         call @amp_host_tiles
#tile = strided<[70, 1], offset: ?>
func.func @rows(%a: memref<96x70xf32>, %b: memref<70x80xf32>, %c: memref<96x80xf32> {llvm.noalias}) {
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

// Tiles of columns, each of which begins where a panel does; by threads, which share the packing too.
// CHECK-LABEL: func.func @columns
// CHECK:         call @amp_host_pack_kept_f32
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK:             %[[J:.+]] = affine.apply
// CHECK:             call @amp_host_kept_product_f32_f32({{.*}}, %c128, %[[J]],
// THREADS-LABEL: func.func @columns
// THREADS:         scf.parallel
// THREADS:           func.call @amp_host_pack_kept_f32
// THREADS:         scf.parallel
// THREADS:           scf.for
// THREADS-NOT:         scf.parallel
// THREADS:             func.call @amp_host_kept_product_f32_f32
// THREADS:         return
func.func @columns(%a: memref<8x70xf32>, %b: memref<70x128xf32>, %c: memref<8x128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%piece) = (%c0) to (%c2) step (%c1) {
    scf.for %n = %c0 to %c2 step %c1 {
      %j = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1 * 32)>(%piece, %n)
      %bj = memref.subview %b[0, %j] [70, 32] [1, 1] : memref<70x128xf32> to memref<70x32xf32, strided<[128, 1], offset: ?>>
      %cj = memref.subview %c[0, %j] [8, 32] [1, 1] : memref<8x128xf32> to memref<8x32xf32, strided<[128, 1], offset: ?>>
      linalg.matmul ins(%a, %bj : memref<8x70xf32>, memref<70x32xf32, strided<[128, 1], offset: ?>>)
          outs(%cj : memref<8x32xf32, strided<[128, 1], offset: ?>>)
    }
  }
  return
}

// -----

// Columns that begin within a panel, and matrices of a batch: packed where they begin elsewhere
// than before, by each thread.
// CHECK-LABEL: func.func @moving
// CHECK-NOT:     call @amp_host_pack_kept
// CHECK:         %[[PLACE:.+]] = memref.alloc() {{.*}} : memref<1xindex>
// CHECK:         memref.store %c-1, %[[PLACE]][%c0]
// CHECK:         scf.for
// CHECK:           %[[LAST:.+]] = memref.load %[[PLACE]][%c0]
// CHECK:           %[[MOVED:.+]] = arith.cmpi ne, %[[LAST]], %[[NOW:.+]] : index
// CHECK:           memref.store %[[NOW]], %[[PLACE]][%c0]
// CHECK:           scf.if %[[MOVED]] {
// CHECK:             func.call @amp_host_pack_kept_f32
// CHECK:           func.call @amp_host_kept_product_f32_f32
// CHECK-LABEL: func.func @batch
// CHECK-NOT:     call @amp_host_pack_kept
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             func.call @amp_host_pack_kept_f32
func.func @moving(%a: memref<8x70xf32>, %b: memref<70x120xf32>, %c: memref<8x120xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %c120 = arith.constant 120 : index
  scf.for %j = %c0 to %c120 step %c40 {
    %bj = memref.subview %b[0, %j] [70, 40] [1, 1] : memref<70x120xf32> to memref<70x40xf32, strided<[120, 1], offset: ?>>
    %cj = memref.subview %c[0, %j] [8, 40] [1, 1] : memref<8x120xf32> to memref<8x40xf32, strided<[120, 1], offset: ?>>
    linalg.matmul ins(%a, %bj : memref<8x70xf32>, memref<70x40xf32, strided<[120, 1], offset: ?>>)
        outs(%cj : memref<8x40xf32, strided<[120, 1], offset: ?>>)
  }
  return
}
func.func @batch(%a: memref<4x8x16xf32>, %b: memref<4x16x32xf32>, %c: memref<4x8x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %ai = memref.subview %a[%i, 0, 0] [1, 8, 16] [1, 1, 1] : memref<4x8x16xf32> to memref<1x8x16xf32, strided<[128, 16, 1], offset: ?>>
    %bi = memref.subview %b[%i, 0, 0] [1, 16, 32] [1, 1, 1] : memref<4x16x32xf32> to memref<1x16x32xf32, strided<[512, 32, 1], offset: ?>>
    %ci = memref.subview %c[%i, 0, 0] [1, 8, 32] [1, 1, 1] : memref<4x8x32xf32> to memref<1x8x32xf32, strided<[256, 32, 1], offset: ?>>
    linalg.batch_matmul ins(%ai, %bi : memref<1x8x16xf32, strided<[128, 16, 1], offset: ?>>, memref<1x16x32xf32, strided<[512, 32, 1], offset: ?>>)
        outs(%ci : memref<1x8x32xf32, strided<[256, 32, 1], offset: ?>>)
  }
  return
}

// -----

// What the loop writes is packed for each tile.
// CHECK-LABEL: func.func @written
// CHECK:         scf.for
// CHECK:           func.call @amp_host_product_f32_f32
func.func @written(%a: memref<8x8xf32>, %b: memref<8x8xf32> {llvm.noalias}, %c: memref<8x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %one, %b[%i, %i] : memref<8x8xf32>
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

// -----

// B is written through what is no view: a selection, what a loop carries, another order of its
// dimensions. And a view whose pointer moves has the same offset in each tile.
// CHECK-LABEL: func.func @selected
// CHECK-NOT:     call @amp_host_kept_product
// CHECK:         call @amp_host_product_f32_f32
// CHECK-LABEL: func.func @carried
// CHECK-NOT:     call @amp_host_kept_product
// CHECK:         call @amp_host_product_f32_f32
// CHECK-LABEL: func.func @transposed
// CHECK-NOT:     call @amp_host_kept_product
// CHECK:         call @amp_host_product_f32_f32
// CHECK-LABEL: func.func @shifted
// CHECK-NOT:     call @amp_host_kept_product
// CHECK:         call @amp_host_product_f32_f32
func.func @selected(%a: memref<8x8xf32>, %c: memref<8x8xf32> {llvm.noalias}, %which: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %b = memref.alloc() : memref<8x8xf32>
  %other = memref.alloc() : memref<8x8xf32>
  %v = arith.select %which, %b, %other : memref<8x8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
    memref.store %one, %v[%i, %i] : memref<8x8xf32>
  }
  return
}
func.func @carried(%a: memref<8x8xf32>, %c: memref<8x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %b = memref.alloc() : memref<8x8xf32>
  %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%w = %b) -> memref<8x8xf32> {
    scf.for %i = %c0 to %c4 step %c1 {
      linalg.matmul ins(%a, %w : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
      memref.store %one, %b[%i, %i] : memref<8x8xf32>
    }
    scf.yield %w : memref<8x8xf32>
  }
  return
}
func.func @transposed(%a: memref<8x8xf32>, %c: memref<8x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %b = memref.alloc() : memref<8x8xf32>
  %v = memref.transpose %b (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
    memref.store %one, %v[%i, %i] : memref<8x8xf32, strided<[1, 8]>>
  }
  return
}
func.func @shifted(%a: memref<8x8xf32>, %raw: memref<1024xi8>, %c: memref<8x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %shift = arith.muli %i, %c256 : index
    %b = memref.view %raw[%shift][] : memref<1024xi8> to memref<8x8xf32>
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  }
  return
}

// -----

// Tiles of rows in blocks of rows, for each head: B is packed once for all blocks of a head, by the thread that computes it.
// CHECK-LABEL: func.func @blocks_of_tiles
// CHECK:         scf.for
// CHECK:           call @amp_host_pack_kept_f32
// CHECK:           scf.for
// CHECK-NOT:         call @amp_host_pack
// CHECK:             scf.for
// CHECK-NOT:           call @amp_host_pack
// CHECK:               func.call @amp_host_kept_product_f32_f32
// CHECK:         return
// THREADS-LABEL: func.func @blocks_of_tiles
// THREADS:         scf.parallel
// THREADS-NOT:     scf.parallel
// THREADS:           func.call @amp_host_pack_kept_f32
// THREADS-NOT:     scf.parallel
// THREADS:         return
func.func @blocks_of_tiles(%a: memref<4x128x70xf32>, %b: memref<4x70x80xf32>, %c: memref<4x128x80xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  scf.parallel (%piece) = (%c0) to (%c4) step (%c2) {
    scf.for %h = %c0 to %c2 step %c1 {
      %head = arith.addi %piece, %h : index
      %bh = memref.subview %b[%head, 0, 0] [1, 70, 80] [1, 1, 1] : memref<4x70x80xf32> to memref<70x80xf32, strided<[80, 1], offset: ?>>
      scf.for %block = %c0 to %c128 step %c64 {
        scf.for %t = %c0 to %c2 step %c1 {
          %i = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 32)>(%block, %t)
          %ai = memref.subview %a[%head, %i, 0] [1, 32, 70] [1, 1, 1] : memref<4x128x70xf32> to memref<32x70xf32, strided<[70, 1], offset: ?>>
          %ci = memref.subview %c[%head, %i, 0] [1, 32, 32] [1, 1, 1] : memref<4x128x80xf32> to memref<32x32xf32, strided<[80, 1], offset: ?>>
          %bt = memref.subview %bh[0, 0] [70, 32] [1, 1] : memref<70x80xf32, strided<[80, 1], offset: ?>> to memref<70x32xf32, strided<[80, 1], offset: ?>>
          linalg.matmul ins(%ai, %bt : memref<32x70xf32, strided<[70, 1], offset: ?>>, memref<70x32xf32, strided<[80, 1], offset: ?>>)
              outs(%ci : memref<32x32xf32, strided<[80, 1], offset: ?>>)
        }
      }
    }
  }
  return
}
