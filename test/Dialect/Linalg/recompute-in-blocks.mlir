// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-in-blocks{rows=32 min-bytes=1 kept-bytes=1}))" | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-in-blocks{rows=32}))" | FileCheck %s --check-prefix=SMALL
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-in-blocks{rows=32 min-bytes=1 kept-bytes=32769}))" | FileCheck %s --check-prefix=SMALL
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-in-blocks{rows=32 min-bytes=1 kept-bytes=1 max-steps=1}))" | FileCheck %s --check-prefix=SMALL
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-in-blocks{rows=64 min-bytes=1 kept-bytes=1}))" | FileCheck %s --check-prefix=SMALL
// RUN: not amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-in-blocks{rows=0}))" 2>&1 | FileCheck %s --check-prefix=NONE

// What is kept is too little, or too deep a product would be computed twice, or there is one block.
// SMALL-NOT: scf.for

// NONE: expected 'rows' to be at least 1, but got 0

#qk = affine_map<(b, i, j, k) -> (b, i, k)>
#kt = affine_map<(b, i, j, k) -> (b, k, j)>
#ij = affine_map<(b, i, j, k) -> (b, i, j)>
#ji = affine_map<(b, j, d, i) -> (b, i, j)>
#id = affine_map<(b, j, d, i) -> (b, i, d)>
#jd = affine_map<(b, j, d, i) -> (b, j, d)>

// Probabilities that two gradients read, one of them through an exponential; the gradient of what is given depends on it.
// The exponential of the forward pass stays, and reads all rows of a head in blocks as well.

