// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{product-rows=1 product-columns=1 product-bytes=32}))" \
// RUN:   | FileCheck %s

// What a product starts from is read by its reader too, all rows of it for each row: their number is
// not known, and so no tile can have them.
// CHECK-LABEL: func.func @start_is_read
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @start_is_read(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%c : tensor<?x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %q = arith.mulf %x, %y : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  %e = tensor.empty(%m) : tensor<?x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, j) -> (m, n)>, affine_map<(m, n, j) -> (j, n)>, affine_map<(m, n, j) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %c : tensor<?x16xf32>, tensor<?x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %q = arith.addf %x, %y : f32
    %s = arith.maximumf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
