// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-gathered,canonicalize))" | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-gathered{of-arguments=true},canonicalize))" | FileCheck %s --check-prefix=ARGUMENTS

// The loss of a softmax: one logarithm of each row, through a reshape and two operations, from the half logits.
// CHECK-LABEL: func @loss
// CHECK-SAME:    (%[[X:.*]]: tensor<2x4x64xf16>, %[[M:.*]]: tensor<8xf32>
// CHECK:       linalg.generic {{.*}} ins(%{{.*}} : tensor<8xindex>)
// CHECK:         %[[I:.*]] = linalg.index 0
// CHECK:         %[[T:.*]] = arith.remui %[[I]], %c4
// CHECK:         %[[B:.*]] = arith.divui %[[I]], %c4
// CHECK:         %[[H:.*]] = tensor.extract %[[X]][%[[B]], %[[T]], %{{.*}}] : tensor<2x4x64xf16>
// CHECK:         %[[W:.*]] = arith.extf %[[H]]
// CHECK:         %[[E:.*]] = tensor.extract %[[M]][%[[I]]] : tensor<8xf32>
// CHECK:         %[[D:.*]] = arith.subf %[[W]], %[[E]]
// CHECK:         linalg.yield %[[D]]
func.func @loss(%x: tensor<2x4x64xf16>, %m: tensor<8xf32>, %label: tensor<8xindex>) -> tensor<8xf32> {
  %e3 = tensor.empty() : tensor<2x4x64xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x4x64xf16>) outs(%e3 : tensor<2x4x64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %s = arith.extf %a : f16 to f32
    linalg.yield %s : f32
  } -> tensor<2x4x64xf32>
  %rows = tensor.collapse_shape %w [[0, 1], [2]] : tensor<2x4x64xf32> into tensor<8x64xf32>
  %e2 = tensor.empty() : tensor<8x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %m : tensor<8x64xf32>, tensor<8xf32>) outs(%e2 : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%label : tensor<8xindex>) outs(%e1 : tensor<8xf32>) {
  ^bb0(%j: index, %o: f32):
    %i = linalg.index 0 : index
    %t = tensor.extract %d[%i, %j] : tensor<8x64xf32>
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A transposed result, an operand that is broadcast, a number, and the place of the element.
// CHECK-LABEL: func @places
// CHECK-SAME:    (%[[X:.*]]: tensor<64x3xf32>, %[[V:.*]]: tensor<1x3xf32>, %[[S:.*]]: f32
// CHECK:       ^bb0(%[[J:.*]]: index, %{{.*}}: f32):
// CHECK:         %[[I:.*]] = linalg.index 0
// CHECK:         %[[A:.*]] = tensor.extract %[[X]][%[[J]], %[[I]]]
// CHECK:         %[[B:.*]] = tensor.extract %[[V]][%c0, %[[I]]]
// CHECK:         arith.index_cast %[[J]]
// CHECK:         arith.mulf %[[A]], %[[B]]
// CHECK:         arith.addf %{{.*}}, %[[S]]
func.func @places(%x: tensor<64x3xf32>, %v: tensor<1x3xf32>, %s: f32, %at: tensor<3xindex>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v, %s : tensor<64x3xf32>, tensor<1x3xf32>, f32) outs(%e : tensor<3x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %p, %c : f32
    %t = arith.addf %q, %f : f32
    linalg.yield %t : f32
  } -> tensor<3x64xf32>
  %e1 = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<3xindex>) outs(%e1 : tensor<3xf32>) {
  ^bb0(%j: index, %o: f32):
    %i = linalg.index 0 : index
    %t = tensor.extract %d[%i, %j] : tensor<3x64xf32>
    linalg.yield %t : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// A dimension that was parted is put together.
// CHECK-LABEL: func @parted
// CHECK-SAME:    (%[[X:.*]]: tensor<12x4xf32>, %[[AT:.*]]: tensor<2xindex>)
// CHECK:         %[[R:.*]] = arith.muli %[[I:.*]], %c3
// CHECK:         %[[S:.*]] = arith.addi %[[R]], %[[J:.*]] : index
// CHECK:         tensor.extract %[[X]][%[[S]], %[[I]]] : tensor<12x4xf32>
// CHECK-NEXT:    math.exp
func.func @parted(%x: tensor<12x4xf32>, %at: tensor<2xindex>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<12x4xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<12x4xf32>) outs(%e : tensor<12x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<12x4xf32>
  %parts = tensor.expand_shape %d [[0, 1], [2]] output_shape [4, 3, 4] : tensor<12x4xf32> into tensor<4x3x4xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<2xindex>) outs(%e1 : tensor<2xf32>) {
  ^bb0(%j: index, %o: f32):
    %i = linalg.index 0 : index
    %t = tensor.extract %parts[%i, %j, %i] : tensor<4x3x4xf32>
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// Near misses. What was rounded from more bytes stays a tensor of few.
// CHECK-LABEL: func @rounded
// CHECK:       tensor.extract %{{.*}} : tensor<8x64xf16>
// CHECK-NOT:   arith.truncf
func.func @rounded(%x: tensor<8x64xf32>, %label: tensor<8xindex>) -> tensor<8xf16> {
  %e = tensor.empty() : tensor<8x64xf16>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf16>) {
  ^bb0(%a: f32, %o: f16):
    %s = arith.truncf %a : f32 to f16
    linalg.yield %s : f16
  } -> tensor<8x64xf16>
  %e1 = tensor.empty() : tensor<8xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%label : tensor<8xindex>) outs(%e1 : tensor<8xf16>) {
  ^bb0(%j: index, %o: f16):
    %i = linalg.index 0 : index
    %t = tensor.extract %d[%i, %j] : tensor<8x64xf16>
    linalg.yield %t : f16
  } -> tensor<8xf16>
  return %r : tensor<8xf16>
}

