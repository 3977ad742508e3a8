// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" | FileCheck %s
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O3 verbosity=0" | FileCheck %s

// Integer arithmetic in floats, as a front end writes `(ids * 0.5).long()`: a rounding
// to half in between would give other integers.

// CHECK-LABEL: func.func @forward_backward
func.func @forward_backward(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %ids: tensor<4xi64> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "l"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: %[[F:.*]] = arith.sitofp
  // CHECK-NOT: amp.cast
  // CHECK: %[[D:.*]] = arith.mulf %[[F]], %{{.*}} : tensor<4xf32>
  // CHECK-NOT: amp.cast
  // CHECK: arith.fptosi %[[D]]
  %f = arith.sitofp %ids : tensor<4xi64> to tensor<4xf32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %d = arith.mulf %f, %half : tensor<4xf32>
  %i = arith.fptosi %d : tensor<4xf32> to tensor<4xi64>
  %m = arith.sitofp %i : tensor<4xi64> to tensor<4xf32>
  %y = arith.mulf %w, %m : tensor<4xf32>
  %l = linalg.dot ins(%y, %m : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %q = arith.mulf %b, %m : tensor<4xf32>
  %g = arith.mulf %q, %m : tensor<4xf32>
  return %g, %l : tensor<4xf32>, tensor<f32>
}

// Near miss: a floating input is cast, so what is computed from it rounds.
// CHECK-LABEL: func.func @of_floating_input
func.func @of_floating_input(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "l"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  // CHECK: %[[H:.*]] = amp.cast %{{.*}} : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[R:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: %[[D:.*]] = arith.mulf %[[R]], {{.*}} : tensor<4xf32>
  // CHECK: arith.fptosi %[[D]]
  %d = arith.mulf %x, %half : tensor<4xf32>
  %i = arith.fptosi %d : tensor<4xf32> to tensor<4xi64>
  %m = arith.sitofp %i : tensor<4xi64> to tensor<4xf32>
  %y = arith.mulf %w, %m : tensor<4xf32>
  %l = linalg.dot ins(%y, %m : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %q = arith.mulf %b, %m : tensor<4xf32>
  %g = arith.mulf %q, %m : tensor<4xf32>
  return %g, %l : tensor<4xf32>, tensor<f32>
}
