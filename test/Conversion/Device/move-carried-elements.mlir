// RUN: amp-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(amp-move-carried-elements))' | FileCheck %s

// Two tensors change places: both are copied aside, the carried one at the start, the computed one behind what computes
// it, and then to where they are carried. The one that is handed on where it is stays (the near miss).
// CHECK-LABEL: func @exchange(
// CHECK-DAG:   %[[X:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK-DAG:   %[[Y:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK:       scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK-NEXT:    %[[OLD:.*]] = bufferization.materialize_in_destination %[[A]] in %[[MEMORY:.*]] : 
// CHECK-NEXT:    %[[V:.*]] = tensor.extract %[[A]]
// CHECK-NEXT:    %[[NEW:.*]] = tensor.insert %[[V]] into %[[B]]
// CHECK-NEXT:    %[[ASIDE:.*]] = bufferization.materialize_in_destination %[[NEW]] in %{{.*}} : 
// CHECK-NEXT:    %[[KEPT:.*]] = tensor.insert %[[V]] into %[[C]]
// CHECK-NEXT:    %[[P:.*]] = bufferization.materialize_in_destination %[[ASIDE]] in %[[A]]
// CHECK-NEXT:    %[[Q:.*]] = bufferization.materialize_in_destination %[[OLD]] in %[[B]]
// CHECK-NEXT:    scf.yield %[[P]], %[[Q]], %[[KEPT]]
func.func @exchange(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y, %c = %z) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %v = tensor.extract %a[%i] : tensor<4xf32>
    %new = tensor.insert %v into %b[%i] : tensor<4xf32>
    %kept = tensor.insert %v into %c[%i] : tensor<4xf32>
    scf.yield %new, %a, %kept : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Branches that give different tensors, in a loop: one place for both, in front of the loop. A branch whose sides begin
// in one tensor is left alone (the near miss).
// CHECK-LABEL: func @choose(
// CHECK:       %[[MEMORY:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK:       scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK:         scf.if
// CHECK-NEXT:      %[[IN:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[MEMORY]]
// CHECK-NEXT:      scf.yield %[[IN]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[OTHER:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[MEMORY]]
// CHECK-NEXT:      scf.yield %[[OTHER]]
// CHECK:         %[[SAME:.*]] = scf.if
// CHECK-NEXT:      tensor.insert
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[A]]
// CHECK:         scf.yield %[[SAME]]
func.func @choose(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %v = tensor.extract %a[%i] : tensor<4xf32>
    %is = arith.cmpf ogt, %v, %zero : f32
    %either = scf.if %is -> tensor<4xf32> {
      scf.yield %y : tensor<4xf32>
    } else {
      scf.yield %z : tensor<4xf32>
    }
    %w = tensor.extract %either[%c0] : tensor<4xf32>
    %same = scf.if %is -> tensor<4xf32> {
      %put = tensor.insert %w into %a[%i] : tensor<4xf32>
      scf.yield %put : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %same : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A loop with a condition hands its own on, in another order behind it.
// CHECK-LABEL: func @while(
// CHECK:       scf.while
// CHECK:         scf.condition
// CHECK:       ^bb0(%[[I:.*]]: index, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>):
// CHECK:         %[[P:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[A]]
// CHECK-NEXT:    %[[Q:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[B]]
// CHECK-NEXT:    scf.yield %{{.*}}, %[[P]], %[[Q]]
func.func @while(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%i = %c0, %a = %x, %b = %y) : (index, tensor<4xf32>, tensor<4xf32>) -> (index, tensor<4xf32>, tensor<4xf32>) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %a, %b : index, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %v = tensor.extract %a[%i] : tensor<4xf32>
    %new = tensor.insert %v into %b[%c0] : tensor<4xf32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %new, %a : index, tensor<4xf32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// Loops that do more than touch elements are launched one by one, and unknown extents have no memory in front (near
// misses).
// CHECK-LABEL: func @launches(
// CHECK-NOT:   materialize_in_destination
// CHECK:       return
func.func @launches(%x: tensor<4xf32>, %y: tensor<4xf32>, %u: tensor<?xf32>, %w: tensor<?xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    %v = tensor.extract %a[%i] : tensor<4xf32>
    %put = tensor.insert %v into %b[%i] : tensor<4xf32>
    %new = math.tanh %put : tensor<4xf32>
    scf.yield %new, %a : tensor<4xf32>, tensor<4xf32>
  }
  %s:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %u, %b = %w) -> (tensor<?xf32>, tensor<?xf32>) {
    %v = tensor.extract %a[%i] : tensor<?xf32>
    %put = tensor.insert %v into %b[%i] : tensor<?xf32>
    scf.yield %put, %a : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %s#0 : tensor<4xf32>, tensor<?xf32>
}

// -----

// What comes from outside goes where it is carried without a copy aside.
// CHECK-LABEL: func @outside(
// CHECK-SAME:      %{{.*}}: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NOT:     alloc_tensor
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK:           %[[IN:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[A]]
// CHECK-NEXT:      scf.yield %[[IN]]
func.func @outside(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %v = tensor.extract %a[%i] : tensor<4xf32>
    %put = tensor.insert %v into %a[%c0] : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A block that nothing reaches may have tensors that are made of themselves.
// CHECK-LABEL: func @unreachable(
// CHECK:         tensor.insert
func.func @unreachable(%x: tensor<4xf32>, %v: f32, %is: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  return %x : tensor<4xf32>
^bb1:
  %s = tensor.insert %v into %s[%c0] : tensor<4xf32>
  %r = scf.if %is -> tensor<4xf32> {
    %p = tensor.insert %v into %s[%c0] : tensor<4xf32>
    scf.yield %p : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  cf.br ^bb1
}

// -----

// A choice between tensors in a loop on elements is a branch; one outside is not (the near miss).
// CHECK-LABEL: func @select(
// CHECK:         %[[MEMORY:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK:           scf.if
// CHECK-NEXT:        materialize_in_destination %[[A]] in %[[MEMORY]]
// CHECK:           } else {
// CHECK-NEXT:        materialize_in_destination %{{.*}} in %[[MEMORY]]
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @select(%x: tensor<4xf32>, %y: tensor<4xf32>, %is: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %v = tensor.extract %a[%i] : tensor<4xf32>
    %above = arith.cmpf ogt, %v, %zero : f32
    %either = arith.select %above, %a, %y : tensor<4xf32>
    %w = tensor.extract %either[%c0] : tensor<4xf32>
    %put = tensor.insert %w into %a[%i] : tensor<4xf32>
    scf.yield %put : tensor<4xf32>
  }
  %s = arith.select %is, %r, %y : tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// The condition hands on what it computed, and what is yielded for that lies where another tensor is
// moved to: it is copied aside before.
// CHECK-LABEL: func @condition(
// CHECK-DAG:     %[[ASIDE:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK:         scf.while
// CHECK:         ^bb0(%{{.*}}: index, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>):
// CHECK:           %[[COPY:.*]] = bufferization.materialize_in_destination %[[A]] in
// CHECK:           %[[MOVED:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[A]]
// CHECK:           scf.yield %{{.*}}, %[[MOVED]], %[[COPY]]
func.func @condition(%p: tensor<4xf32>, %q: tensor<4xf32>, %x: f32, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%i = %c0, %a = %p, %b = %q) : (index, tensor<4xf32>, tensor<4xf32>) -> (index, tensor<4xf32>, tensor<4xf32>) {
    %c = tensor.insert %x into %b[%i] : tensor<4xf32>
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %a, %c : index, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %b, %a : index, tensor<4xf32>, tensor<4xf32>
  }
  return %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>
}
