// Gradients of images, which front ends write as convolutions of filters whose taps are reversed.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core=always --canonicalize | FileCheck %s

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, c, -r + 2, -s + 2)>

// Read from the gradient of the output and the filters themselves. That they lie with channels
// innermost is what the forward pass asks for, too.
// CHECK-LABEL: func @strides_of_1
// CHECK-SAME:    (%[[DY:.*]]: tensor<2x5x6x16xf16>, %[[F:.*]]: tensor<16x8x3x3xf16>)
// CHECK-NOT:   insert_slice
// CHECK:       %[[KRSC:.*]] = linalg.generic {indexing_maps = [#[[FORWARD:.*]], #{{.*}}]
// CHECK-SAME:    ins(%[[F]] : tensor<16x8x3x3xf16>) outs(%{{.*}} : tensor<16x3x3x8xf16>)
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], f = %[[KRSC]]) outs(x = %{{.*}})
// CHECK:       gpu.module @convolution_0
// CHECK-SAME:  direction = "data-gradient"
// CHECK-SAME:  padding = array<i64: 1, 1>
func.func @strides_of_1(%dy: tensor<2x5x6x16xf16>, %f: tensor<16x8x3x3xf16>) -> tensor<2x5x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x8x3x3xf16>) outs(%empty_g : tensor<8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<8x3x3x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x7x8x16xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%empty_zeros : tensor<2x7x8x16xf16>) -> tensor<2x7x8x16xf16>
  %z = tensor.insert_slice %dy into %zeros[0, 1, 1, 0] [2, 5, 6, 16] [1, 1, 1, 1] : tensor<2x5x6x16xf16> into tensor<2x7x8x16xf16>
  %e = tensor.empty() : tensor<2x5x6x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x6x8xf32>) -> tensor<2x5x6x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x7x8x16xf16>, tensor<8x3x3x16xf16>) outs(%s : tensor<2x5x6x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x5x6x8xf32>
  return %r : tensor<2x5x6x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, -r + 2, -s + 2, c)>

// With strides the pixels stand apart, and one row of the image is behind the last window. What reads
// the gradient is part of the kernel.
// CHECK-LABEL: func @strides_of_2
// CHECK-SAME:    (%[[DY:.*]]: tensor<2x3x2x16xf16>, %[[F:.*]]: tensor<16x3x3x8xf16>, %[[SKIP:.*]]: tensor<2x8x5x8xf16>)
// CHECK-NOT:   insert_slice
// CHECK-NOT:   linalg.generic
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], f = %[[F]], operand0 = %[[SKIP]]) outs(x = %{{.*}})
// CHECK:       gpu.module @convolution_0
// CHECK-SAME:  direction = "data-gradient"
// CHECK-SAME:  stride = array<i64: 2, 2>
func.func @strides_of_2(%dy: tensor<2x3x2x16xf16>, %f: tensor<16x3x3x8xf16>, %skip: tensor<2x8x5x8xf16>)
    -> tensor<2x8x5x8xf16> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x3x3x8xf16>) outs(%empty_g : tensor<8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<8x3x3x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x10x7x16xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%empty_zeros : tensor<2x10x7x16xf16>) -> tensor<2x10x7x16xf16>
  %z = tensor.insert_slice %dy into %zeros[0, 2, 2, 0] [2, 3, 2, 16] [1, 2, 2, 1] : tensor<2x3x2x16xf16> into tensor<2x10x7x16xf16>
  %e = tensor.empty() : tensor<2x8x5x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x5x8xf32>) -> tensor<2x8x5x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x10x7x16xf16>, tensor<8x3x3x16xf16>) outs(%s : tensor<2x8x5x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x5x8xf32>
  %empty = tensor.empty() : tensor<2x8x5x8xf16>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r, %skip : tensor<2x8x5x8xf32>, tensor<2x8x5x8xf16>) outs(%empty : tensor<2x8x5x8xf16>) {
  ^bb0(%x: f32, %y: f16, %o: f16):
    %1 = arith.extf %y : f16 to f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<2x8x5x8xf16>
  return %sum : tensor<2x8x5x8xf16>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#exchange = affine_map<(c, r, s, k) -> (k, c, r, s)>

// One tap has no order: PyTorch's filters are read where they lie.
// CHECK-LABEL: func @one_tap
// CHECK-SAME:    (%[[DY:.*]]: tensor<2x3x3x16xf16>, %[[F:.*]]: tensor<16x8x1x1xf16>)
// CHECK-NOT:   linalg.generic
// CHECK:       %[[KC:.*]] = tensor.expand_shape %{{.*}} : tensor<128xf16> into tensor<16x1x1x8xf16>
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], f = %[[KC]])
// CHECK:       direction = "data-gradient"
func.func @one_tap(%dy: tensor<2x3x3x16xf16>, %f: tensor<16x8x1x1xf16>) -> tensor<2x6x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x1x1x16xf16>
  %g = linalg.generic {indexing_maps = [#exchange, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x8x1x1xf16>) outs(%empty_g : tensor<8x1x1x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<8x1x1x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x6x5x16xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%empty_zeros : tensor<2x6x5x16xf16>) -> tensor<2x6x5x16xf16>
  %z = tensor.insert_slice %dy into %zeros[0, 0, 0, 0] [2, 3, 3, 16] [1, 2, 2, 1] : tensor<2x3x3x16xf16> into tensor<2x6x5x16xf16>
  %e = tensor.empty() : tensor<2x6x5x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x5x8xf32>) -> tensor<2x6x5x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x6x5x16xf16>, tensor<8x1x1x16xf16>) outs(%s : tensor<2x6x5x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x6x5x8xf32>
  return %r : tensor<2x6x5x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r * 2, q + s * 2, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, c, -r + 2, -s + 1)>

