// A dynamic scale that nothing changes.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  // expected-error@below {{expected an 'amp.update_scale' of dynamic scaler '@s', with which a loss is scaled here, but found none; advance it after each unscaling, or give it 'static_scale'}}
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Another scaler's does not help.
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  // expected-error@below {{expected an 'amp.update_scale' of dynamic scaler '@s', with which a loss is scaled here, but found none}}
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  amp.update_scale @t, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Each is advanced with what the other found.
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected '@s' to be advanced with what an 'amp.unscale' using it found, but got a value that comes from none; its scale would not be lowered when it overflows}}
  amp.update_scale @s, %fv
  // expected-error@below {{expected '@t' to be advanced with what an 'amp.unscale' using it found, but got a value that comes from none; its scale would not be lowered when it overflows}}
  amp.update_scale @t, %fu
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @t : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %fu
  amp.update_scale @t, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Both with what either found, and through a later unscaling.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @t found(%fu) : (tensor<f32>) -> tensor<f32>
  %either = arith.ori %fu, %fv : tensor<i1>
  %all = amp.all_reduce_found_inf %either
  amp.update_scale @t, %all
  amp.update_scale @s, %fv
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// With a constant.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced with what an 'amp.unscale' using it found, but got a value that comes from none; its scale would not be lowered when it overflows}}
  amp.update_scale @s, %no
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// In a function that nobody calls.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%found: tensor<i1>) {
  amp.update_scale @s, %found
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  // expected-error@below {{expected an 'amp.update_scale' of dynamic scaler '@s', with which a loss is scaled here, but found none}}
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%found: tensor<i1>) {
  amp.update_scale @s, %found
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  call @advance(%fu) : (tensor<i1>) -> ()
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Called with nothing that was found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%found: tensor<i1>) {
  // expected-error@below {{expected '@s' to be advanced with what an 'amp.unscale' using it found, but got a value that comes from none; its scale would not be lowered when it overflows}}
  amp.update_scale @s, %found
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  call @advance(%no) : (tensor<i1>) -> ()
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Through a branch, and a loop that collects.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %any = scf.if %c -> tensor<i1> {
    scf.yield %fu : tensor<i1>
  } else {
    %also = arith.ori %fu, %no : tensor<i1>
    scf.yield %also : tensor<i1>
  }
  %all = scf.for %i = %c0 to %c1 step %c1 iter_args(%last = %no) -> tensor<i1> {
    %next = arith.ori %last, %any : tensor<i1>
    scf.yield %next : tensor<i1>
  }
  amp.update_scale @s, %all
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Whether all is finite, as other libraries have it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %yes = arith.constant dense<true> : tensor<i1>
  %finite = arith.xori %fu, %yes : tensor<i1>
  // expected-note@below {{lost here}}
  %o = amp.all_reduce_found_inf %finite
  // expected-error@below {{but 'amp.all_reduce_found_inf' may lose what one found}}
  amp.update_scale @s, %o
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %o = arith.cmpi eq, %no, %fu : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced with what an 'amp.unscale' found, but got the negation of it; its scale would grow when it overflows, so pass whether an infinity was found, not whether all is finite}}
  amp.update_scale @s, %o
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Near miss: negated twice, and compared with what keeps it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %finite = arith.xori %fu, %yes : tensor<i1>
  %found = arith.cmpi ne, %finite, %yes : tensor<i1>
  %same = arith.cmpi ne, %found, %no : tensor<i1>
  %o = arith.xori %same, %no : tensor<i1>
  amp.update_scale @s, %o
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Where both found one, only.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %f = arith.andi %fu, %fv : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.andi' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Where a flag says so, only.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %f = arith.andi %fu, %last : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.andi' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Where one found one and the other did not.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %f = arith.xori %fu, %fv : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.xori' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Chosen by what one found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %one = tensor.extract %fu[] : tensor<i1>
  // expected-note@below {{lost here}}
  %f = arith.select %one, %fv, %no : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.select' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// By a branch.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %one = tensor.extract %fu[] : tensor<i1>
  // expected-note@below {{lost here}}
  %f = scf.if %one -> tensor<i1> {
    scf.yield %fv : tensor<i1>
  } else {
    scf.yield %no : tensor<i1>
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'scf.if' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Joined where both are negated: not both are finite where none is.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %finite = arith.xori %fu, %yes : tensor<i1>
  %too = arith.xori %fv, %yes : tensor<i1>
  // expected-note@below {{lost here}}
  %one = arith.ori %finite, %too : tensor<i1>
  %f = arith.xori %one, %yes : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.ori' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Mended: either is not finite where not both are.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %finite = arith.xori %fu, %yes : tensor<i1>
  %too = arith.xori %fv, %yes : tensor<i1>
  %both = arith.andi %finite, %too : tensor<i1>
  %f = arith.xori %both, %yes : tensor<i1>
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Mended: what one found, is true, or what the other found; by either way to say so.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %one = tensor.extract %fu[] : tensor<i1>
  %either = arith.select %one, %yes, %fv : tensor<i1>
  %f = scf.if %one -> tensor<i1> {
    scf.yield %yes : tensor<i1>
  } else {
    scf.yield %either : tensor<i1>
  }
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Near miss: lost on one way, but not on another.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %both = arith.andi %fu, %fv : tensor<i1>
  %either = arith.ori %fu, %both : tensor<i1>
  %f = arith.ori %either, %fv : tensor<i1>
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Near miss: counted.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %iu = arith.extui %fu : tensor<i1> to tensor<i32>
  %iv = arith.extui %fv : tensor<i1> to tensor<i32>
  %most = arith.maxui %iu, %iv : tensor<i32>
  %zero = arith.constant dense<0> : tensor<i32>
  %f = arith.cmpi ne, %most, %zero : tensor<i32>
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Near miss: chosen by a number of the step, joined in a body, and carried by blocks and loops.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %both = arith.ori %fu, %fv : tensor<i1>
  %either = arith.select %c, %fu, %both : tensor<i1>
  %joined = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
                            iterator_types = []}
      ins(%either, %fv : tensor<i1>, tensor<i1>) outs(%no : tensor<i1>) {
  ^bb0(%p: i1, %q: i1, %o: i1):
    %r = arith.ori %p, %q : i1
    linalg.yield %r : i1
  } -> tensor<i1>
  %f = scf.for %i = %c0 to %c1 step %c1 iter_args(%found = %no) -> tensor<i1> {
    %next = arith.ori %found, %joined : tensor<i1>
    scf.yield %next : tensor<i1>
  }
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Near miss: more than what was found.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %f0 = arith.ori %fu, %last : tensor<i1>
  %f = arith.ori %f0, %fv : tensor<i1>
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A loop that hands over what its last round found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@below {{lost here}}
  %sum, %f = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %last = %no) -> (tensor<f32>, tensor<i1>) {
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %next = arith.addf %s, %u : tensor<f32>
    scf.yield %next, %fu : tensor<f32>, tensor<i1>
  }
  // expected-error@below {{but 'scf.for' may lose what one found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Two of them in turn, by a helper: the last two rounds'.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @backward(%seed: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  return %u, %fu : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: i32)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c1 = arith.constant 1 : i32
  // expected-note@below {{lost here}}
  %left, %sum, %f, %before = scf.while (%i = %n, %s = %zero, %p = %no, %q = %no)
      : (i32, tensor<f32>, tensor<i1>, tensor<i1>) -> (i32, tensor<f32>, tensor<i1>, tensor<i1>) {
    %more = arith.cmpi sgt, %i, %c1 : i32
    scf.condition(%more) %i, %s, %p, %q : i32, tensor<f32>, tensor<i1>, tensor<i1>
  } do {
  ^bb0(%i: i32, %s: tensor<f32>, %p: tensor<i1>, %q: tensor<i1>):
    %u, %fu = func.call @backward(%seed, %x) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
    %next = arith.addf %s, %u : tensor<f32>
    %j = arith.subi %i, %c1 : i32
    scf.yield %j, %next, %fu, %p : i32, tensor<f32>, tensor<i1>, tensor<i1>
  }
  %either = arith.ori %f, %before : tensor<i1>
  // expected-error@below {{but 'scf.while' may lose what one found}}
  amp.update_scale @s, %either
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Near miss: joined with what goes round, by a disjunction and by the unscaling, and at each round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @backward(%seed: tensor<f32>, %x: tensor<f32>, %before: tensor<i1>) -> (tensor<f32>, tensor<i1>) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s found(%before) : (tensor<f32>) -> tensor<f32>
  return %u, %fu : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index, %m: i32)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %sum, %f = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %p = %no) -> (tensor<f32>, tensor<i1>) {
    %u, %fu = func.call @backward(%seed, %x, %no) : (tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>)
    %next = arith.addf %s, %u : tensor<f32>
    %joined = arith.ori %p, %fu : tensor<i1>
    scf.yield %next, %joined : tensor<f32>, tensor<i1>
  }
  %left, %more, %g, %h = scf.while (%i = %m, %s = %sum, %p = %no, %q = %no)
      : (i32, tensor<f32>, tensor<i1>, tensor<i1>) -> (i32, tensor<f32>, tensor<i1>, tensor<i1>) {
    %again = arith.cmpi sgt, %i, %one : i32
    scf.condition(%again) %i, %s, %p, %q : i32, tensor<f32>, tensor<i1>, tensor<i1>
  } do {
  ^bb0(%i: i32, %s: tensor<f32>, %p: tensor<i1>, %q: tensor<i1>):
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %k = arith.mulf %a, %x : tensor<f32>
    %u, %fu = amp.unscale %k using @s found(%p) : (tensor<f32>) -> tensor<f32>
    %next = arith.addf %s, %u : tensor<f32>
    %j = arith.subi %i, %one : i32
    scf.yield %j, %next, %fu, %q : i32, tensor<f32>, tensor<i1>, tensor<i1>
  }
  %fg = arith.ori %f, %g : tensor<i1>
  %all = arith.ori %fg, %h : tensor<i1>
  amp.update_scale @s, %all
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %no) -> tensor<i1> {
    %u, %fu = func.call @backward(%seed, %x, %no) : (tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>)
    amp.update_scale @s, %fu
    scf.yield %fu : tensor<i1>
  }
  %new = arith.subf %w, %more : tensor<f32>
  return %new : tensor<f32>
}

