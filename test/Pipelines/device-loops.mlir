// A loop that carries tensors launches kernels and nothing else: it allocates nothing, keeps no notes of who frees what,
// and reads nothing, also where one of its branches takes a part of a tensor.
// RUN: amp-opt %s --split-input-file --amp-to-gpu=format=nvvm | FileCheck %s

// CHECK-LABEL: llvm.func internal @layers(
// CHECK:       llvm.call @ampRtRunAllocate(
// CHECK-NOT:   llvm.call @ampRtRunAllocate(
// CHECK-NOT:   llvm.call @ampRtRunRead(
// CHECK-NOT:   llvm.call @ampRtRunWrite(
// CHECK:       llvm.return
// CHECK:       }
func.func @layers(%x: tensor<8x8xf32> {amp.role = "batch", amp.name = "x0"},
                  %z: tensor<4x4xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<4x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %z) -> tensor<4x4xf32> {
    %b = arith.cmpi eq, %i, %c1 : index
    %q = scf.if %b -> tensor<4x4xf32> {
      %s = tensor.extract_slice %x[%i, 2] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
      scf.yield %s : tensor<4x4xf32>
    } else {
      scf.yield %a : tensor<4x4xf32>
    }
    %t = linalg.matmul ins(%q, %z : tensor<4x4xf32>, tensor<4x4xf32>) outs(%q : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %t : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// A row of either half is put into an argument, and into a constant: copies alone.
// CHECK-LABEL: llvm.func internal @rows(
// CHECK-NOT:   llvm.call @ampRtRunWrite(
// CHECK:       llvm.return
// CHECK:       }
func.func @rows(%x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"}, %b: tensor<4x4xf32> {amp.role = "batch", amp.name = "x1"},
                %n: tensor<f32> {amp.role = "batch", amp.name = "x2"})
    -> (tensor<4x4xf32> {amp.role = "output", amp.name = "y0"}, tensor<4x4xf32> {amp.role = "output", amp.name = "y1"}) {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<4x4xf32>
  %v = tensor.extract %n[] : tensor<f32>
  %c = arith.cmpf ogt, %v, %zero : f32
  %row = scf.if %c -> tensor<4xf32> {
    %r = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
    scf.yield %r : tensor<4xf32>
  } else {
    %r = tensor.extract_slice %x[2, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
    scf.yield %r : tensor<4xf32>
  }
  %into = tensor.insert_slice %row into %b[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
  %constant = tensor.insert_slice %row into %zeros[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
  return %into, %constant : tensor<4x4xf32>, tensor<4x4xf32>
}
