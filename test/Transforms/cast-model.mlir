// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" --amp-cast-model | FileCheck %s --check-prefixes=CHECK,O2
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O3 verbosity=0" --amp-cast-model | FileCheck %s --check-prefixes=CHECK,O3
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O5 verbosity=0" --amp-cast-model | FileCheck %s --check-prefixes=CHECK,O5
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 keep-batchnorm-fp32=False verbosity=0" --amp-cast-model \
// RUN:     | FileCheck %s --check-prefixes=NORM-CAST

// Levels that do not cast the model leave every signature alone.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O0 verbosity=0" > %t.before
// RUN: amp-opt %t.before --amp-cast-model | diff %t.before -
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0" > %t.before
// RUN: amp-opt %t.before --amp-cast-model | diff %t.before -
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O4 verbosity=0" > %t.before
// RUN: amp-opt %t.before --amp-cast-model | diff %t.before -

// A second run finds nothing to do.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" --amp-cast-model > %t.once
// RUN: amp-opt %t.once --amp-cast-model | diff %t.once -

// Which arguments and results are stored in half, by role, and that casts at entries,
// exits and calls leave every body computing what it did.

// Parameters and floating buffers of the model in half, and gradients with them; what
// belongs to batch norm in f32; batch, seed and loss as they were; integers never.
// The gradient of a norm's parameter has no kind of its own: it is known by name.
// CHECK-LABEL: func.func @forward_backward(
// O2-SAME:  %[[W:[^ ]*]]: tensor<4xf16> {amp.name = "w", amp.role = "param"}
// O2-SAME:  %[[GAMMA:[^ ]*]]: tensor<4xf32> {amp.kind = "batch_norm", amp.name = "bn.weight", amp.role = "param"}
// O2-SAME:  tensor<4xf16> {amp.name = "table", amp.role = "buffer"}
// O2-SAME:  tensor<4xf32> {amp.kind = "batch_norm", amp.name = "bn.running_mean", amp.role = "buffer"}
// O2-SAME:  tensor<i64> {amp.name = "count", amp.role = "buffer"}
// O2-SAME:  tensor<4xf32> {amp.name = "x0", amp.role = "batch"}
// O2-SAME:  tensor<4xi64> {amp.name = "x1", amp.role = "batch"}
// O2-SAME:  tensor<f32> {amp.name = "loss", amp.role = "loss_seed"}
// O2-SAME:  -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}
// O2-SAME:      tensor<4xf16> {amp.name = "w", amp.role = "grad"}
// O2-SAME:      tensor<4xf32> {amp.name = "bn.weight", amp.role = "grad"}
// O2-SAME:      tensor<4xf16> {amp.name = "table", amp.role = "buffer"}
// O2-SAME:      tensor<4xf32> {amp.kind = "batch_norm", amp.name = "bn.running_mean", amp.role = "buffer"}
// O2-SAME:      tensor<i64> {amp.name = "count", amp.role = "buffer"}
//
// At O3 batch norm is cast too.
// O3-SAME:  tensor<4xf16> {amp.name = "w", amp.role = "param"}
// O3-SAME:  tensor<4xf16> {amp.kind = "batch_norm", amp.name = "bn.weight", amp.role = "param"}
// O3-SAME:  tensor<4xf16> {amp.name = "table", amp.role = "buffer"}
// O3-SAME:  tensor<4xf16> {amp.kind = "batch_norm", amp.name = "bn.running_mean", amp.role = "buffer"}
// O3-SAME:  -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}
// O3-SAME:      tensor<4xf16> {amp.name = "w", amp.role = "grad"}
// O3-SAME:      tensor<4xf16> {amp.name = "bn.weight", amp.role = "grad"}
//
// O5 is O2 in bf16.
// O5-SAME:  tensor<4xbf16> {amp.name = "w", amp.role = "param"}
// O5-SAME:  tensor<4xf32> {amp.kind = "batch_norm", amp.name = "bn.weight", amp.role = "param"}
// O5-SAME:  tensor<4xbf16> {amp.name = "table", amp.role = "buffer"}
// O5-SAME:  -> (tensor<f32>
// O5-SAME:      tensor<4xbf16> {amp.name = "w", amp.role = "grad"}
//
// NORM-CAST-LABEL: func.func @forward_backward(
// NORM-CAST-SAME: tensor<4xf16> {amp.kind = "batch_norm", amp.name = "bn.weight", amp.role = "param"}
// NORM-CAST-SAME: tensor<4xf16> {amp.kind = "batch_norm", amp.name = "bn.running_mean", amp.role = "buffer"}
// NORM-CAST-SAME: tensor<4xf16> {amp.name = "bn.weight", amp.role = "grad"}
func.func @forward_backward(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"},
    %table: tensor<4xf32> {amp.role = "buffer", amp.name = "table"},
    %mean: tensor<4xf32> {amp.role = "buffer", amp.name = "bn.running_mean", amp.kind = "batch_norm"},
    %count: tensor<i64> {amp.role = "buffer", amp.name = "count"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %label: tensor<4xi64> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "grad", amp.name = "w"},
        tensor<4xf32> {amp.role = "grad", amp.name = "bn.weight"},
        tensor<4xf32> {amp.role = "buffer", amp.name = "table"},
        tensor<4xf32> {amp.role = "buffer", amp.name = "bn.running_mean", amp.kind = "batch_norm"},
        tensor<i64> {amp.role = "buffer", amp.name = "count"}) {
  // The body goes on in f32: widened where it enters, rounded where it leaves.
  // O2:     %[[WIDE:.*]] = amp.cast %[[W]] : tensor<4xf16> to tensor<4xf32>
  // O2-NOT: amp.cast %[[GAMMA]]
  // O2:     %[[P:.*]] = arith.mulf %{{.*}}, %[[WIDE]] : tensor<4xf32>
  %p = arith.mulf %x, %w : tensor<4xf32>
  // O2:     %[[Q:.*]] = arith.mulf %[[P]], %[[GAMMA]] : tensor<4xf32>
  %q = arith.mulf %p, %gamma : tensor<4xf32>
  // O2:     %[[GRAD:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // O2:     return %{{.*}}, %[[GRAD]], %[[Q]],
  return %seed, %p, %q, %table, %mean, %count
      : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>
}

