// f32 operands as tf32, where it is asked for. tf32-emulator.test runs the functions.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core="tf32 always" | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core="tf32 always chip=sm_80" | FileCheck %s --check-prefix=SM80
// It is not asked for.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core=always | FileCheck %s --check-prefix=OFF
// OFF-NOT: tf32

// K is innermost in both.
// CHECK-LABEL: func @transposed
// CHECK-SAME:    (%[[A:.*]]: tensor<40x64xf32>, %[[W:.*]]: tensor<72x64xf32>)
// CHECK-NOT:   linalg.transpose
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[A]], b = %[[W]])
// CHECK:       nvvm.wgmma.mma_async {{.*}}tf32
// SM80-LABEL: func @transposed
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @transposed(%a: tensor<40x64xf32>, %w: tensor<72x64xf32>) -> tensor<40x72xf32> {
  %zero = arith.constant dense<0.0> : tensor<40x72xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<40x64xf32>, tensor<72x64xf32>) outs(%zero : tensor<40x72xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<40x72xf32>
  return %d : tensor<40x72xf32>
}

// -----

// The operand that lies otherwise is copied.
// CHECK-LABEL: func @matmul
// CHECK-SAME:    (%[[A:.*]]: tensor<40x64xf32>, %[[B:.*]]: tensor<64x72xf32>)
// CHECK:       %[[COPY:.*]] = linalg.transpose ins(%[[B]]
// CHECK:       amp.launch_kernels @gemm_0 ins(a = %[[A]], b = %[[COPY]])
// CHECK:       nvvm.wgmma.mma_async {{.*}}tf32
// SM80-LABEL: func @matmul
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @matmul(%a: tensor<40x64xf32>, %b: tensor<64x72xf32>) -> tensor<40x72xf32> {
  %zero = arith.constant dense<0.0> : tensor<40x72xf32>
  %d = linalg.matmul ins(%a, %b : tensor<40x64xf32>, tensor<64x72xf32>) outs(%zero : tensor<40x72xf32>) -> tensor<40x72xf32>
  return %d : tensor<40x72xf32>
}

// -----

// As a gradient of weights: both are copied, but not for mma.sync.
// CHECK-LABEL: func @weights
// CHECK-COUNT-2: linalg.transpose
// CHECK:       amp.launch_kernels @gemm_0
// CHECK:       nvvm.wgmma.mma_async {{.*}}tf32
// SM80-LABEL: func @weights
// SM80-NOT:   linalg.transpose
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @weights(%g: tensor<64x40xf32>, %x: tensor<64x72xf32>) -> tensor<40x72xf32> {
  %zero = arith.constant dense<0.0> : tensor<40x72xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%g, %x : tensor<64x40xf32>, tensor<64x72xf32>) outs(%zero : tensor<40x72xf32>) {
  ^bb0(%x0: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x0, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<40x72xf32>
  return %d : tensor<40x72xf32>
}

// -----

// A batch, and rows that TMA does not take.
// CHECK-LABEL: func @batch
// CHECK:       amp.launch_kernels @gemm_0
// CHECK:       nvvm.wgmma.mma_async {{.*}}tf32
// SM80-LABEL: func @batch
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @batch(%q: tensor<3x20x30xf32>, %k: tensor<3x10x30xf32>) -> tensor<3x20x10xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x20x10xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x20x30xf32>, tensor<3x10x30xf32>) outs(%zero : tensor<3x20x10xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x20x10xf32>
  return %d : tensor<3x20x10xf32>
}

// -----

// The epilogue is the kernel's, in f32.
// CHECK-LABEL: func @bias_relu
// CHECK-NOT:   linalg.generic
// CHECK:       amp.launch_kernels @gemm_0 {{.*}}operand0
// CHECK:       nvvm.wgmma.mma_async {{.*}}tf32
// SM80-LABEL: func @bias_relu
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @bias_relu(%a: tensor<40x64xf32>, %b: tensor<64x72xf32>, %bias: tensor<72xf32>) -> tensor<40x72xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<40x72xf32>
  %e = tensor.empty() : tensor<40x72xf32>
  %d = linalg.matmul ins(%a, %b : tensor<40x64xf32>, tensor<64x72xf32>) outs(%zeros : tensor<40x72xf32>) -> tensor<40x72xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%d, %bias : tensor<40x72xf32>, tensor<72xf32>) outs(%e : tensor<40x72xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<40x72xf32>
  return %r : tensor<40x72xf32>
}

