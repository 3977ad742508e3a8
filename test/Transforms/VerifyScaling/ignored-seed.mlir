// A backward pass that makes no use of its seed: its gradients carry no scale that
// could be taken out.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %x, %x : tensor<f32>
  // expected-error@below {{expected gradients that carry the scale of '@s' once, but got one of degree 0: its backward pass does not make use of its 'loss_seed'; multiply the gradient of the loss by the seed}}
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %x, %a : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
// A gradient that is 0 whatever the seed.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.constant dense<0.0> : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Made use of, and divided by itself: in the backward pass, which is called.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @fb(%w: tensor<f32> {amp.role = "param", amp.name = "w"}, %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %g = arith.mulf %seed, %x : tensor<f32>
  %size = math.absf %g : tensor<f32>
  // expected-note@below {{the scale is lost here}}
  %direction = arith.divf %g, %size : tensor<f32>
  return %direction : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @fb(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected gradients that carry the scale of '@s' once, but got one of degree 0: its scale cancels on the way from the 'loss_seed'; divide by what carries no scale, and normalise gradients after they are unscaled}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @fb(%w: tensor<f32> {amp.role = "param", amp.name = "w"}, %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %g = arith.mulf %seed, %x : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @fb(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %size = math.absf %u : tensor<f32>
  %direction = arith.divf %u, %size : tensor<f32>
  %new = arith.subf %w, %direction : tensor<f32>
  return %new : tensor<f32>
}
