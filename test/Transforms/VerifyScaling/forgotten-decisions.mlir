// A dynamic scale that nothing changes where it overflows: an update that is left out there, or never
// runs.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// The gradient decides.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %u[] : tensor<f32>
  %ok = math.isfinite %e : f32
  // expected-note@below {{decided here}}
  scf.if %ok {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.if' decides whether it is}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A scaled one.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lim = arith.constant 1.0e6 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %g[] : tensor<f32>
  // expected-remark@below {{cannot decide which power of a loss scale is left here; no result of train step}}
  %ok = arith.cmpf olt, %e, %lim : f32
  // expected-note@below {{decided here}}
  scf.if %ok {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.if' decides whether it is}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// In either case it is advanced.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %u[] : tensor<f32>
  %ok = math.isfinite %e : f32
  scf.if %ok {
    amp.update_scale @s, %f
  } else {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Some number of the batch decides: what the others found is dropped.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lim = arith.constant 1.0e6 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %x[] : tensor<f32>
  %ok = arith.cmpf olt, %e, %lim : f32
  // expected-note@below {{decided here}}
  scf.if %ok {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.if' decides whether it is; advance it in either case, with what was found}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// In either case.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lim = arith.constant 1.0e6 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %x[] : tensor<f32>
  %ok = arith.cmpf olt, %e, %lim : f32
  scf.if %ok {
    amp.update_scale @s, %f
  } else {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The gradient chooses what the update is told.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %u[] : tensor<f32>
  %ok = math.isfinite %e : f32
  // expected-note@below {{lost here}}
  %t = arith.select %ok, %f, %no : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.select' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The same by regions.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %u[] : tensor<f32>
  %ok = math.isfinite %e : f32
  // expected-note@below {{lost here}}
  %t = scf.if %ok -> (tensor<i1>) {
    scf.yield %f : tensor<i1>
  } else {
    scf.yield %no : tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.if' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// It chooses whether more is unscaled, and what that finds is joined.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %lim = arith.constant 1.0e6 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.extract %g[] : tensor<f32>
  // expected-remark@below {{cannot decide which power of a loss scale is left here; no result of train step}}
  %ok = arith.cmpf olt, %e, %lim : f32
  %t = scf.if %ok -> (tensor<i1>) {
    %v, %fv = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    scf.yield %fv : tensor<i1>
  } else {
    scf.yield %no : tensor<i1>
  }
  %any = arith.ori %f, %t : tensor<i1>
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The kept value comes out where one was found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %t = amp.apply_if_finite %f keep(%no) {
    amp.yield %f : tensor<i1>
  } : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'amp.apply_if_finite' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// One that is kept says so.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.constant dense<true> : tensor<i1>
  %t = amp.apply_if_finite %f keep(%all) {
    amp.yield %f : tensor<i1>
  } : tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Its region is left out.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{left out here}}
  %k = amp.apply_if_finite %f keep(%w) {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'amp.apply_if_finite' leaves this out where an infinity was found}}
    amp.update_scale @s, %f
    amp.yield %u : tensor<f32>
  } : tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// No round where one was found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %fine = arith.xori %is, %yes : i1
  %n = arith.index_castui %fine : i1 to index
  // expected-note@below {{decided here}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.for' decides whether it is}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The same by a condition.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant true
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  // expected-note@below {{decided here}}
  %q = scf.while (%k = %is) : (i1) -> i1 {
    %fine = arith.xori %k, %yes : i1
    scf.condition(%fine) %k : i1
  } do {
  ^bb0(%k: i1):
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.while' decides whether it is}}
    amp.update_scale @s, %f
    scf.yield %yes : i1
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// What is before the condition runs.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant true
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %q = scf.while (%k = %is) : (i1) -> i1 {
    amp.update_scale @s, %f
    %fine = arith.xori %k, %yes : i1
    scf.condition(%fine) %k : i1
  } do {
  ^bb0(%k: i1):
    scf.yield %yes : i1
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Nor does a round that is left out tell of it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %fine = arith.xori %is, %yes : i1
  %n = arith.index_castui %fine : i1 to index
  // expected-note@below {{lost here}}
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%any = %no) -> (tensor<i1>) {
    %more = arith.ori %any, %f : tensor<i1>
    scf.yield %more : tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.for' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// It begins with what was found.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %fine = arith.xori %is, %yes : i1
  %n = arith.index_castui %fine : i1 to index
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%any = %f) -> (tensor<i1>) {
    scf.yield %any : tensor<i1>
  }
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Rounds until one has found an infinity.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %t:2 = scf.while (%any = %no, %i = %c0) : (tensor<i1>, index) -> (tensor<i1>, index) {
    %is = tensor.extract %any[] : tensor<i1>
    %fine = arith.xori %is, %yes : i1
    %more = arith.cmpi ult, %i, %c4 : index
    %go = arith.andi %fine, %more : i1
    scf.condition(%go) %any, %i : tensor<i1>, index
  } do {
  ^bb0(%any: tensor<i1>, %i: index):
    %next = arith.ori %any, %f : tensor<i1>
    %j = arith.addi %i, %c1 : index
    scf.yield %next, %j : tensor<i1>, index
  }
  amp.update_scale @s, %t#0
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// No round at all.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{decided here}}
  scf.for %i = %c0 to %c0 step %c1 {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.for' never runs this; advance it outside of it}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The same with bounds that are attributes.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{decided here}}
  affine.for %i = 0 to 0 {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'affine.for' never runs this; advance it outside of it}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// One round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  scf.for %i = %c0 to %c1 step %c1 {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Found in no round.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %t = scf.for %i = %c0 to %c0 step %c1 iter_args(%any = %no) -> (tensor<i1>) {
    %more = arith.ori %any, %f : tensor<i1>
    scf.yield %more : tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.for' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The branch that is never taken.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %false = arith.constant false
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{decided here}}
  scf.if %false {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.if' never runs this; advance it outside of it}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The one that always is.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant true
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  scf.if %yes {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Advanced many times at once.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{decided here}}
  scf.forall (%i) in (2) {
    // expected-error@below {{expected '@s' to be advanced once with what was found, but 'scf.forall' runs this for each of its elements, none or many; advance it behind it}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// For each element.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %lim = arith.constant 1.0e6 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{decided here}}
  %k = tensor.generate {
  ^bb0(%i: index):
    // expected-error@below {{expected '@s' to be advanced once with what was found, but 'tensor.generate' runs this for each of its elements, none or many; advance it behind it}}
    amp.update_scale @s, %f
    tensor.yield %lim : f32
  } : tensor<4xf32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
