// Least squares for a batch of any size: y = x w, loss = sum (y - t)^2 / 2, w - xT (y - t) / 64.
#id = affine_map<(i, j) -> (i, j)>
#sc = affine_map<(i, j) -> ()>
func.func @forward_backward(%w: tensor<16x8xf32> {amp.name = "w", amp.role = "param"},
                            %x: tensor<?x16xf32> {amp.name = "x0", amp.role = "batch"},
                            %t: tensor<?x8xf32> {amp.name = "x1", amp.role = "batch"},
                            %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<16x8xf32> {amp.name = "w", amp.role = "grad"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %y = func.call @product(%x, %w) : (tensor<?x16xf32>, tensor<16x8xf32>) -> tensor<?x8xf32>
  %d = arith.subf %y, %t : tensor<?x8xf32>
  %s0 = tensor.empty() : tensor<f32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#id, #sc], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<?x8xf32>) outs(%s1 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %p = arith.mulf %q, %half : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %e0 = tensor.empty(%n) : tensor<?x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #sc, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %seed : tensor<?x8xf32>, tensor<f32>) outs(%e0 : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.mulf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<?x8xf32>
  %e1 = tensor.empty(%n) : tensor<16x?xf32>
  %xt = linalg.transpose ins(%x : tensor<?x16xf32>) outs(%e1 : tensor<16x?xf32>) permutation = [1, 0]
  %e2 = tensor.empty() : tensor<16x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %gw = linalg.matmul ins(%xt, %g : tensor<16x?xf32>, tensor<?x8xf32>) outs(%z : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %loss, %gw : tensor<f32>, tensor<16x8xf32>
}

func.func private @product(%x: tensor<?x16xf32>, %w: tensor<16x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x8xf32>) outs(%z : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

func.func @optimizer_step(%w: tensor<16x8xf32> {amp.name = "w", amp.role = "param"},
                          %g: tensor<16x8xf32> {amp.name = "w", amp.role = "grad"})
    -> (tensor<16x8xf32> {amp.name = "w", amp.role = "param"}) {
  %lr = arith.constant dense<0.015625> : tensor<16x8xf32>
  %m = arith.mulf %g, %lr : tensor<16x8xf32>
  %r = arith.subf %w, %m : tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

func.func @train_step(%w: tensor<16x8xf32> {amp.name = "w", amp.role = "param"},
                      %x: tensor<?x16xf32> {amp.name = "x0", amp.role = "batch"},
                      %t: tensor<?x8xf32> {amp.name = "x1", amp.role = "batch"},
                      %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<16x8xf32> {amp.name = "w", amp.role = "param"}) {
  %0:2 = call @forward_backward(%w, %x, %t, %seed)
      : (tensor<16x8xf32>, tensor<?x16xf32>, tensor<?x8xf32>, tensor<f32>) -> (tensor<f32>, tensor<16x8xf32>)
  %1 = call @optimizer_step(%w, %0#1) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0#0, %1 : tensor<f32>, tensor<16x8xf32>
}

func.func @evaluate(%w: tensor<16x8xf32> {amp.name = "w", amp.role = "param"},
                    %x: tensor<?x16xf32> {amp.name = "x0", amp.role = "batch"})
    -> (tensor<?x8xf32> {amp.name = "y", amp.role = "output"}) {
  %y = call @product(%x, %w) : (tensor<?x16xf32>, tensor<16x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
