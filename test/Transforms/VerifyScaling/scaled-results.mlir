// Nothing that leaves a train step may carry a scale: states, buffers, accumulators
// of a window over several calls, the loss that is reported, and the gradient of
// an input.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %k: tensor<f32> {amp.role = "param", amp.name = "k"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "param", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected 'param' 'k' of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %k: tensor<f32> {amp.role = "master", amp.name = "k"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "master", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected 'master' 'k' of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %k: tensor<f32> {amp.role = "opt_state", amp.name = "k"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "opt_state", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected 'opt_state' 'k' of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %k: tensor<f32> {amp.role = "buffer", amp.name = "k"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "buffer", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected 'buffer' 'k' of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %k: tensor<f32> {amp.role = "accumulator", amp.name = "k"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "accumulator", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected 'accumulator' 'k' of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected 'loss' 'k' of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "output", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected 'output' 'k' of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "grad", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected 'grad' 'k' of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32>) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected a result without role of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "output", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  %kept, %fkept = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}

// -----
// CHECK: func.func @train
// It may leave a backward function.
func.func private @backward(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "grad", amp.name = "w"}, tensor<f32>) {
  %g = arith.mulf %s, %x : tensor<f32>
  return %g, %s : tensor<f32>, tensor<f32>
}
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g, %gx = call @backward(%x, %a) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32>) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@above {{the scale comes from here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected a result without role of train step '@train' to carry no loss scale, but got degree 1 in @s; unscale it, or compute it from what is not scaled}}
  %kept = arith.mulf %g, %x : tensor<f32>
  return %new, %kept : tensor<f32>, tensor<f32>
}
