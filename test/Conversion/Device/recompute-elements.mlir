// RUN: amp-opt %s --amp-recompute-elements --split-input-file | FileCheck %s
// RUN: amp-opt %s --split-input-file --amp-recompute-elements --amp-fuse-elementwise --canonicalize | FileCheck %s --check-prefix=FUSED

// A chain of two values that follow from one that is read: the reader gets its own, in their order.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @chain
// CHECK-SAME:    %[[H:[^ ]*]]: tensor<4096xf32>, %[[DY:[^ ]*]]: tensor<4096xf32>
// CHECK:       %[[T:.*]] = linalg.generic {{.*}} ins(%[[H]] :
// CHECK:         math.tanh
// CHECK:       %[[U:.*]] = linalg.generic {{.*}} ins(%[[T]] :
// CHECK:         math.exp
// CHECK:       %[[Y:.*]] = linalg.generic {{.*}} ins(%[[H]], %{{.*}} :
// CHECK:       %[[T1:.*]] = linalg.generic {{.*}} ins(%[[H]] :
// CHECK:         math.tanh
// CHECK:       %[[T2:.*]] = linalg.generic {{.*}} ins(%[[H]] :
// CHECK:         math.tanh
// CHECK:       %[[U1:.*]] = linalg.generic {{.*}} ins(%[[T2]] :
// CHECK:         math.exp
// CHECK:       linalg.generic {{.*}} ins(%[[DY]], %[[H]], %[[T1]], %[[U1]] :
// What is left is one pass forward and one backward, of the inputs alone.
// FUSED-LABEL: func @chain
// FUSED-SAME:    %[[H:[^ ]*]]: tensor<4096xf32>, %[[DY:[^ ]*]]: tensor<4096xf32>
// FUSED:       linalg.generic {{.*}} ins(%[[H]] : tensor<4096xf32>)
// FUSED:       linalg.generic {{.*}} ins(%[[DY]], %[[H]] : tensor<4096xf32>, tensor<4096xf32>)
// FUSED-NOT:   linalg.generic
// FUSED:       return
func.func @chain(%h: tensor<4096xf32>, %dy: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.tanh %x : f32
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%h, %u : tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    linalg.yield %p1 : f32
  } -> tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%dy, %h, %t, %u : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    %p2 = arith.mulf %p1, %x2 : f32
    %p3 = arith.mulf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  return %y, %g : tensor<4096xf32>, tensor<4096xf32>
}

// -----

// A near miss: what it follows from is not read.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @not_read
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT:   linalg.generic
func.func @not_read(%h: tensor<4096xf32>, %dy: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.tanh %x : f32
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%dy, %t : tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    linalg.yield %p1 : f32
  } -> tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%dy, %t : tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    linalg.yield %p1 : f32
  } -> tensor<4096xf32>
  return %y, %g : tensor<4096xf32>, tensor<4096xf32>
}

// -----

// A near miss: one reader, into which elementwise fusion takes it.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @read_once
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:   linalg.generic
func.func @read_once(%h: tensor<4096xf32>, %dy: tensor<4096xf32>) -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.tanh %x : f32
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%dy, %h, %t : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    %p2 = arith.mulf %p1, %x2 : f32
    linalg.yield %p2 : f32
  } -> tensor<4096xf32>
  return %g : tensor<4096xf32>
}

// -----

// A near miss: fewer elements than a launch is worth.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @few
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:   linalg.generic
func.func @few(%h: tensor<4095xf32>, %dy: tensor<4095xf32>) -> (tensor<4095xf32>, tensor<4095xf32>) {
  %e = tensor.empty() : tensor<4095xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%h : tensor<4095xf32>) outs(%e : tensor<4095xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.tanh %x : f32
    linalg.yield %y : f32
  } -> tensor<4095xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%dy, %h, %t : tensor<4095xf32>, tensor<4095xf32>, tensor<4095xf32>) outs(%e : tensor<4095xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    %p2 = arith.mulf %p1, %x2 : f32
    linalg.yield %p2 : f32
  } -> tensor<4095xf32>
  return %t, %g : tensor<4095xf32>, tensor<4095xf32>
}

// -----