// -----

// A quarter of all elements is too many.
// CHECK-LABEL: func @many
// CHECK:         tensor.extract %{{.*}} : tensor<8x4xf32>
// CHECK-NEXT:    linalg.yield
func.func @many(%x: tensor<8x4xf16>, %label: tensor<8xindex>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf16>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f16, %o: f32):
    %s = arith.extf %a : f16 to f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%label : tensor<8xindex>) outs(%e1 : tensor<8xf32>) {
  ^bb0(%j: index, %o: f32):
    %i = linalg.index 0 : index
    %t = tensor.extract %d[%i, %j] : tensor<8x4xf32>
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A sum, and what is added to the tensor that it is written to.
// CHECK-LABEL: func @sums
// CHECK:         tensor.extract %{{.*}} : tensor<64xf32>
// CHECK:         tensor.extract %{{.*}} : tensor<64xf32>
// CHECK-NEXT:    arith.addf
func.func @sums(%x: tensor<64x4xf32>, %start: tensor<64xf32>, %at: tensor<2xindex>) -> tensor<2xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x4xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%start : tensor<64xf32>) outs(%d : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<2xindex>) outs(%e1 : tensor<2xf32>) {
  ^bb0(%j: index, %o: f32):
    %t = tensor.extract %d[%j] : tensor<64xf32>
    %u = tensor.extract %f[%j] : tensor<64xf32>
    %v = arith.addf %t, %u : f32
    linalg.yield %v : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// A result with a constant index, which names no loop.
// CHECK-LABEL: func @constant_index
// CHECK:         tensor.extract
// CHECK-NEXT:    linalg.yield
func.func @constant_index(%x: tensor<1x64xf32>, %at: tensor<2xindex>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<1x64xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<2xindex>) outs(%e1 : tensor<2xf32>) {
  ^bb0(%j: index, %o: f32):
    %zero = arith.constant 0 : index
    %t = tensor.extract %d[%zero, %j] : tensor<1x64xf32>
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// What may be heard of is computed once.
// CHECK-LABEL: func @asserted
// CHECK:         cf.assert
// CHECK:         tensor.extract
// CHECK-NEXT:    linalg.yield
func.func @asserted(%x: tensor<4x64xf32>, %at: tensor<2xindex>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<4x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %ok = arith.cmpf oeq, %a, %a : f32
    cf.assert %ok, "a NaN"
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<4x64xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<2xindex>) outs(%e1 : tensor<2xf32>) {
  ^bb0(%j: index, %o: f32):
    %zero = arith.constant 0 : index
    %t = tensor.extract %d[%zero, %j] : tensor<4x64xf32>
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// Extents that are not known may be few.
// CHECK-LABEL: func @dynamic
// CHECK:         tensor.extract
// CHECK-NEXT:    linalg.yield
func.func @dynamic(%x: tensor<?x64xf32>, %at: tensor<2xindex>, %n: index) -> tensor<2xf32> {
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<?x64xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<2xindex>) outs(%e1 : tensor<2xf32>) {
  ^bb0(%j: index, %o: f32):
    %zero = arith.constant 0 : index
    %t = tensor.extract %d[%zero, %j] : tensor<?x64xf32>
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// With `of-arguments`, rows of a table that is rounded as a whole for them: the table is an argument, which stays. What
// is computed from anything else is left, though it takes no more bytes.
// ARGUMENTS-LABEL: func @table
// ARGUMENTS-SAME:    (%[[T:.*]]: tensor<64x8xf32>, %[[ROWS:.*]]: tensor<4xindex>)
// ARGUMENTS:       linalg.generic {{.*}} ins(%[[ROWS]]
// ARGUMENTS:         %[[E:.*]] = tensor.extract %[[T]][%{{.*}}, %{{.*}}] : tensor<64x8xf32>
// ARGUMENTS:         arith.truncf %[[E]]
// CHECK-LABEL: func @table
// CHECK:         tensor.extract %{{.*}} : tensor<64x8xbf16>
func.func @table(%t: tensor<64x8xf32>, %rows: tensor<4xindex>) -> tensor<4x8xbf16> {
  %e = tensor.empty() : tensor<64x8xbf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<64x8xf32>) outs(%e : tensor<64x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<64x8xbf16>
  %f = tensor.empty() : tensor<4x8xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<4xindex>) outs(%f : tensor<4x8xbf16>) {
  ^bb0(%row: index, %o: bf16):
    %j = linalg.index 1 : index
    %x = tensor.extract %h[%row, %j] : tensor<64x8xbf16>
    linalg.yield %x : bf16
  } -> tensor<4x8xbf16>
  return %r : tensor<4x8xbf16>
}

// -----

// ARGUMENTS-LABEL: func @of_a_value
// ARGUMENTS:         tensor.extract %{{.*}} : tensor<64x8xf32>
// CHECK-LABEL: func @of_a_value
// CHECK:         tensor.extract %{{.*}} : tensor<64x8xf16>
func.func @of_a_value(%x: tensor<64x8xf16>, %y: tensor<8x64xf16>, %rows: tensor<4xindex>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<64x8xf32>
  %eh = tensor.empty() : tensor<64x8xf16>
  %t = linalg.transpose ins(%y : tensor<8x64xf16>) outs(%eh : tensor<64x8xf16>) permutation = [1, 0]
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<64x8xf16>) outs(%e : tensor<64x8xf32>) {
  ^bb0(%a: f16, %o: f32):
    %r = arith.extf %a : f16 to f32
    linalg.yield %r : f32
  } -> tensor<64x8xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<4xindex>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%row: index, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %h[%row, %j] : tensor<64x8xf32>
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
