// RUN: amp-opt %s --split-input-file --allow-unregistered-dialect --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-split-train-step | FileCheck %s
// RUN: amp-opt %s --split-input-file --allow-unregistered-dialect --amp-initialize-opt-level="opt-level=O0 verbosity=0" --amp-split-train-step | FileCheck %s --check-prefix=O0
// RUN: amp-opt %s --split-input-file --allow-unregistered-dialect --amp-initialize-opt-level="opt-level=O0 loss-scale=128.0 verbosity=0" --amp-split-train-step | FileCheck %s
// RUN: amp-opt %s --split-input-file --allow-unregistered-dialect --amp-initialize-opt-level="opt-level=O0 verbosity=0" --amp-split-train-step=infer-gradients | FileCheck %s

// Gradients that nobody marked: the values that alone bring the loss scale into an
// update. At O0 there is nothing to scale, unless it is asked for: a step without marks
// stays as it is.

// Not the multiple by a rate, which the backward pass would compute in half.
// CHECK-LABEL: func.func private @sgd_forward_backward(
// CHECK-SAME:    -> (tensor<4xf32> {amp.name = "w", amp.role = "grad"})
// CHECK:         %[[G:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK-NEXT:    return %[[G]]
// CHECK-LABEL: func.func private @sgd_optimizer_step(
// CHECK:         %[[N:.*]] = arith.negf
// CHECK-NEXT:    %[[R:.*]] = linalg.broadcast
// CHECK-NEXT:    %[[U:.*]] = arith.mulf %[[N]], %[[R]]
// CHECK-NEXT:    arith.addf %{{.*}}, %[[U]]
// O0-LABEL: func.func @sgd(
// O0-NOT:     call
// O0:         return
func.func @sgd(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %rate: tensor<f32> {amp.role = "hyper", amp.name = "lr"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %s, %x : tensor<4xf32>
  %n = arith.negf %g : tensor<4xf32>
  %r = linalg.broadcast ins(%rate : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %u = arith.mulf %n, %r : tensor<4xf32>
  %new = arith.addf %w, %u : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// Adam reads a gradient twice, once squared, after its decay and after clipping by the
// norm of two: the backward pass ends before all of that. The weight that is used twice
// has the sum for its gradient.
// CHECK-LABEL: func.func private @adam_forward_backward(
// CHECK-SAME:    -> (tensor<4xf32> {amp.name = "w", amp.role = "grad"}, tensor<4xf32> {amp.name = "b", amp.role = "grad"})
// CHECK:         %[[S:.*]] = linalg.broadcast
// CHECK-NEXT:    %[[D:.*]] = arith.mulf %[[S]]
// CHECK-NEXT:    %[[GW:.*]] = arith.mulf %[[D]]
// CHECK:         %[[GB:.*]] = arith.addf %[[D]], %{{.*}}
// CHECK-NEXT:    return %[[GW]], %[[GB]]
// CHECK-LABEL: func.func private @adam_optimizer_step(
// CHECK:         linalg.dot
// CHECK:         linalg.dot
// CHECK:         math.sqrt
func.func @adam(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %b: tensor<4xf32> {amp.role = "param", amp.name = "b"},
    %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "m"},
    %v: tensor<4xf32> {amp.role = "opt_state", amp.name = "v"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "param", amp.name = "b"},
        tensor<4xf32> {amp.role = "opt_state", amp.name = "m"},
        tensor<4xf32> {amp.role = "opt_state", amp.name = "v"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %eps = arith.constant dense<1.0e-6> : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %tenth = arith.constant dense<0.1> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %h = arith.mulf %w, %x : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %d = arith.mulf %s, %h : tensor<4xf32>
  %gw = arith.mulf %d, %x : tensor<4xf32>
  %gb = arith.addf %d, %s : tensor<4xf32>
  %n0 = linalg.dot ins(%gw, %gw : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %n1 = linalg.dot ins(%gb, %gb : tensor<4xf32>, tensor<4xf32>) outs(%n0 : tensor<f32>) -> tensor<f32>
  %n = math.sqrt %n1 : tensor<f32>
  %safe = arith.addf %n, %eps : tensor<f32>
  %c = arith.divf %one, %safe : tensor<f32>
  %cb = linalg.broadcast ins(%c : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %cw = arith.mulf %gw, %cb : tensor<4xf32>
  %decay = arith.mulf %w, %tenth : tensor<4xf32>
  %dw = arith.addf %cw, %decay : tensor<4xf32>
  %a = arith.mulf %dw, %tenth : tensor<4xf32>
  %m1 = arith.addf %m, %a : tensor<4xf32>
  %sq = arith.mulf %dw, %dw : tensor<4xf32>
  %v1 = arith.addf %v, %sq : tensor<4xf32>
  %r = math.rsqrt %v1 : tensor<4xf32>
  %u = arith.mulf %m1, %r : tensor<4xf32>
  %w1 = arith.subf %w, %u : tensor<4xf32>
  %ub = arith.mulf %gb, %cb : tensor<4xf32>
  %b1 = arith.subf %b, %ub : tensor<4xf32>
  return %w1, %b1, %m1, %v1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The sign of a gradient has no scale any more, and an infinite one is to be skipped all
// the same. A parameter that the loss does not reach has no gradient.
// CHECK-LABEL: func.func private @sign_forward_backward(
// CHECK-SAME:    -> (tensor<4xf32> {amp.name = "w", amp.role = "grad"})
// CHECK-LABEL: func.func private @sign_optimizer_step(
// CHECK:         math.absf
// CHECK:         arith.divf
func.func @sign(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %t: tensor<4xf32> {amp.role = "param", amp.name = "t"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "param", amp.name = "t"}) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %s, %x : tensor<4xf32>
  %a = math.absf %g : tensor<4xf32>
  %sign = arith.divf %g, %a : tensor<4xf32>
  %new = arith.subf %w, %sign : tensor<4xf32>
  %t1 = arith.negf %t : tensor<4xf32>
  return %new, %t1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A gradient over its norm has no scale any more, with nothing added to the norm: the
// norm, spread over the parameter's type, is no second gradient.
// CHECK-LABEL: func.func private @normalized_forward_backward(
// CHECK-SAME:    -> (tensor<4xf32> {amp.name = "w", amp.role = "grad"})
// CHECK:         %[[G:.*]] = arith.mulf
// CHECK-NEXT:    return %[[G]]
// CHECK-LABEL: func.func private @normalized_optimizer_step(
// CHECK:         linalg.dot
// CHECK:         math.sqrt
// CHECK:         arith.divf
func.func @normalized(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %s, %x : tensor<4xf32>
  %n2 = linalg.dot ins(%g, %g : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %n = math.sqrt %n2 : tensor<f32>
  %b = linalg.broadcast ins(%n : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %u = arith.divf %g, %b : tensor<4xf32>
  %new = arith.subf %w, %u : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// Weight normalisation: the gradient of the direction is computed from that of the gain,
// and still the backward pass's.
// CHECK-LABEL: func.func private @gain_forward_backward(
// CHECK-SAME:    -> (tensor<4xf32> {amp.name = "w", amp.role = "grad"}, tensor<f32> {amp.name = "k", amp.role = "grad"})
// CHECK:         %[[K:.*]] = linalg.dot
// CHECK:         linalg.broadcast ins(%[[K]]
// CHECK:         %[[D:.*]] = arith.subf
// CHECK-NEXT:    return %[[D]], %[[K]]
func.func @gain(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %k: tensor<f32> {amp.role = "param", amp.name = "k"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<f32> {amp.role = "param", amp.name = "k"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %d = arith.mulf %s, %x : tensor<4xf32>
  %gk = linalg.dot ins(%d, %w : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%gk : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %b, %w : tensor<4xf32>
  %gw = arith.subf %d, %p : tensor<4xf32>
  %w1 = arith.subf %w, %gw : tensor<4xf32>
  %k1 = arith.subf %k, %gk : tensor<f32>
  return %w1, %k1 : tensor<4xf32>, tensor<f32>
}

// -----

// Blocks of a region hand the gradient on: it is what the region gives.
// CHECK-LABEL: func.func private @blocks_forward_backward(
// CHECK:         %[[R:.*]] = scf.execute_region
// CHECK:         arith.mulf
// CHECK:         return %[[R]]
// CHECK-LABEL: func.func private @blocks_optimizer_step(
// CHECK-NOT:     arith.mulf
// CHECK:         arith.subf
func.func @blocks(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %c: i1 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = scf.execute_region -> tensor<4xf32> {
    cf.cond_br %c, ^a, ^b
  ^a:
    %g0 = arith.mulf %s, %x : tensor<4xf32>
    cf.br ^end(%g0 : tensor<4xf32>)
  ^b:
    %g1 = arith.mulf %s, %w : tensor<4xf32>
    cf.br ^end(%g1 : tensor<4xf32>)
  ^end(%q: tensor<4xf32>):
    scf.yield %q : tensor<4xf32>
  }
  %new = arith.subf %w, %g : tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// An effect of the update takes place once, in the update, which a guard skips.
// CHECK-LABEL: func.func private @effect_optimizer_step(
// CHECK:         "test.update"
// CHECK-LABEL: func.func @effect(
// CHECK-NOT:     "test.update"
// CHECK:         return
func.func @effect(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %s, %x {amp.grad = ["w"]} : tensor<4xf32>
  %new = "test.update"(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %new : tensor<4xf32>
}

// -----

// Sums over micro-batches have no degree, being new gradients on top of old unscaled
// ones; through them, the norm leads from each parameter to the gradients of all.
// CHECK-LABEL: func.func private @window_forward_backward(
// CHECK-SAME:    -> (tensor<4xf32> {amp.name = "a", amp.role = "grad"}, tensor<4xf32> {amp.name = "b", amp.role = "grad"})
// CHECK:         %[[S:.*]] = linalg.broadcast
// CHECK-NEXT:    %[[GB:.*]] = arith.mulf %[[S]]
// CHECK-NEXT:    %[[GA:.*]] = arith.mulf %[[GB]]
// CHECK-NEXT:    return %[[GA]], %[[GB]]
func.func @window(
    %a: tensor<4xf32> {amp.role = "param", amp.name = "a"},
    %b: tensor<4xf32> {amp.role = "param", amp.name = "b"},
    %sum_a: tensor<4xf32> {amp.role = "accumulator", amp.name = "a"},
    %sum_b: tensor<4xf32> {amp.role = "accumulator", amp.name = "b"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "a"},
        tensor<4xf32> {amp.role = "param", amp.name = "b"},
        tensor<4xf32> {amp.role = "accumulator", amp.name = "a"},
        tensor<4xf32> {amp.role = "accumulator", amp.name = "b"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %gb = arith.mulf %s, %x : tensor<4xf32>
  %ga = arith.mulf %gb, %x : tensor<4xf32>
  %ta = arith.addf %sum_a, %ga : tensor<4xf32>
  %tb = arith.addf %sum_b, %gb : tensor<4xf32>
  %n0 = linalg.dot ins(%ta, %ta : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %n1 = linalg.dot ins(%tb, %tb : tensor<4xf32>, tensor<4xf32>) outs(%n0 : tensor<f32>) -> tensor<f32>
  %n = math.rsqrt %n1 : tensor<f32>
  %nb = linalg.broadcast ins(%n : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %ca = arith.mulf %ta, %nb : tensor<4xf32>
  %cb = arith.mulf %tb, %nb : tensor<4xf32>
  %a1 = arith.subf %a, %ca : tensor<4xf32>
  %b1 = arith.subf %b, %cb : tensor<4xf32>
  %none = arith.constant dense<0.0> : tensor<4xf32>
  return %a1, %b1, %none, %none : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A scalar is of the norm's type, which is computed from its gradient and so is not its
// gradient; nor is that of the other scalar, which only the norm reads.
// CHECK-LABEL: func.func private @scalars_forward_backward(
// CHECK-SAME:    -> (tensor<f32> {amp.name = "a", amp.role = "grad"}, tensor<f32> {amp.name = "b", amp.role = "grad"})
// CHECK:         %[[GB:.*]] = arith.mulf
// CHECK-NEXT:    %[[GA:.*]] = arith.mulf %[[GB]]
// CHECK-NEXT:    return %[[GA]], %[[GB]]
func.func @scalars(
    %a: tensor<f32> {amp.role = "param", amp.name = "a"},
    %b: tensor<f32> {amp.role = "param", amp.name = "b"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "a"},
        tensor<f32> {amp.role = "param", amp.name = "b"}) {
  %eps = arith.constant dense<1.0e-6> : tensor<f32>
  %gb = arith.mulf %seed, %x : tensor<f32>
  %ga = arith.mulf %gb, %x : tensor<f32>
  %qa = arith.mulf %ga, %ga : tensor<f32>
  %qb = arith.mulf %gb, %gb : tensor<f32>
  %q = arith.addf %qa, %qb : tensor<f32>
  %n = math.sqrt %q : tensor<f32>
  %safe = arith.addf %n, %eps : tensor<f32>
  %ca = arith.divf %ga, %safe : tensor<f32>
  %cb = arith.divf %gb, %safe : tensor<f32>
  %a1 = arith.subf %a, %ca : tensor<f32>
  %b1 = arith.subf %b, %cb : tensor<f32>
  return %a1, %b1 : tensor<f32>, tensor<f32>
}

// -----

// What it gives beside the new weights comes from there as well.
// CHECK-LABEL: func.func private @effect_shown_optimizer_step(
// CHECK:         %[[U:.*]]:2 = "test.update"
// CHECK-NEXT:    return %[[U]]#0, %[[U]]#1
// CHECK-LABEL: func.func @effect_shown(
// CHECK-NOT:     "test.update"
// CHECK:         %[[U:.*]]:2 = call @effect_shown_optimizer_step
// CHECK-NOT:     "test.update"
// CHECK:         return %[[U]]#0, %[[U]]#1
func.func @effect_shown(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<f32> {amp.role = "output", amp.name = "norm"}) {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %s, %x {amp.grad = ["w"]} : tensor<4xf32>
  %new:2 = "test.update"(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  return %new#0, %new#1 : tensor<4xf32>, tensor<f32>
}

// -----

// Computed flat, read flat in f64: in the parameter's shape between the two.
// CHECK-LABEL: func.func private @flat_forward_backward(
// CHECK-SAME:    -> (tensor<2x4xf32> {amp.name = "w", amp.role = "grad"})
// CHECK:         %[[G:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<8xf32>
// CHECK-NEXT:    %[[R:.*]] = tensor.expand_shape %[[G]] {{.*}}: tensor<8xf32> into tensor<2x4xf32>
// CHECK-NEXT:    return %[[R]]
// CHECK-LABEL: func.func private @flat_optimizer_step(
// CHECK:         %[[F:.*]] = tensor.collapse_shape %{{.*}} : tensor<2x4xf32> into tensor<8xf32>
// CHECK-NEXT:    %[[E:.*]] = arith.extf %[[F]] : tensor<8xf32> to tensor<8xf64>
// CHECK:         arith.subf %{{.*}}, %[[E]]
// O0-LABEL: func.func @flat(
// O0-NOT:     call
// O0:         return
func.func @flat(
    %w: tensor<2x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<8xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<8xf32>) dimensions = [0]
  %g = arith.mulf %s, %x : tensor<8xf32>
  %g64 = arith.extf %g : tensor<8xf32> to tensor<8xf64>
  %wf = tensor.collapse_shape %w [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %w64 = arith.extf %wf : tensor<8xf32> to tensor<8xf64>
  %n64 = arith.subf %w64, %g64 : tensor<8xf64>
  %n = arith.truncf %n64 : tensor<8xf64> to tensor<8xf32>
  %new = tensor.expand_shape %n [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %new : tensor<2x4xf32>
}

// -----

// Near miss: flattened behind the gradient, which has the parameter's shape itself.
// CHECK-LABEL: func.func private @flattened_forward_backward(
// CHECK:         %[[G:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<2x4xf32>
// CHECK-NEXT:    return %[[G]]
// CHECK-LABEL: func.func private @flattened_optimizer_step(
// CHECK:         tensor.collapse_shape
// CHECK-NOT:     tensor.expand_shape %{{.*}} : tensor<8xf32> into tensor<2x4xf32>
// CHECK:         arith.subf
func.func @flattened(
    %w: tensor<2x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<2x4xf32>
  %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<2x4xf32>) dimensions = [0, 1]
  %g = arith.mulf %s, %x : tensor<2x4xf32>
  %gf = tensor.collapse_shape %g [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %wf = tensor.collapse_shape %w [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %n = arith.subf %wf, %gf : tensor<8xf32>
  %new = tensor.expand_shape %n [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %new : tensor<2x4xf32>
}
