// RUN: amp-opt %s --amp-expand-partial-writes | FileCheck %s

// A diagonal, and a sum in the same operation that reads its destination.
// CHECK-LABEL: func.func @diagonal
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[TO:.*]]: tensor<4x4xf32>, %[[S:.*]]: tensor<4xf32>
func.func @diagonal(%x: tensor<4xf32>, %to: tensor<4x4xf32>, %s: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  // CHECK-NOT:  linalg.generic
  // CHECK:      %[[R:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[H:.*]] = %[[TO]], %[[HS:.*]] = %[[S]])
  // CHECK:        %[[A:.*]] = tensor.extract %[[X]][%[[I]]]
  // CHECK:        %[[OLD:.*]] = tensor.extract %[[HS]][%[[I]]]
  // CHECK:        %[[SUM:.*]] = arith.addf %[[A]], %[[OLD]]
  // CHECK:        %[[N:.*]] = tensor.insert %[[A]] into %[[H]][%[[I]], %[[I]]]
  // CHECK:        %[[NS:.*]] = tensor.insert %[[SUM]] into %[[HS]][%[[I]]]
  // CHECK:        scf.yield %[[N]], %[[NS]]
  // CHECK:      return %[[R]]#0, %[[R]]#1
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%to, %s : tensor<4x4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %unread: f32, %old: f32):
    %sum = arith.addf %a, %old : f32
    linalg.yield %a, %sum : f32, f32
  } -> (tensor<4x4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4xf32>
}

// A reduction that may have no iteration; linalg.index is the loop's own.
// CHECK-LABEL: func.func @last
func.func @last(%x: tensor<?xf32>, %to: tensor<4xindex>) -> tensor<4xindex> {
  // CHECK:      scf.for %[[K:[a-z0-9]+]] =
  // CHECK:        scf.for %[[I:[a-z0-9]+]] =
  // CHECK:          tensor.insert %[[K]] into %{{.*}}[%[[I]]]
  // CHECK-NOT:  linalg
  %r = linalg.generic {
      indexing_maps = [affine_map<(k, i) -> (k)>, affine_map<(k, i) -> (i)>],
      iterator_types = ["reduction", "parallel"]} ins(%x : tensor<?xf32>) outs(%to : tensor<4xindex>) {
  ^bb0(%a: f32, %unread: index):
    %k = linalg.index 0 : index
    linalg.yield %k : index
  } -> tensor<4xindex>
  return %r : tensor<4xindex>
}

// Near misses: all is written, by a transposition, by each of several rounds; the
// destination is read; it is memory.
// CHECK-LABEL: func.func @wholly
func.func @wholly(%x: tensor<4xf32>, %to: tensor<4x?xf32>, %mx: memref<4xf32>, %m: memref<4x4xf32>) -> (tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>) {
  // CHECK-COUNT-4: linalg.generic
  // CHECK-NOT:     scf.for
  // CHECK:         return
  %t = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4xf32>) outs(%to : tensor<4x?xf32>) {
  ^bb0(%a: f32, %unread: f32):
    linalg.yield %a : f32
  } -> tensor<4x?xf32>
  %l = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<4xf32>) outs(%to : tensor<4x?xf32>) {
  ^bb0(%a: f32, %unread: f32):
    linalg.yield %a : f32
  } -> tensor<4x?xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>],
      iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%to : tensor<4x?xf32>) {
  ^bb0(%a: f32, %old: f32):
    %sum = arith.addf %a, %old : f32
    linalg.yield %sum : f32
  } -> tensor<4x?xf32>
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
      iterator_types = ["parallel"]} ins(%mx : memref<4xf32>) outs(%m : memref<4x4xf32>) {
  ^bb0(%a: f32, %unread: f32):
    linalg.yield %a : f32
  }
  return %t, %l, %d : tensor<4x?xf32>, tensor<4x?xf32>, tensor<4x?xf32>
}

