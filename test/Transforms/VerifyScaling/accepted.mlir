// Steps that look like mistakes and are none.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// A gradient penalty: the norm of a gradient that was unscaled is a part of the
// loss, whose own gradient is scaled again.
amp.scaler @s {initial_scale = 4.0 : f64}
// CHECK: func.func @penalty
func.func @penalty(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
                   %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
                   %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "loss"}) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %gx = arith.mulf %a, %w : tensor<f32>
  %u, %found = amp.unscale %gx using @s : (tensor<f32>) -> tensor<f32>
  %norm = math.absf %u : tensor<f32>
  %excess = arith.subf %norm, %one : tensor<f32>
  %loss = arith.mulf %excess, %excess : tensor<f32>
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %d = arith.mulf %b, %excess : tensor<f32>
  %sign = math.copysign %one, %u : tensor<f32>
  %gw = arith.mulf %d, %sign : tensor<f32>
  %v, %again = amp.unscale %gw using @s found(%found) : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %again
  %new = arith.subf %w, %v : tensor<f32>
  return %new, %loss : tensor<f32>, tensor<f32>
}

// -----
// Micro-batches in a loop whose gradients are added while they are scaled, and
// AdamW with its decay after unscaling.
amp.scaler @s {initial_scale = 4.0 : f64}
// CHECK: func.func @adamw
func.func @adamw(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
                 %m: tensor<f32> {amp.role = "opt_state", amp.name = "m"},
                 %v: tensor<f32> {amp.role = "opt_state", amp.name = "v"},
                 %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
                 %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "opt_state", amp.name = "m"},
        tensor<f32> {amp.role = "opt_state", amp.name = "v"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %eps = arith.constant dense<1.0e-8> : tensor<f32>
  %decay = arith.constant dense<0.01> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> tensor<f32> {
    %row = tensor.extract %x[%i] : tensor<8xf32>
    %rows = tensor.from_elements %row : tensor<f32>
    %one = arith.mulf %a, %rows : tensor<f32>
    %next = arith.addf %sum, %one : tensor<f32>
    scf.yield %next : tensor<f32>
  }
  %u, %found = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %found
  %new:3 = amp.apply_if_finite %found keep(%w, %m, %v) {
    %m1 = arith.addf %m, %u : tensor<f32>
    %uu = arith.mulf %u, %u : tensor<f32>
    %v1 = arith.addf %v, %uu : tensor<f32>
    %root = math.sqrt %v1 : tensor<f32>
    %denominator = arith.addf %root, %eps : tensor<f32>
    %update = arith.divf %m1, %denominator : tensor<f32>
    %decayed = arith.mulf %w, %decay : tensor<f32>
    %both = arith.addf %update, %decayed : tensor<f32>
    %w1 = arith.subf %w, %both : tensor<f32>
    amp.yield %w1, %m1, %v1 : tensor<f32>, tensor<f32>, tensor<f32>
  } : tensor<f32>, tensor<f32>, tensor<f32>
  return %new#0, %new#1, %new#2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----
// Two losses, each with its scaler, one of them through a helper that the
// forward pass uses as well.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
amp.scaler @t {initial_scale = 4.0 : f64, static_scale}
func.func private @times(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = arith.mulf %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
// CHECK: func.func @two
func.func @two(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
               %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
               %first: tensor<f32> {amp.role = "loss_seed", amp.name = "first"},
               %second: tensor<f32> {amp.role = "loss_seed", amp.name = "second"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "first"}) {
  %loss = call @times(%w, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %a = amp.scale_loss %first using @s : tensor<f32>
  %b = amp.scale_loss %second using @t : tensor<f32>
  %g = call @times(%a, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %h = call @times(%loss, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %1 = amp.unscale %h using @t accumulate(%u) : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %v : tensor<f32>
  return %new, %loss : tensor<f32>, tensor<f32>
}

// -----
// A backward pass in a region with a policy of its own.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %k = amp.autocast {
    %g = arith.mulf %a, %x : tensor<f32>
    amp.yield %g : tensor<f32>
  } : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
