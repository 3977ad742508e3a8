// The degree of each value, by rule of the table in the pass's description.
//
// RUN: amp-opt %s --amp-verify-scaling=print-degrees -verify-diagnostics -o /dev/null

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
amp.scaler @t {initial_scale = 8.0 : f64, static_scale}

// Arithmetic.
func.func @arithmetic(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
                      %seed: tensor<4xf32> {amp.role = "batch", amp.name = "x1"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %seed using @s : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @t}}
  %b = amp.scale_loss %x using @t : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s and 1 in @t}}
  %ab = arith.mulf %a, %b : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s and -1 in @t}}
  %q = arith.divf %a, %b : tensor<4xf32>
  // expected-remark@below {{degree: 2 in @s}}
  %aa = arith.mulf %a, %a : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %root = math.sqrt %aa : tensor<4xf32>
  // expected-remark@below {{degree: 1/2 in @s}}
  %half = math.sqrt %a : tensor<4xf32>
  // expected-remark@below {{degree: -1/2 in @s}}
  %rhalf = math.rsqrt %a : tensor<4xf32>
  // expected-remark@below {{degree: 1/3 in @s}}
  %third = math.cbrt %a : tensor<4xf32>
  // expected-remark@below {{degree: 0}}
  %e = arith.constant dense<1.5> : tensor<4xf32>
  // expected-remark@below {{degree: 3/2 in @s}}
  %p = math.powf %a, %e : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %n = arith.negf %a : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %f = math.fma %a, %x, %n : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %h = arith.truncf %f : tensor<4xf32> to tensor<4xf16>
  // expected-remark@below {{degree: 0}}
  %angle = math.atan2 %a, %n : tensor<4xf32>
  // expected-remark@below {{degree: 0}}
  %w = math.exp %x : tensor<4xf32>
  // expected-remark@below {{degree: none}}
  %bad = math.exp %a : tensor<4xf32>
  // expected-remark@below {{degree: none}}
  %worse = arith.addf %bad, %a : tensor<4xf32>
  // expected-remark@below {{degree: none}}
  %sum = arith.addf %a, %x : tensor<4xf32>
  // What follows no power stays without one, and zero stays zero.
  // expected-remark@below {{degree: any}}
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  // expected-remark@below {{degree: any}}
  %still = arith.mulf %zero, %a : tensor<4xf32>
  // A power whose exponent is 0 is 1; one whose exponent is scaled is no power.
  // expected-remark@below {{degree: 0}}
  %unit = math.powf %zero, %zero : tensor<4xf32>
  // expected-remark@below {{degree: 0}}
  %unit_of_x = math.powf %x, %zero : tensor<4xf32>
  // expected-remark@below {{degree: none}}
  %scaled_exponent = math.powf %x, %a : tensor<4xf32>
  return
}

