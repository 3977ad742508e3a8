// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// A scale cancels where both values carry the same one: between them, its scaler must not
// advance.

// A ratio.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled before it here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled behind it here}}
  %h = arith.mulf %b, %w : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected 'arith.divf' to take values that carry one and the same scale of '@s', but it advances between the scalings of two of them, so that their scales do not cancel; unscale them first}}
  %r = arith.divf %g, %h : tensor<f32>
  amp.update_scale @s, %fv
  %both = arith.ori %fu, %fv : tensor<i1>
  %new = amp.apply_if_finite %both keep(%w) {
    %next = arith.subf %w, %r : tensor<f32>
    amp.yield %next : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near misses: of what was unscaled, and of two that carry the scale before the transition, taken behind it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %k = arith.mulf %a, %w : tensor<f32>
  %p, %fp = amp.unscale %k using @s found(%fu) : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fp
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %b, %w : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %q = arith.divf %u, %v : tensor<f32>
  %o = arith.divf %g, %k : tensor<f32>
  %r = arith.mulf %q, %o : tensor<f32>
  amp.update_scale @s, %fv
  %both = arith.ori %fp, %fv : tensor<i1>
  %new = amp.apply_if_finite %both keep(%w) {
    %next = arith.subf %w, %r : tensor<f32>
    amp.yield %next : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Of what is computed from them behind the transition, by a product.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled before it here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled behind it here}}
  %h = arith.mulf %b, %w : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %i = math.absf %g : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %k = arith.divf %one, %h : tensor<f32>
  // expected-error@below {{expected 'arith.mulf' to take values that carry one and the same scale of '@s', but it advances between the scalings of two of them, so that their scales do not cancel; unscale them first}}
  %r = arith.mulf %i, %k : tensor<f32>
  amp.update_scale @s, %fv
  %both = arith.ori %fu, %fv : tensor<i1>
  %new = amp.apply_if_finite %both keep(%w) {
    %next = arith.subf %w, %r : tensor<f32>
    amp.yield %next : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A comparison, which decides between what was unscaled.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled before it here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled behind it here}}
  %h = arith.mulf %b, %w : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected 'arith.cmpf' to take values that carry one and the same scale of '@s', but it advances between the scalings of two of them, so that their scales do not cancel; unscale them first}}
  %larger = arith.cmpf ogt, %g, %h : tensor<f32>
  %r = arith.select %larger, %u, %v : tensor<i1>, tensor<f32>
  amp.update_scale @s, %fv
  %both = arith.ori %fu, %fv : tensor<i1>
  %new = amp.apply_if_finite %both keep(%w) {
    %next = arith.subf %w, %r : tensor<f32>
    amp.yield %next : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a body.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled before it here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled behind it here}}
  %h = arith.mulf %b, %w : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %r = linalg.map ins(%g, %h : tensor<f32>, tensor<f32>) outs(%x : tensor<f32>)
    (%i: f32, %j: f32, %o: f32) {
      // expected-error@below {{expected 'arith.divf' to take values that carry one and the same scale of '@s', but it advances between the scalings of two of them, so that their scales do not cancel; unscale them first}}
      %d = arith.divf %i, %j : f32
      linalg.yield %d : f32
    }
  amp.update_scale @s, %fv
  %both = arith.ori %fu, %fv : tensor<i1>
  %new = amp.apply_if_finite %both keep(%w) {
    %next = arith.subf %w, %r : tensor<f32>
    amp.yield %next : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: one body that normalises each by itself.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %b, %w : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %n:2 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
                         iterator_types = []}
      ins(%g, %h : tensor<f32>, tensor<f32>) outs(%x, %x : tensor<f32>, tensor<f32>) {
  ^bb0(%i: f32, %j: f32, %o: f32, %p: f32):
    %k = math.absf %i : f32
    %l = math.absf %j : f32
    %d = arith.divf %i, %k : f32
    %e = arith.divf %j, %l : f32
    linalg.yield %d, %e : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  %r = arith.addf %n#0, %n#1 : tensor<f32>
  amp.update_scale @s, %fv
  %both = arith.ori %fu, %fv : tensor<i1>
  %new = amp.apply_if_finite %both keep(%w) {
    %next = arith.subf %w, %r : tensor<f32>
    amp.yield %next : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By a helper.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @ratio(%i: tensor<f32>, %j: tensor<f32>) -> tensor<f32> {
  %r = arith.divf %i, %j : tensor<f32>
  return %r : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled before it here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled behind it here}}
  %h = arith.mulf %b, %w : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected 'func.call' to take values that carry one and the same scale of '@s', but it advances between the scalings of two of them, so that their scales do not cancel; unscale them first}}
  %r = call @ratio(%g, %h) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %both = arith.ori %fu, %fv : tensor<i1>
  %new = amp.apply_if_finite %both keep(%w) {
    %next = arith.subf %w, %r : tensor<f32>
    amp.yield %next : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// One of two, as a branch has it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "loss"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled before it here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled behind it here}}
  %h = arith.mulf %b, %w : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %i = scf.if %c -> tensor<f32> {
    scf.yield %g : tensor<f32>
  } else {
    scf.yield %h : tensor<f32>
  }
  // expected-error@below {{expected 'arith.divf' to take values that carry one and the same scale of '@s', but it advances between the scalings of two of them, so that their scales do not cancel; unscale them first}}
  %r = arith.divf %i, %h : tensor<f32>
  amp.update_scale @s, %fv
  %both = arith.ori %fu, %fv : tensor<i1>
  %new = amp.apply_if_finite %both keep(%w) {
    %next = arith.subf %w, %u : tensor<f32>
    amp.yield %next : tensor<f32>
  } : tensor<f32>
  return %new, %r : tensor<f32>, tensor<f32>
}

