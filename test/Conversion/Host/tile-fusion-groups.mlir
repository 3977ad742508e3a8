// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups))" | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{close-bytes=1024}))" \
// RUN:   | FileCheck %s --check-prefix=SMALL

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

// A softmax: maximum, exponentials, their sum and quotients, tiles of 2 rows. The
// fills are in the tile, and nothing but the result leaves it.

// CHECK-LABEL: func @softmax
// CHECK:       %[[RESULT:.*]] = scf.forall (%[[ROW:.*]]) = (0) to (64) step (2) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<64x512xf32>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK:         %[[ROWS:.*]] = tensor.extract_slice %arg0[%[[ROW]], 0] [2, 512] [1, 1]
// CHECK:         linalg.generic {{.*}}"reduction"]} ins(%[[ROWS]] : tensor<2x512xf32>) outs(%{{.*}} : tensor<2xf32>)
// CHECK:         math.exp
// CHECK:         linalg.generic {{.*}}"reduction"]}
// CHECK:         arith.divf
// CHECK:         tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[ROW]], 0] [2, 512] [1, 1]
// CHECK-NOT:     tensor.parallel_insert_slice
// CHECK:       return %[[RESULT]]

// A row has 2 KiB: none fits in 1.
// SMALL-LABEL: func @softmax
// SMALL-NOT:     scf.forall
// SMALL:         return
func.func @softmax(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %column = tensor.empty() : tensor<64xf32>
  %full = tensor.empty() : tensor<64x512xf32>
  %start = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%column : tensor<64xf32>) {
  ^bb0(%out: f32):
    linalg.yield %least : f32
  } -> tensor<64xf32>
  %max = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<64x512xf32>, tensor<64xf32>) outs(%full : tensor<64x512xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x512xf32>
  %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%column : tensor<64xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<64x512xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %result = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<64x512xf32>, tensor<64xf32>) outs(%full : tensor<64x512xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %result : tensor<64x512xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>

// One update of a moment and of a parameter: one body with both results, and each
// gradient is read once.

// CHECK-LABEL: func @update
// CHECK:       scf.forall
// CHECK:         tensor.extract_slice %arg2
// CHECK-NOT:     tensor.extract_slice %arg2
// CHECK:         %[[BOTH:.*]]:2 = linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK-DAG:     tensor.parallel_insert_slice %[[BOTH]]#0
// CHECK-DAG:     tensor.parallel_insert_slice %[[BOTH]]#1
func.func @update(%p: tensor<256x512xf32>, %m: tensor<256x512xf32>, %g: tensor<256x512xf32>)
    -> (tensor<256x512xf32>, tensor<256x512xf32>) {
  %beta = arith.constant 0.9 : f32
  %empty = tensor.empty() : tensor<256x512xf32>
  %moment = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%m, %g : tensor<256x512xf32>, tensor<256x512xf32>) outs(%empty : tensor<256x512xf32>) {
  ^bb0(%in: f32, %grad: f32, %out: f32):
    %0 = arith.mulf %in, %beta : f32
    %1 = arith.addf %0, %grad : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  %param = linalg.generic {indexing_maps = [#ij, #ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%p, %moment, %moment : tensor<256x512xf32>, tensor<256x512xf32>, tensor<256x512xf32>)
      outs(%empty : tensor<256x512xf32>) {
  ^bb0(%in: f32, %step: f32, %again: f32, %out: f32):
    %0 = arith.mulf %step, %again : f32
    %1 = arith.subf %in, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  return %param, %moment : tensor<256x512xf32>, tensor<256x512xf32>
}

// What reads rows of what another writes in columns shares no loop with it, unless
// a tile holds all of the other.

// CHECK-LABEL: func @transposed
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @transposed(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %empty = tensor.empty() : tensor<512x512xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<512x512xf32>) outs(%empty : tensor<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<512x512xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #ji, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %exp : tensor<512x512xf32>, tensor<512x512xf32>) outs(%empty : tensor<512x512xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.addf %in, %other : f32
    linalg.yield %0 : f32
  } -> tensor<512x512xf32>
  return %sum : tensor<512x512xf32>
}

// -----

#nchw = affine_map<(n, c, h, w) -> (n, c, h, w)>
#c = affine_map<(n, c, h, w) -> (c)>
#unit = affine_map<(n, c, h, w) -> (0, c, 0, 0)>

// Channels: sums over images and pixels, and reshapes that add extents of 1 are the
// same loops on both sides.

// CHECK-LABEL: func @channels
// CHECK:       scf.forall (%[[C:.*]]) in (64)
// CHECK:         tensor.extract_slice %arg0[0, %[[C]], 0, 0] [8, 1, 16, 16]
// CHECK:         linalg.generic {{.*}}"reduction", "parallel", "reduction", "reduction"]}
// CHECK:         %[[SUM:.*]] = tensor.expand_shape %{{.*}} : tensor<1xf32> into tensor<1x1x1x1xf32>
// CHECK:         linalg.generic {{.*}}ins(%{{.*}}, %[[SUM]] :
func.func @channels(%x: tensor<8x64x16x16xf32>) -> tensor<8x64x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : tensor<64xf32>
  %zeros = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      outs(%sums : tensor<64xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#nchw, #c],
                         iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x : tensor<8x64x16x16xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %expanded = tensor.expand_shape %sum [[0, 1, 2, 3]] output_shape [1, 64, 1, 1]
      : tensor<64xf32> into tensor<1x64x1x1xf32>
  %empty = tensor.empty() : tensor<8x64x16x16xf32>
  %0 = linalg.generic {indexing_maps = [#nchw, #unit, #nchw],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %expanded : tensor<8x64x16x16xf32>, tensor<1x64x1x1xf32>) outs(%empty : tensor<8x64x16x16xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %1 = arith.subf %in, %s : f32
    linalg.yield %1 : f32
  } -> tensor<8x64x16x16xf32>
  return %0 : tensor<8x64x16x16xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// What stands between two operations of a group goes in front of it or behind it;
// what takes from one and gives to the other keeps them apart.

// CHECK-LABEL: func @order
// CHECK:         %[[BEFORE:.*]] = call @other(%arg0)
// CHECK:         %[[GROUP:.*]]:2 = scf.forall
// CHECK:         %[[AFTER:.*]] = call @other(%[[GROUP]]#0)
// CHECK:         return %[[GROUP]]#1, %[[BEFORE]], %[[AFTER]]
func.func private @other(tensor<64x512xf32>) -> tensor<64x512xf32>
func.func @order(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>) {
  %empty = tensor.empty() : tensor<64x512xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  %before = call @other(%x) : (tensor<64x512xf32>) -> tensor<64x512xf32>
  %after = call @other(%exp) : (tensor<64x512xf32>) -> tensor<64x512xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %x, %before : tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>)
      outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32, %out: f32):
    %0 = arith.addf %in, %a : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<64x512xf32>
  return %sum, %before, %after : tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>
}

// CHECK-LABEL: func @between
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @between(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %empty = tensor.empty() : tensor<64x512xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  %between = call @other(%exp) : (tensor<64x512xf32>) -> tensor<64x512xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %between : tensor<64x512xf32>, tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %0 = arith.addf %in, %a : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %sum : tensor<64x512xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>

// A number of rows that is not known is no obstacle; one of columns is.

// CHECK-LABEL: func @rows
// CHECK-COUNT-3: tensor.dim
// CHECK:         %[[ROWS:.*]] = tensor.dim
// CHECK-NEXT:    scf.forall (%{{.*}}) in (%[[ROWS]])
// CHECK:           tensor.extract_slice %arg0[%{{.*}}, 0] [1, 512] [1, 1]
func.func @rows(%x: tensor<?x512xf32>) -> (tensor<?x512xf32>, tensor<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x512xf32>
  %empty = tensor.empty(%n) : tensor<?x512xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x512xf32>) outs(%empty : tensor<?x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<?x512xf32>
  %neg = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %x : tensor<?x512xf32>, tensor<?x512xf32>) outs(%empty : tensor<?x512xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %0 = arith.subf %in, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x512xf32>
  return %neg, %exp : tensor<?x512xf32>, tensor<?x512xf32>
}

// CHECK-LABEL: func @columns
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @columns(%x: tensor<512x?xf32>) -> tensor<512x?xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c1 : tensor<512x?xf32>
  %sums = tensor.empty() : tensor<512xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%sums : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x?xf32>) outs(%zeros : tensor<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<512xf32>
  %empty = tensor.empty(%n) : tensor<512x?xf32>
  %neg = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i)>, #ij],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<512x?xf32>, tensor<512xf32>) outs(%empty : tensor<512x?xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %0 = arith.subf %in, %a : f32
    linalg.yield %0 : f32
  } -> tensor<512x?xf32>
  return %neg : tensor<512x?xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// A read at an index that it asks for itself needs no assertion in front of it: it shares the loop of what the assertion asks.

// CHECK-LABEL: func @asks
// CHECK:         scf.forall
// CHECK:           math.exp
// CHECK:           tensor.extract
// CHECK-NOT:     scf.forall (
// CHECK:         cf.assert

func.func @asks(%x: tensor<64x512xf32>, %table: tensor<64x511xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 511 : index
  %empty = tensor.empty() : tensor<64x512xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} ins(%exp : tensor<64x512xf32>) {
  ^bb0(%in: f32):
    %0 = arith.cmpf oge, %in, %zero : f32
    cf.assert %0, "negative"
    linalg.yield
  }
  %sum = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = arith.subi %i, %one : index
    %inside = arith.cmpi ult, %j, %end : index
    %k = arith.select %inside, %j, %none : index
    %0 = tensor.extract %table[%row, %k] : tensor<64x511xf32>
    %1 = arith.select %inside, %0, %zero : f32
    %2 = arith.addf %in, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64x512xf32>
  return %exp, %sum : tensor<64x512xf32>, tensor<64x512xf32>
}

// Nothing says of the other where it reads: it comes behind.

// CHECK-LABEL: func @asks_not
// CHECK:         math.exp
// CHECK:         cf.assert
// CHECK:         tensor.extract
func.func @asks_not(%x: tensor<64x512xf32>, %table: tensor<64x511xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 511 : index
  %empty = tensor.empty() : tensor<64x512xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} ins(%exp : tensor<64x512xf32>) {
  ^bb0(%in: f32):
    %0 = arith.cmpf oge, %in, %zero : f32
    cf.assert %0, "negative"
    linalg.yield
  }
  %sum = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %row = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = arith.subi %i, %one : index
    %0 = tensor.extract %table[%row, %j] : tensor<64x511xf32>
    %2 = arith.addf %in, %0 : f32
    linalg.yield %2 : f32
  } -> tensor<64x512xf32>
  return %exp, %sum : tensor<64x512xf32>, tensor<64x512xf32>
}

