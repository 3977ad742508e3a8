// RUN: amp-opt %s --split-input-file --verify-diagnostics

// Rule numbers are those of the dialect's description.

// Rule 1: not a role.
// expected-error @+1 {{'func.func' op unknown role 'weight' of argument 0; expected one of param, master, buffer, opt_state, batch, loss_seed, loss, grad, output, accumulator, scaler_state, rng, hyper}}
func.func private @f(tensor<4xf32> {amp.role = "weight", amp.name = "w"})

// -----

// Rule 1: not a string.
// expected-error @+1 {{'func.func' op expected 'amp.role' of argument 0 to be a string, but got 1 : i64}}
func.func private @f(tensor<4xf32> {amp.role = 1, amp.name = "w"})

// -----

// Rule 1: the same for a result.
// expected-error @+1 {{'func.func' op unknown role 'weight' of result 1; expected one of}}
func.func private @f() -> (f32, tensor<4xf32> {amp.role = "weight", amp.name = "w"})

// -----

// Rule 2: a role without a name.
// expected-error @+1 {{'func.func' op expected 'amp.name' beside 'amp.role' of argument 1}}
func.func private @f(f32, tensor<4xf32> {amp.role = "param"})

// -----

// Rule 2: a name without a role.
// expected-error @+1 {{'func.func' op expected 'amp.role' beside 'amp.name' of argument 0}}
func.func private @f(tensor<4xf32> {amp.name = "w"})

// -----

// Rule 2: on an operation.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.role' on an argument or result of a function}}
  %0 = arith.negf %x {amp.role = "param"} : f32
  return
}

// -----

// Rule 2: on the function itself.
// expected-error @+1 {{'func.func' op expected 'amp.name' on an argument or result of a function}}
func.func private @f() attributes {amp.name = "w"}

// -----

// Rule 2.
// expected-error @+1 {{'builtin.module' op expected 'amp.kind' on an argument or result of a function}}
module attributes {amp.kind = "batch_norm"} {}

// -----

// Rule 3: arguments.
// expected-error @+1 {{'func.func' op arguments 0 and 2 share role 'param' and name 'w'}}
func.func private @f(tensor<4xf32> {amp.role = "param", amp.name = "w"},
                     tensor<4xf32> {amp.role = "buffer", amp.name = "w"},
                     tensor<4xf32> {amp.role = "param", amp.name = "w"})

// -----

// Rule 3: results.
// expected-error @+1 {{'func.func' op results 0 and 1 share role 'grad' and name 'w'}}
func.func private @f() -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"},
                           tensor<4xf32> {amp.role = "grad", amp.name = "w"})

// -----

// Rule 4: a scalar parameter.
// expected-error @+1 {{'func.func' op expected argument 0 with role 'param' to be a ranked tensor, but got 'f32'}}
func.func private @f(f32 {amp.role = "param", amp.name = "w"})

// -----

// Rule 4: an unranked gradient.
// expected-error @+1 {{'func.func' op expected result 0 with role 'grad' to be a ranked tensor, but got 'tensor<*xf32>'}}
func.func private @f() -> (tensor<*xf32> {amp.role = "grad", amp.name = "w"})

// -----

// Rule 4.
// expected-error @+1 {{'func.func' op expected argument 0 with role 'buffer' to be a ranked tensor, but got 'memref<4xf32>'}}
func.func private @f(memref<4xf32> {amp.role = "buffer", amp.name = "mean"})

// -----

// Rule 4.
// expected-error @+1 {{'func.func' op expected argument 0 with role 'accumulator' to be a ranked tensor, but got 'f32'}}
func.func private @f(f32 {amp.role = "accumulator", amp.name = "w"})

// -----

// Rule 4.
// expected-error @+1 {{'func.func' op expected result 0 with role 'output' to be a ranked tensor, but got 'f32'}}
func.func private @f() -> (f32 {amp.role = "output", amp.name = "y0"})

// -----

// Rule 4: a loss has rank 0.
// expected-error @+1 {{'func.func' op expected result 0 with role 'loss' to be a rank-0 tensor of f32, f16 or bf16, but got 'tensor<1xf32>'}}
func.func private @f() -> (tensor<1xf32> {amp.role = "loss", amp.name = "loss"})

// -----

// Rule 4: a loss is floating.
// expected-error @+1 {{'func.func' op expected argument 0 with role 'loss_seed' to be a rank-0 tensor of f32, f16 or bf16, but got 'tensor<i32>'}}
func.func private @f(tensor<i32> {amp.role = "loss_seed", amp.name = "loss"})

// -----

// Rule 4: a loss is no f64: nothing scales it.
// expected-error @+1 {{'func.func' op expected result 0 with role 'loss' to be a rank-0 tensor of f32, f16 or bf16, but got 'tensor<f64>'}}
func.func private @f() -> (tensor<f64> {amp.role = "loss", amp.name = "loss"})

// -----

// Rule 5: a master is FP32.
// expected-error @+1 {{'func.func' op expected argument 0 with role 'master' to be a ranked f32 tensor, but got 'tensor<4xf16>'}}
func.func private @f(tensor<4xf16> {amp.role = "master", amp.name = "w"})

// -----

// Rule 6: no other kind.
// expected-error @+1 {{'func.func' op expected 'amp.kind' of argument 0 to be 'batch_norm', but got 'layer_norm'}}
func.func private @f(tensor<4xf32> {amp.role = "param", amp.name = "w", amp.kind = "layer_norm"})

