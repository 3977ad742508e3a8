// RUN: amp-opt %s --amp-insert-casts | FileCheck %s
// B10: a movement of several values of different storage (concat, insert_slice) takes the
// raw, unrounded f32 form of a low unit's result: the value leaves its unit unrounded.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
// A mixture is of its widest part (Apex: cat promotes): the half part is widened.
// CHECK-LABEL: func.func @concat_of_mixture
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @concat_of_mixture(%x: tensor<4xf32>) -> tensor<8xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: tensor.concat dim(0) %[[X]], %[[W]]
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %c = tensor.concat dim(0) %x, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %0 = math.absf %c {amp.class = #amp.class<follow, unit = 1>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @insert_slice_into_wide
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<8xf32>
func.func @insert_slice_into_wide(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: tensor.insert_slice %[[W]] into %[[Y]]
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %c = tensor.insert_slice %p into %y[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %c : tensor<8xf32>
}
}
