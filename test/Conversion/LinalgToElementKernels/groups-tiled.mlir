// Steps of training as amp-tile-fusion-groups groups them, with what is left as kernels of
// elements.
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{close-bytes=65536 tile-bytes=16384 run-bytes=128}),convert-fusion-groups-to-kernels,convert-linalg-to-element-kernels,canonicalize)" | FileCheck %s --implicit-check-not=scf.forall --implicit-check-not=linalg.generic

// A maximum, exponentials, their sum, and quotients.
// CHECK-LABEL: func @softmax
// CHECK-COUNT-1: amp.launch_kernels
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @softmax(%x: tensor<16x257xf32>) -> tensor<16x257xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %full = tensor.empty() : tensor<16x257xf32>
  %l_e = tensor.empty() : tensor<16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%l_e : tensor<16xf32>) {
  ^bb0(%o: f32):
    linalg.yield %least : f32
  } -> tensor<16xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x257xf32>) outs(%l : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %exp = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<16x257xf32>, tensor<16xf32>) outs(%full : tensor<16x257xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %s = math.exp %d : f32
    linalg.yield %s : f32
  } -> tensor<16x257xf32>
  %z_e = tensor.empty() : tensor<16xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%z_e : tensor<16xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<16x257xf32>) outs(%z : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<16x257xf32>, tensor<16xf32>) outs(%full : tensor<16x257xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x257xf32>
  return %0 : tensor<16x257xf32>
}

// -----

// Halves in and out; mean and variance in f32.
// CHECK-LABEL: func @layer_norm(
// CHECK-COUNT-1: amp.launch_kernels
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @layer_norm(%x: tensor<16x257xf16>, %gain: tensor<257xf32>) -> (tensor<16x257xf16>, tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 257.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %full = tensor.empty() : tensor<16x257xf16>
  %z_e = tensor.empty() : tensor<16xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%z_e : tensor<16xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x257xf16>) outs(%z : tensor<16xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<16xf32>) outs(%z_e : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.divf %a, %n : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<16x257xf16>, tensor<16xf32>) outs(%z : tensor<16xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %d = arith.subf %w, %b : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %scale = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%squares : tensor<16xf32>) outs(%z_e : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.divf %a, %n : f32
    %e = arith.addf %v, %eps : f32
    %s = math.rsqrt %e : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %scale, %gain : tensor<16x257xf16>, tensor<16xf32>, tensor<16xf32>, tensor<257xf32>) outs(%full : tensor<16x257xf16>) {
  ^bb0(%a: f16, %b: f32, %c: f32, %d: f32, %o: f16):
    %w = arith.extf %a : f16 to f32
    %e = arith.subf %w, %b : f32
    %f = arith.mulf %e, %c : f32
    %g = arith.mulf %f, %d : f32
    %s = arith.truncf %g : f32 to f16
    linalg.yield %s : f16
  } -> tensor<16x257xf16>
  return %0, %mean, %scale : tensor<16x257xf16>, tensor<16xf32>, tensor<16xf32>
}

// -----

// Its gradient: two sums of a row in one pass, and elements that read both; the gain's
// gradient is a sum of columns, in parts that a reduction behind the loop combines.
// CHECK-LABEL: func @layer_norm_gradient
// CHECK:       %[[PARTS:.*]]:2 = amp.launch_kernels @group_0
// CHECK:       amp.launch_kernels @element_{{.*}} ins(in0 = %[[PARTS]]#1,
// CHECK:       return
func.func @layer_norm_gradient(%x: tensor<16x257xf16>, %dy: tensor<16x257xf16>, %mean: tensor<16xf32>, %scale: tensor<16xf32>, %gain: tensor<257xf32>) -> (tensor<16x257xf16>, tensor<257xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 257.0 : f32
  %full = tensor.empty() : tensor<16x257xf16>
  %wide = tensor.empty() : tensor<16x257xf32>
  %z_e = tensor.empty() : tensor<16xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%z_e : tensor<16xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<16xf32>
  %c_e = tensor.empty() : tensor<257xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%c_e : tensor<257xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<257xf32>
  %hat = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %scale : tensor<16x257xf16>, tensor<16xf32>, tensor<16xf32>) outs(%wide : tensor<16x257xf32>) {
  ^bb0(%a: f16, %b: f32, %c_0: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %e = arith.subf %w, %b : f32
    %s = arith.mulf %e, %c_0 : f32
    linalg.yield %s : f32
  } -> tensor<16x257xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %gain : tensor<16x257xf16>, tensor<257xf32>) outs(%wide : tensor<16x257xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.mulf %w, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x257xf32>
  %sums:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%scaled, %hat : tensor<16x257xf32>, tensor<16x257xf32>) outs(%z, %z : tensor<16xf32>, tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %p: f32):
    %s = arith.addf %o, %a : f32
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %p, %m : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<16xf32>, tensor<16xf32>)
  %dx = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %hat, %sums#0, %sums#1, %scale : tensor<16x257xf32>, tensor<16x257xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%full : tensor<16x257xf16>) {
  ^bb0(%a: f32, %b: f32, %c_0: f32, %d: f32, %e: f32, %o: f16):
    %m = arith.divf %c_0, %n : f32
    %k = arith.divf %d, %n : f32
    %q = arith.mulf %b, %k : f32
    %u = arith.subf %a, %m : f32
    %v = arith.subf %u, %q : f32
    %r = arith.mulf %v, %e : f32
    %s = arith.truncf %r : f32 to f16
    linalg.yield %s : f16
  } -> tensor<16x257xf16>
  %dgain = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%dy, %hat : tensor<16x257xf16>, tensor<16x257xf32>) outs(%c : tensor<257xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %m = arith.mulf %w, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<257xf32>
  return %dx, %dgain : tensor<16x257xf16>, tensor<257xf32>
}

