// RUN: amp-opt %s --convert-amp-to-runtime --split-input-file | FileCheck %s

// Whether an overflow under a static scale skips the update is the program's decision,
// and the scaler is told of it: it counts the steps.

// Found behind a call, an `or` and a branch.
// CHECK: amp.scalers = [{{{.*}}name = "guarded", {{.*}}skips, static}, {{{.*}}name = "apart", {{.*}}static}]
// CHECK-LABEL: func.func private @update
amp.scaler @guarded {initial_scale = 2.0 : f64, static_scale}
amp.scaler @apart {initial_scale = 2.0 : f64, static_scale}
func.func private @update(%w: tensor<4xf32>, %g: tensor<4xf32>, %f: tensor<i1>) -> tensor<4xf32> {
  %n = arith.subf %w, %g : tensor<4xf32>
  %r = amp.apply_if_finite %f keep(%w) {
    amp.yield %n : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @step(%w: tensor<4xf32>, %g: tensor<4xf32>, %h: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %no = arith.constant dense<false> : tensor<i1>
  %any = scf.if %c -> tensor<i1> {
    %u, %f = amp.unscale %g using @guarded : (tensor<4xf32>) -> tensor<4xf32>
    amp.update_scale @guarded, %f
    scf.yield %f : tensor<i1>
  } else {
    scf.yield %no : tensor<i1>
  }
  %either = arith.ori %any, %no : tensor<i1>
  %n = call @update(%w, %g, %either) : (tensor<4xf32>, tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  // Near miss: what nothing is guarded by.
  %v, %e = amp.unscale %h using @apart : (tensor<4xf32>) -> tensor<4xf32>
  amp.update_scale @apart, %e
  return %n, %v : tensor<4xf32>, tensor<4xf32>
}

// -----

// Near miss: a dynamic scaler knows by itself.
// CHECK: amp.scalers = [
// CHECK-NOT: skips
// CHECK-LABEL: func.func @dynamic_step
amp.scaler @dynamic {initial_scale = 2.0 : f64}
func.func @dynamic_step(%w: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %u, %f = amp.unscale %g using @dynamic : (tensor<4xf32>) -> tensor<4xf32>
  amp.update_scale @dynamic, %f
  %r = amp.apply_if_finite %f keep(%w) {
    amp.yield %u : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
