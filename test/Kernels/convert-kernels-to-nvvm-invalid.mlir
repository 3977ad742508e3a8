// RUN: not amp-opt %s --amp-kernels-to-nvvm --split-input-file 2>&1 | FileCheck %s

// CHECK: expected a function that kernels have code for (absf, absi, ceil, copysign, ctlz, ctpop, cttz, exp2, floor, fma, round, roundeven, rsqrt, sqrt, trunc; of f16, bf16 and f32 also atan, atan2, cbrt, cos, cosh, erf, exp, expm1, fpowi, log, log10, log1p, log2, powf, sin, sinh, tanh; of f64 also cbrt, cosh, exp, exp2, expm1, fpowi, log, log10, log1p, log2, powf, sinh, tanh), but got 'math.tan' of 'f32'; write it in terms of these
gpu.module @kernels {
  llvm.func @tan(%x: f32, %out: !llvm.ptr<1>) {
    %y = math.tan %x : f32
    llvm.store %y, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// Of f64 there are powers and logarithms, and no angles.
// CHECK: expected a function that kernels have code for ({{.*}}), but got 'math.atan' of 'f64'; write it in terms of these
gpu.module @kernels {
  llvm.func @atan(%x: f64, %out: !llvm.ptr<1>) {
    %y = math.atan %x : f64
    llvm.store %y, %out : f64, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// CHECK: expected a function that kernels have code for ({{.*}}), but got 'math.cos' of 'f64'; write it in terms of these
gpu.module @kernels {
  llvm.func @cos(%x: f64, %out: !llvm.ptr<1>) {
    %y = math.cos %x : f64
    llvm.store %y, %out : f64, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// CHECK: expected a function that kernels have code for ({{.*}}), but got 'math.erf' of 'f64'; write it in terms of these
gpu.module @kernels {
  llvm.func @erf(%x: f64, %out: !llvm.ptr<1>) {
    %y = math.erf %x : f64
    llvm.store %y, %out : f64, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// CHECK: expected a function that kernels have code for ({{.*}}), but got 'math.sin' of 'f64'; write it in terms of these
gpu.module @kernels {
  llvm.func @sin(%x: f64, %out: !llvm.ptr<1>) {
    %y = math.sin %x : f64
    llvm.store %y, %out : f64, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// CHECK: expected a function that kernels have code for ({{.*}}), but got 'math.atan2' of 'f64'; write it in terms of these
gpu.module @kernels {
  llvm.func @atan2(%x: f64, %out: !llvm.ptr<1>) {
    %y = math.atan2 %x, %x : f64
    llvm.store %y, %out : f64, !llvm.ptr<1>
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
