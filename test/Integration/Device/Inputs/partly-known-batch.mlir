// Beside a batch argument of any number of rows one that says how many there are in a part of a batch: a number for each column.
#ik = affine_map<(i, k) -> (i, k)>
#k = affine_map<(i, k) -> (k)>
#sc = affine_map<(i, k) -> ()>
func.func @forward_backward(%w: tensor<4xf32> {amp.name = "w", amp.role = "param"},
    %x: tensor<?x4xf32> {amp.name = "x0", amp.role = "batch"}, %z: tensor<4xf32> {amp.name = "x1", amp.role = "batch"},
    %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<4xf32> {amp.name = "w", amp.role = "grad"}) {
  %zs = arith.constant dense<0.0> : tensor<f32>
  %z4 = arith.constant dense<0.0> : tensor<4xf32>
  %loss = linalg.generic {indexing_maps = [#ik, #k, #k, #sc],
                         iterator_types = ["reduction", "reduction"]}
      ins(%x, %w, %z : tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%zs : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %m3 = arith.addf %m, %d : f32
    %s = arith.addf %m3, %o : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %g = linalg.generic {indexing_maps = [#ik, #sc, #k], iterator_types = ["reduction", "parallel"]}
      ins(%x, %seed : tensor<?x4xf32>, tensor<f32>) outs(%z4 : tensor<4xf32>) {
  ^bb0(%a: f32, %sd: f32, %o: f32):
    %m2 = arith.mulf %a, %sd : f32
    %s = arith.addf %m2, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %loss, %g : tensor<f32>, tensor<4xf32>
}
func.func @optimizer_step(%w: tensor<4xf32> {amp.name = "w", amp.role = "param"}, %g: tensor<4xf32> {amp.name = "w", amp.role = "grad"}) -> (tensor<4xf32> {amp.name = "w", amp.role = "param"}) {
  %nw = arith.subf %w, %g : tensor<4xf32>
  return %nw : tensor<4xf32>
}
func.func @train_step(%w: tensor<4xf32> {amp.name = "w", amp.role = "param"},
    %x: tensor<?x4xf32> {amp.name = "x0", amp.role = "batch"}, %z: tensor<4xf32> {amp.name = "x1", amp.role = "batch"},
    %seed: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<4xf32> {amp.name = "w", amp.role = "param"}) {
  %0:2 = call @forward_backward(%w, %x, %z, %seed) : (tensor<4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
  %1 = call @optimizer_step(%w, %0#1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0#0, %1 : tensor<f32>, tensor<4xf32>
}
