// Gradients of losses with different scalers, added before they are unscaled.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
amp.scaler @t {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 1 in @t; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  %gh = arith.addf %g, %h : tensor<f32>
  %u, %fu = amp.unscale %gh using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
amp.scaler @t {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  %gh = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %gh : tensor<f32>
  return %new : tensor<f32>
}
