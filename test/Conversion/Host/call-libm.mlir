// RUN: amp-opt %s --amp-call-libm | FileCheck %s

// CHECK-DAG: func.func private @log1pf(f32) -> f32
// CHECK-DAG: func.func private @expm1(f64) -> f64

// CHECK-LABEL: func.func @near_zero
// CHECK-SAME:    %[[X:.*]]: f64, %[[Y:.*]]: f16
func.func @near_zero(%x: f64, %y: f16) -> (f64, f16) {
  // CHECK: call @expm1(%[[X]])
  %0 = math.expm1 %x : f64
  // CHECK: %[[WIDE:.*]] = arith.extf %[[Y]] : f16 to f32
  // CHECK: %[[LOG:.*]] = call @log1pf(%[[WIDE]])
  // CHECK: arith.truncf %[[LOG]] : f32 to f16
  %1 = math.log1p %y : f16
  return %0, %1 : f64, f16
}

// Near miss: LLVM has intrinsics for these.
// CHECK-LABEL: func.func @others
func.func @others(%x: f32) -> (f32, f32) {
  // CHECK: math.exp
  %0 = math.exp %x : f32
  // CHECK: math.log
  %1 = math.log %x : f32
  return %0, %1 : f32, f32
}
