// One step away from what FlagRules, FlagFlow and FindingFlow accept: each module is
// refused by one condition of theirs.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics -o /dev/null

// 1.0 is not 0: the negation of what was found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %yes = arith.constant true
  %no1 = arith.constant false
  %zf = arith.constant 0.0 : f32
  %onef = arith.constant 1.0 : f32
  %m = arith.select %is, %onef, %zf : f32
  %b = arith.cmpf ogt, %m, %zf : f32
  %t = arith.xori %b, %yes : i1
  %d = tensor.from_elements %t : tensor<i1>
  // expected-error@below {{but got the negation of it}}
  amp.update_scale @s, %d
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// -1 is not above 0.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %zf = arith.constant 0.0 : f32
  %onef = arith.constant 1.0 : f32
  %neg = arith.constant -1.0 : f32
  // expected-note@below {{lost here}}
  %m = arith.select %is, %neg, %zf : f32
  %t = arith.cmpf ogt, %m, %zf : f32
  %d = tensor.from_elements %t : tensor<i1>
  // expected-error@below {{but 'arith.select' may lose what one found}}
  amp.update_scale @s, %d
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 1 is not above 2.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %zf = arith.constant 0.0 : f32
  %onef = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %m = arith.select %is, %onef, %zf : f32
  // expected-note@below {{lost here}}
  %t = arith.cmpf ogt, %m, %two : f32
  %d = tensor.from_elements %t : tensor<i1>
  // expected-error@below {{but 'arith.cmpf' may lose what one found}}
  amp.update_scale @s, %d
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 0 >= 0, so this is never true.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %yes = arith.constant true
  %no1 = arith.constant false
  %zf = arith.constant 0.0 : f32
  %onef = arith.constant 1.0 : f32
  %m = arith.select %is, %zf, %onef : f32
  // expected-note@below {{lost here}}
  %b = arith.cmpf oge, %m, %zf : f32
  %t = arith.xori %b, %yes : i1
  %d = tensor.from_elements %t : tensor<i1>
  // expected-error@below {{but 'arith.cmpf' may lose what one found}}
  amp.update_scale @s, %d
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Nothing is above true.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %yes = arith.constant true
  %no1 = arith.constant false
  // expected-note@below {{lost here}}
  %t = arith.cmpi ugt, %is, %yes : i1
  %d = tensor.from_elements %t : tensor<i1>
  // expected-error@below {{but 'arith.cmpi' may lose what one found}}
  amp.update_scale @s, %d
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// True at different places (unknown shape).
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %cs = tensor.from_elements %c : tensor<i1>
  // expected-note@below {{lost here}}
  %some = arith.andi %f, %cs : tensor<i1>
  %yes = arith.constant true
  %no1 = arith.constant false
  %no = arith.constant dense<false> : tensor<i1>
  %p = tensor.from_elements %is, %no1 : tensor<2xi1>
  %q = tensor.from_elements %no1, %is : tensor<2xi1>
  %pd = tensor.cast %p : tensor<2xi1> to tensor<?xi1>
  %qd = tensor.cast %q : tensor<2xi1> to tensor<?xi1>
  %b = arith.andi %pd, %qd : tensor<?xi1>
  %r = linalg.reduce ins(%b : tensor<?xi1>) outs(%no : tensor<i1>) dimensions = [0]
    (%in: i1, %out: i1) {
      %o = arith.ori %in, %out : i1
      linalg.yield %o : i1
    }
  %any = arith.ori %r, %some : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Repeated no times where n is 0.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  // expected-note@below {{lost here}}
  %sp = tensor.splat %is[%n] : tensor<?xi1>
  %r = linalg.reduce ins(%sp : tensor<?xi1>) outs(%no : tensor<i1>) dimensions = [0]
    (%in: i1, %out: i1) {
      %o = arith.ori %in, %out : i1
      linalg.yield %o : i1
    }
  // expected-error@below {{but 'tensor.splat' may lose what one found}}
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 3 + 1 wraps to 0 in two bits.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %z2 = arith.constant 0 : i2
  %three = arith.constant 3 : i2
  %p = arith.extui %is : i1 to i2
  // expected-note@below {{lost here}}
  %m = arith.addi %p, %three : i2
  %t = arith.cmpi ne, %m, %z2 : i2
  %d = tensor.from_elements %t : tensor<i1>
  // expected-error@below {{but 'arith.addi' may lose what one found}}
  amp.update_scale @s, %d
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 4 * 2 wraps to 0 in three bits.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %z2 = arith.constant 0 : i2
  %two = arith.constant 2 : i2
  %z3 = arith.constant 0 : i3
  %m = arith.select %is, %two, %z2 : i2
  %p = arith.extui %m : i2 to i3
  // expected-note@below {{lost here}}
  %p2 = arith.addi %p, %p : i3
  %p4 = arith.addi %p2, %p2 : i3
  %t = arith.cmpi ne, %p4, %z3 : i3
  %d = tensor.from_elements %t : tensor<i1>
  // expected-error@below {{but 'arith.addi' may lose what one found}}
  amp.update_scale @s, %d
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Chosen at one place, true at the other.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %cs = tensor.from_elements %c : tensor<i1>
  // expected-note@below {{lost here}}
  %some = arith.andi %f, %cs : tensor<i1>
  %yes = arith.constant true
  %no1 = arith.constant false
  %no = arith.constant dense<false> : tensor<i1>
  %p = tensor.from_elements %is, %no1 : tensor<2xi1>
  %q = tensor.from_elements %no1, %is : tensor<2xi1>
  %none = arith.constant dense<false> : tensor<2xi1>
  %b = arith.select %p, %q, %none : tensor<2xi1>, tensor<2xi1>
  %r = linalg.reduce ins(%b : tensor<2xi1>) outs(%no : tensor<i1>) dimensions = [0]
    (%in: i1, %out: i1) {
      %o = arith.ori %in, %out : i1
      linalg.yield %o : i1
    }
  %any = arith.ori %r, %some : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Chosen at one place, true at the other; negated.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %cs = tensor.from_elements %c : tensor<i1>
  // expected-note@below {{lost here}}
  %some = arith.andi %f, %cs : tensor<i1>
  %yes = arith.constant true
  %no1 = arith.constant false
  %no = arith.constant dense<false> : tensor<i1>
  %nis = arith.xori %is, %yes : i1
  %p = tensor.from_elements %nis, %yes : tensor<2xi1>
  %q = tensor.from_elements %no1, %is : tensor<2xi1>
  %none = arith.constant dense<false> : tensor<2xi1>
  %b = arith.select %p, %none, %q : tensor<2xi1>, tensor<2xi1>
  %r = linalg.reduce ins(%b : tensor<2xi1>) outs(%no : tensor<i1>) dimensions = [0]
    (%in: i1, %out: i1) {
      %o = arith.ori %in, %out : i1
      linalg.yield %o : i1
    }
  %any = arith.ori %r, %some : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// One way.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  // expected-note@below {{lost here}}
  %t = arith.select %c, %no, %f : tensor<i1>
  // expected-error@below {{but 'arith.select' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// No round.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %x2: tensor<0xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  // expected-note@below {{lost here}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%f, %x2 : tensor<i1>, tensor<0xf32>) outs(%no : tensor<i1>) {
    ^bb0(%in: i1, %m: f32, %out: i1):
      %o = arith.ori %in, %out : i1
      linalg.yield %o : i1
    } -> tensor<i1>
  // expected-error@below {{but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// No round; what is captured.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %x2: tensor<?xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  // expected-note@below {{lost here}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%x2 : tensor<?xf32>) outs(%no : tensor<i1>) {
    ^bb0(%m: f32, %out: i1):
      %o = arith.ori %is, %out : i1
      linalg.yield %o : i1
    } -> tensor<i1>
  // expected-error@below {{but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// No round; what is captured.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %x2: tensor<0xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %no = arith.constant dense<false> : tensor<i1>
  // expected-note@below {{lost here}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%x2 : tensor<0xf32>) outs(%no : tensor<i1>) {
    ^bb0(%m: f32, %out: i1):
      %o = arith.ori %is, %out : i1
      linalg.yield %o : i1
    } -> tensor<i1>
  // expected-error@below {{but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Two rounds write one place.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %yes = arith.constant true
  %no1 = arith.constant false
  %no = arith.constant dense<false> : tensor<i1>
  %p = tensor.from_elements %no1, %is, %no1, %no1 : tensor<2x2xi1>
  %e3 = tensor.empty() : tensor<3xi1>
  // expected-note@below {{lost here}}
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0 + d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%p : tensor<2x2xi1>) outs(%e3 : tensor<3xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<3xi1>
  %r = linalg.reduce ins(%b : tensor<3xi1>) outs(%no : tensor<i1>) dimensions = [0]
    (%in: i1, %out: i1) {
      %o = arith.ori %in, %out : i1
      linalg.yield %o : i1
    }
  // expected-error@below {{but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Written over.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  // expected-note@below {{lost here}}
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%no : tensor<i1>) outs(%f : tensor<i1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<i1>
  // expected-error@below {{but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 2 and 1 have no bit in common.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %cs = tensor.from_elements %c : tensor<i1>
  // expected-note@below {{lost here}}
  %some = arith.andi %f, %cs : tensor<i1>
  %is = tensor.extract %f[] : tensor<i1>
  %z32 = arith.constant 0 : i32
  %one32 = arith.constant 1 : i32
  %two32 = arith.constant 2 : i32
  %p = arith.select %is, %two32, %z32 : i32
  %q = arith.select %is, %one32, %z32 : i32
  %b = arith.andi %p, %q : i32
  %t = arith.cmpi ne, %b, %z32 : i32
  %r = tensor.from_elements %t : tensor<i1>
  %any = arith.ori %r, %some : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 1 where c is true.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %yes = arith.constant true
  %no1 = arith.constant false
  %z32 = arith.constant 0 : i32
  %one32 = arith.constant 1 : i32
  %two32 = arith.constant 2 : i32
  %nis = arith.xori %is, %yes : i1
  %p = arith.extui %nis : i1 to i32
  %q = arith.extui %c : i1 to i32
  // expected-note@below {{lost here}}
  %m = arith.addi %p, %q : i32
  %t = arith.cmpi eq, %m, %z32 : i32
  %d = tensor.from_elements %t : tensor<i1>
  // expected-error@below {{but 'arith.addi' may lose what one found}}
  amp.update_scale @s, %d
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Threads find it, and write to one place.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %no = arith.constant dense<false> : tensor<i1>
  %e2 = tensor.empty() : tensor<2xi1>
  // expected-note@below {{lost here}}
  %t = scf.forall (%i) in (2) shared_outs(%o = %e2) -> (tensor<2xi1>) {
    %h = arith.mulf %a, %w : tensor<f32>
    %v1, %f1 = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %f1 into %o[0] [1] [1] : tensor<i1> into tensor<2xi1>
    }
  }
  %r = linalg.reduce ins(%t : tensor<2xi1>) outs(%no : tensor<i1>) dimensions = [0]
    (%in: i1, %out: i1) {
      %o = arith.ori %in, %out : i1
      linalg.yield %o : i1
    }
  %any = arith.ori %r, %f0 : tensor<i1>
  // expected-error@below {{but 'scf.forall' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Another scaler's transition is told, in regions.
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ta = amp.scale_loss %seed using @t : tensor<f32>
  %tg = arith.mulf %ta, %x : tensor<f32>
  %tu, %tf = amp.unscale %tg using @t : (tensor<f32>) -> tensor<f32>
  %both = arith.ori %f, %tf : tensor<i1>
  scf.if %c {
    amp.update_scale @t, %both
  } else {
    amp.update_scale @t, %both
  }
  %cs = tensor.from_elements %c : tensor<i1>
  // expected-note@below {{lost here}}
  %some = arith.andi %f, %cs : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %some
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 0 at different places: nowhere equal.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %cs = tensor.from_elements %c : tensor<i1>
  // expected-note@below {{lost here}}
  %some = arith.andi %f, %cs : tensor<i1>
  %is = tensor.extract %f[] : tensor<i1>
  %yes = arith.constant true
  %no1 = arith.constant false
  %no = arith.constant dense<false> : tensor<i1>
  %z32 = arith.constant 0 : i32
  %one32 = arith.constant 1 : i32
  %two32 = arith.constant 2 : i32
  %nis = arith.xori %is, %yes : i1
  %z = arith.extui %nis : i1 to i32
  %p = tensor.from_elements %z, %one32 : tensor<2xi32>
  %q = tensor.from_elements %one32, %z : tensor<2xi32>
  %b = arith.cmpi eq, %p, %q : tensor<2xi32>
  %r = linalg.reduce ins(%b : tensor<2xi1>) outs(%no : tensor<i1>) dimensions = [0]
    (%in: i1, %out: i1) {
      %o = arith.ori %in, %out : i1
      linalg.yield %o : i1
    }
  %any = arith.ori %r, %some : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// 2 is not 1.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %z32 = arith.constant 0 : i32
  %one32 = arith.constant 1 : i32
  %two32 = arith.constant 2 : i32
  %m = arith.select %is, %two32, %z32 : i32
  // expected-note@below {{lost here}}
  %t = arith.cmpi eq, %m, %one32 : i32
  %d = tensor.from_elements %t : tensor<i1>
  // expected-error@below {{but 'arith.cmpi' may lose what one found}}
  amp.update_scale @s, %d
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A function that is not seen.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @other(tensor<i1>) -> tensor<i1>
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{lost here}}
  %t = func.call @other(%f) : (tensor<i1>) -> tensor<i1>
  // expected-error@below {{but 'func.call' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A helper negates it.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @not(%f: tensor<i1>) -> tensor<i1> {
  %yes = arith.constant dense<true> : tensor<i1>
  %t = arith.xori %f, %yes : tensor<i1>
  return %t : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %t = func.call @not(%f) : (tensor<i1>) -> tensor<i1>
  // expected-error@below {{but got the negation of it}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Behind the branch where it chooses false.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %new0 = arith.subf %w, %u : tensor<f32>
  // expected-note@below {{decided here}}
  cf.cond_br %c, ^one, ^two
