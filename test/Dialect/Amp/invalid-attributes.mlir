// RUN: amp-opt %s --split-input-file --verify-diagnostics

// `#amp.policy` and `#amp.class` as text. Rules are those of the policy's
// description.

// Rule 1: no such level.
// expected-error @+1 {{expected an opt level 'O0' to 'O5', but got 'O6'}}
module attributes {amp.policy = #amp.policy<O6, loss_scale = 1.0>} {}

// -----

// Rule 1: not a level.
// expected-error @+1 {{expected an opt level 'O0' to 'O5', but got 'fast'}}
module attributes {amp.policy = #amp.policy<fast, loss_scale = 1.0>} {}

// -----

// Rule 2.
// expected-error @+1 {{expected 'cast_model_type' to be f32, f16 or bf16, but got 'f64'}}
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f64, loss_scale = 1.0>} {}

// -----

// Rule 2.
// expected-error @+1 {{expected 'patch_type' to be f16 or bf16, but got 'f32'}}
module attributes {amp.policy = #amp.policy<O1, patch_type = f32, loss_scale = 1.0>} {}

// -----

// Rule 2.
// expected-error @+1 {{expected 'cast_model_outputs' to be f32, f16 or bf16, but got 'i32'}}
module attributes {amp.policy = #amp.policy<O2, cast_model_outputs = i32, loss_scale = 1.0>} {}

// -----

// Rule 3.
// expected-error @+1 {{expected 'num_losses' to be at least 1, but got 0}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 1.0, num_losses = 0>} {}

// -----

// Rule 3: more than 32 bits.
// expected-error @+1 {{expected 'num_losses' to be at most 4294967295, but got 4294967297}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 1.0, num_losses = 4294967297>} {}

// -----

// Rule 3: negative.
// expected-error @+1 {{expected 'num_losses' to be at least 1, but got -1}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 1.0, num_losses = -1>} {}

// -----

// Rule 4: absent.
// expected-error @+1 {{expected policy key 'loss_scale'}}
module attributes {amp.policy = #amp.policy<O2>} {}

// -----

// Rule 4: zero.
// expected-error @+1 {{expected 'loss_scale' to be finite and positive, but got 0.000000e+00}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 0.0>} {}

// -----

// Rule 4: NaN.
// expected-error @+1 {{expected 'loss_scale' to be finite and positive, but got nan}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 0x7FF8000000000000>} {}

// -----

// Rule 4: inf.
// expected-error @+1 {{expected 'loss_scale' to be finite and positive, but got INF}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 0x7FF0000000000000>} {}

// -----

// Rule 5.
// expected-error @+1 {{expected 'max_loss_scale' to be positive, but got -1.000000e+00}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 1.0, max_loss_scale = -1.0>} {}

// -----

// Rule 6.
// expected-error @+1 {{expected 'min_loss_scale' to be finite and at least 0, but got -1.000000e+00}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 1.0, min_loss_scale = -1.0>} {}

// -----

// Rule 6: inf.
// expected-error @+1 {{expected 'min_loss_scale' to be finite and at least 0, but got INF}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 1.0, min_loss_scale = 0x7FF0000000000000>} {}

// -----

// Rule 6: above the ceiling.
// expected-error @+1 {{expected 'min_loss_scale' to be at most 'max_loss_scale' 2.000000e+00, but got 4.000000e+00}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 8.0, min_loss_scale = 4.0, max_loss_scale = 2.0>} {}

// -----

// Rule 6: above the start.
// expected-error @+1 {{expected 'min_loss_scale' to be at most the initial scale 1.000000e+00, but got 4.000000e+00}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 1.0, min_loss_scale = 4.0>} {}

// -----

// Rule 6: a dynamic scale starts at 2^16.
// expected-error @+1 {{expected 'min_loss_scale' to be at most the initial scale 6.553600e+04, but got 1.000000e+05}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = dynamic, min_loss_scale = 1.0e5>} {}

// -----

// Keys.
// expected-error @+1 {{unknown policy key 'loss_scales'}}
module attributes {amp.policy = #amp.policy<O2, loss_scales = 1.0>} {}

// -----

// expected-error @+1 {{policy key 'loss_scale' is given twice}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 1.0, loss_scale = 2.0>} {}

// -----

// expected-error @+1 {{expected 'true' or 'false', but got 'maybe'}}
module attributes {amp.policy = #amp.policy<O2, loss_scale = 1.0, master_weights = maybe>} {}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{expected a class 'low', 'high', 'promote', 'follow', 'match_self', 'refuse_half' or 'refuse_half_self', but got 'half'}}
  %0 = arith.negf %x {amp.class = #amp.class<half>} : f32
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{invalid kind of attribute specified}}
  %0 = arith.negf %x {amp.class = #amp.class<low, 1 : i64>} : f32
  return
}

// -----

// Dialect rule 7.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.scope' to be a string, but got 1 : i64}}
  %0 = arith.negf %x {amp.scope = 1 : i64} : f32
  return
}

// -----

// Dialect rule 7.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.function' to be a string, but got unit}}
  %0 = arith.negf %x {amp.function} : f32
  return
}

// -----

// Dialect rule 7.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.layer' to be a string, but got 2 : i32}}
  %0 = arith.negf %x {amp.layer = 2 : i32} : f32
  return
}

// -----

// Dialect rule 7.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.phase' to be "forward", "backward" or "optimizer", but got "eval"}}
  %0 = arith.negf %x {amp.phase = "eval"} : f32
  return
}

// -----

// Dialect rule 7.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.scope_id' to be an i64, but got 1 : i32}}
  %0 = arith.negf %x {amp.scope_id = 1 : i32} : f32
  return
}

// -----

// Dialect rule 8.
// expected-error @+1 {{'builtin.module' op expected 'amp.policy' to be a #amp.policy, but got "O2"}}
module attributes {amp.policy = "O2"} {}

// -----

// Dialect rule 8.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.class' to be a #amp.class, but got "low"}}
  %0 = arith.negf %x {amp.class = "low"} : f32
  return
}

