// Sums that compute the same of each element share a launch, whatever the extents.
// RUN: amp-opt %s --split-input-file --convert-sums-to-multi-tensor-kernels | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-sums-to-multi-tensor-kernels=parameter-bytes=24 | FileCheck %s --check-prefix=FEW
// RUN: amp-opt %s --split-input-file --convert-sums-to-multi-tensor-kernels=parameter-bytes=16 | FileCheck %s --check-prefix=NONE
// NONE-NOT: amp.launch_kernels
// `sums-emulator.test` runs them.

// Norms of gradients in f16: of two dimensions, one, and several chunks of 32 KiB.
// CHECK-LABEL: func @norms
// FEW-LABEL: func @norms
// FEW:         amp.launch_kernels @tensor_sum_0 ins(in0 = %{{[^,]*}}, in1 = %{{[^,]*}}) outs
// FEW:         amp.launch_kernels @tensor_sum_1 ins(in0 = %{{[^,]*}}, in1 = %{{[^,]*}}) outs
// CHECK-SAME:    (%[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<37xf16>, %[[C:.*]]: tensor<300x131xf16>, %[[D:.*]]: tensor<1xf16>)
// CHECK-DAG:   %[[PARTS:.*]] = tensor.empty() : tensor<6xf32>
// CHECK:       %[[S:.*]]:5 = amp.launch_kernels @tensor_sum_0 ins(in0 = %[[A]], in1 = %[[B]], in2 = %[[C]], in3 = %[[D]]) outs(out0 = %{{.*}}, out1 = %{{.*}}, out2 = %{{.*}}, out3 = %{{.*}}, parts = %[[PARTS]])
// CHECK-NOT:   linalg.generic
// CHECK:       return %[[S]]#0, %[[S]]#1, %[[S]]#2, %[[S]]#3
// CHECK:       gpu.module @tensor_sum_0
// CHECK:       llvm.func @tensor_sum_0_parts
// CHECK-SAME:  shared_memory = 32
// CHECK:       llvm.func @tensor_sum_0
func.func @norms(%a: tensor<64x32xf16>, %b: tensor<37xf16>, %c: tensor<300x131xf16>, %d: tensor<1xf16>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%a : tensor<64x32xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%b : tensor<37xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %2 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%c : tensor<300x131xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %3 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%d : tensor<1xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// With a loss scale, a number from outside; dimensions in another order; and between them
// what depends on the first, which moves behind.
// CHECK-LABEL: func @scaled
// CHECK:       %[[S:.*]]:3 = amp.launch_kernels @tensor_sum_0 ins(number0 = %{{.*}}, in0 = %{{.*}}, in1 = %{{.*}})
// CHECK:       math.sqrt %[[S]]#0
func.func @scaled(%s: tensor<f32>, %a: tensor<16x9xf16>, %b: tensor<9x5x3xf16>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %scale = tensor.extract %s[] : tensor<f32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%a : tensor<16x9xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %scaled = arith.mulf %wide, %scale : f32
    %square = arith.mulf %scaled, %scaled : f32
    %next = arith.addf %square, %sum : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %root = math.sqrt %0 : tensor<f32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> ()>],
    iterator_types = ["reduction", "reduction", "reduction"]
  } ins(%b : tensor<9x5x3xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %scaled = arith.mulf %wide, %scale : f32
    %square = arith.mulf %scaled, %scaled : f32
    %next = arith.addf %square, %sum : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %root, %1 : tensor<f32>, tensor<f32>
}

// -----

// Two forms are two launches: squares, and magnitudes of f32.
// CHECK-LABEL: func @forms
// CHECK:       amp.launch_kernels @tensor_sum_0 ins(in0 = %arg0, in1 = %arg1)
// CHECK:       amp.launch_kernels @tensor_sum_1 ins(in0 = %arg0, in1 = %arg1)
func.func @forms(%a: tensor<8200xf32>, %b: tensor<3x7xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%a : tensor<8200xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%b : tensor<3x7xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %2 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%a : tensor<8200xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %m = math.absf %x : f32
    %next = arith.addf %m, %sum : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %3 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%b : tensor<3x7xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %m = math.absf %x : f32
    %next = arith.addf %m, %sum : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
