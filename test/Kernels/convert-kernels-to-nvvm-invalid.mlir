// RUN: not amp-opt %s --amp-kernels-to-nvvm --split-input-file 2>&1 | FileCheck %s

// CHECK: expected a function that kernels have code for (absf, absi, ceil, copysign, ctlz, ctpop, cttz, exp2, floor, fma, round, roundeven, rsqrt, sqrt, trunc, acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, erfc, exp, expm1, fpowi, log, log10, log1p, log2, powf, sin, sinh, tan, tanh, ipowi), but got 'math.ipowi' of 'i128'; write it in terms of these
gpu.module @kernels {
  llvm.func @ipowi(%x: i128, %out: !llvm.ptr<1>) {
    %y = math.ipowi %x, %x : i128
    llvm.store %y, %out : i128, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// An exponent that no conversion to a float takes.
// CHECK: expected a function that kernels have code for ({{.*}}), but got 'math.fpowi' of 'f32'; write it in terms of these
gpu.module @kernels {
  llvm.func @fpowi(%x: f32, %n: i128, %out: !llvm.ptr<1>) {
    %y = math.fpowi %x, %n : f32, i128
    llvm.store %y, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// CHECK: expected a function that kernels have code for ({{.*}}), but got 'math.fpowi' of 'f64'; write it in terms of these
gpu.module @kernels {
  llvm.func @fpowi_of_f64(%x: f64, %n: i128, %out: !llvm.ptr<1>) {
    %y = math.fpowi %x, %n : f64, i128
    llvm.store %y, %out : f64, !llvm.ptr<1>
    llvm.return
  }
}
