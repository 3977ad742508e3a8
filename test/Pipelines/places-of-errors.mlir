// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0" --split-input-file --verify-diagnostics

// Errors about scales stand where the user wrote the two values: in a fused step too,
// which is split into functions, and on named operations, whose bodies have no place.

// The second parameter gets a gradient that was clipped while it was scaled.
func.func @train(%v: tensor<4xf32> {amp.role = "param", amp.name = "v"},
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "v"}, tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %gv = arith.mulf %b, %x {amp.grad = ["v"]} : tensor<4xf32>
  %d = arith.mulf %b, %w : tensor<4xf32>
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @loss_scaler0 and degree 0; a backward pass returns gradients as they are: clip, decay and add to them in the train step (behind 'amp.grad', where it marks them)}}
  %gw = arith.minimumf %d, %one {amp.grad = ["w"]} : tensor<4xf32>
  %nv = arith.subf %v, %gv : tensor<4xf32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %nw = arith.subf %w, %gw : tensor<4xf32>
  return %nv, %nw : tensor<4xf32>, tensor<4xf32>
}

// -----

// A named operation, here behind a call that the user wrote.
func.func @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %c = arith.constant dense<0.5> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @loss_scaler0 and degree 0; a backward pass returns gradients as they are: clip, decay and add to them in the train step (behind 'amp.grad', where it marks them)}}
  %g = linalg.max ins(%b, %c : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-note@below {{called from here}}
  %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

func.func @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  // expected-error@below {{expected an operand that carries no loss scale, but got degree 1 in @loss_scaler0, which 'math.tanh' turns into no power of the scale; unscale it first}}
  %g = linalg.tanh ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-note@below {{called from here}}
  %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Near miss: a body that the user wrote has places of its own.
func.func @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %c = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = linalg.map ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>)
    (%in: f32, %out: f32) {
      // expected-error@below {{expected values that carry the same power of a loss scale, but got degree 1 in @loss_scaler0 and degree 0}}
      %m = arith.maximumf %in, %c : f32
      linalg.yield %m : f32
    }
  return %g : tensor<4xf32>
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // expected-note@below {{called from here}}
  %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}