// -----

// No function says that it is a step: each of them may be one.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @scale(%x: tensor<f32>, %seed: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{expected an 'amp.update_scale' of dynamic scaler '@s', with which a loss is scaled here, but found none}}
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  return %u : tensor<f32>
}

// -----

// Handed over by a branch between blocks.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  cf.br ^bb1(%fu : tensor<i1>)
^bb1(%f: tensor<i1>):
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What the round before found: nothing hears of the last one.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %all, %rest = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %zero, %f = %no) -> (tensor<f32>, tensor<i1>) {
    // expected-error@below {{expected '@s' to be advanced with what each round of 'scf.for' found, but none hears of the last one; advance it behind the unscaling of each round, or behind the loop with what its rounds found}}
    amp.update_scale @s, %f
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    // expected-note@below {{found here}}
    %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %next = arith.addf %k, %u : tensor<f32>
    scf.yield %next, %fu : tensor<f32>, tensor<i1>
  }
  %new = arith.subf %w, %all : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The last one as well, behind the loop.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %all, %rest = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %zero, %f = %no) -> (tensor<f32>, tensor<i1>) {
    amp.update_scale @s, %f
    %a = amp.scale_loss %seed using @s : tensor<f32>
    %g = arith.mulf %a, %x : tensor<f32>
    %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %next = arith.addf %k, %u : tensor<f32>
    scf.yield %next, %fu : tensor<f32>, tensor<i1>
  }
  amp.update_scale @s, %rest
  %new = arith.subf %w, %all : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A gradient of another scaler, that was skipped by what this one found, says nothing of it.
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %b = amp.scale_loss %seed using @t : tensor<f32>
  %h = arith.mulf %b, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @t found(%fu) : (tensor<f32>) -> tensor<f32>
  amp.update_scale @t, %fv
  %f = arith.cmpf uno, %v, %v : tensor<f32>
  // expected-error@below {{expected '@s' to be advanced with what an 'amp.unscale' using it found, but got a value that comes from none}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What tests a scaled loss itself is no finding of the unscaling.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{cannot decide which power of a loss scale is left here}}
  %f = math.isinf %a : tensor<f32>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but no way on which one is surely told leads here from one; hand over what it found as a value, joined with what others find ('arith.ori')}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Read from memory, where nobody sees who wrote it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %m = memref.alloc() : memref<i1>
  %bit = tensor.extract %fu[] : tensor<i1>
  memref.store %bit, %m[] : memref<i1>
  %read = memref.load %m[] : memref<i1>
  %f = tensor.from_elements %read : tensor<i1>
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: widened with its sign.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %wide = arith.extsi %fu : tensor<i1> to tensor<i32>
  %zero = arith.constant dense<0> : tensor<i32>
  %f = arith.cmpi ne, %wide, %zero : tensor<i32>
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// -1 where one was found, which is no 1.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %wide = arith.extsi %fu : tensor<i1> to tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  // expected-note@below {{lost here}}
  %f = arith.cmpi eq, %wide, %one : tensor<i32>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.cmpi' may lose what one found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Nothing is below false.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %f = arith.cmpi ult, %fu, %no : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.cmpi' may lose what one found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// And nothing.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %f = arith.andi %fu, %no : tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: and true.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %f = arith.andi %fu, %yes : tensor<i1>
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: true where the first is not finite.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %finite = arith.xori %fu, %yes : tensor<i1>
  %f = arith.select %finite, %fv, %yes : tensor<i1>, tensor<i1>
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// True where the first is finite.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %f = arith.select %fu, %fv, %yes : tensor<i1>, tensor<i1>
  // expected-error@below {{but 'arith.select' may lose what one found}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Chosen by a number of the step: the negation of what the second found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %finite = arith.xori %fv, %yes : tensor<i1>
  // expected-note@below {{lost here}}
  %f = arith.select %c, %fu, %finite : tensor<i1>
  // expected-error@below {{but 'arith.select' may lose what one found}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Negated for the second argument of a helper.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%other: tensor<i1>, %f: tensor<i1>) {
  // expected-error@below {{expected '@s' to be advanced with what an 'amp.unscale' found, but got the negation of it}}
  amp.update_scale @s, %f
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %finite = arith.xori %fu, %yes : tensor<i1>
  call @advance(%no, %finite) : (tensor<i1>, tensor<i1>) -> ()
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Negated for what the next element of a reduction takes over.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %elements = tensor.expand_shape %fu [] output_shape [1] : tensor<i1> into tensor<1xi1>
  // expected-note@below {{lost here}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>],
                         iterator_types = ["reduction"]}
      ins(%elements : tensor<1xi1>) outs(%no, %no : tensor<i1>, tensor<i1>) {
  ^bb0(%p: i1, %before: i1, %o: i1):
    %true = arith.constant true
    %finite = arith.xori %p, %true : i1
    %any = arith.ori %before, %o : i1
    linalg.yield %finite, %any : i1, i1
  } -> (tensor<i1>, tensor<i1>)
  // expected-error@below {{but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %r#1
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Beside another test of its gradient, which is true for a NaN alone.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{found here}}
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %nan = arith.cmpf uno, %v, %v : tensor<f32>
  %f = arith.ori %fu, %nan : tensor<i1>
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The negation of what one found, handed to the next as already found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %last: tensor<i1>)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %finite = arith.xori %fu, %yes : tensor<i1>
  %v, %f = amp.unscale %h using @s found(%finite) : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{expected '@s' to be advanced with what an 'amp.unscale' found, but got the negation of it}}
  amp.update_scale @s, %f
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Advanced where all is finite, only.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %finite = arith.xori %f, %yes : tensor<i1>
  %is = tensor.extract %finite[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %is {
    // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.if' decides whether it is; advance it in either case, with what was found}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// By a helper that is called where one was found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%found: tensor<i1>) {
  // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'scf.index_switch' decides whether it is; advance it in either case, with what was found}}
  amp.update_scale @s, %found
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %number = arith.index_castui %is : i1 to index
  // expected-note@below {{decided here}}
  scf.index_switch %number
  case 1 {
    func.call @advance(%f) : (tensor<i1>) -> ()
    scf.yield
  }
  default {
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// By blocks.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  // expected-note@below {{decided here}}
  cf.cond_br %is, ^end, ^advance
^advance:
  // expected-error@below {{expected '@s' to be advanced after each unscaling, but 'cf.cond_br' decides whether it is; advance it in either case, with what was found}}
  amp.update_scale @s, %f
  cf.br ^end
^end:
  return %new : tensor<f32>
}

// -----
// Near miss: in either case, by a flag of the step, or in rounds that end where one was found.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%found: tensor<i1>) {
  amp.update_scale @s, %found
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  scf.if %is {
    amp.update_scale @s, %f
  } else {
    func.call @advance(%f) : (tensor<i1>) -> ()
  }
  scf.if %c {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    %h = arith.mulf %b, %x : tensor<f32>
    %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %fv
  }
  %last = scf.while (%k = %w) : (tensor<f32>) -> tensor<f32> {
    %b = amp.scale_loss %seed using @s : tensor<f32>
    %h = arith.mulf %b, %x : tensor<f32>
    %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    amp.update_scale @s, %fv
    %again = tensor.extract %fv[] : tensor<i1>
    %n = arith.subf %k, %v : tensor<f32>
    scf.condition(%again) %n : tensor<f32>
  } do {
  ^bb0(%k: tensor<f32>):
    scf.yield %k : tensor<f32>
  }
  %b = amp.scale_loss %seed using @s : tensor<f32>
  %h = arith.mulf %b, %x : tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  cf.cond_br %is, ^one, ^other
^one:
  amp.update_scale @s, %fv
  cf.br ^end
^other:
  amp.update_scale @s, %fv
  cf.br ^end
^end:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Chosen between blocks by what one found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  %one = tensor.extract %fu[] : tensor<i1>
  // expected-note@below {{lost here}}
  cf.cond_br %one, ^join(%fv : tensor<i1>), ^join(%no : tensor<i1>)
^join(%f: tensor<i1>):
  // expected-error@below {{but 'cf.cond_br' may lose what one found}}
  amp.update_scale @s, %f
  return %new : tensor<f32>
}

// -----
// Mended: true where one found one, and a choice by a flag of the step.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  %one = tensor.extract %fu[] : tensor<i1>
  cf.cond_br %one, ^left, ^right
^left:
  cf.br ^join(%yes : tensor<i1>)
^right:
  cf.cond_br %c, ^join(%fv : tensor<i1>), ^other
^other:
  cf.br ^join(%fv : tensor<i1>)
^join(%f: tensor<i1>):
  amp.update_scale @s, %f
  return %new : tensor<f32>
}

