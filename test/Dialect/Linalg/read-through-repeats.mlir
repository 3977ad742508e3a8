// RUN: amp-opt %s --amp-read-through-repeats --split-input-file | FileCheck %s
// RUN: amp-opt %s --split-input-file --amp-read-through-repeats --amp-fuse-elementwise --canonicalize | FileCheck %s --check-prefix=FUSED

// Twice each row and column, channels innermost: an odd offset reads one further for the second of two, an even one
// does not.
#two = affine_map<(n, h, a, w, b, c) -> (n, h, w, c)>
#all = affine_map<(n, h, a, w, b, c) -> (n, h, a, w, b, c)>
// CHECK-DAG: #[[ODD:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d2 + 1, d3 + 1, d5)>
// CHECK-DAG: #[[EVEN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d2, d3 + d4 + 1, d5)>
// CHECK-LABEL: func @images
// CHECK-SAME:    (%[[X:.*]]: tensor<2x5x4x3xf32>)
// CHECK-NOT:   tensor.extract_slice
// CHECK:       %[[A:.*]] = linalg.generic {indexing_maps = [#[[ODD]], #{{.*}}]
// CHECK-SAME:    ins(%[[X]] : tensor<2x5x4x3xf32>) outs(%{{.*}} : tensor<2x3x2x2x2x3xf32>)
// CHECK:       %[[S:.*]] = tensor.collapse_shape %[[A]] {{\[}}[0], [1, 2], [3, 4], [5]] : tensor<2x3x2x2x2x3xf32> into tensor<2x6x4x3xf32>
// CHECK:       %[[B:.*]] = linalg.generic {indexing_maps = [#[[EVEN]], #{{.*}}]
// CHECK-SAME:    ins(%[[X]] : tensor<2x5x4x3xf32>) outs(%{{.*}} : tensor<2x3x2x2x2x3xf32>)
// CHECK:       %[[T:.*]] = tensor.collapse_shape %[[B]]
// CHECK:       linalg.generic {{.*}} ins(%[[S]], %[[T]] :
// FUSED-LABEL: func @images
// FUSED-SAME:    (%[[X:.*]]: tensor<2x5x4x3xf32>)
// FUSED:       linalg.generic {{.*}} ins(%[[X]], %[[X]] : tensor<2x5x4x3xf32>, tensor<2x5x4x3xf32>)
// FUSED-NOT:   linalg.generic
// FUSED:       return
func.func @images(%x: tensor<2x5x4x3xf32>) -> tensor<2x6x4x3xf32> {
  %e = tensor.empty() : tensor<2x5x2x4x2x3xf32>
  %r = linalg.generic {indexing_maps = [#two, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x5x4x3xf32>) outs(%e : tensor<2x5x2x4x2x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x5x2x4x2x3xf32>
  %c = tensor.collapse_shape %r [[0], [1, 2], [3, 4], [5]] : tensor<2x5x2x4x2x3xf32> into tensor<2x10x8x3xf32>
  %s = tensor.extract_slice %c[0, 3, 2, 0] [2, 6, 4, 3] [1, 1, 1, 1] : tensor<2x10x8x3xf32> to tensor<2x6x4x3xf32>
  %t = tensor.extract_slice %c[0, 1, 3, 0] [2, 6, 4, 3] [1, 1, 1, 1] : tensor<2x10x8x3xf32> to tensor<2x6x4x3xf32>
  %f = tensor.empty() : tensor<2x6x4x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>,
                                        affine_map<(n, h, w, c) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %t : tensor<2x6x4x3xf32>, tensor<2x6x4x3xf32>) outs(%f : tensor<2x6x4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x4x3xf32>
  return %y : tensor<2x6x4x3xf32>
}

// -----

// Three times each, from a multiple of three on.
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1) -> (d0 + 1)>
// CHECK-LABEL: func @three_times
// CHECK-NOT:   tensor.extract_slice
// CHECK:       linalg.generic {indexing_maps = [#[[MAP]],
// CHECK-SAME:    outs(%{{.*}} : tensor<2x3xf32>)
func.func @three_times(%x: tensor<5xf32>, %e: tensor<5x3xf32>) -> (tensor<6xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x3xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
  %s = tensor.extract_slice %c[3] [6] [1] : tensor<15xf32> to tensor<6xf32>
  return %s : tensor<6xf32>
}

// -----

// A near miss: it begins between two of three repetitions.
// CHECK-LABEL: func @between_three
// CHECK:       tensor.collapse_shape
// CHECK:       tensor.extract_slice
func.func @between_three(%x: tensor<5xf32>, %e: tensor<5x3xf32>) -> (tensor<6xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x3xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
  %s = tensor.extract_slice %c[4] [6] [1] : tensor<15xf32> to tensor<6xf32>
  return %s : tensor<6xf32>
}

// -----

// A near miss: it ends between two repetitions.
// CHECK-LABEL: func @half
// CHECK:       tensor.collapse_shape
// CHECK:       tensor.extract_slice
func.func @half(%x: tensor<5xf32>, %e: tensor<5x2xf32>) -> (tensor<5xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x2xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
  %s = tensor.extract_slice %c[2] [5] [1] : tensor<10xf32> to tensor<5xf32>
  return %s : tensor<5xf32>
}

// -----

// A near miss: every second element.
// CHECK-LABEL: func @strided
// CHECK:       tensor.collapse_shape
// CHECK:       tensor.extract_slice
func.func @strided(%x: tensor<5xf32>, %e: tensor<5x2xf32>) -> (tensor<4xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x2xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
  %s = tensor.extract_slice %c[0] [4] [2] : tensor<10xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// A near miss: where it begins, a run computes.
// CHECK-LABEL: func @dynamic
// CHECK:       tensor.collapse_shape
// CHECK:       tensor.extract_slice
func.func @dynamic(%x: tensor<5xf32>, %e: tensor<5x2xf32>, %i: index) -> (tensor<4xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x2xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
  %s = tensor.extract_slice %c[%i] [4] [1] : tensor<10xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// A near miss: something else reads the repeated tensor.
// CHECK-LABEL: func @read_whole
// CHECK:       tensor.collapse_shape
// CHECK:       tensor.extract_slice
func.func @read_whole(%x: tensor<5xf32>, %e: tensor<5x3xf32>) -> (tensor<6xf32>, tensor<15xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x3xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
  %s = tensor.extract_slice %c[3] [6] [1] : tensor<15xf32> to tensor<6xf32>
  return %s, %c : tensor<6xf32>, tensor<15xf32>
}

// -----

// A near miss: the broadcast computes.
// CHECK-LABEL: func @computes
// CHECK:       tensor.collapse_shape
// CHECK:       tensor.extract_slice
func.func @computes(%x: tensor<5xf32>, %e: tensor<5x3xf32>) -> (tensor<6xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<5x3xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
  %s = tensor.extract_slice %c[3] [6] [1] : tensor<15xf32> to tensor<6xf32>
  return %s : tensor<6xf32>
}

// -----

// A near miss: all of it is repeated, not each element.
// CHECK-LABEL: func @repeated_whole
// CHECK:       tensor.collapse_shape
// CHECK:       tensor.extract_slice
func.func @repeated_whole(%x: tensor<5xf32>, %e: tensor<5x5xf32>) -> (tensor<10xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (b)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x5xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x5xf32> into tensor<25xf32>
  %s = tensor.extract_slice %c[5] [10] [1] : tensor<25xf32> to tensor<10xf32>
  return %s : tensor<10xf32>
}

// -----

// A near miss: nothing is repeated.
// CHECK-LABEL: func @not_repeated
// CHECK:       tensor.collapse_shape
// CHECK:       tensor.extract_slice
func.func @not_repeated(%x: tensor<5x3xf32>, %e: tensor<5x3xf32>) -> (tensor<6xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i, b)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x3xf32>) outs(%e : tensor<5x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x3xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x3xf32> into tensor<15xf32>
  %s = tensor.extract_slice %c[3] [6] [1] : tensor<15xf32> to tensor<6xf32>
  return %s : tensor<6xf32>
}

// -----

// A near miss: it is not known how many there are.
// CHECK-LABEL: func @unknown
// CHECK:       tensor.collapse_shape
// CHECK:       tensor.extract_slice
func.func @unknown(%x: tensor<?xf32>, %e: tensor<?x3xf32>) -> (tensor<6xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x3xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  %s = tensor.extract_slice %c[3] [6] [1] : tensor<?xf32> to tensor<6xf32>
  return %s : tensor<6xf32>
}

// -----

// From the first on, fewer than all: a loop by itself has to walk all of what it reads.
// CHECK-LABEL: func @first
// CHECK-SAME:    (%[[X:.*]]: tensor<5xf32>
// CHECK:       %[[PART:.*]] = tensor.extract_slice %[[X]][0] [3] [1] : tensor<5xf32> to tensor<3xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[PART]] : tensor<3xf32>) outs(%{{.*}} : tensor<3x2xf32>)
func.func @first(%x: tensor<5xf32>, %e: tensor<5x2xf32>) -> tensor<6xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x2xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
  %s = tensor.extract_slice %c[0] [6] [1] : tensor<10xf32> to tensor<6xf32>
  return %s : tensor<6xf32>
}

// -----

// Near misses: something else reads the broadcast itself, and so does the caller; three dimensions are joined; a number
// is broadcast, of which there are no elements; the slice leaves a dimension out; of two slices one is not read.
// CHECK-LABEL: func @not_read
// CHECK-COUNT-5: tensor.collapse_shape
// CHECK-NOT:   tensor.collapse_shape
// CHECK:       return
func.func @not_read(%x: tensor<5xf32>, %y: tensor<2x5xf32>, %n: f32, %e: tensor<5x2xf32>, %f: tensor<2x5x2xf32>)
    -> (tensor<4xf32>, tensor<5x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x2xf32>
  %rc = tensor.collapse_shape %r [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
  %rs = tensor.extract_slice %rc[1] [4] [1] : tensor<10xf32> to tensor<4xf32>
  %three = linalg.generic {indexing_maps = [affine_map<(h, i, b) -> (h, i)>, affine_map<(h, i, b) -> (h, i, b)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x5xf32>) outs(%f : tensor<2x5x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x5x2xf32>
  %tc = tensor.collapse_shape %three [[0, 1, 2]] : tensor<2x5x2xf32> into tensor<20xf32>
  %ts = tensor.extract_slice %tc[2] [4] [1] : tensor<20xf32> to tensor<4xf32>
  %fill = linalg.generic {indexing_maps = [affine_map<(i, b) -> ()>, affine_map<(i, b) -> (i, b)>],
                          iterator_types = ["parallel", "parallel"]}
      ins(%n : f32) outs(%e : tensor<5x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x2xf32>
  %fc = tensor.collapse_shape %fill [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
  %fs = tensor.extract_slice %fc[2] [4] [1] : tensor<10xf32> to tensor<4xf32>
  %rank = linalg.generic {indexing_maps = [affine_map<(h, i, b) -> (h, i)>, affine_map<(h, i, b) -> (h, i, b)>],
                          iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x5xf32>) outs(%f : tensor<2x5x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x5x2xf32>
  %kc = tensor.collapse_shape %rank [[0], [1, 2]] : tensor<2x5x2xf32> into tensor<2x10xf32>
  %ks = tensor.extract_slice %kc[1, 2] [1, 4] [1, 1] : tensor<2x10xf32> to tensor<4xf32>
  %two = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x2xf32>
  %wc = tensor.collapse_shape %two [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
  %ws = tensor.extract_slice %wc[1] [4] [1] : tensor<10xf32> to tensor<4xf32>
  %wt = tensor.extract_slice %wc[1] [3] [1] : tensor<10xf32> to tensor<3xf32>
  return %rs, %r, %ts, %fs, %ks, %ws, %wt
      : tensor<4xf32>, tensor<5x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>
}
