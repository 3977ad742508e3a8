// Reads at remainders and quotients of loops, and written at a permutation of them.
#read = affine_map<(i, j) -> (i mod 3, j floordiv 2)>
#row = affine_map<(i, j) -> ((i + 1) mod 3, (i * 4 + j) ceildiv 11)>
func.func @train_step(%w: tensor<3x4xf32> {amp.role = "param", amp.name = "w"},
                      %x: tensor<3x4xf32> {amp.role = "batch", amp.name = "x0"},
                      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "seed"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<3x4xf32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %e = tensor.empty() : tensor<8x7xf32>
  %y = linalg.generic {indexing_maps = [#read, #row, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<8x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8x7xf32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%y : tensor<8x7xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.mulf %a, %f : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %v = tensor.empty() : tensor<3x4xf32>
  %new = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%w, %seed : tensor<3x4xf32>, tensor<f32>) outs(%v : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  return %loss, %new : tensor<f32>, tensor<3x4xf32>
}
