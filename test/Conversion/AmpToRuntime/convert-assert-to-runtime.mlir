// RUN: amp-opt %s --convert-assert-to-runtime | FileCheck %s

// cf.assert would end the process; the runtime reports instead. The text is a
// zero-terminated constant, one for each message.

// CHECK-DAG: llvm.mlir.global internal constant @[[FIRST:.*]]("index out of range\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[SECOND:.*]]("target is negative\00")
// CHECK-DAG: func.func private @ampRtReportAssert(!llvm.ptr)
// CHECK-NOT: llvm.mlir.global

// CHECK-LABEL: func.func @reports
// CHECK-SAME: %[[A:.*]]: i1, %[[B:.*]]: i1
func.func @reports(%a: i1, %b: i1) {
  // CHECK: %[[YES:.*]] = arith.constant true
  // CHECK: %[[FAILED:.*]] = arith.xori %[[A]], %[[YES]] : i1
  // CHECK: scf.if %[[FAILED]] {
  // CHECK:   %[[TEXT:.*]] = llvm.mlir.addressof @[[FIRST]] : !llvm.ptr
  // CHECK:   func.call @ampRtReportAssert(%[[TEXT]]) : (!llvm.ptr) -> ()
  // CHECK: }
  // CHECK-NOT: cf.assert
  cf.assert %a, "index out of range"
  // CHECK: llvm.mlir.addressof @[[SECOND]]
  cf.assert %b, "target is negative"
  // The same words again: the same constant.
  // CHECK: llvm.mlir.addressof @[[FIRST]]
  cf.assert %b, "index out of range"
  return
}

// In a loop, where the assertions of gathers stand.
// CHECK-LABEL: func.func @in_loop
func.func @in_loop(%a: i1, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK:   scf.if
  // CHECK:     func.call @ampRtReportAssert
  scf.for %i = %zero to %n step %one {
    cf.assert %a, "index out of range"
  }
  return
}
