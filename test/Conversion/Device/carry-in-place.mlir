// RUN: amp-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(amp-carry-in-place))' | FileCheck %s

// What an iteration yields goes where the carried tensor is. What is handed on as it is stays (the near miss), and so
// do numbers.
// CHECK-LABEL: func @loop(
// CHECK:       scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}})
// CHECK:         %[[NEW:.*]] = math.tanh %[[A]]
// CHECK:         %[[M:.*]] = arith.addf %[[N]], %[[N]] : f32
// CHECK:         %[[IN:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[A]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    scf.yield %[[IN]], %[[B]], %[[M]]
func.func @loop(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: f32) -> (tensor<4xf32>, tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y, %m = %n) -> (tensor<4xf32>, tensor<4xf32>, f32) {
    %new = math.tanh %a : tensor<4xf32>
    %more = arith.addf %m, %m : f32
    scf.yield %new, %b, %more : tensor<4xf32>, tensor<4xf32>, f32
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, f32
}

// -----

// Computed for the loop alone, by a launch's or linalg's destination, in a nested loop and by a slice of it: in place.
// CHECK-LABEL: func @computed(
// CHECK:       scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK:         scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}})
// CHECK-NOT:       materialize_in_destination
// CHECK:           scf.yield
// CHECK-DAG:     bufferization.materialize_in_destination %{{.*}} in %[[A]]
// CHECK-DAG:     bufferization.materialize_in_destination %{{.*}} in %[[B]]
func.func @computed(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %n: index) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %e = tensor.empty() : tensor<4x4xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %new = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
    %stack = tensor.empty() : tensor<8x4xf32>
    %filled = scf.for %j = %c0 to %n step %c1 iter_args(%s = %stack) -> tensor<8x4xf32> {
      %put = tensor.insert_slice %new into %s[%j, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x4xf32>
      scf.yield %put : tensor<8x4xf32>
    }
    %part = tensor.extract_slice %filled[2, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
    scf.yield %new, %part : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Tensors that change places, and one that another one takes over, are read behind (near misses). The one that
// takes over is not.
// CHECK-LABEL: func @swap(
// CHECK-NOT:   materialize_in_destination
// CHECK:       scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}, %[[NOW:.*]] = %{{.*}}, %[[BEFORE:.*]] = %{{.*}})
// CHECK-DAG:     %[[NEW:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[C]]
// CHECK-DAG:     %[[OLD:.*]] = bufferization.materialize_in_destination %[[NOW]] in %[[BEFORE]]
// CHECK-NOT:     materialize_in_destination
// CHECK:         scf.yield %[[B]], %[[A]], %[[NEW]], %{{.*}}, %[[OLD]]
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<2xf32>, %n: index)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %z, %now = %x, %before = %x)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) {
    %new = math.tanh %c : tensor<2xf32>
    %next = math.tanh %now : tensor<4xf32>
    scf.yield %b, %a, %new, %next, %now : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What a branch may leave as it is, and a loop inserts into, is in place as far as that goes; what an unknown
// operation gives may be anywhere.
// CHECK-LABEL: func @inserted(
// CHECK-NOT:   materialize_in_destination
// CHECK:       return
func.func @inserted(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %new = scf.if %c -> tensor<4xf32> {
      %put = tensor.insert %v into %a[%i] : tensor<4xf32>
      scf.yield %put : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %new : tensor<4xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %new = func.call @other(%a) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %new : tensor<4xf32>
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
func.func private @other(tensor<4xf32>) -> tensor<4xf32>

// -----

// Yielded for two: the second is copied from the first. A view of what is yielded would be read behind (a near miss).
// CHECK-LABEL: func @twice(
// CHECK:       scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK:         %[[NEW:.*]] = math.tanh
// CHECK:         %[[IN:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[A]]
// CHECK:         %[[AGAIN:.*]] = bufferization.materialize_in_destination %[[IN]] in %[[B]]
// CHECK:         scf.yield %[[IN]], %[[AGAIN]]
// CHECK:       scf.for
// CHECK-NOT:     materialize_in_destination
// CHECK:       return
func.func @twice(%x: tensor<4xf32>, %y: tensor<2x4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %new = math.tanh %b : tensor<4xf32>
    scf.yield %new, %new : tensor<4xf32>, tensor<4xf32>
  }
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y, %b = %x) -> (tensor<2x4xf32>, tensor<4xf32>) {
    %new = math.tanh %a : tensor<2x4xf32>
    %row = tensor.extract_slice %new[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
    scf.yield %new, %row : tensor<2x4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %s#0, %s#1 : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>
}

// -----

// A loop without known end hands on a copy of a slice.
// CHECK-LABEL: func @while(
// CHECK:       scf.while
// CHECK:         scf.condition(%{{.*}}) %{{.*}} : tensor<4xf32>
// CHECK:         %[[ROW:.*]] = tensor.extract_slice
// CHECK:         %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[ROW]]) : tensor<4xf32>
// CHECK:         scf.yield %[[OWN]]
func.func @while(%x: tensor<2x4xf32>, %y: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %r = scf.while (%a = %y) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%c) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %row = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
    scf.yield %row : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// It begins with a copy of one, or of what is computed in one, too, and with a whole tensor as it is (the near miss).
// CHECK-LABEL: func @while_from_part(
// CHECK-SAME:    %{{.*}}: tensor<2x4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK:       %[[IN:.*]] = tensor.insert_slice
// CHECK:       %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[IN]]) : tensor<4xf32>
// CHECK:       scf.while (%{{.*}} = %[[OWN]], %{{.*}} = %[[Y]])
func.func @while_from_part(%x: tensor<2x4xf32>, %y: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %row = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<4xf32>
  %two = tensor.extract_slice %y[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %in = tensor.insert_slice %two into %row[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %r:2 = scf.while (%a = %in, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%c) %a, %b : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %new = math.tanh %a : tensor<4xf32>
    scf.yield %new, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}

// -----

// So does one from a tensor in which another one is computed that is inserted; two results of one tensor.empty are two tensors.
// CHECK-LABEL: func @while_from_inserted(
// CHECK:       %[[IN:.*]] = tensor.insert_slice
// CHECK:       %[[OTHER:.*]] = linalg.fill
// CHECK:       %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[IN]]) : tensor<4xf32>
// CHECK:       scf.while (%{{.*}} = %[[OWN]], %{{.*}} = %[[OTHER]])
func.func @while_from_inserted(%x: tensor<8xf32>, %y: tensor<2xf32>, %v: f32, %c: i1) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %in = tensor.insert_slice %y into %e[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %more = tensor.insert_slice %y into %in[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %both = tensor.insert_slice %more into %x[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %other = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = scf.while (%a = %in, %b = %other) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%c) %a, %b : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %new = math.tanh %a : tensor<4xf32>
    scf.yield %new, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %both : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}

// -----

// A branch that yields a part of a tensor, by a reshape: the result has a buffer of its own.
// CHECK-LABEL: func @part(
// CHECK-SAME:    %{{.*}}: i1, %[[X:.*]]: tensor<8x4xf32>, %[[Y:.*]]: tensor<8xf32>
// CHECK:       %[[E:.*]] = bufferization.alloc_tensor() : tensor<8xf32>
// CHECK:       scf.if
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape
// CHECK:         %[[A:.*]] = bufferization.materialize_in_destination %[[FLAT]] in %[[E]]
// CHECK-NEXT:    scf.yield %[[A]]
// CHECK:       else
// CHECK-NEXT:    %[[B:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[E]]
// CHECK-NEXT:    scf.yield %[[B]]
func.func @part(%c: i1, %x: tensor<8x4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.if %c -> tensor<8xf32> {
    %s = tensor.extract_slice %x[3, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
    %f = tensor.collapse_shape %s [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    scf.yield %f : tensor<8xf32>
  } else {
    scf.yield %y : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Whole tensors have known strides, and a part of unknown extent is left.
// CHECK-LABEL: func @whole(
// CHECK-NOT:   materialize_in_destination
// CHECK:       return
func.func @whole(%c: i1, %x: tensor<8xf32>, %y: tensor<8xf32>, %n: index, %z: tensor<?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {
  %r:2 = scf.if %c -> (tensor<8xf32>, tensor<?xf32>) {
    %s = tensor.extract_slice %x[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
    scf.yield %x, %s : tensor<8xf32>, tensor<?xf32>
  } else {
    scf.yield %y, %z : tensor<8xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<?xf32>
}

// -----

// A tensor that is inserted into another one is computed there, and may be yielded as such a part.
// CHECK-LABEL: func @inserted(
// CHECK:       %[[E:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK:       scf.if
// CHECK:         materialize_in_destination %{{.*}} in %[[E]]
// CHECK:       else
// CHECK-NEXT:    materialize_in_destination %{{.*}} in %[[E]]
func.func @inserted(%c: i1, %x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %v = math.tanh %x : tensor<4xf32>
  %both = tensor.insert_slice %v into %y[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %r = scf.if %c -> tensor<4xf32> {
    %w = math.exp %v : tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  } else {
    scf.yield %v : tensor<4xf32>
  }
  return %r, %both : tensor<4xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#reversed = affine_map<(i) -> (3 - i)>

// One branch computes what is carried, the other one hands on a tensor from outside: the one that is computed has memory of its own.
// CHECK-LABEL: func @either(
// CHECK:         scf.if
// CHECK:           %[[OWN:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK-NEXT:      linalg.generic {{.*}} outs(%[[OWN]] : tensor<4xf32>)
// CHECK:         materialize_in_destination
func.func @either(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %first = tensor.extract %a[%c0] : tensor<4xf32>
    %more = arith.cmpf ogt, %first, %v : f32
    %s = scf.if %more -> tensor<4xf32> {
      %t = linalg.generic {indexing_maps = [#reversed, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%b: f32, %o: f32):
        linalg.yield %b : f32
      } -> tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    } else {
      scf.yield %y : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Near misses: two branches that compute it, or of which one leaves it where it is.
// CHECK-LABEL: func @both(
// CHECK-NOT:     alloc_tensor
// CHECK:         return
func.func @both(%x: tensor<4xf32>, %y: tensor<4xf32>, %is: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    %s = scf.if %is -> tensor<4xf32> {
      %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%n: f32, %o: f32):
        %m = arith.mulf %n, %n : f32
        linalg.yield %m : f32
      } -> tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    } else {
      %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%n: f32, %o: f32):
        %m = arith.addf %n, %n : f32
        linalg.yield %m : f32
      } -> tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    }
    %kept = scf.if %is -> tensor<4xf32> {
      %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%n: f32, %o: f32):
        %m = arith.addf %n, %n : f32
        linalg.yield %m : f32
      } -> tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    } else {
      scf.yield %b : tensor<4xf32>
    }
    scf.yield %s, %kept : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Two tensors that are put in one place, each in a branch.
// CHECK-LABEL: func @shared(
func.func @shared(%x: tensor<4xf32>, %is: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  // CHECK:     %[[PLACE:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
  %place = bufferization.alloc_tensor() : tensor<4xf32>
  // CHECK:     %[[ONE:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
  // CHECK:     %[[P:.*]] = linalg.generic {{.*}} outs(%[[ONE]] :
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%n: f32, %o: f32):
    %m = arith.addf %n, %n : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  // CHECK:     %[[OTHER:.*]] = bufferization.alloc_tensor() : tensor<4xf32>
  // CHECK-NEXT: %[[Q:.*]] = linalg.generic {{.*}} outs(%[[OTHER]] :
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%n: f32, %o: f32):
    %m = arith.mulf %n, %n : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %r = scf.if %is -> tensor<4xf32> {
    %t = bufferization.materialize_in_destination %p in %place : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  } else {
    %t = bufferization.materialize_in_destination %q in %place : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %r, %p : tensor<4xf32>, tensor<4xf32>
}

// -----

// Numbers that become a tensor, which a branch gives: inserted, into memory of known strides. One number for who reads it is
// as it is (a near miss), unless it is handed on.
// CHECK-LABEL: func @of_numbers(
// CHECK:       %[[ONE:.*]] = tensor.from_elements
// CHECK-NEXT:  math.exp %[[ONE]]
// CHECK-NOT:   tensor.from_elements
// CHECK:       scf.if
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<2x1xf32>
// CHECK:         %[[FIRST:.*]] = tensor.insert %{{.*}} into %[[EMPTY]][%{{.*}}, %{{.*}}]
// CHECK:         %[[SECOND:.*]] = tensor.insert %{{.*}} into %[[FIRST]][%{{.*}}, %{{.*}}]
// CHECK:         %[[NUMBER:.*]] = tensor.insert %{{.*}} into %{{.*}}[] : tensor<f32>
// CHECK-NEXT:    scf.yield %[[SECOND]], %[[NUMBER]]
func.func @of_numbers(%c: i1, %a: f32, %b: f32) -> (tensor<2x1xf32>, tensor<f32>, tensor<f32>) {
  %e = tensor.from_elements %a : tensor<f32>
  %f = math.exp %e : tensor<f32>
  %r:2 = scf.if %c -> (tensor<2x1xf32>, tensor<f32>) {
    %t = tensor.from_elements %b, %a : tensor<2x1xf32>
    %n = tensor.from_elements %a : tensor<f32>
    scf.yield %t, %n : tensor<2x1xf32>, tensor<f32>
  } else {
    %u = tensor.empty() : tensor<2x1xf32>
    scf.yield %u, %f : tensor<2x1xf32>, tensor<f32>
  }
  return %r#0, %r#1, %f : tensor<2x1xf32>, tensor<f32>, tensor<f32>
}

// -----

// A tensor of unknown extent may be shorter in each iteration: it is where it is computed.
// CHECK-LABEL: func @shrinks(
// CHECK-NOT:   materialize_in_destination
// CHECK:       return
func.func @shrinks(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %extent = tensor.dim %a, %c0 : tensor<?xf32>
    %less = arith.subi %extent, %c1 : index
    %part = tensor.extract_slice %a[1] [%less] [1] : tensor<?xf32> to tensor<?xf32>
    %e = tensor.empty(%less) : tensor<?xf32>
    %new = linalg.exp ins(%part : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %new : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// What is used elsewhere is copied where the other branch yields a tensor that is put into a destination, even further
// inside. What is only used there may have that memory (the near miss).
// CHECK-LABEL: func @beside_destination(
// CHECK-SAME:      %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
// CHECK:         %[[R:.*]]:2 = scf.if
// CHECK:           bufferization.materialize_in_destination
// CHECK:           bufferization.materialize_in_destination
// CHECK:         } else {
// CHECK-NEXT:      %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]]) : tensor<8xf32>
// CHECK-NEXT:      scf.yield %[[COPY]], %[[Y]]
func.func @beside_destination(%x: tensor<8xf32>, %y: tensor<8xf32>, %c: i1, %d: i1) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %r:2 = scf.if %c -> (tensor<8xf32>, tensor<8xf32>) {
    %m = bufferization.alloc_tensor() : tensor<8xf32>
    %a = math.exp %x : tensor<8xf32>
    %i = scf.if %d -> (tensor<8xf32>) {
      %p = bufferization.materialize_in_destination %a in %m : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      scf.yield %p : tensor<8xf32>
    } else {
      %b = math.sin %a : tensor<8xf32>
      %p = bufferization.materialize_in_destination %b in %m : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      scf.yield %p : tensor<8xf32>
    }
    scf.yield %i, %i : tensor<8xf32>, tensor<8xf32>
  } else {
    scf.yield %x, %y : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
