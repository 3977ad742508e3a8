// Convolutions in groups and depthwise ones, with the gradients of their filters and images, in the forms of
// PyTorch and JAX.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core=always --canonicalize | FileCheck %s

#x = affine_map<(n, p, q, g, k, c, r, s) -> (n, p + r, q + s, g, c)>
#f = affine_map<(n, p, q, g, k, c, r, s) -> (g, k, r, s, c)>
#y = affine_map<(n, p, q, g, k, c, r, s) -> (n, p, q, g, k)>
#id = affine_map<(n, p, q, g, k) -> (n, p, q, g, k)>
#b = affine_map<(n, p, q, g, k) -> (g, k)>

// Groups and their channels are two dimensions, which lie side by side. The results of the groups are one matrix, of
// which the bias has an element for each column.
// CHECK-LABEL: func @groups
// CHECK-SAME:    (%[[X:.*]]: tensor<2x6x7x2x8xf16>, %[[F:.*]]: tensor<2x16x3x3x8xf16>, %[[BIAS:.*]]: tensor<2x16xf32>)
// CHECK-NOT:   tensor.pad
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %[[X]], f = %[[F]], operand0 = %[[BIAS]]) outs(y = %{{.*}})
// CHECK:       gpu.module @convolution_0
// CHECK-SAME:  direction = "forward"
// CHECK-SAME:  groups = 2 : i64
func.func @groups(%x: tensor<2x6x7x2x8xf16>, %f: tensor<2x16x3x3x8xf16>, %bias: tensor<2x16xf32>)
    -> tensor<2x6x7x2x16xf16> {
  %zero = arith.constant 0.0 : f16
  %padded = tensor.pad %x low[0, 1, 1, 0, 0] high[0, 1, 1, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index, %g: index):
    tensor.yield %zero : f16
  } : tensor<2x6x7x2x8xf16> to tensor<2x8x9x2x8xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x7x2x16xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x6x7x2x16xf32>) -> tensor<2x6x7x2x16xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%padded, %f : tensor<2x8x9x2x8xf16>, tensor<2x16x3x3x8xf16>) outs(%z : tensor<2x6x7x2x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x6x7x2x16xf32>
  %half = tensor.empty() : tensor<2x6x7x2x16xf16>
  %1 = linalg.generic {indexing_maps = [#id, #b, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %bias : tensor<2x6x7x2x16xf32>, tensor<2x16xf32>) outs(%half : tensor<2x6x7x2x16xf16>) {
  ^bb0(%sum: f32, %add: f32, %o: f16):
    %2 = arith.addf %sum, %add : f32
    %3 = arith.maximumf %2, %c0 : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<2x6x7x2x16xf16>
  return %1 : tensor<2x6x7x2x16xf16>
}

// -----

#x = affine_map<(g, k, r, s, c, n, p, q) -> (n, p + r, q + s, g, c)>
#y = affine_map<(g, k, r, s, c, n, p, q) -> (n, p, q, g, k)>
#f = affine_map<(g, k, r, s, c, n, p, q) -> (g, k, r, s, c)>

// Activations whose channels are split for the convolution are read before that.
// CHECK-LABEL: func @filters_of_groups
// CHECK-SAME:    (%[[X:.*]]: tensor<2x8x8x16xf16>, %[[DY:.*]]: tensor<2x6x6x32xf16>)
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], x = %[[X]]) outs(f = %{{.*}})
// CHECK:       direction = "weight-gradient"
// CHECK-SAME:  groups = 2 : i64
func.func @filters_of_groups(%x: tensor<2x8x8x16xf16>, %dy: tensor<2x6x6x32xf16>) -> tensor<2x16x3x3x8xf32> {
  %xs = tensor.expand_shape %x [[0], [1], [2], [3, 4]] output_shape [2, 8, 8, 2, 8]
      : tensor<2x8x8x16xf16> into tensor<2x8x8x2x8xf16>
  %dys = tensor.expand_shape %dy [[0], [1], [2], [3, 4]] output_shape [2, 6, 6, 2, 16]
      : tensor<2x6x6x32xf16> into tensor<2x6x6x2x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x16x3x3x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x16x3x3x8xf32>) -> tensor<2x16x3x3x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #f], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%xs, %dys : tensor<2x8x8x2x8xf16>, tensor<2x6x6x2x16xf16>) outs(%z : tensor<2x16x3x3x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x16x3x3x8xf32>
  return %0 : tensor<2x16x3x3x8xf32>
}

