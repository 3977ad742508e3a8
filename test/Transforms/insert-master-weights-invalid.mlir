// RUN: amp-opt %s --amp-insert-master-weights --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a module with 'amp.policy'; run amp-initialize-opt-level first}}
module {}

// -----

// A step that was compiled elsewhere returns no half copies. (amp-cast-model refuses
// a model of that kind.)
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
  func.func private @forward_backward(
      tensor<4xf16> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf16> {amp.role = "grad", amp.name = "w"})
  // expected-error @+1 {{expected '@optimizer_step' to have a body, because 'param' 'w' becomes a 'master' with a half copy beside it at O2, but it is a declaration; define it in this module, or declare it with the types that it has at O2}}
  func.func private @optimizer_step(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
}
