// A loop that would read and write tensors of no elements where x is more than 3, which it never is; the sum of no columns, a product over none, and
// what is put beside nothing.
func.func @train_step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
                      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "seed"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %three = arith.constant 3.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %part = tensor.extract_slice %x[0] [0] [1] : tensor<4xf32> to tensor<0xf32>
  %none = linalg.exp ins(%part : tensor<0xf32>) outs(%part : tensor<0xf32>) -> tensor<0xf32>
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %none, %u = %w) -> (tensor<0xf32>, tensor<4xf32>) {
    %a = tensor.extract %x[%i] : tensor<4xf32>
    %is = arith.cmpf ogt, %a, %three : f32
    %s:2 = scf.if %is -> (tensor<0xf32>, tensor<4xf32>) {
      %b = tensor.extract %t[%i] : tensor<0xf32>
      %c = arith.addf %b, %b : f32
      %p = tensor.insert %c into %t[%i] : tensor<0xf32>
      %q = tensor.insert %c into %u[%i] : tensor<4xf32>
      scf.yield %p, %q : tensor<0xf32>, tensor<4xf32>
    } else {
      %b = tensor.extract %u[%i] : tensor<4xf32>
      %c = arith.addf %b, %b : f32
      %q = tensor.insert %c into %u[%i] : tensor<4xf32>
      scf.yield %t, %q : tensor<0xf32>, tensor<4xf32>
    }
    scf.yield %s#0, %s#1 : tensor<0xf32>, tensor<4xf32>
  }
  %columns = tensor.empty() : tensor<4x0xf32>
  %sums = linalg.reduce { arith.addf } ins(%columns : tensor<4x0xf32>) outs(%w : tensor<4xf32>) dimensions = [1]
  %left = tensor.empty() : tensor<2x0xf32>
  %right = tensor.empty() : tensor<0x2xf32>
  %square = tensor.expand_shape %w [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %product = linalg.matmul ins(%left, %right : tensor<2x0xf32>, tensor<0x2xf32>) outs(%square : tensor<2x2xf32>) -> tensor<2x2xf32>
  %row = tensor.collapse_shape %product [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %beside = tensor.concat dim(0) %none, %w, %r#0 : (tensor<0xf32>, tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
  %two = linalg.add ins(%sums, %row : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %four = linalg.add ins(%two, %two : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %five = linalg.add ins(%four, %beside : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %all = linalg.add ins(%five, %r#1 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %loss = linalg.reduce { arith.addf } ins(%all : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, %w : tensor<f32>, tensor<4xf32>
}
