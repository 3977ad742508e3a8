// RUN: amp-opt %s --split-input-file --amp-tile-sums | FileCheck %s
// RUN: amp-opt %s --split-input-file --amp-tile-sums=least=1 | FileCheck %s --check-prefix=ANY

// Two results of one pass, from what they start from; a loop of one tile, whose results are
// written whole.
// CHECK-LABEL: func @moments
// CHECK-SAME:    (%[[X:.*]]: tensor<4x256xf32>, %[[START:.*]]: tensor<4xf32>, %[[OTHER:.*]]: tensor<4x1xi32>)
// CHECK-DAG:   %[[E0:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-DAG:   %[[E1:.*]] = tensor.empty() : tensor<4x1xi32>
// CHECK:       %[[R:.*]]:2 = scf.forall (%{{.*}}) in (1) shared_outs(%[[R0:.*]] = %[[E0]], %[[R1:.*]] = %[[E1]])
// CHECK-NEXT:    %[[S:.*]]:2 = linalg.generic
// CHECK-SAME:      ins(%[[X]] : tensor<4x256xf32>) outs(%[[START]], %[[OTHER]] :
// CHECK:         tensor.parallel_insert_slice %[[S]]#0 into %[[R0]][0] [4] [1]
// CHECK-NEXT:    tensor.parallel_insert_slice %[[S]]#1 into %[[R1]][0, 0] [4, 1] [1, 1]
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @moments(%x: tensor<4x256xf32>, %start: tensor<4xf32>, %other: tensor<4x1xi32>) -> (tensor<4xf32>, tensor<4x1xi32>) {
  %zero = arith.constant 0.0 : f32
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x256xf32>) outs(%start, %other : tensor<4xf32>, tensor<4x1xi32>) {
  ^bb0(%a: f32, %o: f32, %p: i32):
    %s = arith.addf %o, %a : f32
    %is = arith.cmpf ogt, %a, %zero : f32
    %one = arith.extui %is : i1 to i32
    %n = arith.ori %one, %p : i32
    linalg.yield %s, %n : f32, i32
  } -> (tensor<4xf32>, tensor<4x1xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4x1xi32>
}

// -----

// Near misses: fewer elements than a warp has threads; a sum in half precision, whose order
// matters; and elements without a sum.
// CHECK-LABEL: func @left
// CHECK-NOT:   scf.forall
// ANY-LABEL:   func @left
// ANY-COUNT-1: = scf.forall
// ANY-NOT:     = scf.forall
func.func @left(%x: tensor<31xf32>, %h: tensor<512xf16>, %start: tensor<f32>, %half: tensor<f16>) -> (tensor<f32>, tensor<f16>, tensor<31xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<31xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%h : tensor<512xf16>) outs(%half : tensor<f16>) {
  ^bb0(%a: f16, %o: f16):
    %s = arith.addf %o, %a : f16
    linalg.yield %s : f16
  } -> tensor<f16>
  %e = tensor.empty() : tensor<31xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<31xf32>) outs(%e : tensor<31xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<31xf32>
  return %0, %1, %2 : tensor<f32>, tensor<f16>, tensor<31xf32>
}

// -----

// A sum for each thread of a block, and one more: those have threads of their own.
// CHECK-LABEL: func @many
// CHECK-COUNT-1: = scf.forall
// CHECK-NOT:     = scf.forall
// ANY-LABEL: func @many
func.func @many(%x: tensor<256x512xf32>, %y: tensor<257x512xf32>, %a: tensor<256xf32>, %b: tensor<257xf32>) -> (tensor<256xf32>, tensor<257xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<256x512xf32>) outs(%a : tensor<256xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %o, %e : f32
    linalg.yield %s : f32
  } -> tensor<256xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<257x512xf32>) outs(%b : tensor<257xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %o, %e : f32
    linalg.yield %s : f32
  } -> tensor<257xf32>
  return %0, %1 : tensor<256xf32>, tensor<257xf32>
}

// -----