^one:
  // expected-error@below {{but 'cf.cond_br' decides whether it is}}
  amp.update_scale @s, %f
  cf.br ^end
^two:
  %t = arith.select %c, %f, %no : tensor<i1>
  amp.update_scale @s, %t
  cf.br ^end
^end:
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The last round forgets it, step 2.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  // expected-note@below {{lost here}}
  %t = scf.for %i = %c0 to %c3 step %c2 iter_args(%q = %f) -> (tensor<i1>) {
    %last = arith.cmpi eq, %i, %c2 : index
    %r = arith.select %last, %no, %q : tensor<i1>
    scf.yield %r : tensor<i1>
  }
  // expected-error@below {{but 'scf.for' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// In the region where it chooses false.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  // expected-note@below {{lost here}}
  %t = scf.if %c -> (tensor<i1>) {
    %t0 = arith.select %c, %no, %f : tensor<i1>
    scf.yield %t0 : tensor<i1>
  } else {
    scf.yield %f : tensor<i1>
  }
  // expected-error@below {{but 'scf.if' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What the last round finds is not told.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %t = scf.for %i = %c0 to %c2 step %c1 iter_args(%q = %f0) -> (tensor<i1>) {
    %at = arith.cmpi eq, %i, %c1 : index
    scf.if %at {
      // expected-error@below {{but no way on which one is surely told leads here from one}}
      amp.update_scale @s, %q
    }
    %a1 = amp.scale_loss %seed using @s : tensor<f32>
    %h = arith.mulf %a1, %w : tensor<f32>
    // expected-note@below {{found here}}
    %v1, %f1 = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    %q2 = arith.ori %q, %f1 : tensor<i1>
    scf.yield %q2 : tensor<i1>
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The second round forgets what the first found, from 1 on.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %t = scf.for %i = %c1 to %c4 step %c1 iter_args(%q = %no) -> (tensor<i1>) {
    %at = arith.cmpi eq, %i, %c2 : index
    %q1 = arith.select %at, %no, %q : tensor<i1>
    %h = arith.mulf %a, %w : tensor<f32>
    %v1, %f1 = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    // expected-note@below {{lost here}}
    %q2 = arith.ori %q1, %f1 : tensor<i1>
    scf.yield %q2 : tensor<i1>
  }
  %any = arith.ori %f0, %t : tensor<i1>
  // expected-error@below {{but 'arith.ori' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Round 4 forgets it, step 2.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  // expected-note@below {{lost here}}
  %t = scf.for %i = %c0 to %c6 step %c2 iter_args(%q = %f) -> (tensor<i1>) {
    %at = arith.cmpi eq, %i, %c4 : index
    %r = arith.select %at, %no, %q : tensor<i1>
    scf.yield %r : tensor<i1>
  }
  // expected-error@below {{but 'scf.for' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Round 3 forgets it, from 1 on.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  // expected-note@below {{lost here}}
  %t = scf.for %i = %c1 to %c4 step %c1 iter_args(%q = %f) -> (tensor<i1>) {
    %at = arith.cmpi eq, %i, %c3 : index
    %r = arith.select %at, %no, %q : tensor<i1>
    scf.yield %r : tensor<i1>
  }
  // expected-error@below {{but 'scf.for' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Not of round 2, step 2.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %t = scf.for %i = %c0 to %c4 step %c2 iter_args(%q = %no) -> (tensor<i1>) {
    %h = arith.mulf %a, %w : tensor<f32>
    %v1, %f1 = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    %at = arith.cmpi eq, %i, %c2 : index
    %one = arith.select %at, %no, %f1 : tensor<i1>
    // expected-note@below {{lost here}}
    %q2 = arith.ori %q, %one : tensor<i1>
    scf.yield %q2 : tensor<i1>
  }
  %any = arith.ori %f0, %t : tensor<i1>
  // expected-error@below {{but 'arith.ori' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Not of round 2, from 1 on.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %t = scf.for %i = %c1 to %c3 step %c1 iter_args(%q = %no) -> (tensor<i1>) {
    %h = arith.mulf %a, %w : tensor<f32>
    %v1, %f1 = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    %at = arith.cmpi eq, %i, %c2 : index
    %one = arith.select %at, %no, %f1 : tensor<i1>
    // expected-note@below {{lost here}}
    %q2 = arith.ori %q, %one : tensor<i1>
    scf.yield %q2 : tensor<i1>
  }
  %any = arith.ori %f0, %t : tensor<i1>
  // expected-error@below {{but 'arith.ori' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Not of round (0, 1).
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %t = scf.for %i = %c0 to %c2 step %c1 iter_args(%q = %f0) -> (tensor<i1>) {
    %s0 = scf.for %j = %c0 to %c2 step %c1 iter_args(%q1 = %q) -> (tensor<i1>) {
    %h = arith.mulf %a, %w : tensor<f32>
    %v1, %f1 = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    %i0 = arith.cmpi eq, %i, %c0 : index
    %j1 = arith.cmpi eq, %j, %c1 : index
    %at = arith.andi %i0, %j1 : i1
    // expected-note@below {{lost here}}
    %one = arith.select %at, %no, %f1 : tensor<i1>
    %q2 = arith.ori %q1, %one : tensor<i1>
    scf.yield %q2 : tensor<i1>
    }
    scf.yield %s0 : tensor<i1>
  }
  // expected-error@below {{but 'arith.select' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A helper returns what one round found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @h(%a: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %u, %t = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %x, %q = %no) -> (tensor<f32>, tensor<i1>) {
    %g = arith.mulf %a, %x : tensor<f32>
    %v1, %f1 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %at = arith.cmpi eq, %i, %c0 : index
    %one = arith.select %at, %f1, %no : tensor<i1>
    // expected-note@below {{lost here}}
    %q2 = arith.ori %q, %one : tensor<i1>
    scf.yield %v1, %q2 : tensor<f32>, tensor<i1>
  }
  return %u, %t : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = func.call @h(%a, %x) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error@below {{but 'arith.ori' may lose what one found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A helper returns what one round found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @h(%a: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %u, %t = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %x, %q = %no) -> (tensor<f32>, tensor<i1>) {
    %g = arith.mulf %a, %x : tensor<f32>
    %v1, %f1 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
    %at = arith.cmpi eq, %i, %c1 : index
    %one = arith.select %at, %f1, %no : tensor<i1>
    // expected-note@below {{lost here}}
    %q2 = arith.ori %q, %one : tensor<i1>
    scf.yield %v1, %q2 : tensor<f32>, tensor<i1>
  }
  return %u, %t : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = func.call @h(%a, %x) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error@below {{but 'arith.ori' may lose what one found}}
  amp.update_scale @s, %f
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Chosen where it was not found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f0 = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %t = scf.if %c -> (tensor<i1>) {
    %h = arith.mulf %a, %w : tensor<f32>
    %v1, %f1 = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
    scf.yield %f1 : tensor<i1>
  } else {
    scf.yield %no : tensor<i1>
  }
  %r = arith.select %c, %no, %t : tensor<i1>
  // expected-note@below {{lost here}}
  %any = arith.ori %f0, %r : tensor<i1>
  // expected-error@below {{but 'arith.ori' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// It calls itself and drops what that gives.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @drop(%n: i32, %t: tensor<i1>) -> tensor<i1> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %more = arith.cmpi sgt, %n, %zero : i32
  // expected-note@below {{lost here}}
  %r = scf.if %more -> tensor<i1> {
    %less = arith.subi %n, %one : i32
    %q = func.call @drop(%less, %t) : (i32, tensor<i1>) -> tensor<i1>
    scf.yield %no : tensor<i1>
  } else {
    scf.yield %t : tensor<i1>
  }
  return %r : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %m = arith.constant 3 : i32
  %t = call @drop(%m, %f) : (i32, tensor<i1>) -> tensor<i1>
  // expected-error@below {{but 'scf.if' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Lost after two calls of itself.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @shift(%n: i32, %t: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %more = arith.cmpi sgt, %n, %zero : i32
  // expected-note@below {{lost here}}
  %r:2 = scf.if %more -> (tensor<i1>, tensor<i1>) {
    %less = arith.subi %n, %one : i32
    %q:2 = func.call @shift(%less, %t) : (i32, tensor<i1>) -> (tensor<i1>, tensor<i1>)
    scf.yield %q#1, %no : tensor<i1>, tensor<i1>
  } else {
    scf.yield %t, %t : tensor<i1>, tensor<i1>
  }
  return %r#0, %r#1 : tensor<i1>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %m = arith.constant 3 : i32
  %t:2 = call @shift(%m, %f) : (i32, tensor<i1>) -> (tensor<i1>, tensor<i1>)
  // expected-error@below {{but 'scf.if' may lose what one found}}
  amp.update_scale @s, %t#0
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// It calls itself with what it gave, and with false, where it loses that.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @two(%n: i32, %t0: tensor<i1>, %t1: tensor<i1>) -> tensor<i1> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %no = arith.constant dense<false> : tensor<i1>
  %more = arith.cmpi sgt, %n, %zero : i32
  // expected-note@below {{lost here}}
  %r = scf.if %more -> (tensor<i1>) {
    %less = arith.subi %n, %one : i32
    %q = func.call @two(%less, %t0, %t1) : (i32, tensor<i1>, tensor<i1>) -> tensor<i1>
    %p = func.call @two(%less, %q, %no) : (i32, tensor<i1>, tensor<i1>) -> tensor<i1>
    %b = arith.andi %p, %t1 : tensor<i1>
    scf.yield %b : tensor<i1>
  } else {
    scf.yield %t0 : tensor<i1>
  }
  return %r : tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %m = arith.constant 3 : i32
  %t = call @two(%m, %f, %f) : (i32, tensor<i1>, tensor<i1>) -> tensor<i1>
  // expected-error@below {{but 'scf.if' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Another scaler's transition is told.
amp.scaler @s {initial_scale = 4.0 : f64}
amp.scaler @t {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %ta = amp.scale_loss %seed using @t : tensor<f32>
  %tg = arith.mulf %ta, %x : tensor<f32>
  %tu, %tf = amp.unscale %tg using @t : (tensor<f32>) -> tensor<f32>
  %both = arith.ori %f, %tf : tensor<i1>
  amp.update_scale @t, %both
  %cs = tensor.from_elements %c : tensor<i1>
  // expected-note@below {{lost here}}
  %some = arith.andi %f, %cs : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %some
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A parameter hands nothing on.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "param", amp.name = "found"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "param", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %any = arith.ori %f, %before : tensor<i1>
  scf.if %c {
    // expected-error@below {{but no way on which one is surely told leads here from one}}
    amp.update_scale @s, %any
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %any : tensor<f32>, tensor<i1>
}

// -----

// A state hands on the negation.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %yes = arith.constant dense<true> : tensor<i1>
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  amp.update_scale @s, %before
  %nf = arith.xori %f, %yes : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %nf : tensor<f32>, tensor<i1>
}

// -----

// The next call may tell it, and forgets it elsewhere.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  scf.if %c {
    // expected-error@below {{but no way on which one is surely told leads here from one}}
    amp.update_scale @s, %before
  }
  %any = arith.ori %f, %f : tensor<i1>
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %any : tensor<f32>, tensor<i1>
}

