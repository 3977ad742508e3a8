// A norm of small images, all of which one tile has: sectors are whole only if a tile has all eight channels. One
// kernel computes it. Upstream's canonicalizer would take a loop of one iteration apart, and five would.
// RUN: amp-opt %s --amp-to-gpu='chip=sm_90a format=nvvm' --mlir-print-ir-after=amp-batch-launches -o /dev/null 2>&1 \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @norm
// CHECK-NOT:   launch_kernels
// CHECK:       amp.launch_kernels @group_0
// CHECK-NOT:   {{launch_kernels|linalg.generic|scf.for}}
// CHECK:       return

#id = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
#row = affine_map<(c) -> (c)>
func.func @norm(%x: tensor<16x8x8x8xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<16x8x8x8xf32> {amp.role = "output", amp.name = "y0"}) {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %share = arith.constant 9.765625e-4 : f32
  %images = tensor.empty() : tensor<16x8x8x8xf32>
  %channels = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%channels : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #channel], iterator_types = ["reduction", "reduction", "reduction", "parallel"]}
      ins(%x : tensor<16x8x8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %mean = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%sum : tensor<8xf32>) outs(%channels : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %share : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %centered = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %mean : tensor<16x8x8x8xf32>, tensor<8xf32>) outs(%images : tensor<16x8x8x8xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<16x8x8x8xf32>
  %squares = linalg.generic {indexing_maps = [#id, #channel], iterator_types = ["reduction", "reduction", "reduction", "parallel"]}
      ins(%centered : tensor<16x8x8x8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%centered, %squares : tensor<16x8x8x8xf32>, tensor<8xf32>) outs(%images : tensor<16x8x8x8xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.mulf %s, %share : f32
    %1 = arith.addf %0, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<16x8x8x8xf32>
  return %y : tensor<16x8x8x8xf32>
}
