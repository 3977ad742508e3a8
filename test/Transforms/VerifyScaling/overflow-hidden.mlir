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

// Infinities of a mask, and a comparison with 0, hide nothing.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf ogt, %g, %zero : tensor<f32>
  %k = arith.select %p, %g, %zero : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
