// RUN: amp-opt %s --amp-accumulate-gradients=micro-batches=3 | FileCheck %s
// RUN: amp-opt %s --amp-accumulate-gradients=micro-batches=3 --amp-accumulate-gradients=micro-batches=3 | FileCheck %s
// RUN: amp-opt %s --amp-accumulate-gradients=micro-batches=3 --amp-accumulate-gradients | FileCheck %s
// RUN: amp-opt %s --amp-accumulate-gradients=micro-batches=1 | FileCheck %s --check-prefix=ONE
// RUN: amp-opt %s --amp-accumulate-gradients | FileCheck %s --check-prefix=ONE
// RUN: amp-opt %s --amp-accumulate-gradients=micro-batches=1024 | FileCheck %s --check-prefix=MOST

// As many as there may be.
// MOST-LABEL: func.func @train_step
// MOST-SAME: tensor<2048x4xf32> {amp.name = "x0"
// MOST-SAME: amp.micro_batches = 1024
// MOST-COUNT-1024: call @forward_backward

// ONE-NOT: micro_batches
// ONE-LABEL: func.func @train_step
// ONE-SAME: tensor<2x4xf32> {amp.name = "x0"
// ONE-COUNT-1: call @forward_backward
// ONE-NOT: call @forward_backward

func.func private @forward_backward(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<4xf32> {amp.role = "buffer", amp.name = "mean"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<2x?xf16> {amp.role = "batch", amp.name = "x1"},
    tensor<f32> {amp.role = "batch", amp.name = "x2"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "grad", amp.name = "w"},
        tensor<4xf32> {amp.role = "buffer", amp.name = "mean"})
func.func private @optimizer_step(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})

