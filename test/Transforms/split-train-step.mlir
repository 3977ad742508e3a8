// RUN: amp-opt %s --split-input-file --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-split-train-step | FileCheck %s
// RUN: amp-opt %s --split-input-file --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-split-train-step --amp-split-train-step | FileCheck %s

// The marked gradient is the seam: what it is computed from goes into one function,
// what is computed from it into the other.
// CHECK-LABEL: func private @step_forward_backward(
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32> {amp.name = "w", amp.role = "param"}
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32> {amp.name = "x0", amp.role = "batch"}
// CHECK-SAME:    {amp.name = "loss", amp.role = "loss_seed"})
// CHECK-SAME:    -> (tensor<4xf32> {amp.name = "w", amp.role = "grad"}
// CHECK-SAME:        tensor<f32> {amp.name = "loss", amp.role = "loss"})
// CHECK:         linalg.dot
// CHECK:         %[[G:.*]] = arith.mulf %{{.*}}, %[[X]] : tensor<4xf32>
// CHECK:         return %[[G]]
// CHECK-LABEL: func private @step_optimizer_step(
// CHECK-SAME:    tensor<4xf32> {amp.name = "w", amp.role = "param"}
// CHECK-SAME:    tensor<4xf32> {amp.name = "m", amp.role = "opt_state"}
// CHECK-SAME:    tensor<4xf32> {amp.name = "w", amp.role = "grad"})
// CHECK:         arith.addf
// CHECK:         arith.subf
// CHECK-LABEL: func @step(
// CHECK:         %[[B:.*]]:2 = call @step_forward_backward
// CHECK:         %[[U:.*]]:2 = call @step_optimizer_step(%{{.*}}, %{{.*}}, %[[B]]#0)
// CHECK-NEXT:    return %[[B]]#1, %[[U]]#0, %[[U]]#1
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "m"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "opt_state", amp.name = "m"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %loss = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %s, %x {amp.grad = ["w"]} : tensor<4xf32>
  %m1 = arith.addf %m, %g : tensor<4xf32>
  %w1 = arith.subf %w, %m1 : tensor<4xf32>
  return %loss, %w1, %m1 : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A returned gradient is a mark. The norm stays in the step, and sees what the
