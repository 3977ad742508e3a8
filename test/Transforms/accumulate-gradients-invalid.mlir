// RUN: amp-opt %s --split-input-file --verify-diagnostics --amp-accumulate-gradients=micro-batches=2
// RUN: not amp-opt %s --split-input-file --amp-accumulate-gradients=micro-batches=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: expected 'micro-batches' to be at least 1, but got 0
// RUN: not amp-opt %s --split-input-file --amp-accumulate-gradients=micro-batches=1025 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: expected 'micro-batches' to be at most 1024, as each is code of its own, but got 1025; use fewer parts of more rows

// expected-error @below {{expected train step '@step' to call one function with 'grad' results, outside loops and branches, to divide its batch by 'micro-batches', but found none; mark the gradients of a fused step with 'amp.grad', which amp-split-train-step cuts it at}}
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  return %w : tensor<4xf32>
}

// -----

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
// A step with micro-batches of its own.
// expected-error @below {{expected train step '@step' to call one function with 'grad' results, outside loops and branches, to divide its batch by 'micro-batches', but found 2; leave the option out of a step that has micro-batches of its own}}
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  %h = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  %s = arith.addf %g, %h : tensor<4xf32>
  %n = arith.subf %w, %s : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
// expected-error @below {{expected train step '@step' to call one function with 'grad' results, outside loops and branches, to divide its batch by 'micro-batches', but found it in 'scf.for'; leave the option out of a step that has micro-batches of its own}}
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %g = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %w) -> tensor<4xf32> {
    %h = func.call @forward_backward(%a, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
    scf.yield %h : tensor<4xf32>
  }
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %y = arith.addf %x, %x : tensor<2x4xf32>
  // expected-error @below {{expected batch 'x0' to be an argument of '@step' that only this call reads, to divide its rows by 'micro-batches'; move what else reads it into '@forward_backward'}}
  %g = call @forward_backward(%w, %y, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Read by the call and by something else.
func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected batch 'x0' to be an argument of '@step' that only this call reads, to divide its rows by 'micro-batches'; move what else reads it into '@forward_backward'}}
  %g = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  %y = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %h = arith.addf %g, %y : tensor<4xf32>
  %n = arith.subf %w, %h : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected batch 'x0' to have a fixed number of rows, each of the 'micro-batches' takes as many, but got 'tensor<?x4xf32>'}}
  %g = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"},
        tensor<2x4xf32> {amp.role = "output", amp.name = "y0"})
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected the results of '@forward_backward' that the step reads to be losses, gradients and states, which 'micro-batches' can add or hand on, but result 1 is of role 'output'}}
  %g, %y = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<2x4xf32>)
  %z = tensor.extract_slice %y[0, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %h = arith.addf %g, %z : tensor<4xf32>
  %n = arith.subf %w, %h : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// It may give what the step does not read.
func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"},
        tensor<2x4xf32> {amp.role = "output", amp.name = "y0"})
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g, %y = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<2x4xf32>)
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"},
        tensor<i32>)
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected the results of '@forward_backward' that the step reads to be losses, gradients and states, which 'micro-batches' can add or hand on, but result 1 is of none}}
  %g, %y = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<i32>)
  %k = tensor.extract %y[] : tensor<i32>
  %f = arith.sitofp %k : i32 to f32
  %z = tensor.splat %f : tensor<4xf32>
  %h = arith.addf %g, %z : tensor<4xf32>
  %n = arith.subf %w, %h : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"},
        tensor<i32> {amp.role = "grad", amp.name = "count"})
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected 'count' to be of floating point to be added over 'micro-batches', but got 'tensor<i32>'}}
  %g, %y = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<i32>)
  %k = tensor.extract %y[] : tensor<i32>
  %f = arith.sitofp %k : i32 to f32
  %z = tensor.splat %f : tensor<4xf32>
  %h = arith.addf %g, %z : tensor<4xf32>
  %n = arith.subf %w, %h : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
// expected-error @below {{expected 'micro-batches' to be 4, by which the batch of train step '@step' has been divided, but got 2}}
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
    attributes {amp.micro_batches = 4 : i64} {
  %g = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<4611686018427387904x0xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4611686018427387904x0xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected batch 'x0' to have less than 2^63 rows in all 'micro-batches', but got 2 times 'tensor<4611686018427387904x0xf32>'}}
  %g = call @forward_backward(%w, %x, %seed) : (tensor<4xf32>, tensor<4611686018427387904x0xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// One tensor as a batch and as what is no batch.
func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<2x4xf32> {amp.role = "buffer", amp.name = "b"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected batch 'x0' to be an argument of '@step' that only this call reads}}
  %g = call @forward_backward(%w, %x, %x, %seed) : (tensor<4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}
