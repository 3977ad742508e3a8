// Assertions on scaled values end a run at an overflow, for which its step is to be
// skipped. Of what is unscaled, amp-guard-updates takes care.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @positive(%y: tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.extract %y[] : tensor<f32>
  %c = arith.cmpf ogt, %e, %zero : f32
  // expected-warning@below {{'cf.assert' checks a value that an overflow of the scale of '@s' comes into, and would end the run where the step is to be skipped; check what is unscaled, in the train step}}
  cf.assert %c, "positive"
  return
}
func.func private @fb(%w: tensor<f32> {amp.role = "param", amp.name = "w"}, %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %g = arith.mulf %seed, %x : tensor<f32>
  call @positive(%g) : (tensor<f32>) -> ()
  return %g : tensor<f32>
}
// CHECK: func.func @train
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{scaled by this call}}
  %g = call @fb(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended; and near misses: what carries no scale, in the backward pass as well.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @positive(%y: tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.extract %y[] : tensor<f32>
  %c = arith.cmpf ogt, %e, %zero : f32
  cf.assert %c, "positive"
  return
}
func.func private @fb(%w: tensor<f32> {amp.role = "param", amp.name = "w"}, %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %g = arith.mulf %seed, %x : tensor<f32>
  call @positive(%x) : (tensor<f32>) -> ()
  return %g : tensor<f32>
}
// CHECK: func.func @train
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = call @fb(%w, %x, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  call @positive(%u) : (tensor<f32>) -> ()
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: with a static scale an overflow skips nothing.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant 0.0 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %e = tensor.extract %g[] : tensor<f32>
  %c = arith.cmpf ogt, %e, %zero : f32
  cf.assert %c, "positive"
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
