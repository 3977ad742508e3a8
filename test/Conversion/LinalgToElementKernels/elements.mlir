// Each form of an operation, its kernel's arguments, and what it is of the step.
// RUN: amp-opt %s --split-input-file --convert-linalg-to-element-kernels --canonicalize | FileCheck %s

// CHECK-LABEL: func @scale
// CHECK-SAME:    (%[[X:.*]]: tensor<4x8xf16>, %[[ROW:.*]]: tensor<8xf32>)
// CHECK-NEXT:  %[[D:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK-NEXT:  %[[R:.*]] = amp.launch_kernels @element_0 ins(in0 = %[[X]], in1 = %[[ROW]]) outs(out0 = %[[D]])
// CHECK-NEXT:  return %[[R]]
// CHECK:       gpu.module @element_0
// CHECK-NEXT:    llvm.func @element_0
// CHECK-SAME:      {elements = 32 : i64, kind = "buffer", name = "in0", type = f16}
// CHECK-SAME:      block = array<i64: 256, 1, 1>, blocks_per_multiprocessor = 8 : i64, {{.*}} grid = array<i64: 1, 1, 1>
// CHECK:           scf.for
// CHECK:             arith.extf
// CHECK-NEXT:        arith.mulf
func.func @scale(%x: tensor<4x8xf16>, %row: tensor<8xf32>) -> tensor<4x8xf32> {
  %empty = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %row : tensor<4x8xf16>, tensor<8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%a: f16, %b: f32, %out: f32):
    %wide = arith.extf %a : f16 to f32
    %product = arith.mulf %wide, %b : f32
    linalg.yield %product : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Sums of rows in f32, one after the other, from what the result starts from; the result
// keeps a dimension of one.
// CHECK-LABEL: func @row_sums
// CHECK:       amp.launch_kernels @element_0 ins(in0 = %{{.*}}, start0 = %{{.*}}) outs(out0 = %{{.*}})
// CHECK:       gpu.module @element_0
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             arith.addf
func.func @row_sums(%x: tensor<37x70xf32>, %start: tensor<37x1xf32>) -> tensor<37x1xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<37x70xf32>) outs(%start : tensor<37x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %sum = arith.addf %out, %a : f32
    linalg.yield %sum : f32
  } -> tensor<37x1xf32>
  return %0 : tensor<37x1xf32>
}

// -----

// Two results, one transposed, more than a block of elements.
// CHECK-LABEL: func @two_results
// CHECK:       amp.launch_kernels @element_0 ins(in0 = %{{.*}}) outs(out0 = %{{.*}}, out1 = %{{.*}})
// CHECK:       grid = array<i64: 8, 1, 1>
func.func @two_results(%x: tensor<40x50xf32>) -> (tensor<50x40xf32>, tensor<40x50xf16>) {
  %e0 = tensor.empty() : tensor<50x40xf32>
  %e1 = tensor.empty() : tensor<40x50xf16>
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<40x50xf32>) outs(%e0, %e1 : tensor<50x40xf32>, tensor<40x50xf16>) {
  ^bb0(%a: f32, %o0: f32, %o1: f16):
    %square = arith.mulf %a, %a : f32
    %half = arith.truncf %a : f32 to f16
    linalg.yield %square, %half : f32, f16
  } -> (tensor<50x40xf32>, tensor<40x50xf16>)
  return %0#0, %0#1 : tensor<50x40xf32>, tensor<40x50xf16>
}

// -----

