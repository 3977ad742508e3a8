// Vectors are tensors.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %v = vector.transfer_read %g[%c0], %zero : tensor<4xf32>, vector<4xf32>
  %s = arith.addf %v, %v : vector<4xf32>
  %k = vector.transfer_write %s, %e[%c0] : vector<4xf32>, tensor<4xf32>
  %u, %f = amp.unscale %k using @s : (tensor<4xf32>) -> tensor<4xf32>
  %new = arith.subf %w, %u : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// Near miss: padded with a number.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  %v = vector.transfer_read %g[%c0], %one : tensor<4xf32>, vector<4xf32>
  %s = arith.addf %v, %v : vector<4xf32>
  %k = vector.transfer_write %s, %e[%c0] : vector<4xf32>, tensor<4xf32>
  %u, %f = amp.unscale %k using @s : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// Near miss: written into numbers.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %v = vector.transfer_read %g[%c0], %zero : tensor<4xf32>, vector<4xf32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  %k = vector.transfer_write %v, %x[%c0] : vector<4xf32>, tensor<4xf32>
  %u, %f = amp.unscale %k using @s : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// The sum of a vector, in each element.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %v = vector.transfer_read %g[%c0], %zero : tensor<4xf32>, vector<4xf32>
  %r = vector.reduction <add>, %v : vector<4xf32> into f32
  %s = vector.broadcast %r : f32 to vector<4xf32>
  %k = vector.transfer_write %s, %e[%c0] : vector<4xf32>, tensor<4xf32>
  %u, %f = amp.unscale %k using @s : (tensor<4xf32>) -> tensor<4xf32>
  %new = arith.subf %w, %u : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// Near miss: the product.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %v = vector.transfer_read %g[%c0], %zero : tensor<4xf32>, vector<4xf32>
  // expected-error@below {{cannot decide which power of a loss scale is left: 'vector.reduction' is not known to the analysis and reads a value of degree 1 in @s; unscale it first}}
  %r = vector.reduction <mul>, %v : vector<4xf32> into f32
  %s = vector.broadcast %r : f32 to vector<4xf32>
  %k = vector.transfer_write %s, %e[%c0] : vector<4xf32>, tensor<4xf32>
  %u, %f = amp.unscale %k using @s : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A maximum that leaves NaN out.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %v = vector.transfer_read %g[%c0], %z : tensor<4xf32>, vector<4xf32>
  // expected-error@below {{'vector.reduction' tests a value of degree 1 in @s for infinity, or makes a finite number of it}}
  %m = vector.reduction <maxnumf>, %v : vector<4xf32> into f32
  %t = tensor.from_elements %m : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
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
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %v = vector.transfer_read %g[%c0], %z : tensor<4xf32>, vector<4xf32>
  %m = vector.reduction <maximumf>, %v : vector<4xf32> into f32
  %t = tensor.from_elements %m : tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
