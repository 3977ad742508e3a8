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
  %none = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %x, %a : tensor<f32>
  // expected-note@below {{scaled here}}
  %h = arith.mulf %w, %a : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances}}
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %u, %f = %none, %t = %h)
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

// -----

// In a helper, of what it is handed.
amp.scaler @s {initial_scale = 4.0 : f64}
// expected-note@below {{scaled here}}
func.func private @late(%g: tensor<f32>, %found: tensor<i1>) -> tensor<f32> {
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %found
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before}}
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  return %u : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v = call @late(%h, %fu) : (tensor<f32>, tensor<i1>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Handed on by a helper to another one.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v = call @first(%h, %fu) : (tensor<f32>, tensor<i1>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}
func.func private @first(%g: tensor<f32>, %found: tensor<i1>) -> tensor<f32> {
  %u = call @late(%g, %found) : (tensor<f32>, tensor<i1>) -> tensor<f32>
  return %u : tensor<f32>
}
// expected-note@below {{scaled here}}
func.func private @late(%g: tensor<f32>, %found: tensor<i1>) -> tensor<f32> {
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %found
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before}}
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  return %u : tensor<f32>
}

// -----

// Returned by a helper that advances the scale, and unscaled by its caller.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @backward(%x: tensor<f32>, %seed: tensor<f32>, %found: tensor<i1>) -> tensor<f32> {
  // expected-note@below {{scaled here}}
  %a = arith.mulf %x, %seed : tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %found
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before}}
  return %a : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = call @backward(%w, %b, %fu) : (tensor<f32>, tensor<f32>, tensor<i1>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Handed over by a branch behind the transition.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{scaled here}}
  %h = arith.mulf %a, %w : tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before}}
  cf.br ^bb1(%h : tensor<f32>)
^bb1(%i: tensor<f32>):
  %v, %fv = amp.unscale %i using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In the block of the use, before it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{scaled here}}
  %h = arith.mulf %a, %w : tensor<f32>
  cf.cond_br %c, ^bb1, ^bb3
^bb1:
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before}}
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %less = arith.subf %w, %v : tensor<f32>
  cf.br ^bb2(%less : tensor<f32>)
^bb3:
  amp.update_scale @s, %fu
  cf.br ^bb2(%w : tensor<f32>)
^bb2(%end: tensor<f32>):
  %new = arith.subf %end, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: in the block of the use, behind it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  cf.cond_br %c, ^bb1, ^bb3
^bb1:
  %v, %fv = amp.unscale %h using @s found(%fu) : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %less = arith.subf %w, %v : tensor<f32>
  cf.br ^bb2(%less : tensor<f32>)
^bb3:
  amp.update_scale @s, %fu
  cf.br ^bb2(%w : tensor<f32>)
^bb2(%end: tensor<f32>):
  %new = arith.subf %end, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the transition lies on a way that the value was never made on.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  cf.cond_br %c, ^bb1, ^bb2(%w : tensor<f32>)
^bb1:
  amp.update_scale @s, %fu
  cf.br ^bb2(%u : tensor<f32>)
^bb2(%k: tensor<f32>):
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %b, %w : tensor<f32>
  cf.br ^bb3
^bb3:
  %v, %fv = amp.unscale %h using @s found(%fu) : (tensor<f32>) -> tensor<f32>
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %fv
  %sum = arith.addf %k, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a branch inside of a branch, before the use.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{scaled here}}
  %h = arith.mulf %a, %w : tensor<f32>
  %v = scf.if %c -> tensor<f32> {
  // expected-note@below {{the scale advances here}}
    amp.update_scale @s, %fu
    %inner = scf.if %c -> tensor<f32> {
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads one that was scaled before}}
      %k, %fk = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
      amp.update_scale @s, %fk
      scf.yield %k : tensor<f32>
    } else {
      scf.yield %w : tensor<f32>
    }
    scf.yield %inner : tensor<f32>
  } else {
    amp.update_scale @s, %fu
    scf.yield %w : tensor<f32>
  }
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: blocks that go round, and scale anew behind the transition.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  cf.br ^bb1(%w, %fu : tensor<f32>, tensor<i1>)
^bb1(%k: tensor<f32>, %f: tensor<i1>):
  amp.update_scale @s, %f
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %b, %w : tensor<f32>
  cf.br ^bb2
^bb2:
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %less = arith.subf %k, %v : tensor<f32>
  cf.cond_br %c, ^bb1(%less, %fv : tensor<f32>, tensor<i1>), ^bb3
