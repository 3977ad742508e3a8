// What is false everywhere stays so where flags are joined.
//
// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// Chosen in a body, of constants in it.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %e = tensor.empty() : tensor<i1>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%f : tensor<i1>) outs(%e : tensor<i1>) {
  ^bb0(%in: i1, %out: i1):
    %yes = arith.constant true
    %no = arith.constant false
    %o = arith.select %in, %yes, %no : i1
    linalg.yield %o : i1
  } -> tensor<i1>
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where a reduction of what was found is true alone, through insert-slice.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %e = tensor.from_elements %fi : tensor<1xi1>
  %none = arith.constant dense<false> : tensor<2xi1>
  %two = tensor.insert_slice %e into %none[0] [1] [1] : tensor<1xi1> into tensor<2xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %some {
    // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where a reduction of what was found, and of another flag, is true.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %two = tensor.from_elements %fi, %is : tensor<2xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  scf.if %some {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where a reduction of what was found is true alone, through concat.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %e = tensor.from_elements %fi : tensor<1xi1>
  %two = tensor.concat dim(0) %e, %e : (tensor<1xi1>, tensor<1xi1>) -> tensor<2xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %some {
    // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where a reduction of what was found is true alone, through cast.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %e = tensor.from_elements %fi, %fi : tensor<2xi1>
  %two = tensor.cast %e : tensor<2xi1> to tensor<?xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<?xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %some {
    // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where a reduction of what was found is true alone, through collapse.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %e = tensor.from_elements %fi, %fi : tensor<2x1xi1>
  %two = tensor.collapse_shape %e [[0, 1]] : tensor<2x1xi1> into tensor<2xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %some {
    // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where a reduction of what was found is true alone, through expand.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %e = tensor.from_elements %fi, %fi : tensor<2xi1>
  %two = tensor.expand_shape %e [[0, 1]] output_shape [2, 1] : tensor<2xi1> into tensor<2x1xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2x1xi1>) outs(%start : tensor<i1>) dimensions = [0, 1]
  %some = tensor.extract %any[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %some {
    // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where a reduction of what was found is true alone, through splat.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %two = tensor.splat %fi : tensor<2xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %some {
    // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where a reduction of what was found is true alone, through ori.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %e = tensor.from_elements %fi, %fi : tensor<2xi1>
  %two = arith.ori %e, %e : tensor<2xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %some {
    // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Where a reduction of what was found is true alone, at a place that is computed.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = arith.select %is, %c0, %c1 : index
  %e = tensor.from_elements %fi : tensor<1xi1>
  %none = arith.constant dense<false> : tensor<2xi1>
  %two = tensor.insert_slice %e into %none[%i] [1] [1] : tensor<1xi1> into tensor<2xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  // expected-note@below {{decided here}}
  scf.if %some {
    // expected-error@below {{but where none found an infinity 'scf.if' keeps all from running that do}}
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A reduction that begins with another flag.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %two = tensor.from_elements %fi, %fi : tensor<2xi1>
  %start = tensor.from_elements %is : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %some = tensor.extract %any[] : tensor<i1>
  scf.if %some {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A reduction that joins another flag in each round.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %two = tensor.from_elements %fi, %fi : tensor<2xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
    (%in: i1, %out: i1) {
      %j = arith.ori %in, %out : i1
      %k = arith.ori %j, %is : i1
      linalg.yield %k : i1
    }
  %some = tensor.extract %any[] : tensor<i1>
  scf.if %some {
    amp.update_scale @s, %f
  }
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What is false in each of its elements, of which there may be none.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.select %is, %c0, %c1 : index
  %many = tensor.splat %fi[%n] : tensor<?xi1>
  %e = tensor.empty(%n) : tensor<?xi1>
  %true = arith.constant true
  %same = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%many : tensor<?xi1>) outs(%many : tensor<?xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<?xi1>
  %finite = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%same : tensor<?xi1>) outs(%e : tensor<?xi1>) {
  ^bb0(%in: i1, %out: i1):
    %o = arith.xori %in, %true : i1
    linalg.yield %o : i1
  } -> tensor<?xi1>
  %start = arith.constant dense<false> : tensor<i1>
  %any = linalg.reduce { arith.ori } ins(%finite : tensor<?xi1>) outs(%start : tensor<i1>) dimensions = [0]
  %all = arith.ori %any, %f : tensor<i1>
  amp.update_scale @s, %all
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A reduction that negates in each round what it had.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %two = tensor.from_elements %fi, %fi : tensor<2xi1>
  %yes = arith.constant true
  %no = arith.constant false
  %start = arith.constant dense<false> : tensor<i1>
  %odd = linalg.reduce ins(%two : tensor<2xi1>) outs(%start : tensor<i1>) dimensions = [0]
    (%in: i1, %out: i1) {
      %k = arith.select %out, %no, %yes : i1
      linalg.yield %k : i1
    }
  %all = arith.ori %odd, %f : tensor<i1>
  amp.update_scale @s, %all
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// A body that gives what it captures.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %t = arith.cmpf ogt, %x, %zero : tensor<f32>
  %is = tensor.extract %t[] : tensor<i1>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %u, %f = amp.unscale %g using @s : (tensor<f32>) -> tensor<f32>
  %fi = tensor.extract %f[] : tensor<i1>
  %e = tensor.empty() : tensor<i1>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%e : tensor<i1>) {
  ^bb0(%out: i1):
    linalg.yield %fi : i1
  } -> tensor<i1>
  amp.update_scale @s, %r
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
