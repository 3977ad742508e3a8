// RUN: amp-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(amp-store-f8-as-i8))' | FileCheck %s

// An extension decodes bits to f32; to f64 and f16 it is exact from there.
// CHECK-LABEL: func @extended
// CHECK-SAME: (%[[X:.*]]: i8) -> (f32, f64, f16)
func.func @extended(%x: f8E4M3FN) -> (f32, f64, f16) {
  // CHECK: %[[BITS:.*]] = arith.extui %[[X]] : i8 to i32
  // CHECK: %[[NUMBER:.*]] = arith.bitcast %{{.*}} : i32 to f32
  %0 = arith.extf %x : f8E4M3FN to f32
  // CHECK: arith.extf %{{.*}} : f32 to f64
  %1 = arith.extf %x : f8E4M3FN to f64
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %2 = arith.extf %x : f8E4M3FN to f16
  return %0, %1, %2 : f32, f64, f16
}

// A rounding from f64 does not go by f32.
// CHECK-LABEL: func @rounded
// CHECK-SAME: (%[[X:.*]]: f64) -> i8
func.func @rounded(%x: f64) -> f8E5M2 {
  // CHECK-NOT: f32
  // CHECK: math.roundeven %{{.*}} : f64
  // CHECK: %[[CODE:.*]] = arith.trunci %{{.*}} : i64 to i8
  // CHECK-NEXT: return %[[CODE]] : i8
  %0 = arith.truncf %x : f64 to f8E5M2
  return %0 : f8E5M2
}

// Of f16, by f32, in which it is.
// CHECK-LABEL: func @rounded_half
func.func @rounded_half(%x: tensor<4xf16>) -> tensor<4xf8E5M2> {
  // CHECK: arith.extf %{{.*}} : tensor<4xf16> to tensor<4xf32>
  // CHECK: math.roundeven %{{.*}} : tensor<4xf32>
  // CHECK: arith.trunci %{{.*}} : tensor<4xi32> to tensor<4xi8>
  %0 = arith.truncf %x : tensor<4xf16> to tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// Each of two operations rounds; a multiply-add is computed in f64, where it is exact; comparisons have no result to round.
// CHECK-LABEL: func @computed
func.func @computed(%x: f8E4M3, %y: f8E4M3) -> (f8E4M3, f8E4M3, f8E4M3, i1) {
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
  // CHECK: math.roundeven
  %0 = arith.mulf %x, %y : f8E4M3
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK: math.roundeven
  %1 = arith.addf %0, %y : f8E4M3
  // CHECK: math.exp %{{.*}} : f32
  // CHECK: math.roundeven
  %2 = math.exp %1 : f8E4M3
  // CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : f64
  // CHECK: math.roundeven %{{.*}} : f64
  %3 = math.fma %x, %y, %2 : f8E4M3
  // CHECK-NOT: math.roundeven
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
  %4 = arith.cmpf olt, %x, %3 : f8E4M3
  return %1, %2, %3, %4 : f8E4M3, f8E4M3, f8E4M3, i1
}

// Constants are their bits, and so is what is told by them.
// CHECK-LABEL: func @bits
// CHECK-SAME: %[[X:.*]]: tensor<2xi8>
func.func @bits(%x: tensor<2xf8E5M2>) -> (tensor<2xi8>, tensor<2xf8E5M2>, f8E4M3FNUZ) {
  // CHECK-DAG: arith.constant dense<[60, -68]> : tensor<2xi8>
  %0 = arith.constant dense<[1.0, -1.0]> : tensor<2xf8E5M2>
  // CHECK-DAG: arith.constant 64 : i8
  %1 = arith.constant 1.0 : f8E4M3FNUZ
  %2 = arith.bitcast %x : tensor<2xf8E5M2> to tensor<2xi8>
  // CHECK: return %[[X]], %{{.*}}, %{{.*}} : tensor<2xi8>, tensor<2xi8>, i8
  return %2, %0, %1 : tensor<2xi8>, tensor<2xf8E5M2>, f8E4M3FNUZ
}

// What hands them on.
// CHECK-LABEL: func @carried
// CHECK-SAME: %{{.*}}: tensor<4xi8>
func.func @carried(%t: tensor<4xf8E4M3FN>, %n: index, %is: i1) -> tensor<4xf8E4M3FN> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} -> (tensor<4xi8>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<4xf8E4M3FN>) {
    // CHECK: scf.if %{{.*}} -> (i8)
    %x = scf.if %is -> f8E4M3FN {
      // CHECK: tensor.extract %{{.*}} : tensor<4xi8>
      %y = tensor.extract %a[%i] : tensor<4xf8E4M3FN>
      scf.yield %y : f8E4M3FN
    } else {
      // CHECK: call @called() : () -> i8
      %y = func.call @called() : () -> f8E4M3FN
      scf.yield %y : f8E4M3FN
    }
    // CHECK: tensor.insert %{{.*}} into %{{.*}} : tensor<4xi8>
    %u = tensor.insert %x into %a[%i] : tensor<4xf8E4M3FN>
    scf.yield %u : tensor<4xf8E4M3FN>
  }
  return %r : tensor<4xf8E4M3FN>
}
// CHECK: func private @called() -> i8
func.func private @called() -> f8E4M3FN
// CHECK: func private @alone(tensor<4xi8>)
func.func private @alone(tensor<4xf8E4M3FN>)

