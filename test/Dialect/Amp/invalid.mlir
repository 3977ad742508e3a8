// RUN: amp-opt %s --split-input-file --verify-diagnostics

// One refusal for each split; the rule it breaks, as numbered in the
// operation's description, stands in the comment.

//===----------------------------------------------------------------------===//
// amp.scaler
//===----------------------------------------------------------------------===//

// Rule 1: zero.
// expected-error @+1 {{'amp.scaler' op expected 'initial_scale' to be finite and positive, but got 0.000000e+00}}
amp.scaler @s {initial_scale = 0.0 : f64}

// -----

// Rule 1: negative.
// expected-error @+1 {{expected 'initial_scale' to be finite and positive, but got -1.000000e+00}}
amp.scaler @s {initial_scale = -1.0 : f64}

// -----

// Near miss: the largest of f32, in roundtrip.mlir.
// expected-error @+1 {{expected 'initial_scale' to be finite in f32, in which losses are scaled, but got 1.000000e+39}}
amp.scaler @s {initial_scale = 1.0e39 : f64}

// -----

// Rule 1: inf.
// expected-error @+1 {{expected 'initial_scale' to be finite and positive, but got INF}}
amp.scaler @s {initial_scale = 0x7FF0000000000000 : f64}

// -----

// Rule 1: NaN.
// expected-error @+1 {{expected 'initial_scale' to be finite and positive, but got nan}}
amp.scaler @s {initial_scale = 0x7FF8000000000000 : f64}

// -----

// Rule 2: a scale that never grows.
// expected-error @+1 {{'amp.scaler' op expected 'growth_factor' to be above 1, but got 1.000000e+00}}
amp.scaler @s {initial_scale = 1.0 : f64, growth_factor = 1.0 : f64}

// -----

// Rule 2: NaN.
// expected-error @+1 {{expected 'growth_factor' to be above 1, but got nan}}
amp.scaler @s {initial_scale = 1.0 : f64, growth_factor = 0x7FF8000000000000 : f64}

// -----

// Rule 2: a scale that falls to zero at once.
// expected-error @+1 {{'amp.scaler' op expected 'backoff_factor' to be between 0 and 1, but got 0.000000e+00}}
amp.scaler @s {initial_scale = 1.0 : f64, backoff_factor = 0.0 : f64}

// -----

// Rule 2: a scale that does not fall.
// expected-error @+1 {{expected 'backoff_factor' to be between 0 and 1, but got 1.000000e+00}}
amp.scaler @s {initial_scale = 1.0 : f64, backoff_factor = 1.0 : f64}

// -----

// Rule 3.
// expected-error @+1 {{'amp.scaler' op expected 'growth_interval' to be at least 1, but got 0}}
amp.scaler @s {initial_scale = 1.0 : f64, growth_interval = 0 : i64}

// -----

// Rule 3.
// expected-error @+1 {{'amp.scaler' op expected 'growth_interval' to be at least 1, but got -5}}
amp.scaler @s {initial_scale = 1.0 : f64, growth_interval = -5 : i64}

// -----

// Rule 3.
// expected-error @+1 {{'amp.scaler' op expected 'hysteresis' to be at least 1, but got -1}}
amp.scaler @s {initial_scale = 1.0 : f64, hysteresis = -1 : i32}

// -----

// Rule 4: negative.
// expected-error @+1 {{'amp.scaler' op expected 'min_scale' to be finite and at least 0, but got -1.000000e+00}}
amp.scaler @s {initial_scale = 1.0 : f64, min_scale = -1.0 : f64}

// -----

// Rule 4: inf.
// expected-error @+1 {{expected 'min_scale' to be finite and at least 0, but got INF}}
amp.scaler @s {initial_scale = 1.0 : f64, min_scale = 0x7FF0000000000000 : f64}

// -----

// Rule 4: above the ceiling.
// expected-error @+1 {{'amp.scaler' op expected 'min_scale' to be at most 'max_scale' 2.000000e+00, but got 4.000000e+00}}
amp.scaler @s {initial_scale = 8.0 : f64, min_scale = 4.0 : f64, max_scale = 2.0 : f64}

