// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-keep-scalers-on-device))" --split-input-file | FileCheck %s
func.func private @ampRtScalerScale(i64) -> f32
func.func private @ampRtScalerUpdateFromProgram(i64, i1)
func.func private @other(i64) -> f32
func.func private @advance(i64)

// The scale is an element of a tensor that the device computes, whatever reads it.
// CHECK-LABEL: func.func @scale
// CHECK-SAME: %[[H:.*]]: i64
func.func @scale(%h: i64) -> f32 {
  // CHECK: %[[R:.*]] = amp.read_scaler %[[H]]
  // CHECK: %[[T:.*]] = linalg.generic
  // CHECK: tensor.extract %[[R]]
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK: linalg.yield
  // CHECK: %[[S:.*]] = tensor.extract %[[T]][] : tensor<f32>
  // CHECK: return %[[S]]
  %0 = call @ampRtScalerScale(%h) : (i64) -> f32
  return %0 : f32
}

// A transition: the flag's own tensor is read, and the record written.
// CHECK-LABEL: func.func @update
// CHECK-SAME: %[[H:.*]]: i64, %[[F:.*]]: tensor<1x1xi1>
func.func @update(%h: i64, %found: tensor<1x1xi1>) {
  // CHECK: %[[R:.*]] = amp.read_scaler %[[H]]
  // CHECK-NOT: tensor.from_elements
  // CHECK: %[[N:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[F]] : tensor<1x1xi1>)
  // CHECK: -> tensor<17xi64>
  // CHECK: amp.write_scaler %[[H]], %[[N]]
  // CHECK-NOT: call
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %found[%c0, %c0] : tensor<1x1xi1>
  call @ampRtScalerUpdateFromProgram(%h, %0) : (i64, i1) -> ()
  return
}

// Near miss: a flag that is in no tensor is put into one.
// CHECK-LABEL: func.func @update_number
// CHECK-SAME: %{{.*}}: i64, %[[F:.*]]: i1
func.func @update_number(%h: i64, %found: i1) {
  // CHECK: tensor.from_elements %[[F]] : tensor<i1>
  call @ampRtScalerUpdateFromProgram(%h, %found) : (i64, i1) -> ()
  return
}

// One record, and one scale, for all that ask for it before the update; another one behind
// it, and of another scaler another one.
// CHECK-LABEL: func.func @once
// CHECK-SAME: %[[H:.*]]: i64, %[[G:.*]]: i64
func.func @once(%h: i64, %g: i64, %found: i1) -> (f32, f32, f32, f32) {
  // CHECK: %[[R:.*]] = amp.read_scaler %[[H]]
  // CHECK: %[[T:.*]] = linalg.generic
  // CHECK: %[[A:.*]] = tensor.extract %[[T]][]
  // CHECK: amp.read_scaler %[[G]]
  // CHECK: linalg.generic
  // CHECK: %[[B:.*]] = tensor.extract %{{.*}}[] : tensor<f32>
  // CHECK-NOT: linalg.generic
  // CHECK: %[[C:.*]] = tensor.extract %[[T]][]
  // CHECK-NOT: amp.read_scaler
  // CHECK: amp.write_scaler
  // CHECK: amp.read_scaler %[[H]]
  // CHECK: %[[U:.*]] = linalg.generic
  // CHECK: %[[D:.*]] = tensor.extract %[[U]][]
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %0 = call @ampRtScalerScale(%h) : (i64) -> f32
  %1 = call @ampRtScalerScale(%g) : (i64) -> f32
  %2 = call @ampRtScalerScale(%h) : (i64) -> f32
  call @ampRtScalerUpdateFromProgram(%h, %found) : (i64, i1) -> ()
  %3 = call @ampRtScalerScale(%h) : (i64) -> f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// A function that is called may update, and so may a branch.
// CHECK-LABEL: func.func @others_update
func.func @others_update(%h: i64, %found: i1) -> (f32, f32, f32) {
  // CHECK: amp.read_scaler
  // CHECK: call @advance
  // CHECK: amp.read_scaler
  // CHECK: scf.if
  // CHECK: amp.read_scaler
  // CHECK: amp.write_scaler
  // CHECK: amp.read_scaler
  %0 = call @ampRtScalerScale(%h) : (i64) -> f32
  call @advance(%h) : (i64) -> ()
  %1 = call @ampRtScalerScale(%h) : (i64) -> f32
  scf.if %found {
    func.call @ampRtScalerUpdateFromProgram(%h, %found) : (i64, i1) -> ()
  }
  %2 = call @ampRtScalerScale(%h) : (i64) -> f32
  return %0, %1, %2 : f32, f32, f32
}

// Near miss: another function.
// CHECK-LABEL: func.func @not_a_scaler
func.func @not_a_scaler(%h: i64) -> f32 {
  // CHECK-NOT: amp.read_scaler
  // CHECK: call @other
  %0 = call @other(%h) : (i64) -> f32
  return %0 : f32
}

// So may a tap's callback, and a function that nobody names.
// CHECK-LABEL: func.func @taps_and_pointers
func.func @taps_and_pointers(%h: i64, %t: i64, %x: tensor<4xf32>, %f: (i64) -> ()) -> (f32, f32, f32) {
  // CHECK: amp.read_scaler
  // CHECK: amp.tap
  // CHECK: amp.read_scaler
  // CHECK: call_indirect
  // CHECK: amp.read_scaler
  %0 = call @ampRtScalerScale(%h) : (i64) -> f32
  %y = amp.tap "grad" "w" %x via %t : tensor<4xf32>
  %1 = call @ampRtScalerScale(%h) : (i64) -> f32
  call_indirect %f(%h) : (i64) -> ()
  %2 = call @ampRtScalerScale(%h) : (i64) -> f32
  return %0, %1, %2 : f32, f32, f32
}

// In each round of a loop.
// CHECK-LABEL: func.func @rounds
func.func @rounds(%h: i64, %found: i1, %n: index) -> f32 {
  // CHECK: scf.for
  // CHECK: amp.read_scaler
  // CHECK: amp.write_scaler
  // CHECK: }
  // CHECK: amp.read_scaler
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @ampRtScalerUpdateFromProgram(%h, %found) : (i64, i1) -> ()
  }
  %0 = call @ampRtScalerScale(%h) : (i64) -> f32
  return %0 : f32
}

// -----

// Functions of those names that are others.
// CHECK-LABEL: func.func @others
// CHECK-NOT: amp.read_scaler
func.func private @ampRtScalerScale(i64) -> f64
func.func private @ampRtScalerUpdateFromProgram(i64, i8)
func.func @others(%h: i64, %found: i8) -> f64 {
  call @ampRtScalerUpdateFromProgram(%h, %found) : (i64, i8) -> ()
  %0 = call @ampRtScalerScale(%h) : (i64) -> f64
  return %0 : f64
}