^bb3:
  amp.update_scale @s, %fv
  %new = arith.subf %less, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Moved in parallel.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %seed using @s : tensor<f32>
  %room = tensor.empty() : tensor<4xf32>
  %a = linalg.broadcast ins(%t : tensor<f32>) outs(%room : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %a, %x : tensor<4xf32>
  // expected-note@below {{scaled here}}
  %h = arith.mulf %a, %w : tensor<4xf32>
  %u, %fu = amp.unscale %g using @s : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  %e = tensor.empty() : tensor<4xf32>
  %moved = scf.forall (%i) in (4) shared_outs(%o = %e) -> tensor<4xf32> {
    // expected-error@below {{expected a gradient to be unscaled before '@s' advances}}
    %one = tensor.extract_slice %h[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %v, %fv = amp.unscale %moved using @s : (tensor<4xf32>) -> tensor<4xf32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<4xf32>
  %new = arith.subf %w, %sum : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----
// Advanced by a function that is called by reference.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%found: tensor<i1>) {
  amp.update_scale @s, %found
  return
}
func.func private @count(%found: tensor<i1>) {
  return
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %seed using @s : tensor<f32>
  %room = tensor.empty() : tensor<4xf32>
  %a = linalg.broadcast ins(%t : tensor<f32>) outs(%room : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %a, %x : tensor<4xf32>
  // expected-note@below {{scaled here}}
  %h = arith.mulf %a, %w : tensor<4xf32>
  %u, %fu = amp.unscale %g using @s : (tensor<4xf32>) -> tensor<4xf32>
  %advance = func.constant @advance : (tensor<i1>) -> ()
  // expected-note@below {{the scale advances here}}
  func.call_indirect %advance(%fu) : (tensor<i1>) -> ()
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances}}
  %v, %fv = amp.unscale %h using @s : (tensor<4xf32>) -> tensor<4xf32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<4xf32>
  %new = arith.subf %w, %sum : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----
// Near miss: by one that advances nothing.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%found: tensor<i1>) {
  amp.update_scale @s, %found
  return
}
func.func private @count(%found: tensor<i1>) {
  return
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %seed using @s : tensor<f32>
  %room = tensor.empty() : tensor<4xf32>
  %a = linalg.broadcast ins(%t : tensor<f32>) outs(%room : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %a, %x : tensor<4xf32>
  %h = arith.mulf %a, %w : tensor<4xf32>
  %u, %fu = amp.unscale %g using @s : (tensor<4xf32>) -> tensor<4xf32>
  %count = func.constant @count : (tensor<i1>) -> ()
  func.call_indirect %count(%fu) : (tensor<i1>) -> ()
  %v, %fv = amp.unscale %h using @s : (tensor<4xf32>) -> tensor<4xf32>
  %f = arith.ori %fu, %fv : tensor<i1>
  func.call @advance(%f) : (tensor<i1>) -> ()
  %sum = arith.addf %u, %v : tensor<4xf32>
  %new = arith.subf %w, %sum : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----
// Near miss: each round of blocks makes its own, and unscales it in another block.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^round(%c0, %w : index, tensor<4xf32>)
^round(%i: index, %k: tensor<4xf32>):
  %t = amp.scale_loss %seed using @s : tensor<f32>
  %room = tensor.empty() : tensor<4xf32>
  %a = linalg.broadcast ins(%t : tensor<f32>) outs(%room : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %a, %x : tensor<4xf32>
  cf.br ^finish
^finish:
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> tensor<4xf32>
  amp.update_scale @s, %f
  %next = arith.subf %k, %u : tensor<4xf32>
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^round(%j, %next : index, tensor<4xf32>), ^end
^end:
  return %next : tensor<4xf32>
}

// -----
// One that rounds of blocks unscale again.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = amp.scale_loss %seed using @s : tensor<f32>
  %room = tensor.empty() : tensor<4xf32>
  %a = linalg.broadcast ins(%t : tensor<f32>) outs(%room : tensor<4xf32>) dimensions = [0]
  // expected-note@below {{scaled here}}
  %g = arith.mulf %a, %x : tensor<4xf32>
  cf.br ^round(%c0, %w : index, tensor<4xf32>)
^round(%i: index, %k: tensor<4xf32>):
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances}}
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %f
  %next = arith.subf %k, %u : tensor<4xf32>
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^round(%j, %next : index, tensor<4xf32>), ^end
^end:
  return %next : tensor<4xf32>
}

// -----
// Near miss: carried beside what is unscaled, and read by nobody.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %new, %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %w, %l = %zero) -> (tensor<4xf32>, tensor<4xf32>) {
    %t = amp.scale_loss %seed using @s : tensor<f32>
    %room = tensor.empty() : tensor<4xf32>
    %a = linalg.broadcast ins(%t : tensor<f32>) outs(%room : tensor<4xf32>) dimensions = [0]
    %g = arith.mulf %a, %x : tensor<4xf32>
    %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> tensor<4xf32>
    amp.update_scale @s, %f
    %next = arith.subf %k, %u : tensor<4xf32>
    scf.yield %next, %g : tensor<4xf32>, tensor<4xf32>
  }
  return %new : tensor<4xf32>
}
