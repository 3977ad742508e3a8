// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" --split-input-file --verify-diagnostics

// Marks of passes that have not run, and attributes that the dialect is not asked about.

// expected-error @+1 {{expected no 'amp.casts_inserted' on a module without 'amp.policy'; amp-insert-casts has not run on it and would leave it in FP32: remove the mark}}
module attributes {amp.casts_inserted} {}

// -----

// Near miss: a mark that says no.
module attributes {amp.casts_inserted = false} {}

// -----

// Near miss: with the policy that the pass went by.
module attributes {amp.casts_inserted, amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
  func.func private @helper() attributes {amp.context = {arguments = [], results = []}}
  func.func private @train() attributes {amp.updates_guarded}
}

// -----

// expected-error @+1 {{expected no 'amp.updates_guarded' on '@train', which scales no loss; amp-guard-updates has not run on it and would leave its updates unguarded: remove the mark}}
func.func private @train() attributes {amp.updates_guarded}

// -----

// Near miss: scaled and guarded by hand.
amp.scaler @s {initial_scale = 65536.0 : f64}
func.func @train(%seed: tensor<f32>) -> tensor<f32> attributes {amp.updates_guarded} {
  %0 = amp.scale_loss %seed using @s : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{'func.func' op expected no 'amp.context' in a module without 'amp.policy'; amp-specialize-helpers has not run on it and would leave its helpers as they are: remove it}}
func.func private @helper() attributes {amp.context = {arguments = [], results = []}}

// -----

func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func @operand(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op expected no 'amp.foo' on operand 0 of a call, where it is not read; put it on the function that is called, or on the call itself}}
  %0 = "func.call"(%x) {callee = @callee, arg_attrs = [{amp.foo = "a"}]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @result(%f: (tensor<4xf32>) -> tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call_indirect' op expected no 'amp.role' on result 0 of a call, where it is not read; put it on the function that is called, or on the call itself}}
  %0 = "func.call_indirect"(%f, %x) {res_attrs = [{amp.role = "batch"}]} : ((tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Near miss: another's attributes.
func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "func.call"(%x) {callee = @callee, arg_attrs = [{llvm.noundef}]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @nameless(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.tanh' op expected an attribute's name after 'amp.'; give it one that the dialect knows, or remove it}}
  %0 = math.tanh %x {"amp."} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected an attribute's name after 'amp.'; give it one that the dialect knows, or remove it}}
func.func private @nameless_argument(tensor<4xf32> {"amp." = 1})

// -----

// Near miss: another name without an end.
func.func @other_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.tanh %x {"amp"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
