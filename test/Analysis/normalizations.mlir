// RUN: amp-opt %s --split-input-file --amp-annotate-precision | FileCheck %s

// Normalisations that a program writes by hand, where an id is a place in the source
// (JAX): one unit, so that nothing is rounded between the elements and their statistics.

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

//===----------------------------------------------------------------------===//
// What is one
//===----------------------------------------------------------------------===//

// A layer norm and its gradient. The gradient has the places of its forward halves; what
// has none of them, a place that forward shares with another and the sum of two
// gradients, is inside where all that it reads is.
// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>,
    %g: tensor<4x8xf32> {amp.role = "param", amp.name = "scale"},
    %r: tensor<4x8xf32>, %dy: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U:[0-9]+]],
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: arith.divf {{.*}}#amp.class<high, unit = [[U]],
  %m = arith.divf %s, %n {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.div", amp.scope_id = 2 : i64} : tensor<4xf32>
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 3 : i64}
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = [[U]],
  %d = arith.subf %x, %mb {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.sub", amp.scope_id = 4 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %q = arith.mulf %d, %d {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.integer_pow", amp.scope_id = 5 : i64} : tensor<4x8xf32>
  // A product that is saved for the gradient stands at the same place.
  // CHECK: arith.addf {{.*}}#amp.class<high, unit = [[U]],
  %d2 = arith.addf %d, %d {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 5 : i64} : tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U]],
  %v = linalg.reduce ins(%q : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 6 : i64}
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: math.rsqrt {{.*}}#amp.class<high, unit = [[U]],
  %i = math.rsqrt %v {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.rsqrt", amp.scope_id = 7 : i64} : tensor<4xf32>
  %ib = linalg.broadcast ins(%i : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 8 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %y = arith.mulf %d, %ib {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 9 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %z = arith.mulf %y, %g {amp.layer = "ln", amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 10 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]], backward,
  %b0 = arith.mulf %dy, %g {amp.layer = "ln", amp.phase = "backward", amp.scope = "lax.mul", amp.scope_id = 10 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]], backward,
  %b1 = arith.mulf %b0, %ib {amp.layer = "ln", amp.phase = "backward", amp.scope = "lax.mul", amp.scope_id = 9 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]], backward,
  %b2 = arith.mulf %b0, %d2 {amp.layer = "ln", amp.phase = "backward", amp.scope = "lax.mul", amp.scope_id = 5 : i64} : tensor<4x8xf32>
  // CHECK: arith.negf {{.*}}#amp.class<high, unit = [[U]], backward,
  %b3 = arith.negf %b1 {amp.layer = "ln", amp.phase = "backward", amp.scope = "lax.sub", amp.scope_id = 11 : i64} : tensor<4x8xf32>
  // CHECK: arith.addf {{.*}}#amp.class<high, unit = [[U]], backward,
  %b4 = arith.addf %b2, %b3 {amp.layer = "ln", amp.phase = "backward", amp.scope = "lax.add_any"} : tensor<4x8xf32>
  // Near miss: the sum with the gradient of another user of %x.
  // CHECK: arith.addf {{.*}}#amp.class<promote,
  // CHECK-NOT: unit = [[U]],
  // CHECK-SAME: backward
  %b5 = arith.addf %b4, %r {amp.layer = "ln", amp.phase = "backward", amp.scope = "lax.add_any"} : tensor<4x8xf32>
  // Near miss: the same operation in another layer.
  // CHECK: arith.negf
  // CHECK-NOT: unit = [[U]],
  // CHECK-SAME: backward
  %b6 = arith.negf %b4 {amp.layer = "fc", amp.phase = "backward", amp.scope = "lax.neg", amp.scope_id = 12 : i64} : tensor<4x8xf32>
  return %z, %b5, %b6 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// A softmax: its maximum is a statistic too.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U:[0-9]+]],
  %m = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_max", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %t = arith.maximumf %a, %acc : f32
        linalg.yield %t : f32
      }
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 2 : i64}
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = [[U]],
  %d = arith.subf %x, %mb {amp.phase = "forward", amp.scope = "lax.sub", amp.scope_id = 3 : i64} : tensor<4x8xf32>
  // CHECK: math.exp {{.*}}#amp.class<high, unit = [[U]],
  %p = math.exp %d {amp.phase = "forward", amp.scope = "lax.exp", amp.scope_id = 4 : i64} : tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U]],
  %s = linalg.reduce ins(%p : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 5 : i64}
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 6 : i64}
  // CHECK: arith.divf {{.*}}#amp.class<high, unit = [[U]],
  %q = arith.divf %p, %sb {amp.phase = "forward", amp.scope = "lax.div", amp.scope_id = 7 : i64} : tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}

