// An optimizer step that is handed a gradient with its scale: the fault is the
// call's.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

func.func private @optimizer(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %g: tensor<f32> {amp.role = "grad", amp.name = "w"}) -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  // expected-note@below {{combined here with a value of degree 0}}
  %n = arith.subf %w, %g : tensor<f32>
  return %n : tensor<f32>
}
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-error@below {{expected 'grad' 'w', which optimizer step '@optimizer' takes, to be unscaled, but got degree 1 in @s}}
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = call @optimizer(%w, %g) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %new : tensor<f32>
}

// -----
// A parameter that is scaled.
func.func private @optimizer(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %g: tensor<f32> {amp.role = "grad", amp.name = "w"}) -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %n = arith.subf %w, %g : tensor<f32>
  return %n : tensor<f32>
}
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %w using @s : tensor<f32>
  // expected-error@below {{expected '@optimizer' to be called with a scaled value for a loss seed or a gradient alone, but an argument of another role has degree 1 in @s}}
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = call @optimizer(%a, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
func.func private @optimizer(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %g: tensor<f32> {amp.role = "grad", amp.name = "w"}) -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %n = arith.subf %w, %g : tensor<f32>
  return %n : tensor<f32>
}
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = call @optimizer(%w, %u) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
// An optimizer step that unscales itself.
func.func private @optimizer(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %g: tensor<f32> {amp.role = "grad", amp.name = "w"}) -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %n = arith.subf %w, %u : tensor<f32>
  return %n : tensor<f32>
}
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %new = call @optimizer(%w, %g) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %new : tensor<f32>
}
