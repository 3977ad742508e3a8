// The rows of a batch in two parts: the mean of their losses, the sum of their
// gradients, and a running mean that has seen both.
//
// REQUIRES: amp-run, numpy
// RUN: %python %S/../Inputs/breadth.py %s micro_batches --micro-batches=2

module {
  // loss = sum((x w - t)^2) / 8
  func.func @fb(%w: tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
                %x: tensor<4x3xf32> {amp.role = "batch", amp.name = "x0"},
                %t: tensor<4x2xf32> {amp.role = "batch", amp.name = "x1"},
                %mean: tensor<f32> {amp.role = "buffer", amp.name = "mean"},
                %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<3x2xf32> {amp.role = "grad", amp.name = "w"},
          tensor<f32> {amp.role = "buffer", amp.name = "mean"}) {
    %zero = arith.constant 0.0 : f32
    %eighth = arith.constant 0.125 : f32
    %e42 = tensor.empty() : tensor<4x2xf32>
    %e32 = tensor.empty() : tensor<3x2xf32>
    %e34 = tensor.empty() : tensor<3x4xf32>
    %e0 = tensor.empty() : tensor<f32>
    %f42 = linalg.fill ins(%zero : f32) outs(%e42 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %f6 = linalg.fill ins(%zero : f32) outs(%e32 : tensor<3x2xf32>) -> tensor<3x2xf32>
    %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
    %y = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%f42 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %d = arith.subf %y, %t : tensor<4x2xf32>
    %sq = arith.mulf %d, %d : tensor<4x2xf32>
    %sum = linalg.reduce ins(%sq : tensor<4x2xf32>) outs(%f0 : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32  linalg.yield %s : f32 }
    %eighths = tensor.splat %eighth : tensor<f32>
    %loss = arith.mulf %sum, %eighths : tensor<f32>
    %quarter = arith.constant dense<0.25> : tensor<f32>
    %s = arith.mulf %seed, %quarter : tensor<f32>
    %sb = linalg.broadcast ins(%s : tensor<f32>) outs(%e42 : tensor<4x2xf32>) dimensions = [0, 1]
    %gy = arith.mulf %d, %sb : tensor<4x2xf32>
    %xt = linalg.transpose ins(%x : tensor<4x3xf32>) outs(%e34 : tensor<3x4xf32>) permutation = [1, 0]
    %gw = linalg.matmul ins(%xt, %gy : tensor<3x4xf32>, tensor<4x2xf32>) outs(%f6 : tensor<3x2xf32>) -> tensor<3x2xf32>
    %halves = arith.constant dense<0.5> : tensor<f32>
    %both = arith.addf %mean, %loss : tensor<f32>
    %newmean = arith.mulf %both, %halves : tensor<f32>
    return %loss, %gw, %newmean : tensor<f32>, tensor<3x2xf32>, tensor<f32>
  }
  func.func @sgd(%w: tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
                 %g: tensor<3x2xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<3x2xf32> {amp.role = "param", amp.name = "w"}) {
    %lr = arith.constant dense<0.125> : tensor<3x2xf32>
    %d = arith.mulf %g, %lr : tensor<3x2xf32>
    %new = arith.subf %w, %d : tensor<3x2xf32>
    return %new : tensor<3x2xf32>
  }
  func.func @train_step(
      %w: tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
      %mean: tensor<f32> {amp.role = "buffer", amp.name = "mean"},
      %x: tensor<4x3xf32> {amp.role = "batch", amp.name = "x0"},
      %t: tensor<4x2xf32> {amp.role = "batch", amp.name = "x1"},
      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
          tensor<f32> {amp.role = "buffer", amp.name = "mean"}) {
    %l, %g, %m = call @fb(%w, %x, %t, %mean, %seed) : (tensor<3x2xf32>, tensor<4x3xf32>, tensor<4x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<3x2xf32>, tensor<f32>)
    %new = call @sgd(%w, %g) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %l, %new, %m : tensor<f32>, tensor<3x2xf32>, tensor<f32>
  }
}
