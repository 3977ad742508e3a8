// RUN: amp-opt %s --amp-return-status --split-input-file | FileCheck %s

// A failed assertion leaves at once: what stood behind the report is gone.
// CHECK: llvm.func @ampRtRunReportAssert(i64, !llvm.ptr)
// CHECK-NOT: @ampRtReportAssert
llvm.mlir.global internal constant @text("n is 0\00")
llvm.func @ampRtReportAssert(!llvm.ptr)
// CHECK-LABEL: llvm.func @check(
// CHECK-SAME: %[[HANDLE:.*]]: i64, %[[FAILED:.*]]: i1) -> i32
llvm.func @check(%failed: i1) {
  // CHECK: llvm.cond_br %[[FAILED]], ^[[REPORT:.*]], ^[[ON:.*]]
  llvm.cond_br %failed, ^bb1, ^bb2
// CHECK: ^[[REPORT]]:
^bb1:
  // CHECK: %[[TEXT:.*]] = llvm.mlir.addressof @text
  // CHECK-NEXT: llvm.call @ampRtRunReportAssert(%[[HANDLE]], %[[TEXT]]) : (i64, !llvm.ptr) -> ()
  // CHECK-NEXT: %[[ERROR:.*]] = llvm.mlir.constant(6 : i32)
  // CHECK-NEXT: llvm.br ^[[LEAVE:.*]](%[[ERROR]] : i32)
  %text = llvm.mlir.addressof @text : !llvm.ptr
  llvm.call @ampRtReportAssert(%text) : (!llvm.ptr) -> ()
  llvm.br ^bb2
// CHECK: ^[[ON]]:
^bb2:
  // CHECK: %[[OK:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.return %[[OK]] : i32
  // CHECK: ^[[LEAVE]](%[[STATUS:.*]]: i32):
  // CHECK: llvm.return %[[STATUS]] : i32
  llvm.return
}

// A caller looks at the status, in a loop too, and passes it on; its own result
// goes along.
// CHECK-LABEL: llvm.func internal @caller(
// CHECK-SAME: %[[HANDLE:.*]]: i64, %[[FAILED:.*]]: i1) -> !llvm.struct<(f32, i32)>
llvm.func internal @caller(%failed: i1) -> f32 {
  %one = llvm.mlir.constant(1.0 : f32) : f32
  llvm.br ^bb1
^bb1:
  // CHECK: %[[CALLED:.*]] = llvm.call @check(%[[HANDLE]], %[[FAILED]]) : (i64, i1) -> i32
  // CHECK: %[[BAD:.*]] = llvm.icmp "ne" %[[CALLED]], %{{.*}} : i32
  // CHECK: llvm.cond_br %[[BAD]] weights([1, 1000000]), ^[[LEAVE:.*]](%[[CALLED]] : i32), ^[[REST:.*]]
  // CHECK: ^[[REST]]:
  llvm.call @check(%failed) : (i1) -> ()
  llvm.cond_br %failed, ^bb1, ^bb2
^bb2:
  // CHECK: %[[PAIR:.*]] = llvm.insertvalue %{{.*}}, %{{.*}}[0]
  // CHECK: llvm.insertvalue %{{.*}}, %[[PAIR]][1]
  // CHECK: ^[[LEAVE]](%[[STATUS:.*]]: i32):
  // CHECK: %[[ZERO:.*]] = llvm.mlir.zero : !llvm.struct<(f32, i32)>
  // CHECK: llvm.insertvalue %[[STATUS]], %[[ZERO]][1]
  llvm.return %one : f32
}

// CHECK-LABEL: llvm.func internal @caller_of_caller(
// CHECK: %[[CALLED:.*]] = llvm.call @caller({{.*}}) : (i64, i1) -> !llvm.struct<(f32, i32)>
// CHECK: llvm.extractvalue %[[CALLED]][0]
// CHECK: llvm.extractvalue %[[CALLED]][1]
llvm.func internal @caller_of_caller(%failed: i1) -> f32 {
  %0 = llvm.call @caller(%failed) : (i1) -> f32
  llvm.return %0 : f32
}

// An assertion that always fails stands in the middle of a block, and what follows
// it defines values for blocks that nothing reaches then.
// CHECK-LABEL: llvm.func internal @always(
// CHECK: llvm.call @ampRtRunReportAssert
// CHECK: llvm.br ^[[LEAVE:.*]](%{{.*}} : i32)
// CHECK-NOT: @pure
// CHECK: ^[[LEAVE]]
llvm.func internal @always(%x: f32, %text: !llvm.ptr, %more: i1) {
  llvm.call @ampRtReportAssert(%text) : (!llvm.ptr) -> ()
  %0 = llvm.call @pure(%x) : (f32) -> f32
  llvm.call @check(%more) : (i1) -> ()
  llvm.br ^bb1
^bb1:
  %1 = llvm.call @pure(%0) : (f32) -> f32
  llvm.return
}

// Near miss: what cannot fail stays as it is.
// CHECK-LABEL: llvm.func @pure(%{{.*}}: f32) -> f32 {
llvm.func @pure(%x: f32) -> f32 {
  %0 = llvm.call @expf(%x) : (f32) -> f32
  llvm.return %0 : f32
}
llvm.func @expf(f32) -> f32

// -----

