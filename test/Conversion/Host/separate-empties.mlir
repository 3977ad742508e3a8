// RUN: amp-opt %s --amp-separate-empties --split-input-file | FileCheck %s

// What has one use, and what has none, stays.
// CHECK-LABEL: func.func @straight
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
func.func @straight(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  // CHECK-DAG:  %[[FIRST:.+]] = tensor.empty() : tensor<4xf32>
  // CHECK-DAG:  %[[SMALL:.+]] = tensor.empty() : tensor<2xf32>
  // CHECK-DAG:  tensor.empty() : tensor<3xf32>
  // CHECK-NOT:  tensor.empty
  %empty = tensor.empty() : tensor<4xf32>
  %small = tensor.empty() : tensor<2xf32>
  %unused = tensor.empty() : tensor<3xf32>
  // CHECK:      linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[FIRST]] :
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  // CHECK:      %[[SECOND:.+]] = tensor.empty() : tensor<4xf32>
  // CHECK-NEXT: linalg.log {{.*}} outs(%[[SECOND]] :
  %b = linalg.log ins(%a : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %part = tensor.extract_slice %b[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  // CHECK:      linalg.exp {{.*}} outs(%[[SMALL]] :
  %c = linalg.exp ins(%part : tensor<2xf32>) outs(%small : tensor<2xf32>) -> tensor<2xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// -----

// In a loop the others stand there, of a size that stands outside; both results of one operation have their own.
// CHECK-LABEL: func.func @loop
// CHECK-SAME:    %[[N:[^ ]+]]: index
func.func @loop(%n: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK:      %[[FIRST:.+]] = tensor.empty(%[[N]])
  %empty = tensor.empty(%n) : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK:      scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<?xf32> {
    // CHECK:    linalg.map {{.*}} outs(%[[FIRST]] :
    // CHECK-COUNT-2: tensor.empty(%[[N]])
    // CHECK-NEXT: linalg.generic
    %a = linalg.map {math.exp} ins(%y : tensor<?xf32>) outs(%empty : tensor<?xf32>)
    %b:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%empty, %empty : tensor<?xf32>, tensor<?xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %t = arith.addf %p, %p : f32
      linalg.yield %p, %t : f32, f32
    } -> (tensor<?xf32>, tensor<?xf32>)
    scf.yield %b#1 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
