// RUN: amp-opt %s --split-input-file --allow-unregistered-dialect --verify-diagnostics --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-split-train-step

// Without marks: no value that carries the loss scale comes into the update.
// expected-error @below {{expected an update of fused train step '@step' to read a gradient, a value that carries the scale of its loss, but found none; put 'amp.grad = ["NAME"]' on the operation of its own block that computes the gradient of parameter NAME (what it calls has to return it), or return the gradients with role 'grad', or call a function with 'grad' results}}
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %n = arith.subf %w, %x : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Two do, computed from different values: which of them the gradient is, or that it is
// their sum, is for the author to say.
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-note @below {{the second one is here; it carries the scale to the power 2}}
  %square = arith.mulf %seed, %seed : tensor<f32>
  // expected-error @below {{expected one value that brings the loss scale into the update of 'w' in fused train step '@step', to take it for the gradient, but found two; put 'amp.grad = ["w"]' on the operation that computes the gradient}}
  // expected-note @below {{the first one is here; it carries the scale to the power 2}}
  %b = linalg.broadcast ins(%square : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %n = arith.subf %w, %b : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// One has the parameter's type; the other is no norm of it.
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{expected what the update of fused train step '@step' reads from the backward pass to be a marked gradient, but this value depends on 'loss_seed' and is not; put 'amp.grad = ["NAME"]' on the operation that computes the gradient of parameter NAME}}
  %square = arith.mulf %seed, %seed : tensor<f32>
  %a = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %b = linalg.broadcast ins(%square : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.subf %w, %a : tensor<4xf32>
  %n = arith.subf %p, %b : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  // expected-error @below {{expected gradient 'v' to be that of a 'param' of '@step', but it has none of this name}}
  %g = arith.mulf %s, %s {amp.grad = ["v"]} : tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<5xf32>
  // expected-error @below {{expected the gradient of 'w' to have the parameter's type 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<5xf32>) dimensions = [0] {amp.grad = ["w"]}
  return %w : tensor<4xf32>
}

// -----

func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  // expected-error @below {{expected 'amp.grad' to be an array of 1 strings, one for each result (empty for one that is no gradient), but got "w"}}
  %g = arith.mulf %s, %s {amp.grad = "w"} : tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  // expected-note @below {{the first one is here}}
  %g = arith.mulf %s, %s {amp.grad = ["w"]} : tensor<4xf32>
  // expected-error @below {{expected one gradient of 'w', but found a second one}}
  %h = arith.addf %s, %s {amp.grad = ["w"]} : tensor<4xf32>
  %n = arith.subf %w, %h : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// A second gradient, without a mark, would never be unscaled.
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %v: tensor<f32> {amp.role = "param", amp.name = "v"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "param", amp.name = "v"},
        tensor<f32> {amp.role = "output", amp.name = "y"}) {
  %gw = arith.mulf %seed, %v {amp.grad = ["w"]} : tensor<f32>
  // expected-error @below {{expected what the update of fused train step '@step' reads from the backward pass to be a marked gradient, but this value depends on 'loss_seed' and is not; put 'amp.grad = ["NAME"]' on the operation that computes the gradient of parameter NAME}}
  %gv = arith.mulf %seed, %w : tensor<f32>
  %w1 = arith.subf %w, %gw : tensor<f32>
  %v1 = arith.subf %v, %gv : tensor<f32>
  return %w1, %v1, %gv : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Two steps, one after the other, have no common seam.
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "loss"}) {
  %g = arith.mulf %seed, %w {amp.grad = ["w"]} : tensor<f32>
  %w1 = arith.subf %w, %g : tensor<f32>
  // expected-error @below {{expected loss 'loss' of fused train step '@step' to depend on no gradient; where one optimizer step follows another, give each backward pass and each optimizer step a function with roles}}
  %loss = arith.mulf %w1, %w1 : tensor<f32>
  return %w1, %loss : tensor<f32>, tensor<f32>
}

// -----

