// RUN: amp-opt %s --amp-inline-helpers | FileCheck %s
// RUN: amp-opt %s --amp-inline-helpers --amp-inline-helpers | FileCheck %s

// A helper of a helper goes in as well, and both are gone.
// CHECK-LABEL: func @evaluate(
// CHECK-NOT:     call
// CHECK:         %[[Y:.*]] = arith.maximumf
// CHECK-NEXT:    return %[[Y]]
// CHECK-NOT:   @relu
// CHECK-NOT:   @maximum
func.func @evaluate(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %0 = call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @maximum(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @maximum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = arith.maximumf %x, %zero : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Near misses: what calls itself, through another too, what has no body or several
// blocks, and what has roles.
// CHECK-LABEL: func @others(
// CHECK:         call @itself
// CHECK:         call @even
// CHECK:         call @outside
// CHECK:         call @branches
// CHECK:         call @backward
func.func @others(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
                  %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %0 = call @itself(%w) : (tensor<f32>) -> tensor<f32>
  %1 = call @even(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @outside(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @branches(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @backward(%3, %seed) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
func.func private @itself(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @itself(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @even(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @odd(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @odd(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @even(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @outside(tensor<f32>) -> tensor<f32>
func.func private @branches(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<f32>
}
func.func private @backward(tensor<f32> {amp.role = "param", amp.name = "w"},
                            tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "grad", amp.name = "w"})

// A public helper is inlined and kept; a caller without roles keeps its call.
// CHECK-LABEL: func @twice(
// CHECK:         arith.addf
// CHECK-LABEL: func @plain(
// CHECK:         call @twice
// CHECK-LABEL: func @uses_twice(
// CHECK-NEXT:    arith.addf
func.func @twice(%x: tensor<f32>) -> tensor<f32> {
  %0 = arith.addf %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func @plain(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @twice(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @uses_twice(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) -> tensor<f32> {
  %0 = call @twice(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
