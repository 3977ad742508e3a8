// Convolutions in the orders of the kernels, and gradients of their filters.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core=always --canonicalize | FileCheck %s

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p * 2 + r, q + s * 2, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>

// Zeros around the image are the kernel's own, and so is the bias.
// CHECK-LABEL: func @convolution
// CHECK-SAME:    (%[[X:.*]]: tensor<2x8x9x16xf16>, %[[F:.*]]: tensor<32x3x3x16xf16>, %[[BIAS:.*]]: tensor<32xf16>)
// CHECK-NOT:   tensor.pad
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %[[X]], f = %[[F]], operand0 = %[[BIAS]]) outs(y = %{{.*}})
// CHECK:       gpu.module @convolution_0
// CHECK-SAME:  direction = "forward"
func.func @convolution(%x: tensor<2x8x9x16xf16>, %f: tensor<32x3x3x16xf16>, %bias: tensor<32xf16>)
    -> tensor<2x4x7x32xf16> {
  %c0 = arith.constant 0.0 : f16
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %c0 : f16
  } : tensor<2x8x9x16xf16> to tensor<2x9x11x16xf16>
  %e = tensor.empty() : tensor<2x4x7x32xf16>
  %wide = linalg.broadcast ins(%bias : tensor<32xf16>) outs(%e : tensor<2x4x7x32xf16>) dimensions = [0, 1, 2]
  %init = arith.extf %wide : tensor<2x4x7x32xf16> to tensor<2x4x7x32xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%padded, %f : tensor<2x9x11x16xf16>, tensor<32x3x3x16xf16>) outs(%init : tensor<2x4x7x32xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x4x7x32xf32>
  %5 = arith.truncf %0 : tensor<2x4x7x32xf32> to tensor<2x4x7x32xf16>
  return %5 : tensor<2x4x7x32xf16>
}

// -----

#x = affine_map<(k, r, s, c, n, p, q) -> (n, r + p, s + q, c)>
#g = affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>
#f = affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>

// A pad that is not of zeros stays.
// CHECK-LABEL: func @filter_gradient
// CHECK-SAME:    (%[[X:.*]]: tensor<2x6x6x8xf16>, %[[G:.*]]: tensor<2x6x6x16xf16>)
// CHECK:       %[[PADDED:.*]] = tensor.pad
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[G]], x = %[[PADDED]]) outs(f = %{{.*}})
// CHECK:       direction = "weight-gradient"
func.func @filter_gradient(%x: tensor<2x6x6x8xf16>, %g: tensor<2x6x6x16xf16>) -> tensor<16x3x3x8xf32> {
  %c1 = arith.constant 1.0 : f16
  %c0 = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %c1 : f16
  } : tensor<2x6x6x8xf16> to tensor<2x8x8x8xf16>
  %e = tensor.empty() : tensor<16x3x3x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<16x3x3x8xf32>) -> tensor<16x3x3x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #g, #f],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%padded, %g : tensor<2x8x8x8xf16>, tensor<2x6x6x16xf16>) outs(%z : tensor<16x3x3x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16x3x3x8xf32>
  return %0 : tensor<16x3x3x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
#k = affine_map<(n, p, q, k) -> (k)>
#npqk = affine_map<(n, p, q, k) -> (n, p, q, k)>

// What reads a convolution is part of it as of any product.
// CHECK-LABEL: func @convolution_relu
// CHECK-SAME:    (%[[X:.*]]: tensor<2x8x8x16xf16>, %[[F:.*]]: tensor<32x3x3x16xf16>, %[[BIAS:.*]]: tensor<32xf32>, %[[SKIP:.*]]: tensor<2x6x6x32xf16>)
// CHECK:       %[[Y:.*]] = amp.launch_kernels @convolution_0 ins(x = %[[X]], f = %[[F]], operand0 = %[[BIAS]], operand1 = %[[SKIP]])
// CHECK-NEXT:  return %[[Y]] : tensor<2x6x6x32xf16>
func.func @convolution_relu(%x: tensor<2x8x8x16xf16>, %f: tensor<32x3x3x16xf16>, %bias: tensor<32xf32>,
                            %skip: tensor<2x6x6x32xf16>) -> tensor<2x6x6x32xf16> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x6x32xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x6x6x32xf32>) -> tensor<2x6x6x32xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x8x8x16xf16>, tensor<32x3x3x16xf16>) outs(%z : tensor<2x6x6x32xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x6x6x32xf32>
  %5 = linalg.generic {indexing_maps = [#npqk, #k, #npqk, #npqk],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %bias, %skip : tensor<2x6x6x32xf32>, tensor<32xf32>, tensor<2x6x6x32xf16>)
      outs(%e : tensor<2x6x6x32xf32>) {
  ^bb0(%y: f32, %b: f32, %s: f16, %o: f32):
    %1 = arith.addf %y, %b : f32
    %2 = arith.extf %s : f16 to f32
    %3 = arith.addf %1, %2 : f32
    %4 = arith.maximumf %3, %c0 : f32
    linalg.yield %4 : f32
  } -> tensor<2x6x6x32xf32>
  %6 = arith.truncf %5 : tensor<2x6x6x32xf32> to tensor<2x6x6x32xf16>
  return %6 : tensor<2x6x6x32xf16>
}

// -----

#x = affine_map<(k, r, s, c, n, p, q) -> (n, r + p * 2, s + q * 2, c)>
#g = affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>
#f = affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>

// A front end cuts off pixels behind the last window, which the kernel does not read; the zeros in
// front of the image are the kernel's still.
// CHECK-LABEL: func @strided_filter_gradient
// CHECK-SAME:    (%[[X:.*]]: tensor<2x6x6x8xf16>, %[[G:.*]]: tensor<2x3x3x16xf16>)
// CHECK-NOT:   tensor.extract_slice
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[G]], x = %[[X]])
// CHECK:       padding = array<i64: 1, 1>
func.func @strided_filter_gradient(%x: tensor<2x6x6x8xf16>, %g: tensor<2x3x3x16xf16>) -> tensor<16x3x3x8xf32> {
  %c0 = arith.constant 0.0 : f16
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %c0 : f16
  } : tensor<2x6x6x8xf16> to tensor<2x8x8x8xf16>
  %read = tensor.extract_slice %padded[0, 0, 0, 0] [2, 7, 7, 8] [1, 1, 1, 1] : tensor<2x8x8x8xf16> to tensor<2x7x7x8xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x3x3x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x3x3x8xf32>) -> tensor<16x3x3x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #g, #f],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%read, %g : tensor<2x7x7x8xf16>, tensor<2x3x3x16xf16>) outs(%z : tensor<16x3x3x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16x3x3x8xf32>
  return %0 : tensor<16x3x3x8xf32>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>

// Pixels that a window of the whole image would read: the part is an image of its own.
// CHECK-LABEL: func @part_of_image
// CHECK:       %[[PART:.*]] = tensor.extract_slice
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %[[PART]]
func.func @part_of_image(%x: tensor<2x8x8x16xf16>, %f: tensor<8x3x3x16xf16>) -> tensor<2x5x5x8xf32> {
  %part = tensor.extract_slice %x[0, 0, 0, 0] [2, 7, 7, 16] [1, 1, 1, 1] : tensor<2x8x8x16xf16> to tensor<2x7x7x16xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x5x5x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x5x8xf32>) -> tensor<2x5x5x8xf32>
  %0 = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%part, %f : tensor<2x7x7x16xf16>, tensor<8x3x3x16xf16>) outs(%z : tensor<2x5x5x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x5x5x8xf32>
  return %0 : tensor<2x5x5x8xf32>
}
