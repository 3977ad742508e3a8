// A window of accumulated gradients is dropped for one bad micro-batch. The next call knows
// of it by what is in the sum: where that may have lost the infinity, NaNs are put there.
//
// RUN: amp-opt %s --amp-guard-updates --split-input-file | FileCheck %s

// Bounded: the infinity is 0.5 in the sum.
// CHECK-LABEL: func.func @clamped
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[R:.*]]:{{[0-9]+}} = scf.if
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<4xf32>
// CHECK: %[[NEXT:.*]] = amp.apply_if_finite %[[R]]#{{[0-9]+}} keep(%[[NAN]]) {
// CHECK-NEXT: amp.yield %[[R]]#1
// CHECK: return %{{.*}}, %[[NEXT]]
amp.scaler @s {initial_scale = 65536.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"},
                      tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @clamped(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                   %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %last: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %most = arith.constant dense<0.5> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %c = arith.minimumf %u, %most : tensor<4xf32>
  %sum = arith.addf %acc, %c : tensor<4xf32>
  %r:2 = scf.if %last -> (tensor<4xf32>, tensor<4xf32>) {
    %n = arith.subf %w, %sum : tensor<4xf32>
    scf.yield %n, %zero : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %w, %sum : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----
// Left out by the program, where an overflow chooses it.
// CHECK-LABEL: func.func @masked
// CHECK: arith.constant dense<0x7FC00000> : tensor<4xf32>
// CHECK: amp.apply_if_finite
// CHECK: return
amp.scaler @s {initial_scale = 65536.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"},
                      tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @masked(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                  %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %last: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %none = arith.constant dense<0.0> : tensor<f32>
  %square = linalg.dot ins(%u, %u : tensor<4xf32>, tensor<4xf32>) outs(%none : tensor<f32>) -> tensor<f32>
  %e = tensor.extract %square[] : tensor<f32>
  %limit = arith.constant 1.0e3 : f32
  %good = arith.cmpf olt, %e, %limit : f32
  %c = scf.if %good -> tensor<4xf32> {
    scf.yield %u : tensor<4xf32>
  } else {
    scf.yield %zero : tensor<4xf32>
  }
  %sum = arith.addf %acc, %c : tensor<4xf32>
  %r:2 = scf.if %last -> (tensor<4xf32>, tensor<4xf32>) {
    %n = arith.subf %w, %sum : tensor<4xf32>
    scf.yield %n, %zero : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %w, %sum : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----
// Near miss: clipped by norm. The infinity times 0 is NaN.
// CHECK-LABEL: func.func @by_norm
// CHECK-NOT: 0x7FC00000
// CHECK: return
amp.scaler @s {initial_scale = 65536.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"},
                      tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @by_norm(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                   %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %last: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %none = arith.constant dense<0.0> : tensor<f32>
  %square = linalg.dot ins(%u, %u : tensor<4xf32>, tensor<4xf32>) outs(%none : tensor<f32>) -> tensor<f32>
  %norm = math.sqrt %square : tensor<f32>
  %empty = tensor.empty() : tensor<4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%u, %norm : tensor<4xf32>, tensor<f32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  %sum = arith.addf %acc, %c : tensor<4xf32>
  %r:2 = scf.if %last -> (tensor<4xf32>, tensor<4xf32>) {
    %n = arith.subf %w, %sum : tensor<4xf32>
    scf.yield %n, %zero : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %w, %sum : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
