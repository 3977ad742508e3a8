// RUN: amp-opt %s --split-input-file --amp-count-kernel-traffic | FileCheck %s

// In kernels: a copy (read and written, 4 KiB each); a sum that reads what it adds to
// (8 KiB and 2 KiB twice), three times; and tiles that read what they wrote (4 KiB read,
// 4 and 4 written), and 64 elements of a table by index: 8192 + 3 * 12288 + 12288 + 256.
// Of branches the one counts that moves most, the copy and the gather (8192 + 256) and not
// the smaller one or both.

// CHECK: module attributes {amp.kernel_traffic = 66048 : i64}

#ij = affine_map<(i, j) -> (i, j)>
func.func private @copy(%x: memref<32x32xf32>, %y: memref<32x32xf32>) {
  memref.copy %x, %y : memref<32x32xf32> to memref<32x32xf32>
  return
}
func.func private @sum(%x: memref<4x512xf32>, %y: memref<512xf32>) {
  linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<4x512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}
func.func private @tiles(%x: memref<32x32xf32>, %y: memref<32x32xf32>, %z: memref<32x32xf32>) {
  scf.forall (%i) = (0) to (32) step (8) {
    %scratch = memref.alloc() : memref<8x32xf32>
    %xi = memref.subview %x[%i, 0] [8, 32] [1, 1] : memref<32x32xf32> to memref<8x32xf32, strided<[32, 1], offset: ?>>
    %yi = memref.subview %y[%i, 0] [8, 32] [1, 1] : memref<32x32xf32> to memref<8x32xf32, strided<[32, 1], offset: ?>>
    %zi = memref.subview %z[%i, 0] [8, 32] [1, 1] : memref<32x32xf32> to memref<8x32xf32, strided<[32, 1], offset: ?>>
    linalg.exp ins(%xi : memref<8x32xf32, strided<[32, 1], offset: ?>>) outs(%yi : memref<8x32xf32, strided<[32, 1], offset: ?>>)
    linalg.exp ins(%yi : memref<8x32xf32, strided<[32, 1], offset: ?>>) outs(%scratch : memref<8x32xf32>)
    linalg.exp ins(%scratch : memref<8x32xf32>) outs(%zi : memref<8x32xf32, strided<[32, 1], offset: ?>>)
  }
  return
}
func.func private @gather(%table: memref<1000x64xf32>, %row: index) {
  %out = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%out : memref<64xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %0 = memref.load %table[%row, %i] : memref<1000x64xf32>
    linalg.yield %0 : f32
  }
  return
}
func.func @step(%x: memref<32x32xf32>, %y: memref<32x32xf32>, %z: memref<32x32xf32>, %a: memref<4x512xf32>,
                %b: memref<512xf32>, %table: memref<1000x64xf32>, %skipped: i1)
    attributes {amp.signature = {kind = "train_step", arguments = [], results = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  call @copy(%x, %y) : (memref<32x32xf32>, memref<32x32xf32>) -> ()
  scf.for %i = %c0 to %c3 step %c1 {
    func.call @sum(%a, %b) : (memref<4x512xf32>, memref<512xf32>) -> ()
  }
  call @tiles(%x, %y, %z) : (memref<32x32xf32>, memref<32x32xf32>, memref<32x32xf32>) -> ()
  call @gather(%table, %c3) : (memref<1000x64xf32>, index) -> ()
  scf.if %skipped {
    func.call @gather(%table, %c3) : (memref<1000x64xf32>, index) -> ()
  } else {
    func.call @copy(%x, %y) : (memref<32x32xf32>, memref<32x32xf32>) -> ()
    func.call @gather(%table, %c3) : (memref<1000x64xf32>, index) -> ()
  }
  return
}

// -----

// CHECK-NOT: amp.kernel_traffic
func.func @other(%x: memref<32x32xf32>) attributes {amp.signature = {kind = "other", arguments = [], results = []}} {
  return
}