// -----

// Rule 4: above the start.
// expected-error @+1 {{'amp.scaler' op expected 'min_scale' to be at most 'initial_scale' 2.000000e+00, but got 4.000000e+00}}
amp.scaler @s {initial_scale = 2.0 : f64, min_scale = 4.0 : f64}

// -----

// Rule 5: zero.
// expected-error @+1 {{'amp.scaler' op expected 'max_scale' to be positive, but got 0.000000e+00}}
amp.scaler @s {initial_scale = 1.0 : f64, max_scale = 0.0 : f64}

// -----

// Rule 5: NaN.
// expected-error @+1 {{'amp.scaler' op expected 'max_scale' to be positive, but got nan}}
amp.scaler @s {initial_scale = 1.0 : f64, max_scale = 0x7FF8000000000000 : f64}

// -----

//===----------------------------------------------------------------------===//
// amp.scale_loss
//===----------------------------------------------------------------------===//

// Rule 1: no such symbol.
func.func @f(%seed: tensor<f32>) {
  // expected-error @+1 {{'amp.scale_loss' op expected '@missing' to name an amp.scaler of the module}}
  %0 = amp.scale_loss %seed using @missing : tensor<f32>
  return
}

// -----

// Rule 1: a symbol of another kind.
func.func @f(%seed: tensor<f32>) {
  // expected-error @+1 {{'amp.scale_loss' op expected '@f' to name an amp.scaler of the module}}
  %0 = amp.scale_loss %seed using @f : tensor<f32>
  return
}

// -----

