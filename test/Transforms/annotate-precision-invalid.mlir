// RUN: amp-opt %s --amp-annotate-precision --split-input-file --verify-diagnostics

// Without a policy there is nothing to decide by.
// expected-error @+1 {{expected a module with 'amp.policy'; run amp-initialize-opt-level first}}
module {
  func.func @no_policy(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// Apex's ban, with its advice: the whole text in annotate-precision-banned.mlir.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @banned(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{amp does not work out-of-the-box with `F.binary_cross_entropy` or `torch.nn.BCELoss.` It requires that the output of the previous function be already a FloatTensor.}}
    %0 = math.log %x {amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Near miss: with logits it is stable, and on the FP32 list.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @with_logits(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = math.log %x {amp.function = "torch.nn.functional.binary_cross_entropy_with_logits", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Near miss: where the model is cast no function is patched, and the loss is FP32.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
  func.func @banned_is_fine_at_o2(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = math.log %x {amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Near miss: a user's class lifts the ban for the unit (Apex: allow_banned).
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @user_lifts_the_ban(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = math.log %x {amp.class = #amp.class<high>, amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
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
