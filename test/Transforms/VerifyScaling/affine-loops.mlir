// affine.for and affine.if in a backward pass: as scf.for and scf.if.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// What each round adds carries the scale as often as what the loop begins with.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %g = affine.for %i = 0 to 3 iter_args(%sum = %zero) -> (tensor<f32>) {
    %h = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) -> tensor<f32> {
      %p = arith.mulf %a, %x : tensor<f32>
      affine.yield %p : tensor<f32>
    } else {
      affine.yield %a : tensor<f32>
    }
    %q = arith.addf %sum, %h : tensor<f32>
    affine.yield %q : tensor<f32>
  }
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A round that multiplies by the seed carries one power more than the one before.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: ways that meet at 'affine.for', or its rounds, bring degree 1 in @s and degree 2 in @s; unscale on each way, or inside the loop}}
  %g = affine.for %i = 0 to 3 iter_args(%product = %a) -> (tensor<f32>) {
    %q = arith.mulf %product, %a : tensor<f32>
    affine.yield %q : tensor<f32>
  }
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Two ways of a branch that carry different powers.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %n: index {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: ways that meet at 'affine.if', or its rounds, bring degree 0 and degree 1 in @s; unscale on each way, or inside the loop}}
  %g = affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%n] -> tensor<f32> {
    affine.yield %a : tensor<f32>
  } else {
    affine.yield %seed : tensor<f32>
  }
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
