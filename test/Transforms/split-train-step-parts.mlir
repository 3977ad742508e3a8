// Fused train steps whose parts take or give more than marked gradients.
//
// RUN: amp-opt %s --split-input-file --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-split-train-step | FileCheck %s

// A parameter that the step has the master of alone.
// CHECK-LABEL: func private @step_forward_backward(
// CHECK-SAME:    -> (tensor<4xf32> {amp.name = "w", amp.role = "grad"}
// CHECK-LABEL: func private @step_optimizer_step(
// CHECK-SAME:    tensor<4xf32> {amp.name = "w", amp.role = "master"}
func.func @step(
    %w: tensor<4xf32> {amp.role = "master", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "master", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %loss = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %s, %x {amp.grad = ["w"]} : tensor<4xf32>
  %w1 = arith.subf %w, %g : tensor<4xf32>
  return %loss, %w1 : tensor<f32>, tensor<4xf32>
}

// -----

// What is returned as a gradient beside a mark, is no second one.
// CHECK-LABEL: func private @step_optimizer_step(
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32> {amp.name = "w", amp.role = "grad"})
// CHECK:         arith.minimumf %[[G]]
// CHECK-LABEL: func @step(
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %loss = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %s, %x {amp.grad = ["w"]} : tensor<4xf32>
  %clipped = arith.minimumf %g, %half : tensor<4xf32>
  %w1 = arith.subf %w, %clipped : tensor<4xf32>
  return %loss, %w1, %clipped : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What both read is computed once if a buffer is in it, and handed on; what calls code
// that is not in the module too.
// CHECK-LABEL: func private @step_forward_backward(
// CHECK-DAG:     call @foreign
// CHECK-DAG:     math.exp
// CHECK-LABEL: func private @step_optimizer_step(
// CHECK-NOT:     math.exp
// CHECK-NOT:     call @foreign
// CHECK-LABEL: func @step(
func.func private @foreign() -> tensor<4xf32>
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %b: tensor<4xf32> {amp.role = "buffer", amp.name = "b"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %k = call @foreign() : () -> tensor<4xf32>
  %p = math.exp %b : tensor<4xf32>
  %y0 = arith.mulf %x, %p : tensor<4xf32>
  %y = arith.mulf %y0, %k : tensor<4xf32>
  %loss = linalg.dot ins(%w, %y : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %s, %y {amp.grad = ["w"]} : tensor<4xf32>
  %h = arith.mulf %g, %p : tensor<4xf32>
  %i = arith.mulf %h, %k : tensor<4xf32>
  %w1 = arith.subf %w, %i : tensor<4xf32>
  return %loss, %w1 : tensor<f32>, tensor<4xf32>
}

// -----

// A seed that nothing reads stays an argument of the backward pass, for the check of it.
// CHECK-LABEL: func private @step_forward_backward(
// CHECK-SAME:    {amp.name = "loss", amp.role = "loss_seed"})
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %g = arith.mulf %x, %x {amp.grad = ["w"]} : tensor<4xf32>
  %w1 = arith.subf %w, %g : tensor<4xf32>
  return %loss, %w1 : tensor<f32>, tensor<4xf32>
}
