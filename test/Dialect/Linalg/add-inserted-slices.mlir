// RUN: amp-opt %s --amp-add-inserted-slices --split-input-file | FileCheck %s

// A gradient of three positions: each slice is added where it belongs, one
// where another one is already.

// CHECK-LABEL: func @positions(
// CHECK-SAME:      %[[G0:[a-z0-9]+]]: tensor<1x8xf32>, %[[G1:[a-z0-9]+]]: tensor<1x8xf32>, %[[G2:[a-z0-9]+]]: tensor<1x8xf32>
// CHECK:         %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<16x8xf32>
// CHECK:         %[[T0:.+]] = tensor.insert_slice %[[G0]] into %[[ZERO]][3, 0] [1, 8] [1, 1]
// CHECK:         %[[NONE:.+]] = arith.constant dense<0.000000e+00> : tensor<1x8xf32>
// CHECK:         %[[S1:.+]] = linalg.generic {{.*}} ins(%[[NONE]], %[[G1]] : tensor<1x8xf32>, tensor<1x8xf32>)
// CHECK:           arith.addf
// CHECK:         %[[T1:.+]] = tensor.insert_slice %[[S1]] into %[[T0]][5, 0] [1, 8] [1, 1]
// CHECK:         %[[S2:.+]] = linalg.generic {{.*}} ins(%[[S1]], %[[G2]] : tensor<1x8xf32>, tensor<1x8xf32>)
// CHECK:         %[[T2:.+]] = tensor.insert_slice %[[S2]] into %[[T1]][5, 0] [1, 8] [1, 1]
// CHECK:         return %[[T2]]
#map = affine_map<(i, j) -> (i, j)>
func.func @positions(%g0: tensor<1x8xf32>, %g1: tensor<1x8xf32>, %g2: tensor<1x8xf32>,
                     %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = tensor.insert_slice %g0 into %zero[3, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  %1 = tensor.insert_slice %g1 into %zero[5, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  %2 = tensor.insert_slice %g2 into %zero[5, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%3, %2 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}

// -----

// The slice on the left, of a lower rank, and into a fill: the order of the
// addition stays.

// CHECK-LABEL: func @left(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<16x8xf32>, %[[G:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NOT:     linalg.fill
// CHECK:         %[[AT:.+]] = tensor.extract_slice %[[X]][5, 0] [1, 8] [1, 1] : tensor<16x8xf32> to tensor<8xf32>
// CHECK:         %[[S:.+]] = linalg.generic {{.*}} ins(%[[G]], %[[AT]] : tensor<8xf32>, tensor<8xf32>)
// CHECK:           %[[SUM:.+]] = arith.addf %in, %in_0 fastmath<contract> : f32
// CHECK-NEXT:      linalg.yield %[[SUM]]
// CHECK:         tensor.insert_slice %[[S]] into %[[X]][5, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<16x8xf32>
#map = affine_map<(i, j) -> (i, j)>
func.func @left(%x: tensor<16x8xf32>, %g: tensor<8xf32>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c = arith.constant -0.0 : f32
  %zero = linalg.fill ins(%c : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = tensor.insert_slice %g into %zero[5, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<16x8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%0, %x : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b fastmath<contract> : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// -----

// In half, as O5 has it: widened, added, rounded.

// CHECK-LABEL: func @rounded(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<16x8xbf16>, %[[G:[a-z0-9]+]]: tensor<1x8xbf16>
// CHECK:         %[[AT:.+]] = tensor.extract_slice %[[X]][5, 0] [1, 8] [1, 1]
// CHECK:         %[[S:.+]] = linalg.generic {{.*}} ins(%[[AT]], %[[G]] : tensor<1x8xbf16>, tensor<1x8xbf16>)
// CHECK-DAG:       %[[A:.+]] = arith.extf %in : bf16 to f32
// CHECK-DAG:       %[[B:.+]] = arith.extf %in_0 : bf16 to f32
// CHECK:           %[[SUM:.+]] = arith.addf %[[A]], %[[B]] : f32
// CHECK:           %[[ROUNDED:.+]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK-NEXT:      linalg.yield %[[ROUNDED]]
// CHECK:         %[[T:.+]] = tensor.insert_slice %[[S]] into %[[X]][5, 0] [1, 8] [1, 1]
// CHECK:         return %[[T]]
#map = affine_map<(i, j) -> (i, j)>
func.func @rounded(%x: tensor<16x8xbf16>, %g: tensor<1x8xbf16>) -> tensor<16x8xbf16> {
  %zero = arith.constant dense<0.0> : tensor<16x8xbf16>
  %f32 = tensor.empty() : tensor<16x8xf32>
  %bf16 = tensor.empty() : tensor<16x8xbf16>
  %0 = tensor.insert_slice %g into %zero[5, 0] [1, 8] [1, 1] : tensor<1x8xbf16> into tensor<16x8xbf16>
  %wx = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x8xbf16>) outs(%f32 : tensor<16x8xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %w = arith.extf %a : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<16x8xf32>
  %wg = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<16x8xbf16>) outs(%f32 : tensor<16x8xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %w = arith.extf %a : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<16x8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%wx, %wg : tensor<16x8xf32>, tensor<16x8xf32>) outs(%f32 : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<16x8xf32>) outs(%bf16 : tensor<16x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x8xbf16>
  return %2 : tensor<16x8xbf16>
}

// -----

// Near misses: what is added to stays as precise as it is where the sum is
// rounded to another type, so that only the addition moves.

// CHECK-LABEL: func @other_type(
// CHECK:         %[[WIDE:.+]] = linalg.generic {{.*}} ins(%{{.+}} : tensor<16x8xf16>)
// CHECK:         %[[S:.+]] = linalg.generic {{.*}} : tensor<1x8xf32>, tensor<1x8xf32>)
// CHECK:         %[[T:.+]] = tensor.insert_slice %[[S]] into %[[WIDE]]
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : tensor<16x8xf32>)
// CHECK:           arith.truncf %{{.+}} : f32 to bf16
#map = affine_map<(i, j) -> (i, j)>
func.func @other_type(%x: tensor<16x8xf16>, %g: tensor<1x8xf32>) -> tensor<16x8xbf16> {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %f32 = tensor.empty() : tensor<16x8xf32>
  %bf16 = tensor.empty() : tensor<16x8xbf16>
  %0 = tensor.insert_slice %g into %zero[5, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
  %wx = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x8xf16>) outs(%f32 : tensor<16x8xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    linalg.yield %w : f32
  } -> tensor<16x8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%wx, %0 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%f32 : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<16x8xf32>) outs(%bf16 : tensor<16x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<16x8xbf16>
  return %2 : tensor<16x8xbf16>
}

// -----

// More than half of the elements, other numbers than zeros, another operation,
// a transposed sum, a sum with its own accumulator, a place or a size that only
// a run knows.

// CHECK-LABEL: func @near_misses(
// CHECK-COUNT-6: linalg.generic {{.*}} outs(%{{.+}} : tensor<16x16xf32>)
// CHECK-NOT:     tensor.extract_slice
#map = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
func.func @near_misses(%x: tensor<16x16xf32>, %g: tensor<9x16xf32>, %h: tensor<1x16xf32>, %at: index,
                       %e: tensor<16x16xf32>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %large = tensor.insert_slice %g into %zero[2, 0] [9, 16] [1, 1] : tensor<9x16xf32> into tensor<16x16xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %large : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  %ones = tensor.insert_slice %h into %one[2, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<16x16xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %ones : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  %small = tensor.insert_slice %h into %zero[2, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<16x16xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %small : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.maximumf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  %3 = linalg.generic {indexing_maps = [#map, #turned, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %small : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%small : tensor<16x16xf32>) outs(%x : tensor<16x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  %somewhere = tensor.insert_slice %h into %zero[%at, 0] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<16x16xf32>
  %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %somewhere : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A slice that goes backwards may cover another one: what is there is read.
// Where the sum goes by itself it stays.

// CHECK-LABEL: func @backwards(
// CHECK:         %[[BACK:.+]] = tensor.insert_slice %{{.+}} into %{{.+}}[10] [3] [-2]
// CHECK:         tensor.extract_slice %[[BACK]][8] [1] [1]
// CHECK-LABEL: func @added_backwards(
// CHECK-NOT:     tensor.extract_slice
#id = affine_map<(i) -> (i)>
func.func @backwards(%g: tensor<3xf32>, %h: tensor<1xf32>, %e: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %0 = tensor.insert_slice %g into %zero[10] [3] [-2] : tensor<3xf32> into tensor<16xf32>
  %1 = tensor.insert_slice %h into %zero[8] [1] [1] : tensor<1xf32> into tensor<16xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%0, %1 : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
func.func @added_backwards(%g: tensor<3xf32>, %x: tensor<16xf32>, %e: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %0 = tensor.insert_slice %g into %zero[10] [3] [-2] : tensor<3xf32> into tensor<16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %0 : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
