// Kernels with functions compile for both chips. Sums and products keep their roundings
// (.rn): without it ptxas may contract them, and bits would not be the emulator's.
// RUN: amp-opt %s --amp-kernels-to-cubin="chip=sm_90a format=isa" -o %t.sm90
// RUN: amp-opt %s --amp-kernels-to-cubin="chip=sm_80 format=isa" -o %t.sm80
// RUN: FileCheck %s < %t.sm90 && FileCheck %s < %t.sm80
// RUN: FileCheck %s --check-prefix=APPROXIMATE < %t.sm90

// CHECK-NOT: {{(add|sub|mul)[.]f(32|64)}}
// CHECK: fma.rn.f64
// CHECK-NOT: {{(add|sub|mul)[.]f(32|64)}}
// CHECK: cvt.rn.bf16
// CHECK-NOT: {{(add|sub|mul)[.]f(32|64)}}
gpu.module @functions {
  llvm.func @functions(%x: f32, %n: i32, %m: i64, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %acos = math.acos %x : f32
    llvm.store %acos, %out : f32, !llvm.ptr<1>
    %acosh = math.acosh %x : f32
    llvm.store %acosh, %out : f32, !llvm.ptr<1>
    %asin = math.asin %x : f32
    llvm.store %asin, %out : f32, !llvm.ptr<1>
    %asinh = math.asinh %x : f32
    llvm.store %asinh, %out : f32, !llvm.ptr<1>
    %atanh = math.atanh %x : f32
    llvm.store %atanh, %out : f32, !llvm.ptr<1>
    %erfc = math.erfc %x : f32
    llvm.store %erfc, %out : f32, !llvm.ptr<1>
    %tan = math.tan %x : f32
    llvm.store %tan, %out : f32, !llvm.ptr<1>
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
    %erf = math.erf %x : f32
    llvm.store %erf, %out : f32, !llvm.ptr<1>
    %exp = math.exp %x : f32
    llvm.store %exp, %out : f32, !llvm.ptr<1>
    %tanh = math.tanh %x : f32
    llvm.store %tanh, %out : f32, !llvm.ptr<1>
    %round = math.round %x : f32
    llvm.store %round, %out : f32, !llvm.ptr<1>
    %atan2 = math.atan2 %x, %log : f32
    llvm.store %atan2, %out : f32, !llvm.ptr<1>
    %powf = math.powf %x, %log : f32
    llvm.store %powf, %out : f32, !llvm.ptr<1>
    %short = math.fpowi %x, %n : f32, i32
    llvm.store %short, %out : f32, !llvm.ptr<1>
    %long = math.fpowi %x, %m : f32, i64
    llvm.store %long, %out : f32, !llvm.ptr<1>
    %zeros = math.ctlz %n : i32
    %trailing = math.cttz %zeros : i32
    %ones = math.ctpop %trailing : i32
    llvm.store %ones, %out : i32, !llvm.ptr<1>
    %wide = arith.extf %x : f32 to f64
    %acos_wide = math.acos %wide : f64
    llvm.store %acos_wide, %out : f64, !llvm.ptr<1>
    %acosh_wide = math.acosh %wide : f64
    llvm.store %acosh_wide, %out : f64, !llvm.ptr<1>
    %asin_wide = math.asin %wide : f64
    llvm.store %asin_wide, %out : f64, !llvm.ptr<1>
    %asinh_wide = math.asinh %wide : f64
    llvm.store %asinh_wide, %out : f64, !llvm.ptr<1>
    %atan_wide = math.atan %wide : f64
    llvm.store %atan_wide, %out : f64, !llvm.ptr<1>
    %atanh_wide = math.atanh %wide : f64
    llvm.store %atanh_wide, %out : f64, !llvm.ptr<1>
    %cos_wide = math.cos %wide : f64
    llvm.store %cos_wide, %out : f64, !llvm.ptr<1>
    %erf_wide = math.erf %wide : f64
    llvm.store %erf_wide, %out : f64, !llvm.ptr<1>
    %erfc_wide = math.erfc %wide : f64
    llvm.store %erfc_wide, %out : f64, !llvm.ptr<1>
    %sin_wide = math.sin %wide : f64
    llvm.store %sin_wide, %out : f64, !llvm.ptr<1>
    %tan_wide = math.tan %wide : f64
    llvm.store %tan_wide, %out : f64, !llvm.ptr<1>
    %atan2_wide = math.atan2 %wide, %wide : f64
    llvm.store %atan2_wide, %out : f64, !llvm.ptr<1>
    %cbrt_wide = math.cbrt %wide : f64
    llvm.store %cbrt_wide, %out : f64, !llvm.ptr<1>
    %cosh_wide = math.cosh %wide : f64
    llvm.store %cosh_wide, %out : f64, !llvm.ptr<1>
    %exp_wide = math.exp %wide : f64
    llvm.store %exp_wide, %out : f64, !llvm.ptr<1>
    %exp2_wide = math.exp2 %wide : f64
    llvm.store %exp2_wide, %out : f64, !llvm.ptr<1>
    %expm1_wide = math.expm1 %wide : f64
    llvm.store %expm1_wide, %out : f64, !llvm.ptr<1>
    %log_wide = math.log %wide : f64
    llvm.store %log_wide, %out : f64, !llvm.ptr<1>
    %log10_wide = math.log10 %wide : f64
    llvm.store %log10_wide, %out : f64, !llvm.ptr<1>
    %log1p_wide = math.log1p %wide : f64
    llvm.store %log1p_wide, %out : f64, !llvm.ptr<1>
    %log2_wide = math.log2 %wide : f64
    llvm.store %log2_wide, %out : f64, !llvm.ptr<1>
    %sinh_wide = math.sinh %wide : f64
    llvm.store %sinh_wide, %out : f64, !llvm.ptr<1>
    %tanh_wide = math.tanh %wide : f64
    llvm.store %tanh_wide, %out : f64, !llvm.ptr<1>
    %powf_wide = math.powf %wide, %log_wide : f64
    llvm.store %powf_wide, %out : f64, !llvm.ptr<1>
    %fpowi_wide = math.fpowi %wide, %m : f64, i64
    llvm.store %fpowi_wide, %out : f64, !llvm.ptr<1>
    %bf16 = arith.truncf %x : f32 to bf16
    %power = math.powf %bf16, %bf16 : bf16
    llvm.store %power, %out : bf16, !llvm.ptr<1>
    llvm.return
  }
}

// The hardware's functions, and no division beside.
// APPROXIMATE-LABEL: gpu.binary @approximate
// APPROXIMATE-NOT: div.rn
// APPROXIMATE-SAME: ex2.approx.f32
// APPROXIMATE-NOT: div.rn
// APPROXIMATE-SAME: rcp.approx.ftz.f32
// APPROXIMATE-NOT: div.rn
// APPROXIMATE-SAME: div.full.f32
// APPROXIMATE-NOT: div.rn
gpu.module @approximate {
  llvm.func @approximate(%x: f32, %tanh: !llvm.ptr<1>, %quotient: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %0 = math.tanh %x : f32
    llvm.store %0, %tanh : f32, !llvm.ptr<1>
    %1 = arith.divf %x, %0 : f32
    %2 = arith.truncf %1 : f32 to f16
    llvm.store %2, %quotient : f16, !llvm.ptr<1>
    llvm.return
  }
}
