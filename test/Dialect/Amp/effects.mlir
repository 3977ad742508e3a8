// Reads of a scaler's state and its updates keep their order under the stock
// passes that merge, move and delete.
// RUN: amp-opt %s --canonicalize | FileCheck %s
// RUN: amp-opt %s --cse | FileCheck %s
// RUN: amp-opt %s --loop-invariant-code-motion | FileCheck %s
// RUN: amp-opt %s --control-flow-sink | FileCheck %s
// RUN: amp-opt %s --cse | FileCheck %s --check-prefix=CSE

amp.scaler @loss {initial_scale = 65536.0 : f64}

// The scale may have changed between the two.
// CHECK-LABEL: func.func @scale_update_scale
// CHECK-SAME: %[[X:.*]]: tensor<f32>, %[[F:.*]]: tensor<i1>
func.func @scale_update_scale(%x: tensor<f32>, %f: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: %[[A:.*]] = amp.scale_loss %[[X]]
  // CHECK: amp.update_scale @loss, %[[F]]
  // CHECK: %[[B:.*]] = amp.scale_loss %[[X]]
  // CHECK: return %[[A]], %[[B]]
  %0 = amp.scale_loss %x using @loss : tensor<f32>
  amp.update_scale @loss, %f
  %1 = amp.scale_loss %x using @loss : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// The same for gradients.
// CHECK-LABEL: func.func @unscale_update_unscale
// CHECK-SAME: %[[G:.*]]: tensor<4xf16>
func.func @unscale_update_unscale(%g: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]], %[[F:.*]] = amp.unscale %[[G]]
  // CHECK: amp.update_scale @loss, %[[F]]
  // CHECK: %[[B:.*]], %{{.*}} = amp.unscale %[[G]]
  // CHECK: return %[[A]], %[[B]]
  %0, %f0 = amp.unscale %g using @loss : (tensor<4xf16>) -> tensor<4xf32>
  amp.update_scale @loss, %f0
  %1, %f1 = amp.unscale %g using @loss : (tensor<4xf16>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Two transitions are two, even with one input.
// CHECK-LABEL: func.func @update_twice
func.func @update_twice(%f: tensor<i1>) {
  // CHECK-COUNT-2: amp.update_scale @loss
  amp.update_scale @loss, %f
  amp.update_scale @loss, %f
  // CHECK: return
  return
}

// A loop that updates: each iteration reads anew.
// CHECK-LABEL: func.func @loop_with_update
func.func @loop_with_update(%x: tensor<f32>, %f: tensor<i1>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK:   amp.scale_loss
  // CHECK:   amp.update_scale
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<f32> {
    %0 = amp.scale_loss %x using @loss : tensor<f32>
    %1 = arith.addf %a, %0 : tensor<f32>
    amp.update_scale @loss, %f
    scf.yield %1 : tensor<f32>
  }
  return %r : tensor<f32>
}

// A function that may update stands between, too.
// CHECK-LABEL: func.func @scale_call_scale
func.func @scale_call_scale(%x: tensor<f32>, %f: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: %[[A:.*]] = amp.scale_loss
  // CHECK: call @update_twice
  // CHECK: %[[B:.*]] = amp.scale_loss
  // CHECK: return %[[A]], %[[B]]
  %0 = amp.scale_loss %x using @loss : tensor<f32>
  call @update_twice(%f) : (tensor<i1>) -> ()
  %1 = amp.scale_loss %x using @loss : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// A read does not sink past an update into a branch.
// CHECK-LABEL: func.func @read_before_branch
func.func @read_before_branch(%x: tensor<f32>, %f: tensor<i1>, %c: i1) -> tensor<f32> {
  // CHECK: amp.scale_loss
  // CHECK: amp.update_scale
  // CHECK: scf.if
  %0 = amp.scale_loss %x using @loss : tensor<f32>
  amp.update_scale @loss, %f
  %r = scf.if %c -> tensor<f32> {
    %1 = arith.negf %0 : tensor<f32>
    scf.yield %1 : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %r : tensor<f32>
}

// Taps are seen by the host: each counts, in order.
// CHECK-LABEL: func.func @taps
func.func @taps(%g: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: amp.tap "grad" "a"
  // CHECK: amp.tap "grad" "b"
  // CHECK: %[[C:.*]] = amp.tap "grad" "a"
  // CHECK: return %[[C]]
  %0 = amp.tap "grad" "a" %g : tensor<4xf32>
  %1 = amp.tap "grad" "b" %g : tensor<4xf32>
  %2 = amp.tap "grad" "a" %g : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Near miss: nothing between, one read is enough.
// CSE-LABEL: func.func @scale_scale
func.func @scale_scale(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // CSE: %[[A:.*]] = amp.scale_loss
  // CSE-NOT: amp.scale_loss
  // CSE: return %[[A]], %[[A]]
  %0 = amp.scale_loss %x using @loss : tensor<f32>
  %1 = amp.scale_loss %x using @loss : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// Near miss: a tap between is no update.
// CSE-LABEL: func.func @scale_tap_scale
func.func @scale_tap_scale(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // CSE: %[[A:.*]] = amp.scale_loss
  // CSE: amp.tap
  %0 = amp.scale_loss %x using @loss : tensor<f32>
  %t = amp.tap "loss" "loss" %x : tensor<f32>
  %1 = amp.scale_loss %x using @loss : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// A record is read anew after it was written, and once without.
// CSE-LABEL: func.func @read_write_read
func.func @read_write_read(%h: i64) -> (tensor<17xi64>, tensor<17xi64>, tensor<17xi64>) {
  // CSE: %[[A:.*]] = amp.read_scaler
  // CSE-NOT: amp.read_scaler
  // CSE: amp.write_scaler
  // CSE: %[[B:.*]] = amp.read_scaler
  // CSE: return %[[A]], %[[A]], %[[B]]
  %0 = amp.read_scaler %h
  %1 = amp.read_scaler %h
  amp.write_scaler %h, %0
  %2 = amp.read_scaler %h
  return %0, %1, %2 : tensor<17xi64>, tensor<17xi64>, tensor<17xi64>
}

// Nobody reads what is written: it is the scaler's state all the same.
// CHECK-LABEL: func.func @writes
func.func @writes(%h: i64, %r: tensor<17xi64>) {
  // CHECK: amp.write_scaler
  // CHECK: amp.write_scaler
  amp.write_scaler %h, %r
  amp.write_scaler %h, %r
  return
}

// Each is told, in order.
// CHECK-LABEL: func.func @reports
func.func @reports(%v: tensor<i1>) {
  // CHECK: amp.report_violation %{{.*}}, "b"
  // CHECK: amp.report_violation %{{.*}}, "a"
  // CHECK: amp.report_violation %{{.*}}, "a"
  amp.report_violation %v, "b"
  amp.report_violation %v, "a"
  amp.report_violation %v, "a"
  return
}