// -----

#x = affine_map<(n, p, q, g, k, c, r, s) -> (n, p + r, q + s, g, c)>
#f = affine_map<(n, p, q, g, k, c, r, s) -> (g, k, r, s, c)>
#y = affine_map<(n, p, q, g, k, c, r, s) -> (n, p, q, g, k)>
#reverse = affine_map<(f, r, s, k) -> (k, -r + 2, -s + 2, f)>
#id = affine_map<(f, r, s, k) -> (f, r, s, k)>

// The gradient of the image of a convolution with strides of 2. The filters lie [k][r][s][g * c], and the move is told
// of groups and channels by the reshape behind it: what is read is split alike, and then in another order.
// CHECK-LABEL: func @image_of_groups
// CHECK-SAME:    (%[[DY:.*]]: tensor<2x3x3x32xf16>, %[[F:.*]]: tensor<16x3x3x16xf16>)
// CHECK-NOT:   insert_slice
// CHECK:       %[[SPLIT:.*]] = tensor.expand_shape %[[F]] {{\[\[}}0], [1], [2], [3, 4]]
// CHECK-SAME:    into tensor<16x3x3x2x8xf16>
// CHECK:       %[[GKRSC:.*]] = linalg.generic
// CHECK-SAME:    ins(%[[SPLIT]] : tensor<16x3x3x2x8xf16>) outs(%{{.*}} : tensor<2x16x3x3x8xf16>)
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], f = %[[GKRSC]]) outs(x = %{{.*}})
// CHECK:       gpu.module @convolution_0
// CHECK-SAME:  direction = "data-gradient"
// CHECK-SAME:  groups = 2 : i64
// CHECK-SAME:  padding = array<i64: 1, 1, 0, 0>
// CHECK-SAME:  stride = array<i64: 2, 2>
func.func @image_of_groups(%dy: tensor<2x3x3x32xf16>, %f: tensor<16x3x3x16xf16>) -> tensor<2x6x6x2x8xf32> {
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<16x3x3x16xf16>
  %moved = linalg.generic {indexing_maps = [#reverse, #id],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x3x3x16xf16>) outs(%empty_g : tensor<16x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<16x3x3x16xf16>
  %g = tensor.expand_shape %moved [[0, 1], [2], [3], [4]] output_shape [2, 8, 3, 3, 16]
      : tensor<16x3x3x16xf16> into tensor<2x8x3x3x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x8x8x32xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%empty_zeros : tensor<2x8x8x32xf16>) -> tensor<2x8x8x32xf16>
  %apart = tensor.insert_slice %dy into %zeros[0, 1, 1, 0] [2, 3, 3, 32] [1, 2, 2, 1]
      : tensor<2x3x3x32xf16> into tensor<2x8x8x32xf16>
  %image = tensor.expand_shape %apart [[0], [1], [2], [3, 4]] output_shape [2, 8, 8, 2, 16]
      : tensor<2x8x8x32xf16> into tensor<2x8x8x2x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x6x2x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x6x6x2x8xf32>) -> tensor<2x6x6x2x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%image, %g : tensor<2x8x8x2x16xf16>, tensor<2x8x3x3x16xf16>) outs(%z : tensor<2x6x6x2x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x6x6x2x8xf32>
  return %0 : tensor<2x6x6x2x8xf32>
}

// -----

#x = affine_map<(n, p, q, g, k, c, r, s) -> (n, p + r, q + s, g, c)>
#f = affine_map<(n, p, q, g, k, c, r, s) -> (g, k, r, s, c)>
#y = affine_map<(n, p, q, g, k, c, r, s) -> (n, p, q, g, k)>
#reverse = affine_map<(g, f, r, s, k) -> (g, k, -r + 2, -s + 2, f)>
#id = affine_map<(g, f, r, s, k) -> (g, f, r, s, k)>

