// Exponents are constants, wherever those are written.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// The exponent fills a tensor.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<f32>
  %ex = linalg.fill ins(%two : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the square itself.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<f32>
  %ex = linalg.fill ins(%two : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  // expected-error@below {{expected gradients that carry the scale of '@s' once, but got one of degree 2 in @s; scale each loss once, and unscale products of gradients factor by factor}}
  %u, %f = amp.unscale %p using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Splat and broadcast.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<f32>
  %ex = tensor.splat %two : tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %two = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %ex = linalg.broadcast ins(%two : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%g, %ex : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %power: f32, %out: f32):
    %p = math.powf %in, %power : f32
    %d = arith.divf %p, %in : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %u, %f = amp.unscale %q using @s : (tensor<4xf32>) -> tensor<4xf32>
  %new = arith.subf %w, %u : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A third, as near as f32 has it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %third = arith.constant dense<0.333333343> : tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %p = math.powf %g, %third : tensor<f32>
  %q = math.powf %p, %three : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the power of a third.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %third = arith.constant dense<0.333333343> : tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %p = math.powf %g, %third : tensor<f32>
  %q = math.powf %p, %three : tensor<f32>
  // expected-error@below {{expected gradients that carry the scale of '@s' once, but got one of degree 1/3 in @s; scale each loss once, and unscale products of gradients factor by factor}}
  %u, %f = amp.unscale %p using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: no third, but an eleven-bit number near it.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %third = arith.constant dense<0.333251953125> : tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %p = math.powf %g, %third : tensor<f32>
  %q = math.powf %p, %three : tensor<f32>
  // expected-error@below {{expected gradients that carry the scale of '@s' once, but got one of degree 4095/4096 in @s; scale each loss once, and unscale products of gradients factor by factor}}
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: an exponent that a reduction adds up.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %ex = linalg.reduce {arith.addf} ins(%ones : tensor<4xf32>) outs(%two : tensor<f32>) dimensions = [0]
  // expected-error@below {{cannot decide which power of a loss scale is left: the exponent or the power that 'math.powf' takes of a value of degree 1 in @s is no small rational constant; unscale it first}}
  %p = math.powf %g, %ex : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %p : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What has no degree has no power.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @one(%y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  %sum = arith.addf %y, %z : tensor<f32>
  %p = math.powf %sum, %zero : tensor<f32>
  return %p : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{called from here}}
  %p = call @one(%g, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %p : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @one(%y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = arith.addf %y, %z : tensor<f32>
  %p = math.powf %sum, %zero : tensor<f32>
  return %p : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %p = call @one(%u, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %p : tensor<f32>
  return %new : tensor<f32>
}
