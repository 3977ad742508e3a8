// RUN: amp-opt %s --amp-annotate-precision | FileCheck %s
// B4: tensor.empty (or a fill, or a constant tensor) used by the model counts as "a
// value from inside the model": a backward operation of the loss that writes into it
// becomes part of the model.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
func.func @shared_init(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<2x4xf32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x4xf32>, tensor<2x4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<2x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %d = arith.subf %p, %y : tensor<2x4xf32>
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<2x4xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %gd = arith.mulf %g, %d : tensor<2x4xf32>
  return %d, %gd : tensor<2x4xf32>, tensor<2x4xf32>
}
}
