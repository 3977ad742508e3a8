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

// -----

// What the round before lost, where the guard is told of this round.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %w, %d = %z, %any = %no) -> (tensor<f32>, tensor<f32>, tensor<i1>) {
    %xi = tensor.extract %x[%i] : tensor<2xf32>
    %xt = tensor.from_elements %xi : tensor<f32>
    %k = arith.mulf %a, %xt : tensor<f32>
    %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
    %new = amp.apply_if_finite %f keep(%p) {
      %m = arith.subf %p, %d : tensor<f32>
      amp.yield %m : tensor<f32>
    } : tensor<f32>
    %mag = math.absf %k : tensor<f32>
    // expected-note@below {{the scale is lost here}}
    %e = arith.divf %k, %mag : tensor<f32>
    %all = arith.ori %any, %f : tensor<i1>
    scf.yield %new, %e, %all : tensor<f32>, tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %r#2
  return %r#0 : tensor<f32>
}

// -----

// Mended: what this round lost.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %w, %d = %z, %any = %no) -> (tensor<f32>, tensor<f32>, tensor<i1>) {
    %xi = tensor.extract %x[%i] : tensor<2xf32>
    %xt = tensor.from_elements %xi : tensor<f32>
    %k = arith.mulf %a, %xt : tensor<f32>
    %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    %mag = math.absf %k : tensor<f32>
    %e = arith.divf %k, %mag : tensor<f32>
    %new = amp.apply_if_finite %f keep(%p) {
      %m = arith.subf %p, %e : tensor<f32>
      amp.yield %m : tensor<f32>
    } : tensor<f32>
    %all = arith.ori %any, %f : tensor<i1>
    scf.yield %new, %e, %all : tensor<f32>, tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %r#2
  return %r#0 : tensor<f32>
}

// -----

// Near miss: all rounds look at the same gradient.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %x0 = tensor.extract %x[%c0] : tensor<2xf32>
  %xt = tensor.from_elements %x0 : tensor<f32>
  %k = arith.mulf %a, %xt : tensor<f32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %w, %d = %z, %any = %no) -> (tensor<f32>, tensor<f32>, tensor<i1>) {
    %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
    %new = amp.apply_if_finite %f keep(%p) {
      %m = arith.subf %p, %d : tensor<f32>
      amp.yield %m : tensor<f32>
    } : tensor<f32>
    %mag = math.absf %k : tensor<f32>
    %e = arith.divf %k, %mag : tensor<f32>
    %all = arith.ori %any, %f : tensor<i1>
    scf.yield %new, %e, %all : tensor<f32>, tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %r#2
  return %r#0 : tensor<f32>
}

// -----

// The same of a loop of blocks.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  cf.br ^h(%c0, %w, %z, %no : index, tensor<f32>, tensor<f32>, tensor<i1>)
^h(%i: index, %p: tensor<f32>, %d: tensor<f32>, %any: tensor<i1>):
  %go = arith.cmpi slt, %i, %c2 : index
  cf.cond_br %go, ^b, ^e