func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %v: tensor<f32> {amp.role = "param", amp.name = "v"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "param", amp.name = "v"}) {
  %gw = arith.mulf %seed, %v {amp.grad = ["w"]} : tensor<f32>
  %w1 = arith.subf %w, %gw : tensor<f32>
  // expected-error @below {{expected the gradient of 'v' to depend on no other gradient; mark what the backward pass computes, before clipping and before any update}}
  %gv = arith.mulf %seed, %w1 {amp.grad = ["v"]} : tensor<f32>
  %v1 = arith.subf %v, %gv : tensor<f32>
  return %w1, %v1 : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{expected a new 'param' of fused train step '@step' to depend on a marked gradient, but none does}}
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %g = arith.mulf %seed, %w {amp.grad = ["w"]} : tensor<f32>
  %w1 = arith.addf %w, %w : tensor<f32>
  return %w1 : tensor<f32>
}

// -----

func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %g = scf.if %c -> (tensor<f32>) {
    // expected-error @below {{expected 'amp.grad' on an operation of the train step's own block; mark the result of the loop or branch instead}}
    %h = arith.mulf %seed, %w {amp.grad = ["w"]} : tensor<f32>
    scf.yield %h : tensor<f32>
  } else {
    scf.yield %w : tensor<f32>
  }
  %w1 = arith.subf %w, %g : tensor<f32>
  return %w1 : tensor<f32>
}

// -----

func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %w1 = arith.subf %w, %seed : tensor<f32>
  // expected-error @below {{expected the gradient of 'w' to be computed by '@step', but it is an argument}}
  return %w1, %seed : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{expected fused train step '@step' to have one block, but got 2; write branches with scf.if}}
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  cf.br ^bb1
^bb1:
  return %w : tensor<f32>
}

// -----

func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected train step '@step', which calls an optimizer step, to call a function with a 'loss_seed' argument and 'grad' results as well, but found none; write the backward pass as such a function, or the update without roles}}
  %w1 = call @update(%w, %seed) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %w1 : tensor<f32>
}
func.func private @update(
    tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"})

// -----

// A helper that calls the backward pass, beside an optimizer step and alone.
func.func private @backward(tensor<f32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<f32> {amp.role = "grad", amp.name = "w"})
func.func private @helper(%x: tensor<f32>, %seed: tensor<f32>) -> tensor<f32> {
  %g = call @backward(%x, %seed) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  cf.br ^end
^end:
  return %g : tensor<f32>
}
func.func private @update(
    tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"})
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"}, %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected train step '@step' to call '@backward' itself, to scale its loss, but '@helper' does; call '@backward' in the train step, and give its gradients to '@helper'}}
  %g = call @helper(%x, %seed) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %w1 = call @update(%w, %g) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %w1 : tensor<f32>
}

// -----

func.func private @backward(tensor<f32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<f32> {amp.role = "grad", amp.name = "w"})
func.func private @updated(%w: tensor<f32>, %x: tensor<f32>, %seed: tensor<f32>) -> tensor<f32> {
  %g = call @backward(%x, %seed) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %n = math.tanh %g : tensor<f32>
  %w1 = arith.subf %w, %n : tensor<f32>
  return %w1 : tensor<f32>
}
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"}, %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected train step '@step' to call '@backward' itself, to scale its loss, but '@updated' does}}
  %w1 = call @updated(%w, %x, %seed) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %w1 : tensor<f32>
}

// -----

