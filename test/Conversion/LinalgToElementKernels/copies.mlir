// RUN: amp-opt %s --split-input-file --convert-copies-to-kernels=report --verify-diagnostics | FileCheck %s

// Columns out of a matrix, and into another: the windows begin at the first element and
// end with the last. The same copy at another place is the same kernel.
// CHECK-LABEL: func @columns
// CHECK:       %[[FROM:.*]] = memref.reinterpret_cast %{{.*}} to offset: [1], sizes: [20], strides: [1]
// CHECK:       %[[TO:.*]] = memref.reinterpret_cast %{{.*}} to offset: [3], sizes: [23], strides: [1]
// CHECK:       amp.launch_kernels @copy_0 ins(in0 = %[[FROM]]) outs(out0 = %[[TO]])
// CHECK:       amp.launch_kernels @copy_0
// CHECK-NOT:   memref.copy
// CHECK:       gpu.module @copy_0
// CHECK-SAME:  {
// CHECK-NEXT:    llvm.func @copy_0
// CHECK-SAME:      {elements = 20 : i64, kind = "buffer", name = "in0", type = f32}
// CHECK-SAME:      {elements = 23 : i64, kind = "buffer", name = "out0", type = f32}
// CHECK-NOT:   gpu.module
func.func @columns(%x: memref<4x6xf32>, %y: memref<4x7xf32>) {
  %a = memref.subview %x[0, 1] [4, 2] [1, 1] : memref<4x6xf32> to memref<4x2xf32, strided<[6, 1], offset: 1>>
  %b = memref.subview %y[0, 3] [4, 2] [1, 1] : memref<4x7xf32> to memref<4x2xf32, strided<[7, 1], offset: 3>>
  memref.copy %a, %b : memref<4x2xf32, strided<[6, 1], offset: 1>> to memref<4x2xf32, strided<[7, 1], offset: 3>>
  %c = memref.subview %x[0, 2] [4, 2] [1, 1] : memref<4x6xf32> to memref<4x2xf32, strided<[6, 1], offset: 2>>
  %d = memref.subview %y[0, 0] [4, 2] [1, 1] : memref<4x7xf32> to memref<4x2xf32, strided<[7, 1]>>
  memref.copy %c, %d : memref<4x2xf32, strided<[6, 1], offset: 2>> to memref<4x2xf32, strided<[7, 1]>>
  return
}

// -----

// Where a loop is, is known at run time.
// CHECK-LABEL: func @offset
// CHECK:       %[[B:.*]], %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata
// CHECK:       memref.reinterpret_cast %{{.*}} to offset: [%[[OFFSET]]], sizes: [7], strides: [1] : {{.*}} to memref<7xi1, strided<[1], offset: ?>>
// CHECK:       amp.launch_kernels @copy_0
func.func @offset(%x: memref<64xi1>, %y: memref<4xi1>, %i: index) {
  %a = memref.subview %x[%i] [4] [2] : memref<64xi1> to memref<4xi1, strided<[2], offset: ?>>
  memref.copy %a, %y : memref<4xi1, strided<[2], offset: ?>> to memref<4xi1>
  return
}

// -----

// Halves of rows: 16 bytes at once from where both begin at a multiple of them.
// CHECK-LABEL: func @wide
// CHECK:       gpu.module @copy_0
// CHECK:         grid = array<i64: 1, 1, 1>
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
func.func @wide(%x: memref<40x1x32xf16>, %y: memref<40x1x16xf16>) {
  %a = memref.subview %x[0, 0, 8] [40, 1, 16] [1, 1, 1] : memref<40x1x32xf16> to memref<40x1x16xf16, strided<[32, 32, 1], offset: 8>>
  memref.copy %a, %y : memref<40x1x16xf16, strided<[32, 32, 1], offset: 8>> to memref<40x1x16xf16>
  return
}

// -----