// Filters that are rounded on the way are rounded, in the order that is read; a pad and an insertion
// add up; taps are two pixels apart.
// CHECK-LABEL: func @rounded
// CHECK-SAME:    (%[[DY:.*]]: tensor<2x4x4x16xf16>, %[[F:.*]]: tensor<16x8x3x2xf32>)
// CHECK-NOT:   insert_slice
// CHECK-NOT:   tensor.pad
// CHECK:       %[[KRSC:.*]] = linalg.generic
// CHECK-SAME:    ins(%[[F]] : tensor<16x8x3x2xf32>) outs(%{{.*}} : tensor<16x3x2x8xf16>)
// CHECK:         arith.truncf
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], f = %[[KRSC]])
// CHECK:       dilation = array<i64: 2, 2>, direction = "data-gradient"
// CHECK-SAME:  padding = array<i64: 1, 0>
func.func @rounded(%dy: tensor<2x4x4x16xf16>, %f: tensor<16x8x3x2xf32>) -> tensor<2x6x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x3x2x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x8x3x2xf32>) outs(%empty_g : tensor<8x3x2x16xf16>) {
  ^bb0(%in: f32, %o: f16):
    %1 = arith.truncf %in : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<8x3x2x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x9x7x16xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%empty_zeros : tensor<2x9x7x16xf16>) -> tensor<2x9x7x16xf16>
  %inserted = tensor.insert_slice %dy into %zeros[0, 2, 2, 0] [2, 4, 4, 16] [1, 1, 1, 1] : tensor<2x4x4x16xf16> into tensor<2x9x7x16xf16>
  %z = tensor.pad %inserted low[0, 1, 0, 0] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero16 : f16
  } : tensor<2x9x7x16xf16> to tensor<2x10x8x16xf16>
  %e = tensor.empty() : tensor<2x6x6x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x10x8x16xf16>, tensor<8x3x2x16xf16>) outs(%s : tensor<2x6x6x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x6x6x8xf32>
  return %r : tensor<2x6x6x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, c, -r + 2, s)>

