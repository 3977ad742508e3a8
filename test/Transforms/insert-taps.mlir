// RUN: amp-opt %s --amp-insert-taps --split-input-file | FileCheck %s
// Runs once.
// RUN: amp-opt %s --amp-insert-taps --split-input-file > %t.once
// RUN: amp-opt %t.once --amp-insert-taps --split-input-file | diff %t.once -

// Where the host sees gradients: scaled, as the backward pass returns them, and as the
// optimizer takes them.

module {
  func.func private @forward_backward(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<4xf32> {amp.role = "grad", amp.name = "w"},
          tensor<2xf32> {amp.role = "grad", amp.name = "b"})
  func.func private @optimizer_step(
      tensor<4xf32> {amp.role = "param", amp.name = "w"},
      tensor<4xf32> {amp.role = "grad", amp.name = "w"},
      tensor<2xf32> {amp.role = "grad", amp.name = "b"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})

  // The names are the parameters'; the loss has no tap. A step needs no scaler to be
  // looked at.
  // CHECK-LABEL: func.func @unscaled_step
  func.func @unscaled_step(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    // CHECK: %[[FB:.*]]:3 = call @forward_backward
    // CHECK-NOT: %[[FB]]#0
    // CHECK-DAG: %[[SW:.*]] = amp.tap "scaled_grad" "w" %[[FB]]#1 : tensor<4xf32>
    // CHECK-DAG: %[[SB:.*]] = amp.tap "scaled_grad" "b" %[[FB]]#2 : tensor<2xf32>
    // CHECK-DAG: %[[GW:.*]] = amp.tap "grad" "w" %[[SW]] : tensor<4xf32>
    // CHECK-DAG: %[[GB:.*]] = amp.tap "grad" "b" %[[SB]] : tensor<2xf32>
    // CHECK-NOT: %[[FB]]#0
    // CHECK: call @optimizer_step(%{{.*}}, %[[GW]], %[[GB]])
    %fb:3 = call @forward_backward(%w, %seed) : (tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<2xf32>)
    %n = call @optimizer_step(%w, %fb#1, %fb#2) : (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }

  // Near miss: only train steps are looked at.
  // CHECK-LABEL: func.func @not_a_train_step
  // CHECK-NOT: amp.tap
  // CHECK: return
  func.func @not_a_train_step(%w: tensor<4xf32>, %seed: tensor<f32>) -> tensor<4xf32> {
    %fb:3 = call @forward_backward(%w, %seed) : (tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<2xf32>)
    return %fb#1 : tensor<4xf32>
  }
}

// -----

// In a scaled step: the injected infinity comes before the test for infinities, and the
// measured norm after the unscaling, inside the guard.

module {
  amp.scaler @s {initial_scale = 128.0 : f64}
  func.func private @forward_backward(
      tensor<4xf16> {amp.role = "param", amp.name = "w"},
      tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf16> {amp.role = "grad", amp.name = "w"})
  func.func private @optimizer_step(
      tensor<4xf32> {amp.role = "master", amp.name = "w"},
      tensor<4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4xf32> {amp.role = "master", amp.name = "w"})
  // CHECK-LABEL: func.func @scaled_step
  func.func @scaled_step(
      %m: tensor<4xf32> {amp.role = "master", amp.name = "w"},
      %w: tensor<4xf16> {amp.role = "param", amp.name = "w"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<4xf32> {amp.role = "master", amp.name = "w"}) {
    // CHECK: %[[G:.*]] = call @forward_backward
    // CHECK: %[[T:.*]] = amp.tap "scaled_grad" "w" %[[G]] : tensor<4xf16>
    // CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale %[[T]]
    // CHECK: amp.apply_if_finite %[[F]]
    // CHECK: %[[V:.*]] = amp.tap "grad" "w" %[[U]] : tensor<4xf32>
    // CHECK: func.call @optimizer_step(%{{.*}}, %[[V]])
    %g = call @forward_backward(%w, %seed) : (tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
    %u, %f = amp.unscale %g using @s : (tensor<4xf16>) -> tensor<4xf32>
    %n = amp.apply_if_finite %f keep(%m) {
      %0 = func.call @optimizer_step(%m, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      amp.yield %0 : tensor<4xf32>
    } : tensor<4xf32>
    return %n : tensor<4xf32>
  }
}
