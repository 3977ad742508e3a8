// A gradient that was scaled before its scaler advanced and is unscaled after
// it is divided by another scale than it was multiplied with.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-note@below {{scaled here}}
  %h = call @gradient(%w, %w, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before and would be unscaled by the scale after it; unscale it before that, or give losses that are unscaled at different times scalers of their own (num-losses)}}
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Both before it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %h = call @gradient(%w, %w, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %f = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Scaled anew.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = call @gradient(%w, %w, %b) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A static scale stays as it is.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %h = call @gradient(%w, %w, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Another scaler's transition.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %h = call @gradient(%w, %w, %b) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  %v, %fv = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  amp.update_scale @t, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The seed is scaled once, for rounds of a loop that each advance the scale.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-note@below {{scaled here}}
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{the scale advances here}}
  %new = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %w) -> tensor<f32> {
    // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before and would be unscaled by the scale after it; unscale it before that, or give losses that are unscaled at different times scalers of their own (num-losses)}}
    %g = func.call @gradient(%k, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %fu
    %next = arith.subf %k, %u : tensor<f32>
    scf.yield %next : tensor<f32>
  }
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %new = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %w) -> tensor<f32> {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = func.call @gradient(%k, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %fu
    %next = arith.subf %k, %u : tensor<f32>
    scf.yield %next : tensor<f32>
  }
  return %new : tensor<f32>
}

// -----
// Behind a helper.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func private @finish(%g: tensor<f32>) -> tensor<f32> {
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  return %u : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-note@below {{scaled here}}
  %h = call @gradient(%w, %w, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  %u = call @finish(%g) : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before and would be unscaled by the scale after it; unscale it before that, or give losses that are unscaled at different times scalers of their own (num-losses)}}
  %v = call @finish(%h) : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func private @finish(%g: tensor<f32>) -> tensor<f32> {
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  return %u : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u = call @finish(%g) : (tensor<f32>) -> tensor<f32>
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = call @gradient(%w, %w, %b) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %v = call @finish(%h) : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Among blocks.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-note@below {{scaled here}}
  %h = call @gradient(%w, %w, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  cf.br ^advance
^advance:
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  cf.br ^rest
^rest:
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before and would be unscaled by the scale after it; unscale it before that, or give losses that are unscaled at different times scalers of their own (num-losses)}}
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A way that does not come by the transition.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %h = call @gradient(%w, %w, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  cf.br ^rest
^advance:
  amp.update_scale @s, %f
  return %new : tensor<f32>
^rest:
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %f = arith.ori %fu, %fv : tensor<i1>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  cf.br ^advance
}

// -----
// Carried into the next round, and unscaled there.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %first = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %new, %last = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %w, %old = %first) -> (tensor<f32>, tensor<f32>) {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    // expected-note@below {{scaled here}}
    %g = func.call @gradient(%k, %x, %b) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %u, %fu = amp.unscale %old using @s : (tensor<f32>) -> tensor<f32>
    // expected-note@below {{the scale advances here}}
    amp.update_scale @s, %fu
    %next = arith.subf %k, %u : tensor<f32>
    // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before and would be unscaled by the scale after it; unscale it before that, or give losses that are unscaled at different times scalers of their own (num-losses)}}
    scf.yield %next, %g : tensor<f32>, tensor<f32>
  }
  return %new : tensor<f32>
}

// -----
// A function without roles hands on what nobody scaled.
// CHECK: func.func @epochs
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @gradient(%w: tensor<f32>, %x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  %p = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %p, %s : tensor<f32>
  return %g : tensor<f32>
}
func.func private @finish(%g: tensor<f32>) -> tensor<f32> {
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  return %u : tensor<f32>
}
func.func @epochs(%w: tensor<f32>, %x: tensor<f32>, %seed: tensor<f32>) -> tensor<f32> {
  %first = call @train(%w, %x, %seed) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %second = call @train(%first, %x, %seed) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %second : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @gradient(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u = call @finish(%g) : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A loop is handed the gradient and unscales it inside; what it returns is not
// scaled.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %x, %a : tensor<f32>
  // expected-note@below {{scaled here}}
  %h = arith.mulf %w, %a : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances}}
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %u, %f = %fu, %t = %h)
      -> (tensor<f32>, tensor<i1>, tensor<f32>) {
    %v, %fv = amp.unscale %t using @s found(%f) : (tensor<f32>) -> tensor<f32>
    %next = arith.addf %sum, %v : tensor<f32>
    scf.yield %next, %fv, %t : tensor<f32>, tensor<i1>, tensor<f32>
  }
  amp.update_scale @s, %r#1
  %new = arith.subf %w, %r#0 : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A gradient of before is compared with one of after.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %none = arith.constant dense<0.0> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %z = arith.mulf %g, %none : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %b, %w : tensor<f32>
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before and would be unscaled by the scale after it}}
  %larger = arith.cmpf ogt, %g, %h : tensor<f32>
  // NaN where one of them is.
  %other = arith.addf %h, %z : tensor<f32>
  %twice = arith.addf %h, %h : tensor<f32>
  %k = arith.select %larger, %twice, %other : tensor<i1>, tensor<f32>
  %v, %fv = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Mended: the scale advances once.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %none = arith.constant dense<0.0> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %z = arith.mulf %g, %none : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %b, %w : tensor<f32>
  %larger = arith.cmpf ogt, %g, %h : tensor<f32>
  // NaN where one of them is.
  %other = arith.addf %h, %z : tensor<f32>
  %twice = arith.addf %h, %h : tensor<f32>
  %k = arith.select %larger, %twice, %other : tensor<i1>, tensor<f32>
  %v, %fv = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %f = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}