// Rows of a table by index, clamped into it, the place itself, which needs no clamp, and a
// number from a tensor of one.
// CHECK-LABEL: func @gather
// CHECK-SAME:    (%[[TABLE:.*]]: tensor<9x5xf32>, %[[INDEX:.*]]: tensor<6xi32>, %[[FACTOR:.*]]: tensor<f32>)
// CHECK-NOT:   tensor.extract
// CHECK:       amp.launch_kernels @element_0 ins(in0 = %[[INDEX]], table0 = %[[TABLE]], number0 = %[[FACTOR]])
// CHECK:       %[[WIDE:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK:       %[[INSIDE:.*]] = arith.minui %[[WIDE]], %{{.*}} : index
// CHECK:       arith.index_cast %[[INSIDE]] : index to i32
// CHECK-NOT:   arith.minui
func.func @gather(%table: tensor<9x5xf32>, %index: tensor<6xi32>, %factor: tensor<f32>) -> tensor<6x5xf32> {
  %number = tensor.extract %factor[] : tensor<f32>
  %empty = tensor.empty() : tensor<6x5xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%index : tensor<6xi32>) outs(%empty : tensor<6x5xf32>) {
  ^bb0(%row: i32, %out: f32):
    %r = arith.index_cast %row : i32 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %table[%r, %c] : tensor<9x5xf32>
    %place = arith.index_cast %c : index to i32
    %p = arith.sitofp %place : i32 to f32
    %s = arith.mulf %v, %number : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// -----

// A named operation, strides and offsets in what is read, and a constant start, whose fill
// is a launch of its own.
// CHECK-LABEL: func @pool
// CHECK:       %[[START:.*]] = amp.launch_kernels @element_1 ins() outs(out0 = %{{.*}})
// CHECK:       amp.launch_kernels @element_0 ins(in0 = %{{.*}}, start0 = %[[START]])
// CHECK-NOT:   linalg
// CHECK:       return
func.func @pool(%x: tensor<2x9x9x3xf32>) -> tensor<2x4x4x3xf32> {
  %least = arith.constant -100.0 : f32
  %empty = tensor.empty() : tensor<2x4x4x3xf32>
  %start = linalg.fill ins(%least : f32) outs(%empty : tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %window : tensor<2x9x9x3xf32>, tensor<3x3xf32>) outs(%start : tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32>
  return %0 : tensor<2x4x4x3xf32>
}

// -----

// Equal operations share a kernel, others do not.
// CHECK-LABEL: func @equal
// CHECK:       amp.launch_kernels @element_0
// CHECK:       amp.launch_kernels @element_0
// CHECK:       amp.launch_kernels @element_1
// CHECK-COUNT-2: gpu.module
// CHECK-NOT:   gpu.module
func.func @equal(%x: tensor<300xf32>, %y: tensor<300xf32>) -> tensor<300xf32> {
  %e = tensor.empty() : tensor<300xf32>
  %0 = linalg.add ins(%x, %y : tensor<300xf32>, tensor<300xf32>) outs(%e : tensor<300xf32>) -> tensor<300xf32>
  %1 = linalg.add ins(%0, %y : tensor<300xf32>, tensor<300xf32>) outs(%e : tensor<300xf32>) -> tensor<300xf32>
  %2 = linalg.sub ins(%1, %x : tensor<300xf32>, tensor<300xf32>) outs(%e : tensor<300xf32>) -> tensor<300xf32>
  return %2 : tensor<300xf32>
}

// -----

// A comparison is a byte in memory; a choice reads it.
// CHECK-LABEL: func @choice
// CHECK:       {elements = 33 : i64, kind = "buffer", name = "out0", type = i8}
// CHECK:       {elements = 33 : i64, kind = "buffer", name = "in0", type = i8}
func.func @choice(%x: tensor<33xf32>, %y: tensor<33xf32>) -> tensor<33xf32> {
  %e = tensor.empty() : tensor<33xi1>
  %less = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x, %y : tensor<33xf32>, tensor<33xf32>) outs(%e : tensor<33xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %0 = arith.cmpf olt, %a, %b : f32
    linalg.yield %0 : i1
  } -> tensor<33xi1>
  %f = tensor.empty() : tensor<33xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%less, %x : tensor<33xi1>, tensor<33xf32>) outs(%f : tensor<33xf32>) {
  ^bb0(%c: i1, %a: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.select %c, %a, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<33xf32>
  return %r : tensor<33xf32>
}

// -----

// Indices outside: what is negative, and what has 2^32 too many, reads the last place.
// CHECK-LABEL: func @gather_outside
// CHECK:       arith.minui %{{.*}}, %{{.*}} : index
func.func @gather_outside(%table: tensor<9xf32>, %index: tensor<6xi64>) -> tensor<6xf32> {
  %empty = tensor.empty() : tensor<6xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%index : tensor<6xi64>) outs(%empty : tensor<6xf32>) {
  ^bb0(%row: i64, %out: f32):
    %r = arith.index_cast %row : i64 to index
    %v = tensor.extract %table[%r] : tensor<9xf32>
    linalg.yield %v : f32
  } -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// A function without an instruction, of halves: computed wide and rounded.
// CHECK-LABEL: func @logarithm
// CHECK:       amp.launch_kernels
func.func @logarithm(%x: tensor<33xf16>) -> tensor<33xf16> {
  %e = tensor.empty() : tensor<33xf16>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<33xf16>) outs(%e : tensor<33xf16>) {
  ^bb0(%a: f16, %out: f16):
    %size = math.absf %a : f16
    %log = math.log %size : f16
    linalg.yield %log : f16
  } -> tensor<33xf16>
  return %r : tensor<33xf16>
}

// -----

// A thread takes what an access of 16 bytes has: 4 elements of f32, which are 8 bytes of f16.
// A number of a row is read once for all.
// CHECK-LABEL: func @wide
// CHECK:       grid = array<i64: 1, 1, 1>
// CHECK:         scf.for
// CHECK:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:           llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-NOT:       llvm.load
// CHECK-COUNT-4:   arith.mulf
// CHECK-NOT:       arith.mulf
// CHECK-COUNT-1:   llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT:       llvm.store
func.func @wide(%x: tensor<6x8xf16>, %row: tensor<8xf32>, %column: tensor<6xf32>) -> tensor<6x8xf32> {
  %empty = tensor.empty() : tensor<6x8xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %column : tensor<6x8xf16>, tensor<8xf32>, tensor<6xf32>) outs(%empty : tensor<6x8xf32>) {
  ^bb0(%a: f16, %b: f32, %c: f32, %out: f32):
    %wide = arith.extf %a : f16 to f32
    %sum = arith.addf %wide, %c : f32
    %product = arith.mulf %sum, %b : f32
    linalg.yield %product : f32
  } -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// -----

// Halves are 8, bits 16; an index says which of them.
// CHECK-LABEL: func @halves
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:       llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<8xi8>
// CHECK:       llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
func.func @halves(%x: tensor<3x16xf16>, %keep: tensor<3x16xi1>) -> tensor<3x16xf16> {
  %empty = tensor.empty() : tensor<3x16xf16>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %keep : tensor<3x16xf16>, tensor<3x16xi1>) outs(%empty : tensor<3x16xf16>) {
  ^bb0(%a: f16, %k: i1, %out: f16):
    %place = linalg.index 1 : index
    %number = arith.index_cast %place : index to i32
    %other = arith.sitofp %number : i32 to f16
    %choice = arith.select %k, %a, %other : f16
    linalg.yield %choice : f16
  } -> tensor<3x16xf16>
  return %0 : tensor<3x16xf16>
}

