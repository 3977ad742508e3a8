// Findings that callers and later calls of a step are told of, or tell.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// What goes apart and comes together, and is returned as well.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "seen"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %same = arith.ori %f, %f : tensor<i1>
  %one = arith.ori %f, %t : tensor<i1>
  %both = arith.andi %f, %one : tensor<i1>
  amp.update_scale @s, %both
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %same : tensor<f32>, tensor<i1>
}

// -----

// Told in another block, and returned as well.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "seen"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %same = arith.ori %f, %f : tensor<i1>
  cf.br ^end(%same : tensor<i1>)
^end(%k: tensor<i1>):
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %k : tensor<f32>, tensor<i1>
}

// -----

// Told, and returned as well.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "seen"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %same = arith.ori %f, %f : tensor<i1>
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %same : tensor<f32>, tensor<i1>
}

// -----

// A helper gives it twice: one is told, the other returned.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscale(%g: tensor<f32>) -> (tensor<f32>, tensor<i1>, tensor<i1>) {
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  return %u, %f, %f : tensor<f32>, tensor<i1>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "seen"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %p, %q = call @unscale(%g) : (tensor<f32>) -> (tensor<f32>, tensor<i1>, tensor<i1>)
  amp.update_scale @s, %p
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %q : tensor<f32>, tensor<i1>
}

// -----

// A helper gives it twice: both are told together.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscale(%g: tensor<f32>) -> (tensor<f32>, tensor<i1>, tensor<i1>) {
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  return %u, %f, %f : tensor<f32>, tensor<i1>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %p, %q = call @unscale(%g) : (tensor<f32>) -> (tensor<f32>, tensor<i1>, tensor<i1>)
  %both = arith.andi %p, %q : tensor<i1>
  amp.update_scale @s, %both
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Kept by a buffer.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "buffer", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "buffer", amp.name = "found"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  amp.update_scale @s, %before
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %f : tensor<f32>, tensor<i1>
}

// -----

// Kept by a accumulator.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "accumulator", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "accumulator", amp.name = "found"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  amp.update_scale @s, %before
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %f : tensor<f32>, tensor<i1>
}

// -----

// Handed to another step alone, and lost if this one runs again.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>

  %new = arith.subf %w, %u : tensor<f32>
  return %new, %f : tensor<f32>, tensor<i1>
}
func.func @other(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  amp.update_scale @s, %before
  %none = arith.constant dense<false> : tensor<i1>
  %u = arith.mulf %x, %seed : tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %none : tensor<f32>, tensor<i1>
}

// -----

// True in every step, behind one that is told where one was found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %true = arith.constant dense<true> : tensor<i1>
  %always = arith.ori %f, %true : tensor<i1>
  %some = tensor.extract %f[] : tensor<i1>
  scf.if %some {
    amp.update_scale @s, %f
  }
  // expected-error@below {{but got what is true where none found an infinity as well}}
  amp.update_scale @s, %always
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Behind a loop that goes on until an infinity is found, by a helper.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%f: tensor<i1>) {
  amp.update_scale @s, %f
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %true = arith.constant true
  %new, %found = scf.while (%p = %w) : (tensor<f32>) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %is = tensor.extract %f[] : tensor<i1>
    %none = arith.xori %is, %true : i1
    %q = arith.subf %p, %u : tensor<f32>
    scf.condition(%none) %q, %f : tensor<f32>, tensor<i1>
  } do {
  ^bb0(%q: tensor<f32>, %f: tensor<i1>):
    scf.yield %q : tensor<f32>
  }
  call @advance(%found) : (tensor<i1>) -> ()
  return %new : tensor<f32>
}

// -----

// Where none was found in the step before.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %count: tensor<i32> {amp.role = "opt_state", amp.name = "count"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i32> {amp.role = "opt_state", amp.name = "count"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ci = tensor.extract %count[] : tensor<i32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %some = arith.cmpi ne, %ci, %c0 : i32
  %fi = tensor.extract %f[] : tensor<i1>
  %any = arith.ori %some, %fi : i1
  scf.if %any {
    amp.update_scale @s, %f
  }
  %more = arith.addi %ci, %c1 : i32
  %next = arith.select %fi, %c0, %more : i32
  %n = tensor.from_elements %next : tensor<i32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %n : tensor<f32>, tensor<i32>
}

// -----

// Told in the step behind one that found an infinity alone.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %bi = tensor.extract %before[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %bi {
    // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %before
  }
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %f : tensor<f32>, tensor<i1>
}

// -----

// In a block that nothing leads to.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  return %w : tensor<f32>
^never:
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Behind a loop that goes on until an infinity is found.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %true = arith.constant true
  %new, %found = scf.while (%p = %w) : (tensor<f32>) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %is = tensor.extract %f[] : tensor<i1>
    %none = arith.xori %is, %true : i1
    %q = arith.subf %p, %u : tensor<f32>
    scf.condition(%none) %q, %f : tensor<f32>, tensor<i1>
  } do {
  ^bb0(%q: tensor<f32>, %f: tensor<i1>):
    scf.yield %q : tensor<f32>
  }
  amp.update_scale @s, %found
  return %new : tensor<f32>
}

// -----

// True in every step, on both of its ways.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %true = arith.constant dense<true> : tensor<i1>
  %always = arith.ori %f, %true : tensor<i1>
  cf.cond_br %is, ^one, ^other
^one:
  amp.update_scale @s, %always
  cf.br ^end
^other:
  // expected-error@below {{but got what is true where none found an infinity as well}}
  amp.update_scale @s, %always
  cf.br ^end
^end:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Three times.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %f
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In each call, of all calls before it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %before
  %all = arith.ori %before, %f : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %all : tensor<f32>, tensor<i1>
}

// -----

