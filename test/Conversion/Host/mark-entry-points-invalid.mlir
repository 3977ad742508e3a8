// RUN: amp-opt %s --amp-mark-entry-points --split-input-file --verify-diagnostics

// Code on tensors that is in no module; behind a function that is called.
// expected-note @below {{declared here}}
func.func private @far(tensor<4xf32>) -> tensor<4xf32>
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected '@far' to have a body, since a compiled step takes code for tensors from its module alone, but it is only declared; write its body into the module}}
  %y = call @far(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %n = call @helper(%w) : (tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Near miss: nothing of a step calls it, or it is a number's.
func.func private @far(tensor<4xf32>) -> tensor<4xf32>
func.func private @erf(f32) -> f32
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @far(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.extract %w[] : tensor<f32>
  %f = call @erf(%e) : (f32) -> f32
  %n = tensor.from_elements %f : tensor<f32>
  return %n : tensor<f32>
}
