// RUN: amp-opt %s --amp-raise-extracts | FileCheck %s

#id2 = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>

// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1, d2) -> (d1, -d0 + 2, d2)>
// CHECK-DAG: #[[SCALED:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1 + 1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[CONSTANT:.*]] = affine_map<(d0, d1) -> (d0, 3)>

// CHECK-LABEL: func.func @turned
// CHECK-SAME:    %[[W:[a-z0-9]*]]: tensor<4x3x1xf32>
// CHECK-NEXT:    linalg.generic {indexing_maps = [#[[TURNED]], #{{.*}}]
// CHECK-SAME:      ins(%[[W]] : tensor<4x3x1xf32>)
// CHECK-SAME:      attrs = {amp.scope = "conv"}
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[X]]
func.func @turned(%w: tensor<4x3x1xf32>, %out: tensor<3x4x1xf32>) -> tensor<3x4x1xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %t = linalg.generic {indexing_maps = [#id3], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : tensor<3x4x1xf32>) attrs = {amp.scope = "conv"} {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %back = arith.subi %c2, %i : index
    %x = tensor.extract %w[%j, %back, %c0] : tensor<4x3x1xf32>
    linalg.yield %x : f32
  } -> tensor<3x4x1xf32>
  return %t : tensor<3x4x1xf32>
}

// Multiples, sums and two reads beside an input; what computes indices is gone.
// CHECK-LABEL: func.func @two_reads
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<4x3xf32>, %[[V:[a-z0-9]*]]: tensor<10xf32>, %[[R:[a-z0-9]*]]: tensor<4xf32>
// CHECK-NEXT:    linalg.generic {indexing_maps = [#{{.*}}, #[[SCALED]], #[[ROW]], #{{.*}}]
// CHECK-SAME:      ins(%[[X]], %[[V]], %[[R]] :
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:      arith.addf %[[S]], %[[C]]
func.func @two_reads(%x: tensor<4x3xf32>, %v: tensor<10xf32>, %r: tensor<4xf32>, %out: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x3xf32>) outs(%out : tensor<4x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %twice = arith.muli %c2, %i : index
    %sum = arith.addi %twice, %j : index
    %next = arith.addi %sum, %c1 : index
    %b = tensor.extract %v[%next] : tensor<10xf32>
    %c = tensor.extract %r[%i] : tensor<4xf32>
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    linalg.yield %abc : f32
  } -> tensor<4x3xf32>
  return %t : tensor<4x3xf32>
}

// Two dimensions of extent 1 and two loops of extent 1: each gets its own.
// CHECK-LABEL: func.func @units
// CHECK:         linalg.generic {indexing_maps = [#[[ID:.*]], #[[ID]]]
// CHECK-SAME:      ins(%{{.*}} : tensor<5x1x1xf32>)
func.func @units(%x: tensor<5x1x1xf32>, %out: tensor<5x1x1xf32>) -> tensor<5x1x1xf32> {
  %c0 = arith.constant 0 : index
  %t = linalg.generic {indexing_maps = [#id3], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : tensor<5x1x1xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %a = tensor.extract %x[%i, %c0, %c0] : tensor<5x1x1xf32>
    linalg.yield %a : f32
  } -> tensor<5x1x1xf32>
  return %t : tensor<5x1x1xf32>
}

// A loop over the first part of a dimension reads a slice; a constant stays one.
// CHECK-LABEL: func.func @first_part
// CHECK:         %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0] [4, 9] [1, 1] : tensor<8x9xf32> to tensor<4x9xf32>
// CHECK-NEXT:    linalg.generic {indexing_maps = [#[[CONSTANT]], #{{.*}}]
// CHECK-SAME:      ins(%[[PART]] :
func.func @first_part(%x: tensor<8x9xf32>, %out: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c3 = arith.constant 3 : index
  %t = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]}
      outs(%out : tensor<4x2xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %a = tensor.extract %x[%i, %c3] : tensor<8x9xf32>
    linalg.yield %a : f32
  } -> tensor<4x2xf32>
  return %t : tensor<4x2xf32>
}

// Near misses: an index from data, a product of loops, a read under a condition, of
// what the body computes, past the end, before the start, and of an unknown shape.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-7: tensor.extract %
// CHECK-NOT:   tensor.extract %
// CHECK:       return
func.func @kept(%x: tensor<9xf32>, %ids: tensor<3x3xi64>, %u: tensor<?xf32>, %out: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<3x3xi64>) outs(%out : tensor<3x3xf32>) {
  ^bb0(%id: i64, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %n = arith.index_cast %id : i64 to index
    %a = tensor.extract %x[%n] : tensor<9xf32>
    %ij = arith.muli %i, %j : index
    %b = tensor.extract %x[%ij] : tensor<9xf32>
    %in = arith.cmpi slt, %i, %j : index
    %c = scf.if %in -> f32 {
      %read = tensor.extract %x[%i] : tensor<9xf32>
      scf.yield %read : f32
    } else {
      scf.yield %zero : f32
    }
    %row = tensor.from_elements %o, %a, %b : tensor<3xf32>
    %d = tensor.extract %row[%i] : tensor<3xf32>
    %far = arith.muli %i, %c5 : index
    %e = tensor.extract %x[%far] : tensor<9xf32>
    %before = arith.subi %i, %c1 : index
    %f = tensor.extract %x[%before] : tensor<9xf32>
    %g = tensor.extract %u[%i] : tensor<?xf32>
    %ab = arith.addf %a, %b : f32
    %cd = arith.addf %c, %d : f32
    %ef = arith.addf %e, %f : f32
    %abcd = arith.addf %ab, %cd : f32
    %efg = arith.addf %ef, %g : f32
    %s = arith.addf %abcd, %efg : f32
    linalg.yield %s : f32
  } -> tensor<3x3xf32>
  return %t : tensor<3x3xf32>
}

// Near miss: a loop of the operation around this one is none of its own.
// CHECK-LABEL: func.func @nested
// CHECK:         linalg.index 0
// CHECK:         tensor.extract %{{.*}}[%
func.func @nested(%x: tensor<2xf32>, %out: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%out : tensor<2xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %e = tensor.empty() : tensor<2xf32>
    %inner = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
        outs(%e : tensor<2xf32>) {
    ^bb0(%p: f32):
      %a = tensor.extract %x[%i] : tensor<2xf32>
      linalg.yield %a : f32
    } -> tensor<2xf32>
    %b = tensor.extract %inner[%c0] : tensor<2xf32>
    linalg.yield %b : f32
  } -> tensor<2xf32>
  return %t : tensor<2xf32>
}

// A tensor without elements is read by nothing.
// CHECK-LABEL: func.func @empty
// CHECK:         tensor.extract
func.func @empty(%x: tensor<4xf32>, %out: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %t = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]}
      outs(%out : tensor<0x3xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 1 : index
    %a = tensor.extract %x[%j] : tensor<4xf32>
    linalg.yield %a : f32
  } -> tensor<0x3xf32>
  return %t : tensor<0x3xf32>
}
