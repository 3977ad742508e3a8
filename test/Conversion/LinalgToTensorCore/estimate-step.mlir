// RUN: amp-opt %s --split-input-file --amp-estimate-step | FileCheck %s
// RUN: not amp-opt %s --amp-estimate-step=chip=sm_70 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: expected 'chip' to be one of {{.*}}, but got 'sm_70'

// A product takes what it says, 10 us; a kernel without a cost a launch of 2.5 us and its 2 times
// 3.015 MB at 0.9 of 3.35 TB/s, 2 us; another function does not count.
// CHECK: amp.expected_seconds = 1.45{{[0-9]*[eE]-0?5}} : f64
module attributes {gpu.container_module} {
  func.func @step(%x: memref<753750xf32>, %y: memref<753750xf32>) attributes {amp.signature = {kind = "train_step"}} {
    amp.launch_kernels @product ins() outs(d = %y) : (memref<753750xf32>) -> ()
    amp.launch_kernels @k ins(a = %x) outs(d = %y) : (memref<753750xf32>, memref<753750xf32>) -> ()
    return
  }
  func.func @evaluate(%x: memref<753750xf32>, %y: memref<753750xf32>) attributes {amp.signature = {kind = "evaluate"}} {
    memref.copy %x, %y : memref<753750xf32> to memref<753750xf32>
    return
  }
  gpu.module @product attributes {amp.cost = {seconds = 1.0e-5 : f64}} {
    llvm.func @product(!llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "d", type = f32, elements = 753750}
        ]}}
  }
  gpu.module @k {
    llvm.func @k(!llvm.ptr<1>, !llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "a", type = f32, elements = 753750},
          {kind = "buffer", name = "d", type = f32, elements = 753750}
        ]}}
  }
}

// -----

// Four rounds of two copies in a loop, and of branches the longer: 9 launches of some bytes.
// CHECK: amp.expected_seconds = 2.25{{[0-9]*[eE]-0?5}} : f64
module {
  func.func @step(%x: memref<4xf32>, %y: memref<4xf32>, %c: i1) attributes {amp.signature = {kind = "train_step"}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
      memref.copy %y, %x : memref<4xf32> to memref<4xf32>
    }
    scf.if %c {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    }
    return
  }
}

// -----

// Of a module without a train step there is nothing to say.
// CHECK: module {
// CHECK-NOT: amp.expected_seconds
module {
  func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    return
  }
}
