// RUN: amp-opt %s --amp-insert-casts | FileCheck %s

// Where nothing is half, nothing is cast, and the regions with a policy of their own
// dissolve all the same: no later pass knows them.

module attributes {amp.policy = #amp.policy<O0, cast_model_type = f32, loss_scale = 1.0>} {

// CHECK-LABEL: func.func @region
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @region(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[X]]
  // CHECK-NEXT: return %[[E]]
  %0 = amp.autocast {
    %1 = math.exp %x : tensor<4xf32>
    amp.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A half policy inside an FP32 program: O0 leaves every value as it is.
// CHECK-LABEL: func.func @half_policy
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>, %[[O:.*]]: tensor<4x4xf32>
func.func @half_policy(%x: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: %[[M:.*]] = linalg.matmul ins(%[[X]], %[[X]] : tensor<4x4xf32>, tensor<4x4xf32>)
  // CHECK-NEXT: return %[[M]]
  %0 = amp.autocast under <O1, patch_type = f16, loss_scale = dynamic> {
    %1 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
    amp.yield %1 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Regions in regions, and in control flow; one of them only hands a value on.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: tensor<4xf32>
func.func @nested(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = scf.if %[[C]]
  // CHECK-NEXT:   %[[E:.*]] = math.exp %[[X]]
  // CHECK-NEXT:   %[[S:.*]] = math.sqrt %[[E]]
  // CHECK-NEXT:   scf.yield %[[S]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   scf.yield %[[X]]
  // CHECK:      return %[[R]]
  %r = scf.if %c -> tensor<4xf32> {
    %0 = amp.autocast {
      %1 = amp.autocast under <O1, patch_type = f16, loss_scale = dynamic> {
        %2 = math.exp %x : tensor<4xf32>
        amp.yield %2 : tensor<4xf32>
      } : tensor<4xf32>
      %3 = math.sqrt %1 : tensor<4xf32>
      amp.yield %3 : tensor<4xf32>
    } : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    %0 = amp.autocast {
      amp.yield %x : tensor<4xf32>
    } : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Near miss: casts and guards that the program states are no regions with a policy.
// CHECK-LABEL: func.func @stated
func.func @stated(%x: tensor<4xf32>, %found: tensor<i1>) -> tensor<4xf32> {
  // CHECK: amp.cast
  // CHECK: amp.cast
  // CHECK: amp.apply_if_finite
  // CHECK:   amp.yield
  %0 = amp.cast %x : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %0 : tensor<4xf16> to tensor<4xf32>
  %2 = amp.apply_if_finite %found keep(%x) {
    %3 = math.exp %1 : tensor<4xf32>
    amp.yield %3 : tensor<4xf32>
  } : tensor<4xf32>
  return %2 : tensor<4xf32>
}

} // module
