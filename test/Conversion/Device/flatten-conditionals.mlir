// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-flatten-conditionals))" | FileCheck %s

// The guard of a skipped step. What both branches yield alike is not selected.

// CHECK-LABEL: func @guard
// CHECK-SAME:    (%[[FOUND:.*]]: tensor<i1>, %[[OLD:.*]]: tensor<4x8xf32>, %[[COUNT:.*]]: tensor<i32>, %[[GRAD:.*]]: tensor<4x8xf32>)
// CHECK-NOT:     scf.if
// CHECK:         %[[NEW:.*]] = arith.subf %[[OLD]], %[[GRAD]]
// CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [#[[NONE:.*]], #[[ID:.*]], #[[ID]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME:      ins(%[[FOUND]], %[[OLD]], %[[NEW]] :
// CHECK-NEXT:    ^bb0(%[[C:.*]]: i1, %[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      arith.select %[[C]], %[[A]], %[[B]] : f32
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[R]], %[[COUNT]]
func.func @guard(%found: tensor<i1>, %old: tensor<4x8xf32>, %count: tensor<i32>, %grad: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<i32>) {
  %c = tensor.extract %found[] : tensor<i1>
  %0:2 = scf.if %c -> (tensor<4x8xf32>, tensor<i32>) {
    scf.yield %old, %count : tensor<4x8xf32>, tensor<i32>
  } else {
    %new = arith.subf %old, %grad : tensor<4x8xf32>
    scf.yield %new, %count : tensor<4x8xf32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<i32>
}

// The host has no conditions of its own to give away.

// CHECK-LABEL: func @argument
// CHECK:         scf.if
func.func @argument(%c: i1, %old: tensor<8xf32>, %new: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scf.if %c -> (tensor<8xf32>) {
    scf.yield %old : tensor<8xf32>
  } else {
    scf.yield %new : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @loop_variable
// CHECK:         scf.if
func.func @loop_variable(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%carried = %x) -> (tensor<8xf32>) {
    %first = arith.cmpi eq, %i, %c0 : index
    %1 = scf.if %first -> (tensor<8xf32>) {
      scf.yield %y : tensor<8xf32>
    } else {
      %2 = arith.addf %carried, %y : tensor<8xf32>
      scf.yield %2 : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// Which element it is, the host would have to say.

// CHECK-LABEL: func @one_of_several
// CHECK:         scf.if
func.func @one_of_several(%flags: tensor<3xi1>, %old: tensor<8xf32>, %new: tensor<8xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %c = tensor.extract %flags[%c1] : tensor<3xi1>
  %0 = scf.if %c -> (tensor<8xf32>) {
    scf.yield %old : tensor<8xf32>
  } else {
    scf.yield %new : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// The only element of a tensor with a dimension, in a loop.

// CHECK-LABEL: func @in_loop
// CHECK-SAME:    (%[[FOUND:.*]]: tensor<1xi1>
// CHECK:         scf.for
// CHECK-NOT:       scf.if
// CHECK:           linalg.generic {indexing_maps = [#[[ZERO:.*]], #[[ID1:.*]], #[[ID1]], #[[ID1]]]
// CHECK-SAME:        ins(%[[FOUND]]
func.func @in_loop(%found: tensor<1xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%carried = %x) -> (tensor<8xf32>) {
    %c = tensor.extract %found[%c0] : tensor<1xi1>
    %1 = scf.if %c -> (tensor<8xf32>) {
      scf.yield %carried : tensor<8xf32>
    } else {
      %2 = arith.addf %carried, %y : tensor<8xf32>
      scf.yield %2 : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// A number is selected where it was, and is a constant where it was one.

// CHECK-LABEL: func @numbers
// CHECK-SAME:    (%[[FOUND:.*]]: tensor<i1>, %[[COUNT:.*]]: tensor<1xi32>)
// CHECK-NOT:     scf.if
// CHECK:         %[[ZERO:.*]] = tensor.from_elements %{{.*}} : tensor<i32>
// CHECK:         %[[R:.*]] = linalg.generic {{{.*}}, iterator_types = []} ins(%[[FOUND]], %[[ZERO]], %[[COUNT]] : tensor<i1>, tensor<i32>, tensor<1xi32>)
// CHECK:         %[[N:.*]] = tensor.extract %[[R]][]
// CHECK:         return %[[N]]
func.func @numbers(%found: tensor<i1>, %count: tensor<1xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %n = tensor.extract %count[%c0] : tensor<1xi32>
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (i32) {
    scf.yield %zero : i32
  } else {
    scf.yield %n : i32
  }
  return %0 : i32
}

// From the inside out: both become selects.

// CHECK-LABEL: func @nested
// CHECK-NOT:     scf.if
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:     scf.if
func.func @nested(%a: tensor<i1>, %b: tensor<i1>, %x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %c = tensor.extract %a[] : tensor<i1>
  %0 = scf.if %c -> (tensor<8xf32>) {
    scf.yield %x : tensor<8xf32>
  } else {
    %d = tensor.extract %b[] : tensor<i1>
    %1 = scf.if %d -> (tensor<8xf32>) {
      scf.yield %y : tensor<8xf32>
    } else {
      scf.yield %z : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// Inside of one that stays, and around one that stays: the host knows its condition.

// CHECK-LABEL: func @around
// CHECK:         scf.if %{{.*}} -> (tensor<8xf32>)
// CHECK-NOT:     scf.if
// CHECK:         linalg.generic
func.func @around(%a: tensor<i1>, %known: i1, %x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %c = tensor.extract %a[] : tensor<i1>
  %0 = scf.if %c -> (tensor<8xf32>) {
    scf.yield %x : tensor<8xf32>
  } else {
    %1 = scf.if %known -> (tensor<8xf32>) {
      scf.yield %y : tensor<8xf32>
    } else {
      scf.yield %z : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// An assertion in a body holds where its branch is not wanted: here the else branch, then
// the other.

// CHECK-LABEL: func @asserts
// CHECK-SAME:    (%[[FOUND:.*]]: tensor<i1>
// CHECK-NOT:     scf.if
// CHECK:         linalg.generic {{{.*}}} ins(%{{.*}}, %[[FOUND]] : tensor<8xf32>, tensor<i1>)
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %[[C:.*]]: i1):
// CHECK-NEXT:      %[[NONZERO:.*]] = arith.cmpf
// CHECK-NEXT:      %[[HOLDS:.*]] = arith.ori %[[C]], %[[NONZERO]]
// CHECK-NEXT:      cf.assert %[[HOLDS]], "no steps"
// CHECK:         arith.select
func.func @asserts(%found: tensor<i1>, %old: tensor<8xf32>, %step: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<8xf32>) {
    scf.yield %old : tensor<8xf32>
  } else {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%step : tensor<8xf32>) {
    ^bb0(%s: f32):
      %nonzero = arith.cmpf one, %s, %zero : f32
      cf.assert %nonzero, "no steps"
      linalg.yield
    }
    scf.yield %step : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @asserts_and_computes
// CHECK-SAME:    (%[[FOUND:[a-z0-9]+]]: tensor<i1>, %[[OLD:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NOT:     scf.if
// CHECK:         %[[NEW:.*]] = linalg.generic {{{.*}}} ins(%{{.*}}, %[[FOUND]] : tensor<8xf32>, tensor<i1>) outs(
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %[[C:.*]]: i1, %{{.*}}: f32):
// CHECK-NEXT:      %[[NONZERO:.*]] = arith.cmpf
// CHECK-NEXT:      %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      %[[OTHER:.*]] = arith.xori %[[C]], %[[TRUE]]
// CHECK-NEXT:      %[[HOLDS:.*]] = arith.ori %[[OTHER]], %[[NONZERO]]
// CHECK-NEXT:      cf.assert %[[HOLDS]], "no steps"
// CHECK:         linalg.generic {{{.*}}} ins(%[[FOUND]], %[[NEW]], %[[OLD]]
func.func @asserts_and_computes(%taken: tensor<i1>, %old: tensor<8xf32>, %step: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %c = tensor.extract %taken[] : tensor<i1>
  %0 = scf.if %c -> (tensor<8xf32>) {
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%step : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%s: f32, %out: f32):
      %nonzero = arith.cmpf one, %s, %zero : f32
      cf.assert %nonzero, "no steps"
      linalg.yield %s : f32
    } -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  } else {
    scf.yield %old : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// One of the host itself would stop it.

// CHECK-LABEL: func @asserts_itself
// CHECK:         scf.if
func.func @asserts_itself(%found: tensor<i1>, %known: i1, %old: tensor<8xf32>, %step: tensor<8xf32>) -> tensor<8xf32> {
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<8xf32>) {
    scf.yield %old : tensor<8xf32>
  } else {
    cf.assert %known, "unknown"
    scf.yield %step : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// A loop that may have no end.

// CHECK-LABEL: func @endless
// CHECK:         scf.if
func.func @endless(%found: tensor<i1>, %old: tensor<f32>, %flag: tensor<i1>) -> tensor<f32> {
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<f32>) {
    scf.yield %old : tensor<f32>
  } else {
    %1 = scf.while (%x = %old) : (tensor<f32>) -> tensor<f32> {
      %go = tensor.extract %flag[] : tensor<i1>
      scf.condition(%go) %x : tensor<f32>
    } do {
    ^bb0(%x: tensor<f32>):
      %2 = arith.addf %x, %x : tensor<f32>
      scf.yield %2 : tensor<f32>
    }
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// A call may do anything.

func.func private @update(tensor<8xf32>) -> tensor<8xf32>
// CHECK-LABEL: func @calls
// CHECK:         scf.if
func.func @calls(%found: tensor<i1>, %old: tensor<8xf32>) -> tensor<8xf32> {
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<8xf32>) {
    scf.yield %old : tensor<8xf32>
  } else {
    %1 = func.call @update(%old) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// Quotients and remainders trap but by constants.

// CHECK-LABEL: func @quotient
// CHECK:         scf.if
func.func @quotient(%found: tensor<i1>, %x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<8xi32>) {
    scf.yield %x : tensor<8xi32>
  } else {
    %1 = arith.divsi %x, %y : tensor<8xi32>
    scf.yield %1 : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: func @remainder
// CHECK:         scf.if
func.func @remainder(%found: tensor<i1>, %x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<8xi32>) {
    scf.yield %x : tensor<8xi32>
  } else {
    %1 = arith.remsi %x, %y : tensor<8xi32>
    scf.yield %1 : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: func @by_constants
// CHECK-NOT:     scf.if
func.func @by_constants(%found: tensor<i1>, %x: tensor<8xi32>) -> tensor<8xi32> {
  %three = arith.constant dense<3> : tensor<8xi32>
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<8xi32>) {
    scf.yield %x : tensor<8xi32>
  } else {
    %1 = arith.divsi %x, %three : tensor<8xi32>
    %2 = arith.remsi %1, %three : tensor<8xi32>
    scf.yield %2 : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}

// An index that the condition may be the check of.

// CHECK-LABEL: func @checked_index
// CHECK:         scf.if
func.func @checked_index(%inside: tensor<i1>, %x: tensor<8xf32>, %i: tensor<i32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %i[] : tensor<i32>
  %index = arith.index_cast %n : i32 to index
  %c = tensor.extract %inside[] : tensor<i1>
  %0 = scf.if %c -> (f32) {
    %1 = tensor.extract %x[%index] : tensor<8xf32>
    scf.yield %1 : f32
  } else {
    scf.yield %zero : f32
  }
  return %0 : f32
}

// One that is 0 where it is not inside needs no check.

// CHECK-LABEL: func @asked_index
// CHECK-NOT:         scf.if
func.func @asked_index(%found: tensor<i1>, %x: tensor<8xf32>, %i: tensor<i32>) -> f32 {
  %none = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %i[] : tensor<i32>
  %index = arith.index_cast %n : i32 to index
  %end = arith.constant 8 : index
  %inside = arith.cmpi ult, %index, %end : index
  %place = arith.select %inside, %index, %none : index
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (f32) {
    %1 = tensor.extract %x[%place] : tensor<8xf32>
    scf.yield %1 : f32
  } else {
    scf.yield %zero : f32
  }
  return %0 : f32
}

// Below 0 it is below 8, too.

// CHECK-LABEL: func @asked_with_sign
// CHECK:         scf.if
func.func @asked_with_sign(%found: tensor<i1>, %x: tensor<8xf32>, %i: tensor<i32>) -> f32 {
  %none = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %i[] : tensor<i32>
  %index = arith.index_cast %n : i32 to index
  %end = arith.constant 8 : index
  %inside = arith.cmpi slt, %index, %end : index
  %place = arith.select %inside, %index, %none : index
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (f32) {
    %1 = tensor.extract %x[%place] : tensor<8xf32>
    scf.yield %1 : f32
  } else {
    scf.yield %zero : f32
  }
  return %0 : f32
}

// The question is that of another tensor.

// CHECK-LABEL: func @asked_for_more
// CHECK:         scf.if
func.func @asked_for_more(%found: tensor<i1>, %x: tensor<8xf32>, %i: tensor<i32>) -> f32 {
  %none = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %i[] : tensor<i32>
  %index = arith.index_cast %n : i32 to index
  %end = arith.constant 9 : index
  %inside = arith.cmpi ult, %index, %end : index
  %place = arith.select %inside, %index, %none : index
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (f32) {
    %1 = tensor.extract %x[%place] : tensor<8xf32>
    scf.yield %1 : f32
  } else {
    scf.yield %zero : f32
  }
  return %0 : f32
}

// The question is that of another index.

// CHECK-LABEL: func @asked_of_another
// CHECK:         scf.if
func.func @asked_of_another(%found: tensor<i1>, %x: tensor<8xf32>, %i: tensor<i32>) -> f32 {
  %none = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %i[] : tensor<i32>
  %index = arith.index_cast %n : i32 to index
  %end = arith.constant 8 : index
  %next = arith.addi %index, %end : index
  %inside = arith.cmpi ult, %next, %end : index
  %place = arith.select %inside, %index, %none : index
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (f32) {
    %1 = tensor.extract %x[%place] : tensor<8xf32>
    scf.yield %1 : f32
  } else {
    scf.yield %zero : f32
  }
  return %0 : f32
}

// What is read instead lies outside.

// CHECK-LABEL: func @otherwise_outside
// CHECK:         scf.if
func.func @otherwise_outside(%found: tensor<i1>, %x: tensor<8xf32>, %i: tensor<i32>) -> f32 {
  %none = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %i[] : tensor<i32>
  %index = arith.index_cast %n : i32 to index
  %end = arith.constant 8 : index
  %inside = arith.cmpi ult, %index, %end : index
  %place = arith.select %inside, %index, %none : index
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (f32) {
    %1 = tensor.extract %x[%place] : tensor<8xf32>
    scf.yield %1 : f32
  } else {
    scf.yield %zero : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func @checked_slice
// CHECK:         scf.if
func.func @checked_slice(%inside: tensor<i1>, %x: tensor<8xf32>, %y: tensor<2xf32>, %i: index) -> tensor<2xf32> {
  %c = tensor.extract %inside[] : tensor<i1>
  %0 = scf.if %c -> (tensor<2xf32>) {
    %1 = tensor.extract_slice %x[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  } else {
    scf.yield %y : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// One that is known to lie inside needs no check.

// CHECK-LABEL: func @index_of_loop
// CHECK-NOT:     scf.if
func.func @index_of_loop(%found: tensor<i1>, %x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c7 = arith.constant 7 : index
  %e = tensor.empty() : tensor<4xf32>
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<4xf32>) {
    scf.yield %y : tensor<4xf32>
  } else {
    %s = tensor.extract_slice %y[0] [4] [1] : tensor<4xf32> to tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %i = linalg.index 0 : index
      %b = tensor.extract %x[%i] : tensor<8xf32>
      %last = tensor.extract %x[%c7] : tensor<8xf32>
      %d = arith.addf %b, %last : f32
      %f = arith.addf %d, %a : f32
      linalg.yield %f : f32
    } -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @longer_loop
// CHECK:         scf.if
func.func @longer_loop(%found: tensor<i1>, %x: tensor<8xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<9xf32>) {
    scf.yield %y : tensor<9xf32>
  } else {
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<9xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %b = tensor.extract %x[%i] : tensor<8xf32>
      linalg.yield %b : f32
    } -> tensor<9xf32>
    scf.yield %1 : tensor<9xf32>
  }
  return %0 : tensor<9xf32>
}

// How long the result is, the condition says.

// CHECK-LABEL: func @dynamic
// CHECK:         scf.if
func.func @dynamic(%found: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c = tensor.extract %found[] : tensor<i1>
  %0 = scf.if %c -> (tensor<?xf32>) {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// An index stays a number: no kernel has tensors of them.
// CHECK-LABEL: func @index_given(
// CHECK-SAME:    %[[F:.*]]: tensor<1xi1>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK-NOT:     scf.if
// CHECK-NOT:     linalg.generic
// CHECK:         %[[SUM:.*]] = arith.addi %[[I]], %[[J]]
// CHECK:         %[[C:.*]] = tensor.extract %[[F]][%{{.*}}]
// CHECK:         %[[R:.*]] = arith.select %[[C]], %[[SUM]], %[[J]] : index
// CHECK:         return %[[R]]
func.func @index_given(%found: tensor<1xi1>, %i: index, %j: index) -> index {
  %c0 = arith.constant 0 : index
  %c = tensor.extract %found[%c0] : tensor<1xi1>
  %0 = scf.if %c -> (index) {
    %1 = arith.addi %i, %j : index
    scf.yield %1 : index
  } else {
    scf.yield %j : index
  }
  return %0 : index
}
