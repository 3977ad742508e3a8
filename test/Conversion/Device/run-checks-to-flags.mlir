// Checks that hold leave what is computed as it is. One that does not stops the program
// before its function returns. (Of a program that aborts, what puts has said may be lost.)

// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-checks-to-flags),%tensors_to_llvm)" > %t.mlir
// RUN: mlir-runner %t.mlir -e right --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s --check-prefix=RIGHT
// RUN: not --crash mlir-runner %t.mlir -e wrong --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so 2>&1 | FileCheck %s --check-prefix=WRONG

// RIGHT: {{^}}7{{$}}
// WRONG-NOT: {{^}}7{{$}}
// WRONG:     mlir-runner
// WRONG-NOT: {{^}}7{{$}}

func.func private @check(%rows: tensor<3xi32>) -> i32 {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%rows : tensor<3xi32>) {
  ^bb0(%row: i32):
    %low = arith.cmpi sge, %row, %c0 : i32
    cf.assert %low, "negative row"
    linalg.yield
  }
  return %c7 : i32
}

func.func @right() {
  %rows = arith.constant dense<[0, 5, 2]> : tensor<3xi32>
  %0 = func.call @check(%rows) : (tensor<3xi32>) -> i32
  vector.print %0 : i32
  return
}

func.func @wrong() {
  %rows = arith.constant dense<[0, -5, 2]> : tensor<3xi32>
  %0 = func.call @check(%rows) : (tensor<3xi32>) -> i32
  vector.print %0 : i32
  return
}
