// RUN: amp-opt %s --amp-approximate-math | FileCheck %s

// CHECK-LABEL: func.func @exp
// CHECK-NOT:     math.exp
// CHECK:         math.fma
// CHECK:         return
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @tanh
// CHECK-NOT:     math.tanh
// CHECK:         return
func.func @tanh(%x: f32) -> f32 {
  %0 = math.tanh %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @erf
// CHECK-NOT:     math.erf
// CHECK:         math.fma
// CHECK:         return
func.func @erf(%x: f32) -> f32 {
  %0 = math.erf %x : f32
  return %0 : f32
}

// f16 is computed in f32, which something else sees to.
// CHECK-LABEL: func.func @half
// CHECK:         math.erf {{.*}} : f16
func.func @half(%x: f16) -> f16 {
  %0 = math.erf %x : f16
  return %0 : f16
}

// The polynomial is wrong for subnormal numbers.
// CHECK-LABEL: func.func @log
// CHECK:         math.log
func.func @log(%x: f32) -> f32 {
  %0 = math.log %x : f32
  return %0 : f32
}

// f64 wants more digits than the polynomial has.
// CHECK-LABEL: func.func @wide
// CHECK:         math.exp
func.func @wide(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}

// Neither 1 is subtracted from an exponential nor 1 added under a logarithm.
// CHECK-LABEL: func.func @near_zero
// CHECK-NOT:     math.{{exp|log}}
// CHECK:         math.fma
// CHECK:         return
func.func @near_zero(%x: f32, %v: vector<4xf32>) -> (f32, f32, vector<4xf32>, vector<4xf32>) {
  %0 = math.expm1 %x : f32
  %1 = math.log1p %x : f32
  %2 = math.expm1 %v : vector<4xf32>
  %3 = math.log1p %v : vector<4xf32>
  return %0, %1, %2, %3 : f32, f32, vector<4xf32>, vector<4xf32>
}

// These by f32, and f64 not at all.
// CHECK-LABEL: func.func @near_zero_types
// CHECK-SAME:    %[[X:.*]]: f16, %[[Y:.*]]: bf16, %[[Z:.*]]: f64
// CHECK-DAG:     arith.extf %[[X]] : f16 to f32
// CHECK-DAG:     arith.extf %[[Y]] : bf16 to f32
// CHECK:         math.log1p %[[Z]] : f64
func.func @near_zero_types(%x: f16, %y: bf16, %z: f64) -> (f16, bf16, f64) {
  %0 = math.expm1 %x : f16
  %1 = math.log1p %y : bf16
  %2 = math.log1p %z : f64
  return %0, %1, %2 : f16, bf16, f64
}
