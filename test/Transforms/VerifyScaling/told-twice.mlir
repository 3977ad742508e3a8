// A transition that is told again of what another was told of lowers the scale twice for one
// overflow.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Twice in one block.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found: its scale is lowered twice for one overflow, and a step without one counts twice; advance it once with each finding}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// By what it is joined with.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %h = amp.unscale %g using @s found(%f) : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found: its scale is lowered twice for one overflow, and a step without one counts twice; advance it once with each finding}}
  amp.update_scale @s, %h
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Each with its own.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %k = arith.mulf %b, %w : tensor<f32>
  amp.update_scale @s, %f
  %c = amp.scale_loss %seed using @s : tensor<f32>
  %l = arith.mulf %c, %w : tensor<f32>
  %v, %h = amp.unscale %l using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %h
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// On both ways, once on each.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  scf.if %is {
    amp.update_scale @s, %f
  }
  scf.if %is {
  } else {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// In a branch, and behind it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  scf.if %is {
    amp.update_scale @s, %f
  } else {
    amp.update_scale @s, %f
  }
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found: its scale is lowered twice for one overflow, and a step without one counts twice; advance it once with each finding}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A helper, and its caller.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%f: tensor<i1>) {
  amp.update_scale @s, %f
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  call @advance(%f) : (tensor<i1>) -> ()
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found: its scale is lowered twice for one overflow, and a step without one counts twice; advance it once with each finding}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A helper that gives what it was told.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%f: tensor<i1>) -> tensor<i1> {
  amp.update_scale @s, %f
  return %f : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %again = call @advance(%f) : (tensor<i1>) -> tensor<i1>
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found: its scale is lowered twice for one overflow, and a step without one counts twice; advance it once with each finding}}
  amp.update_scale @s, %again
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// An unscaling and its transition in a helper.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscale(%g: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  return %u, %f : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = call @unscale(%g) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found: its scale is lowered twice for one overflow, and a step without one counts twice; advance it once with each finding}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// In each round, of all rounds before.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %none = arith.constant dense<false> : tensor<i1>
  %new, %all = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %w, %any = %none) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    // expected-note@below {{found here}}
    %u, %f = amp.unscale %g using @s found(%any) : (tensor<f32>) -> tensor<f32>
    // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found: its scale is lowered twice for one overflow, and a step without one counts twice; advance it once with each finding}}
    amp.update_scale @s, %f
    %q = arith.subf %p, %u : tensor<f32>
    scf.yield %q, %f : tensor<f32>, tensor<i1>
  }
  return %new : tensor<f32>
}

// -----
// In each round, of that round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %none = arith.constant dense<false> : tensor<i1>
  %new, %all = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %w, %any = %none) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %f
    %q = arith.subf %p, %u : tensor<f32>
    scf.yield %q, %f : tensor<f32>, tensor<i1>
  }
  return %new : tensor<f32>
}

// -----
// In each call, of all calls before.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %before, %f : tensor<i1>
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found: its scale is lowered twice for one overflow, and a step without one counts twice; advance it once with each finding}}
  amp.update_scale @s, %all
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %all : tensor<f32>, tensor<i1>
}

// -----
// In each call, of the last one alone.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %before
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %f : tensor<f32>, tensor<i1>
}

// -----
// Of no overflow of its own.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %k = arith.mulf %b, %x : tensor<f32>
  %v, %h = amp.unscale %k using @t : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %f, %h : tensor<i1>
  amp.update_scale @s, %all
  amp.update_scale @t, %all
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// At the end of each window, of all windows before.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %st: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  %any = arith.ori %f, %st : tensor<i1>
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  scf.if %data { amp.update_scale @s, %any }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %any : tensor<f32>, tensor<i1>
}

// -----

// A window that begins anew.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %st: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  %sti = tensor.extract %st[] : tensor<i1>
  %fi = tensor.extract %f[] : tensor<i1>
  %is = arith.ori %fi, %sti : i1
  %no = arith.constant dense<false> : tensor<i1>
  %next = scf.if %is -> tensor<i1> {
    %t = tensor.from_elements %is : tensor<i1>
    amp.update_scale @s, %t
    scf.yield %no : tensor<i1>
  } else {
    %t = tensor.from_elements %is : tensor<i1>
    amp.update_scale @s, %t
    scf.yield %t : tensor<i1>
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// In each round, of what is found before the loop.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  scf.for %i = %c0 to %c3 step %c1 { amp.update_scale @s, %f }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In rounds of blocks.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  cf.br ^l
^l:
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %f
  cf.cond_br %data, ^l, ^e
^e:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a branch, and behind it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  scf.if %data { amp.update_scale @s, %f }
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Two losses: the second one is told in branches that it decides.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  amp.update_scale @s, %f
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %k = arith.mulf %b, %w : tensor<f32>
  %v, %h = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %hi = tensor.extract %h[] : tensor<i1>
  scf.if %hi { %t = tensor.from_elements %hi : tensor<i1>
    amp.update_scale @s, %t } else { amp.update_scale @s, %h }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Between blocks.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  amp.update_scale @s, %f
    %b = amp.scale_loss %seed using @s : tensor<f32>
    %k = arith.mulf %b, %w : tensor<f32>
    %v, %h = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %hi = tensor.extract %h[] : tensor<i1>
  cf.cond_br %hi, ^bad, ^good
^bad:
  %t = tensor.from_elements %hi : tensor<i1>
  amp.update_scale @s, %t
  cf.br ^e
^good:
  amp.update_scale @s, %h
  cf.br ^e
^e:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In branches of each round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%i: i1) {
  %t = tensor.from_elements %i : tensor<i1>
  scf.if %i { 
    amp.update_scale @s, %t } else { amp.update_scale @s, %t }
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    %k = arith.mulf %b, %w : tensor<f32>
    %v, %h = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    %hi = tensor.extract %h[] : tensor<i1>
    scf.if %hi { %t = tensor.from_elements %hi : tensor<i1>
    amp.update_scale @s, %t } else { amp.update_scale @s, %h }
  }
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a branch that a number of the batch decides.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  amp.update_scale @s, %f
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %k = arith.mulf %b, %w : tensor<f32>
  %v, %h = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %dt = tensor.from_elements %data : tensor<i1>
  scf.if %data { %bad = tensor.from_elements %data : tensor<i1>
    %o = arith.ori %h, %bad : tensor<i1>
    amp.update_scale @s, %o } else { amp.update_scale @s, %h }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
