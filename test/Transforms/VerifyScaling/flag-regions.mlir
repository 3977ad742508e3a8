// Flags through branches and loops: which region is entered, how many rounds are gone through.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Told in some steps, in a branch of a branch.
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
  %b = arith.cmpf olt, %w, %zero : tensor<f32>
  %isnt = tensor.extract %b[] : tensor<i1>
  %after = scf.if %is -> tensor<i1> {
    %q = scf.if %isnt -> tensor<i1> {
      amp.update_scale @s, %all
      scf.yield %no : tensor<i1>
    } else {
      scf.yield %all : tensor<i1>
    }
    scf.yield %q : tensor<i1>
  } else {
    scf.yield %all : tensor<i1>
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %after : tensor<f32>, tensor<i1>
}

// -----

// Before a branch, and in it.
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
  scf.if %is {
    // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Found in a loop that runs no round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %none = arith.constant dense<false> : tensor<i1>
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %new, %any = scf.for %i = %c3 to %c3 step %c1 iter_args(%p = %w, %before = %none) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s found(%before) : (tensor<f32>) -> tensor<f32>
    %is = arith.cmpi eq, %i, %c3 : index
    %q = arith.subf %p, %u : tensor<f32>
    scf.yield %q, %f : tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %any
  return %new : tensor<f32>
}

// -----

// Not in the rounds whose number is negative where it is compared.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %lo = arith.constant 120 : i8
  %hi = arith.constant -120 : i8
  %new = scf.for unsigned %i = %lo to %hi step %c1 iter_args(%p = %w) -> (tensor<f32>) : i8 {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %is = arith.cmpi sge, %i, %c0 : i8
    // expected-note@below {{decided here}}
    scf.if %is {
      // expected-error@below {{but 'scf.if' decides whether it is}}
      amp.update_scale @s, %f
    }
    %q = arith.subf %p, %u : tensor<f32>
    scf.yield %q : tensor<f32>
  }
  return %new : tensor<f32>
}

// -----

// A case that is chosen by a constant.
// CHECK: func.func @train
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
  %c1 = arith.constant 1 : index
  scf.index_switch %c1
  case 1 {
    amp.update_scale @s, %f
    scf.yield
  }
  default {
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The case of 1 is one of those that run where an infinity was found.
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
  %fi = tensor.extract %f[] : tensor<i1>
  %n = arith.index_castui %fi : i1 to index
  // expected-note@below {{decided here}}
  scf.index_switch %n
  case 0 {
    scf.yield
  }
  case 1 {
    scf.yield
  }
  default {
    // expected-error@below {{but 'scf.index_switch' decides whether it is}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Told in each case but that of 0, as another is in that.
// CHECK: func.func @train
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
  %fi = tensor.extract %f[] : tensor<i1>
  %n = arith.index_castui %fi : i1 to index
  %p = arith.andi %f, %t : tensor<i1>
  scf.index_switch %n
  case 0 {
    amp.update_scale @s, %p
    scf.yield
  }
  case 1 {
    amp.update_scale @s, %f
    scf.yield
  }
  default {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Told of a flag that is yielded beside what was found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %t2 = arith.cmpf olt, %w, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %u, %p, %q = scf.if %is -> (tensor<f32>, tensor<i1>, tensor<i1>) {
    %v, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    scf.yield %v, %f, %t2 : tensor<f32>, tensor<i1>, tensor<i1>
  } else {
    scf.yield %w, %no, %no : tensor<f32>, tensor<i1>, tensor<i1>
  }
  // expected-note@below {{lost here}}
  %r = arith.andi %p, %t2 : tensor<i1>
  %all = arith.ori %q, %r : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %all
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
