// RUN: amp-opt %s --amp-insert-loss-scaling --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a module with 'amp.policy'; run amp-initialize-opt-level first}}
module {}

// -----

// More losses than scalers: Apex's loss_id is an index that somebody must have set.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic, num_losses = 2>} {
  func.func private @a(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss_a"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @b(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss_b"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @c(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss_c"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func @three_losses_two_scalers(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss_a"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %0 = call @a(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = call @b(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    // Near miss: the first loss again.
    %2 = call @a(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    // expected-error @+1 {{loss 'loss_c' is number 3, but 'num_losses' is 2; give each loss a scaler, or set num-losses=1 to share one}}
    %3 = call @c(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %w : tensor<4xf32>
  }
}

// -----

// A new value that had no old one: nothing can be kept on a skipped step.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @forward_backward(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"})
  func.func @no_old_value(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %g = call @forward_backward(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    // expected-error @+1 {{expected an old value to keep for result 1 ('opt_state' 'w.momentum') of optimizer step '@optimizer_step' when the step is skipped; give it an argument of the same role, name and type}}
    %n:2 = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %n#0 : tensor<4xf32>
  }
}

// -----

// A result without a role is no better.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @forward_backward(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<2xf32>)
  func.func @no_role(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %g = call @forward_backward(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    // expected-error @+1 {{expected an old value to keep for result 1 ('no role' '') of optimizer step '@optimizer_step' when the step is skipped; give it an argument of the same role, name and type}}
    %n:2 = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>)
    return %n#0 : tensor<4xf32>
  }
}

// -----

// Near miss: with a static scale nothing is kept, so nothing is missing.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = 128.0>} {
  func.func private @forward_backward(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"})
  func.func @static_scale(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %g = call @forward_backward(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %n:2 = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %n#0 : tensor<4xf32>
  }
}

// -----

// A step in one piece has no place where its gradients can be seen.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  // expected-error @+1 {{expected train step '@fused' to call a function with a 'loss_seed' argument and 'grad' results, but found none; a fused step is split by amp-split-train-step}}
  func.func @fused(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    return %w : tensor<4xf32>
  }
}

// -----

// Near miss: a declared train step is somebody else's.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @declared(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
}
