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

// As a gradient of weights: both are copied.
// CHECK-LABEL: func @weights
// CHECK-COUNT-2: linalg.transpose
// CHECK:       amp.launch_kernels @gemm_0
// CHECK:       nvvm.wgmma.mma_async {{.*}}tf32
// SM80-LABEL: func @weights
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
