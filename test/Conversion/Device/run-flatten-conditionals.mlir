// Selects give the bits of the branches: NaNs with their payloads, both zeros, numbers.

// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(convert-elementwise-to-linalg),%tensors_to_llvm)" | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so > %t.branches
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-flatten-conditionals,convert-elementwise-to-linalg),%tensors_to_llvm)" | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | diff %t.branches -
// RUN: FileCheck %s < %t.branches

// Both are taken apart.
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-flatten-conditionals))" | FileCheck %s --check-prefix=FLAT
// FLAT-NOT: scf.if

func.func private @step(%found: tensor<i1>, %old: tensor<6xf32>, %grad: tensor<6xf32>, %count: tensor<i32>) -> (tensor<6xf32>, i32) {
  %c1 = arith.constant 1 : i32
  %c = tensor.extract %found[] : tensor<i1>
  %n = tensor.extract %count[] : tensor<i32>
  %0:2 = scf.if %c -> (tensor<6xf32>, i32) {
    scf.yield %old, %n : tensor<6xf32>, i32
  } else {
    %new = arith.subf %old, %grad : tensor<6xf32>
    %next = arith.addi %n, %c1 : i32
    scf.yield %new, %next : tensor<6xf32>, i32
  }
  return %0#0, %0#1 : tensor<6xf32>, i32
}

func.func private @print(%x: tensor<6xf32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c6 step %c1 {
    %element = tensor.extract %x[%i] : tensor<6xf32>
    %bits = arith.bitcast %element : f32 to i32
    vector.print %bits : i32
  }
  vector.print %n : i32
  return
}

// CHECK:      {{^}}2143289345{{$}}
// CHECK-NEXT: {{^}}-2147483648{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}1065353216{{$}}
// CHECK-NEXT: {{^}}2139095040{{$}}
// CHECK-NEXT: {{^}}1{{$}}
// CHECK-NEXT: {{^}}41{{$}}
// CHECK-NEXT: {{^}}2143289345{{$}}
// CHECK-NEXT: {{^}}-2147483648{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}-1082130432{{$}}
// CHECK-NEXT: {{^}}-4194304{{$}}
// CHECK-NEXT: {{^}}1{{$}}
// CHECK-NEXT: {{^}}42{{$}}
func.func @main() {
  %old = arith.constant dense<[0x7FC00001, -0.0, 0.0, 1.0, 0x7F800000, 0x00000001]> : tensor<6xf32>
  %grad = arith.constant dense<[1.0, 0.0, 0.0, 2.0, 0x7F800000, 0.0]> : tensor<6xf32>
  %count = arith.constant dense<41> : tensor<i32>
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %0:2 = func.call @step(%yes, %old, %grad, %count) : (tensor<i1>, tensor<6xf32>, tensor<6xf32>, tensor<i32>) -> (tensor<6xf32>, i32)
  func.call @print(%0#0, %0#1) : (tensor<6xf32>, i32) -> ()
  %1:2 = func.call @step(%no, %old, %grad, %count) : (tensor<i1>, tensor<6xf32>, tensor<6xf32>, tensor<i32>) -> (tensor<6xf32>, i32)
  func.call @print(%1#0, %1#1) : (tensor<6xf32>, i32) -> ()
  return
}
