// Passes that follow values erase blocks that nothing reaches where no choice of
// a level did it before them: values there may be made of themselves.

// RUN: amp-opt %s --amp-insert-casts | FileCheck %s
// RUN: amp-opt %s --convert-linalg-to-tensor-core | FileCheck %s
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

// CHECK-LABEL: func.func @movements
// CHECK-NOT: linalg
// CHECK: return
func.func @movements(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
^dead:
  %a = linalg.transpose ins(%b : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) permutation = [1, 0]
  %b = linalg.transpose ins(%a : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) permutation = [1, 0]
  %c = linalg.matmul ins(%b, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// A block that goes round in itself, with casts and fills of themselves.
// CHECK-LABEL: func.func @endless
// CHECK-NOT: cf.br
// CHECK: return
func.func @endless(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
^dead(%p: tensor<8x8xf32>):
  %q = amp.cast %r : tensor<8x8xf32> to tensor<8x8xf16>
  %r = amp.cast %q : tensor<8x8xf16> to tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%fill : tensor<8x8xf32>) -> tensor<8x8xf32>
  cf.br ^dead(%r : tensor<8x8xf32>)
}

// Near miss: a block that is reached stays.
// CHECK-LABEL: func.func @reached
// CHECK: cf.br ^[[BLOCK:.*]]({{.*}})
// CHECK: ^[[BLOCK]]
func.func @reached(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  cf.br ^next(%x : tensor<8x8xf32>)
^next(%p: tensor<8x8xf32>):
  return %p : tensor<8x8xf32>
}
}
