// RUN: amp-opt %s --amp-round-before-moves --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// All that the body computes, with what is known of the operation, is in front of the move.
// CHECK-LABEL: func @gradient
// CHECK-SAME:    %[[OUT:[^ ]*]]: tensor<6x4xf16>)
// CHECK:       %[[SUM:.*]] = linalg.matmul
// CHECK:       %[[E:.*]] = tensor.empty() : tensor<4x6xf16>
// CHECK:       %[[R:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ID]]]
// CHECK-SAME:    ins(%[[SUM]] : tensor<4x6xf32>) outs(%[[E]] : tensor<4x6xf16>) attrs = {amp.scope = "linear"}
// CHECK:         arith.mulf
// CHECK:         arith.truncf
// CHECK:       %[[T:.*]] = linalg.generic {indexing_maps = [#[[TURNED]], #[[ID]]]
// CHECK-SAME:    ins(%[[R]] : tensor<4x6xf16>) outs(%[[OUT]] : tensor<6x4xf16>)
// CHECK-NEXT:  ^bb0(%[[IN:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT:    linalg.yield %[[IN]]
// CHECK:       return %[[T]]
func.func @gradient(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %zero: tensor<4x6xf32>, %scale: f32, %out: tensor<6x4xf16>) -> tensor<6x4xf16> {
  %sum = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>) outs(%zero : tensor<4x6xf32>) -> tensor<4x6xf32>
  %g = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<4x6xf32>) outs(%out : tensor<6x4xf16>) attrs = {amp.scope = "linear"} {
  ^bb0(%s: f32, %o: f16):
    %m = arith.mulf %s, %scale : f32
    %h = arith.truncf %m : f32 to f16
    linalg.yield %h : f16
  } -> tensor<6x4xf16>
  return %g : tensor<6x4xf16>
}

// -----

// Written in another order instead.
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func @written
// CHECK:       tensor.empty() : tensor<4x6xf16>
// CHECK:       linalg.generic {{.*}}outs(%{{.*}} : tensor<4x6xf16>)
// CHECK:         arith.truncf
// CHECK:       linalg.generic {{.*}}ins(%{{.*}} : tensor<4x6xf16>) outs(%{{.*}} : tensor<6x4xf16>)
func.func @written(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %zero: tensor<4x6xf32>, %out: tensor<6x4xf16>) -> tensor<6x4xf16> {
  %sum = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>) outs(%zero : tensor<4x6xf32>) -> tensor<4x6xf32>
  %g = linalg.generic {indexing_maps = [#id, #turned], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<4x6xf32>) outs(%out : tensor<6x4xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<6x4xf16>
  return %g : tensor<6x4xf16>
}

// -----

// Near misses: in the order of the contraction; as wide; read elsewhere, too; of no contraction;
// with another operand; with an index; of a result so far; a mask, which kernels do not store.
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#column = affine_map<(i, j) -> (j)>

// CHECK-LABEL: func @near_misses
// CHECK-NOT:   tensor.empty
func.func @near_misses(%a: tensor<6x6xf16>, %zero: tensor<6x6xf32>, %bias: tensor<6xf32>, %out: tensor<6x6xf16>, %wide: tensor<6x6xf32>, %bits: tensor<6x6xi1>)
    -> (tensor<6x6xf16>, tensor<6x6xf32>, tensor<6x6xf16>, tensor<6x6xf32>, tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xi1>) {
  %0 = linalg.matmul ins(%a, %a : tensor<6x6xf16>, tensor<6x6xf16>) outs(%zero : tensor<6x6xf32>) -> tensor<6x6xf32>
  %in_order = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<6x6xf32>) outs(%out : tensor<6x6xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<6x6xf16>
  %1 = linalg.matmul ins(%a, %a : tensor<6x6xf16>, tensor<6x6xf16>) outs(%zero : tensor<6x6xf32>) -> tensor<6x6xf32>
  %as_wide = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<6x6xf32>) outs(%wide : tensor<6x6xf32>) {
  ^bb0(%s: f32, %o: f32):
    %h = arith.negf %s : f32
    linalg.yield %h : f32
  } -> tensor<6x6xf32>
  %2 = linalg.matmul ins(%a, %a : tensor<6x6xf16>, tensor<6x6xf16>) outs(%zero : tensor<6x6xf32>) -> tensor<6x6xf32>
  %read_twice = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<6x6xf32>) outs(%out : tensor<6x6xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<6x6xf16>
  %of_an_argument = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%wide : tensor<6x6xf32>) outs(%out : tensor<6x6xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<6x6xf16>
  %4 = linalg.matmul ins(%a, %a : tensor<6x6xf16>, tensor<6x6xf16>) outs(%zero : tensor<6x6xf32>) -> tensor<6x6xf32>
  %with_bias = linalg.generic {indexing_maps = [#turned, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%4, %bias : tensor<6x6xf32>, tensor<6xf32>) outs(%out : tensor<6x6xf16>) {
  ^bb0(%s: f32, %b: f32, %o: f16):
    %t = arith.addf %s, %b : f32
    %h = arith.truncf %t : f32 to f16
    linalg.yield %h : f16
  } -> tensor<6x6xf16>
  %5 = linalg.matmul ins(%a, %a : tensor<6x6xf16>, tensor<6x6xf16>) outs(%zero : tensor<6x6xf32>) -> tensor<6x6xf32>
  %with_index = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%5 : tensor<6x6xf32>) outs(%out : tensor<6x6xf16>) {
  ^bb0(%s: f32, %o: f16):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %t = arith.mulf %s, %f : f32
    %h = arith.truncf %t : f32 to f16
    linalg.yield %h : f16
  } -> tensor<6x6xf16>
  %6 = linalg.matmul ins(%a, %a : tensor<6x6xf16>, tensor<6x6xf16>) outs(%zero : tensor<6x6xf32>) -> tensor<6x6xf32>
  %so_far = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%6 : tensor<6x6xf32>) outs(%out : tensor<6x6xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    %t = arith.addf %h, %o : f16
    linalg.yield %t : f16
  } -> tensor<6x6xf16>
  %7 = linalg.matmul ins(%a, %a : tensor<6x6xf16>, tensor<6x6xf16>) outs(%zero : tensor<6x6xf32>) -> tensor<6x6xf32>
  %mask = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%7 : tensor<6x6xf32>) outs(%bits : tensor<6x6xi1>) {
  ^bb0(%s: f32, %o: i1):
    %h = arith.cmpf ogt, %s, %s : f32
    linalg.yield %h : i1
  } -> tensor<6x6xi1>
  return %in_order, %as_wide, %read_twice, %2, %of_an_argument, %with_bias, %with_index, %so_far, %mask
      : tensor<6x6xf16>, tensor<6x6xf32>, tensor<6x6xf16>, tensor<6x6xf32>, tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xf16>, tensor<6x6xi1>
}

// -----

// A near miss: extents that only a run knows.
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func @unknown
// CHECK-NOT:   tensor.empty
func.func @unknown(%a: tensor<?x8xf16>, %b: tensor<8x6xf16>, %zero: tensor<?x6xf32>, %out: tensor<6x?xf16>) -> tensor<6x?xf16> {
  %sum = linalg.matmul ins(%a, %b : tensor<?x8xf16>, tensor<8x6xf16>) outs(%zero : tensor<?x6xf32>) -> tensor<?x6xf32>
  %g = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?x6xf32>) outs(%out : tensor<6x?xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<6x?xf16>
  return %g : tensor<6x?xf16>
}