// -----
// By a switch.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  %one = tensor.extract %fu[] : tensor<i1>
  %number = arith.index_castui %one : i1 to index
  // expected-note@below {{lost here}}
  %f = scf.index_switch %number -> tensor<i1>
  case 0 {
    scf.yield %no : tensor<i1>
  }
  default {
    scf.yield %fv : tensor<i1>
  }
  // expected-error@below {{but 'scf.index_switch' may lose what one found}}
  amp.update_scale @s, %f
  return %new : tensor<f32>
}

// -----
// One element of two.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  %one = tensor.extract %fu[] : tensor<i1>
  %two = tensor.extract %fv[] : tensor<i1>
  %both = tensor.from_elements %one, %two : tensor<2xi1>
  %c0 = arith.constant 0 : index
  // expected-note@below {{lost here}}
  %first = tensor.extract %both[%c0] : tensor<2xi1>
  %f = tensor.from_elements %first : tensor<i1>
  // expected-error@below {{but 'tensor.extract' may lose what one found}}
  amp.update_scale @s, %f
  return %new : tensor<f32>
}

// -----
// Written over by another.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  %two = tensor.extract %fv[] : tensor<i1>
  // expected-note@below {{lost here}}
  %f = tensor.insert %two into %fu[] : tensor<i1>
  // expected-error@below {{but 'tensor.insert' may lose what one found}}
  amp.update_scale @s, %f
  return %new : tensor<f32>
}

