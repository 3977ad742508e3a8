// What FlagFlow keeps of flags where ways part and meet: blocks, regions, guards and calls, each
// with the least that tells a right rule from one that is a little off.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// By a helper on one of its ways alone.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%f: tensor<i1>, %is: i1) {
  cf.cond_br %is, ^two, ^one
^one:
  amp.update_scale @s, %f
  cf.br ^end
^two:
  cf.br ^end
^end:
  return
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
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  call @advance(%f, %is) : (tensor<i1>, i1) -> ()
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// On both ways, once on each, the second way first.
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
  scf.if %is {
  } else {
    amp.update_scale @s, %f
  }
  scf.if %is {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Through affine-for.
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
  %r = affine.for %i = 0 to 3 iter_args(%any = %f) -> tensor<i1> {
    affine.yield %any : tensor<i1>
  }
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Through affine-if.
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
  %e = tensor.empty() : tensor<3xf32>
  %z = arith.constant 0 : index
  %d = tensor.dim %e, %z : tensor<3xf32>
  %r = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%d) -> tensor<i1> {
    affine.yield %f : tensor<i1>
  } else {
    affine.yield %f : tensor<i1>
  }
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Through alloca-scope.
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
  %r = memref.alloca_scope -> tensor<i1> {
    memref.alloca_scope.return %f : tensor<i1>
  }
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Through execute-region.
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
  %r = scf.execute_region -> tensor<i1> {
    scf.yield %f : tensor<i1>
  }
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Through autocast.
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
  %r = amp.autocast {
    amp.yield %f : tensor<i1>
  } : tensor<i1>
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Another one between.
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
  %v, %h = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  amp.update_scale @s, %h
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Skipped where one was found, beside an unscaling that is told of another flag.
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
  %v, %h = amp.unscale %g using @s found(%t) : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %fi {
  } else {
    // expected-error@below {{but 'scf.if' decides whether it is}}
    amp.update_scale @s, %f
  }
  amp.update_scale @s, %h
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By a helper that is handed no flag, in a branch.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscale(%g: tensor<f32>) -> tensor<f32> {
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  return %u : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %u = scf.if %is -> tensor<f32> {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %v = func.call @unscale(%g) : (tensor<f32>) -> tensor<f32>
    scf.yield %v : tensor<f32>
  } else {
    scf.yield %w : tensor<f32>
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where none was found, by one of two functions.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @one(%f: tensor<i1>) {
  amp.update_scale @s, %f
  return
}
func.func private @other(%f: tensor<i1>) {
  amp.update_scale @s, %f
  return
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
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  scf.if %fi {
    amp.update_scale @s, %f
  } else {
    %one = func.constant @one : (tensor<i1>) -> ()
    %other = func.constant @other : (tensor<i1>) -> ()
    %some = arith.select %is, %one, %other : (tensor<i1>) -> ()
    func.call_indirect %some(%f) : (tensor<i1>) -> ()
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A caller, and a helper.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%f: tensor<i1>) {
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %f
  return
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
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  call @advance(%f) : (tensor<i1>) -> ()
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a guard that is told of another flag.
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
  // expected-note@below {{decided here}}
  %p = amp.apply_if_finite %t keep(%w) {
    // expected-error@below {{but 'amp.apply_if_finite' decides whether it is}}
    amp.update_scale @s, %f
    amp.yield %w : tensor<f32>
  } : tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a branch in a guard.
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
  %p = amp.apply_if_finite %f keep(%w) {
    // expected-note@below {{decided here}}
    scf.if %is {
      // expected-error@below {{but 'scf.if' decides whether it is}}
      amp.update_scale @s, %f
    }
    amp.yield %w : tensor<f32>
  } : tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Given by a guard that never keeps.
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
  %no = arith.constant dense<false> : tensor<i1>
  %r = amp.apply_if_finite %no keep(%t) {
    amp.yield %f : tensor<i1>
  } : tensor<i1>
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Lost behind a guard that gives it.
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
  %r = amp.apply_if_finite %t keep(%f) {
    amp.yield %f : tensor<i1>
  } : tensor<i1>
  // expected-note@below {{lost here}}
  %q = arith.andi %r, %t : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %q
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Kept by a guard that is told of another flag.
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
  // expected-note@below {{lost here}}
  %r = amp.apply_if_finite %t keep(%f) {
    amp.yield %t : tensor<i1>
  } : tensor<i1>
  // expected-error@below {{but 'amp.apply_if_finite' may lose what one found}}
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a loop of blocks, by a branch that gives what this round found.
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
  cf.br ^h(%c0, %w, %z, %no : index, tensor<f32>, tensor<f32>, tensor<i1>)
^h(%i: index, %p: tensor<f32>, %d: tensor<f32>, %any: tensor<i1>):
  %go = arith.cmpi slt, %i, %c2 : index
  cf.cond_br %go, ^b, ^e
^b:
  %xi = tensor.extract %x[%i] : tensor<2xf32>
  %xt = tensor.from_elements %xi : tensor<f32>
  %k = arith.mulf %a, %xt : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %mag = math.absf %k : tensor<f32>
  %e = arith.divf %k, %mag : tensor<f32>
  %told = scf.if %go -> tensor<i1> {
    scf.yield %f : tensor<i1>
  } else {
    scf.yield %f : tensor<i1>
  }
  %new = amp.apply_if_finite %told keep(%p) {
    %m = arith.subf %p, %e : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  %all = arith.ori %any, %f : tensor<i1>
  %j = arith.addi %i, %c1 : index
  cf.br ^h(%j, %new, %e, %all : index, tensor<f32>, tensor<f32>, tensor<i1>)
^e:
  amp.update_scale @s, %any
  return %p : tensor<f32>
}

// -----

// Used in one block of a cycle that begins with either.
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
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  cf.cond_br %is, ^told(%c0 : index), ^other(%c0 : index)
^told(%i: index):
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %f
  %again = arith.cmpi ult, %i, %c3 : index
  cf.cond_br %again, ^other(%i : index), ^end
^other(%k: index):
  %next = arith.addi %k, %c1 : index
  cf.br ^told(%next : index)
^end:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The condition of a branch, behind blocks in it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %u, %r = scf.if %is -> (tensor<f32>, tensor<i1>) {
    %p, %q = scf.execute_region -> (tensor<f32>, tensor<i1>) {
      %a = amp.scale_loss %seed using @s : tensor<f32>
      %g = arith.mulf %a, %x : tensor<f32>
      %v, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
      cf.br ^end
    ^end:
      scf.yield %v, %f : tensor<f32>, tensor<i1>
    }
    scf.yield %p, %q : tensor<f32>, tensor<i1>
  } else {
    scf.yield %w, %no : tensor<f32>, tensor<i1>
  }
  scf.if %is {
    amp.update_scale @s, %r
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In one block, and in the next.
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
  cf.br ^end
^end:
  // expected-warning@below {{advances '@s' again with what one 'amp.unscale' found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A block that is handed the condition.
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
  cf.cond_br %is, ^one(%is : i1), ^other
^one(%k: i1):
  scf.if %k {
    amp.update_scale @s, %f
  }
  cf.br ^end
^other:
  amp.update_scale @s, %f
  cf.br ^end
^end:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// On both ways of blocks, in a branch.
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
  %b = arith.cmpf olt, %x, %zero : tensor<f32>
  %isnt = tensor.extract %b[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %is {
    scf.execute_region {
      cf.cond_br %isnt, ^one, ^other
    ^one:
      // expected-error@below {{but 'scf.if' decides whether it is}}
      amp.update_scale @s, %f
      cf.br ^end
    ^other:
      amp.update_scale @s, %f
      cf.br ^end
    ^end:
      scf.yield
    }
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Decided behind another block.
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
  cf.br ^fork
^fork:
  // expected-note@below {{decided here}}
  cf.cond_br %is, ^one, ^end
^one:
  // expected-error@below {{but 'cf.cond_br' decides whether it is}}
  amp.update_scale @s, %f
  cf.br ^end
^end:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Decided behind the unscaling, not in front of it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  cf.cond_br %is, ^one, ^other
^one:
  cf.br ^unscale
^other:
  cf.br ^unscale
^unscale:
  %b = arith.cmpf olt, %x, %zero : tensor<f32>
  %isnt = tensor.extract %b[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{decided here}}
  cf.cond_br %isnt, ^told, ^end
^told:
  // expected-error@below {{but 'cf.cond_br' decides whether it is}}
  amp.update_scale @s, %f
  cf.br ^end
^end:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Lost behind blocks that hand over the negation.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @same(%f: tensor<i1>) -> tensor<i1> {
  cf.br ^next(%f : tensor<i1>)
^next(%k: tensor<i1>):
  return %k : tensor<i1>
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
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %true = arith.constant dense<true> : tensor<i1>
  %finite = arith.xori %f, %true : tensor<i1>
  %same = call @same(%finite) : (tensor<i1>) -> tensor<i1>
  %back = arith.xori %same, %true : tensor<i1>
  // expected-note@below {{lost here}}
  %q = arith.andi %back, %t : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %q
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Lost behind blocks that hand over another flag as well.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @same(%f: tensor<i1>, %t: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  cf.br ^next(%f, %t : tensor<i1>, tensor<i1>)
^next(%k: tensor<i1>, %j: tensor<i1>):
  return %k, %j : tensor<i1>, tensor<i1>
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
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %r:2 = call @same(%f, %t) : (tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>)
  // expected-note@below {{lost here}}
  %q = arith.andi %r#0, %r#1 : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %q
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A negation that one of two ways hands over.
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
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %true = arith.constant dense<true> : tensor<i1>
  %finite = arith.xori %f, %true : tensor<i1>
  // expected-note@below {{lost here}}
  cf.cond_br %is, ^next(%finite : tensor<i1>), ^next(%t2 : tensor<i1>)
^next(%k: tensor<i1>):
  %back = arith.xori %k, %true : tensor<i1>
  // expected-error@below {{but 'cf.cond_br' may lose what one found}}
  amp.update_scale @s, %back
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A way that comes to no end.
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
  cf.cond_br %is, ^told, ^never
^never:
  ub.unreachable
^told:
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// As many rounds as are gone through one by one.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 63 : index
  %end = arith.constant 64 : index
  %none = arith.constant dense<false> : tensor<i1>
  %new, %all = scf.for %i = %c0 to %end step %c1 iter_args(%p = %w, %any = %none) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s found(%any) : (tensor<f32>) -> tensor<f32>
    %is = arith.cmpi eq, %i, %last : index
    scf.if %is {
      amp.update_scale @s, %f
    }
    %q = arith.subf %p, %u : tensor<f32>
    scf.yield %q, %f : tensor<f32>, tensor<i1>
  }
  return %new : tensor<f32>
}

// -----

// Compared in front of the unscaling.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 63 : index
  %end = arith.constant 64 : index
  %none = arith.constant dense<false> : tensor<i1>
  %new, %all = scf.for %i = %c0 to %end step %c1 iter_args(%p = %w, %any = %none) -> (tensor<f32>, tensor<i1>) {
    %is = arith.cmpi eq, %i, %last : index
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s found(%any) : (tensor<f32>) -> tensor<f32>
    scf.if %is {
      amp.update_scale @s, %f
    }
    %q = arith.subf %p, %u : tensor<f32>
    scf.yield %q, %f : tensor<f32>, tensor<i1>
  }
  return %new : tensor<f32>
}

// -----

// Of a branch that was run, by another of its condition.
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
  %k = arith.mulf %a, %x : tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %e, %p = scf.if %is -> (tensor<f32>, tensor<i1>) {
    %v, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    %mag = math.absf %k : tensor<f32>
    %d = arith.divf %k, %mag : tensor<f32>
    scf.yield %d, %f : tensor<f32>, tensor<i1>
  } else {
    scf.yield %zero, %no : tensor<f32>, tensor<i1>
  }
  %q = scf.if %is -> tensor<i1> {
    scf.yield %p : tensor<i1>
  } else {
    scf.yield %no : tensor<i1>
  }
  amp.update_scale @s, %p
  %u = amp.apply_if_finite %q keep(%w) {
    %m = arith.subf %w, %e : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Told by what it is joined with, and returned as well.
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
  amp.update_scale @s, %one
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %same : tensor<f32>, tensor<i1>
}
