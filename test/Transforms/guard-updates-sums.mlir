// RUN: amp-opt %s --amp-guard-updates=keep-finite-sums --split-input-file | FileCheck %s
// Twice is as once.
// RUN: amp-opt %s --amp-guard-updates=keep-finite-sums --split-input-file > %t.once
// RUN: amp-opt %t.once --amp-guard-updates=keep-finite-sums --split-input-file | diff %t.once -

// What a sum is without the gradient that is left out of it. That each micro-batch is
// applied once is shown by running it: Integration/Host/guard-sums.test.

amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})

// Reset at the start: the accumulator still holds the sum of the last window.
// CHECK-LABEL: func.func @reset_at_start(
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[START:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ACC]]
// CHECK: %[[SUM:.*]] = arith.addf %[[START]], %[[U]]
// CHECK-NEXT: %[[KEPT:.*]] = amp.apply_if_finite %[[F]] keep(%[[START]]) {
// CHECK-NEXT: amp.yield %[[SUM]]
// CHECK: %[[N:.*]] = arith.subf %{{.*}}, %[[KEPT]]
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %[[N]], %[[KEPT]]
func.func @reset_at_start(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                          %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %first: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %start = arith.select %first, %zeros, %acc : tensor<4xf32>
  %sum = arith.addf %start, %u : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @reset_by_product(
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[START:.*]] = arith.mulf %[[ACC]]
// CHECK: arith.addf
// CHECK-NEXT: amp.apply_if_finite %[[F]] keep(%[[START]])
// CHECK-NOT: amp.apply_if_finite
func.func @reset_by_product(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                            %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %mask: tensor<4xf32>)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %start = arith.mulf %acc, %mask : tensor<4xf32>
  %sum = arith.addf %u, %start : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// Begun with the gradient: with zeros instead.
// CHECK-LABEL: func.func @begun(
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[SUM:.*]] = scf.if
// CHECK-NEXT: %[[ZEROS:.*]] = arith.constant dense<0.0
// CHECK-NEXT: %[[FIRST:.*]] = amp.apply_if_finite %[[F]] keep(%[[ZEROS]]) {
// CHECK-NEXT: amp.yield %[[U]]
// CHECK: scf.yield %[[FIRST]]
// CHECK: %[[NEXT:.*]] = amp.apply_if_finite %[[F]] keep(%[[ACC]])
// CHECK: scf.yield %[[NEXT]]
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %{{.*}}, %[[SUM]]
func.func @begun(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                 %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %first: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = scf.if %first -> (tensor<4xf32>) {
    scf.yield %u : tensor<4xf32>
  } else {
    %more = arith.addf %acc, %u : tensor<4xf32>
    scf.yield %more : tensor<4xf32>
  }
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @fused(
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[SUM:.*]] = math.fma
// CHECK-NEXT: amp.apply_if_finite %[[F]] keep(%[[ACC]])
// CHECK-NOT: amp.apply_if_finite
func.func @fused(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                 %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %weight: tensor<4xf32>)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = math.fma %u, %weight, %acc : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// The last of a window: the update reads what it was before, and the step runs.
// CHECK-LABEL: func.func @body(
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite %[[F]] keep(%[[ACC]]) {
// CHECK-NEXT: amp.yield %[[SUM]]
// CHECK: arith.subf %{{.*}}, %[[KEPT]]
// CHECK-NOT: amp.apply_if_finite
func.func @body(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.empty() : tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
      ins(%acc, %u : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %b, %half : f32
    %r = arith.addf %a, %h : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// The program leaves it out itself, by a test of the gradient.
// CHECK-LABEL: func.func @own_test(
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[CHOSEN:.*]] = arith.select
// CHECK: amp.apply_if_finite %[[F]] keep(%[[ACC]]) {
// CHECK-NEXT: amp.yield %[[CHOSEN]]
func.func @own_test(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                    %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %c0 = arith.constant 0 : index
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %ok = math.isfinite %e : f32
  %more = arith.addf %acc, %u : tensor<4xf32>
  %sum = arith.select %ok, %more, %acc : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// Near miss: an average of the weights adds no gradient, and takes them as the step
// left them.
// CHECK-LABEL: func.func @average(
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[N:.*]] = amp.apply_if_finite %[[F]]
// CHECK: %[[SUM:.*]] = arith.addf %[[ACC]], %[[N]]
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %[[N]], %[[SUM]]
func.func @average(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                   %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  %sum = arith.addf %acc, %n : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// Near miss: weights that a sum is added to are no sum.
// CHECK-LABEL: func.func @added_to_weights(
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[A:.*]] = arith.subf %[[W:.*]], %[[U]]
// CHECK: %[[N:.*]] = arith.addf %[[A]], %[[ACC]]
// CHECK: amp.apply_if_finite %[[F]] keep(%[[W]]) {
// CHECK-NEXT: amp.yield %[[N]]
func.func @added_to_weights(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                            %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %a = arith.subf %w, %u : tensor<4xf32>
  %n = arith.addf %a, %acc : tensor<4xf32>
  return %n, %zeros : tensor<4xf32>, tensor<4xf32>
}
