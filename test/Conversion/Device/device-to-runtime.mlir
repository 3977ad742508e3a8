// RUN: amp-opt %s --split-input-file --amp-record-launches --convert-device-to-runtime --cse | FileCheck %s

// A launch has the number of its module by name, and operands in the order in which its
// kernels take them, whatever order the operation has: @b is number 1, and takes in0 first.
// CHECK: func.func private @ampRtLaunch(i32, !llvm.ptr)
// CHECK-LABEL: func @launch(
// CHECK-SAME:    %[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK:       %[[SLOTS:.*]] = llvm.alloca %{{.*}} x i64 {alignment = 16 : i64}
// CHECK:       %[[FIRST:.*]] = llvm.getelementptr %[[SLOTS]][0]
// CHECK-NEXT:  memref.extract_aligned_pointer_as_index %[[X]]
// CHECK:       %[[XP:.*]] = llvm.inttoptr
// CHECK-NEXT:  llvm.store %[[XP]], %[[FIRST]]
// CHECK-NEXT:  %[[SECOND:.*]] = llvm.getelementptr %[[SLOTS]][1]
// CHECK-NEXT:  memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK:       %[[YP:.*]] = llvm.inttoptr
// CHECK-NEXT:  llvm.store %[[YP]], %[[SECOND]]
// CHECK:       %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:       call @ampRtLaunch(%[[ONE]], %[[SLOTS]])
// CHECK-NOT:   amp.launch_kernels
module attributes {gpu.container_module} {
  func.func @launch(%x: memref<4xf32>, %y: memref<4xf32>) {
    amp.launch_kernels @b ins(in0 = %x) outs(out0 = %y) : (memref<4xf32>, memref<4xf32>) -> ()
    return
  }
  gpu.module @b {
    llvm.func @b(!llvm.ptr<1>, !llvm.ptr<1>) attributes {gpu.kernel, amp.launch = {
      order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 1, 1, 1>,
      shared_memory = 0, arguments = [{kind = "buffer", name = "in0", type = f32, elements = 4},
                                      {kind = "buffer", name = "out0", type = f32, elements = 4}]}}
  }
  gpu.module @a {
    llvm.func @a(!llvm.ptr<1>) attributes {gpu.kernel, amp.launch = {
      order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 1, 1, 1>,
      shared_memory = 0, arguments = [{kind = "buffer", name = "out0", type = f32, elements = 4}]}}
  }
}

// -----

// Copies of bytes: a view has an offset, an extent may be known at run time only.
// CHECK-LABEL: func @copies(
// CHECK:       arith.constant 6 : index
// CHECK:       arith.constant 2 : index
// CHECK:       call @ampRtCopy(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64)
// CHECK:       memref.dim
// CHECK:       call @ampRtCopy
// CHECK-NOT:   scf.for
// CHECK:       return
func.func @copies(%x: memref<4x6xi16>, %y: memref<6xi16>, %d: memref<?xf64>, %e: memref<?xf64>) {
  %row = memref.subview %x[1, 0] [1, 6] [1, 1] : memref<4x6xi16> to memref<6xi16, strided<[1], offset: 6>>
  memref.copy %row, %y : memref<6xi16, strided<[1], offset: 6>> to memref<6xi16>
  memref.copy %d, %e : memref<?xf64> to memref<?xf64>
  return
}

// -----

// Numbers: an i1 is a byte, an index 8.
// CHECK-LABEL: func @numbers(
// CHECK:       %[[PLACE:.*]] = llvm.alloca
// CHECK:       %[[BYTE:.*]] = arith.constant 1 : i64
// CHECK:       call @ampRtRead(%[[PLACE]], %{{.*}}, %[[BYTE]])
// CHECK:       llvm.load %[[PLACE]] : !llvm.ptr -> i1
// CHECK:       %[[EIGHT:.*]] = arith.constant 8 : i64
// CHECK:       llvm.store %{{.*}}, %[[PLACE]] : i64, !llvm.ptr
// CHECK:       call @ampRtWrite(%{{.*}}, %[[PLACE]], %[[EIGHT]])
func.func @numbers(%found: memref<i1>, %to: memref<8xindex>, %i: index) -> i1 {
  %f = memref.load %found[] : memref<i1>
  memref.store %i, %to[%i] : memref<8xindex>
  return %f : i1
}

// -----

// The host's own elements are left (amp-keep-memory-on-host), also by a cast.
// CHECK-LABEL: func @notes(
// CHECK-NOT:   ampRt
// CHECK:       memref.store
// CHECK:       memref.load
// CHECK-NOT:   ampRt
// CHECK:       return
func.func @notes(%i: index) -> index {
  %a = memref.alloca() : memref<2xindex>
  %cast = memref.cast %a : memref<2xindex> to memref<?xindex>
  memref.store %i, %a[%i] : memref<2xindex>
  %v = memref.load %cast[%i] : memref<?xindex>
  return %v : index
}

// -----

// A constant is on the device, where its address comes from; the host's is only asked for.
// CHECK: func.func private @ampRtConstant(!llvm.ptr, i64) -> !llvm.ptr
// CHECK-LABEL: func @constant(
// CHECK:       %[[HOST:.*]] = memref.get_global @table
// CHECK:       memref.extract_aligned_pointer_as_index %[[HOST]]
// CHECK:       %[[DEVICE:.*]] = call @ampRtConstant
// CHECK:       llvm.insertvalue %[[DEVICE]]
// CHECK:       %[[VIEW:.*]] = builtin.unrealized_conversion_cast
// CHECK:       memref.extract_aligned_pointer_as_index %[[VIEW]]
// CHECK:       call @ampRtCopy
memref.global "private" constant @table : memref<3xf32> = dense<[1.0, 2.0, 3.0]>
func.func @constant(%y: memref<3xf32>) {
  %t = memref.get_global @table : memref<3xf32>
  memref.copy %t, %y : memref<3xf32> to memref<3xf32>
  return
}

// -----

// Views, allocations and calls are left: they touch no element.
// CHECK-LABEL: func @views(
// CHECK-NOT:   ampRt
// CHECK:       memref.alloc
// CHECK:       memref.subview
// CHECK:       call @views
func.func @views(%n: index) -> memref<4xf32, strided<[1], offset: ?>> {
  %a = memref.alloc() : memref<16xf32>
  %s = memref.subview %a[%n] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
  %r = func.call @views(%n) : (index) -> memref<4xf32, strided<[1], offset: ?>>
  return %s : memref<4xf32, strided<[1], offset: ?>>
}
