// RUN: amp-opt %s --linalg-generalize-named-ops --amp-join-summed-products --split-input-file | FileCheck %s

#transposed = affine_map<(i, j, k) -> (k, i)>
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Three products, of sums of 2, 3 and 1: one of a sum of 6, in the order of the additions.
// CHECK-LABEL: func @three
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<2x8xf32>, %[[A:[^:]*]]: tensor<2x9xf32>, %[[Y:[^:]*]]: tensor<3x8xf32>, %[[B:[^:]*]]: tensor<3x9xf32>,
// CHECK-SAME:     %[[Z:[^:]*]]: tensor<1x8xf32>, %[[C:[^:]*]]: tensor<1x9xf32>)
// CHECK:         %[[ZERO:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x9xf32>)
// CHECK:         %[[L0:.*]] = tensor.insert_slice %[[X]] into %{{.*}}[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<6x8xf32>
// CHECK:         %[[L1:.*]] = tensor.insert_slice %[[Y]] into %[[L0]][2, 0] [3, 8]
// CHECK:         %[[L2:.*]] = tensor.insert_slice %[[Z]] into %[[L1]][5, 0] [1, 8]
// CHECK:         %[[R0:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[0, 0] [2, 9] [1, 1] : tensor<2x9xf32> into tensor<6x9xf32>
// CHECK:         %[[R1:.*]] = tensor.insert_slice %[[B]] into %[[R0]][2, 0] [3, 9]
// CHECK:         %[[R2:.*]] = tensor.insert_slice %[[C]] into %[[R1]][5, 0] [1, 9]
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%[[L2]], %[[R2]] : tensor<6x8xf32>, tensor<6x9xf32>) outs(%[[ZERO]] :
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[P]]
func.func @three(%x: tensor<2x8xf32>, %a: tensor<2x9xf32>, %y: tensor<3x8xf32>, %b: tensor<3x9xf32>,
                 %z: tensor<1x8xf32>, %c: tensor<1x9xf32>) -> tensor<8x9xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x9xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x9xf32>) -> tensor<8x9xf32>
  %p = linalg.matmul indexing_maps = [#transposed, #columns, #result]
      ins(%x, %a : tensor<2x8xf32>, tensor<2x9xf32>) outs(%zero : tensor<8x9xf32>) -> tensor<8x9xf32>
  %q = linalg.matmul indexing_maps = [#transposed, #columns, #result]
      ins(%y, %b : tensor<3x8xf32>, tensor<3x9xf32>) outs(%zero : tensor<8x9xf32>) -> tensor<8x9xf32>
  %r = linalg.matmul indexing_maps = [#transposed, #columns, #result]
      ins(%z, %c : tensor<1x8xf32>, tensor<1x9xf32>) outs(%zero : tensor<8x9xf32>) -> tensor<8x9xf32>
  %s = linalg.add ins(%p, %q : tensor<8x9xf32>, tensor<8x9xf32>) outs(%e : tensor<8x9xf32>) -> tensor<8x9xf32>
  %t = linalg.add ins(%s, %r : tensor<8x9xf32>, tensor<8x9xf32>) outs(%e : tensor<8x9xf32>) -> tensor<8x9xf32>
  return %t : tensor<8x9xf32>
}

// -----

#transposed = affine_map<(i, j, k) -> (k, i)>
#rows = affine_map<(i, j, k) -> (i, k)>
#columns = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// What is no product, and products with operands in another order, stay in their places.
// CHECK-LABEL: func @among_others
// CHECK-SAME:    (%[[D:[^:]*]]: tensor<8x8xf32>,
// CHECK:         %[[OTHER:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x2xf32>, tensor<2x8xf32>)
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%[[D]], %[[P]] :
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[OTHER]] :
// CHECK:         return %[[T]]
func.func @among_others(%d: tensor<8x8xf32>, %x: tensor<2x8xf32>, %y: tensor<2x8xf32>, %z: tensor<8x2xf32>,
                        %w: tensor<2x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul indexing_maps = [#transposed, #columns, #result]
      ins(%x, %w : tensor<2x8xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = linalg.matmul ins(%z, %w : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul indexing_maps = [#transposed, #columns, #result]
      ins(%y, %w : tensor<2x8xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%d, %p : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.add ins(%o, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %u = linalg.add ins(%s, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %u : tensor<8x8xf32>
}

// -----

// Batches: the sum is another dimension of each operand.
// CHECK-LABEL: func @batches
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x8x4xf32>, tensor<3x4x8xf32>)
// CHECK-NOT:     arith.addf %in, %in
func.func @batches(%x: tensor<3x8x2xf32>, %a: tensor<3x2x8xf32>, %y: tensor<3x8x2xf32>, %b: tensor<3x2x8xf32>)
    -> tensor<3x8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %p = linalg.batch_matmul ins(%x, %a : tensor<3x8x2xf32>, tensor<3x2x8xf32>) outs(%zero : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %q = linalg.batch_matmul ins(%y, %b : tensor<3x8x2xf32>, tensor<3x2x8xf32>) outs(%zero : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<3x8x8xf32>, tensor<3x8x8xf32>) outs(%e : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  return %s : tensor<3x8x8xf32>
}

// -----

// Operands of 2 * 5 * (8 + 8) elements for one result of 64: copying them would move more.
// CHECK-LABEL: func @long_sums
// CHECK-NOT:     tensor.insert_slice
func.func @long_sums(%x: tensor<8x5xf32>, %a: tensor<5x8xf32>, %y: tensor<8x5xf32>, %b: tensor<5x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x5xf32>, tensor<5x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%y, %b : tensor<8x5xf32>, tensor<5x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

// A product that is read otherwise, too, and one that starts from something.
// CHECK-LABEL: func @read_and_started
// CHECK-NOT:     tensor.insert_slice
func.func @read_and_started(%x: tensor<8x2xf32>, %a: tensor<2x8xf32>, %start: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%start : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.add ins(%s, %r : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %t, %p : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A part of the sum that is a result itself: two sums, of one product and of two.
// CHECK-LABEL: func @partial_sum
// CHECK-NOT:     tensor.insert_slice
func.func @partial_sum(%x: tensor<8x2xf32>, %a: tensor<2x8xf32>, %d: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %d : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.add ins(%s, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s, %t : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Each product is rounded before it is added.
// CHECK-LABEL: func @rounded
// CHECK-NOT:     tensor.insert_slice
func.func @rounded(%x: tensor<8x2xf32>, %a: tensor<2x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%b: f32, %c: f32, %o: f32):
    %n = arith.truncf %b : f32 to bf16
    %w = arith.extf %n : bf16 to f32
    %v = arith.addf %w, %c : f32
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

// Of halves, with sums of f32: joins. Of halves and of f32: does not.
// CHECK-LABEL: func @halves
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x4xf16>, tensor<4x8xf16>)
func.func @halves(%x: tensor<8x2xf16>, %a: tensor<2x8xf16>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x2xf16>, tensor<2x8xf16>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%x, %a : tensor<8x2xf16>, tensor<2x8xf16>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// CHECK-LABEL: func @of_two_types
// CHECK-NOT:     tensor.insert_slice
func.func @of_two_types(%x: tensor<8x2xf16>, %a: tensor<2x8xf16>, %y: tensor<8x2xf32>, %b: tensor<2x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x2xf16>, tensor<2x8xf16>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%y, %b : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

// Of unknown extents, and along two loops.
// CHECK-LABEL: func @unknown
// CHECK-NOT:     tensor.insert_slice
func.func @unknown(%x: tensor<8x?xf32>, %a: tensor<?x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x?xf32>, tensor<?x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%x, %a : tensor<8x?xf32>, tensor<?x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// CHECK-LABEL: func @two_loops
// CHECK-NOT:     tensor.insert_slice
func.func @two_loops(%x: tensor<2x8x1xf32>, %a: tensor<2x1x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.batch_reduce_matmul ins(%x, %a : tensor<2x8x1xf32>, tensor<2x1x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.batch_reduce_matmul ins(%x, %a : tensor<2x8x1xf32>, tensor<2x1x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

// Rows at twice an index: operands of 15 and of 16 rows have as many loops.
// CHECK-LABEL: func @other_rows
// CHECK-NOT:     tensor.insert_slice
func.func @other_rows(%x: tensor<15x2xf32>, %a: tensor<2x8xf32>, %y: tensor<16x2xf32>, %b: tensor<2x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i * 2, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %a : tensor<15x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i * 2, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %b : tensor<16x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

// Products in front of a loop stay there.
// CHECK-LABEL: func @in_front_of_a_loop
// CHECK:         scf.for
// CHECK-NOT:       tensor.insert_slice
// CHECK:         return
func.func @in_front_of_a_loop(%x: tensor<8x2xf32>, %a: tensor<2x8xf32>, %n: index, %start: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = scf.for %i = %i0 to %n step %i1 iter_args(%held = %start) -> (tensor<8x8xf32>) {
    %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %s : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

// A sum whose extents nobody knows, of products of known ones; and one from 0 and one from -0, whose sum is 0.
// CHECK-LABEL: func @unknown_sum
// CHECK-NOT:     tensor.insert_slice
func.func @unknown_sum(%x: tensor<8x2xf32>, %a: tensor<2x8xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// CHECK-LABEL: func @negative_zero
// CHECK-NOT:     tensor.insert_slice
func.func @negative_zero(%x: tensor<8x2xf32>, %a: tensor<2x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %n0 = arith.constant -0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %negative = linalg.fill ins(%n0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%negative : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%x, %a : tensor<8x2xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.add ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
