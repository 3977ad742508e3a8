// RUN: amp-opt %s --amp-annotate-precision | FileCheck %s
// B6: without ids and layers a batch norm falls into several units (a broadcast of
// gamma opens one, and the product joins that instead of the statistics' unit), so a
// value inside is rounded to half. PrecisionUnits.h: "a batch normalisation is then
// one unit, however many operations the front end wrote it with".
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
func.func @f(
    %gamma: tensor<4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<8x4xf32>
  // CHECK: arith.subf {{.*}}#amp.class<follow, unit = [[BN:[0-9]+]],
  %c = arith.subf %x, %x : tensor<8x4xf32>
  %gb = linalg.broadcast ins(%gamma : tensor<4xf32>) outs(%e : tensor<8x4xf32>) dimensions = [0]
  // CHECK: arith.mulf {{.*}}#amp.class<follow, unit = [[BN]],
  %y = arith.mulf %c, %gb : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
}
