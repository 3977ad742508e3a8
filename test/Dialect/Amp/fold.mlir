// RUN: amp-opt %s --canonicalize --split-input-file | FileCheck %s

// Widening is exact, so narrowing back is the identity.
// CHECK-LABEL: func.func @widen_and_narrow
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>, %[[S:.*]]: bf16
func.func @widen_and_narrow(%x: tensor<4xf16>, %s: bf16) -> (tensor<4xf16>, bf16) {
  %0 = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %1 = amp.cast %0 : tensor<4xf32> to tensor<4xf16>
  %2 = amp.cast %s : bf16 to f32
  %3 = amp.cast %2 : f32 to bf16
  // CHECK-NOT: amp.cast
  // CHECK: return %[[X]], %[[S]]
  return %1, %3 : tensor<4xf16>, bf16
}

// -----

// Near miss: narrowing rounds, and the program says so.
// CHECK-LABEL: func.func @narrow_and_widen
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @narrow_and_widen(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[H:.*]] = amp.cast %[[X]]
  // CHECK: %[[W:.*]] = amp.cast %[[H]]
  // CHECK: return %[[W]]
  %0 = amp.cast %x : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %0 : tensor<4xf16> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Near miss: back to the other half type.
// CHECK-LABEL: func.func @widen_and_narrow_to_other
func.func @widen_and_narrow_to_other(%x: tensor<4xf16>) -> tensor<4xbf16> {
  // CHECK-COUNT-2: amp.cast
  %0 = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %1 = amp.cast %0 : tensor<4xf32> to tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// -----

// Near miss: f16 does not fit into bf16, nor bf16 into f16.
// CHECK-LABEL: func.func @between_halves
func.func @between_halves(%x: tensor<4xf16>, %y: tensor<4xbf16>) -> (tensor<4xf16>, tensor<4xbf16>) {
  // CHECK-COUNT-4: amp.cast
  %0 = amp.cast %x : tensor<4xf16> to tensor<4xbf16>
  %1 = amp.cast %0 : tensor<4xbf16> to tensor<4xf16>
  %2 = amp.cast %y : tensor<4xbf16> to tensor<4xf16>
  %3 = amp.cast %2 : tensor<4xf16> to tensor<4xbf16>
  return %1, %3 : tensor<4xf16>, tensor<4xbf16>
}

// -----

// Constants round to nearest, ties to even: 1 + 2^-11 and 1 + 3 * 2^-11 lie between two f16
// values, 65520 is the first that overflows.
// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<4xf16>, tensor<2xbf16>, f16, tensor<2xf32>) {
  // CHECK-DAG: %[[A:.*]] = arith.constant dense<[1.000000e+00, 1.001950e+00, 6.550400e+04, 0x7C00]> : tensor<4xf16>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<1.296880e+00> : tensor<2xbf16>
  // CHECK-DAG: %[[C:.*]] = arith.constant 0x7E00 : f16
  // CHECK-DAG: %[[D:.*]] = arith.constant dense<[5.96046448E-8, 0xFF800000]> : tensor<2xf32>
  // CHECK-NOT: amp.cast
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %a = arith.constant dense<[1.00048828125, 1.00146484375, 65519.0, 65520.0]> : tensor<4xf32>
  %0 = amp.cast %a : tensor<4xf32> to tensor<4xf16>
  %b = arith.constant dense<1.3> : tensor<2xf32>
  %1 = amp.cast %b : tensor<2xf32> to tensor<2xbf16>
  %c = arith.constant 0x7FC00000 : f32
  %2 = amp.cast %c : f32 to f16
  %d = arith.constant dense<[0x0001, 0xFC00]> : tensor<2xf16>
  %3 = amp.cast %d : tensor<2xf16> to tensor<2xf32>
  return %0, %1, %2, %3 : tensor<4xf16>, tensor<2xbf16>, f16, tensor<2xf32>
}

// -----

// Agreed once is agreed.
// CHECK-LABEL: func.func @agree_twice
// CHECK-SAME: %[[F:.*]]: tensor<i1>
func.func @agree_twice(%f: tensor<i1>) -> tensor<i1> {
  // CHECK: %[[A:.*]] = amp.all_reduce_found_inf %[[F]]
  // CHECK-NOT: amp.all_reduce_found_inf
  // CHECK: return %[[A]]
  %0 = amp.all_reduce_found_inf %f
  %1 = amp.all_reduce_found_inf %0
  return %1 : tensor<i1>
}

// -----

// Near miss: a constant on this rank says nothing about the others.
// CHECK-LABEL: func.func @agree_on_constant
func.func @agree_on_constant() -> tensor<i1> {
  // CHECK: amp.all_reduce_found_inf
  %false = arith.constant dense<false> : tensor<i1>
  %0 = amp.all_reduce_found_inf %false
  return %0 : tensor<i1>
}

// -----

// A master's copy is made where the program says, even of a constant.
// CHECK-LABEL: func.func @master_copy
func.func @master_copy() -> tensor<2xf16> {
  // CHECK: amp.master_copy
  %m = arith.constant dense<1.0> : tensor<2xf32>
  %0 = amp.master_copy %m : tensor<2xf32> to tensor<2xf16>
  return %0 : tensor<2xf16>
}
