// Functions are kernels: a step waits for no operand of one. Those that have no code are refused
// (device-lowering-invalid.mlir).
// RUN: amp-opt %s --amp-to-gpu=format=nvvm --split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func internal @forward_backward(
// CHECK-NOT:   llvm.call @ampRtRunRead(
// CHECK:       llvm.call @ampRtRunLaunch
// CHECK-NOT:   llvm.call @ampRtRunRead(
// CHECK:       llvm.return
func.func @forward_backward(%p: tensor<64xf64> {amp.role = "param", amp.name = "p"},
                            %x: tensor<64xf32> {amp.role = "batch", amp.name = "x0"},
                            %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<64xf64> {amp.role = "grad", amp.name = "p"}) {
  %0 = math.sin %p : tensor<64xf64>
  %1 = math.atan2 %0, %p : tensor<64xf64>
  %2 = math.erf %1 : tensor<64xf64>
  %sin, %cos = math.sincos %2 : tensor<64xf64>
  %3 = math.acos %cos : tensor<64xf64>
  %nan = math.isnan %3 : tensor<64xf64>
  %4 = arith.select %nan, %sin, %3 : tensor<64xi1>, tensor<64xf64>
  %5 = math.erfc %x : tensor<64xf32>
  %6 = math.atanh %5 : tensor<64xf32>
  %finite = math.isfinite %6 : tensor<64xf32>
  %7 = arith.select %finite, %6, %x : tensor<64xi1>, tensor<64xf32>
  %8 = arith.extf %7 : tensor<64xf32> to tensor<64xf64>
  %9 = arith.mulf %8, %4 : tensor<64xf64>
  return %seed, %9 : tensor<f32>, tensor<64xf64>
}

// -----

// CHECK-LABEL: llvm.func internal @forward_backward(
// CHECK-NOT:   llvm.call @ampRtRunRead(
// CHECK:       llvm.call @ampRtRunLaunch
// CHECK-NOT:   llvm.call @ampRtRunRead(
// CHECK:       llvm.return
func.func @forward_backward(%p: tensor<64xf32> {amp.role = "param", amp.name = "p"},
                            %x: tensor<64xi32> {amp.role = "batch", amp.name = "x0"},
                            %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<64xf32> {amp.role = "grad", amp.name = "p"}) {
  %0 = math.ipowi %x, %x : tensor<64xi32>
  %1 = arith.sitofp %0 : tensor<64xi32> to tensor<64xf32>
  %2 = arith.mulf %1, %p : tensor<64xf32>
  return %seed, %2 : tensor<f32>, tensor<64xf32>
}