// Of filters that lie as kernels read them, which are no copy.
// CHECK-LABEL: func @image_of_split_groups
// CHECK-SAME:    (%[[DY:.*]]: tensor<2x3x3x32xf16>, %[[F:.*]]: tensor<2x16x3x3x8xf16>)
// CHECK-NOT:   linalg.generic
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], f = %[[F]]) outs(x = %{{.*}})
// CHECK:       direction = "data-gradient"
func.func @image_of_split_groups(%dy: tensor<2x3x3x32xf16>, %f: tensor<2x16x3x3x8xf16>) -> tensor<2x6x6x2x8xf32> {
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<2x8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<2x16x3x3x8xf16>) outs(%empty_g : tensor<2x8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<2x8x3x3x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x8x8x32xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%empty_zeros : tensor<2x8x8x32xf16>) -> tensor<2x8x8x32xf16>
  %apart = tensor.insert_slice %dy into %zeros[0, 1, 1, 0] [2, 3, 3, 32] [1, 2, 2, 1]
      : tensor<2x3x3x32xf16> into tensor<2x8x8x32xf16>
  %image = tensor.expand_shape %apart [[0], [1], [2], [3, 4]] output_shape [2, 8, 8, 2, 16]
      : tensor<2x8x8x32xf16> into tensor<2x8x8x2x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x6x2x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x6x6x2x8xf32>) -> tensor<2x6x6x2x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%image, %g : tensor<2x8x8x2x16xf16>, tensor<2x8x3x3x16xf16>) outs(%z : tensor<2x6x6x2x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x6x6x2x8xf32>
  return %0 : tensor<2x6x6x2x8xf32>
}

// -----

#x = affine_map<(n, p, q, g, r, s) -> (n, p * 2 + r, q * 2 + s, g)>
#f = affine_map<(n, p, q, g, r, s) -> (r, s, g)>
#y = affine_map<(n, p, q, g, r, s) -> (n, p, q, g)>

// Filters as linalg.depthwise_conv_2d_nhwc_hwc has them are transposed.
// CHECK-LABEL: func @depthwise
// CHECK-SAME:    (%[[X:.*]]: tensor<2x9x7x16xf16>, %[[F:.*]]: tensor<3x3x16xf16>)
// CHECK:       %[[GRS:.*]] = linalg.transpose ins(%[[F]] : tensor<3x3x16xf16>)
// CHECK-SAME:    permutation = [2, 0, 1]
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %[[X]], f = %[[GRS]]) outs(y = %{{.*}})
// CHECK:       direction = "forward"
// CHECK-SAME:  groups = 16 : i64
func.func @depthwise(%x: tensor<2x9x7x16xf16>, %f: tensor<3x3x16xf16>) -> tensor<2x4x3x16xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x3x16xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x4x3x16xf32>) -> tensor<2x4x3x16xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x9x7x16xf16>, tensor<3x3x16xf16>) outs(%z : tensor<2x4x3x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x4x3x16xf32>
  return %0 : tensor<2x4x3x16xf32>
}

// -----

#x = affine_map<(n, p, q, g, r, s) -> (n, p + r, q + s, g)>
#f = affine_map<(n, p, q, g, r, s) -> (r, s, g)>
#y = affine_map<(n, p, q, g, r, s) -> (n, p, q, g)>
#move = affine_map<(r, s, g, one) -> (g, one, r, s)>
#id = affine_map<(r, s, g, one) -> (r, s, g, one)>