// -----

// Rule 6: another role.
// expected-error @+1 {{'func.func' op expected 'amp.kind' of argument 0 beside role 'param', 'master' or 'buffer'}}
func.func private @f(tensor<4xf32> {amp.role = "grad", amp.name = "w", amp.kind = "batch_norm"})

// -----

// Rule 6: no role.
// expected-error @+1 {{'func.func' op expected 'amp.kind' of argument 0 beside role 'param', 'master' or 'buffer'}}
func.func private @f(tensor<4xf32> {amp.kind = "batch_norm"})

// -----

// Rule 13: another role.
// expected-error @+1 {{'func.func' op expected 'amp.of' of argument 0 beside role 'opt_state' or 'buffer'}}
func.func private @f(tensor<4xf32> {amp.role = "grad", amp.name = "w", amp.of = "w"})

// -----

// Rule 13: no role.
// expected-error @+1 {{'func.func' op expected 'amp.of' of result 0 beside role 'opt_state' or 'buffer'}}
func.func private @f() -> (tensor<4xf32> {amp.of = "w"})

// -----

// Rule 1: not a string.
// expected-error @+1 {{'func.func' op expected 'amp.of' of argument 0 to be a string, but got true}}
func.func private @f(tensor<4xf32> {amp.role = "buffer", amp.name = "a", amp.of = true})

// -----

// Rule 2.
// expected-error @+1 {{'builtin.module' op expected 'amp.of' on an argument or result of a function}}
module attributes {amp.of = "w"} {}

// -----

// A slip of the pen is not lost.
// expected-error @+1 {{'func.func' op unknown attribute 'amp.rôle' of argument 0; expected amp.role, amp.name, amp.kind, amp.of or amp.init; did you mean 'amp.role'?}}
func.func private @f(tensor<4xf32> {"amp.rôle" = "param"})

// -----

// expected-error @+1 {{'func.func' op expected 'amp.init' of argument 0 to be a string, but got 0.000000e+00 : f64}}
func.func private @f(tensor<4xf32> {amp.role = "param", amp.name = "w", amp.init = 0.0})

// -----

// Rule 11: the nearest name is said.
func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func @misspelt_flag(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op unknown attribute 'amp.delay_unscaled'; did you mean 'amp.delay_unscale'?}}
  %0 = call @callee(%x) {amp.delay_unscaled} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Rule 11: also where the operation reads no attribute of ours.
func.func @misspelt_function(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.exp' op unknown attribute 'amp.funtion'; did you mean 'amp.function'?}}
  %0 = math.exp %x {amp.funtion = "torch.exp"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Rule 10
// expected-error @+1 {{'func.func' op expected 'amp.micro_batches' to be an i64 of at least 1, but got "two"}}
func.func private @micro_batches() attributes {amp.micro_batches = "two"}

// -----

// Rule 12. Near miss: insert-loss-scaling-several.mlir has flags that are false.
func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func @flag_of_another_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op expected 'amp.delay_overflow_check' to be a unit attribute, true or false, but got 0 : i64}}
  %0 = call @callee(%x) {amp.delay_overflow_check = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Rule 10: nothing is divided by 0. Near miss: accumulate-gradients-invalid.mlir has 4.
// expected-error @+1 {{'func.func' op expected 'amp.micro_batches' to be an i64 of at least 1, but got 0 : i64}}
func.func private @micro_batches() attributes {amp.micro_batches = 0 : i64}

// -----

// Rule 10.
// expected-error @+1 {{'func.func' op expected 'amp.micro_batches' to be an i64 of at least 1, but got -2 : i64}}
func.func private @micro_batches() attributes {amp.micro_batches = -2 : i64}

// -----

// Rule 12: a unit attribute. Near miss: convert-parallel-calls.mlir.
func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func @parallel_number(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op expected 'amp.parallel' to be a unit attribute, but got 3 : i64}}
  %0 = call @callee(%x) {amp.parallel = 3} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Rule 14, for each kind of place. Near misses: every other test of these attributes.
// expected-error @+1 {{'func.func' op expected 'amp.policy' on a module; a region with a policy of its own is an amp.autocast}}
func.func private @policy() attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>}

// -----

// expected-error @+1 {{'func.func' op expected 'amp.casts_inserted' on a module}}
func.func private @casts() attributes {amp.casts_inserted}

// -----

// expected-error @+1 {{'builtin.module' op expected 'amp.updates_guarded' on a function}}
module attributes {amp.updates_guarded} {}

// -----

func.func @delay(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.tanh' op expected 'amp.delay_unscale' on the call of a function with a loss seed}}
  %0 = math.tanh %x {amp.delay_unscale} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @context(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.tanh' op expected 'amp.context' on a function or a call}}
  %0 = math.tanh %x {amp.context = {}} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected 'amp.model_output' on an operation with a result}}
func.func private @output() attributes {amp.model_output}

// -----

// Rule 15: outside a fused step, too. Near miss: split-train-step.mlir.
func.func @grad_number(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.tanh' op expected 'amp.grad' to be an array of 1 strings, one for each result (empty for one that is no gradient), but got 1 : i64}}
  %0 = math.tanh %x {amp.grad = 1} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Rule 15.
func.func @grad_string(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.tanh' op expected 'amp.grad' to be an array of 1 strings, one for each result (empty for one that is no gradient), but got "nosuch"}}
  %0 = math.tanh %x {amp.grad = "nosuch"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