// -----

// 4 rows of sums at once, one row of elements each.
// CHECK-LABEL: func @wide_sums
// CHECK:       scf.for
// CHECK:         scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = {{.*}}) -> (f32, f32, f32, f32)
// CHECK:           llvm.load %{{.*}} -> vector<4xf32>
// CHECK-NOT:       llvm.load
func.func @wide_sums(%x: tensor<5x12xf32>, %start: tensor<12xf32>) -> tensor<12xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x12xf32>) outs(%start : tensor<12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %sum = arith.addf %out, %a : f32
    linalg.yield %sum : f32
  } -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

// Near misses. Rows of 7 begin anywhere; so do those of 6 beyond two elements.
// CHECK-LABEL: func @odd_rows
// CHECK-DAG:   gpu.module @element_0
// CHECK-DAG:   gpu.module @element_1
// CHECK-NOT:   vector<4x
// CHECK:       vector<2xf32>
// CHECK-NOT:   vector<4x
func.func @odd_rows(%x: tensor<4x7xf32>, %y: tensor<4x6xf32>) -> (tensor<4x7xf32>, tensor<4x6xf32>) {
  %e = tensor.empty() : tensor<4x7xf32>
  %f = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.add ins(%x, %x : tensor<4x7xf32>, tensor<4x7xf32>) outs(%e : tensor<4x7xf32>) -> tensor<4x7xf32>
  %1 = linalg.add ins(%y, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1 : tensor<4x7xf32>, tensor<4x6xf32>
}

// -----

// Elements that are read one further, every other, in reverse and by every other column are read one
// by one, and written in rows.
// CHECK-LABEL: func @read_apart
// CHECK-NOT:   vector<{{.*}} -> 
// CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-NOT:   llvm.load
// CHECK:       llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
func.func @read_apart(%x: tensor<4x12xf32>, %y: tensor<8x7xf32>, %z: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j + 1)>, affine_map<(i, j) -> (i, -j + 7)>, affine_map<(i, j) -> (j, i * 2)>,
                       affine_map<(i, j) -> (i, j * 2)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %x, %y, %z : tensor<4x12xf32>, tensor<4x12xf32>, tensor<8x7xf32>, tensor<4x16xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    %2 = arith.addf %1, %d : f32
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A transpose: a thread takes patches of 8 by 8, so that it reads rows and writes rows. All are read
// before the first is written. What lies as the result does is read in its rows, and numbers of a row
// once.
// CHECK-LABEL: func @transpose
// CHECK:       gpu.module @element_0
// CHECK:         grid = array<i64: 1, 1, 1>
// CHECK:         scf.for
// CHECK-COUNT-8:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-COUNT-8:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:       -> vector
// CHECK-COUNT-8:   llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK-NOT:     llvm.store
// CHECK:         llvm.return
func.func @transpose(%x: tensor<3x64x48xf16>, %y: tensor<3x48x64xf16>, %row: tensor<48xf16>) -> tensor<3x48x64xf16> {
  %empty = tensor.empty() : tensor<3x48x64xf16>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(b, i, j) -> (b, j, i)>, affine_map<(b, i, j) -> (b, i, j)>,
                       affine_map<(b, i, j) -> (i)>, affine_map<(b, i, j) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y, %row : tensor<3x64x48xf16>, tensor<3x48x64xf16>, tensor<48xf16>) outs(%empty : tensor<3x48x64xf16>) {
  ^bb0(%a: f16, %b: f16, %r: f16, %out: f16):
    %s = arith.addf %a, %b : f16
    %p = arith.mulf %s, %r : f16
    linalg.yield %p : f16
  } -> tensor<3x48x64xf16>
  return %0 : tensor<3x48x64xf16>
}