// A near miss: an operation with two results.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @two_results
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:   linalg.generic
func.func @two_results(%h: tensor<4096xf32>, %dy: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %t:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%h : tensor<4096xf32>) outs(%e, %e : tensor<4096xf32>, tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32, %p: f32):
    %y = math.tanh %x : f32
    linalg.yield %y, %x : f32, f32
  } -> (tensor<4096xf32>, tensor<4096xf32>)
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%dy, %h, %t#0 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    %p2 = arith.mulf %p1, %x2 : f32
    linalg.yield %p2 : f32
  } -> tensor<4096xf32>
  return %t#0, %t#1, %g : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>
}

// -----

// A near miss: a value that begins with another tensor.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @of_result_so_far
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:   linalg.generic
func.func @of_result_so_far(%h: tensor<4096xf32>, %dy: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%h : tensor<4096xf32>) outs(%dy : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %o : f32
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%dy, %h, %t : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    %p2 = arith.mulf %p1, %x2 : f32
    linalg.yield %p2 : f32
  } -> tensor<4096xf32>
  return %t, %g : tensor<4096xf32>, tensor<4096xf32>
}

// -----

// A near miss: a reader that adds up.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @sum
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:   linalg.generic
func.func @sum(%h: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.tanh %x : f32
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  %s = tensor.empty() : tensor<f32>
  %g = linalg.generic {indexing_maps = [#id, #id, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%h, %t : tensor<4096xf32>, tensor<4096xf32>) outs(%s : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<f32>
  return %t, %g : tensor<4096xf32>, tensor<f32>
}

// -----

// A near miss: more operations than a reader gets.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @long
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:   linalg.generic
func.func @long(%h: tensor<4096xf32>, %dy: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y0 = arith.addf %x, %x : f32
    %y1 = arith.addf %y0, %x : f32
    %y2 = arith.addf %y1, %x : f32
    %y3 = arith.addf %y2, %x : f32
    %y4 = arith.addf %y3, %x : f32
    %y5 = arith.addf %y4, %x : f32
    %y6 = arith.addf %y5, %x : f32
    %y7 = arith.addf %y6, %x : f32
    %y8 = arith.addf %y7, %x : f32
    %y9 = arith.addf %y8, %x : f32
    %y10 = arith.addf %y9, %x : f32
    %y11 = arith.addf %y10, %x : f32
    %y12 = arith.addf %y11, %x : f32
    %y13 = arith.addf %y12, %x : f32
    %y14 = arith.addf %y13, %x : f32
    %y15 = arith.addf %y14, %x : f32
    %y16 = arith.addf %y15, %x : f32
    %y17 = arith.addf %y16, %x : f32
    %y18 = arith.addf %y17, %x : f32
    %y19 = arith.addf %y18, %x : f32
    %y20 = arith.addf %y19, %x : f32
    %y21 = arith.addf %y20, %x : f32
    %y22 = arith.addf %y21, %x : f32
    %y23 = arith.addf %y22, %x : f32
    %y24 = arith.addf %y23, %x : f32
    %y25 = arith.addf %y24, %x : f32
    %y26 = arith.addf %y25, %x : f32
    %y27 = arith.addf %y26, %x : f32
    %y28 = arith.addf %y27, %x : f32
    %y29 = arith.addf %y28, %x : f32
    %y30 = arith.addf %y29, %x : f32
    %y31 = arith.addf %y30, %x : f32
    %y32 = arith.addf %y31, %x : f32
    %y33 = arith.addf %y32, %x : f32
    %y34 = arith.addf %y33, %x : f32
    %y35 = arith.addf %y34, %x : f32
    %y36 = arith.addf %y35, %x : f32
    %y37 = arith.addf %y36, %x : f32
    %y38 = arith.addf %y37, %x : f32
    %y39 = arith.addf %y38, %x : f32
    %y40 = arith.addf %y39, %x : f32
    %y41 = arith.addf %y40, %x : f32
    %y42 = arith.addf %y41, %x : f32
    %y43 = arith.addf %y42, %x : f32
    %y44 = arith.addf %y43, %x : f32
    %y45 = arith.addf %y44, %x : f32
    %y46 = arith.addf %y45, %x : f32
    %y47 = arith.addf %y46, %x : f32
    %y48 = arith.addf %y47, %x : f32
    %y49 = arith.addf %y48, %x : f32
    %y50 = arith.addf %y49, %x : f32
    %y51 = arith.addf %y50, %x : f32
    %y52 = arith.addf %y51, %x : f32
    %y53 = arith.addf %y52, %x : f32
    %y54 = arith.addf %y53, %x : f32
    %y55 = arith.addf %y54, %x : f32
    %y56 = arith.addf %y55, %x : f32
    %y57 = arith.addf %y56, %x : f32
    %y58 = arith.addf %y57, %x : f32
    %y59 = arith.addf %y58, %x : f32
    %y60 = arith.addf %y59, %x : f32
    %y61 = arith.addf %y60, %x : f32
    %y62 = arith.addf %y61, %x : f32
    %y63 = arith.addf %y62, %x : f32
    linalg.yield %y63 : f32
  } -> tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%dy, %h, %t : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    %p2 = arith.mulf %p1, %x2 : f32
    linalg.yield %p2 : f32
  } -> tensor<4096xf32>
  return %t, %g : tensor<4096xf32>, tensor<4096xf32>
}

