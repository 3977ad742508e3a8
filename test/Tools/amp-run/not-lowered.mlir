// A dialect that the host lowering does not know: the operation is named, then the
// file.
//
// REQUIRES: amp-run, numpy
// RUN: %python -c "import numpy, sys; numpy.savez(sys.argv[1], x0=numpy.ones(4, 'f'))" %t.npz
// RUN: not amp-run %s --verbosity=0 --opt-level=O0 --data %t.npz --steps 1 2>&1 | FileCheck %s
// CHECK: not-lowered.mlir:[[#@LINE+12]]:{{.*}}: error: op was not bufferized
// CHECK: amp-run: error: '{{.*}}not-lowered.mlir': the module cannot be lowered for the host

func.func @train_step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>)
                     outs(%zero : tensor<f32>) -> tensor<f32>
  %new = tosa.abs %w : (tensor<4xf32>) -> tensor<4xf32>
  return %loss, %new : tensor<f32>, tensor<4xf32>
}