// -----

// Rounded on the way: the widest element says how many make a row of 16 bytes, here four. The loop
// that the input's rows lie along is the outermost; two results.
// CHECK-LABEL: func @rounded_transpose
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xf16>
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK-NOT:   llvm.store
// CHECK:       llvm.return
func.func @rounded_transpose(%x: tensor<5x12x20xf32>) -> (tensor<20x5x12xf16>, tensor<20x5x12xf32>) {
  %e0 = tensor.empty() : tensor<20x5x12xf16>
  %e1 = tensor.empty() : tensor<20x5x12xf32>
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(k, i, j) -> (i, j, k)>, affine_map<(k, i, j) -> (k, i, j)>, affine_map<(k, i, j) -> (k, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<5x12x20xf32>) outs(%e0, %e1 : tensor<20x5x12xf16>, tensor<20x5x12xf32>) {
  ^bb0(%a: f32, %o0: f16, %o1: f32):
    %h = arith.truncf %a : f32 to f16
    %n = arith.negf %a : f32
    linalg.yield %h, %n : f16, f32
  } -> (tensor<20x5x12xf16>, tensor<20x5x12xf32>)
  return %0#0, %0#1 : tensor<20x5x12xf16>, tensor<20x5x12xf32>
}

// -----

// Near miss: the input's rows are of 3, as those of a filter's taps are; no access takes them.
// CHECK-LABEL: func @short_rows
// CHECK:       grid = array<i64: 1, 1, 1>
// CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK:       llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK-NOT:   llvm.store
// CHECK:       llvm.return
func.func @short_rows(%x: tensor<4x16x3xf16>) -> tensor<4x3x16xf16> {
  %empty = tensor.empty() : tensor<4x3x16xf16>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(k, s, c) -> (k, c, s)>, affine_map<(k, s, c) -> (k, s, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x16x3xf16>) outs(%empty : tensor<4x3x16xf16>) {
  ^bb0(%a: f16, %out: f16):
    linalg.yield %a : f16
  } -> tensor<4x3x16xf16>
  return %0 : tensor<4x3x16xf16>
}

// -----

// Powers of integers, of any exponent and of known ones.
// CHECK-LABEL: func @powers
// CHECK:       amp.launch_kernels
// CHECK-NOT:   linalg.generic
func.func @powers(%x: tensor<64xi32>, %n: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) {
  %e = tensor.empty() : tensor<64xi32>
  %r:3 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                       affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x, %n : tensor<64xi32>, tensor<64xi32>)
      outs(%e, %e, %e : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) {
  ^bb0(%a: i32, %b: i32, %o0: i32, %o1: i32, %o2: i32):
    %three = arith.constant 3 : i32
    %four = arith.constant 4 : i32
    %five = arith.constant 5 : i32
    %minus = arith.constant -3 : i32
    %base = arith.subi %a, %three : i32
    %0 = arith.subi %b, %four : i32
    %exponent = arith.muli %0, %five : i32
    %any = math.ipowi %base, %exponent : i32
    %cube = math.ipowi %base, %three : i32
    %inverse = math.ipowi %base, %minus : i32
    linalg.yield %any, %cube, %inverse : i32, i32, i32
  } -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>)
  return %r#0, %r#1, %r#2 : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
}

