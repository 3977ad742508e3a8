// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" --verify-diagnostics | FileCheck %s
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0" --verify-diagnostics | FileCheck %s --check-prefix=O1
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" --verify-diagnostics --amp-insert-taps --convert-amp-to-runtime | FileCheck %s --check-prefix=RUNTIME

// A module in the module, with functions of the same names: symbols and a policy are a
// module's own, so that the inner one stays as it is, calls included.

// CHECK-LABEL: func.func @train
// CHECK:       amp.scale_loss
// CHECK:       call @fb({{.*}}) : (tensor<4xf16>, tensor<4xf32>, tensor<f32>)
// CHECK:       call @step({{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf16>)
// CHECK-LABEL: module @inner
// CHECK-NOT:   f16
// CHECK-NOT:   amp.class
// CHECK:       func.func @fb(
// CHECK-NOT:   f16
// CHECK-NOT:   amp.class
// CHECK:       call @fb({{.*}}) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>)
// CHECK:       call @step({{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: module @without_roles

// O1-LABEL: module @inner
// O1-NOT:   amp.{{class|cast|scale|unscale}}

// RUNTIME-LABEL: func.func @train
// RUNTIME:       call @fb(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<4xf16>, tensor<4xf32>, tensor<f32>)
// RUNTIME-LABEL: module @inner
// RUNTIME:       call @fb({{.*}}) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>)

func.func @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func @step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g = call @fb(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = call @step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}

// expected-remark@below {{leaves this nested module as it is, with the roles of '@fb'; compile it as a module of its own, or move its functions into the one around it}}
module @inner {
  func.func @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
      -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
    %e = tensor.empty() : tensor<4xf32>
    %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
    %g = arith.mulf %b, %x : tensor<4xf32>
    return %g : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %n = arith.subf %w, %g : tensor<4xf32>
    return %n : tensor<4xf32>
  }
  func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
    %g = call @fb(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %n = call @step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }
}

// Near miss: nothing to say about a nested module without roles.
module @without_roles {
  func.func @step(%w: tensor<4xf32>) -> tensor<4xf32> {
    return %w : tensor<4xf32>
  }
}