// A read by index stays behind the assertion that guards it, and its loop's index
// counts rows of the tensor, not of the tile.

// CHECK-LABEL: func @guarded
// CHECK:         cf.assert
// CHECK:         scf.forall (%[[ROW:.*]]) = (0) to (64) step
// CHECK:           linalg.index 0
// CHECK:           affine.apply {{.*}}(%[[ROW]])[%{{.*}}]
// CHECK:           tensor.extract %arg1
func.func @guarded(%places: tensor<64xi64>, %table: tensor<1000x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) {
  %zero = arith.constant 0 : i64
  %empty = tensor.empty() : tensor<64x512xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%places : tensor<64xi64>) {
  ^bb0(%in: i64):
    %0 = arith.cmpi sge, %in, %zero : i64
    cf.assert %0, "negative"
    linalg.yield
  }
  %rows = linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<64xi64>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: i64, %out: f32):
    %column = linalg.index 1 : index
    %number = linalg.index 0 : index
    %row = arith.index_cast %in : i64 to index
    %place = arith.addi %row, %number : index
    %0 = tensor.extract %table[%place, %column] : tensor<1000x512xf32>
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %exp, %rows : tensor<64x512xf32>, tensor<64x512xf32>
}

// What is read by index is read as a whole: it is not written in the same tile.