// -----

// What was made from f16 is read as f16.
// CHECK-LABEL: func @narrow
// CHECK:       amp.launch_kernels
// CHECK-NOT:   tf32
// CHECK:       llvm.return
// SM80-LABEL: func @narrow
// SM80:       amp.launch_kernels
// SM80-NOT:   tf32
// SM80:       llvm.return
func.func @narrow(%a: tensor<40x64xf16>, %w: tensor<64x72xf16>) -> tensor<40x72xf32> {
  %zero = arith.constant dense<0.0> : tensor<40x72xf32>
  %x = arith.extf %a : tensor<40x64xf16> to tensor<40x64xf32>
  %y = arith.extf %w : tensor<64x72xf16> to tensor<64x72xf32>
  %d = linalg.matmul ins(%x, %y : tensor<40x64xf32>, tensor<64x72xf32>) outs(%zero : tensor<40x72xf32>) -> tensor<40x72xf32>
  return %d : tensor<40x72xf32>
}

// -----

// Channels are innermost in images and filters, and zeros around the image the kernel's own.
// CHECK-LABEL: func @convolution
// CHECK-SAME:    (%[[X:.*]]: tensor<2x8x9x16xf32>, %[[F:.*]]: tensor<32x3x3x16xf32>)
// CHECK-NOT:   linalg.
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %[[X]], f = %[[F]])
// CHECK:       direction = "forward"
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}im2col
// CHECK:       nvvm.wgmma.mma_async {{.*}}tf32
// SM80-LABEL: func @convolution
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @convolution(%x: tensor<2x8x9x16xf32>, %f: tensor<32x3x3x16xf32>) -> tensor<2x8x9x32xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<2x8x9x32xf32>
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x8x9x16xf32> to tensor<2x10x11x16xf32>
  %y = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%padded, %f : tensor<2x10x11x16xf32>, tensor<32x3x3x16xf32>) outs(%zeros : tensor<2x8x9x32xf32>) -> tensor<2x8x9x32xf32>
  return %y : tensor<2x8x9x32xf32>
}

// -----

// The channels of a first layer, which TMA does not gather.
// CHECK-LABEL: func @first_layer
// CHECK:       amp.launch_kernels @convolution_0
// CHECK-NOT:   im2col
// CHECK:       nvvm.wgmma.mma_async {{.*}}tf32
// SM80-LABEL: func @first_layer
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @first_layer(%x: tensor<2x13x13x3xf32>, %f: tensor<16x3x3x3xf32>) -> tensor<2x6x6x16xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x6x6x16xf32>
  %y = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %f : tensor<2x13x13x3xf32>, tensor<16x3x3x3xf32>) outs(%zeros : tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
  return %y : tensor<2x6x6x16xf32>
}

// -----

#x = affine_map<(k, r, s, c, n, p, q) -> (n, r + p, s + q, c)>
#g = affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>
#f = affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>