// Memory belongs to the run; where there is none, the program leaves.
// CHECK-DAG: llvm.func @ampRtRunAllocate(i64, i64) -> !llvm.ptr
// CHECK-DAG: llvm.func @ampRtRunAllocateAligned(i64, i64, i64) -> !llvm.ptr
// CHECK-DAG: llvm.func @ampRtRunFree(i64, !llvm.ptr)
// CHECK-NOT: _mlir_memref_to_llvm
llvm.func @_mlir_memref_to_llvm_alloc(i64) -> !llvm.ptr
llvm.func @_mlir_memref_to_llvm_aligned_alloc(i64, i64) -> !llvm.ptr
llvm.func @_mlir_memref_to_llvm_free(!llvm.ptr)
// CHECK-LABEL: llvm.func @memory(
// CHECK-SAME: %[[HANDLE:.*]]: i64, %[[N:.*]]: i64) -> i32
llvm.func @memory(%n: i64) {
  // CHECK: %[[P:.*]] = llvm.call @ampRtRunAllocate(%[[HANDLE]], %[[N]])
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
  // CHECK: %[[NONE:.*]] = llvm.icmp "eq" %[[P]], %[[NULL]]
  // CHECK: %[[FULL:.*]] = llvm.mlir.constant(5 : i32)
  // CHECK: llvm.cond_br %[[NONE]] weights([1, 1000000]), ^[[LEAVE:.*]](%[[FULL]] : i32), ^{{.*}}
  %p = llvm.call @_mlir_memref_to_llvm_alloc(%n) : (i64) -> !llvm.ptr
  // CHECK: llvm.call @ampRtRunAllocateAligned(%[[HANDLE]], %[[N]], %[[N]])
  %q = llvm.call @_mlir_memref_to_llvm_aligned_alloc(%n, %n) : (i64, i64) -> !llvm.ptr
  // CHECK: llvm.call @ampRtRunFree(%[[HANDLE]], %[[P]])
  // CHECK-NEXT: llvm.call @ampRtRunFree
  llvm.call @_mlir_memref_to_llvm_free(%p) : (!llvm.ptr) -> ()
  llvm.call @_mlir_memref_to_llvm_free(%q) : (!llvm.ptr) -> ()
  llvm.return
}

// -----

// An entry point begins and ends the call, whatever comes between, and is the only
// way in.
// CHECK-DAG: llvm.func @ampRtRunScale(i64, i64) -> f32
// CHECK-DAG: llvm.func @ampRtRunUpdateScale(i64, i64, i1)
llvm.func @ampRtScalerScale(i64) -> f32
llvm.func @ampRtScalerUpdateFromProgram(i64, i1)
// CHECK-LABEL: llvm.func internal @step(
// CHECK-SAME: %[[HANDLE:.*]]: i64, %[[SCALER:.*]]: i64, %{{.*}}: i1) -> i32 attributes {always_inline}
llvm.func @step(%scaler: i64, %found: i1) {
  // CHECK: llvm.call @ampRtRunScale(%[[HANDLE]], %[[SCALER]])
  // CHECK: llvm.call @ampRtRunUpdateScale(%[[HANDLE]], %[[SCALER]], %{{.*}})
  %0 = llvm.call @ampRtScalerScale(%scaler) : (i64) -> f32
  llvm.call @ampRtScalerUpdateFromProgram(%scaler, %found) : (i64, i1) -> ()
  llvm.return
}
// CHECK-LABEL: llvm.func @_mlir_ciface_step(
// CHECK-SAME: %[[HANDLE:.*]]: i64, %[[SCALER:.*]]: i64, %[[FOUND:.*]]: i1) -> i32
llvm.func @_mlir_ciface_step(%scaler: i64, %found: i1) {
  // CHECK: %[[BEGIN:.*]] = llvm.call @ampRtRunBegin(%[[HANDLE]]) : (i64) -> i32
  // CHECK: %[[REFUSED:.*]] = llvm.icmp "ne" %[[BEGIN]]
  // CHECK: llvm.cond_br %[[REFUSED]] {{.*}}, ^[[LEAVE:.*]](%[[BEGIN]] : i32), ^[[BODY:.*]]
  // CHECK: ^[[BODY]]:
  // CHECK: llvm.call @step(%[[HANDLE]], %[[SCALER]], %[[FOUND]])
  // CHECK-NOT: cond_br
  // CHECK: %[[END:.*]] = llvm.call @ampRtRunEnd(%[[HANDLE]]) : (i64) -> i32
  // CHECK: llvm.return %[[END]] : i32
  // CHECK: ^[[LEAVE]](%[[STATUS:.*]]: i32):
  // CHECK: llvm.return %[[STATUS]] : i32
  llvm.call @step(%scaler, %found) : (i64, i1) -> ()
  llvm.return
}

// An entry point that cannot fail has the same signature as the others.
// CHECK-LABEL: llvm.func internal @simple(%{{.*}}: !llvm.ptr) attributes {always_inline}
llvm.func @simple(%x: !llvm.ptr) {
  llvm.return
}
// CHECK-LABEL: llvm.func @_mlir_ciface_simple(
// CHECK-SAME: i64, %{{.*}}: !llvm.ptr) -> i32
// CHECK: llvm.call @simple(%{{.*}}) : (!llvm.ptr) -> ()
llvm.func @_mlir_ciface_simple(%x: !llvm.ptr) {
  llvm.call @simple(%x) : (!llvm.ptr) -> ()
  llvm.return
}
