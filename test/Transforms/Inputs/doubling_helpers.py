"""A forward-backward function on N helpers that each call the one before twice."""

import sys

n = int(sys.argv[1])
print('''func.func @fwdbwd(%w: tensor<8x8xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4x8xf32> {amp.role = "batch", amp.name = "x0"},
  %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
  -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<8x8xf32> {amp.role = "grad", amp.name = "w"}) {
  %h = call @f0(%w, %x) : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->()>], iterator_types=["reduction","reduction"]} ins(%h : tensor<4x8xf32>) outs(%c0 : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %e = tensor.empty() : tensor<4x8xf32>
  %dh = linalg.generic {indexing_maps = [affine_map<(i,j)->()>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%seed : tensor<f32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  %dx = call @b0(%w, %dh) : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %et = tensor.empty() : tensor<8x4xf32>
  %xt = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%et : tensor<8x4xf32>) permutation = [1, 0]
  %dw = linalg.matmul ins(%xt, %dx : tensor<8x4xf32>, tensor<4x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %loss, %dw : tensor<f32>, tensor<8x8xf32>
}''')
for p in 'fb':
    for i in range(n):
        print(f'''func.func private @{p}{i}(%w: tensor<8x8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %0 = call @{p}{i+1}(%w, %x) : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = call @{p}{i+1}(%w, %0) : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}}''')
    print(f'''func.func private @{p}{n}(%w: tensor<8x8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %z = arith.constant dense<0.0> : tensor<4x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}}''')
