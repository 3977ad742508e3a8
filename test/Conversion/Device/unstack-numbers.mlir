// RUN: amp-opt %s --amp-unstack-numbers --split-input-file | FileCheck %s

// A norm of stacked norms: each number by itself, in the order of the tensor, also where they
// were put in in another.
// CHECK-LABEL: func @norm
// CHECK-SAME:    %[[A:[^ ]*]]: tensor<f32>, %[[B:[^ ]*]]: tensor<1xf32>, %[[C:[^ ]*]]: tensor<f32>, %[[START:[^ ]*]]: tensor<f32>
// CHECK:       %[[A1:.*]] = tensor.collapse_shape %{{.*}} [] : tensor<1xf32> into tensor<f32>
// CHECK:       %[[S0:.*]] = linalg.generic {{.*}}iterator_types = []} ins(%[[A1]] : tensor<f32>) outs(%[[START]] : tensor<f32>)
// CHECK-NEXT:  ^bb0(%[[X:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT:    %[[M:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT:    %[[T:.*]] = arith.addf %[[S]], %[[M]]
// CHECK-NEXT:    linalg.yield %[[T]]
// CHECK:       %[[B1:.*]] = tensor.collapse_shape %[[B]] [] : tensor<1xf32> into tensor<f32>
// CHECK:       %[[S1:.*]] = linalg.generic {{.*}} ins(%[[B1]] : tensor<f32>) outs(%[[S0]] : tensor<f32>)
// CHECK:       %[[S2:.*]] = linalg.generic {{.*}} ins(%[[C]] : tensor<f32>) outs(%[[S1]] : tensor<f32>)
// CHECK-NOT:   tensor.insert_slice
// CHECK:       return %[[S2]]
func.func @norm(%a: tensor<f32>, %b: tensor<1xf32>, %c: tensor<f32>, %start: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<3xf32>
  %a1 = tensor.expand_shape %a [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %0 = tensor.insert_slice %c into %e[2] [1] [1] : tensor<f32> into tensor<3xf32>
  %1 = tensor.insert_slice %a1 into %0[0] [1] [1] : tensor<1xf32> into tensor<3xf32>
  %2 = tensor.insert_slice %b into %1[1] [1] [1] : tensor<1xf32> into tensor<3xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%2 : tensor<3xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %m = arith.mulf %x, %x : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

// What is put over a number counts, and what is below all of them does not; two results.
// CHECK-LABEL: func @last_counts
// CHECK-SAME:    %[[A:[^ ]*]]: tensor<1xf32>, %[[B:[^ ]*]]: tensor<1xf32>, %[[C:[^ ]*]]: tensor<1xf32>
// CHECK:       %[[C0:.*]] = tensor.collapse_shape %[[C]]
// CHECK:       %[[S:.*]]:2 = linalg.generic {{.*}} ins(%[[C0]] : tensor<f32>)
// CHECK:       %[[B0:.*]] = tensor.collapse_shape %[[B]]
// CHECK:       linalg.generic {{.*}} ins(%[[B0]] : tensor<f32>) outs(%[[S]]#0, %[[S]]#1 : tensor<f32>, tensor<f32>)
func.func @last_counts(%a: tensor<1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>, %old: tensor<2xf32>, %start: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = tensor.insert_slice %a into %old[0] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %1 = tensor.insert_slice %b into %0[1] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %2 = tensor.insert_slice %c into %1[0] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%2 : tensor<2xf32>) outs(%start, %start : tensor<f32>, tensor<f32>) {
  ^bb0(%x: f32, %s: f32, %m: f32):
    %t = arith.addf %s, %x : f32
    %u = arith.maximumf %m, %x : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

// CHECK-LABEL: func @concatenated
// CHECK-SAME:    %[[A:[^ ]*]]: tensor<1xf32>, %[[B:[^ ]*]]: tensor<1xf32>
// CHECK:       %[[A0:.*]] = tensor.collapse_shape %[[A]]
// CHECK:       %[[S:.*]] = linalg.generic {{.*}} ins(%[[A0]] : tensor<f32>)
// CHECK:       %[[B0:.*]] = tensor.collapse_shape %[[B]]
// CHECK:       linalg.generic {{.*}} ins(%[[B0]] : tensor<f32>) outs(%[[S]] : tensor<f32>)
func.func @concatenated(%a: tensor<1xf32>, %b: tensor<1xf32>, %start: tensor<f32>) -> tensor<f32> {
  %c = tensor.concat dim(0) %a, %b : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%c : tensor<2xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

// Near misses: a number that comes from elsewhere; two numbers at once; a place that only a run
// knows; a body that asks for its index; no reduction; a part that is no number.
// CHECK-LABEL: func @near_misses
// CHECK-NOT:   iterator_types = []
// CHECK:       return
func.func @near_misses(%a: tensor<1xf32>, %b: tensor<2xf32>, %old: tensor<2xf32>, %at: index, %start: tensor<f32>, %out: tensor<2xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>) {
  %0 = tensor.insert_slice %a into %old[0] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %elsewhere = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%0 : tensor<2xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %e = tensor.empty() : tensor<3xf32>
  %1 = tensor.insert_slice %b into %e[0] [2] [1] : tensor<2xf32> into tensor<3xf32>
  %2 = tensor.insert_slice %a into %1[2] [1] [1] : tensor<1xf32> into tensor<3xf32>
  %two = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%2 : tensor<3xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %3 = tensor.insert_slice %a into %old[%at] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %4 = tensor.insert_slice %a into %3[1] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %unknown = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%4 : tensor<2xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %5 = tensor.insert_slice %a into %0[1] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %index = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%5 : tensor<2xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %t = arith.addf %s, %f : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %each = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%5 : tensor<2xf32>) outs(%out : tensor<2xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.negf %x : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
  %part = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%c : tensor<3xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %elsewhere, %two, %unknown, %index, %each, %part : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>
}

// -----

// In a block that nothing reaches, a tensor may be made of itself: it is not followed for ever.
// CHECK-LABEL: func @unreachable
func.func @unreachable(%a: tensor<1xf32>, %start: tensor<f32>) -> tensor<f32> {
  return %start : tensor<f32>
^bb1:
  %0 = tensor.insert_slice %a into %0[0] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%0 : tensor<2xf32>) outs(%start : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
