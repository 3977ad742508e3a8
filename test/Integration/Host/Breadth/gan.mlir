// Two models and two optimizers: the discriminator's step, then the generator's
// through the new discriminator. Each has its own loss, and skips by itself.
//
// REQUIRES: amp-run, numpy
// RUN: %python %S/../Inputs/breadth.py %s gan
// RUN: %python %S/../Inputs/breadth.py %s gan --num-losses=2

module {
  // loss_d = (sum((x d - 1)^2) + sum((z g d)^2)) / 4
  func.func @discriminator(%d: tensor<3x1xf32> {amp.role = "param", amp.name = "d"},
                           %g: tensor<2x3xf32> {amp.role = "param", amp.name = "g"},
                           %x: tensor<4x3xf32> {amp.role = "batch", amp.name = "x0"},
                           %z: tensor<4x2xf32> {amp.role = "batch", amp.name = "x1"},
                           %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss_d"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss_d"},
          tensor<3x1xf32> {amp.role = "grad", amp.name = "d"}) {
    %zero = arith.constant 0.0 : f32
    %e43 = tensor.empty() : tensor<4x3xf32>
    %e41 = tensor.empty() : tensor<4x1xf32>
    %e34 = tensor.empty() : tensor<3x4xf32>
    %e31 = tensor.empty() : tensor<3x1xf32>
    %f43 = linalg.fill ins(%zero : f32) outs(%e43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %f41 = linalg.fill ins(%zero : f32) outs(%e41 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %f31 = linalg.fill ins(%zero : f32) outs(%e31 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %f0 = arith.constant dense<0.0> : tensor<f32>
    %ones = arith.constant dense<1.0> : tensor<4x1xf32>
    %fake = linalg.matmul ins(%z, %g : tensor<4x2xf32>, tensor<2x3xf32>) outs(%f43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %sx = linalg.matmul ins(%x, %d : tensor<4x3xf32>, tensor<3x1xf32>) outs(%f41 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %sz = linalg.matmul ins(%fake, %d : tensor<4x3xf32>, tensor<3x1xf32>) outs(%f41 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %dx = arith.subf %sx, %ones : tensor<4x1xf32>
    %qx = arith.mulf %dx, %dx : tensor<4x1xf32>
    %qz = arith.mulf %sz, %sz : tensor<4x1xf32>
    %q = arith.addf %qx, %qz : tensor<4x1xf32>
    %sum = linalg.reduce ins(%q : tensor<4x1xf32>) outs(%f0 : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32  linalg.yield %s : f32 }
    %quarter = arith.constant dense<0.25> : tensor<f32>
    %loss = arith.mulf %sum, %quarter : tensor<f32>
    %half = arith.constant dense<0.5> : tensor<f32>
    %s = arith.mulf %seed, %half : tensor<f32>
    %sb = linalg.broadcast ins(%s : tensor<f32>) outs(%e41 : tensor<4x1xf32>) dimensions = [0, 1]
    %cx = arith.mulf %dx, %sb : tensor<4x1xf32>
    %cz = arith.mulf %sz, %sb : tensor<4x1xf32>
    %xt = linalg.transpose ins(%x : tensor<4x3xf32>) outs(%e34 : tensor<3x4xf32>) permutation = [1, 0]
    %zt = linalg.transpose ins(%fake : tensor<4x3xf32>) outs(%e34 : tensor<3x4xf32>) permutation = [1, 0]
    %gx = linalg.matmul ins(%xt, %cx : tensor<3x4xf32>, tensor<4x1xf32>) outs(%f31 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %gz = linalg.matmul ins(%zt, %cz : tensor<3x4xf32>, tensor<4x1xf32>) outs(%f31 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %gd = arith.addf %gx, %gz : tensor<3x1xf32>
    return %loss, %gd : tensor<f32>, tensor<3x1xf32>
  }
  // loss_g = sum((z g d - 1)^2) / 4
  func.func @generator(%d: tensor<3x1xf32> {amp.role = "param", amp.name = "d"},
                       %g: tensor<2x3xf32> {amp.role = "param", amp.name = "g"},
                       %z: tensor<4x2xf32> {amp.role = "batch", amp.name = "x1"},
                       %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss_g"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss_g"},
          tensor<2x3xf32> {amp.role = "grad", amp.name = "g"}) {
    %zero = arith.constant 0.0 : f32
    %e43 = tensor.empty() : tensor<4x3xf32>
    %e41 = tensor.empty() : tensor<4x1xf32>
    %e13 = tensor.empty() : tensor<1x3xf32>
    %e24 = tensor.empty() : tensor<2x4xf32>
    %e23 = tensor.empty() : tensor<2x3xf32>
    %f43 = linalg.fill ins(%zero : f32) outs(%e43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %f41 = linalg.fill ins(%zero : f32) outs(%e41 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %f23 = linalg.fill ins(%zero : f32) outs(%e23 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %f0 = arith.constant dense<0.0> : tensor<f32>
    %ones = arith.constant dense<1.0> : tensor<4x1xf32>
    %fake = linalg.matmul ins(%z, %g : tensor<4x2xf32>, tensor<2x3xf32>) outs(%f43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %sz = linalg.matmul ins(%fake, %d : tensor<4x3xf32>, tensor<3x1xf32>) outs(%f41 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %dz = arith.subf %sz, %ones : tensor<4x1xf32>
    %q = arith.mulf %dz, %dz : tensor<4x1xf32>
    %sum = linalg.reduce ins(%q : tensor<4x1xf32>) outs(%f0 : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32  linalg.yield %s : f32 }
    %quarter = arith.constant dense<0.25> : tensor<f32>
    %loss = arith.mulf %sum, %quarter : tensor<f32>
    %half = arith.constant dense<0.5> : tensor<f32>
    %s = arith.mulf %seed, %half : tensor<f32>
    %sb = linalg.broadcast ins(%s : tensor<f32>) outs(%e41 : tensor<4x1xf32>) dimensions = [0, 1]
    %c = arith.mulf %dz, %sb : tensor<4x1xf32>
    %dt = linalg.transpose ins(%d : tensor<3x1xf32>) outs(%e13 : tensor<1x3xf32>) permutation = [1, 0]
    %gf = linalg.matmul ins(%c, %dt : tensor<4x1xf32>, tensor<1x3xf32>) outs(%f43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %zt = linalg.transpose ins(%z : tensor<4x2xf32>) outs(%e24 : tensor<2x4xf32>) permutation = [1, 0]
    %gg = linalg.matmul ins(%zt, %gf : tensor<2x4xf32>, tensor<4x3xf32>) outs(%f23 : tensor<2x3xf32>) -> tensor<2x3xf32>
    return %loss, %gg : tensor<f32>, tensor<2x3xf32>
  }
  func.func @step_d(%d: tensor<3x1xf32> {amp.role = "param", amp.name = "d"},
                    %gd: tensor<3x1xf32> {amp.role = "grad", amp.name = "d"})
      -> (tensor<3x1xf32> {amp.role = "param", amp.name = "d"}) {
    %lr = arith.constant dense<0.125> : tensor<3x1xf32>
    %0 = arith.mulf %gd, %lr : tensor<3x1xf32>
    %1 = arith.subf %d, %0 : tensor<3x1xf32>
    return %1 : tensor<3x1xf32>
  }
  // m' = m / 2 + g; w' = w - m' / 8
  func.func @step_g(%g: tensor<2x3xf32> {amp.role = "param", amp.name = "g"},
                    %gg: tensor<2x3xf32> {amp.role = "grad", amp.name = "g"},
                    %m: tensor<2x3xf32> {amp.role = "opt_state", amp.name = "g.momentum"},
                    %n: tensor<i32> {amp.role = "opt_state", amp.name = "step"})
      -> (tensor<2x3xf32> {amp.role = "param", amp.name = "g"},
          tensor<2x3xf32> {amp.role = "opt_state", amp.name = "g.momentum"},
          tensor<i32> {amp.role = "opt_state", amp.name = "step"}) {
    %one = arith.constant dense<1> : tensor<i32>
    %next = arith.addi %n, %one : tensor<i32>
    %half = arith.constant dense<0.5> : tensor<2x3xf32>
    %0 = arith.mulf %m, %half : tensor<2x3xf32>
    %1 = arith.addf %0, %gg : tensor<2x3xf32>
    %lr = arith.constant dense<0.125> : tensor<2x3xf32>
    %2 = arith.mulf %1, %lr : tensor<2x3xf32>
    %3 = arith.subf %g, %2 : tensor<2x3xf32>
    return %3, %1, %next : tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>
  }
  func.func @train_step(%d: tensor<3x1xf32> {amp.role = "param", amp.name = "d"},
                        %g: tensor<2x3xf32> {amp.role = "param", amp.name = "g"},
                        %m: tensor<2x3xf32> {amp.role = "opt_state", amp.name = "g.momentum"},
                        %n: tensor<i32> {amp.role = "opt_state", amp.name = "step"},
                        %x: tensor<4x3xf32> {amp.role = "batch", amp.name = "x0"},
                        %z: tensor<4x2xf32> {amp.role = "batch", amp.name = "x1"},
                        %seed_d: tensor<f32> {amp.role = "loss_seed", amp.name = "loss_d"},
                        %seed_g: tensor<f32> {amp.role = "loss_seed", amp.name = "loss_g"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss_d"},
          tensor<f32> {amp.role = "loss", amp.name = "loss_g"},
          tensor<3x1xf32> {amp.role = "param", amp.name = "d"},
          tensor<2x3xf32> {amp.role = "param", amp.name = "g"},
          tensor<2x3xf32> {amp.role = "opt_state", amp.name = "g.momentum"},
          tensor<i32> {amp.role = "opt_state", amp.name = "step"}) {
    %ld, %gd = call @discriminator(%d, %g, %x, %z, %seed_d) : (tensor<3x1xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x2xf32>, tensor<f32>) -> (tensor<f32>, tensor<3x1xf32>)
    %d1 = call @step_d(%d, %gd) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %lg, %gg = call @generator(%d1, %g, %z, %seed_g) : (tensor<3x1xf32>, tensor<2x3xf32>, tensor<4x2xf32>, tensor<f32>) -> (tensor<f32>, tensor<2x3xf32>)
    %g1, %m1, %n1 = call @step_g(%g, %gg, %m, %n) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>)
    return %ld, %lg, %d1, %g1, %m1, %n1 : tensor<f32>, tensor<f32>, tensor<3x1xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>
  }
}
