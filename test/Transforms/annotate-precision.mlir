// RUN: amp-opt %s --amp-annotate-precision --split-input-file | FileCheck %s
// Nothing is decided twice.
// RUN: amp-opt %s --amp-annotate-precision --split-input-file > %t.once
// RUN: amp-opt %t.once --amp-annotate-precision --split-input-file | diff %t.once -

// The order of the rules, under each kind of policy. What operations are stands in
// Analysis/compute-kind.mlir, units and the model's end beside it.

//===----------------------------------------------------------------------===//
// Patched functions: O1
//===----------------------------------------------------------------------===//

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

// Apex's lists, by the function of the user's program.
// CHECK-LABEL: func.func @lists
func.func @lists(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: tensor<4xi1>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // An FP32 function of harmless operations is FP32.
  // CHECK: math.absf {{.*}}#amp.class<high, unit = 0, "listed FP32: torch.nn.functional.l1_loss">
  %0 = math.absf %x {amp.function = "torch.nn.functional.l1_loss", amp.scope_id = 0 : i64} : tensor<4xf32>
  // A half function without a contraction: prelu.
  // CHECK: arith.select {{.*}}#amp.class<low, unit = 1, "listed half: torch.prelu">
  %1 = arith.select %c, %x, %y {amp.function = "torch.prelu", amp.scope_id = 1 : i64} : tensor<4xi1>, tensor<4xf32>
  // CHECK: arith.addf {{.*}}#amp.class<promote, unit = 2, "listed to promote: torch.Tensor.__add__">
  %2 = arith.addf %x, %y {amp.function = "torch.Tensor.__add__", amp.scope_id = 2 : i64} : tensor<4xf32>
  // On no list: the type of its input, even for an exp. Apex patches functions and
  // does not look inside them.
  // CHECK: math.exp {{.*}}#amp.class<follow, unit = 3, "on no list: torch.sigmoid">
  %3 = math.exp %x {amp.function = "torch.sigmoid", amp.scope_id = 3 : i64} : tensor<4xf32>
  // In-place forms are the method's.
  // CHECK: arith.mulf {{.*}}#amp.class<match_self, unit = 4, "in place: torch.Tensor.mul_">
  %4 = arith.mulf %x, %y {amp.function = "torch.Tensor.mul_", amp.scope_id = 4 : i64} : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// JAX's names are lists of ours.
// CHECK-LABEL: func.func @lists_for_jax
func.func @lists_for_jax(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: math.absf {{.*}}#amp.class<high, unit = 0, "listed FP32: jax.nn.softmax">
  %0 = math.absf %x {amp.function = "jax.nn.softmax", amp.scope_id = 0 : i64} : tensor<4xf32>
  // CHECK: math.absf {{.*}}#amp.class<follow, unit = 1, "on no list: jax.nn.relu">
  %1 = math.absf %x {amp.function = "jax.nn.relu", amp.scope_id = 1 : i64} : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// The scope is no function: under Apex's placement an operation below an unlisted
// function follows, whatever ATen calls it.
// CHECK-LABEL: func.func @function_before_scope
func.func @function_before_scope(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: math.exp {{.*}}#amp.class<follow, unit = 0, "on no list: torch.nn.functional.elu">
  %0 = math.exp %x {amp.function = "torch.nn.functional.elu", amp.scope = "aten.exp", amp.scope_id = 0 : i64} : tensor<4xf32>
  // Near miss: no function at all, and what it computes decides.
  // CHECK: math.exp {{.*}}#amp.class<high, unit = 1, "computes math.exp">
  %1 = math.exp %x {amp.scope = "aten.exp", amp.scope_id = 1 : i64} : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A contraction is low in a function on no list, unless its function is listed FP32 or to
// promote.
// CHECK-LABEL: func.func @contractions
func.func @contractions(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = 0, "contraction in torch.nn.functional.scaled_dot_product_attention">
  %0 = linalg.matmul {amp.function = "torch.nn.functional.scaled_dot_product_attention", amp.scope_id = 0 : i64}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // The softmax of that attention follows.
  // CHECK: math.exp {{.*}}#amp.class<follow, unit = 1, "on no list: torch.nn.functional.scaled_dot_product_attention">
  %1 = math.exp %0 {amp.function = "torch.nn.functional.scaled_dot_product_attention", amp.scope_id = 1 : i64} : tensor<4x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<high, unit = 2, "listed FP32: torch.nn.functional.interpolate">
  %2 = linalg.matmul {amp.function = "torch.nn.functional.interpolate", amp.scope_id = 2 : i64}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<promote, unit = 3, "listed to promote: torch.bilinear">
  %3 = linalg.matmul {amp.function = "torch.bilinear", amp.scope_id = 3 : i64}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Rule 1: a user's class decides for the whole unit, before every list.
// CHECK-LABEL: func.func @user_decides
func.func @user_decides(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>,
                        %bias: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: linalg.matmul {amp.class = #amp.class<high, unit = 0, "attribute on the operation">
  %0 = linalg.matmul {amp.class = #amp.class<high>, amp.function = "torch.nn.functional.linear", amp.scope_id = 0 : i64}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: arith.addf {{.*}}#amp.class<high, unit = 0, "attribute on the operation">
  %1 = arith.addf %0, %bias {amp.function = "torch.nn.functional.linear", amp.scope_id = 0 : i64} : tensor<4x4xf32>
  // Near miss: the next call of the same function.
  // CHECK: arith.addf {{.*}}#amp.class<low, unit = 1, "listed half: torch.nn.functional.linear">
  %2 = arith.addf %1, %bias {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// A class copied from what was printed has a unit: it holds for its operation, and the
// rest of the function is decided as ever. The units are numbered
// after those that are there.
// CHECK-LABEL: func.func @user_copies
func.func @user_copies(%a: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = 1, "contraction">}
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: math.absf {{.*}}#amp.class<high, unit = 2, "attribute on the operation">
  %1 = math.absf %0 {amp.class = #amp.class<high, unit = 0, "computes math.exp">} : tensor<4x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = 3, "contraction">}
  %2 = linalg.matmul ins(%1, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Two classes in a unit: each for its operation, the first that is no view's for the
// others.
// CHECK-LABEL: func.func @user_decides_twice
func.func @user_decides_twice(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>,
                              %bias: tensor<16xf32>) -> tensor<4x4xf32> {
  // CHECK: tensor.expand_shape {{.*}}#amp.class<follow, unit = [[U:[0-9]+]], "attribute on the operation">
  %v = tensor.expand_shape %bias [[0, 1]] output_shape [4, 4] {amp.class = #amp.class<follow>, amp.function = "torch.nn.functional.linear", amp.scope_id = 0 : i64}
      : tensor<16xf32> into tensor<4x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<high, unit = [[U]], "attribute on the operation">
  %0 = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.scope_id = 0 : i64}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: arith.addf {{.*}}#amp.class<high, unit = [[U]], "attribute on the operation">
  %1 = arith.addf %0, %v {amp.class = #amp.class<high>, amp.function = "torch.nn.functional.linear", amp.scope_id = 0 : i64} : tensor<4x4xf32>
  // CHECK: arith.negf {{.*}}#amp.class<low, unit = [[U]], "attribute on the operation">
  %2 = arith.negf %1 {amp.class = #amp.class<low>, amp.function = "torch.nn.functional.linear", amp.scope_id = 0 : i64} : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Near miss: each operation has a class with a unit, as after an earlier run.
// CHECK-LABEL: func.func @annotated_before
func.func @annotated_before(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.absf {{.*}}#amp.class<high, unit = 7>
  %0 = math.absf %x {amp.class = #amp.class<high, unit = 7>} : tensor<4xf32>
  // CHECK: math.exp {{.*}}#amp.class<low, unit = 7>
  %1 = math.exp %0 {amp.class = #amp.class<low, unit = 7>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Functions that call each other, in any order and through a third, number their units
// on: what is inlined before casts are inserted keeps its unit.
// CHECK-LABEL: func.func @called
func.func @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.exp {{.*}}unit = 0,
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @calls
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: arith.addf {{.*}}unit = 1,
  %1 = arith.addf %0, %x : tensor<4xf32>
  %2 = call @called_later(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
// CHECK-LABEL: func.func @called_later
func.func @called_later(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.absf {{.*}}unit = 2,
  %0 = math.absf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// Near miss: a function of its own.
// CHECK-LABEL: func.func @called_by_nobody
func.func @called_by_nobody(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.exp {{.*}}unit = 0,
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// What has units keeps them, and its caller begins after.
// CHECK-LABEL: func.func @annotated_callee
func.func @annotated_callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.absf {{.*}}#amp.class<high, unit = 4>
  %0 = math.absf %x {amp.class = #amp.class<high, unit = 4>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @calls_annotated
func.func @calls_annotated(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.exp {{.*}}unit = 5,
  %0 = math.exp %x : tensor<4xf32>
  %1 = call @annotated_callee(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Without a function the forward operations of a unit decide for the backward ones: a
// derivative may need more than the function it is the derivative of.
// CHECK-LABEL: func.func @forward_decides
func.func @forward_decides(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: math.absf {{.*}}#amp.class<follow, unit = 0, "elementwise on one operand, or a choice between operands">
  %0 = math.absf %x {amp.scope = "aten.elu", amp.scope_id = 0 : i64} : tensor<4xf32>
  // CHECK: math.exp {{.*}}#amp.class<follow, unit = 0, backward, "elementwise on one operand, or a choice between operands">
  %1 = math.exp %g {amp.phase = "backward", amp.scope = "aten.elu", amp.scope_id = 0 : i64} : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Near miss: where there is no forward operation, the backward ones decide.
// CHECK-LABEL: func.func @backward_alone
func.func @backward_alone(%g: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.exp {{.*}}#amp.class<high, unit = 0, backward, "computes math.exp">
  %0 = math.exp %g {amp.phase = "backward", amp.scope = "aten.elu", amp.scope_id = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The optimizer is FP32, by its phase or by the roles of its function.
// CHECK-LABEL: func.func @optimizer_by_phase
func.func @optimizer_by_phase(%w: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = 0, "optimizer in FP32">
  %0 = arith.subf %w, %g {amp.phase = "optimizer", amp.scope = "aten.sub"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What a step computes is its update, whatever phase it is said to be of.
// CHECK-LABEL: func.func @optimizer_called_backward
func.func @optimizer_called_backward(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = 0, "optimizer in FP32">
  %0 = arith.subf %w, %g {amp.phase = "backward", amp.scope_id = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @optimizer_by_roles
func.func @optimizer_by_roles(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                              %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = 0, "optimizer in FP32">
  %0 = arith.subf %w, %g : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// amp.autocast without a policy: FP32 inside, contractions included.
// CHECK-LABEL: func.func @autocast_without_policy
func.func @autocast_without_policy(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>)
    -> tensor<4x4xf32> {
  // CHECK: linalg.matmul {amp.class = #amp.class<high, unit = 0, "region of amp.autocast without half">
  %0 = amp.autocast {
    %1 = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.scope_id = 0 : i64}
        ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
    amp.yield %1 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Movements have no class of their own, whatever function they come from.
// CHECK-LABEL: func.func @movement_of_listed_function
func.func @movement_of_listed_function(%w: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  // CHECK: linalg.transpose {{.*}}#amp.class<follow, unit = 0, "moves elements">
  %0 = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
      {amp.function = "torch.nn.functional.linear", amp.scope_id = 0 : i64}
  return %0 : tensor<8x4xf32>
}

} // module

// -----

//===----------------------------------------------------------------------===//
// Patched functions in bfloat16: O4
//===----------------------------------------------------------------------===//

module attributes {amp.policy = #amp.policy<O4, patch_type = bf16, loss_scale = 1.0>} {

// ROCm's list for bfloat16 is shorter: prelu is not on it. (bmm is not either, but is
// a contraction.)
// CHECK-LABEL: func.func @shorter_list
func.func @shorter_list(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = 0, "contraction in torch.bmm">
  %0 = linalg.matmul {amp.function = "torch.bmm", amp.scope_id = 0 : i64}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: math.absf {{.*}}#amp.class<follow, unit = 1, "on no list: torch.prelu">
  %1 = math.absf %0 {amp.function = "torch.prelu", amp.scope_id = 1 : i64} : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

} // module

// -----

//===----------------------------------------------------------------------===//
// Cast model with master weights: O2
//===----------------------------------------------------------------------===//

module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {

// The lists have no say: the model is low, a softmax inside it as well.
// CHECK-LABEL: func.func @model_is_low
func.func @model_is_low(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                        %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: math.exp {{.*}}#amp.class<low, unit = 0, "inside the model">
  %0 = math.exp %x {amp.function = "torch.nn.functional.softmax", amp.scope_id = 0 : i64} : tensor<4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, unit = 1, "inside the model">
  %1 = arith.mulf %0, %w {amp.function = "torch.nn.functional.layer_norm", amp.scope_id = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Rule 1 holds here too.
// CHECK-LABEL: func.func @user_decides
func.func @user_decides(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                        %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: math.exp {{.*}}#amp.class<high, unit = 0, "attribute on the operation">
  %0 = math.exp %x {amp.class = #amp.class<high>} : tensor<4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, unit = 1, "inside the model">
  %1 = arith.mulf %0, %w : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @optimizer
func.func @optimizer(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                     %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = 0, "optimizer on master weights">
  %0 = arith.subf %w, %g : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A region without a policy stays FP32 inside the model; one under O1 goes by the
// lists.
// CHECK-LABEL: func.func @autocast
func.func @autocast(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %0 = amp.autocast {
    // CHECK: math.sqrt {{.*}}#amp.class<high, unit = 0, "region of amp.autocast without half">
    %1 = math.sqrt %x {amp.function = "torch.sqrt", amp.scope_id = 0 : i64} : tensor<4xf32>
    amp.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  %2 = amp.autocast under <O1, patch_type = f16, loss_scale = dynamic> {
    // CHECK: math.sqrt {{.*}}#amp.class<follow, unit = 1, "on no list: torch.sqrt">
    %3 = math.sqrt %0 {amp.function = "torch.sqrt", amp.scope_id = 1 : i64} : tensor<4xf32>
    // CHECK: math.exp {{.*}}#amp.class<high, unit = 2, "listed FP32: torch.exp">
    %4 = math.exp %3 {amp.function = "torch.exp", amp.scope_id = 2 : i64} : tensor<4xf32>
    amp.yield %4 : tensor<4xf32>
  } : tensor<4xf32>
  %5 = arith.mulf %2, %w : tensor<4xf32>
  return %5 : tensor<4xf32>
}

} // module

// -----

//===----------------------------------------------------------------------===//
// Pure half: O3
//===----------------------------------------------------------------------===//

module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16,
    keep_batchnorm_fp32 = false, master_weights = false, loss_scale = 1.0>} {

// Without masters the optimizer computes in the type of its operands.
// CHECK-LABEL: func.func @optimizer
func.func @optimizer(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                     %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: arith.subf {{.*}}#amp.class<promote, unit = 0, "optimizer on half parameters">
  %0 = arith.subf %w, %g : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Batch norm that is not kept is part of the model.
// CHECK-LABEL: func.func @batch_norm_not_kept
func.func @batch_norm_not_kept(
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: arith.mulf {{.*}}#amp.class<low, unit = 0, "inside the model">
  %0 = arith.mulf %x, %gamma : tensor<4xf32>
  return %0 : tensor<4xf32>
}

} // module

// -----

//===----------------------------------------------------------------------===//
// Outputs in half: cast_model_outputs
//===----------------------------------------------------------------------===//

module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true,
    master_weights = true, loss_scale = dynamic, cast_model_outputs = f16>} {

// The loss is handed half values and computes in what it is given.
// CHECK-LABEL: func.func @loss_on_half_outputs
func.func @loss_on_half_outputs(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                                %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
                                %y: tensor<4xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<4xf32>) {
  // CHECK: arith.mulf {{.*}}#amp.class<low, unit = 0, "inside the model">
  %0 = arith.mulf %x, %w : tensor<4xf32>
  // CHECK: arith.subf {{.*}}#amp.class<promote, unit = 1, "after the model's half outputs">
  %1 = arith.subf %0, %y : tensor<4xf32>
  return %1 : tensor<4xf32>
}

} // module

// -----

//===----------------------------------------------------------------------===//
// FP32: O0, and every policy without a half type
//===----------------------------------------------------------------------===//

module attributes {amp.policy = #amp.policy<O0, cast_model_type = f32, loss_scale = 1.0>} {

// CHECK-LABEL: func.func @nothing_at_o0
// CHECK-NOT: amp.class
// CHECK: return
func.func @nothing_at_o0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x {amp.function = "torch.exp", amp.scope_id = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

} // module

// -----

module attributes {amp.policy = #amp.policy<O2, cast_model_type = f32, keep_batchnorm_fp32 = true,
    master_weights = true, loss_scale = dynamic>} {

// CHECK-LABEL: func.func @nothing_at_o2_in_f32
// CHECK-NOT: amp.class
// CHECK: return
func.func @nothing_at_o2_in_f32(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A declaration has nothing to classify.
// CHECK: func.func private @declared
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>

} // module

// -----

// What stands here was added after the casts: it is not decided again.
module attributes {amp.casts_inserted, amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
// CHECK-LABEL: func.func @after_casts
func.func @after_casts(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.exp %{{.*}} : tensor<4xf32>
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
}