// -----

// Dialect rule 9.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.self' to be the number (i64) of an operand that is a ranked tensor, but got 1 : i64}}
  %0 = arith.negf %x {amp.self = 1 : i64} : tensor<4xf32>
  return
}

// -----

// Dialect rule 9: negative.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.self' to be the number (i64) of an operand that is a ranked tensor, but got -1 : i64}}
  %0 = arith.negf %x {amp.self = -1 : i64} : tensor<4xf32>
  return
}

// -----

// Dialect rule 9: of another type.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.self' to be the number (i64) of an operand that is a ranked tensor, but got 0 : i32}}
  %0 = arith.negf %x {amp.self = 0 : i32} : tensor<4xf32>
  return
}

// -----

// Dialect rule 9: a scalar.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.self' to be the number (i64) of an operand that is a ranked tensor, but got 0 : i64}}
  %0 = arith.negf %x {amp.self = 0 : i64} : f32
  return
}

// -----

// Dialect rule 7: 64 bits with a sign of their own are no i64.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.scope_id' to be an i64, but got 1 : ui64}}
  %0 = arith.negf %x {amp.scope_id = 1 : ui64} : f32
  return
}

// -----

// Dialect rule 7.
func.func @f(%x: f32) {
  // expected-error @+1 {{'arith.negf' op expected 'amp.scope_id' to be an i64, but got 1 : si64}}
  %0 = arith.negf %x {amp.scope_id = 1 : si64} : f32
  return
}

// -----

// Dialect rule 8. Near miss: specialize-helpers.mlir.
// expected-error @+1 {{'func.func' op expected 'amp.context' to be a dictionary with 'arguments' and 'results', arrays of strings, as amp-specialize-helpers writes it, but got {junk = "x"}}}
func.func private @f() attributes {amp.context = {junk = "x"}}

// -----

// Dialect rule 8. Near misses: count-least-traffic.mlir, which names no role, and count-launch-traffic.mlir, the kind alone.
// expected-error @+1 {{'func.func' op expected 'amp.signature' to be a dictionary, of which 'kind' is a string, and 'arguments' and 'results' are arrays of dictionaries, as amp-mark-entry-points writes it, but got {kind = 3 : i64}}}
func.func private @f() attributes {amp.signature = {kind = 3}}

// -----

// Dialect rule 8.
// expected-error @+1 {{arrays of dictionaries, as amp-mark-entry-points writes it, but got {kind = "train_step", results = ["loss"]}}}
func.func private @f() attributes {amp.signature = {kind = "train_step", results = ["loss"]}}