// optimizer sees; the schedule is copied; the learning rate that depends on the
// loss is handed over.
// CHECK-LABEL: func private @step_forward_backward(
// CHECK-SAME:    -> (tensor<f32> {amp.name = "w", amp.role = "grad"}
// CHECK-SAME:        tensor<f32> {amp.name = "loss", amp.role = "loss"})
// CHECK-LABEL: func private @step_optimizer_step(
// CHECK-SAME:    %[[W:[^:]*]]: tensor<f32> {amp.name = "w", amp.role = "param"}
// CHECK-SAME:    %[[T:[^:]*]]: tensor<f32> {amp.name = "t", amp.role = "opt_state"}
// CHECK-SAME:    %[[G:[^:]*]]: tensor<f32> {amp.name = "w", amp.role = "grad"}, %[[L:[^:]*]]: tensor<f32>)
// CHECK:         arith.mulf %[[L]], %[[G]]
// CHECK-LABEL: func @step(
// CHECK:         %[[B:.*]]:2 = call @step_forward_backward
// CHECK:         %[[U:.*]]:2 = call @step_optimizer_step
// CHECK-NEXT:    %[[N:.*]] = math.absf %[[B]]#0
// CHECK-NEXT:    return %[[B]]#1, %[[U]]#0, %[[U]]#1, %[[N]], %[[B]]#0
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %t: tensor<f32> {amp.role = "opt_state", amp.name = "t"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<f32> {amp.role = "opt_state", amp.name = "t"},
        tensor<f32> {amp.role = "output", amp.name = "norm"},
        tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %loss = arith.mulf %w, %x : tensor<f32>
  %g = arith.mulf %seed, %x : tensor<f32>
  %norm = math.absf %g : tensor<f32>
  %t1 = arith.addf %t, %one : tensor<f32>
  %rated = arith.mulf %loss, %g : tensor<f32>
  %decayed = arith.divf %rated, %t1 : tensor<f32>
  %w1 = arith.subf %w, %decayed : tensor<f32>
  return %loss, %w1, %t1, %norm, %g : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A step that calls a function with gradients is not fused: nothing changes.
// CHECK-LABEL: func @composed(
// CHECK-NEXT:    %[[G:.*]] = call @backward
// CHECK-NEXT:    %[[N:.*]] = arith.subf %{{.*}}, %[[G]]
// CHECK-NEXT:    return %[[N]]
func.func @composed(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %g = call @backward(%w, %seed) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %n = arith.subf %w, %g : tensor<f32>
  return %n : tensor<f32>
}
func.func private @backward(
    tensor<f32> {amp.role = "param", amp.name = "w"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "grad", amp.name = "w"})

// -----

// A state whose new value does not depend on the old one goes to the update all the
// same: a skipped step keeps it.
// CHECK-LABEL: func private @overwritten_optimizer_step(
// CHECK-SAME:    tensor<f32> {amp.name = "w", amp.role = "param"}
// CHECK-SAME:    tensor<f32> {amp.name = "last", amp.role = "opt_state"}
// CHECK-SAME:    tensor<f32> {amp.name = "w", amp.role = "grad"})
func.func @overwritten(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %last: tensor<f32> {amp.role = "opt_state", amp.name = "last"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"},
        tensor<f32> {amp.role = "opt_state", amp.name = "last"}) {
  %g = arith.mulf %seed, %x {amp.grad = ["w"]} : tensor<f32>
  %n = arith.negf %g : tensor<f32>
  %w1 = arith.addf %w, %n : tensor<f32>
  return %w1, %n : tensor<f32>, tensor<f32>
}

// -----

// A check of the loss is made by the backward pass, one of the gradient by the step.
// CHECK-LABEL: func private @checked_forward_backward(
// CHECK:         cf.assert %{{.*}}, "loss"
// CHECK:         return
// CHECK-LABEL: func private @checked_optimizer_step(
// CHECK-NOT:     cf.assert
// CHECK-LABEL: func @checked(
// CHECK-NOT:     cf.assert %{{.*}}, "loss"
// CHECK:         cf.assert %{{.*}}, "gradient"
// CHECK:         return
func.func @checked(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant 0.0 : f32
  %loss = arith.mulf %w, %x : tensor<f32>
  %l = tensor.extract %loss[] : tensor<f32>
  %lc = arith.cmpf oge, %l, %zero : f32
  cf.assert %lc, "loss"
  %g = arith.mulf %seed, %x {amp.grad = ["w"]} : tensor<f32>
  %e = tensor.extract %g[] : tensor<f32>
  %gc = arith.cmpf ord, %e, %zero : f32
  cf.assert %gc, "gradient"
  %w1 = arith.subf %w, %g : tensor<f32>
  return %w1 : tensor<f32>
}

// -----

// Calls by reference, of what is named beside them, are calls. Near miss: a reference
// to what is no part of a step, that is handed on.
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @other(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @helper(tensor<4xf32>) -> tensor<4xf32>
func.func private @apply((tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func @references
// CHECK-NOT: constant @fb
// CHECK-NOT: call_indirect
// CHECK: %[[HELPER:.*]] = constant @helper
// CHECK: scf.if
// CHECK: func.call @fb({{.*}}) {amp.scope = "first"}
// CHECK: func.call @other
// CHECK: call @apply(%[[HELPER]]
func.func @references(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %a = constant @fb : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = constant @other : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %h = constant @helper : (tensor<4xf32>) -> tensor<4xf32>
  %g = scf.if %c -> (tensor<4xf32>) {
    %k = func.call_indirect %a(%w, %seed) {amp.scope = "first"} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  } else {
    %k = func.call_indirect %b(%w, %seed) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  }
  %d = call @apply(%h, %g) : ((tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = arith.subf %w, %d : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// What is computed from a seed beside the backward pass, and is no gradient: a weight of
// the reported loss, what a loop hands on beside a parameter. A helper may contain the pass.
// CHECK-LABEL: func.func @beside_pass
// CHECK:         call @weighted
// CHECK:         scf.for
func.func private @model(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @weighted(%w: tensor<4xf32>, %l: tensor<f32>) -> tensor<4xf32> {
  %half = arith.constant dense<0.5> : tensor<f32>
  %s = arith.mulf %l, %half : tensor<f32>
  %g = call @model(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func @beside_pass(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %l: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<f32> {amp.role = "loss", amp.name = "l"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = call @weighted(%w, %l) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n, %k = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %w, %a = %l) -> (tensor<4xf32>, tensor<f32>) {
    %g = func.call @model(%v, %l) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %d = arith.addf %g, %h : tensor<4xf32>
    %u = arith.subf %v, %d : tensor<4xf32>
    %b = arith.addf %a, %l : tensor<f32>
    scf.yield %u, %b : tensor<4xf32>, tensor<f32>
  }
  return %n, %k : tensor<4xf32>, tensor<f32>
}

// -----

// A state of the loss that weights the gradient: both parts give it, and the
// update takes the backward pass's.
// CHECK-LABEL: func.func private @weighted_forward_backward
// CHECK-LABEL: func.func private @weighted_optimizer_step
// CHECK-LABEL: func.func @weighted
// CHECK:         %[[G:.*]]:[[N:[0-9]+]] = call @weighted_forward_backward
// CHECK:         call @weighted_optimizer_step({{.*}}%[[G]]#
func.func @weighted(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
    %best: tensor<f32> {amp.role = "opt_state", amp.name = "best", amp.of = ""})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<f32> {amp.role = "loss", amp.name = "l"},
        tensor<f32> {amp.role = "opt_state", amp.name = "best"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %l = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%z : tensor<f32>) -> tensor<f32>
  %nb = arith.minimumf %l, %best : tensor<f32>
  %bb = linalg.broadcast ins(%nb : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %d = arith.mulf %g, %bb : tensor<4xf32>
  %n = arith.subf %w, %d : tensor<4xf32>
  return %n, %l, %nb : tensor<4xf32>, tensor<f32>, tensor<f32>
}

// -----

// A helper returns the gradient; its call has the mark.
// CHECK-LABEL: func.func private @marked_call_forward_backward
// CHECK:         call @gradient
// CHECK-LABEL: func.func private @marked_call_optimizer_step
// CHECK-NEXT:    arith.subf
func.func private @gradient(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func @marked_call(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g = call @gradient(%x, %s) {amp.grad = ["w"]} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}
