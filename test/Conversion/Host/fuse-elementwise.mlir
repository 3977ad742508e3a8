// RUN: amp-opt %s --amp-fuse-elementwise | FileCheck %s

#id = affine_map<(i) -> (i)>

// One loop, and the rounding in the middle stays.
// CHECK-LABEL: func.func @chain
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:           %[[HALF:.*]] = arith.truncf
// CHECK:           arith.extf %[[HALF]]
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf16>
  %wide = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf16>) {
  ^bb0(%a: f32, %out: f16):
    %m = arith.mulf %a, %a : f32
    %t = arith.truncf %m : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf16>) outs(%wide : tensor<8xf32>) {
  ^bb0(%a: f16, %out: f32):
    %e = arith.extf %a : f16 to f32
    %s = arith.addf %e, %e : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Two readers: computed once and kept.
// CHECK-LABEL: func.func @two_readers
// CHECK-COUNT-3: linalg.generic
func.func @two_readers(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = math.exp %a : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// A contraction reads its operand as it is: it packs and widens by itself.
// CHECK-LABEL: func.func @contraction
// CHECK:         linalg.generic
// CHECK:           arith.truncf
// CHECK:         linalg.matmul
func.func @contraction(%x: tensor<8x8xf32>, %w: tensor<8x8xf16>, %y: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %empty = tensor.empty() : tensor<8x8xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf16>) {
  ^bb0(%a: f32, %out: f16):
    %t = arith.truncf %a : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8x8xf16>
  %1 = linalg.matmul ins(%0, %w : tensor<8x8xf16>, tensor<8x8xf16>)
                     outs(%y : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// What adds to its outs is computed once: in the loop of what reads it, it would be
// added again for each element.
// CHECK-LABEL: func.func @broadcast_of_a_sum_onto_outs
// CHECK-COUNT-2: linalg.generic
func.func @broadcast_of_a_sum_onto_outs(%n: tensor<f32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %eps = arith.constant dense<0.5> : tensor<f32>
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%n : tensor<f32>) outs(%eps : tensor<f32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %out : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]}
      ins(%x, %0 : tensor<8xf32>, tensor<f32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Near miss: element by element each is computed once.
// CHECK-LABEL: func.func @sum_onto_outs
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @sum_onto_outs(%n: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %eps = arith.constant dense<0.5> : tensor<8xf32>
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%n : tensor<8xf32>) outs(%eps : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %out : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %0 : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK:         linalg.generic
// CHECK:           arith.truncf
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic
// CHECK:           arith.mulf
func.func @kept(%x: tensor<8x4xf32>, %row: tensor<8xf16>, %a: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %e0 = tensor.empty() : tensor<4x8xf16>
  %e1 = tensor.empty() : tensor<8x2xf16>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%e0 : tensor<4x8xf16>) {
  ^bb0(%in: f32, %out: f16):
    %h = arith.truncf %in : f32 to f16
    linalg.yield %h : f16
  } -> tensor<4x8xf16>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%row : tensor<8xf16>) outs(%e1 : tensor<8x2xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<8x2xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %w : tensor<4x8xf16>, tensor<8x2xf16>) outs(%a : tensor<4x2xf32>) {
  ^bb0(%p: f16, %q: f16, %out: f32):
    %u = arith.extf %p : f16 to f32
    %v = arith.extf %q : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// An index i - j with j always 0: fused into what has no such j, it would be i by
// itself, and linalg would take the extent of i from the four columns of %x.
// CHECK-LABEL: func.func @difference
// CHECK-COUNT-2: linalg.generic
func.func @difference(%x: tensor<4xf32>) -> tensor<3x2xf32> {
  %e0 = tensor.empty() : tensor<3x1xf32>
  %e1 = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i - j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4xf32>) outs(%e0 : tensor<3x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<3x1xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<3x1xf32>) outs(%e1 : tensor<3x2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// Near miss: of a tensor that is as long as the loop.
// CHECK-LABEL: func.func @whole_difference
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @whole_difference(%x: tensor<3xf32>) -> tensor<3x2xf32> {
  %e0 = tensor.empty() : tensor<3x1xf32>
  %e1 = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i - j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3xf32>) outs(%e0 : tensor<3x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<3x1xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<3x1xf32>) outs(%e1 : tensor<3x2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// Rows of 2x4 and 8 of them are one: what computes on the longer shape and on the
// shorter one gets the loops of the longer, though others read it too.
// CHECK-LABEL: func.func @rows
// CHECK:         %[[EXP:.*]] = linalg.generic {{.*}}"parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x16xf32>)
// CHECK:         %[[GIVEN:.*]] = tensor.collapse_shape %[[EXP]]
// CHECK:         linalg.generic {{.*}}"parallel", "parallel", "reduction"]} ins(%[[EXP]] : tensor<2x4x16xf32>)
// CHECK:         return %[[GIVEN]]
func.func @rows(%x: tensor<2x4x16xf32>, %sums: tensor<8xf32>) -> (tensor<8x16xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x4x16xf32> into tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<8x16xf32>) outs(%sums : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %out : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8xf32>
}

// Near miss: extents of 1 could be added for ever, as each of the two reads what
// the other reduces. They stay where they are.
// CHECK-LABEL: func.func @unit_extents
// CHECK:         tensor.expand_shape
func.func @unit_extents(%x: tensor<8x16xf32>, %sums: tensor<8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<8x16xf32>) outs(%sums : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %out : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %column = tensor.expand_shape %1 [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>,
                                        affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %column : tensor<8x16xf32>, tensor<8x1xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  return %0, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// An extent of another operand of the same loop is not known: upstream's pattern would give up
// half-way each time it is tried. @rows, with numbers in all of them, gets the longer loops.
// CHECK-LABEL: func.func @some_extents_unknown
// CHECK:         %[[ROWS:.*]] = tensor.collapse_shape
// CHECK:         linalg.generic {{.*}}"parallel", "parallel"]} ins(%[[ROWS]], %arg1 : tensor<8x16xf32>, tensor<?x16xf32>)
// CHECK-NOT:     tensor.
// CHECK:         return
func.func @some_extents_unknown(%x: tensor<2x4x16xf32>, %y: tensor<?x16xf32>, %z: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x4x16xf32> into tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rows, %y : tensor<8x16xf32>, tensor<?x16xf32>) outs(%z : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %out : f32
    linalg.yield %t : f32
  } -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// The same at the other end: the extents of what is expanded.
// CHECK-LABEL: func.func @some_extents_unknown_before
// CHECK:         linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<8x16xf32>, tensor<?x16xf32>)
// CHECK:         tensor.expand_shape
// CHECK:         return
func.func @some_extents_unknown_before(%x: tensor<8x16xf32>, %y: tensor<?x16xf32>, %z: tensor<8x16xf32>) -> tensor<2x4x16xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<8x16xf32>, tensor<?x16xf32>) outs(%z : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %out : f32
    linalg.yield %t : f32
  } -> tensor<8x16xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 4, 16] : tensor<8x16xf32> into tensor<2x4x16xf32>
  return %1 : tensor<2x4x16xf32>
}

// Near miss: not known of any operand of the loop.
// CHECK-LABEL: func.func @all_extents_unknown
// CHECK:         linalg.generic {{.*}}"parallel", "parallel", "parallel"]} ins(%arg0,
func.func @all_extents_unknown(%x: tensor<?x2x4xf32>, %y: tensor<?x8xf32>, %z: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %rows = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x2x4xf32> into tensor<?x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rows, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%z : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %out : f32
    linalg.yield %t : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// A sum of six rounded products is three operations, of which each reads four of them at most: their
// tiles need not be there at the same time.
// CHECK-LABEL: func.func @many_products
// CHECK-COUNT-3: iterator_types = ["parallel", "parallel"]
// CHECK-NOT:     iterator_types = ["parallel", "parallel"]
func.func @many_products(%x0: tensor<8x8xf32>, %y0: tensor<8x8xf32>, %x1: tensor<8x8xf32>, %y1: tensor<8x8xf32>, %x2: tensor<8x8xf32>, %y2: tensor<8x8xf32>, %x3: tensor<8x8xf32>, %y3: tensor<8x8xf32>, %x4: tensor<8x8xf32>, %y4: tensor<8x8xf32>, %x5: tensor<8x8xf32>, %y5: tensor<8x8xf32>, %e: tensor<8x8xbf16>, %z: tensor<8x8xf32>) -> tensor<8x8xbf16> {
  %p0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x0, %y0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p0 : tensor<8x8xf32>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %h = arith.truncf %a : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %p1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x1, %y1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p1 : tensor<8x8xf32>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %h = arith.truncf %a : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %p2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x2, %y2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p2 : tensor<8x8xf32>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %h = arith.truncf %a : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %p3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x3, %y3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %r3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p3 : tensor<8x8xf32>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %h = arith.truncf %a : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %p4 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x4, %y4 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %r4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p4 : tensor<8x8xf32>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %h = arith.truncf %a : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %p5 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x5, %y5 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %r5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p5 : tensor<8x8xf32>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %h = arith.truncf %a : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %s1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%r0, %r1 : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %h = arith.addf %a, %b : bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %s2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s1, %r2 : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %h = arith.addf %a, %b : bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %s3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s2, %r3 : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %h = arith.addf %a, %b : bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %s4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s3, %r4 : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %h = arith.addf %a, %b : bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  %s5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s4, %r5 : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %h = arith.addf %a, %b : bf16
    linalg.yield %h : bf16
  } -> tensor<8x8xbf16>
  return %s5 : tensor<8x8xbf16>
}