// CHECK-LABEL: func @gathered
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @gathered(%places: tensor<64xi64>, %x: tensor<1000x512xf32>) -> tensor<64x512xf32> {
  %large = tensor.empty() : tensor<1000x512xf32>
  %empty = tensor.empty() : tensor<64x512xf32>
  %table = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1000x512xf32>) outs(%large : tensor<1000x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<1000x512xf32>
  %rows = linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<64xi64>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: i64, %out: f32):
    %column = linalg.index 1 : index
    %row = arith.index_cast %in : i64 to index
    %0 = tensor.extract %table[%row, %column] : tensor<1000x512xf32>
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %rows : tensor<64x512xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>

// Columns of a large tensor are taken in runs of 512 bytes: 128 of f32.

// CHECK-LABEL: func @columnSums
// CHECK:         scf.forall (%{{.*}}) = (0) to (512) step (128)
// CHECK:           tensor.extract_slice %arg0[0, %{{.*}}] [64, 128] [1, 1]
func.func @columnSums(%x: tensor<64x512xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : tensor<512xf32>
  %zeros = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      outs(%sums : tensor<512xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #j], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<64x512xf32>) outs(%zeros : tensor<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<512xf32>
  %exp = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<512xf32>) outs(%sums : tensor<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<512xf32>
  return %exp, %sum : tensor<512xf32>, tensor<512xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>

// Near miss: an extent that is known of one operand of a loop and not of another. Parts
// have the extents of a tile's loops.

// CHECK-LABEL: func @unknownBesideKnown
// CHECK-NOT:     scf.forall
// CHECK:         return
// CHECK-LABEL: func @known
// CHECK:         scf.forall
func.func @unknownBesideKnown(%x: tensor<64x512xf32>, %y: tensor<?x512xf32>) -> tensor<64x512xf32> {
  %empty = tensor.empty() : tensor<64x512xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %y : tensor<64x512xf32>, tensor<?x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %sum : tensor<64x512xf32>
}
func.func @known(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %empty = tensor.empty() : tensor<64x512xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %y : tensor<64x512xf32>, tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %sum : tensor<64x512xf32>
}
