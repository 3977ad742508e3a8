// RUN: amp-opt %s --amp-softmaxes-in-parts="close-bytes=2047" --split-input-file | FileCheck %s
// Exponentials that are a tensor take 2048 bytes more than two rows of 4096: a block keeps 6144 bytes, not one less.
// RUN: amp-opt %s --amp-softmaxes-in-parts="close-bytes=6143" --split-input-file | FileCheck %s --check-prefix=LESS
// RUN: amp-opt %s --amp-softmaxes-in-parts="close-bytes=6144" --split-input-file | FileCheck %s --check-prefix=KEEPS
// LESS-LABEL: func @scaled
// LESS-NOT:   tensor.expand_shape
// LESS-LABEL: func @kept
// LESS:       tensor.expand_shape
// KEEPS-NOT:  tensor.expand_shape

// Rows of 512 elements take more than 2047 bytes twice, in halves too: two parts of 256.
#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// The sum reads the elements itself.
// CHECK-LABEL: func @logarithm
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<4x512xf32>, %[[LOWEST:[^:]*]]: tensor<4xf32>
// CHECK:       %[[P:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [4, 2, 256]
// CHECK:       %[[MP:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[P]] : tensor<4x2x256xf32>)
// CHECK:         arith.maximumf
// CHECK:       %[[SP:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[P]], %[[MP]] :
// CHECK:         arith.cmpf olt
// CHECK:         %[[CENTER:.*]] = arith.select
// CHECK:         arith.subf %{{.*}}, %[[CENTER]] : f32
// CHECK:         math.exp
// CHECK:       %[[M:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[MP]] : tensor<4x2xf32>) outs(%[[LOWEST]] :
// CHECK:         arith.maximumf
// CHECK:       %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[SP]], %[[MP]], %[[M]] :
// CHECK-NEXT:  ^bb0(%[[PART:.*]]: f32, %[[A:.*]]: f32, %[[C:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT:    %[[D:.*]] = arith.subf %[[A]], %[[C]] : f32
// CHECK-NEXT:    %[[E:.*]] = math.exp %[[D]] : f32
// CHECK-NEXT:    %[[Q:.*]] = arith.mulf %[[PART]], %[[E]] : f32
// CHECK-NEXT:    arith.addf %[[O]], %[[Q]] : f32
// CHECK:       return %[[M]], %[[S]]
func.func @logarithm(%x: tensor<4x512xf32>, %lowest: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x512xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<4x512xf32>, tensor<4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %m, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// The maximum is of halves, the exponentials of what they are widened to; what is subtracted is computed where it is.
// CHECK-LABEL: func @halves
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<4x2xf16>)
// CHECK:         arith.maximumf %{{.*}} : f16
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<4x2xf32>)
// CHECK-COUNT-2: arith.extf
// CHECK:         arith.cmpf
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<4xf16>)
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK-COUNT-2: arith.extf
// CHECK:         math.exp
func.func @halves(%x: tensor<4x512xf16>, %lowest: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x512xf16>) outs(%lowest : tensor<4xf16>) {
  ^bb0(%a: f16, %o: f16):
    %t = arith.maximumf %a, %o : f16
    linalg.yield %t : f16
  } -> tensor<4xf16>
  %s = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<4x512xf16>, tensor<4xf16>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f16, %c: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    %k = arith.extf %c : f16 to f32
    %d = arith.subf %w, %k : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %m, %s : tensor<4xf16>, tensor<4xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// What the elements are computed from is read in parts; two sums below one maximum have the same.
