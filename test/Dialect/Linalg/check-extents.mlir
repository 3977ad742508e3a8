// RUN: amp-opt %s --amp-check-extents | FileCheck %s
// Casts alone, of a size that the canonicalizer would fold into the slice.
// RUN: amp-opt %s --amp-check-extents --canonicalize | FileCheck %s --check-prefix=CASTS
// RUN: amp-opt %s --canonicalize --amp-check-extents | FileCheck %s --check-prefix=FOLDED

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// Two extents of one loop, of which one is known; and both unknown. In front of everything, once.
// CHECK-LABEL: func.func @loops
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<?x?xf32>, %[[B:[a-z0-9]*]]: tensor<?xf32>
// CHECK-DAG:     %[[COLUMNS:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG:     %[[BIAS:.*]] = tensor.dim %[[B]], %c0
// CHECK-DAG:     %[[FITS:.*]] = arith.cmpi eq, %[[BIAS]], %[[COLUMNS]]
// CHECK:         cf.assert %[[FITS]], "dimension 0 of operand 1 has another extent than dimension 1 of operand 0 of 'linalg.generic' at loc(\22{{.*}}check-extents.mlir\22:{{[0-9]+}}:{{[0-9]+}}): expected a batch of the shape that the step is written for"
// CHECK:         %[[EIGHT:.*]] = arith.cmpi eq, %[[COLUMNS]], %c8
// CHECK:         cf.assert %[[EIGHT]], "dimension 1 of operand 0 has another extent than dimension 0 of operand 1 of 'linalg.matmul'
// CHECK-NOT:     cf.assert
// CHECK:         linalg.generic
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @loops(%x: tensor<?x?xf32>, %b: tensor<?xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.mulf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %e4 = tensor.empty(%rows) : tensor<?x4xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<?x?xf32>, tensor<8x4xf32>) outs(%e4 : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// The last window lies in the image: 2 (3 - 1) + (4 - 1) is an index of it.
// CHECK-LABEL: func.func @windows
// CHECK:         %[[LENGTH:.*]] = tensor.dim %arg0, %c0
// CHECK:         %[[INSIDE:.*]] = arith.cmpi sgt, %[[LENGTH]], %c7
// CHECK:         cf.assert %[[INSIDE]], "dimension 0 of operand 0 is shorter than the windows of 'linalg.generic'
func.func @windows(%x: tensor<?xf32>, %w: tensor<4xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<?xf32>, tensor<4xf32>) outs(%out : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// What a cast claims, and a slice.
// CHECK-LABEL: func.func @claims
// CHECK:         cf.assert %{{.*}}, "size mismatch of dim 0 of 'tensor.cast' at
// CHECK:         cf.assert %{{.*}}, "extract_slice runs out-of-bounds along dimension 0 of 'tensor.extract_slice' at
func.func @claims(%x: tensor<?xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<3xf32>
  %1 = tensor.extract_slice %x[1] [2] [1] : tensor<?xf32> to tensor<2xf32>
  return %0, %1 : tensor<3xf32>, tensor<2xf32>
}

// CASTS-LABEL: func.func @claims
// CASTS:         cf.assert %{{.*}}, "size mismatch of dim 0 of 'tensor.cast' at
// CASTS-LABEL: func.func @claims_of_slices
// CASTS-SAME:    %[[X:[a-z0-9]*]]: tensor<?xf32>, %[[N:[a-z0-9]*]]: index
// CASTS:         %[[FITS:.*]] = arith.cmpi eq, %[[N]], %c3
// CASTS:         cf.assert %[[FITS]], "size mismatch of dim 0 of 'tensor.cast' at
// CASTS:         tensor.extract_slice %[[X]][0] [3] [1]
// FOLDED-LABEL: func.func @claims_of_slices
// FOLDED-NOT:    tensor.cast
// FOLDED:        return
func.func @claims_of_slices(%x: tensor<?xf32>, %n: index) -> tensor<3xf32> {
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %1 = tensor.cast %0 : tensor<?xf32> to tensor<3xf32>
  return %1 : tensor<3xf32>
}

// What is inserted has the size of its slice, which lies inside.
// CHECK-LABEL: func.func @insertion(
// CHECK:         %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK:         %[[WHOLE:.*]] = arith.cmpi eq, %[[N]], %arg2
// CHECK:         cf.assert %[[WHOLE]], "dimension 0 of operand 0 has another extent than the slice of 'tensor.insert_slice' at
// CHECK:         %[[INSIDE:.*]] = arith.cmpi sle, %arg2, %c8
// CHECK:         cf.assert %[[INSIDE]], "insert_slice runs out-of-bounds along dimension 0 of 'tensor.insert_slice' at
// CHECK-NOT:     cf.assert
// CHECK:         tensor.insert_slice
func.func @insertion(%x: tensor<?xf32>, %y: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %0 = tensor.insert_slice %x into %y[0] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A row, of which one dimension is left out; every third element, or none.
// CHECK-LABEL: func.func @insertion_of_a_row
// CHECK:         %[[FROM:.*]] = arith.cmpi sge, %arg2, %c0
// CHECK:         %[[ROWS:.*]] = tensor.dim %arg1, %c0
// CHECK:         %[[TO:.*]] = arith.cmpi slt, %arg2, %[[ROWS]]
// CHECK:         %[[INSIDE:.*]] = arith.andi %[[FROM]], %[[TO]]
// CHECK:         cf.assert %[[INSIDE]], "insert_slice runs out-of-bounds along dimension 0
// CHECK-NOT:     cf.assert
// CHECK-LABEL: func.func @insertion_with_strides
// CHECK:         %[[NONE:.*]] = arith.cmpi eq, %arg2, %c0
// CHECK:         %[[BEFORE:.*]] = arith.subi %arg2, %c1
// CHECK:         %[[STEPS:.*]] = arith.muli %[[BEFORE]], %c3
// CHECK:         %[[LAST:.*]] = arith.addi %[[STEPS]], %c2
// CHECK:         %[[FITS:.*]] = arith.cmpi slt, %[[LAST]], %c8
// CHECK:         %[[EITHER:.*]] = arith.ori %[[NONE]], %[[FITS]]
// CHECK:         cf.assert %[[EITHER]], "insert_slice runs out-of-bounds along dimension 0
func.func @insertion_of_a_row(%x: tensor<4xf32>, %y: tensor<?x4xf32>, %i: index) -> tensor<?x4xf32> {
  %0 = tensor.insert_slice %x into %y[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @insertion_with_strides(%x: tensor<?xf32>, %y: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %0 = tensor.insert_slice %x into %y[2] [%n] [3] : tensor<?xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An extent that is divided by 2 is even.
// CHECK-LABEL: func.func @halves
// CHECK:         %[[HALF:.*]] = arith.divui %[[N:.*]], %c2
// CHECK:         %[[TWICE:.*]] = arith.muli %[[HALF]], %c2
// CHECK:         %[[EVEN:.*]] = arith.cmpi eq, %[[N]], %[[TWICE]]
// CHECK:         cf.assert %[[EVEN]], "dimension 0 of operand 0 has another extent than the shape of 'tensor.expand_shape' at
func.func @halves(%x: tensor<?xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %h = arith.divui %n, %c2 : index
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// Operands of elementwise operations, whose results have the same extents; a condition that is one number has none.
// CHECK-LABEL: func.func @elementwise
// CHECK:         cf.assert %{{.*}}, "dimension 0 of operand 1 has another extent than dimension 0 of operand 0 of 'arith.addf'
// CHECK:         cf.assert %{{.*}}, "dimension 0 of operand 1 has another extent than dimension 0 of operand 0 of 'arith.cmpf'
// CHECK-NOT:     cf.assert
// CHECK:         arith.addf
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @elementwise(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %z: tensor<?x4xf32>, %which: i1) -> (tensor<?x4xi1>, tensor<?x4xf32>) {
  %0 = arith.addf %x, %y : tensor<?x4xf32>
  %1 = arith.cmpf olt, %0, %z : tensor<?x4xf32>
  %2 = arith.select %which, %0, %x : tensor<?x4xf32>
  return %1, %2 : tensor<?x4xi1>, tensor<?x4xf32>
}

// Parts of a concatenation, but along it.
// CHECK-LABEL: func.func @parts
// CHECK-DAG:     %[[KNOWN:.*]] = tensor.dim %arg1, %c1
// CHECK-DAG:     %[[OTHER:.*]] = tensor.dim %arg0, %c1
// CHECK:         %[[SAME:.*]] = arith.cmpi eq, %[[KNOWN]], %[[OTHER]]
// CHECK:         cf.assert %[[SAME]], "dimension 1 of operand 1 has another extent than dimension 1 of operand 0 of 'tensor.concat' at
// CHECK-NOT:     cf.assert
// CHECK:         tensor.concat
func.func @parts(%x: tensor<?x?xf32>, %y: tensor<2x?xf32>) -> tensor<?x?xf32> {
  %0 = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<2x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Near miss of it: along it, all parts together are what the result says.
// CHECK-LABEL: func.func @parts_of_eight
// CHECK:         %[[SUM:.*]] = arith.addi
// CHECK:         %[[EIGHT:.*]] = arith.cmpi eq, %[[SUM]], %c8
// CHECK:         cf.assert %[[EIGHT]], "parts have another extent than the result along dimension 0 of 'tensor.concat' at
func.func @parts_of_eight(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<8xf32> {
  %0 = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What a pad cuts off was there. Near miss: one that cuts nothing off.
// CHECK-LABEL: func.func @cut
// CHECK:         %[[LEFT:.*]] = arith.addi %{{.*}}, %c-2
// CHECK:         %[[ENOUGH:.*]] = arith.cmpi sge, %[[LEFT]], %c0
// CHECK:         cf.assert %[[ENOUGH]], "dimension 0 of operand 0 is shorter than what is cut off of 'tensor.pad' at
// CHECK-LABEL: func.func @padded
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @cut(%x: tensor<?xf32>, %v: f32) -> tensor<?xf32> {
  %0 = tensor.pad %x low[-2] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @padded(%x: tensor<?xf32>, %v: f32) -> tensor<?xf32> {
  %0 = tensor.pad %x low[2] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A pad up to eight has eight, and what there is room for is not below nothing.
// CHECK-LABEL: func.func @to_eight
// CHECK:         %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK:         %[[ROOM:.*]] = arith.subi %c8, %[[N]]
// CHECK:         %[[IS_ROOM:.*]] = arith.cmpi sge, %[[ROOM]], %c0
// CHECK:         cf.assert %[[IS_ROOM]], "dimension 0 of operand 0 is longer than what it is padded to of 'tensor.pad' at
// CHECK:         %[[ALL:.*]] = arith.addi %[[N]], %[[ROOM]]
// CHECK:         %[[EIGHT:.*]] = arith.cmpi eq, %[[ALL]], %c8
// CHECK:         cf.assert %[[EIGHT]], "dimension 0 of operand 0 has another extent padded than the result of 'tensor.pad' at
// CHECK:         tensor.pad
func.func @to_eight(%x: tensor<?xf32>, %v: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %room = arith.subi %c8, %n : index
  %0 = tensor.pad %x low[0] high[%room] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Places in tensors that are known, where they depend on extents. Near misses: in a loop, and of what is computed.
// CHECK-LABEL: func.func @behind
// CHECK:         %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK:         cf.assert %{{.*}}, "extract_slice runs out-of-bounds along dimension 0 of 'tensor.extract_slice' at
// CHECK-NEXT:    tensor.extract_slice
// CHECK-LABEL: func.func @anywhere
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @behind(%x: tensor<?xf32>, %y: tensor<8xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = tensor.extract_slice %y[%n] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @anywhere(%y: tensor<8xf32>, %at: tensor<index>) -> (tensor<4xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i = tensor.extract %at[] : tensor<index>
  %0 = tensor.extract_slice %y[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %1 = scf.for %k = %c0 to %c8 step %c1 iter_args(%z = %y) -> tensor<8xf32> {
    %one = tensor.extract_slice %y[%k] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %2 = tensor.insert_slice %one into %z[%k] [1] [1] : tensor<1xf32> into tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}

// Two rows for each: 2 rows of four, of what is divided.
// CHECK-LABEL: func.func @twice
// CHECK:         %[[ENOUGH:.*]] = arith.cmpi sgt, %{{.*}}, %c3
// CHECK:         cf.assert %[[ENOUGH]], "dimension 0 of operand 0 is shorter than the windows of 'linalg.generic' at
func.func @twice(%x: tensor<?xf32>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An index that is a number, or the caller's, is one of the tensor; of a loop, unless that makes no step.
// Near misses: an index that is computed, and a place of an extent that is known.
// CHECK-LABEL: func.func @places
// CHECK:         %[[THIRD:.*]] = arith.cmpi sgt, %{{.*}}, %c2
// CHECK:         cf.assert %[[THIRD]], "dimension 0 of operand 0 is shorter than the index of 'tensor.extract' at
// CHECK:         %[[FROM:.*]] = arith.cmpi sge, %arg1, %c0
// CHECK:         cf.assert %[[FROM]], "dimension 0 of operand 0 has no index below 0 of 'tensor.extract' at
// CHECK:         %[[TO:.*]] = arith.cmpi sgt, %{{.*}}, %arg1
// CHECK:         cf.assert %[[TO]], "dimension 0 of operand 0 is shorter than the index of 'tensor.extract' at
// CHECK-LABEL: func.func @below
// CHECK:         %[[NONE:.*]] = arith.constant false
// CHECK:         cf.assert %[[NONE]], "dimension 0 of operand 0 has no index below 0
// CHECK-LABEL: func.func @computed
// CHECK-NOT:     cf.assert
// CHECK-LABEL: func.func @place_of_a_loop
// CHECK:         %[[SECOND:.*]] = arith.cmpi sgt, %{{.*}}, %c1
// CHECK:         %[[NONE:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK:         %[[FITS:.*]] = arith.ori %[[SECOND]], %[[NONE]]
// CHECK:         cf.assert %[[FITS]], "dimension 1 of operand 0 is shorter than the windows of 'linalg.generic' at
// CHECK-LABEL: func.func @no_place
// CHECK-NOT:     cf.assert
// CHECK-LABEL: func.func @place_that_is_known
// CHECK-NOT:     is shorter than
// CHECK:         return
func.func @places(%x: tensor<?xf32>, %i: index) -> (f32, f32) {
  %c2 = arith.constant 2 : index
  %0 = tensor.extract %x[%c2] : tensor<?xf32>
  %1 = tensor.extract %x[%i] : tensor<?xf32>
  return %0, %1 : f32, f32
}
func.func @below(%x: tensor<?xf32>) -> f32 {
  %i = arith.constant -1 : index
  %0 = tensor.extract %x[%i] : tensor<?xf32>
  return %0 : f32
}
func.func @computed(%x: tensor<?xf32>, %at: tensor<index>) -> f32 {
  %i = tensor.extract %at[] : tensor<index>
  %0 = tensor.extract %x[%i] : tensor<?xf32>
  return %0 : f32
}
func.func @place_of_a_loop(%x: tensor<?x?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @no_place(%x: tensor<0x?xf32>, %out: tensor<0xf32>) -> tensor<0xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<0x?xf32>) outs(%out : tensor<0xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<0xf32>
  return %0 : tensor<0xf32>
}
func.func @place_that_is_known(%x: tensor<?x2xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?x2xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Near misses: a slice that is all of what is inserted, and of what it is inserted into; a dimension of extent 1 more.
// CHECK-LABEL: func.func @whole
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @whole(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = tensor.insert_slice %x into %e[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %x [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  return %0, %1 : tensor<?xf32>, tensor<?x1xf32>
}

// Near misses: extents that are all known, or that are the same one, and assertions that were there.
// CHECK-LABEL: func.func @known
// CHECK-NOT:     cf.assert
// CHECK:         return
// CHECK-LABEL: func.func @same
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK:         cf.assert %arg1, "of the step"
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @known(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = linalg.exp ins(%x : tensor<3xf32>) outs(%y : tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @same(%x: tensor<?xf32>, %holds: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  cf.assert %holds, "of the step"
  return %0 : tensor<?xf32>
}

// What is computed first stays in front of what depends on it; in a loop it stays in the loop.
// CHECK-LABEL: func.func @later
// CHECK:         tensor.extract %arg1
// CHECK:         cf.assert
func.func @later(%x: tensor<?xf32>, %count: tensor<index>) -> tensor<?xf32> {
  %n = tensor.extract %count[] : tensor<index>
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// So does a quotient of affine's, which says that it is pure.
// CHECK-LABEL: func.func @affine_quotient
// CHECK:         cf.assert %arg2, "divisor"
// CHECK:         affine.apply
// CHECK:         cf.assert
func.func @affine_quotient(%x: tensor<?xf32>, %m: index, %holds: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  cf.assert %holds, "divisor"
  %k = affine.apply affine_map<()[s0, s1] -> (s0 floordiv s1)>()[%n, %m]
  %0 = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// So does a quotient behind an assertion.
// CHECK-LABEL: func.func @quotient
// CHECK:         cf.assert %arg1, "divisor"
// CHECK:         arith.divui
// CHECK:         cf.assert
func.func @quotient(%x: tensor<?xf32>, %holds: i1, %n: index) -> tensor<?xf32> {
  %c6 = arith.constant 6 : index
  cf.assert %holds, "divisor"
  %part = arith.divui %c6, %n : index
  %0 = tensor.extract_slice %x[0] [%part] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @in_loop
// CHECK:         scf.for
// CHECK:           cf.assert
func.func @in_loop(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<?xf32> {
    %0 = tensor.extract_slice %y[%i] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// Sizes that are constants and no attributes are not the verifier's: a slice of known tensors, and one that is put in.

// CHECK-LABEL: func.func @constant_slice
// CHECK:         cf.assert %false, "extract_slice runs out-of-bounds along dimension 0 of 'tensor.extract_slice'
func.func @constant_slice(%x: tensor<8xf32>) -> tensor<?xf32> {
  %c10 = arith.constant 10 : index
  %s = tensor.extract_slice %x[0] [%c10] [1] : tensor<8xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}

// CHECK-LABEL: func.func @constant_insertion
// CHECK:         cf.assert %false, "dimension 0 of operand 0 has another extent than the slice of 'tensor.insert_slice'
func.func @constant_insertion(%x: tensor<8xf32>, %part: tensor<3xf32>) -> tensor<8xf32> {
  %c4 = arith.constant 4 : index
  %p = tensor.cast %part : tensor<3xf32> to tensor<?xf32>
  %i = tensor.insert_slice %p into %x[0] [%c4] [1] : tensor<?xf32> into tensor<8xf32>
  return %i : tensor<8xf32>
}
