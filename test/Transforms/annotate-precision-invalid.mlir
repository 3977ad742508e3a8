// RUN: amp-opt %s --amp-annotate-precision --split-input-file --verify-diagnostics

// Without a policy there is nothing to decide by.
// expected-error @+1 {{expected a module with 'amp.policy'; run amp-initialize-opt-level first}}
module {
  func.func @no_policy(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// Two half types in one program have no common storage.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @other_half_type(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'amp.autocast' op expected a policy with the module's half type 'f16', but got 'bf16'}}
    %0 = amp.autocast under <O4, patch_type = bf16, loss_scale = 1.0> {
      %1 = math.exp %x : tensor<4xf32>
      amp.yield %1 : tensor<4xf32>
    } : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// The model ends in the forward pass. Near misses: the overrides in
// Analysis/model-boundary.mlir, and the first one here.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true,
                                            master_weights = true, loss_scale = dynamic>} {
  func.func @output_in_backward(
      %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<8xf32>, tensor<8xf32> {amp.role = "grad", amp.name = "w"}) {
    %p = arith.mulf %x, %w {amp.model_output} : tensor<8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<8xf32>) dimensions = [0]
    // expected-error @+1 {{'arith.mulf' op expected 'amp.model_output' on a forward operation, but this is an operation of the backward pass; put it on the forward operation whose result the loss reads}}
    %g = arith.mulf %s, %x {amp.model_output} : tensor<8xf32>
    return %p, %g : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true,
                                            master_weights = true, loss_scale = dynamic>} {
  func.func @output_is_constant(
      %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<8xf32>, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
    // expected-error @+1 {{'arith.constant' op expected 'amp.model_output' on a forward operation, but this is a constant; put it on the forward operation whose result the loss reads}}
    %c = arith.constant {amp.model_output} dense<1.0> : tensor<8xf32>
    %p = arith.mulf %x, %w : tensor<8xf32>
    %q = arith.mulf %p, %c : tensor<8xf32>
    return %q, %seed : tensor<8xf32>, tensor<f32>
  }
}

// -----

module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true,
                                            master_weights = true, loss_scale = dynamic>} {
  func.func @output_in_step(%w: tensor<4xf32> {amp.role = "master", amp.name = "w"},
      %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "master", amp.name = "w"}) {
    // expected-error @+1 {{'arith.subf' op expected 'amp.model_output' on a forward operation, but this is an operation of an optimizer step; put it on the forward operation whose result the loss reads}}
    %0 = arith.subf %w, %g {amp.model_output} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
