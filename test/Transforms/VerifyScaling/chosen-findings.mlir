// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// What a number of the step chooses an update of the scale to be told: what was found
// before the choice has to be on each of its ways.

// One of two.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %f = arith.select %c, %fu, %fv : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.select' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near misses: of both on either way, of one that is joined again, and of true.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %yes = arith.constant dense<true> : tensor<i1>
  %both = arith.ori %fu, %fv : tensor<i1>
  %one = arith.select %c, %fu, %both : tensor<i1>
  %most = arith.select %c, %one, %yes : tensor<i1>
  %f = arith.ori %fv, %most : tensor<i1>
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What was found, or nothing.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %both = arith.ori %fu, %fv : tensor<i1>
  // expected-note@below {{lost here}}
  %f = arith.select %c, %both, %no : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.select' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By branches, of what was found before them.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %f = scf.if %c -> tensor<i1> {
    scf.yield %fu : tensor<i1>
  } else {
    scf.yield %fv : tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.if' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: of what is found in them, with what was found before on either way.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscale(%h: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  return %v, %fv : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %found = scf.if %c -> (tensor<f32>, tensor<i1>) {
    %i, %fi = amp.unscale %h using @s found(%fu) : (tensor<f32>) -> tensor<f32>
    scf.yield %i, %fi : tensor<f32>, tensor<i1>
  } else {
    scf.yield %x, %fu : tensor<f32>, tensor<i1>
  }
  %r, %other = scf.if %c -> (tensor<f32>, tensor<i1>) {
    %k, %fk = func.call @unscale(%h) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
    scf.yield %k, %fk : tensor<f32>, tensor<i1>
  } else {
    scf.yield %x, %no : tensor<f32>, tensor<i1>
  }
  %f = arith.ori %found, %other : tensor<i1>
  amp.update_scale @s, %f
  %part = arith.addf %u, %r : tensor<f32>
  %sum = arith.addf %part, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What was found before, on one way alone.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %v, %f = scf.if %c -> (tensor<f32>, tensor<i1>) {
    %i, %fi = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    scf.yield %i, %fi : tensor<f32>, tensor<i1>
  } else {
    scf.yield %x, %fu : tensor<f32>, tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.if' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Of several.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %f = scf.index_switch %n -> tensor<i1>
  case 0 {
    scf.yield %fu : tensor<i1>
  }
  default {
    scf.yield %fv : tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.index_switch' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By the number of rounds.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@below {{lost here}}
  %f = scf.for %i = %c0 to %n step %c1 iter_args(%before = %fu) -> tensor<i1> {
    scf.yield %fv : tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.for' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near misses: of what rounds find, with what was found before; and joined by a loop.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = scf.for %i = %c0 to %n step %c1 iter_args(%all = %zero, %before = %fu) -> (tensor<f32>, tensor<i1>) {
    %p, %fp = amp.unscale %h using @s found(%before) : (tensor<f32>) -> tensor<f32>
    %q = arith.addf %all, %p : tensor<f32>
    scf.yield %q, %fp : tensor<f32>, tensor<i1>
  }
  %f = scf.for %i = %c0 to %c1 step %c1 iter_args(%before = %no) -> tensor<i1> {
    %both = arith.ori %before, %fv : tensor<i1>
    scf.yield %both : tensor<i1>
  }
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By blocks.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  cf.cond_br %c, ^end(%fu : tensor<i1>), ^other
^other:
  cf.br ^end(%fv : tensor<i1>)
^end(%f: tensor<i1>):
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'cf.cond_br' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: of what is found in them.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  cf.cond_br %c, ^second, ^end(%x, %fu : tensor<f32>, tensor<i1>)
^second:
  %i, %fi = amp.unscale %h using @s found(%fu) : (tensor<f32>) -> tensor<f32>
  cf.br ^end(%i, %fi : tensor<f32>, tensor<i1>)
^end(%v: tensor<f32>, %f: tensor<i1>):
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a helper: what two calls of another one found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscale(%h: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  return %v, %fv : tensor<f32>, tensor<i1>
}
func.func private @advance(%c: i1, %fu: tensor<i1>, %fv: tensor<i1>) {
  // expected-note@below {{lost here}}
  %f = arith.select %c, %fu, %fv : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.select' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = call @unscale(%g) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %v, %fv = call @unscale(%h) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
  call @advance(%c, %fu, %fv) : (i1, tensor<i1>, tensor<i1>) -> ()
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: handed to a helper as already found, on one of the ways.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscale(%h: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  return %v, %fv : tensor<f32>, tensor<i1>
}
func.func private @unscaleMore(%h: tensor<f32>, %before: tensor<i1>) -> (tensor<f32>, tensor<i1>) {
  %v, %fv = amp.unscale %h using @s found(%before) : (tensor<f32>) -> tensor<f32>
  return %v, %fv : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = call @unscale(%g) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %v, %f = scf.if %c -> (tensor<f32>, tensor<i1>) {
    %i, %fi = func.call @unscaleMore(%h, %fu) : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>)
    scf.yield %i, %fi : tensor<f32>, tensor<i1>
  } else {
    scf.yield %x, %fu : tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}
