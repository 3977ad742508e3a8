// RUN: amp-opt %s --amp-annotate-precision | FileCheck %s
// B5: the weight gradient x^T g, without origins, reads a *transpose* of an activation
// inside the model; the transpose itself is not in the model, so the contraction ends
// "after the model's end" in FP32.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
func.func @weight_gradient(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<2x4xf32> {amp.role = "batch", amp.name = "s"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x4xf32>, tensor<8x4xf32> {amp.role = "grad", amp.name = "w"}) {
  %xa = math.absf %x : tensor<2x8xf32>
  %e0 = tensor.empty() : tensor<2x4xf32>
  %p = linalg.matmul ins(%xa, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %e2 = tensor.empty() : tensor<2x4xf32>
  %g = linalg.broadcast ins(%s : tensor<f32>) outs(%e2 : tensor<2x4xf32>) dimensions = [0, 1]
  %e3 = tensor.empty() : tensor<8x2xf32>
  %xt = linalg.transpose ins(%xa : tensor<2x8xf32>) outs(%e3 : tensor<8x2xf32>) permutation = [1, 0]
  %e4 = tensor.empty() : tensor<8x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">}
  %gw = linalg.matmul ins(%xt, %g : tensor<8x2xf32>, tensor<2x4xf32>) outs(%e4 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %p, %gw : tensor<2x4xf32>, tensor<8x4xf32>
}
}
