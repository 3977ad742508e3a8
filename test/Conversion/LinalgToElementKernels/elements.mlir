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
