// A scaled gradient that is stored, and loaded when its scaler has advanced, is divided by
// another scale than it was multiplied with.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Stored before, loaded behind.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %m = memref.alloc() : memref<f32>
  %g = arith.mulf %w, %a : tensor<f32>
  %h = arith.mulf %x, %a : tensor<f32>
  %e = tensor.extract %h[] : tensor<f32>
  // expected-note@below {{stored here}}
  memref.store %e, %m[] : memref<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %f
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
  %l = memref.load %m[] : memref<f32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: written over with one that is scaled anew.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %m = memref.alloc() : memref<f32>
  %g = arith.mulf %w, %a : tensor<f32>
  %h = arith.mulf %x, %a : tensor<f32>
  %e = tensor.extract %h[] : tensor<f32>
  memref.store %e, %m[] : memref<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %k = arith.mulf %x, %b : tensor<f32>
  %d = tensor.extract %k[] : tensor<f32>
  memref.store %d, %m[] : memref<f32>
  %l = memref.load %m[] : memref<f32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Another memory is written.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %m = memref.alloc() : memref<f32>
  %g = arith.mulf %w, %a : tensor<f32>
  %h = arith.mulf %x, %a : tensor<f32>
  %e = tensor.extract %h[] : tensor<f32>
  // expected-note@below {{stored here}}
  memref.store %e, %m[] : memref<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %f
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %k = arith.mulf %x, %b : tensor<f32>
  %d = tensor.extract %k[] : tensor<f32>
  %o = memref.alloc() : memref<f32>
  memref.store %d, %o[] : memref<f32>
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
  %l = memref.load %m[] : memref<f32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: another memory is read.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %m = memref.alloc() : memref<f32>
  %g = arith.mulf %w, %a : tensor<f32>
  %h = arith.mulf %x, %a : tensor<f32>
  %e = tensor.extract %h[] : tensor<f32>
  memref.store %e, %m[] : memref<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %k = arith.mulf %x, %b : tensor<f32>
  %d = tensor.extract %k[] : tensor<f32>
  %o = memref.alloc() : memref<f32>
  memref.store %d, %o[] : memref<f32>
  %l = memref.load %o[] : memref<f32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Copied behind, and through a view.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %m = memref.alloc() : memref<f32>
  %c = memref.cast %m : memref<f32> to memref<f32, strided<[]>>
  %o = memref.alloc() : memref<f32>
  %g = arith.mulf %w, %a : tensor<f32>
  %h = arith.mulf %x, %a : tensor<f32>
  %e = tensor.extract %h[] : tensor<f32>
  // expected-note@below {{stored here}}
  memref.store %e, %c[] : memref<f32, strided<[]>>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %f
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
  memref.copy %m, %o : memref<f32> to memref<f32>
  %l = memref.load %o[] : memref<f32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Which of two memories, is chosen.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %m = memref.alloc() : memref<f32>
  %o = memref.alloc() : memref<f32>
  %no = arith.constant 0.0 : f32
  memref.store %no, %o[] : memref<f32>
  %g = arith.mulf %w, %a : tensor<f32>
  %h = arith.mulf %x, %a : tensor<f32>
  %e = tensor.extract %h[] : tensor<f32>
  // expected-note@below {{stored here}}
  memref.store %e, %m[] : memref<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %f
  %zero = arith.constant 0.0 : f32
  %number = tensor.extract %x[] : tensor<f32>
  %c = arith.cmpf ogt, %number, %zero : f32
  %chosen = arith.select %c, %m, %o : memref<f32>
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
  %l = memref.load %chosen[] : memref<f32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Loaded in the next round of a loop that advances the scaler.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = memref.alloc() : memref<f32>
  memref.store %z, %m[] : memref<f32>
  // expected-note@below {{the scale advances here}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %w) -> tensor<f32> {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %h = arith.mulf %c, %a : tensor<f32>
    %e = tensor.extract %h[] : tensor<f32>
    // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
    %l = memref.load %m[] : memref<f32>
    %t = tensor.from_elements %l : tensor<f32>
    %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
    // expected-note@below {{stored here}}
    memref.store %e, %m[] : memref<f32>
    amp.update_scale @s, %fv
    %n = arith.subf %c, %v : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Mended: in the same round, of which it is written.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = memref.alloc() : memref<f32>
  memref.store %z, %m[] : memref<f32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %w) -> tensor<f32> {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %h = arith.mulf %c, %a : tensor<f32>
    %e = tensor.extract %h[] : tensor<f32>
    memref.store %e, %m[] : memref<f32>
    %l = memref.load %m[] : memref<f32>
    %t = tensor.from_elements %l : tensor<f32>
    %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %fv
    %n = arith.subf %c, %v : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Near miss: of memory that each round has its own of.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %w) -> tensor<f32> {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %h = arith.mulf %c, %a : tensor<f32>
    %e = tensor.extract %h[] : tensor<f32>
    %m = memref.alloc() : memref<4xf32>
    memref.store %e, %m[%i] : memref<4xf32>
    %l = memref.load %m[%c0] : memref<4xf32>
    %t = tensor.from_elements %l : tensor<f32>
    %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %fv
    %n = arith.subf %c, %v : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Of memory that all rounds share, another element.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = memref.alloc() : memref<4xf32>
  // expected-note@below {{the scale advances here}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %w) -> tensor<f32> {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %h = arith.mulf %c, %a : tensor<f32>
    %e = tensor.extract %h[] : tensor<f32>
    // expected-note@below {{stored here}}
    memref.store %e, %m[%i] : memref<4xf32>
    // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
    %l = memref.load %m[%c0] : memref<4xf32>
    %t = tensor.from_elements %l : tensor<f32>
    %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %fv
    %n = arith.subf %c, %v : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// The same round, written in blocks.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %m = memref.alloc() : memref<f32>
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  memref.store %z, %m[] : memref<f32>
  cf.br ^head(%c0, %w : index, tensor<f32>)
^head(%i: index, %c: tensor<f32>):
  %go = arith.cmpi slt, %i, %c4 : index
  cf.cond_br %go, ^body, ^end
^body:
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %c, %a : tensor<f32>
  %e = tensor.extract %h[] : tensor<f32>
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
  %l = memref.load %m[] : memref<f32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{stored here}}
  memref.store %e, %m[] : memref<f32>
  amp.update_scale @s, %fv
  %n = arith.subf %c, %v : tensor<f32>
  %j = arith.addi %i, %c1 : index
  // expected-note@below {{the scale advances here}}
  cf.br ^head(%j, %n : index, tensor<f32>)
^end:
  return %c : tensor<f32>
}
