// Numbers of the device that go back to it: the host neither reads nor writes one, unless it has to decide.
// RUN: amp-opt %s --split-input-file --amp-to-gpu=format=nvvm | FileCheck %s

// A loss that is summed up over parts of a batch, and scales what comes behind: its start, a sum for each part, no
// allocation but the workspace, and launches that read the number where it is.
// CHECK-LABEL: llvm.func internal @parts(
// CHECK:       llvm.call @ampRtRunAllocate(
// CHECK-NOT:   llvm.call @ampRtRun{{(Allocate|Read|Write)}}(
// CHECK:       llvm.return
// CHECK:       }
func.func @parts(%x: tensor<4x8xf32> {amp.role = "batch", amp.name = "x0"}) -> (tensor<8xf32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<8xf32>
  %first = tensor.extract_slice %x[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
  %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> f32 {
    %part = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %square = linalg.map { arith.mulf } ins(%part, %part : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
    %loss = linalg.reduce { arith.addf } ins(%square : tensor<8xf32>) outs(%zeros : tensor<f32>) dimensions = [0]
    %n = tensor.extract %loss[] : tensor<f32>
    %s = arith.addf %sum, %n : f32
    scf.yield %s : f32
  }
  %y = linalg.map ins(%first : tensor<8xf32>) outs(%e : tensor<8xf32>) (%in: f32, %out: f32) {
    %p = arith.mulf %in, %total : f32
    linalg.yield %p : f32
  }
  return %y : tensor<8xf32>
}

// -----

// A loop on elements whose number an operation on tensors reads.
// CHECK-LABEL: llvm.func internal @elements(
// CHECK-COUNT-2: llvm.call @ampRtRunLaunch(
// CHECK-NOT:   llvm.call @ampRtRun{{(Launch|Read|Write)}}(
// CHECK:       llvm.return
// CHECK:       }
func.func @elements(%x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"}) -> (tensor<8xf32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %total = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> f32 {
    %n = tensor.extract %x[%i] : tensor<8xf32>
    %t = arith.mulf %sum, %n : f32
    %s = arith.addf %t, %n : f32
    scf.yield %s : f32
  }
  %y = linalg.map ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) (%in: f32, %out: f32) {
    %p = arith.mulf %in, %total : f32
    linalg.yield %p : f32
  }
  return %y : tensor<8xf32>
}

// -----

// Elements at a label and at a loop's index, taken out and put in, and a tensor of several numbers.
// CHECK-LABEL: llvm.func internal @places(
// CHECK-NOT:   llvm.call @ampRtRun{{(Read|Write)}}(
// CHECK:       llvm.return
// CHECK:       }
func.func @places(%x: tensor<3xf32> {amp.role = "batch", amp.name = "x0"}, %labels: tensor<2xi64> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<3xf32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zeros = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<3xf32>
  %l = tensor.extract %labels[%c1] : tensor<2xi64>
  %at = arith.index_cast %l : i64 to index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<3xf32> {
    %m = tensor.extract %a[%at] : tensor<3xf32>
    %n = tensor.extract %a[%i] : tensor<3xf32>
    %b = linalg.map ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>) (%in: f32, %out: f32) {
      %p = arith.mulf %in, %m : f32
      %q = arith.addf %p, %n : f32
      linalg.yield %q : f32
    }
    %sum = linalg.reduce { arith.addf } ins(%b : tensor<3xf32>) outs(%zeros : tensor<f32>) dimensions = [0]
    %s = tensor.extract %sum[] : tensor<f32>
    %c = tensor.insert %s into %b[%at] : tensor<3xf32>
    %d = tensor.insert %m into %c[%i] : tensor<3xf32>
    %t = tensor.from_elements %s, %m, %n : tensor<3xf32>
    %f = linalg.map { arith.addf } ins(%d, %t : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
    scf.yield %f : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}

// -----

// What a loop without known end carries: the host reads what it decides by, in each round, and nothing else. It compares two numbers, which
// are read as one.
// CHECK-LABEL: llvm.func internal @rounds(
// CHECK-NOT:   llvm.call @ampRtRun{{(Read|Write)}}(
// CHECK:       llvm.call @ampRtRunRead(
// CHECK-NOT:   llvm.call @ampRtRun{{(Read|Write)}}(
// CHECK:       llvm.return
// CHECK:       }
func.func @rounds(%x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"}, %most: tensor<f32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<8xf32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<8xf32>
  %limit = tensor.extract %most[] : tensor<f32>
  %start = tensor.extract %x[%c0] : tensor<8xf32>
  %r:2 = scf.while (%a = %x, %s = %start) : (tensor<8xf32>, f32) -> (tensor<8xf32>, f32) {
    %less = arith.cmpf olt, %s, %limit : f32
    scf.condition(%less) %a, %s : tensor<8xf32>, f32
  } do {
  ^bb0(%a: tensor<8xf32>, %s: f32):
    %b = linalg.map ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) (%in: f32, %out: f32) {
      %p = arith.addf %in, %s : f32
      linalg.yield %p : f32
    }
    %sum = linalg.reduce { arith.addf } ins(%b : tensor<8xf32>) outs(%zeros : tensor<f32>) dimensions = [0]
    %n = tensor.extract %sum[] : tensor<f32>
    %t = arith.addf %n, %one : f32
    scf.yield %b, %t : tensor<8xf32>, f32
  }
  %y = linalg.map ins(%r#0 : tensor<8xf32>) outs(%e : tensor<8xf32>) (%in: f32, %out: f32) {
    %p = arith.mulf %in, %r#1 : f32
    linalg.yield %p : f32
  }
  return %y : tensor<8xf32>
}
