// A bound that is scaled as well, and a loop that ends where NaN is compared: an
// infinity becomes the bound, and what the loop began with.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.minimumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.minimumf %g, %a : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: bounded once it is unscaled.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %k = arith.minimumf %u, %one : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// -inf.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %n = arith.negf %a : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.maximumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.maximumf %g, %n : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended, and a near miss: of what is not negative a maximum keeps the infinity.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %m = math.absf %g : tensor<f32>
  %k = arith.maximumf %m, %a : tensor<f32>
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
  %n = arith.negf %a : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'math.clampf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = math.clampf %g to [%n, %a] : tensor<f32>
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
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %n = arith.negf %one : tensor<f32>
  %k = math.clampf %u to [%n, %one] : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The same by a choice.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %p = arith.cmpf ult, %g, %a : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.select %p, %g, %a : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: a choice by the sign of one that is not bounded by the other.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = arith.cmpf ugt, %x, %zero : tensor<f32>
  %k = arith.select %p, %g, %a : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a bound of 0 is none that the scale moves.
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

// Near miss: what a reduction carries has seen every element.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%g : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %k = linalg.reduce {arith.maximumf} ins(%b : tensor<4xf32>) outs(%g : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A solver that begins at 0 and tests the residual: of NaN it leaves 0.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %aa = arith.mulf %a, %a : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %tol = arith.constant dense<0.5> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'scf.while' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k, %left = scf.while (%y = %zero, %r = %g) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %rr = arith.mulf %r, %r : tensor<f32>
    %p = arith.cmpf ogt, %rr, %aa : tensor<f32>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %y, %r : tensor<f32>, tensor<f32>
  } do {
  ^bb0(%y: tensor<f32>, %r: tensor<f32>):
    %d = arith.mulf %r, %tol : tensor<f32>
    %y1 = arith.addf %y, %d : tensor<f32>
    %r1 = arith.subf %r, %d : tensor<f32>
    scf.yield %y1, %r1 : tensor<f32>, tensor<f32>
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: solved for what is unscaled.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %tol = arith.constant dense<0.5> : tensor<f32>
  %k, %left = scf.while (%y = %zero, %r = %u) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %rr = arith.mulf %r, %r : tensor<f32>
    %p = arith.cmpf ogt, %rr, %tol : tensor<f32>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %y, %r : tensor<f32>, tensor<f32>
  } do {
  ^bb0(%y: tensor<f32>, %r: tensor<f32>):
    %d = arith.mulf %r, %tol : tensor<f32>
    %y1 = arith.addf %y, %d : tensor<f32>
    %r1 = arith.subf %r, %d : tensor<f32>
    scf.yield %y1, %r1 : tensor<f32>, tensor<f32>
  }
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: what is left of the residual, which is NaN where it is compared as NaN.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %aa = arith.mulf %a, %a : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %tol = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %y2, %k, %n = scf.while (%y = %zero, %r = %g, %i = %c0) : (tensor<f32>, tensor<f32>, index) -> (tensor<f32>, tensor<f32>, index) {
    %rr = arith.mulf %r, %r : tensor<f32>
    %p = arith.cmpf ogt, %rr, %aa : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %c99 : index
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %y, %r, %i : tensor<f32>, tensor<f32>, index
  } do {
  ^bb0(%y: tensor<f32>, %r: tensor<f32>, %i: index):
    %d = arith.mulf %r, %tol : tensor<f32>
    %y1 = arith.addf %y, %d : tensor<f32>
    %r1 = arith.subf %r, %d : tensor<f32>
    %next = arith.addi %i, %c1 : index
    scf.yield %y1, %r1, %next : tensor<f32>, tensor<f32>, index
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: so many rounds, whatever they leave.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %k, %n = scf.while (%y = %g, %i = %c0) : (tensor<f32>, index) -> (tensor<f32>, index) {
    %c = arith.cmpi slt, %i, %c9 : index
    scf.condition(%c) %y, %i : tensor<f32>, index
  } do {
  ^bb0(%y: tensor<f32>, %i: index):
    %y1 = arith.addf %y, %g : tensor<f32>
    %i1 = arith.addi %i, %c1 : index
    scf.yield %y1, %i1 : tensor<f32>, index
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// True of NaN: the loop goes on until there is none.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'scf.while' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN, and what is chosen then would hide it; compare what is unscaled, or have NaN chosen where NaN is compared}}
  %k = scf.while (%y = %g) : (tensor<f32>) -> tensor<f32> {
    %p = arith.cmpf ugt, %y, %a : tensor<f32>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %y : tensor<f32>
  } do {
  ^bb0(%y: tensor<f32>):
    scf.yield %zero : tensor<f32>
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A negative multiple may be -inf.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %i = math.absf %g : tensor<f32>
  %j = math.absf %h : tensor<f32>
  %minus = arith.constant dense<-1.0> : tensor<f32>
  %m = arith.mulf %i, %minus : tensor<f32>
  // expected-error@below {{'arith.maximumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.maximumf %m, %j : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: roots are not negative.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %i = math.sqrt %g : tensor<f32>
  %j = math.sqrt %h : tensor<f32>
  %m = arith.maximumf %i, %j : tensor<f32>
  %k = arith.mulf %m, %m : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: nor are exponentials.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %i = math.absf %g : tensor<f32>
  %j = math.absf %h : tensor<f32>
  %e = math.exp %x : tensor<f32>
  %m = arith.mulf %i, %e : tensor<f32>
  %k = arith.maximumf %m, %j : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: nor squares.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %i = arith.mulf %g, %g : tensor<f32>
  %j = arith.mulf %h, %h : tensor<f32>
  %m = arith.maximumf %i, %j : tensor<f32>
  %k = math.sqrt %m : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: nor quotients of such.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %i = math.absf %g : tensor<f32>
  %j = math.absf %h : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %m = arith.divf %i, %two : tensor<f32>
  %k = arith.maximumf %m, %j : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: nor the maximum of three.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %i = math.absf %g : tensor<f32>
  %j = math.absf %h : tensor<f32>
  %m = arith.maximumf %i, %j : tensor<f32>
  %k = arith.maximumf %m, %a : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// One that is not negative and one that may be: their product may be -inf.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %i = math.absf %g : tensor<f32>
  %j = math.absf %h : tensor<f32>
  %m = arith.mulf %i, %w : tensor<f32>
  // expected-error@below {{'arith.maximumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.maximumf %m, %j : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Element by element nothing is carried.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %k = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%g : tensor<f32>) outs(%h : tensor<f32>) {
  ^bb0(%i: f32, %o: f32):
    // expected-error@below {{'arith.maximumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
    %r = arith.maximumf %i, %o : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Nor are the elements of a reduction, that are compared with each other.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %gs = tensor.expand_shape %g [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %hs = tensor.expand_shape %h [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %k = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%gs, %hs : tensor<1xf32>, tensor<1xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    // expected-error@below {{'arith.maximumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
    %m = arith.maximumf %i, %j : f32
    %r = arith.addf %m, %o : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: of one number twice.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %k = arith.maximumf %g, %g : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the one that is compared is not chosen.
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
  %above = arith.cmpf ogt, %h, %sum : tensor<f32>
  %k = arith.select %above, %g, %sum : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: nor the other one.
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
  %above = arith.cmpf ogt, %sum, %h : tensor<f32>
  %k = arith.select %above, %g, %sum : tensor<i1>, tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A minimum of magnitudes loses the infinity of one.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %i = math.absf %g : tensor<f32>
  %j = math.absf %h : tensor<f32>
  // expected-error@below {{'arith.minimumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.minimumf %i, %j : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A product is NaN with either factor.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  // expected-error@below {{'scf.while' chooses by a comparison of values that were computed from one of degree 1 in @s}}
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %q = arith.mulf %x, %h : tensor<f32>
    %p = arith.cmpf ogt, %q, %v : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %c4 : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %l = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %l, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A bound that goes round as it is.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %k, %l = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %zero, %bound = %h) -> (tensor<f32>, tensor<f32>) {
    // expected-error@below {{'arith.maximumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
    %m = arith.maximumf %g, %bound : tensor<f32>
    %next = arith.addf %sum, %m : tensor<f32>
    scf.yield %next, %bound : tensor<f32>, tensor<f32>
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Near miss: the greatest so far goes round, from a branch.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %k, %l = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %zero, %bound = %h) -> (tensor<f32>, tensor<f32>) {
    %greatest = scf.if %c -> tensor<f32> {
      %m = arith.maximumf %g, %bound : tensor<f32>
      scf.yield %m : tensor<f32>
    } else {
      scf.yield %bound : tensor<f32>
    }
    scf.yield %greatest, %greatest : tensor<f32>, tensor<f32>
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The largest size of two gradients: neither is -inf.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "n"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s = tensor.extract %a[] : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.map ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) (%wi: f32, %o: f32) {
    %p = arith.mulf %wi, %s : f32
    linalg.yield %p : f32
  }
  %h = linalg.map ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) (%xi: f32, %o: f32) {
    %p = arith.mulf %xi, %s : f32
    linalg.yield %p : f32
  }
  %start = arith.constant dense<0xFF800000> : tensor<f32>
  %i = linalg.reduce ins(%g : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0] (%gi: f32, %o: f32) {
    %size = math.absf %gi : f32
    %m = arith.maximumf %size, %o : f32
    linalg.yield %m : f32
  }
  %j = linalg.reduce ins(%h : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0] (%hi: f32, %o: f32) {
    %size = math.absf %hi : f32
    %m = arith.maximumf %size, %o : f32
    linalg.yield %m : f32
  }
  %k = arith.maximumf %i, %j : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  return %u : tensor<f32>
}

// -----

// Nor where there may be no element, and the maximum starts at 0.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<?xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "n"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s = tensor.extract %a[] : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.map ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) (%wi: f32, %o: f32) {
    %p = arith.mulf %wi, %s : f32
    linalg.yield %p : f32
  }
  %h = linalg.map ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) (%xi: f32, %o: f32) {
    %p = arith.mulf %xi, %s : f32
    linalg.yield %p : f32
  }
  %start = arith.constant dense<0.0> : tensor<f32>
  %i = linalg.reduce ins(%g : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0] (%gi: f32, %o: f32) {
    %size = math.absf %gi : f32
    %m = arith.maximumf %size, %o : f32
    linalg.yield %m : f32
  }
  %j = linalg.reduce ins(%h : tensor<?xf32>) outs(%start : tensor<f32>) dimensions = [0] (%hi: f32, %o: f32) {
    %size = math.absf %hi : f32
    %m = arith.maximumf %size, %o : f32
    linalg.yield %m : f32
  }
  %k = arith.maximumf %i, %j : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  return %u : tensor<f32>
}

