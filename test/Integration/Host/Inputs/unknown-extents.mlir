// A step whose batch has extents that are known when it runs only.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (0, j)>
#sc = affine_map<(i, j) -> ()>
func.func @forward_backward(%p: tensor<1x3xf32> {amp.name = "p", amp.role = "param"},
                            %x: tensor<?x?xf32> {amp.name = "x0", amp.role = "batch"},
                            %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<1x3xf32> {amp.name = "p", amp.role = "grad"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %p : tensor<?x?xf32>, tensor<1x3xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %s0 = tensor.empty() : tensor<f32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#id, #sc], iterator_types = ["reduction", "reduction"]}
      ins(%y : tensor<?x?xf32>) outs(%s1 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %g0 = tensor.empty() : tensor<1x3xf32>
  %g1 = linalg.fill ins(%zero : f32) outs(%g0 : tensor<1x3xf32>) -> tensor<1x3xf32>
  %g = linalg.generic {indexing_maps = [#id, #sc, #row], iterator_types = ["reduction", "parallel"]}
      ins(%x, %seed : tensor<?x?xf32>, tensor<f32>) outs(%g1 : tensor<1x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.mulf %a, %b : f32
    %s = arith.addf %q, %o : f32
    linalg.yield %s : f32
  } -> tensor<1x3xf32>
  return %loss, %g : tensor<f32>, tensor<1x3xf32>
}

func.func @optimizer_step(%p: tensor<1x3xf32> {amp.name = "p", amp.role = "param"},
                          %g: tensor<1x3xf32> {amp.name = "p", amp.role = "grad"})
    -> (tensor<1x3xf32> {amp.name = "p", amp.role = "param"}) {
  %lr = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<1x3xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %g : tensor<1x3xf32>, tensor<1x3xf32>) outs(%e : tensor<1x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %b, %lr : f32
    %s = arith.subf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}

func.func @train_step(%p: tensor<1x3xf32> {amp.name = "p", amp.role = "param"},
                      %x: tensor<?x?xf32> {amp.name = "x0", amp.role = "batch"},
                      %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<1x3xf32> {amp.name = "p", amp.role = "param"}) {
  %0:2 = call @forward_backward(%p, %x, %seed)
      : (tensor<1x3xf32>, tensor<?x?xf32>, tensor<f32>) -> (tensor<f32>, tensor<1x3xf32>)
  %1 = call @optimizer_step(%p, %0#1) : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return %0#0, %1 : tensor<f32>, tensor<1x3xf32>
}
