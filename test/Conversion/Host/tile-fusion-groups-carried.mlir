// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups))" | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{carried-in-place=false}))" | FileCheck %s --check-prefix=NEW

// What a loop carries goes on in place: the group reads and writes parts of it. Its other result starts from nothing, and
// is not written over what the loop carries for it, which the group reads.
// CHECK-LABEL: func.func @carried
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK:           scf.forall {{.*}} shared_outs({{.*}} = %{{.*}}, %[[PLACE:.*]] = %[[A]])
// CHECK:             %[[PART:.*]] = tensor.extract_slice %[[PLACE]]
// CHECK:             linalg.generic {{.*}}%[[PART]]
// CHECK:             tensor.parallel_insert_slice %{{.*}} into %[[PLACE]]

// NEW-LABEL: func.func @carried
// NEW:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// NEW:           scf.forall
// NEW-NOT:         = %[[A]]
// NEW:             tensor.extract_slice %[[A]]
func.func @carried(%x: tensor<8x64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %w, %b = %w) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %s = tensor.extract_slice %x[%i, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<8x64x64xf32> to tensor<64x64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %t = arith.mulf %u, %v : f32
      linalg.yield %t : f32
    } -> tensor<64x64xf32>
    %em = tensor.empty() : tensor<64xf32>
    %mz = linalg.fill ins(%z : f32) outs(%em : tensor<64xf32>) -> tensor<64xf32>
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<64x64xf32>) outs(%mz : tensor<64xf32>) {
    ^bb0(%u: f32, %o: f32):
      %t = arith.addf %u, %o : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %m : tensor<64x64xf32>, tensor<64xf32>) outs(%a : tensor<64x64xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %q = arith.mulf %u, %v : f32
      %t = arith.addf %q, %o : f32
      linalg.yield %t : f32
    } -> tensor<64x64xf32>
    scf.yield %n, %p : tensor<64x64xf32>, tensor<64x64xf32>
  }
  return %r#0 : tensor<64x64xf32>
}