// CHECK-LABEL: func @scaled
// CHECK:       linalg.generic {{.*}}["parallel", "parallel", "reduction"]}
// CHECK:         arith.mulf
// CHECK:         arith.maximumf
// CHECK:       %[[SP:.*]] = linalg.generic {{.*}}["parallel", "parallel", "reduction"]}
// CHECK:         arith.mulf
// CHECK:         math.exp
// CHECK-NOT:   ["parallel", "parallel", "reduction"]}
// CHECK:       linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[SP]],
// CHECK:       linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[SP]],
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @scaled(%x: tensor<4x512xf32>, %lowest: tensor<4xf32>, %other: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %scale = arith.constant 0.125 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x512xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %scale : f32
    %t = arith.maximumf %v, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<4x512xf32>, tensor<4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %v = arith.mulf %a, %scale : f32
    %d = arith.subf %v, %c : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %other : tensor<4x512xf32>, tensor<4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %v = arith.mulf %a, %scale : f32
    %d = arith.subf %v, %c : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %m, %s, %r : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// No part of at least 256 elements divides a prime: the sum and the quotient compute the exponentials themselves.
// CHECK-LABEL: func @prime
// CHECK-NOT:   tensor.expand_shape
// CHECK:         arith.maximumf
// CHECK-NOT:   ["parallel", "parallel"]
// CHECK:       linalg.generic {{.*}}["parallel", "reduction"]}
// CHECK:         math.exp
// CHECK:         arith.addf
// CHECK:       linalg.generic {{.*}}["parallel", "parallel"]}
// CHECK:         math.exp
// CHECK:         arith.divf
// CHECK-NOT:   math.exp
// CHECK:       return
func.func @prime(%x: tensor<4x521xf32>, %lowest: tensor<4xf32>, %y: tensor<4x521xf32>) -> tensor<4x521xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x521xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %p = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x521xf32>, tensor<4xf32>) outs(%y : tensor<4x521xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<4x521xf32>
  %s = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<4x521xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %q = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<4x521xf32>, tensor<4xf32>) outs(%y : tensor<4x521xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.divf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<4x521xf32>
  return %q : tensor<4x521xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// Exponentials that are a result are a tensor still, which all but the sum read.
// CHECK-LABEL: func @kept
// CHECK:       tensor.expand_shape
// CHECK:       %[[P:.*]] = linalg.generic {{.*}}["parallel", "parallel"]}
// CHECK:         math.exp
// CHECK:       linalg.generic {{.*}}["parallel", "reduction"]}
// CHECK:       %[[Q:.*]] = linalg.generic {{.*}}["parallel", "parallel"]} ins(%[[P]],
// CHECK:       return %[[P]], %[[Q]]
func.func @kept(%x: tensor<4x512xf32>, %lowest: tensor<4xf32>, %y: tensor<4x512xf32>) -> (tensor<4x512xf32>, tensor<4x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x512xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %p = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x512xf32>, tensor<4xf32>) outs(%y : tensor<4x512xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<4x512xf32>
  %s = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<4x512xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %q = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<4x512xf32>, tensor<4xf32>) outs(%y : tensor<4x512xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.divf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<4x512xf32>
  return %p, %q : tensor<4x512xf32>, tensor<4x512xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>

// Near misses: all stay as they are.

// The maximum is of other elements, or of none; the least is no maximum.
// CHECK-LABEL: func @others
// CHECK-NOT:   tensor.expand_shape
// CHECK:       return
func.func @others(%x: tensor<4x512xf32>, %x1: tensor<4x512xf32>, %lowest: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %scale = arith.constant 0.125 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x1 : tensor<4x512xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<4x512xf32>, tensor<4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %n = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x512xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.minimumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %n : tensor<4x512xf32>, tensor<4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %l = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x512xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %scale : f32
    %t = arith.maximumf %v, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %q = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %l : tensor<4x512xf32>, tensor<4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %s, %r, %q : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What is subtracted is no number of the row; sums that begin with numbers; a maximum behind the sum.
// CHECK-LABEL: func @starts
// CHECK-NOT:   tensor.expand_shape
// CHECK:       return
func.func @starts(%x: tensor<4x512xf32>, %x1: tensor<4x512xf32>, %lowest: tensor<4xf32>, %k: tensor<512xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x512xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %q = linalg.generic {indexing_maps = [#all, #columns, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %k : tensor<4x512xf32>, tensor<512xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<4x512xf32>, tensor<4xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x1, %m : tensor<4x512xf32>, tensor<4xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %n = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x1 : tensor<4x512xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %q, %s, %r, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Near misses: maxima of a type without infinities, and of one wider than the sums; rows of another operation's extents.
// CHECK-LABEL: func @without_infinity
// CHECK-NOT:   tensor.expand_shape
// CHECK:       return
#id = affine_map<(d0,d1)->(d0,d1)>
#row = affine_map<(d0,d1)->(d0)>
func.func @without_infinity(%x: tensor<4x65536xf8E4M3FN>) -> tensor<4xf32> {
  %ninf = arith.constant -448.0 : f8E4M3FN
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf8E4M3FN>
  %i = linalg.fill ins(%ninf : f8E4M3FN) outs(%e : tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  %m = linalg.generic {indexing_maps=[#id,#row], iterator_types=["parallel","reduction"]} ins(%x : tensor<4x65536xf8E4M3FN>) outs(%i : tensor<4xf8E4M3FN>) {
  ^bb0(%a: f8E4M3FN, %o: f8E4M3FN):
    %s = arith.maximumf %a, %o : f8E4M3FN
    linalg.yield %s : f8E4M3FN
  } -> tensor<4xf8E4M3FN>
  %e2 = tensor.empty() : tensor<4xf32>
  %i2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps=[#id,#row,#row], iterator_types=["parallel","reduction"]} ins(%x, %m : tensor<4x65536xf8E4M3FN>, tensor<4xf8E4M3FN>) outs(%i2 : tensor<4xf32>) {
  ^bb0(%a: f8E4M3FN, %c: f8E4M3FN, %o: f32):
    %w = arith.extf %a : f8E4M3FN to f32
    %cc = arith.extf %c : f8E4M3FN to f32
    %d = arith.subf %w, %cc : f32
    %ex = math.exp %d : f32
    %s = arith.addf %ex, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @wider_maximum
// CHECK-NOT:   tensor.expand_shape
// CHECK:       return
#id = affine_map<(d0,d1)->(d0,d1)>
#row = affine_map<(d0,d1)->(d0)>
func.func @wider_maximum(%x: tensor<4x65536xf16>) -> tensor<4xf32> {
  %ninf = arith.constant 0xFFF0000000000000 : f64
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf64>
  %i = linalg.fill ins(%ninf : f64) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %m = linalg.generic {indexing_maps=[#id,#row], iterator_types=["parallel","reduction"]} ins(%x : tensor<4x65536xf16>) outs(%i : tensor<4xf64>) {
  ^bb0(%a: f16, %o: f64):
    %w = arith.extf %a : f16 to f64
    %s = arith.maximumf %w, %o : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  %e2 = tensor.empty() : tensor<4xf32>
  %i2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps=[#id,#row,#row], iterator_types=["parallel","reduction"]} ins(%x, %m : tensor<4x65536xf16>, tensor<4xf64>) outs(%i2 : tensor<4xf32>) {
  ^bb0(%a: f16, %c: f64, %o: f32):
    %w = arith.extf %a : f16 to f32
    %cc = arith.truncf %c : f64 to f32
    %d = arith.subf %w, %cc : f32
    %ex = math.exp %d : f32
    %s = arith.addf %ex, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @other_rows
// CHECK-NOT:   tensor.expand_shape
// CHECK:       return
#x = affine_map<(d0,d1)->(d1)>
#row = affine_map<(d0,d1)->(d0)>
func.func @other_rows(%x: tensor<65536xf32>, %c: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%ninf : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.generic {indexing_maps=[#x,#row], iterator_types=["parallel","reduction"]} ins(%x : tensor<65536xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<8xf32>
  %i2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps=[#x,#row,#row], iterator_types=["parallel","reduction"]} ins(%x, %c : tensor<65536xf32>, tensor<8xf32>) outs(%i2 : tensor<8xf32>) {
  ^bb0(%a: f32, %cc: f32, %o: f32):
    %d = arith.subf %a, %cc : f32
    %ex = math.exp %d : f32
    %s = arith.addf %ex, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %m, %r : tensor<4xf32>, tensor<8xf32>
}
