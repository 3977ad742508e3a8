// RUN: amp-opt %s --amp-profile-kernels | FileCheck %s

// Tiles of a group: what they are of, and how many operations all of them make:
// 64 x 512 additions and as many exponentials. Buffers count once, scratch memory
// does not.

// CHECK: {bytes = 262144 : i64, name = "amp_kernel_0", operations = 65536 : i64, source = "{{.*}}", what = "tiles 64 by 4, 2 operations: exp addf"}
// CHECK-SAME: {bytes = -1 : i64, name = "amp_kernel_1", operations = -1 : i64, source = "{{.*}}", what = "tiles ? by 1, 1 operations: exp"}

func.func @step(%x: memref<64x512xf32>, %y: memref<64x512xf32>, %z: memref<?x512xf32>, %n: index) {
  call @amp_kernel_0(%x, %y) : (memref<64x512xf32>, memref<64x512xf32>) -> ()
  call @amp_kernel_1(%z, %n) : (memref<?x512xf32>, index) -> ()
  return
}
func.func private @amp_kernel_0(%x: memref<64x512xf32>, %y: memref<64x512xf32>) {
  scf.forall (%i) = (0) to (64) step (4) {
    %scratch = memref.alloc() : memref<4x512xf32>
    %in = memref.subview %x[%i, 0] [4, 512] [1, 1]
        : memref<64x512xf32> to memref<4x512xf32, strided<[512, 1], offset: ?>>
    %out = memref.subview %y[%i, 0] [4, 512] [1, 1]
        : memref<64x512xf32> to memref<4x512xf32, strided<[512, 1], offset: ?>>
    linalg.exp ins(%in : memref<4x512xf32, strided<[512, 1], offset: ?>>) outs(%scratch : memref<4x512xf32>)
    linalg.add ins(%scratch, %in : memref<4x512xf32>, memref<4x512xf32, strided<[512, 1], offset: ?>>)
               outs(%out : memref<4x512xf32, strided<[512, 1], offset: ?>>)
  }
  return
}
func.func private @amp_kernel_1(%x: memref<?x512xf32>, %n: index) {
  scf.forall (%i) in (%n) {
    %row = memref.subview %x[%i, 0] [1, 512] [1, 1]
        : memref<?x512xf32> to memref<1x512xf32, strided<[512, 1], offset: ?>>
    linalg.exp ins(%row : memref<1x512xf32, strided<[512, 1], offset: ?>>)
               outs(%row : memref<1x512xf32, strided<[512, 1], offset: ?>>)
  }
  return
}
