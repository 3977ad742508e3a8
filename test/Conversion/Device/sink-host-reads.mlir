// RUN: amp-opt %s --split-input-file --amp-sink-host-reads | FileCheck %s

func.func private @scale() -> f32
func.func private @update(i1)

// The scaler is told at the end, and what only it reads goes along; a number that the
// step needs stays where it is.
// CHECK-LABEL: func @step(
// CHECK-SAME:    %[[F:.*]]: tensor<i1>, %[[N:.*]]: tensor<f32>, %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:  %[[S:.*]] = call @scale()
// CHECK-NEXT:  %[[SHARED:.*]] = tensor.extract %[[N]]
// CHECK-NEXT:  %[[SUM:.*]] = arith.addf %[[SHARED]], %[[S]]
// CHECK-NEXT:  tensor.from_elements %[[SUM]]
// CHECK-NEXT:  arith.addf %[[X]], %[[X]]
// CHECK-NEXT:  %[[FOUND:.*]] = tensor.extract %[[F]]
// CHECK-NEXT:  call @update(%[[FOUND]])
// CHECK-NEXT:  %[[ZERO:.*]] = arith.constant
// CHECK-NEXT:  %[[OK:.*]] = arith.cmpf olt, %[[SHARED]], %[[ZERO]]
// CHECK-NEXT:  cf.assert %[[OK]], "late"
// CHECK-NEXT:  return
func.func @step(%found: tensor<i1>, %n: tensor<f32>, %x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %s = call @scale() : () -> f32
  %f = tensor.extract %found[] : tensor<i1>
  call @update(%f) : (i1) -> ()
  %shared = tensor.extract %n[] : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %ok = arith.cmpf olt, %shared, %zero : f32
  cf.assert %ok, "late"
  %sum = arith.addf %shared, %s : f32
  %r = tensor.from_elements %sum : tensor<f32>
  %y = arith.addf %x, %x : tensor<4xf32>
  return %r, %y : tensor<f32>, tensor<4xf32>
}

// -----

// A scale that is read again would be another one: what is in front of it stays.
func.func private @scale() -> f32
func.func private @update(i1)
// CHECK-LABEL: func @twice(
// CHECK-NEXT:  tensor.extract
// CHECK-NEXT:  call @update
// CHECK-NEXT:  call @scale
// CHECK-NEXT:  tensor.from_elements
// CHECK-NEXT:  tensor.extract
// CHECK-NEXT:  call @update
// CHECK-NEXT:  return
func.func @twice(%a: tensor<i1>, %b: tensor<i1>) -> tensor<f32> {
  %fa = tensor.extract %a[] : tensor<i1>
  call @update(%fa) : (i1) -> ()
  %s = call @scale() : () -> f32
  %fb = tensor.extract %b[] : tensor<i1>
  call @update(%fb) : (i1) -> ()
  %r = tensor.from_elements %s : tensor<f32>
  return %r : tensor<f32>
}

// -----

// A loop that reports has its own order; and a call that is given a tensor may write it.
func.func private @update(i1)
func.func private @show(tensor<4xf32>)
// CHECK-LABEL: func @loop(
// CHECK-NEXT:  tensor.extract
// CHECK-NEXT:  call @update
// CHECK-NEXT:  call @show
// CHECK-NEXT:  scf.for
// CHECK:         func.call @update
// CHECK:       arith.addf
// CHECK-NEXT:  return
func.func @loop(%a: tensor<i1>, %x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %f = tensor.extract %a[] : tensor<i1>
  call @update(%f) : (i1) -> ()
  call @show(%x) : (tensor<4xf32>) -> ()
  scf.for %i = %n to %n step %n {
    func.call @update(%f) : (i1) -> ()
  }
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Extents are known to the host before anything is started: that they do not fit is not found
// out at the end. Reports behind that are sunk all the same.
// CHECK-LABEL: func @extents(
// CHECK:       tensor.dim
// CHECK:       cf.assert %{{.*}}, "extents"
// CHECK:       arith.addf
// CHECK-NEXT:  tensor.extract
// CHECK-NEXT:  cf.assert %{{.*}}, "elements"
// CHECK-NEXT:  return
func.func @extents(%b: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %fits = arith.cmpi eq, %n, %c4 : index
  cf.assert %fits, "extents"
  %holds = tensor.extract %b[] : tensor<i1>
  cf.assert %holds, "elements"
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