// Columns in order: a convolution with transposed filters, not a gradient.
// CHECK-LABEL: func @columns_in_order
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %
// CHECK:       direction = "forward"
func.func @columns_in_order(%dy: tensor<2x5x5x16xf16>, %f: tensor<16x8x3x3xf16>) -> tensor<2x5x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x8x3x3xf16>) outs(%empty_g : tensor<8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<8x3x3x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x7x7x16xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%empty_zeros : tensor<2x7x7x16xf16>) -> tensor<2x7x7x16xf16>
  %z = tensor.insert_slice %dy into %zeros[0, 1, 1, 0] [2, 5, 5, 16] [1, 1, 1, 1] : tensor<2x5x5x16xf16> into tensor<2x7x7x16xf16>
  %e = tensor.empty() : tensor<2x5x5x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x5x8xf32>) -> tensor<2x5x5x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x7x7x16xf16>, tensor<8x3x3x16xf16>) outs(%s : tensor<2x5x5x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x5x5x8xf32>
  return %r : tensor<2x5x5x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, c, -r + 2, -s + 2)>

// A border of ones is part of the image.
// CHECK-LABEL: func @border_of_ones
// CHECK:       %[[Z:.*]] = tensor.insert_slice
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[Z]]
// CHECK:       direction = "data-gradient"
// CHECK-SAME:  padding = array<i64: 2, 2>
func.func @border_of_ones(%dy: tensor<2x5x5x16xf16>, %f: tensor<16x8x3x3xf16>) -> tensor<2x5x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %one = arith.constant 1.0 : f16
  %empty_g = tensor.empty() : tensor<8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x8x3x3xf16>) outs(%empty_g : tensor<8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<8x3x3x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x7x7x16xf16>
  %zeros = linalg.fill ins(%one : f16) outs(%empty_zeros : tensor<2x7x7x16xf16>) -> tensor<2x7x7x16xf16>
  %z = tensor.insert_slice %dy into %zeros[0, 1, 1, 0] [2, 5, 5, 16] [1, 1, 1, 1] : tensor<2x5x5x16xf16> into tensor<2x7x7x16xf16>
  %e = tensor.empty() : tensor<2x5x5x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x5x8xf32>) -> tensor<2x5x5x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x7x7x16xf16>, tensor<8x3x3x16xf16>) outs(%s : tensor<2x5x5x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x5x5x8xf32>
  return %r : tensor<2x5x5x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, c, -r + 2, -s + 2)>

// More zeros than the filter reaches over: no convolution has such a gradient of its output. The image with its
// border is read as an output of a larger one.
// CHECK-LABEL: func @wide_border
// CHECK:       %[[Z:.*]] = tensor.insert_slice
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[Z]]
// CHECK:       direction = "data-gradient"
// CHECK-SAME:  padding = array<i64: 2, 2>
func.func @wide_border(%dy: tensor<2x5x5x16xf16>, %f: tensor<16x8x3x3xf16>) -> tensor<2x7x7x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x8x3x3xf16>) outs(%empty_g : tensor<8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<8x3x3x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x9x9x16xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%empty_zeros : tensor<2x9x9x16xf16>) -> tensor<2x9x9x16xf16>
  %z = tensor.insert_slice %dy into %zeros[0, 3, 3, 0] [2, 5, 5, 16] [1, 1, 1, 1] : tensor<2x5x5x16xf16> into tensor<2x9x9x16xf16>
  %e = tensor.empty() : tensor<2x7x7x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x7x8xf32>) -> tensor<2x7x7x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x9x9x16xf16>, tensor<8x3x3x16xf16>) outs(%s : tensor<2x7x7x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x7x7x8xf32>
  return %r : tensor<2x7x7x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, c, -r + 2, -s + 2)>

// A near miss: the border is a pad, which the convolution has around its image itself, and wider than the filter reaches.
// CHECK-LABEL: func @wide_pad
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %
// CHECK:       direction = "forward"
func.func @wide_pad(%dy: tensor<2x5x5x16xf16>, %f: tensor<16x8x3x3xf16>) -> tensor<2x7x7x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x8x3x3xf16>) outs(%empty_g : tensor<8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<8x3x3x16xf16>
  %z = tensor.pad %dy low[0, 3, 3, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero16 : f16
  } : tensor<2x5x5x16xf16> to tensor<2x9x9x16xf16>
  %e = tensor.empty() : tensor<2x7x7x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x7x8xf32>) -> tensor<2x7x7x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x9x9x16xf16>, tensor<8x3x3x16xf16>) outs(%s : tensor<2x7x7x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x7x7x8xf32>
  return %r : tensor<2x7x7x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, c, -r + 2, -s + 2)>

