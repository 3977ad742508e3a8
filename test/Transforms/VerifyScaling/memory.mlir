// Memory has the degree of what is written, and degree 0 where it is handed over.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// A constant global is a number.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
memref.global "private" constant @rate : memref<f32> = dense<0.1>
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %m = memref.get_global @rate : memref<f32>
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  %d = arith.mulf %w, %rt : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0; unscale gradients before they are clipped, decayed or added to values that are not scaled}}
  %k = arith.addf %g, %d : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended. The scaled value in other memory does not meet it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
memref.global "private" constant @rate : memref<f32> = dense<0.1>
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %m = memref.get_global @rate : memref<f32>
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  %d = arith.mulf %w, %rt : tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  %own = memref.alloca() : memref<f32>
  memref.store %ge, %own[] : memref<f32>
  %h = memref.load %own[] : memref<f32>
  %ht = tensor.from_elements %h : tensor<f32>
  %u, %f = amp.unscale %ht using @s : (tensor<f32>) -> tensor<f32>
  %k = arith.addf %u, %d : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A global that is written is a state.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
memref.global "private" @kept : memref<f32> = uninitialized
func.func private @put(%y: tensor<f32>) {
  %m = memref.get_global @kept : memref<f32>
  %e = tensor.extract %y[] : tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: memory holds values of degree 0 and degree 1 in @s; keep scaled values in tensors}}
  memref.store %e, %m[] : memref<f32>
  return
}
func.func private @get() -> tensor<f32> {
  %m = memref.get_global @kept : memref<f32>
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  return %rt : tensor<f32>
}
// expected-note@below {{reaches memory that outlives train step '@train'}}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{called from here}}
  call @put(%g) : (tensor<f32>) -> ()
  %k = call @get() : () -> tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
memref.global "private" @kept : memref<f32> = uninitialized
func.func private @put(%y: tensor<f32>) {
  %m = memref.get_global @kept : memref<f32>
  %e = tensor.extract %y[] : tensor<f32>
  memref.store %e, %m[] : memref<f32>
  return
}
func.func private @get() -> tensor<f32> {
  %m = memref.get_global @kept : memref<f32>
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  return %rt : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  call @put(%u) : (tensor<f32>) -> ()
  %k = call @get() : () -> tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
ml_program.global private mutable @kept(dense<0.0> : tensor<f32>) : tensor<f32>
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: memory holds values of degree 0 and degree 1 in @s; keep scaled values in tensors}}
  ml_program.global_store @kept = %g : tensor<f32>
  %k = ml_program.global_load @kept : tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
ml_program.global private mutable @kept(dense<0.0> : tensor<f32>) : tensor<f32>
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  ml_program.global_store @kept = %u : tensor<f32>
  %k = ml_program.global_load @kept : tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A helper reads what it is handed as if it were not scaled.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @read(%m: memref<f32>) -> tensor<f32> {
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  return %rt : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  %m = memref.alloca() : memref<f32>
  memref.store %ge, %m[] : memref<f32>
  // expected-error@below {{cannot decide which power of a loss scale is left: memory holds values of degree 1 in @s and degree 0; keep scaled values in tensors}}
  %k = call @read(%m) : (memref<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @read(%m: memref<f32>) -> tensor<f32> {
  %r = memref.load %m[] : memref<f32>
  %rt = tensor.from_elements %r : tensor<f32>
  return %rt : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ge = tensor.extract %u[] : tensor<f32>
  %m = memref.alloca() : memref<f32>
  memref.store %ge, %m[] : memref<f32>
  %k = call @read(%m) : (memref<f32>) -> tensor<f32>
  %new = arith.subf %w, %k : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A constant global that linalg reads beside scaled memory.
// CHECK: func.func @train
memref.global "private" constant @rate : memref<f32> = dense<0.1>
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  %k = memref.get_global @rate : memref<f32>
  %own = memref.alloca() : memref<f32>
  %product = memref.alloca() : memref<f32>
  memref.store %ge, %own[] : memref<f32>
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%k, %own : memref<f32>, memref<f32>) outs(%product : memref<f32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  }
  %h = memref.load %product[] : memref<f32>
  %ht = tensor.from_elements %h : tensor<f32>
  %u, %f = amp.unscale %ht using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A constant global that is copied beside scaled values.
memref.global "private" constant @rate : memref<f32> = dense<0.1>
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %ge = tensor.extract %g[] : tensor<f32>
  %k = memref.get_global @rate : memref<f32>
  %own = memref.alloca() : memref<f32>
  memref.store %ge, %own[] : memref<f32>
  // expected-error@below {{memory holds values of}}
  memref.copy %k, %own : memref<f32> to memref<f32>
  %h = memref.load %own[] : memref<f32>
  %ht = tensor.from_elements %h : tensor<f32>
  %u, %f = amp.unscale %ht using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
