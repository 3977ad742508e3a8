// RUN: amp-opt %s --amp-cast-model --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a module with 'amp.policy'; run amp-initialize-opt-level first}}
module {}

// -----

// The code behind a declaration would go on with f32.
module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, keep_batchnorm_fp32 = false, master_weights = false, loss_scale = 1.0>} {
  // expected-error @+1 {{expected '@forward_backward' to have a body, because argument 1 ('param' 'w') becomes tensor<4xf16> at O3, but it is a declaration; define it in this module, or declare it with the types that it has at O3}}
  func.func private @forward_backward(
      tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
}

// -----

// So would whoever calls through a reference. Near miss: cast-model.mlir.
module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, keep_batchnorm_fp32 = false, master_weights = false, loss_scale = 1.0>} {
  // expected-note @+1 {{the function is here}}
  func.func @gradient(%s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "grad", amp.name = "w"}) {
    return %s : tensor<f32>
  }
  func.func @reference() -> ((tensor<f32>) -> tensor<f32>) {
    // expected-error @+1 {{expected '@gradient' to be used by calls alone, because result 0 ('grad' 'w') becomes tensor<f16> at O3, but it is taken by reference; take a function without roles that calls it}}
    %f = constant @gradient : (tensor<f32>) -> tensor<f32>
    return %f : (tensor<f32>) -> tensor<f32>
  }
}

// -----

// A state of a parameter that nobody has: a name with a slip. At every level.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  // expected-error @+1 {{expected 'amp.of' of argument 1 to name a parameter, but got 'fc.weigth'; did you mean 'fc.weight'?}}
  func.func @step(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "fc.weight"},
      %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "m", amp.of = "fc.weigth"}) {
    return
  }
}

// -----

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  // expected-error @+1 {{expected 'amp.of' of result 0 to name a parameter, but got 'w'}}
  func.func private @step() -> (tensor<4xf32> {amp.role = "buffer", amp.name = "m", amp.of = "w"})
}

// -----

// Two words for one state.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  // expected-note @+1 {{it is given here}}
  func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"},
                          tensor<4xf32> {amp.role = "opt_state", amp.name = "m", amp.of = "w"})
  // expected-error @+1 {{expected 'amp.of' of argument 0 ('opt_state' 'm') to be 'w', but got ''}}
  func.func private @train(tensor<4xf32> {amp.role = "opt_state", amp.name = "m", amp.of = ""})
}