// But not those that were moved into that order from the one that kernels read: PyTorch's.
// CHECK-LABEL: func @moved_filters
// CHECK-SAME:    (%[[X:.*]]: tensor<2x6x6x16xf16>, %[[F:.*]]: tensor<16x1x3x3xf16>)
// CHECK-NOT:   transpose
// CHECK-NOT:   linalg.generic
// CHECK:       %[[SAME:.*]] = tensor.expand_shape %{{.*}} into tensor<16x1x3x3x1xf16>
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %[[X]], f = %[[SAME]]) outs(y = %{{.*}})
func.func @moved_filters(%x: tensor<2x6x6x16xf16>, %f: tensor<16x1x3x3xf16>) -> tensor<2x4x4x16xf32> {
  %empty_f = tensor.empty() : tensor<3x3x16x1xf16>
  %moved = linalg.generic {indexing_maps = [#move, #id],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x1x3x3xf16>) outs(%empty_f : tensor<3x3x16x1xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<3x3x16x1xf16>
  %rsg = tensor.collapse_shape %moved [[0], [1], [2, 3]] : tensor<3x3x16x1xf16> into tensor<3x3x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x16xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %rsg : tensor<2x6x6x16xf16>, tensor<3x3x16xf16>) outs(%z : tensor<2x4x4x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x4x4x16xf32>
  return %0 : tensor<2x4x4x16xf32>
}

// -----

#x = affine_map<(n, p, q, g, k, r, s) -> (n, p + r, q + s, g)>
#f = affine_map<(n, p, q, g, k, r, s) -> (g, k, r, s)>
#y = affine_map<(n, p, q, g, k, r, s) -> (n, p, q, g, k)>

// Several filters for a channel.
// CHECK-LABEL: func @two_filters_each
// CHECK-SAME:    (%[[X:.*]]: tensor<2x6x6x16xf16>, %[[F:.*]]: tensor<16x2x3x3xf16>)
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %[[X]], f = %[[F]]) outs(y = %{{.*}})
// CHECK:       groups = 16 : i64
// CHECK-SAME:  k = 32 : i64
func.func @two_filters_each(%x: tensor<2x6x6x16xf16>, %f: tensor<16x2x3x3xf16>) -> tensor<2x4x4x16x2xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x16x2xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x4x4x16x2xf32>) -> tensor<2x4x4x16x2xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x6x6x16xf16>, tensor<16x2x3x3xf16>) outs(%z : tensor<2x4x4x16x2xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x4x4x16x2xf32>
  return %0 : tensor<2x4x4x16x2xf32>
}

// -----

#x = affine_map<(r, s, g, n, p, q) -> (n, p + r, q + s, g)>
#y = affine_map<(r, s, g, n, p, q) -> (n, p, q, g)>
#f = affine_map<(r, s, g, n, p, q) -> (r, s, g)>
#id = affine_map<(r, s, g) -> (r, s, g)>

// The gradient of depthwise filters in that order is transposed behind its kernel; what reads it stays where it is.
// CHECK-LABEL: func @depthwise_filters
// CHECK-SAME:    (%[[X:.*]]: tensor<2x8x8x16xf16>, %[[DY:.*]]: tensor<2x6x6x16xf16>)
// CHECK:       %[[LAUNCH:.*]]:2 = amp.launch_kernels @convolution_0 ins(y = %[[DY]], x = %[[X]])
// CHECK-SAME:    outs(f = %{{.*}}, workspace = %{{.*}})
// CHECK:       %[[RSG:.*]] = linalg.transpose ins(%[[LAUNCH]]#0 : tensor<16x3x3xf32>)
// CHECK-SAME:    permutation = [1, 2, 0]
// CHECK:       return %[[RSG]]
func.func @depthwise_filters(%x: tensor<2x8x8x16xf16>, %dy: tensor<2x6x6x16xf16>) -> tensor<3x3x16xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x3x16xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<3x3x16xf32>) -> tensor<3x3x16xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #f], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %dy : tensor<2x8x8x16xf16>, tensor<2x6x6x16xf16>) outs(%z : tensor<3x3x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<3x3x16xf32>
  return %0 : tensor<3x3x16xf32>
}

// -----

#x = affine_map<(n, p, q, g, r, s) -> (n, p + r, q + s, g)>
#f = affine_map<(n, p, q, g, r, s) -> (r, s, g)>
#y = affine_map<(n, p, q, g, r, s) -> (n, p, q, g)>
#reverse = affine_map<(r, s, g, one) -> (g, one, -r + 2, -s + 2)>
#id = affine_map<(r, s, g, one) -> (r, s, g, one)>

