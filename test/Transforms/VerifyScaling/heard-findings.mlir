// What an unscaling found reaches a transition surely, by the forms of FlagRules and
// FindingFlow, and the scaler is advanced where nothing was found as well.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Advanced where an infinity was found, and never elsewhere.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %is {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but where none found an infinity 'scf.if' keeps all from running that do; its scale would only fall, so advance it in either case, with what was found}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// In either case.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  scf.if %is {
    amp.update_scale @s, %f
  } else {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// By blocks.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  // expected-note@below {{decided here}}
  cf.cond_br %is, ^advance, ^end
^advance:
  // expected-error@below {{expected '@s' to be advanced after each unscaling, but where none found an infinity 'cf.cond_br' keeps all from running that do; its scale would only fall, so advance it in either case, with what was found}}
  amp.update_scale @s, %f
  cf.br ^end
^end:
  return %new : tensor<f32>
}

// -----
// By a helper that is called then.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%f: tensor<i1>) {
  // expected-error@below {{expected '@s' to be advanced after each unscaling, but where none found an infinity 'scf.if' keeps all from running that do; its scale would only fall, so advance it in either case, with what was found}}
  amp.update_scale @s, %f
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %is {
    func.call @advance(%f) : (tensor<i1>) -> ()
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A helper that gives one of two by the batch.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @one(%c: i1, %p: tensor<i1>, %q: tensor<i1>) -> tensor<i1> {
  cf.cond_br %c, ^first, ^second
^first:
  return %p : tensor<i1>
^second:
  %r = arith.ori %p, %q : tensor<i1>
  return %r : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %v, %k = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.extract %x[] : tensor<f32>
  %c = arith.cmpf ogt, %e, %zero : f32
  // expected-note@below {{lost here}}
  %t = call @one(%c, %f, %k) : (i1, tensor<i1>, tensor<i1>) -> tensor<i1>
  // expected-error@below {{but 'func.call' may lose what one found}}
  amp.update_scale @s, %t
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Both of them on each of its ways.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @one(%c: i1, %p: tensor<i1>, %q: tensor<i1>) -> tensor<i1> {
  cf.cond_br %c, ^first, ^second
^first:
  %b = arith.ori %q, %p : tensor<i1>
  return %b : tensor<i1>
^second:
  %r = arith.ori %p, %q : tensor<i1>
  return %r : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %v, %k = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.extract %x[] : tensor<f32>
  %c = arith.cmpf ogt, %e, %zero : f32
  %t = call @one(%c, %f, %k) : (i1, tensor<i1>, tensor<i1>) -> tensor<i1>
  amp.update_scale @s, %t
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Two calls of one helper, of which one is heard.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @backward(%seed: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  return %u, %f : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %u, %f = call @backward(%seed, %x) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %v, %k = call @backward(%seed, %w) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Both.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @backward(%seed: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  return %u, %f : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %u, %f = call @backward(%seed, %x) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %v, %k = call @backward(%seed, %w) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %t = arith.ori %f, %k : tensor<i1>
  amp.update_scale @s, %t
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A function that calls itself and hands on what it was told.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @again(%n: i32, %t: tensor<i1>) -> tensor<i1> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %more = arith.cmpi sgt, %n, %zero : i32
  %r = scf.if %more -> tensor<i1> {
    %less = arith.subi %n, %one : i32
    %q = func.call @again(%less, %t) : (i32, tensor<i1>) -> tensor<i1>
    scf.yield %q : tensor<i1>
  } else {
    scf.yield %t : tensor<i1>
  }
  return %r : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %n = arith.constant 3 : i32
  %t = call @again(%n, %f) : (i32, tensor<i1>) -> tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Two that call each other.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @odd(%n: i32, %t: tensor<i1>) -> tensor<i1> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %more = arith.cmpi sgt, %n, %zero : i32
  %r = scf.if %more -> tensor<i1> {
    %less = arith.subi %n, %one : i32
    %q = func.call @even(%less, %t) : (i32, tensor<i1>) -> tensor<i1>
    scf.yield %q : tensor<i1>
  } else {
    scf.yield %t : tensor<i1>
  }
  return %r : tensor<i1>
}
func.func private @even(%n: i32, %t: tensor<i1>) -> tensor<i1> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %more = arith.cmpi sgt, %n, %zero : i32
  %r = scf.if %more -> tensor<i1> {
    %less = arith.subi %n, %one : i32
    %q = func.call @odd(%less, %t) : (i32, tensor<i1>) -> tensor<i1>
    scf.yield %q : tensor<i1>
  } else {
    scf.yield %t : tensor<i1>
  }
  return %r : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %n = arith.constant 3 : i32
  %t = call @odd(%n, %f) : (i32, tensor<i1>) -> tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// One of them forgets it at its end.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @odd(%n: i32, %t: tensor<i1>) -> tensor<i1> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %more = arith.cmpi sgt, %n, %zero : i32
  %r = scf.if %more -> tensor<i1> {
    %less = arith.subi %n, %one : i32
    %q = func.call @even(%less, %t) : (i32, tensor<i1>) -> tensor<i1>
    scf.yield %q : tensor<i1>
  } else {
    scf.yield %t : tensor<i1>
  }
  return %r : tensor<i1>
}
func.func private @even(%n: i32, %t: tensor<i1>) -> tensor<i1> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %more = arith.cmpi sgt, %n, %zero : i32
  // expected-note@below {{lost here}}
  %r = scf.if %more -> tensor<i1> {
    %less = arith.subi %n, %one : i32
    %q = func.call @odd(%less, %t) : (i32, tensor<i1>) -> tensor<i1>
    scf.yield %q : tensor<i1>
  } else {
    scf.yield %no : tensor<i1>
  }
  return %r : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %n = arith.constant 3 : i32
  %t = call @odd(%n, %f) : (i32, tensor<i1>) -> tensor<i1>
  // expected-error@below {{but 'scf.if' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A sum of flags is 0 where all of them are.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %v, %k = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %i = tensor.extract %f[] : tensor<i1>
  %j = tensor.extract %k[] : tensor<i1>
  %p = arith.extui %i : i1 to i32
  %q = arith.extui %j : i1 to i32
  %n = arith.addi %p, %q : i32
  %zero = arith.constant 0 : i32
  %some = arith.cmpi ne, %n, %zero : i32
  %t = tensor.from_elements %some : tensor<i1>
  amp.update_scale @s, %t
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Or where it wraps: of four, in two bits.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %v, %k = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %i = tensor.extract %f[] : tensor<i1>
  %j = tensor.extract %k[] : tensor<i1>
  %p = arith.extui %i : i1 to i2
  %q = arith.extui %j : i1 to i2
  %m = arith.addi %p, %q : i2
  // expected-note@below {{lost here}}
  %n = arith.addi %m, %m : i2
  %zero = arith.constant 0 : i2
  %some = arith.cmpi ne, %n, %zero : i2
  %t = tensor.from_elements %some : tensor<i1>
  // expected-error@below {{but 'arith.addi' may lose what one found}}
  amp.update_scale @s, %t
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Negative ones cancel.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %v, %k = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %i = tensor.extract %f[] : tensor<i1>
  %j = tensor.extract %k[] : tensor<i1>
  %p = arith.extui %i : i1 to i32
  %q = arith.extsi %j : i1 to i32
  // expected-note@below {{lost here}}
  %n = arith.addi %p, %q : i32
  %zero = arith.constant 0 : i32
  %some = arith.cmpi ne, %n, %zero : i32
  %t = tensor.from_elements %some : tensor<i1>
  // expected-error@below {{but 'arith.addi' may lose what one found}}
  amp.update_scale @s, %t
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A flag that is a number, as PyTorch has it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %i = tensor.extract %f[] : tensor<i1>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = arith.select %i, %one, %zero : f32
  %some = arith.cmpf ogt, %n, %zero : f32
  %t = tensor.from_elements %some : tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Compared with what it never is.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %i = tensor.extract %f[] : tensor<i1>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = arith.select %i, %one, %zero : f32
  // expected-note@below {{lost here}}
  %some = arith.cmpf olt, %n, %zero : f32
  %t = tensor.from_elements %some : tensor<i1>
  // expected-error@below {{but 'arith.cmpf' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A window of calls, in a state; its last one advances the scaler.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"}, %n: i32 {amp.role = "hyper", amp.name = "n"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %t = amp.unscale %g using @s found(%before) : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant 0 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %last = arith.cmpi eq, %n, %zero : i32
  %after = scf.if %last -> tensor<i1> {
    amp.update_scale @s, %t
    scf.yield %no : tensor<i1>
  } else {
    scf.yield %t : tensor<i1>
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %after : tensor<f32>, tensor<i1>
}

// -----
// A state that forgets the calls before.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"}, %n: i32 {amp.role = "hyper", amp.name = "n"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %t = arith.ori %f, %f : tensor<i1>
  %zero = arith.constant 0 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %last = arith.cmpi eq, %n, %zero : i32
  %after = scf.if %last -> tensor<i1> {
    // expected-error@below {{but no way on which one is surely told leads here from one}}
    amp.update_scale @s, %t
    scf.yield %no : tensor<i1>
  } else {
    scf.yield %t : tensor<i1>
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %after : tensor<f32>, tensor<i1>
}

// -----
// A window that each call begins anew.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"}, %n: i32 {amp.role = "hyper", amp.name = "n"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %t = amp.unscale %g using @s found(%before) : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant 0 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %last = arith.cmpi eq, %n, %zero : i32
  // expected-note@below {{decided here}}
  %after = scf.if %last -> tensor<i1> {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.if' decides whether it is; advance it in either case, with what was found}}
    amp.update_scale @s, %t
    scf.yield %no : tensor<i1>
  } else {
    scf.yield %before : tensor<i1>
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %after : tensor<f32>, tensor<i1>
}

// -----
// Where one of the rounds found an infinity, and never elsewhere.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %u, %t = scf.for %i = %c0 to %c4 step %c1 iter_args(%d = %z, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %k = arith.mulf %a, %x : tensor<f32>
    %r, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    %e = arith.addf %d, %r : tensor<f32>
    %all = arith.ori %any, %f : tensor<i1>
    scf.yield %e, %all : tensor<f32>, tensor<i1>
  }
  %is = tensor.extract %t[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %is {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but where none found an infinity 'scf.if' keeps all from running that do; its scale would only fall, so advance it in either case, with what was found}}
    amp.update_scale @s, %t
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Behind the rounds.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %u, %t = scf.for %i = %c0 to %c4 step %c1 iter_args(%d = %z, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %k = arith.mulf %a, %x : tensor<f32>
    %r, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    %e = arith.addf %d, %r : tensor<f32>
    %all = arith.ori %any, %f : tensor<i1>
    scf.yield %e, %all : tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Where a helper found one, and never elsewhere.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @backward(%seed: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  return %u, %f : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %u, %f = call @backward(%seed, %x) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %v, %k = call @backward(%seed, %w) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %t = arith.ori %f, %k : tensor<i1>
  %is = tensor.extract %t[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %is {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but where none found an infinity 'scf.if' keeps all from running that do; its scale would only fall, so advance it in either case, with what was found}}
    amp.update_scale @s, %t
  }
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A state that is never true decides with it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %old: tensor<i1> {amp.role = "opt_state", amp.name = "old"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "old"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %t = arith.ori %f, %old : tensor<i1>
  %is = tensor.extract %t[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %is {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but where none found an infinity 'scf.if' keeps all from running that do; its scale would only fall, so advance it in either case, with what was found}}
    amp.update_scale @s, %t
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %no : tensor<f32>, tensor<i1>
}

// -----
// One that is not known: where it is true, each step lowers the scale.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %old: tensor<i1> {amp.role = "opt_state", amp.name = "old"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "old"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %t = arith.ori %f, %old : tensor<i1>
  %is = tensor.extract %t[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %is {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %t
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %old : tensor<f32>, tensor<i1>
}

// -----
// A second step forgets what the first one left.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @other(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %no = arith.constant dense<false> : tensor<i1>
  return %w, %no : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"}, %n: i32 {amp.role = "hyper", amp.name = "n"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %t = amp.unscale %g using @s found(%before) : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant 0 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %last = arith.cmpi eq, %n, %zero : i32
  %after = scf.if %last -> tensor<i1> {
    // expected-error@below {{but no way on which one is surely told leads here from one}}
    amp.update_scale @s, %t
    scf.yield %no : tensor<i1>
  } else {
    scf.yield %t : tensor<i1>
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %after : tensor<f32>, tensor<i1>
}

// -----
// It keeps it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @other(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %no = arith.constant dense<false> : tensor<i1>
  return %w, %before : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"}, %n: i32 {amp.role = "hyper", amp.name = "n"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %t = amp.unscale %g using @s found(%before) : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant 0 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %last = arith.cmpi eq, %n, %zero : i32
  %after = scf.if %last -> tensor<i1> {
    amp.update_scale @s, %t
    scf.yield %no : tensor<i1>
  } else {
    scf.yield %t : tensor<i1>
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %after : tensor<f32>, tensor<i1>
}

// -----
// Advanced with what is true in every step.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %true = arith.constant dense<true> : tensor<i1>
  %always = arith.ori %f, %true : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced with what an 'amp.unscale' found, but got what is true where none found an infinity as well; its scale would only fall, so advance it with what was found alone}}
  amp.update_scale @s, %always
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// With what is true in no other.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %false = arith.constant dense<false> : tensor<i1>
  %any = arith.ori %f, %false : tensor<i1>
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// By a helper.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%f: tensor<i1>, %h: tensor<i1>) {
  %any = arith.ori %f, %h : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced with what an 'amp.unscale' found, but got what is true where none found an infinity as well; its scale would only fall, so advance it with what was found alone}}
  amp.update_scale @s, %any
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %always = arith.constant dense<true> : tensor<i1>
  call @advance(%f, %always) : (tensor<i1>, tensor<i1>) -> ()
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Where a reduction of what was found is true alone.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %two = tensor.from_elements %is, %is : tensor<2xi1>
  %false = arith.constant false
  %start = tensor.from_elements %false : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %some {
  // expected-error@below {{expected '@s' to be advanced after each unscaling, but where none found an infinity 'scf.if' keeps all from running that do; its scale would only fall, so advance it in either case, with what was found}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// In either case.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %two = tensor.from_elements %is, %is : tensor<2xi1>
  %false = arith.constant false
  %start = tensor.from_elements %false : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  scf.if %some {
    amp.update_scale @s, %any
  } else {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where any rank found one alone.
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
  %r = amp.all_reduce_found_inf %f
  %is = tensor.extract %r[] : tensor<i1>
  // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
  // expected-note@below {{decided here}}
  scf.if %is { amp.update_scale @s, %r }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The same, told of this rank alone.
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
  %r = amp.all_reduce_found_inf %f
  %is = tensor.extract %r[] : tensor<i1>
  // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
  // expected-note@below {{decided here}}
  scf.if %is { amp.update_scale @s, %f }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Between blocks.
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
  %r = amp.all_reduce_found_inf %f
  %is = tensor.extract %r[] : tensor<i1>
  // expected-note@below {{decided here}}
  cf.cond_br %is, ^a, ^b
^a:
  // expected-error@below {{but where none found an infinity 'cf.cond_br' keeps all from running that do}}
  amp.update_scale @s, %r
  cf.br ^b
^b:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By a flag that something else may make true as well.
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
  %nan = arith.cmpf uno, %u, %u : tensor<f32>
  %r = arith.ori %f, %nan : tensor<i1>
  %is = tensor.extract %r[] : tensor<i1>
  // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
  // expected-note@below {{decided here}}
  scf.if %is { amp.update_scale @s, %r }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By the sum of two.
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
  %fi = tensor.extract %f[] : tensor<i1>
  %b = arith.extui %fi : i1 to i32
  %b2 = arith.addi %b, %b : i32
  %is = arith.cmpi ne, %b2, %zi : i32
  %t = tensor.from_elements %is : tensor<i1>
  // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
  // expected-note@below {{decided here}}
  scf.if %is { amp.update_scale @s, %t }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By a reduction of flags that were put in one by one.
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
  %fi = tensor.extract %f[] : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant dense<false> : tensor<2xi1>
  %e = tensor.insert %fi into %no[%c0] : tensor<2xi1>
  %false = arith.constant false
  %start = tensor.from_elements %false : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%e : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %is = tensor.extract %any[] : tensor<i1>
  // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
  // expected-note@below {{decided here}}
  scf.if %is { amp.update_scale @s, %any }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By a number that chooses a region.
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
  %fi = tensor.extract %f[] : tensor<i1>
  %ix = arith.index_castui %fi : i1 to index
  // expected-note@below {{decided here}}
  scf.index_switch %ix
  case 0 { scf.yield }
  // expected-error@below {{but where none found an infinity 'scf.index_switch' keeps all from running that do}}
  default { amp.update_scale @s, %f
   scf.yield }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Joined with true beside an unknown one.
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
  %yes = arith.constant dense<true> : tensor<i1>
  %dt = tensor.from_elements %data : tensor<i1>
  %m = arith.ori %f, %dt : tensor<i1>
  %al = arith.ori %m, %yes : tensor<i1>
  // expected-error@below {{but got what is true where none found an infinity as well}}
  amp.update_scale @s, %al
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// An unscaling that is told that one was found.
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
  %yes = arith.constant dense<true> : tensor<i1>
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %k = arith.mulf %b, %w : tensor<f32>
  %v, %h = amp.unscale %k using @s found(%yes) : (tensor<f32>) -> tensor<f32>
  %any = arith.ori %f, %h : tensor<i1>
  // expected-error@below {{but got what is true where none found an infinity as well}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In one of the branches.
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
  %yes = arith.constant dense<true> : tensor<i1>
  %al = arith.ori %f, %yes : tensor<i1>
  // expected-error@below {{but got what is true where none found an infinity as well}}
  scf.if %data { amp.update_scale @s, %f } else { amp.update_scale @s, %al }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In one of two steps.
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
  %yes = arith.constant dense<true> : tensor<i1>
  %al = arith.ori %f, %yes : tensor<i1>
  // expected-error@below {{but got what is true where none found an infinity as well}}
  amp.update_scale @s, %al
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
func.func @train2(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
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
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A state that is true while all is finite.
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
  %yes = arith.constant dense<true> : tensor<i1>
  %old = arith.xori %st, %yes : tensor<i1>
  %fin = arith.xori %f, %yes : tensor<i1>
  amp.update_scale @s, %old
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %fin : tensor<f32>, tensor<i1>
}

// -----

// The same over a window.
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
  %yes = arith.constant dense<true> : tensor<i1>
  %fin = arith.xori %f, %yes : tensor<i1>
  %all = arith.andi %st, %fin : tensor<i1>
  %bad = arith.xori %all, %yes : tensor<i1>
  %next = scf.if %data -> tensor<i1> { amp.update_scale @s, %bad
   scf.yield %yes : tensor<i1> } else { scf.yield %all : tensor<i1> }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}
