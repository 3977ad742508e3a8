// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" | FileCheck %s
// B9: a batch norm that is the model's first layer reads the batch unrounded and gives
// f32; design: "Inside the model only batch normalisation stays FP32, with half input
// and output" (Apex casts the model's inputs).
func.func @f(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: %[[H:.*]] = amp.cast %{{.*}} : tensor<8x4xf32> to tensor<8x4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<8x4xf16> to tensor<8x4xf32>
  // CHECK: arith.mulf %[[W]]
  %y = arith.mulf %x, %gamma {amp.function = "torch.nn.functional.batch_norm", amp.layer = "bn", amp.scope_id = 1 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %z = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.scope_id = 2 : i64, amp.phase = "forward"} ins(%y, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}
