// What follows a product is computed by its kernel as far as nobody else needs
// what lies between.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core --canonicalize | FileCheck %s

#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
#m = affine_map<(m, n) -> (m)>
#s = affine_map<(m, n) -> ()>

// The bias is read in half, per column; both roundings are kept.
// CHECK-LABEL: func @bias_relu
// CHECK-SAME:    (%[[A:.*]]: tensor<32x64xf16>, %[[B:.*]]: tensor<64x128xf16>, %[[BIAS:.*]]: tensor<128xf16>)
// CHECK-NEXT:  %[[D:.*]] = tensor.empty() : tensor<32x128xf16>
// CHECK-NEXT:  %[[R:.*]] = amp.launch_kernels @gemm_0 ins(a = %[[A]], b = %[[B]], operand0 = %[[BIAS]]) outs(d = %[[D]])
// CHECK-NEXT:  return %[[R]]
// CHECK:       operand = "column"
func.func @bias_relu(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %bias: tensor<128xf16>)
    -> tensor<32x128xf16> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %wide = arith.extf %bias : tensor<128xf16> to tensor<128xf32>
  %1 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%0, %wide : tensor<32x128xf32>, tensor<128xf32>) outs(%e : tensor<32x128xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %7 = arith.addf %x, %y : f32
    linalg.yield %7 : f32
  } -> tensor<32x128xf32>
  %2 = arith.truncf %1 : tensor<32x128xf32> to tensor<32x128xf16>
  %3 = arith.extf %2 : tensor<32x128xf16> to tensor<32x128xf32>
  %4 = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%3 : tensor<32x128xf32>) outs(%e : tensor<32x128xf32>) {
  ^bb0(%x: f32, %o: f32):
    %7 = arith.cmpf ugt, %x, %c0 : f32
    %8 = arith.select %7, %x, %c0 : f32
    linalg.yield %8 : f32
  } -> tensor<32x128xf32>
  %5 = arith.truncf %4 : tensor<32x128xf32> to tensor<32x128xf16>
  return %5 : tensor<32x128xf16>
}

// -----

#mn = affine_map<(m, n) -> (m, n)>

// The value before the relu is needed elsewhere: the kernel ends there.
// CHECK-LABEL: func @saved_for_backward
// CHECK:       %[[H:.*]] = amp.launch_kernels @gemm_0 {{.*}} -> tensor<32x128xf16>
// CHECK:       arith.maximumf
// CHECK:       return %{{.*}}, %[[H]]
func.func @saved_for_backward(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>)
    -> (tensor<32x128xf16>, tensor<32x128xf16>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = arith.truncf %0 : tensor<32x128xf32> to tensor<32x128xf16>
  %2 = arith.extf %1 : tensor<32x128xf16> to tensor<32x128xf32>
  %3 = arith.maximumf %2, %z : tensor<32x128xf32>
  %4 = arith.truncf %3 : tensor<32x128xf32> to tensor<32x128xf16>
  return %4, %1 : tensor<32x128xf16>, tensor<32x128xf16>
}

// -----

// A value that is used three times on the way is no obstacle: gelu.
// CHECK-LABEL: func @gelu
// CHECK-NOT:   arith.mulf
// CHECK:       amp.launch_kernels @gemm_0
// CHECK-NEXT:  return
// CHECK:       math.erf
func.func @gelu(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>) -> tensor<32x128xf16> {
  %c0 = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<32x128xf32>
  %root = arith.constant dense<0.70710678> : tensor<32x128xf32>
  %one = arith.constant dense<1.0> : tensor<32x128xf32>
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = arith.mulf %0, %half : tensor<32x128xf32>
  %2 = arith.mulf %0, %root : tensor<32x128xf32>
  %3 = math.erf %2 : tensor<32x128xf32>
  %4 = arith.addf %3, %one : tensor<32x128xf32>
  %5 = arith.mulf %1, %4 : tensor<32x128xf32>
  %6 = arith.truncf %5 : tensor<32x128xf32> to tensor<32x128xf16>
  return %6 : tensor<32x128xf16>
}

// -----

