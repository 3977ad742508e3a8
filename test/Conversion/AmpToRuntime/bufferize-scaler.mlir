// RUN: amp-opt %s --one-shot-bufferize="bufferize-function-boundaries" --canonicalize | FileCheck %s

// The runtime copies the record of a scaler to a buffer of the program, and from one.

// CHECK-DAG: func.func private @ampRtReadScaler(i64, !llvm.ptr)
// CHECK-DAG: func.func private @ampRtWriteScaler(i64, !llvm.ptr)

// CHECK-LABEL: func.func @read
// CHECK-SAME: %[[H:.*]]: i64
func.func @read(%h: i64) -> i64 {
  // CHECK: %[[C1:.*]] = arith.constant 1 : index
  // CHECK: %[[BUFFER:.*]] = memref.alloc() {{.*}}: memref<17xi64>
  // CHECK: %[[INDEX:.*]] = memref.extract_aligned_pointer_as_index %[[BUFFER]]
  // CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[INDEX]] : index to i64
  // CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr
  // CHECK: call @ampRtReadScaler(%[[H]], %[[POINTER]])
  // CHECK: memref.load %[[BUFFER]][%[[C1]]]
  %c1 = arith.constant 1 : index
  %0 = amp.read_scaler %h
  %1 = tensor.extract %0[%c1] : tensor<17xi64>
  return %1 : i64
}

// What was read may be written over: the state is the runtime's.
// CHECK-LABEL: func.func @change
func.func @change(%h: i64, %x: i64) {
  // CHECK: %[[BUFFER:.*]] = memref.alloc
  // CHECK: call @ampRtReadScaler
  // CHECK-NOT: memref.copy
  // CHECK: memref.store %{{.*}}, %[[BUFFER]]
  // CHECK: %[[INDEX:.*]] = memref.extract_aligned_pointer_as_index %[[BUFFER]]
  // CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[INDEX]]
  // CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[ADDRESS]]
  // CHECK: call @ampRtWriteScaler(%{{.*}}, %[[POINTER]])
  %c1 = arith.constant 1 : index
  %0 = amp.read_scaler %h
  %1 = tensor.insert %x into %0[%c1] : tensor<17xi64>
  amp.write_scaler %h, %1
  return
}

// The old record is still wanted.
// CHECK-LABEL: func.func @keep
func.func @keep(%h: i64, %x: i64) -> tensor<17xi64> {
  // CHECK: %[[OLD:.*]] = memref.alloc
  // CHECK: call @ampRtReadScaler
  // CHECK: %[[NEW:.*]] = memref.alloc
  // CHECK: memref.copy %[[OLD]], %[[NEW]]
  // CHECK: return %[[OLD]]
  %c1 = arith.constant 1 : index
  %0 = amp.read_scaler %h
  %1 = tensor.insert %x into %0[%c1] : tensor<17xi64>
  amp.write_scaler %h, %1
  return %0 : tensor<17xi64>
}

// The runtime is given consecutive members: those of an argument may have strides.
// CHECK-LABEL: func.func @strides
// CHECK-SAME: %{{.*}}: i64, %[[R:.*]]: memref<17xi64, strided<[?], offset: ?>>
func.func @strides(%h: i64, %r: tensor<17xi64>) {
  // CHECK: %[[DENSE:.*]] = memref.alloc() {{.*}}: memref<17xi64>
  // CHECK: memref.copy %[[R]], %[[DENSE]]
  // CHECK: memref.extract_aligned_pointer_as_index %[[DENSE]]
  amp.write_scaler %h, %r
  return
}
