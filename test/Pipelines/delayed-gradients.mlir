// Gradients of several backward passes that are unscaled once, with the last of them,
// whatever order they are added in, and where half gradients round each sum (O3).
//
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 loss-scale=dynamic verbosity=0" | FileCheck %s
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 loss-scale=dynamic verbosity=0" | FileCheck %s
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O3 loss-scale=dynamic verbosity=0" | FileCheck %s

func.func private @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %p = arith.mulf %w, %x : tensor<4xf32>
  %q = arith.mulf %p, %x : tensor<4xf32>
  %g = arith.mulf %q, %b : tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func private @step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %r = arith.constant dense<0.1> : tensor<4xf32>
  %d = arith.mulf %g, %r : tensor<4xf32>
  %n = arith.subf %w, %d : tensor<4xf32>
  return %n : tensor<4xf32>
}

// CHECK-LABEL: func.func @in_order(
// CHECK-COUNT-4: call @fb
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale %[[SUM]]
// CHECK-NOT: arith.addf
// CHECK: amp.apply_if_finite %[[F]]
func.func @in_order(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g0 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g1 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g2 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g3 = call @fb(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a1 = arith.addf %g0, %g1 : tensor<4xf32>
  %a2 = arith.addf %a1, %g2 : tensor<4xf32>
  %a3 = arith.addf %a2, %g3 : tensor<4xf32>
  %n = call @step(%w, %a3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}

// CHECK-LABEL: func.func @last_first(
// CHECK-COUNT-4: call @fb
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale %[[SUM]]
// CHECK-NOT: arith.addf
// CHECK: amp.apply_if_finite %[[F]]
func.func @last_first(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g0 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g1 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g2 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g3 = call @fb(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a2 = arith.addf %g3, %g2 : tensor<4xf32>
  %a1 = arith.addf %a2, %g1 : tensor<4xf32>
  %a0 = arith.addf %a1, %g0 : tensor<4xf32>
  %n = call @step(%w, %a0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}

// CHECK-LABEL: func.func @mixed(
// CHECK-COUNT-4: call @fb
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale %[[SUM]]
// CHECK-NOT: arith.addf
// CHECK: amp.apply_if_finite %[[F]]
func.func @mixed(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g0 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g1 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g2 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g3 = call @fb(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a3 = arith.addf %g1, %g3 : tensor<4xf32>
  %a0 = arith.addf %a3, %g0 : tensor<4xf32>
  %a2 = arith.addf %a0, %g2 : tensor<4xf32>
  %n = call @step(%w, %a2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}

// Near miss: one that is added to nothing stays scaled, and is taken by nothing.
// CHECK-LABEL: func.func @left_out(
// CHECK: call @fb
// CHECK: %[[G:.*]] = call @fb
// CHECK: amp.unscale %[[G]]
// CHECK-NOT: arith.addf
// CHECK: return
func.func @left_out(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g0 = call @fb(%w, %x, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g1 = call @fb(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %r = arith.constant dense<0.5> : tensor<4xf32>
  %h = arith.mulf %g1, %r : tensor<4xf32>
  %n = call @step(%w, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