// With masters the optimizer works in f32 throughout. Without, in half, but for states
// of rank 0: a count of steps is no tensor of weights.
// CHECK-LABEL: func.func @optimizer_step(
// O2-SAME: tensor<4xf32> {amp.name = "w", amp.role = "param"}
// O2-SAME: tensor<4xf32> {amp.name = "w", amp.role = "grad"}
// O2-SAME: tensor<4xf32> {amp.name = "w.momentum", amp.role = "opt_state"}
// O2-SAME: -> (tensor<4xf32> {amp.name = "w", amp.role = "param"}
// O3-SAME: tensor<4xf16> {amp.name = "w", amp.role = "param"}
// O3-SAME: tensor<4xf16> {amp.name = "bn.weight", amp.role = "param"}
// O3-SAME: tensor<4xf16> {amp.name = "w", amp.role = "grad"}
// O3-SAME: tensor<4xf16> {amp.name = "bn.weight", amp.role = "grad"}
// O3-SAME: tensor<4xf16> {amp.name = "w.momentum", amp.role = "opt_state"}
// O3-SAME: tensor<f32> {amp.name = "step", amp.role = "opt_state"}
// O3-SAME: tensor<i32> {amp.name = "ticks", amp.role = "opt_state"}
// O3-SAME: -> (tensor<4xf16> {amp.name = "w", amp.role = "param"}
// O3-SAME:     tensor<4xf16> {amp.name = "w.momentum", amp.role = "opt_state"}
// O3-SAME:     tensor<f32> {amp.name = "step", amp.role = "opt_state"}
func.func @optimizer_step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.weight"},
    %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"},
    %gg: tensor<4xf32> {amp.role = "grad", amp.name = "bn.weight"},
    %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"},
    %step: tensor<f32> {amp.role = "opt_state", amp.name = "step"},
    %ticks: tensor<i32> {amp.role = "opt_state", amp.name = "ticks"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "param", amp.name = "bn.weight"},
        tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"},
        tensor<f32> {amp.role = "opt_state", amp.name = "step"},
        tensor<i32> {amp.role = "opt_state", amp.name = "ticks"}) {
  %n = arith.subf %w, %g : tensor<4xf32>
  %o = arith.subf %gamma, %gg : tensor<4xf32>
  return %n, %o, %m, %step, %ticks
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>
}

