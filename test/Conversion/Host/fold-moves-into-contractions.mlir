// RUN: amp-opt %s --amp-fold-moves-into-contractions | FileCheck %s

// Maps of @turned_filter.
// CHECK-DAG: #[[BACKWARD:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 - d5 + 2, d3 - d6 + 2)>
// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1, d5, d6)>

// A transpose in front of contractions becomes a part of their maps, however many of
// them read it.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<8x4xf32>, %[[W:[a-z0-9]*]]: tensor<8x2xf32>, %[[V:[a-z0-9]*]]: tensor<2x4xf32>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[X]], %[[W]] :
// CHECK:           arith.mulf
// CHECK:         linalg.generic {{.*}} ins(%[[V]], %[[X]] :
// CHECK:           arith.mulf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @transposed(%x: tensor<8x4xf32>, %w: tensor<8x2xf32>, %v: tensor<2x4xf32>, %a: tensor<4x2xf32>,
                      %b: tensor<2x8xf32>) -> (tensor<4x2xf32>, tensor<2x8xf32>) {
  %empty = tensor.empty() : tensor<4x8xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%a : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v, %t : tensor<2x4xf32>, tensor<4x8xf32>) outs(%b : tensor<2x8xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x8xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<2x8xf32>
}

// Near misses: a transpose that rounds, and a broadcast, which would leave no
// rows that belong to one operand alone.
// CHECK-LABEL: func.func @kept
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

#id4 = affine_map<(i, j, k, l) -> (i, j, k, l)>
#image = affine_map<(n, k, p, q, c, r, s) -> (n, c, p + r, q + s)>
#filter = affine_map<(n, k, p, q, c, r, s) -> (k, c, r, s)>
#result = affine_map<(n, k, p, q, c, r, s) -> (n, k, p, q)>

