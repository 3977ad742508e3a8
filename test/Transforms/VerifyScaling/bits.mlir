// A number's bits carry its degree, as long as they are a number's.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// There and back.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %i = tensor.bitcast %g : tensor<f32> to tensor<i32>
  %k = tensor.bitcast %i : tensor<i32> to tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The absolute value.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %i = arith.bitcast %g : tensor<f32> to tensor<i32>
  %mask = arith.constant dense<2147483647> : tensor<i32>
  %j = arith.andi %i, %mask : tensor<i32>
  %k = arith.bitcast %j : tensor<i32> to tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The negative.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %i = arith.bitcast %g : tensor<f32> to tensor<i32>
  %mask = arith.constant dense<-2147483648> : tensor<i32>
  %j = arith.xori %i, %mask : tensor<i32>
  %k = arith.bitcast %j : tensor<i32> to tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The negative absolute value.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %i = arith.bitcast %g : tensor<f32> to tensor<i32>
  %mask = arith.constant dense<-2147483648> : tensor<i32>
  %j = arith.ori %i, %mask : tensor<i32>
  %k = arith.bitcast %j : tensor<i32> to tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: bits of the mantissa.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %i = arith.bitcast %g : tensor<f32> to tensor<i32>
  %mask = arith.constant dense<255> : tensor<i32>
  // expected-error@below {{expected an operand that carries no loss scale, but got degree 1 in @s, which 'arith.andi' turns into no power of the scale; unscale it first}}
  %j = arith.andi %i, %mask : tensor<i32>
  %k = arith.bitcast %j : tensor<i32> to tensor<f32>
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
  %i = arith.bitcast %u : tensor<f32> to tensor<i32>
  %mask = arith.constant dense<255> : tensor<i32>
  %j = arith.andi %i, %mask : tensor<i32>
  %k = arith.bitcast %j : tensor<i32> to tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the sign of another mask.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %i = arith.bitcast %g : tensor<f32> to tensor<i32>
  %mask = arith.constant dense<2147483647> : tensor<i32>
  // expected-error@below {{expected an operand that carries no loss scale, but got degree 1 in @s, which 'arith.xori' turns into no power of the scale; unscale it first}}
  %j = arith.xori %i, %mask : tensor<i32>
  %k = arith.bitcast %j : tensor<i32> to tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Bits of f16 are a number of f16.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.truncf %g : tensor<f32> to tensor<f16>
  %i = arith.bitcast %h : tensor<f16> to tensor<i16>
  %k = arith.bitcast %i : tensor<i16> to tensor<f16>
  %r = arith.extf %k : tensor<f16> to tensor<f32>
  %u, %f = amp.unscale %r using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: and no number of bf16.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.truncf %g : tensor<f32> to tensor<f16>
  %i = arith.bitcast %h : tensor<f16> to tensor<i16>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.bitcast' is not known to the analysis and reads a value of degree 1 in @s; unscale it first}}
  %k = arith.bitcast %i : tensor<i16> to tensor<bf16>
  %r = arith.extf %k : tensor<bf16> to tensor<f32>
  %u, %f = amp.unscale %r using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a helper takes them for an integer.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @convert(%i: tensor<i32>) -> tensor<f32> {
  %k = arith.sitofp %i : tensor<i32> to tensor<f32>
  return %k : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %i = arith.bitcast %g : tensor<f32> to tensor<i32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'func.call' decides by values that carry different powers, degree 1 in @s and degree 0; compare what is unscaled}}
  %k = call @convert(%i) : (tensor<i32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @convert(%i: tensor<i32>) -> tensor<f32> {
  %k = arith.sitofp %i : tensor<i32> to tensor<f32>
  return %k : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %i = arith.bitcast %u : tensor<f32> to tensor<i32>
  %k = call @convert(%i) : (tensor<i32>) -> tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: memory takes them for one.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %i = arith.bitcast %g : tensor<f32> to tensor<i32>
  %b = tensor.extract %i[] : tensor<i32>
  %m = memref.alloca() : memref<i32>
  // expected-error@below {{cannot decide which power of a loss scale is left: memory holds values of degree 1 in @s and degree 0; keep scaled values in tensors}}
  memref.store %b, %m[] : memref<i32>
  %l = memref.load %m[] : memref<i32>
  %c = arith.sitofp %l : i32 to f32
  %k = tensor.from_elements %c : tensor<f32>
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
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %i = arith.bitcast %u : tensor<f32> to tensor<i32>
  %b = tensor.extract %i[] : tensor<i32>
  %m = memref.alloca() : memref<i32>
  memref.store %b, %m[] : memref<i32>
  %l = memref.load %m[] : memref<i32>
  %c = arith.sitofp %l : i32 to f32
  %k = tensor.from_elements %c : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}
