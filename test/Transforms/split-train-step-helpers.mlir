// RUN: amp-opt %s --split-input-file --amp-initialize-opt-level="opt-level=O2 verbosity=0" --amp-split-train-step | FileCheck %s

// What the update computes by a helper is the optimizer's, as if it were written out: in
// the backward pass it would be computed from the half copy of the parameter. Also inside
// of a branch.
// CHECK-LABEL: func.func private @train_forward_backward
// CHECK-NOT:     call @decay
// CHECK-LABEL: func.func private @train_optimizer_step
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "param"}
// CHECK:         scf.if
// CHECK:           call @decay(%[[W]])
// CHECK:         call @decay(
func.func private @decay(%w: tensor<4xf32>) -> tensor<4xf32> {
  %d = arith.constant dense<0.99> : tensor<4xf32>
  %r = arith.mulf %w, %d : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %c: tensor<i1> {amp.role = "hyper", amp.name = "c"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %decays = tensor.extract %c[] : tensor<i1>
  %k = scf.if %decays -> tensor<4xf32> {
    %d = func.call @decay(%w) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %d : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  %k2 = call @decay(%k) : (tensor<4xf32>) -> tensor<4xf32>
  %n = arith.subf %k2, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// A helper of both parts is called by both; one that calls itself gives values alone.
// CHECK-LABEL: func.func private @train_forward_backward
// CHECK:         call @half(
// CHECK-LABEL: func.func private @train_optimizer_step
// CHECK:         call @half(
func.func private @half(%w: tensor<f32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi ugt, %n, %c0 : index
  %r = scf.if %more -> tensor<f32> {
    %left = arith.subi %n, %c1 : index
    %d = arith.addf %w, %w : tensor<f32>
    %next = func.call @half(%d, %left) : (tensor<f32>, index) -> tensor<f32>
    scf.yield %next : tensor<f32>
  } else {
    scf.yield %w : tensor<f32>
  }
  return %r : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c2 = arith.constant 2 : index
  %v = call @half(%w, %c2) : (tensor<f32>, index) -> tensor<f32>
  %g = arith.mulf %s, %v : tensor<f32>
  %n = arith.subf %v, %g : tensor<f32>
  return %n : tensor<f32>
}

// -----

// Near misses: what a helper computes from the batch, and one that has an effect, stay
// where they are and are handed on.
// CHECK-LABEL: func.func private @train_forward_backward
// CHECK:         call @square(
// CHECK:         call @checked(
// CHECK-LABEL: func.func private @train_optimizer_step
// CHECK-NOT:     call @
// CHECK-LABEL: func.func @train
func.func private @square(%x: tensor<f32>) -> tensor<f32> {
  %r = arith.mulf %x, %x : tensor<f32>
  return %r : tensor<f32>
}
func.func private @checked(%r: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %rate = tensor.extract %r[] : tensor<f32>
  %ok = arith.cmpf oge, %rate, %zero : f32
  cf.assert %ok, "a rate is not negative"
  return %r : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"}, %r: tensor<f32> {amp.role = "hyper", amp.name = "r"},
    %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %q = call @square(%x) : (tensor<f32>) -> tensor<f32>
  %g = arith.mulf %s, %q : tensor<f32>
  %rate = call @checked(%r) : (tensor<f32>) -> tensor<f32>
  %u = arith.mulf %g, %rate : tensor<f32>
  %u2 = arith.mulf %u, %q : tensor<f32>
  %n = arith.subf %w, %u2 : tensor<f32>
  return %n : tensor<f32>
}
