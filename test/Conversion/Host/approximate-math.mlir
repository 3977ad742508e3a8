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
