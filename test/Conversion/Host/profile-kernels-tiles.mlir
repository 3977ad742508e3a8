// RUN: amp-opt %s --amp-profile-kernels | FileCheck %s

// Tiles of a group: what they are of, and how many operations all of them make:
// 64 x 512 additions and as many exponentials. Buffers count once, scratch memory
// does not.

// CHECK: {bytes = 262144 : i64, name = "amp_kernel_0", operations = 65536 : i64, source = "{{.*}}", what = "tiles 64 by 4, 2 operations: exp addf"}
// CHECK-SAME: {bytes = -1 : i64, name = "amp_kernel_1", operations = -1 : i64, source = "{{.*}}", what = "tiles ? by 1, 1 operations: exp"}
// With a product, what a tile multiplies; the fill that it starts from is no operation.
// CHECK-SAME: {bytes = 57344 : i64, name = "amp_kernel_2", operations = 1056768 : i64, source = "{{.*}}", what = "product 32x64x64 bf16 bf16 in tiles 128 by 32, 1 operations: exp"}
// With several, each of them.
// CHECK-SAME: {bytes = 65536 : i64, name = "amp_kernel_3", operations = 2097152 : i64, source = "{{.*}}", what = "product 32x64x64 bf16 bf16, product 32x64x64 f32 bf16 in tiles 128 by 32, 0 operations"}
// With loops in a tile, what all of their iterations do: 64 x 512 exponentials in 64 tiles of 8 times 64.
// CHECK-SAME: {bytes = 131072 : i64, name = "amp_kernel_4", operations = 32768 : i64, source = "{{.*}}", what = "tiles 64 by 1, 1 operations: exp"}

func.func @step(%x: memref<64x512xf32>, %y: memref<64x512xf32>, %z: memref<?x512xf32>, %n: index,
                %a: memref<128x64xbf16>, %b: memref<64x64xbf16>, %b2: memref<64x64xbf16>, %c: memref<128x64xf32>) {
  call @amp_kernel_0(%x, %y) : (memref<64x512xf32>, memref<64x512xf32>) -> ()
  call @amp_kernel_1(%z, %n) : (memref<?x512xf32>, index) -> ()
  call @amp_kernel_2(%a, %b, %c) : (memref<128x64xbf16>, memref<64x64xbf16>, memref<128x64xf32>) -> ()
  call @amp_kernel_3(%a, %b, %b2, %c) : (memref<128x64xbf16>, memref<64x64xbf16>, memref<64x64xbf16>, memref<128x64xf32>) -> ()
  call @amp_kernel_4(%x) : (memref<64x512xf32>) -> ()
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
func.func private @amp_kernel_2(%a: memref<128x64xbf16>, %b: memref<64x64xbf16>, %c: memref<128x64xf32>) {
  scf.forall (%i) = (0) to (128) step (32) {
    %zero = arith.constant 0.0 : f32
    %scratch = memref.alloc() : memref<32x64xf32>
    %in = memref.subview %a[%i, 0] [32, 64] [1, 1]
        : memref<128x64xbf16> to memref<32x64xbf16, strided<[64, 1], offset: ?>>
    %out = memref.subview %c[%i, 0] [32, 64] [1, 1]
        : memref<128x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%scratch : memref<32x64xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                     affine_map<(m, n, k) -> (m, n)>],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%in, %b : memref<32x64xbf16, strided<[64, 1], offset: ?>>, memref<64x64xbf16>) outs(%scratch : memref<32x64xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %pw = arith.extf %p : bf16 to f32
      %qw = arith.extf %q : bf16 to f32
      %m = arith.mulf %pw, %qw : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    linalg.exp ins(%scratch : memref<32x64xf32>) outs(%out : memref<32x64xf32, strided<[64, 1], offset: ?>>)
  }
  return
}
func.func private @amp_kernel_3(%a: memref<128x64xbf16>, %b: memref<64x64xbf16>, %b2: memref<64x64xbf16>, %c: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (128) step (32) {
    %scratch = memref.alloc() : memref<32x64xf32>
    %in = memref.subview %a[%i, 0] [32, 64] [1, 1]
        : memref<128x64xbf16> to memref<32x64xbf16, strided<[64, 1], offset: ?>>
    %out = memref.subview %c[%i, 0] [32, 64] [1, 1]
        : memref<128x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%scratch : memref<32x64xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                     affine_map<(m, n, k) -> (m, n)>],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%in, %b : memref<32x64xbf16, strided<[64, 1], offset: ?>>, memref<64x64xbf16>) outs(%scratch : memref<32x64xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %pw = arith.extf %p : bf16 to f32
      %qw = arith.extf %q : bf16 to f32
      %m = arith.mulf %pw, %qw : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
    linalg.fill ins(%zero : f32) outs(%out : memref<32x64xf32, strided<[64, 1], offset: ?>>)
    linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                     affine_map<(m, n, k) -> (m, n)>],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%scratch, %b2 : memref<32x64xf32>, memref<64x64xbf16>) outs(%out : memref<32x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%p: f32, %q: bf16, %acc: f32):
      %qw = arith.extf %q : bf16 to f32
      %m = arith.mulf %p, %qw : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    }
  }
  return
}
func.func private @amp_kernel_4(%x: memref<64x512xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  scf.forall (%i) in (64) {
    scf.for %j = %c0 to %c512 step %c64 {
      %part = memref.subview %x[%i, %j] [1, 64] [1, 1]
          : memref<64x512xf32> to memref<1x64xf32, strided<[512, 1], offset: ?>>
      linalg.exp ins(%part : memref<1x64xf32, strided<[512, 1], offset: ?>>)
                 outs(%part : memref<1x64xf32, strided<[512, 1], offset: ?>>)
    }
  }
  return
}
