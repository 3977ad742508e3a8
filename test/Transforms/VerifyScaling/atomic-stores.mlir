// What a region yields for an element of memory is stored, and read behind it.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// A scaled gradient is stored.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %m = memref.alloca() : memref<1xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %g[] : tensor<f32>
  %q = memref.generic_atomic_rmw %m[%c0] : memref<1xf32> {
  ^bb0(%old: f32):
    memref.atomic_yield %e : f32
  }
  %l = memref.load %m[%c0] : memref<1xf32>
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
  %m = memref.alloca() : memref<1xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %u[] : tensor<f32>
  %q = memref.generic_atomic_rmw %m[%c0] : memref<1xf32> {
  ^bb0(%old: f32):
    memref.atomic_yield %e : f32
  }
  %l = memref.load %m[%c0] : memref<1xf32>
  %t = tensor.from_elements %l : tensor<f32>
  %n = arith.subf %w, %t : tensor<f32>
  return %n : tensor<f32>
}

// -----

// The result is what was stored.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %m = memref.alloca() : memref<1xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %g[] : tensor<f32>
  %q = memref.generic_atomic_rmw %m[%c0] : memref<1xf32> {
  ^bb0(%old: f32):
    memref.atomic_yield %e : f32
  }
  %t = tensor.from_elements %q : tensor<f32>
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
  %m = memref.alloca() : memref<1xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %u[] : tensor<f32>
  %q = memref.generic_atomic_rmw %m[%c0] : memref<1xf32> {
  ^bb0(%old: f32):
    memref.atomic_yield %e : f32
  }
  %t = tensor.from_elements %q : tensor<f32>
  %n = arith.subf %w, %t : tensor<f32>
  return %n : tensor<f32>
}

// -----

// The region adds what is not scaled to a scaled gradient in memory.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %m = memref.alloca() : memref<1xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %g[] : tensor<f32>
  memref.store %e, %m[%c0] : memref<1xf32>
  %d = tensor.extract %w[] : tensor<f32>
  memref.generic_atomic_rmw %m[%c0] : memref<1xf32> {
  ^bb0(%old: f32):
    // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
    %sum = arith.addf %old, %d : f32
    memref.atomic_yield %sum : f32
  }
  %l = memref.load %m[%c0] : memref<1xf32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %n = arith.subf %w, %v : tensor<f32>
  return %n : tensor<f32>
}

// -----

// Mended. Both are scaled.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %m = memref.alloca() : memref<1xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %g[] : tensor<f32>
  memref.store %e, %m[%c0] : memref<1xf32>
  %h = arith.mulf %a, %w : tensor<f32>
  %d = tensor.extract %h[] : tensor<f32>
  memref.generic_atomic_rmw %m[%c0] : memref<1xf32> {
  ^bb0(%old: f32):
    %sum = arith.addf %old, %d : f32
    memref.atomic_yield %sum : f32
  }
  %l = memref.load %m[%c0] : memref<1xf32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %n = arith.subf %w, %v : tensor<f32>
  return %n : tensor<f32>
}

// -----

// The scale advances before what was stored is unscaled.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %m = memref.alloca() : memref<1xf32>
  %c0 = arith.constant 0 : index
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %g[] : tensor<f32>
  // expected-note@below {{stored here}}
  memref.generic_atomic_rmw %m[%c0] : memref<1xf32> {
  ^bb0(%old: f32):
    memref.atomic_yield %e : f32
  }
  // expected-note@below {{the scale advances here}}
  amp.update_scale @s, %f
  // expected-error@below {{expected a gradient to be unscaled before '@s' advances, but this reads memory that may hold one that was stored before and would be unscaled by the scale after it; unscale what is stored, or hand it over as a tensor}}
  %l = memref.load %m[%c0] : memref<1xf32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
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
  %m = memref.alloca() : memref<1xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %g[] : tensor<f32>
  %q = memref.generic_atomic_rmw %m[%c0] : memref<1xf32> {
  ^bb0(%old: f32):
    memref.atomic_yield %e : f32
  }
  %l = memref.load %m[%c0] : memref<1xf32>
  %t = tensor.from_elements %l : tensor<f32>
  %v, %fv = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fv
  %n = arith.subf %w, %v : tensor<f32>
  return %n : tensor<f32>
}
