// What was found is in a tensor, of which some elements are left out.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// One of two is read.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %f0 = tensor.extract %f[] : tensor<i1>
  %f1 = tensor.extract %fv[] : tensor<i1>
  %p = tensor.from_elements %f0, %f1 : tensor<2xi1>
  %init = arith.constant dense<false> : tensor<1xi1>
  // expected-note@below {{lost here}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%p : tensor<2xi1>) outs(%init : tensor<1xi1>) {
  ^bb0(%q: i1, %o: i1):
    linalg.yield %q : i1
  } -> tensor<1xi1>
  %t = tensor.collapse_shape %r [] : tensor<1xi1> into tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// Each second one.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %f0 = tensor.extract %f[] : tensor<i1>
  %f1 = tensor.extract %fv[] : tensor<i1>
  %p = tensor.from_elements %f0, %f1 : tensor<2xi1>
  %init = arith.constant dense<false> : tensor<1xi1>
  // expected-note@below {{lost here}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%p : tensor<2xi1>) outs(%init : tensor<1xi1>) {
  ^bb0(%q: i1, %o: i1):
    linalg.yield %q : i1
  } -> tensor<1xi1>
  %t = tensor.collapse_shape %r [] : tensor<1xi1> into tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// All but the first.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %f0 = tensor.extract %f[] : tensor<i1>
  %f1 = tensor.extract %fv[] : tensor<i1>
  %p = tensor.from_elements %f0, %f1 : tensor<2xi1>
  %init = arith.constant dense<false> : tensor<1xi1>
  // expected-note@below {{lost here}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%p : tensor<2xi1>) outs(%init : tensor<1xi1>) {
  ^bb0(%q: i1, %o: i1):
    linalg.yield %q : i1
  } -> tensor<1xi1>
  %t = tensor.collapse_shape %r [] : tensor<1xi1> into tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The last one is written over the others.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %f0 = tensor.extract %f[] : tensor<i1>
  %f1 = tensor.extract %fv[] : tensor<i1>
  %p = tensor.from_elements %f0, %f1 : tensor<2xi1>
  %init = arith.constant dense<false> : tensor<1xi1>
  // expected-note@below {{lost here}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>], iterator_types = ["parallel"]}
      ins(%p : tensor<2xi1>) outs(%init : tensor<1xi1>) {
  ^bb0(%q: i1, %o: i1):
    linalg.yield %q : i1
  } -> tensor<1xi1>
  %t = tensor.collapse_shape %r [] : tensor<1xi1> into tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// One of them is joined.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %f0 = tensor.extract %f[] : tensor<i1>
  %f1 = tensor.extract %fv[] : tensor<i1>
  %p = tensor.from_elements %f0, %f1 : tensor<2xi1>
  %init = arith.constant dense<false> : tensor<1xi1>
  // expected-note@below {{lost here}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>], iterator_types = ["reduction"]}
      ins(%p : tensor<2xi1>) outs(%init : tensor<1xi1>) {
  ^bb0(%q: i1, %o: i1):
    %i = linalg.index 0 : index
    %first = arith.cmpi eq, %i, %c0 : index
    %one = arith.select %first, %q, %false : i1
    %y = arith.ori %o, %one : i1
    linalg.yield %y : i1
  } -> tensor<1xi1>
  %t = tensor.collapse_shape %r [] : tensor<1xi1> into tensor<i1>
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'linalg.generic' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// All are joined.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %v, %fv = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %f0 = tensor.extract %f[] : tensor<i1>
  %f1 = tensor.extract %fv[] : tensor<i1>
  %p = tensor.from_elements %f0, %f1 : tensor<2xi1>
  %init = arith.constant dense<false> : tensor<1xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>], iterator_types = ["reduction"]}
      ins(%p : tensor<2xi1>) outs(%init : tensor<1xi1>) {
  ^bb0(%q: i1, %o: i1):
    %y = arith.ori %o, %q : i1
    linalg.yield %y : i1
  } -> tensor<1xi1>
  %t = tensor.collapse_shape %r [] : tensor<1xi1> into tensor<i1>
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// The size is 0 where one was found.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %yes = arith.constant true
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %fine = arith.xori %is, %yes : i1
  %n = arith.index_castui %fine : i1 to index
  %init = tensor.empty(%n) : tensor<?xi1>
  // expected-note@below {{lost here}}
  %all = linalg.fill ins(%is : i1) outs(%init : tensor<?xi1>) -> tensor<?xi1>
  %t = linalg.reduce ins(%all : tensor<?xi1>) outs(%no : tensor<i1>) dimensions = [0] (%p: i1, %q: i1) {
    %y = arith.ori %p, %q : i1
    linalg.yield %y : i1
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'linalg.fill' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// A size that is not 0.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  %init = tensor.empty() : tensor<4xi1>
  %all = linalg.fill ins(%is : i1) outs(%init : tensor<4xi1>) -> tensor<4xi1>
  %t = linalg.reduce ins(%all : tensor<4xi1>) outs(%no : tensor<i1>) dimensions = [0] (%p: i1, %q: i1) {
    %y = arith.ori %p, %q : i1
    linalg.yield %y : i1
  }
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----
// No elements.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %no = arith.constant dense<false> : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %is = tensor.extract %f[] : tensor<i1>
  // expected-note@below {{lost here}}
  %all = tensor.splat %is : tensor<0xi1>
  %t = linalg.reduce ins(%all : tensor<0xi1>) outs(%no : tensor<i1>) dimensions = [0] (%p: i1, %q: i1) {
    %y = arith.ori %p, %q : i1
    linalg.yield %y : i1
  }
  // expected-error@below {{expected '@s' to be advanced whenever an 'amp.unscale' using it found an infinity, but 'tensor.splat' may lose what one found}}
  amp.update_scale @s, %t
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
