// RUN: amp-opt %s --amp-mark-entry-points --split-input-file | FileCheck %s

// Which functions a host calls. They get a C interface, and none of their tensors may
// be written to: a driver hands one array to two calls.

// With a train step: that and evaluate. What they call is private, whatever it was.
module {
  // CHECK: func.func private @forward_backward
  // CHECK-NOT: llvm.emit_c_interface
  func.func @forward_backward(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
    return %w : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @train_step(
  // CHECK-SAME: tensor<4xf32> {amp.name = "w", amp.role = "param", bufferization.writable = false}
  // CHECK-SAME: tensor<f32> {amp.name = "loss", amp.role = "loss_seed", bufferization.writable = false}
  // A handle is no tensor.
  // CHECK-SAME: i64 {amp.name = "s", amp.role = "scaler_state"})
  // CHECK-SAME: attributes {llvm.emit_c_interface}
  func.func private @train_step(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
      %h: i64 {amp.role = "scaler_state", amp.name = "s"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    return %w : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @evaluate(
  // CHECK-SAME: attributes {llvm.emit_c_interface}
  func.func @evaluate(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
      -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
    return %x : tensor<4xf32>
  }
  // CHECK: func.func private @helper
  func.func @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// Without one (a PyTorch backend compiles the halves apart): every function with roles.
module {
  // CHECK-LABEL: func.func @forward_backward(
  // CHECK-SAME: attributes {llvm.emit_c_interface}
  func.func @forward_backward(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
    return %w : tensor<4xf32>
  }
  // CHECK: func.func private @helper
  func.func @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  // Near miss: a declaration cannot be called from outside.
  // CHECK: func.func private @declared
  // CHECK-NOT: llvm.emit_c_interface
  func.func private @declared(tensor<4xf32> {amp.role = "param", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
}
