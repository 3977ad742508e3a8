// Loops that end by a comparison of scaled values, which an infinity may keep true,
// and by another one: it has to count rounds.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// What is the same in each round ends none.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while', which may go round for ever with an infinity that the scale makes; end it after a number of rounds as well}}
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %c0, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A flag neither.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while', which may go round for ever with an infinity that the scale makes; end it after a number of rounds as well}}
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi eq, %n, %c1 : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Nor what is not counted.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while', which may go round for ever with an infinity that the scale makes; end it after a number of rounds as well}}
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.muli %i, %c2 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Counted away from the bound.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while', which may go round for ever with an infinity that the scale makes; end it after a number of rounds as well}}
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.subi %i, %c1 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// As it is handed on.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while', which may go round for ever with an infinity that the scale makes; end it after a number of rounds as well}}
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %back = arith.subi %i, %c2 : i32
    %more = arith.cmpi sgt, %n, %i : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %back : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A bound that moves along.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while', which may go round for ever with an infinity that the scale makes; end it after a number of rounds as well}}
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %end = arith.addi %i, %c2 : i32
    %more = arith.cmpi slt, %i, %end : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Past a bound that has to be met.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while', which may go round for ever with an infinity that the scale makes; end it after a number of rounds as well}}
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi ne, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c2 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: one by one.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi ne, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.subi %i, %c1 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: down to a bound, which is on the left.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %k, %rounds = scf.while (%v = %g, %i = %n) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %c0, %i : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.subi %i, %c2 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: counted before it is compared, and handed on.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %k, %rounds = scf.while (%v = %g, %i = %c0) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %j = arith.addi %i, %c1 : i32
    %more = arith.cmpi ule, %j, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %j : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c0 : i32
    scf.yield %h, %next : tensor<f32>, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// To and fro.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while'}}
  %k, %rounds, %others = scf.while (%v = %g, %i = %c0, %j = %c0) : (tensor<f32>, i32, i32) -> (tensor<f32>, i32, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi sge, %i, %c0 : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i, %j : tensor<f32>, i32, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32, %j: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.subi %c1, %i : i32
    scf.yield %h, %next, %c0 : tensor<f32>, i32, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: the number comes first.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k, %rounds, %others = scf.while (%v = %g, %i = %c0, %j = %c0) : (tensor<f32>, i32, i32) -> (tensor<f32>, i32, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i, %j : tensor<f32>, i32, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32, %j: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %c1, %i : i32
    scf.yield %h, %next, %c0 : tensor<f32>, i32, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// From what another one begins with.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while'}}
  %k, %rounds, %others = scf.while (%v = %g, %i = %c0, %j = %c0) : (tensor<f32>, i32, i32) -> (tensor<f32>, i32, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i, %j : tensor<f32>, i32, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32, %j: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %j, %c1 : i32
    scf.yield %h, %next, %c0 : tensor<f32>, i32, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: up to a bound.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k, %rounds, %others = scf.while (%v = %g, %i = %c0, %j = %c0) : (tensor<f32>, i32, i32) -> (tensor<f32>, i32, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi sle, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i, %j : tensor<f32>, i32, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32, %j: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %h, %next, %c0 : tensor<f32>, i32, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A counter that stands still.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@below {{nothing but a comparison of values that were computed from one of degree 1 in @s ends 'scf.while'}}
  %k, %rounds, %others = scf.while (%v = %g, %i = %c0, %j = %c0) : (tensor<f32>, i32, i32) -> (tensor<f32>, i32, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i, %j : tensor<f32>, i32, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32, %j: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c0 : i32
    scf.yield %h, %next, %c0 : tensor<f32>, i32, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: of one round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k, %rounds, %others = scf.while (%v = %g, %i = %c0, %j = %c0) : (tensor<f32>, i32, i32) -> (tensor<f32>, i32, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi eq, %i, %c0 : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i, %j : tensor<f32>, i32, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32, %j: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %h, %next, %c0 : tensor<f32>, i32, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: one by one, upwards.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k, %rounds, %others = scf.while (%v = %g, %i = %c0, %j = %c0) : (tensor<f32>, i32, i32) -> (tensor<f32>, i32, i32) {
    %p = arith.cmpf ogt, %v, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi ne, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i, %j : tensor<f32>, i32, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32, %j: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %h, %next, %c0 : tensor<f32>, i32, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: ended by the magnitude, which is NaN where that is.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k, %rounds, %others = scf.while (%v = %g, %i = %c0, %j = %c0) : (tensor<f32>, i32, i32) -> (tensor<f32>, i32, i32) {
    %size = math.absf %v : tensor<f32>
    %p = arith.cmpf ogt, %size, %a : tensor<f32>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i, %j : tensor<f32>, i32, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32, %j: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %h, %next, %c0 : tensor<f32>, i32, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: compared in double precision.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %n: i32 {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %k, %rounds, %others = scf.while (%v = %g, %i = %c0, %j = %c0) : (tensor<f32>, i32, i32) -> (tensor<f32>, i32, i32) {
    %wide = arith.extf %v : tensor<f32> to tensor<f64>
    %least = arith.extf %a : tensor<f32> to tensor<f64>
    %p = arith.cmpf ogt, %wide, %least : tensor<f64>
    %above = tensor.extract %p[] : tensor<i1>
    %more = arith.cmpi slt, %i, %n : i32
    %c = arith.andi %above, %more : i1
    scf.condition(%c) %v, %i, %j : tensor<f32>, i32, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32, %j: i32):
    %h = arith.mulf %v, %half : tensor<f32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %h, %next, %c0 : tensor<f32>, i32, i32
  }
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
