// RUN: amp-opt %s --split-input-file --amp-verify-scaling -verify-diagnostics -o /dev/null

// A zero fits any degree, but one at a time: here it would have to be that of a scaled
// gradient and that of the batch. The message names both, as the caller sees them.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @helper(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  %r = arith.addf %a, %b : tensor<f32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @s and degree 0}}
  %q = arith.addf %b, %c : tensor<f32>
  %p = arith.mulf %r, %q : tensor<f32>
  return %p : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  // expected-note@below {{called from here}}
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %p = func.call @helper(%a, %zero, %x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %p : tensor<f32>
}

// -----

// The same helper, of what is unscaled.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func private @helper(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  %r = arith.addf %a, %b : tensor<f32>
  %q = arith.addf %b, %c : tensor<f32>
  %p = arith.mulf %r, %q : tensor<f32>
  return %p : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %u, %found = amp.unscale %a using @s : (tensor<f32>) -> tensor<f32>
  %p = func.call @helper(%u, %zero, %x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %p : tensor<f32>
}