// The first three of five rows of the filters, reversed.
// CHECK-LABEL: func @part_of_filters
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %
// CHECK:       direction = "forward"
func.func @part_of_filters(%dy: tensor<2x5x5x16xf16>, %f: tensor<16x8x5x3xf16>) -> tensor<2x5x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x8x5x3xf16>) outs(%empty_g : tensor<8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<8x3x3x16xf16>
  %empty_zeros = tensor.empty() : tensor<2x7x7x16xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%empty_zeros : tensor<2x7x7x16xf16>) -> tensor<2x7x7x16xf16>
  %z = tensor.insert_slice %dy into %zeros[0, 1, 1, 0] [2, 5, 5, 16] [1, 1, 1, 1] : tensor<2x5x5x16xf16> into tensor<2x7x7x16xf16>
  %e = tensor.empty() : tensor<2x5x5x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x5x8xf32>) -> tensor<2x5x5x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x7x7x16xf16>, tensor<8x3x3x16xf16>) outs(%s : tensor<2x5x5x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x5x5x8xf32>
  return %r : tensor<2x5x5x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, c, -r + 2, -s + 2)>
#x2 = affine_map<(n, p, q, k, c, r, s) -> (n, p * 2 + r, q * 2 + s, c)>

// Strides of the convolution itself: each second pixel of a gradient, which no kernel gives.
// CHECK-LABEL: func @every_second
// CHECK:       direction = "forward"
func.func @every_second(%z: tensor<2x7x7x16xf16>, %f: tensor<16x8x3x3xf16>) -> tensor<2x3x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x3x3x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x8x3x3xf16>) outs(%empty_g : tensor<8x3x3x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %in : f16
  } -> tensor<8x3x3x16xf16>
  %e = tensor.empty() : tensor<2x3x3x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x3x8xf32>) -> tensor<2x3x3x8xf32>
  %r = linalg.generic {indexing_maps = [#x2, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x7x7x16xf16>, tensor<8x3x3x16xf16>) outs(%s : tensor<2x3x3x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x3x3x8xf32>
  return %r : tensor<2x3x3x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, r, s, c)>

// Filters that are all one number from outside, of which the operation reads nothing: no copy of others.
// CHECK-LABEL: func @number_from_outside
// CHECK-SAME:    (%{{.*}}: tensor<2x3x3x16xf16>, %{{.*}}: tensor<16x1x1x8xf16>, %[[Q:.*]]: f16)
// CHECK:         linalg.yield %[[Q]] : f16
// CHECK:       amp.launch_kernels
func.func @number_from_outside(%dy: tensor<2x3x3x16xf16>, %f: tensor<16x1x1x8xf16>, %q: f16) -> tensor<2x6x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %empty_g = tensor.empty() : tensor<8x1x1x16xf16>
  %g = linalg.generic {indexing_maps = [#reverse, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x1x1x8xf16>) outs(%empty_g : tensor<8x1x1x16xf16>) {
  ^bb0(%in: f16, %o: f16):
    linalg.yield %q : f16
  } -> tensor<8x1x1x16xf16>
  %ez = tensor.empty() : tensor<2x6x6x16xf16>
  %zeros = linalg.fill ins(%zero16 : f16) outs(%ez : tensor<2x6x6x16xf16>) -> tensor<2x6x6x16xf16>
  %z = tensor.insert_slice %dy into %zeros[0, 0, 0, 0] [2, 3, 3, 16] [1, 2, 2, 1] : tensor<2x3x3x16xf16> into tensor<2x6x6x16xf16>
  %e = tensor.empty() : tensor<2x6x6x8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<2x6x6x16xf16>, tensor<8x1x1x16xf16>) outs(%s : tensor<2x6x6x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x6x6x8xf32>
  return %r : tensor<2x6x6x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, -r + 2, -s + 2, c)>

// Parts of K fill a chip, which the kernel with strides does not know: zeros are written, and filters read as they
// lie all the same.
// CHECK-LABEL: func @zeros_written
// CHECK-SAME:    (%[[DY:.*]]: tensor<1x1x1x512xf32>, %[[F:.*]]: tensor<512x3x3x16xf32>)
// CHECK:       %[[Z:.*]] = tensor.insert_slice %[[DY]]
// CHECK-NOT:   linalg.generic
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[Z]], f = %[[F]])
// CHECK:       split_k = {{[1-9][0-9]|[2-9]}} :
// CHECK-SAME:  direction = "data-gradient"
// CHECK-SAME:  padding = array<i64: 2, 2>
// CHECK-SAME:  stride = array<i64: 1, 1>
func.func @zeros_written(%dy: tensor<1x1x1x512xf32>, %f: tensor<512x3x3x16xf32>) -> tensor<1x2x2x16xf32> {
  %zero = arith.constant 0.0 : f32
  %zero_t = arith.constant 0.0 : f32
  %empty_g = tensor.empty() : tensor<16x3x3x512xf32>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<512x3x3x16xf32>) outs(%empty_g : tensor<16x3x3x512xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  } -> tensor<16x3x3x512xf32>
  %empty_zeros = tensor.empty() : tensor<1x4x4x512xf32>
  %zeros = linalg.fill ins(%zero_t : f32) outs(%empty_zeros : tensor<1x4x4x512xf32>) -> tensor<1x4x4x512xf32>
  %z = tensor.insert_slice %dy into %zeros[0, 1, 1, 0] [1, 1, 1, 512] [1, 2, 2, 1] : tensor<1x1x1x512xf32> into tensor<1x4x4x512xf32>
  %e = tensor.empty() : tensor<1x2x2x16xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<1x4x4x512xf32>, tensor<16x3x3x512xf32>) outs(%s : tensor<1x2x2x16xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x2x2x16xf32>
  return %r : tensor<1x2x2x16xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, -r + 0, -s + 0, c)>

