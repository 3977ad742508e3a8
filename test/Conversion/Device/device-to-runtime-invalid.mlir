// RUN: amp-opt %s --split-input-file --verify-diagnostics --convert-device-to-runtime

// What reads or writes elements itself.
func.func @fill(%x: memref<4xf32>, %v: f32) {
  // expected-error @below {{'linalg.fill' op expected an operation that leaves elements of buffers alone, as they are in a device's memory, but got it with 'memref<4xf32>'; lower it to kernels, or to loads and stores}}
  linalg.fill ins(%v : f32) outs(%x : memref<4xf32>)
  return
}

// -----

func.func @complex(%x: memref<4xcomplex<f32>>, %i: index) {
  // expected-error @below {{'memref.load' op expected elements of a number, which can be copied from a device, but got 'complex<f32>'; give its parts tensors of their own}}
  %0 = memref.load %x[%i] : memref<4xcomplex<f32>>
  return
}

// -----

// Without amp-record-launches nobody knows the number of a module.
module attributes {gpu.container_module} {
  func.func @launch(%y: memref<4xf32>) {
    // expected-error @below {{'amp.launch_kernels' op expected 'a' in 'amp.launches' of the module; run amp-record-launches}}
    amp.launch_kernels @a ins() outs(out0 = %y) : (memref<4xf32>) -> ()
    return
  }
  gpu.module @a {
    llvm.func @a(!llvm.ptr<1>) attributes {gpu.kernel, amp.launch = {
      order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 1, 1, 1>,
      shared_memory = 0, arguments = [{kind = "buffer", name = "out0", type = f32, elements = 4}]}}
  }
}

// -----

// Elements with others between them.
func.func @strided(%x: memref<4x6xf32>, %y: memref<4x2xf32>) {
  %part = memref.subview %x[0, 1] [4, 2] [1, 1] : memref<4x6xf32> to memref<4x2xf32, strided<[6, 1], offset: 1>>
  // expected-error @below {{'memref.copy' op expected buffers whose elements follow one another, but got 'memref<4x2xf32, strided<[6, 1], offset: 1>>' and 'memref<4x2xf32>'; run convert-copies-to-kernels}}
  memref.copy %part, %y : memref<4x2xf32, strided<[6, 1], offset: 1>> to memref<4x2xf32>
  return
}
