// RUN: amp-opt %s --amp-erase-unused-kernels | FileCheck %s

module attributes {gpu.container_module} {
  // CHECK-LABEL: func @step(
  // CHECK:         amp.launch_kernels @once
  // CHECK:         amp.launch_kernels @twice
  // CHECK:         amp.launch_kernels @twice
  func.func @step(%x: memref<4xf32>, %y: memref<4xf32>) {
    amp.launch_kernels @once ins(a = %x) outs(d = %y) : (memref<4xf32>, memref<4xf32>) -> ()
    amp.launch_kernels @twice ins(a = %x) outs(d = %y) : (memref<4xf32>, memref<4xf32>) -> ()
    amp.launch_kernels @twice ins(a = %y) outs(d = %x) : (memref<4xf32>, memref<4xf32>) -> ()
    return
  }

  // CHECK: gpu.module @once
  gpu.module @once {
    llvm.func @once(!llvm.ptr<1>, !llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "a", type = f32, elements = 4},
          {kind = "buffer", name = "d", type = f32, elements = 4}
        ]}}
  }

  // Nothing names it, whatever kernels it has, and that one of another module has its
  // name does not matter.
  // CHECK-NOT: gpu.module @unused
  gpu.module @unused {
    llvm.func @once() attributes {gpu.kernel}
  }

  // CHECK: gpu.module @twice
  gpu.module @twice {
    llvm.func @unused(!llvm.ptr<1>, !llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "a", type = f32, elements = 4},
          {kind = "buffer", name = "d", type = f32, elements = 4}
        ]}}
  }

  // Named by an attribute that is no launch, and by one that names a kernel of it.
  // CHECK: gpu.module @named
  gpu.module @named {
  }
  // CHECK: gpu.module @kernel_named
  gpu.module @kernel_named {
    llvm.func @k() attributes {gpu.kernel}
  }
  func.func private @other() attributes {test.kernels = [@named, @kernel_named::@k]}
}