// -----
// Looked up in a table that negates.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %table = arith.constant dense<[true, false]> : tensor<2xi1>
  %is = tensor.extract %f[] : tensor<i1>
  %number = arith.index_castui %is : i1 to index
  // expected-note@below {{lost here}}
  %not = tensor.extract %table[%number] : tensor<2xi1>
  %g0 = tensor.from_elements %not : tensor<i1>
  // expected-error@below {{but 'tensor.extract' may lose what one found}}
  amp.update_scale @s, %g0
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The last element that a reduction comes to.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  %e0 = tensor.expand_shape %fu [] output_shape [1] : tensor<i1> into tensor<1xi1>
  %e1 = tensor.expand_shape %fv [] output_shape [1] : tensor<i1> into tensor<1xi1>
  %both = tensor.concat dim(0) %e0, %e1 : (tensor<1xi1>, tensor<1xi1>) -> tensor<2xi1>
  // expected-note@below {{lost here}}
  %f = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%both : tensor<2xi1>) outs(%no : tensor<i1>) {
  ^bb0(%in: i1, %o: i1):
    linalg.yield %in : i1
  } -> tensor<i1>
  // expected-error@below {{but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %f
  return %new : tensor<f32>
}

// -----
// Near miss: put together, moved, joined by a reduction, compared with 0.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %u, %fu = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  %sum = arith.addf %u, %v : tensor<f32>
  %new = arith.subf %w, %sum : tensor<f32>
  %e0 = tensor.expand_shape %fu [] output_shape [1] : tensor<i1> into tensor<1xi1>
  %e1 = tensor.expand_shape %fv [] output_shape [1] : tensor<i1> into tensor<1xi1>
  %both = tensor.concat dim(0) %e0, %e1 : (tensor<1xi1>, tensor<1xi1>) -> tensor<2xi1>
  %f = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%both : tensor<2xi1>) outs(%no : tensor<i1>) {
  ^bb0(%in: i1, %o: i1):
    %r = arith.ori %in, %o : i1
    linalg.yield %r : i1
  } -> tensor<i1>
  %is = tensor.extract %f[] : tensor<i1>
  %wide = arith.extui %is : i1 to i32
  %zero = arith.constant 0 : i32
  %any = arith.cmpi ugt, %wide, %zero : i32
  %e = tensor.empty() : tensor<i1>
  %all = tensor.insert %any into %e[] : tensor<i1>
  amp.update_scale @s, %all
  return %new : tensor<f32>
}

