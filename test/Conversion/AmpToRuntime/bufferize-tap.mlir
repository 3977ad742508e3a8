// RUN: amp-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// A tap works in place: the host gets the address of the value's own buffer, with its
// names, element kind and count; what the host leaves there is the result.

// CHECK-DAG: llvm.mlir.global internal constant @[[NAME:.*]]("fc.weight")
// CHECK-DAG: llvm.mlir.global internal constant @[[POINT:.*]]("grad")
// CHECK-DAG: func.func private @ampRtTap(i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i32, i64)

// CHECK-LABEL: func.func @in_place
// CHECK-SAME: %[[H:.*]]: i64
func.func @in_place(%h: i64) -> tensor<2x4xf16> {
  // CHECK: %[[BUFFER:.*]] = memref.alloc() {{.*}}: memref<2x4xf16>
  // CHECK-NOT: memref.copy
  // CHECK: %[[INDEX:.*]] = memref.extract_aligned_pointer_as_index %[[BUFFER]]
  // CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[INDEX]] : index to i64
  // CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr
  // CHECK-DAG: %[[KIND:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[N:.*]] = llvm.mlir.addressof @[[NAME]]
  // CHECK-DAG: %[[P:.*]] = llvm.mlir.addressof @[[POINT]]
  // CHECK: call @ampRtTap(%[[H]], %[[N]], %{{.*}}, %[[P]], %{{.*}}, %[[POINTER]], %{{.*}}, %{{.*}})
  // CHECK: return %[[BUFFER]]
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<2x4xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<2x4xf16>) -> tensor<2x4xf16>
  %0 = amp.tap "grad" "fc.weight" %f via %h : tensor<2x4xf16>
  return %0 : tensor<2x4xf16>
}

// Somebody still reads the value as it was: he gets a copy.
// CHECK-LABEL: func.func @old_value_wanted
func.func @old_value_wanted(%h: i64, %i: index) -> (tensor<4xf32>, f32) {
  // CHECK: memref.copy
  // CHECK: call @ampRtTap
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = amp.tap "grad" "fc.weight" %f via %h : tensor<4xf32>
  %old = tensor.extract %f[%i] : tensor<4xf32>
  return %0, %old : tensor<4xf32>, f32
}

// A view whose elements are apart is copied for the runtime, and back.
// CHECK-LABEL: func.func @strided
// CHECK: %[[VIEW:.*]] = memref.subview {{.*}} to memref<4x1xf32, strided<[8, 1], offset: 3>>
// CHECK: %[[DENSE:.*]] = memref.alloc() {{.*}}: memref<4x1xf32>
// CHECK: memref.copy %[[VIEW]], %[[DENSE]]
// CHECK: memref.extract_aligned_pointer_as_index %[[DENSE]]
// CHECK: call @ampRtTap
// CHECK: memref.copy %[[DENSE]], %[[VIEW]]
// CHECK: memref.load %[[VIEW]]
func.func @strided(%handle: i64, %g: tensor<4x8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %view = tensor.extract_slice %g[0, 3] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4x1xf32>
  %tapped = amp.tap "grad" "w" %view via %handle : tensor<4x1xf32>
  %0 = tensor.extract %tapped[%c0, %c0] : tensor<4x1xf32>
  return %0 : f32
}