// A mask has the order of the tensor; promises are believed where numbers say the same, as of the rows here.
// CHECK-LABEL: func.func @masked_transposed
// CHECK-SAME:    (%[[V:.*]]: vector<4x2xf32>, %[[MASK:.*]]: vector<2x4xi1>, %[[TO:.*]]: tensor<2x8xf32>
func.func @masked_transposed(%v: vector<4x2xf32>, %mask: vector<2x4xi1>, %to: tensor<2x8xf32>, %at: index) -> tensor<2x8xf32> {
  // CHECK: %[[OLD:.*]] = vector.transfer_read %[[TO]]{{.*}} {in_bounds = [false, true],
  // CHECK: %[[TURNED:.*]] = vector.transpose %[[MASK]], [1, 0] : vector<2x4xi1> to vector<4x2xi1>
  // CHECK: %[[NEW:.*]] = arith.select %[[TURNED]], %[[V]], %[[OLD]]
  // CHECK: vector.transfer_write %[[NEW]], %[[TO]]{{.*}} {in_bounds = [false, true],
  %c0 = arith.constant 0 : index
  %r = vector.transfer_write %v, %to[%c0, %at], %mask {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>}
      : vector<4x2xf32>, tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// An end that has no number is not in the tensor.
// CHECK-LABEL: func.func @masked_far
func.func @masked_far(%v: vector<4xf32>, %mask: vector<4xi1>, %to: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: in_bounds
  // CHECK:     return
  %far = arith.constant 9223372036854775807 : index
  %r = vector.transfer_write %v, %to[%far], %mask {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
  return %r : tensor<8xf32>
}

// A vector without dimensions has a mask of one element.
// CHECK-LABEL: func.func @masked_number
// CHECK-SAME:    %[[V:.*]]: vector<f32>, %[[MASK:.*]]: vector<1xi1>, %[[TO:.*]]: tensor<8xf32>
func.func @masked_number(%v: vector<f32>, %mask: vector<1xi1>, %to: tensor<8xf32>, %at: index) -> tensor<8xf32> {
  // CHECK: %[[OLD:.*]] = vector.transfer_read %[[TO]]
  // CHECK: %[[IS:.*]] = vector.extract %[[MASK]][0] : i1 from vector<1xi1>
  // CHECK: %[[NEW:.*]] = arith.select %[[IS]], %[[V]], %[[OLD]] : vector<f32>
  // CHECK: vector.transfer_write %[[NEW]], %[[TO]]{{.*}} : vector<f32>, tensor<8xf32>
  %r = vector.transfer_write %v, %to[%at], %mask : vector<f32>, tensor<8xf32>
  return %r : tensor<8xf32>
}

// A mask chooses between what is written and what is there. Near misses: none, memory.
// CHECK-LABEL: func.func @masked
// CHECK-SAME:    %[[V:.*]]: vector<4xf32>, %[[MASK:.*]]: vector<4xi1>, %[[TO:.*]]: tensor<8xf32>, %[[MEM:.*]]: memref<8xf32>, %[[AT:.*]]: index
func.func @masked(%v: vector<4xf32>, %mask: vector<4xi1>, %to: tensor<8xf32>, %m: memref<8xf32>, %at: index) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-NEXT: %[[OLD:.*]] = vector.transfer_read %[[TO]][%[[AT]]], %[[ZERO]] : tensor<8xf32>, vector<4xf32>
  // CHECK-NEXT: %[[NEW:.*]] = arith.select %[[MASK]], %[[V]], %[[OLD]]
  // CHECK-NEXT: vector.transfer_write %[[NEW]], %[[TO]][%[[AT]]] : vector<4xf32>, tensor<8xf32>
  // CHECK-NEXT: vector.transfer_write %[[V]], %[[TO]][%[[AT]]] : vector<4xf32>, tensor<8xf32>
  // CHECK-NEXT: vector.transfer_write %[[V]], %[[MEM]][%[[AT]]], %[[MASK]] : vector<4xf32>, memref<8xf32>
  %a = vector.transfer_write %v, %to[%at], %mask : vector<4xf32>, tensor<8xf32>
  %b = vector.transfer_write %v, %to[%at] : vector<4xf32>, tensor<8xf32>
  vector.transfer_write %v, %m[%at], %mask : vector<4xf32>, memref<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
