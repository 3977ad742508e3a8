// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// The lowest finite number is what front ends start a maximum with: each scaled number
// is above it, so that it says nothing about the scale. The highest, so for a minimum.
// Only -inf is below it, so that what a maximum is taken of must not be that.

// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %highest = arith.constant 3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %z = tensor.empty() : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %max = linalg.reduce {arith.maximumf} ins(%g : tensor<4xf32>) outs(%lowest : tensor<f32>) dimensions = [0]
  %n = arith.negf %g : tensor<4xf32>
  // Through a fill, and in a body.
  %start = linalg.fill ins(%highest : f32) outs(%z : tensor<f32>) -> tensor<f32>
  %min = linalg.reduce ins(%n : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %m = arith.minimumf %out, %in : f32
      linalg.yield %m : f32
    }
  %d = arith.subf %max, %min : tensor<f32>
  %u, %f = amp.unscale %d using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a maximum with a number that a gradient may be below.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %low = arith.constant dense<-1.0E+30> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
  %max = linalg.reduce {arith.maximumf} ins(%g : tensor<4xf32>) outs(%low : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %max using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the lowest number as a start of a minimum is what comes out.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  // expected-error@below {{expected values that carry the same power of a loss scale}}
  %min = linalg.reduce {arith.minimumf} ins(%g : tensor<4xf32>) outs(%lowest : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %min using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: used in another way as well, which takes nothing from the maximum.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0}}
  %c = arith.addf %a, %lowest : tensor<f32>
  %max = linalg.reduce {arith.maximumf} ins(%g : tensor<4xf32>) outs(%lowest : tensor<f32>) dimensions = [0]
  %sum = arith.addf %c, %max : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Carried by a loop.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %max = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %low) -> f32 {
    %v = tensor.extract %g[%i] : tensor<4xf32>
    %n = arith.maximumf %m, %v : f32
    scf.yield %n : f32
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// By nested ones.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %max = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %low) -> f32 {
    %v = tensor.extract %g[%i] : tensor<4xf32>
    %n = scf.for %j = %c0 to %c4 step %c1 iter_args(%k = %m) -> f32 {
      %l = arith.maximumf %k, %v : f32
      scf.yield %l : f32
    }
    scf.yield %n : f32
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the loop adds to it.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %max = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %low) -> f32 {
    %v = tensor.extract %g[%i] : tensor<4xf32>
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
    %n = arith.addf %m, %v : f32
    scf.yield %n : f32
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// With its place.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %none = arith.constant dense<0> : tensor<i64>
  %max, %at = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                              iterator_types = ["reduction"]}
      ins(%g : tensor<4xf32>) outs(%lowest, %none : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %out: f32, %last: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %larger = arith.cmpf ogt, %in, %out : f32
    %m = arith.maximumf %in, %out : f32
    %n = arith.select %larger, %k, %last : i64
    linalg.yield %m, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  %u, %f = amp.unscale %max using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a comparison leaves a NaN out.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %none = arith.constant dense<0> : tensor<i64>
  %max, %at = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                              iterator_types = ["reduction"]}
      ins(%g : tensor<4xf32>) outs(%lowest, %none : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %out: f32, %last: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %larger = arith.cmpf ogt, %in, %out : f32
    // expected-error@below {{'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN}}
    %m = arith.select %larger, %in, %out : f32
    %n = arith.select %larger, %k, %last : i64
    linalg.yield %m, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  %u, %f = amp.unscale %max using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the smaller one is taken.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %none = arith.constant dense<0> : tensor<i64>
  %max, %at = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                              iterator_types = ["reduction"]}
      ins(%g : tensor<4xf32>) outs(%lowest, %none : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %out: f32, %last: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    // expected-remark@below {{cannot decide which power of a loss scale is left here}}
    %larger = arith.cmpf olt, %in, %out : f32
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0; unscale gradients}}
    %m = arith.select %larger, %in, %out : f32
    %n = arith.select %larger, %k, %last : i64
    linalg.yield %m, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  %u, %f = amp.unscale %max using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a maximum of -inf alone is what it started with.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %infs = arith.constant dense<0xFF800000> : tensor<4xf32>
  %max = linalg.reduce {arith.maximumf} ins(%infs : tensor<4xf32>) outs(%lowest : tensor<f32>) dimensions = [0]
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0}}
  %sum = arith.addf %a, %max : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %infs = arith.constant dense<0xFF800000> : tensor<4xf32>
  %max = linalg.reduce {arith.maximumf} ins(%infs : tensor<4xf32>) outs(%lowest : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %a using @s : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %max : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Carried by a loop with a condition.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %max, %i = scf.while (%m = %low, %j = %c0) : (f32, index) -> (f32, index) {
    %more = arith.cmpi slt, %j, %c4 : index
    scf.condition(%more) %m, %j : f32, index
  } do {
  ^bb0(%m: f32, %j: index):
    %v = tensor.extract %g[%j] : tensor<4xf32>
    %n = arith.maximumf %m, %v : f32
    %k = arith.addi %j, %c1 : index
    scf.yield %n, %k : f32, index
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the loop takes the smaller one.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %max, %i = scf.while (%m = %low, %j = %c0) : (f32, index) -> (f32, index) {
    %more = arith.cmpi slt, %j, %c4 : index
    scf.condition(%more) %m, %j : f32, index
  } do {
  ^bb0(%m: f32, %j: index):
    %v = tensor.extract %g[%j] : tensor<4xf32>
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
    %n = arith.minimumf %m, %v : f32
    %k = arith.addi %j, %c1 : index
    scf.yield %n, %k : f32, index
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Handed to helpers.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @largest(%y: tensor<4xf32>, %start: tensor<f32>) -> tensor<f32> {
  %size = math.absf %y : tensor<4xf32>
  %max = linalg.reduce {arith.maximumf} ins(%size : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0]
  return %max : tensor<f32>
}
func.func private @outer(%y: tensor<4xf32>, %start: tensor<f32>) -> tensor<f32> {
  %max = call @largest(%y, %start) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %max : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %t = call @outer(%g, %lowest) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: for a minimum.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @largest(%y: tensor<4xf32>, %start: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
  %max = linalg.reduce {arith.minimumf} ins(%y : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0]
  return %max : tensor<f32>
}
func.func private @outer(%y: tensor<4xf32>, %start: tensor<f32>) -> tensor<f32> {
  // expected-note@below {{called from here}}
  %max = call @largest(%y, %start) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %max : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  // expected-note@below {{called from here}}
  %t = call @outer(%g, %lowest) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: that leave it as it is, of infinities.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @largest(%y: tensor<4xf32>, %start: tensor<f32>) -> tensor<f32> {
  %max = linalg.reduce {arith.maximumf} ins(%y : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0]
  return %max : tensor<f32>
}
func.func private @outer(%y: tensor<4xf32>, %start: tensor<f32>) -> tensor<f32> {
  %max = call @largest(%y, %start) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %max : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %infs = arith.constant dense<0xFF800000> : tensor<4xf32>
  %max = call @outer(%infs, %lowest) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0}}
  %t = arith.addf %a, %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Given by one.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @lowest() -> tensor<f32> {
  %low = arith.constant -3.40282347E+38 : f32
  %e = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%low : f32) outs(%e : tensor<f32>) -> tensor<f32>
  return %start : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %start = call @lowest() : () -> tensor<f32>
  %t = linalg.reduce {arith.maximumf} ins(%g : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: of -inf alone, which an overflow makes, the maximum is the lowest finite
// number, in which nothing is found.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.maximumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes}}
  %max = linalg.reduce {arith.maximumf} ins(%g : tensor<4xf32>) outs(%lowest : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %max using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: started with -inf.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %start = arith.constant dense<0xFF800000> : tensor<f32>
  %max = linalg.reduce {arith.maximumf} ins(%g : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %max using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A minimum of magnitudes may be +inf alone.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %highest = arith.constant dense<3.40282347E+38> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.minimumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes}}
  %min = linalg.reduce {arith.minimumf} ins(%g : tensor<4xf32>) outs(%highest : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %min using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Handed to a helper.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @largest(%y: tensor<4xf32>, %start: tensor<f32>) -> tensor<f32> {
  %max = linalg.reduce {arith.maximumf} ins(%y : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0]
  return %max : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'func.call' tests a value of degree 1 in @s for infinity, or makes a finite number of it, which hides an overflow that the scale makes}}
  %t = call @largest(%g, %lowest) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a loop without a round leaves the number, which carries no scale.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %max = scf.for %i = %c0 to %c0 step %c1 iter_args(%m = %low) -> f32 {
    %v = tensor.extract %g[%i] : tensor<4xf32>
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
    %n = arith.maximumf %m, %v : f32
    scf.yield %n : f32
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Of a number of rounds that is not seen.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %first = tensor.extract %x[%c0] : tensor<4xf32>
  %rounds = arith.fptosi %first : f32 to i64
  %end = arith.index_cast %rounds : i64 to index
  %max = scf.for %i = %c0 to %end step %c1 iter_args(%m = %low) -> f32 {
    %v = tensor.extract %g[%i] : tensor<4xf32>
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
    %n = arith.maximumf %m, %v : f32
    scf.yield %n : f32
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a loop that has rounds, of which each may have none.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %max = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %low) -> f32 {
    %v = tensor.extract %g[%i] : tensor<4xf32>
    %n = scf.for %j = %i to %c0 step %c1 iter_args(%k = %m) -> f32 {
      // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
      %l = arith.maximumf %k, %v : f32
      scf.yield %l : f32
    }
    scf.yield %n : f32
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A loop whose condition is false at first.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %max, %i = scf.while (%m = %low, %j = %c4) : (f32, index) -> (f32, index) {
    %more = arith.cmpi slt, %j, %c4 : index
    scf.condition(%more) %m, %j : f32, index
  } do {
  ^bb0(%m: f32, %j: index):
    %v = tensor.extract %g[%j] : tensor<4xf32>
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
    %n = arith.maximumf %m, %v : f32
    %k = arith.addi %j, %c1 : index
    scf.yield %n, %k : f32, index
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: element by element the number is no start but a bound.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %bound = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.maximumf' tests a value of degree 1 in @s for infinity}}
  %clamped = linalg.max ins(%g, %bound : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %none = arith.constant dense<0.0> : tensor<f32>
  %t = linalg.reduce {arith.addf} ins(%clamped : tensor<4xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a sum begins with it as well.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>],
                         iterator_types = ["reduction"]}
      ins(%g : tensor<4xf32>) outs(%lowest, %zero : tensor<f32>, tensor<f32>) {
  ^bb0(%v: f32, %m: f32, %o: f32):
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0}}
    %n = arith.maximumf %v, %m : f32
    %s = arith.addf %v, %m : f32
    linalg.yield %n, %s : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  %u, %f = amp.unscale %r#1 using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Carried behind another value.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<4xf32>
  %g = math.absf %p : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i, %max = scf.while (%j = %c0, %m = %low) : (index, f32) -> (index, f32) {
    %more = arith.cmpi slt, %j, %c4 : index
    scf.condition(%more) %j, %m : index, f32
  } do {
  ^bb0(%j: index, %m: f32):
    %v = tensor.extract %g[%j] : tensor<4xf32>
    %n = arith.maximumf %m, %v : f32
    %k = arith.addi %j, %c1 : index
    scf.yield %k, %n : index, f32
  }
  %t = tensor.from_elements %max : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Over an extent that may be 0, the number is what comes out.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<?xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%x : tensor<?xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<?xf32>
  %g = math.absf %p : tensor<?xf32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
  %max = linalg.reduce {arith.maximumf} ins(%g : tensor<?xf32>) outs(%lowest : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %max using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The same minimum, in a body and with an extent that is seen to be 0.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4x0xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %highest = arith.constant dense<3.40282347E+38> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%x : tensor<4x0xf32>) dimensions = [0, 1]
  %p = arith.mulf %b, %x : tensor<4x0xf32>
  %q = math.absf %p : tensor<4x0xf32>
  %g = arith.negf %q : tensor<4x0xf32>
  %min = linalg.reduce ins(%g : tensor<4x0xf32>) outs(%highest : tensor<f32>) dimensions = [0, 1]
    (%in: f32, %out: f32) {
      // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
      %m = arith.minimumf %out, %in : f32
      linalg.yield %m : f32
    }
  %u, %f = amp.unscale %min using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In each round of a loop over such an extent.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<?xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%x : tensor<?xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<?xf32>
  %g = math.absf %p : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %max = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %lowest) -> tensor<f32> {
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
    %n = linalg.reduce {arith.maximumf} ins(%g : tensor<?xf32>) outs(%m : tensor<f32>) dimensions = [0]
    scf.yield %n : tensor<f32>
  }
  %u, %f = amp.unscale %max using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In a function that is handed the start.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @largest(%y: tensor<?xf32>, %start: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s}}
  %max = linalg.reduce {arith.maximumf} ins(%y : tensor<?xf32>) outs(%start : tensor<f32>) dimensions = [0]
  return %max : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<?xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%x : tensor<?xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<?xf32>
  %g = math.absf %p : tensor<?xf32>
  // expected-note@below {{called from here}}
  %max = call @largest(%g, %lowest) : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %max using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near misses: a start of -inf, which is that at each scale; an extent that may be 0 beside
// the one that is reduced; and one that another operand says not to be 0.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<?xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<?x4xf32> {amp.role = "batch", amp.name = "x1"},
    %z: tensor<4xf32> {amp.role = "batch", amp.name = "x2"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %infinite = arith.constant dense<0xFF800000> : tensor<f32>
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %low = arith.constant -3.40282347E+38 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%x : tensor<?xf32>) dimensions = [0]
  %p = arith.mulf %b, %x : tensor<?xf32>
  %g = math.absf %p : tensor<?xf32>
  %max0 = linalg.reduce {arith.maximumf} ins(%g : tensor<?xf32>) outs(%infinite : tensor<f32>) dimensions = [0]
  %c = linalg.broadcast ins(%a : tensor<f32>) outs(%y : tensor<?x4xf32>) dimensions = [0, 1]
  %q = arith.mulf %c, %y : tensor<?x4xf32>
  %h = math.absf %q : tensor<?x4xf32>
  %starts = linalg.fill ins(%low : f32) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %rows = linalg.reduce {arith.maximumf} ins(%h : tensor<?x4xf32>) outs(%starts : tensor<?xf32>) dimensions = [1]
  %none = arith.constant dense<0.0> : tensor<f32>
  %max1 = linalg.reduce {arith.addf} ins(%rows : tensor<?xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %max2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
                          iterator_types = ["reduction"]}
      ins(%g, %z : tensor<?xf32>, tensor<4xf32>) outs(%lowest : tensor<f32>) {
  ^bb0(%v: f32, %k: f32, %m: f32):
    %n = arith.mulf %v, %k : f32
    %o = math.absf %n : f32
    %l = arith.maximumf %o, %m : f32
    linalg.yield %l : f32
  } -> tensor<f32>
  %sum = arith.addf %max0, %max1 : tensor<f32>
  %all = arith.addf %sum, %max2 : tensor<f32>
  %u, %f = amp.unscale %all using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
