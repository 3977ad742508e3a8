// Functions that compute gradients and are neither train steps nor backward passes by
// their roles: nothing of them would be scaled, guarded or verified.
//
// RUN: amp-opt %s --split-input-file -verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(amp-initialize-opt-level{opt-level=O1},amp-insert-loss-scaling)' | FileCheck %s
//
// Where no loss is scaled they are no fault.
// RUN: amp-opt %s --split-input-file --amp-mixed-precision=opt-level=O0 -o /dev/null
// RUN: amp-opt %s --split-input-file --amp-mixed-precision=opt-level=O4 -o /dev/null

// The seed is a constant of the step.
func.func @backward(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %s = tensor.extract %seed[] : tensor<f32>
  %all = tensor.splat %s : tensor<4xf32>
  %g = arith.mulf %all, %x : tensor<4xf32>
  return %g : tensor<4xf32>
}
// expected-error@below {{expected '@train', which updates 'param' 'w', to have its loss seed as an argument, or its loss is not scaled and no overflow skips the update; start its backward pass from an argument with amp.role = "loss_seed", which is 1 in each call}}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32>)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-note@below {{gradients are computed here}}
  %g = func.call @backward(%x, %one) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %new = arith.subf %w, %g : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// Mended.
// CHECK: func.func @train
// CHECK: amp.unscale
func.func @backward(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %s = tensor.extract %seed[] : tensor<f32>
  %all = tensor.splat %s : tensor<4xf32>
  %g = arith.mulf %all, %x : tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32>,
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g = func.call @backward(%x, %seed) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %new = arith.subf %w, %g : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A fused step with a seed of its own, of a master and with its loss.
// expected-error@below {{expected '@train', which updates 'master' 'w', to have its loss seed as an argument, or its loss is not scaled and no overflow skips the update; start its backward pass from an argument with amp.role = "loss_seed", which is 1 in each call, or give results that no gradient comes into the role 'buffer'}}
func.func @train(%w: tensor<f32> {amp.role = "master", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<f32> {amp.role = "master", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "loss"}) {
  %loss = arith.mulf %w, %x : tensor<f32>
  %new = arith.subf %w, %x : tensor<f32>
  return %new, %loss : tensor<f32>, tensor<f32>
}

// -----

// Near misses: an average of weights, an initialization, an optimizer step, an update of
// buffers from a batch, a function that a step calls, a declaration.
// CHECK: func.func @average
func.func @average(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %v: tensor<4xf32>)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %new = arith.addf %w, %v : tensor<4xf32>
  return %new : tensor<4xf32>
}
func.func @initialize() -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  return %zero : tensor<4xf32>
}
func.func @optimizer(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %new = arith.subf %w, %g : tensor<4xf32>
  return %new : tensor<4xf32>
}
func.func @calibrate(%m: tensor<4xf32> {amp.role = "buffer", amp.name = "mean"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "buffer", amp.name = "mean"}) {
  %new = arith.addf %m, %x : tensor<4xf32>
  return %new : tensor<4xf32>
}
func.func @helper(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  return %w : tensor<4xf32>
}
func.func @evaluate(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y"}) {
  %same = call @helper(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %same : tensor<4xf32>
}
func.func private @elsewhere(tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})

// -----

// A seed, and no role of a result that says what becomes of it: none, a state alone, an
// accumulator alone.
// expected-error@below {{expected '@train', which takes the seed of loss 'loss', to give gradients (amp.role = "grad") or new parameters ("param" or "master"), or its loss is not scaled and no overflow skips what it computes; give its results their roles}}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> tensor<f32> {
  %new = arith.subf %w, %seed : tensor<f32>
  return %new : tensor<f32>
}
// expected-error@below {{expected '@states', which takes the seed of loss 'loss', to give gradients}}
func.func @states(%m: tensor<f32> {amp.role = "opt_state", amp.name = "m"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "opt_state", amp.name = "m"}) {
  %new = arith.subf %m, %seed : tensor<f32>
  return %new : tensor<f32>
}
// expected-error@below {{expected '@sums', which takes the seed of loss 'loss', to give gradients}}
func.func @sums(%m: tensor<f32> {amp.role = "accumulator", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "accumulator", amp.name = "w"}) {
  %new = arith.addf %m, %seed : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Parts that no step joins, as a loop outside of the module calls them.
// expected-warning@below {{no train step calls '@backward' and '@optimizer': the loss is not scaled here, and no overflow skips an update; add a function with the loss seed and the new parameters that calls both, or scale, unscale and skip where they are called}}
func.func @backward(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %g = arith.mulf %seed, %x : tensor<f32>
  return %g : tensor<f32>
}
func.func @optimizer(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %g: tensor<f32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %new = arith.subf %w, %g : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a backward pass alone, whose gradients are somebody else's.
func.func @backward(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %g = arith.mulf %seed, %x : tensor<f32>
  return %g : tensor<f32>
}
