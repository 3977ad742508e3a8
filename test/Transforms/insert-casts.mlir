// RUN: amp-opt %s --amp-insert-casts | FileCheck %s
// Run twice it changes nothing.
// RUN: amp-opt %s --amp-insert-casts > %t.once
// RUN: amp-opt %t.once --amp-insert-casts | diff %t.once -

// A value is rounded exactly when it leaves its unit. Units and classes are written
// out here; who gets which is amp-annotate-precision's matter.

// CHECK: module attributes {amp.casts_inserted
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

//===----------------------------------------------------------------------===//
// One rounding for each unit
//===----------------------------------------------------------------------===//

// Two operations of a low unit: the operand is rounded, the sum is rounded, the product
// between them is not.
// CHECK-LABEL: func.func @rounds_once
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @rounds_once(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[XH:.*]] = amp.cast %[[X]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[XW:.*]] = amp.cast %[[XH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: %[[P:.*]] = arith.mulf %[[XW]], %[[XW]]
  // CHECK: %[[S:.*]] = arith.addf %[[P]], %[[XW]]
  // CHECK: %[[SH:.*]] = amp.cast %[[S]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[SW:.*]] = amp.cast %[[SH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK-NOT: amp.cast
  // CHECK: return %[[SW]]
  %0 = arith.mulf %x, %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = arith.addf %0, %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Near miss: two units, two roundings.
// CHECK-LABEL: func.func @rounds_between_units
func.func @rounds_between_units(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[P:.*]] = arith.mulf
  // CHECK: %[[PH:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[PW:.*]] = amp.cast %[[PH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: arith.addf %[[PW]],
  %0 = arith.mulf %x, %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = arith.addf %0, %x {amp.class = #amp.class<low, unit = 1>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// An inner value that somebody else wants too is raw inside and rounded outside: a
// framework would have computed it twice.
// CHECK-LABEL: func.func @raw_inside_rounded_outside
func.func @raw_inside_rounded_outside(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[P:.*]] = arith.mulf
  // CHECK: %[[PH:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[PW:.*]] = amp.cast %[[PH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: arith.addf %[[P]],
  // CHECK: math.absf %[[PW]]
  %0 = arith.mulf %x, %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = arith.addf %0, %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %2 = math.absf %0 {amp.class = #amp.class<follow, unit = 1>} : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// The backward half of a unit takes what the forward half keeps to itself raw, and
// what it hands to others as they get it: the rounded result that a framework saves.
// CHECK-LABEL: func.func @backward_shares_inner_values
func.func @backward_shares_inner_values(%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[INNER:.*]] = arith.mulf
  // CHECK: %[[RESULT:.*]] = arith.addf %[[INNER]],
  // CHECK: %[[H:.*]] = amp.cast %[[RESULT]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[SAVED:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: %[[G0:.*]] = arith.mulf %{{.*}}, %[[INNER]]
  // CHECK: %[[G1:.*]] = arith.mulf %[[G0]], %[[SAVED]]
  // The gradient leaves the unit: rounded.
  // CHECK: %[[GH:.*]] = amp.cast %[[G1]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[GW:.*]] = amp.cast %[[GH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: return %[[SAVED]], %[[GW]]
  %0 = arith.mulf %x, %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = arith.addf %0, %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %2 = arith.mulf %g, %0 {amp.class = #amp.class<low, unit = 0, backward>} : tensor<4xf32>
  %3 = arith.mulf %2, %1 {amp.class = #amp.class<low, unit = 0, backward>} : tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// A half batch norm must not round its sum of squares: 300 squared is no half. The sum
// lies between two operations of one unit.
// CHECK-LABEL: func.func @sum_of_squares_inside
func.func @sum_of_squares_inside(%x: tensor<4x8xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[SUM:.*]] = linalg.reduce
  // CHECK-NOT: amp.cast %[[SUM]]
  // CHECK: math.rsqrt %[[SUM]]
  %0 = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.class = #amp.class<low, unit = 0>} (%a: f32, %acc: f32) {
        %q = arith.mulf %a, %a : f32
        %s = arith.addf %q, %acc : f32
        linalg.yield %s : f32
      }
  %1 = math.rsqrt %0 {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A view between two operations of one unit moves raw elements.
// CHECK-LABEL: func.func @view_inside_unit
func.func @view_inside_unit(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // CHECK: %[[P:.*]] = arith.mulf
  // CHECK-NOT: amp.cast
  // CHECK: %[[V:.*]] = tensor.expand_shape %[[P]] {{.*}} : tensor<4xf32> into tensor<2x2xf32>
  // CHECK-NEXT: math.absf %[[V]]
  %0 = arith.mulf %x, %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] {amp.class = #amp.class<follow, unit = 0>}
      : tensor<4xf32> into tensor<2x2xf32>
  %2 = math.absf %1 {amp.class = #amp.class<low, unit = 0>} : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

//===----------------------------------------------------------------------===//
// One cast for each value
//===----------------------------------------------------------------------===//

// Several users share one cast, next to the definition: for an argument, at the entry.
// CHECK-LABEL: func.func @one_cast_for_all_users
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>, %[[C:.*]]: tensor<4x4xf32>
func.func @one_cast_for_all_users(%x: tensor<4x4xf32>, %c: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[H:.*]] = amp.cast %[[X]] : tensor<4x4xf32> to tensor<4x4xf16>
  // CHECK-NOT: amp.cast %[[X]]
  // CHECK: linalg.matmul {{.*}} ins(%[[H]], %[[H]] :
  // CHECK-NOT: amp.cast %[[X]]
  // CHECK: linalg.matmul {{.*}} ins(%[[H]], %{{.*}} :
  // CHECK-NOT: amp.cast %[[X]]
  // CHECK: return
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul {amp.class = #amp.class<low, unit = 1>}
      ins(%x, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Used in a loop only, cast before it.
// CHECK-LABEL: func.func @cast_outside_of_loop
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x4xf32>
func.func @cast_outside_of_loop(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: %[[H:.*]] = amp.cast %[[X]] : tensor<4x4xf32> to tensor<4x4xf16>
  // CHECK: scf.for
  // CHECK-NOT: amp.cast %[[X]]
  // CHECK: linalg.matmul {{.*}} ins(%{{.*}}, %[[H]] :
  %r = scf.for %i = %zero to %n step %one iter_args(%h = %y) -> tensor<4x4xf32> {
    %e = tensor.empty() : tensor<4x4xf32>
    %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
        ins(%h, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %0 : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// What amp-cast-model widened is taken in half as it came: no cast of a cast.
// CHECK-LABEL: func.func @widened_parameter
// CHECK-SAME: %[[W:.*]]: tensor<4x4xf16>
func.func @widened_parameter(%w: tensor<4x4xf16>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[WIDE:.*]] = amp.cast %[[W]] : tensor<4x4xf16> to tensor<4x4xf32>
  // CHECK-NOT: amp.cast %[[WIDE]]
  // CHECK: linalg.matmul {{.*}} ins(%[[W]], %[[W]] :
  // CHECK: math.absf %[[WIDE]]
  %0 = amp.cast %w : tensor<4x4xf16> to tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = math.absf %0 {amp.class = #amp.class<low, unit = 1>} : tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A rounding that stands in the program is used, not repeated.
// CHECK-LABEL: func.func @rounded_before
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @rounded_before(%x: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>) {
  // CHECK: %[[H:.*]] = amp.cast %[[X]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: math.absf %[[W]]
  // CHECK: return %[[H]],
  %0 = math.absf %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = amp.cast %x : tensor<4xf32> to tensor<4xf16>
  return %1, %0 : tensor<4xf16>, tensor<4xf32>
}

} // module
