// Clipping by value and by norm before a gradient is unscaled, and after.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  %c = arith.minimumf %g, %one : tensor<f32>
  %u, %fu = amp.unscale %c using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %gg = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %gg : tensor<f32>
  %k = arith.divf %one, %norm : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree -1 in @s and degree 0; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  %m = arith.minimumf %k, %one : tensor<f32>
  %c = arith.mulf %g, %m : tensor<f32>
  %u, %fu = amp.unscale %c using @s : (tensor<f32>) -> tensor<f32>
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
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %c = arith.minimumf %u, %one : tensor<f32>
  %new = arith.subf %w, %c : tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
// A norm that is taken of scaled gradients and unscaled itself, and gradients that
// are normalised altogether, need no unscaling before.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %gg = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %gg : tensor<f32>
  %n, %fn = amp.unscale %norm using @s : (tensor<f32>) -> tensor<f32>
  %k = arith.divf %one, %n : tensor<f32>
  %m = arith.minimumf %k, %one : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %c = arith.mulf %u, %m : tensor<f32>
  %direction = arith.divf %g, %norm : tensor<f32>
  %c2 = arith.addf %c, %direction : tensor<f32>
  %new = arith.subf %w, %c2 : tensor<f32>
  return %new : tensor<f32>
}

// -----
// One error for one place, whatever it reaches.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %k: tensor<f32> {amp.role = "opt_state", amp.name = "k"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "opt_state", amp.name = "k"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  %c = arith.minimumf %g, %one : tensor<f32>
  %u, %fu = amp.unscale %c using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train' and 1 more of its results}}
  %new = arith.subf %w, %u : tensor<f32>
  %m = arith.addf %new, %u : tensor<f32>
  return %new, %m : tensor<f32>, tensor<f32>
}
