// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{product-rows=16 product-columns=32 product-bytes=16384 product-tiles=4 packed-bytes=4096}))" \
// RUN:   | FileCheck %s

// Several products of one group: each reads what is in the tile by then.

#ij = affine_map<(h, i, j) -> (h, i, j)>
#i = affine_map<(h, i, j) -> (h, i)>
// An attention of heads: scores, softmax and values are one pass, for some rows of a head at a time.
// Scores of half a head are never in memory.
// CHECK-LABEL: func.func @attention
// CHECK:         %[[R:.+]] = scf.forall (%[[H:.+]], %[[I:.+]]) = (0, 0) to (4, 64) step (1, 16) shared_outs(%{{.+}} = %{{.+}}) -> (tensor<4x64x8xf32>) {
// CHECK:           linalg.generic {{.*}}"reduction"]} ins({{.*}} : tensor<1x16x8xf32>, tensor<1x8x64xf32>) outs({{.*}} : tensor<1x16x64xf32>)
// CHECK:           arith.maximumf
// CHECK:           math.exp
// CHECK:           arith.divf
// CHECK:           linalg.generic {{.*}}"reduction"]} ins({{.*}} : tensor<1x16x64xf32>, tensor<1x64x8xf32>) outs({{.*}} : tensor<1x16x8xf32>)
// CHECK:           scf.forall.in_parallel
// CHECK:         return %[[R]]
// CHECK-NOT:     scf.forall
func.func @attention(%q: tensor<4x64x8xf32>, %k: tensor<4x8x64xf32>, %v: tensor<4x64x8xf32>) -> tensor<4x64x8xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<4x64x64xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x64x8xf32>, tensor<4x8x64xf32>) outs(%z0 : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %e1 = tensor.empty() : tensor<4x64xf32>
  %z1 = linalg.fill ins(%least : f32) outs(%e1 : tensor<4x64xf32>) -> tensor<4x64xf32>
  %m = linalg.reduce ins(%s : tensor<4x64x64xf32>) outs(%z1 : tensor<4x64xf32>) dimensions = [2] (%x: f32, %out: f32) {
    %0 = arith.maximumf %x, %out : f32
    linalg.yield %0 : f32
  }
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<4x64x64xf32>, tensor<4x64xf32>) outs(%e0 : tensor<4x64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.subf %x, %y : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x64xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x64xf32>) -> tensor<4x64xf32>
  %sum = linalg.reduce ins(%p : tensor<4x64x64xf32>) outs(%z2 : tensor<4x64xf32>) dimensions = [2] (%x: f32, %out: f32) {
    %0 = arith.addf %x, %out : f32
    linalg.yield %0 : f32
  }
  %n = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %sum : tensor<4x64x64xf32>, tensor<4x64xf32>) outs(%e0 : tensor<4x64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.divf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x64xf32>
  %e2 = tensor.empty() : tensor<4x64x8xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x64x8xf32>) -> tensor<4x64x8xf32>
  %o = linalg.batch_matmul ins(%n, %v : tensor<4x64x64xf32>, tensor<4x64x8xf32>) outs(%z3 : tensor<4x64x8xf32>) -> tensor<4x64x8xf32>
  return %o : tensor<4x64x8xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
// What a product reads is computed for the rows of its tile, if the tile has all of its columns.
// CHECK-LABEL: func.func @in_front
// CHECK:         scf.forall (%{{.+}}) = (0) to (64) step (16)
// CHECK:           arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK:           linalg.generic {{.*}} ins({{.*}} : tensor<16x8xf32>, tensor<8x32xf32>) outs({{.*}} : tensor<16x32xf32>)
// CHECK:         return
func.func @in_front(%x: tensor<64x8xf32>, %s: tensor<64xf32>, %w: tensor<8x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x8xf32>
  %a = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x8xf32>, tensor<64xf32>) outs(%e0 : tensor<64x8xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<64x8xf32>
  %e1 = tensor.empty() : tensor<64x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%a, %w : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %p : tensor<64x32xf32>
}

// -----

// Near misses: products that have an operand in common, and no more; two layers whose weights are
// together more than what may be read again for each tile of rows; a product that reads all rows of
// the first, for which a tile is too small.
// CHECK-LABEL: func.func @one_operand
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @long_weights
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @all_rows
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @one_operand(%a: tensor<64x8xf32>, %w: tensor<8x32xf32>, %v: tensor<8x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%a, %w : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %q = linalg.matmul ins(%a, %v : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z1 : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %p, %q : tensor<64x32xf32>, tensor<64x32xf32>
}
func.func @long_weights(%a: tensor<64x16xf32>, %w: tensor<16x32xf32>, %v: tensor<32x24xf32>) -> tensor<64x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%a, %w : tensor<64x16xf32>, tensor<16x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  %e1 = tensor.empty() : tensor<64x24xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x24xf32>) -> tensor<64x24xf32>
  %q = linalg.matmul ins(%p, %v : tensor<64x32xf32>, tensor<32x24xf32>) outs(%z1 : tensor<64x24xf32>) -> tensor<64x24xf32>
  return %q : tensor<64x24xf32>
}
func.func @all_rows(%a: tensor<64x8xf32>, %w: tensor<8x32xf32>, %v: tensor<96x64xf32>) -> tensor<96x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%a, %w : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  %e1 = tensor.empty() : tensor<96x32xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<96x32xf32>) -> tensor<96x32xf32>
  %q = linalg.matmul ins(%v, %p : tensor<96x64xf32>, tensor<64x32xf32>) outs(%z1 : tensor<96x32xf32>) -> tensor<96x32xf32>
  return %q : tensor<96x32xf32>
}
