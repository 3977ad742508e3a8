// Gradients that lose their scale without being unscaled: they are the same at each
// scale, but an overflow would come into the parameters.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %norm = math.absf %g : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-note@below {{the scale is lost here}}
  %direction = arith.divf %g, %norm : tensor<f32>
  // expected-error@below {{expected 'param' 'w' of train step '@train' to be computed from unscaled values, but it comes from some that carry the scale of '@s', whose overflow nothing looks for; unscale those first, or keep the old value by 'amp.apply_if_finite' where one is found}}
  %new = arith.subf %w, %direction : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
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
  %norm = math.absf %u : tensor<f32>
  %direction = arith.divf %u, %norm : tensor<f32>
  %new = arith.subf %w, %direction : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: kept where it is found.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %norm = math.absf %g : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = amp.apply_if_finite %f keep(%w) {
    %direction = arith.divf %g, %norm : tensor<f32>
    %moved = arith.subf %w, %direction : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a static scale skips nothing, and a value that is only shown may be NaN.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "output", amp.name = "direction"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %norm = math.absf %g : tensor<f32>
  %direction = arith.divf %g, %norm : tensor<f32>
  %new = arith.subf %w, %direction : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %u, %f = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  amp.update_scale @t, %f
  %shown = arith.divf %h, %b : tensor<f32>
  return %new, %shown : tensor<f32>, tensor<f32>
}

// -----

// In a helper, and handed to an optimizer as what is never scaled.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @direction(%y: tensor<f32>) -> tensor<f32> {
  %norm = math.absf %y : tensor<f32>
  %direction = arith.divf %y, %norm : tensor<f32>
  return %direction : tensor<f32>
}
func.func private @optimizer(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %g: tensor<f32> {amp.role = "grad", amp.name = "w"},
    %rate: tensor<f32> {amp.role = "hyper", amp.name = "rate"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %d = arith.mulf %g, %rate : tensor<f32>
  %new = arith.subf %w, %d : tensor<f32>
  return %new : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-note@below {{the scale is lost here}}
  %rate = call @direction(%g) : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected 'param' 'w' of train step '@train' to be computed from unscaled values}}
  %new = call @optimizer(%w, %u, %rate) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %new : tensor<f32>
}

// -----

// A flag that an overflow chooses, where the step is kept, and handed to a function
// whose result is unscaled.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @chosen(%c: tensor<i1>, %y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %k = arith.select %c, %y, %z : tensor<i1>, tensor<f32>
  return %k : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf ogt, %g, %zero : tensor<f32>
  // expected-error@below {{'func.call' chooses by a comparison of values that were computed from one of degree 1 in @s}}
  %k = call @chosen(%p, %g, %zero) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @chosen(%c: tensor<i1>, %y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %k = arith.select %c, %y, %z : tensor<i1>, tensor<f32>
  return %k : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %p = arith.cmpf ogt, %g, %zero : tensor<f32>
  %new = amp.apply_if_finite %f keep(%w) {
    %k = func.call @chosen(%p, %u, %zero) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %moved = arith.subf %w, %k : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Handed to a backward pass as what is never scaled, of which a gradient is unscaled.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @fb(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %rate: tensor<f32> {amp.role = "hyper", amp.name = "rate"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %g = arith.mulf %seed, %rate : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %a, %x : tensor<f32>
  %size = math.absf %h : tensor<f32>
  %direction = arith.divf %h, %size : tensor<f32>
  // expected-error@below {{expected what 'func.call' takes for a value that is never scaled to be computed from unscaled ones, but it comes from one of degree 1 in @s, whose overflow nothing looks for; unscale that first}}
  %g = call @fb(%w, %direction, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
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
func.func private @fb(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %rate: tensor<f32> {amp.role = "hyper", amp.name = "rate"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %g = arith.mulf %seed, %rate : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %a, %x : tensor<f32>
  %k, %e = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %size = math.absf %k : tensor<f32>
  %direction = arith.divf %k, %size : tensor<f32>
  %g = call @fb(%w, %direction, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %g using @s found(%e) : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Kept where something else is found: nothing at all.
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %norm = math.absf %g : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  amp.update_scale @t, %fv
  // expected-note@below {{the scale is lost here}}
  %kept = amp.apply_if_finite %no keep(%w) {
    %direction = arith.divf %g, %norm : tensor<f32>
    // expected-error@below {{expected 'param' 'w' of train step '@train' to be computed from unscaled values, but it comes from some that carry the scale of '@s', whose overflow nothing looks for}}
    %moved = arith.subf %w, %direction : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %kept : tensor<f32>
}

// -----

// What another scaler's unscaling found.
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %norm = math.absf %g : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  amp.update_scale @t, %fv
  // expected-note@below {{the scale is lost here}}
  %kept = amp.apply_if_finite %fv keep(%w) {
    %direction = arith.divf %g, %norm : tensor<f32>
    // expected-error@below {{expected 'param' 'w' of train step '@train' to be computed from unscaled values, but it comes from some that carry the scale of '@s', whose overflow nothing looks for}}
    %moved = arith.subf %w, %direction : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %kept : tensor<f32>
}

// -----

// Mended: what either found.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %norm = math.absf %g : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  amp.update_scale @t, %fv
  %f = arith.ori %fu, %fv : tensor<i1>
  %kept = amp.apply_if_finite %f keep(%w) {
    %direction = arith.divf %g, %norm : tensor<f32>
    %moved = arith.subf %w, %direction : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %kept : tensor<f32>
}

// -----
// What a guard keeps is of no step that it skips.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %size = math.absf %g : tensor<f32>
  // expected-note@below {{the scale is lost here}}
  %ratio = arith.divf %g, %size : tensor<f32>
  %bad = arith.subf %w, %ratio : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = amp.apply_if_finite %f keep(%bad) {
    // expected-error@below {{expected 'param' 'w' of train step '@train' to be computed from unscaled values, but it comes from some that carry the scale of '@s', whose overflow nothing looks for}}
    %n = arith.subf %w, %u : tensor<f32>
    amp.yield %n : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}