// The train step keeps its parameters in f32 where they are masters, and casts around
// the calls; its model buffers are the model's.
// CHECK-LABEL: func.func @train_step(
// O2-SAME: %[[W:[^ ]*]]: tensor<4xf32> {amp.name = "w", amp.role = "param"}
// O2-SAME: %[[GAMMA:[^ ]*]]: tensor<4xf32> {amp.name = "bn.weight", amp.role = "param"}
// O2-SAME: %[[TABLE:[^ ]*]]: tensor<4xf16> {amp.name = "table", amp.role = "buffer"}
// O3-SAME: %[[W:[^ ]*]]: tensor<4xf16> {amp.name = "w", amp.role = "param"}
// O3-SAME: %[[GAMMA:[^ ]*]]: tensor<4xf16> {amp.name = "bn.weight", amp.role = "param"}
// O3-SAME: %[[TABLE:[^ ]*]]: tensor<4xf16> {amp.name = "table", amp.role = "buffer"}
func.func @train_step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.weight"},
    %table: tensor<4xf32> {amp.role = "buffer", amp.name = "table"},
    %mean: tensor<4xf32> {amp.role = "buffer", amp.name = "bn.running_mean", amp.kind = "batch_norm"},
    %count: tensor<i64> {amp.role = "buffer", amp.name = "count"},
    %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"},
    %step: tensor<f32> {amp.role = "opt_state", amp.name = "step"},
    %ticks: tensor<i32> {amp.role = "opt_state", amp.name = "ticks"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %label: tensor<4xi64> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // The parameter is rounded for the call, the buffer passed as it is, the gradient
  // widened for what the step did with it.
  // O2: %[[H:.*]] = amp.cast %[[W]] : tensor<4xf32> to tensor<4xf16>
  // O2: %[[FB:.*]]:6 = call @forward_backward(%[[H]], %[[GAMMA]], %[[TABLE]],
  // O2: %[[G:.*]] = amp.cast %[[FB]]#1 : tensor<4xf16> to tensor<4xf32>
  // O2: call @optimizer_step(%[[W]], %[[GAMMA]], %[[G]], %[[FB]]#2,
  //
  // Half to half: no cast between the calls.
  // O3: %[[FB:.*]]:6 = call @forward_backward(%[[W]], %[[GAMMA]], %[[TABLE]],
  // O3: %[[OPT:.*]]:5 = call @optimizer_step(%[[W]], %[[GAMMA]], %[[FB]]#1, %[[FB]]#2,
  // O3: return %[[FB]]#0, %{{.*}} : tensor<f32>, tensor<4xf16>
  %fb:6 = call @forward_backward(%w, %gamma, %table, %mean, %count, %x, %label, %seed)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<4xf32>,
         tensor<4xi64>, tensor<f32>)
      -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>)
  %opt:5 = call @optimizer_step(%w, %gamma, %fb#1, %fb#2, %m, %step, %ticks)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>)
  return %fb#0, %opt#0 : tensor<f32>, tensor<4xf32>
}