// Sums that follow one another: a block for each eight, whose rows are whole sectors. They start from
// what the program says, and one loop walks neighbours in both results.
// CHECK-LABEL: func @columns
// CHECK-SAME:    (%[[X:.*]]: tensor<4x16x64xf32>, %[[START:.*]]: tensor<64xf32>, %[[OTHER:.*]]: tensor<64xf32>)
// CHECK:       %[[R:.*]]:2 = scf.forall (%[[I:.*]]) = (0) to (64) step (8) shared_outs(%[[R0:.*]] = %{{.*}}, %[[R1:.*]] = %{{.*}})
// CHECK-DAG:     %[[PART:.*]] = tensor.extract_slice %[[X]][0, 0, %[[I]]] [4, 16, 8] [1, 1, 1]
// CHECK-DAG:     %[[S0:.*]] = tensor.extract_slice %[[START]][%[[I]]] [8] [1]
// CHECK-DAG:     %[[S1:.*]] = tensor.extract_slice %[[OTHER]][%[[I]]] [8] [1]
// CHECK:         %[[S:.*]]:2 = linalg.generic
// CHECK-SAME:      ins(%[[PART]] : tensor<4x16x8xf32>) outs(%[[S0]], %[[S1]] :
// CHECK:         tensor.parallel_insert_slice %[[S]]#0 into %[[R0]][%[[I]]] [8] [1]
// CHECK-NEXT:    tensor.parallel_insert_slice %[[S]]#1 into %[[R1]][%[[I]]] [8] [1]
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @columns(%x: tensor<4x16x64xf32>, %start: tensor<64xf32>, %other: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(c, i, j) -> (i, j, c)>, affine_map<(c, i, j) -> (c)>, affine_map<(c, i, j) -> (c)>],
                         iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<4x16x64xf32>) outs(%start, %other : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %s = arith.addf %o, %a : f32
    %m = arith.maximumf %p, %a : f32
    linalg.yield %s, %m : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  return %0#0, %0#1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Eleven is the least number above eight that divides 33; results in different orders are one tile.
// CHECK-LABEL: func @steps
// CHECK:       scf.forall (%{{.*}}) = (0) to (33) step (11)
// CHECK:       scf.forall (%{{.*}}) in (1)
func.func @steps(%x: tensor<64x33xf32>, %y: tensor<64x4x16xf32>, %a: tensor<33xf32>, %b: tensor<4x16xf32>, %c: tensor<16x4xf32>)
    -> (tensor<33xf32>, tensor<4x16xf32>, tensor<16x4xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(c, i) -> (i, c)>, affine_map<(c, i) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x33xf32>) outs(%a : tensor<33xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %o, %e : f32
    linalg.yield %s : f32
  } -> tensor<33xf32>
  %1:2 = linalg.generic {indexing_maps = [affine_map<(c, d, i) -> (i, c, d)>, affine_map<(c, d, i) -> (c, d)>, affine_map<(c, d, i) -> (d, c)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y : tensor<64x4x16xf32>) outs(%b, %c : tensor<4x16xf32>, tensor<16x4xf32>) {
  ^bb0(%e: f32, %o: f32, %p: f32):
    %s = arith.addf %o, %e : f32
    %m = arith.maximumf %p, %e : f32
    linalg.yield %s, %m : f32, f32
  } -> (tensor<4x16xf32>, tensor<16x4xf32>)
  return %0, %1#0, %1#1 : tensor<33xf32>, tensor<4x16xf32>, tensor<16x4xf32>
}

// -----

// Near misses: columns that are read in reverse or several times, and a body that asks for its place. One tile
// has them all.
// CHECK-LABEL: func @other_reads
// CHECK-COUNT-3: scf.forall (%{{.*}}) in (1)
// CHECK-NOT:     scf.forall (
func.func @other_reads(%x: tensor<64x64xf32>, %y: tensor<64x6xf32>, %start: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(c, r) -> (r, -c + 63)>, affine_map<(c, r) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(c, r) -> (r, c floordiv 12)>, affine_map<(c, r) -> (r, c)>, affine_map<(c, r) -> (c)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%y, %x : tensor<64x6xf32>, tensor<64x64xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(c, r) -> (r, c)>, affine_map<(c, r) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x64xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %p = arith.mulf %a, %f : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
