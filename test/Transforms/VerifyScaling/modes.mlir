// Errors, warnings, and programs without a scaler.
//
// RUN: not amp-opt %s --amp-verify-scaling -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: amp-opt %s --amp-verify-scaling=warn-only -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: grep -v using %s | sed 's/%u$/%g/; s/%w, %u/%w, %g/; s/amp.scaler.*//' | amp-opt --amp-verify-scaling=print-degrees 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE --implicit-check-not=degree
//
// ERROR: error: expected gradients that carry the scale of '@s' once
// WARNING: warning: expected gradients that carry the scale of '@s' once
// NONE: func.func @train

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %x, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