^b:
  %xi = tensor.extract %x[%i] : tensor<2xf32>
  %xt = tensor.from_elements %xi : tensor<f32>
  %k = arith.mulf %a, %xt : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%p) {
    %m = arith.subf %p, %d : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  %mag = math.absf %k : tensor<f32>
  // expected-note@below {{the scale is lost here}}
  %e = arith.divf %k, %mag : tensor<f32>
  %all = arith.ori %any, %f : tensor<i1>
  %j = arith.addi %i, %c1 : index
  cf.br ^h(%j, %new, %e, %all : index, tensor<f32>, tensor<f32>, tensor<i1>)
^e:
  amp.update_scale @s, %any
  return %p : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant dense<false> : tensor<i1>
  %z = arith.constant dense<0.0> : tensor<f32>
  cf.br ^h(%c0, %w, %z, %no : index, tensor<f32>, tensor<f32>, tensor<i1>)
^h(%i: index, %p: tensor<f32>, %d: tensor<f32>, %any: tensor<i1>):
  %go = arith.cmpi slt, %i, %c2 : index
  cf.cond_br %go, ^b, ^e
^b:
  %xi = tensor.extract %x[%i] : tensor<2xf32>
  %xt = tensor.from_elements %xi : tensor<f32>
  %k = arith.mulf %a, %xt : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %mag = math.absf %k : tensor<f32>
  %e = arith.divf %k, %mag : tensor<f32>
  %new = amp.apply_if_finite %f keep(%p) {
    %m = arith.subf %p, %e : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  %all = arith.ori %any, %f : tensor<i1>
  %j = arith.addi %i, %c1 : index
  cf.br ^h(%j, %new, %e, %all : index, tensor<f32>, tensor<f32>, tensor<i1>)
^e:
  amp.update_scale @s, %any
  return %p : tensor<f32>
}

// -----

// A ratio of what a helper is handed, which is told of one of them.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @ratio(%p: tensor<f32>, %q: tensor<f32>) -> tensor<f32> {
  // expected-note@below {{the scale is lost here}}
  %d = arith.divf %p, %q : tensor<f32>
  return %d : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    %d = func.call @ratio(%g, %norm) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %m = arith.subf %w, %d : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: of both.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @ratio(%p: tensor<f32>, %q: tensor<f32>) -> tensor<f32> {
  %d = arith.divf %p, %q : tensor<f32>
  return %d : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u:2, %f = amp.unscale %g, %norm using @s : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  amp.update_scale @s, %f
  %new = amp.apply_if_finite %f keep(%w) {
    %d = func.call @ratio(%g, %norm) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %m = arith.subf %w, %d : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a helper with the guard, handed both and what was found in both.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @step(%w: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>, %f: tensor<i1>) -> tensor<f32> {
  %new = amp.apply_if_finite %f keep(%w) {
    %d = arith.divf %p, %q : tensor<f32>
    %m = arith.subf %w, %d : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u:2, %f = amp.unscale %g, %norm using @s : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  amp.update_scale @s, %f
  %new = call @step(%w, %g, %norm, %f) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> tensor<f32>
  return %new : tensor<f32>
}

// -----

// The same helper, handed what was found in one.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @step(%w: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>, %f: tensor<i1>) -> tensor<f32> {
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d = arith.divf %p, %q : tensor<f32>
    %m = arith.subf %w, %d : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = call @step(%w, %g, %norm, %f) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> tensor<f32>
  return %new : tensor<f32>
}

// -----

// A helper that is handed a gradient at one place, and a ratio of two at another.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @half(%p: tensor<f32>) -> tensor<f32> {
  %c = arith.constant dense<0.5> : tensor<f32>
  %d = arith.mulf %p, %c : tensor<f32>
  return %d : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %gh = call @half(%g) : (tensor<f32>) -> tensor<f32>
  %u, %f = amp.unscale %gh using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d0 = arith.divf %g, %norm : tensor<f32>
    %d = func.call @half(%d0) : (tensor<f32>) -> tensor<f32>
    %m = arith.subf %w, %d : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @half(%p: tensor<f32>) -> tensor<f32> {
  %c = arith.constant dense<0.5> : tensor<f32>
  %d = arith.mulf %p, %c : tensor<f32>
  return %d : tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %gh = call @half(%g) : (tensor<f32>) -> tensor<f32>
  %u:3, %f = amp.unscale %gh, %g, %norm using @s : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  amp.update_scale @s, %f
  %new = amp.apply_if_finite %f keep(%w) {
    %d0 = arith.divf %g, %norm : tensor<f32>
    %d = func.call @half(%d0) : (tensor<f32>) -> tensor<f32>
    %m = arith.subf %w, %d : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A cast to a type of the same width that reaches less far: finite in bf16, infinite in f16.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %b = amp.cast %g : tensor<f32> to tensor<bf16>
  %n = amp.cast %b : tensor<bf16> to tensor<f16>
  %mag = math.absf %n : tensor<f16>
  %u, %f = amp.unscale %b using @s : (tensor<bf16>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d0 = arith.divf %n, %mag : tensor<f16>
    %d = amp.cast %d0 : tensor<f16> to tensor<f32>
    %m = arith.subf %w, %d : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: one that reaches further.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %b = amp.cast %g : tensor<f32> to tensor<f16>
  %n = amp.cast %b : tensor<f16> to tensor<bf16>
  %mag = math.absf %n : tensor<bf16>
  %u, %f = amp.unscale %b using @s : (tensor<f16>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = amp.apply_if_finite %f keep(%w) {
    %d0 = arith.divf %n, %mag : tensor<bf16>
    %d = amp.cast %d0 : tensor<bf16> to tensor<f32>
    %m = arith.subf %w, %d : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What another call of a helper found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @back(%a: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %k = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %mag = math.absf %k : tensor<f32>
  // expected-note@below {{the scale is lost here}}
  %d = arith.divf %k, %mag : tensor<f32>
  return %d, %f : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e0 = tensor.extract %x[%c0] : tensor<2xf32>
  %e1 = tensor.extract %x[%c1] : tensor<2xf32>
  %x0 = tensor.from_elements %e0 : tensor<f32>
  %x1 = tensor.from_elements %e1 : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %d1, %f1 = call @back(%a, %x0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %d2, %f2 = call @back(%a, %x1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %any = arith.ori %f1, %f2 : tensor<i1>
  amp.update_scale @s, %any
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f2 keep(%w) {
    %m = arith.subf %w, %d1 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: what the only call of it found.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @back(%a: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %k = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %mag = math.absf %k : tensor<f32>
  %d = arith.divf %k, %mag : tensor<f32>
  return %d, %f : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e0 = tensor.extract %x[%c0] : tensor<2xf32>
  %e1 = tensor.extract %x[%c1] : tensor<2xf32>
  %x0 = tensor.from_elements %e0 : tensor<f32>
  %x1 = tensor.from_elements %e1 : tensor<f32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %d1, %f1 = call @back(%a, %x0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  amp.update_scale @s, %f1
  %new = amp.apply_if_finite %f1 keep(%w) {
    %m = arith.subf %w, %d1 : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A backward pass gives a gradient and its sign: the unscaling looks at what it gave.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @signs(%a: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %half = arith.constant dense<0.5> : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %y : tensor<f32>
  %o = math.copysign %half, %g : tensor<f32>
  return %g, %h, %o : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<f32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g, %h, %o = call @signs(%a, %x, %y) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %new = amp.apply_if_finite %f keep(%w) {
    %m = arith.subf %w, %o : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Not at what it gave beside it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @signs(%a: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %half = arith.constant dense<0.5> : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %y : tensor<f32>
  // expected-note@below {{the scale is lost here}}
  %o = math.copysign %half, %g : tensor<f32>
  return %g, %h, %o : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<f32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g, %h, %o = call @signs(%a, %x, %y) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  %u, %f = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-error@below {{but 'math.copysign' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one}}
  %new = amp.apply_if_finite %f keep(%w) {
    %m = arith.subf %w, %o : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A loss that is stored, and read before it is taken.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %mem = memref.alloca() : memref<f32>
  // expected-note@below {{the scale is lost here}}
  %d = arith.divf %g, %norm : tensor<f32>
  %de = tensor.extract %d[] : tensor<f32>
  memref.store %de, %mem[] : memref<f32>
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    %l = memref.load %mem[] : memref<f32>
    %t = tensor.from_elements %l : tensor<f32>
    %m = arith.subf %w, %t : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Copies of memory are not followed.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %mem = memref.alloca() : memref<f32>
  %d = arith.divf %g, %norm : tensor<f32>
  %de = tensor.extract %d[] : tensor<f32>
  %from = memref.alloca() : memref<f32>
  memref.store %de, %from[] : memref<f32>
  memref.copy %from, %mem : memref<f32> to memref<f32>
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but that of '@s' may be in what 'memref.load' reads from memory, where a value without scale is not followed; hand it over as a tensor, or unscale what it is computed from before it is stored}}
  %new = amp.apply_if_finite %f keep(%w) {
    // expected-note@below {{read here}}
    %l = memref.load %mem[] : memref<f32>
    %t = tensor.from_elements %l : tensor<f32>
    %m = arith.subf %w, %t : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: of both is told.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u:2, %f = amp.unscale %g, %norm using @s : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  amp.update_scale @s, %f
  %mem = memref.alloca() : memref<f32>
  %d = arith.divf %g, %norm : tensor<f32>
  %de = tensor.extract %d[] : tensor<f32>
  memref.store %de, %mem[] : memref<f32>
  %new = amp.apply_if_finite %f keep(%w) {
    %l = memref.load %mem[] : memref<f32>
    %t = tensor.from_elements %l : tensor<f32>
    %m = arith.subf %w, %t : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: one that is stored and not taken.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %mem = memref.alloca() : memref<f32>
  %d = arith.divf %g, %norm : tensor<f32>
  %de = tensor.extract %d[] : tensor<f32>
  memref.store %de, %mem[] : memref<f32>
  %new = amp.apply_if_finite %f keep(%w) {
    %m = arith.subf %w, %u : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: what was unscaled is stored.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %mem = memref.alloca() : memref<f32>
  %d = arith.mulf %u, %u : tensor<f32>
  %de = tensor.extract %d[] : tensor<f32>
  memref.store %de, %mem[] : memref<f32>
  %new = amp.apply_if_finite %f keep(%w) {
    %l = memref.load %mem[] : memref<f32>
    %t = tensor.from_elements %l : tensor<f32>
    %m = arith.subf %w, %t : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: another memory holds it than the one that is read.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %sq = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %sq : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %mem = memref.alloca() : memref<f32>
  %other = memref.alloca() : memref<f32>
  %ue = tensor.extract %u[] : tensor<f32>
  memref.store %ue, %other[] : memref<f32>
  %d = arith.divf %g, %norm : tensor<f32>
  %de = tensor.extract %d[] : tensor<f32>
  memref.store %de, %mem[] : memref<f32>
  %new = amp.apply_if_finite %f keep(%w) {
    %l = memref.load %other[] : memref<f32>
    %t = tensor.from_elements %l : tensor<f32>
    %m = arith.subf %w, %t : tensor<f32>
    amp.yield %m : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A reciprocal of what the guard is told.
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
    %inverse = arith.divf %w, %norm : tensor<f32>
    %d = arith.mulf %g, %inverse : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: it is told of the gradient alone.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %square = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %square : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.mulf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    %inverse = arith.divf %w, %norm : tensor<f32>
    // expected-note@below {{the scale is lost here}}
    %d = arith.mulf %g, %inverse : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: an overflow of another one is in what is divided.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %b = arith.mulf %a, %w : tensor<f32>
  %bigger = arith.mulf %b, %w : tensor<f32>
  %ratio = arith.divf %b, %bigger : tensor<f32>
  %square = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %square : tensor<f32>
  %u:2, %f = amp.unscale %g, %norm using @s : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  amp.update_scale @s, %f
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.mulf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    %inverse = arith.divf %ratio, %norm : tensor<f32>
    // expected-note@below {{the scale is lost here}}
    %d = arith.mulf %g, %inverse : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: what is divided carries a scale itself.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %b = arith.mulf %a, %w : tensor<f32>
  %square = arith.mulf %g, %g : tensor<f32>
  %norm = math.sqrt %square : tensor<f32>
  %u:2, %f = amp.unscale %g, %norm using @s : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  amp.update_scale @s, %f
  // expected-error@below {{expected 'amp.apply_if_finite' to be told of each overflow in what it takes, but 'arith.divf' makes a value without scale of one that carries the scale of '@s', and no unscaling looks at that one whose 'found_inf' surely reaches the guard; unscale it before, or join what its unscaling finds ('arith.ori')}}
  %new = amp.apply_if_finite %f keep(%w) {
    // expected-note@below {{the scale is lost here}}
    %d = arith.divf %b, %norm : tensor<f32>
    %moved = arith.subf %w, %d : tensor<f32>
    amp.yield %moved : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Of each element of a tensor, in a body.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %places = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%places : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %squares = linalg.dot ins(%g, %g : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %norm = math.sqrt %squares : tensor<f32>
  %u:2, %f = amp.unscale %g, %norm using @s : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  amp.update_scale @s, %f
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %new = amp.apply_if_finite %f keep(%w) {
    %n = tensor.extract %norm[] : tensor<f32>
    %inverse = arith.divf %one, %n : f32
    %moved = linalg.map ins(%w, %g : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
      (%wi: f32, %gi: f32, %o: f32) {
        %d = arith.mulf %gi, %inverse : f32
        %m = arith.subf %wi, %d : f32
        linalg.yield %m : f32
      }
    amp.yield %moved : tensor<4xf32>
  } : tensor<4xf32>
  return %new : tensor<4xf32>
}
