// RUN: amp-opt %s --one-shot-bufferize="bufferize-function-boundaries" --canonicalize | FileCheck %s

// The runtime is given the address of the flag, and the message with its length.

// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("no such row")
// CHECK-DAG: func.func private @ampRtReportViolation(!llvm.ptr, !llvm.ptr, i64)

// CHECK-LABEL: func.func @report
func.func @report(%x: tensor<i1>) -> tensor<i1> {
  // CHECK-DAG: llvm.mlir.addressof @[[TEXT]]
  // CHECK-DAG: arith.constant 11 : i64
  // CHECK-DAG: %[[BUFFER:.*]] = memref.alloc() {{.*}}: memref<i1>
  // CHECK: linalg.generic {{.*}} outs(%[[BUFFER]] : memref<i1>)
  // CHECK: %[[INDEX:.*]] = memref.extract_aligned_pointer_as_index %[[BUFFER]]
  // CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[INDEX]] : index to i64
  // CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr
  // CHECK: call @ampRtReportViolation(%[[POINTER]], %{{.*}}, %{{.*}})
  // CHECK: return
  %true = arith.constant true
  %e = tensor.empty() : tensor<i1>
  %v = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%x : tensor<i1>) outs(%e : tensor<i1>) {
  ^bb0(%in: i1, %o: i1):
    %0 = arith.xori %in, %true : i1
    linalg.yield %0 : i1
  } -> tensor<i1>
  amp.report_violation %v, "no such row"
  return %v : tensor<i1>
}

// A flag at an offset is copied: it may be of any layout.
// CHECK-LABEL: func.func @element
func.func @element(%x: tensor<i1>) {
  // CHECK: %[[ONE:.*]] = memref.alloc() {{.*}}: memref<i1>
  // CHECK: memref.copy %{{.*}}, %[[ONE]]
  // CHECK: memref.extract_aligned_pointer_as_index %[[ONE]]
  amp.report_violation %x, "no such row"
  return
}