// -----
// A guard that takes the steps that overflow, and no other.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %finite = arith.xori %f, %yes : tensor<i1>
  // expected-error@below {{expected 'amp.apply_if_finite' to be told whether an infinity was found, but got the negation of what an 'amp.unscale' using '@s' found; a step would be taken where it overflows alone}}
  %new = amp.apply_if_finite %finite keep(%w) {
    %n = arith.subf %w, %u : tensor<f32>
    amp.yield %n : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Mended.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %yes = arith.constant dense<true> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %finite = arith.xori %f, %yes : tensor<i1>
  %found = arith.xori %finite, %yes : tensor<i1>
  %new = amp.apply_if_finite %found keep(%w) {
    %n = arith.subf %w, %u : tensor<f32>
    amp.yield %n : tensor<f32>
  } : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A call that names a function in another attribute does not call it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%w: tensor<f32>, %found: tensor<i1>) {
  amp.update_scale @s, %found
  return
}
func.func private @count(%g: tensor<f32>) {
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  call @count(%u) {next = @advance} : (tensor<f32>) -> ()
  call @advance(%u, %f) : (tensor<f32>, tensor<i1>) -> ()
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A loop of blocks that hands over what its last round found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %no = arith.constant dense<false> : tensor<i1>
  // expected-note@below {{lost here}}
  cf.br ^head(%c0, %w, %no : index, tensor<f32>, tensor<i1>)
^head(%i: index, %c: tensor<f32>, %before: tensor<i1>):
  %go = arith.cmpi slt, %i, %c4 : index
  cf.cond_br %go, ^body, ^end
^body:
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %c, %a : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %n = arith.subf %c, %u : tensor<f32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %n, %f : index, tensor<f32>, tensor<i1>)
^end:
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'cf.br' may lose what one found; its scale would grow when it overflows, so join what several found ('arith.ori')}}
  amp.update_scale @s, %before
  return %c : tensor<f32>
}

