// RUN: amp-opt %s --amp-guard-updates=keep-finite-sums --split-input-file --verify-diagnostics

// No sum: the largest gradient of a window.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @largest(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                   %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  // expected-error @+1 {{expected a sum that a gradient with an overflow can be left out of, as 'keep-finite-sums' asks for, but 'arith.maximumf' puts the accumulator and the gradient together; write the sum as an addition to the accumulator}}
  %sum = arith.maximumf %acc, %u : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// -----

// What the gradient is added to is no value of the program. Near miss: the gradient as a factor
// (guard-updates-sums.mlir).
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @decayed(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                   %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %decay: tensor<4xf32>)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  // expected-error @+1 {{expected a sum that a gradient with an overflow can be left out of, as 'keep-finite-sums' asks for, but 'math.fma' puts the accumulator and the gradient together; write the sum as an addition to the accumulator}}
  %sum = math.fma %acc, %decay, %u : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// -----

// The gradient chooses where the window ends: the sum of which window is kept?
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @window_by_gradient(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                              %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %one = arith.constant 1.0 : f32
  %c = arith.cmpf ogt, %e, %one : f32
  %more = arith.addf %acc, %u : tensor<4xf32>
  // expected-error @+1 {{expected a sum that a gradient with an overflow can be left out of, as 'keep-finite-sums' asks for, but 'arith.select' puts the accumulator and the gradient together; write the sum as an addition to the accumulator}}
  %sum = arith.select %c, %zeros, %more : tensor<4xf32>
  %n = arith.subf %w, %sum : tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}