// -----

// A sum of columns, and beside it whether an element is infinite or NaN, as an or of i32.
// CHECK-LABEL: func @bias_gradient
// CHECK:       %[[PARTS:.*]]:2 = amp.launch_kernels @group_0
// CHECK:       amp.launch_kernels @element_{{.*}} ins(in0 = %[[PARTS]]#1,
// CHECK:       return
func.func @bias_gradient(%dy: tensor<100x512xf16>, %factor: tensor<f32>) -> (tensor<512xf32>, tensor<i32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %infinity = arith.constant 0x7F800000 : f32
  %number = tensor.extract %factor[] : tensor<f32>
  %z_e = tensor.empty() : tensor<512xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%z_e : tensor<512xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<512xf32>
  %f_e = tensor.empty() : tensor<i32>
  %f = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      outs(%f_e : tensor<i32>) {
  ^bb0(%o: i32):
    linalg.yield %none : i32
  } -> tensor<i32>
  %wide = tensor.empty() : tensor<100x512xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%dy : tensor<100x512xf16>) outs(%wide : tensor<100x512xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.mulf %w, %number : f32
    linalg.yield %s : f32
  } -> tensor<100x512xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<100x512xf32>) outs(%z : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %found = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%scaled : tensor<100x512xf32>) outs(%f : tensor<i32>) {
  ^bb0(%a: f32, %o: i32):
    %m = math.absf %a : f32
    %l = arith.cmpf ult, %m, %infinity : f32
    %u = arith.cmpf uno, %a, %a : f32
    %true = arith.constant true
    %k = arith.xori %l, %true : i1
    %b = arith.ori %k, %u : i1
    %w = arith.extui %b : i1 to i32
    %s = arith.ori %o, %w : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  return %sum, %found : tensor<512xf32>, tensor<i32>
}

// -----

// A step of one tensor's parameters, unless an element was found infinite; a copy in half
// precision leaves beside.
// CHECK-LABEL: func @adamw
// CHECK-COUNT-1: amp.launch_kernels
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
// CHECK:       shared_memory = 0 : i64
func.func @adamw(%p: tensor<1000xf32>, %m: tensor<1000xf32>, %v: tensor<1000xf32>, %g: tensor<1000xf16>, %found: tensor<i32>) -> (tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf16>) {
  %beta = arith.constant 0.9 : f32
  %rest = arith.constant 0.1 : f32
  %beta2 = arith.constant 0.99 : f32
  %rest2 = arith.constant 0.01 : f32
  %eps = arith.constant 1.0e-6 : f32
  %lr = arith.constant 0.01 : f32
  %decay = arith.constant 0.99 : f32
  %none = arith.constant 0 : i32
  %bad = tensor.extract %found[] : tensor<i32>
  %e = tensor.empty() : tensor<1000xf32>
  %h = tensor.empty() : tensor<1000xf16>
  %m1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%m, %g : tensor<1000xf32>, tensor<1000xf16>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f16, %o: f32):
    %w = arith.extf %b : f16 to f32
    %x = arith.mulf %a, %beta : f32
    %y = arith.mulf %w, %rest : f32
    %z = arith.addf %x, %y : f32
    %skip = arith.cmpi ne, %bad, %none : i32
    %s = arith.select %skip, %a, %z : f32
    linalg.yield %s : f32
  } -> tensor<1000xf32>
  %v1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v, %g : tensor<1000xf32>, tensor<1000xf16>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f16, %o: f32):
    %w = arith.extf %b : f16 to f32
    %q = arith.mulf %w, %w : f32
    %x = arith.mulf %a, %beta2 : f32
    %y = arith.mulf %q, %rest2 : f32
    %z = arith.addf %x, %y : f32
    %skip = arith.cmpi ne, %bad, %none : i32
    %s = arith.select %skip, %a, %z : f32
    linalg.yield %s : f32
  } -> tensor<1000xf32>
  %p1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%p, %m1, %v1 : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %r = math.sqrt %c : f32
    %d = arith.addf %r, %eps : f32
    %q = arith.divf %b, %d : f32
    %u = arith.mulf %q, %lr : f32
    %k = arith.mulf %a, %decay : f32
    %z = arith.subf %k, %u : f32
    %skip = arith.cmpi ne, %bad, %none : i32
    %s = arith.select %skip, %a, %z : f32
    linalg.yield %s : f32
  } -> tensor<1000xf32>
  %h1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%p1 : tensor<1000xf32>) outs(%h : tensor<1000xf16>) {
  ^bb0(%a: f32, %o: f16):
    %s = arith.truncf %a : f32 to f16
    linalg.yield %s : f16
  } -> tensor<1000xf16>
  return %p1, %m1, %v1, %h1 : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf16>
}
