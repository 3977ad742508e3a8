// A dynamic scale that is not advanced with what the last round of a loop found.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Each round of its own.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %w, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %f
    %l = arith.subf %k, %u : tensor<f32>
    scf.yield %l, %f : tensor<f32>, tensor<i1>
  }
  return %r#0 : tensor<f32>
}

// -----
// The first one.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %w, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %is = arith.cmpi eq, %i, %c0 : index
    // expected-note@below {{decided here}}
    scf.if %is {
      // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.if' decides whether it is; advance it in either case, with what was found}}
      amp.update_scale @s, %f
    }
    %l = arith.subf %k, %u : tensor<f32>
    scf.yield %l, %f : tensor<f32>, tensor<i1>
  }
  return %r#0 : tensor<f32>
}

// -----
// The first one, of all so far.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %w, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %more = arith.ori %any, %f : tensor<i1>
    %is = arith.cmpi eq, %i, %c0 : index
    // expected-note@below {{decided here}}
    scf.if %is {
      // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.if' decides whether it is; advance it in either case, with what was found}}
      amp.update_scale @s, %more
    }
    %l = arith.subf %k, %u : tensor<f32>
    scf.yield %l, %more : tensor<f32>, tensor<i1>
  }
  return %r#0 : tensor<f32>
}

// -----
// The last one, of all so far.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %w, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %more = arith.ori %any, %f : tensor<i1>
    %is = arith.cmpi eq, %i, %c1 : index
    scf.if %is {
      amp.update_scale @s, %more
    }
    %l = arith.subf %k, %u : tensor<f32>
    scf.yield %l, %more : tensor<f32>, tensor<i1>
  }
  return %r#0 : tensor<f32>
}

// -----
// One round alone.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%k = %w, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %is = arith.cmpi eq, %i, %c0 : index
    scf.if %is {
      amp.update_scale @s, %f
    }
    %l = arith.subf %k, %u : tensor<f32>
    scf.yield %l, %f : tensor<f32>, tensor<i1>
  }
  return %r#0 : tensor<f32>
}

// -----
// Behind the loop, of all.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%k = %w, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %more = arith.ori %any, %f : tensor<i1>
    %l = arith.subf %k, %u : tensor<f32>
    scf.yield %l, %more : tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %r#1
  return %r#0 : tensor<f32>
}
