// RUN: amp-opt %s --amp-annotate-precision | FileCheck %s

// Which operations are batch normalisation (O2 keeps it in FP32): found outwards from
// the parameters and buffers of kind batch_norm, with whatever origin the front end
// gives. Statistics touch none of those, the product before does not belong.

module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {

// PyTorch: one framework operation, forward and backward paired by id. All of it is
// one unit; the contractions around it and the relu are not.
// CHECK-LABEL: func.func @torch_like
func.func @torch_like(
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "fc.weight"},
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"},
    %mean: tensor<4xf32> {amp.role = "buffer", amp.name = "bn.running_mean", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8x4xf32>, tensor<4xf32> {amp.role = "grad", amp.name = "bn.weight"},
        tensor<8x4xf32>,
        tensor<4xf32> {amp.role = "buffer", amp.name = "bn.running_mean", amp.kind = "batch_norm"}) {
  %e = tensor.empty() : tensor<8x4xf32>
  %ec = tensor.empty() : tensor<4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">
  %h = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.phase = "forward",
                      amp.layer = "fc", amp.scope_id = 0 : i64}
      ins(%x, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<follow, unit = [[BN:[0-9]+]], "batch normalisation kept in FP32">
  %m = linalg.reduce ins(%h : tensor<8x4xf32>) outs(%ec : tensor<4xf32>) dimensions = [0]
      {amp.function = "torch.nn.functional.batch_norm", amp.phase = "forward", amp.layer = "bn",
       amp.scope = "aten.native_batch_norm", amp.scope_id = 1 : i64} (%a: f32, %acc: f32) {
        %s = arith.addf %a, %acc : f32
        linalg.yield %s : f32
      }
  // CHECK: linalg.broadcast {{.*}}#amp.class<follow, unit = [[BN]], "moves elements">
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
      {amp.function = "torch.nn.functional.batch_norm", amp.phase = "forward", amp.layer = "bn",
       amp.scope = "aten.native_batch_norm", amp.scope_id = 1 : i64}
  // CHECK: arith.subf {{.*}}#amp.class<follow, unit = [[BN]], "batch normalisation kept in FP32">
  %c = arith.subf %h, %mb {amp.function = "torch.nn.functional.batch_norm", amp.phase = "forward",
      amp.layer = "bn", amp.scope = "aten.native_batch_norm", amp.scope_id = 1 : i64} : tensor<8x4xf32>
  %gb = linalg.broadcast ins(%gamma : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
      {amp.function = "torch.nn.functional.batch_norm", amp.phase = "forward", amp.layer = "bn",
       amp.scope = "aten.native_batch_norm", amp.scope_id = 1 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]], "batch normalisation kept in FP32">
  %y = arith.mulf %c, %gb {amp.function = "torch.nn.functional.batch_norm", amp.phase = "forward",
      amp.layer = "bn", amp.scope = "aten.native_batch_norm", amp.scope_id = 1 : i64} : tensor<8x4xf32>
  // The running mean moves on.
  // CHECK: arith.addf {{.*}}#amp.class<follow, unit = [[BN]], "batch normalisation kept in FP32">
  %nm = arith.addf %mean, %m {amp.function = "torch.nn.functional.batch_norm", amp.phase = "forward",
      amp.layer = "bn", amp.scope = "aten.native_batch_norm", amp.scope_id = 1 : i64} : tensor<4xf32>
  // CHECK: math.absf {{.*}}"inside the model">
  %r = math.absf %y {amp.function = "torch.nn.functional.relu", amp.phase = "forward",
      amp.scope_id = 2 : i64} : tensor<8x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">
  %o = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.phase = "forward",
                      amp.layer = "fc", amp.scope_id = 3 : i64}
      ins(%r, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<8x4xf32>) dimensions = [0, 1]
  // Backward, by pairing.
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]], backward, "batch normalisation kept in FP32">
  %gc = arith.mulf %g, %c {amp.function = "torch.nn.functional.batch_norm", amp.phase = "backward",
      amp.layer = "bn", amp.scope_id = 1 : i64} : tensor<8x4xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<follow, unit = [[BN]], backward, "batch normalisation kept in FP32">
  %dg = linalg.reduce ins(%gc : tensor<8x4xf32>) outs(%ec : tensor<4xf32>) dimensions = [0]
      {amp.function = "torch.nn.functional.batch_norm", amp.phase = "backward", amp.layer = "bn",
       amp.scope_id = 1 : i64} (%a: f32, %acc: f32) {
        %s = arith.addf %a, %acc : f32
        linalg.yield %s : f32
      }
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">
  %dx = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.phase = "backward",
                       amp.layer = "fc", amp.scope_id = 0 : i64}
      ins(%gc, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o, %dg, %dx, %nm : tensor<8x4xf32>, tensor<4xf32>, tensor<8x4xf32>, tensor<4xf32>
}

