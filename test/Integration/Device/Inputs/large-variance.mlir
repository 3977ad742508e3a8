// The mean variance of channels that no block keeps.
#rows = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
#c = affine_map<(c) -> (c)>
#one = affine_map<(c) -> ()>
func.func @train_step(%p: tensor<8xf32> {amp.role = "param", amp.name = "p"},
                      %x: tensor<8x32x32x8xf32> {amp.role = "batch", amp.name = "x0"},
                      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "seed"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<8xf32> {amp.role = "param", amp.name = "p"}) {
  %zero = arith.constant 0.0 : f32
  %share = arith.constant 1.220703125e-4 : f32
  %eighth = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #channel], iterator_types = ["reduction", "reduction", "reduction", "parallel"]}
      ins(%x : tensor<8x32x32x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %mean = linalg.generic {indexing_maps = [#c, #c], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %share : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %squares = linalg.generic {indexing_maps = [#rows, #channel, #channel],
                             iterator_types = ["reduction", "reduction", "reduction", "parallel"]}
      ins(%x, %mean : tensor<8x32x32x8xf32>, tensor<8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %none = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#c, #one], iterator_types = ["reduction"]} ins(%squares : tensor<8xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %share : f32
    %w = arith.mulf %v, %eighth : f32
    %t = arith.addf %w, %o : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %new = linalg.generic {indexing_maps = [#c, #one, #c], iterator_types = ["parallel"]}
      ins(%p, %seed : tensor<8xf32>, tensor<f32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %loss, %new : tensor<f32>, tensor<8xf32>
}
