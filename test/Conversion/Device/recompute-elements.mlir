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
