// What cannot be decided is an error where it reaches a result of the step, and a
// remark elsewhere.
//
// RUN: amp-opt %s --amp-verify-scaling --allow-unregistered-dialect --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %m = arith.cmpf ogt, %g, %one : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.select %m, %w, %x : tensor<i1>, tensor<f32>
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
  // expected-error@below {{cannot decide which power of a loss scale is left: 'foreign.op' is not known to the analysis and reads a value of degree 1 in @s; unscale it first}}
  %y = "foreign.op"(%g) : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %y : tensor<f32>
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
  // expected-error@below {{cannot decide which power of a loss scale is left: the exponent or the power that 'math.powf' takes of a value of degree 1 in @s is no small rational constant; unscale it first}}
  %y = math.powf %g, %x : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %y : tensor<f32>
  return %new : tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: ways that meet at 'scf.if', or its rounds, bring degree 0 and degree 1 in @s; unscale on each way, or inside the loop}}
  %y = scf.if %c -> tensor<f32> {
    scf.yield %g : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %y : tensor<f32>
  return %new : tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %m = memref.alloc() : memref<f32>
  %e = tensor.extract %a[] : tensor<f32>
  %d = tensor.extract %x[] : tensor<f32>
  memref.store %e, %m[] : memref<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: memory holds values of degree 1 in @s and degree 0; keep scaled values in tensors}}
  memref.store %d, %m[] : memref<f32>
  %l = memref.load %m[] : memref<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = tensor.insert %l into %w[] : tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-remark@below {{cannot decide which power of a loss scale is left here; no result of train step '@train' depends on it}}
  %m = arith.cmpf ogt, %g, %one : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %y = "foreign.op"(%u) : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %y : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Scaled inside an operation whose regions are not known.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %k = memref.alloca_scope -> (tensor<f32>) {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
    %q = arith.addf %x, %b : tensor<f32>
    memref.alloca_scope.return %q : tensor<f32>
  }
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  %k = memref.alloca_scope -> (tensor<f32>) {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    %v, %fv = amp.unscale %b using @s : (tensor<f32>) -> tensor<f32>
    %q = arith.addf %x, %v : tensor<f32>
    memref.alloca_scope.return %q : tensor<f32>
  }
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
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@below {{cannot decide which power of a loss scale is left: 'scf.parallel' is not known to the analysis and reads a value of degree 1 in @s; unscale it first}}
  %p = scf.parallel (%i) = (%c0) to (%c1) step (%c1) init (%z) -> f32 {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    %be = tensor.extract %b[] : tensor<f32>
    // expected-remark@below {{cannot decide which power of a loss scale is left here}}
    scf.reduce(%be : f32) {
    ^bb0(%l: f32, %r: f32):
      %q = arith.maximumf %l, %r : f32
      scf.reduce.return %q : f32
    }
  }
  %k = tensor.from_elements %p : tensor<f32>
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
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = scf.parallel (%i) = (%c0) to (%c1) step (%c1) init (%z) -> f32 {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    %v, %fv = amp.unscale %b using @s : (tensor<f32>) -> tensor<f32>
    %be = tensor.extract %v[] : tensor<f32>
    scf.reduce(%be : f32) {
    ^bb0(%l: f32, %r: f32):
      %q = arith.maximumf %l, %r : f32
      scf.reduce.return %q : f32
    }
  }
  %k = tensor.from_elements %p : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A function that scales, by its reference.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @backward(%y: tensor<f32>) -> tensor<f32> {
  %b = amp.scale_loss %y using @s : tensor<f32>
  return %b : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %ref = func.constant @backward : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'func.call_indirect' may call a function that scales a loss or unscales gradients; call that one by its name}}
  %k = func.call_indirect %ref(%x) : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @backward(%y: tensor<f32>) -> tensor<f32> {
  %a = amp.scale_loss %y using @s : tensor<f32>
  %b, %f = amp.unscale %a using @s : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %k = call @backward(%x) : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Near miss: one that does not scale.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @backward(%y: tensor<f32>) -> tensor<f32> {
  %b = math.tanh %y : tensor<f32>
  return %b : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %ref = func.constant @backward : (tensor<f32>) -> tensor<f32>
  %k = func.call_indirect %ref(%x) : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A function that unscales, by its reference.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @unscaled(%y: tensor<f32>) -> tensor<f32> {
  %b, %f = amp.unscale %y using @s : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %w, %x : tensor<f32>
  %ref = func.constant @unscaled : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'func.call_indirect' may call a function that scales a loss or unscales gradients; call that one by its name}}
  %k = func.call_indirect %ref(%g) : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}
