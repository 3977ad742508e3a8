// RUN: amp-opt %s --amp-convert-parallel-calls --split-input-file | FileCheck %s
// RUN: amp-opt %s --amp-convert-parallel-calls --amp-return-status --split-input-file | FileCheck %s --check-prefix=STATUS

// The context is allocated where the function begins, not in the loop.
// CHECK: llvm.func @ampRtParallel(i64, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: llvm.func @step(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr, %[[N:.*]]: i64, %{{.*}}: i1)
// CHECK-NEXT: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT: %[[CONTEXT:.*]] = llvm.alloca %[[ONE]] x !llvm.struct<(ptr, i64)>
// CHECK: ^bb1
// CHECK: llvm.store %[[X]],
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CONTEXT]][0, 1]
// CHECK: llvm.store %[[N]], %[[FIELD]]
// CHECK: %[[TASK:.*]] = llvm.mlir.addressof @amp_parallel_part
// CHECK: llvm.call @ampRtParallel(%[[N]], %[[TASK]], %[[CONTEXT]])
// CHECK-NOT: llvm.call @part
// CHECK: llvm.func internal @amp_parallel_part(%[[I:.*]]: i64, %[[C:.*]]: !llvm.ptr) attributes {amp.parallel}
// CHECK: %[[PX:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[PN:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: llvm.call @part(%[[I]], %[[PX]], %[[PN]])

// Both take the run; the step leaves with the status of its parts. A part that
// cannot fail needs neither.
// STATUS: llvm.func @ampRtRunParallel(i64, i64, !llvm.ptr, !llvm.ptr) -> i32
// STATUS: llvm.func @part(%{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: i64) {
// STATUS-LABEL: llvm.func @step(
// STATUS-SAME: %[[HANDLE:[a-z0-9]*]]: i64, %{{.*}}) -> i32
// STATUS: %[[FAILED:.*]] = llvm.call @ampRtRunParallel(%[[HANDLE]],
// STATUS: %[[IS:.*]] = llvm.icmp "ne" %[[FAILED]],
// STATUS: llvm.cond_br %[[IS]]
// STATUS: llvm.func internal @amp_parallel_part(%{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> i32 {
// STATUS: llvm.call @part(%{{.*}}) : (i64, !llvm.ptr, i64) -> ()
llvm.func @part(%i: i64, %x: !llvm.ptr, %n: i64) {
  llvm.return
}
llvm.func @step(%x: !llvm.ptr, %n: i64, %c: i1) {
  llvm.br ^bb1
^bb1:
  llvm.call @part(%n, %x, %n) {amp.parallel} : (i64, !llvm.ptr, i64) -> ()
  llvm.cond_br %c, ^bb1, ^bb2
^bb2:
  llvm.return
}

// -----

// A part that allocates hands its status on.
// STATUS-LABEL: llvm.func @part(
// STATUS-SAME: %[[HANDLE:.*]]: i64, %[[I:.*]]: i64) -> i32
// STATUS: llvm.call @ampRtRunAllocate(%[[HANDLE]],
// STATUS: llvm.func internal @amp_parallel_part(%[[R:.*]]: i64, %[[J:.*]]: i64, %{{.*}}: !llvm.ptr) -> i32 {
// STATUS: %[[S:.*]] = llvm.call @part(%[[R]], %[[J]])
// STATUS: llvm.icmp "ne" %[[S]]
llvm.func @_mlir_memref_to_llvm_alloc(i64) -> !llvm.ptr
llvm.func @part(%i: i64) {
  %0 = llvm.call @_mlir_memref_to_llvm_alloc(%i) : (i64) -> !llvm.ptr
  llvm.return
}
// Two calls of one part share its task.
// CHECK-LABEL: llvm.func @twice
// CHECK-COUNT-2: llvm.call @ampRtParallel
// CHECK-COUNT-1: llvm.func internal @amp_parallel_part(
// CHECK-NOT: llvm.func internal
llvm.func @twice(%n: i64) {
  llvm.call @part(%n) {amp.parallel} : (i64) -> ()
  llvm.call @part(%n) {amp.parallel} : (i64) -> ()
  llvm.return
}

// -----

// Near miss: another call.
// CHECK-LABEL: llvm.func @plain
// CHECK: llvm.call @part(
// CHECK-NOT: ampRtParallel
llvm.func @part(%i: i64) {
  llvm.return
}
llvm.func @plain(%n: i64) {
  llvm.call @part(%n) : (i64) -> ()
  llvm.return
}
