// A scaled value that is tested for infinity, or clamped to finite numbers: the
// scaler never sees that its scale is too large.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.isfinite' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %m = math.isfinite %g : tensor<f32>
  %k = arith.select %m, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %m = math.isfinite %u : tensor<f32>
  %k = arith.select %m, %u, %zero : tensor<i1>, tensor<f32>
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.isinf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %m = math.isinf %g : tensor<f32>
  %k = arith.select %m, %zero, %g : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.isnan' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %m = math.isnan %g : tensor<f32>
  %k = arith.select %m, %zero, %g : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.isnormal' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %m = math.isnormal %g : tensor<f32>
  %k = arith.select %m, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// NaN alone is not equal to itself.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %m = arith.cmpf une, %g, %g : tensor<f32>
  %k = arith.select %m, %zero, %g : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %m = arith.cmpf une, %u, %u : tensor<f32>
  %k = arith.select %m, %zero, %u : tensor<i1>, tensor<f32>
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %m = arith.cmpf ord, %g, %x : tensor<f32>
  %k = arith.select %m, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// An infinity that fills a tensor.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %inf = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<f32>
  %bound = linalg.fill ins(%inf : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %abs = math.absf %g : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %m = arith.cmpf olt, %abs, %bound : tensor<f32>
  %k = arith.select %m, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %inf = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<f32>
  %bound = linalg.fill ins(%inf : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %abs = math.absf %u : tensor<f32>
  %m = arith.cmpf olt, %abs, %bound : tensor<f32>
  %k = arith.select %m, %u, %zero : tensor<i1>, tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Infinities become the largest finite number.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %hi = arith.constant dense<3.40282347E+38> : tensor<f32>
  %lo = arith.constant dense<-3.40282347E+38> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.minimumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %c = arith.minimumf %g, %hi : tensor<f32>
  %k = arith.maximumf %c, %lo : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %hi = arith.constant dense<3.40282347E+38> : tensor<f32>
  %lo = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %c = arith.minimumf %u, %hi : tensor<f32>
  %k = arith.maximumf %c, %lo : tensor<f32>
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
  %hi = arith.constant dense<3.40282347E+38> : tensor<f32>
  %lo = arith.constant dense<-3.40282347E+38> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.maxnumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %k = arith.maxnumf %lo, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %hi = arith.constant dense<3.40282347E+38> : tensor<f32>
  %lo = arith.constant dense<-3.40282347E+38> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.clampf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %k = math.clampf %g to [%lo, %hi] : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %hi = arith.constant dense<3.40282347E+38> : tensor<f32>
  %lo = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %k = math.clampf %u to [%lo, %hi] : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a helper: what it is called with decides.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @finite(%y: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.isfinite' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %m = math.isfinite %y : tensor<f32>
  %k = arith.select %m, %y, %zero : tensor<i1>, tensor<f32>
  return %k : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{called from here}}
  %k = call @finite(%g) : (tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @finite(%y: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %m = math.isfinite %y : tensor<f32>
  %k = arith.select %m, %y, %zero : tensor<i1>, tensor<f32>
  return %k : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %k = call @finite(%u) : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Nothing that is kept depends on it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-remark@below {{cannot decide which power of a loss scale is left here; no result of train step '@train' depends on it}}
  %m = math.isfinite %g : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A comparison with 0 drops NaN.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf ogt, %g, %zero : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: what is not greater, NaN as well, is kept.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf ugt, %g, %zero : tensor<f32>
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: so does a maximum.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %k = arith.maximumf %g, %zero : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The other of two numbers, where one is NaN.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.maxnumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.maxnumf %g, %zero : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.minnumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.minnumf %zero, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: of values that carry no scale.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c = arith.maxnumf %x, %zero : tensor<f32>
  %k = arith.mulf %c, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 0 at every scale, and NaN by an overflow.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.subf %g, %g : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %p = arith.cmpf oeq, %d, %zero : tensor<f32>
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %g, %zero : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %p = arith.cmpf oeq, %d, %zero : tensor<f32>
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %g, %zero : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.isnan' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %p = math.isnan %d : tensor<f32>
  %k = arith.select %p, %zero, %g : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %g, %zero : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %p = arith.cmpf uno, %d, %d : tensor<f32>
  %k = arith.select %p, %zero, %g : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Beside a number that carries no scale.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %g, %zero : tensor<f32>
  %y = arith.addf %x, %d : tensor<f32>
  %p = arith.cmpf oeq, %y, %x : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: 0 or NaN is added, and NaN stays.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.subf %g, %g : tensor<f32>
  %k = arith.addf %g, %d : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A scale that cancels.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %n = math.absf %g : tensor<f32>
  %r = arith.divf %g, %n : tensor<f32>
  %p = arith.cmpf olt, %r, %x : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: masks of what carries no scale.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf ogt, %x, %zero : tensor<f32>
  %r = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %m = arith.uitofp %p : tensor<i1> to tensor<f32>
  %k = arith.mulf %r, %m : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By two comparisons.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %q = arith.cmpf oge, %g, %zero : tensor<f32>
  %n = arith.cmpf olt, %g, %zero : tensor<f32>
  %p = arith.ori %q, %n : tensor<i1>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A flag as a number.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf ogt, %g, %zero : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.uitofp' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %m = arith.uitofp %p : tensor<i1> to tensor<f32>
  %k = arith.mulf %a, %m : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 0 or NaN as an integer.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %g, %zero : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.fptosi' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %i = arith.fptosi %d : tensor<f32> to tensor<i32>
  %none = arith.constant dense<0> : tensor<i32>
  %p = arith.cmpi eq, %i, %none : tensor<i32>
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Its bits.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %g, %zero : tensor<f32>
  %i = arith.bitcast %d : tensor<f32> to tensor<i32>
  %none = arith.constant dense<0> : tensor<i32>
  %p = arith.cmpi eq, %i, %none : tensor<i32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// NaN has a sign as well.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.copysign' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = math.copysign %a, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the sign of what is NaN then.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %n = math.absf %g : tensor<f32>
  %k = math.copysign %n, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By a branch.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.extract %g[] : tensor<f32>
  %z = arith.constant 0.0 : f32
  %p = arith.cmpf ogt, %e, %z : f32
  // expected-error@below {{cannot decide which power of a loss scale is left: 'scf.if' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = scf.if %p -> tensor<f32> {
    scf.yield %g : tensor<f32>
  } else {
    scf.yield %zero : tensor<f32>
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: by what carries no scale.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.extract %x[] : tensor<f32>
  %z = arith.constant 0.0 : f32
  %p = arith.cmpf ogt, %e, %z : f32
  %k = scf.if %p -> tensor<f32> {
    scf.yield %g : tensor<f32>
  } else {
    scf.yield %zero : tensor<f32>
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a body.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<f32>
  %k = linalg.map ins(%g : tensor<f32>) outs(%e : tensor<f32>)
    (%in: f32, %init: f32) {
      %z = arith.constant 0.0 : f32
      %d = arith.mulf %in, %z : f32
      // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
      %p = arith.cmpf oeq, %d, %z : f32
      %r = arith.select %p, %in, %z : f32
      linalg.yield %r : f32
    }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
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
  %e = tensor.empty() : tensor<f32>
  %k = linalg.map ins(%g : tensor<f32>) outs(%e : tensor<f32>)
    (%in: f32, %init: f32) {
      %z = arith.constant 0.0 : f32
      %p = arith.cmpf ugt, %in, %z : f32
      %r = arith.select %p, %in, %z : f32
      linalg.yield %r : f32
    }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// As long as there is one.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %k = scf.while (%v = %g) : (tensor<f32>) -> tensor<f32> {
    // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.cmpf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
    %p = arith.cmpf une, %v, %v : tensor<f32>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %v : tensor<f32>
  } do {
  ^bb0(%v: tensor<f32>):
    scf.yield %zero : tensor<f32>
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// As long as a number is larger than another, which halves of an infinity always are.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while', which may go round for ever with an infinity that the scale makes; end it after a number of rounds as well}}
  %k = scf.while (%v = %g) : (tensor<f32>) -> tensor<f32> {
    %s = arith.mulf %v, %v : tensor<f32>
    %b = arith.mulf %a, %a : tensor<f32>
    %p = arith.cmpf ogt, %s, %b : tensor<f32>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %v : tensor<f32>
  } do {
  ^bb0(%v: tensor<f32>):
    %half = arith.constant dense<0.5> : tensor<f32>
    %n = arith.mulf %v, %half : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: and for no more than so many rounds. NaN is larger than no number.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, index) -> (tensor<f32>, index) {
    %s = arith.mulf %v, %v : tensor<f32>
    %b = arith.mulf %a, %a : tensor<f32>
    %p = arith.cmpf ogt, %s, %b : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %c99 : index
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, index
  } do {
  ^bb0(%v: tensor<f32>, %i: index):
    %half = arith.constant dense<0.5> : tensor<f32>
    %n = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : index
    scf.yield %n, %next : tensor<f32>, index
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// An infinite square makes 0 of a finite number.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %gg = arith.mulf %g, %g : tensor<f32>
  %n = math.sqrt %gg : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.divf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %d = arith.divf %g, %n : tensor<f32>
  %k = arith.mulf %a, %d : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the number is infinite as well.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %gg = arith.mulf %g, %g : tensor<f32>
  %n = math.absf %g : tensor<f32>
  %k = arith.divf %gg, %n : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
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
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.rsqrt' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %r = math.rsqrt %g : tensor<f32>
  %gg = arith.mulf %a, %a : tensor<f32>
  %ggg = arith.mulf %gg, %a : tensor<f32>
  %h = math.sqrt %ggg : tensor<f32>
  %k = arith.mulf %h, %r : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A function that is finite at infinity, of a number whose scale cancels.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %n = math.absf %g : tensor<f32>
  %d = arith.divf %g, %n : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.tanh' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %t = math.tanh %d : tensor<f32>
  %k = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: of one that carries none.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = math.tanh %x : tensor<f32>
  %d = arith.divf %g, %t : tensor<f32>
  %r = math.rsqrt %x : tensor<f32>
  %k = arith.mulf %d, %r : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A size.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zf = arith.constant 0.0 : f32
  %ge = tensor.extract %g[] : tensor<f32>
  %p = arith.cmpf oge, %ge, %zf : f32
  %n = arith.index_castui %p : i1 to index
  // expected-error@below {{cannot decide which power of a loss scale is left: 'tensor.empty' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %e = tensor.empty(%n) : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %e, %c0 : tensor<?xf32>
  %i = arith.index_cast %d : index to i32
  %v = arith.uitofp %i : i32 to f32
  %o = tensor.from_elements %v : tensor<f32>
  %k = arith.mulf %a, %o : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the size of what is scaled is not.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zf = arith.constant 0.0 : f32
  %ge = tensor.extract %x[] : tensor<f32>
  %p = arith.cmpf oge, %ge, %zf : f32
  %n = arith.index_castui %p : i1 to index
  %e = tensor.empty(%n) : tensor<?xf32>
  %sb = linalg.broadcast ins(%g : tensor<f32>) outs(%e : tensor<?xf32>) dimensions = [0]
  %c0 = arith.constant 0 : index
  %d = tensor.dim %sb, %c0 : tensor<?xf32>
  %i = arith.index_cast %d : index to i32
  %v = arith.uitofp %i : i32 to f32
  %o = tensor.from_elements %v : tensor<f32>
  %k = arith.mulf %a, %o : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A padding.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zf = arith.constant 0.0 : f32
  %ge = tensor.extract %g[] : tensor<f32>
  %p = arith.cmpf oge, %ge, %zf : f32
  %n = arith.index_castui %p : i1 to index
  %one = tensor.from_elements %zf : tensor<1xf32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'tensor.pad' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %b = tensor.pad %one low[%n] high[0] {
  ^bb0(%i: index):
    %ae = tensor.extract %a[] : tensor<f32>
    tensor.yield %ae : f32
  } : tensor<1xf32> to tensor<?xf32>
  %k = linalg.reduce {arith.addf} ins(%b : tensor<?xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zf = arith.constant 0.0 : f32
  %ge = tensor.extract %x[] : tensor<f32>
  %p = arith.cmpf oge, %ge, %zf : f32
  %n = arith.index_castui %p : i1 to index
  %one = tensor.from_elements %zf : tensor<1xf32>
  %b = tensor.pad %one low[%n] high[0] {
  ^bb0(%i: index):
    %ae = tensor.extract %a[] : tensor<f32>
    tensor.yield %ae : f32
  } : tensor<1xf32> to tensor<?xf32>
  %k = linalg.reduce {arith.addf} ins(%b : tensor<?xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In helpers, that are handed 0 or NaN.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @isZero(%y: tensor<f32>) -> tensor<i1> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf oeq, %y, %zero : tensor<f32>
  return %p : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %g, %zero : tensor<f32>
  %p = call @isZero(%d) : (tensor<f32>) -> tensor<i1>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: what they are handed carries no scale.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @isZero(%y: tensor<f32>) -> tensor<i1> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf oeq, %y, %zero : tensor<f32>
  return %p : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %x, %zero : tensor<f32>
  %p = call @isZero(%d) : (tensor<f32>) -> tensor<i1>
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @atZero(%y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf oeq, %y, %zero : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = arith.select %p, %z, %zero : tensor<i1>, tensor<f32>
  return %k : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %g, %zero : tensor<f32>
  // expected-note@below {{called from here}}
  %k = call @atZero(%d, %g) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @atZero(%y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf oeq, %y, %zero : tensor<f32>
  %k = arith.select %p, %z, %zero : tensor<i1>, tensor<f32>
  return %k : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %d = arith.mulf %x, %zero : tensor<f32>
  %k = call @atZero(%d, %g) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What is left of a division by infinity is what was divided.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.remf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %k = arith.remf %a, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: NaN is left of an infinity.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %gg = arith.addf %g, %g : tensor<f32>
  %k = arith.remf %gg, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A type without infinities has the largest number for one.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.truncf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes; do so after unscaling, in the train step}}
  %small = arith.truncf %g : tensor<f32> to tensor<f4E2M1FN>
  %k = arith.extf %small : tensor<f4E2M1FN> to tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: one with NaN.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %small = arith.truncf %g : tensor<f32> to tensor<f8E4M3FN>
  %k = arith.extf %small : tensor<f8E4M3FN> to tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Conjunctions with themselves have 2^40 paths to what they compare.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %first = arith.constant 0 : index
  %last = arith.constant 9 : index
  %k, %n = scf.while (%v = %g, %i = %first) : (tensor<f32>, index) -> (tensor<f32>, index) {
    %more = arith.cmpi slt, %i, %last : index
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %c0 = arith.andi %above, %more : i1
    %c1 = arith.andi %c0, %c0 : i1
    %c2 = arith.andi %c1, %c1 : i1
    %c3 = arith.andi %c2, %c2 : i1
    %c4 = arith.andi %c3, %c3 : i1
    %c5 = arith.andi %c4, %c4 : i1
    %c6 = arith.andi %c5, %c5 : i1
    %c7 = arith.andi %c6, %c6 : i1
    %c8 = arith.andi %c7, %c7 : i1
    %c9 = arith.andi %c8, %c8 : i1
    %c10 = arith.andi %c9, %c9 : i1
    %c11 = arith.andi %c10, %c10 : i1
    %c12 = arith.andi %c11, %c11 : i1
    %c13 = arith.andi %c12, %c12 : i1
    %c14 = arith.andi %c13, %c13 : i1
    %c15 = arith.andi %c14, %c14 : i1
    %c16 = arith.andi %c15, %c15 : i1
    %c17 = arith.andi %c16, %c16 : i1
    %c18 = arith.andi %c17, %c17 : i1
    %c19 = arith.andi %c18, %c18 : i1
    %c20 = arith.andi %c19, %c19 : i1
    %c21 = arith.andi %c20, %c20 : i1
    %c22 = arith.andi %c21, %c21 : i1
    %c23 = arith.andi %c22, %c22 : i1
    %c24 = arith.andi %c23, %c23 : i1
    %c25 = arith.andi %c24, %c24 : i1
    %c26 = arith.andi %c25, %c25 : i1
    %c27 = arith.andi %c26, %c26 : i1
    %c28 = arith.andi %c27, %c27 : i1
    %c29 = arith.andi %c28, %c28 : i1
    %c30 = arith.andi %c29, %c29 : i1
    %c31 = arith.andi %c30, %c30 : i1
    %c32 = arith.andi %c31, %c31 : i1
    %c33 = arith.andi %c32, %c32 : i1
    %c34 = arith.andi %c33, %c33 : i1
    %c35 = arith.andi %c34, %c34 : i1
    %c36 = arith.andi %c35, %c35 : i1
    %c37 = arith.andi %c36, %c36 : i1
    %c38 = arith.andi %c37, %c37 : i1
    %c39 = arith.andi %c38, %c38 : i1
    %c40 = arith.andi %c39, %c39 : i1
    scf.condition(%c40) %v, %i : tensor<f32>, index
  } do {
  ^bb0(%v: tensor<f32>, %i: index):
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    scf.yield %zero, %next : tensor<f32>, index
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the comparison at their end is true of NaN.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'scf.while' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = scf.while (%v = %g) : (tensor<f32>) -> tensor<f32> {
    %p = arith.cmpf ugt, %v, %a : tensor<f32>
    %c0 = tensor.extract %p[] : tensor<i1>
    %c1 = arith.andi %c0, %c0 : i1
    %c2 = arith.andi %c1, %c1 : i1
    %c3 = arith.andi %c2, %c2 : i1
    %c4 = arith.andi %c3, %c3 : i1
    %c5 = arith.andi %c4, %c4 : i1
    %c6 = arith.andi %c5, %c5 : i1
    %c7 = arith.andi %c6, %c6 : i1
    %c8 = arith.andi %c7, %c7 : i1
    %c9 = arith.andi %c8, %c8 : i1
    %c10 = arith.andi %c9, %c9 : i1
    %c11 = arith.andi %c10, %c10 : i1
    %c12 = arith.andi %c11, %c11 : i1
    %c13 = arith.andi %c12, %c12 : i1
    %c14 = arith.andi %c13, %c13 : i1
    %c15 = arith.andi %c14, %c14 : i1
    %c16 = arith.andi %c15, %c15 : i1
    %c17 = arith.andi %c16, %c16 : i1
    %c18 = arith.andi %c17, %c17 : i1
    %c19 = arith.andi %c18, %c18 : i1
    %c20 = arith.andi %c19, %c19 : i1
    %c21 = arith.andi %c20, %c20 : i1
    %c22 = arith.andi %c21, %c21 : i1
    %c23 = arith.andi %c22, %c22 : i1
    %c24 = arith.andi %c23, %c23 : i1
    %c25 = arith.andi %c24, %c24 : i1
    %c26 = arith.andi %c25, %c25 : i1
    %c27 = arith.andi %c26, %c26 : i1
    %c28 = arith.andi %c27, %c27 : i1
    %c29 = arith.andi %c28, %c28 : i1
    %c30 = arith.andi %c29, %c29 : i1
    %c31 = arith.andi %c30, %c30 : i1
    %c32 = arith.andi %c31, %c31 : i1
    %c33 = arith.andi %c32, %c32 : i1
    %c34 = arith.andi %c33, %c33 : i1
    %c35 = arith.andi %c34, %c34 : i1
    %c36 = arith.andi %c35, %c35 : i1
    %c37 = arith.andi %c36, %c36 : i1
    %c38 = arith.andi %c37, %c37 : i1
    %c39 = arith.andi %c38, %c38 : i1
    %c40 = arith.andi %c39, %c39 : i1
    scf.condition(%c40) %v : tensor<f32>
  } do {
  ^bb0(%v: tensor<f32>):
    scf.yield %zero : tensor<f32>
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Compared for being NaN with a number.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{'arith.cmpf' tests a value of degree 1 in @s for infinity}}
  %m = arith.cmpf uno, %g, %zero : tensor<f32>
  %k = arith.select %m, %zero, %g : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a root of the divisor is infinite where that is.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %r = math.sqrt %g : tensor<f32>
  %q = arith.divf %r, %g : tensor<f32>
  %qq = arith.mulf %q, %q : tensor<f32>
  %gg = arith.mulf %g, %g : tensor<f32>
  %k = arith.mulf %qq, %gg : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: so is a product and a sum at once.
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
  %n = math.fma %g, %two, %zero : tensor<f32>
  %q = arith.divf %n, %g : tensor<f32>
  %k = arith.mulf %q, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: so is a difference.
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
  %n = arith.subf %g, %zero : tensor<f32>
  %q = arith.divf %n, %g : tensor<f32>
  %k = arith.mulf %q, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: so is a quotient.
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
  %n = arith.divf %g, %two : tensor<f32>
  %q = arith.divf %n, %g : tensor<f32>
  %k = arith.mulf %q, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: divided by its negation.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %n = arith.negf %g : tensor<f32>
  %q = arith.divf %g, %n : tensor<f32>
  %k = arith.mulf %q, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A reduction that leaves NaN out, of the smallest.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %gs = tensor.extract %g[] : tensor<f32>
  %v = vector.broadcast %gs : f32 to vector<4xf32>
  // expected-error@below {{'vector.reduction' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %m = vector.reduction <minnumf>, %v : vector<4xf32> into f32
  %k = tensor.from_elements %m : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
