// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-drop-unit-dims{products=true}))" | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-drop-unit-dims{products=true},amp-split-masked-rows{rows=4}))" | FileCheck %s --check-prefix=SPLIT

// On a host products lose extents of 1 too, and what is between two of them has no reshapes: scores of one group of
// heads, as jax.nn.dot_product_attention has them, are causal by rows then.
// CHECK-LABEL: func.func @one_group
// CHECK:       %[[SCORES:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME:    outs(%{{.*}} : tensor<2x8x8xf32>)
// CHECK-NOT:   _shape
// CHECK:       %[[MASKED:.*]] = linalg.generic {{.*}} ins(%[[SCORES]] : tensor<2x8x8xf32>)
// CHECK-NOT:   _shape %[[MASKED]]
// CHECK:       %[[OUT:.*]] = linalg.generic {{.*}} ins(%[[MASKED]], %{{.*}} : tensor<2x8x8xf32>, tensor<2x8x3xf32>)
// CHECK:       tensor.expand_shape %[[OUT]]
// SPLIT-LABEL: func.func @one_group
// SPLIT:       outs(%{{.*}} : tensor<2x4x4xf32>)
// SPLIT:       outs(%{{.*}} : tensor<2x4x8xf32>)
func.func @one_group(%q: tensor<2x1x8x3xf32>, %k: tensor<2x8x3xf32>, %v: tensor<2x8x3xf32>) -> tensor<2x1x8x3xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1x8x8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(b, g, i, j) -> (b, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%e : tensor<2x1x8x8xf32>) {
  ^bb0(%o: f32):
    linalg.yield %c0 : f32
  } -> tensor<2x1x8x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, g, i, j, d) -> (b, g, i, d)>, affine_map<(b, g, i, j, d) -> (b, j, d)>,
                                        affine_map<(b, g, i, j, d) -> (b, g, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x1x8x3xf32>, tensor<2x8x3xf32>) outs(%z : tensor<2x1x8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<2x1x8x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, g, i, j) -> (b, g, i, j)>, affine_map<(b, g, i, j) -> (b, g, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x1x8x8xf32>) outs(%e : tensor<2x1x8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %infinite = arith.constant 0xFF800000 : f32
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %is = arith.cmpi sge, %i, %j : index
    %masked = arith.select %is, %x, %infinite : f32
    %exp = math.exp %masked : f32
    linalg.yield %exp : f32
  } -> tensor<2x1x8x8xf32>
  %eo = tensor.empty() : tensor<2x1x8x3xf32>
  %zo = linalg.generic {indexing_maps = [affine_map<(b, g, i, j) -> (b, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%eo : tensor<2x1x8x3xf32>) {
  ^bb0(%o: f32):
    linalg.yield %c0 : f32
  } -> tensor<2x1x8x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, g, i, d, j) -> (b, g, i, j)>, affine_map<(b, g, i, d, j) -> (b, j, d)>,
                                        affine_map<(b, g, i, d, j) -> (b, g, i, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x1x8x8xf32>, tensor<2x8x3xf32>) outs(%zo : tensor<2x1x8x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<2x1x8x3xf32>
  return %r : tensor<2x1x8x3xf32>
}

// -----

// A product of one row is one of a vector, and what is added to it has no rows.
// CHECK-LABEL: func.func @row
// CHECK:       %[[P:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK-SAME:    ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4x6xf32>) outs(%{{.*}} : tensor<6xf32>)
// CHECK:       linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<6xf32>, tensor<6xf32>)
func.func @row(%a: tensor<1x4xf32>, %b: tensor<4x6xf32>, %bias: tensor<1x6xf32>, %start: tensor<1x6xf32>) -> tensor<1x6xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x4xf32>, tensor<4x6xf32>) outs(%start : tensor<1x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x6xf32>
  %e = tensor.empty() : tensor<1x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<1x6xf32>, tensor<1x6xf32>) outs(%e : tensor<1x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<1x6xf32>
  return %r : tensor<1x6xf32>
}

// -----

// Near misses: without their extents of 1 these are a sum over two vectors,
// CHECK-LABEL: func.func @dot
// CHECK-NOT:   _shape
// CHECK:       return
func.func @dot(%a: tensor<1x4xf32>, %b: tensor<4x1xf32>, %start: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x4xf32>, tensor<4x1xf32>) outs(%start : tensor<1x1xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x1xf32>
  return %p : tensor<1x1xf32>
}

// -----

// or elements of one vector times those of another,
// CHECK-LABEL: func.func @outer
// CHECK-NOT:   _shape
// CHECK:       return
func.func @outer(%a: tensor<4x1xf32>, %b: tensor<1x6xf32>, %start: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x1xf32>, tensor<1x6xf32>) outs(%start : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %p : tensor<4x6xf32>
}

// -----

// and windows add loops.
// CHECK-LABEL: func.func @convolution
// CHECK-NOT:   _shape
// CHECK:       return
func.func @convolution(%x: tensor<1x1x8xf32>, %w: tensor<4x1x3xf32>, %start: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(n, f, i, c, l) -> (n, c, i + l)>, affine_map<(n, f, i, c, l) -> (f, c, l)>, affine_map<(n, f, i, c, l) -> (n, f, i)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x1x8xf32>, tensor<4x1x3xf32>) outs(%start : tensor<1x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x4x6xf32>
  return %p : tensor<1x4x6xf32>
}
