// RUN: not amp-opt %s --amp-annotate-precision --amp-insert-casts 2>&1 | FileCheck %s --strict-whitespace

// Apex's advice on its one banned function, line by line; which argument is half.

//      CHECK:error: 'arith.subf' op
// CHECK-NEXT:amp does not work out-of-the-box with `F.binary_cross_entropy` or `torch.nn.BCELoss.` It requires that the output of the previous function be already a FloatTensor.
// CHECK-EMPTY:
// CHECK-NEXT:Most models have a Sigmoid right before BCELoss. In that case, you can use
// CHECK-NEXT:    torch.nn.BCEWithLogitsLoss
// CHECK-NEXT:to combine Sigmoid+BCELoss into a single layer that is compatible with amp.
// CHECK-NEXT:Another option is to add
// CHECK-NEXT:    amp.register_float_function(torch, 'sigmoid')
// CHECK-NEXT:before calling `amp.init()`.
// CHECK-NEXT:If you _really_ know what you are doing, you can disable this warning by passing allow_banned=True to `amp.init()`.
//      CHECK:note: this argument is half

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  func.func @banned(%x: tensor<4xf16>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %w = amp.cast %x : tensor<4xf16> to tensor<4xf32>
    %0 = math.log %y {amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    %1 = arith.subf %w, %0 {amp.function = "torch.nn.functional.binary_cross_entropy", amp.scope_id = 0 : i64} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