// What is summed are pixels, which are not innermost: for mma.sync, on both chips.
// CHECK-LABEL: func @filter_gradient
// CHECK-SAME:    (%[[X:.*]]: tensor<2x8x8x16xf32>, %[[G:.*]]: tensor<2x6x6x24xf32>)
// CHECK-NOT:   linalg.
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[G]], x = %[[X]])
// CHECK:       chip = "sm_90"
// CHECK:       nvvm.mma.sync {{.*}}tf32
// SM80-LABEL: func @filter_gradient
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @filter_gradient(%x: tensor<2x8x8x16xf32>, %g: tensor<2x6x6x24xf32>) -> tensor<24x3x3x16xf32> {
  %zeros = arith.constant dense<0.0> : tensor<24x3x3x16xf32>
  %d = linalg.generic {indexing_maps = [#x, #g, #f],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<2x8x8x16xf32>, tensor<2x6x6x24xf32>) outs(%zeros : tensor<24x3x3x16xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<24x3x3x16xf32>
  return %d : tensor<24x3x3x16xf32>
}

// -----

#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, -r + 2, -s + 2, c)>

// Nor are the filters of an image's gradient. With strides it reads them as they are.
// CHECK-LABEL: func @image_gradient
// CHECK-SAME:    (%[[DY:.*]]: tensor<2x3x2x16xf32>, %[[F:.*]]: tensor<16x3x3x8xf32>)
// CHECK:       tensor.collapse_shape %[[F]]
// CHECK:       %[[KRSC:.*]] = tensor.expand_shape
// CHECK:       amp.launch_kernels @convolution_0 ins(y = %[[DY]], f = %[[KRSC]])
// CHECK:       chip = "sm_90"
// CHECK:       direction = "data-gradient"
// CHECK:       nvvm.mma.sync {{.*}}tf32
// SM80-LABEL: func @image_gradient
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @image_gradient(%dy: tensor<2x3x2x16xf32>, %f: tensor<16x3x3x8xf32>) -> tensor<2x8x5x8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x10x7x16xf32>
  %s = arith.constant dense<0.0> : tensor<2x8x5x8xf32>
  %e = tensor.empty() : tensor<8x3x3x16xf32>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<16x3x3x8xf32>) outs(%e : tensor<8x3x3x16xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  } -> tensor<8x3x3x16xf32>
  %z = tensor.insert_slice %dy into %zeros[0, 2, 2, 0] [2, 3, 2, 16] [1, 2, 2, 1] : tensor<2x3x2x16xf32> into tensor<2x10x7x16xf32>
  %r = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%z, %g : tensor<2x10x7x16xf32>, tensor<8x3x3x16xf32>) outs(%s : tensor<2x8x5x8xf32>) -> tensor<2x8x5x8xf32>
  return %r : tensor<2x8x5x8xf32>
}

// -----

#id = affine_map<(k, r, s, c) -> (k, r, s, c)>
#reverse = affine_map<(c, r, s, k) -> (k, -r + 2, -s + 2, c)>

// Without strides, and where a copy of the filters is little, it is a convolution of these for wgmma.
// CHECK-LABEL: func @large_image_gradient
// CHECK-SAME:    (%[[DY:.*]]: tensor<64x14x14x256xf32>, %{{.*}}: tensor<256x3x3x256xf32>)
// CHECK:       %[[G:.*]] = linalg.generic
// CHECK:       amp.launch_kernels @convolution_0 ins(x = %[[DY]], f = %[[G]])
// CHECK:       direction = "forward"
// CHECK:       nvvm.wgmma.mma_async {{.*}}tf32
// SM80-LABEL: func @large_image_gradient
// SM80:       direction = "data-gradient"
// SM80:       nvvm.mma.sync {{.*}}tf32
func.func @large_image_gradient(%dy: tensor<64x14x14x256xf32>, %f: tensor<256x3x3x256xf32>) -> tensor<64x14x14x256xf32> {
  %zero = arith.constant 0.0 : f32
  %s = arith.constant dense<0.0> : tensor<64x14x14x256xf32>
  %e = tensor.empty() : tensor<256x3x3x256xf32>
  %g = linalg.generic {indexing_maps = [#reverse, #id],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f : tensor<256x3x3x256xf32>) outs(%e : tensor<256x3x3x256xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  } -> tensor<256x3x3x256xf32>
  %z = tensor.pad %dy low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<64x14x14x256xf32> to tensor<64x16x16x256xf32>
  %r = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%z, %g : tensor<64x16x16x256xf32>, tensor<256x3x3x256xf32>) outs(%s : tensor<64x14x14x256xf32>) -> tensor<64x14x14x256xf32>
  return %r : tensor<64x14x14x256xf32>
}

// -----

// Two types are no convolution of kernels, whatever is asked for.
// CHECK-LABEL: func @two_types
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @two_types(%x: tensor<2x8x8x16xf32>, %f: tensor<32x1x1x16xf16>) -> tensor<2x8x8x32xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x8x8x32xf32>
  %y = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<2x8x8x16xf32>, tensor<32x1x1x16xf16>) outs(%zeros : tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
  return %y : tensor<2x8x8x32xf32>
}
