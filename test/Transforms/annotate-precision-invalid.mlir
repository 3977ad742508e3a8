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
