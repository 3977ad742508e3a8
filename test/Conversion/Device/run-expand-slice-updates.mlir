// Elements give the bits of slices, in the order of the rows: with rows that meet.

// RUN: amp-opt %s --pass-pipeline="builtin.module(%tensors_to_llvm)" | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so > %t.slices
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-expand-slice-updates),%tensors_to_llvm)" | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | diff %t.slices -
// RUN: FileCheck %s < %t.slices

// All are taken apart.
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-expand-slice-updates))" | FileCheck %s --check-prefix=FLAT
// FLAT-NOT: tensor.insert_slice
// FLAT-NOT: linalg.generic

// 0.5 is 1 + 1e8 - 1e8 + 0.5 in this order alone; the elements of a row change places.
// CHECK: 0.5
// CHECK-NEXT: 2.25
// CHECK-NEXT: 0
// CHECK-NEXT: 0
// CHECK-NEXT: 4
// CHECK-NEXT: 5
// CHECK-NEXT: 2050
// CHECK-NEXT: 1.875
// CHECK-NEXT: 0.0999756
// CHECK-NEXT: 2050
func.func private @rows(%at: tensor<4xindex>, %rows: tensor<4x2xf32>, %table: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%to = %table) -> (tensor<3x2xf32>) {
    %n = tensor.extract %at[%i] : tensor<4xindex>
    %x = tensor.extract_slice %rows[%i, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<2xf32>
    %y = tensor.extract_slice %to[%n, 0] [1, 2] [1, 1] : tensor<3x2xf32> to tensor<2xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<2xf32>) outs(%y : tensor<2xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %b, %a : f32
      linalg.yield %s : f32
    } -> tensor<2xf32>
    %next = tensor.insert_slice %z into %to[%n, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<3x2xf32>
    scf.yield %next : tensor<3x2xf32>
  }
  return %r : tensor<3x2xf32>
}

// Each sum is rounded to f16, and so is what it starts from: 2048 + 1 is 2048.
func.func private @rounded(%at: tensor<4xindex>, %rows: tensor<4x2xf32>, %table: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<2xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%to = %table) -> (tensor<3x2xf32>) {
    %n = tensor.extract %at[%i] : tensor<4xindex>
    %x = tensor.extract_slice %rows[%i, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<2xf32>
    %y = tensor.extract_slice %to[%n, 0] [1, 2] [1, 1] : tensor<3x2xf32> to tensor<2xf32>
    %h = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%y : tensor<2xf32>) outs(%e : tensor<2xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.truncf %a : f32 to f16
      %w = arith.extf %s : f16 to f32
      linalg.yield %w : f32
    } -> tensor<2xf32>
    %z:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
        ins(%x : tensor<2xf32>) outs(%h, %e : tensor<2xf32>, tensor<2xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %s = arith.addf %b, %a : f32
      %t = arith.truncf %s : f32 to f16
      %w = arith.extf %t : f16 to f32
      linalg.yield %s, %w : f32, f32
    } -> (tensor<2xf32>, tensor<2xf32>)
    %next = tensor.insert_slice %z#1 into %to[%n, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<3x2xf32>
    scf.yield %next : tensor<3x2xf32>
  }
  return %r : tensor<3x2xf32>
}

func.func private @halves(%x: tensor<2x2xf32>, %init: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<1xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%to = %init) -> (tensor<3x2xf32>) {
    %j = arith.subi %c1, %i : index
    %a = tensor.extract_slice %x[1, %j] [1, 1] [1, 1] : tensor<2x2xf32> to tensor<1xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<1xf32>) outs(%e : tensor<1xf32>) {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<1xf32>
    %next = tensor.insert_slice %z into %to[2, %i] [1, 1] [1, 1] : tensor<1xf32> into tensor<3x2xf32>
    scf.yield %next : tensor<3x2xf32>
  }
  return %r : tensor<3x2xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %at = arith.constant dense<[0, 0, 0, 0]> : tensor<4xindex>
  %rows = arith.constant dense<[[1.0, 1.0], [1.0e8, 0.5], [-1.0e8, 0.25], [0.5, 0.5]]> : tensor<4x2xf32>
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %x = arith.constant dense<[[1.0, 2.0], [5.0, 4.0]]> : tensor<2x2xf32>
  %0 = call @rows(%at, %rows, %zero) : (tensor<4xindex>, tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = call @halves(%x, %0) : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %element = tensor.extract %1[%i, %j] : tensor<3x2xf32>
      vector.print %element : f32
    }
  }
  %same = arith.constant dense<[1, 1, 1, 2]> : tensor<4xindex>
  %more = arith.constant dense<[[1.0, 0.5], [1.0, 0.25], [2.0, 0.125], [0.1, 3.0]]> : tensor<4x2xf32>
  %old = arith.constant dense<[[0.0, 0.0], [2048.0, 1.0], [0.0, 2047.0]]> : tensor<3x2xf32>
  %2 = call @rounded(%same, %more, %old) : (tensor<4xindex>, tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  scf.for %i = %c1 to %c3 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %element = tensor.extract %2[%i, %j] : tensor<3x2xf32>
      vector.print %element : f32
    }
  }
  return
}
