// A batch of any size, forward and backward compiled separately, and an evaluate
// function.
//
// REQUIRES: amp-run, numpy
// RUN: %python %S/../Inputs/breadth.py %s dynamic

module {
  // y = x w; loss = sum((y - t)^2) / 8, with y saved for the backward pass
  func.func @forward(%w: tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
                     %x: tensor<?x3xf32> {amp.role = "batch", amp.name = "x0"},
                     %t: tensor<?x2xf32> {amp.role = "batch", amp.name = "x1"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<?x2xf32>) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x3xf32>
    %e = tensor.empty(%n) : tensor<?x2xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x2xf32>) outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
    %d = arith.subf %y, %t : tensor<?x2xf32>
    %sq = arith.mulf %d, %d : tensor<?x2xf32>
    %f0 = arith.constant dense<0.0> : tensor<f32>
    %sum = linalg.reduce ins(%sq : tensor<?x2xf32>) outs(%f0 : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32  linalg.yield %s : f32 }
    %eighth = arith.constant dense<0.125> : tensor<f32>
    %loss = arith.mulf %sum, %eighth : tensor<f32>
    return %loss, %d : tensor<f32>, tensor<?x2xf32>
  }
  func.func @backward(%d: tensor<?x2xf32>,
                      %x: tensor<?x3xf32> {amp.role = "batch", amp.name = "x0"},
                      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<3x2xf32> {amp.role = "grad", amp.name = "w"}) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x3xf32>
    %e = tensor.empty(%n) : tensor<?x2xf32>
    %quarter = arith.constant dense<0.25> : tensor<f32>
    %s = arith.mulf %seed, %quarter : tensor<f32>
    %sb = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<?x2xf32>) dimensions = [0, 1]
    %gy = arith.mulf %d, %sb : tensor<?x2xf32>
    %et = tensor.empty(%n) : tensor<3x?xf32>
    %xt = linalg.transpose ins(%x : tensor<?x3xf32>) outs(%et : tensor<3x?xf32>) permutation = [1, 0]
    %e32 = tensor.empty() : tensor<3x2xf32>
    %f6 = linalg.fill ins(%zero : f32) outs(%e32 : tensor<3x2xf32>) -> tensor<3x2xf32>
    %gw = linalg.matmul ins(%xt, %gy : tensor<3x?xf32>, tensor<?x2xf32>) outs(%f6 : tensor<3x2xf32>) -> tensor<3x2xf32>
    return %gw : tensor<3x2xf32>
  }
  func.func @sgd(%w: tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
                 %g: tensor<3x2xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<3x2xf32> {amp.role = "param", amp.name = "w"}) {
    %lr = arith.constant dense<0.125> : tensor<3x2xf32>
    %d = arith.mulf %g, %lr : tensor<3x2xf32>
    %new = arith.subf %w, %d : tensor<3x2xf32>
    return %new : tensor<3x2xf32>
  }
  func.func @train_step(%w: tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
                        %x: tensor<?x3xf32> {amp.role = "batch", amp.name = "x0"},
                        %t: tensor<?x2xf32> {amp.role = "batch", amp.name = "x1"},
                        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<3x2xf32> {amp.role = "param", amp.name = "w"}) {
    %l, %d = call @forward(%w, %x, %t) : (tensor<3x2xf32>, tensor<?x3xf32>, tensor<?x2xf32>) -> (tensor<f32>, tensor<?x2xf32>)
    %g = call @backward(%d, %x, %seed) : (tensor<?x2xf32>, tensor<?x3xf32>, tensor<f32>) -> tensor<3x2xf32>
    %new = call @sgd(%w, %g) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %l, %new : tensor<f32>, tensor<3x2xf32>
  }
}