// An insertion for each dimension, and a pad around them.
// CHECK-LABEL: func @depthwise_image
// CHECK-SAME:    (%[[DY:.*]]: tensor<2x3x4x16xf16>, %[[F:.*]]: tensor<16x1x3x3xf16>)
// CHECK-NOT:   insert_slice
// CHECK-NOT:   tensor.pad
// CHECK:       %[[SAME:.*]] = tensor.expand_shape %{{.*}} into tensor<16x1x3x3x1xf16>
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], f = %[[SAME]]) outs(x = %{{.*}})
// CHECK:       direction = "data-gradient"
// CHECK-SAME:  groups = 16 : i64
// CHECK-SAME:  padding = array<i64: 1, 1>
// CHECK-SAME:  stride = array<i64: 2, 3>
func.func @depthwise_image(%dy: tensor<2x3x4x16xf16>, %f: tensor<16x1x3x3xf16>) -> tensor<2x5x10x16xf32> {
  %zero16 = arith.constant 0.0 : f16
  %rows = arith.constant dense<0.0> : tensor<2x5x4x16xf16>
  %all = arith.constant dense<0.0> : tensor<2x5x10x16xf16>
  %empty_f = tensor.empty() : tensor<3x3x16x1xf16>
  %moved = linalg.generic {indexing_maps = [#reverse, #id],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x1x3x3xf16>) outs(%empty_f : tensor<3x3x16x1xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<3x3x16x1xf16>
  %rsg = tensor.collapse_shape %moved [[0], [1], [2, 3]] : tensor<3x3x16x1xf16> into tensor<3x3x16xf16>
  %apart = tensor.insert_slice %dy into %rows[0, 0, 0, 0] [2, 3, 4, 16] [1, 2, 1, 1]
      : tensor<2x3x4x16xf16> into tensor<2x5x4x16xf16>
  %inside = tensor.insert_slice %apart into %all[0, 0, 0, 0] [2, 5, 4, 16] [1, 1, 3, 1]
      : tensor<2x5x4x16xf16> into tensor<2x5x10x16xf16>
  %image = tensor.pad %inside low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero16 : f16
  } : tensor<2x5x10x16xf16> to tensor<2x7x12x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x5x10x16xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x5x10x16xf32>) -> tensor<2x5x10x16xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%image, %rsg : tensor<2x7x12x16xf16>, tensor<3x3x16xf16>) outs(%z : tensor<2x5x10x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x5x10x16xf32>
  return %0 : tensor<2x5x10x16xf32>
}

// -----

#x = affine_map<(k, r, s, c, n, p, q) -> (n, p + r, q + s, c)>
#y = affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>
#f = affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>

// JAX states the gradient of the filters of a convolution with strides over zeros between the pixels of dy.
// CHECK-LABEL: func @filters_of_strides
// CHECK-SAME:    (%[[X:.*]]: tensor<2x8x8x8xf16>, %[[DY:.*]]: tensor<2x3x3x16xf16>)
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], x = %[[X]]) outs(f = %{{.*}})
// CHECK:       direction = "weight-gradient"
// CHECK-SAME:  stride = array<i64: 2, 2>
func.func @filters_of_strides(%x: tensor<2x8x8x8xf16>, %dy: tensor<2x3x3x16xf16>) -> tensor<16x3x3x8xf32> {
  %read = tensor.extract_slice %x[0, 0, 0, 0] [2, 7, 7, 8] [1, 1, 1, 1] : tensor<2x8x8x8xf16> to tensor<2x7x7x8xf16>
  %zeros = arith.constant dense<0.0> : tensor<2x5x5x16xf16>
  %apart = tensor.insert_slice %dy into %zeros[0, 0, 0, 0] [2, 3, 3, 16] [1, 2, 2, 1]
      : tensor<2x3x3x16xf16> into tensor<2x5x5x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x3x3x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<16x3x3x8xf32>) -> tensor<16x3x3x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #f], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%read, %apart : tensor<2x7x7x8xf16>, tensor<2x5x5x16xf16>) outs(%z : tensor<16x3x3x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<16x3x3x8xf32>
  return %0 : tensor<16x3x3x8xf32>
}

// -----

