// What is computed from scaled values and carries no scale, a ratio of two or a choice,
// may be taken where the guard is told of each overflow in them: by an unscaling that looks
// at each value whose scale is lost, not at another one's.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// The square of a finite gradient may be infinite, and what is divided by its root 0.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    %square = arith.mulf %g, %g : tensor<f32>
    %norm = math.sqrt %square : tensor<f32>
    // expected-note@below {{the scale is lost here}}
    %d = arith.divf %g, %norm : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: the norm is unscaled as well.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %square = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %square : tensor<f32>
  %u:2, %f = amp.unscale %g, %norm using @s : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  amp.update_scale @s, %f
  %new = amp.apply_if_finite %f keep(%w) {
    %d = arith.divf %g, %norm : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What an unscaling of another gradient found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %fu keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %new = amp.apply_if_finite %fv keep(%w) {
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A conjunction is told where both overflow alone.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %both = arith.andi %fu, %fv : tensor<i1>
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %both keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A call that gives one of two.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @found(%f: tensor<i1>, %g: tensor<i1>) -> tensor<i1> {
  return %f : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %p = call @found(%fu, %fv) : (tensor<i1>, tensor<i1>) -> tensor<i1>
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %p keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: one that joins them, by De Morgan.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @found(%f: tensor<i1>, %g: tensor<i1>) -> tensor<i1> {
  %true = arith.constant dense<true> : tensor<i1>
  %a = arith.xori %f, %true : tensor<i1>
  %b = arith.xori %g, %true : tensor<i1>
  %none = arith.andi %a, %b : tensor<i1>
  %any = arith.xori %none, %true : tensor<i1>
  return %any : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %p = call @found(%fu, %fv) : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %new = amp.apply_if_finite %p keep(%w) {
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A body that gives one of two.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %empty = tensor.empty() : tensor<i1>
  %p = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%fu, %fv : tensor<i1>, tensor<i1>) outs(%empty : tensor<i1>) {
  ^bb0(%l: i1, %r: i1, %o: i1):
    linalg.yield %l : i1
  } -> tensor<i1>
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %p keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %empty = tensor.empty() : tensor<i1>
  %p = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%fu, %fv : tensor<i1>, tensor<i1>) outs(%empty : tensor<i1>) {
  ^bb0(%l: i1, %r: i1, %o: i1):
    %any = arith.ori %l, %r : i1
    linalg.yield %any : i1
  } -> tensor<i1>
  %new = amp.apply_if_finite %p keep(%w) {
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What was found of one of two, as the batch chooses.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %zero = arith.constant 0.0 : f32
  %number = tensor.extract %x[] : tensor<f32>
  %c = arith.cmpf ogt, %number, %zero : f32
  %p = scf.if %c -> (tensor<i1>) {
    scf.yield %fv : tensor<i1>
  } else {
    scf.yield %fu : tensor<i1>
  }
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %p keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: of either the same.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %zero = arith.constant 0.0 : f32
  %number = tensor.extract %x[] : tensor<f32>
  %c = arith.cmpf ogt, %number, %zero : f32
  %p = scf.if %c -> (tensor<i1>) {
    scf.yield %fv : tensor<i1>
  } else {
    scf.yield %all : tensor<i1>
  }
  %new = amp.apply_if_finite %p keep(%w) {
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A helper that loses more than what it is handed.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @direction(%g: tensor<f32>) -> tensor<f32> {
  %square = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %square : tensor<f32>
  // expected-note@below {{the scale is lost here}}
  %d = arith.divf %g, %norm : tensor<f32>
  return %d : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    %d = func.call @direction(%g) : (tensor<f32>) -> tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: one of which the guard is told all.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @direction(%g: tensor<f32>) -> tensor<f32> {
  %norm = math.absf %g : tensor<f32>
  %d = arith.divf %g, %norm : tensor<f32>
  return %d : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = amp.apply_if_finite %f keep(%w) {
    %d = func.call @direction(%g) : (tensor<f32>) -> tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A guard in a helper that is handed what another gradient had.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @take(%w: tensor<f32>, %h: tensor<f32>, %found: tensor<i1>) -> tensor<f32> {
  %magnitude = math.absf %h : tensor<f32>
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %found keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %new = call @take(%w, %h, %fu) : (tensor<f32>, tensor<f32>, tensor<i1>) -> tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @take(%w: tensor<f32>, %h: tensor<f32>, %found: tensor<i1>) -> tensor<f32> {
  %magnitude = math.absf %h : tensor<f32>
  %new = amp.apply_if_finite %found keep(%w) {
    %d = arith.divf %h, %magnitude : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %magnitude = math.absf %h : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %all = arith.ori %fu, %fv : tensor<i1>
  amp.update_scale @s, %all
  %new = call @take(%w, %h, %fv) : (tensor<f32>, tensor<f32>, tensor<i1>) -> tensor<f32>
  return %new : tensor<f32>
}