// -----

// Of narrow ones, where all is modulo 2^8 or 2^16.
// CHECK-LABEL: func @narrow_powers
// CHECK:       amp.launch_kernels
// CHECK-NOT:   linalg.generic
func.func @narrow_powers(%x: tensor<64xi32>, %n: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) {
  %e = tensor.empty() : tensor<64xi32>
  %r:3 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                       affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x, %n : tensor<64xi32>, tensor<64xi32>)
      outs(%e, %e, %e : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) {
  ^bb0(%a: i32, %b: i32, %o0: i32, %o1: i32, %o2: i32):
    %x8 = arith.trunci %a : i32 to i8
    %n8 = arith.trunci %b : i32 to i8
    %p8 = math.ipowi %x8, %n8 : i8
    %w8 = arith.extsi %p8 : i8 to i32
    %x16 = arith.trunci %a : i32 to i16
    %n16 = arith.trunci %b : i32 to i16
    %p16 = math.ipowi %x16, %n16 : i16
    %w16 = arith.extsi %p16 : i16 to i32
    %x64 = arith.extsi %a : i32 to i64
    %n64 = arith.extsi %b : i32 to i64
    %p64 = math.ipowi %x64, %n64 : i64
    %w64 = arith.trunci %p64 : i64 to i32
    linalg.yield %w8, %w16, %w64 : i32, i32, i32
  } -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>)
  return %r#0, %r#1, %r#2 : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
}

// -----

// A slice that begins where its tensor does is read there, in whatever shape. Rows of 8 of 16 are read by 8; those of 5 of
// 7 one by one.
// CHECK-LABEL: func @beginning
// CHECK-SAME:    (%[[X:.*]]: tensor<6x16xf16>, %[[Y:.*]]: tensor<6x7xf32>)
// CHECK-NOT:   tensor.extract_slice
// CHECK:       amp.launch_kernels @element_0 ins(in0 = %[[X]]) outs
// CHECK:       amp.launch_kernels @element_1 ins(in0 = %[[Y]]) outs
// CHECK:       gpu.module @element_0
// CHECK:       {elements = 96 : i64, kind = "buffer", name = "in0", type = f16}
// CHECK:       llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:       gpu.module @element_1
func.func @beginning(%x: tensor<6x16xf16>, %y: tensor<6x7xf32>) -> (tensor<2x3x8xf16>, tensor<6x5xf32>) {
  %s = tensor.extract_slice %x[0, 0] [6, 8] [1, 1] : tensor<6x16xf16> to tensor<6x8xf16>
  %t = tensor.expand_shape %s [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf16> into tensor<2x3x8xf16>
  %e = tensor.empty() : tensor<2x3x8xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t : tensor<2x3x8xf16>) outs(%e : tensor<2x3x8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %v = arith.addf %a, %a : f16
    linalg.yield %v : f16
  } -> tensor<2x3x8xf16>
  %u = tensor.extract_slice %y[0, 0] [6, 5] [1, 1] : tensor<6x7xf32> to tensor<6x5xf32>
  %f = tensor.empty() : tensor<6x5xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%u : tensor<6x5xf32>) outs(%f : tensor<6x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<6x5xf32>
  return %0, %1 : tensor<2x3x8xf16>, tensor<6x5xf32>
}

// -----

// What begins elsewhere stays a slice (amp-read-through-slices is for it).
// CHECK-LABEL: func @behind
// CHECK:       %[[S:.*]] = tensor.extract_slice
// CHECK:       amp.launch_kernels @element_0 ins(in0 = %[[S]]) outs
func.func @behind(%x: tensor<6x16xf16>) -> tensor<6x8xf16> {
  %s = tensor.extract_slice %x[0, 8] [6, 8] [1, 1] : tensor<6x16xf16> to tensor<6x8xf16>
  %e = tensor.empty() : tensor<6x8xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<6x8xf16>) outs(%e : tensor<6x8xf16>) {
  ^bb0(%a: f16, %o: f16):
    %v = arith.addf %a, %a : f16
    linalg.yield %v : f16
  } -> tensor<6x8xf16>
  return %0 : tensor<6x8xf16>
}
