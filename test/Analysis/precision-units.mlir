// RUN: amp-opt %s --amp-annotate-precision | FileCheck %s

// Which operations are one unit of decision. Units are numbered in each function in
// the order of their first operation.

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

//===----------------------------------------------------------------------===//
// By origin
//===----------------------------------------------------------------------===//

// What a framework ran as one operation is one unit, whatever it was lowered to: a
// GELU's square and its tanh.
// CHECK-LABEL: func.func @same_function_and_id
func.func @same_function_and_id(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[GELU:[0-9]+]], "listed FP32: torch.nn.functional.gelu">
  %0 = arith.mulf %x, %x {amp.function = "torch.nn.functional.gelu", amp.scope = "aten.gelu",
                          amp.scope_id = 4 : i64, amp.phase = "forward"} : tensor<4xf32>
  // CHECK: math.tanh {{.*}}#amp.class<high, unit = [[GELU]], "listed FP32: torch.nn.functional.gelu">
  %1 = math.tanh %0 {amp.function = "torch.nn.functional.gelu", amp.scope = "aten.gelu",
                     amp.scope_id = 4 : i64, amp.phase = "forward"} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Near miss: called twice, two units.
// CHECK-LABEL: func.func @same_function_other_id
func.func @same_function_other_id(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.tanh {{.*}}unit = 0, "listed FP32: torch.nn.functional.gelu"
  %0 = math.tanh %x {amp.function = "torch.nn.functional.gelu", amp.scope_id = 4 : i64} : tensor<4xf32>
  // CHECK: math.tanh {{.*}}unit = 1, "listed FP32: torch.nn.functional.gelu"
  %1 = math.tanh %0 {amp.function = "torch.nn.functional.gelu", amp.scope_id = 5 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Near miss: an id is a number within its function.
// CHECK-LABEL: func.func @same_id_other_function
func.func @same_id_other_function(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.tanh {{.*}}unit = 0, "listed FP32: torch.nn.functional.gelu"
  %0 = math.tanh %x {amp.function = "torch.nn.functional.gelu", amp.scope_id = 4 : i64} : tensor<4xf32>
  // CHECK: math.tanh {{.*}}unit = 1, "on no list: torch.tanh"
  %1 = math.tanh %0 {amp.function = "torch.tanh", amp.scope_id = 4 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The gradient has the unit and the class of its forward operation, and is marked.
// CHECK-LABEL: func.func @backward_shares_number
func.func @backward_shares_number(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.exp {{.*}}#amp.class<high, unit = [[EXP:[0-9]+]], "listed FP32: torch.exp">
  %0 = math.exp %x {amp.function = "torch.exp", amp.scope_id = 7 : i64, amp.phase = "forward"} : tensor<4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[EXP]], backward, "listed FP32: torch.exp">
  %1 = arith.mulf %g, %0 {amp.function = "torch.exp", amp.scope_id = 7 : i64, amp.phase = "backward"} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Without a function (JAX's primitives) the class comes from the forward half: the
// product in the gradient of an exp is FP32 as the exp is.
// CHECK-LABEL: func.func @backward_takes_forward_class
func.func @backward_takes_forward_class(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.exp {{.*}}#amp.class<high, unit = [[EXP:[0-9]+]], "computes math.exp">
  %0 = math.exp %x {amp.scope = "lax.exp", amp.scope_id = 7 : i64, amp.phase = "forward"} : tensor<4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[EXP]], backward, "computes math.exp">
  %1 = arith.mulf %g, %0 {amp.scope = "lax.exp", amp.scope_id = 7 : i64, amp.phase = "backward"} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Constants and fills belong to whoever uses them, so they have no class.
// CHECK-LABEL: func.func @fill_with_origin
func.func @fill_with_origin(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  // CHECK: linalg.fill {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64}
  %f = linalg.fill {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64}
      ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = 0,
  %0 = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

//===----------------------------------------------------------------------===//
// Movements without origin
//===----------------------------------------------------------------------===//

// Front ends put no origin on views: one between two operations of a unit is inside,
// or it would round the value on its way.
// CHECK-LABEL: func.func @view_inside
func.func @view_inside(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // CHECK: arith.mulf {{.*}}unit = [[U:[0-9]+]]
  %0 = arith.mulf %x, %x {amp.function = "torch.nn.functional.gelu", amp.scope_id = 4 : i64} : tensor<4xf32>
  // CHECK: tensor.expand_shape {{.*}}#amp.class<follow, unit = [[U]], "moves elements">
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  // CHECK: math.tanh {{.*}}unit = [[U]]
  %2 = math.tanh %1 {amp.function = "torch.nn.functional.gelu", amp.scope_id = 4 : i64} : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// Near miss: somebody else looks at the view too.
// CHECK-LABEL: func.func @view_shared
func.func @view_shared(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // CHECK: arith.mulf {{.*}}unit = [[U:[0-9]+]]
  %0 = arith.mulf %x, %x {amp.function = "torch.nn.functional.gelu", amp.scope_id = 4 : i64} : tensor<4xf32>
  // CHECK: tensor.expand_shape
  // CHECK-NOT: unit = [[U]],
  // CHECK-SAME: "moves elements"
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  // CHECK: math.tanh {{.*}}unit = [[U]],
  %2 = math.tanh %1 {amp.function = "torch.nn.functional.gelu", amp.scope_id = 4 : i64} : tensor<2x2xf32>
  %3 = math.absf %1 {amp.function = "torch.abs", amp.scope_id = 5 : i64} : tensor<2x2xf32>
  return %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>
}

// Near miss: a view that the program called is an operation of its own.
// CHECK-LABEL: func.func @view_called
func.func @view_called(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  // CHECK: arith.mulf {{.*}}unit = 0, "listed to promote: torch.mul">
  %0 = arith.mulf %x, %x {amp.function = "torch.mul", amp.scope_id = 1 : i64} : tensor<4x8xf32>
  // CHECK: tensor.collapse_shape {{.*}}#amp.class<follow, unit = 1, "moves elements">
  %1 = tensor.collapse_shape %0 [[0, 1]] {amp.function = "torch.Tensor.view", amp.scope_id = 2 : i64}
      : tensor<4x8xf32> into tensor<32xf32>
  // CHECK: math.absf {{.*}}unit = 0,
  %2 = math.absf %1 {amp.function = "torch.mul", amp.scope_id = 1 : i64} : tensor<32xf32>
  return %2 : tensor<32xf32>
}

// A value beside itself is a view of it.
// CHECK-LABEL: func.func @doubled_inside
func.func @doubled_inside(%x: tensor<4xf32>) -> tensor<8xf32> {
  // CHECK: math.exp {{.*}}unit = [[U:[0-9]+]],
  %0 = math.exp %x {amp.function = "torch.exp", amp.scope_id = 1 : i64} : tensor<4xf32>
  // CHECK: tensor.concat {{.*}}unit = [[U]],
  %1 = tensor.concat dim(0) %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  // CHECK: math.absf {{.*}}unit = [[U]],
  %2 = math.absf %1 {amp.function = "torch.exp", amp.scope_id = 1 : i64} : tensor<8xf32>
  return %2 : tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// By structure
//===----------------------------------------------------------------------===//

// A bias joins its contraction: no rounding between product and sum.
// CHECK-LABEL: func.func @bias_joins
func.func @bias_joins(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>,
                      %b: tensor<8xf32> {amp.role = "param", amp.name = "bias"})
    -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = [[U:[0-9]+]], "contraction">}
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: linalg.broadcast
  %1 = linalg.broadcast ins(%b : tensor<8xf32>) outs(%e : tensor<4x8xf32>) dimensions = [0]
  // CHECK: linalg.add {amp.class = #amp.class<low, unit = [[U]], "contraction">}
  %2 = linalg.add ins(%0, %1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Near miss: a residual is an activation.
// CHECK-LABEL: func.func @residual_stays_apart
func.func @residual_stays_apart(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = 0,
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: linalg.add {amp.class = #amp.class<promote, unit = 1,
  %1 = linalg.add ins(%0, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Near miss: the product is wanted without its bias as well, so it is rounded.
// CHECK-LABEL: func.func @product_used_twice
func.func @product_used_twice(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>,
                              %b: tensor<4x8xf32> {amp.role = "param", amp.name = "bias"},
                              %e: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = 0,
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: linalg.add {amp.class = #amp.class<promote, unit = 1,
  %1 = linalg.add ins(%0, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// A softmax is one unit: what only feeds an FP32 operation is computed in FP32 with
// it (the rounding of the subtraction would cost three digits), and a sum takes along
// what is made of it and of the elements that were summed.
// CHECK-LABEL: func.func @softmax_by_structure
func.func @softmax_by_structure(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %m = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%a: f32, %acc: f32) {
        %t = arith.maximumf %a, %acc : f32
        linalg.yield %t : f32
      }
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  // CHECK: linalg.sub {amp.class = #amp.class<high, unit = [[U:[0-9]+]], "division by a sum">}
  %d = linalg.sub ins(%x, %mb : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: linalg.exp {amp.class = #amp.class<high, unit = [[U]], "division by a sum">}
  %p = linalg.exp ins(%d : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U]], "division by a sum">
  %s = linalg.reduce ins(%p : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  // CHECK: linalg.div {amp.class = #amp.class<high, unit = [[U]], "division by a sum">}
  %q = linalg.div ins(%p, %sb : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}

// It works through a chain.
// CHECK-LABEL: func.func @chain_into_exp
func.func @chain_into_exp(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = [[U:[0-9]+]], "computes math.exp">
  %0 = arith.subf %x, %y : tensor<4xf32>
  // CHECK: arith.negf {{.*}}#amp.class<high, unit = [[U]], "computes math.exp">
  %1 = arith.negf %0 : tensor<4xf32>
  // CHECK: math.exp {{.*}}#amp.class<high, unit = [[U]], "computes math.exp">
  %2 = math.exp %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// What the gradient reads too is handed over as it is computed here.
// CHECK-LABEL: func.func @difference_used_by_gradient
func.func @difference_used_by_gradient(%x: tensor<4xf32>, %y: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = [[U:[0-9]+]], "computes math.exp">
  %0 = arith.subf %x, %y : tensor<4xf32>
  // CHECK: math.exp {{.*}}#amp.class<high, unit = [[U]], "computes math.exp">
  %1 = math.exp %0 : tensor<4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<promote, unit = {{[0-9]+}}, backward,
  %2 = arith.mulf %g, %0 {amp.phase = "backward"} : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// Near miss: the difference goes somewhere else too.
// CHECK-LABEL: func.func @difference_used_twice
func.func @difference_used_twice(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: arith.subf {{.*}}#amp.class<promote, unit = 0,
  %0 = arith.subf %x, %y : tensor<4xf32>
  // CHECK: math.exp {{.*}}#amp.class<high, unit = 1,
  %1 = math.exp %0 : tensor<4xf32>
  // CHECK: math.absf {{.*}}#amp.class<follow, unit = 2,
  %2 = math.absf %0 : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// Near miss: a contraction before an exp keeps its own class.
// CHECK-LABEL: func.func @contraction_before_exp
func.func @contraction_before_exp(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>)
    -> tensor<4x4xf32> {
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = 0, "contraction">}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: math.exp {{.*}}#amp.class<high, unit = 1,
  %1 = math.exp %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Near miss: what a front end has named is never regrouped. The sum of two gradients
// has a scope and belongs to no operation.
// CHECK-LABEL: func.func @scope_without_id
func.func @scope_without_id(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.addf {{.*}}#amp.class<promote, unit = 0, "elementwise on several operands">
  %0 = arith.addf %x, %y {amp.scope = "aten.add"} : tensor<4xf32>
  // CHECK: math.exp {{.*}}#amp.class<high, unit = 1,
  %1 = math.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

} // module
