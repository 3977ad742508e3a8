// Which round a loop is in says nothing of what rounds found: its bounds alone decide.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Which gradient is unscaled, is chosen by the round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %first = arith.cmpi eq, %i, %c0 : index
    %q:2 = scf.if %first -> (tensor<f32>, tensor<i1>) {
      %k = arith.mulf %a, %x : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %e1 = arith.addf %d, %u : tensor<f32>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %a1 : tensor<f32>, tensor<i1>
    } else {
      %k = arith.mulf %a, %w : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %e1 = arith.addf %d, %u : tensor<f32>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %a1 : tensor<f32>, tensor<i1>
    }
    scf.yield %q#0, %q#1 : tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %r#1
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Chosen by what was found, with which each way joins what it finds.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %first = tensor.extract %any[] : tensor<i1>
    %q:2 = scf.if %first -> (tensor<f32>, tensor<i1>) {
      %k = arith.mulf %a, %x : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %e1 = arith.addf %d, %u : tensor<f32>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %a1 : tensor<f32>, tensor<i1>
    } else {
      %k = arith.mulf %a, %w : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %e1 = arith.addf %d, %u : tensor<f32>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %a1 : tensor<f32>, tensor<i1>
    }
    scf.yield %q#0, %q#1 : tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %r#1
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: one way does not.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %first = tensor.extract %any[] : tensor<i1>
    // expected-note@below {{lost here}}
    %q:2 = scf.if %first -> (tensor<f32>, tensor<i1>) {
      %k = arith.mulf %a, %x : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %e1 = arith.addf %d, %u : tensor<f32>
      scf.yield %e1, %f : tensor<f32>, tensor<i1>
    } else {
      %k = arith.mulf %a, %w : tensor<f32>
      %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
      %e1 = arith.addf %d, %u : tensor<f32>
      %a1 = arith.ori %any, %f : tensor<i1>
      scf.yield %e1, %a1 : tensor<f32>, tensor<i1>
    }
    scf.yield %q#0, %q#1 : tensor<f32>, tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.if' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %r#1
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The last round of a window advances the scaler.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %k = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    %e1 = arith.addf %d, %u : tensor<f32>
    %last = arith.cmpi eq, %i, %c1 : index
    %a1 = arith.ori %any, %f : tensor<i1>
    scf.if %last {
      amp.update_scale @s, %a1
    }
    scf.yield %e1, %a1 : tensor<f32>, tensor<i1>
  }
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a round that begins after an overflow does.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%d = %z, %any = %no) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %k = arith.mulf %a, %x : tensor<f32>
    %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    %e1 = arith.addf %d, %u : tensor<f32>
    %last = tensor.extract %any[] : tensor<i1>
    %a1 = arith.ori %any, %f : tensor<i1>
    // expected-note@below {{decided here}}
    scf.if %last {
      // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.if' decides whether it is; advance it in either case, with what was found}}
      amp.update_scale @s, %a1
    }
    scf.yield %e1, %a1 : tensor<f32>, tensor<i1>
  }
  %new = amp.apply_if_finite %r#1 keep(%w) {
    %m = arith.subf %w, %r#0 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}
