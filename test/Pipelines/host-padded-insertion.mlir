// RUN: amp-opt %s --amp-to-host --mlir-print-ir-after=amp-fuse-elementwise -o /dev/null 2>&1 | FileCheck %s
// RUN: amp-opt %s --amp-to-gpu=format=nvvm --mlir-print-ir-after=convert-linalg-to-tensor-core -o /dev/null 2>&1 | FileCheck %s

// A padded tensor between zeros keeps its padding: upstream's canonicalizer would
// insert what is padded, one place further and not two. The helper is inlined, which
// canonicalizes as well.
// CHECK:         tensor.pad %{{.*}} low[1] high[0]
// CHECK:         tensor.insert_slice %{{.*}}[0] [4] [2] : tensor<4xf32> into tensor<7xf32>
func.func private @spread(%x: tensor<3xf32>) -> tensor<7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<7xf32>) -> tensor<7xf32>
  %padded = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<3xf32> to tensor<4xf32>
  %r = tensor.insert_slice %padded into %zeros[0] [4] [2] : tensor<4xf32> into tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @step(%x: tensor<3xf32> {amp.role = "batch", amp.name = "x"})
    -> (tensor<7xf32> {amp.role = "output", amp.name = "y"}) {
  %0 = call @spread(%x) : (tensor<3xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
