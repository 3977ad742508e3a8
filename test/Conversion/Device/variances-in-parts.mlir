// RUN: amp-opt %s --amp-variances-in-parts="close-bytes=1024" --split-input-file | FileCheck %s

// Halves are widened as they are read; the squares read the tensor in another shape, and are around what follows from the sum.
// Parts have 112 rows, as 128 do not divide 448.
// CHECK-LABEL: func @halves
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4x8x14x6xf16>
// CHECK:       %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1, 2], [3]] : tensor<4x8x14x6xf16> into tensor<448x6xf16>
// CHECK:       %[[P:.*]] = tensor.expand_shape %[[ROWS]] {{\[}}[0, 1], [2]] output_shape [4, 112, 6]
// CHECK:       %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[P]] : tensor<4x112x6xf16>)
// CHECK:         arith.extf
// CHECK:         arith.addf
// CHECK:       %[[D:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[P]], %[[S]] :
// CHECK:         arith.constant 0.00892857183 : f32
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%[[S]] : tensor<4x6xf32>)
// CHECK:       %[[MEAN:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<6xf32>)
// CHECK:       linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%[[D]], %[[S]], %[[MEAN]] :
// CHECK:         arith.constant 1.120000e+02 : f32
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @halves(%x: tensor<4x8x14x6xf16>, %e: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.001 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %y = tensor.expand_shape %x [[0, 1], [2], [3], [4]] output_shape [2, 2, 8, 14, 6] : tensor<4x8x14x6xf16> into tensor<2x2x8x14x6xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>], iterator_types = ["reduction", "reduction", "reduction", "parallel"]}
      ins(%x : tensor<4x8x14x6xf16>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %t = arith.addf %w, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%s : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4)>], iterator_types = ["reduction", "reduction", "reduction", "reduction", "parallel"]}
      ins(%y, %m : tensor<2x2x8x14x6xf16>, tensor<6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f16, %c: f32, %o: f32):
    %w = arith.extf %a : f16 to f32
    %d = arith.subf %w, %c : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %s, %v : tensor<6xf32>, tensor<6xf32>
}

// -----

// The number that squares are around is computed where they are.
// CHECK-LABEL: func @inside
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]}
// CHECK:       linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%{{.*}}, %{{.*}}, %[[M:.*]] :
// CHECK-NEXT:  ^bb0(%[[D:.*]]: f32, %[[S:.*]]: f32, %[[C:.*]]: f32, %[[O:.*]]: f32):
// CHECK:         %[[FROM:.*]] = arith.mulf %[[C]], %{{.*}} : f32
// CHECK:         %[[MEAN:.*]] = arith.mulf %[[S]], %{{.*}} : f32
// CHECK:         arith.subf %[[MEAN]], %[[FROM]] : f32
func.func @inside(%x: tensor<4x112x6xf32>, %e: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.001 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<4x112x6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%s : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x, %m : tensor<4x112x6xf32>, tensor<6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %k = arith.mulf %c, %scale : f32
    %d = arith.subf %a, %k : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %s, %v : tensor<6xf32>, tensor<6xf32>
}

// -----

// Near misses: both stay as they are.

// A block keeps columns of 32 rows.
// CHECK-LABEL: func @small
// CHECK-NOT:   "parallel", "reduction", "parallel"
// CHECK:       return
func.func @small(%x: tensor<32x6xf32>, %e: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.001 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<32x6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%s : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x, %m : tensor<32x6xf32>, tensor<6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %s, %v : tensor<6xf32>, tensor<6xf32>
}

// No part of 16 to 128 rows divides a prime.
// CHECK-LABEL: func @prime
// CHECK-NOT:   "parallel", "reduction", "parallel"
// CHECK:       return
func.func @prime(%x: tensor<8191x6xf32>, %e: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.001 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<8191x6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%s : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%x, %m : tensor<8191x6xf32>, tensor<6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %s, %v : tensor<6xf32>, tensor<6xf32>
}

// Not distances, but what is added to.
// CHECK-LABEL: func @shifted
// CHECK-NOT:   "parallel", "reduction", "parallel"
// CHECK:       return
func.func @shifted(%x: tensor<4x112x6xf32>, %e: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.001 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<4x112x6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%s : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x, %m : tensor<4x112x6xf32>, tensor<6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.addf %a, %c : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %s, %v : tensor<6xf32>, tensor<6xf32>
}

// Squares around what elements say.
// CHECK-LABEL: func @own
// CHECK-NOT:   "parallel", "reduction", "parallel"
// CHECK:       return
func.func @own(%x: tensor<4x112x6xf32>, %e: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.001 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<4x112x6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%s : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x, %m : tensor<4x112x6xf32>, tensor<6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %k = arith.mulf %a, %c : f32
    %d = arith.subf %a, %k : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %s, %v : tensor<6xf32>, tensor<6xf32>
}

// A product of two distances is none of one.
// CHECK-LABEL: func @mixed
// CHECK-NOT:   "parallel", "reduction", "parallel"
// CHECK:       return
func.func @mixed(%x: tensor<4x112x6xf32>, %e: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.001 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<4x112x6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%s : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x, %m : tensor<4x112x6xf32>, tensor<6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %d1 = arith.subf %c, %a : f32
    %q = arith.mulf %d, %d1 : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %s, %v : tensor<6xf32>, tensor<6xf32>
}

// The sum begins with numbers.
// CHECK-LABEL: func @begun
// CHECK-NOT:   "parallel", "reduction", "parallel"
// CHECK:       return
func.func @begun(%x: tensor<4x112x6xf32>, %e: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.001 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : tensor<4x112x6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]}
      ins(%s : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %scale : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x, %m : tensor<4x112x6xf32>, tensor<6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %s, %v : tensor<6xf32>, tensor<6xf32>
}

// Squares of another tensor than the sum is of.
// CHECK-LABEL: func @another
// CHECK-NOT:   "parallel", "reduction", "parallel"
// CHECK:       return
func.func @another(%x: tensor<448x6xf32>, %y: tensor<448x6xf32>, %e: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<448x6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>, affine_map<(r, c) -> (c)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%y, %s : tensor<448x6xf32>, tensor<6xf32>) outs(%zeros : tensor<6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %s, %v : tensor<6xf32>, tensor<6xf32>
}

// Rows, not columns, as a layer norm adds up.
// CHECK-LABEL: func @rows
// CHECK-NOT:   "parallel", "reduction", "parallel"
// CHECK:       return
func.func @rows(%x: tensor<448x6xf32>, %e: tensor<448xf32>) -> (tensor<448xf32>, tensor<448xf32>) {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<448xf32>) -> tensor<448xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<448x6xf32>) outs(%zeros : tensor<448xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<448xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %s : tensor<448x6xf32>, tensor<448xf32>) outs(%zeros : tensor<448xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  } -> tensor<448xf32>
  return %s, %v : tensor<448xf32>, tensor<448xf32>
}