// A helper that gives the negation of what it was told.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscale(%g: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %true = arith.constant dense<true> : tensor<i1>
  %finite = arith.xori %f, %true : tensor<i1>
  return %u, %finite : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %finite = call @unscale(%g) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %true = arith.constant dense<true> : tensor<i1>
  %f = arith.xori %finite, %true : tensor<i1>
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Of the second unscaling.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{found here}}
  %v, %h = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  amp.update_scale @s, %h
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %h
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Joined before it is returned.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "seen"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %one = arith.ori %f, %t : tensor<i1>
  %same = arith.ori %f, %f : tensor<i1>
  amp.update_scale @s, %one
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %same : tensor<f32>, tensor<i1>
}

// -----

// One of two steps advances it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %before, %f : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  scf.if %is {
    amp.update_scale @s, %all
  } else {
    amp.update_scale @s, %all
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %no : tensor<f32>, tensor<i1>
}
func.func @accumulate(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s found(%before) : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %f : tensor<f32>, tensor<i1>
}

// -----

// In a module without a train step.
// CHECK: func.func
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @backward(%x: tensor<f32>, %seed: tensor<f32>, %is: i1) -> tensor<f32> {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  return %u : tensor<f32>
}

// -----

// A state that is false because of the batch hands on nothing, though the next call may tell of its own.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %st: tensor<i1> {amp.role = "opt_state", amp.name = "bad"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "bad"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  %fi = tensor.extract %f[] : tensor<i1>
  // expected-note@below {{lost here}}
  %bad = arith.andi %fi, %data : i1
  scf.if %bad {
    %t = tensor.from_elements %bad : tensor<i1>
    // expected-error@below {{but 'arith.andi' may lose what one found}}
    amp.update_scale @s, %t
  } else {
    %t = tensor.from_elements %bad : tensor<i1>
    amp.update_scale @s, %t
  }
  %next = tensor.from_elements %bad : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// The same in one of the branches.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %st: tensor<i1> {amp.role = "opt_state", amp.name = "bad"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "bad"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %st
  %fi = tensor.extract %f[] : tensor<i1>
  // expected-note@below {{lost here}}
  %bad = arith.andi %fi, %data : i1
  scf.if %bad {
    %t = tensor.from_elements %bad : tensor<i1>
    amp.update_scale @s, %t
  }
  %next = tensor.from_elements %bad : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// Nor does one that goes through as it is.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %q: tensor<i1> {amp.role = "buffer", amp.name = "warm"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "buffer", amp.name = "warm"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  %fi = tensor.extract %f[] : tensor<i1>
  scf.if %fi {
    %t = tensor.from_elements %fi : tensor<i1>
    amp.update_scale @s, %t
  } else {
    amp.update_scale @s, %f
  }
  %warm = tensor.extract %q[] : tensor<i1>
  %up = scf.if %warm -> tensor<f32> {
    scf.yield %u : tensor<f32>
  } else {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    %k = arith.mulf %b, %w : tensor<f32>
    // expected-error@below {{but this one's reaches none}}
    %v, %h = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    scf.yield %v : tensor<f32>
  }
  %next = tensor.from_elements %warm : tensor<i1>
  %new = arith.subf %w, %up : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// The same, by a condition of the batch.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "hyper", amp.name = "n"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %q: tensor<i1> {amp.role = "buffer", amp.name = "warm"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "buffer", amp.name = "warm"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zi = arith.constant 0 : i32
  %data = arith.cmpi eq, %n, %zi : i32
  %warm = tensor.extract %q[] : tensor<i1>
  %dt = tensor.from_elements %data : tensor<i1>
  %m = arith.ori %f, %dt : tensor<i1>
  scf.if %data { 
    %d2 = tensor.from_elements %data : tensor<i1>
    %m2 = arith.ori %f, %d2 : tensor<i1>
    // expected-error@below {{but no way on which one is surely told leads here from one}}
    amp.update_scale @s, %m2
  } else { amp.update_scale @s, %m }
  %up = scf.if %warm -> tensor<f32> {
    scf.yield %u : tensor<f32>
  } else {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    %k = arith.mulf %b, %w : tensor<f32>
    // expected-note@below {{found here}}
    %v, %h = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    scf.yield %v : tensor<f32>
  }
  %next = tensor.from_elements %warm : tensor<i1>
  %new = arith.subf %w, %up : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// Another step gives the state anew, and does not take it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @other(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %no = arith.constant dense<false> : tensor<i1>
  return %w, %no : tensor<f32>, tensor<i1>
}
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
  %no = arith.constant dense<false> : tensor<i1>
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  %next = scf.if %data -> tensor<i1> { amp.update_scale @s, %any
    scf.yield %no : tensor<i1> } else { scf.yield %any : tensor<i1> }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// A block behind a branch that told some ways.
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
  %all = arith.ori %before, %f : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %after = scf.if %is -> tensor<i1> {
    amp.update_scale @s, %all
    scf.yield %no : tensor<i1>
  } else {
    scf.yield %all : tensor<i1>
  }
  cf.br ^end
^end:
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %after : tensor<f32>, tensor<i1>
}

// -----

// A state that finite steps make true as well.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"},
    %due: tensor<i1> {amp.role = "opt_state", amp.name = "due"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<i1> {amp.role = "opt_state", amp.name = "found"},
        tensor<i1> {amp.role = "opt_state", amp.name = "due"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %is = tensor.extract %due[] : tensor<i1>
  %left = scf.if %is -> tensor<i1> {
    amp.update_scale @s, %before
    scf.yield %no : tensor<i1>
  } else {
    scf.yield %before : tensor<i1>
  }
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s found(%left) : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %next = arith.ori %f, %t : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %f, %next : tensor<f32>, tensor<i1>, tensor<i1>
}
