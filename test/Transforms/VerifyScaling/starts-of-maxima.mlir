// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// The lowest finite number is what front ends start a maximum with: each scaled number
// is above it, so that it says nothing about the scale. The highest, so for a minimum.

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
  %g = arith.mulf %b, %x : tensor<4xf32>
  %max = linalg.reduce {arith.maximumf} ins(%g : tensor<4xf32>) outs(%lowest : tensor<f32>) dimensions = [0]
  // Through a fill, and in a body.
  %start = linalg.fill ins(%highest : f32) outs(%z : tensor<f32>) -> tensor<f32>
  %min = linalg.reduce ins(%g : tensor<4xf32>) outs(%start : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %m = arith.minnumf %out, %in : f32
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

// Near miss: used in another way as well.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %m = arith.maximumf %a, %lowest : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale}}
  %g = arith.addf %a, %lowest : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
