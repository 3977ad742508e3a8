// Functions whose kernels memory-kernels.txt has gates for, of the sizes of a step.

// Rows of 1,024 halves: 32 lanes, or more, with 16 elements each.
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @softmax(%x: tensor<512x1024xf16>) -> tensor<512x1024xf16> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %full = tensor.empty() : tensor<512x1024xf16>
  %wide = tensor.empty() : tensor<512x1024xf32>
  %l_e = tensor.empty() : tensor<512xf32>
  %l = linalg.fill ins(%least : f32) outs(%l_e : tensor<512xf32>) -> tensor<512xf32>
  %z_e = tensor.empty() : tensor<512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%z_e : tensor<512xf32>) -> tensor<512xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<512x1024xf16>) outs(%l : tensor<512xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.maximumf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<512x1024xf16>, tensor<512xf32>) outs(%wide : tensor<512x1024xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %d = arith.subf %w, %b : f32
    %s = math.exp %d : f32
    linalg.yield %s : f32
  } -> tensor<512x1024xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<512x1024xf32>) outs(%z : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<512x1024xf32>, tensor<512xf32>) outs(%full : tensor<512x1024xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %q = arith.divf %a, %b : f32
    %s = arith.truncf %q : f32 to f16
    linalg.yield %s : f16
  } -> tensor<512x1024xf16>
  return %0 : tensor<512x1024xf16>
}

// -----