// The output has its usual type: f32.
// CHECK-LABEL: func.func @evaluate(
// O2-SAME: tensor<4xf16> {amp.name = "w", amp.role = "param"}
// O2-SAME: -> (tensor<4xf32> {amp.name = "y0", amp.role = "output"})
// O3-SAME: tensor<4xf16> {amp.name = "w", amp.role = "param"}
// O3-SAME: -> (tensor<4xf32> {amp.name = "y0", amp.role = "output"})
func.func @evaluate(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %p = arith.mulf %x, %w : tensor<4xf32>
  return %p : tensor<4xf32>
}

// A declaration with the level's types is what it says (the others: cast-model-invalid).
// CHECK-LABEL: func.func private @declared_in_half(
// CHECK-SAME: tensor<4xf16> {amp.name = "w", amp.role = "param"}
func.func private @declared_in_half(tensor<4xf16> {amp.role = "param", amp.name = "w"},
                                    tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"})

// What a caller without roles has stays f32: an epoch's loop.
// CHECK-LABEL: func.func @driver(
// CHECK-SAME: %[[W:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<4xf32>) -> tensor<4xf32>
// O2: %[[H:.*]] = amp.cast %[[W]] : tensor<4xf32> to tensor<4xf16>
// O2: call @evaluate(%[[H]], %[[X]])
func.func @driver(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @evaluate(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A reference to a function that stays as it is.
// CHECK-LABEL: func.func @reference(
// CHECK: constant @no_roles
func.func @reference() -> ((tensor<4xf32>) -> tensor<4xf32>) {
  %f = constant @no_roles : (tensor<4xf32>) -> tensor<4xf32>
  return %f : (tensor<4xf32>) -> tensor<4xf32>
}

// Values of other floating types are the user's.
// CHECK-LABEL: func.func @other_types(
// CHECK-SAME: tensor<4xf64> {amp.name = "w", amp.role = "param"}
// CHECK-SAME: tensor<4xbf16> {amp.name = "v", amp.role = "param"}
// CHECK-NOT: amp.cast
// CHECK: return
func.func @other_types(%w: tensor<4xf64> {amp.role = "param", amp.name = "w"},
                       %v: tensor<4xbf16> {amp.role = "param", amp.name = "v"},
                       %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf64> {amp.role = "output", amp.name = "y0"}) {
  return %w : tensor<4xf64>
}

// A function without roles is nobody's model.
// CHECK-LABEL: func.func @no_roles(
// CHECK-SAME: %{{.*}}: tensor<4xf32>) -> tensor<4xf32>
func.func @no_roles(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// The state of a parameter without dimensions may as well be a count: it stays.
// CHECK-LABEL: func.func @scalar_step(
// O3-SAME: tensor<f16> {amp.name = "t", amp.role = "param"}
// O3-SAME: tensor<f32> {amp.name = "t.momentum", amp.role = "opt_state"}
func.func @scalar_step(
    %t: tensor<f32> {amp.role = "param", amp.name = "t"},
    %g: tensor<f32> {amp.role = "grad", amp.name = "t"},
    %m: tensor<f32> {amp.role = "opt_state", amp.name = "t.momentum"})
    -> (tensor<f32> {amp.role = "param", amp.name = "t"},
        tensor<f32> {amp.role = "opt_state", amp.name = "t.momentum"}) {
  %m1 = arith.addf %m, %g : tensor<f32>
  %n = arith.subf %t, %m1 : tensor<f32>
  return %n, %m1 : tensor<f32>, tensor<f32>
}

// A train step that returns a gradient returns it as its optimizer takes it.
// CHECK-LABEL: func.func @shows_gradient(
// O2-SAME: -> (tensor<4xf32> {amp.name = "w", amp.role = "param"}, tensor<4xf32> {amp.name = "w", amp.role = "grad"})
// O3-SAME: -> (tensor<4xf16> {amp.name = "w", amp.role = "param"}, tensor<4xf16> {amp.name = "w", amp.role = "grad"})
func.func @shows_gradient(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %n = arith.subf %w, %x : tensor<4xf32>
  return %n, %x : tensor<4xf32>, tensor<4xf32>
}