#x = affine_map<(k, r, s, c, n, p, q) -> (n, p + r, q + s, c)>
#y = affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>
#f = affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>

// A zero before the first pixel is no stride: the convolution stays as it is written.
// CHECK-LABEL: func @zeros_in_front
// CHECK:       %[[APART:.*]] = tensor.insert_slice
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[APART]], x = %{{.*}}) outs(f = %{{.*}})
// CHECK:       stride = array<i64: 1, 1>
func.func @zeros_in_front(%x: tensor<2x8x8x8xf16>, %dy: tensor<2x3x3x16xf16>) -> tensor<16x3x3x8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x6x6x16xf16>
  %apart = tensor.insert_slice %dy into %zeros[0, 1, 1, 0] [2, 3, 3, 16] [1, 2, 2, 1]
      : tensor<2x3x3x16xf16> into tensor<2x6x6x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x3x3x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<16x3x3x8xf32>) -> tensor<16x3x3x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #f], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %apart : tensor<2x8x8x8xf16>, tensor<2x6x6x16xf16>) outs(%z : tensor<16x3x3x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<16x3x3x8xf32>
  return %0 : tensor<16x3x3x8xf32>
}

// -----

#x = affine_map<(k, r, s, c, n, p, q) -> (n, p + r, q + s, c)>
#y = affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>
#f = affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>

// Nor is an insertion of fewer channels, of zeros behind those of a gradient.
// CHECK-LABEL: func @fewer_channels
// CHECK:       %[[ALL:.*]] = tensor.insert_slice
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[ALL]], x = %{{.*}}) outs(f = %{{.*}})
func.func @fewer_channels(%x: tensor<2x8x8x8xf16>, %dy: tensor<2x6x6x8xf16>) -> tensor<16x3x3x8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x6x6x16xf16>
  %all = tensor.insert_slice %dy into %zeros[0, 0, 0, 0] [2, 6, 6, 8] [1, 1, 1, 1]
      : tensor<2x6x6x8xf16> into tensor<2x6x6x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x3x3x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<16x3x3x8xf32>) -> tensor<16x3x3x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #f], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %all : tensor<2x8x8x8xf16>, tensor<2x6x6x16xf16>) outs(%z : tensor<16x3x3x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<16x3x3x8xf32>
  return %0 : tensor<16x3x3x8xf32>
}

// -----

#x = affine_map<(k, r, s, c, n, p, q) -> (n, p + r, q + s, c)>
#y = affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>
#f = affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>

// No stride at all: each pixel would overwrite the one before.
// CHECK-LABEL: func @stride_of_none
// CHECK:       %[[ALL:.*]] = tensor.insert_slice {{.*}} [1, 0, 0, 1]
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[ALL]], x = %{{.*}}) outs(f = %{{.*}})
func.func @stride_of_none(%x: tensor<2x8x8x8xf16>, %dy: tensor<2x3x3x16xf16>) -> tensor<16x3x3x8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x6x6x16xf16>
  %all = tensor.insert_slice %dy into %zeros[0, 0, 0, 0] [2, 3, 3, 16] [1, 0, 0, 1]
      : tensor<2x3x3x16xf16> into tensor<2x6x6x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x3x3x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<16x3x3x8xf32>) -> tensor<16x3x3x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #f], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %all : tensor<2x8x8x8xf16>, tensor<2x6x6x16xf16>) outs(%z : tensor<16x3x3x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<16x3x3x8xf32>
  return %0 : tensor<16x3x3x8xf32>
}

// -----

#x = affine_map<(n, p, q, g, k, c, r, s) -> (n, p + r, q + s, g, c)>
#f = affine_map<(n, p, q, g, k, c, r, s) -> (g, k, r, s, c)>
#y = affine_map<(n, p, q, g, k, c, r, s) -> (n, p, q, g, k)>

#encoding = affine_map<(a, b, c, d) -> (a, b, c, d)>

