// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-separate-asserts))" | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>

// Over the loops that the condition depends on: none, and rows. The second update
// asserts what the first does.

// CHECK-LABEL: func @updates
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}], iterator_types = []} ins(%arg1 : tensor<f32>) {
// CHECK:           arith.cmpf one
// CHECK-NEXT:      cf.assert %{{.*}}, "no steps"
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%arg2 : tensor<8xi32>) {
// CHECK:           linalg.index 0
// CHECK:           cf.assert %{{.*}}, "bad row"
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1
// CHECK-NOT:       cf.assert
// CHECK:           arith.divf
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @updates(%x: tensor<8x4xf32>, %step: tensor<f32>, %rows: tensor<8xi32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #none, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %step, %rows : tensor<8x4xf32>, tensor<f32>, tensor<8xi32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%in: f32, %s: f32, %r: i32, %out: f32):
    %nonzero = arith.cmpf one, %s, %zero : f32
    cf.assert %nonzero, "no steps"
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i32
    %same = arith.cmpi eq, %r, %number : i32
    cf.assert %same, "bad row"
    %q = arith.divf %in, %s : f32
    linalg.yield %q : f32
  } -> tensor<8x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %step : tensor<8x4xf32>, tensor<f32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %nonzero = arith.cmpf one, %s, %zero : f32
    cf.assert %nonzero, "no steps"
    %q = arith.mulf %in, %s : f32
    linalg.yield %q : f32
  } -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// Another value, another text or another constant is another assertion.

// CHECK-LABEL: func @different
// CHECK-COUNT-4: cf.assert
// CHECK-NOT:     cf.assert
func.func @different(%step: tensor<f32>, %other: tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%step, %other : tensor<f32>, tensor<f32>) {
  ^bb0(%s: f32, %o: f32):
    %0 = arith.cmpf one, %s, %zero : f32
    cf.assert %0, "first"
    %1 = arith.cmpf one, %o, %zero : f32
    cf.assert %1, "first"
    %2 = arith.cmpf one, %s, %zero : f32
    cf.assert %2, "second"
    %3 = arith.cmpf one, %s, %one : f32
    cf.assert %3, "first"
    %4 = arith.cmpf one, %s, %zero : f32
    cf.assert %4, "first"
    linalg.yield
  }
  return
}

// Left alone: what reads the result of before, a loop without an operand that walks
// it, and loops that may run no time; and what stands behind one of these.

// CHECK-LABEL: func @left
// CHECK:         outs(%arg1
// CHECK:           cf.assert %{{.*}}, "out"
// CHECK:           cf.assert %{{.*}}, "behind"
func.func @left(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%y : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.cmpf one, %out, %zero : f32
    cf.assert %0, "out"
    %1 = arith.cmpf one, %in, %zero : f32
    cf.assert %1, "behind"
    linalg.yield %in : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func @index
// CHECK:         outs(
// CHECK:           cf.assert
func.func @index(%x: tensor<8xf32>) -> tensor<8x4xf32> {
  %c3 = arith.constant 3 : index
  %empty = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %j = linalg.index 1 : index
    %0 = arith.cmpi ne, %j, %c3 : index
    cf.assert %0, "three"
    linalg.yield %in : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func @maybeNone
// CHECK:         outs(
// CHECK:           cf.assert
func.func @maybeNone(%x: tensor<?xf32>, %step: tensor<f32>, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %step : tensor<?xf32>, tensor<f32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.cmpf one, %s, %zero : f32
    cf.assert %0, "no steps"
    linalg.yield %in : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// One that nobody reads is the assertion alone.

// CHECK-LABEL: func @unread
// CHECK:         linalg.generic {{.*}}iterator_types = []} ins(%arg1 : tensor<f32>) {
// CHECK:           cf.assert
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @unread(%x: tensor<8x4xf32>, %step: tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["parallel", "parallel"]}
      ins(%x, %step : tensor<8x4xf32>, tensor<f32>) {
  ^bb0(%in: f32, %s: f32):
    %0 = arith.cmpf one, %s, %zero : f32
    cf.assert %0, "no steps"
    linalg.yield
  }
  return
}
