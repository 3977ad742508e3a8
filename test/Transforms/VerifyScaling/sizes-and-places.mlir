// RUN: amp-opt %s --amp-verify-scaling --split-input-file -verify-diagnostics | FileCheck %s

// A number of threads, a place that one writes to, and a size: what a comparison of
// scaled values chose, an overflow chose as well.

// The bound of a scf.forall.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %g0, %g1 : f32
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN}}
  %count = arith.select %larger, %c2, %c1 : index
  %one = tensor.from_elements %x0 : tensor<1xf32>
  %v = scf.forall (%i) = (0) to (%count) step (1) shared_outs(%o = %nones) -> tensor<2xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  %t = linalg.reduce {arith.addf} ins(%v : tensor<2xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: by a number of the batch.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %x0, %x1 : f32
  %count = arith.select %larger, %c2, %c1 : index
  %one = tensor.from_elements %x0 : tensor<1xf32>
  %v = scf.forall (%i) = (0) to (%count) step (1) shared_outs(%o = %nones) -> tensor<2xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  %t = linalg.reduce {arith.addf} ins(%v : tensor<2xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Through the number of a thread.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %g0, %g1 : f32
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN}}
  %count = arith.select %larger, %c2, %c1 : index
  %v = scf.forall (%i) = (0) to (%count) step (1) shared_outs(%o = %nones) -> tensor<2xf32> {
    %k = arith.index_cast %i : index to i64
    %n = arith.sitofp %k : i64 to f32
    %one = tensor.from_elements %n : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[0] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  %t = linalg.reduce {arith.addf} ins(%v : tensor<2xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: by a number of the batch.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %x0, %x1 : f32
  %count = arith.select %larger, %c2, %c1 : index
  %v = scf.forall (%i) = (0) to (%count) step (1) shared_outs(%o = %nones) -> tensor<2xf32> {
    %k = arith.index_cast %i : index to i64
    %n = arith.sitofp %k : i64 to f32
    %one = tensor.from_elements %n : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[0] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  %t = linalg.reduce {arith.addf} ins(%v : tensor<2xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The place of a tensor.parallel_insert_slice.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %g0, %g1 : f32
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN}}
  %count = arith.select %larger, %c2, %c1 : index
  %place = arith.subi %count, %c1 : index
  %one = tensor.from_elements %x0 : tensor<1xf32>
  %v = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %nones) -> tensor<2xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[%place] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  %first = tensor.extract_slice %v[0] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %t = tensor.collapse_shape %first [] : tensor<1xf32> into tensor<f32>
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: by a number of the batch.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %x0, %x1 : f32
  %count = arith.select %larger, %c2, %c1 : index
  %place = arith.subi %count, %c1 : index
  %one = tensor.from_elements %x0 : tensor<1xf32>
  %v = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %nones) -> tensor<2xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[%place] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  %first = tensor.extract_slice %v[0] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %t = tensor.collapse_shape %first [] : tensor<1xf32> into tensor<f32>
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The size of what is filled.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %g0, %g1 : f32
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN}}
  %count = arith.select %larger, %c2, %c1 : index
  %e = tensor.empty(%count) : tensor<?xf32>
  %filled = linalg.fill ins(%x0 : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %t = linalg.reduce {arith.addf} ins(%filled : tensor<?xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: by a number of the batch.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %x0, %x1 : f32
  %count = arith.select %larger, %c2, %c1 : index
  %e = tensor.empty(%count) : tensor<?xf32>
  %filled = linalg.fill ins(%x0 : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %t = linalg.reduce {arith.addf} ins(%filled : tensor<?xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The size of an operand of which nothing else is read.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %g0, %g1 : f32
  // expected-error@below {{cannot decide which power of a loss scale is left: 'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s; an overflow of the scale makes some of them NaN}}
  %count = arith.select %larger, %c2, %c1 : index
  %e = tensor.empty(%count) : tensor<?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%e : tensor<?xf32>) outs(%none : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %next = arith.addf %out, %x0 : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Mended: by a number of the batch.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %nones = arith.constant dense<0.0> : tensor<2xf32>
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %s0 = tensor.extract %a[] : tensor<f32>
  %x0 = tensor.extract %x[%c0] : tensor<4xf32>
  %x1 = tensor.extract %x[%c1] : tensor<4xf32>
  %g0 = arith.mulf %s0, %x0 : f32
  %g1 = arith.mulf %s0, %x1 : f32
  %larger = arith.cmpf ogt, %x0, %x1 : f32
  %count = arith.select %larger, %c2, %c1 : index
  %e = tensor.empty(%count) : tensor<?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%e : tensor<?xf32>) outs(%none : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %next = arith.addf %out, %x0 : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %sum = arith.mulf %a, %t : tensor<f32>
  %u, %f = amp.unscale %sum using @s : (tensor<f32>) -> tensor<f32>
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// Near miss: a size that nothing scaled chose, of a scaled value.
// CHECK: func.func @train
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<?xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant 1.0 : f32
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %b = linalg.broadcast ins(%a : tensor<f32>) outs(%e : tensor<?xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<?xf32>
  %count = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                           iterator_types = ["reduction"]}
      ins(%g : tensor<?xf32>) outs(%none : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %next = arith.addf %out, %one : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %t = linalg.reduce {arith.addf} ins(%g : tensor<?xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %u, %f = amp.unscale %t using @s : (tensor<f32>) -> tensor<f32>
  %mean = arith.divf %u, %count : tensor<f32>
  %new = arith.subf %w, %mean : tensor<f32>
  return %new : tensor<f32>
}

// -----

// What a thread reads of its result is what that was started with.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %gs = tensor.expand_shape %g [] output_shape [1] : tensor<f32> into tensor<1xf32>
  // expected-error@below {{ways that meet at 'scf.forall'}}
  %v = scf.forall (%i) in (1) shared_outs(%o = %gs) -> tensor<1xf32> {
    %part = tensor.extract_slice %o[%i] [1] [1] : tensor<1xf32> to tensor<1xf32>
    %square = arith.mulf %part, %part : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %square into %o[%i] [1] [1] : tensor<1xf32> into tensor<1xf32>
    }
  }
  %k = tensor.extract_slice %v[0] [1] [1] : tensor<1xf32> to tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}

// -----

// The bound of a scf.forall that writes memory.
amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
func.func @train(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
    %x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %seed using @s : tensor<f32>
  %g = arith.mulf %a, %x : tensor<f32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = arith.mulf %a, %w : tensor<f32>
  %gs = tensor.extract %g[] : tensor<f32>
  %hs = tensor.extract %h[] : tensor<f32>
  %larger = arith.cmpf ogt, %gs, %hs : f32
  // expected-error@below {{'arith.select' chooses by a comparison of values that were computed from one of degree 1 in @s}}
  %count = arith.select %larger, %c2, %c1 : index
  %own = memref.alloca() : memref<f32>
  scf.forall (%i) = (0) to (%count) step (1) {
    memref.store %gs, %own[] : memref<f32>
  }
  %r = memref.load %own[] : memref<f32>
  %k = tensor.from_elements %r : tensor<f32>
  %u, %f = amp.unscale %k using @s : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{reaches 'param' 'w' of train step '@train'}}
  %new = arith.subf %w, %u : tensor<f32>
  return %new : tensor<f32>
}
