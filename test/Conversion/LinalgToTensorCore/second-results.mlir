// Second results: what an activation is the function of, stored by the product that computes both.
// Numbers are compared on the emulator (emulator.test).
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core=always --canonicalize | FileCheck %s

// Bias, rounding and activation: what is rounded stays for the backward pass.
// CHECK-LABEL: func @activation
// CHECK:       %[[L:.*]]:2 = amp.launch_kernels @gemm_0 {{.*}} outs(d = %{{.*}}, output0 = %{{.*}}) : {{.*}} -> (tensor<32x16xf16>, tensor<32x16xf16>)
// CHECK-NOT:   linalg.generic
// CHECK:       %[[Z:.*]] = amp.launch_kernels @gemm_1 ins(a = %[[L]]#0, b = %{{.*}}
// CHECK:       return %[[L]]#1, %[[Z]]
func.func @activation(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %bias: tensor<16xf32>, %w: tensor<16x8xf16>) -> (tensor<32x16xf16>, tensor<32x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %he = tensor.empty() : tensor<32x16xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %bias : tensor<32x16xf32>, tensor<16xf32>) outs(%he : tensor<32x16xf16>) {
  ^bb0(%x0: f32, %x1: f32, %out: f16):
    %1 = arith.addf %x0, %x1 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<32x16xf16>
  %ye = tensor.empty() : tensor<32x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<32x16xf16>) outs(%ye : tensor<32x16xf16>) {
  ^bb0(%x0: f16, %out: f16):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.maximumf %1, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<32x16xf16>
  %ze = tensor.empty() : tensor<32x8xf32>
  %zz = linalg.fill ins(%c0 : f32) outs(%ze : tensor<32x8xf32>) -> tensor<32x8xf32>
  %z = linalg.matmul ins(%y, %w : tensor<32x16xf16>, tensor<16x8xf16>) outs(%zz : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %h, %z : tensor<32x16xf16>, tensor<32x8xf32>
}

// -----

// The sums themselves, in f32, and a reshape between the activation and the product that reads it.
// CHECK-LABEL: func @kept_sums
// CHECK:       %[[L:.*]]:2 = amp.launch_kernels @gemm_0 {{.*}} -> (tensor<16x32xf16>, tensor<32x16xf32>)
// CHECK:       return %[[L]]#1
func.func @kept_sums(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %v: tensor<32x8xf16>) -> (tensor<32x16xf32>, tensor<16x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ye = tensor.empty() : tensor<32x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<32x16xf32>) outs(%ye : tensor<32x16xf16>) {
  ^bb0(%x0: f32, %out: f16):
    %2 = arith.maximumf %x0, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<32x16xf16>
  %f = tensor.collapse_shape %y [[0, 1]] : tensor<32x16xf16> into tensor<512xf16>
  %g = tensor.expand_shape %f [[0, 1]] output_shape [16, 32] : tensor<512xf16> into tensor<16x32xf16>
  %ze = tensor.empty() : tensor<16x8xf32>
  %zz = linalg.fill ins(%c0 : f32) outs(%ze : tensor<16x8xf32>) -> tensor<16x8xf32>
  %z = linalg.matmul ins(%g, %v : tensor<16x32xf16>, tensor<32x8xf16>) outs(%zz : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %s, %z : tensor<32x16xf32>, tensor<16x8xf32>
}

// -----

// A convolution, read by another.
// CHECK-LABEL: func @convolution_activation
// CHECK:       %[[L:.*]]:2 = amp.launch_kernels @convolution_0 {{.*}} -> (tensor<2x6x6x16xf16>, tensor<2x6x6x16xf16>)
// CHECK:       amp.launch_kernels @convolution_1 ins(x = %[[L]]#0
// CHECK:       return %[[L]]#1
func.func @convolution_activation(%x: tensor<2x8x8x8xf16>, %f: tensor<16x3x3x8xf16>, %bias: tensor<16xf32>, %g: tensor<8x3x3x16xf16>) -> (tensor<2x6x6x16xf16>, tensor<2x4x4x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x6x16xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
  %s = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %f : tensor<2x8x8x8xf16>, tensor<16x3x3x8xf16>) outs(%z : tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
  %he = tensor.empty() : tensor<2x6x6x16xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x6x6x16xf32>, tensor<16xf32>) outs(%he : tensor<2x6x6x16xf16>) {
  ^bb0(%x0: f32, %x1: f32, %out: f16):
    %1 = arith.addf %x0, %x1 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<2x6x6x16xf16>
  %ye = tensor.empty() : tensor<2x6x6x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%h : tensor<2x6x6x16xf16>) outs(%ye : tensor<2x6x6x16xf16>) {
  ^bb0(%x0: f16, %out: f16):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.maximumf %1, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<2x6x6x16xf16>
  %te = tensor.empty() : tensor<2x4x4x8xf32>
  %tz = linalg.fill ins(%c0 : f32) outs(%te : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  %t = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%y, %g : tensor<2x6x6x16xf16>, tensor<8x3x3x16xf16>) outs(%tz : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %h, %t : tensor<2x6x6x16xf16>, tensor<2x4x4x8xf32>
}

// -----

// A near miss: the activation is read by more than products, whose pass over memory would compute it.
// CHECK-LABEL: func @read_by_others
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @{{gemm|convolution}}_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @read_by_others(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %bias: tensor<16xf32>, %w: tensor<16x8xf16>) -> (tensor<32x16xf16>, tensor<32x8xf32>, tensor<32x16xf32>) {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %he = tensor.empty() : tensor<32x16xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %bias : tensor<32x16xf32>, tensor<16xf32>) outs(%he : tensor<32x16xf16>) {
  ^bb0(%x0: f32, %x1: f32, %out: f16):
    %1 = arith.addf %x0, %x1 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<32x16xf16>
  %ye = tensor.empty() : tensor<32x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<32x16xf16>) outs(%ye : tensor<32x16xf16>) {
  ^bb0(%x0: f16, %out: f16):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.maximumf %1, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<32x16xf16>
  %ze = tensor.empty() : tensor<32x8xf32>
  %zz = linalg.fill ins(%c0 : f32) outs(%ze : tensor<32x8xf32>) -> tensor<32x8xf32>
  %z = linalg.matmul ins(%y, %w : tensor<32x16xf16>, tensor<16x8xf16>) outs(%zz : tensor<32x8xf32>) -> tensor<32x8xf32>
  %ne = tensor.empty() : tensor<32x16xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<32x16xf16>) outs(%ne : tensor<32x16xf32>) {
  ^bb0(%x0: f16, %out: f32):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.addf %1, %c0 : f32
    linalg.yield %2 : f32
  } -> tensor<32x16xf32>
  return %h, %z, %n : tensor<32x16xf16>, tensor<32x8xf32>, tensor<32x16xf32>
}

// -----

// A near miss: the activation is a result of the step.
// CHECK-LABEL: func @returned
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @{{gemm|convolution}}_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @returned(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %bias: tensor<16xf32>, %w: tensor<16x8xf16>) -> (tensor<32x16xf16>, tensor<32x8xf32>, tensor<32x16xf16>) {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %he = tensor.empty() : tensor<32x16xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %bias : tensor<32x16xf32>, tensor<16xf32>) outs(%he : tensor<32x16xf16>) {
  ^bb0(%x0: f32, %x1: f32, %out: f16):
    %1 = arith.addf %x0, %x1 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<32x16xf16>
  %ye = tensor.empty() : tensor<32x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<32x16xf16>) outs(%ye : tensor<32x16xf16>) {
  ^bb0(%x0: f16, %out: f16):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.maximumf %1, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<32x16xf16>
  %ze = tensor.empty() : tensor<32x8xf32>
  %zz = linalg.fill ins(%c0 : f32) outs(%ze : tensor<32x8xf32>) -> tensor<32x8xf32>
  %z = linalg.matmul ins(%y, %w : tensor<32x16xf16>, tensor<16x8xf16>) outs(%zz : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %h, %z, %y : tensor<32x16xf16>, tensor<32x8xf32>, tensor<32x16xf16>
}

// -----

// A near miss: what would be kept is read in front of the activation.
// CHECK-LABEL: func @read_before
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @{{gemm|convolution}}_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @read_before(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %bias: tensor<16xf32>, %w: tensor<16x8xf16>) -> (tensor<32x16xf32>, tensor<32x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %he = tensor.empty() : tensor<32x16xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %bias : tensor<32x16xf32>, tensor<16xf32>) outs(%he : tensor<32x16xf16>) {
  ^bb0(%x0: f32, %x1: f32, %out: f16):
    %1 = arith.addf %x0, %x1 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<32x16xf16>
  %ne = tensor.empty() : tensor<32x16xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<32x16xf16>) outs(%ne : tensor<32x16xf32>) {
  ^bb0(%x0: f16, %out: f32):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.mulf %1, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<32x16xf32>
  %k = tensor.extract_slice %n[0, 0] [32, 16] [1, 1] : tensor<32x16xf32> to tensor<32x16xf32>
  %ye = tensor.empty() : tensor<32x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<32x16xf16>) outs(%ye : tensor<32x16xf16>) {
  ^bb0(%x0: f16, %out: f16):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.maximumf %1, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<32x16xf16>
  %ze = tensor.empty() : tensor<32x8xf32>
  %zz = linalg.fill ins(%c0 : f32) outs(%ze : tensor<32x8xf32>) -> tensor<32x8xf32>
  %z = linalg.matmul ins(%y, %w : tensor<32x16xf16>, tensor<16x8xf16>) outs(%zz : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %k, %z : tensor<32x16xf32>, tensor<32x8xf32>
}

// -----

// A near miss: two values between are read elsewhere.
// CHECK-LABEL: func @two_values
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @{{gemm|convolution}}_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @two_values(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %bias: tensor<16xf32>, %w: tensor<16x8xf16>) -> (tensor<32x16xf32>, tensor<32x16xf16>, tensor<32x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %he = tensor.empty() : tensor<32x16xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %bias : tensor<32x16xf32>, tensor<16xf32>) outs(%he : tensor<32x16xf16>) {
  ^bb0(%x0: f32, %x1: f32, %out: f16):
    %1 = arith.addf %x0, %x1 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<32x16xf16>
  %ye = tensor.empty() : tensor<32x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<32x16xf16>) outs(%ye : tensor<32x16xf16>) {
  ^bb0(%x0: f16, %out: f16):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.maximumf %1, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<32x16xf16>
  %ze = tensor.empty() : tensor<32x8xf32>
  %zz = linalg.fill ins(%c0 : f32) outs(%ze : tensor<32x8xf32>) -> tensor<32x8xf32>
  %z = linalg.matmul ins(%y, %w : tensor<32x16xf16>, tensor<16x8xf16>) outs(%zz : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %s, %h, %z : tensor<32x16xf32>, tensor<32x16xf16>, tensor<32x8xf32>
}

// -----

// A near miss: a mask is no type that kernels store.
// CHECK-LABEL: func @mask
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @{{gemm|convolution}}_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @mask(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %bias: tensor<16xf32>, %w: tensor<16x8xf16>) -> (tensor<32x16xi1>, tensor<32x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
  %m = arith.cmpf ogt, %s, %zeros : tensor<32x16xf32>
  %p = arith.select %m, %s, %zeros : tensor<32x16xi1>, tensor<32x16xf32>
  %y = arith.truncf %p : tensor<32x16xf32> to tensor<32x16xf16>
  %ze = tensor.empty() : tensor<32x8xf32>
  %zz = linalg.fill ins(%c0 : f32) outs(%ze : tensor<32x8xf32>) -> tensor<32x8xf32>
  %z = linalg.matmul ins(%y, %w : tensor<32x16xf16>, tensor<16x8xf16>) outs(%zz : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %m, %z : tensor<32x16xi1>, tensor<32x8xf32>
}

// -----

// A near miss: each channel by itself has kernels with one result.
// CHECK-LABEL: func @depthwise_activation
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @{{gemm|convolution}}_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @depthwise_activation(%x: tensor<2x6x6x16xf16>, %f: tensor<3x3x16xf16>, %bias: tensor<16xf32>, %g: tensor<8x1x1x16xf16>) -> (tensor<2x4x4x16xf16>, tensor<2x4x4x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x16xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32>
  %s = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %f : tensor<2x6x6x16xf16>, tensor<3x3x16xf16>) outs(%z : tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32>
  %he = tensor.empty() : tensor<2x4x4x16xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x4x4x16xf32>, tensor<16xf32>) outs(%he : tensor<2x4x4x16xf16>) {
  ^bb0(%x0: f32, %x1: f32, %out: f16):
    %1 = arith.addf %x0, %x1 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<2x4x4x16xf16>
  %ye = tensor.empty() : tensor<2x4x4x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%h : tensor<2x4x4x16xf16>) outs(%ye : tensor<2x4x4x16xf16>) {
  ^bb0(%x0: f16, %out: f16):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.maximumf %1, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<2x4x4x16xf16>
  %te = tensor.empty() : tensor<2x4x4x8xf32>
  %tz = linalg.fill ins(%c0 : f32) outs(%te : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  %t = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%y, %g : tensor<2x4x4x16xf16>, tensor<8x1x1x16xf16>) outs(%tz : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %h, %t : tensor<2x4x4x16xf16>, tensor<2x4x4x8xf32>
}

// -----

// A near miss: the result lies in another order than kernels have, in which a second matrix is dense.
// CHECK-LABEL: func @other_order
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @{{gemm|convolution}}_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @other_order(%a: tensor<4x32x24xf16>, %b: tensor<4x24x16xf16>, %w: tensor<64x8xf16>) -> (tensor<32x4x16xf16>, tensor<32x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x4x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x4x16xf32>) -> tensor<32x4x16xf32>
  %s = linalg.contract indexing_maps = [affine_map<(h, m, n, k) -> (h, m, k)>, affine_map<(h, m, n, k) -> (h, k, n)>, affine_map<(h, m, n, k) -> (m, h, n)>]
      ins(%a, %b : tensor<4x32x24xf16>, tensor<4x24x16xf16>) outs(%sz : tensor<32x4x16xf32>) -> tensor<32x4x16xf32>
  %h = arith.truncf %s : tensor<32x4x16xf32> to tensor<32x4x16xf16>
  %ye = tensor.empty() : tensor<32x4x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h : tensor<32x4x16xf16>) outs(%ye : tensor<32x4x16xf16>) {
  ^bb0(%x0: f16, %out: f16):
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.maximumf %1, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<32x4x16xf16>
  %f = tensor.collapse_shape %y [[0], [1, 2]] : tensor<32x4x16xf16> into tensor<32x64xf16>
  %ze = tensor.empty() : tensor<32x8xf32>
  %zz = linalg.fill ins(%c0 : f32) outs(%ze : tensor<32x8xf32>) -> tensor<32x8xf32>
  %z = linalg.matmul ins(%f, %w : tensor<32x64xf16>, tensor<64x8xf16>) outs(%zz : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %h, %z : tensor<32x4x16xf16>, tensor<32x8xf32>
}

// -----

// A near miss: nobody reads the activation.
// CHECK-LABEL: func @read_by_nobody
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @{{gemm|convolution}}_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @read_by_nobody(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %bias: tensor<16xf32>, %w: tensor<16x8xf16>) -> tensor<32x16xf32> {
  %c0 = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<32x16xf32>
  %sz = linalg.fill ins(%c0 : f32) outs(%se : tensor<32x16xf32>) -> tensor<32x16xf32>
  %s = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%sz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ye = tensor.empty() : tensor<32x16xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<32x16xf32>) outs(%ye : tensor<32x16xf16>) {
  ^bb0(%x0: f32, %out: f16):
    %2 = arith.maximumf %x0, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<32x16xf16>
  return %s : tensor<32x16xf32>
}