// -----
// Mended: joined with what goes round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %no = arith.constant dense<false> : tensor<i1>
  cf.br ^head(%c0, %w, %no : index, tensor<f32>, tensor<i1>)
^head(%i: index, %c: tensor<f32>, %before: tensor<i1>):
  %go = arith.cmpi slt, %i, %c4 : index
  cf.cond_br %go, ^body, ^end
^body:
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %c, %a : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %any = arith.ori %before, %f : tensor<i1>
  %n = arith.subf %c, %u : tensor<f32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %n, %any : index, tensor<f32>, tensor<i1>)
^end:
  amp.update_scale @s, %before
  return %c : tensor<f32>
}

// -----
// Mended: what was found before is handed to the unscaling.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %no = arith.constant dense<false> : tensor<i1>
  cf.br ^head(%c0, %w, %no : index, tensor<f32>, tensor<i1>)
^head(%i: index, %c: tensor<f32>, %before: tensor<i1>):
  %go = arith.cmpi slt, %i, %c4 : index
  cf.cond_br %go, ^body, ^end
^body:
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %c, %a : tensor<f32>
  %u, %f = amp.unscale %g using @s found(%before) : (tensor<f32>) -> tensor<f32>
  %n = arith.subf %c, %u : tensor<f32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %n, %f : index, tensor<f32>, tensor<i1>)
