// RUN: amp-opt %s --amp-annotate-precision | FileCheck %s

// What an operation is, read off its iterators and body: the class that it gets
// where no front end said where it came from.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
#i = affine_map<(i) -> (i)>

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @named_products
func.func @named_products(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %v: tensor<8xf32>,
                          %c: tensor<4x4xf32>, %d: tensor<4xf32>)
    -> (tensor<4x4xf32>, tensor<4xf32>) {
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = 0, "contraction">}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // A matrix times a vector has a dimension of the matrix alone.
  // CHECK: linalg.matvec {amp.class = #amp.class<low, unit = 1, "contraction">}
  %1 = linalg.matvec ins(%a, %v : tensor<4x8xf32>, tensor<8xf32>)
                     outs(%d : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4xf32>
}

// Convolutions, also depthwise: the filter does not move with the output.
// CHECK-LABEL: func.func @named_convolutions
func.func @named_convolutions(
    %x: tensor<1x3x8x8xf32>, %w: tensor<5x3x3x3xf32>, %c: tensor<1x5x6x6xf32>,
    %y: tensor<1x8x8x3xf32>, %k: tensor<3x3x3xf32>, %d: tensor<1x6x6x3xf32>)
    -> (tensor<1x5x6x6xf32>, tensor<1x6x6x3xf32>) {
  // CHECK: linalg.conv_2d_nchw_fchw {{{.*}}amp.class = #amp.class<low, unit = 0, "contraction">
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x8x8xf32>, tensor<5x3x3x3xf32>)
                                outs(%c : tensor<1x5x6x6xf32>) -> tensor<1x5x6x6xf32>
  // CHECK: linalg.depthwise_conv_2d_nhwc_hwc {{{.*}}amp.class = #amp.class<low, unit = 1, "contraction">
  %1 = linalg.depthwise_conv_2d_nhwc_hwc ins(%y, %k : tensor<1x8x8x3xf32>, tensor<3x3x3xf32>)
                                         outs(%d : tensor<1x6x6x3xf32>) -> tensor<1x6x6x3xf32>
  return %0, %1 : tensor<1x5x6x6xf32>, tensor<1x6x6x3xf32>
}

