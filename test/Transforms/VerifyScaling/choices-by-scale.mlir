// What a comparison of a scaled value chooses, by ways on which its degree is not
// that of the result: returns, sizes, memory, tests for infinity.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Which return is reached.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %big = arith.cmpf ogt, %ge, %one : f32
  cf.cond_br %big, ^a, ^b
^a:
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
^b:
  return %w : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %u[] : tensor<f32>
  %big = arith.cmpf ogt, %ge, %one : f32
  cf.cond_br %big, ^a, ^b
^a:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
^b:
  return %w : tensor<f32>
}

// -----

// In a helper.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @clip(%c: tensor<f32>, %p: tensor<f32>, %u: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %one = arith.constant 1.0 : f32
  %ge = tensor.extract %c[] : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %big = arith.cmpf ogt, %ge, %one : f32
  cf.cond_br %big, ^a, ^b
^a:
  %new = arith.subf %p, %u : tensor<f32>
  return %new, %p : tensor<f32>, tensor<f32>
^b:
  return %p, %p : tensor<f32>, tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{called from here}}
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %k:2 = call @clip(%g, %w, %u) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %k#0 : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @clip(%c: tensor<f32>, %p: tensor<f32>, %u: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %one = arith.constant 1.0 : f32
  %ge = tensor.extract %c[] : tensor<f32>
  %big = arith.cmpf ogt, %ge, %one : f32
  cf.cond_br %big, ^a, ^b
^a:
  %new = arith.subf %p, %u : tensor<f32>
  return %new, %p : tensor<f32>, tensor<f32>
^b:
  return %p, %p : tensor<f32>, tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %k:2 = call @clip(%u, %w, %u) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %k#0 : tensor<f32>
}

// -----

// Near miss: both returns hand on the same value.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @clip(%c: tensor<f32>, %p: tensor<f32>, %u: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %one = arith.constant 1.0 : f32
  %ge = tensor.extract %c[] : tensor<f32>
  // expected-remark@below {{cannot decide which power of a loss scale is left here; no result of train step '@train' depends on it}}
  %big = arith.cmpf ogt, %ge, %one : f32
  cf.cond_br %big, ^a, ^b
^a:
  %new = arith.subf %p, %u : tensor<f32>
  return %new, %p : tensor<f32>, tensor<f32>
^b:
  return %p, %p : tensor<f32>, tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %k:2 = call @clip(%g, %w, %u) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %k#1 : tensor<f32>
}

// -----

// Zero or infinity, by a comparison.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %inf = arith.constant 0x7F800000 : f32
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %big = arith.cmpf ogt, %ge, %one : f32
  %either = arith.select %big, %zero, %inf : f32
  %fin = math.isfinite %either : f32
  %r = arith.select %fin, %half, %one : f32
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %inf = arith.constant 0x7F800000 : f32
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %u[] : tensor<f32>
  %big = arith.cmpf ogt, %ge, %one : f32
  %either = arith.select %big, %zero, %inf : f32
  %fin = math.isfinite %either : f32
  %r = arith.select %fin, %half, %one : f32
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The size of a tensor.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %big = arith.cmpf ogt, %ge, %one : f32
  %n = arith.select %big, %c1, %c2 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %d = tensor.dim %e, %c0 : tensor<?xf32>
  %i = arith.index_cast %d : index to i32
  %r = arith.sitofp %i : i32 to f32
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %u[] : tensor<f32>
  %big = arith.cmpf ogt, %ge, %one : f32
  %n = arith.select %big, %c1, %c2 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %d = tensor.dim %e, %c0 : tensor<?xf32>
  %i = arith.index_cast %d : index to i32
  %r = arith.sitofp %i : i32 to f32
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the size of a scaled tensor.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %c0 = arith.constant 0 : index
  %ge = tensor.extract %g[] : tensor<f32>
  %gs = tensor.from_elements %ge, %ge : tensor<2xf32>
  %d = tensor.dim %gs, %c0 : tensor<2xf32>
  %i = arith.index_cast %d : index to i32
  %r = arith.sitofp %i : i32 to f32
  %rt = tensor.from_elements %r : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Whether memory is written.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %m = memref.alloca() : memref<f32>
  memref.store %one, %m[] : memref<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %big = arith.cmpf ogt, %ge, %one : f32
  scf.if %big {
    memref.store %half, %m[] : memref<f32>
  }
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %m = memref.alloca() : memref<f32>
  memref.store %one, %m[] : memref<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %u[] : tensor<f32>
  %big = arith.cmpf ogt, %ge, %one : f32
  scf.if %big {
    memref.store %half, %m[] : memref<f32>
  }
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %m = memref.alloca() : memref<f32>
  memref.store %one, %m[] : memref<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %big = arith.cmpf ogt, %ge, %one : f32
  cf.cond_br %big, ^a, ^b
