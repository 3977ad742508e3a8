// RUN: amp-opt %s --amp-annotate-precision --amp-insert-casts --verify-diagnostics --split-input-file

// expected-error @+1 {{expected a module with 'amp.policy'; run amp-initialize-opt-level first}}
module {}

// -----

// What Apex refuses on half arguments, each beside what it lets through. The whole text
// of the ban stands in insert-casts-banned.mlir.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @banned_on_half(%x: tensor<4xf16>) -> tensor<4xf32> {
    // expected-note @+1 {{this argument is half}}
    %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
    // expected-error @+1 {{amp does not work out-of-the-box with `F.binary_cross_entropy` or `torch.nn.BCELoss.` It requires that the output of the previous function be already a FloatTensor.}}
    %0 = math.log %w {amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// The result of a half function is half, also where only a view of it is given.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @banned_on_result(%x: tensor<4x4xf32>) -> tensor<16xf32> {
    %e = tensor.empty() : tensor<4x4xf32>
    %0 = linalg.matmul {amp.function = "torch.mm", amp.scope_id = 0 : i64}
        ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-note @+1 {{this argument is half}}
    %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
    // expected-error @+1 {{amp does not work out-of-the-box with `F.binary_cross_entropy`}}
    %2 = math.log %1 {amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 1 : i64} : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}

// -----

// Near miss: on f32. Its inner values are its own, and its gradient may be what it likes.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @banned_on_float(%x: tensor<4xf32>, %g: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>) {
    %w = amp.cast %g : tensor<4xf16> to tensor<4xf32>
    %0 = math.log %x {amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    %1 = arith.mulf %0, %x {amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    %2 = arith.mulf %w, %x {amp.function = "torch.nn.functional.binary_cross_entropy", amp.phase = "backward", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Near miss: with logits it is stable, and on the FP32 list.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @with_logits(%x: tensor<4xf16>) -> tensor<4xf32> {
    %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
    %0 = math.log %w {amp.function = "torch.nn.functional.binary_cross_entropy_with_logits", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Near miss: where the model is cast no function is patched, and the loss is FP32.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
  func.func @banned_is_fine_at_o2(%x: tensor<4xf16>) -> tensor<4xf32> {
    %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
    %0 = math.log %w {amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Near miss: a user's class lifts the ban for the unit (Apex: allow_banned).
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @user_lifts_the_ban(%x: tensor<4xf16>) -> tensor<4xf32> {
    %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
    %0 = math.log %w {amp.class = #amp.class<high>, amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// An in-place function of the FP32 list is refused on any half argument...
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @function_in_place(%x: tensor<4xf16>) -> tensor<4xf32> {
    // expected-note @+1 {{this argument is half}}
    %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
    // expected-error @+1 {{'math.exp' op Cannot call in-place function exp_ with fp16 arguments.}}
    %0 = math.exp %w {amp.function = "torch.exp_", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// ...a method on a half self...
module attributes {amp.policy = #amp.policy<O4, patch_type = bf16, loss_scale = 1.0>} {
  func.func @method_in_place(%x: tensor<4xbf16>, %y: tensor<4xf32>) -> tensor<4xf32> {
    // expected-note @+1 {{this argument is half}}
    %w = amp.cast %x : tensor<4xbf16> to tensor<4xf32>
    // expected-error @+1 {{'math.powf' op Cannot call in-place method pow_ on bfloat16 Tensors.}}
    %0 = math.powf %w, %y {amp.function = "torch.Tensor.pow_", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// ...wherever self stands...
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @self_second(%x: tensor<4xf16>, %y: tensor<4xf32>) -> tensor<4xf32> {
    // expected-note @+1 {{this argument is half}}
    %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
    // expected-error @+1 {{'math.powf' op Cannot call in-place method pow_ on fp16 Tensors.}}
    %0 = math.powf %y, %w {amp.function = "torch.Tensor.pow_", amp.scope_id = 0 : i64, amp.self = 1 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// ...near miss: and not on another half argument; out of place nothing is refused.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @not_refused(%x: tensor<4xf16>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
    %0 = math.powf %y, %w {amp.function = "torch.Tensor.pow_", amp.scope_id = 0 : i64} : tensor<4xf32>
    %1 = math.exp %w {amp.function = "torch.exp", amp.scope_id = 1 : i64} : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A class by hand has no function to speak for it.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @by_hand(%x: tensor<4xf16>) -> tensor<4xf32> {
    // expected-note @+1 {{this argument is half}}
    %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
    // expected-error @+1 {{'math.absf' op expected arguments in FP32, but got a half one}}
    %0 = math.absf %w {amp.class = #amp.class<refuse_half>} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
