// RUN: amp-opt %s --amp-expand-arith | FileCheck %s

// CHECK-LABEL: func.func @kept(
// CHECK-NEXT: arith.maximumf %{{.*}} : f32
// CHECK-NEXT: arith.minimumf %{{.*}} : f64
// CHECK-NEXT: arith.maximumf %{{.*}} : vector<8xf32>
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: return
func.func @kept(%x: f32, %d: f64, %v: vector<8xf32>, %h: f16) -> (f32, f64, vector<8xf32>, f32, f16) {
  %0 = arith.maximumf %x, %x : f32
  %1 = arith.minimumf %d, %d : f64
  %2 = arith.maximumf %v, %v : vector<8xf32>
  %3 = arith.extf %h : f16 to f32
  %4 = arith.truncf %x : f32 to f16
  return %0, %1, %2, %3, %4 : f32, f64, vector<8xf32>, f32, f16
}

// Near misses: halves, for which LLVM would call a library; numbers, which leave
// NaN out; divisions; roundings to and from bf16.
// CHECK-LABEL: func.func @expanded(
// CHECK-NOT: arith.maximumf
// CHECK-NOT: arith.maxnumf
// CHECK-NOT: arith.ceildivsi
// CHECK-NOT: bf16 to f32
// CHECK-NOT: f32 to bf16
// CHECK: return
func.func @expanded(%x: f32, %h: f16, %b: bf16, %n: index) -> (f16, f32, index, f32, bf16) {
  %0 = arith.maximumf %h, %h : f16
  %1 = arith.maxnumf %x, %x : f32
  %2 = arith.ceildivsi %n, %n : index
  %3 = arith.extf %b : bf16 to f32
  %4 = arith.truncf %x : f32 to bf16
  return %0, %1, %2, %3, %4 : f16, f32, index, f32, bf16
}

// Between bf16 and f64, by f32: to bf16 a rounding to odd comes first.
// CHECK-LABEL: func.func @by_float(
// CHECK-NOT: bf16 to f64
// CHECK-NOT: f64 to bf16
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.ori
// CHECK: return
func.func @by_float(%b: bf16, %d: f64) -> (f64, bf16) {
  %0 = arith.extf %b : bf16 to f64
  %1 = arith.truncf %d : f64 to bf16
  return %0, %1 : f64, bf16
}

// NaN becomes the one that is rounded to itself, and then the bits are rounded.
// CHECK-LABEL: func.func @rounded(
// CHECK:       %[[NAN:.+]] = arith.cmpf uno, %[[X:.+]], %[[X]] : vector<8xf32>
// CHECK:       %[[QUIET:.+]] = arith.constant dense<0x7FC00000> : vector<8xf32>
// CHECK:       %[[CHOSEN:.+]] = arith.select %[[NAN]], %[[QUIET]], %[[X]] : vector<8xi1>, vector<8xf32>
// CHECK:       arith.bitcast %[[CHOSEN]] : vector<8xf32> to vector<8xi32>
// CHECK-NOT:   arith.select
// CHECK:       arith.trunci %{{.+}} : vector<8xi32> to vector<8xi16>
// CHECK-NEXT:  arith.bitcast %{{.+}} : vector<8xi16> to vector<8xbf16>
func.func @rounded(%x: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// Near miss: a rounding that is not to the nearest has no form here, and none is made up.
// RUN: not amp-opt %S/Inputs/round-toward-zero.mlir --amp-expand-arith 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: failed to legalize operation 'arith.truncf'
