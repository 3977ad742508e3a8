// A step of the first half of the rows, which it says are four.
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(j) -> (j)>
#number = affine_map<(j) -> ()>
func.func @forward_backward(%p: tensor<3xf32> {amp.name = "p", amp.role = "param"},
                            %x: tensor<?x3xf32> {amp.name = "x0", amp.role = "batch"},
                            %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<3xf32> {amp.name = "p", amp.role = "grad"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<3xf32>
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %half = arith.divui %n, %c2 : index
  %first = tensor.extract_slice %x[0, 0] [%half, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %four = tensor.cast %first : tensor<?x3xf32> to tensor<4x3xf32>
  %both = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%four : tensor<4x3xf32>) outs(%zeros : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %l0 = tensor.empty() : tensor<f32>
  %l1 = linalg.fill ins(%zero : f32) outs(%l0 : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#one, #one, #number], iterator_types = ["reduction"]}
      ins(%both, %p : tensor<3xf32>, tensor<3xf32>) outs(%l1 : tensor<f32>) {
  ^bb0(%a: f32, %w: f32, %o: f32):
    %m = arith.mulf %a, %w : f32
    %s = arith.addf %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %g0 = tensor.empty() : tensor<3xf32>
  %g = linalg.generic {indexing_maps = [#one, #number, #one], iterator_types = ["parallel"]}
      ins(%both, %seed : tensor<3xf32>, tensor<f32>) outs(%g0 : tensor<3xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.mulf %a, %s : f32
    linalg.yield %m : f32
  } -> tensor<3xf32>
  return %loss, %g : tensor<f32>, tensor<3xf32>
}

func.func @optimizer_step(%p: tensor<3xf32> {amp.name = "p", amp.role = "param"},
                          %g: tensor<3xf32> {amp.name = "p", amp.role = "grad"})
    -> (tensor<3xf32> {amp.name = "p", amp.role = "param"}) {
  %lr = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%p, %g : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %b, %lr : f32
    %s = arith.subf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @train_step(%p: tensor<3xf32> {amp.name = "p", amp.role = "param"},
                      %x: tensor<?x3xf32> {amp.name = "x0", amp.role = "batch"},
                      %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<3xf32> {amp.name = "p", amp.role = "param"}) {
  %0:2 = call @forward_backward(%p, %x, %seed)
      : (tensor<3xf32>, tensor<?x3xf32>, tensor<f32>) -> (tensor<f32>, tensor<3xf32>)
  %1 = call @optimizer_step(%p, %0#1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0#0, %1 : tensor<f32>, tensor<3xf32>
}
