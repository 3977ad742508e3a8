// RUN: amp-opt %s --split-input-file --verify-diagnostics --amp-cut-negative-pads | FileCheck %s

// What is cut off in front and behind; what is added stays.
// CHECK-LABEL: func.func @both
// CHECK:         %[[PART:.*]] = tensor.extract_slice %arg0[1, 0] [2, 3] [1, 1] : tensor<4x3xf32> to tensor<2x3xf32>
// CHECK:         tensor.pad %[[PART]] low[0, 0] high[0, 1]
// CHECK:         tensor<2x3xf32> to tensor<2x4xf32>
func.func @both(%x: tensor<4x3xf32>, %v: f32) -> tensor<2x4xf32> {
  %0 = tensor.pad %x low[-1, 0] high[-1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<4x3xf32> to tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// Of an extent that is not known.
// CHECK-LABEL: func.func @unknown
// CHECK:         %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK:         %[[LEFT:.*]] = arith.addi %[[N]], %c-2
// CHECK:         %[[PART:.*]] = tensor.extract_slice %arg0[2] [%[[LEFT]]] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK:         tensor.pad %[[PART]] low[0] high[1]
func.func @unknown(%x: tensor<?xf32>, %v: f32) -> tensor<?xf32> {
  %0 = tensor.pad %x low[-2] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// All of it.
// CHECK-LABEL: func.func @all
// CHECK:         tensor.extract_slice %arg0[0] [0] [1] : tensor<4xf32> to tensor<0xf32>
// CHECK:         tensor.pad
func.func @all(%x: tensor<4xf32>, %v: f32) -> tensor<2xf32> {
  %0 = tensor.pad %x low[-4] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Near misses: nothing is cut off; and an amount that is not known.
// CHECK-LABEL: func.func @padded
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return
func.func @padded(%x: tensor<4xf32>, %n: index, %v: f32) -> (tensor<6xf32>, tensor<?xf32>) {
  %0 = tensor.pad %x low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  %1 = tensor.pad %x low[0] high[%n] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<?xf32>
  return %0, %1 : tensor<6xf32>, tensor<?xf32>
}

// -----

func.func @more(%x: tensor<4xf32>, %v: f32) -> tensor<2xf32> {
  // expected-error @+1 {{expected a pad that cuts off no more than there is, but of 4 elements 5 are cut off}}
  %0 = tensor.pad %x low[-5] high[3] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
