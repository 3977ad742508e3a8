// RUN: amp-opt %s --split-input-file --amp-keep-memory-on-host | FileCheck %s

// Only loaded and stored, also by a cast: the host's, in the function's entry, however often a loop makes it.
// CHECK-LABEL: func @notes(
// CHECK-NEXT:  %[[A:.*]] = memref.alloca() : memref<2xindex>
// CHECK:       scf.for
// CHECK-NOT:     memref.alloc
// CHECK:         %[[CAST:.*]] = memref.cast %[[A]]
// CHECK:         memref.store %{{.*}}, %[[A]]
// CHECK:         memref.load %[[CAST]]
// CHECK-NOT:     memref.dealloc
// CHECK:       return
func.func @notes(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<2xindex>
    %cast = memref.cast %a : memref<2xindex> to memref<?xindex>
    memref.store %i, %a[%c0] : memref<2xindex>
    %v = memref.load %cast[%c0] : memref<?xindex>
    memref.dealloc %a : memref<2xindex>
  }
  return
}

// -----

// A helper of the host's is inlined, and goes.
// CHECK-LABEL: func @caller(
// CHECK:       %[[A:.*]] = memref.alloca() : memref<2xi1>
// CHECK-NOT:   call
// CHECK:       %[[CAST:.*]] = memref.cast %[[A]]
// CHECK:       memref.dim %[[CAST]]
// CHECK:       scf.for
// CHECK:         memref.store %{{.*}}, %[[CAST]]
// CHECK:       memref.load %[[A]]
// CHECK-NOT:   func private @helper
func.func @caller() -> i1 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<2xi1>
  %cast = memref.cast %a : memref<2xi1> to memref<?xi1>
  call @helper(%cast) : (memref<?xi1>) -> ()
  %v = memref.load %a[%c0] : memref<2xi1>
  memref.dealloc %a : memref<2xi1>
  return %v : i1
}
func.func private @helper(%to: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = memref.dim %to, %c0 : memref<?xi1>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %true, %to[%i] : memref<?xi1>
  }
  return
}

// -----

// A kernel's, a result's, a view's, one that is stored away, one of unknown extent, and a large one (near misses).
// CHECK-LABEL: func @device(
// CHECK-NOT:   memref.alloca
// CHECK:       return
func.func @device(%n: index, %v: f32) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %launched = memref.alloc() : memref<4xf32>
  %out = memref.alloc() : memref<4xf32>
  memref.store %v, %launched[%c0] : memref<4xf32>
  amp.launch_kernels @k ins(in0 = %launched) outs(out0 = %out) : (memref<4xf32>, memref<4xf32>) -> ()
  %viewed = memref.alloc() : memref<8xf32>
  %view = memref.subview %viewed[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  %read = memref.load %view[%c0] : memref<4xf32, strided<[1], offset: 2>>
  %unknown = memref.alloc(%n) : memref<?xf32>
  memref.store %v, %unknown[%c0] : memref<?xf32>
  %large = memref.alloc() : memref<16385xf32>
  memref.store %v, %large[%c0] : memref<16385xf32>
  return %out : memref<4xf32>
}
gpu.module @k {
  llvm.func @k(!llvm.ptr<1>, !llvm.ptr<1>) attributes {gpu.kernel, amp.launch = {
    order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 1, 1, 1>,
    shared_memory = 0, arguments = [{kind = "buffer", name = "in0", type = f32, elements = 4},
                                    {kind = "buffer", name = "out0", type = f32, elements = 4}]}}
}

// -----

// As large as may be. A helper that gets an argument of the device as well is called as before.
// CHECK-LABEL: func @edge(
// CHECK:       memref.alloca() : memref<16384xf32>
// CHECK-NOT:   memref.alloca
// CHECK:       call @both
// CHECK:       func private @both
func.func @edge(%v: f32, %x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %large = memref.alloc() : memref<16384xf32>
  memref.store %v, %large[%c0] : memref<16384xf32>
  %a = memref.alloc() : memref<4xf32>
  call @both(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func private @both(%to: memref<4xf32>, %from: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %from[%c0] : memref<4xf32>
  memref.store %v, %to[%c0] : memref<4xf32>
  return
}
