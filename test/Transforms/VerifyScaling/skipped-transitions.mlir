// A guard leaves a step out exactly where an infinity was found. What advances the
// scaler in it would not be heard of then.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{left out here}}
  %n = amp.apply_if_finite %f keep(%w) {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'amp.apply_if_finite' leaves this out where an infinity was found; its scale would never be lowered, so advance it in the train step, outside of the optimizer step}}
    amp.update_scale @s, %f
    %new = arith.subf %w, %u : tensor<f32>
    amp.yield %new : tensor<f32>
  } : tensor<f32>
  return %n : tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %n = amp.apply_if_finite %f keep(%w) {
    %new = arith.subf %w, %u : tensor<f32>
    amp.yield %new : tensor<f32>
  } : tensor<f32>
  amp.update_scale @s, %f
  return %n : tensor<f32>
}

// -----
// By an optimizer step, and by what that calls.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%f: tensor<i1>) {
  // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'amp.apply_if_finite' leaves this out where an infinity was found}}
  amp.update_scale @s, %f
  return
}
func.func private @step(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %g: tensor<f32> {amp.role = "grad", amp.name = "w"},
    %f: tensor<i1> {amp.role = "hyper", amp.name = "f"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  call @advance(%f) : (tensor<i1>) -> ()
  %n = arith.subf %w, %g : tensor<f32>
  return %n : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{left out here}}
  %n = amp.apply_if_finite %f keep(%w) {
    %new = func.call @step(%w, %u, %f) : (tensor<f32>, tensor<f32>, tensor<i1>) -> tensor<f32>
    amp.yield %new : tensor<f32>
  } : tensor<f32>
  return %n : tensor<f32>
}

// -----
// The same functions, the one beside the other.
// CHECK: func.func private @advance
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%f: tensor<i1>) {
  amp.update_scale @s, %f
  return
}
func.func private @step(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %g: tensor<f32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %n = arith.subf %w, %g : tensor<f32>
  return %n : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %n = amp.apply_if_finite %f keep(%w) {
    %new = func.call @step(%w, %u) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    amp.yield %new : tensor<f32>
  } : tensor<f32>
  call @advance(%f) : (tensor<i1>) -> ()
  return %n : tensor<f32>
}

// -----
// A static scale stays as it is whatever was found.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %v, %k = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  %n = amp.apply_if_finite %f keep(%w) {
    amp.update_scale @t, %k
    %new = arith.subf %w, %u : tensor<f32>
    amp.yield %new : tensor<f32>
  } : tensor<f32>
  amp.update_scale @s, %f
  return %n : tensor<f32>
}
