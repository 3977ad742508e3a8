// The list of operations that keep a flag (FlagRules, LoopRounds), where each is close to
// one that does not.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// No round: 200 is above 100 where bounds are unsigned.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %lo = arith.constant 200 : i8
  %hi = arith.constant 100 : i8
  %st = arith.constant 1 : i8
  // expected-note@below {{lost here}}
  %t = scf.for unsigned %i = %lo to %hi step %st iter_args(%y = %no) -> tensor<i1> : i8 {
    %o = arith.ori %y, %f : tensor<i1>
    scf.yield %o : tensor<i1>
  }
  // expected-error@below {{but 'scf.for' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// And below it where they are not: it is -56.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %lo = arith.constant 200 : i8
  %hi = arith.constant 100 : i8
  %st = arith.constant 1 : i8
  %t = scf.for %i = %lo to %hi step %st iter_args(%y = %no) -> tensor<i1> : i8 {
    %o = arith.ori %y, %f : tensor<i1>
    scf.yield %o : tensor<i1>
  }
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// 200 rounds where bounds are unsigned, each of which forgets.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %lo = arith.constant 0 : i8
  %hi = arith.constant 200 : i8
  %st = arith.constant 1 : i8
  // expected-note@below {{lost here}}
  %t = scf.for unsigned %i = %lo to %hi step %st iter_args(%y = %f) -> tensor<i1> : i8 {
    scf.yield %no : tensor<i1>
  }
  // expected-error@below {{but 'scf.for' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// None where they are not.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %lo = arith.constant 0 : i8
  %hi = arith.constant 200 : i8
  %st = arith.constant 1 : i8
  %t = scf.for %i = %lo to %hi step %st iter_args(%y = %f) -> tensor<i1> : i8 {
    scf.yield %no : tensor<i1>
  }
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// As many rounds as its type has numbers.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %lo = arith.constant -9223372036854775808 : index
  %hi = arith.constant 9223372036854775807 : index
  %st = arith.constant 1 : index
  // expected-note@below {{lost here}}
  %t = scf.for %i = %lo to %hi step %st iter_args(%y = %f) -> tensor<i1> {
    %q = arith.cmpi eq, %i, %st : index
    scf.yield %no : tensor<i1>
  }
  // expected-error@below {{but 'scf.for' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Repeated in elements that there may be none of.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %f1 = tensor.expand_shape %f [] output_shape [1] : tensor<i1> into tensor<1xi1>
  %e = tensor.empty(%n) : tensor<?xi1>
  // expected-note@below {{lost here}}
  %all = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 1024)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%f1 : tensor<1xi1>) outs(%e : tensor<?xi1>) {
  ^bb0(%p: i1, %o: i1):
    linalg.yield %p : i1
  } -> tensor<?xi1>
  %t = linalg.reduce {arith.ori} ins(%all : tensor<?xi1>) outs(%no : tensor<i1>) dimensions = [0]
  // expected-error@below {{but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Of which there are four.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %f1 = tensor.expand_shape %f [] output_shape [1] : tensor<i1> into tensor<1xi1>
  %e = tensor.empty() : tensor<4xi1>
  %all = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 1024)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%f1 : tensor<1xi1>) outs(%e : tensor<4xi1>) {
  ^bb0(%p: i1, %o: i1):
    linalg.yield %p : i1
  } -> tensor<4xi1>
  %t = linalg.reduce {arith.ori} ins(%all : tensor<4xi1>) outs(%no : tensor<i1>) dimensions = [0]
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A constant without elements is never true.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %none = arith.constant dense<true> : tensor<0xi1>
  // expected-note@below {{lost here}}
  %nf = arith.andi %f, %no : tensor<i1>
  %r = linalg.reduce {arith.ori} ins(%none : tensor<0xi1>) outs(%no : tensor<i1>) dimensions = [0]
  %t = arith.ori %r, %nf : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// One with an element is, always.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %none = arith.constant dense<true> : tensor<1xi1>
  %nf = arith.andi %f, %no : tensor<i1>
  %r = linalg.reduce {arith.ori} ins(%none : tensor<1xi1>) outs(%no : tensor<i1>) dimensions = [0]
  %t = arith.ori %r, %nf : tensor<i1>
  // expected-error@below {{but got what is true where none found an infinity as well}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// 256 is 0 in eight bits.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %z = arith.constant 0 : i32
  %k = arith.constant 256 : i32
  %d = arith.select %is, %k, %z : i32
  %i = arith.index_castui %d : i32 to index
  // expected-note@below {{lost here}}
  %j = arith.index_castui %i : index to i8
  %zj = arith.constant 0 : i8
  %some = arith.cmpi ne, %j, %zj : i8
  %t = tensor.from_elements %some : tensor<i1>
  // expected-error@below {{but 'arith.index_castui' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Compared as an index.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %z = arith.constant 0 : i32
  %k = arith.constant 256 : i32
  %d = arith.select %is, %k, %z : i32
  %i = arith.index_castui %d : i32 to index
  %zi = arith.constant 0 : index
  %some = arith.cmpi ne, %i, %zi : index
  %t = tensor.from_elements %some : tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// What one rank found, all did.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %yes = arith.constant dense<true> : tensor<i1>
  %r = amp.all_reduce_found_inf %f
  %finite = arith.xori %r, %yes : tensor<i1>
  %t = arith.xori %finite, %yes : tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// That it found none says nothing of others.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %yes = arith.constant dense<true> : tensor<i1>
  %finite = arith.xori %f, %yes : tensor<i1>
  // expected-note@below {{lost here}}
  %r = amp.all_reduce_found_inf %finite
  %t = arith.xori %r, %yes : tensor<i1>
  // expected-error@below {{but 'amp.all_reduce_found_inf' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A function that is called by reference as well, where nothing hears of it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @backward(%g: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  return %u, %f : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = call @backward(%g) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %h = arith.mulf %a, %w : tensor<f32>
  %other = func.constant @backward : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-remark@below {{cannot decide which power of a loss scale is left here}}
  %v, %k = func.call_indirect %other(%h) : (tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Handed to a helper that advances the scaler, and given to the caller as a number.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @advance(%t: tensor<i1>) {
  amp.update_scale @s, %t
  return
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i32>) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %log = arith.extui %f : tensor<i1> to tensor<i32>
  call @advance(%f) : (tensor<i1>) -> ()
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %log : tensor<f32>, tensor<i32>
}

// -----
// A guard that keeps true.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant dense<true> : tensor<i1>
  %t = amp.apply_if_finite %f keep(%yes) {
    amp.yield %no : tensor<i1>
  } : tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Where one was found it waits for ever.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %is = tensor.extract %f[] : tensor<i1>
  scf.while : () -> () {
    scf.condition(%is)
  } do {
    scf.yield
  }
  %t = arith.andi %f, %no : tensor<i1>
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