^a:
  memref.store %half, %m[] : memref<f32>
  cf.br ^b
^b:
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %m = memref.alloca() : memref<f32>
  memref.store %one, %m[] : memref<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %u[] : tensor<f32>
  %big = arith.cmpf ogt, %ge, %one : f32
  cf.cond_br %big, ^a, ^b
^a:
  memref.store %half, %m[] : memref<f32>
  cf.br ^b
^b:
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where memory is read.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloca() : memref<2xf32>
  memref.store %one, %m[%c0] : memref<2xf32>
  memref.store %half, %m[%c1] : memref<2xf32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %big = arith.cmpf ogt, %ge, %one : f32
  %i = arith.select %big, %c0, %c1 : index
  %r = memref.load %m[%i] : memref<2xf32>
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloca() : memref<2xf32>
  memref.store %one, %m[%c0] : memref<2xf32>
  memref.store %half, %m[%c1] : memref<2xf32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %u[] : tensor<f32>
  %big = arith.cmpf ogt, %ge, %one : f32
  %i = arith.select %big, %c0, %c1 : index
  %r = memref.load %m[%i] : memref<2xf32>
  %rt = tensor.from_elements %r : tensor<f32>
  %k = arith.mulf %u, %rt : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A flag in memory, in a helper.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @flag(%c: tensor<f32>, %p: tensor<f32>, %u: tensor<f32>) -> tensor<f32> {
  %one = arith.constant 1.0 : f32
  %m = memref.alloca() : memref<i1>
  %ge = tensor.extract %c[] : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %big = arith.cmpf ogt, %ge, %one : f32
  memref.store %big, %m[] : memref<i1>
  %b = memref.load %m[] : memref<i1>
  %new = arith.select %b, %p, %u : tensor<f32>
  return %new : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{called from here}}
  %k = call @flag(%g, %x, %u) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @flag(%c: tensor<f32>, %p: tensor<f32>, %u: tensor<f32>) -> tensor<f32> {
  %one = arith.constant 1.0 : f32
  %m = memref.alloca() : memref<i1>
  %ge = tensor.extract %c[] : tensor<f32>
  %big = arith.cmpf ogt, %ge, %one : f32
  memref.store %big, %m[] : memref<i1>
  %b = memref.load %m[] : memref<i1>
  %new = arith.select %b, %p, %u : tensor<f32>
  return %new : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %k = call @flag(%u, %x, %u) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Two infinities are equal, whatever the numbers were: what is taken then has to be
// none either.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %both = arith.addf %g0, %g1 : f32
  %larger = arith.cmpf oge, %g0, %g1 : f32
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s}}
  %k = arith.select %larger, %s0, %both : f32
  %t = tensor.from_elements %k : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: it is the sum of both.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %both = arith.addf %g0, %g1 : f32
  %larger = arith.cmpf ogt, %g0, %g1 : f32
  %k = arith.select %larger, %s0, %both : f32
  %t = tensor.from_elements %k : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: NaN with what a maximum with 0 is made of.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %above = arith.cmpf ogt, %g, %zero : tensor<f32>
  %twice = arith.addf %g, %g : tensor<f32>
  %relu = arith.maximumf %g, %zero : tensor<f32>
  %k = arith.select %above, %twice, %relu : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: with a product and a sum at once.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %above = arith.cmpf ogt, %g, %zero : tensor<f32>
  %fma = math.fma %g, %two, %zero : tensor<f32>
  %k = arith.select %above, %g, %fma : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: with a root.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %above = arith.cmpf ogt, %g, %zero : tensor<f32>
  %root = math.sqrt %g : tensor<f32>
  %twice = arith.mulf %root, %two : tensor<f32>
  %r = arith.select %above, %twice, %root : tensor<i1>, tensor<f32>
  %k = arith.mulf %r, %r : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: with a quotient.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %above = arith.cmpf ogt, %g, %zero : tensor<f32>
  %half = arith.divf %g, %two : tensor<f32>
  %k = arith.select %above, %g, %half : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: two equal infinities choose their sum.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %sum = arith.addf %g, %h : tensor<f32>
  %above = arith.cmpf uge, %g, %h : tensor<f32>
  %k = arith.select %above, %sum, %a : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Two equal infinities choose what may be finite.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %sum = arith.addf %g, %h : tensor<f32>
  %same = arith.cmpf oeq, %g, %h : tensor<f32>
  // expected-error@below {{'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s}}
  %k = arith.select %same, %a, %sum : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// An angle of a point far away.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  // expected-error@below {{'math.atan2' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %angle = math.atan2 %g, %h : tensor<f32>
  %k = arith.mulf %angle, %a : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