// JAX: batch norm written by hand, each primitive with an id of its own. The layer
// says which of them belong together.
// CHECK-LABEL: func.func @jax_like
func.func @jax_like(
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "fc.w"},
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8x4xf32>, tensor<8x4xf32> {amp.role = "grad", amp.name = "bn.scale"}) {
  %e = tensor.empty() : tensor<8x4xf32>
  %ec = tensor.empty() : tensor<4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">
  %h = linalg.matmul {amp.scope = "lax.dot_general", amp.phase = "forward", amp.layer = "fc", amp.scope_id = 0 : i64}
      ins(%x, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<follow, unit = [[BN:[0-9]+]], "batch normalisation kept in FP32">
  %m = linalg.reduce ins(%h : tensor<8x4xf32>) outs(%ec : tensor<4xf32>) dimensions = [0]
      {amp.scope = "lax.reduce_sum", amp.phase = "forward", amp.layer = "bn", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %s = arith.addf %a, %acc : f32
        linalg.yield %s : f32
      }
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
  // CHECK: arith.subf {{.*}}#amp.class<follow, unit = [[BN]], "batch normalisation kept in FP32">
  %c = arith.subf %h, %mb {amp.scope = "lax.sub", amp.phase = "forward", amp.layer = "bn", amp.scope_id = 2 : i64} : tensor<8x4xf32>
  %gb = linalg.broadcast ins(%gamma : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]], "batch normalisation kept in FP32">
  %y = arith.mulf %c, %gb {amp.scope = "lax.mul", amp.phase = "forward", amp.layer = "bn", amp.scope_id = 3 : i64} : tensor<8x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">
  %o = linalg.matmul {amp.scope = "lax.dot_general", amp.phase = "forward", amp.layer = "fc", amp.scope_id = 4 : i64}
      ins(%y, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<8x4xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]], backward, "batch normalisation kept in FP32">
  %dg = arith.mulf %g, %c {amp.scope = "lax.mul", amp.phase = "backward", amp.layer = "bn", amp.scope_id = 3 : i64} : tensor<8x4xf32>
  return %o, %dg : tensor<8x4xf32>, tensor<8x4xf32>
}

// No attribute but the kind of its parameter: one unit again. The statistics are found
// as operations all of whose users are inside; the contraction before, whose only user
// it is, stops the search.
// CHECK-LABEL: func.func @nothing_but_kind
func.func @nothing_but_kind(
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "fc.w"},
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8x4xf32>, tensor<8x4xf32> {amp.role = "grad", amp.name = "bn.scale"}) {
  %e = tensor.empty() : tensor<8x4xf32>
  %ec = tensor.empty() : tensor<4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">
  %h = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<follow, unit = [[BN:[0-9]+]], "batch normalisation kept in FP32">
  %m = linalg.reduce ins(%h : tensor<8x4xf32>) outs(%ec : tensor<4xf32>) dimensions = [0]
      (%a: f32, %acc: f32) {
        %s = arith.addf %a, %acc : f32
        linalg.yield %s : f32
      }
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
  // CHECK: arith.subf {{.*}}#amp.class<follow, unit = [[BN]], "batch normalisation kept in FP32">
  %c = arith.subf %h, %mb : tensor<8x4xf32>
  %gb = linalg.broadcast ins(%gamma : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]], "batch normalisation kept in FP32">
  %y = arith.mulf %c, %gb : tensor<8x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">
  %o = linalg.matmul ins(%y, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  // The gradient of gamma reads a value that only batch norm has.
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<8x4xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]], backward, "batch normalisation kept in FP32">
  %dg = arith.mulf %g, %c : tensor<8x4xf32>
  return %o, %dg : tensor<8x4xf32>, tensor<8x4xf32>
}

