// RUN: amp-opt %s --amp-read-through-pads --split-input-file | FileCheck %s

#at = affine_map<(i) -> (i)>

// A window of two, one step in front: one slice leaves the image, the other is one of it.
// CHECK-LABEL: func @windows
// CHECK-SAME:    (%[[X:.*]]: tensor<8xf32>, %[[E:.*]]: tensor<4xf32>)
// CHECK-NOT:   tensor.pad
// CHECK:       %[[S:.*]] = tensor.extract_slice %[[X]][0] [4] [2] : tensor<8xf32> to tensor<4xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[S]] : tensor<4xf32>) outs(%[[E]] : tensor<4xf32>)
// CHECK-NEXT:  ^bb0(%[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-DAG:     %[[I:.*]] = linalg.index 0
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK:         %[[TWICE:.*]] = arith.muli %[[I]], %[[TWO]]
// CHECK:         %[[ONE:.*]] = arith.constant -1 : index
// CHECK:         %[[J:.*]] = arith.addi %[[TWICE]], %[[ONE]]
// CHECK:         %[[END:.*]] = arith.constant 8 : index
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[J]], %[[END]] : index
// CHECK:         %[[K:.*]] = arith.select %[[IN]], %[[J]], %[[ZERO]] : index
// CHECK:         %[[R:.*]] = tensor.extract %[[X]][%[[K]]]
// CHECK:         %[[C:.*]] = arith.constant -1.000000e+00 : f32
// CHECK:         %[[A:.*]] = arith.select %[[IN]], %[[R]], %[[C]] : f32
// CHECK:         arith.maximumf %[[A]], %[[B]]
func.func @windows(%x: tensor<8xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant -1.0 : f32
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<8xf32> to tensor<9xf32>
  %s0 = tensor.extract_slice %p[0] [4] [2] : tensor<9xf32> to tensor<4xf32>
  %s1 = tensor.extract_slice %p[1] [4] [2] : tensor<9xf32> to tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel"]}
      ins(%s0, %s1 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The pad itself, read at a sum of loops: a sum over windows. Rows never leave the image, and are not asked. Another operand
// says how long the window is.
// CHECK-LABEL: func @sums
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<3x8xf32>, %[[W:.*]]: tensor<3xf32>, %[[E:.*]]: tensor<3x8xf32>)
// CHECK-NOT:   tensor.pad
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME:    ins(%[[W]] : tensor<3xf32>) outs(%[[E]] : tensor<3x8xf32>)
// CHECK-NEXT:  ^bb0(%{{.*}}: f32, %[[O:.*]]: f32):
// CHECK-DAG:     %[[ROW:.*]] = linalg.index 0
// CHECK-DAG:     %[[I:.*]] = linalg.index 1
// CHECK-DAG:     %[[J:.*]] = linalg.index 2
// CHECK:         arith.addi %[[I]], %[[J]]
// CHECK:         %[[IN:.*]] = arith.cmpi ult
// CHECK-NOT:     arith.cmpi
// CHECK:         %[[K:.*]] = arith.select %[[IN]]
// CHECK:         tensor.extract %[[X]][%[[ROW]], %[[K]]]
#window = affine_map<(r, i, j) -> (r, i + j)>
#taps = affine_map<(r, i, j) -> (j)>
#out = affine_map<(r, i, j) -> (r, i)>
func.func @sums(%x: tensor<3x8xf32>, %w: tensor<3xf32>, %e: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<3x8xf32> to tensor<3x10xf32>
  %r = linalg.generic {indexing_maps = [#window, #taps, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %w : tensor<3x10xf32>, tensor<3xf32>) outs(%e : tensor<3x8xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %m = arith.addf %a, %o : f32
    linalg.yield %m : f32
  } -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}

// -----

// An insertion into what is filled is a pad. Both operands, behind an operand that stays; the second by a slice
// without its first dimension. Two dimensions are asked together.
// CHECK-LABEL: func @inserted
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<2x2xi64>, %[[Y:[^:]*]]: tensor<4xi64>
// CHECK-NOT:   tensor.insert_slice
// CHECK:       linalg.generic {{.*}} ins(%[[Y]] : tensor<4xi64>)
// CHECK-NEXT:  ^bb0(%[[IN:.*]]: i64, %{{.*}}: i64):
// CHECK-DAG:     %[[R:.*]] = arith.cmpi ult
// CHECK-DAG:     %[[S:.*]] = arith.cmpi ult
// CHECK:         %[[BOTH:.*]] = arith.andi
// CHECK:         tensor.extract %[[X]]
// CHECK:         arith.select %[[BOTH]]
func.func @inserted(%x: tensor<2x2xi64>, %y: tensor<4xi64>, %e: tensor<4xi64>) -> tensor<4xi64> {
  %c = arith.constant dense<-1> : tensor<4x4xi64>
  %p = tensor.insert_slice %x into %c[1, 1] [2, 2] [1, 1] : tensor<2x2xi64> into tensor<4x4xi64>
  %s0 = tensor.extract_slice %p[0, 0] [4, 1] [1, 1] : tensor<4x4xi64> to tensor<4xi64>
  %s1 = tensor.extract_slice %p[2, 0] [1, 4] [1, 1] : tensor<4x4xi64> to tensor<4xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (3 - i)>,
                                        affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s0, %y, %s1 : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) outs(%e : tensor<4xi64>) {
  ^bb0(%a: i64, %b: i64, %d: i64, %o: i64):
    %m = arith.addi %a, %b : i64
    %n = arith.subi %m, %d : i64
    linalg.yield %n : i64
  } -> tensor<4xi64>
  return %r : tensor<4xi64>
}

// -----

// Near misses, each of which keeps its pad.

// Something else reads it too, here the caller.
// CHECK-LABEL: func @returned
// CHECK:       %[[P:.*]] = tensor.pad
// CHECK:       linalg.generic {{.*}} ins(%[[P]] :
#at = affine_map<(i) -> (i)>
func.func @returned(%x: tensor<8xf32>, %e: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<8xf32> to tensor<9xf32>
  %r = linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel"]}
      ins(%p : tensor<9xf32>) outs(%e : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = math.exp %a : f32
    linalg.yield %m : f32
  } -> tensor<9xf32>
  return %r, %p : tensor<9xf32>, tensor<9xf32>
}

// A slice of it goes elsewhere.
// CHECK-LABEL: func @slice_returned
// CHECK:       tensor.pad
func.func @slice_returned(%x: tensor<8xf32>) -> tensor<4xf32> {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<8xf32> to tensor<9xf32>
  %s = tensor.extract_slice %p[0] [4] [2] : tensor<9xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}

// It is what an operation starts from.
// CHECK-LABEL: func @start
// CHECK:       tensor.pad
func.func @start(%x: tensor<8xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<8xf32> to tensor<9xf32>
  %r = linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel"]}
      ins(%y : tensor<9xf32>) outs(%p : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %a, %o : f32
    linalg.yield %m : f32
  } -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// A contraction reads it.
// CHECK-LABEL: func @product
// CHECK:       tensor.pad
func.func @product(%x: tensor<7x8xf32>, %y: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<7x8xf32> to tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// The pad alone says how far the sum goes.
// CHECK-LABEL: func @extent
// CHECK:       tensor.pad
func.func @extent(%x: tensor<8xf32>, %e: tensor<f32>) -> tensor<f32> {
  %c = arith.constant 1.0 : f32
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<8xf32> to tensor<9xf32>
  %r = linalg.generic {indexing_maps = [#at, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%p : tensor<9xf32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %o : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// Two operands of it say that for one another.
// CHECK-LABEL: func @extent_twice
// CHECK:       tensor.pad
func.func @extent_twice(%x: tensor<8xf32>, %e: tensor<f32>) -> tensor<f32> {
  %c = arith.constant 1.0 : f32
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<8xf32> to tensor<10xf32>
  %s0 = tensor.extract_slice %p[0] [9] [1] : tensor<10xf32> to tensor<9xf32>
  %s1 = tensor.extract_slice %p[1] [9] [1] : tensor<10xf32> to tensor<9xf32>
  %r = linalg.generic {indexing_maps = [#at, #at, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%s0, %s1 : tensor<9xf32>, tensor<9xf32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.maximumf %a, %b : f32
    %n = arith.addf %m, %o : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// Numbers of each place, a place that a run computes, an extent that a run brings, nothing inside, elements cut off in front,
// zeros between elements.
// CHECK-LABEL: func @others
// CHECK-COUNT-5: tensor.pad
// CHECK:         tensor.insert_slice
func.func @others(%x: tensor<8xf32>, %n: index, %z: tensor<?xf32>, %none: tensor<0xf32>, %few: tensor<4xf32>,
                  %e: tensor<9xf32>) -> tensor<9xf32> {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    tensor.yield %f : f32
  } : tensor<8xf32> to tensor<9xf32>
  %high = arith.subi %n, %n : index
  %q = tensor.pad %x low[%n] high[%high] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<8xf32> to tensor<9xf32>
  %r = tensor.pad %z low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<9xf32>
  %s = tensor.pad %none low[4] high[5] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<0xf32> to tensor<9xf32>
  %t = tensor.pad %x low[-1] high[2] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<8xf32> to tensor<9xf32>
  %zeros = arith.constant dense<0.0> : tensor<9xf32>
  %u = tensor.insert_slice %few into %zeros[1] [4] [2] : tensor<4xf32> into tensor<9xf32>
  %y = linalg.generic {indexing_maps = [#at, #at, #at, #at, #at, #at, #at], iterator_types = ["parallel"]}
      ins(%p, %q, %r, %s, %t, %u : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>)
      outs(%e : tensor<9xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %f: f32, %g: f32, %h: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    %w = arith.addf %v, %d : f32
    %k = arith.addf %w, %f : f32
    %l = arith.addf %k, %g : f32
    %m = arith.addf %l, %h : f32
    linalg.yield %m : f32
  } -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// A slice at a place that a run computes.
// CHECK-LABEL: func @place
// CHECK:       tensor.pad
func.func @place(%x: tensor<8xf32>, %n: index, %e: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<8xf32> to tensor<9xf32>
  %s = tensor.extract_slice %p[%n] [4] [1] : tensor<9xf32> to tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = math.exp %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Elements that are vectors.
// CHECK-LABEL: func @vectors
// CHECK:       tensor.pad
func.func @vectors(%x: tensor<8xvector<4xf32>>, %y: tensor<9xf32>, %e: tensor<9xvector<4xf32>>) -> tensor<9xvector<4xf32>> {
  %c = arith.constant dense<1.0> : vector<4xf32>
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : vector<4xf32>
  } : tensor<8xvector<4xf32>> to tensor<9xvector<4xf32>>
  %r = linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel"]}
      ins(%p, %y : tensor<9xvector<4xf32>>, tensor<9xf32>) outs(%e : tensor<9xvector<4xf32>>) {
  ^bb0(%a: vector<4xf32>, %b: f32, %o: vector<4xf32>):
    linalg.yield %a : vector<4xf32>
  } -> tensor<9xvector<4xf32>>
  return %r : tensor<9xvector<4xf32>>
}