// Near misses: a window that begins at an odd place, rows of an odd distance, every other
// column, and a place that is known at run time, whose kernel is the first one.
// CHECK-LABEL: func @narrow
// CHECK-COUNT-3: gpu.module @copy_
// CHECK-NOT:   vector<
func.func @narrow(%x: memref<4x32xf32>, %z: memref<4x33xf32>, %y: memref<4x8xf32>, %i: index) {
  %a = memref.subview %x[0, 1] [4, 8] [1, 1] : memref<4x32xf32> to memref<4x8xf32, strided<[32, 1], offset: 1>>
  memref.copy %a, %y : memref<4x8xf32, strided<[32, 1], offset: 1>> to memref<4x8xf32>
  %b = memref.subview %z[0, 0] [4, 8] [1, 1] : memref<4x33xf32> to memref<4x8xf32, strided<[33, 1]>>
  memref.copy %b, %y : memref<4x8xf32, strided<[33, 1]>> to memref<4x8xf32>
  %c = memref.subview %x[0, 0] [4, 8] [1, 2] : memref<4x32xf32> to memref<4x8xf32, strided<[32, 2]>>
  memref.copy %c, %y : memref<4x8xf32, strided<[32, 2]>> to memref<4x8xf32>
  %d = memref.subview %x[0, %i] [4, 8] [1, 1] : memref<4x32xf32> to memref<4x8xf32, strided<[32, 1], offset: ?>>
  memref.copy %d, %y : memref<4x8xf32, strided<[32, 1], offset: ?>> to memref<4x8xf32>
  return
}

// -----

// Bytes are the runtime's.
// CHECK-LABEL: func @bytes
// CHECK:       memref.copy
// CHECK:       memref.copy
// CHECK-NOT:   amp.launch_kernels
func.func @bytes(%x: memref<4x6xf32>, %y: memref<6xf32>, %d: memref<?xf32>, %e: memref<?xf32>) {
  %row = memref.subview %x[1, 0] [1, 6] [1, 1] : memref<4x6xf32> to memref<6xf32, strided<[1], offset: 6>>
  memref.copy %row, %y : memref<6xf32, strided<[1], offset: 6>> to memref<6xf32>
  memref.copy %d, %e : memref<?xf32> to memref<?xf32>
  return
}

// -----

// CHECK-LABEL: func @declined
// CHECK-COUNT-3: memref.copy
func.func @declined(%x: memref<4x?xf32, strided<[9, 1]>>, %y: memref<4x?xf32>, %s: memref<4xf32, strided<[?]>>,
                    %t: memref<4xf32>, %c: memref<2xcomplex<f32>, strided<[2]>>, %d: memref<2xcomplex<f32>>) {
  // expected-remark @below {{not a kernel: expected a buffer of known extents and strides, but got memref<4x?xf32, strided<[9, 1]>>}}
  memref.copy %x, %y : memref<4x?xf32, strided<[9, 1]>> to memref<4x?xf32>
  // expected-remark @below {{not a kernel: expected a buffer of known extents and strides, but got memref<4xf32, strided<[?]>>}}
  memref.copy %s, %t : memref<4xf32, strided<[?]>> to memref<4xf32>
  // expected-remark @below {{not a kernel: expected tensors of static shape with elements of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got tensor<2xcomplex<f32>>}}
  memref.copy %c, %d : memref<2xcomplex<f32>, strided<[2]>> to memref<2xcomplex<f32>>
  return
}

// -----

// CHECK-LABEL: func @none
// CHECK:       memref.copy
func.func @none(%x: memref<0x2xf32, strided<[5, 1]>>, %y: memref<0x2xf32>) {
  memref.copy %x, %y : memref<0x2xf32, strided<[5, 1]>> to memref<0x2xf32>
  return
}

// -----

// Elements that share a place: which one stays there would be chance. To read one many times is well (the near miss).
// CHECK-LABEL: func @one_place
// CHECK:       memref.copy
// CHECK:       amp.launch_kernels
func.func @one_place(%x: memref<4x6xf32>, %y: memref<4x6xf32, strided<[0, 1], offset: 6>>) {
  // expected-remark @below {{not a kernel: expected a place for each element, but got memref<4x6xf32, strided<[0, 1], offset: 6>>, with a stride of 0}}
  memref.copy %x, %y : memref<4x6xf32> to memref<4x6xf32, strided<[0, 1], offset: 6>>
  memref.copy %y, %x : memref<4x6xf32, strided<[0, 1], offset: 6>> to memref<4x6xf32>
  return
}
