// Convolutions that have no name: a depthwise one, then a grouped one in one
// dimension with a dilation, written as JAX and hand-written exporters do. The
// gradient of the input is a contraction of the padded gradient with the mirrored
// filter.
//
// REQUIRES: amp-run, numpy
// RUN: %python %S/../Inputs/breadth.py %s convolutions

#n = affine_map<(n, g, c, t, k) -> (n, g, c, t)>
#dx = affine_map<(n, g, c, t, k) -> (n, g, c, t + k)>
#dw = affine_map<(n, g, c, t, k) -> (g, c, k)>
#gx = affine_map<(n, g, o, t, c, k) -> (n, g, c, t + 2 * k)>
#gw = affine_map<(n, g, o, t, c, k) -> (g, o, c, k)>
#gy = affine_map<(n, g, o, t, c, k) -> (n, g, o, t)>
#bx = affine_map<(n, g, c, t, o, k) -> (n, g, o, t + 2 * k)>
#bw = affine_map<(n, g, c, t, o, k) -> (g, o, c, k)>
#by = affine_map<(n, g, c, t, o, k) -> (n, g, c, t)>
module {
  // h = depthwise(x, d), y = grouped(h, w), loss = sum((y - t)^2) / 8
  func.func @fb(%d: tensor<2x3x2xf32> {amp.role = "param", amp.name = "d"},
                %w: tensor<2x2x3x2xf32> {amp.role = "param", amp.name = "w"},
                %x: tensor<2x2x3x6xf32> {amp.role = "batch", amp.name = "x0"},
                %t: tensor<2x2x2x3xf32> {amp.role = "batch", amp.name = "x1"},
                %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<2x3x2xf32> {amp.role = "grad", amp.name = "d"},
          tensor<2x2x3x2xf32> {amp.role = "grad", amp.name = "w"}) {
    %zero = arith.constant 0.0 : f32
    %z0 = arith.constant dense<0.0> : tensor<f32>
    %zh = arith.constant dense<0.0> : tensor<2x2x3x5xf32>
    %zy = arith.constant dense<0.0> : tensor<2x2x2x3xf32>
    %zd = arith.constant dense<0.0> : tensor<2x3x2xf32>
    %zw = arith.constant dense<0.0> : tensor<2x2x3x2xf32>
    %h = linalg.generic {indexing_maps = [#dx, #dw, #n], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %d : tensor<2x2x3x6xf32>, tensor<2x3x2xf32>) outs(%zh : tensor<2x2x3x5xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<2x2x3x5xf32>
    %y = linalg.generic {indexing_maps = [#gx, #gw, #gy], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%h, %w : tensor<2x2x3x5xf32>, tensor<2x2x3x2xf32>) outs(%zy : tensor<2x2x2x3xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %p, %o : f32
      linalg.yield %s : f32
    } -> tensor<2x2x2x3xf32>
    %e = arith.subf %y, %t : tensor<2x2x2x3xf32>
    %sq = arith.mulf %e, %e : tensor<2x2x2x3xf32>
    %sum = linalg.reduce ins(%sq : tensor<2x2x2x3xf32>) outs(%z0 : tensor<f32>) dimensions = [0, 1, 2, 3]
      (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32  linalg.yield %s : f32 }
    %eighth = arith.constant dense<0.125> : tensor<f32>
    %loss = arith.mulf %sum, %eighth : tensor<f32>

    %quarter = arith.constant dense<0.25> : tensor<f32>
    %s4 = arith.mulf %seed, %quarter : tensor<f32>
    %ey = tensor.empty() : tensor<2x2x2x3xf32>
    %sb = linalg.broadcast ins(%s4 : tensor<f32>) outs(%ey : tensor<2x2x2x3xf32>) dimensions = [0, 1, 2, 3]
    %g = arith.mulf %e, %sb : tensor<2x2x2x3xf32>
    %grad_w = linalg.generic {indexing_maps = [#gx, #gy, #gw], iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel", "parallel"]}
        ins(%h, %g : tensor<2x2x3x5xf32>, tensor<2x2x2x3xf32>) outs(%zw : tensor<2x2x3x2xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<2x2x3x2xf32>
    %padded = tensor.pad %g low[0, 0, 0, 2] high[0, 0, 0, 2] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zero : f32
    } : tensor<2x2x2x3xf32> to tensor<2x2x2x7xf32>
    %ew = tensor.empty() : tensor<2x2x3x2xf32>
    %mirrored = linalg.generic {indexing_maps = [affine_map<(g, o, c, k) -> (g, o, c, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        outs(%ew : tensor<2x2x3x2xf32>) {
    ^bb0(%o: f32):
      %i0 = linalg.index 0 : index
      %i1 = linalg.index 1 : index
      %i2 = linalg.index 2 : index
      %i3 = linalg.index 3 : index
      %one = arith.constant 1 : index
      %k = arith.subi %one, %i3 : index
      %v = tensor.extract %w[%i0, %i1, %i2, %k] : tensor<2x2x3x2xf32>
      linalg.yield %v : f32
    } -> tensor<2x2x3x2xf32>
    %gh = linalg.generic {indexing_maps = [#bx, #bw, #by], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%padded, %mirrored : tensor<2x2x2x7xf32>, tensor<2x2x3x2xf32>) outs(%zh : tensor<2x2x3x5xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<2x2x3x5xf32>
    %grad_d = linalg.generic {indexing_maps = [#dx, #n, #dw], iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel"]}
        ins(%x, %gh : tensor<2x2x3x6xf32>, tensor<2x2x3x5xf32>) outs(%zd : tensor<2x3x2xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<2x3x2xf32>
    return %loss, %grad_d, %grad_w : tensor<f32>, tensor<2x3x2xf32>, tensor<2x2x3x2xf32>
  }
  func.func @sgd(%d: tensor<2x3x2xf32> {amp.role = "param", amp.name = "d"},
                 %w: tensor<2x2x3x2xf32> {amp.role = "param", amp.name = "w"},
                 %gd: tensor<2x3x2xf32> {amp.role = "grad", amp.name = "d"},
                 %gw: tensor<2x2x3x2xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<2x3x2xf32> {amp.role = "param", amp.name = "d"},
          tensor<2x2x3x2xf32> {amp.role = "param", amp.name = "w"}) {
    %rd = arith.constant dense<0.03125> : tensor<2x3x2xf32>
    %rw = arith.constant dense<0.03125> : tensor<2x2x3x2xf32>
    %dd = arith.mulf %gd, %rd : tensor<2x3x2xf32>
    %dw = arith.mulf %gw, %rw : tensor<2x2x3x2xf32>
    %nd = arith.subf %d, %dd : tensor<2x3x2xf32>
    %nw = arith.subf %w, %dw : tensor<2x2x3x2xf32>
    return %nd, %nw : tensor<2x3x2xf32>, tensor<2x2x3x2xf32>
  }
  func.func @train_step(%d: tensor<2x3x2xf32> {amp.role = "param", amp.name = "d"},
                        %w: tensor<2x2x3x2xf32> {amp.role = "param", amp.name = "w"},
                        %x: tensor<2x2x3x6xf32> {amp.role = "batch", amp.name = "x0"},
                        %t: tensor<2x2x2x3xf32> {amp.role = "batch", amp.name = "x1"},
                        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<2x3x2xf32> {amp.role = "param", amp.name = "d"},
          tensor<2x2x3x2xf32> {amp.role = "param", amp.name = "w"}) {
    %l, %gd, %gw = call @fb(%d, %w, %x, %t, %seed) : (tensor<2x3x2xf32>, tensor<2x2x3x2xf32>, tensor<2x2x3x6xf32>, tensor<2x2x2x3xf32>, tensor<f32>) -> (tensor<f32>, tensor<2x3x2xf32>, tensor<2x2x3x2xf32>)
    %nd, %nw = call @sgd(%d, %w, %gd, %gw) : (tensor<2x3x2xf32>, tensor<2x2x3x2xf32>, tensor<2x3x2xf32>, tensor<2x2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<2x2x3x2xf32>)
    return %l, %nd, %nw : tensor<f32>, tensor<2x3x2xf32>, tensor<2x2x3x2xf32>
  }
}
