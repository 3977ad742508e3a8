// One model with what is not plain: a frozen parameter, one that nobody uses, one
// whose gradient is a constant zero, one that is used twice, a helper called from
// two places and one that calls itself, integer labels, a boolean mask, values
// that are f64 and f16 already, a loop and a branch.
//
// REQUIRES: amp-run, numpy
// RUN: %python %S/../Inputs/breadth.py %s mixed

module {
  func.func private @relu(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = call @maximum(%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func private @maximum(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %zero = arith.constant dense<0.0> : tensor<4x3xf32>
    %0 = arith.maximumf %x, %zero : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  // x / 2^n, by calling itself n times.
  func.func private @halve(%x: tensor<4x3xf32>, %n: index) -> tensor<4x3xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %done = arith.cmpi eq, %n, %c0 : index
    %r = scf.if %done -> (tensor<4x3xf32>) {
      scf.yield %x : tensor<4x3xf32>
    } else {
      %half = arith.constant dense<0.5> : tensor<4x3xf32>
      %h = arith.mulf %x, %half : tensor<4x3xf32>
      %m = arith.subi %n, %c1 : index
      %s = func.call @halve(%h, %m) : (tensor<4x3xf32>, index) -> tensor<4x3xf32>
      scf.yield %s : tensor<4x3xf32>
    }
    return %r : tensor<4x3xf32>
  }
  // h1 = relu(x frozen); h2 = relu(h1 w); y = (h2 w) * mask * f16 row scale, twice in
  // a loop of halves; loss = sum((y - onehot(t))^2 * weight) / 16, weights in f64
  func.func @fb(%w: tensor<3x3xf32> {amp.role = "param", amp.name = "w"},
                %frozen: tensor<3x3xf32> {amp.role = "param", amp.name = "frozen"},
                %unused: tensor<5xf32> {amp.role = "param", amp.name = "unused"},
                %idle: tensor<3xf32> {amp.role = "param", amp.name = "idle"},
                %x: tensor<4x3xf32> {amp.role = "batch", amp.name = "x0"},
                %t: tensor<4xi64> {amp.role = "batch", amp.name = "x1"},
                %mask: tensor<4x3xi1> {amp.role = "batch", amp.name = "x2"},
                %weight: tensor<4xf64> {amp.role = "batch", amp.name = "x3"},
                %row: tensor<4x3xf16> {amp.role = "batch", amp.name = "x4"},
                %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<3x3xf32> {amp.role = "grad", amp.name = "w"},
          tensor<3xf32> {amp.role = "grad", amp.name = "idle"}) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %e43 = tensor.empty() : tensor<4x3xf32>
    %e33 = tensor.empty() : tensor<3x3xf32>
    %e34 = tensor.empty() : tensor<3x4xf32>
    %f43 = linalg.fill ins(%zero : f32) outs(%e43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %f33 = linalg.fill ins(%zero : f32) outs(%e33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %z43 = arith.constant dense<0.0> : tensor<4x3xf32>
    %a1 = linalg.matmul ins(%x, %frozen : tensor<4x3xf32>, tensor<3x3xf32>) outs(%f43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %h1 = call @relu(%a1) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %a2 = linalg.matmul ins(%h1, %w : tensor<4x3xf32>, tensor<3x3xf32>) outs(%f43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %h2 = call @relu(%a2) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %a3 = linalg.matmul ins(%h2, %w : tensor<4x3xf32>, tensor<3x3xf32>) outs(%f43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %roww = arith.extf %row : tensor<4x3xf16> to tensor<4x3xf32>
    %scaled = arith.mulf %a3, %roww : tensor<4x3xf32>
    %masked = arith.select %mask, %scaled, %z43 : tensor<4x3xi1>, tensor<4x3xf32>
    // A loop that adds the value twice and a branch that halves it: y = masked.
    %twice = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %z43) -> (tensor<4x3xf32>) {
      %n = arith.addf %acc, %masked : tensor<4x3xf32>
      scf.yield %n : tensor<4x3xf32>
    }
    %true = arith.cmpi slt, %c0, %c2 : index
    %y = scf.if %true -> (tensor<4x3xf32>) {
      %h = func.call @halve(%twice, %c1) : (tensor<4x3xf32>, index) -> tensor<4x3xf32>
      scf.yield %h : tensor<4x3xf32>
    } else {
      scf.yield %twice : tensor<4x3xf32>
    }
    %onehot = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4xi64>) outs(%e43 : tensor<4x3xf32>) {
    ^bb0(%label: i64, %o: f32):
      %j = linalg.index 1 : index
      %k = arith.index_cast %j : index to i64
      %same = arith.cmpi eq, %label, %k : i64
      %v = arith.uitofp %same : i1 to f32
      linalg.yield %v : f32
    } -> tensor<4x3xf32>
    %d = arith.subf %y, %onehot : tensor<4x3xf32>
    %e0 = tensor.empty() : tensor<f64>
    %zero64 = arith.constant 0.0 : f64
    %f0 = linalg.fill ins(%zero64 : f64) outs(%e0 : tensor<f64>) -> tensor<f64>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> ()>],
        iterator_types = ["reduction", "reduction"]} ins(%d, %weight : tensor<4x3xf32>, tensor<4xf64>) outs(%f0 : tensor<f64>) {
    ^bb0(%v: f32, %k: f64, %acc: f64):
      %v64 = arith.extf %v : f32 to f64
      %sq = arith.mulf %v64, %v64 : f64
      %ws = arith.mulf %sq, %k : f64
      %n = arith.addf %acc, %ws : f64
      linalg.yield %n : f64
    } -> tensor<f64>
    %sixteenth = arith.constant dense<0.0625> : tensor<f64>
    %loss64 = arith.mulf %sum, %sixteenth : tensor<f64>
    %loss = arith.truncf %loss64 : tensor<f64> to tensor<f32>

    %eighth = arith.constant dense<0.125> : tensor<f32>
    %s = arith.mulf %seed, %eighth : tensor<f32>
    %sb = linalg.broadcast ins(%s : tensor<f32>) outs(%e43 : tensor<4x3xf32>) dimensions = [0, 1]
    %w32 = arith.truncf %weight : tensor<4xf64> to tensor<4xf32>
    %wb = linalg.broadcast ins(%w32 : tensor<4xf32>) outs(%e43 : tensor<4x3xf32>) dimensions = [1]
    %g0 = arith.mulf %d, %sb : tensor<4x3xf32>
    %g1 = arith.mulf %g0, %wb : tensor<4x3xf32>
    %g2 = arith.select %mask, %g1, %z43 : tensor<4x3xi1>, tensor<4x3xf32>
    %g3 = arith.mulf %g2, %roww : tensor<4x3xf32>
    %h2t = linalg.transpose ins(%h2 : tensor<4x3xf32>) outs(%e34 : tensor<3x4xf32>) permutation = [1, 0]
    %gw3 = linalg.matmul ins(%h2t, %g3 : tensor<3x4xf32>, tensor<4x3xf32>) outs(%f33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %wt = linalg.transpose ins(%w : tensor<3x3xf32>) outs(%e33 : tensor<3x3xf32>) permutation = [1, 0]
    %gh2 = linalg.matmul ins(%g3, %wt : tensor<4x3xf32>, tensor<3x3xf32>) outs(%f43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %on = arith.cmpf ogt, %h2, %z43 : tensor<4x3xf32>
    %ga2 = arith.select %on, %gh2, %z43 : tensor<4x3xi1>, tensor<4x3xf32>
    %h1t = linalg.transpose ins(%h1 : tensor<4x3xf32>) outs(%e34 : tensor<3x4xf32>) permutation = [1, 0]
    %gw2 = linalg.matmul ins(%h1t, %ga2 : tensor<3x4xf32>, tensor<4x3xf32>) outs(%f33 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %gw = arith.addf %gw2, %gw3 : tensor<3x3xf32>
    %e3 = tensor.empty() : tensor<3xf32>
    %gidle = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
    return %loss, %gw, %gidle : tensor<f32>, tensor<3x3xf32>, tensor<3xf32>
  }
  func.func @sgd(%w: tensor<3x3xf32> {amp.role = "param", amp.name = "w"},
                 %idle: tensor<3xf32> {amp.role = "param", amp.name = "idle"},
                 %gw: tensor<3x3xf32> {amp.role = "grad", amp.name = "w"},
                 %gidle: tensor<3xf32> {amp.role = "grad", amp.name = "idle"},
                 %rate: tensor<f64> {amp.role = "hyper", amp.name = "rate"})
      -> (tensor<3x3xf32> {amp.role = "param", amp.name = "w"},
          tensor<3xf32> {amp.role = "param", amp.name = "idle"}) {
    %r = arith.truncf %rate : tensor<f64> to tensor<f32>
    %e33 = tensor.empty() : tensor<3x3xf32>
    %rb = linalg.broadcast ins(%r : tensor<f32>) outs(%e33 : tensor<3x3xf32>) dimensions = [0, 1]
    %0 = arith.mulf %gw, %rb : tensor<3x3xf32>
    %1 = arith.subf %w, %0 : tensor<3x3xf32>
    %2 = arith.subf %idle, %gidle : tensor<3xf32>
    return %1, %2 : tensor<3x3xf32>, tensor<3xf32>
  }
  func.func @train_step(%w: tensor<3x3xf32> {amp.role = "param", amp.name = "w"},
                        %frozen: tensor<3x3xf32> {amp.role = "param", amp.name = "frozen"},
                        %unused: tensor<5xf32> {amp.role = "param", amp.name = "unused"},
                        %idle: tensor<3xf32> {amp.role = "param", amp.name = "idle"},
                        %rate: tensor<f64> {amp.role = "hyper", amp.name = "rate"},
                        %x: tensor<4x3xf32> {amp.role = "batch", amp.name = "x0"},
                        %t: tensor<4xi64> {amp.role = "batch", amp.name = "x1"},
                        %mask: tensor<4x3xi1> {amp.role = "batch", amp.name = "x2"},
                        %weight: tensor<4xf64> {amp.role = "batch", amp.name = "x3"},
                        %row: tensor<4x3xf16> {amp.role = "batch", amp.name = "x4"},
                        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<3x3xf32> {amp.role = "param", amp.name = "w"},
          tensor<3xf32> {amp.role = "param", amp.name = "idle"}) {
    %l, %gw, %gi = call @fb(%w, %frozen, %unused, %idle, %x, %t, %mask, %weight, %row, %seed)
      : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<5xf32>, tensor<3xf32>, tensor<4x3xf32>, tensor<4xi64>, tensor<4x3xi1>, tensor<4xf64>, tensor<4x3xf16>, tensor<f32>)
      -> (tensor<f32>, tensor<3x3xf32>, tensor<3xf32>)
    %w1, %i1 = call @sgd(%w, %idle, %gw, %gi, %rate) : (tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<f64>) -> (tensor<3x3xf32>, tensor<3xf32>)
    return %l, %w1, %i1 : tensor<f32>, tensor<3x3xf32>, tensor<3xf32>
  }
}