// A filter that is turned around: its taps are counted from their other end, in the
// image as well, since linalg wants each loop to be an index by itself somewhere.
// CHECK-LABEL: func.func @turned_filter
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<2x8x6x6xf32>, %[[W:[a-z0-9]*]]: tensor<8x4x3x3xf32>
// CHECK-NEXT:    linalg.generic {indexing_maps = [#[[BACKWARD]], #[[TURNED]], #{{.*}}],
// CHECK-SAME:      ins(%[[X]], %[[W]] :
func.func @turned_filter(%x: tensor<2x8x6x6xf32>, %w: tensor<8x4x3x3xf32>, %y: tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32> {
  %empty = tensor.empty() : tensor<4x8x3x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(k, c, r, s) -> (c, k, 2 - r, 2 - s)>, #id4],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<8x4x3x3xf32>) outs(%empty : tensor<4x8x3x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8x3x3xf32>
  %0 = linalg.generic {indexing_maps = [#image, #filter, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %t : tensor<2x8x6x6xf32>, tensor<4x8x3x3xf32>) outs(%y : tensor<2x4x4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4x4xf32>
  return %0 : tensor<2x4x4x4xf32>
}

// Near miss: from its third tap of four backwards, which counted from the other
// end would still not be an index by itself.
// CHECK-LABEL: func.func @part_of_a_filter
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield
// CHECK:         arith.mulf
func.func @part_of_a_filter(%x: tensor<8x6xf32>, %w: tensor<8x4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %empty = tensor.empty() : tensor<4x8x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(k, c, r) -> (c, k, 3 - r)>, affine_map<(k, c, r) -> (k, c, r)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<8x4x4xf32>) outs(%empty : tensor<4x8x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>,
                                        affine_map<(k, p, c, r) -> (k, p)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %t : tensor<8x6xf32>, tensor<4x8x3xf32>) outs(%y : tensor<4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Near miss: the first three taps of four backwards. Counted from the other end the
// tap would be an index by itself, and linalg would take four for the loop's extent.
// CHECK-LABEL: func.func @first_taps
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield
// CHECK:         arith.mulf
func.func @first_taps(%x: tensor<8x6xf32>, %w: tensor<8x4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %empty = tensor.empty() : tensor<4x8x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(k, c, r) -> (c, k, 2 - r)>, affine_map<(k, c, r) -> (k, c, r)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<8x4x4xf32>) outs(%empty : tensor<4x8x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>,
                                        affine_map<(k, p, c, r) -> (k, p)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %t : tensor<8x6xf32>, tensor<4x8x3xf32>) outs(%y : tensor<4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Heads of an attention: transposed, then merged with the batch. The product gets
// a loop for each, and writes its result for each; what it starts with as well.
// CHECK-LABEL: func.func @heads
// CHECK-SAME:    %[[Q:[a-z0-9]*]]: tensor<2x16x4x8xf32>, %[[K:[a-z0-9]*]]: tensor<2x16x4x8xf32>
// CHECK:         } -> tensor<2x4x16x16xf32>
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[K]] : tensor<2x16x4x8xf32>, tensor<2x16x4x8xf32>) outs(%{{.*}} : tensor<2x4x16x16xf32>)
// CHECK:         %[[MERGED:.*]] = tensor.collapse_shape %[[P]] {{\[\[}}0, 1], [2], [3]]
// CHECK-NEXT:    return %[[MERGED]]
func.func @heads(%q: tensor<2x16x4x8xf32>, %k: tensor<2x16x4x8xf32>) -> tensor<8x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x4x16x8xf32>
  %e1 = tensor.empty() : tensor<2x4x8x16xf32>
  %e2 = tensor.empty() : tensor<8x16x16xf32>
  %qt = linalg.generic {indexing_maps = [affine_map<(b, h, t, d) -> (b, t, h, d)>, #id4],
                        iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q : tensor<2x16x4x8xf32>) outs(%e0 : tensor<2x4x16x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x4x16x8xf32>
  %kt = linalg.generic {indexing_maps = [affine_map<(b, h, d, t) -> (b, t, h, d)>, #id4],
                        iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<2x16x4x8xf32>) outs(%e1 : tensor<2x4x8x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x4x8x16xf32>
  %qm = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>
  %km = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<2x4x8x16xf32> into tensor<8x8x16xf32>
  %zeros = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> ()>, affine_map<(b, m, n) -> (b, m, n)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%zero : f32) outs(%e2 : tensor<8x16x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x16x16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%qm, %km : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%zeros : tensor<8x16x16xf32>) {
  ^bb0(%p: f32, %r: f32, %out: f32):
    %m = arith.mulf %p, %r : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x16x16xf32>
  return %0 : tensor<8x16x16xf32>
}

// Near miss: heads that no transpose put there are a batch as they lie.
// CHECK-LABEL: func.func @merged
// CHECK:         outs(%{{.*}} : tensor<8x16x16xf32>)
func.func @merged(%q: tensor<2x4x16x8xf32>, %k: tensor<8x8x16xf32>, %y: tensor<8x16x16xf32>) -> tensor<8x16x16xf32> {
  %qm = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%qm, %k : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%y : tensor<8x16x16xf32>) {
  ^bb0(%p: f32, %r: f32, %out: f32):
    %m = arith.mulf %p, %r : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x16x16xf32>
  return %0 : tensor<8x16x16xf32>
}

// Near miss: a broadcast along the loop that is the rows of no other operand.
// CHECK-LABEL: func.func @broadcast_columns
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}} : tensor<4x8xf32>) outs
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield
// CHECK:         arith.mulf
func.func @broadcast_columns(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %y: tensor<4x2x3xf32>) -> tensor<4x2x3xf32> {
  %empty = tensor.empty() : tensor<4x8x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%empty : tensor<4x8x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, l, k) -> (m, k, l)>, affine_map<(m, n, l, k) -> (k, n)>,
                                        affine_map<(m, n, l, k) -> (m, n, l)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%t, %w : tensor<4x8x3xf32>, tensor<8x2xf32>) outs(%y : tensor<4x2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// The gradient of a filter reads a transposed image, which is padded and cut after
// it is transposed: what is transposed is padded and cut instead.
// CHECK-LABEL: func.func @padded_image
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<2x8x6xf32>
// CHECK:         %[[PADDED:.*]] = tensor.pad %[[X]] low[0, 0, 1] high[0, 0, 3]
// CHECK:         : tensor<2x8x6xf32> to tensor<2x8x10xf32>
// CHECK:         %[[CUT:.*]] = tensor.extract_slice %[[PADDED]][0, 0, 1] [2, 8, 8] [1, 1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[CUT]], %{{.*}} : tensor<2x8x8xf32>,
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
func.func @padded_image(%x: tensor<2x8x6xf32>, %g: tensor<2x4x6xf32>, %y: tensor<8x4x3xf32>) -> tensor<8x4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x2x6xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(c, n, p) -> (n, c, p)>, affine_map<(c, n, p) -> (c, n, p)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x8x6xf32>) outs(%empty : tensor<8x2x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x2x6xf32>
  %padded = tensor.pad %t low[0, 0, 1] high[0, 0, 3] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<8x2x6xf32> to tensor<8x2x10xf32>
  %cut = tensor.extract_slice %padded[0, 0, 1] [8, 2, 8] [1, 1, 1] : tensor<8x2x10xf32> to tensor<8x2x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(c, k, r, n, p) -> (c, n, p + r)>, affine_map<(c, k, r, n, p) -> (n, k, p)>,
                                        affine_map<(c, k, r, n, p) -> (c, k, r)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%cut, %g : tensor<8x2x8xf32>, tensor<2x4x6xf32>) outs(%y : tensor<8x4x3xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4x3xf32>
  return %0 : tensor<8x4x3xf32>
}

// Near misses: padding with what depends on the place, which two read, and of what
// is turned and not transposed.
// CHECK-LABEL: func.func @padded_otherwise
// CHECK-NOT:     tensor.pad %{{.*}} low[1, 0]
// CHECK:         return
func.func @padded_otherwise(%x: tensor<8x4xf32>, %w: tensor<10x2xf32>, %y: tensor<4x2xf32>)
    -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x10xf32>, tensor<4x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %back = linalg.generic {indexing_maps = [affine_map<(i, j) -> (7 - j, i)>, affine_map<(i, j) -> (i, j)>],
                          iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %counted = tensor.pad %t low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    tensor.yield %f : f32
  } : tensor<4x8xf32> to tensor<4x10xf32>
  %shared = tensor.pad %t low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x8xf32> to tensor<4x10xf32>
  %turned = tensor.pad %back low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x8xf32> to tensor<4x10xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%counted, %w : tensor<4x10xf32>, tensor<10x2xf32>) outs(%y : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%shared, %w : tensor<4x10xf32>, tensor<10x2xf32>) outs(%y : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%turned, %w : tensor<4x10xf32>, tensor<10x2xf32>) outs(%y : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  return %0, %1, %shared, %2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x10xf32>, tensor<4x2xf32>
}

// A constant of the padding's own region is taken out of it.
// CHECK-LABEL: func.func @padded_by_inner_constant
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<8x4xf32>
// CHECK:         tensor.pad %[[X]] low[1, 0] high[1, 0]
func.func @padded_by_inner_constant(%x: tensor<8x4xf32>, %w: tensor<10x2xf32>, %y: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %empty = tensor.empty() : tensor<4x8xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %inner = tensor.pad %t low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tensor.yield %one : f32
  } : tensor<4x8xf32> to tensor<4x10xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%inner, %w : tensor<4x10xf32>, tensor<10x2xf32>) outs(%y : tensor<4x2xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Near miss: a loop of three that reads the first three of five backwards in one
// operand, and all of three backwards in the other. Turned for the one, it would be
// an index of five by itself in the other.
// CHECK-LABEL: func.func @turned_for_both
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield
// CHECK:         arith.mulf
func.func @turned_for_both(%x: tensor<4x5xf32>, %y: tensor<6x3xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %ea = tensor.empty() : tensor<4x3xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, -k + 2)>, affine_map<(i, k) -> (i, k)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x5xf32>) outs(%ea : tensor<4x3xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  } -> tensor<4x3xf32>
  %eb = tensor.empty() : tensor<3x6xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(k, j) -> (j, -k + 2)>, affine_map<(k, j) -> (k, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<6x3xf32>) outs(%eb : tensor<3x6xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  } -> tensor<3x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x3xf32>, tensor<3x6xf32>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Near miss: the result's rows are known when the program runs only. Upstream's pattern would give
// up half-way, and be tried again for ever.
// CHECK-LABEL: func.func @merged_beside_unknown
// CHECK:           linalg.yield %in : f32
// CHECK:           %[[ROWS:.*]] = tensor.collapse_shape
// CHECK:           linalg.generic {{.*}} ins(%[[ROWS]], %arg1 : tensor<96x5xf32>, tensor<5x7xf32>)
func.func @merged_beside_unknown(%x: tensor<4x3x8x5xf32>, %w: tensor<5x7xf32>, %c: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %ef = tensor.empty() : tensor<4x8x3x5xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, c, b, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x3x8x5xf32>) outs(%ef : tensor<4x8x3x5xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  } -> tensor<4x8x3x5xf32>
  %rows = tensor.collapse_shape %t [[0, 1, 2], [3]] : tensor<4x8x3x5xf32> into tensor<96x5xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%rows, %w : tensor<96x5xf32>, tensor<5x7xf32>) outs(%c : tensor<?x7xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}
