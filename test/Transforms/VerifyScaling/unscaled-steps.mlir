// A step that scales a constant seed by hand, and one whose results have no roles: their
// degrees would not be looked at.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics -o /dev/null

amp.scaler @s {initial_scale = 4.0 : f64}
// expected-error@below {{expected '@train', which updates 'param' 'w', to have its loss seed as an argument, or its loss is not scaled and no overflow skips the update; start its backward pass from an argument with amp.role = "loss_seed", which is 1 in each call}}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-note@below {{gradients are computed here}}
  %a = amp.scale_loss %one using @s : tensor<f32>
  %c = arith.minimumf %a, %one : tensor<f32>
  %u, %f = amp.unscale %c using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
// expected-error@below {{expected '@train', which takes the seed of loss 'loss', to give gradients (amp.role = "grad") or new parameters ("param" or "master"), or its loss is not scaled and no overflow skips what it computes; give its results their roles}}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> tensor<f32> {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c = arith.minimumf %a, %seed : tensor<f32>
  %new = arith.subf %w, %c : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: no scaler, nothing to verify.
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> tensor<f32> {
  %new = arith.subf %w, %seed : tensor<f32>
  return %new : tensor<f32>
}
