// RUN: amp-opt %s --amp-insert-loss-scaling --amp-guard-updates --split-input-file --verify-diagnostics

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

// -----

// A delayed gradient that no later pass unscales reaches the optimizer scaled.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @forward_backward(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  func.func @delayed_for_ever(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // expected-note @+1 {{this gradient's unscaling was delayed}}
    %g = call @forward_backward(%w, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    // expected-error @+1 {{expected the gradients of optimizer step '@optimizer_step' to be unscaled, but one is still scaled; take 'amp.delay_unscale' off the last backward pass before the step}}
    %n = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }
}

// -----

// The sum stands where the call's own gradients do not: there is no place to unscale
// both at once.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @forward_backward(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func @added_in_branch(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %g0 = call @forward_backward(%w, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    // expected-error @+1 {{expected gradients whose unscaling was delayed to be added to those of this call in its own block}}
    %g1 = call @forward_backward(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %r = scf.if %c -> tensor<4xf32> {
      %a = arith.addf %g0, %g1 : tensor<4xf32>
      scf.yield %a : tensor<4xf32>
    } else {
      scf.yield %w : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}

// -----

// Two losses in one call, after each has been given a scaler of its own.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic, num_losses = 2>} {
  func.func private @a(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss_a"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @b(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss_b"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @both(tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss_a"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss_b"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func @two_scalers_one_call(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss_a"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %0 = call @a(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = call @b(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    // expected-error @+1 {{expected losses 'loss_a' and 'loss_b', whose gradients '@both' adds, to share a scaler, but they have two; set num-losses=1}}
    %2 = call @both(%w, %s, %s) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    return %w : tensor<4xf32>
  }
}

// -----

// What was found in a region of another kind cannot be handed out of it.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @forward_backward(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  func.func @in_while(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index)
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    // expected-error @+1 {{expected a backward pass whose gradients leave 'scf.while' to stand in scf.for, scf.if or no region, so that its overflow can be handed to the optimizer step}}
    %r:2 = scf.while (%i = %zero, %acc = %w) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %acc : index, tensor<4xf32>
    } do {
    ^bb0(%i: index, %acc: tensor<4xf32>):
      %g = func.call @forward_backward(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %j = arith.addi %i, %one : index
      scf.yield %j, %g : index, tensor<4xf32>
    }
    %new = call @optimizer_step(%w, %r#1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %new : tensor<4xf32>
  }
}

// -----

// A gradient in f64, of a parameter that was f64 before.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @forward_backward(tensor<4xf64> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf64> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(tensor<4xf64> {amp.role = "param", amp.name = "w"}, tensor<4xf64> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf64> {amp.role = "param", amp.name = "w"})
  func.func @train_step(
      %w: tensor<4xf64> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf64> {amp.role = "param", amp.name = "w"}) {
    // expected-error @+1 {{expected gradient 'w' to be a ranked tensor of f32, f16 or bf16, which a loss scale can be taken out of, but got 'tensor<4xf64>'; give the parameter type f32, or set loss-scale=1.0 at a level without master weights}}
    %g = call @forward_backward(%w, %s) : (tensor<4xf64>, tensor<f32>) -> tensor<4xf64>
    %new = call @optimizer_step(%w, %g) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    return %new : tensor<4xf64>
  }
}

// -----

// A gradient that was left scaled reaches the step through a branch.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  func.func @train(%c: i1, %w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // expected-note @+1 {{this gradient's unscaling was delayed}}
    %g = call @fb(%w, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    cf.cond_br %c, ^more, ^end(%g : tensor<4xf32>)
  ^more:
    %h = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %a = arith.addf %g, %h : tensor<4xf32>
    cf.br ^end(%a : tensor<4xf32>)
  ^end(%b: tensor<4xf32>):
    // expected-error @+1 {{expected the gradients of optimizer step '@step' to be unscaled, but one is still scaled; take 'amp.delay_unscale' off the last backward pass before the step}}
    %n = call @step(%w, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }
}

// -----

// An overflow whose check was delayed, on one of two ways: on the other nobody knows of
// it. (Without the delay it is handed on with its gradient: guard-updates.mlir.)
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  func.func @train(%c: i1, %w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    cf.cond_br %c, ^more, ^end(%w : tensor<4xf32>)
  ^more:
    // expected-error @+1 {{expected a backward pass in a block that every way to its optimizer step goes through, so that its overflow can be handed to it; write the branch as scf.if}}
    %h = call @fb(%w, %s) {amp.delay_overflow_check} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    cf.br ^end(%h : tensor<4xf32>)
  ^end(%b: tensor<4xf32>):
    %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %n = call @step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }
}

// -----

// Two declared scalers, and none of them has the loss's name.
// Near miss: insert-loss-scaling-declared.mlir.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  amp.scaler @one {initial_scale = 1024.0 : f64}
  amp.scaler @other {initial_scale = 1024.0 : f64}
  func.func private @forward_backward(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func @ambiguous(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // expected-error @+1 {{expected one declared scaler for loss 'loss', but the module declares '@one', '@other'; give each loss an amp.scaler of its name, or declare one and set num-losses=1}}
    %g = call @forward_backward(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %g : tensor<4xf32>
  }
}

// -----

// A second backward pass behind a function without roles that could not be inlined.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @forward_backward(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
  func.func private @helper(%w: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
    %g = call @forward_backward(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    cf.br ^end
  ^end:
    return %g : tensor<4xf32>
  }
  func.func @hidden(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %g = call @forward_backward(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    // expected-error @+1 {{expected train step '@hidden' to call '@forward_backward' itself, to scale its loss, but '@helper' does; call '@forward_backward' in the train step, and give its gradients to '@helper'}}
    %h = call @helper(%g, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %h : tensor<4xf32>
  }
}
