// RUN: not amp-opt %s --amp-kernels-to-nvvm --split-input-file 2>&1 | FileCheck %s

// CHECK: expected a function that kernels have code for (abs, ceil, copysign, erf, exp, exp2, floor, fma, roundeven, rsqrt, sqrt, tanh, trunc; exp, erf and tanh in f32), but got 'math.sin' of 'f32'; write it in terms of these
gpu.module @kernels {
  llvm.func @sine(%x: f32, %out: !llvm.ptr<1>) {
    %y = math.sin %x : f32
    llvm.store %y, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}