// JAX gives few named operations: a matmul with B transposed, the factors and the
// sum written the other way round.
// CHECK-LABEL: func.func @generic_matmul_transposed
func.func @generic_matmul_transposed(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>,
                                     %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<low, unit = 0, "contraction">
  %0 = linalg.generic {indexing_maps = [#mk, #nk, #mn],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<5x8xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %y, %x : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The gradient of a filter, as JAX writes it: input windows against the gradient
// of the output, summed over batch and place.
// CHECK-LABEL: func.func @generic_convolution
func.func @generic_convolution(%x: tensor<2x8x3xf32>, %g: tensor<2x6x5xf32>,
                               %c: tensor<3x3x5xf32>) -> tensor<3x3x5xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<low, unit = 0, "contraction">
  %0 = linalg.generic {indexing_maps = [
        affine_map<(k, c, f, n, p) -> (n, p + k, c)>,
        affine_map<(k, c, f, n, p) -> (n, p, f)>,
        affine_map<(k, c, f, n, p) -> (k, c, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %g : tensor<2x8x3xf32>, tensor<2x6x5xf32>) outs(%c : tensor<3x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x3x5xf32>
  return %0 : tensor<3x3x5xf32>
}

// Half operands that the body widens: still a contraction, for a second look at a
// program that has been cast.
// CHECK-LABEL: func.func @generic_matmul_of_halves
func.func @generic_matmul_of_halves(%a: tensor<4x8xf16>, %b: tensor<8x5xf16>,
                                    %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<low, unit = 0, "contraction">
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf16>, tensor<8x5xf16>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f16, %y: f16, %acc: f32):
    %xw = arith.extf %x : f16 to f32
    %yw = arith.extf %y : f16 to f32
    %p = arith.mulf %xw, %yw : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Multiplied and added by one operation.
// CHECK-LABEL: func.func @generic_matmul_by_fma
func.func @generic_matmul_by_fma(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>,
                                 %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<low, unit = 0, "contraction">
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %s = math.fma %x, %y, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

//===----------------------------------------------------------------------===//
// Near contractions: sums, which do not fit in half
//===----------------------------------------------------------------------===//

// No dimension belongs to one factor alone: no matrix unit computes this.
// CHECK-LABEL: func.func @dot_product
func.func @dot_product(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<f32>) -> tensor<f32> {
  // CHECK: linalg.dot {amp.class = #amp.class<high, unit = 0, "sum or product over elements">}
  %0 = linalg.dot ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The gradient of a scale: elementwise product, summed over rows.
// CHECK-LABEL: func.func @sum_of_matching_products
func.func @sum_of_matching_products(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>,
                                    %c: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<high, unit = 0, "sum or product over elements">
  %0 = linalg.generic {indexing_maps = [#id, #id, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @sum_of_squares
func.func @sum_of_squares(%a: tensor<4x8xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<high, unit = 0, "sum or product over elements">
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %p = arith.mulf %x, %x : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A distance, not a product: the body is not exactly multiply-accumulate.
// CHECK-LABEL: func.func @squared_distances
func.func @squared_distances(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>,
                             %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<high, unit = 0, "sum or product over elements">
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %d = arith.subf %x, %y : f32
    %p = arith.mulf %d, %d : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// No reduction: an outer product is elementwise.
// CHECK-LABEL: func.func @outer_product
func.func @outer_product(%a: tensor<4xf32>, %b: tensor<8xf32>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<promote, unit = 0, "elementwise on several operands">
  %0 = linalg.generic {indexing_maps = [#row, #col, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4xf32>, tensor<8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Nor is one that is added to what was there.
// CHECK-LABEL: func.func @accumulated_outer_product
func.func @accumulated_outer_product(%a: tensor<4xf32>, %b: tensor<8xf32>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<promote, unit = 0, "elementwise on several operands">
  %0 = linalg.generic {indexing_maps = [#row, #col, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4xf32>, tensor<8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A factor is an input: a sum that grows by multiples of itself is no product of two.
// CHECK-LABEL: func.func @accumulator_as_factor
func.func @accumulator_as_factor(%b: tensor<8xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<high, unit = 0, "sum or product over elements">
  %0 = linalg.generic {indexing_maps = [#col, #row], iterator_types = ["parallel", "reduction"]}
      ins(%b : tensor<8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%y: f32, %o: f32):
    %p = arith.mulf %o, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The sums above by math.fma: squares, matching products, and a sum that is multiplied
// in each step.
// CHECK-LABEL: func.func @sums_by_fma
func.func @sums_by_fma(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %v: tensor<8xf32>, %c: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<high, unit = 0, "sum or product over elements">
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = math.fma %x, %x, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<high, unit = 1, "sum or product over elements">
  %1 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %s = math.fma %x, %y, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<high, unit = 2, "sum or product over elements">
  %2 = linalg.generic {indexing_maps = [#id, #col, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %v : tensor<4x8xf32>, tensor<8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %s = math.fma %acc, %y, %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @sum_and_product
func.func @sum_and_product(%a: tensor<4x8xf32>, %c: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: linalg.reduce {{.*}}amp.class = #amp.class<high, unit = 0, "sum or product over elements">
  %0 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%x: f32, %acc: f32) {
        %s = arith.addf %x, %acc : f32
        linalg.yield %s : f32
      }
  // CHECK: linalg.reduce {{.*}}amp.class = #amp.class<high, unit = 1, "sum or product over elements">
  %1 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%x: f32, %acc: f32) {
        %s = arith.mulf %x, %acc : f32
        linalg.yield %s : f32
      }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// What takes from the sum or divides the product is as large as they are.
// CHECK-LABEL: func.func @difference_and_quotient
func.func @difference_and_quotient(%a: tensor<4x8xf32>, %c: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: linalg.reduce {{.*}}amp.class = #amp.class<high, unit = 0, "sum or product over elements">
  %0 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%x: f32, %acc: f32) {
        %s = arith.subf %acc, %x : f32
        linalg.yield %s : f32
      }
  // CHECK: linalg.reduce {{.*}}amp.class = #amp.class<high, unit = 1, "sum or product over elements">
  %1 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%x: f32, %acc: f32) {
        %s = arith.divf %acc, %x : f32
        linalg.yield %s : f32
      }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Near miss: the largest of differences.
// CHECK-LABEL: func.func @maximum_of_differences
func.func @maximum_of_differences(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4xf32>)
    -> tensor<4xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<promote, unit = 0, "elementwise on several operands">
  %0 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %d = arith.subf %x, %y : f32
    %m = arith.maximumf %acc, %d : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Near miss: a maximum is one of its operands, and exact in any type.
// CHECK-LABEL: func.func @maximum_over_elements
func.func @maximum_over_elements(%a: tensor<4x8xf32>, %x: tensor<1x3x8x8xf32>,
                                 %c: tensor<4xf32>, %d: tensor<1x3x4x4xf32>)
    -> (tensor<4xf32>, tensor<1x3x4x4xf32>) {
  // CHECK: linalg.reduce {{.*}}amp.class = #amp.class<follow, unit = 0, "elementwise on one operand, or a choice between operands">
  %0 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%e: f32, %acc: f32) {
        %s = arith.maximumf %e, %acc : f32
        linalg.yield %s : f32
      }
  // The window of a pooling has a shape and no elements that count.
  // CHECK: linalg.pooling_nchw_max {{{.*}}amp.class = #amp.class<follow, unit = 1,
  %w = tensor.empty() : tensor<2x2xf32>
  %1 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x8x8xf32>, tensor<2x2xf32>)
      outs(%d : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  return %0, %1 : tensor<4xf32>, tensor<1x3x4x4xf32>
}

// A mean pooling adds.
// CHECK-LABEL: func.func @sum_pooling
func.func @sum_pooling(%x: tensor<1x3x8x8xf32>, %d: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
  // CHECK: linalg.pooling_nchw_sum {{{.*}}amp.class = #amp.class<high, unit = 0, "sum or product over elements">
  %w = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.pooling_nchw_sum {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x8x8xf32>, tensor<2x2xf32>)
      outs(%d : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

// Each of these leaves the range of half or loses its precision.
// CHECK-LABEL: func.func @wide_functions
func.func @wide_functions(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: math.exp %{{.*}} {amp.class = #amp.class<high, unit = 0, "computes math.exp">}
  %0 = math.exp %x : tensor<4xf32>
  // CHECK: math.expm1 %{{.*}} {amp.class = #amp.class<high, unit = 1, "computes math.expm1">}
  %1 = math.expm1 %x : tensor<4xf32>
  // CHECK: math.log %{{.*}} {amp.class = #amp.class<high, unit = 2, "computes math.log">}
  %2 = math.log %x : tensor<4xf32>
  // CHECK: math.log1p %{{.*}} {amp.class = #amp.class<high, unit = 3, "computes math.log1p">}
  %3 = math.log1p %x : tensor<4xf32>
  // CHECK: math.powf %{{.*}} {amp.class = #amp.class<high, unit = 4, "computes math.powf">}
  %4 = math.powf %x, %y : tensor<4xf32>
  // CHECK: math.rsqrt %{{.*}} {amp.class = #amp.class<high, unit = 5, "computes math.rsqrt">}
  %5 = math.rsqrt %x : tensor<4xf32>
  // CHECK: math.tan %{{.*}} {amp.class = #amp.class<high, unit = 6, "computes math.tan">}
  %6 = math.tan %x : tensor<4xf32>
  // CHECK: math.sinh %{{.*}} {amp.class = #amp.class<high, unit = 7, "computes math.sinh">}
  %7 = math.sinh %x : tensor<4xf32>
  // CHECK: math.cosh %{{.*}} {amp.class = #amp.class<high, unit = 8, "computes math.cosh">}
  %8 = math.cosh %x : tensor<4xf32>
  // CHECK: math.asin %{{.*}} {amp.class = #amp.class<high, unit = 9, "computes math.asin">}
  %9 = math.asin %x : tensor<4xf32>
  // CHECK: math.acos %{{.*}} {amp.class = #amp.class<high, unit = 10, "computes math.acos">}
  %10 = math.acos %x : tensor<4xf32>
  // CHECK: math.erf %{{.*}} {amp.class = #amp.class<high, unit = 11, "computes math.erf">}
  %11 = math.erf %x : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<4xf32>, tensor<4xf32>,
      tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
      tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Near miss: bounded, or no larger than their operand.
// CHECK-LABEL: func.func @narrow_functions
func.func @narrow_functions(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: math.tanh %{{.*}} {amp.class = #amp.class<follow, unit = 0,
  %0 = math.tanh %x : tensor<4xf32>
  // CHECK: math.sqrt %{{.*}} {amp.class = #amp.class<follow, unit = 1,
  %1 = math.sqrt %x : tensor<4xf32>
  // CHECK: math.absf %{{.*}} {amp.class = #amp.class<follow, unit = 2,
  %2 = math.absf %x : tensor<4xf32>
  // CHECK: arith.negf %{{.*}} {amp.class = #amp.class<follow, unit = 3,
  %3 = arith.negf %x : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The function stands somewhere in the body.
// CHECK-LABEL: func.func @sigmoid_body
func.func @sigmoid_body(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<high, unit = 0, "computes math.exp">
  %one = arith.constant 1.0 : f32
  %0 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %q = arith.addf %p, %one : f32
    %r = arith.divf %one, %q : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @arithmetic_on_two
func.func @arithmetic_on_two(%x: tensor<4xf32>, %y: tensor<4xf32>, %e: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: arith.addf {{.*}}amp.class = #amp.class<promote, unit = 0, "elementwise on several operands">
  %0 = arith.addf %x, %y : tensor<4xf32>
  // CHECK: linalg.div {amp.class = #amp.class<promote, unit = 1, "elementwise on several operands">}
  %1 = linalg.div ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A choice between operands computes nothing.
// CHECK-LABEL: func.func @choices
func.func @choices(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  // CHECK: arith.select {{.*}}amp.class = #amp.class<follow, unit = 0,
  %0 = arith.select %c, %x, %y : tensor<4xi1>, tensor<4xf32>
  // CHECK: arith.maximumf {{.*}}amp.class = #amp.class<follow, unit = 1,
  %1 = arith.maximumf %x, %y : tensor<4xf32>
  // CHECK: arith.cmpf {{.*}}amp.class = #amp.class<follow, unit = 2,
  %2 = arith.cmpf ogt, %x, %y : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// One floating operand and a constant: the constant has any type.
// CHECK-LABEL: func.func @scaled_by_constant
func.func @scaled_by_constant(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<follow, unit = 0,
  %half = arith.constant 0.5 : f32
  %0 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %half : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// math.fma computes, as an operation and in a body that chooses.
// CHECK-LABEL: func.func @multiply_add
func.func @multiply_add(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %e: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: math.fma {{.*}}amp.class = #amp.class<promote, unit = 0, "elementwise on several operands">
  %0 = math.fma %x, %y, %y : tensor<4xf32>
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<promote, unit = 1, "elementwise on several operands">
  %1 = linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%c, %x, %y : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%k: i1, %a: f32, %b: f32, %o: f32):
    %p = math.fma %a, %b, %b : f32
    %r = arith.select %k, %p, %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// What a body writes over is an operand if it reads that first: a function of it alone,
// and arithmetic on two. Near miss: what is only overwritten is none.
// CHECK-LABEL: func.func @works_on_outs
func.func @works_on_outs(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<high, unit = 0, "computes math.exp">
  %0 = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%o: f32):
    %r = math.exp %o : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<follow, unit = 1,
  %1 = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%o: f32):
    %r = math.absf %o : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<promote, unit = 2, "elementwise on several operands">
  %2 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%y : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<follow, unit = 3,
  %3 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%y : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.absf %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A choice that also computes is arithmetic: dropout's mask and its factor.
// CHECK-LABEL: func.func @choice_that_computes
func.func @choice_that_computes(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>,
                                %e: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<promote, unit = 0, "elementwise on several operands">
  %0 = linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%c, %x, %y : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%k: i1, %a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.select %k, %p, %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Division by a sum
//===----------------------------------------------------------------------===//

// The last step of a softmax: the divisor does not fit in half. It is seen through
// the broadcast.
// CHECK-LABEL: func.func @division_by_broadcast_sum
func.func @division_by_broadcast_sum(%x: tensor<4x8xf32>, %c: tensor<4xf32>,
                                     %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  %b = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x8xf32>) dimensions = [1]
  // CHECK: linalg.div {amp.class = #amp.class<high, unit = {{[0-9]+}}, "division by a sum">}
  %0 = linalg.div ins(%x, %b : tensor<4x8xf32>, tensor<4x8xf32>)
                  outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The same division as an operation on tensors.
// CHECK-LABEL: func.func @tensor_division_by_sum
func.func @tensor_division_by_sum(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %c: tensor<4xf32>)
    -> tensor<4xf32> {
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: arith.divf {{.*}}#amp.class<high, unit = {{[0-9]+}}, "division by a sum">
  %0 = arith.divf %y, %s : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A sum stays one under a constant factor, an epsilon and a root: division by a norm,
// as in torch.nn.functional.normalize.
// CHECK-LABEL: func.func @division_by_root_of_sum
func.func @division_by_root_of_sum(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %c: tensor<4xf32>)
    -> tensor<4xf32> {
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%a: f32, %acc: f32) {
        %q = arith.mulf %a, %a : f32
        %t = arith.addf %q, %acc : f32
        linalg.yield %t : f32
      }
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %m = arith.divf %s, %n : tensor<4xf32>
  %eps = arith.constant 1.0e-5 : f32
  %me = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%m : tensor<4xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.addf %a, %eps : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  %r = math.sqrt %me : tensor<4xf32>
  // CHECK: math.sqrt
  // CHECK-NEXT: arith.divf {{.*}}#amp.class<high, unit = {{[0-9]+}}, "division by a sum">
  %0 = arith.divf %y, %r : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The same root of a sum in bodies that write over what they read.
// CHECK-LABEL: func.func @division_by_root_in_place
func.func @division_by_root_in_place(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %c: tensor<4xf32>)
    -> tensor<4xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %q = math.fma %a, %a, %acc : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  %eps = arith.constant 1.0e-5 : f32
  %eighth = arith.constant 0.125 : f32
  %r = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%s : tensor<4xf32>) {
  ^bb0(%o: f32):
    %p = math.fma %o, %eighth, %eps : f32
    %q = math.sqrt %p : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  // CHECK: math.sqrt
  // CHECK: arith.divf {{.*}}#amp.class<high, unit = {{[0-9]+}}, "division by a sum">
  %0 = arith.divf %y, %r : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Near miss: plus another value it is no longer the sum; nor is a bounded function of
// it, nor a division of tensors at large.
// CHECK-LABEL: func.func @division_by_other_than_sum
func.func @division_by_other_than_sum(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %c: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  %p = arith.addf %s, %y : tensor<4xf32>
  // CHECK: arith.divf {{.*}}#amp.class<promote, unit = {{[0-9]+}}, "elementwise on several operands">
  %0 = arith.divf %y, %p : tensor<4xf32>
  %t = math.tanh %s : tensor<4xf32>
  // CHECK: arith.divf {{.*}}#amp.class<promote, unit = {{[0-9]+}}, "elementwise on several operands">
  %1 = arith.divf %y, %t : tensor<4xf32>
  // CHECK: arith.divf {{.*}}#amp.class<promote, unit = {{[0-9]+}}, "elementwise on several operands">
  %2 = arith.divf %y, %c : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Near miss: the same with the other value first, and a scalar from outside of the body
// that has the number of the sum among the function's arguments.
// CHECK-LABEL: func.func @division_by_other_first
func.func @division_by_other_first(%f: f32, %x: tensor<4x8xf32>, %y: tensor<4xf32>, %c: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  %p = arith.addf %y, %s : tensor<4xf32>
  // CHECK: arith.divf {{.*}}#amp.class<promote, unit = {{[0-9]+}}, "elementwise on several operands">
  %0 = arith.divf %y, %p : tensor<4xf32>
  // CHECK: linalg.generic {{.*}}#amp.class<follow, unit = {{[0-9]+}}, "elementwise on one operand, or a choice between operands">
  %1 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf32>) outs(%c : tensor<4xf32>) attrs = {amp.scope = "aten.div", amp.scope_id = 0 : i64} {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %f : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Near miss: a sum that is divided.
// CHECK-LABEL: func.func @division_of_sum
func.func @division_of_sum(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %c: tensor<4xf32>)
    -> tensor<4xf32> {
  %s = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      (%a: f32, %acc: f32) {
        %t = arith.addf %a, %acc : f32
        linalg.yield %t : f32
      }
  // CHECK: linalg.div {amp.class = #amp.class<promote, unit = 1, "elementwise on several operands">}
  %0 = linalg.div ins(%s, %y : tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Near miss: a contraction's result is a sum too, but one that fits.
// CHECK-LABEL: func.func @division_by_contraction
func.func @division_by_contraction(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %x: tensor<4x4xf32>,
                                   %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: linalg.div {amp.class = #amp.class<promote, unit = 1, "elementwise on several operands">}
  %0 = linalg.div ins(%x, %p : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @movements
func.func @movements(%x: tensor<4x8xf32>, %e: tensor<8x4xf32>, %i: tensor<8x4xindex>, %f: f32)
    -> (tensor<8x4xf32>, tensor<32xf32>, tensor<2x8xf32>, tensor<6x8xf32>, tensor<8x4xf32>) {
  // CHECK: linalg.transpose {{.*}}amp.class = #amp.class<follow, unit = 0, "moves elements">
  %0 = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  // CHECK: tensor.collapse_shape {{.*}}amp.class = #amp.class<follow, unit = 1, "moves elements">
  %1 = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  // CHECK: tensor.extract_slice {{.*}}amp.class = #amp.class<follow, unit = 2, "moves elements">
  %2 = tensor.extract_slice %x[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  // CHECK: tensor.pad %{{.*}} low[1, 0] high[1, 0]
  %3 = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%a: index, %b: index):
    tensor.yield %f : f32
  // CHECK: } {amp.class = #amp.class<follow, unit = 3, "moves elements">}
  } : tensor<4x8xf32> to tensor<6x8xf32>
  // A gather: the body extracts and computes nothing floating.
  // CHECK: linalg.generic
  // CHECK-SAME: amp.class = #amp.class<follow, unit = 4, "moves elements">
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<8x4xindex>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%k: index, %o: f32):
    %j = linalg.index 1 : index
    %g = tensor.extract %x[%j, %k] : tensor<4x8xf32>
    linalg.yield %g : f32
  } -> tensor<8x4xf32>
  return %0, %1, %2, %3, %4 : tensor<8x4xf32>, tensor<32xf32>, tensor<2x8xf32>, tensor<6x8xf32>, tensor<8x4xf32>
}

// Near miss: a body that accumulates into what it moves adds.
// CHECK-LABEL: func.func @gather_that_adds
func.func @gather_that_adds(%x: tensor<4x8xf32>, %e: tensor<8x4xf32>, %i: tensor<8x4xindex>)
    -> tensor<8x4xf32> {
  // CHECK: linalg.generic {{.*}}amp.class = #amp.class<promote, unit = 0,
  // CHECK-NOT: "moves elements"
  // CHECK: return
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<8x4xindex>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%k: index, %o: f32):
    %j = linalg.index 1 : index
    %g = tensor.extract %x[%j, %k] : tensor<4x8xf32>
    %s = arith.addf %g, %o : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

//===----------------------------------------------------------------------===//
// No precision to decide
//===----------------------------------------------------------------------===//

// Constants and fills have any type; integers, f64 and f16 that the program had
// are left alone, and so is what turns integers into floats.
// CHECK-LABEL: func.func @undecided
// CHECK-NOT: amp.class
// CHECK: return
func.func @undecided(%i: tensor<4xi32>, %d: tensor<4xf64>, %h: tensor<4xf16>, %e: tensor<4xf32>,
                     %f: f32)
    -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf64>, tensor<4xf16>, tensor<4xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %index = arith.constant 1 : index
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = arith.addi %i, %i : tensor<4xi32>
  %2 = math.exp %d : tensor<4xf64>
  %3 = arith.addf %h, %h : tensor<4xf16>
  %4 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%i : tensor<4xi32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: i32, %o: f32):
    %c = arith.sitofp %a : i32 to f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  %5 = tensor.extract %0[%index] : tensor<4xf32>
  %6 = math.exp %5 : f32
  return %0, %1, %2, %3, %4, %6 : tensor<4xf32>, tensor<4xi32>, tensor<4xf64>, tensor<4xf16>, tensor<4xf32>, f32
}

} // module
