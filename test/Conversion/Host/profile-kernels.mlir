// RUN: amp-opt %s --amp-profile-kernels | FileCheck %s
// RUN: amp-opt %s --amp-profile-kernels=timed=false | FileCheck %s --check-prefix=LIST

// The same list alone.
// LIST: module attributes {amp.kernels = [
// LIST-SAME: {bytes = 2048 : i64, name = "amp_kernel_0", operations = 4096 : i64, source = "{{.*}}profile-kernels.mlir:{{[0-9]+}}", what = "product 16x16x8 f32 f32"}
// LIST-SAME: name = "amp_kernel_3"
// LIST-NOT: ampRtKernel

// The list of kernels, in the order of their first call.
// CHECK: module attributes {amp.kernels = [
// CHECK-SAME: {bytes = 2048 : i64, name = "amp_kernel_0", operations = 4096 : i64, source = "{{.*}}profile-kernels.mlir:{{[0-9]+}}", what = "product 16x16x8 f32 f32"}
// CHECK-SAME: {bytes = 1088 : i64, name = "amp_kernel_1", operations = 512 : i64, source = "{{.*}}profile-kernels.mlir:{{[0-9]+}}", what = "reduction 16x16 f32: mulf addf"}
// CHECK-SAME: {bytes = -1 : i64, name = "amp_kernel_2", operations = -1 : i64, source = "{{.*}}", what = "loops ? f32: truncf"}
// CHECK-SAME: {bytes = 2048 : i64, name = "amp_kernel_3", operations = 0 : i64, source = "{{.*}}", what = "copy memref<16x16xf32>"}
// A product and the fill in front of it: as the product alone.
// CHECK-SAME: {bytes = 2048 : i64, name = "amp_kernel_4", operations = 4096 : i64, source = "{{.*}}", what = "product 16x8x16 f32 f32"}
// CHECK-NOT: name =

// CHECK-LABEL: func.func @step(
// CHECK: %[[BEGIN:.*]] = call @ampRtKernelBegin() : () -> i64
// CHECK-NEXT: call @amp_kernel_0(
// CHECK-NEXT: %[[FIRST:.*]] = arith.constant 0 : i64
// CHECK-NEXT: call @ampRtKernelEnd(%[[FIRST]], %[[BEGIN]]) : (i64, i64) -> ()
// CHECK: call @amp_kernel_1(
// CHECK-NEXT: arith.constant 1 : i64
// A kernel in a loop, and called once more.
// CHECK: scf.for
// CHECK-NEXT: call @ampRtKernelBegin
// CHECK-NEXT: call @amp_kernel_0(
// CHECK-NEXT: arith.constant 0 : i64
// CHECK-NEXT: call @ampRtKernelEnd
// CHECK: call @amp_kernel_4(
// CHECK-NEXT: arith.constant 4 : i64
// CHECK-NEXT: call @ampRtKernelEnd
// Near misses: helpers that are no kernels, and a declaration.
// CHECK-NOT: ampRt
// CHECK: call @helper(
// CHECK-NEXT: call @two_fills(
// CHECK-NEXT: call @elsewhere(
// CHECK-NEXT: return
func.func @step(%a: memref<16x16xf32>, %b: memref<16x8xf32>, %c: memref<16x16xf32>, %d: memref<16x8xf32>,
                %sums: memref<16xf32>, %x: memref<?xf32>, %y: memref<?xf16>, %n: index) {
  call @amp_kernel_0(%a, %b, %d) : (memref<16x16xf32>, memref<16x8xf32>, memref<16x8xf32>) -> ()
  call @amp_kernel_1(%a, %sums) : (memref<16x16xf32>, memref<16xf32>) -> ()
  call @amp_kernel_2(%x, %y) : (memref<?xf32>, memref<?xf16>) -> ()
  call @amp_kernel_3(%a, %c) : (memref<16x16xf32>, memref<16x16xf32>) -> ()
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @amp_kernel_0(%a, %b, %d) : (memref<16x16xf32>, memref<16x8xf32>, memref<16x8xf32>) -> ()
  }
  call @amp_kernel_4(%a, %b, %d) : (memref<16x16xf32>, memref<16x8xf32>, memref<16x8xf32>) -> ()
  call @helper(%a) : (memref<16x16xf32>) -> ()
  call @two_fills(%a) : (memref<16x16xf32>) -> ()
  call @elsewhere(%a) : (memref<16x16xf32>) -> ()
  return
}
func.func private @amp_kernel_0(%a: memref<16x16xf32>, %b: memref<16x8xf32>, %d: memref<16x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (j, k)>,
                                   affine_map<(i, j, k) -> (i, k)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<16x16xf32>, memref<16x8xf32>) outs(%d : memref<16x8xf32>) {
  ^bb0(%u: f32, %v: f32, %out: f32):
    %0 = arith.mulf %u, %v : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
func.func private @amp_kernel_1(%a: memref<16x16xf32>, %sums: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<16x16xf32>) outs(%sums : memref<16xf32>) {
  ^bb0(%u: f32, %out: f32):
    %0 = arith.mulf %u, %u : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
func.func private @amp_kernel_2(%x: memref<?xf32>, %y: memref<?xf16>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf16>) {
  ^bb0(%u: f32, %out: f16):
    %0 = arith.truncf %u : f32 to f16
    linalg.yield %0 : f16
  }
  return
}
func.func private @amp_kernel_3(%a: memref<16x16xf32>, %c: memref<16x16xf32>) {
  memref.copy %a, %c : memref<16x16xf32> to memref<16x16xf32>
  return
}
func.func private @amp_kernel_4(%a: memref<16x16xf32>, %b: memref<16x8xf32>, %d: memref<16x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<16x8xf32>)
  linalg.matmul ins(%a, %b : memref<16x16xf32>, memref<16x8xf32>) outs(%d : memref<16x8xf32>)
  return
}
func.func private @two_fills(%a: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
  linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
  return
}
func.func private @helper(%a: memref<16x16xf32>) {
  call @elsewhere(%a) : (memref<16x16xf32>) -> ()
  return
}
func.func private @elsewhere(memref<16x16xf32>)