// -----

// In a block that nothing reaches, values may be made of each other: they are not followed for ever.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @unreachable
func.func @unreachable(%h: tensor<4096xf32>) -> tensor<4096xf32> {
  return %h : tensor<4096xf32>
^bb1:
  %e = tensor.empty() : tensor<4096xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%u : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.tanh %x : f32
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%h, %t, %u : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    %p2 = arith.mulf %p1, %x2 : f32
    linalg.yield %p2 : f32
  } -> tensor<4096xf32>
  return %g : tensor<4096xf32>
}

// -----

// Of forty values that each follow from four others, there are more ways from the last to the first
// than anyone could walk. Those that take few operations are computed again: as many as 64 allow.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @many_ways
// CHECK:         math.tanh
// CHECK:         math.tanh
// CHECK:       return
func.func @many_ways(%h: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %t1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %p1 = math.tanh %x0 : f32
    linalg.yield %p1 : f32
  } -> tensor<4096xf32>
  %t2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%h, %t1 : tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    linalg.yield %p1 : f32
  } -> tensor<4096xf32>
  %t3 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%h, %t1, %t2 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    linalg.yield %p2 : f32
  } -> tensor<4096xf32>
  %t4 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%h, %t1, %t2, %t3 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t5 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t1, %t2, %t3, %t4 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t6 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t2, %t3, %t4, %t5 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t7 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t3, %t4, %t5, %t6 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t8 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t4, %t5, %t6, %t7 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t9 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t5, %t6, %t7, %t8 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t10 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t6, %t7, %t8, %t9 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t11 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t7, %t8, %t9, %t10 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t12 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t8, %t9, %t10, %t11 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t13 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t9, %t10, %t11, %t12 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t14 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t10, %t11, %t12, %t13 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t15 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t11, %t12, %t13, %t14 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t16 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t12, %t13, %t14, %t15 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t17 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t13, %t14, %t15, %t16 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t18 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t14, %t15, %t16, %t17 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t19 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t15, %t16, %t17, %t18 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t20 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t16, %t17, %t18, %t19 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t21 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t17, %t18, %t19, %t20 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t22 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t18, %t19, %t20, %t21 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t23 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t19, %t20, %t21, %t22 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t24 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t20, %t21, %t22, %t23 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t25 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t21, %t22, %t23, %t24 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t26 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t22, %t23, %t24, %t25 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t27 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t23, %t24, %t25, %t26 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t28 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t24, %t25, %t26, %t27 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t29 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t25, %t26, %t27, %t28 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t30 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t26, %t27, %t28, %t29 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t31 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t27, %t28, %t29, %t30 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t32 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t28, %t29, %t30, %t31 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t33 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t29, %t30, %t31, %t32 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t34 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t30, %t31, %t32, %t33 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t35 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t31, %t32, %t33, %t34 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t36 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t32, %t33, %t34, %t35 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t37 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t33, %t34, %t35, %t36 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t38 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t34, %t35, %t36, %t37 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t39 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t35, %t36, %t37, %t38 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %t40 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t36, %t37, %t38, %t39 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %o: f32):
    %p1 = arith.addf %x0, %x1 : f32
    %p2 = arith.addf %p1, %x2 : f32
    %p3 = arith.addf %p2, %x3 : f32
    linalg.yield %p3 : f32
  } -> tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%t40, %t39, %t38, %t37, %t36, %t35, %t34, %t33, %t32, %t31, %t30, %t29, %t28, %t27, %t26, %t25, %t24, %t23, %t22, %t21, %t20, %t19, %t18, %t17, %t16, %t15, %t14, %t13, %t12, %t11, %t10, %t9, %t8, %t7, %t6, %t5, %t4, %t3, %t2, %t1, %h : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %x4: f32, %x5: f32, %x6: f32, %x7: f32, %x8: f32, %x9: f32, %x10: f32, %x11: f32, %x12: f32, %x13: f32, %x14: f32, %x15: f32, %x16: f32, %x17: f32, %x18: f32, %x19: f32, %x20: f32, %x21: f32, %x22: f32, %x23: f32, %x24: f32, %x25: f32, %x26: f32, %x27: f32, %x28: f32, %x29: f32, %x30: f32, %x31: f32, %x32: f32, %x33: f32, %x34: f32, %x35: f32, %x36: f32, %x37: f32, %x38: f32, %x39: f32, %x40: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    %p2 = arith.mulf %p1, %x2 : f32
    %p3 = arith.mulf %p2, %x3 : f32
    %p4 = arith.mulf %p3, %x4 : f32
    %p5 = arith.mulf %p4, %x5 : f32
    %p6 = arith.mulf %p5, %x6 : f32
    %p7 = arith.mulf %p6, %x7 : f32
    %p8 = arith.mulf %p7, %x8 : f32
    %p9 = arith.mulf %p8, %x9 : f32
    %p10 = arith.mulf %p9, %x10 : f32
    %p11 = arith.mulf %p10, %x11 : f32
    %p12 = arith.mulf %p11, %x12 : f32
    %p13 = arith.mulf %p12, %x13 : f32
    %p14 = arith.mulf %p13, %x14 : f32
    %p15 = arith.mulf %p14, %x15 : f32
    %p16 = arith.mulf %p15, %x16 : f32
    %p17 = arith.mulf %p16, %x17 : f32
    %p18 = arith.mulf %p17, %x18 : f32
    %p19 = arith.mulf %p18, %x19 : f32
    %p20 = arith.mulf %p19, %x20 : f32
    %p21 = arith.mulf %p20, %x21 : f32
    %p22 = arith.mulf %p21, %x22 : f32
    %p23 = arith.mulf %p22, %x23 : f32
    %p24 = arith.mulf %p23, %x24 : f32
    %p25 = arith.mulf %p24, %x25 : f32
    %p26 = arith.mulf %p25, %x26 : f32
    %p27 = arith.mulf %p26, %x27 : f32
    %p28 = arith.mulf %p27, %x28 : f32
    %p29 = arith.mulf %p28, %x29 : f32
    %p30 = arith.mulf %p29, %x30 : f32
    %p31 = arith.mulf %p30, %x31 : f32
    %p32 = arith.mulf %p31, %x32 : f32
    %p33 = arith.mulf %p32, %x33 : f32
    %p34 = arith.mulf %p33, %x34 : f32
    %p35 = arith.mulf %p34, %x35 : f32
    %p36 = arith.mulf %p35, %x36 : f32
    %p37 = arith.mulf %p36, %x37 : f32
    %p38 = arith.mulf %p37, %x38 : f32
    %p39 = arith.mulf %p38, %x39 : f32
    %p40 = arith.mulf %p39, %x40 : f32
    linalg.yield %p40 : f32
  } -> tensor<4096xf32>
  return %t40, %g : tensor<4096xf32>, tensor<4096xf32>
}

