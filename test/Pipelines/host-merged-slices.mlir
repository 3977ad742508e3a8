// RUN: amp-opt %s --amp-to-host -o %t
// RUN: FileCheck %s < %t

// A slice of a slice with a stride, of one element along it, that drops a dimension:
// merged, it has a stride of 3 along a dimension of extent 1.
// CHECK: llvm.func @_mlir_ciface_step
func.func @step(%x: tensor<4x2xf32> {amp.role = "batch", amp.name = "x"})
    -> (tensor<1xf32> {amp.role = "output", amp.name = "y"}) {
  %empty = tensor.empty() : tensor<1xf32>
  %0 = tensor.extract_slice %x[0, 1] [2, 1] [3, 1] : tensor<4x2xf32> to tensor<2x1xf32>
  %1 = tensor.extract_slice %0[1, 0] [1, 1] [1, 1] : tensor<2x1xf32> to tensor<1xf32>
  %2 = linalg.exp ins(%1 : tensor<1xf32>) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
  return %2 : tensor<1xf32>
}
