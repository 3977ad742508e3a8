// An embedding whose rows are dropped at random: a gather by tensor.extract, a mask
// from a counter of role 'rng' that the step returns, and a gradient that is
// scattered by loops. The operations carry attributes of somebody else's.
//
// REQUIRES: amp-run, numpy
// RUN: %python %S/../Inputs/breadth.py %s embedding

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
module attributes {elsewhere.partitions = 1 : i32} {
  // h = dropout(table[ids]), loss = sum((h w - t)^2) / 8; the element (i, j) stays if
  // bit 3 of 5 (3 i + j) + key is set, and is doubled.
  func.func @fb(%table: tensor<5x3xf32> {amp.role = "param", amp.name = "table"},
                %w: tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
                %key: tensor<i64> {amp.role = "rng", amp.name = "key"},
                %ids: tensor<4xi64> {amp.role = "batch", amp.name = "x0"},
                %t: tensor<4x2xf32> {amp.role = "batch", amp.name = "x1"},
                %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<5x3xf32> {amp.role = "grad", amp.name = "table"},
          tensor<3x2xf32> {amp.role = "grad", amp.name = "w"},
          tensor<i64> {amp.role = "rng", amp.name = "key"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : tensor<f32>
    %z42 = arith.constant dense<0.0> : tensor<4x2xf32>
    %z43 = arith.constant dense<0.0> : tensor<4x3xf32>
    %z32 = arith.constant dense<0.0> : tensor<3x2xf32>
    %z53 = arith.constant dense<0.0> : tensor<5x3xf32>
    %two = arith.constant dense<2.0> : tensor<4x3xf32>
    %e43 = tensor.empty() : tensor<4x3xf32>
    %e42 = tensor.empty() : tensor<4x2xf32>
    %e34 = tensor.empty() : tensor<3x4xf32>
    %e23 = tensor.empty() : tensor<2x3xf32>
    %mask0 = tensor.empty() : tensor<4x3xi1>
    %rows = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ids : tensor<4xi64>) outs(%e43 : tensor<4x3xf32>) attrs = {elsewhere.op = "jit(step)/gather"} {
    ^bb0(%id: i64, %o: f32):
      %r = arith.index_cast %id : i64 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %table[%r, %j] : tensor<5x3xf32>
      linalg.yield %v : f32
    } -> tensor<4x3xf32>
    %k = tensor.extract %key[] : tensor<i64>
    %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%mask0 : tensor<4x3xi1>) {
    ^bb0(%o: i1):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %i3 = arith.muli %i, %c3 : index
      %n = arith.addi %i3, %j : index
      %n64 = arith.index_cast %n : index to i64
      %five = arith.constant 5 : i64
      %m = arith.muli %n64, %five : i64
      %s = arith.addi %m, %k : i64
      %eight = arith.constant 8 : i64
      %bit = arith.andi %s, %eight : i64
      %keep = arith.cmpi eq, %bit, %eight : i64
      linalg.yield %keep : i1
    } -> tensor<4x3xi1>
    %double = arith.mulf %rows, %two : tensor<4x3xf32>
    %h = arith.select %mask, %double, %z43 : tensor<4x3xi1>, tensor<4x3xf32>
    %y = linalg.matmul {elsewhere.op = "jit(step)/dot"} ins(%h, %w : tensor<4x3xf32>, tensor<3x2xf32>) outs(%z42 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %d = arith.subf %y, %t : tensor<4x2xf32>
    %sq = arith.mulf %d, %d : tensor<4x2xf32>
    %sum = linalg.reduce ins(%sq : tensor<4x2xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32  linalg.yield %s : f32 }
    %eighth = arith.constant dense<0.125> : tensor<f32>
    %loss = arith.mulf %sum, %eighth : tensor<f32>

    %quarter = arith.constant dense<0.25> : tensor<f32>
    %s4 = arith.mulf %seed, %quarter : tensor<f32>
    %sb = linalg.broadcast ins(%s4 : tensor<f32>) outs(%e42 : tensor<4x2xf32>) dimensions = [0, 1]
    %gy = arith.mulf %d, %sb : tensor<4x2xf32>
    %ht = linalg.transpose ins(%h : tensor<4x3xf32>) outs(%e34 : tensor<3x4xf32>) permutation = [1, 0]
    %gw = linalg.matmul ins(%ht, %gy : tensor<3x4xf32>, tensor<4x2xf32>) outs(%z32 : tensor<3x2xf32>) -> tensor<3x2xf32>
    %wt = linalg.transpose ins(%w : tensor<3x2xf32>) outs(%e23 : tensor<2x3xf32>) permutation = [1, 0]
    %gh = linalg.matmul ins(%gy, %wt : tensor<4x2xf32>, tensor<2x3xf32>) outs(%z43 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %gd = arith.select %mask, %gh, %z43 : tensor<4x3xi1>, tensor<4x3xf32>
    %gr = arith.mulf %gd, %two : tensor<4x3xf32>
    %gt = scf.for %i = %c0 to %c4 step %c1 iter_args(%outer = %z53) -> (tensor<5x3xf32>) {
      %id = tensor.extract %ids[%i] : tensor<4xi64>
      %r = arith.index_cast %id : i64 to index
      %row = scf.for %j = %c0 to %c3 step %c1 iter_args(%inner = %outer) -> (tensor<5x3xf32>) {
        %g = tensor.extract %gr[%i, %j] : tensor<4x3xf32>
        %old = tensor.extract %inner[%r, %j] : tensor<5x3xf32>
        %new = arith.addf %old, %g : f32
        %in = tensor.insert %new into %inner[%r, %j] : tensor<5x3xf32>
        scf.yield %in : tensor<5x3xf32>
      }
      scf.yield %row : tensor<5x3xf32>
    }
    %step = arith.constant dense<7> : tensor<i64>
    %next = arith.addi %key, %step : tensor<i64>
    return %loss, %gt, %gw, %next : tensor<f32>, tensor<5x3xf32>, tensor<3x2xf32>, tensor<i64>
  }
  func.func @sgd(%table: tensor<5x3xf32> {amp.role = "param", amp.name = "table"},
                 %w: tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
                 %gt: tensor<5x3xf32> {amp.role = "grad", amp.name = "table"},
                 %gw: tensor<3x2xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<5x3xf32> {amp.role = "param", amp.name = "table"},
          tensor<3x2xf32> {amp.role = "param", amp.name = "w"}) {
    %rt = arith.constant dense<0.125> : tensor<5x3xf32>
    %rw = arith.constant dense<0.125> : tensor<3x2xf32>
    %dt = arith.mulf %gt, %rt : tensor<5x3xf32>
    %dw = arith.mulf %gw, %rw : tensor<3x2xf32>
    %nt = arith.subf %table, %dt : tensor<5x3xf32>
    %nw = arith.subf %w, %dw : tensor<3x2xf32>
    return %nt, %nw : tensor<5x3xf32>, tensor<3x2xf32>
  }
  func.func @train_step(%table: tensor<5x3xf32> {amp.role = "param", amp.name = "table"},
                        %w: tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
                        %key: tensor<i64> {amp.role = "rng", amp.name = "key"},
                        %ids: tensor<4xi64> {amp.role = "batch", amp.name = "x0"},
                        %t: tensor<4x2xf32> {amp.role = "batch", amp.name = "x1"},
                        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
      -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
          tensor<5x3xf32> {amp.role = "param", amp.name = "table"},
          tensor<3x2xf32> {amp.role = "param", amp.name = "w"},
          tensor<i64> {amp.role = "rng", amp.name = "key"}) {
    %l, %gt, %gw, %next = call @fb(%table, %w, %key, %ids, %t, %seed)
      : (tensor<5x3xf32>, tensor<3x2xf32>, tensor<i64>, tensor<4xi64>, tensor<4x2xf32>, tensor<f32>) -> (tensor<f32>, tensor<5x3xf32>, tensor<3x2xf32>, tensor<i64>)
    %nt, %nw = call @sgd(%table, %w, %gt, %gw) : (tensor<5x3xf32>, tensor<3x2xf32>, tensor<5x3xf32>, tensor<3x2xf32>) -> (tensor<5x3xf32>, tensor<3x2xf32>)
    return %l, %nt, %nw, %next : tensor<f32>, tensor<5x3xf32>, tensor<3x2xf32>, tensor<i64>
  }
}