// The same with filters of one tap, which are a reshape of what lies there.
// CHECK-LABEL: func @zeros_behind_one_tap
// CHECK-SAME:    (%[[DY:.*]]: tensor<1x1x1x2048xf32>, %[[F:.*]]: tensor<2048x1x1x16xf32>)
// CHECK:       %[[Z:.*]] = tensor.insert_slice %[[DY]]
// CHECK-NOT:   linalg.generic
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[Z]], f = %[[F]])
// CHECK:       direction = "data-gradient"
func.func @zeros_behind_one_tap(%dy: tensor<1x1x1x2048xf32>, %f: tensor<2048x1x1x16xf32>) -> tensor<1x2x2x16xf32> {
  %zero = arith.constant 0.0 : f32
  %zero_t = arith.constant 0.0 : f32
  %empty_g = tensor.empty() : tensor<16x1x1x2048xf32>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<2048x1x1x16xf32>) outs(%empty_g : tensor<16x1x1x2048xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  } -> tensor<16x1x1x2048xf32>
  %empty_zeros = tensor.empty() : tensor<1x2x2x2048xf32>
  %zeros = linalg.fill ins(%zero_t : f32) outs(%empty_zeros : tensor<1x2x2x2048xf32>) -> tensor<1x2x2x2048xf32>
  %z = tensor.insert_slice %dy into %zeros[0, 0, 0, 0] [1, 1, 1, 2048] [1, 2, 2, 1] : tensor<1x1x1x2048xf32> into tensor<1x2x2x2048xf32>
  %e = tensor.empty() : tensor<1x2x2x16xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%z, %g : tensor<1x2x2x2048xf32>, tensor<16x1x1x2048xf32>) outs(%s : tensor<1x2x2x16xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x2x2x16xf32>
  return %r : tensor<1x2x2x16xf32>
}