// The batch has three times the rows, and a scalar is no batch of rows. Gradients are
// added, the losses' mean is taken, the buffer goes from part to part, and clipping
// stands after the sum. Attributes of the call (delays of unscaling) are on all.
// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "param"}, %[[M:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6x4xf32> {amp.name = "x0"
// CHECK-SAME: %[[Y:[a-z0-9]+]]: tensor<6x?xf16> {amp.name = "x1"
// CHECK-SAME: %[[Z:[a-z0-9]+]]: tensor<f32> {amp.name = "x2"
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<f32> {amp.name = "loss"
// CHECK-SAME: attributes {amp.micro_batches = 3 : i64}
func.func @train_step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %m: tensor<4xf32> {amp.role = "buffer", amp.name = "mean"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<2x?xf16> {amp.role = "batch", amp.name = "x1"},
    %z: tensor<f32> {amp.role = "batch", amp.name = "x2"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "buffer", amp.name = "mean"}) {
  // CHECK: %[[THREE:.*]] = arith.constant dense<3.000000e+00> : tensor<f32>
  // CHECK: %[[SEED:.*]] = arith.divf %[[S]], %[[THREE]]
  // CHECK: %[[X0:.*]] = tensor.extract_slice %[[X]][0, 0] [2, 4] [1, 1]
  // CHECK: %[[Y0:.*]] = tensor.extract_slice %[[Y]][0, 0] [2, %{{.*}}] [1, 1]
  // CHECK: %[[F0:.*]]:3 = call @forward_backward(%[[W]], %[[M]], %[[X0]], %[[Y0]], %[[Z]], %[[SEED]]) {amp.delay_overflow_check}
  // CHECK: %[[X1:.*]] = tensor.extract_slice %[[X]][2, 0] [2, 4] [1, 1]
  // CHECK: %[[F1:.*]]:3 = call @forward_backward(%[[W]], %[[F0]]#2, %[[X1]], %{{.*}}, %[[Z]], %[[SEED]]) {amp.delay_overflow_check}
  // CHECK: %[[L1:.*]] = arith.addf %[[F0]]#0, %[[F1]]#0
  // CHECK: %[[G1:.*]] = arith.addf %[[F0]]#1, %[[F1]]#1
  // CHECK: %[[X2:.*]] = tensor.extract_slice %[[X]][4, 0] [2, 4] [1, 1]
  // CHECK: %[[F2:.*]]:3 = call @forward_backward(%[[W]], %[[F1]]#2, %[[X2]], %{{.*}}, %[[Z]], %[[SEED]]) {amp.delay_overflow_check}
  // CHECK: %[[L2:.*]] = arith.addf %[[L1]], %[[F2]]#0
  // CHECK: %[[G2:.*]] = arith.addf %[[G1]], %[[F2]]#1
  // CHECK: %[[LOSS:.*]] = arith.divf %[[L2]], %{{.*}}
  // CHECK: %[[C:.*]] = arith.minimumf %[[G2]], %[[W]]
  // CHECK: %[[NEW:.*]] = call @optimizer_step(%[[W]], %[[C]])
  // CHECK: return %[[LOSS]], %[[NEW]], %[[F2]]#2
  %loss, %g, %mean = call @forward_backward(%w, %m, %x, %y, %z, %seed) {amp.delay_overflow_check}
      : (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<2x?xf16>, tensor<f32>, tensor<f32>)
      -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  %clipped = arith.minimumf %g, %w : tensor<4xf32>
  %new = call @optimizer_step(%w, %clipped) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %loss, %new, %mean : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}

// A function that trains nothing stays as it is.
// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: tensor<2x4xf32> {amp.name = "x0"
func.func @evaluate(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<2x4xf32> {amp.role = "output", amp.name = "y0"}) {
  return %x : tensor<2x4xf32>
}

// Each state of a part goes to the next one by its role and name: buffers, random
// numbers, and what is accumulated over calls.
func.func private @with_states(
    tensor<4xf32> {amp.role = "param", amp.name = "w"},
    tensor<4xf32> {amp.role = "buffer", amp.name = "mean"},
    tensor<4xf32> {amp.role = "buffer", amp.name = "var"},
    tensor<2xi64> {amp.role = "rng", amp.name = "key"},
    tensor<4xf32> {amp.role = "accumulator", amp.name = "w"},
    tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "buffer", amp.name = "var"},
        tensor<4xf32> {amp.role = "buffer", amp.name = "mean"},
        tensor<2xi64> {amp.role = "rng", amp.name = "key"},
        tensor<4xf32> {amp.role = "accumulator", amp.name = "w"},
        tensor<4xf32> {amp.role = "grad", amp.name = "w"})
// CHECK-LABEL: func.func @states
// CHECK: %[[F0:.*]]:5 = call @with_states(%[[W:[a-z0-9]+]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}},
// CHECK: %[[F1:.*]]:5 = call @with_states(%[[W]], %[[F0]]#1, %[[F0]]#0, %[[F0]]#2, %[[F0]]#3,
// CHECK: %[[F2:.*]]:5 = call @with_states(%[[W]], %[[F1]]#1, %[[F1]]#0, %[[F1]]#2, %[[F1]]#3,
// CHECK: return %{{.*}}, %[[F2]]#1, %[[F2]]#0, %[[F2]]#2, %[[F2]]#3
func.func @states(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %mean: tensor<4xf32> {amp.role = "buffer", amp.name = "mean"},
    %var: tensor<4xf32> {amp.role = "buffer", amp.name = "var"},
    %key: tensor<2xi64> {amp.role = "rng", amp.name = "key"},
    %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"},
    %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "buffer", amp.name = "mean"},
        tensor<4xf32> {amp.role = "buffer", amp.name = "var"},
        tensor<2xi64> {amp.role = "rng", amp.name = "key"},
        tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %r:5 = call @with_states(%w, %mean, %var, %key, %acc, %x, %seed)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xi64>, tensor<4xf32>, tensor<2x4xf32>, tensor<f32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<2xi64>, tensor<4xf32>, tensor<4xf32>)
  %new = call @optimizer_step(%w, %r#4) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %new, %r#1, %r#0, %r#2, %r#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xi64>, tensor<4xf32>
}