// Near miss: the same operations without the kind are a norm like any other, cast
// with the model.
// CHECK-LABEL: func.func @without_kind
// CHECK-NOT: batch normalisation
func.func @without_kind(
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "fc.w"},
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.scale"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8x4xf32>, tensor<f32> {amp.role = "grad", amp.name = "bn.scale"}) {
  %e = tensor.empty() : tensor<8x4xf32>
  %ec = tensor.empty() : tensor<4xf32>
  %h = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<low, {{.*}}"inside the model">
  %m = linalg.reduce ins(%h : tensor<8x4xf32>) outs(%ec : tensor<4xf32>) dimensions = [0]
      (%a: f32, %acc: f32) {
        %s = arith.addf %a, %acc : f32
        linalg.yield %s : f32
      }
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
  %c = arith.subf %h, %mb : tensor<8x4xf32>
  %gb = linalg.broadcast ins(%gamma : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %y = arith.mulf %c, %gb : tensor<8x4xf32>
  %o = linalg.matmul ins(%y, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o, %seed : tensor<8x4xf32>, tensor<f32>
}

// Near miss: a value that batch norm shares with a layer beside it is an activation,
// not one of its statistics.
// CHECK-LABEL: func.func @input_shared_with_layer
func.func @input_shared_with_layer(
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<8x4xf32>
  // CHECK: math.tanh {{.*}}#amp.class<low, unit = 0, "inside the model">
  %h = math.tanh %x : tensor<8x4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = 1, "batch normalisation kept in FP32">
  %y = arith.mulf %h, %gamma : tensor<8x4xf32>
  %z = linalg.matmul ins(%h, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: arith.addf {{.*}}#amp.class<low, unit = 3, "inside the model">
  %o = arith.addf %y, %z : tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// A result that the caller asked for is a use like any other: the tanh feeds a residual
// sum as well, so it is an activation.
// CHECK-LABEL: func.func @input_shared_with_output
func.func @input_shared_with_output(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: math.tanh {{.*}}#amp.class<low,
  %h = math.tanh %x : tensor<8x4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<follow,
  %y = arith.mulf %h, %gamma : tensor<8x4xf32>
  %o = arith.addf %y, %h : tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// Near miss: what is returned without a role is saved for a backward pass in another
// function, and the statistics stay statistics.
// CHECK-LABEL: func.func @saved_for_other_function
func.func @saved_for_other_function(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}, tensor<8x4xf32>) {
  // CHECK: arith.subf {{.*}}#amp.class<follow, unit = [[BN:[0-9]+]], "batch normalisation kept in FP32">
  %c = arith.subf %x, %x : tensor<8x4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]],
  %y = arith.mulf %c, %gamma : tensor<8x4xf32>
  %o = arith.addf %c, %c : tensor<8x4xf32>
  return %y, %o : tensor<8x4xf32>, tensor<8x4xf32>
}

// What a function of its own computed is an activation, though batch norm is its only
// user and no layer tells them apart (functional relu).
// CHECK-LABEL: func.func @named_operation_before
func.func @named_operation_before(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: math.tanh {{.*}}#amp.class<low, {{.*}}"inside the model"
  %h = math.tanh %x {amp.function = "torch.tanh", amp.scope_id = 0 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<follow,
  %y = arith.mulf %h, %gamma {amp.function = "torch.nn.functional.batch_norm", amp.layer = "bn", amp.scope_id = 1 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Near miss: a function that was called for this layer.
// CHECK-LABEL: func.func @named_operation_of_layer
func.func @named_operation_of_layer(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: math.tanh {{.*}}#amp.class<follow, unit = [[BN:[0-9]+]], "batch normalisation kept in FP32">
  %h = math.tanh %x {amp.function = "jax.numpy.tanh", amp.layer = "bn", amp.scope_id = 0 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]],
  %y = arith.mulf %h, %gamma {amp.scope = "lax.mul", amp.layer = "bn", amp.scope_id = 1 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The view of a parameter that opens no value of its own is in the unit of what it is
// multiplied with.
// CHECK-LABEL: func.func @broadcast_parameter
func.func @broadcast_parameter(
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<8x4xf32>
  // CHECK: arith.subf {{.*}}#amp.class<follow, unit = [[BN:[0-9]+]],
  %c = arith.subf %x, %x : tensor<8x4xf32>
  // CHECK: linalg.broadcast {{.*}}#amp.class<follow, unit = [[BN]],
  %gb = linalg.broadcast ins(%gamma : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]],
  %y = arith.mulf %c, %gb : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Near miss: two of them, with a contraction between, are two units.
// CHECK-LABEL: func.func @two_without_origin
func.func @two_without_origin(
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn1.scale", amp.kind = "batch_norm"},
    %delta: tensor<8x4xf32> {amp.role = "param", amp.name = "bn2.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<8x4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[ONE:[0-9]+]], "batch normalisation kept in FP32">
  %y = arith.mulf %x, %gamma : tensor<8x4xf32>
  %h = linalg.matmul ins(%y, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: arith.mulf
  // CHECK-NOT: unit = [[ONE]],
  // CHECK-SAME: "batch normalisation kept in FP32">
  %z = arith.mulf %h, %delta : tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// Near miss: two layers that follow each other directly, an operation without origin
// between them, stay apart: it goes to one of them.
// CHECK-LABEL: func.func @two_layers_in_a_row
func.func @two_layers_in_a_row(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn1.scale", amp.kind = "batch_norm"},
    %delta: tensor<8x4xf32> {amp.role = "param", amp.name = "bn2.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: arith.mulf {{.*}}unit = [[ONE:[0-9]+]],
  %y = arith.mulf %x, %gamma {amp.scope = "lax.mul", amp.layer = "bn1", amp.scope_id = 0 : i64} : tensor<8x4xf32>
  // CHECK: arith.negf {{.*}}unit = [[ONE]],
  %n = arith.negf %y : tensor<8x4xf32>
  // CHECK: arith.mulf
  // CHECK-NOT: unit = [[ONE]],
  // CHECK-SAME: "batch normalisation kept in FP32">
  %z = arith.mulf %n, %delta {amp.scope = "lax.mul", amp.layer = "bn2", amp.scope_id = 0 : i64} : tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// keep_batchnorm_fp32 is a property, not a law: see annotate-precision.mlir.

// What meets another layer's weight before it is that layer, though it only feeds it.
// CHECK-LABEL: func.func @weight_before
func.func @weight_before(
    %b: tensor<4xf32> {amp.role = "param", amp.name = "fc.bias"},
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32>, tensor<f32> {amp.role = "grad", amp.name = "bn.weight"}) {
  // CHECK: arith.addf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %h = arith.addf %x, %b : tensor<4xf32>
  // Near miss: what meets none.
  // CHECK: arith.negf {{.*}}#amp.class<follow, {{.*}}"batch normalisation kept in FP32">
  %n = arith.negf %h : tensor<4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<follow, {{.*}}"batch normalisation kept in FP32">
  %y = arith.mulf %n, %gamma : tensor<4xf32>
  return %y, %seed : tensor<4xf32>, tensor<f32>
}

} // module
