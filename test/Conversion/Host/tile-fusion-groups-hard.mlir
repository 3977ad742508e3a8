// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-separate-fills,amp-tile-fusion-groups))" | FileCheck %s
// RUN: not amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{close-bytes=0}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CLOSE
// RUN: not amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{tile-bytes=-1}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TILE
// RUN: not amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{run-bytes=1048577}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RUNS

// CLOSE: expected 'close-bytes' to be from 1 to 1048576, but got 0
// TILE: expected 'tile-bytes' to be from 1 to 1048576, but got -1
// RUNS: expected 'run-bytes' to be from 1 to 1048576, but got 1048577

#i = affine_map<(d0) -> (d0)>
#s = affine_map<(d0) -> ()>

// Three pairs that each read one tensor, and each waits for another of them: two of
// the three can be groups, not all. The second of a pair is younger than what it
// reaches through the older one of another. Sums that round join none.

// CHECK-LABEL: func @three
// CHECK-COUNT-2: scf.forall (
// CHECK-NOT:     scf.forall (
// CHECK:         return
func.func @three(%p: tensor<65536xf32>, %q: tensor<262144xf32>, %r: tensor<524288xf32>, %zeros: tensor<f32>)
    -> (tensor<65536xf32>, tensor<262144xf32>, tensor<524288xf32>, tensor<65536xf32>, tensor<524288xf32>, tensor<262144xf32>) {
  %ae = tensor.empty() : tensor<65536xf32>
  %a = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%p : tensor<65536xf32>) outs(%ae : tensor<65536xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 2.0 : f32
    %m = arith.mulf %in, %c : f32
    linalg.yield %m : f32
  } -> tensor<65536xf32>
  %sa = linalg.generic {indexing_maps = [#i, #s], iterator_types = ["reduction"]}
      ins(%a : tensor<65536xf32>) outs(%zeros : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %out : f32
    %r16 = arith.truncf %m : f32 to bf16
    %r32 = arith.extf %r16 : bf16 to f32
    linalg.yield %r32 : f32
  } -> tensor<f32>
  %y1e = tensor.empty() : tensor<262144xf32>
  %y1 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%q : tensor<262144xf32>) outs(%y1e : tensor<262144xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 3.0 : f32
    %m = arith.mulf %in, %c : f32
    linalg.yield %m : f32
  } -> tensor<262144xf32>
  %sy = linalg.generic {indexing_maps = [#i, #s], iterator_types = ["reduction"]}
      ins(%y1 : tensor<262144xf32>) outs(%zeros : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %out : f32
    %r16 = arith.truncf %m : f32 to bf16
    %r32 = arith.extf %r16 : bf16 to f32
    linalg.yield %r32 : f32
  } -> tensor<f32>
  %x1e = tensor.empty() : tensor<524288xf32>
  %x1 = linalg.generic {indexing_maps = [#i, #s, #i], iterator_types = ["parallel"]}
      ins(%r, %sa : tensor<524288xf32>, tensor<f32>) outs(%x1e : tensor<524288xf32>) {
  ^bb0(%in: f32, %sc: f32, %out: f32):
    %c = arith.constant 4.0 : f32
    %m = arith.mulf %in, %c : f32
    %n = arith.addf %m, %sc : f32
    linalg.yield %n : f32
  } -> tensor<524288xf32>
  %be = tensor.empty() : tensor<65536xf32>
  %b = linalg.generic {indexing_maps = [#i, #s, #i], iterator_types = ["parallel"]}
      ins(%p, %sy : tensor<65536xf32>, tensor<f32>) outs(%be : tensor<65536xf32>) {
  ^bb0(%in: f32, %sc: f32, %out: f32):
    %c = arith.constant 5.0 : f32
    %m = arith.mulf %in, %c : f32
    %n = arith.addf %m, %sc : f32
    linalg.yield %n : f32
  } -> tensor<65536xf32>
  %x2e = tensor.empty() : tensor<524288xf32>
  %x2 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%r : tensor<524288xf32>) outs(%x2e : tensor<524288xf32>) {
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant 6.0 : f32
    %m = arith.mulf %in, %c : f32
    linalg.yield %m : f32
  } -> tensor<524288xf32>
  %sx = linalg.generic {indexing_maps = [#i, #s], iterator_types = ["reduction"]}
      ins(%x2 : tensor<524288xf32>) outs(%zeros : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %out : f32
    %r16 = arith.truncf %m : f32 to bf16
    %r32 = arith.extf %r16 : bf16 to f32
    linalg.yield %r32 : f32
  } -> tensor<f32>
  %y2e = tensor.empty() : tensor<262144xf32>
  %y2 = linalg.generic {indexing_maps = [#i, #s, #i], iterator_types = ["parallel"]}
      ins(%q, %sx : tensor<262144xf32>, tensor<f32>) outs(%y2e : tensor<262144xf32>) {
  ^bb0(%in: f32, %sc: f32, %out: f32):
    %c = arith.constant 7.0 : f32
    %m = arith.mulf %in, %c : f32
    %n = arith.addf %m, %sc : f32
    linalg.yield %n : f32
  } -> tensor<262144xf32>
  return %a, %y1, %x1, %b, %x2, %y2 : tensor<65536xf32>, tensor<262144xf32>, tensor<524288xf32>, tensor<65536xf32>, tensor<524288xf32>, tensor<262144xf32>
}

// -----

// An input that the body does not use has the extent of a loop: all of it is there.

// CHECK-LABEL: func @unused
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @unused(%v: tensor<8192xf32>, %w: tensor<8192xf32>) -> (tensor<8192xf32>, tensor<8192xf32>) {
  %e = tensor.empty() : tensor<8192xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v : tensor<8192xf32>) outs(%e : tensor<8192xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %in : f32
    linalg.yield %m : f32
  } -> tensor<8192xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%v, %a : tensor<8192xf32>, tensor<8192xf32>) outs(%w : tensor<8192xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %m = arith.addf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<8192xf32>
  return %a, %b : tensor<8192xf32>, tensor<8192xf32>
}

// And where it is not known, there is no tile that holds it.

// CHECK-LABEL: func @count
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @count(%x: tensor<64x?xf32>, %start: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x?xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%unused: f32, %out: f32):
    %m = arith.addf %out, %one : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  %inverse = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%n : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.divf %one, %in : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  return %n, %inverse : tensor<64xf32>, tensor<64xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>

// One empty tensor for two results is two tensors of a group.

// CHECK-LABEL: func @twice
// CHECK-DAG:     %[[A:.*]] = tensor.empty() : tensor<64x512xf32>
// CHECK-DAG:     %[[B:.*]] = tensor.empty() : tensor<64x512xf32>
// CHECK:         scf.forall ({{.*}}) = {{.*}} shared_outs(%{{.*}} = %[[A]], %{{.*}} = %[[B]]
func.func @twice(%x: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) {
  %e = tensor.empty() : tensor<64x512xf32>
  %a:2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x512xf32>) outs(%e, %e : tensor<64x512xf32>, tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32, %out2: f32):
    %m = arith.mulf %in, %in : f32
    %n = arith.addf %in, %in : f32
    linalg.yield %m, %n : f32, f32
  } -> (tensor<64x512xf32>, tensor<64x512xf32>)
  %b = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a#0, %a#1 : tensor<64x512xf32>, tensor<64x512xf32>) outs(%e : tensor<64x512xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %m = arith.mulf %in, %in2 : f32
    linalg.yield %m : f32
  } -> tensor<64x512xf32>
  return %a#0, %b : tensor<64x512xf32>, tensor<64x512xf32>
}

// -----

// What is added to, in a shape of which the extents are another result's: left alone.

// CHECK-LABEL: func @extents
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @extents(%x: tensor<?x1x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x1x64xf32>
  %e = tensor.empty(%d) : tensor<?x1x64xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x1x64xf32>) outs(%e : tensor<?x1x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = math.exp %in : f32
    linalg.yield %m : f32
  } -> tensor<?x1x64xf32>
  %r = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x1x64xf32> into tensor<?x64xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x64xf32>) outs(%r : tensor<?x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<?x64xf32>
  return %b : tensor<?x64xf32>
}

// Nor are there tiles of nothing.

// CHECK-LABEL: func @nothing
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @nothing(%x: tensor<0x64xf32>) -> tensor<0x64xf32> {
  %e = tensor.empty() : tensor<0x64xf32>
  %a = linalg.exp ins(%x : tensor<0x64xf32>) outs(%e : tensor<0x64xf32>) -> tensor<0x64xf32>
  %b = linalg.exp ins(%a : tensor<0x64xf32>) outs(%e : tensor<0x64xf32>) -> tensor<0x64xf32>
  return %b : tensor<0x64xf32>
}

// An extent without divisors is one tile or single elements, found without trying
// every number below it.

// CHECK-LABEL: func @prime
// CHECK:         return
func.func @prime(%x: tensor<999999999989xf32>) -> tensor<999999999989xf32> {
  %e = tensor.empty() : tensor<999999999989xf32>
  %a = linalg.exp ins(%x : tensor<999999999989xf32>) outs(%e : tensor<999999999989xf32>) -> tensor<999999999989xf32>
  %b = linalg.exp ins(%a : tensor<999999999989xf32>) outs(%e : tensor<999999999989xf32>) -> tensor<999999999989xf32>
  return %b : tensor<999999999989xf32>
}

// -----

// A slice at a place that an assertion guards stays behind it, and its reader too.

// CHECK-LABEL: func @slice
// CHECK:         cf.assert
// CHECK:         tensor.extract_slice %arg0[%arg1]
func.func @slice(%x: tensor<4096xf32>, %at: index, %y: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %most = arith.constant 3072 : index
  %e = tensor.empty() : tensor<1024xf32>
  %exp = linalg.exp ins(%y : tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %fits = arith.cmpi ule, %at, %most : index
  cf.assert %fits, "slice out of range"
  %part = tensor.extract_slice %x[%at] [1024] [1] : tensor<4096xf32> to tensor<1024xf32>
  %sum = linalg.add ins(%exp, %part : tensor<1024xf32>, tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  return %exp, %sum : tensor<1024xf32>, tensor<1024xf32>
}

// -----

// What a fill by position is written over stands in front of it.

// CHECK-LABEL: func @start_of_a_start
// CHECK:         linalg.index
// CHECK:         "reduction"
// CHECK:         return
func.func @start_of_a_start(%x: tensor<1024x512xf32>) -> tensor<512xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %filled = linalg.fill ins(%z : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %start = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%filled : tensor<512xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<1024x512xf32>) outs(%start : tensor<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<512xf32>
  return %s : tensor<512xf32>
}
