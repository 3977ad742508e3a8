// What was found is handed to a helper, which gives something else where it is true.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Behind another branch.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @pass(%c: i1, %t: tensor<i1>) -> tensor<i1> {
  %is = tensor.extract %t[] : tensor<i1>
  %other = arith.constant dense<false> : tensor<i1>
  cf.cond_br %c, ^first, ^end(%t : tensor<i1>)
^first:
  // expected-note@below {{lost here}}
  cf.cond_br %is, ^end(%other : tensor<i1>), ^second
^second:
  cf.br ^end(%t : tensor<i1>)
^end(%r: tensor<i1>):
  return %r : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lim = arith.constant 1.0e6 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %x[] : tensor<f32>
  %ok = arith.cmpf olt, %e, %lim : f32
  %t = call @pass(%ok, %f) : (i1, tensor<i1>) -> tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'cf.cond_br' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// It gives what is true.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @pass(%c: i1, %t: tensor<i1>) -> tensor<i1> {
  %is = tensor.extract %t[] : tensor<i1>
  %other = arith.constant dense<true> : tensor<i1>
  cf.cond_br %c, ^first, ^end(%t : tensor<i1>)
^first:
  cf.cond_br %is, ^end(%other : tensor<i1>), ^second
^second:
  cf.br ^end(%t : tensor<i1>)
^end(%r: tensor<i1>):
  return %r : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lim = arith.constant 1.0e6 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %x[] : tensor<f32>
  %ok = arith.cmpf olt, %e, %lim : f32
  %t = call @pass(%ok, %f) : (i1, tensor<i1>) -> tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// By another return.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @pass(%t: tensor<i1>) -> tensor<i1> {
  %is = tensor.extract %t[] : tensor<i1>
  %other = arith.constant dense<false> : tensor<i1>
  cf.cond_br %is, ^found, ^none
^found:
  return %other : tensor<i1>
^none:
  return %t : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %t = call @pass(%f) : (tensor<i1>) -> tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'func.call' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// That gives what is true.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @pass(%t: tensor<i1>) -> tensor<i1> {
  %is = tensor.extract %t[] : tensor<i1>
  %other = arith.constant dense<true> : tensor<i1>
  cf.cond_br %is, ^found, ^none
^found:
  return %other : tensor<i1>
^none:
  return %t : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %t = call @pass(%f) : (tensor<i1>) -> tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// It hands itself something else.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @again(%k: i32, %t: tensor<i1>) -> tensor<i1> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<false> : tensor<i1>
  %c = arith.cmpi sgt, %k, %zero : i32
  // expected-note@below {{lost here}}
  %r = scf.if %c -> (tensor<i1>) {
    %j = arith.subi %k, %one : i32
    %q = func.call @again(%j, %none) : (i32, tensor<i1>) -> tensor<i1>
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
  %three = arith.constant 3 : i32
  %t = call @again(%three, %f) : (i32, tensor<i1>) -> tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.if' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// It hands on what it was handed.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @again(%k: i32, %t: tensor<i1>) -> tensor<i1> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<false> : tensor<i1>
  %c = arith.cmpi sgt, %k, %zero : i32
  %r = scf.if %c -> (tensor<i1>) {
    %j = arith.subi %k, %one : i32
    %q = func.call @again(%j, %t) : (i32, tensor<i1>) -> tensor<i1>
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
  %three = arith.constant 3 : i32
  %t = call @again(%three, %f) : (i32, tensor<i1>) -> tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: what the end of a window is computed from, or what is computed from it, is known in its branch.
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
  %any = arith.ori %f, %st : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant true
  %more = arith.xori %data, %yes : i1
  scf.if %data { amp.update_scale @s, %any }
  %next = arith.select %more, %any, %no : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// As a tensor.
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
  %any = arith.ori %f, %st : tensor<i1>
  %dt = tensor.from_elements %data : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %dd = tensor.extract %dt[] : tensor<i1>
  scf.if %dd { amp.update_scale @s, %any }
  %next = arith.select %dt, %no, %any : tensor<i1>, tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// By a conjunction.
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
  %any = arith.ori %f, %st : tensor<i1>
  %yes = arith.constant dense<true> : tensor<i1>
  %zt = arith.constant dense<0> : tensor<i32>
  %nt = tensor.from_elements %n : tensor<i32>
  %last = arith.cmpi eq, %nt, %zt : tensor<i32>
  %is = tensor.extract %last[] : tensor<i1>
  scf.if %is { amp.update_scale @s, %any }
  %more = arith.xori %last, %yes : tensor<i1>
  %next = arith.andi %any, %more : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// By another comparison of the same number.
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
  %any = arith.ori %f, %st : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %more = arith.cmpi ne, %n, %zi : i32
  scf.if %data { amp.update_scale @s, %any }
  %next = arith.select %more, %any, %no : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}

// -----

// By the same comparison, made again.
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
  %any = arith.ori %f, %st : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  scf.if %data { amp.update_scale @s, %any }
  %again = arith.cmpi eq, %n, %zi : i32
  %next = arith.select %again, %no, %any : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %next : tensor<f32>, tensor<i1>
}
