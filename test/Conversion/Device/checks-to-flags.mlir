// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-checks-to-flags))" | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-checks-to-flags,cse))" | FileCheck %s --check-prefix=CSE

#id = affine_map<(i) -> (i)>


// Two assertions are two flags, each with what it needs; the host asks in front of the
// return, in their order.

// CHECK-LABEL: func @two
// CHECK-SAME:    (%[[ROWS:[a-z0-9]+]]: tensor<8xi32>
// CHECK:         %[[LOW:.*]] = linalg.generic {{{.*}}, iterator_types = ["reduction"]} ins(%[[ROWS]]
// CHECK-NEXT:    ^bb0(%[[ROW:.*]]: i32, %[[OUT:.*]]: i1):
// CHECK-NEXT:      %[[C:.*]] = arith.cmpi sge, %[[ROW]]
// CHECK-NEXT:      %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      %[[NOT:.*]] = arith.xori %[[C]], %[[TRUE]]
// CHECK-NEXT:      %[[ANY:.*]] = arith.ori %[[OUT]], %[[NOT]]
// CHECK-NEXT:      linalg.yield %[[ANY]]
// CHECK:         %[[HIGH:.*]] = linalg.generic {{{.*}}, iterator_types = ["reduction"]} ins(%[[ROWS]]
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.cmpi slt
// CHECK-NOT:       arith.cmpi
// CHECK:         %[[RESULT:.*]] = linalg.exp
// CHECK:         %[[L:.*]] = tensor.extract %[[LOW]][]
// CHECK:         %[[L1:.*]] = arith.xori %[[L]]
// CHECK:         cf.assert %[[L1]], "below"
// CHECK:         %[[H:.*]] = tensor.extract %[[HIGH]][]
// CHECK:         %[[H1:.*]] = arith.xori %[[H]]
// CHECK:         cf.assert %[[H1]], "above"
// CHECK-NEXT:    return %[[RESULT]]
func.func @two(%rows: tensor<8xi32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c5 = arith.constant 5 : i32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%rows : tensor<8xi32>) {
  ^bb0(%row: i32):
    %low = arith.cmpi sge, %row, %c0 : i32
    cf.assert %low, "below"
    %high = arith.cmpi slt, %row, %c5 : i32
    cf.assert %high, "above"
    linalg.yield
  }
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What is asserted twice is computed once.

// CSE-LABEL: func @twice
// CSE:         linalg.generic
// CSE-NOT:     linalg.generic
// CSE:         return
func.func @twice(%rows: tensor<8xi32>) {
  %c0 = arith.constant 0 : i32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%rows : tensor<8xi32>) {
  ^bb0(%row: i32):
    %low = arith.cmpi sge, %row, %c0 : i32
    cf.assert %low, "below"
    linalg.yield
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%rows : tensor<8xi32>) {
  ^bb0(%row: i32):
    %low = arith.cmpi sge, %row, %c0 : i32
    cf.assert %low, "below"
    linalg.yield
  }
  return
}

// Of no loops, and a condition from outside of the body.

// CHECK-LABEL: func @outside
// CHECK-SAME:    %[[C:[a-z0-9]+]]: i1
// CHECK:         linalg.generic {{{.*}}, iterator_types = []}
// CHECK:           arith.xori %[[C]]
// CHECK:         cf.assert %{{.*}}, "outside"
// CHECK-NEXT:    return
func.func @outside(%x: tensor<i32>, %c: i1) {
  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} ins(%x : tensor<i32>) {
  ^bb0(%in: i32):
    cf.assert %c, "outside"
    linalg.yield
  }
  return
}

// What computes as well is not a check yet: amp-separate-asserts makes one.

// CHECK-LABEL: func @computes
// CHECK-NOT:     tensor<i1>
// CHECK:         cf.assert
// CHECK-NEXT:    linalg.yield
func.func @computes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.cmpf one, %in, %zero : f32
    cf.assert %c, "zero"
    linalg.yield %in : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Whether the check of a branch is asked, the branch says.

// CHECK-LABEL: func @branch
// CHECK-NOT:     tensor<i1>
// CHECK:         scf.if
// CHECK:           cf.assert
// CHECK-NEXT:      linalg.yield
func.func @branch(%rows: tensor<8xi32>, %asked: i1) {
  %c0 = arith.constant 0 : i32
  scf.if %asked {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%rows : tensor<8xi32>) {
    ^bb0(%row: i32):
      %low = arith.cmpi sge, %row, %c0 : i32
      cf.assert %low, "below"
      linalg.yield
    }
  }
  return
}

// On buffers it is late for flags.

// CHECK-LABEL: func @buffers
// CHECK-NOT:     tensor<i1>
// CHECK:         cf.assert
// CHECK-NEXT:    linalg.yield
func.func @buffers(%rows: memref<8xi32>) {
  %c0 = arith.constant 0 : i32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%rows : memref<8xi32>) {
  ^bb0(%row: i32):
    %low = arith.cmpi sge, %row, %c0 : i32
    cf.assert %low, "below"
    linalg.yield
  }
  return
}