// Integers have no scale.
amp.scaler @s {initial_scale = 1.0 : f64}
func.func @f(%seed: tensor<i32>) {
  // expected-error @+1 {{'amp.scale_loss' op operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<i32>'}}
  %0 = amp.scale_loss %seed using @s : tensor<i32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// amp.unscale
//===----------------------------------------------------------------------===//

// Rule 1: fewer results than gradients.
amp.scaler @s {initial_scale = 1.0 : f64}
func.func @f(%g: tensor<4xf16>, %h: tensor<4xf16>) {
  // expected-error @+1 {{'amp.unscale' op expected as many results as gradients, but got 1 for 2}}
  %0, %f = amp.unscale %g, %h using @s : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

// Rule 1: another shape.
amp.scaler @s {initial_scale = 1.0 : f64}
func.func @f(%g: tensor<4xf16>, %h: tensor<8xf16>) {
  // expected-error @+1 {{'amp.unscale' op expected result 1 to have the shape of its gradient 'tensor<8xf16>', but got 'tensor<4xf32>'}}
  %0:2, %f = amp.unscale %g, %h using @s
      : (tensor<4xf16>, tensor<8xf16>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// Rule 1: results are FP32.
amp.scaler @s {initial_scale = 1.0 : f64}
func.func @f(%g: tensor<4xf16>) {
  // expected-error @+1 {{'amp.unscale' op result #0 must be variadic of ranked tensor of 32-bit float values, but got 'tensor<4xf16>'}}
  %0, %f = amp.unscale %g using @s : (tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

// Rule 2: the count, in the custom form.
amp.scaler @s {initial_scale = 1.0 : f64}
func.func @f(%g: tensor<4xf16>, %a: tensor<4xf32>) {
  %0, %f = amp.unscale %g using @s accumulate(%a, %a)
      // expected-error @+1 {{expected 1 accumulators, one for each result, but got 2}}
      : (tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

// Rule 2: the type, in the generic form.
amp.scaler @s {initial_scale = 1.0 : f64}
func.func @f(%g: tensor<4xf16>, %a: tensor<8xf32>) {
  // expected-error @+1 {{'amp.unscale' op expected no accumulators, or one of the result's type for each gradient}}
  %0, %f = "amp.unscale"(%g, %a) <{operandSegmentSizes = array<i32: 1, 1, 0>, scaler = @s}>
      : (tensor<4xf16>, tensor<8xf32>) -> (tensor<4xf32>, tensor<i1>)
  return
}

// -----

// Rule 3.
func.func @f(%g: tensor<4xf16>) {
  // expected-error @+1 {{'amp.unscale' op expected '@missing' to name an amp.scaler of the module}}
  %0, %f = amp.unscale %g using @missing : (tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// amp.apply_if_finite
//===----------------------------------------------------------------------===//

// Rule 1: the region yields another type.
func.func @f(%found: tensor<i1>, %w: tensor<4xf32>, %h: tensor<4xf16>) {
  // expected-error @+1 {{'amp.apply_if_finite' op expected the region to yield the results' types, but got 'tensor<4xf16>'}}
  %0 = amp.apply_if_finite %found keep(%w) {
    amp.yield %h : tensor<4xf16>
  } : tensor<4xf32>
  return
}

// -----

// Rule 1: the region yields too little.
func.func @f(%found: tensor<i1>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'amp.apply_if_finite' op expected the region to yield the results' types, but got}}
  %0 = amp.apply_if_finite %found keep(%w) {
    amp.yield
  } : tensor<4xf32>
  return
}

// -----

// Rule 1: a kept value of another type, in the generic form.
func.func @f(%found: tensor<i1>, %w: tensor<4xf32>, %h: tensor<4xf16>) {
  // expected-error @+1 {{'amp.apply_if_finite' op expected kept values of the results' types}}
  %0 = "amp.apply_if_finite"(%found, %h) ({
    amp.yield %w : tensor<4xf32>
  }) : (tensor<i1>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

// found_inf is a value on the device, never a host value.
func.func @f(%found: i1, %w: tensor<4xf32>) {
  // expected-error @+1 {{'amp.apply_if_finite' op operand #0 must be tensor<i1>, but got 'i1'}}
  %0 = "amp.apply_if_finite"(%found, %w) ({
    amp.yield %w : tensor<4xf32>
  }) : (i1, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Rule 2: another end.
func.func @f(%found: tensor<i1>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'amp.apply_if_finite' op expected the region to end with 'amp.yield', but got 'func.return'}}
  %0 = "amp.apply_if_finite"(%found, %w) ({
    "func.return"(%w) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Rule 2: a block without operations.
func.func @f(%found: tensor<i1>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'amp.apply_if_finite' op expects a non-empty block}}
  %0 = "amp.apply_if_finite"(%found, %w) ({
  ^bb0:
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Rule 2: no block.
func.func @f(%found: tensor<i1>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'amp.apply_if_finite' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %0 = "amp.apply_if_finite"(%found, %w) ({
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Rule 2: an argument.
func.func @f(%found: tensor<i1>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'amp.apply_if_finite' op region should have no arguments}}
  %0 = "amp.apply_if_finite"(%found, %w) ({
  ^bb0(%x: tensor<4xf32>):
    amp.yield %x : tensor<4xf32>
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// amp.update_scale, amp.all_reduce_found_inf
//===----------------------------------------------------------------------===//

// Rule 1.
func.func @f(%found: tensor<i1>) {
  // expected-error @+1 {{'amp.update_scale' op expected '@missing' to name an amp.scaler of the module}}
  amp.update_scale @missing, %found
  return
}

// -----

// Rank 0.
// expected-note @+1 {{prior use here}}
func.func @f(%found: tensor<1xi1>) {
  // expected-error @+1 {{use of value '%found' expects different type than prior uses: 'tensor<i1>' vs 'tensor<1xi1>'}}
  %0 = amp.all_reduce_found_inf %found
  return
}

// -----

//===----------------------------------------------------------------------===//
// amp.cast
//===----------------------------------------------------------------------===//

// Rule 1: one element type.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'amp.cast' op operand type 'tensor<4xf32>' and result type 'tensor<4xf32>' are cast incompatible}}
  %0 = amp.cast %x : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

// Rule 1: another shape.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'amp.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = amp.cast %x : tensor<4xf32> to tensor<8xf16>
  return
}

// -----

// Rule 1: a static shape from a dynamic one.
func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{'amp.cast' op operand type 'tensor<?xf32>' and result type 'tensor<8xf16>' are cast incompatible}}
  %0 = amp.cast %x : tensor<?xf32> to tensor<8xf16>
  return
}

// -----

// Rule 1: a scalar from a tensor.
func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{'amp.cast' op if an operand is non-scalar, then there must be at least one non-scalar result}}
  %0 = amp.cast %x : tensor<f32> to f16
  return
}

// -----

// Rule 1: f64 is not AMP's.
func.func @f(%x: tensor<4xf64>) {
  // expected-error @+1 {{'amp.cast' op operand #0 must be 16-bit float or bfloat16 type or 32-bit float or ranked tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<4xf64>'}}
  %0 = amp.cast %x : tensor<4xf64> to tensor<4xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// amp.master_copy
//===----------------------------------------------------------------------===//

// Rule 1.
func.func @f(%m: tensor<4xf32>) {
  // expected-error @+1 {{'amp.master_copy' op expected the copy to have the shape of its master 'tensor<4xf32>', but got 'tensor<8xf16>'}}
  %0 = amp.master_copy %m : tensor<4xf32> to tensor<8xf16>
  return
}

// -----

// A copy is half.
func.func @f(%m: tensor<4xf32>) {
  // expected-error @+1 {{'amp.master_copy' op result #0 must be ranked tensor of 16-bit float or bfloat16 type values, but got 'tensor<4xf32>'}}
  %0 = amp.master_copy %m : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// amp.autocast, amp.yield
//===----------------------------------------------------------------------===//

// Rule 1.
func.func @f(%x: tensor<4xf32>, %h: tensor<4xf16>) {
  // expected-error @+1 {{'amp.autocast' op expected the region to yield the results' types, but got 'tensor<4xf16>'}}
  %0 = amp.autocast {
    amp.yield %h : tensor<4xf16>
  } : tensor<4xf32>
  return
}

// -----

// Rule 3.
func.func @f() {
  // expected-error @+1 {{'amp.autocast' op expected a policy that does not cast the model, but got level O2; use O1, O4 or O0 inside a region}}
  amp.autocast under #amp.policy<O2, cast_model_type = f16, loss_scale = dynamic> {
    amp.yield
  }
  return
}

// -----

// Rule 2: another end.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'amp.autocast' op expected the region to end with 'amp.yield', but got 'func.return'}}
  "amp.autocast"() ({
    "func.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// Rule 2: an argument.
func.func @f() {
  // expected-error @+1 {{'amp.autocast' op region should have no arguments}}
  "amp.autocast"() ({
  ^bb0(%x: tensor<4xf32>):
    amp.yield
  }) : () -> ()
  return
}

// -----

// Only in a region of ours.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'amp.yield' op expects parent op to be one of 'amp.apply_if_finite, amp.autocast'}}
  amp.yield %x : tensor<4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// amp.tap
//===----------------------------------------------------------------------===//

// Only tensors are shown.
func.func @f(%x: f32) {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = amp.tap "grad" "w" %x : f32
  return
}

// -----

//===----------------------------------------------------------------------===//
// amp.write_scaler
//===----------------------------------------------------------------------===//

// A record has as many members as the runtime's.
func.func @f(%h: i64, %r: tensor<16xi64>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%r' expects different type than prior uses: 'tensor<17xi64>' vs 'tensor<16xi64>'}}
  amp.write_scaler %h, %r
  return
}

// -----

func.func @f(%h: i64, %r: tensor<17xf64>) {
  // expected-error @+1 {{operand #1 must be tensor<17xi64>, the record of a scaler, but got 'tensor<17xf64>'}}
  "amp.write_scaler"(%h, %r) : (i64, tensor<17xf64>) -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// amp.report_violation
//===----------------------------------------------------------------------===//

// One flag for one message.
func.func @f(%v: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be tensor<i1>, but got 'tensor<2xi1>'}}
  "amp.report_violation"(%v) {message = "text"} : (tensor<2xi1>) -> ()
  return
}
