// RUN: amp-opt %s --amp-bubble-up-slices | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// Through what rounds, what transposes and a product, down to a fill of one
// element: one sum of four.
// CHECK-LABEL: func.func @taps
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<8x4x4xf32>, %[[G:[a-z0-9]*]]: tensor<8x2x2xf32>
// CHECK-DAG:     %[[READ:.*]] = tensor.extract_slice %[[X]][0, 0, 0] [8, 3, 3] [1, 1, 1]
// CHECK-DAG:     %[[ZERO:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<1x1xf32>)
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[READ]], %[[G]] : tensor<8x3x3xf32>, tensor<8x2x2xf32>) outs(%[[ZERO]] : tensor<1x1xf32>)
// CHECK:         %[[HALF:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<1x1xf32>)
// CHECK:           arith.truncf
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[HALF]] : tensor<1x1xf16>)
// CHECK-NEXT:    return %[[T]]
func.func @taps(%x: tensor<8x4x4xf32>, %g: tensor<8x2x2xf32>) -> tensor<1x1xf16> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %all = linalg.generic {
      indexing_maps = [affine_map<(r, s, n, p, q) -> (n, r + p * 2, s + q * 2)>,
                       affine_map<(r, s, n, p, q) -> (n, p, q)>,
                       affine_map<(r, s, n, p, q) -> (r, s)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<8x4x4xf32>, tensor<8x2x2xf32>) outs(%zeros : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %product : f32
    linalg.yield %sum : f32
  } -> tensor<2x2xf32>
  %e1 = tensor.empty() : tensor<2x2xf16>
  %half = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%all : tensor<2x2xf32>) outs(%e1 : tensor<2x2xf16>) {
  ^bb0(%in: f32, %out: f16):
    %h = arith.truncf %in : f32 to f16
    linalg.yield %h : f16
  } -> tensor<2x2xf16>
  %t = linalg.transpose ins(%half : tensor<2x2xf16>) outs(%e1 : tensor<2x2xf16>) permutation = [1, 0]
  %column = tensor.extract_slice %t[0, 0] [2, 1] [1, 1] : tensor<2x2xf16> to tensor<2x1xf16>
  %first = tensor.extract_slice %column[0, 0] [1, 1] [1, 1] : tensor<2x1xf16> to tensor<1x1xf16>
  return %first : tensor<1x1xf16>
}

// A slice that loses a dimension, from the middle of what counts its rows.
// CHECK-LABEL: func.func @row
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<4x8xf32>
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG:     %[[ROW:.*]] = tensor.extract_slice %[[X]][2, 0] [1, 8] [1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[ROW]] :
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      arith.addf %[[IN]], %[[TWO]]
// CHECK:         } -> tensor<1x8xf32>
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> to tensor<8xf32>
func.func @row(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    %s = arith.addf %in, %f : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %1 = tensor.extract_slice %0[2, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Up a chain that is longer than the ten times that a driver goes round by itself.
// CHECK-LABEL: func.func @chain
// CHECK-NOT:     tensor<4x8xf32> {
// CHECK-COUNT-12: math.exp
// CHECK-NOT:     math.exp
// CHECK:         return
func.func @chain(%x: tensor<4x8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %100 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %101 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%100 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %102 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%101 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %103 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%102 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %104 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%103 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %105 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%104 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %106 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%105 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %107 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%106 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %108 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%107 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %109 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%108 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %110 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%109 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %111 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%110 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %first = tensor.extract_slice %111[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
  return %first : tensor<1x8xf32>
}

// Near misses: an operand that is read backwards, one that is read from an offset,
// and an operation in front of the loop that slices what it makes.
// CHECK-LABEL: func.func @read_otherwise
// CHECK-COUNT-2: } -> tensor<4xf32>
// CHECK:         } -> tensor<4xf32>
// CHECK:         scf.for
// CHECK-NEXT:      tensor.extract_slice
func.func @read_otherwise(%x: tensor<4xf32>, %longer: tensor<7xf32>, %n: index, %start: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (3 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i + 3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%longer : tensor<7xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  %s0 = tensor.extract_slice %0[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %s1 = tensor.extract_slice %1[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> (tensor<2xf32>) {
    %s2 = tensor.extract_slice %2[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %next = linalg.add ins(%s2, %sum : tensor<2xf32>, tensor<2xf32>) outs(%sum : tensor<2xf32>) -> tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %s0, %s1, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Near misses: a second reader, a slice with a stride, an offset that is not known,
// a shape that is not, and what may end the run.
// CHECK-LABEL: func.func @kept
// CHECK-NOT:     } -> tensor<2xf32>
// CHECK:         } -> tensor<4xf32>
// CHECK:         } -> tensor<4xf32>
// CHECK:         } -> tensor<4xf32>
// CHECK:         } -> tensor<?xf32>
// CHECK:         } -> tensor<4xf32>
// CHECK-COUNT-5: tensor.extract_slice
func.func @kept(%x: tensor<4xf32>, %u: tensor<?xf32>, %n: index)
    -> (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %eu = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.subf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%u : tensor<?xf32>) outs(%eu : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.divf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %ok = arith.cmpf one, %in, %zero : f32
    cf.assert %ok, "zero"
    linalg.yield %in : f32
  } -> tensor<4xf32>
  %s0 = tensor.extract_slice %0[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %s1 = tensor.extract_slice %1[0] [2] [2] : tensor<4xf32> to tensor<2xf32>
  %s2 = tensor.extract_slice %2[%n] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %s3 = tensor.extract_slice %3[0] [2] [1] : tensor<?xf32> to tensor<2xf32>
  %s4 = tensor.extract_slice %4[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0, %s0, %s1, %s2, %s3, %s4
      : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Near miss: a sum over nothing. A tile of 0 would be one that is whole.
// CHECK-LABEL: func.func @sum_of_nothing
// CHECK:         %[[ALL:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<0x5xf32>) outs(%arg1 : tensor<5xf32>)
// CHECK:         tensor.extract_slice %[[ALL]][1] [2] [1]
func.func @sum_of_nothing(%x: tensor<0x5xf32>, %out: tensor<5xf32>) -> tensor<2xf32> {
  %sum = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<0x5xf32>) outs(%out : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  %part = tensor.extract_slice %sum[1] [2] [1] : tensor<5xf32> to tensor<2xf32>
  return %part : tensor<2xf32>
}
