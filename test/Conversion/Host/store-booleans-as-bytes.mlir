// RUN: amp-opt %s --amp-store-booleans-as-bytes | FileCheck %s

// An alignment stays; the same value may be stored and used.
// CHECK-LABEL: llvm.func @booleans
// CHECK-NEXT:    %[[BYTE:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK-NEXT:    %[[MASK:.*]] = llvm.trunc %[[BYTE]] : i8 to i1
// CHECK-NEXT:    %[[STORED:.*]] = llvm.zext %[[MASK]] : i1 to i8
// CHECK-NEXT:    llvm.store %[[STORED]], %{{.*}} : i8, !llvm.ptr
// CHECK-NEXT:    llvm.select %[[MASK]], %{{.*}}, %{{.*}} : i1, f32
llvm.func @booleans(%from: !llvm.ptr, %to: !llvm.ptr, %x: f32, %y: f32) -> f32 {
  %mask = llvm.load %from {alignment = 1 : i64} : !llvm.ptr -> i1
  llvm.store %mask, %to : i1, !llvm.ptr
  %0 = llvm.select %mask, %x, %y : i1, f32
  llvm.return %0 : f32
}

// Near misses: bytes, floats, and vectors of i1, which are bits.
// CHECK-LABEL: llvm.func @kept
// CHECK-NOT:     llvm.trunc
// CHECK-NOT:     llvm.zext
// CHECK:         llvm.return
llvm.func @kept(%from: !llvm.ptr, %to: !llvm.ptr) {
  %0 = llvm.load %from : !llvm.ptr -> i8
  llvm.store %0, %to : i8, !llvm.ptr
  %1 = llvm.load %from : !llvm.ptr -> f32
  llvm.store %1, %to : f32, !llvm.ptr
  %2 = llvm.load %from : !llvm.ptr -> vector<8xi1>
  llvm.store %2, %to : vector<8xi1>, !llvm.ptr
  llvm.return
}
