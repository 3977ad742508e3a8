// RUN: amp-opt %s --amp-skip-inserted-zeros --canonicalize --cse | FileCheck %s

#image = affine_map<(n, k, p, q, c, r, s) -> (n, c, p + r, q + s)>
#filter = affine_map<(n, k, p, q, c, r, s) -> (k, c, r, s)>
#result = affine_map<(n, k, p, q, c, r, s) -> (n, k, p, q)>

// The data gradient of a filter of 1x1 with strides of 2: one product of what is
// there, into every second pixel, and zeros in the others.
// CHECK-LABEL: func.func @pointwise
// CHECK-SAME:    %[[G:[a-z0-9]*]]: tensor<2x8x3x3xf32>, %[[W:[a-z0-9]*]]: tensor<4x8x1x1xf32>
// CHECK:         %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2x4x6x6xf32>
// CHECK-NEXT:    %[[START:.*]] = tensor.extract_slice %[[ZEROS]][0, 0, 0, 0] [2, 4, 3, 3] [1, 1, 2, 2]
// CHECK-NEXT:    %[[PART:.*]] = linalg.generic {{.*}} ins(%[[G]], %[[W]] : tensor<2x8x3x3xf32>, tensor<4x8x1x1xf32>) outs(%[[START]] :
// CHECK-SAME:      attrs = {amp.scope = "conv"}
// CHECK-NOT:     linalg.generic
// CHECK:         %[[Y:.*]] = tensor.insert_slice %[[PART]] into %[[ZEROS]][0, 0, 0, 0] [2, 4, 3, 3] [1, 1, 2, 2]
// CHECK-NEXT:    return %[[Y]]
func.func @pointwise(%g: tensor<2x8x3x3xf32>, %w: tensor<4x8x1x1xf32>) -> tensor<2x4x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x8x6x6xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %x = tensor.insert_slice %g into %zeros[0, 0, 0, 0] [2, 8, 3, 3] [1, 1, 2, 2] : tensor<2x8x3x3xf32> into tensor<2x8x6x6xf32>
  %e1 = tensor.empty() : tensor<2x4x6x6xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %y = linalg.generic {indexing_maps = [#image, #filter, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x8x6x6xf32>, tensor<4x8x1x1xf32>) outs(%start : tensor<2x4x6x6xf32>) attrs = {amp.scope = "conv"} {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<2x4x6x6xf32>
  return %y : tensor<2x4x6x6xf32>
}

// A filter of 3x3: four parts, of 1, 2, 2 and 4 taps, of an image with a border on
// one side. The filter is the first input.
// CHECK-LABEL: func.func @window
// CHECK-SAME:    %[[W:[a-z0-9]*]]: tensor<4x8x3x3xf16>, %[[G:[a-z0-9]*]]: tensor<2x8x2x2xf16>
// CHECK:         %[[P:.*]] = tensor.pad %[[G]] low[0, 0, 0, 0] high[0, 0, 1, 1]
// CHECK-DAG:     %[[X0:.*]] = tensor.extract_slice %[[P]][0, 0, 0, 0] [2, 8, 2, 2] [1, 1, 1, 1]
// CHECK-DAG:     %[[W0:.*]] = tensor.extract_slice %[[W]][0, 0, 1, 1] [4, 8, 1, 1] [1, 1, 1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[W0]], %[[X0]] : tensor<4x8x1x1xf16>, tensor<2x8x2x2xf16>) outs(%{{.*}} : tensor<2x4x2x2xf32>)
// CHECK:         tensor.insert_slice %{{.*}}[0, 0, 0, 0] [2, 4, 2, 2] [1, 1, 2, 2]
// CHECK:         %[[W1:.*]] = tensor.extract_slice %[[W]][0, 0, 1, 0] [4, 8, 1, 2] [1, 1, 1, 2]
// CHECK:         linalg.generic {{.*}} ins(%[[W1]], %{{.*}} : tensor<4x8x1x2xf16>, tensor<2x8x2x3xf16>)
// CHECK:         tensor.insert_slice %{{.*}}[0, 0, 0, 1] [2, 4, 2, 2] [1, 1, 2, 2]
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x8x2x1xf16>, tensor<2x8x3x2xf16>)
// CHECK:         tensor.insert_slice %{{.*}}[0, 0, 1, 0] [2, 4, 2, 2] [1, 1, 2, 2]
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[P]] : tensor<4x8x2x2xf16>, tensor<2x8x3x3xf16>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f16, %[[B:.*]]: f16, %[[C:.*]]: f32):
// CHECK-NEXT:      %[[E:.*]] = arith.extf %[[A]]
// CHECK-NEXT:      %[[F:.*]] = arith.extf %[[B]]
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[E]], %[[F]]
// CHECK-NEXT:      arith.addf %[[C]], %[[M]]
// CHECK:         tensor.insert_slice %{{.*}}[0, 0, 1, 1] [2, 4, 2, 2] [1, 1, 2, 2]
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @window(%w: tensor<4x8x3x3xf16>, %g: tensor<2x8x2x2xf16>, %start: tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32> {
  %zeros = arith.constant dense<-0.0> : tensor<2x8x6x6xf16>
  %x = tensor.insert_slice %g into %zeros[0, 0, 1, 1] [2, 8, 2, 2] [1, 1, 2, 2] : tensor<2x8x2x2xf16> into tensor<2x8x6x6xf16>
  %y = linalg.generic {indexing_maps = [#filter, #image, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%w, %x : tensor<4x8x3x3xf16>, tensor<2x8x6x6xf16>) outs(%start : tensor<2x4x4x4xf32>) {
  ^bb0(%a: f16, %b: f16, %acc: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %product = arith.mulf %p, %q : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<2x4x4x4xf32>
  return %y : tensor<2x4x4x4xf32>
}

// Strides of 9 in two dimensions of a filter of one tap: one part.
// CHECK-LABEL: func.func @single_tap
// CHECK-COUNT-1: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:         tensor.insert_slice %{{.*}}[0, 1, 1] [4, 3, 3] [1, 9, 9]
func.func @single_tap(%g: tensor<8x3x3xf32>, %w: tensor<4x8x1x1xf32>, %start: tensor<4x25x25xf32>) -> tensor<4x25x25xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8x25x25xf32>
  %x = tensor.insert_slice %g into %zeros[0, 1, 1] [8, 3, 3] [1, 9, 9] : tensor<8x3x3xf32> into tensor<8x25x25xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(k, p, q, c, r, s) -> (c, p + r, q + s)>, affine_map<(k, p, q, c, r, s) -> (k, c, r, s)>,
                       affine_map<(k, p, q, c, r, s) -> (k, p, q)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x25x25xf32>, tensor<4x8x1x1xf32>) outs(%start : tensor<4x25x25xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x25x25xf32>
  return %y : tensor<4x25x25xf32>
}

// An insertion for each dimension, and a pad around them: one part for each remainder, of four pixels, as of one
// insertion.
// CHECK-LABEL: func.func @in_steps
// CHECK-SAME:    %[[G:[a-z0-9]*]]: tensor<8x2x2xf32>
// CHECK-NOT:     tensor.insert_slice %[[G]]
// CHECK:         tensor.pad %[[G]] low[0, 0, 0] high[0, 1, 1]
// CHECK-COUNT-4: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:         return
func.func @in_steps(%g: tensor<8x2x2xf32>, %w: tensor<4x8x3x3xf32>, %start: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = arith.constant dense<0.0> : tensor<8x3x2xf32>
  %columns = arith.constant dense<0.0> : tensor<8x3x4xf32>
  %apart = tensor.insert_slice %g into %rows[0, 0, 0] [8, 2, 2] [1, 2, 1] : tensor<8x2x2xf32> into tensor<8x3x2xf32>
  %inside = tensor.insert_slice %apart into %columns[0, 0, 0] [8, 3, 2] [1, 1, 2] : tensor<8x3x2xf32> into tensor<8x3x4xf32>
  %x = tensor.pad %inside low[0, 1, 1] high[0, 2, 1] {
  ^bb0(%c: index, %h: index, %v: index):
    tensor.yield %zero : f32
  } : tensor<8x3x4xf32> to tensor<8x6x6xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(k, p, q, c, r, s) -> (c, p + r, q + s)>, affine_map<(k, p, q, c, r, s) -> (k, c, r, s)>,
                       affine_map<(k, p, q, c, r, s) -> (k, p, q)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x6x6xf32>, tensor<4x8x3x3xf32>) outs(%start : tensor<4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x4x4xf32>
  return %y : tensor<4x4x4xf32>
}

// Near miss: a pad of ones around the zeros.
// CHECK-LABEL: func.func @ones_around
// CHECK:         tensor.pad
// CHECK-COUNT-1: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:         return
func.func @ones_around(%g: tensor<8x3xf32>, %w: tensor<4x8x3xf32>, %start: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %one = arith.constant 1.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<8x5xf32>
  %apart = tensor.insert_slice %g into %zeros[0, 0] [8, 3] [1, 2] : tensor<8x3xf32> into tensor<8x5xf32>
  %x = tensor.pad %apart low[0, 1] high[0, 1] {
  ^bb0(%c: index, %h: index):
    tensor.yield %one : f32
  } : tensor<8x5xf32> to tensor<8x7xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>,
                       affine_map<(k, p, c, r) -> (k, p)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x7xf32>, tensor<4x8x3xf32>) outs(%start : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// Near miss: from the last pixel back.
// CHECK-LABEL: func.func @backwards
// CHECK:         tensor.insert_slice {{.*}}[0, 5] [8, 3] [1, -2]
// CHECK:         arith.mulf
// CHECK:         return
func.func @backwards(%g: tensor<8x3xf32>, %w: tensor<4x8x3xf32>, %start: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8x7xf32>
  %x = tensor.insert_slice %g into %zeros[0, 5] [8, 3] [1, -2] : tensor<8x3xf32> into tensor<8x7xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>,
                       affine_map<(k, p, c, r) -> (k, p)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x7xf32>, tensor<4x8x3xf32>) outs(%start : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// Near miss: zeros on the diagonal of a tensor alone.
// CHECK-LABEL: func.func @diagonal
// CHECK:         arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:         return
func.func @diagonal(%x: tensor<4x4xf32>, %g: tensor<4x2xf32>, %w: tensor<3xf32>, %y: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %d = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]} outs(%x : tensor<4x4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %zero : f32
  } -> tensor<4x4xf32>
  %image = tensor.insert_slice %g into %d[0, 0] [4, 2] [1, 2] : tensor<4x2xf32> into tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, t) -> (n, p + t)>, affine_map<(n, p, t) -> (t)>, affine_map<(n, p, t) -> (n, p)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%image, %w : tensor<4x4xf32>, tensor<3xf32>) outs(%y : tensor<4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// Near misses: what stands between pixels is 1; the image is read in steps of 2; a
// pixel's loop counts taps as well; strides of 9 in two dimensions for 9 taps in
// each, which are 81 parts; a sum that no product is; and an insertion without strides.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-6: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @kept(%g: tensor<8x3xf32>, %w: tensor<4x8x3xf32>, %by_pixel: tensor<4x8x3x5xf32>, %g2: tensor<8x3x3xf32>,
                %w2: tensor<4x8x9x9xf32>, %y5: tensor<4x5xf32>, %y3: tensor<4x3xf32>, %y25: tensor<4x17x17xf32>)
    -> (tensor<4x5xf32>, tensor<4x3xf32>, tensor<4x5xf32>, tensor<4x17x17xf32>, tensor<4x5xf32>, tensor<4x5xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<8x7xf32>
  %ones = arith.constant dense<1.0> : tensor<8x7xf32>
  %zeros2 = arith.constant dense<0.0> : tensor<8x25x25xf32>
  %x = tensor.insert_slice %g into %zeros[0, 1] [8, 3] [1, 2] : tensor<8x3xf32> into tensor<8x7xf32>
  %between = tensor.insert_slice %g into %ones[0, 1] [8, 3] [1, 2] : tensor<8x3xf32> into tensor<8x7xf32>
  %padded = tensor.insert_slice %g into %zeros[0, 1] [8, 3] [1, 1] : tensor<8x3xf32> into tensor<8x7xf32>
  %x2 = tensor.insert_slice %g2 into %zeros2[0, 1, 1] [8, 3, 3] [1, 9, 9] : tensor<8x3x3xf32> into tensor<8x25x25xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>, affine_map<(k, p, c, r) -> (k, p)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%between, %w : tensor<8x7xf32>, tensor<4x8x3xf32>) outs(%y5 : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(k, p, c, r) -> (c, p * 2 + r)>, affine_map<(k, p, c, r) -> (k, c, r)>, affine_map<(k, p, c, r) -> (k, p)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x7xf32>, tensor<4x8x3xf32>) outs(%y3 : tensor<4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x3xf32>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r, p)>, affine_map<(k, p, c, r) -> (k, p)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %by_pixel : tensor<8x7xf32>, tensor<4x8x3x5xf32>) outs(%y5 : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  %3 = linalg.generic {
      indexing_maps = [affine_map<(k, p, q, c, r, s) -> (c, p + r, q + s)>, affine_map<(k, p, q, c, r, s) -> (k, c, r, s)>,
                       affine_map<(k, p, q, c, r, s) -> (k, p, q)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x2, %w2 : tensor<8x25x25xf32>, tensor<4x8x9x9xf32>) outs(%y25 : tensor<4x17x17xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x17x17xf32>
  %4 = linalg.generic {
      indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>, affine_map<(k, p, c, r) -> (k, p)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x7xf32>, tensor<4x8x3xf32>) outs(%y5 : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.addf %a, %b : f32
    %sum = arith.maximumf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  %5 = linalg.generic {
      indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>, affine_map<(k, p, c, r) -> (k, p)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<8x7xf32>, tensor<4x8x3xf32>) outs(%y5 : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x5xf32>
  return %0, %1, %2, %3, %4, %5
      : tensor<4x5xf32>, tensor<4x3xf32>, tensor<4x5xf32>, tensor<4x17x17xf32>, tensor<4x5xf32>, tensor<4x5xf32>
}
