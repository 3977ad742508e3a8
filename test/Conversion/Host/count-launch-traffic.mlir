// RUN: amp-opt %s --split-input-file --amp-count-launch-traffic | FileCheck %s

// A launch moves its operands and a copy its bytes twice: 64 + 64, and twice 64. What the
// host reads itself does not count, nor does another function.
// CHECK: module attributes {amp.kernel_memory_bound_traffic = 256 : i64, amp.kernel_traffic = 256 : i64, gpu.container_module} {
module attributes {gpu.container_module} {
  func.func @step(%x: memref<16xf32>, %y: memref<16xf32>) -> f32 attributes {
      amp.signature = {kind = "train_step"}} {
    %c0 = arith.constant 0 : index
    amp.launch_kernels @k ins(a = %x) outs(d = %y) : (memref<16xf32>, memref<16xf32>) -> ()
    memref.copy %y, %x : memref<16xf32> to memref<16xf32>
    %0 = memref.load %y[%c0] : memref<16xf32>
    return %0 : f32
  }
  func.func @evaluate(%x: memref<16xf32>, %y: memref<16xf32>) attributes {
      amp.signature = {kind = "evaluate"}} {
    memref.copy %x, %y : memref<16xf32> to memref<16xf32>
    return
  }
  gpu.module @k {
    llvm.func @k(!llvm.ptr<1>, !llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "a", type = f32, elements = 16},
          {kind = "buffer", name = "d", type = f32, elements = 16}
        ]}}
  }
}

// -----

// What a kernel leaves out does not count: 4 rows of 2 of 8 columns, by a pointer and by a
// tensor map, 32 bytes each.
// CHECK: module attributes {amp.kernel_memory_bound_traffic = 64 : i64, amp.kernel_traffic = 64 : i64, gpu.container_module} {
module attributes {gpu.container_module} {
  func.func @step(%x: memref<26xf32>, %y: memref<26xf32>) attributes {
      amp.signature = {kind = "train_step"}} {
    amp.launch_kernels @k ins(a = %x) outs(d = %y) {partial = ["d"]} : (memref<26xf32>, memref<26xf32>) -> ()
    return
  }
  gpu.module @k {
    llvm.func @k(!llvm.ptr<1>, !llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "a", type = f32, elements = 26, accessed = 8},
          {kind = "tensor-map", name = "d", type = f32, shape = array<i64: 2, 4>, elements = 26,
           strides = array<i64: 32>, box = array<i64: 32, 64>, swizzle = 128}
        ]}}
  }
}

// -----

// A slice counts, not the buffer around it; each round of a loop; of branches the larger.
// CHECK: module attributes {amp.kernel_memory_bound_traffic = 640 : i64, amp.kernel_traffic = 640 : i64} {
module {
  func.func @step(%x: memref<4x16xf32>, %y: memref<16xf32>, %skip: i1) attributes {
      amp.signature = {kind = "train_step"}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %row = memref.subview %x[%i, 0] [1, 16] [1, 1]
          : memref<4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      memref.copy %y, %row : memref<16xf32> to memref<16xf32, strided<[1], offset: ?>>
    }
    scf.if %skip {
      %z = memref.alloc() : memref<4xf32>
      %t = memref.alloc() : memref<4xf32>
      memref.copy %z, %t : memref<4xf32> to memref<4xf32>
    } else {
      %z = memref.alloc() : memref<16xf32>
      memref.copy %z, %y : memref<16xf32> to memref<16xf32>
    }
    return
  }
}

// -----

// Of a window on a slice its elements count, 2 times 4; of one on all, all 16; a window that is
// the operand's own type, itself.
// CHECK: module attributes {amp.kernel_memory_bound_traffic = 128 : i64, amp.kernel_traffic = 128 : i64, gpu.container_module} {
module attributes {gpu.container_module} {
  func.func @step(%x: memref<4x5xf32>, %y: memref<16xf32>, %n: index) attributes {
      amp.signature = {kind = "train_step"}} {
    %slice = memref.subview %x[0, 1] [2, 4] [2, 1] : memref<4x5xf32> to memref<2x4xf32, strided<[10, 1], offset: 1>>
    %window = memref.reinterpret_cast %slice to offset: [1], sizes: [14], strides: [1]
        : memref<2x4xf32, strided<[10, 1], offset: 1>> to memref<14xf32, strided<[1], offset: 1>>
    %all = memref.reinterpret_cast %y to offset: [0], sizes: [16], strides: [1] : memref<16xf32> to memref<16xf32>
    %dynamic = memref.subview %y[0] [%n] [1] : memref<16xf32> to memref<?xf32, strided<[1]>>
    %known = memref.reinterpret_cast %dynamic to offset: [0], sizes: [8], strides: [1]
        : memref<?xf32, strided<[1]>> to memref<8xf32>
    amp.launch_kernels @k ins(a = %window) outs(d = %all) : (memref<14xf32, strided<[1], offset: 1>>, memref<16xf32>) -> ()
    amp.launch_kernels @l ins() outs(d = %known) : (memref<8xf32>) -> ()
    return
  }
  gpu.module @k {
    llvm.func @k(!llvm.ptr<1>, !llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "a", type = f32, elements = 14},
          {kind = "buffer", name = "d", type = f32, elements = 16}
        ]}}
  }
  gpu.module @l {
    llvm.func @l(!llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "d", type = f32, elements = 8}
        ]}}
  }
}

// -----

// What a product's kernel reads and writes for the product is no part of what memory binds: a, b and d of 64 bytes. A bias
// and a second result are. A bias that is b, too, counts once in all, and there.
// CHECK: module attributes {amp.kernel_memory_bound_traffic = 128 : i64, amp.kernel_traffic = 448 : i64, gpu.container_module} {
module attributes {gpu.container_module} {
  func.func @step(%x: memref<16xf32>, %w: memref<16xf32>, %bias: memref<8xf32>, %y: memref<16xf32>, %z: memref<8xf32>) attributes {
      amp.signature = {kind = "train_step"}} {
    amp.launch_kernels @k ins(a = %x, b = %w, operand0 = %bias) outs(d = %y, output0 = %z)
        : (memref<16xf32>, memref<16xf32>, memref<8xf32>, memref<16xf32>, memref<8xf32>) -> ()
    amp.launch_kernels @twice ins(a = %x, b = %w, operand0 = %w) outs(d = %y)
        : (memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>) -> ()
    return
  }
  gpu.module @k attributes {amp.contraction = ["a", "b", "d"]} {
    llvm.func @k(!llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "a", type = f32, elements = 16},
          {kind = "buffer", name = "b", type = f32, elements = 16},
          {kind = "buffer", name = "d", type = f32, elements = 16},
          {kind = "buffer", name = "operand0", type = f32, elements = 8},
          {kind = "buffer", name = "output0", type = f32, elements = 8}
        ]}}
  }
  gpu.module @twice attributes {amp.contraction = ["a", "b", "d"]} {
    llvm.func @twice(!llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>) attributes {
      gpu.kernel,
      amp.launch = {
        order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
          {kind = "buffer", name = "a", type = f32, elements = 16},
          {kind = "buffer", name = "b", type = f32, elements = 16},
          {kind = "buffer", name = "d", type = f32, elements = 16},
          {kind = "buffer", name = "operand0", type = f32, elements = 16}
        ]}}
  }
}

// -----

// Of a module without a train step there is nothing to say.
// CHECK: module {
// CHECK-NOT: amp.kernel_traffic
module {
  func.func @f(%x: memref<16xf32>, %y: memref<16xf32>) {
    memref.copy %x, %y : memref<16xf32> to memref<16xf32>
    return
  }
}
