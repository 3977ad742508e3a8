// RUN: amp-opt %s --amp-join-numbers --split-input-file | FileCheck %s

#n = affine_map<() -> ()>
#third = affine_map<() -> (3)>

// A chain is one operation; what only it reads is a value in it. Starts are operands that are read, and so are numbers
// that a body takes from outside.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    (%[[X:.*]]: tensor<17xf32>, %[[START:.*]]: tensor<f32>, %[[N:.*]]: f32)
// CHECK:       %[[R:.*]]:2 = linalg.generic {{.*}} ins(%[[X]], %[[START]] : tensor<17xf32>, tensor<f32>) outs({{.*}} : tensor<f32>, tensor<f32>)
// CHECK-NEXT:  ^bb0(%[[IN:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:    %[[A:.*]] = arith.addf %[[S]], %[[IN]]
// CHECK-NEXT:    %[[B:.*]] = math.sqrt %[[A]]
// CHECK-NEXT:    %[[C:.*]] = arith.mulf %[[B]], %[[N]]
// CHECK-NEXT:    %[[D:.*]] = arith.divf %[[C]], %[[B]]
// CHECK-NEXT:    linalg.yield %[[B]], %[[D]]
// CHECK-NOT:   linalg.generic
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @chain(%x: tensor<17xf32>, %start: tensor<f32>, %n: f32) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [#third, #n], iterator_types = []} ins(%x : tensor<17xf32>) outs(%start : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%a : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.sqrt %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %c = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%b : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %n : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %d = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = []} ins(%c, %b : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %0 = arith.divf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %b, %d : tensor<f32>, tensor<f32>
}

// -----

#n = affine_map<() -> ()>
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// The second cannot move up to the first, for it reads the sum; the first moves down, for nobody has read it before.
// CHECK-LABEL: func.func @down
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK:       %[[R:.*]]:2 = linalg.generic {{.*}} iterator_types = []} ins(%{{.*}}, %[[SUM]] :
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @down(%x: tensor<f32>, %y: tensor<8xf32>, %z: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#i, #none], iterator_types = ["reduction"]} ins(%y : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = []} ins(%a, %sum : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %0 = arith.mulf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// -----

#n = affine_map<() -> ()>
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// Near miss: the sum between them reads the first, and the second the sum.
// CHECK-LABEL: func.func @between
// CHECK:       iterator_types = []}
// CHECK:       iterator_types = ["reduction"]}
// CHECK:       iterator_types = []}
// CHECK:       return
func.func @between(%x: tensor<f32>, %y: tensor<8xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#i, #none], iterator_types = ["reduction"]} ins(%y : tensor<8xf32>) outs(%a : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%sum : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%p: f32, %out: f32):
    %0 = math.sqrt %p : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %b : tensor<f32>
}

// -----

#n = affine_map<() -> ()>
#first = affine_map<() -> (0)>

// Near misses: an element of a large tensor, which would live longer; a result of one dimension; a number alone.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: linalg.generic {{.*}} iterator_types = []}
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @others(%x: tensor<1025xf32>, %y: tensor<1xf32>, %z: tensor<f32>)
    -> (tensor<f32>, tensor<1xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %one = tensor.empty() : tensor<1xf32>
  %a = linalg.generic {indexing_maps = [#first, #n], iterator_types = []} ins(%x : tensor<1025xf32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#first, #first], iterator_types = []} ins(%y : tensor<1xf32>) outs(%one : tensor<1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<1xf32>
  %c = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%z : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %a, %b, %c : tensor<f32>, tensor<1xf32>, tensor<f32>
}

// -----

#n = affine_map<() -> ()>

// Near miss: a body that takes a number out of the other's tensor, which the same operation would make.
// CHECK-LABEL: func.func @table
// CHECK-COUNT-2: linalg.generic {{.*}} iterator_types = []}
// CHECK:       return
func.func @table(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%y : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = tensor.extract %a[] : tensor<f32>
    %1 = arith.mulf %0, %in : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %b : tensor<f32>
}

// -----

#n = affine_map<() -> ()>

// What nothing reaches may be made of itself.
// CHECK-LABEL: func.func @unreachable
// CHECK-NEXT:  return
func.func @unreachable(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
^bb1:
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%b : tensor<f32>) outs(%x : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%a : tensor<f32>) outs(%x : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %b : tensor<f32>
}
