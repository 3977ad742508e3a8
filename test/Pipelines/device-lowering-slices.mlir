// RUN: amp-opt %s --amp-mixed-precision=opt-level=O0 --amp-to-gpu=format=nvvm -o /dev/null 2>%t.err
// RUN: FileCheck %s --input-file=%t.err

// A slice of a slice is merged into one of a single element with a stride, of which upstream's lowering of views takes the wrong
// dimensions for those that are dropped.
// CHECK-NOT: error

func.func @train_step(%w: tensor<8x5x2xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<8x5x2xf32> {amp.role = "batch", amp.name = "x"}, %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<8x5x2xf32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<8x5x2xf32>
  %p = linalg.map { arith.addf } ins(%x, %w : tensor<8x5x2xf32>, tensor<8x5x2xf32>) outs(%e : tensor<8x5x2xf32>)
  %v9 = tensor.extract_slice %p[0, 1, 1][4, 1, 1][2, 1, 1] : tensor<8x5x2xf32> to tensor<4x1x1xf32>
  %v13 = tensor.extract_slice %v9[3, 0, 0][1, 1, 1][1, 1, 1] : tensor<4x1x1xf32> to tensor<1xf32>
  %i = arith.constant 0 : index
  %a = tensor.extract %v13[%i] : tensor<1xf32>
  %l = linalg.reduce { arith.addf } ins(%v13 : tensor<1xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %l3 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%v13 : tensor<1xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%b0: f32, %o: f32):
  %x0 = linalg.index 0 : index
  %ui = arith.index_cast %x0 : index to i64
  %uf = arith.sitofp %ui : i64 to f32
  %y = arith.mulf %b0, %uf : f32
  %z = arith.addf %y, %o : f32
  linalg.yield %z : f32
  } -> tensor<f32>
  %l2 = linalg.map { arith.addf } ins(%l, %l3 : tensor<f32>, tensor<f32>) outs(%zero : tensor<f32>)
  return %l2, %p : tensor<f32>, tensor<8x5x2xf32>
}
