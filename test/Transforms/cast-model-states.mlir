// RUN: amp-opt %s --split-input-file --amp-cast-model --verify-diagnostics | FileCheck %s

// What states belong to, and so how they are stored: said by `amp.of`, or guessed, with a
// remark. A count or an average that is rounded to half sticks.

//===----------------------------------------------------------------------===//
// Counts: from no gradient
//===----------------------------------------------------------------------===//

// A count of steps in a tensor with dimensions, also one that an overflow stops, one that
// a loop moves, and a power of a decay. Near miss: momentum, and a mean gradient.
module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, keep_batchnorm_fp32 = false, master_weights = false, loss_scale = 1.0>} {
  // CHECK-LABEL: func.func @counts(
  // CHECK-SAME: tensor<4xf16> {amp.name = "w", amp.role = "param"}
  // CHECK-SAME: tensor<2xf32> {amp.name = "t", amp.role = "opt_state"}
  // CHECK-SAME: tensor<2xf32> {amp.name = "taken", amp.role = "opt_state"}
  // CHECK-SAME: tensor<2xf32> {amp.name = "chosen", amp.role = "opt_state"}
  // CHECK-SAME: tensor<2xf32> {amp.name = "rounds", amp.role = "opt_state"}
  // CHECK-SAME: tensor<2xf32> {amp.name = "power", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "w.momentum", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "mean", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "looped", amp.role = "opt_state"}
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<2xf32>
  func.func @counts(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"},
      // expected-remark @+1 {{keeps in f32 'opt_state' 't', 'opt_state' 'taken', 'opt_state' 'chosen' and 2 more: it comes from no gradient, as a count of steps; say what it belongs to with 'amp.of'}}
      %t: tensor<2xf32> {amp.role = "opt_state", amp.name = "t"},
      %taken: tensor<2xf32> {amp.role = "opt_state", amp.name = "taken"},
      %chosen: tensor<2xf32> {amp.role = "opt_state", amp.name = "chosen"},
      %rounds: tensor<2xf32> {amp.role = "opt_state", amp.name = "rounds"},
      %power: tensor<2xf32> {amp.role = "opt_state", amp.name = "power"},
      // expected-remark @+1 {{stores in f16 'opt_state' 'w.momentum' of 'w', 'opt_state' 'mean', 'opt_state' 'looped', as Apex does at O3: an update below half a unit in the last place is lost; 'amp.of' set to "" keeps a state as it is}}
      %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"},
      %mean: tensor<4xf32> {amp.role = "opt_state", amp.name = "mean"},
      %looped: tensor<4xf32> {amp.role = "opt_state", amp.name = "looped"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
          tensor<2xf32> {amp.role = "opt_state", amp.name = "t"},
          tensor<2xf32> {amp.role = "opt_state", amp.name = "taken"},
          tensor<2xf32> {amp.role = "opt_state", amp.name = "chosen"},
          tensor<2xf32> {amp.role = "opt_state", amp.name = "rounds"},
          tensor<2xf32> {amp.role = "opt_state", amp.name = "power"},
          tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"},
          tensor<4xf32> {amp.role = "opt_state", amp.name = "mean"},
          tensor<4xf32> {amp.role = "opt_state", amp.name = "looped"}) {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i4 = arith.constant 4 : index
    %one = arith.constant dense<1.0> : tensor<2xf32>
    %limit = arith.constant 65504.0 : f32
    %decay = arith.constant dense<0.9> : tensor<2xf32>
    %t1 = arith.addf %t, %one : tensor<2xf32>
    // An overflow stops it: by a condition, and by a number that was one.
    %first = tensor.extract %g[%i0] : tensor<4xf32>
    %finite = arith.cmpf olt, %first, %limit : f32
    %taken1, %n = scf.if %finite -> (tensor<2xf32>, tensor<4xf32>) {
      %next = arith.addf %taken, %one : tensor<2xf32>
      %new = arith.subf %w, %g : tensor<4xf32>
      scf.yield %next, %new : tensor<2xf32>, tensor<4xf32>
    } else {
      scf.yield %taken, %w : tensor<2xf32>, tensor<4xf32>
    }
    %number = arith.uitofp %finite : i1 to f32
    %step = tensor.splat %number : tensor<2xf32>
    %chosen1 = arith.addf %chosen, %step : tensor<2xf32>
    %rounds1, %looped1 = scf.for %i = %i0 to %i4 step %i1 iter_args(%r = %rounds, %l = %looped) -> (tensor<2xf32>, tensor<4xf32>) {
      %r1 = arith.addf %r, %one : tensor<2xf32>
      %l1 = arith.addf %l, %g : tensor<4xf32>
      scf.yield %r1, %l1 : tensor<2xf32>, tensor<4xf32>
    }
    %power1 = arith.mulf %power, %decay : tensor<2xf32>
    %m1 = arith.addf %m, %g : tensor<4xf32>
    %splat = tensor.splat %first : tensor<4xf32>
    %mean1 = arith.addf %mean, %splat : tensor<4xf32>
    return %n, %t1, %taken1, %chosen1, %rounds1, %power1, %m1, %mean1, %looped1
        : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
          tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }

  // What the callee says of a state holds for its caller.
  // CHECK-LABEL: func.func @train(
  // CHECK-SAME: %[[T:[^ ]*]]: tensor<2xf32> {amp.name = "t", amp.role = "opt_state"}
  // CHECK-SAME: %[[M:[^ ]*]]: tensor<4xf16> {amp.name = "w.momentum", amp.role = "opt_state"}
  // CHECK: %[[C:.*]]:9 = call @counts(%{{.*}}, %{{.*}}, %[[T]], %[[T]], %[[T]], %[[T]], %[[T]], %[[M]],
  // CHECK: return %{{.*}}, %[[C]]#1,
  func.func @train(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"},
      %t: tensor<2xf32> {amp.role = "opt_state", amp.name = "t"},
      %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
          tensor<2xf32> {amp.role = "opt_state", amp.name = "t"},
          tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"}) {
    %0:9 = call @counts(%w, %g, %t, %t, %t, %t, %t, %m, %m, %m)
        : (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
           tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
        -> (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
            tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    return %0#0, %0#1, %0#6 : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
  }
}

// -----

// Through blocks. Near miss: a state that takes the gradient in another round.
module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, keep_batchnorm_fp32 = false, master_weights = false, loss_scale = 1.0>} {
  // CHECK-LABEL: func.func @blocks(
  // CHECK-SAME: tensor<2xf32> {amp.name = "t", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "m", amp.role = "opt_state"}
  func.func @blocks(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"},
      // expected-remark @+1 {{keeps in f32 'opt_state' 't': it comes from no gradient}}
      %t: tensor<2xf32> {amp.role = "opt_state", amp.name = "t"},
      // expected-remark @+1 {{stores in f16 'opt_state' 'm', as Apex does at O3}}
      %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "m"},
      %c: tensor<i1> {amp.role = "hyper", amp.name = "again"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
          tensor<2xf32> {amp.role = "opt_state", amp.name = "t"},
          tensor<4xf32> {amp.role = "opt_state", amp.name = "m"}) {
    %one = arith.constant dense<1.0> : tensor<2xf32>
    %again = tensor.extract %c[] : tensor<i1>
    cf.br ^loop(%t, %m, %m : tensor<2xf32>, tensor<4xf32>, tensor<4xf32>)
  ^loop(%t0: tensor<2xf32>, %m0: tensor<4xf32>, %next: tensor<4xf32>):
    %t1 = arith.addf %t0, %one : tensor<2xf32>
    cf.cond_br %again, ^loop(%t1, %next, %g : tensor<2xf32>, tensor<4xf32>, tensor<4xf32>), ^end
  ^end:
    %n = arith.subf %w, %g : tensor<4xf32>
    return %n, %t1, %m0 : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
  }
}

// -----

// One element, of no parameter that has one: a scalar in all but rank. Near miss: the
// momentum of a bias of one element.
module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, keep_batchnorm_fp32 = false, master_weights = false, loss_scale = 1.0>} {
  // CHECK-LABEL: func.func @one_element(
  // CHECK-SAME: tensor<1x1xf32> {amp.name = "w.norm", amp.role = "opt_state"}
  // CHECK-SAME: tensor<1xf16> {amp.name = "b.momentum", amp.role = "opt_state"}
  func.func @one_element(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %b: tensor<1xf32> {amp.role = "param", amp.name = "b"},
      %gw: tensor<4xf32> {amp.role = "grad", amp.name = "w"},
      %gb: tensor<1xf32> {amp.role = "grad", amp.name = "b"},
      // expected-remark @+1 {{keeps in f32 'opt_state' 'w.norm' of 'w': it has one element, and no parameter of that shape stands in its name; say what it belongs to with 'amp.of'}}
      %n: tensor<1x1xf32> {amp.role = "opt_state", amp.name = "w.norm"},
      // expected-remark @+1 {{stores in f16 'opt_state' 'b.momentum' of 'b', as Apex does at O3}}
      %m: tensor<1xf32> {amp.role = "opt_state", amp.name = "b.momentum"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
          tensor<1xf32> {amp.role = "param", amp.name = "b"},
          tensor<1x1xf32> {amp.role = "opt_state", amp.name = "w.norm"},
          tensor<1xf32> {amp.role = "opt_state", amp.name = "b.momentum"}) {
    %0 = tensor.expand_shape %gb [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %n1 = arith.addf %n, %0 : tensor<1x1xf32>
    %m1 = arith.addf %m, %gb : tensor<1xf32>
    %w1 = arith.subf %w, %gw : tensor<4xf32>
    %b1 = arith.subf %b, %m1 : tensor<1xf32>
    return %w1, %b1, %n1, %m1 : tensor<4xf32>, tensor<1xf32>, tensor<1x1xf32>, tensor<1xf32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// Names: whose parameter
//===----------------------------------------------------------------------===//

// States of a batch normalisation that is kept in FP32, wherever its name stands: behind a
// path, in brackets, beside an underscore, and the longest one. Near miss: a name that it
// begins, one that another parameter shares, and what says itself whose it is.
module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = false, loss_scale = 1.0>} {
  // CHECK-LABEL: func.func @names(
  // CHECK-SAME: tensor<4xf32> {amp.name = "trace/bn", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf32> {amp.name = "mu['bn']", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf32> {amp.name = "momentum_bn", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "bnx.w.momentum", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "bn.w.momentum", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf32> {amp.name = "nothing", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf32> {amp.name = "first", amp.of = "bn", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "bn.second", amp.of = "bnx.w", amp.role = "opt_state"}
  // CHECK-SAME: tensor<4xf32> {amp.name = "bnx.w.third", amp.of = "", amp.role = "opt_state"}
  func.func @names(
      %b: tensor<4xf32> {amp.role = "param", amp.name = "bn", amp.kind = "batch_norm"},
      %w: tensor<4xf32> {amp.role = "param", amp.name = "bnx.w"},
      %v: tensor<4xf32> {amp.role = "param", amp.name = "bn.w"},
      %g: tensor<4xf32> {amp.role = "grad", amp.name = "bn"},
      // expected-remark @+1 {{keeps in f32 'opt_state' 'trace/bn' of 'bn', 'opt_state' 'mu['bn']' of 'bn', 'opt_state' 'momentum_bn' of 'bn': by its name it belongs to a batch normalisation, which is kept so; say what it belongs to with 'amp.of'}}
      %0: tensor<4xf32> {amp.role = "opt_state", amp.name = "trace/bn"},
      %1: tensor<4xf32> {amp.role = "opt_state", amp.name = "mu['bn']"},
      %2: tensor<4xf32> {amp.role = "opt_state", amp.name = "momentum_bn"},
      // expected-remark @+1 {{stores in f16 'opt_state' 'bnx.w.momentum' of 'bnx.w', as Apex does at O3}}
      %3: tensor<4xf32> {amp.role = "opt_state", amp.name = "bnx.w.momentum"},
      %4: tensor<4xf32> {amp.role = "opt_state", amp.name = "bn.w.momentum"},
      // expected-remark @+1 {{keeps in f32 'opt_state' 'nothing': no parameter stands in its name, and it may be a batch normalisation's; say what it belongs to with 'amp.of'}}
      %5: tensor<4xf32> {amp.role = "opt_state", amp.name = "nothing"},
      %6: tensor<4xf32> {amp.role = "opt_state", amp.name = "first", amp.of = "bn"},
      %7: tensor<4xf32> {amp.role = "opt_state", amp.name = "bn.second", amp.of = "bnx.w"},
      %8: tensor<4xf32> {amp.role = "opt_state", amp.name = "bnx.w.third", amp.of = ""})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "bn", amp.kind = "batch_norm"},
          tensor<4xf32> {amp.role = "opt_state", amp.name = "bnx.w.momentum"}) {
    %n = arith.subf %b, %g : tensor<4xf32>
    %m = arith.addf %3, %g : tensor<4xf32>
    return %n, %m : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Two parameters in one name: the one of its shape, or none.
module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = false, loss_scale = 1.0>} {
  // CHECK-LABEL: func.func @two_names(
  // CHECK-SAME: tensor<4xf32> {amp.name = "v/b", amp.role = "opt_state"}
  // CHECK-SAME: tensor<8xf16> {amp.name = "b/v", amp.role = "opt_state"}
  // CHECK-SAME: tensor<2xf32> {amp.name = "b/v2/v", amp.role = "opt_state"}
  func.func @two_names(
      %b: tensor<4xf32> {amp.role = "param", amp.name = "b", amp.kind = "batch_norm"},
      %v: tensor<8xf32> {amp.role = "param", amp.name = "v"},
      %g: tensor<4xf32> {amp.role = "grad", amp.name = "b"},
      // expected-remark @+1 {{keeps in f32 'opt_state' 'v/b' of 'b': by its name}}
      %0: tensor<4xf32> {amp.role = "opt_state", amp.name = "v/b"},
      %1: tensor<8xf32> {amp.role = "opt_state", amp.name = "b/v"},
      // expected-remark @+1 {{keeps in f32 'opt_state' 'b/v2/v': no parameter stands in its name}}
      %2: tensor<2xf32> {amp.role = "opt_state", amp.name = "b/v2/v"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "b", amp.kind = "batch_norm"}) {
    %n = arith.subf %b, %g : tensor<4xf32>
    return %n : tensor<4xf32>
  }
}

// -----

//===----------------------------------------------------------------------===//
// Buffers: the model's, or the step's
//===----------------------------------------------------------------------===//

// Averages of weights: made by the step, by the optimizer and beside the gradients; where
// an evaluation reads one, it reads f32. Near misses: running statistics, which come from
// the batch, wherever they are made; what the model goes on with (a spectral norm); what
// nobody changes; and a word for it.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
  // CHECK-LABEL: func.func @fb(
  // CHECK-SAME: tensor<4xf16> {amp.name = "w", amp.role = "param"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "running", amp.role = "buffer"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "spectral", amp.role = "buffer"}
  // CHECK-SAME: tensor<4xf32> {amp.name = "beside", amp.role = "buffer"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "table", amp.role = "buffer"}
  // CHECK-SAME: tensor<4xf32> {amp.name = "own", amp.of = "", amp.role = "buffer"}
  func.func @fb(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      // expected-remark @+1 {{stores in f16 'buffer' 'running', 'buffer' 'spectral', 'buffer' 'outside', as Apex does at O2: an update below half a unit in the last place is lost; 'amp.of' set to "" keeps a state as it is}}
      %running: tensor<4xf32> {amp.role = "buffer", amp.name = "running"},
      %spectral: tensor<4xf32> {amp.role = "buffer", amp.name = "spectral"},
      // expected-remark @+1 {{keeps in f32 'buffer' 'beside', 'buffer' 'after', 'buffer' 'average': nothing that trains the model reads it, and it comes from no batch, as an average of weights; say what it belongs to with 'amp.of'}}
      %beside: tensor<4xf32> {amp.role = "buffer", amp.name = "beside"},
      %table: tensor<4xf32> {amp.role = "buffer", amp.name = "table"},
      %own: tensor<4xf32> {amp.role = "buffer", amp.name = "own", amp.of = ""},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"},
          tensor<f32> {amp.role = "loss", amp.name = "l"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "running"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "spectral"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "beside"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "own"},
          tensor<4xf32>) {
    %r = arith.addf %running, %x : tensor<4xf32>
    %u = arith.addf %spectral, %w : tensor<4xf32>
    %b = arith.addf %beside, %w : tensor<4xf32>
    %o = arith.addf %own, %x : tensor<4xf32>
    %y = arith.mulf %u, %x : tensor<4xf32>
    %yt = arith.mulf %y, %table : tensor<4xf32>
    return %yt, %s, %r, %u, %b, %o, %y
        : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @optimizer(
  // CHECK-SAME: tensor<4xf32> {amp.name = "after", amp.role = "buffer"}
  func.func @optimizer(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"},
      %after: tensor<4xf32> {amp.role = "buffer", amp.name = "after"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "after"}) {
    %n = arith.subf %w, %g : tensor<4xf32>
    %a = arith.addf %after, %n : tensor<4xf32>
    return %n, %a : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @train(
  // CHECK-SAME: tensor<4xf32> {amp.name = "average", amp.role = "buffer"}
  // CHECK-SAME: tensor<4xf32> {amp.name = "after", amp.role = "buffer"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "running", amp.role = "buffer"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "outside", amp.role = "buffer"}
  func.func @train(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %average: tensor<4xf32> {amp.role = "buffer", amp.name = "average"},
      %after: tensor<4xf32> {amp.role = "buffer", amp.name = "after"},
      %running: tensor<4xf32> {amp.role = "buffer", amp.name = "running"},
      %outside: tensor<4xf32> {amp.role = "buffer", amp.name = "outside"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
          tensor<f32> {amp.role = "loss", amp.name = "l"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "average"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "after"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "running"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "outside"}) {
    %0:7 = call @fb(%w, %running, %running, %running, %running, %running, %x, %s)
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>)
        -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    %n, %a = call @optimizer(%w, %0#0, %after) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %c = arith.constant dense<0.001> : tensor<4xf32>
    %d = arith.subf %n, %average : tensor<4xf32>
    %e = arith.mulf %d, %c : tensor<4xf32>
    %f = arith.addf %average, %e : tensor<4xf32>
    %o = arith.addf %outside, %0#6 : tensor<4xf32>
    return %n, %0#1, %f, %a, %0#2, %o
        : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @evaluate(
  // CHECK-SAME: tensor<4xf32> {amp.name = "average", amp.role = "buffer"}
  // CHECK-SAME: tensor<4xf16> {amp.name = "outside", amp.role = "buffer"}
  func.func @evaluate(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %average: tensor<4xf32> {amp.role = "buffer", amp.name = "average"},
      %outside: tensor<4xf32> {amp.role = "buffer", amp.name = "outside"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
      -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
    %0 = arith.mulf %x, %average : tensor<4xf32>
    %1 = arith.addf %0, %outside : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

// With nothing to guess there is no remark: of a batch normalisation, with masters, of
// rank 0, of integers.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
  // CHECK-LABEL: func.func @no_remark(
  // CHECK-SAME: tensor<4xf32> {amp.kind = "batch_norm", amp.name = "bn.mean", amp.role = "buffer"}
  // CHECK-SAME: tensor<4xf32> {amp.name = "w.momentum", amp.role = "opt_state"}
  func.func @no_remark(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %mean: tensor<4xf32> {amp.role = "buffer", amp.name = "bn.mean", amp.kind = "batch_norm"},
      %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"},
      %t: tensor<f32> {amp.role = "opt_state", amp.name = "t"},
      %k: tensor<2xi32> {amp.role = "opt_state", amp.name = "k"},
      %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
          tensor<4xf32> {amp.role = "buffer", amp.name = "bn.mean", amp.kind = "batch_norm"},
          tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"},
          tensor<f32> {amp.role = "opt_state", amp.name = "t"},
          tensor<2xi32> {amp.role = "opt_state", amp.name = "k"}) {
    %n = arith.subf %w, %g : tensor<4xf32>
    %a = arith.addf %mean, %n : tensor<4xf32>
    %m1 = arith.addf %m, %g : tensor<4xf32>
    %t1 = arith.addf %t, %t : tensor<f32>
    %k1 = arith.addi %k, %k : tensor<2xi32>
    return %n, %a, %m1, %t1, %k1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<2xi32>
  }
}