// -----

// Handed on for ever, never surely told.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    %before: tensor<i1> {amp.role = "opt_state", amp.name = "found"}, %c: i1)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "found"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  // expected-note@below {{found here}}
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %any = arith.ori %f, %before : tensor<i1>
  %cs = tensor.from_elements %c : tensor<i1>
  %some = arith.andi %any, %cs : tensor<i1>
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  amp.update_scale @s, %some
  %new = arith.subf %w, %u : tensor<f32>
  return %new, %any : tensor<f32>, tensor<i1>
}

// -----

// Of two that a helper returns one is surely told.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @both(%g: tensor<f32>, %h: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i1>, tensor<i1>) {
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %k = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  return %u, %v, %f, %k : tensor<f32>, tensor<f32>, tensor<i1>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %cs = tensor.from_elements %c : tensor<i1>
  %u, %v, %f, %k = func.call @both(%g, %h) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i1>, tensor<i1>)
  // expected-note@below {{lost here}}
  %some = arith.andi %f, %cs : tensor<i1>
  %any = arith.ori %some, %k : tensor<i1>
  // expected-error@below {{but 'arith.andi' may lose what one found}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Called by reference alone, and told on one way.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscale(%h: tensor<f32>, %c: i1) -> (tensor<f32>, tensor<i1>) {
  // expected-note@below {{found here}}
  %v, %fv = amp.unscale %h using @s : (tensor<f32>) -> tensor<f32>
  scf.if %c {
    amp.update_scale @s, %fv
  }
  return %v, %fv : tensor<f32>, tensor<i1>
}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %h = arith.mulf %a, %w : tensor<f32>
  %ref = func.constant @unscale : (tensor<f32>, i1) -> (tensor<f32>, tensor<i1>)
  // expected-remark@below {{cannot decide which power of a loss scale is left here}}
  %v, %k = func.call_indirect %ref(%h, %c) : (tensor<f32>, i1) -> (tensor<f32>, tensor<i1>)
  %cs = tensor.from_elements %c : tensor<i1>
  %some = arith.andi %k, %cs : tensor<i1>
  %any = arith.ori %some, %f : tensor<i1>
  // expected-error@below {{but no way on which one is surely told leads here from one}}
  amp.update_scale @s, %any
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Forgotten by the second round.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %c: i1, %n: index)
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %no = arith.constant dense<false> : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%q = %f) -> (tensor<i1>) {
    %at = arith.cmpi eq, %i, %c0 : index
    // expected-note@below {{lost here}}
    %r = arith.select %at, %q, %no : tensor<i1>
    scf.yield %r : tensor<i1>
  }
  // expected-error@below {{but 'arith.select' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