// CHECK-LABEL: func.func @two_readers
// CHECK-SAME:    (%[[X:.*]]: tensor<2x64x2xf32>, %[[Y:.*]]: tensor<2x2x64xf32>, %[[V:.*]]: tensor<2x64x2xf32>)
// Nothing has the scores of all rows.
// CHECK-NOT:     tensor<2x64x64xf32>) {
// The forward pass.
// CHECK:         %[[O:.*]] = scf.forall (%[[B0:.*]]) in (2) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK:           scf.for %[[I0:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ROWS:.*]] = %{{.*}}) -> (tensor<1x64x2xf32>)
// CHECK:             %[[XI:.*]] = tensor.extract_slice %[[X]][%[[B0]], %[[I0]], 0] [1, 32, 2]
// CHECK:             %[[P:.*]] = linalg.generic {{.*}} ins(%[[XI]], %{{.*}} : tensor<1x32x2xf32>, tensor<1x2x64xf32>) outs(%{{.*}} : tensor<1x32x64xf32>)
// CHECK:             %[[OI:.*]] = linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<1x32x64xf32>, tensor<1x64x2xf32>) outs(%{{.*}} : tensor<1x32x2xf32>)
// CHECK:             tensor.insert_slice %[[OI]] into %[[ROWS]][0, %[[I0]], 0] [1, 32, 2]
// CHECK:           tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[B0]], 0, 0] [1, 64, 2]
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} ins(%[[O]] : tensor<2x64x2xf32>)
// The backward pass: columns of the product are cut once, what is small in rows, and sums go on.
// CHECK:         %[[D:.*]]:2 = scf.forall (%[[B:.*]]) in (2)
// CHECK:           %[[YB:.*]] = tensor.extract_slice %[[Y]][%[[B]], 0, 0] [1, 2, 64]
// CHECK:           scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[DV:.*]] = %{{.*}}, %[[DE:.*]] = %{{.*}}) -> (tensor<1x64x2xf32>, tensor<1x64x2xf32>)
// CHECK:             %[[AGAIN:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[YB]] : tensor<1x32x2xf32>, tensor<1x2x64xf32>)
// CHECK:             %[[GI:.*]] = tensor.extract_slice %[[G]][%[[B]], %[[I]], 0] [1, 32, 2]
// CHECK:             linalg.generic {{.*}} ins(%[[AGAIN]], %[[GI]] : tensor<1x32x64xf32>, tensor<1x32x2xf32>) outs(%[[DV]] : tensor<1x64x2xf32>)
// CHECK:             %[[E:.*]] = linalg.generic {{.*}} ins(%[[AGAIN]] : tensor<1x32x64xf32>)
// CHECK:             linalg.generic {{.*}} ins(%[[E]], %{{.*}} : tensor<1x32x64xf32>, tensor<1x32x2xf32>) outs(%[[DE]] : tensor<1x64x2xf32>)
// CHECK:         return %[[D]]#0, %[[D]]#1
func.func @two_readers(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>) -> (tensor<2x64x2xf32>, tensor<2x64x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %f = tensor.empty() : tensor<2x64x2xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %o = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x64x2xf32>) outs(%f : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %dv = linalg.generic {indexing_maps = [#ji, #id, #jd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %g : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %x2 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<2x64x64xf32>) outs(%e : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %de = linalg.generic {indexing_maps = [#ji, #id, #jd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x2, %g : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  return %dv, %de : tensor<2x64x2xf32>, tensor<2x64x2xf32>
}

// -----

#qk = affine_map<(b, i, j, k) -> (b, i, k)>
#kt = affine_map<(b, i, j, k) -> (b, k, j)>
#ij = affine_map<(b, i, j, k) -> (b, i, j)>
#ji = affine_map<(b, j, d, i) -> (b, i, j)>
#id = affine_map<(b, j, d, i) -> (b, i, d)>
#jd = affine_map<(b, j, d, i) -> (b, j, d)>

// What is returned is there anyway.

// CHECK-LABEL: func.func @returned
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @returned(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>) -> (tensor<2x64x2xf32>, tensor<2x64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %f = tensor.empty() : tensor<2x64x2xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %o = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x64x2xf32>) outs(%f : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %dv = linalg.generic {indexing_maps = [#ji, #id, #jd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %g : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %x2 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<2x64x64xf32>) outs(%e : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  return %dv, %x2 : tensor<2x64x2xf32>, tensor<2x64x64xf32>
}

// -----

#qk = affine_map<(b, i, j, k) -> (b, i, k)>
#kt = affine_map<(b, i, j, k) -> (b, k, j)>
#ij = affine_map<(b, i, j, k) -> (b, i, j)>
#ji = affine_map<(b, j, d, i) -> (b, i, j)>
#id = affine_map<(b, j, d, i) -> (b, i, d)>
#jd = affine_map<(b, j, d, i) -> (b, j, d)>

// Nobody else reads the matrix, so that it is computed in blocks alone.

// CHECK-LABEL: func.func @of_its_own
// CHECK:         scf.for
// CHECK:         return
func.func @of_its_own(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>, %g: tensor<2x64x2xf32>) -> tensor<2x64x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %f = tensor.empty() : tensor<2x64x2xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %dv = linalg.generic {indexing_maps = [#ji, #id, #jd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %g : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  return %dv : tensor<2x64x2xf32>
}

// -----

#qk = affine_map<(b, i, j, k) -> (b, i, k)>
#kt = affine_map<(b, i, j, k) -> (b, k, j)>
#ij = affine_map<(b, i, j, k) -> (b, i, j)>
#ji = affine_map<(b, j, d, i) -> (b, i, j)>
#id = affine_map<(b, j, d, i) -> (b, i, d)>
#jd = affine_map<(b, j, d, i) -> (b, j, d)>

// The body of an operation reads the matrix by an index of its own.

// CHECK-LABEL: func.func @read_by_index
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @read_by_index(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>) -> (tensor<2x64x2xf32>, tensor<2x64x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %f = tensor.empty() : tensor<2x64x2xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %o = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x64x2xf32>) outs(%f : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %dv = linalg.generic {indexing_maps = [#ji, #id, #jd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %g : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%f : tensor<2x64x2xf32>) {
  ^bb0(%a: f32):
    %i = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %n = tensor.extract %p[%c0, %i, %i] : tensor<2x64x64xf32>
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  return %dv, %t : tensor<2x64x2xf32>, tensor<2x64x2xf32>
}

// -----

#qk = affine_map<(b, i, j, k) -> (b, i, k)>
#kt = affine_map<(b, i, j, k) -> (b, k, j)>
#ij = affine_map<(b, i, j, k) -> (b, i, j)>
#ji = affine_map<(b, j, d, i) -> (b, i, j)>
#id = affine_map<(b, j, d, i) -> (b, i, d)>
#jd = affine_map<(b, j, d, i) -> (b, j, d)>

// A sum over rows that is no product has no order that blocks keep.

// CHECK-LABEL: func.func @maximum
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @maximum(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>) -> (tensor<2x64x2xf32>, tensor<2x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %f = tensor.empty() : tensor<2x64x2xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %o = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x64x2xf32>) outs(%f : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %dv = linalg.generic {indexing_maps = [#ji, #id, #jd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %g : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %x2 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<2x64x64xf32>) outs(%e : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %er = tensor.empty() : tensor<2x64xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<2x64xf32>) -> tensor<2x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, j, i) -> (b, i, j)>, affine_map<(b, j, i) -> (b, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x2 : tensor<2x64x64xf32>) outs(%r0 : tensor<2x64xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = arith.maximumf %a, %t : f32
    linalg.yield %n : f32
  } -> tensor<2x64xf32>
  return %dv, %r : tensor<2x64x2xf32>, tensor<2x64xf32>
}

// -----

#qk = affine_map<(b, i, j, k) -> (b, i, k)>
#kt = affine_map<(b, i, j, k) -> (b, k, j)>
#ij = affine_map<(b, i, j, k) -> (b, i, j)>
#ji = affine_map<(b, j, d, i) -> (b, i, j)>
#id = affine_map<(b, j, d, i) -> (b, i, d)>
#jd = affine_map<(b, j, d, i) -> (b, j, d)>

// A body that reads memory would read it again later.

// CHECK-LABEL: func.func @reads_memory
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @reads_memory(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>, %memory: memref<f32>) -> tensor<2x64x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %f = tensor.empty() : tensor<2x64x2xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<2x64x64xf32>) outs(%e : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %t: f32):
    %l = memref.load %memory[] : memref<f32>
    %n = arith.addf %a, %l : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %o = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %v : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x64x2xf32>) outs(%f : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %dv = linalg.generic {indexing_maps = [#ji, #id, #jd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %g : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  return %dv : tensor<2x64x2xf32>
}

// -----

#qk = affine_map<(b, i, j, k) -> (b, i, k)>
#kt = affine_map<(b, i, j, k) -> (b, k, j)>
#ij = affine_map<(b, i, j, k) -> (b, i, j)>
#ji = affine_map<(b, j, d, i) -> (b, i, j)>
#id = affine_map<(b, j, d, i) -> (b, i, d)>
#jd = affine_map<(b, j, d, i) -> (b, j, d)>

// A sum over something else besides would be in another order.

// CHECK-LABEL: func.func @two_sums
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @two_sums(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>, %h: tensor<2x64x1xf32>) -> tensor<2x64x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %f = tensor.empty() : tensor<2x64x2xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %o = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x64x2xf32>) outs(%f : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %many = tensor.expand_shape %g [[0], [1], [2, 3]] output_shape [2, 64, 2, 1] : tensor<2x64x2xf32> into tensor<2x64x2x1xf32>
  %dv = linalg.generic {indexing_maps = [affine_map<(b, j, d, c, i) -> (b, i, j)>, affine_map<(b, j, d, c, i) -> (b, i, c, d)>, affine_map<(b, j, d, c, i) -> (b, j, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %many : tensor<2x64x64xf32>, tensor<2x64x2x1xf32>) outs(%h : tensor<2x64x1xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x1xf32>
  return %dv : tensor<2x64x1xf32>
}

// -----

#qk = affine_map<(b, i, j, k) -> (b, i, k)>
#kt = affine_map<(b, i, j, k) -> (b, k, j)>
#ij = affine_map<(b, i, j, k) -> (b, i, j)>
#ji = affine_map<(b, j, d, i) -> (b, i, j)>
#id = affine_map<(b, j, d, i) -> (b, i, d)>
#jd = affine_map<(b, j, d, i) -> (b, j, d)>

// What is summed are columns: a maximum of each row stands in front of what would be computed for some of them.

// CHECK-LABEL: func.func @columns
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @columns(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>, %m0: tensor<2x64xf32>) -> tensor<2x64x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %f = tensor.empty() : tensor<2x64x2xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p : tensor<2x64x64xf32>) outs(%m0 : tensor<2x64xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = arith.maximumf %a, %t : f32
    linalg.yield %n : f32
  } -> tensor<2x64xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %max : tensor<2x64x64xf32>, tensor<2x64xf32>) outs(%e : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %d = arith.subf %a, %b : f32
    %n = math.exp %d : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %o = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %v : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %dq = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %o : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  return %dq : tensor<2x64x2xf32>
}

// -----

#qk = affine_map<(b, i, j, k) -> (b, i, k)>
#kt = affine_map<(b, i, j, k) -> (b, k, j)>
#ij = affine_map<(b, i, j, k) -> (b, i, j)>
#ji = affine_map<(b, j, d, i) -> (b, i, j)>
#id = affine_map<(b, j, d, i) -> (b, i, d)>
#jd = affine_map<(b, j, d, i) -> (b, j, d)>

// Two products would be computed twice.

// CHECK-LABEL: func.func @two_products
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @two_products(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>, %x1: tensor<2x64x2xf32>) -> tensor<2x64x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %f = tensor.empty() : tensor<2x64x2xf32>
  %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
  %p = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %p1 = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x1, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %p1 : tensor<2x64x64xf32>, tensor<2x64x64xf32>) outs(%e : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %n = arith.mulf %a, %b : f32
    linalg.yield %n : f32
  } -> tensor<2x64x64xf32>
  %o = linalg.generic {indexing_maps = [#qk, #kt, #ij], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %v : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : tensor<2x64x2xf32>) outs(%f : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %t: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  %dv = linalg.generic {indexing_maps = [#ji, #id, #jd], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %g : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %t, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x64x2xf32>
  return %dv : tensor<2x64x2xf32>
}
