// RUN: amp-opt %s --amp-raise-scalars --canonicalize | FileCheck %s

#scalar = affine_map<() -> ()>

// As JAX finds the place of a slice from the end of a loop: below 0 it counts from the other end.
// CHECK-LABEL: func @place
// CHECK-SAME:    (%[[K:.*]]: index, %[[X:.*]]: tensor<8xf32>)
// CHECK-NOT:   tensor.from_elements
// CHECK-NOT:   linalg.generic
// CHECK:       %[[N:.*]] = arith.index_cast %[[K]] : index to i32
// CHECK:       %[[B:.*]] = arith.subi %{{.*}}, %[[N]] : i32
// CHECK:       %[[SUM:.*]] = arith.subi %{{.*}}, %[[N]] : i32
// CHECK:       %[[LESS:.*]] = arith.cmpi slt, %[[B]], %{{.*}} : i32
// CHECK:       %[[M:.*]] = arith.select %[[LESS]], %[[SUM]], %[[B]] : i32
// CHECK:       %[[AT:.*]] = arith.index_cast %[[M]] : i32 to index
// CHECK:       tensor.extract_slice %[[X]][%[[AT]]]
func.func @place(%k: index, %x: tensor<8xf32>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %zero = arith.constant 0 : i32
  %eight = arith.constant dense<8> : tensor<1xi32>
  %n = arith.index_cast %k : index to i32
  %i = tensor.from_elements %n : tensor<i32>
  %e = tensor.empty() : tensor<i32>
  %back = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    %t = arith.subi %c7, %a : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  %one = tensor.expand_shape %back [] output_shape [1] : tensor<i32> into tensor<1xi32>
  %e1 = tensor.empty() : tensor<1xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      ins(%one, %eight : tensor<1xi32>, tensor<1xi32>) outs(%e1 : tensor<1xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %less = arith.cmpi slt, %a, %zero : i32
    %sum = arith.addi %a, %b : i32
    %t = arith.select %less, %sum, %a : i32
    linalg.yield %t : i32
  } -> tensor<1xi32>
  %p = tensor.extract %m[%c0] : tensor<1xi32>
  %at = arith.index_cast %p : i32 to index
  %y = tensor.extract_slice %x[%at] [1] [1] : tensor<8xf32> to tensor<1xf32>
  return %y : tensor<1xf32>
}

// A constant is a number; a condition of constants decides.
// CHECK-LABEL: func @constant
// CHECK-DAG:   %[[THREE:.*]] = arith.constant 3 : i64
// CHECK-DAG:   %[[TRUE:.*]] = arith.constant true
// CHECK:       return %[[THREE]], %[[TRUE]]
func.func @constant() -> (i64, i1) {
  %three = arith.constant dense<3> : tensor<i64>
  %eight = arith.constant dense<8> : tensor<i64>
  %c = arith.cmpi slt, %three, %eight : tensor<i64>
  %a = tensor.extract %three[] : tensor<i64>
  %b = tensor.extract %c[] : tensor<i1>
  return %a, %b : i64, i1
}

// Near misses: an element of data, or of one of two tensors; a sum; a quotient, which may be undefined; what a loop carries; floating point.
// CHECK-LABEL: func @data
// CHECK-COUNT-6: tensor.extract
// CHECK:       return
func.func @data(%n: index, %x: tensor<i32>, %y: tensor<2xi32>, %z: i32, %f: f32) -> (i32, i32, i32, i32, i32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1> : tensor<i32>
  %a = arith.addi %x, %one : tensor<i32>
  %0 = tensor.extract %a[] : tensor<i32>
  %1 = tensor.extract %y[%n] : tensor<2xi32>
  %e = tensor.empty() : tensor<i32>
  %v = tensor.from_elements %z : tensor<1xi32>
  %s = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]}
      ins(%v : tensor<1xi32>) outs(%one : tensor<i32>) {
  ^bb0(%p: i32, %o: i32):
    %t = arith.addi %p, %o : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  %2 = tensor.extract %s[] : tensor<i32>
  %w = tensor.from_elements %z : tensor<i32>
  %q = arith.divsi %one, %w : tensor<i32>
  %3 = tensor.extract %q[] : tensor<i32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %one) -> (tensor<i32>) {
    %next = arith.addi %carried, %carried : tensor<i32>
    scf.yield %next : tensor<i32>
  }
  %4 = tensor.extract %r[] : tensor<i32>
  %g = tensor.from_elements %f : tensor<f32>
  %h = arith.mulf %g, %g : tensor<f32>
  %5 = tensor.extract %h[] : tensor<f32>
  return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, i32, f32
}

// Near misses: constants whose elements are not known here, or not at all; a loop without iterations, which leaves what was there.
// CHECK-LABEL: func @unknown
// CHECK-COUNT-3: tensor.extract
// CHECK:       return
func.func @unknown(%none: tensor<0xi32>, %init: tensor<1xi32>) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %one = arith.constant dense<1> : tensor<i32>
  %stored = arith.constant dense_resource<number> : tensor<1xi32>
  %0 = tensor.extract %stored[%c0] : tensor<1xi32>
  %poison = ub.poison : tensor<i32>
  %sum = arith.addi %poison, %one : tensor<i32>
  %1 = tensor.extract %sum[] : tensor<i32>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>], iterator_types = ["parallel", "parallel"]}
      ins(%none : tensor<0xi32>) outs(%init : tensor<1xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %seven : i32
  } -> tensor<1xi32>
  %2 = tensor.extract %g[%c0] : tensor<1xi32>
  return %0, %1, %2 : i32, i32, i32
}

// In a block that nothing reaches, a tensor may be made of what is read from it.
// CHECK-LABEL: func @unreachable
func.func @unreachable(%x: tensor<8xf32>) -> f32 {
  %c = arith.constant 1.0 : f32
  return %c : f32
^bb1:
  %e = tensor.extract %t[] : tensor<i32>
  %t = tensor.from_elements %e : tensor<i32>
  %k = arith.index_cast %e : i32 to index
  %r = tensor.extract %x[%k] : tensor<8xf32>
  return %r : f32
}

{-#
  dialect_resources: {
    builtin: {
      number: "0x0400000003000000"
    }
  }
#-}
