// RUN: amp-opt %s --amp-accumulate-gradients=micro-batches=2 | FileCheck %s

// An autoencoder: one tensor is both batches, and is divided for both.
func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x1"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
// CHECK-LABEL: func.func @train_step
// CHECK-SAME:  %[[X:[a-z0-9]+]]: tensor<4x4xf32> {amp.name = "x0"
func.func @train_step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: %[[A0:.*]] = tensor.extract_slice %[[X]][0, 0] [2, 4] [1, 1]
  // CHECK: %[[B0:.*]] = tensor.extract_slice %[[X]][0, 0] [2, 4] [1, 1]
  // CHECK: call @forward_backward(%{{.*}}, %[[A0]], %[[B0]], %{{.*}})
  // CHECK: %[[A1:.*]] = tensor.extract_slice %[[X]][2, 0] [2, 4] [1, 1]
  // CHECK: %[[B1:.*]] = tensor.extract_slice %[[X]][2, 0] [2, 4] [1, 1]
  // CHECK: call @forward_backward(%{{.*}}, %[[A1]], %[[B1]], %{{.*}})
  %g = call @forward_backward(%w, %x, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}