// -----

// A near miss: a value whose operation asserts, which is to be heard of once.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @asserted
// CHECK-COUNT-1: cf.assert
// CHECK-NOT:   cf.assert
func.func @asserted(%h: tensor<4096xf32>, %dy: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %zero = arith.constant 0.0 : f32
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x: f32, %o: f32):
    %positive = arith.cmpf ogt, %x, %zero : f32
    cf.assert %positive, "expected numbers above 0"
    %y = math.log %x : f32
    linalg.yield %y : f32
  } -> tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%dy, %h, %t : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
    %p1 = arith.mulf %x0, %x1 : f32
    %p2 = arith.mulf %p1, %x2 : f32
    linalg.yield %p2 : f32
  } -> tensor<4096xf32>
  return %t, %g : tensor<4096xf32>, tensor<4096xf32>
}

// -----

// What takes one subtraction from a tensor that a mean reads as well is not kept: all read the tensor.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @centered
// CHECK-SAME:    %[[X:[^ ]*]]: tensor<64x64xf32>
// CHECK:       %[[M:.*]] = linalg.generic {{.*}} ins(%[[X]] :
// CHECK:       %[[C:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[M]] :
// CHECK:         arith.subf
// CHECK:       %[[V:.*]] = linalg.generic {{.*}} "reduction"]} ins(%[[C]] :
// CHECK:       %[[C1:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[M]] :
// CHECK:         arith.subf
// CHECK:       linalg.generic {{.*}} ins(%[[C1]], %[[V]] :
// CHECK-NOT:   linalg.generic
// FUSED-LABEL: func @centered
// FUSED-SAME:    %[[X:[^ ]*]]: tensor<64x64xf32>
// FUSED:       %[[M:.*]] = linalg.generic {{.*}} ins(%[[X]] :
// FUSED:       %[[V:.*]] = linalg.generic {{.*}} "reduction"]} ins(%[[X]], %[[M]] :
// FUSED:       linalg.generic {{.*}} ins(%[[X]], %[[M]], %[[V]] :
// FUSED-NOT:   linalg.generic
// FUSED:       return
func.func @centered(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %o: f32):
    %0 = arith.subf %a, %m0 : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: nobody else reads the tensor, which need not be in memory.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @read_by_it_alone
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @read_by_it_alone(%three: tensor<64x64x3xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%three : tensor<64x64x3xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %o: f32):
    %0 = arith.subf %a, %m0 : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: the value has narrower elements than the tensor.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @narrower
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @narrower(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf16>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%a: f32, %m0: f32, %o: f16):
    %0 = arith.subf %a, %m0 : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<64x64xf16>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf16>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf16>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f16, %s: f32, %o: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: a function, which each reader would compute again.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @function
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @function(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: so would they divide.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @divides
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @divides(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %o: f32):
    %0 = arith.divf %a, %m0 : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: five operations.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @five_operations
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @five_operations(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %o: f32):
    %0 = arith.subf %a, %m0 : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %1, %a : f32
    %3 = arith.mulf %2, %1 : f32
    %4 = arith.addf %3, %a : f32
    linalg.yield %4 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: two tensors of its size.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @two_tensors
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @two_tensors(%x: tensor<64x64xf32>, %rows: tensor<64xf32>, %z: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m, %z : tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: the caller gets it.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @returned
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @returned(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %o: f32):
    %0 = arith.subf %a, %m0 : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y, %c : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A near miss: a product reads it.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @multiplied
// CHECK-COUNT-5: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @multiplied(%x: tensor<64x64xf32>, %rows: tensor<64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %o: f32):
    %0 = arith.subf %a, %m0 : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%c, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %y, %p : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A near miss: fewer elements than a launch is worth.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @few_rows
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @few_rows(%x: tensor<63x64xf32>, %rows: tensor<63xf32>) -> (tensor<63x64xf32>) {
  %e = tensor.empty() : tensor<63x64xf32>
  %f = tensor.empty() : tensor<63x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<63x64xf32>) outs(%rows : tensor<63xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<63xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<63x64xf32>, tensor<63xf32>) outs(%e : tensor<63x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %o: f32):
    %0 = arith.subf %a, %m0 : f32
    linalg.yield %0 : f32
  } -> tensor<63x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<63x64xf32>) outs(%rows : tensor<63xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<63xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<63x64xf32>, tensor<63xf32>) outs(%f : tensor<63x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<63x64xf32>
  return %y : tensor<63x64xf32>
}