// The near miss: a function that device code does not have ends the epilogue
// before it.
// CHECK-LABEL: func @logarithm
// CHECK:       %[[R:.*]] = amp.launch_kernels @gemm_0 {{.*}} -> tensor<32x128xf32>
// CHECK:       math.log %[[R]]
func.func @logarithm(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>) -> tensor<32x128xf32> {
  %c0 = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : tensor<32x128xf32>
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = arith.addf %0, %two : tensor<32x128xf32>
  %2 = math.log %1 : tensor<32x128xf32>
  return %2 : tensor<32x128xf32>
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#m0 = affine_map<(m, n) -> (m, 0)>
#s = affine_map<(m, n) -> ()>

// A mask of i1 is compared again from the activation that it was made of; a
// factor per row and a number are read as such.
// CHECK-LABEL: func @backward
// CHECK-SAME:    %[[H:[a-z0-9]+]]: tensor<32x128xf16>, %[[ROW:[a-z0-9]+]]: tensor<32x1xf32>, %[[NUMBER:[a-z0-9]+]]: tensor<f32>)
// CHECK-NOT:   arith.cmpf
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}, operand0 = %[[H]], operand1 = %[[ROW]], operand2 = %[[NUMBER]])
// CHECK:       operand = "matrix"
// CHECK-SAME:  operand = "row"
// CHECK-SAME:  operand = "scalar"
func.func @backward(%g: tensor<32x64xf16>, %w: tensor<64x128xf16>, %h: tensor<32x128xf16>,
                    %row: tensor<32x1xf32>, %number: tensor<f32>) -> tensor<32x128xf16> {
  %c0 = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.matmul ins(%g, %w : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %wide = arith.extf %h : tensor<32x128xf16> to tensor<32x128xf32>
  %i = tensor.empty() : tensor<32x128xi1>
  %mask = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%wide : tensor<32x128xf32>) outs(%i : tensor<32x128xi1>) {
  ^bb0(%x: f32, %o: i1):
    %7 = arith.cmpf ole, %x, %c0 : f32
    linalg.yield %7 : i1
  } -> tensor<32x128xi1>
  %1 = linalg.generic {indexing_maps = [#mn, #s, #mn, #m0, #s, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%mask, %zero, %0, %row, %number : tensor<32x128xi1>, tensor<f32>, tensor<32x128xf32>, tensor<32x1xf32>, tensor<f32>)
      outs(%e : tensor<32x128xf32>) {
  ^bb0(%c: i1, %x: f32, %y: f32, %r: f32, %k: f32, %o: f32):
    %7 = arith.select %c, %x, %y : f32
    %8 = arith.mulf %7, %r : f32
    %9 = arith.mulf %8, %k : f32
    linalg.yield %9 : f32
  } -> tensor<32x128xf32>
  %2 = arith.truncf %1 : tensor<32x128xf32> to tensor<32x128xf16>
  return %2 : tensor<32x128xf16>
}

// -----

// What the sums start with is part of the epilogue: a bias that was broadcast,
// and a residual.
// CHECK-LABEL: func @start
// CHECK-SAME:    %[[BIAS:[a-z0-9]+]]: tensor<128xf16>, %[[RESIDUAL:[a-z0-9]+]]: tensor<4x8x128xf16>)
// CHECK-NOT:   linalg.broadcast
// CHECK:       amp.launch_kernels @gemm_0 ins({{.*}}operand0 = %[[RESIDUAL]], operand1 = %[[BIAS]])
// CHECK-SAME:  -> tensor<4x8x128xf16>
func.func @start(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %bias: tensor<128xf16>,
                 %residual: tensor<4x8x128xf16>) -> tensor<4x8x128xf16> {
  %e = tensor.empty() : tensor<32x128xf16>
  %wide = linalg.broadcast ins(%bias : tensor<128xf16>) outs(%e : tensor<32x128xf16>) dimensions = [0]
  %init = arith.extf %wide : tensor<32x128xf16> to tensor<32x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%init : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [4, 8, 128] : tensor<32x128xf32> into tensor<4x8x128xf32>
  %2 = arith.extf %residual : tensor<4x8x128xf16> to tensor<4x8x128xf32>
  %3 = arith.addf %2, %1 : tensor<4x8x128xf32>
  %4 = arith.truncf %3 : tensor<4x8x128xf32> to tensor<4x8x128xf16>
  return %4 : tensor<4x8x128xf16>
}

// -----

// The near miss: an operand that depends on the sums by more than elements.
// CHECK-LABEL: func @maximum_of_rows
// CHECK:       amp.launch_kernels @gemm_0
// CHECK:       linalg.reduce
// CHECK:       arith.subf
func.func @maximum_of_rows(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>) -> tensor<32x128xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %re = tensor.empty() : tensor<32xf32>
  %r = linalg.fill ins(%c0 : f32) outs(%re : tensor<32xf32>) -> tensor<32xf32>
  %1 = linalg.reduce {arith.maximumf} ins(%0 : tensor<32x128xf32>) outs(%r : tensor<32xf32>) dimensions = [1]
  %2 = linalg.broadcast ins(%1 : tensor<32xf32>) outs(%e : tensor<32x128xf32>) dimensions = [1]
  %3 = arith.subf %0, %2 : tensor<32x128xf32>
  return %3 : tensor<32x128xf32>
}

// -----

// An operand that differs from one matrix of the batch to the next by rows is not
// known per row, and one that is the same for each is not known per element.
// CHECK-LABEL: func @batches
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %arg0, b = %arg1) outs
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @gemm_1 ins(a = %arg0, b = %arg1, operand0 = %{{.*}}) outs
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @batches(%a: tensor<4x32x64xf16>, %b: tensor<4x64x32xf16>, %mask: tensor<32x32xf32>,
                   %column: tensor<32xf32>) -> (tensor<4x32x32xf32>, tensor<4x32x32xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32x32xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x32x64xf16>, tensor<4x64x32xf16>)
      outs(%z : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m, n)>,
                                        affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %mask : tensor<4x32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<4x32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %7 = arith.addf %x, %y : f32
    linalg.yield %7 : f32
  } -> tensor<4x32x32xf32>
  %2 = linalg.batch_matmul ins(%a, %b : tensor<4x32x64xf16>, tensor<4x64x32xf16>)
      outs(%z : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>,
                                        affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%2, %column : tensor<4x32x32xf32>, tensor<32xf32>) outs(%e : tensor<4x32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %7 = arith.addf %x, %y : f32
    linalg.yield %7 : f32
  } -> tensor<4x32x32xf32>
  return %1, %3 : tensor<4x32x32xf32>, tensor<4x32x32xf32>
}

