// A step that is taken where its gradients overflow, and nowhere else.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// The new value where one was found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %step = arith.subf %w, %u : tensor<f32>
  // expected-error@below {{expected 'arith.select' to choose an old value where an infinity was found, but where an 'amp.unscale' using '@s' finds one, it chooses a new one; a step would be taken where it overflows alone}}
  %kept = arith.select %f, %step, %w : tensor<i1>, tensor<f32>
  return %kept : tensor<f32>
}

// -----
// The old one.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %step = arith.subf %w, %u : tensor<f32>
  %kept = arith.select %f, %w, %step : tensor<i1>, tensor<f32>
  return %kept : tensor<f32>
}

// -----
// Where all is finite, the old one.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %step = arith.subf %w, %u : tensor<f32>
  %all = arith.constant dense<true> : tensor<i1>
  %fine = arith.xori %f, %all : tensor<i1>
  // expected-error@below {{expected 'arith.select' to choose an old value where an infinity was found, but where an 'amp.unscale' using '@s' finds one, it chooses a new one; a step would be taken where it overflows alone}}
  %kept = arith.select %fine, %w, %step : tensor<i1>, tensor<f32>
  return %kept : tensor<f32>
}

// -----
// The new one.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %step = arith.subf %w, %u : tensor<f32>
  %all = arith.constant dense<true> : tensor<i1>
  %fine = arith.xori %f, %all : tensor<i1>
  %kept = arith.select %fine, %step, %w : tensor<i1>, tensor<f32>
  return %kept : tensor<f32>
}

// -----
// The same by regions.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %step = arith.subf %w, %u : tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  // expected-error@below {{expected 'scf.if' to choose an old value where an infinity was found, but where an 'amp.unscale' using '@s' finds one, it chooses a new one; a step would be taken where it overflows alone}}
  %kept = scf.if %is -> (tensor<f32>) {
    scf.yield %step : tensor<f32>
  } else {
    scf.yield %w : tensor<f32>
  }
  return %kept : tensor<f32>
}

// -----
// A gradient that is put to 0.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %zero = arith.constant dense<0.0> : tensor<f32>
  %safe = arith.select %f, %zero, %u : tensor<i1>, tensor<f32>
  %new = arith.subf %w, %safe : tensor<f32>
  return %new : tensor<f32>
}