// An encoding, which says how a tensor lies, is not looked through.
// CHECK-LABEL: func @encoding
// CHECK:       %[[SPLIT:.*]] = tensor.expand_shape
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %[[SPLIT]], f = %{{.*}})
func.func @encoding(%x: tensor<2x6x6x16xf16, #encoding>, %f: tensor<2x8x3x3x8xf16>) -> tensor<2x4x4x2x8xf32> {
  %xs = tensor.expand_shape %x [[0], [1], [2], [3, 4]] output_shape [2, 6, 6, 2, 8]
      : tensor<2x6x6x16xf16, #encoding> into tensor<2x6x6x2x8xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x2x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x4x4x2x8xf32>) -> tensor<2x4x4x2x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%xs, %f : tensor<2x6x6x2x8xf16>, tensor<2x8x3x3x8xf16>) outs(%z : tensor<2x4x4x2x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x4x4x2x8xf32>
  return %0 : tensor<2x4x4x2x8xf32>
}

// -----

#x = affine_map<(n, p, q, g, k, c, r, s) -> (n, p + r, q + s, g, c)>
#f = affine_map<(n, p, q, g, k, c, r, s) -> (g, k, r, s, c)>
#y = affine_map<(n, p, q, g, k, c, r, s) -> (n, p, q, g, k)>

#ordered = affine_map<(g, f, r, s, k) -> (g, k, r, s, f)>
#id = affine_map<(g, f, r, s, k) -> (g, f, r, s, k)>

// Filters and channels exchanged, and taps in order: a convolution of its own, no gradient.
// CHECK-LABEL: func @taps_in_order
// CHECK:       %[[MOVED:.*]] = linalg.generic
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %{{.*}}, f = %[[MOVED]])
// CHECK:       direction = "forward"
func.func @taps_in_order(%dy: tensor<2x6x6x2x16xf16>, %f: tensor<2x16x3x3x8xf16>) -> tensor<2x4x4x2x8xf32> {
  %empty_g = tensor.empty() : tensor<2x8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#ordered, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<2x16x3x3x8xf16>) outs(%empty_g : tensor<2x8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<2x8x3x3x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x2x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x4x4x2x8xf32>) -> tensor<2x4x4x2x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%dy, %g : tensor<2x6x6x2x16xf16>, tensor<2x8x3x3x16xf16>) outs(%z : tensor<2x4x4x2x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x4x4x2x8xf32>
  return %0 : tensor<2x4x4x2x8xf32>
}

// -----

#x = affine_map<(n, p, q, g, k, c, r, s) -> (n, p + r, q + s, g, c)>
#f = affine_map<(n, p, q, g, k, c, r, s) -> (g, k, r, s, c)>
#y = affine_map<(n, p, q, g, k, c, r, s) -> (n, p, q, g, k)>

#reverse = affine_map<(f, r, s, k) -> (-f + 15, k, -r + 2, -s + 2)>
#id = affine_map<(f, r, s, k) -> (f, r, s, k)>

// Groups and filters in one dimension, which is read backwards: neither by itself is.
// CHECK-LABEL: func @filters_backwards
// CHECK:       %[[MOVED:.*]] = linalg.generic
// CHECK:       %[[SPLIT:.*]] = tensor.expand_shape %[[MOVED]]
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %{{.*}}, f = %[[SPLIT]])
// CHECK:       direction = "forward"
func.func @filters_backwards(%dy: tensor<2x6x6x2x16xf16>, %f: tensor<16x16x3x3xf16>) -> tensor<2x4x4x2x8xf32> {
  %empty_g = tensor.empty() : tensor<16x3x3x16xf16>
  %moved = linalg.generic {indexing_maps = [#reverse, #id],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x16x3x3xf16>) outs(%empty_g : tensor<16x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<16x3x3x16xf16>
  %g = tensor.expand_shape %moved [[0, 1], [2], [3], [4]] output_shape [2, 8, 3, 3, 16]
      : tensor<16x3x3x16xf16> into tensor<2x8x3x3x16xf16>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x2x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x4x4x2x8xf32>) -> tensor<2x4x4x2x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%dy, %g : tensor<2x6x6x2x16xf16>, tensor<2x8x3x3x16xf16>) outs(%z : tensor<2x4x4x2x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x4x4x2x8xf32>
  return %0 : tensor<2x4x4x2x8xf32>
}
