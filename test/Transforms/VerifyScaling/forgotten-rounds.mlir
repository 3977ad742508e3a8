// A loop hands over what its rounds found if each way through a round joins what the one before
// did.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Odd rounds forget what the guard is to be told.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %told = %no, %any = %no) -> (tensor<f32>, tensor<i1>, tensor<i1>) {
    %even = arith.cmpi eq, %i, %c0 : index
    %q:3 = scf.if %even -> (tensor<f32>, tensor<i1>, tensor<i1>) {
      %xi = tensor.extract %x[%i] : tensor<2xf32>
      %xt = tensor.from_elements %xi : tensor<f32>
      %k = arith.mulf %a, %xt : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %mag = math.absf %k : tensor<f32>
      // expected-note@below {{the scale is lost here}}
      %e = arith.divf %k, %mag : tensor<f32>
      %e1 = arith.addf %d, %e : tensor<f32>
      %t1 = arith.ori %told, %f : tensor<i1>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %t1, %a1 : tensor<f32>, tensor<i1>, tensor<i1>
    } else {
      scf.yield %d, %no, %any : tensor<f32>, tensor<i1>, tensor<i1>
    }
    scf.yield %q#0, %q#1, %q#2 : tensor<f32>, tensor<i1>, tensor<i1>
  }
  amp.update_scale @s, %r#2
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %told = %no, %any = %no) -> (tensor<f32>, tensor<i1>, tensor<i1>) {
    %even = arith.cmpi eq, %i, %c0 : index
    %q:3 = scf.if %even -> (tensor<f32>, tensor<i1>, tensor<i1>) {
      %xi = tensor.extract %x[%i] : tensor<2xf32>
      %xt = tensor.from_elements %xi : tensor<f32>
      %k = arith.mulf %a, %xt : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %mag = math.absf %k : tensor<f32>
      %e = arith.divf %k, %mag : tensor<f32>
      %e1 = arith.addf %d, %e : tensor<f32>
      %t1 = arith.ori %told, %f : tensor<i1>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %t1, %a1 : tensor<f32>, tensor<i1>, tensor<i1>
    } else {
      scf.yield %d, %told, %any : tensor<f32>, tensor<i1>, tensor<i1>
    }
    scf.yield %q#0, %q#1, %q#2 : tensor<f32>, tensor<i1>, tensor<i1>
  }
  amp.update_scale @s, %r#2
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Which rounds forget, is read from memory.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %true = arith.constant true
  %false = arith.constant false
  %flags = memref.alloca() : memref<2xi1>
  memref.store %true, %flags[%c0] : memref<2xi1>
  memref.store %false, %flags[%c1] : memref<2xi1>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %told = %no, %any = %no) -> (tensor<f32>, tensor<i1>, tensor<i1>) {
    %even = memref.load %flags[%i] : memref<2xi1>
    %q:3 = scf.if %even -> (tensor<f32>, tensor<i1>, tensor<i1>) {
      %xi = tensor.extract %x[%i] : tensor<2xf32>
      %xt = tensor.from_elements %xi : tensor<f32>
      %k = arith.mulf %a, %xt : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %mag = math.absf %k : tensor<f32>
      // expected-note@below {{the scale is lost here}}
      %e = arith.divf %k, %mag : tensor<f32>
      %e1 = arith.addf %d, %e : tensor<f32>
      %t1 = arith.ori %told, %f : tensor<i1>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %t1, %a1 : tensor<f32>, tensor<i1>, tensor<i1>
    } else {
      scf.yield %d, %no, %any : tensor<f32>, tensor<i1>, tensor<i1>
    }
    scf.yield %q#0, %q#1, %q#2 : tensor<f32>, tensor<i1>, tensor<i1>
  }
  amp.update_scale @s, %r#2
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Odd rounds forget what the scaler is advanced with.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %told = %no, %any = %no) -> (tensor<f32>, tensor<i1>, tensor<i1>) {
    %even = arith.cmpi eq, %i, %c0 : index
    // expected-note@below {{lost here}}
    %q:3 = scf.if %even -> (tensor<f32>, tensor<i1>, tensor<i1>) {
      %xi = tensor.extract %x[%i] : tensor<2xf32>
      %xt = tensor.from_elements %xi : tensor<f32>
      %k = arith.mulf %a, %xt : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %e1 = arith.addf %d, %u : tensor<f32>
      %t1 = arith.ori %told, %f : tensor<i1>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %t1, %a1 : tensor<f32>, tensor<i1>, tensor<i1>
    } else {
      scf.yield %d, %no, %any : tensor<f32>, tensor<i1>, tensor<i1>
    }
    scf.yield %q#0, %q#1, %q#2 : tensor<f32>, tensor<i1>, tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.if' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %r#1
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %told = %no, %any = %no) -> (tensor<f32>, tensor<i1>, tensor<i1>) {
    %even = arith.cmpi eq, %i, %c0 : index
    %q:3 = scf.if %even -> (tensor<f32>, tensor<i1>, tensor<i1>) {
      %xi = tensor.extract %x[%i] : tensor<2xf32>
      %xt = tensor.from_elements %xi : tensor<f32>
      %k = arith.mulf %a, %xt : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %e1 = arith.addf %d, %u : tensor<f32>
      %t1 = arith.ori %told, %f : tensor<i1>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %t1, %a1 : tensor<f32>, tensor<i1>, tensor<i1>
    } else {
      scf.yield %d, %told, %any : tensor<f32>, tensor<i1>, tensor<i1>
    }
    scf.yield %q#0, %q#1, %q#2 : tensor<f32>, tensor<i1>, tensor<i1>
  }
  amp.update_scale @s, %r#1
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Crosswise: what goes round is in one of two values, by turns.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @backward(%seed: tensor<f32>, %x: tensor<f32>, %before: tensor<i1>) -> (tensor<f32>, tensor<i1>) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s found(%before) : (tensor<f32>) -> tensor<f32>
  return %u, %fu : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index, %m: i32)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %sum, %f = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %p = %no) -> (tensor<f32>, tensor<i1>) {
    %u, %fu = func.call @backward(%seed, %x, %no) : (tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>)
    %next = arith.addf %s, %u : tensor<f32>
    %joined = arith.ori %p, %fu : tensor<i1>
    scf.yield %next, %joined : tensor<f32>, tensor<i1>
  }
  // expected-note@below {{lost here}}
  %left, %more, %g, %h = scf.while (%i = %m, %s = %sum, %p = %no, %q = %no)
      : (i32, tensor<f32>, tensor<i1>, tensor<i1>) -> (i32, tensor<f32>, tensor<i1>, tensor<i1>) {
    %again = arith.cmpi sgt, %i, %one : i32
    scf.condition(%again) %i, %s, %p, %q : i32, tensor<f32>, tensor<i1>, tensor<i1>
  } do {
  ^bb0(%i: i32, %s: tensor<f32>, %p: tensor<i1>, %q: tensor<i1>):
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %k = arith.mulf %a, %x : tensor<f32>
    %u, %fu = amp.unscale %k using @s found(%q) : (tensor<f32>) -> tensor<f32>
    %next = arith.addf %s, %u : tensor<f32>
    %j = arith.subi %i, %one : i32
    scf.yield %j, %next, %fu, %p : i32, tensor<f32>, tensor<i1>, tensor<i1>
  }
  %fg = arith.ori %f, %g : tensor<i1>
  %all = arith.ori %fg, %h : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.while' may lose what one found}}
  amp.update_scale @s, %all
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %no) -> tensor<i1> {
    %u, %fu = func.call @backward(%seed, %x, %no) : (tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>)
    amp.update_scale @s, %fu
    scf.yield %fu : tensor<i1>
  }
  %new = arith.subf %w, %more : tensor<f32>
  return %new : tensor<f32>
}
