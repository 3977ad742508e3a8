// RUN: amp-opt %s --amp-insert-casts | FileCheck %s

// Operations that only move elements take the type of what they move, so that chains
// of views carry half elements; where that is not possible the result is cast.

#id = affine_map<(i, j) -> (i, j)>

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

// The weight is cast and then transposed: one cast of as many elements, half of the
// bytes moved.
// CHECK-LABEL: func.func @transpose
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<4x8xf32>
func.func @transpose(%x: tensor<4x8xf32>, %w: tensor<4x8xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[WH:.*]] = amp.cast %[[W]] : tensor<4x8xf32> to tensor<4x8xf16>
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<8x4xf16>
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[WH]] : tensor<4x8xf16>) outs(%[[E]] : tensor<8x4xf16>) permutation = [1, 0]
  // CHECK-NOT: linalg.transpose
  // CHECK: linalg.matmul {{.*}} ins(%{{.*}}, %[[T]] : tensor<4x8xf16>, tensor<8x4xf16>)
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %c = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%x, %t : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Near miss: the same transpose for an FP32 operation stays f32.
// CHECK-LABEL: func.func @transpose_for_high
// CHECK-NOT: amp.cast
// CHECK: return
func.func @transpose_for_high(%w: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %0 = math.exp %t {amp.class = #amp.class<high, unit = 0>} : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Both are wanted: the value moves twice, once in each type.
// CHECK-LABEL: func.func @transpose_for_both
func.func @transpose_for_both(%w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-DAG: %[[TW:.*]] = linalg.transpose ins(%{{.*}} : tensor<4x4xf32>) outs(%{{.*}} : tensor<4x4xf32>)
  // CHECK-DAG: %[[TH:.*]] = linalg.transpose ins(%{{.*}} : tensor<4x4xf16>) outs(%{{.*}} : tensor<4x4xf16>)
  // CHECK-DAG: math.exp %[[TW]]
  // CHECK-DAG: linalg.matmul {{.*}} ins(%[[TH]], %[[TH]] :
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %0 = math.exp %t {amp.class = #amp.class<high, unit = 0>} : tensor<4x4xf32>
  %1 = linalg.matmul {amp.class = #amp.class<low, unit = 1>}
      ins(%t, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A half activation through a reshape and a broadcast: nothing is widened on the way,
// and nothing f32 is left behind.
// CHECK-LABEL: func.func @chain_of_views
func.func @chain_of_views(%x: tensor<8xf32>) -> tensor<2x2xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<8xf32> to tensor<8xf16>
  // CHECK: %[[V:.*]] = tensor.expand_shape %[[H]] {{.*}} : tensor<8xf16> into tensor<4x2xf16>
  // CHECK: %[[B:.*]] = linalg.broadcast ins(%[[V]] : tensor<4x2xf16>) outs(%{{.*}} : tensor<2x4x2xf16>)
  // CHECK: %[[C:.*]] = tensor.collapse_shape %[[B]] {{.*}} : tensor<2x4x2xf16> into tensor<8x2xf16>
  // CHECK: linalg.matmul {{.*}} ins(%{{.*}}, %[[C]] : tensor<2x8xf16>, tensor<8x2xf16>)
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<8xf32>
  %v = tensor.expand_shape %p [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
  %e = tensor.empty() : tensor<2x4x2xf32>
  %b = linalg.broadcast ins(%v : tensor<4x2xf32>) outs(%e : tensor<2x4x2xf32>) dimensions = [0]
  %c = tensor.collapse_shape %b [[0, 1], [2]] : tensor<2x4x2xf32> into tensor<8x2xf32>
  %a = tensor.empty() : tensor<2x8xf32>
  %o = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 1>}
      ins(%a, %c : tensor<2x8xf32>, tensor<8x2xf32>) outs(%o : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// The padding value is rounded as well: here to something half has.
// CHECK-LABEL: func.func @pad
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>, %[[F:.*]]: f32
func.func @pad(%x: tensor<4x4xf32>, %f: f32) -> tensor<5x5xf32> {
  // CHECK: %[[H:.*]] = amp.cast %[[X]] : tensor<4x4xf32> to tensor<4x4xf16>
  // CHECK: %[[P:.*]] = tensor.pad %[[H]] low[1, 0] high[0, 0]
  // CHECK: %[[FH:.*]] = amp.cast %[[F]] : f32 to f16
  // CHECK: tensor.yield %[[FH]] : f16
  // CHECK: : tensor<4x4xf16> to tensor<5x4xf16>
  // CHECK: linalg.matmul {{.*}} ins(%[[P]], %{{.*}} : tensor<5x4xf16>, tensor<4x5xf16>)
  %p = tensor.pad %x low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<4x4xf32> to tensor<5x4xf32>
  %b = tensor.empty() : tensor<4x5xf32>
  %c = tensor.empty() : tensor<5x5xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%p, %b : tensor<5x4xf32>, tensor<4x5xf32>) outs(%c : tensor<5x5xf32>) -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

// A constant of any type is a fill of the type that is wanted.
// CHECK-LABEL: func.func @fill
func.func @fill(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f16
  // CHECK: %[[F:.*]] = linalg.fill ins(%[[ONE]] : f16) outs(%{{.*}} : tensor<4x4xf16>) -> tensor<4x4xf16>
  // CHECK: linalg.matmul {{.*}} ins(%{{.*}}, %[[F]] : tensor<4x4xf16>, tensor<4x4xf16>)
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%a, %f : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A slice of a wide value is cast after it: fewer elements than the source has.
// CHECK-LABEL: func.func @slice_of_wide
// CHECK-SAME: %[[X:.*]]: tensor<64x4xf32>
func.func @slice_of_wide(%x: tensor<64x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NOT: amp.cast %[[X]]
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[X]][0, 0] [4, 4] [1, 1] : tensor<64x4xf32> to tensor<4x4xf32>
  // CHECK: %[[H:.*]] = amp.cast %[[S]] : tensor<4x4xf32> to tensor<4x4xf16>
  // CHECK: linalg.matmul {{.*}} ins(%[[H]], %[[H]] :
  %s = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<64x4xf32> to tensor<4x4xf32>
  %c = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%s, %s : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Near miss: a slice of a half value is a half slice.
// CHECK-LABEL: func.func @slice_of_half
func.func @slice_of_half(%x: tensor<64x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<64x4xf32> to tensor<64x4xf16>
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[H]][0, 0] [4, 4] [1, 1] : tensor<64x4xf16> to tensor<4x4xf16>
  // CHECK: linalg.matmul {{.*}} ins(%[[S]], %[[S]] :
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<64x4xf32>
  %s = tensor.extract_slice %p[0, 0] [4, 4] [1, 1] : tensor<64x4xf32> to tensor<4x4xf32>
  %c = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 1>}
      ins(%s, %s : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// All parts half, the whole is half.
// CHECK-LABEL: func.func @concat_of_halves
func.func @concat_of_halves(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[C:.*]] = tensor.concat dim(0) %{{.*}}, %{{.*}} : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<4x4xf16>
  // CHECK: linalg.matmul {{.*}} ins(%[[C]], %[[C]] :
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4x4xf32>
  %s = tensor.extract_slice %p[0, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %c = tensor.concat dim(0) %s, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 1>}
      ins(%c, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A mixture is of its widest part (torch.cat promotes): the half part is widened, and
// no value leaves its unit unrounded on the way.
// CHECK-LABEL: func.func @concat_of_mixture
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @concat_of_mixture(%x: tensor<4xf32>) -> tensor<8xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: %[[C:.*]] = tensor.concat dim(0) %[[X]], %[[W]]
  // CHECK: math.absf %[[C]]
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %c = tensor.concat dim(0) %x, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %0 = math.absf %c {amp.class = #amp.class<follow, unit = 1>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @insert_slice_into_wide
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<8xf32>
func.func @insert_slice_into_wide(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: tensor.insert_slice %[[W]] into %[[Y]]
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %c = tensor.insert_slice %p into %y[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %c : tensor<8xf32>
}

// Near miss: zeros are of any type, so a half value put among them makes a half one.
// CHECK-LABEL: func.func @insert_slice_into_zeros
func.func @insert_slice_into_zeros(%x: tensor<4xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // CHECK-NOT: amp.cast %[[H]]
  // CHECK: tensor.insert_slice %[[H]] into %{{.*}} : tensor<4xf16> into tensor<8xf16>
  %zero = arith.constant 0.0 : f32
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c = tensor.insert_slice %p into %z[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %m = tensor.expand_shape %c [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %n = tensor.expand_shape %c [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %o = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 1>}
      ins(%m, %n : tensor<8x1xf32>, tensor<1x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Near miss: inside its unit a mixture takes what was computed.
// CHECK-LABEL: func.func @concat_inside_unit
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @concat_inside_unit(%x: tensor<4xf32>) -> tensor<8xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK-NOT: amp.cast %[[P]]
  // CHECK: tensor.concat dim(0) %[[X]], %[[P]]
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %c = tensor.concat dim(0) %x, %p {amp.class = #amp.class<follow, unit = 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %0 = math.absf %c {amp.class = #amp.class<low, unit = 0>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

// An embedding whose rows go into a contraction: gathered in half.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[T:.*]]: tensor<16x4xf32>
func.func @gather(%table: tensor<16x4xf32>, %ids: tensor<4x4xindex>) -> tensor<4x4xf32> {
  // CHECK: %[[H:.*]] = amp.cast %[[T]] : tensor<16x4xf32> to tensor<16x4xf16>
  // CHECK: %[[G:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf16>)
  // CHECK: %[[E:.*]] = tensor.extract %[[H]][%{{.*}}, %{{.*}}] : tensor<16x4xf16>
  // CHECK: linalg.yield %[[E]] : f16
  // CHECK: linalg.matmul {{.*}} ins(%[[G]], %[[G]] :
  %e = tensor.empty() : tensor<4x4xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<4x4xindex>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: index, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<16x4xf32>
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%g, %g : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A row that the body cuts out itself, and one that it writes down, have no half form
// outside of it: the element is rounded where it is yielded.
// CHECK-LABEL: func.func @gather_in_body
func.func @gather_in_body(%table: tensor<16x4xf32>, %ids: tensor<4x4xindex>) -> tensor<4x4xf32> {
  // CHECK: %[[G:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf16>)
  // CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}} : tensor<16x4xf32> to tensor<4xf32>
  // CHECK: %[[E:.*]] = tensor.extract %[[S]][%{{.*}}] : tensor<4xf32>
  // CHECK: %[[H:.*]] = amp.cast %[[E]] : f32 to f16
  // CHECK: linalg.yield %[[H]] : f16
  // CHECK: %[[C:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf16>)
  // CHECK: %[[E:.*]] = tensor.extract %{{.*}}[%{{.*}}] : tensor<16xf32>
  // CHECK: %[[H:.*]] = amp.cast %[[E]] : f32 to f16
  // CHECK: linalg.yield %[[H]] : f16
  // CHECK: linalg.matmul {{.*}} ins(%[[G]], %[[C]] :
  %e = tensor.empty() : tensor<4x4xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<4x4xindex>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: index, %o: f32):
    %j = linalg.index 1 : index
    %row = tensor.extract_slice %table[%i, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<4xf32>
    %v = tensor.extract %row[%j] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<4x4xindex>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%i: index, %o: f32):
    %steps = arith.constant dense<3.0> : tensor<16xf32>
    %v = tensor.extract %steps[%i] : tensor<16xf32>
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%g, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A body that gathers and computes reads a half element and widens it: the tensor is
// not copied into f32 for the sake of some of its elements.
// CHECK-LABEL: func.func @gather_and_compute
func.func @gather_and_compute(%table: tensor<16x4xf32>, %ids: tensor<4x4xindex>) -> tensor<4x4xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<16x4xf32> to tensor<16x4xf16>
  // CHECK-NOT: amp.cast %[[H]]
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf32>)
  // CHECK: %[[E:.*]] = tensor.extract %[[H]][%{{.*}}, %{{.*}}] : tensor<16x4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[E]] : f16 to f32
  // CHECK: math.log %[[W]] : f32
  %p = math.tanh %table {amp.class = #amp.class<low, unit = 0>} : tensor<16x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<4x4xindex>) outs(%e : tensor<4x4xf32>)
      attrs = {amp.class = #amp.class<high, unit = 1>} {
  ^bb0(%i: index, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %p[%i, %j] : tensor<16x4xf32>
    %l = math.log %v : f32
    linalg.yield %l : f32
  } -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}

// So does a single tensor.extract.
// CHECK-LABEL: func.func @extract_one
func.func @extract_one(%x: tensor<4xf32>, %i: index) -> f32 {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[E:.*]] = tensor.extract %[[H]][%{{.*}}] : tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[E]] : f16 to f32
  // CHECK: return %[[W]] : f32
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %e = tensor.extract %p[%i] : tensor<4xf32>
  return %e : f32
}

// A gather that has a wide operand beside the half tensor is a mixture as well: the
// element of the half one is widened.
// CHECK-LABEL: func.func @gather_from_mixture
func.func @gather_from_mixture(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
  // CHECK: %[[E:.*]] = tensor.extract %[[H]][%{{.*}}] : tensor<4xf16>
  // CHECK: amp.cast %[[E]] : f16 to f32
  %p = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %b = tensor.extract %p[%i] : tensor<4xf32>
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// A low body gathers from a wide tensor what it would have been handed: half elements.
// CHECK-LABEL: func.func @gather_wide_into_low
// CHECK-SAME: %[[T:.*]]: tensor<16xf32>
func.func @gather_wide_into_low(%table: tensor<16xf32>) -> tensor<4xf32> {
  // CHECK: %[[H:.*]] = amp.cast %[[T]] : tensor<16xf32> to tensor<16xf16>
  // CHECK: linalg.generic
  // CHECK: %[[E:.*]] = tensor.extract %[[H]][%{{.*}}] : tensor<16xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[E]] : f16 to f32
  // CHECK: math.sin %[[W]] : f32
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xf32>) attrs = {amp.class = #amp.class<low, unit = 0>} {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %table[%i] : tensor<16xf32>
    %s = math.sin %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// Near miss: any other body reads the wide tensor as it is.
// CHECK-LABEL: func.func @gather_wide_into_promote
// CHECK-NOT: amp.cast
// CHECK: return
func.func @gather_wide_into_promote(%table: tensor<16xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xf32>) attrs = {amp.class = #amp.class<promote, unit = 0>} {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %table[%i] : tensor<16xf32>
    %s = math.sin %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// Near miss: inside its unit a value is gathered unrounded, and a constant has no type
// to be cast to.
// CHECK-LABEL: func.func @gather_inside_unit
func.func @gather_inside_unit(%table: tensor<16xf32>) -> tensor<4xf32> {
  // CHECK: %[[P:.*]] = math.tanh
  // CHECK-NOT: amp.cast
  // CHECK: tensor.extract %[[P]][%{{.*}}] : tensor<16xf32>
  // CHECK-NEXT: tensor.extract %{{.*}}[%{{.*}}] : tensor<16xf32>
  // CHECK-NEXT: arith.mulf
  %c = arith.constant dense<3.0> : tensor<16xf32>
  %p = math.tanh %table {amp.class = #amp.class<low, unit = 0>} : tensor<16xf32>
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xf32>) attrs = {amp.class = #amp.class<low, unit = 0>} {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %p[%i] : tensor<16xf32>
    %w = tensor.extract %c[%i] : tensor<16xf32>
    %s = arith.mulf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// Near miss: of a wide tensor, a wide element.
// CHECK-LABEL: func.func @extract_wide
// CHECK-NOT: amp.cast
// CHECK: return
func.func @extract_wide(%x: tensor<4xf32>, %i: index) -> f32 {
  %e = tensor.extract %x[%i] : tensor<4xf32>
  return %e : f32
}

} // module
