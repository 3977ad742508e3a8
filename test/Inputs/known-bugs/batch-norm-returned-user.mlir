// RUN: amp-opt %s --amp-annotate-precision | FileCheck %s
// B7: an operation whose result is only returned counts as "saved for backward", so the
// residual add is not seen as a user and the tanh becomes part of batch norm.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
func.func @f(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: math.tanh {{.*}}#amp.class<low,
  %h = math.tanh %x : tensor<8x4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<follow,
  %y = arith.mulf %h, %gamma : tensor<8x4xf32>
  %o = arith.addf %y, %h : tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}
}
