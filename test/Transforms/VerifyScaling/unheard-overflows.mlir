// Several unscalings with one scaler: an overflow that any of them finds is to lower the
// scale.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %v: tensor<f32> {amp.role = "param", amp.name = "v"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "param", amp.name = "v"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %v : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u0, %f0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected what each 'amp.unscale' using '@s' finds to reach an 'amp.update_scale' of it, but this one's reaches none; an overflow here never lowers the scale, so hand it to the next unscaling as already found, or advance the scale with both ('arith.ori')}}
  %u1, %f1 = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f0
  %nw = arith.subf %w, %u0 : tensor<f32>
  %nv = arith.subf %v, %u1 : tensor<f32>
  return %nw, %nv : tensor<f32>, tensor<f32>
}

// -----

// Near misses: handed on as already found, joined with the other, and both alike for a
// scaler that never moves.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
amp.scaler @still {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %v: tensor<f32> {amp.role = "param", amp.name = "v"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "param", amp.name = "v"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %v : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u0, %f0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %u1, %f1 = amp.unscale %h using @s found(%f0) : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f1
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %i = arith.mulf %b, %v : tensor<f32>
  %j = arith.mulf %b, %w : tensor<f32>
  %u2, %f2 = amp.unscale %i using @t : (tensor<f32>) -> tensor<f32>
  %u3, %f3 = func.call @unscale(%j) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %both = arith.ori %f2, %f3 : tensor<i1>
  amp.update_scale @t, %both
  %c = amp.scale_loss %seed using @still : tensor<f32>
  %k = arith.mulf %c, %v : tensor<f32>
  %u4, %f4 = amp.unscale %k using @still : (tensor<f32>) -> tensor<f32>
  %w0 = arith.subf %w, %u0 : tensor<f32>
  %w1 = arith.subf %w0, %u2 : tensor<f32>
  %nw = arith.subf %w1, %u4 : tensor<f32>
  %v0 = arith.subf %v, %u1 : tensor<f32>
  %nv = arith.subf %v0, %u3 : tensor<f32>
  return %nw, %nv : tensor<f32>, tensor<f32>
}
func.func private @unscale(%g: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %u, %f = amp.unscale %g using @t : (tensor<f32>) -> tensor<f32>
  return %u, %f : tensor<f32>, tensor<i1>
}
