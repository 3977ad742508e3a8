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