// -----

// Near miss: the largest of numbers of either sign may be -inf.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "n"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s = tensor.extract %a[] : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.map ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) (%wi: f32, %o: f32) {
    %p = arith.mulf %wi, %s : f32
    linalg.yield %p : f32
  }
  %h = linalg.map ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) (%xi: f32, %o: f32) {
    %p = arith.mulf %xi, %s : f32
    linalg.yield %p : f32
  }
  %start = arith.constant dense<0xFF800000> : tensor<f32>
  %i = linalg.reduce ins(%g : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0] (%gi: f32, %o: f32) {
    %size = math.absf %gi : f32
    %m = arith.maximumf %size, %o : f32
    linalg.yield %m : f32
  }
  %j = linalg.reduce ins(%h : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0] (%hi: f32, %o: f32) {
    %size = arith.addf %hi, %hi : f32
    %m = arith.maximumf %size, %o : f32
    linalg.yield %m : f32
  }
  // expected-error@below {{'arith.maximumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.maximumf %i, %j : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@above {{reaches 'param' 'n' of train step '@train'}}
  return %u : tensor<f32>
}

// -----

// Near miss: it may be what it starts with.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<?xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "n"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s = tensor.extract %a[] : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.map ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) (%wi: f32, %o: f32) {
    %p = arith.mulf %wi, %s : f32
    linalg.yield %p : f32
  }
  %h = linalg.map ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) (%xi: f32, %o: f32) {
    %p = arith.mulf %xi, %s : f32
    linalg.yield %p : f32
  }
  %start = arith.constant dense<0xFF800000> : tensor<f32>
  %i = linalg.reduce ins(%g : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0] (%gi: f32, %o: f32) {
    %size = math.absf %gi : f32
    %m = arith.maximumf %size, %o : f32
    linalg.yield %m : f32
  }
  %j = linalg.reduce ins(%h : tensor<?xf32>) outs(%start : tensor<f32>) dimensions = [0] (%hi: f32, %o: f32) {
    %size = math.absf %hi : f32
    %m = arith.maximumf %size, %o : f32
    linalg.yield %m : f32
  }
  // expected-error@below {{'arith.maximumf' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %k = arith.maximumf %i, %j : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@above {{reaches 'param' 'n' of train step '@train'}}
  return %u : tensor<f32>
}
