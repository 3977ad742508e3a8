// Memory that is made of a tensor has its degree, in the version of the scale in which it is made.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// A scaled gradient comes back from memory as a tensor.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %m = bufferization.to_buffer %g : tensor<f32> to memref<f32>
  %t = bufferization.to_tensor %m : memref<f32> to tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %n = arith.subf %w, %t : tensor<f32>
  return %n : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %m = bufferization.to_buffer %u : tensor<f32> to memref<f32>
  %t = bufferization.to_tensor %m : memref<f32> to tensor<f32>
  %n = arith.subf %w, %t : tensor<f32>
  return %n : tensor<f32>
}

// -----

// The same, loaded.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %m = bufferization.to_buffer %g : tensor<f32> to memref<f32>
  %l = memref.load %m[] : memref<f32>
  %t = tensor.from_elements %l : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 0 and degree 1 in @s; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %n = arith.subf %w, %t : tensor<f32>
  return %n : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %m = bufferization.to_buffer %u : tensor<f32> to memref<f32>
  %l = memref.load %m[] : memref<f32>
  %t = tensor.from_elements %l : tensor<f32>
  %n = arith.subf %w, %t : tensor<f32>
  return %n : tensor<f32>
}

// -----

// What comes back is unscaled already.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %m = bufferization.to_buffer %u : tensor<f32> to memref<f32>
  %t = bufferization.to_tensor %m : memref<f32> to tensor<f32>
  // expected-error@below {{expected gradients that carry the scale of '@s' once, but got one of degree 0, which was unscaled before; unscale each gradient once}}
  %v, %fv = amp.unscale %t using @s found(%f) : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %n = arith.subf %w, %v : tensor<f32>
  return %n : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %m = bufferization.to_buffer %g : tensor<f32> to memref<f32>
  %t = bufferization.to_tensor %m : memref<f32> to tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %n = arith.subf %w, %v : tensor<f32>
  return %n : tensor<f32>
}

// -----

// The scale advances before what memory holds is unscaled.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{stored here}}
  %m = bufferization.to_buffer %g : tensor<f32> to memref<f32>
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %f
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
  %t = bufferization.to_tensor %m : memref<f32> to tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %n = arith.subf %w, %v : tensor<f32>
  return %n : tensor<f32>
}

// -----

// The memory of another round.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{stored here}}
  %m = bufferization.to_buffer %g : tensor<f32> to memref<f32>
  // expected-note@below {{the scale advances here}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %w) -> tensor<f32> {
    // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
    %l = memref.load %m[] : memref<f32>
    %t = tensor.from_elements %l : tensor<f32>
    %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %fv
    %n = arith.subf %c, %v : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Mended. Each round makes its own.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %w) -> tensor<f32> {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %c : tensor<f32>
    %m = bufferization.to_buffer %g : tensor<f32> to memref<f32>
    %l = memref.load %m[] : memref<f32>
    %t = tensor.from_elements %l : tensor<f32>
    %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %fv
    %n = arith.subf %c, %v : tensor<f32>
    scf.yield %n : tensor<f32>
  }
  return %r : tensor<f32>
}
