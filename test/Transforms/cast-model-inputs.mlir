// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" --amp-cast-model > %t.once
// RUN: FileCheck %s < %t.once
// RUN: amp-opt %t.once --amp-cast-model | diff %t.once -
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" | FileCheck %s --check-prefix=PIPELINE
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 keep-batchnorm-fp32=False verbosity=0" --amp-cast-model \
// RUN:     | FileCheck %s --check-prefix=NORM-CAST

// A batch normalisation that is the model's first layer has half input and output, as
// Apex casts what the model is given. Its parameters stay as they are.

// CHECK-LABEL: func.func @first_layer
// CHECK-SAME: %[[GAMMA:.*]]: tensor<8x4xf32> {amp.kind = "batch_norm"
// CHECK-SAME: %[[X:[^ ]*]]: tensor<8x4xf32> {amp.name = "x0"
// CHECK: %[[H:.*]] = amp.cast %[[X]] : tensor<8x4xf32> to tensor<8x4xf16>
// CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<8x4xf16> to tensor<8x4xf32>
// CHECK: arith.subf %[[W]], %[[W]]
// CHECK: arith.mulf %{{.*}}, %[[GAMMA]]
// PIPELINE-LABEL: func.func @first_layer
// PIPELINE: %[[Y:.*]] = arith.mulf
// PIPELINE: %[[YH:.*]] = amp.cast %[[Y]] : tensor<8x4xf32> to tensor<8x4xf16>
// PIPELINE: linalg.matmul {{.*}}ins(%[[YH]],
// NORM-CAST-LABEL: func.func @first_layer
// NORM-CAST-NOT: amp.cast %{{.*}} : tensor<8x4xf32> to tensor<8x4xf16>
func.func @first_layer(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %c = arith.subf %x, %x {amp.function = "torch.nn.functional.batch_norm", amp.layer = "bn", amp.scope_id = 1 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  %y = arith.mulf %c, %gamma {amp.function = "torch.nn.functional.batch_norm", amp.layer = "bn", amp.scope_id = 1 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %z = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.scope_id = 2 : i64, amp.phase = "forward"} ins(%y, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// A view of an input is that input.
// CHECK-LABEL: func.func @view_of_input
// CHECK: %[[V:.*]] = tensor.expand_shape
// CHECK: %[[H:.*]] = amp.cast %[[V]] : tensor<8x4xf32> to tensor<8x4xf16>
// CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<8x4xf16> to tensor<8x4xf32>
// CHECK: arith.mulf %[[W]],
func.func @view_of_input(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %x: tensor<32xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %v = tensor.expand_shape %x [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>
  %y = arith.mulf %v, %gamma {amp.layer = "bn", amp.scope_id = 1 : i64} : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Near miss: what comes out of another layer is rounded by that layer, and what no
// batch normalisation reads is left to its readers.
// CHECK-LABEL: func.func @second_layer
// CHECK-SAME: %[[X:[^ ]*]]: tensor<8x4xf32> {amp.name = "x0"
// CHECK-NOT: amp.cast %{{.*}} : tensor<8x4xf32> to tensor<8x4xf16>
// CHECK: linalg.matmul {{.*}}ins(%[[X]],
// CHECK-NOT: amp.cast
// CHECK: return
func.func @second_layer(
    %gamma: tensor<8x4xf32> {amp.role = "param", amp.name = "bn.scale", amp.kind = "batch_norm"},
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<8x4xf32>
  %z = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.scope_id = 2 : i64, amp.phase = "forward"} ins(%x, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = arith.mulf %z, %gamma {amp.function = "torch.nn.functional.batch_norm", amp.layer = "bn", amp.scope_id = 3 : i64, amp.phase = "forward"} : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