// A norm without a mean: the squares are inside, the elements come from outside. The
// residual sum that made them rounds.
// CHECK-LABEL: func.func @rms_norm
func.func @rms_norm(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: arith.addf {{.*}}#amp.class<promote, unit = 0,
  %h = arith.addf %x, %e {amp.phase = "forward", amp.scope = "lax.add", amp.scope_id = 1 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U:[0-9]+]],
  %q = arith.mulf %h, %h {amp.phase = "forward", amp.scope = "lax.square", amp.scope_id = 2 : i64} : tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U]],
  %s = linalg.reduce ins(%q : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 3 : i64}
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: math.rsqrt {{.*}}#amp.class<high, unit = [[U]],
  %i = math.rsqrt %s {amp.phase = "forward", amp.scope = "lax.rsqrt", amp.scope_id = 4 : i64} : tensor<4xf32>
  %ib = linalg.broadcast ins(%i : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 5 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %y = arith.mulf %h, %ib {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 6 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Variance as the mean of squares less the square of the mean: two statistics of the
// same elements. The functions of jax.numpy are arithmetic like its operators.
// CHECK-LABEL: func.func @two_sums
func.func @two_sums(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U:[0-9]+]],
  %m = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.function = "jax.numpy.mean", amp.phase = "forward", amp.scope = "jax.numpy.mean", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U]],
  %q = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 2 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %mm = arith.mulf %m, %m {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 3 : i64} : tensor<4xf32>
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = [[U]],
  %v = arith.subf %q, %mm {amp.phase = "forward", amp.scope = "lax.sub", amp.scope_id = 4 : i64} : tensor<4xf32>
  // CHECK: math.rsqrt {{.*}}#amp.class<high, unit = [[U]],
  %i = math.rsqrt %v {amp.phase = "forward", amp.scope = "lax.rsqrt", amp.scope_id = 5 : i64} : tensor<4xf32>
  %ib = linalg.broadcast ins(%i : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 6 : i64}
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 7 : i64}
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = [[U]],
  %d = arith.subf %x, %mb {amp.phase = "forward", amp.scope = "lax.sub", amp.scope_id = 8 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %y = arith.mulf %d, %ib {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 9 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The deviation times the parameters first, then the elements (Flax).
// CHECK-LABEL: func.func @scaled_deviation
func.func @scaled_deviation(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>,
    %g: tensor<4x8xf32> {amp.role = "param", amp.name = "scale"}) -> tensor<4x8xf32> {
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U:[0-9]+]],
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: math.rsqrt {{.*}}#amp.class<high, unit = [[U]],
  %i = math.rsqrt %s {amp.phase = "forward", amp.scope = "lax.rsqrt", amp.scope_id = 2 : i64} : tensor<4xf32>
  %ib = linalg.broadcast ins(%i : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %ig = arith.mulf %ib, %g {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 3 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %y = arith.mulf %x, %ig {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 4 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

//===----------------------------------------------------------------------===//
// What is none
//===----------------------------------------------------------------------===//

// What PyTorch ran as functions rounds between them, as under Apex.
// CHECK-LABEL: func.func @of_functions
func.func @of_functions(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = 0, "listed FP32: torch.sum">
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.function = "torch.sum", amp.phase = "forward", amp.scope = "aten.sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: math.rsqrt {{.*}}#amp.class<high, unit = 1, "listed FP32: torch.rsqrt">
  %i = math.rsqrt %s {amp.function = "torch.rsqrt", amp.phase = "forward", amp.scope = "aten.rsqrt", amp.scope_id = 2 : i64} : tensor<4xf32>
  %ib = linalg.broadcast ins(%i : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.function = "torch.Tensor.mul", amp.phase = "forward", amp.scope = "aten.mul", amp.scope_id = 3 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<promote, unit = 2, "listed to promote: torch.Tensor.mul">
  %y = arith.mulf %x, %ib {amp.function = "torch.Tensor.mul", amp.phase = "forward", amp.scope = "aten.mul", amp.scope_id = 3 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Statistics of another layer.
// CHECK-LABEL: func.func @other_layer
func.func @other_layer(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = 0,
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.layer = "a", amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.layer = "b", amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 2 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<promote, unit = 2,
  %y = arith.mulf %x, %sb {amp.layer = "b", amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 3 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Statistics of other elements: a gate.
// CHECK-LABEL: func.func @other_elements
func.func @other_elements(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = 0,
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 2 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<promote, unit = 2,
  %y = arith.mulf %e, %sb {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 3 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A mean that nothing comes back from, and what is made of it.
// CHECK-LABEL: func.func @mean_alone
func.func @mean_alone(%x: tensor<4x8xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %n = arith.constant dense<8.0> : tensor<4xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = 0,
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: arith.divf {{.*}}#amp.class<{{.*}}, unit = 1,
  %m = arith.divf %s, %n {amp.phase = "forward", amp.scope = "lax.div", amp.scope_id = 2 : i64} : tensor<4xf32>
  // CHECK: math.tanh {{.*}}#amp.class<follow, unit = 2,
  %act = math.tanh %m {amp.phase = "forward", amp.scope = "lax.tanh", amp.scope_id = 3 : i64} : tensor<4xf32>
  return %act : tensor<4xf32>
}

// An activation function after the norm rounds what it is given; a second norm of the
// scaled values is a unit of its own.
// CHECK-LABEL: func.func @after_the_norm
func.func @after_the_norm(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>,
    %g: tensor<4x8xf32> {amp.role = "param", amp.name = "scale"}) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = 0,
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 2 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = 0,
  %y = arith.mulf %x, %sb {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 3 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = 0,
  %z = arith.mulf %y, %g {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 4 : i64} : tensor<4x8xf32>
  // CHECK: math.tanh {{.*}}#amp.class<follow, unit = {{[1-9]}},
  %act = math.tanh %z {amp.phase = "forward", amp.scope = "lax.tanh", amp.scope_id = 5 : i64} : tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[V:[1-9]]],
  %s2 = linalg.reduce ins(%z : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 6 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb2 = linalg.broadcast ins(%s2 : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 7 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[V]],
  %y2 = arith.mulf %z, %sb2 {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 8 : i64} : tensor<4x8xf32>
  return %act, %y2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// A norm of the scaled values is of those alone: what was normalized before the
// parameters is none of its elements.
// CHECK-LABEL: func.func @norm_of_scaled
func.func @norm_of_scaled(%x: tensor<4x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>,
    %g: tensor<4x8xf32> {amp.role = "param", amp.name = "scale"}) -> tensor<4x8xf32> {
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U:[0-9]+]],
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 2 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %y = arith.mulf %x, %sb {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 3 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %z = arith.mulf %y, %g {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 4 : i64} : tensor<4x8xf32>
  // CHECK-NOT: unit = [[U]],
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[V:[0-9]+]],
  %s2 = linalg.reduce ins(%z : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 6 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb2 = linalg.broadcast ins(%s2 : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 7 : i64}
  // CHECK-NOT: unit = [[V]],
  // CHECK: arith.mulf {{.*}}#amp.class<promote, unit = {{[0-9]+}},
  %y2 = arith.mulf %y, %sb2 {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 8 : i64} : tensor<4x8xf32>
  return %y2 : tensor<4x8xf32>
}

// What is made of statistics of different elements is a statistic of neither.
// CHECK-LABEL: func.func @statistics_of_different_elements
func.func @statistics_of_different_elements(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>, %c: tensor<4xf32>,
    %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U:[0-9]+]],
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK-NOT: unit = [[U]],
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[V:[0-9]+]],
  %s2 = linalg.reduce ins(%z : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 2 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: arith.mulf {{.*}}#amp.class<promote,
  %r = arith.mulf %s, %s2 {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 3 : i64} : tensor<4xf32>
  %rb = linalg.broadcast ins(%r : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 4 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<promote,
  %y = arith.mulf %x, %rb {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 5 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A place that a contraction has as well goes into no norm: it would be low with it.
// CHECK-LABEL: func.func @place_of_a_contraction
func.func @place_of_a_contraction(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.matmul {{.*}}#amp.class<low, unit = [[P:[0-9]+]],
  %h = linalg.matmul {amp.phase = "forward", amp.scope = "lax.dot_general", amp.scope_id = 1 : i64}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<low, unit = [[P]],
  %s = linalg.reduce ins(%h : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 3 : i64}
  // CHECK-NOT: unit = [[P]],
  // CHECK: arith.mulf {{.*}}#amp.class<promote,
  %y = arith.mulf %h, %sb {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 4 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// A place with a contraction stays what it is.
// CHECK-LABEL: func.func @contraction
func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %c: tensor<4xf32>, %e: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.matmul {{.*}}#amp.class<low, unit = [[P:[0-9]+]],
  %h = linalg.matmul {amp.phase = "forward", amp.scope = "lax.dot_general", amp.scope_id = 1 : i64}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[U:[0-9]+]],
  %s = linalg.reduce ins(%h : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 2 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 3 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[U]],
  %y = arith.mulf %h, %sb {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 4 : i64} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

} // module

// -----

module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {

// Inside the model it is low as a whole, and rounds once. What the loss makes of its
// result is another.
// CHECK-LABEL: func.func @inside_the_model
func.func @inside_the_model(%x: tensor<4x8xf32> {amp.role = "batch", amp.name = "x0"},
    %g: tensor<4x8xf32> {amp.role = "param", amp.name = "scale"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4x8xf32>, tensor<f32> {amp.role = "grad", amp.name = "scale"}) {
  %c = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<low, unit = [[U:[0-9]+]], "inside the model">
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 2 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<low, unit = [[U]],
  %y = arith.mulf %x, %sb {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 3 : i64} : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, unit = [[U]],
  %z = arith.mulf %y, %g {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 4 : i64} : tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[V:[0-9]+]], "after the model's end">
  %s2 = linalg.reduce ins(%z : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.reduce_sum", amp.scope_id = 5 : i64}
      (%a: f32, %acc: f32) {
        %p = arith.mulf %a, %a : f32
        %t = arith.addf %p, %acc : f32
        linalg.yield %t : f32
      }
  %sb2 = linalg.broadcast ins(%s2 : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
      {amp.phase = "forward", amp.scope = "lax.broadcast_in_dim", amp.scope_id = 6 : i64}
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = [[V]],
  %l = arith.mulf %z, %sb2 {amp.phase = "forward", amp.scope = "lax.mul", amp.scope_id = 7 : i64} : tensor<4x8xf32>
  return %l, %seed : tensor<4x8xf32>, tensor<f32>
}

// The square of the elements as an operation of its own, and the elements centred before
// they meet the deviation: it is inside, or it would overflow. Near miss: the activation
// function that made the elements rounds, and so does a square that no statistic is of.
// CHECK-LABEL: func.func @mean_of_squares
func.func @mean_of_squares(%x0: tensor<4x8xf32> {amp.role = "batch", amp.name = "x0"},
    %g: tensor<4x8xf32> {amp.role = "param", amp.name = "scale"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32> {amp.role = "grad", amp.name = "scale"}) {
  %c = tensor.empty() : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %n = arith.constant dense<0.125> : tensor<4xf32>
  // CHECK: math.tanh {{.*}}#amp.class<low, unit = [[ACT:[0-9]+]], "inside the model">
  %x = math.tanh %x0 : tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<low, unit = [[U:[0-9]+]], "inside the model">
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  // CHECK: arith.mulf {{.*}}unit = [[U]],
  %m = arith.mulf %s, %n : tensor<4xf32>
  // CHECK: arith.mulf {{.*}}unit = [[U]],
  %q = arith.mulf %x, %x : tensor<4x8xf32>
  // CHECK: linalg.reduce {{.*}}unit = [[U]],
  %s2 = linalg.reduce { arith.addf } ins(%q : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  // CHECK: arith.mulf {{.*}}unit = [[U]],
  %m2 = arith.mulf %s2, %n : tensor<4xf32>
  // CHECK: arith.mulf {{.*}}unit = [[U]],
  %mm = arith.mulf %m, %m : tensor<4xf32>
  // CHECK: arith.subf {{.*}}unit = [[U]],
  %v = arith.subf %m2, %mm : tensor<4xf32>
  // CHECK: math.rsqrt {{.*}}unit = [[U]],
  %i = math.rsqrt %v : tensor<4xf32>
  %mb = linalg.broadcast ins(%m : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  // CHECK: arith.subf {{.*}}unit = [[U]],
  %d = arith.subf %x, %mb : tensor<4x8xf32>
  %ib = linalg.broadcast ins(%i : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  // CHECK: arith.mulf {{.*}}unit = [[U]],
  %y = arith.mulf %d, %ib : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}unit = [[U]],
  %z = arith.mulf %y, %g : tensor<4x8xf32>
  // CHECK: arith.mulf
  // CHECK-NOT: unit = [[U]],
  // CHECK-NOT: unit = [[ACT]],
  // CHECK-SAME: "inside the model"
  %t = arith.mulf %x, %x : tensor<4x8xf32>
  %zz = arith.mulf %t, %g : tensor<4x8xf32>
  return %z, %zz, %seed : tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>
}

} // module