// Zero, infinity and masks.
func.func @masks(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
                 %m: tensor<4xi1> {amp.role = "batch", amp.name = "x1"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<4xf32>
  // expected-remark@below {{degree: any}}
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  // expected-remark@below {{degree: any}}
  %inf = arith.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  // A mask that is not 0 and infinity alone is a number.
  // expected-remark@below {{degree: 0}}
  %one = arith.constant dense<[0.0, 1.0, 0.0, 1.0]> : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %relu = arith.maximumf %a, %zero : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %scores = arith.addf %a, %inf : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %dropped = arith.mulf %a, %one : tensor<4xf32>
  // expected-remark@below {{degree: 0}}
  %positive = arith.cmpf ogt, %a, %zero : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %kept = arith.select %positive, %a, %zero : tensor<4xi1>, tensor<4xf32>
  // expected-remark@below {{degree: none}}
  %clipped = arith.select %positive, %a, %one : tensor<4xi1>, tensor<4xf32>
  // A bound that does not grow with the scale: what the mask is, depends on it.
  // expected-remark@below {{degree: undecided}}
  %large = arith.cmpf ogt, %a, %one : tensor<4xf32>
  // expected-remark@below {{degree: undecided}}
  %chosen = arith.select %large, %x, %one : tensor<4xi1>, tensor<4xf32>
  // Either 0 or infinity, by the scale.
  // expected-remark@below {{degree: undecided}}
  %either = arith.select %large, %zero, %inf : tensor<4xi1>, tensor<4xf32>
  // expected-remark@below {{degree: undecided}}
  %sign = arith.divf %chosen, %zero : tensor<4xf32>
  // expected-remark@below {{degree: 0}}
  %float = arith.uitofp %m : tensor<4xi1> to tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %masked = arith.mulf %a, %float : tensor<4xf32>
  // The finite test is the guard's: an overflow that the scale makes is not the
  // same at every scale.
  // expected-remark@below {{degree: undecided}}
  %finite = math.isfinite %a : tensor<4xf32>
  // expected-remark@below {{degree: 0}}
  %unscaled_finite = math.isfinite %x : tensor<4xf32>
  // exp(0) is 1, and exp of a mask 0 or 1.
  // expected-remark@below {{degree: 0}}
  %exp = math.exp %inf : tensor<4xf32>
  return
}

// Into linalg bodies, and around their reductions.
func.func @bodies(%x: tensor<4x8xf32> {amp.role = "batch", amp.name = "x0"},
                  %y: tensor<8x4xf32> {amp.role = "batch", amp.name = "x1"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<4x8xf32>
  // expected-remark@below {{degree: any}}
  %z = arith.constant 0.0 : f32
  // expected-remark@below {{degree: 0}}
  %i1 = arith.constant 1.0 : f32
  // expected-remark@below {{degree: any}}
  %e = tensor.empty() : tensor<4x4xf32>
  // What a loop made of blocks carries where there is nothing yet.
  // expected-remark@below {{degree: any}}
  %p = ub.poison : tensor<4x8xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %carried = arith.addf %p, %a : tensor<4x8xf32>
  // expected-remark@below {{degree: any}}
  %zeros = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark@below {{degree: 0}}
  %ones = linalg.fill ins(%i1 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %product = linalg.matmul ins(%a, %y : tensor<4x8xf32>, tensor<8x4xf32>)
                           outs(%zeros : tensor<4x4xf32>) -> tensor<4x4xf32>
  // Added to what is not scaled.
  // expected-remark@below {{degree: none}}
  %onto = linalg.matmul ins(%a, %y : tensor<4x8xf32>, tensor<8x4xf32>)
                        outs(%ones : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark@below {{degree: any}}
  %e8 = tensor.empty() : tensor<8xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %column = tensor.extract_slice %a[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
  // expected-remark@below {{degree: 2 in @s}}
  %squared = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                             iterator_types = ["parallel"]}
      ins(%column : tensor<8xf32>) outs(%e8 : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    // expected-remark@below {{degree: 2 in @s}}
    %sq = arith.mulf %in, %in : f32
    linalg.yield %sq : f32
  } -> tensor<8xf32>
  // A tensor that the body reads from outside.
  // expected-remark@below {{degree: 1 in @s}}
  %gathered = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e8 : tensor<8xf32>) {
  ^bb0(%out: f32):
    // expected-remark@below {{degree: 0}}
    %i = linalg.index 0 : index
    // expected-remark@below {{degree: 1 in @s}}
    %v = tensor.extract %column[%i] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  // expected-remark@below {{degree: any}}
  %e0 = tensor.empty() : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %one0 = linalg.fill ins(%i1 : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  // A product over elements has a degree that grows with their number.
  // expected-remark@below {{degree: undecided}}
  %over = linalg.reduce ins(%column : tensor<8xf32>) outs(%one0 : tensor<f32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      // expected-remark@below {{degree: undecided}}
      %m = arith.mulf %in, %acc : f32
      linalg.yield %m : f32
    }
  // expected-remark@below {{degree: 1 in @s}}
  %padded = tensor.pad %column low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<8xf32> to tensor<9xf32>
  // expected-remark@below {{degree: undecided}}
  %edged = tensor.pad %column low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %i1 : f32
  } : tensor<8xf32> to tensor<9xf32>
  return
}

// Loops, branches, blocks.
func.func @control(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %n: index, %c: i1) -> tensor<4xf32> {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<4xf32>
  // expected-remark@below {{degree: any}}
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  // expected-remark@below {{degree: 0}}
  %c0 = arith.constant 0 : index
  // expected-remark@below {{degree: 0}}
  %c1 = arith.constant 1 : index
  // expected-remark@below {{degree: 1 in @s, 0}}
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %still = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    // expected-remark@below {{degree: 1 in @s}}
    %next = arith.addf %acc, %a : tensor<4xf32>
    scf.yield %next, %still : tensor<4xf32>, tensor<4xf32>
  }
  // expected-remark@below {{degree: undecided}}
  %power = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<4xf32>) {
    // expected-remark@below {{degree: undecided}}
    %next = arith.mulf %acc, %a : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  // Two values that change places in each round: zero fits beside the scaled one.
  // expected-remark@below {{degree: 1 in @s, 1 in @s}}
  %swap:2 = scf.for %i = %c0 to %n step %c1 iter_args(%l = %zero, %r = %a) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %r, %l : tensor<4xf32>, tensor<4xf32>
  }
  // expected-remark@below {{degree: 1 in @s}}
  %either = scf.if %c -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %zero : tensor<4xf32>
  }
  // expected-remark@below {{degree: undecided}}
  %mixed = scf.if %c -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  cf.cond_br %c, ^one(%a : tensor<4xf32>), ^two(%a : tensor<4xf32>)
^one(%p: tensor<4xf32>):
  // expected-remark@below {{degree: 2 in @s}}
  %pp = arith.mulf %p, %p : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %root = math.sqrt %pp : tensor<4xf32>
  cf.br ^end(%root : tensor<4xf32>)
^two(%q: tensor<4xf32>):
  cf.br ^end(%q : tensor<4xf32>)
^end(%r: tensor<4xf32>):
  // expected-remark@below {{degree: 0}}
  %ratio = arith.divf %r, %a : tensor<4xf32>
  return %ratio : tensor<4xf32>
}

// A condition that depends on the scale makes what it chooses depend on it.
func.func @chosen(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %e = tensor.extract %a[] : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %one = arith.constant 1.0 : f32
  // expected-remark@below {{degree: undecided}}
  %large = arith.cmpf ogt, %e, %one : f32
  // expected-remark@below {{degree: undecided}}
  %r = scf.if %large -> tensor<f32> {
    scf.yield %x : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return
}

// Memory is one cell: what is stored in it is read from it, and of two degrees
// none is left.
func.func @memory(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %e = tensor.extract %a[] : tensor<f32>
  // expected-remark@below {{degree: any}}
  %m = memref.alloc() : memref<f32>
  memref.store %e, %m[] : memref<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %v = memref.load %m[] : memref<f32>
  return
}

func.func @memory_of_two_degrees(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %e = tensor.extract %a[] : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %f = tensor.extract %x[] : tensor<f32>
  // expected-remark@below {{degree: any}}
  %m = memref.alloc() : memref<f32>
  // expected-remark@below {{degree: undecided}}
  %before = memref.load %m[] : memref<f32>
  memref.store %e, %m[] : memref<f32>
  memref.store %f, %m[] : memref<f32>
  return
}

// What is unscaled with another scale, is zero, or is added to what was unscaled.
func.func @unscaling(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<4xf32>
  // expected-remark@below {{degree: any}}
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  // expected-remark@below {{degree: 0, 0}}
  %u, %fu = amp.unscale %a using @s : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{degree: any, 0}}
  %z, %fz = amp.unscale %zero using @s : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{degree: 0, 0}}
  %sum, %fsum = amp.unscale %a using @s accumulate(%u) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{degree: none, 0}}
  %mixed, %fmixed = amp.unscale %a using @s accumulate(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// Blocks, of which a scaled value chooses one.
func.func @chosen_block(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) -> tensor<f32> {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %e = tensor.extract %a[] : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %one = arith.constant 1.0 : f32
  // expected-remark@below {{degree: 0}}
  %other = arith.constant dense<1.0> : tensor<f32>
  // expected-remark@below {{degree: undecided}}
  %large = arith.cmpf ogt, %e, %one : f32
  cf.cond_br %large, ^end(%x : tensor<f32>), ^end(%other : tensor<f32>)
^end(%r: tensor<f32>):
  // expected-remark@below {{degree: undecided}}
  %n = arith.negf %r : tensor<f32>
  return %n : tensor<f32>
}

// What a skipped step keeps, what threads insert, and what an operation with a region
// reads from outside.
func.func @regions(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
                   %found: tensor<i1> {amp.role = "batch", amp.name = "x1"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<4xf32>
  // expected-remark@below {{degree: undecided}}
  %kept = amp.apply_if_finite %found keep(%a) {
    amp.yield %x : tensor<4xf32>
  } : tensor<4xf32>
  // expected-remark@below {{degree: any}}
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark@below {{degree: 1 in @s}}
  %inserted = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4xf32>) {
    // expected-remark@below {{degree: 1 in @s}}
    %p = tensor.extract_slice %a[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  // expected-remark@below {{degree: undecided}}
  %beside = scf.forall (%i) in (2) shared_outs(%o = %x) -> (tensor<4xf32>) {
    // expected-remark@below {{degree: 1 in @s}}
    %p = tensor.extract_slice %a[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  // expected-remark@below {{degree: undecided}}
  %captured = memref.alloca_scope -> (tensor<4xf32>) {
    memref.alloca_scope.return %a : tensor<4xf32>
  }
  return
}
