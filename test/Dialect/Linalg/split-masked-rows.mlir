// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-split-masked-rows{rows=4}),canonicalize,cse)" | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-split-masked-rows),canonicalize,cse)" | FileCheck %s --check-prefix=SHORT
// RUN: not amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-split-masked-rows{rows=0}))" 2>&1 | FileCheck %s --check-prefix=NONE

// SHORT-NOT: insert_slice
// NONE: expected 'blocks' and 'rows' to be at least 1, but got 4 and 0

// An attention of eight rows, and the gradients of scores, queries and keys. The mask is a tensor of
// its own, of positions that are one.
#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// CHECK-LABEL: func.func @attention
// CHECK-SAME:    (%[[Q:[^:]*]]: tensor<8x3xf32>, %[[K:[^:]*]]: tensor<8x3xf32>, %[[V:[^:]*]]: tensor<8x3xf32>, %[[G:[^:]*]]: tensor<8x3xf32>)
// Scores of four rows by four columns, and of the next four by all.
// CHECK-DAG:     %[[Q0:.*]] = tensor.extract_slice %[[Q]][0, 0] [4, 3]
// CHECK-DAG:     %[[K0:.*]] = tensor.extract_slice %[[K]][0, 0] [4, 3]
// CHECK:         %[[S0:.*]] = linalg.generic {{.*}} ins(%[[Q0]], %[[K0]] : tensor<4x3xf32>, tensor<4x3xf32>) outs(%{{.*}} : tensor<4x4xf32>)
// CHECK:         %[[Q1:.*]] = tensor.extract_slice %[[Q]][4, 0] [4, 3]
// CHECK:         %[[S1:.*]] = linalg.generic {{.*}} ins(%[[Q1]], %[[K]] : tensor<4x3xf32>, tensor<8x3xf32>) outs(%{{.*}} : tensor<4x8xf32>)
// The mask is a slice of what it was.
// CHECK:         linalg.generic {{.*}} ins(%[[S0]], %{{.*}} : tensor<4x4xf32>, tensor<4x4xi1>)
// CHECK:         linalg.generic {{.*}} ins(%[[S1]], %{{.*}} : tensor<4x8xf32>, tensor<4x8xi1>)
// Maxima, exponentials, sums and quotients.
// CHECK:         maximumf
// CHECK:         maximumf
// CHECK:         math.exp
// CHECK:         math.exp
// CHECK:         divf
// CHECK:         %[[P0:.*]] = linalg.generic
// CHECK:         divf
// CHECK:         %[[V0:.*]] = tensor.extract_slice %[[V]][0, 0] [4, 3]
// CHECK:         %[[O0:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[V0]] : tensor<4x4xf32>, tensor<4x3xf32>)
// CHECK:         %[[O1:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[V]] : tensor<4x8xf32>, tensor<8x3xf32>)
// What others read is put together.
// CHECK:         %[[L:.*]] = tensor.insert_slice %[[O0]] into %{{.*}}[0, 0] [4, 3]
// CHECK:         %[[O:.*]] = tensor.insert_slice %[[O1]] into %[[L]][4, 0] [4, 3]
// Keys: the last block first, which has all rows of the result, and the first one added to its part.
// CHECK:         %[[DK1:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[Q1]] : tensor<4x8xf32>, tensor<4x3xf32>) outs(%{{.*}} : tensor<8x3xf32>)
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[DK1]][0, 0] [4, 3]
// CHECK:         %[[DK0:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[Q0]] : tensor<4x4xf32>, tensor<4x3xf32>) outs(%[[PART]] : tensor<4x3xf32>)
// CHECK:         %[[DK:.*]] = tensor.insert_slice %[[DK0]] into %[[DK1]][0, 0] [4, 3]
// CHECK:         return %[[O]], %[[DK]]
func.func @attention(%q: tensor<8x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x3xf32>, %g: tensor<8x3xf32>)
    -> (tensor<8x3xf32>, tensor<8x3xf32>) {
  %c0 = arith.constant 0.0 : f32
  %infinite = arith.constant 0xFF800000 : f32
  %c0_i64 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ed = tensor.empty() : tensor<8x3xf32>
  %en = tensor.empty() : tensor<8xi64>
  %em = tensor.empty() : tensor<8x8xi1>
  %positions = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%en : tensor<8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<8xi64>
  %mask = linalg.generic {indexing_maps = [#column, #row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%positions, %positions : tensor<8xi64>, tensor<8xi64>) outs(%em : tensor<8x8xi1>) {
  ^bb0(%j: i64, %i: i64, %o: i1):
    %d = arith.subi %j, %i : i64
    %m = arith.cmpi sle, %d, %c0_i64 : i64
    linalg.yield %m : i1
  } -> tensor<8x8xi1>
  %zeros = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %zerosd = linalg.fill ins(%c0 : f32) outs(%ed : tensor<8x3xf32>) -> tensor<8x3xf32>
  %zerosr = linalg.fill ins(%c0 : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %lowest = linalg.fill ins(%infinite : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x3xf32>, tensor<8x3xf32>) outs(%zeros : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %masked = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%s, %mask : tensor<8x8xf32>, tensor<8x8xi1>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %m: i1, %o: f32):
    %b = arith.select %m, %c0, %infinite : f32
    %y = arith.addf %x, %b : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %max = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%masked : tensor<8x8xf32>) outs(%lowest : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.maximumf %x, %o : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %exp = linalg.generic {indexing_maps = [#ij, #row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%masked, %max : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<8x8xf32>) outs(%zerosr : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %o : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %y = arith.divf %x, %m : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %out = linalg.generic {indexing_maps = [affine_map<(i, d, j) -> (i, j)>, affine_map<(i, d, j) -> (j, d)>, affine_map<(i, d, j) -> (i, d)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%zerosd : tensor<8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  %dp = linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%g, %v : tensor<8x3xf32>, tensor<8x3xf32>) outs(%zeros : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %ds = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%dp, %p : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %y = arith.mulf %x, %m : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %dk = linalg.generic {indexing_maps = [affine_map<(j, d, i) -> (i, j)>, affine_map<(j, d, i) -> (i, d)>, affine_map<(j, d, i) -> (j, d)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ds, %q : tensor<8x8xf32>, tensor<8x3xf32>) outs(%zerosd : tensor<8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %out, %dk : tensor<8x3xf32>, tensor<8x3xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#a = affine_map<(i, d, j) -> (i, j)>
#b = affine_map<(i, d, j) -> (j, d)>
#c = affine_map<(i, d, j) -> (i, d)>

// Two columns more than the row: four rows have six. Zeros are put around what is returned.
// CHECK-LABEL: func.func @returned
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [4, 6]
// CHECK:         %[[S0:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6xf32>)
// CHECK:         %[[P0:.*]] = linalg.generic {{.*}} ins(%[[S0]] : tensor<4x6xf32>)
// CHECK:         arith.addi %{{.*}}, %c2
// CHECK:         arith.addi %{{.*}}, %c6
// CHECK:         %[[ZEROS:.*]] = linalg.fill
// CHECK:         %[[L:.*]] = tensor.insert_slice %[[P0]] into %[[ZEROS]][0, 0] [4, 6]
// CHECK:         %[[P:.*]] = tensor.insert_slice %{{.*}} into %[[L]][4, 0] [4, 8]
// CHECK:         return %[[P]], %{{.*}}
func.func @returned(%q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> (tensor<8x8xf32>, tensor<8x3xf32>) {
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %c2 = arith.constant 2 : index
  %infinite = arith.constant 0xFF800000 : f32
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.addi %i, %c2 : index
    %beyond = arith.cmpi sgt, %j, %last : index
    %masked = arith.select %beyond, %infinite, %x : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %p, %r : tensor<8x8xf32>, tensor<8x3xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#a = affine_map<(i, d, j) -> (i, j)>
#b = affine_map<(i, d, j) -> (j, d)>
#c = affine_map<(i, d, j) -> (i, d)>

// Near misses: a large number in the place of minus infinity where a row may be masked before, what is masked below the diagonal, minus
// infinity that is returned, no product, a cosine, which is not zero of what is masked.
// CHECK-LABEL: func.func @finite
// CHECK-NOT:     extract_slice
func.func @finite(%s: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %large = arith.constant -1.0e+38 : f32
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %masked = arith.select %beyond, %large, %x : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}
// CHECK-LABEL: func.func @below
// CHECK-NOT:     extract_slice
func.func @below(%s: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %infinite = arith.constant 0xFF800000 : f32
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %below = arith.cmpi slt, %j, %i : index
    %masked = arith.select %below, %infinite, %x : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}
// CHECK-LABEL: func.func @infinite
// CHECK-NOT:     extract_slice
func.func @infinite(%s: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> (tensor<8x8xf32>, tensor<8x3xf32>) {
  %infinite = arith.constant 0xFF800000 : f32
  %s1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %masked = arith.select %beyond, %infinite, %x : f32
    linalg.yield %masked : f32
  } -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s1 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %s1, %r : tensor<8x8xf32>, tensor<8x3xf32>
}
// CHECK-LABEL: func.func @no_product
// CHECK-NOT:     extract_slice
func.func @no_product(%s: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %infinite = arith.constant 0xFF800000 : f32
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %masked = arith.select %beyond, %infinite, %x : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @cosine
// CHECK-NOT:     extract_slice
func.func @cosine(%s: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %infinite = arith.constant 0xFF800000 : f32
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %masked = arith.select %beyond, %infinite, %x : f32
    %exp = math.exp %masked : f32
    %y = math.cos %exp : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#a = affine_map<(i, d, j) -> (i, j)>
#b = affine_map<(i, d, j) -> (j, d)>
#c = affine_map<(i, d, j) -> (i, d)>

// A product that is read by rows and by columns is computed as a whole, and so is one that is read
// along its sum as well.
// CHECK-LABEL: func.func @symmetric
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x3xf32>, tensor<8x3xf32>) outs(%{{.*}} : tensor<8x8xf32>)
// CHECK-DAG:     tensor.extract_slice %[[S]][0, 0] [4, 4]
// CHECK-DAG:     tensor.extract_slice %[[S]][4, 0] [4, 8]
// CHECK-DAG:     tensor.extract_slice %[[S]][0, 4] [8, 4]
func.func @symmetric(%q: tensor<8x3xf32>, %z: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %zd: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %infinite = arith.constant 0xFF800000 : f32
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %v : tensor<8x3xf32>, tensor<8x3xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ji, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%s, %s : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %x1: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %both = arith.addf %x, %x1 : f32
    %masked = arith.select %beyond, %infinite, %both : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%zd : tensor<8x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}
// CHECK-LABEL: func.func @along_its_sum
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x8xf32>)
// CHECK-DAG:     tensor.extract_slice %[[S]][0, 0] [4, 4]
// CHECK-DAG:     tensor.extract_slice %[[S]][4, 0] [4, 8]
// CHECK-DAG:     tensor.extract_slice %[[S]][0, 0] [4, 8]
func.func @along_its_sum(%q: tensor<8x3xf32>, %z: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %infinite = arith.constant 0xFF800000 : f32
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %v : tensor<8x3xf32>, tensor<8x3xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %masked = arith.select %beyond, %infinite, %x : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %s : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#a = affine_map<(i, d, j) -> (i, j)>
#b = affine_map<(i, d, j) -> (j, d)>
#c = affine_map<(i, d, j) -> (i, d)>

// More near misses. Returned, where the first row is masked as a whole: a softmax would be NaN there,
// and where what is masked is no product, of which nobody knows that a row is not.
// CHECK-LABEL: func.func @whole_row
// CHECK-NOT:     extract_slice
func.func @whole_row(%q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> (tensor<8x8xf32>, tensor<8x3xf32>) {
  %infinite = arith.constant 0xFF800000 : f32
  %s = linalg.matmul ins(%q, %k : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sge, %j, %i : index
    %masked = arith.select %beyond, %infinite, %x : f32
    linalg.yield %masked : f32
  } -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %y, %r : tensor<8x8xf32>, tensor<8x3xf32>
}
// CHECK-LABEL: func.func @masked_before
// CHECK-NOT:     extract_slice
func.func @masked_before(%s: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> (tensor<8x8xf32>, tensor<8x3xf32>) {
  %infinite = arith.constant 0xFF800000 : f32
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %masked = arith.select %beyond, %infinite, %x : f32
    linalg.yield %masked : f32
  } -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %y, %r : tensor<8x8xf32>, tensor<8x3xf32>
}
// Positions in eight bits, which wrap.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT:     extract_slice
func.func @narrow(%s: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %infinite = arith.constant 0xFF800000 : f32
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i8 = arith.index_cast %i : index to i8
    %j8 = arith.index_cast %j : index to i8
    %beyond = arith.cmpi sgt, %j8, %i8 : i8
    %masked = arith.select %beyond, %infinite, %x : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}
// A product of an extent that only a run knows reads them as a whole; alone it is not enough.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT:     extract_slice
func.func @dynamic(%s: tensor<8x8xf32>, %v: tensor<8x?xf32>, %e: tensor<8x8xf32>, %z: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %infinite = arith.constant 0xFF800000 : f32
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %masked = arith.select %beyond, %infinite, %x : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x?xf32>) outs(%z : tensor<8x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x?xf32>
  return %r : tensor<8x?xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#a = affine_map<(i, d, j) -> (i, j)>
#b = affine_map<(i, d, j) -> (j, d)>
#c = affine_map<(i, d, j) -> (i, d)>

// Two sums that change places with each element count them, masked or not: they read all of it.
// CHECK-LABEL: func.func @swapped
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<8x8xf32>)
func.func @swapped(%q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>,
                   %s0: tensor<8xf32>, %s1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x3xf32>) {
  %infinite = arith.constant 0xFF800000 : f32
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %masked = arith.select %beyond, %infinite, %x : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %both:2 = linalg.generic {indexing_maps = [#ij, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<8x8xf32>) outs(%s0, %s1 : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32, %o0: f32, %o1: f32):
    %t0 = arith.addf %o0, %x : f32
    %t1 = arith.addf %o1, %x : f32
    linalg.yield %t1, %t0 : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %both#0, %both#1, %r : tensor<8xf32>, tensor<8xf32>, tensor<8x3xf32>
}
// Two that do not are split.
// CHECK-LABEL: func.func @two_sums
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<4x4xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<4x8xf32>)
func.func @two_sums(%q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>,
                   %s0: tensor<8xf32>, %s1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x3xf32>) {
  %infinite = arith.constant 0xFF800000 : f32
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %beyond = arith.cmpi sgt, %j, %i : index
    %masked = arith.select %beyond, %infinite, %x : f32
    %y = math.exp %masked : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  %both:2 = linalg.generic {indexing_maps = [#ij, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<8x8xf32>) outs(%s0, %s1 : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%x: f32, %o0: f32, %o1: f32):
    %t0 = arith.addf %o0, %x : f32
    %t1 = arith.addf %o1, %x : f32
    linalg.yield %t0, %t1 : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %both#0, %both#1, %r : tensor<8xf32>, tensor<8xf32>, tensor<8x3xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#a = affine_map<(i, d, j) -> (i, j)>
#b = affine_map<(i, d, j) -> (j, d)>
#c = affine_map<(i, d, j) -> (i, d)>

// A large number in the place of minus infinity, beside scaled scores of a product.
// CHECK-LABEL: func.func @large
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf32>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xf32>)
// A number that is not as large, and one beside an offset of -1, where the first row has no scores.
// CHECK-LABEL: func.func @not_as_large
// CHECK-NOT:     extract_slice
// CHECK-LABEL: func.func @no_scores
// CHECK-NOT:     extract_slice
func.func @large(%q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %large = arith.constant -2.38e+38 : f32
  %half = arith.constant 0.5 : f32
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sge, %i, %j : index
    %scaled = arith.mulf %x, %half : f32
    %masked = arith.select %seen, %scaled, %large : f32
    linalg.yield %masked : f32
  } -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}
func.func @not_as_large(%q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %large = arith.constant -1.0e+9 : f32
  %half = arith.constant 0.5 : f32
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sge, %i, %j : index
    %scaled = arith.mulf %x, %half : f32
    %masked = arith.select %seen, %scaled, %large : f32
    linalg.yield %masked : f32
  } -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}
func.func @no_scores(%q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x3xf32>, %e: tensor<8x8xf32>, %z: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %large = arith.constant -2.38e+38 : f32
  %half = arith.constant 0.5 : f32
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sgt, %i, %j : index
    %scaled = arith.mulf %x, %half : f32
    %masked = arith.select %seen, %scaled, %large : f32
    linalg.yield %masked : f32
  } -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %v : tensor<8x8xf32>, tensor<8x3xf32>) outs(%z : tensor<8x3xf32>) {
  ^bb0(%x: f32, %w: f32, %o: f32):
    %m = arith.mulf %x, %w : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}
