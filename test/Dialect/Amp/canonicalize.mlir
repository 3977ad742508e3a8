// RUN: amp-opt %s --canonicalize | FileCheck %s --check-prefixes=CHECK,CANON
// RUN: amp-opt %s --sccp | FileCheck %s --check-prefixes=CHECK,SCCP

// Nothing was found: the new value.
// CHECK-LABEL: func.func @finite
// CHECK-SAME: %[[W:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>
func.func @finite(%w: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // CANON-NOT: amp.apply_if_finite
  // CANON: %[[NEW:.*]] = arith.subf %[[W]], %[[G]]
  // CANON: return %[[NEW]]
  %found = arith.constant dense<false> : tensor<i1>
  %0 = amp.apply_if_finite %found keep(%w) {
    %new = arith.subf %w, %g : tensor<4xf32>
    amp.yield %new : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Something was found: the old value.
// CHECK-LABEL: func.func @overflowed
// CHECK-SAME: %[[W:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>
func.func @overflowed(%w: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // CANON-NOT: amp.apply_if_finite
  // CANON-NOT: arith.subf
  // CANON: return %[[W]]
  %found = arith.constant dense<true> : tensor<i1>
  %0 = amp.apply_if_finite %found keep(%w) {
    %new = arith.subf %w, %g : tensor<4xf32>
    amp.yield %new : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Near miss: not known. A constant in the region is not the result's value:
// the kept value is a way around the region.
// CHECK-LABEL: func.func @unknown
// CHECK-SAME: %[[W:.*]]: tensor<4xf32>, %[[F:.*]]: tensor<i1>
func.func @unknown(%w: tensor<4xf32>, %found: tensor<i1>) -> tensor<4xf32> {
  // CHECK: %[[NEW:.*]] = amp.apply_if_finite %[[F]] keep(%[[W]])
  // CHECK: amp.yield
  // CHECK: return %[[NEW]]
  %0 = amp.apply_if_finite %found keep(%w) {
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    amp.yield %zero : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A region whose values nobody wants goes away.
// CHECK-LABEL: func.func @unused
func.func @unused(%w: tensor<4xf32>, %found: tensor<i1>) {
  // CANON-NOT: amp.apply_if_finite
  // CANON-NOT: amp.autocast
  %0 = amp.apply_if_finite %found keep(%w) {
    %1 = arith.negf %w : tensor<4xf32>
    amp.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  %2 = amp.autocast {
    %3 = arith.negf %w : tensor<4xf32>
    amp.yield %3 : tensor<4xf32>
  } : tensor<4xf32>
  // CHECK: return
  return
}

// Of two results one is used: the other goes, with its kept and yielded value.
// CHECK-LABEL: func.func @partly_unused
// CHECK-SAME: %[[W:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>, %[[F:.*]]: tensor<i1>
func.func @partly_unused(%w: tensor<4xf32>, %v: tensor<4xf32>, %found: tensor<i1>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CANON: %[[NEW:.*]] = amp.apply_if_finite %[[F]] keep(%[[V]]) {
  // CANON-NEXT: %[[V1:.*]] = arith.negf %[[V]]
  // CANON-NEXT: amp.yield %[[V1]] : tensor<4xf32>
  %0:2 = amp.apply_if_finite %found keep(%w, %v) {
    %1 = arith.negf %w : tensor<4xf32>
    %2 = arith.negf %v : tensor<4xf32>
    amp.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  // CANON: %[[CAST:.*]] = amp.autocast {
  // CANON-NEXT: %[[V2:.*]] = arith.negf %[[V]]
  // CANON-NEXT: amp.yield %[[V2]] : tensor<4xf32>
  %3:2 = amp.autocast {
    %4 = arith.negf %w : tensor<4xf32>
    %5 = arith.negf %v : tensor<4xf32>
    amp.yield %4, %5 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  // CANON: return %[[NEW]], %[[CAST]]
  return %0#1, %3#1 : tensor<4xf32>, tensor<4xf32>
}

// The region changes nothing for %w: both ways give it.
// CHECK-LABEL: func.func @passed_through
// CHECK-SAME: %[[W:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>, %[[F:.*]]: tensor<i1>
func.func @passed_through(%w: tensor<4xf32>, %v: tensor<4xf32>, %found: tensor<i1>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CANON: %[[NEW:.*]] = amp.apply_if_finite %[[F]] keep(%[[V]])
  %0:2 = amp.apply_if_finite %found keep(%w, %v) {
    %2 = arith.negf %v : tensor<4xf32>
    amp.yield %w, %2 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  // CANON: return %[[W]], %[[NEW]]
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Near miss: the two ways give different arguments.
// CHECK-LABEL: func.func @swapped
func.func @swapped(%w: tensor<4xf32>, %v: tensor<4xf32>, %found: tensor<i1>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = amp.apply_if_finite
  // CHECK: return %[[R]]
  %0 = amp.apply_if_finite %found keep(%w) {
    amp.yield %v : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A region without results stays while something in it has effects.
// CHECK-LABEL: func.func @effects_inside
func.func @effects_inside(%found: tensor<i1>) {
  // CHECK: amp.autocast {
  // CHECK: amp.update_scale
  amp.autocast {
    amp.update_scale @loss, %found
    amp.yield
  }
  return
}

// A constant leaves the region it was made in.
// CHECK-LABEL: func.func @constant_region
func.func @constant_region() -> tensor<2xf32> {
  // SCCP-DAG: arith.constant dense<1.000000e+00> : tensor<2xf32>
  // SCCP: return %{{cst.*}} : tensor<2xf32>
  %0 = amp.autocast {
    %one = arith.constant dense<1.0> : tensor<2xf32>
    amp.yield %one : tensor<2xf32>
  } : tensor<2xf32>
  return %0 : tensor<2xf32>
}

amp.scaler @loss {initial_scale = 65536.0 : f64}