// -----

// Readers behind another product, whose launch goes behind them, and the near miss: what
// the other product needs is not computed with the first.
// CHECK-LABEL: func @interleaved
// CHECK:       %[[H:.*]] = amp.launch_kernels @gemm_0 {{.*}} -> tensor<32x128xf16>
// CHECK:       amp.launch_kernels @gemm_2 ins(a = %[[H]], b = %{{.*}})
// CHECK:       arith.mulf %[[H]], %[[H]]
// CHECK:       amp.launch_kernels @gemm_1
// CHECK-NOT:   math.absf
// CHECK:       return
func.func @interleaved(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %w: tensor<128x128xf16>)
    -> (tensor<32x128xf16>, tensor<32x128xf16>, tensor<32x128xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = arith.truncf %0 : tensor<32x128xf32> to tensor<32x128xf16>
  %2 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %3 = linalg.matmul ins(%1, %w : tensor<32x128xf16>, tensor<128x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %4 = arith.mulf %1, %1 : tensor<32x128xf16>
  %5 = math.absf %2 : tensor<32x128xf32>
  %6 = arith.truncf %5 : tensor<32x128xf32> to tensor<32x128xf16>
  return %4, %6, %3 : tensor<32x128xf16>, tensor<32x128xf16>, tensor<32x128xf32>
}

// -----

// What is added of two products is computed by the first one's kernel, which is launched
// behind the second.
// CHECK-LABEL: func @sum_of_two
// CHECK:       %[[SECOND:.*]] = amp.launch_kernels @gemm_1 {{.*}} -> tensor<32x128xf32>
// CHECK:       %[[SUM:.*]] = amp.launch_kernels @gemm_0 {{.*}}operand0 = %[[SECOND]]) {{.*}} -> tensor<32x128xf16>
// CHECK-NEXT:  return %[[SUM]]
func.func @sum_of_two(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %w: tensor<64x128xf16>)
    -> tensor<32x128xf16> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %2 = math.absf %0 : tensor<32x128xf32>
  %3 = arith.addf %2, %1 : tensor<32x128xf32>
  %4 = arith.truncf %3 : tensor<32x128xf32> to tensor<32x128xf16>
  return %4 : tensor<32x128xf16>
}

// -----

// Kernels round to nearest: a rounding of another mode is no part of them.
// CHECK-LABEL: func @toward_zero
// CHECK:       %[[D:.*]] = amp.launch_kernels @gemm_0
// CHECK:       arith.truncf %[[D]] toward_zero
func.func @toward_zero(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x64xf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = arith.truncf %0 toward_zero : tensor<64x64xf32> to tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}
