// RUN: amp-opt %s --amp-annotate-precision | FileCheck %s
// B8: a framework operation of its own (other scope_id and function, no layer, as
// functional relu has) whose only user is a batch norm is taken into it.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
func.func @f(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: math.tanh {{.*}}#amp.class<low, {{.*}}"inside the model"
  %h = math.tanh %x {amp.function = "torch.tanh", amp.scope_id = 0 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<follow,
  %y = arith.mulf %h, %gamma {amp.function = "torch.nn.functional.batch_norm", amp.layer = "bn", amp.scope_id = 1 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
}
