// A recurrent cell over time: state and all states are carried by scf.for, and the
// gradients of its weights are summed in the loop that goes back. No operation says
// where it came from.
//
// REQUIRES: amp-run, numpy
// RUN: %python %S/../Inputs/breadth.py %s recurrent

#id = affine_map<(i, j) -> (i, j)>
module {
  // h(t+1) = tanh(x(t) wx + h(t) wh), loss = sum((h(3) - t)^2) / 8
  func.func @fb(%wx: tensor<3x2xf32> {amp.role = "param", amp.name = "wx"},
                %wh: tensor<2x2xf32> {amp.role = "param", amp.name = "wh"},
                %x: tensor<3x4x3xf32> {amp.role = "batch", amp.name = "x0"},
                %t: tensor<4x2xf32> {amp.role = "batch", amp.name = "x1"},
                %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<3x2xf32> {amp.role = "grad", amp.name = "wx"},
          tensor<2x2xf32> {amp.role = "grad", amp.name = "wh"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant dense<0.0> : tensor<f32>
    %h0 = arith.constant dense<0.0> : tensor<4x2xf32>
    %all0 = arith.constant dense<0.0> : tensor<4x4x2xf32>
    %e42 = tensor.empty() : tensor<4x2xf32>
    %e34 = tensor.empty() : tensor<3x4xf32>
    %e24 = tensor.empty() : tensor<2x4xf32>
    %e22 = tensor.empty() : tensor<2x2xf32>
    %last, %all = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %h0, %hs = %all0) -> (tensor<4x2xf32>, tensor<4x4x2xf32>) {
      %xi = tensor.extract_slice %x[%i, 0, 0] [1, 4, 3] [1, 1, 1] : tensor<3x4x3xf32> to tensor<4x3xf32>
      %a = linalg.matmul ins(%xi, %wx : tensor<4x3xf32>, tensor<3x2xf32>) outs(%h0 : tensor<4x2xf32>) -> tensor<4x2xf32>
      %b = linalg.matmul ins(%h, %wh : tensor<4x2xf32>, tensor<2x2xf32>) outs(%a : tensor<4x2xf32>) -> tensor<4x2xf32>
      %n = math.tanh %b : tensor<4x2xf32>
      %next = arith.addi %i, %c1 : index
      %ns = tensor.insert_slice %n into %hs[%next, 0, 0] [1, 4, 2] [1, 1, 1] : tensor<4x2xf32> into tensor<4x4x2xf32>
      scf.yield %n, %ns : tensor<4x2xf32>, tensor<4x4x2xf32>
    }
    %d = arith.subf %last, %t : tensor<4x2xf32>
    %sq = arith.mulf %d, %d : tensor<4x2xf32>
    %sum = linalg.reduce ins(%sq : tensor<4x2xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32  linalg.yield %s : f32 }
    %eighth = arith.constant dense<0.125> : tensor<f32>
    %loss = arith.mulf %sum, %eighth : tensor<f32>

    %quarter = arith.constant dense<0.25> : tensor<f32>
    %sq4 = arith.mulf %seed, %quarter : tensor<f32>
    %sb = linalg.broadcast ins(%sq4 : tensor<f32>) outs(%e42 : tensor<4x2xf32>) dimensions = [0, 1]
    %g3 = arith.mulf %d, %sb : tensor<4x2xf32>
    %gx0 = arith.constant dense<0.0> : tensor<3x2xf32>
    %gh0 = arith.constant dense<0.0> : tensor<2x2xf32>
    %wht = linalg.transpose ins(%wh : tensor<2x2xf32>) outs(%e22 : tensor<2x2xf32>) permutation = [1, 0]
    %first, %gwx, %gwh = scf.for %i = %c0 to %c3 step %c1 iter_args(%g = %g3, %gx = %gx0, %gh = %gh0) -> (tensor<4x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>) {
      %after = arith.subi %c3, %i : index
      %at = arith.subi %after, %c1 : index
      %h = tensor.extract_slice %all[%after, 0, 0] [1, 4, 2] [1, 1, 1] : tensor<4x4x2xf32> to tensor<4x2xf32>
      %before = tensor.extract_slice %all[%at, 0, 0] [1, 4, 2] [1, 1, 1] : tensor<4x4x2xf32> to tensor<4x2xf32>
      %xi = tensor.extract_slice %x[%at, 0, 0] [1, 4, 3] [1, 1, 1] : tensor<3x4x3xf32> to tensor<4x3xf32>
      %ga = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%g, %h : tensor<4x2xf32>, tensor<4x2xf32>) outs(%e42 : tensor<4x2xf32>) {
      ^bb0(%gv: f32, %hv: f32, %o: f32):
        %one = arith.constant 1.0 : f32
        %hh = arith.mulf %hv, %hv : f32
        %slope = arith.subf %one, %hh : f32
        %v = arith.mulf %gv, %slope : f32
        linalg.yield %v : f32
      } -> tensor<4x2xf32>
      %xt = linalg.transpose ins(%xi : tensor<4x3xf32>) outs(%e34 : tensor<3x4xf32>) permutation = [1, 0]
      %ht = linalg.transpose ins(%before : tensor<4x2xf32>) outs(%e24 : tensor<2x4xf32>) permutation = [1, 0]
      %nx = linalg.matmul ins(%xt, %ga : tensor<3x4xf32>, tensor<4x2xf32>) outs(%gx : tensor<3x2xf32>) -> tensor<3x2xf32>
      %nh = linalg.matmul ins(%ht, %ga : tensor<2x4xf32>, tensor<4x2xf32>) outs(%gh : tensor<2x2xf32>) -> tensor<2x2xf32>
      %ng = linalg.matmul ins(%ga, %wht : tensor<4x2xf32>, tensor<2x2xf32>) outs(%h0 : tensor<4x2xf32>) -> tensor<4x2xf32>
      scf.yield %ng, %nx, %nh : tensor<4x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>
    }
    return %loss, %gwx, %gwh : tensor<f32>, tensor<3x2xf32>, tensor<2x2xf32>
  }
  func.func @sgd(%wx: tensor<3x2xf32> {amp.role = "param", amp.name = "wx"},
                 %wh: tensor<2x2xf32> {amp.role = "param", amp.name = "wh"},
                 %gx: tensor<3x2xf32> {amp.role = "grad", amp.name = "wx"},
                 %gh: tensor<2x2xf32> {amp.role = "grad", amp.name = "wh"})
      -> (tensor<3x2xf32> {amp.role = "param", amp.name = "wx"},
          tensor<2x2xf32> {amp.role = "param", amp.name = "wh"}) {
    %rx = arith.constant dense<0.125> : tensor<3x2xf32>
    %dx = arith.mulf %gx, %rx : tensor<3x2xf32>
    %nx = arith.subf %wx, %dx : tensor<3x2xf32>
    %nh = arith.subf %wh, %gh : tensor<2x2xf32>
    return %nx, %nh : tensor<3x2xf32>, tensor<2x2xf32>
  }
  func.func @train_step(%wx: tensor<3x2xf32> {amp.role = "param", amp.name = "wx"},
                        %wh: tensor<2x2xf32> {amp.role = "param", amp.name = "wh"},
                        %x: tensor<3x4x3xf32> {amp.role = "batch", amp.name = "x0"},
                        %t: tensor<4x2xf32> {amp.role = "batch", amp.name = "x1"},
                        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<3x2xf32> {amp.role = "param", amp.name = "wx"},
          tensor<2x2xf32> {amp.role = "param", amp.name = "wh"}) {
    %l, %gx, %gh = call @fb(%wx, %wh, %x, %t, %seed) : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<3x4x3xf32>, tensor<4x2xf32>, tensor<f32>) -> (tensor<f32>, tensor<3x2xf32>, tensor<2x2xf32>)
    %nx, %nh = call @sgd(%wx, %wh, %gx, %gh) : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> (tensor<3x2xf32>, tensor<2x2xf32>)
    return %l, %nx, %nh : tensor<f32>, tensor<3x2xf32>, tensor<2x2xf32>
  }
}
