// RUN: amp-opt %s --amp-annotate-precision --amp-insert-casts | FileCheck %s

// In-place forms at O1: the result has the type of what is overwritten, self. Every row
// that Apex recorded is in test/unittests/Transforms; here is what the rules look at.

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

// Listed to promote, on a half self: the other argument is rounded, and the result.
// CHECK-LABEL: func.func @half_self
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>, %[[Y:.*]]: tensor<4xf32>
func.func @half_self(%x: tensor<4xf16>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[YH:.*]] = amp.cast %[[Y]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[YW:.*]] = amp.cast %[[YH]]
  // CHECK: %[[XW:.*]] = amp.cast %[[X]]
  // CHECK: %[[R:.*]] = arith.mulf %[[XW]], %[[YW]] {amp.class = #amp.class<match_self, unit = 0, "in place: torch.Tensor.mul_">, {{.*}}amp.self = 0 : i64}
  // CHECK: %[[RH:.*]] = amp.cast %[[R]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[RW:.*]] = amp.cast %[[RH]]
  // CHECK: return %[[RW]]
  %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %0 = arith.mulf %w, %y {amp.function = "torch.Tensor.mul_", amp.scope_id = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The same arguments, with the other for self: nothing is rounded.
// CHECK-LABEL: func.func @wide_self
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>, %[[Y:.*]]: tensor<4xf32>
func.func @wide_self(%x: tensor<4xf16>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[XW:.*]] = amp.cast %[[X]]
  // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[XW]], %[[Y]]
  // CHECK-NEXT: return %[[R]]
  %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %0 = arith.mulf %w, %y {amp.function = "torch.Tensor.mul_", amp.scope_id = 0 : i64, amp.self = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Near miss: out of place the widest type wins, whichever comes first.
// CHECK-LABEL: func.func @out_of_place
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>, %[[Y:.*]]: tensor<4xf32>
func.func @out_of_place(%x: tensor<4xf16>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[XW:.*]] = amp.cast %[[X]]
  // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[XW]], %[[Y]]
  // CHECK-NOT: amp.self
  // CHECK-SAME: tensor<4xf32>
  // CHECK-NEXT: return %[[R]]
  %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %0 = arith.mulf %w, %y {amp.function = "torch.Tensor.mul", amp.scope_id = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A product in place adds to self, which is no factor: FP32 where self is.
// CHECK-LABEL: func.func @product_onto_wide
func.func @product_onto_wide(%c: tensor<4x4xf32>, %a: tensor<4x4xf16>) -> tensor<4x4xf32> {
  // CHECK: %[[R:.*]] = linalg.matmul {{.*}}amp.self = 2 : i64} ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
  // CHECK-NEXT: return %[[R]]
  %w = amp.cast %a : tensor<4x4xf16> to tensor<4x4xf32>
  %0 = linalg.matmul {amp.function = "torch.Tensor.addmm_", amp.scope_id = 0 : i64}
      ins(%w, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// And half where self is.
// CHECK-LABEL: func.func @product_onto_half
func.func @product_onto_half(%c: tensor<4x4xf16>, %a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[R:.*]] = linalg.matmul {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4xf16>, tensor<4x4xf16>)
  // CHECK: amp.cast %[[R]] : tensor<4x4xf32> to tensor<4x4xf16>
  %w = amp.cast %c : tensor<4x4xf16> to tensor<4x4xf32>
  %0 = linalg.matmul {amp.function = "torch.Tensor.addmm_", amp.scope_id = 0 : i64}
      ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%w : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// The whole unit goes by self, its inner values stay raw; self is the first tensor from
// outside, seen through a view.
// CHECK-LABEL: func.func @unit_of_two
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>, %[[Y:.*]]: tensor<2x2xf32>
func.func @unit_of_two(%x: tensor<4xf16>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // CHECK: %[[P:.*]] = arith.mulf {{.*}}amp.self = 0 : i64
  // CHECK-NOT: amp.cast
  // CHECK: %[[R:.*]] = arith.addf %[[P]], %{{.*}}#amp.class<match_self, unit = 1,
  // CHECK: amp.cast %[[R]] : tensor<2x2xf32> to tensor<2x2xf16>
  %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %v = tensor.expand_shape %w [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %0 = arith.mulf %v, %v {amp.function = "torch.Tensor.addcmul_", amp.scope_id = 0 : i64} : tensor<2x2xf32>
  %1 = arith.addf %0, %y {amp.function = "torch.Tensor.addcmul_", amp.scope_id = 0 : i64} : tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// A constant is a fresh buffer, and buffers are FP32: what is added to it stays so.
// CHECK-LABEL: func.func @onto_a_constant
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>
func.func @onto_a_constant(%x: tensor<4xf16>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = arith.addf
  // CHECK-NEXT: return %[[R]]
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %0 = arith.addf %zeros, %w {amp.function = "torch.Tensor.add_", amp.scope_id = 0 : i64, amp.self = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// On no list nothing is cast, but the result is still what self can hold.
// CHECK-LABEL: func.func @unlisted
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>, %[[Y:.*]]: tensor<4xf32>
func.func @unlisted(%x: tensor<4xf16>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[XW:.*]] = amp.cast %[[X]]
  // CHECK-NEXT: %[[R:.*]] = arith.subf %[[XW]], %[[Y]] {amp.class = #amp.class<follow, unit = 0, "on no list, type of its first argument: torch.Tensor.sub_">
  // CHECK-NEXT: amp.cast %[[R]] : tensor<4xf32> to tensor<4xf16>
  %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %0 = arith.subf %w, %y {amp.function = "torch.Tensor.sub_", amp.scope_id = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// huber_loss has the type of its input, not of its target.
// CHECK-LABEL: func.func @huber_loss
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>, %[[Y:.*]]: tensor<4xf32>
func.func @huber_loss(%x: tensor<4xf16>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[XW:.*]] = amp.cast %[[X]]
  // CHECK-NEXT: %[[R:.*]] = arith.subf %[[XW]], %[[Y]]
  // CHECK-NEXT: amp.cast %[[R]] : tensor<4xf32> to tensor<4xf16>
  %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %0 = arith.subf %w, %y {amp.function = "torch.nn.functional.huber_loss", amp.scope_id = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A class by hand without an operand to go by promotes.
// CHECK-LABEL: func.func @by_hand
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>, %[[Y:.*]]: tensor<4xf32>
func.func @by_hand(%x: tensor<4xf16>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[XW:.*]] = amp.cast %[[X]]
  // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[XW]], %[[Y]]
  // CHECK-NEXT: return %[[R]]
  %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %0 = arith.mulf %w, %y {amp.class = #amp.class<match_self, unit = 0>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An FP32 function that only moves elements returns FP32: what follows it is FP32 too.
// CHECK-LABEL: func.func @movement_of_float32
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf16>
func.func @movement_of_float32(%x: tensor<4x8xf16>) -> tensor<8x4xf32> {
  // CHECK: %[[XW:.*]] = amp.cast %[[X]]
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[XW]] : tensor<4x8xf32>) {{.*}}#amp.class<high, unit = 0, "listed FP32: torch.nn.functional.interpolate">
  // CHECK-NEXT: %[[R:.*]] = math.absf %[[T]]
  // CHECK-NEXT: return %[[R]]
  %w = amp.cast %x : tensor<4x8xf16> to tensor<4x8xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
      {amp.function = "torch.nn.functional.interpolate", amp.scope_id = 0 : i64}
  %1 = math.absf %0 {amp.function = "torch.relu", amp.scope_id = 1 : i64} : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Near miss: inside a unit a view stays what it views.
// CHECK-LABEL: func.func @movement_inside
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf16>
func.func @movement_inside(%x: tensor<4x8xf16>) -> tensor<8x4xf32> {
  // CHECK: linalg.transpose {{.*}}#amp.class<follow, unit = 0, "moves elements">
  // CHECK: math.exp {{.*}}#amp.class<high, unit = 0,
  %w = amp.cast %x : tensor<4x8xf16> to tensor<4x8xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
      {amp.function = "torch.nn.functional.softmax", amp.scope_id = 0 : i64}
  %1 = math.exp %0 {amp.function = "torch.nn.functional.softmax", amp.scope_id = 0 : i64} : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Near miss: its gradient is moved in the type that it has.
// CHECK-LABEL: func.func @movement_backward
func.func @movement_backward(%g: tensor<4x8xf16>) -> tensor<8x4xf32> {
  // CHECK: linalg.transpose ins(%{{.*}} : tensor<4x8xf16>) {{.*}}#amp.class<follow, unit = 0, backward, "moves elements">
  %w = amp.cast %g : tensor<4x8xf16> to tensor<4x8xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
      {amp.function = "torch.nn.functional.interpolate", amp.phase = "backward", amp.scope_id = 0 : i64}
  return %0 : tensor<8x4xf32>
}

// Where a product in place is given nothing but factors, self is the first of them.
// CHECK-LABEL: func.func @product_of_self
func.func @product_of_self(%a: tensor<4x4xf16>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: linalg.matmul {{.*}}amp.self = 0 : i64} ins(%{{.*}}, %{{.*}} : tensor<4x4xf16>, tensor<4x4xf16>)
  %e = tensor.empty() : tensor<4x4xf32>
  %w = amp.cast %a : tensor<4x4xf16> to tensor<4x4xf32>
  %0 = linalg.matmul {amp.function = "torch.Tensor.addmm_", amp.scope_id = 0 : i64}
      ins(%w, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A gradient is nobody's self: the factor is, though the gradient is no factor.
// CHECK-LABEL: func.func @self_is_forward
func.func @self_is_forward(%a: tensor<4x4xf16>, %b: tensor<4x4xf32>, %g: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: linalg.matmul {{.*}}amp.self = 0 : i64} ins(%{{.*}}, %{{.*}} : tensor<4x4xf16>, tensor<4x4xf16>)
  // CHECK: arith.negf {{.*}}#amp.class<match_self, unit = 0, backward, "in place: torch.Tensor.addmm_">
  // CHECK-NOT: amp.self
  // CHECK: return
  %e = tensor.empty() : tensor<4x4xf32>
  %w = amp.cast %a : tensor<4x4xf16> to tensor<4x4xf32>
  %0 = linalg.matmul {amp.function = "torch.Tensor.addmm_", amp.scope_id = 0 : i64}
      ins(%w, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = arith.negf %g {amp.function = "torch.Tensor.addmm_", amp.phase = "backward", amp.scope_id = 0 : i64} : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
}
