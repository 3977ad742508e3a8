// RUN: amp-opt %s --split-input-file --amp-copy-shared-yields | FileCheck %s

// The condition writes to what it carries, which is a tensor from outside: the body yields a copy of that.
// CHECK-LABEL: func @outside(
// CHECK-SAME:    %{{.*}}: tensor<4xf32>, %[[Q:.*]]: tensor<4xf32>, %{{.*}}: f32
// CHECK:         scf.condition
// CHECK:         %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[Q]]) : tensor<4xf32>
// CHECK-NEXT:    scf.yield %{{.*}}, %[[OWN]]
func.func @outside(%p: tensor<4xf32>, %q: tensor<4xf32>, %x: f32, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %a = %p) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
    %b = tensor.insert %x into %a[%i] : tensor<4xf32>
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %b : index, tensor<4xf32>
  } do {
  ^bb0(%i: index, %b: tensor<4xf32>):
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %q : index, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// A tensor that is yielded twice: the one that the condition writes to is a copy, the other one is not.
// CHECK-LABEL: func @twice(
// CHECK:         ^bb0(%{{.*}}: index, %[[A:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>):
// CHECK:         %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[A]]) : tensor<4xf32>
// CHECK-NEXT:    scf.yield %{{.*}}, %[[A]], %[[OWN]]
func.func @twice(%p: tensor<4xf32>, %q: tensor<4xf32>, %x: f32, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%i = %c0, %a = %p, %b = %q) : (index, tensor<4xf32>, tensor<4xf32>) -> (index, tensor<4xf32>, tensor<4xf32>) {
    %c = tensor.insert %x into %b[%i] : tensor<4xf32>
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %a, %c : index, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %a, %a : index, tensor<4xf32>, tensor<4xf32>
  }
  return %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What a branch gives may be anywhere.
// CHECK-LABEL: func @branch(
// CHECK:         %[[EITHER:.*]] = scf.if
// CHECK:         %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[EITHER]]) : tensor<4xf32>
// CHECK-NEXT:    scf.yield %{{.*}}, %[[OWN]]
func.func @branch(%p: tensor<4xf32>, %q: tensor<4xf32>, %x: f32, %n: index, %is: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %a = %p) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
    %b = tensor.insert %x into %a[%i] : tensor<4xf32>
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %b : index, tensor<4xf32>
  } do {
  ^bb0(%i: index, %b: tensor<4xf32>):
    %either = scf.if %is -> tensor<4xf32> {
      scf.yield %b : tensor<4xf32>
    } else {
      scf.yield %q : tensor<4xf32>
    }
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %either : index, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// Near misses: what is computed in the place of the body's own argument, and a condition that only reads.
// CHECK-LABEL: func @own(
// CHECK-NOT:     alloc_tensor
// CHECK:         return
func.func @own(%p: tensor<4xf32>, %q: tensor<4xf32>, %x: f32, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%i = %c0, %a = %p, %b = %q) : (index, tensor<4xf32>, tensor<4xf32>) -> (index, tensor<4xf32>, tensor<4xf32>) {
    %c = tensor.insert %x into %b[%i] : tensor<4xf32>
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %a, %c : index, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %next = arith.addi %i, %c1 : index
    %put = tensor.insert %x into %b[%c0] : tensor<4xf32>
    scf.yield %next, %a, %put : index, tensor<4xf32>, tensor<4xf32>
  }
  return %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @reads(
// CHECK-NOT:     alloc_tensor
// CHECK:         return
func.func @reads(%p: tensor<4xf32>, %q: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.while (%a = %p) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = tensor.extract %a[%c0] : tensor<4xf32>
    %more = arith.cmpf olt, %v, %x : f32
    scf.condition(%more) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    scf.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What an iteration computes anew and hands on under two numbers, as it is or through a branch and a reshape.
// CHECK-LABEL: func @repeated(
// CHECK:         %[[T:.*]] = linalg.generic
// CHECK:         %[[FLAT:.*]] = tensor.expand_shape %[[T]]
// CHECK:         %[[R:.*]] = scf.if
// CHECK:         %[[SECOND:.*]] = bufferization.alloc_tensor() copy(%[[T]]) : tensor<4xf32>
// CHECK:         %[[THIRD:.*]] = bufferization.alloc_tensor() copy(%[[R]]) : tensor<2x2xf32>
// CHECK-NEXT:    scf.yield %[[T]], %[[SECOND]], %[[THIRD]]
func.func @repeated(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<2x2xf32>, %n: index, %is: i1) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %z) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>) {
    %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%l: f32, %m: f32, %o: f32):
      %s = arith.addf %l, %m : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %flat = tensor.expand_shape %t [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
    %either = scf.if %is -> tensor<2x2xf32> {
      scf.yield %flat : tensor<2x2xf32>
    } else {
      scf.yield %c : tensor<2x2xf32>
    }
    scf.yield %t, %t, %either : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// Near misses: two tensors, of which one was computed from the other; and numbers.
// CHECK-LABEL: func @different(
// CHECK-NOT:     alloc_tensor
// CHECK:         return
func.func @different(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: f32, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %p = %v, %q = %v) -> (tensor<4xf32>, tensor<4xf32>, f32, f32) {
    %t = tensor.insert %p into %a[%i] : tensor<4xf32>
    scf.yield %b, %t, %q, %q : tensor<4xf32>, tensor<4xf32>, f32, f32
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