// -----

// A near miss: it is moved.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @moved
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @moved(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m0: f32, %o: f32):
    %0 = arith.subf %a, %m0 : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %p = tensor.collapse_shape %c [[0, 1]] : tensor<64x64xf32> into tensor<4096xf32>
  return %y, %p : tensor<64x64xf32>, tensor<4096xf32>
}

// -----

// Half elements are read and widened by each.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @widened
// CHECK-SAME:    %[[X:[^ ]*]]: tensor<64x64xf16>
// CHECK:       linalg.generic {{.*}} ins(%[[X]] : tensor<64x64xf16>)
// CHECK-COUNT-2: linalg.generic {{.*}} ins(%[[X]], %{{.*}} : tensor<64x64xf16>, tensor<64xf32>) outs(%{{.*}} : tensor<64x64xf32>)
// CHECK-NOT:   ins(%[[X]]
// CHECK:       return
func.func @widened(%x: tensor<64x64xf16>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf16>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x64xf16>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f16, %m0: f32, %o: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.subf %0, %m0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// The tensor is an argument of the function: in memory, whoever reads it.
// CHECK-LABEL: func @argument
// CHECK-COUNT-2: arith.subf
// CHECK-NOT:   arith.subf
// CHECK:       return
func.func @argument(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// It has another reader in another shape.
// CHECK-LABEL: func @reshaped
// CHECK:       tensor.expand_shape
// CHECK-COUNT-2: arith.subf
// CHECK-NOT:   arith.subf
// CHECK:       return
func.func @reshaped(%x: tensor<64x8x8x3xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64x8x8xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64x8x8xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k)>],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x8x8x3xf32>) outs(%f : tensor<64x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64x8x8xf32>
  %flat = tensor.collapse_shape %sums [[0], [1, 2]] : tensor<64x8x8xf32> into tensor<64x64xf32>
  %long = tensor.expand_shape %flat [[0, 1], [2]] output_shape [1, 64, 64] : tensor<64x64xf32> into tensor<1x64x64xf32>
  %shaped = tensor.collapse_shape %long [[0, 1], [2]] : tensor<1x64x64xf32> into tensor<64x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%shaped, %rows : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y, %sums : tensor<64x64xf32>, tensor<64x8x8xf32>
}

