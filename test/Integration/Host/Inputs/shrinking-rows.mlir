// A loop whose tensor has half as many rows in each round, from eight, which the text says: two are left of them.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#one = affine_map<(j) -> (j)>
#number = affine_map<(j) -> ()>
func.func @forward_backward(%p: tensor<3xf32> {amp.name = "p", amp.role = "param"},
                            %x: tensor<8x3xf32> {amp.name = "x0", amp.role = "batch"},
                            %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<3xf32> {amp.name = "p", amp.role = "grad"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<3xf32>
  %start = tensor.cast %x : tensor<8x3xf32> to tensor<?x3xf32>
  %rows = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %start) -> tensor<?x3xf32> {
    %n = tensor.dim %a, %c0 : tensor<?x3xf32>
    %h = arith.divui %n, %c2 : index
    %s = tensor.extract_slice %a[0, 0] [%h, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
    scf.yield %s : tensor<?x3xf32>
  }
  %sums = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]}
      ins(%rows : tensor<?x3xf32>) outs(%zeros : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#one, #one, #number], iterator_types = ["reduction"]}
      ins(%sums, %p : tensor<3xf32>, tensor<3xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %w: f32, %o: f32):
    %m = arith.mulf %a, %w : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %g0 = tensor.empty() : tensor<3xf32>
  %g = linalg.generic {indexing_maps = [#one, #number, #one], iterator_types = ["parallel"]}
      ins(%sums, %seed : tensor<3xf32>, tensor<f32>) outs(%g0 : tensor<3xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.mulf %a, %s : f32
    linalg.yield %m : f32
  } -> tensor<3xf32>
  return %loss, %g : tensor<f32>, tensor<3xf32>
}
func.func @optimizer_step(%p: tensor<3xf32> {amp.name = "p", amp.role = "param"},
                          %g: tensor<3xf32> {amp.name = "p", amp.role = "grad"})
    -> (tensor<3xf32> {amp.name = "p", amp.role = "param"}) {
  %r = arith.subf %p, %g : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @train_step(%p: tensor<3xf32> {amp.name = "p", amp.role = "param"},
                      %x: tensor<8x3xf32> {amp.name = "x0", amp.role = "batch"},
                      %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<3xf32> {amp.name = "p", amp.role = "param"}) {
  %0:2 = call @forward_backward(%p, %x, %seed) : (tensor<3xf32>, tensor<8x3xf32>, tensor<f32>) -> (tensor<f32>, tensor<3xf32>)
  %1 = call @optimizer_step(%p, %0#1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0#0, %1 : tensor<f32>, tensor<3xf32>
}