// Losses of rows of 4,096 logits, and their gradient.
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
func.func @cross_entropy(%x: tensor<2048x4096xf16>, %label: tensor<2048xi32>) -> (tensor<2048xf32>, tensor<2048x4096xf16>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %n = arith.constant 2048.0 : f32
  %full = tensor.empty() : tensor<2048x4096xf16>
  %wide = tensor.empty() : tensor<2048x4096xf32>
  %losses = tensor.empty() : tensor<2048xf32>
  %l_e = tensor.empty() : tensor<2048xf32>
  %l = linalg.fill ins(%least : f32) outs(%l_e : tensor<2048xf32>) -> tensor<2048xf32>
  %z_e = tensor.empty() : tensor<2048xf32>
  %z = linalg.fill ins(%zero : f32) outs(%z_e : tensor<2048xf32>) -> tensor<2048xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2048x4096xf16>) outs(%l : tensor<2048xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.maximumf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<2048xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %max : tensor<2048x4096xf16>, tensor<2048xf32>) outs(%z : tensor<2048xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %d = arith.subf %w, %b : f32
    %e = math.exp %d : f32
    %s = arith.addf %o, %e : f32
    linalg.yield %s : f32
  } -> tensor<2048xf32>
  %loss = linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = ["parallel"]}
      ins(%max, %sum, %label : tensor<2048xf32>, tensor<2048xf32>, tensor<2048xi32>) outs(%losses : tensor<2048xf32>) {
  ^bb0(%a: f32, %b: f32, %c: i32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %c : i32 to index
    %v = tensor.extract %x[%i, %j] : tensor<2048x4096xf16>
    %w = arith.extf %v : f16 to f32
    %g = math.log %b : f32
    %d = arith.subf %w, %a : f32
    %s = arith.subf %g, %d : f32
    linalg.yield %s : f32
  } -> tensor<2048xf32>
  %dx = linalg.generic {indexing_maps = [#all, #row, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max, %sum, %label : tensor<2048x4096xf16>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xi32>) outs(%full : tensor<2048x4096xf16>) {
  ^bb0(%a: f16, %b: f32, %c: f32, %k: i32, %o: f16):
    %w = arith.extf %a : f16 to f32
    %d = arith.subf %w, %b : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %c : f32
    %j = linalg.index 1 : index
    %t = arith.index_cast %j : index to i32
    %is = arith.cmpi eq, %t, %k : i32
    %hot = arith.uitofp %is : i1 to f32
    %g = arith.subf %q, %hot : f32
    %m = arith.divf %g, %n : f32
    %s = arith.truncf %m : f32 to f16
    linalg.yield %s : f16
  } -> tensor<2048x4096xf16>
  return %loss, %dx : tensor<2048xf32>, tensor<2048x4096xf16>
}

// -----

// Rows of 768 halves; mean and scale leave as f32.
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>
func.func @layer_norm(%x: tensor<1024x768xf16>, %gain: tensor<768xf32>) -> (tensor<1024x768xf16>, tensor<1024xf32>, tensor<1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 768.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %full = tensor.empty() : tensor<1024x768xf16>
  %z_e = tensor.empty() : tensor<1024xf32>
  %z = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
      outs(%z_e : tensor<1024xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<1024xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1024x768xf16>) outs(%z : tensor<1024xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<1024xf32>
  %mean = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%sum : tensor<1024xf32>) outs(%z_e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.divf %a, %n : f32
    linalg.yield %s : f32
  } -> tensor<1024xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<1024x768xf16>, tensor<1024xf32>) outs(%z : tensor<1024xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %d = arith.subf %w, %b : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<1024xf32>
  %scale = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%squares : tensor<1024xf32>) outs(%z_e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.divf %a, %n : f32
    %e = arith.addf %v, %eps : f32
    %s = math.rsqrt %e : f32
    linalg.yield %s : f32
  } -> tensor<1024xf32>
  %0 = linalg.generic {indexing_maps = [#all, #row, #row, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %scale, %gain : tensor<1024x768xf16>, tensor<1024xf32>, tensor<1024xf32>, tensor<768xf32>) outs(%full : tensor<1024x768xf16>) {
  ^bb0(%a: f16, %b: f32, %c: f32, %d: f32, %o: f16):
    %w = arith.extf %a : f16 to f32
    %e = arith.subf %w, %b : f32
    %f = arith.mulf %e, %c : f32
    %g = arith.mulf %f, %d : f32
    %s = arith.truncf %g : f32 to f16
    linalg.yield %s : f16
  } -> tensor<1024x768xf16>
  return %0, %mean, %scale : tensor<1024x768xf16>, tensor<1024xf32>, tensor<1024xf32>
}

// -----

// Two sums of a row; the gain's gradient leaves in parts.
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>
#down = affine_map<(i, j) -> (j, i)>
func.func @layer_norm_gradient(%x: tensor<1024x768xf16>, %dy: tensor<1024x768xf16>, %mean: tensor<1024xf32>, %scale: tensor<1024xf32>, %gain: tensor<768xf32>) -> (tensor<1024x768xf16>, tensor<768xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 768.0 : f32
  %full = tensor.empty() : tensor<1024x768xf16>
  %wide = tensor.empty() : tensor<1024x768xf32>
  %z_e = tensor.empty() : tensor<1024xf32>
  %z = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
      outs(%z_e : tensor<1024xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<1024xf32>
  %c_e = tensor.empty() : tensor<768xf32>
  %c = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
      outs(%c_e : tensor<768xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<768xf32>
  %hat = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %scale : tensor<1024x768xf16>, tensor<1024xf32>, tensor<1024xf32>) outs(%wide : tensor<1024x768xf32>) {
  ^bb0(%a: f16, %b: f32, %c_0: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %e = arith.subf %w, %b : f32
    %s = arith.mulf %e, %c_0 : f32
    linalg.yield %s : f32
  } -> tensor<1024x768xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %gain : tensor<1024x768xf16>, tensor<768xf32>) outs(%wide : tensor<1024x768xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.mulf %w, %b : f32
    linalg.yield %s : f32
  } -> tensor<1024x768xf32>
  %sums:2 = linalg.generic {indexing_maps = [#all, #all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled, %hat : tensor<1024x768xf32>, tensor<1024x768xf32>) outs(%z, %z : tensor<1024xf32>, tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %p: f32):
    %s = arith.addf %o, %a : f32
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %p, %m : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<1024xf32>, tensor<1024xf32>)
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %hat, %sums#0, %sums#1, %scale : tensor<1024x768xf32>, tensor<1024x768xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) outs(%full : tensor<1024x768xf16>) {
  ^bb0(%a: f32, %b: f32, %c_0: f32, %d: f32, %e: f32, %o: f16):
    %m = arith.divf %c_0, %n : f32
    %k = arith.divf %d, %n : f32
    %q = arith.mulf %b, %k : f32
    %u = arith.subf %a, %m : f32
    %v = arith.subf %u, %q : f32
    %r = arith.mulf %v, %e : f32
    %s = arith.truncf %r : f32 to f16
    linalg.yield %s : f16
  } -> tensor<1024x768xf16>
  %dgain = linalg.generic {indexing_maps = [#down, #down, #row], iterator_types = ["parallel", "reduction"]}
      ins(%dy, %hat : tensor<1024x768xf16>, tensor<1024x768xf32>) outs(%c : tensor<768xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %m = arith.mulf %w, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<768xf32>
  return %dx, %dgain : tensor<1024x768xf16>, tensor<768xf32>
}

// -----

// Sums of columns, and whether an element is infinite or NaN.
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
#down = affine_map<(i, j) -> (j, i)>
func.func @bias_gradient(%dy: tensor<4096x1024xf16>, %factor: tensor<f32>) -> (tensor<1024xf32>, tensor<i32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %infinity = arith.constant 0x7F800000 : f32
  %number = tensor.extract %factor[] : tensor<f32>
  %z_e = tensor.empty() : tensor<1024xf32>
  %z = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
      outs(%z_e : tensor<1024xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<1024xf32>
  %f_e = tensor.empty() : tensor<i32>
  %f = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      outs(%f_e : tensor<i32>) {
  ^bb0(%o: i32):
    linalg.yield %none : i32
  } -> tensor<i32>
  %wide = tensor.empty() : tensor<4096x1024xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy : tensor<4096x1024xf16>) outs(%wide : tensor<4096x1024xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.mulf %w, %number : f32
    linalg.yield %s : f32
  } -> tensor<4096x1024xf32>
  %sum = linalg.generic {indexing_maps = [#down, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<4096x1024xf32>) outs(%z : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<1024xf32>
  %found = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%scaled : tensor<4096x1024xf32>) outs(%f : tensor<i32>) {
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
  return %sum, %found : tensor<1024xf32>, tensor<i32>
}

// -----

// An update of one tensor, 14 bytes read and as many written for an element.
#one = affine_map<(i) -> (i)>
func.func @adamw(%p: tensor<1048576xf32>, %m: tensor<1048576xf32>, %v: tensor<1048576xf32>, %g: tensor<1048576xf16>, %found: tensor<i32>) -> (tensor<1048576xf32>, tensor<1048576xf32>, tensor<1048576xf32>, tensor<1048576xf16>) {
  %beta = arith.constant 0.9 : f32
  %rest = arith.constant 0.1 : f32
  %beta2 = arith.constant 0.99 : f32
  %rest2 = arith.constant 0.01 : f32
  %eps = arith.constant 1.0e-6 : f32
  %lr = arith.constant 0.01 : f32
  %decay = arith.constant 0.99 : f32
  %none = arith.constant 0 : i32
  %bad = tensor.extract %found[] : tensor<i32>
  %e = tensor.empty() : tensor<1048576xf32>
  %h = tensor.empty() : tensor<1048576xf16>
  %m1 = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%m, %g : tensor<1048576xf32>, tensor<1048576xf16>) outs(%e : tensor<1048576xf32>) {
  ^bb0(%a: f32, %b: f16, %o: f32):
    %w = arith.extf %b : f16 to f32
    %x = arith.mulf %a, %beta : f32
    %y = arith.mulf %w, %rest : f32
    %z = arith.addf %x, %y : f32
    %skip = arith.cmpi ne, %bad, %none : i32
    %s = arith.select %skip, %a, %z : f32
    linalg.yield %s : f32
  } -> tensor<1048576xf32>
  %v1 = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%v, %g : tensor<1048576xf32>, tensor<1048576xf16>) outs(%e : tensor<1048576xf32>) {
  ^bb0(%a: f32, %b: f16, %o: f32):
    %w = arith.extf %b : f16 to f32
    %q = arith.mulf %w, %w : f32
    %x = arith.mulf %a, %beta2 : f32
    %y = arith.mulf %q, %rest2 : f32
    %z = arith.addf %x, %y : f32
    %skip = arith.cmpi ne, %bad, %none : i32
    %s = arith.select %skip, %a, %z : f32
    linalg.yield %s : f32
  } -> tensor<1048576xf32>
  %p1 = linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = ["parallel"]}
      ins(%p, %m1, %v1 : tensor<1048576xf32>, tensor<1048576xf32>, tensor<1048576xf32>) outs(%e : tensor<1048576xf32>) {
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
  } -> tensor<1048576xf32>
  %h1 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%p1 : tensor<1048576xf32>) outs(%h : tensor<1048576xf16>) {
  ^bb0(%a: f32, %o: f16):
    %s = arith.truncf %a : f32 to f16
    linalg.yield %s : f16
  } -> tensor<1048576xf16>
  return %p1, %m1, %v1, %h1 : tensor<1048576xf32>, tensor<1048576xf32>, tensor<1048576xf32>, tensor<1048576xf16>
}

// -----

// Sums of 64 channels and of their squares, channels innermost: in parts, then those.
#row = affine_map<(i, j) -> (i)>
#down = affine_map<(i, j) -> (j, i)>
func.func @batch_norm_sums(%x: tensor<8192x64xf16>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %z_e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%z_e : tensor<64xf32>) -> tensor<64xf32>
  %sums:2 = linalg.generic {indexing_maps = [#down, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8192x64xf16>) outs(%z, %z : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32, %p: f32):
    %w = arith.extf %a : f16 to f32
    %s = arith.addf %o, %w : f32
    %q = arith.mulf %w, %w : f32
    %t = arith.addf %p, %q : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  return %sums#0, %sums#1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// The norm itself, and the activation behind it.
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @batch_norm(%x: tensor<8192x64xf16>, %mean: tensor<64xf32>, %scale: tensor<64xf32>, %gain: tensor<64xf32>, %bias: tensor<64xf32>) -> tensor<8192x64xf16> {
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<8192x64xf16>
  %y = linalg.generic {indexing_maps = [#all, #column, #column, #column, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %scale, %gain, %bias : tensor<8192x64xf16>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%full : tensor<8192x64xf16>) {
  ^bb0(%a: f16, %b: f32, %c: f32, %g: f32, %h: f32, %o: f16):
    %w = arith.extf %a : f16 to f32
    %d = arith.subf %w, %b : f32
    %f = arith.mulf %d, %c : f32
    %k = arith.mulf %f, %g : f32
    %l = arith.addf %k, %h : f32
    %u = arith.maximumf %l, %zero : f32
    %s = arith.truncf %u : f32 to f16
    linalg.yield %s : f16
  } -> tensor<8192x64xf16>
  return %y : tensor<8192x64xf16>
}

// -----

// Its gradient: two sums of channels, in parts, and elements that read them.
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#down = affine_map<(i, j) -> (j, i)>
func.func @batch_norm_gradient(%x: tensor<8192x64xf16>, %dy: tensor<8192x64xf16>, %mean: tensor<64xf32>, %scale: tensor<64xf32>, %gain: tensor<64xf32>) -> (tensor<8192x64xf16>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8192.0 : f32
  %z_e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%z_e : tensor<64xf32>) -> tensor<64xf32>
  %full = tensor.empty() : tensor<8192x64xf16>
  %sums:2 = linalg.generic {indexing_maps = [#down, #down, #row, #row, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %dy, %mean, %scale : tensor<8192x64xf16>, tensor<8192x64xf16>, tensor<64xf32>, tensor<64xf32>) outs(%z, %z : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32, %d: f32, %o: f32, %p: f32):
    %w = arith.extf %a : f16 to f32
    %g = arith.extf %b : f16 to f32
    %s = arith.addf %o, %g : f32
    %e = arith.subf %w, %c : f32
    %h = arith.mulf %e, %d : f32
    %q = arith.mulf %g, %h : f32
    %t = arith.addf %p, %q : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  %dx = linalg.generic {indexing_maps = [#all, #all, #column, #column, #column, #column, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %dy, %mean, %scale, %gain, %sums#0, %sums#1 : tensor<8192x64xf16>, tensor<8192x64xf16>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%full : tensor<8192x64xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f32, %d: f32, %f: f32, %p: f32, %q: f32, %o: f16):
    %w = arith.extf %a : f16 to f32
    %g = arith.extf %b : f16 to f32
    %e = arith.subf %w, %c : f32
    %h = arith.mulf %e, %d : f32
    %p1 = arith.divf %p, %n : f32
    %q1 = arith.divf %q, %n : f32
    %hq = arith.mulf %h, %q1 : f32
    %u = arith.subf %g, %p1 : f32
    %v = arith.subf %u, %hq : f32
    %r = arith.mulf %v, %d : f32
    %k = arith.mulf %r, %f : f32
    %s = arith.truncf %k : f32 to f16
    linalg.yield %s : f16
  } -> tensor<8192x64xf16>
  return %dx, %sums#0, %sums#1 : tensor<8192x64xf16>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Elements alone: with erf, which is a polynomial and an exponential,
#one = affine_map<(i) -> (i)>
func.func @gelu_erf(%x: tensor<1048576xf16>) -> tensor<1048576xf16> {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %root = arith.constant 0.70710678 : f32
  %e = tensor.empty() : tensor<1048576xf16>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : tensor<1048576xf16>) outs(%e : tensor<1048576xf16>) {
  ^bb0(%a: f16, %o: f16):
    %w = arith.extf %a : f16 to f32
    %h = arith.mulf %w, %half : f32
    %r = arith.mulf %w, %root : f32
    %f = math.erf %r : f32
    %g = arith.addf %f, %one : f32
    %y = arith.mulf %h, %g : f32
    %s = arith.truncf %y : f32 to f16
    linalg.yield %s : f16
  } -> tensor<1048576xf16>
  return %0 : tensor<1048576xf16>
}

// -----

// with tanh,
#one = affine_map<(i) -> (i)>
func.func @gelu_tanh(%x: tensor<1048576xf16>) -> tensor<1048576xf16> {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %cubic = arith.constant 0.044715 : f32
  %factor = arith.constant 0.79788456 : f32
  %e = tensor.empty() : tensor<1048576xf16>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : tensor<1048576xf16>) outs(%e : tensor<1048576xf16>) {
  ^bb0(%a: f16, %o: f16):
    %w = arith.extf %a : f16 to f32
    %q = arith.mulf %w, %w : f32
    %c = arith.mulf %q, %w : f32
    %d = arith.mulf %c, %cubic : f32
    %u = arith.addf %w, %d : f32
    %r = arith.mulf %u, %factor : f32
    %f = math.tanh %r : f32
    %g = arith.addf %f, %one : f32
    %h = arith.mulf %w, %half : f32
    %y = arith.mulf %h, %g : f32
    %s = arith.truncf %y : f32 to f16
    linalg.yield %s : f16
  } -> tensor<1048576xf16>
  return %0 : tensor<1048576xf16>
}

// -----

// with an exponential and a quotient.
#one = affine_map<(i) -> (i)>
func.func @silu(%x: tensor<1048576xf16>) -> tensor<1048576xf16> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1048576xf16>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : tensor<1048576xf16>) outs(%e : tensor<1048576xf16>) {
  ^bb0(%a: f16, %o: f16):
    %w = arith.extf %a : f16 to f32
    %n = arith.negf %w : f32
    %f = math.exp %n : f32
    %g = arith.addf %f, %one : f32
    %y = arith.divf %w, %g : f32
    %s = arith.truncf %y : f32 to f16
    linalg.yield %s : f16
  } -> tensor<1048576xf16>
  return %0 : tensor<1048576xf16>
}

// -----

// A transposed copy.
#all = affine_map<(i, j) -> (i, j)>
#down = affine_map<(i, j) -> (j, i)>
func.func @transpose(%x: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %e = tensor.empty() : tensor<1024x1024xf16>
  %0 = linalg.generic {indexing_maps = [#down, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1024x1024xf16>) outs(%e : tensor<1024x1024xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<1024x1024xf16>
  return %0 : tensor<1024x1024xf16>
}

// -----

// One that rounds.
#all = affine_map<(i, j) -> (i, j)>
#down = affine_map<(i, j) -> (j, i)>
func.func @rounded_transpose(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf16> {
  %e = tensor.empty() : tensor<1024x1024xf16>
  %0 = linalg.generic {indexing_maps = [#down, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1024x1024xf32>) outs(%e : tensor<1024x1024xf16>) {
  ^bb0(%a: f32, %o: f16):
    %s = arith.truncf %a : f32 to f16
    linalg.yield %s : f16
  } -> tensor<1024x1024xf16>
  return %0 : tensor<1024x1024xf16>
}

// -----

// Rows of a table.
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @embedding(%at: tensor<4096xi32>, %table: tensor<32000x768xf16>) -> tensor<4096x768xf16> {
  %e = tensor.empty() : tensor<4096x768xf16>
  %0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<4096xi32>) outs(%e : tensor<4096x768xf16>) {
  ^bb0(%a: i32, %o: f16):
    %i = arith.index_cast %a : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<32000x768xf16>
    linalg.yield %v : f16
  } -> tensor<4096x768xf16>
  return %0 : tensor<4096x768xf16>
}

// -----

// The greatest of 3 x 3 pixels, channels innermost.
#window = affine_map<(n, h, w, c, r, s) -> (n, h + r, w + s, c)>
#size = affine_map<(n, h, w, c, r, s) -> (r, s)>
#pixel = affine_map<(n, h, w, c, r, s) -> (n, h, w, c)>
func.func @max_pool(%x: tensor<32x58x58x64xf16>) -> tensor<32x56x56x64xf16> {
  %least = arith.constant 0xFC00 : f16
  %e = tensor.empty() : tensor<32x56x56x64xf16>
  %size = tensor.empty() : tensor<3x3xf16>
  %l = linalg.fill ins(%least : f16) outs(%e : tensor<32x56x56x64xf16>) -> tensor<32x56x56x64xf16>
  %0 = linalg.generic {indexing_maps = [#window, #size, #pixel], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %size : tensor<32x58x58x64xf16>, tensor<3x3xf16>) outs(%l : tensor<32x56x56x64xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %s = arith.maximumf %o, %a : f16
    linalg.yield %s : f16
  } -> tensor<32x56x56x64xf16>
  return %0 : tensor<32x56x56x64xf16>
}

// -----

// Columns out of a matrix, 16 bytes at a time,
func.func @columns(%x: memref<4096x1024xf16>, %y: memref<4096x512xf16>) {
  %a = memref.subview %x[0, 512] [4096, 512] [1, 1] : memref<4096x1024xf16> to memref<4096x512xf16, strided<[1024, 1], offset: 512>>
  memref.copy %a, %y : memref<4096x512xf16, strided<[1024, 1], offset: 512>> to memref<4096x512xf16>
  return
}

// -----

// every other column, which no wide load reads,
func.func @every_other(%x: memref<4096x1024xf16>, %y: memref<4096x512xf16>) {
  %a = memref.subview %x[0, 0] [4096, 512] [1, 2] : memref<4096x1024xf16> to memref<4096x512xf16, strided<[1024, 2]>>
  memref.copy %a, %y : memref<4096x512xf16, strided<[1024, 2]>> to memref<4096x512xf16>
  return
}

// -----

// and a matrix between its two orders.
func.func @reordered(%x: memref<1024x1024xf16, strided<[1, 1024]>>, %y: memref<1024x1024xf16>) {
  memref.copy %x, %y : memref<1024x1024xf16, strided<[1, 1024]>> to memref<1024x1024xf16>
  return
}

// -----

// A border around images, of whole 16 bytes,
func.func @border(%x: tensor<32x56x56x64xf16>) -> tensor<32x58x58x64xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<32x56x56x64xf16> to tensor<32x58x58x64xf16>
  return %0 : tensor<32x58x58x64xf16>
}

// -----

// and of three channels, which are no power of two.
func.func @narrow_border(%x: tensor<32x224x224x3xf16>) -> tensor<32x230x230x3xf16> {
  %zero = arith.constant 0.0 : f16
  %0 = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<32x224x224x3xf16> to tensor<32x230x230x3xf16>
  return %0 : tensor<32x230x230x3xf16>
}

// -----

// The gradient of a table: rows are added to those that indices name.
func.func @embedding_gradient(%at: memref<4096xi32>, %dy: memref<4096x768xf32>, %table: memref<32000x768xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 32000 : index
  %count = arith.constant 4096 : index
  %width = arith.constant 768 : index
  scf.for %i = %c0 to %count step %c1 {
    scf.for %k = %c0 to %width step %c1 {
      %w = memref.load %at[%i] : memref<4096xi32>
      %r = arith.index_cast %w : i32 to index
      %inside = arith.cmpi ult, %r, %rows : index
      %x = memref.load %dy[%i, %k] : memref<4096x768xf32>
      scf.if %inside {
        %y = memref.load %table[%r, %k] : memref<32000x768xf32>
        %z = arith.addf %y, %x : f32
        memref.store %z, %table[%r, %k] : memref<32000x768xf32>
      }
    }
  }
  return
}

// -----

// Rows that indices name, as a loop.
func.func @gathered_rows(%at: memref<4096xi32>, %table: memref<32000x768xf32>, %to: memref<4096x768xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 4096 : index
  %width = arith.constant 768 : index
  scf.for %i = %c0 to %count step %c1 {
    scf.for %k = %c0 to %width step %c1 {
      %w = memref.load %at[%i] : memref<4096xi32>
      %r = arith.index_cast %w : i32 to index
      %x = memref.load %table[%r, %k] : memref<32000x768xf32>
      memref.store %x, %to[%i, %k] : memref<4096x768xf32>
    }
  }
  return
}

// -----

// Three sums of columns as one launch.
#row = affine_map<(i, j) -> (i)>
#down = affine_map<(i, j) -> (j, i)>
func.func @three_sums(%x: tensor<256x512xf32>, %y: tensor<256x512xf32>, %v: tensor<256x512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
  %zero = arith.constant 0.0 : f32
  %z_e = tensor.empty() : tensor<512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%z_e : tensor<512xf32>) -> tensor<512xf32>
  %0 = linalg.generic {indexing_maps = [#down, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<256x512xf32>) outs(%z : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %1 = linalg.generic {indexing_maps = [#down, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<256x512xf32>) outs(%z : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %2 = linalg.generic {indexing_maps = [#down, #row], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<256x512xf32>) outs(%z : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  return %0, %1, %2 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
}
