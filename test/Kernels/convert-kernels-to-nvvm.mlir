// RUN: amp-opt %s --amp-kernels-to-nvvm | FileCheck %s --check-prefixes=CHECK,HARDWARE
// RUN: amp-opt %s --amp-kernels-to-nvvm=functions=hardware | FileCheck %s --check-prefixes=CHECK,HARDWARE
// RUN: amp-opt %s --amp-kernels-to-nvvm=functions=portable | FileCheck %s --check-prefixes=CHECK,PORTABLE

// Loops and branches become blocks.
// CHECK-LABEL: llvm.func @loop
gpu.module @kernels {
  llvm.func @loop(%n: i32, %x: f32, %out: !llvm.ptr<1>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // CHECK: llvm.br
    // CHECK: llvm.cond_br
    // CHECK: llvm.fadd
    // CHECK: llvm.intr.sqrt
    // CHECK-NOT: {{arith|cf|scf|math}}.
    // CHECK: llvm.return
    %sum = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (f32) : i32 {
      %b = arith.addf %a, %x : f32
      %c = math.sqrt %b : f32
      scf.yield %c : f32
    }
    llvm.store %sum, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// Functions are made of the hardware's 2^x, of vectors too, and of its 1/x, of each element;
// or they are polynomials, the same as on the host. There is no branch.
// CHECK-LABEL: llvm.func @functions
gpu.module @more_kernels {
  llvm.func @functions(%x: vector<2xf32>, %out: !llvm.ptr<1>) {
    // CHECK-NOT: {{math|vector|arith}}.
    // HARDWARE-NOT: llvm.{{br|cond_br|call |fdiv}}
    // HARDWARE: llvm.intr.exp2(%{{.*}}) : (vector<2xf32>) -> vector<2xf32>
    // HARDWARE: llvm.intr.exp2
    // HARDWARE-COUNT-2: nvvm.rcp.approx.ftz.f %{{.*}} : f32
    // HARDWARE: llvm.intr.exp2
    // PORTABLE-NOT: llvm.intr.exp
    // CHECK-NOT: {{nvvm|llvm.intr.exp}}
    // CHECK: llvm.return
    %a = math.exp %x : vector<2xf32>
    %b = math.tanh %a : vector<2xf32>
    %c = math.erf %b : vector<2xf32>
    llvm.store %c, %out : vector<2xf32>, !llvm.ptr<1>
    llvm.return
  }
}

// Others are arithmetic in f64, and rounded once; there is no branch.
// CHECK-LABEL: llvm.func @wide
gpu.module @wide_kernels {
  llvm.func @wide(%x: f32, %n: i32, %m: i64, %out: !llvm.ptr<1>) {
    // CHECK-NOT: {{math|arith}}.
    // CHECK-NOT: llvm.{{br|cond_br|call}}
    // CHECK-NOT: llvm.intr.{{exp|log|pow|sin|cos|atan}}
    // CHECK-COUNT-15: llvm.fptrunc {{.*}} : f64 to f32
    // CHECK-NOT: llvm.fptrunc
    // CHECK: llvm.return
    %atan = math.atan %x : f32
    llvm.store %atan, %out : f32, !llvm.ptr<1>
    %cbrt = math.cbrt %x : f32
    llvm.store %cbrt, %out : f32, !llvm.ptr<1>
    %cos = math.cos %x : f32
    llvm.store %cos, %out : f32, !llvm.ptr<1>
    %cosh = math.cosh %x : f32
    llvm.store %cosh, %out : f32, !llvm.ptr<1>
    %expm1 = math.expm1 %x : f32
    llvm.store %expm1, %out : f32, !llvm.ptr<1>
    %log = math.log %x : f32
    llvm.store %log, %out : f32, !llvm.ptr<1>
    %log10 = math.log10 %x : f32
    llvm.store %log10, %out : f32, !llvm.ptr<1>
    %log1p = math.log1p %x : f32
    llvm.store %log1p, %out : f32, !llvm.ptr<1>
    %log2 = math.log2 %x : f32
    llvm.store %log2, %out : f32, !llvm.ptr<1>
    %sin = math.sin %x : f32
    llvm.store %sin, %out : f32, !llvm.ptr<1>
    %sinh = math.sinh %x : f32
    llvm.store %sinh, %out : f32, !llvm.ptr<1>
    %atan2 = math.atan2 %x, %log : f32
    llvm.store %atan2, %out : f32, !llvm.ptr<1>
    %powf = math.powf %x, %log : f32
    llvm.store %powf, %out : f32, !llvm.ptr<1>
    %short = math.fpowi %x, %n : f32, i32
    llvm.store %short, %out : f32, !llvm.ptr<1>
    %long = math.fpowi %x, %m : f32, i64
    llvm.store %long, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// A known exponent: multiplications in f32.
// CHECK-LABEL: llvm.func @cube(
// CHECK-SAME: %[[X:.*]]: f32
gpu.module @cube_kernels {
  llvm.func @cube(%x: f32, %out: !llvm.ptr<1>) {
    // CHECK-DAG: %[[SQUARE:.*]] = llvm.fmul %[[X]], %[[X]] : f32
    // CHECK: %[[CUBE:.*]] = llvm.fmul %[[X]], %[[SQUARE]] : f32
    // CHECK: llvm.fdiv %{{.*}}, %[[CUBE]] : f32
    %n = arith.constant -3 : i32
    %y = math.fpowi %x, %n : f32, i32
    llvm.store %y, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// f16 by way of f32, the polynomials too.
// CHECK-LABEL: llvm.func @half(
// CHECK-SAME: %[[X:.*]]: f16
gpu.module @half_kernels {
  llvm.func @half(%x: f16, %out: !llvm.ptr<1>) {
    // CHECK-NOT: : f16
    // CHECK: llvm.fpext %[[X]] : f16 to f32
    // CHECK-NOT: fadd {{.*}} : f16
    // CHECK: llvm.fptrunc {{.*}} : f32 to f16
    %y = math.erf %x : f16
    llvm.store %y, %out : f16, !llvm.ptr<1>
    llvm.return
  }
}

// Vectors, too.
// CHECK-LABEL: llvm.func @vector
gpu.module @vector_kernels {
  llvm.func @vector(%x: vector<2xf16>, %out: !llvm.ptr<1>) {
    // CHECK-NOT: math.
    // CHECK: llvm.fptrunc {{.*}} : vector<2xf64> to vector<2xf32>
    %y = math.powf %x, %x : vector<2xf16>
    %z = math.sin %y : vector<2xf16>
    llvm.store %z, %out : vector<2xf16>, !llvm.ptr<1>
    llvm.return
  }
}

// Divisions that round up or down become those that LLVM has.
// CHECK-LABEL: llvm.func @divisions
gpu.module @division_kernels {
  llvm.func @divisions(%x: i32, %y: i32, %v: vector<2xi8>, %out: !llvm.ptr<1>) {
    // CHECK-NOT: arith.
    // CHECK: llvm.udiv
    // CHECK: llvm.sdiv
    // CHECK: llvm.sdiv
    // CHECK: llvm.sdiv {{.*}} : vector<2xi8>
    // CHECK-NOT: arith.
    // CHECK: llvm.return
    %a = arith.ceildivui %x, %y : i32
    %b = arith.ceildivsi %a, %y : i32
    %c = arith.floordivsi %b, %y : i32
    %d = arith.floordivsi %v, %v : vector<2xi8>
    llvm.store %c, %out : i32, !llvm.ptr<1>
    llvm.store %d, %out : vector<2xi8>, !llvm.ptr<1>
    llvm.return
  }
}

// Host code stays.
// CHECK-LABEL: func.func @host
func.func @host(%x: f32) -> f32 {
  // CHECK: arith.addf
  %sum = arith.addf %x, %x : f32
  return %sum : f32
}

// A quotient that is only rounded to a half is the hardware's: of numbers and of vectors.
// CHECK-LABEL: llvm.func @quotients
gpu.module @quotient_kernels {
  llvm.func @quotients(%x: f32, %v: vector<2xf32>, %out: !llvm.ptr<1>) {
    // HARDWARE: llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
    // HARDWARE-COUNT-2: llvm.call_intrinsic "llvm.nvvm.div.full"
    // HARDWARE-NOT: llvm.fdiv
    // PORTABLE-COUNT-2: llvm.fdiv
    // CHECK: llvm.return
    %q = arith.divf %x, %x : f32
    %half = arith.truncf %q : f32 to f16
    llvm.store %half, %out : f16, !llvm.ptr<1>
    %r = arith.divf %v, %v : vector<2xf32>
    %halves = arith.truncf %r : vector<2xf32> to vector<2xbf16>
    llvm.store %halves, %out : vector<2xbf16>, !llvm.ptr<1>
    llvm.return
  }
}

// Near misses: one that somebody else reads too, one of f64, and one that stays f32.
// CHECK-LABEL: llvm.func @other_quotients
gpu.module @other_quotient_kernels {
  llvm.func @other_quotients(%x: f32, %y: f64, %out: !llvm.ptr<1>) {
    // CHECK-NOT: llvm.call_intrinsic
    // CHECK-COUNT-3: llvm.fdiv
    // CHECK-NOT: llvm.call_intrinsic
    // CHECK: llvm.return
    %two = arith.constant 2.0 : f32
    %q = arith.divf %x, %two : f32
    %half = arith.truncf %q : f32 to f16
    llvm.store %half, %out : f16, !llvm.ptr<1>
    llvm.store %q, %out : f32, !llvm.ptr<1>
    %r = arith.divf %y, %y : f64
    %other = arith.truncf %r : f64 to f16
    llvm.store %other, %out : f16, !llvm.ptr<1>
    %s = arith.divf %two, %x : f32
    llvm.store %s, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}
