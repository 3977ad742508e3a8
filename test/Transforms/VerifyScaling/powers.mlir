// Exponents are constants, wherever those are written.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// The exponent fills a tensor.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<f32>
  %ex = linalg.fill ins(%two : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the square itself.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<f32>
  %ex = linalg.fill ins(%two : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  // expected-error@below {{expected gradients that carry the scale of '@s' once, but got one of degree 2 in @s; scale each loss once, and unscale products of gradients factor by factor}}
  %u, %f = amp.unscale %p using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Splat and broadcast.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<f32>
  %ex = tensor.splat %two : tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %two = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %ex = linalg.broadcast ins(%two : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%g, %ex : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %power: f32, %out: f32):
    %p = math.powf %in, %power : f32
    %d = arith.divf %p, %in : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %u, %f = amp.unscale %q using @s : (tensor<4xf32>) -> tensor<4xf32>
  %new = arith.subf %w, %u : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// A third, as near as f32 has it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %third = arith.constant dense<0.333333343> : tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %p = math.powf %g, %third : tensor<f32>
  %q = math.powf %p, %three : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the power of a third.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %third = arith.constant dense<0.333333343> : tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %p = math.powf %g, %third : tensor<f32>
  %q = math.powf %p, %three : tensor<f32>
  // expected-error@below {{expected gradients that carry the scale of '@s' once, but got one of degree 1/3 in @s; scale each loss once, and unscale products of gradients factor by factor}}
  %u, %f = amp.unscale %p using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: no third, but an eleven-bit number near it.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %third = arith.constant dense<0.333251953125> : tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %p = math.powf %g, %third : tensor<f32>
  %q = math.powf %p, %three : tensor<f32>
  // expected-error@below {{expected gradients that carry the scale of '@s' once, but got one of degree 4095/4096 in @s; scale each loss once, and unscale products of gradients factor by factor}}
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: an exponent that a reduction adds up.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %ex = linalg.reduce {arith.addf} ins(%ones : tensor<4xf32>) outs(%two : tensor<f32>) dimensions = [0]
  // expected-error@below {{cannot decide which power of a loss scale is left: the exponent or the power that 'math.powf' takes of a value of degree 1 in @s is no small rational constant; unscale it first}}
  %p = math.powf %g, %ex : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %p : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What has no degree has no power.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @one(%y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  %sum = arith.addf %y, %z : tensor<f32>
  %p = math.powf %sum, %zero : tensor<f32>
  return %p : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{called from here}}
  %p = call @one(%g, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %p : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @one(%y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = arith.addf %y, %z : tensor<f32>
  %p = math.powf %sum, %zero : tensor<f32>
  return %p : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %p = call @one(%u, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %p : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The exponent fills a vector.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %gs = tensor.extract %g[] : tensor<f32>
  %gv = vector.broadcast %gs : f32 to vector<1xf32>
  %ex = vector.broadcast %two : f32 to vector<1xf32>
  %pv = math.powf %gv, %ex : vector<1xf32>
  %ps = vector.extract %pv[0] : f32 from vector<1xf32>
  %p = tensor.from_elements %ps : tensor<f32>
  %q = math.sqrt %p : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In another shape.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %e = tensor.splat %two : tensor<1xf32>
  %ex = tensor.collapse_shape %e [] : tensor<1xf32> into tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A part of it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %e = tensor.splat %two : tensor<4xf32>
  %ex = tensor.extract_slice %e[1] [1] [1] : tensor<4xf32> to tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: two exponents.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %gs = tensor.extract %g[] : tensor<f32>
  %gg = tensor.splat %gs : tensor<2xf32>
  %ex = tensor.from_elements %two, %three : tensor<2xf32>
  // expected-error@below {{the exponent or the power that 'math.powf' takes of a value of degree 1 in @s is no small rational constant}}
  %pp = math.powf %gg, %ex : tensor<2xf32>
  %p = tensor.extract_slice %pp[1] [1] [1] : tensor<2xf32> to tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The same one twice.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %gs = tensor.extract %g[] : tensor<f32>
  %gg = tensor.splat %gs : tensor<2xf32>
  %ex = tensor.from_elements %two, %two : tensor<2xf32>
  %pp = math.powf %gg, %ex : tensor<2xf32>
  %p = tensor.extract_slice %pp[1] [1] [1] : tensor<2xf32> to tensor<f32>
  %q = math.sqrt %p : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What an elementwise body is handed as its result.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %e = tensor.splat %two : tensor<f32>
  %p = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%g : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%i: f32, %o: f32):
    %r = math.powf %i, %o : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %q = math.sqrt %p : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: written on the diagonal, and another one beside it.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant 2.0 : f32
  %twos = tensor.splat %two : tensor<2xf32>
  %three = arith.constant 3.0 : f32
  %threes = tensor.splat %three : tensor<2x2xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, d0)>], iterator_types = ["parallel"]}
      ins(%twos : tensor<2xf32>) outs(%threes : tensor<2x2xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<2x2xf32>
  %gs = tensor.extract %g[] : tensor<f32>
  %gg = tensor.splat %gs : tensor<2x2xf32>
  // expected-error@below {{the exponent or the power that 'math.powf' takes of a value of degree 1 in @s is no small rational constant}}
  %pp = math.powf %gg, %ex : tensor<2x2xf32>
  %p = tensor.extract_slice %pp[0, 1] [1, 1] [1, 1] : tensor<2x2xf32> to tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Widened.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f16>
  %ex = arith.extf %two : tensor<f16> to tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Narrowed.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f64>
  %ex = arith.truncf %two : tensor<f64> to tensor<f32>
  %p = math.powf %g, %ex : tensor<f32>
  %q = arith.divf %p, %g : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// An integer.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %ex = arith.constant dense<2> : tensor<i32>
  %p = math.fpowi %g, %ex : tensor<f32>, tensor<i32>
  %q = math.sqrt %p : tensor<f32>
  %u, %f = amp.unscale %q using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