// Operations with a name say what they do to each element, products in f32 as well as in themselves.
// CHECK-LABEL: func @named
func.func @named(%a: tensor<4x4xf8E4M3FN>, %wide: tensor<4x4xf32>, %zero: f8E4M3FN, %small: tensor<4x4xf8E4M3FN>)
    -> (tensor<4x4xf32>, tensor<4x4xf8E4M3FN>) {
  // CHECK-NOT: linalg.matmul
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4xi8>, tensor<4x4xi8>) outs(%{{.*}} : tensor<4x4xf32>)
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>) outs(%wide : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : i8) outs(%{{.*}} : tensor<4x4xi8>)
  %1 = linalg.fill ins(%zero : f8E4M3FN) outs(%small : tensor<4x4xf8E4M3FN>) -> tensor<4x4xf8E4M3FN>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf8E4M3FN>
}

// A launch reads what is stored.
// CHECK-LABEL: func @launched
func.func @launched(%a: tensor<4xf8E4M3FN>, %out: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: amp.launch_kernels @k ins(in0 = %{{.*}}) outs(out0 = %{{.*}}) : (tensor<4xi8>, tensor<4xf32>) -> tensor<4xf32>
  %0 = amp.launch_kernels @k ins(in0 = %a) outs(out0 = %out) : (tensor<4xf8E4M3FN>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// Its kernel is left alone.
// CHECK: type = f8E4M3FN
gpu.module @k {
  llvm.func @k(!llvm.ptr<1>, !llvm.ptr<1>) attributes {gpu.kernel, amp.launch = {
    order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 1, 1, 1>,
    shared_memory = 0, arguments = [{kind = "buffer", name = "in0", type = f8E4M3FN, elements = 4},
                                    {kind = "buffer", name = "out0", type = f32, elements = 4}]}}
}

// Near misses: halves, and a rounding to one that has a mode.
// CHECK-LABEL: func @halves
func.func @halves(%x: tensor<4xf16>, %y: f32) -> (tensor<4xf32>, bf16) {
  // CHECK: arith.extf %{{.*}} : tensor<4xf16> to tensor<4xf32>
  %0 = arith.extf %x : tensor<4xf16> to tensor<4xf32>
  // CHECK: arith.truncf %{{.*}} downward : f32 to bf16
  %1 = arith.truncf %y downward : f32 to bf16
  return %0, %1 : tensor<4xf32>, bf16
}

// -----

func.func @mode(%x: f32) -> f8E5M2 {
  // expected-error @below {{expected a rounding to the nearest f8E5M2, but got another mode; leave 'roundingmode' out}}
  %0 = arith.truncf %x toward_zero : f32 to f8E5M2
  return %0 : f8E5M2
}

// -----

func.func @four_bits(%x: f32) {
  // expected-error @below {{expected floats of 8 bits with a sign and a fraction, but got f4E2M1FN; use f8E4M3FN, f8E5M2 or f16}}
  %0 = arith.truncf %x : f32 to f4E2M1FN
  return
}

// -----

func.func @exponent(%x: f32) {
  // expected-error @below {{but got f8E8M0FNU}}
  %0 = arith.truncf %x : f32 to f8E8M0FNU
  return
}

// -----

func.func @vector(%x: vector<4xf32>) -> f32 {
  %small = arith.truncf %x : vector<4xf32> to vector<4xf8E5M2>
  // expected-error @below {{expected an operation that can take the bits of numbers of f8E5M2, but got 'vector.reduction'; extend them before ('arith.extf')}}
  %sum = vector.reduction <add>, %small : vector<4xf8E5M2> into f8E5M2
  %0 = arith.extf %sum : f8E5M2 to f32
  return %0 : f32
}

// -----

func.func @wide(%x: f8E5M2) -> f128 {
  // expected-error @below {{expected a conversion between f8E5M2 and f16, bf16, f32 or f64, but got f128; convert to f64 first}}
  %0 = arith.extf %x : f8E5M2 to f128
  return %0 : f128
}

// -----

func.func @from_wide(%x: f128) -> f8E5M2 {
  // expected-error @below {{expected a conversion between f8E5M2 and f16, bf16, f32 or f64, but got f128; convert to f64 first}}
  %0 = arith.truncf %x : f128 to f8E5M2
  return %0 : f8E5M2
}

// -----

// The second of two types.
func.func @scale(%x: f8E4M3FN, %scale: f8E8M0FNU) -> f32 {
  // expected-error @-1 {{expected floats of 8 bits with a sign and a fraction, but got f8E8M0FNU; use f8E4M3FN, f8E5M2 or f16}}
  // expected-error @below {{expected an operation that can take the bits of numbers of f8E4M3FN, but got 'arith.scaling_extf'; extend them before ('arith.extf')}}
  %0 = arith.scaling_extf %x, %scale : f8E4M3FN, f8E8M0FNU to f32
  return %0 : f32
}

// -----

// A near miss is a complex number of halves.
// expected-error @below {{expected floats of 8 bits with a sign and a fraction, but got complex<f8E4M3FN>; use f8E4M3FN, f8E5M2 or f16}}
func.func private @complex(%x: tensor<4xcomplex<f8E4M3FN>>, %y: complex<f16>)

// -----

// A near miss only moves them.
func.func @unknown_extents(%x: tensor<?xf8E4M3FN>, %is: i1) -> tensor<?xf8E4M3FN> {
  // expected-error @below {{expected an operation on f8E4M3FN to be of known extents, but got tensor<?xf8E4M3FN>; make it a 'linalg.generic' before}}
  %0 = arith.addf %x, %x : tensor<?xf8E4M3FN>
  %1 = arith.select %is, %0, %x : tensor<?xf8E4M3FN>
  return %1 : tensor<?xf8E4M3FN>
}