^end:
  amp.update_scale @s, %before
  return %c : tensor<f32>
}

// -----
// Read of the last round itself.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %no = arith.constant dense<false> : tensor<i1>
  cf.br ^body(%c0, %w : index, tensor<f32>)
^body(%i: index, %c: tensor<f32>):
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %c, %a : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %n = arith.subf %c, %u : tensor<f32>
  %j = arith.addi %i, %c1 : index
  %go = arith.cmpi slt, %j, %c4 : index
  cf.cond_br %go, ^body(%j, %n : index, tensor<f32>), ^end
^end:
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but no way on which one is surely told leads here from one; hand over what it found as a value, joined with what others find ('arith.ori')}}
  amp.update_scale @s, %f
  return %n : tensor<f32>
}

// -----
// Near miss: advanced in each round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %no = arith.constant dense<false> : tensor<i1>
  cf.br ^body(%c0, %w : index, tensor<f32>)
^body(%i: index, %c: tensor<f32>):
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %c, %a : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  amp.update_scale @s, %f
  %n = arith.subf %c, %u : tensor<f32>
  %j = arith.addi %i, %c1 : index
  %go = arith.cmpi slt, %j, %c4 : index
  cf.cond_br %go, ^body(%j, %n : index, tensor<f32>), ^end
^end:
  return %n : tensor<f32>
}