// A step of steps: which of them is to be scaled? Near miss: a caller without roles
// (insert-master-weights.mlir).
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func private @train(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
  // expected-note @+1 {{the caller is here}}
  func.func @two(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // expected-error @+1 {{expected train step '@two' to call no other train step, but it calls '@train'; a function without roles may call train steps}}
    %n = call @train(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %m = call @train(%n, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %m : tensor<4xf32>
  }
}

// -----

// Without marks, and with an operation that nobody knows: it may be the backward pass.
func.func @step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  // expected-error @below {{expected an operation whose result is known to carry the loss scale or not, to find the gradient of 'w' in fused train step '@step'; put 'amp.grad = ["w"]' on the operation that computes the gradient}}
  %g = "test.backward"(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Two scalars in a window, whose sums have no degree: the norm leads from each to the
// gradients of both. Their twins without a window go through: split-train-step-unmarked.mlir.
func.func @scalars(
    %a: tensor<f32> {amp.role = "param", amp.name = "a"},
    %b: tensor<f32> {amp.role = "param", amp.name = "b"},
    %sum_a: tensor<f32> {amp.role = "accumulator", amp.name = "a"},
    %sum_b: tensor<f32> {amp.role = "accumulator", amp.name = "b"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<4xf32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "a"},
        tensor<f32> {amp.role = "param", amp.name = "b"},
        tensor<f32> {amp.role = "accumulator", amp.name = "a"},
        tensor<f32> {amp.role = "accumulator", amp.name = "b"}) {
  %none = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  // expected-note @below {{the second one is here; it carries the scale to the power 1}}
  %ga = linalg.dot ins(%s, %x : tensor<4xf32>, tensor<4xf32>) outs(%none : tensor<f32>) -> tensor<f32>
  // expected-error @below {{expected one value that brings the loss scale into the update of 'a' in fused train step '@scalars', to take it for the gradient, but found two}}
  // expected-note @below {{the first one is here; it carries the scale to the power 1}}
  %gb = linalg.dot ins(%s, %y : tensor<4xf32>, tensor<4xf32>) outs(%none : tensor<f32>) -> tensor<f32>
  %ta = arith.addf %sum_a, %ga : tensor<f32>
  %tb = arith.addf %sum_b, %gb : tensor<f32>
  %qa = arith.mulf %ta, %ta : tensor<f32>
  %qb = arith.mulf %tb, %tb : tensor<f32>
  %q = arith.addf %qa, %qb : tensor<f32>
  %n = math.rsqrt %q : tensor<f32>
  %ca = arith.mulf %ta, %n : tensor<f32>
  %cb = arith.mulf %tb, %n : tensor<f32>
  %a1 = arith.subf %a, %ca : tensor<f32>
  %b1 = arith.subf %b, %cb : tensor<f32>
  return %a1, %b1, %none, %none : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A step that scales its loss itself, with a mark and without: its update reads what is
// unscaled already. Near miss: one that calls its backward pass is not split, whatever
// stands around the call.
amp.scaler @l {initial_scale = 1024.0 : f64}
func.func private @fb(%w: tensor<f32> {amp.role = "param", amp.name = "w"}, %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<f32> {amp.role = "grad", amp.name = "w"})
func.func @calls(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %s = amp.scale_loss %seed using @l : tensor<f32>
  %g = call @fb(%w, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %g using @l : (tensor<f32>) -> tensor<f32>
  amp.update_scale @l, %f
  %n = arith.subf %w, %u : tensor<f32>
  return %n : tensor<f32>
}
// expected-note @below {{the train step is here}}
func.func @step(
    %w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected fused train step '@step' to leave its loss unscaled, because it is split where the scale is taken out, but found 'amp.scale_loss'; leave out amp.scale_loss, amp.unscale and amp.update_scale, which are added with the declared scaler, or compute the gradients in a function with a 'loss_seed' argument and 'grad' results, and call it between them}}
  %s = amp.scale_loss %seed using @l : tensor<f32>
  %g = arith.mulf %s, %w {amp.grad = ["w"]} : tensor<f32>
  %u, %f = amp.unscale %g using @l : (tensor<f32>) -> tensor<f32>
  amp.update_scale @l, %f
  %n = arith.subf %w, %u : tensor<f32>
  return %n : tensor<f32>
}

// -----

// What the two parts write to memory would come in another order. Near miss: an
// assertion, in split-train-step.mlir.
func.func @memory(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %g = linalg.broadcast {amp.grad = ["w"]} ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g0 = tensor.extract %g[%c0] : tensor<4xf32>
  %positive = arith.cmpf ogt, %g0, %zero : f32
  %m = memref.alloca() : memref<i1>
  // expected-error @below {{expected fused train step '@memory' to keep its values in tensors, but 'memref.store' writes to memory, which the backward pass and the update would do in another order; hand the value on as a tensor}}
  memref.store %positive, %m[] : memref<i1>
  %read = memref.load %m[] : memref<i1>
  %d = arith.select %read, %g, %w : tensor<4xf32>
  %n = arith.subf %w, %d : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// So would calls of code that nobody sees.
func.func private @tell(tensor<4xf32>)
func.func private @ask() -> tensor<4xf32>
func.func @foreign(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.broadcast {amp.grad = ["w"]} ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  // expected-note @below {{the call that takes a gradient}}
  call @tell(%g) : (tensor<4xf32>) -> ()
  // expected-error @below {{expected code that is not in the module to be called by the backward pass of fused train step '@foreign' before any by its update, but this call comes after one that takes a gradient; call it first, or give the backward pass and the optimizer step a function each}}
  %k = call @ask() : () -> tensor<4xf32>
  %d = arith.mulf %g, %k : tensor<4xf32>
  %n = arith.subf %w, %d : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Near miss: asked before it is told.
func.func private @tell(tensor<4xf32>)
func.func private @ask() -> tensor<4xf32>
func.func @foreign_first(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %k = call @ask() : () -> tensor<4xf32>
  %g = linalg.broadcast {amp.grad = ["w"]} ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  call @tell(%g) : (tensor<4xf32>) -> ()
  %d = arith.mulf %g, %k : tensor<4xf32>
  %n = arith.subf %w, %d : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Which function is called, shows nowhere. Mended: split-train-step.mlir.
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @other(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @chosen_reference(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected train step '@chosen_reference' to call '@fb' by its name, so that its gradients are found, but it takes a reference to it; write a func.call in each branch that chooses a function}}
  %a = constant @fb : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = constant @other : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-note @below {{the reference is used here}}
  %f = arith.select %c, %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g = call_indirect %f(%w, %seed) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// One loss's backward pass is called, the other's written out. Mended:
// split-train-step.mlir.
func.func private @second(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "k"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @one_by_hand(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %l: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
    %k: tensor<f32> {amp.role = "loss_seed", amp.name = "k"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "output", amp.name = "o"},
        tensor<f32> {amp.role = "output", amp.name = "p"}) {
  // What is read of the seed and updates nothing is not where the error stands.
  %o = arith.addf %l, %l : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{expected the backward pass of loss 'l' to be a function with a 'loss_seed' argument and 'grad' results, as another one of train step '@one_by_hand' is, but it is written out; its gradients would be neither scaled nor checked for an overflow}}
  %b = linalg.broadcast ins(%l : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  // expected-note @below {{a backward pass is called here}}
  %h = call @second(%w, %k) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %sum = arith.addf %g, %h : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  %p = arith.mulf %l, %l : tensor<f32>
  return %n, %o, %p : tensor<4xf32>, tensor<f32>, tensor<f32>
}

// -----

// The gradient of a regulariser is added by hand to that of its loss.
// Near misses: split-train-step.mlir, and split-train-step-unscaled.mlir.
func.func private @model(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @regularised(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %l: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{expected the gradients of loss 'l' to be those that its backward pass returns, but train step '@regularised' computes another one from its seed, which would be neither scaled nor checked for an overflow; compute it in the backward pass}}
  %b = linalg.broadcast ins(%l : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %r = arith.mulf %b, %w : tensor<4xf32>
  // expected-note @below {{a backward pass is called here}}
  %g = call @model(%w, %l) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %sum = arith.addf %g, %r : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// A mark in what the step calls. Mended: split-train-step.mlir.
func.func private @gradient(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  // expected-error @below {{expected 'amp.grad' on an operation of the train step's own block, but '@gradient' is a function that train step '@mark_in_helper' calls; return the gradient from it, put the mark on the call, and leave the update to the train step}}
  %g = arith.mulf %b, %x {amp.grad = ["w"]} : tensor<4xf32>
  return %g : tensor<4xf32>
}
// expected-note @below {{the train step is here}}
func.func @mark_in_helper(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g = call @gradient(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// A mark that is never read names a parameter all the same: in a backward pass, in the
// train step that calls it, in a helper. Near miss: split-train-step-unread-marks.mlir.
func.func @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{expected gradient 'nosuch' to be that of a 'param' of '@fb', but it has none of this name}}
  %b = linalg.broadcast {amp.grad = ["nosuch"]} ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  return %b : tensor<4xf32>
}

// -----

func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @calls(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-error @below {{expected gradient 'nosuch' to be that of a 'param' of '@calls', but it has none of this name}}
  %g = call @fb(%w, %s) {amp.grad = ["nosuch"]} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected gradient 'nosuch' to be that of a 'param' of a function of this module, but it has none of this name}}
  %g = arith.negf %x {amp.grad = ["nosuch"]} : tensor<4xf32>
  return %g : tensor<4xf32>
}