// -----

// Of this round and the one before.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "loss"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-note@below {{the scale advances here}}
  %end, %last, %ratio = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %w, %before = %zero, %q = %zero)
      -> (tensor<f32>, tensor<f32>, tensor<f32>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    // expected-note@below {{scaled before it here}}
    // expected-note@below {{scaled behind it here}}
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    // expected-error@below {{expected 'arith.divf' to take values that carry one and the same scale of '@s', but it advances between the scalings of two of them, so that their scales do not cancel; unscale them first}}
    %r = arith.divf %before, %g : tensor<f32>
    %new = amp.apply_if_finite %fu keep(%p) {
      %next = arith.subf %p, %u : tensor<f32>
      amp.yield %next : tensor<f32>
    } : tensor<f32>
    amp.update_scale @s, %fu
    scf.yield %new, %g, %r : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %end, %ratio : tensor<f32>, tensor<f32>
}

// -----

// Near miss: of one round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %w) -> (tensor<f32>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %h = arith.mulf %a, %p : tensor<f32>
    %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %v, %fv = amp.unscale %h using @s found(%fu) : (tensor<f32>) -> tensor<f32>
    %r = arith.divf %g, %h : tensor<f32>
    %new = amp.apply_if_finite %fv keep(%p) {
      %next = arith.subf %p, %r : tensor<f32>
      amp.yield %next : tensor<f32>
    } : tensor<f32>
    amp.update_scale @s, %fv
    scf.yield %new : tensor<f32>
  }
  return %end : tensor<f32>
}

// -----

// A loss that is reported, without a guard.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "loss"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled before it here}}
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %fu
  %b = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled behind it here}}
  %h = arith.mulf %b, %w : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected 'arith.divf' to take values that carry one and the same scale of '@s', but it advances between the scalings of two of them, so that their scales do not cancel; unscale them first}}
  %r = arith.divf %g, %h : tensor<f32>
  amp.update_scale @s, %fv
  %both = arith.ori %fu, %fv : tensor<i1>
  %new = amp.apply_if_finite %both keep(%w) {
    %next = arith.subf %w, %u : tensor<f32>
    amp.yield %next : tensor<f32>
  } : tensor<f32>
  return %new, %r : tensor<f32>, tensor<f32>
}
