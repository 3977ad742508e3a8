// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-defer-asserts))" | FileCheck %s

func.func private @tell(i1)

// In the order of the text; numbers that only they needed are left to canonicalization.
// CHECK-LABEL: func.func @end
// CHECK-SAME: %[[A:.*]]: tensor<i1>, %[[B:.*]]: tensor<i1>
func.func @end(%a: tensor<i1>, %b: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: call @tell
  // CHECK-NOT: cf.assert
  // CHECK: amp.report_violation %[[A]], "first"
  // CHECK-NOT: cf.assert
  // CHECK: amp.report_violation %[[B]], "second"
  // CHECK-NOT: cf.assert
  // CHECK: return
  %true = arith.constant true
  func.call @tell(%true) : (i1) -> ()
  %fa = tensor.extract %a[] : tensor<i1>
  %ha = arith.xori %fa, %true : i1
  cf.assert %ha, "first"
  %fb = tensor.extract %b[] : tensor<i1>
  %hb = arith.xori %fb, %true : i1
  %y = arith.addf %x, %x : tensor<4xf32>
  cf.assert %hb, "second"
  return %y : tensor<4xf32>
}

// Near misses: an effect behind it; the element itself; a number of the host; one of several.
// CHECK-LABEL: func.func @in_front_of_an_effect
// CHECK: cf.assert
// CHECK-NOT: amp.report_violation
func.func @in_front_of_an_effect(%a: tensor<i1>) {
  %true = arith.constant true
  %f = tensor.extract %a[] : tensor<i1>
  %h = arith.xori %f, %true : i1
  cf.assert %h, "text"
  func.call @tell(%true) : (i1) -> ()
  return
}
// CHECK-LABEL: func.func @the_element
// CHECK: cf.assert
func.func @the_element(%a: tensor<i1>) {
  %f = tensor.extract %a[] : tensor<i1>
  cf.assert %f, "text"
  return
}
// CHECK-LABEL: func.func @of_the_host
// CHECK: cf.assert
// CHECK: cf.assert
func.func @of_the_host(%a: i1, %b: tensor<i1>, %c: i1) {
  %true = arith.constant true
  %h = arith.xori %a, %true : i1
  cf.assert %h, "text"
  %f = tensor.extract %b[] : tensor<i1>
  %g = arith.xori %f, %c : i1
  cf.assert %g, "text"
  return
}
// CHECK-LABEL: func.func @one_of_several
// CHECK: cf.assert
func.func @one_of_several(%a: tensor<3xi1>, %i: index) {
  %true = arith.constant true
  %f = tensor.extract %a[%i] : tensor<3xi1>
  %h = arith.xori %f, %true : i1
  cf.assert %h, "text"
  return
}

// Blocks may loop.
// CHECK-LABEL: func.func @several_blocks
// CHECK: cf.assert
func.func @several_blocks(%a: tensor<i1>, %c: i1) {
  %true = arith.constant true
  cf.cond_br %c, ^one, ^two
^one:
  cf.br ^two
^two:
  %f = tensor.extract %a[] : tensor<i1>
  %h = arith.xori %f, %true : i1
  cf.assert %h, "text"
  return
}

// What an assertion guards is not run without it: a slice at an index, an element, a remainder.
// CHECK-LABEL: func.func @guards_slice
// CHECK: cf.assert
// CHECK: tensor.extract_slice
func.func @guards_slice(%a: tensor<i1>, %n: index, %x: tensor<8xf32>) -> tensor<1xf32> {
  %true = arith.constant true
  %f = tensor.extract %a[] : tensor<i1>
  %h = arith.xori %f, %true : i1
  cf.assert %h, "text"
  %0 = tensor.extract_slice %x[%n] [1] [1] : tensor<8xf32> to tensor<1xf32>
  return %0 : tensor<1xf32>
}
// CHECK-LABEL: func.func @guards_element
// CHECK: cf.assert
func.func @guards_element(%a: tensor<i1>, %n: index, %x: tensor<8xf32>) -> f32 {
  %true = arith.constant true
  %f = tensor.extract %a[] : tensor<i1>
  %h = arith.xori %f, %true : i1
  cf.assert %h, "text"
  %0 = tensor.extract %x[%n] : tensor<8xf32>
  return %0 : f32
}
// CHECK-LABEL: func.func @guards_remainder
// CHECK: cf.assert
func.func @guards_remainder(%a: tensor<i1>, %n: i32, %m: i32) -> i32 {
  %true = arith.constant true
  %f = tensor.extract %a[] : tensor<i1>
  %h = arith.xori %f, %true : i1
  cf.assert %h, "text"
  %0 = arith.remsi %n, %m : i32
  return %0 : i32
}
// Near miss: a slice that lies inside by its own text.
// CHECK-LABEL: func.func @known_slice
// CHECK: amp.report_violation
func.func @known_slice(%a: tensor<i1>, %x: tensor<8xf32>) -> tensor<1xf32> {
  %true = arith.constant true
  %f = tensor.extract %a[] : tensor<i1>
  %h = arith.xori %f, %true : i1
  cf.assert %h, "text"
  %0 = tensor.extract_slice %x[3] [1] [1] : tensor<8xf32> to tensor<1xf32>
  return %0 : tensor<1xf32>
}

// Behind the end of a callee its caller goes on.
// CHECK-LABEL: func.func private @callee
// CHECK: cf.assert
func.func private @callee(%a: tensor<i1>) {
  %true = arith.constant true
  %f = tensor.extract %a[] : tensor<i1>
  %h = arith.xori %f, %true : i1
  cf.assert %h, "text"
  return
}

// One that stays, between two that do not.
// CHECK-LABEL: func.func @between
// CHECK: amp.report_violation %{{.*}}, "first"
// CHECK: cf.assert %{{.*}}, "second"
// CHECK: amp.report_violation %{{.*}}, "third"
func.func @between(%a: tensor<i1>, %b: tensor<1xi1>) {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %f = tensor.extract %a[] : tensor<i1>
  %h = arith.xori %f, %true : i1
  cf.assert %h, "first"
  %g = tensor.extract %b[%c0] : tensor<1xi1>
  %i = arith.xori %g, %true : i1
  cf.assert %i, "second"
  cf.assert %h, "third"
  return
}
