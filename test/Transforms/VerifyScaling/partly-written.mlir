// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// A result of linalg of which not every element is written keeps some of what it was
// started with.

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %none = arith.constant dense<0.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<2x2xf32>
  %zeros = arith.constant dense<0.0> : tensor<2x2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<2xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<2xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<2xf32>
  // expected-error@below {{cannot decide which power of a loss scale is left}}
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
                       iterator_types = ["parallel"]}
      ins(%g : tensor<2xf32>) outs(%two : tensor<2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x2xf32>
  %t = linalg.reduce {arith.addf} ins(%m : tensor<2x2xf32>) outs(%none : tensor<f32>) dimensions = [0, 1]
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: zeros, which carry any scale.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %none = arith.constant dense<0.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<2x2xf32>
  %zeros = arith.constant dense<0.0> : tensor<2x2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<2xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<2xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<2xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
                       iterator_types = ["parallel"]}
      ins(%g : tensor<2xf32>) outs(%zeros : tensor<2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x2xf32>
  %t = linalg.reduce {arith.addf} ins(%m : tensor<2x2xf32>) outs(%none : tensor<f32>) dimensions = [0, 1]
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: each element is written once, and those of size 1 at their one place.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %none = arith.constant dense<0.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<2x2xf32>
  %zeros = arith.constant dense<0.0> : tensor<2x2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<2xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<2xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<2xf32>
  %start = arith.constant dense<2.0> : tensor<1x2xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0, i)>],
                       iterator_types = ["parallel"]}
      ins(%g : tensor<2xf32>) outs(%start : tensor<1x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x2xf32>
  %t = linalg.reduce {arith.addf} ins(%m : tensor<1x2xf32>) outs(%none : tensor<f32>) dimensions = [0, 1]
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What one iteration of many wrote into an element, another one reads.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %none = arith.constant dense<0.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<2x2xf32>
  %zeros = arith.constant dense<0.0> : tensor<2x2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %e = tensor.empty() : tensor<2xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<2xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<2xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["parallel"]}
      ins(%g : tensor<2xf32>) outs(%none : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %out, %in : f32
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 2 in @s and degree 1 in @s}}
    %n = arith.addf %p, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Written in one row.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<2xf32>
  %none = arith.constant dense<0.0> : tensor<f32>
  %gs = tensor.expand_shape %g [] output_shape [1] : tensor<f32> into tensor<1xf32>
  // expected-error@below {{cannot decide which power of a loss scale is left}}
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>], iterator_types = ["reduction"]}
      ins(%gs : tensor<1xf32>) outs(%two : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2xf32>
  %t = linalg.reduce {arith.addf} ins(%m : tensor<2xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: element by element nothing comes back, and the square may be another power.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %m = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%g : tensor<f32>) outs(%g : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.mulf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %k = math.sqrt %m : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