// -----

// A near miss: one reader, which reads it twice.
// CHECK-LABEL: func @one_reader
// CHECK-COUNT-1: arith.subf
// CHECK-NOT:   arith.subf
// CHECK:       return
func.func @one_reader(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: a reader asks for each element sixty-four times.
// CHECK-LABEL: func @pairs
// CHECK-COUNT-1: arith.subf
// CHECK-NOT:   arith.subf
// CHECK:       return
func.func @pairs(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%c, %rows : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.maximumf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %y, %p : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A near miss: it adds to what its result starts with.
// CHECK-LABEL: func @start
// CHECK-COUNT-1: arith.subf
// CHECK-NOT:   arith.subf
// CHECK:       return
func.func @start(%x: tensor<64x64xf32>, %rows: tensor<64xf32>, %e: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: it is smaller than what it reads, a column of it in each row.
// CHECK-LABEL: func @smaller
// CHECK-COUNT-1: arith.subf
// CHECK-NOT:   arith.subf
// CHECK:       return
func.func @smaller(%x: tensor<64x64x2xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j, 0)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows : tensor<64x64x2xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A near miss: a reader in a branch.
// CHECK-LABEL: func @branch
// CHECK-COUNT-1: arith.subf
// CHECK-NOT:   arith.subf
// CHECK:       return
func.func @branch(%x: tensor<64x64xf32>, %rows: tensor<64xf32>, %which: i1) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %p = scf.if %which -> tensor<64x64xf32> {
    %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%c : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    } -> tensor<64x64xf32>
    scf.yield %n : tensor<64x64xf32>
  } else {
    scf.yield %x : tensor<64x64xf32>
  }
  return %y, %p : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A near miss: a reader with a long body, into which elementwise fusion would not take it.
// CHECK-LABEL: func @long_body
// CHECK-COUNT-1: arith.subf
// CHECK-NOT:   arith.subf
// CHECK:       return
func.func @long_body(%x: tensor<64x64xf32>, %rows: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %rows : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<64x64xf32>) outs(%rows : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %a, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n0 = arith.negf %a : f32
    %n1 = arith.addf %n0, %a : f32
    %n2 = arith.addf %n1, %a : f32
    %n3 = arith.addf %n2, %a : f32
    %n4 = arith.addf %n3, %a : f32
    %n5 = arith.addf %n4, %a : f32
    %n6 = arith.addf %n5, %a : f32
    %n7 = arith.addf %n6, %a : f32
    %n8 = arith.addf %n7, %a : f32
    %n9 = arith.addf %n8, %a : f32
    %n10 = arith.addf %n9, %a : f32
    %n11 = arith.addf %n10, %a : f32
    %n12 = arith.addf %n11, %a : f32
    %n13 = arith.addf %n12, %a : f32
    %n14 = arith.addf %n13, %a : f32
    %n15 = arith.addf %n14, %a : f32
    %n16 = arith.addf %n15, %a : f32
    %n17 = arith.addf %n16, %a : f32
    %n18 = arith.addf %n17, %a : f32
    %n19 = arith.addf %n18, %a : f32
    %n20 = arith.addf %n19, %a : f32
    %n21 = arith.addf %n20, %a : f32
    %n22 = arith.addf %n21, %a : f32
    %n23 = arith.addf %n22, %a : f32
    %n24 = arith.addf %n23, %a : f32
    %n25 = arith.addf %n24, %a : f32
    %n26 = arith.addf %n25, %a : f32
    %n27 = arith.addf %n26, %a : f32
    %n28 = arith.addf %n27, %a : f32
    %n29 = arith.addf %n28, %a : f32
    %n30 = arith.addf %n29, %a : f32
    %n31 = arith.addf %n30, %a : f32
    %n32 = arith.addf %n31, %a : f32
    %n33 = arith.addf %n32, %a : f32
    %n34 = arith.addf %n33, %a : f32
    %n35 = arith.addf %n34, %a : f32
    %n36 = arith.addf %n35, %a : f32
    %n37 = arith.addf %n36, %a : f32
    %n38 = arith.addf %n37, %a : f32
    %n39 = arith.addf %n38, %a : f32
    %n40 = arith.addf %n39, %a : f32
    %n41 = arith.addf %n40, %a : f32
    %n42 = arith.addf %n41, %a : f32
    %n43 = arith.addf %n42, %a : f32
    %n44 = arith.addf %n43, %a : f32
    %n45 = arith.addf %n44, %a : f32
    %n46 = arith.addf %n45, %a : f32
    %n47 = arith.addf %n46, %a : f32
    %n48 = arith.addf %n47, %a : f32
    %n49 = arith.addf %n48, %a : f32
    %n50 = arith.addf %n49, %a : f32
    %n51 = arith.addf %n50, %a : f32
    %n52 = arith.addf %n51, %a : f32
    %n53 = arith.addf %n52, %a : f32
    %n54 = arith.addf %n53, %a : f32
    %n55 = arith.addf %n54, %a : f32
    %n56 = arith.addf %n55, %a : f32
    %n57 = arith.addf %n56, %a : f32
    %n58 = arith.addf %n57, %a : f32
    %n59 = arith.addf %n58, %a : f32
    %n60 = arith.addf %n59, %a : f32
    %n61 = arith.addf %n60, %a : f32
    %n62 = arith.addf %n61, %a : f32
    %n63 = arith.addf %n62, %a : f32
    %n64 = arith.addf %n63, %a : f32
    %n65 = arith.addf %n64, %a : f32
    %n66 = arith.addf %n65, %a : f32
    %n67 = arith.addf %n66, %a : f32
    %n68 = arith.addf %n67, %a : f32
    %n69 = arith.addf %n68, %a : f32
    %n70 = arith.addf %n69, %a : f32
    %n71 = arith.addf %n70, %a : f32
    %n72 = arith.addf %n71, %a : f32
    %n73 = arith.addf %n72, %a : f32
    %n74 = arith.addf %n73, %a : f32
    %n75 = arith.addf %n74, %a : f32
    %n76 = arith.addf %n75, %a : f32
    %n77 = arith.addf %n76, %a : f32
    %n78 = arith.addf %n77, %a : f32
    %n79 = arith.addf %n78, %a : f32
    %n80 = arith.addf %n79, %a : f32
    %n81 = arith.addf %n80, %a : f32
    %n82 = arith.addf %n81, %a : f32
    %n83 = arith.addf %n82, %a : f32
    %n84 = arith.addf %n83, %a : f32
    %n85 = arith.addf %n84, %a : f32
    %n86 = arith.addf %n85, %a : f32
    %n87 = arith.addf %n86, %a : f32
    %n88 = arith.addf %n87, %a : f32
    %n89 = arith.addf %n88, %a : f32
    %n90 = arith.addf %n89, %a : f32
    %n91 = arith.addf %n90, %a : f32
    %n92 = arith.addf %n91, %a : f32
    %n93 = arith.addf %n92, %a : f32
    %n94 = arith.addf %n93, %a : f32
    %n95 = arith.addf %n94, %a : f32
    %n96 = arith.addf %n95, %a : f32
    %n97 = arith.addf %n96, %a : f32
    %n98 = arith.addf %n97, %a : f32
    %n99 = arith.addf %n98, %a : f32
    %n100 = arith.addf %n99, %a : f32
    %n101 = arith.addf %n100, %a : f32
    %n102 = arith.addf %n101, %a : f32
    %n103 = arith.addf %n102, %a : f32
    %n104 = arith.addf %n103, %a : f32
    %n105 = arith.addf %n104, %a : f32
    %n106 = arith.addf %n105, %a : f32
    %n107 = arith.addf %n106, %a : f32
    %n108 = arith.addf %n107, %a : f32
    %n109 = arith.addf %n108, %a : f32
    %n110 = arith.addf %n109, %a : f32
    %n111 = arith.addf %n110, %a : f32
    %n112 = arith.addf %n111, %a : f32
    %n113 = arith.addf %n112, %a : f32
    %n114 = arith.addf %n113, %a : f32
    %n115 = arith.addf %n114, %a : f32
    %n116 = arith.addf %n115, %a : f32
    %n117 = arith.addf %n116, %a : f32
    %n118 = arith.addf %n117, %a : f32
    %n119 = arith.addf %n118, %a : f32
    %n120 = arith.addf %n119, %a : f32
    %n121 = arith.addf %n120, %a : f32
    %n122 = arith.addf %n121, %a : f32
    %n123 = arith.addf %n122, %a : f32
    %n124 = arith.addf %n123, %a : f32
    %n125 = arith.addf %n124, %a : f32
    %n126 = arith.addf %n125, %a : f32
    %n127 = arith.addf %n126, %a : f32
    %n128 = arith.addf %n127, %a : f32
    linalg.yield %n128 : f32
  } -> tensor<64x64xf32>
  return %y, %p : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A near miss: whole numbers are divided.
// CHECK-LABEL: func @divides_integers
// CHECK-COUNT-1: arith.remsi
// CHECK-NOT:   arith.remsi
// CHECK:       return
func.func @divides_integers(%x: tensor<4096xi32>, %seven: i32) -> (tensor<4096xi32>, tensor<4096xi32>) {
  %e = tensor.empty() : tensor<4096xi32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4096xi32>) outs(%e : tensor<4096xi32>) {
  ^bb0(%a: i32, %o: i32):
    %0 = arith.remsi %a, %seven : i32
    linalg.yield %0 : i32
  } -> tensor<4096xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%c : tensor<4096xi32>) outs(%e : tensor<4096xi32>) {
  ^bb0(%a: i32, %o: i32):
    %0 = arith.addi %a, %seven : i32
    linalg.yield %0 : i32
  } -> tensor<4096xi32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%c : tensor<4096xi32>) outs(%e : tensor<4096xi32>) {
  ^bb0(%a: i32, %o: i32):
    %0 = arith.muli %a, %a : i32
    linalg.yield %0 : i32
  } -> tensor<4096xi32>
  return %y, %z : tensor<4096xi32>, tensor<4096xi32>
}
