// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{product-rows=16 product-columns=32 product-bytes=6144 product-tiles=4}))" \
// RUN:   | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{product-rows=16 product-columns=32 product-bytes=6144 product-tiles=4 packed-bytes=1023}))" \
// RUN:   | FileCheck %s --check-prefix=PACKED
// RUN: not amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{product-rows=0}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ROWS
// RUN: not amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-tile-fusion-groups{product-bytes=100000000}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BYTES
// ROWS: expected 'product-rows' to be from 1 to 1048576, but got 0
// BYTES: expected 'product-bytes' to be from 1 to 16777216, but got 100000000

// A bias and an activation on tiles of the product, which start from zero. A is small: its rows are
// read again for each tile of columns, and not B for each tile of rows.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
// With less room for B, which each of them reads again, there are none.
// PACKED-LABEL: func.func @layer
// PACKED-NOT:     scf.forall
// PACKED:         return
// CHECK-LABEL: func.func @layer
// CHECK:         scf.forall (%[[J:.+]], %[[I:.+]]) = (0, 0) to (128, 64) step (32, 16) shared_outs
// CHECK:           tensor.extract_slice %{{.+}}[%[[I]], 0] [16, 8]
// CHECK:           tensor.extract_slice %{{.+}}[0, %[[J]]] [8, 32]
// CHECK:           linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:           linalg.generic
// CHECK:             arith.addf
// CHECK:           tensor.parallel_insert_slice
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @layer(%a: tensor<64x8xf32>, %b: tensor<8x128xf32>, %v: tensor<128xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x128xf32>
  %z0 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e0 : tensor<64x128xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64x128xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x8xf32>, tensor<8x128xf32>) outs(%z0 : tensor<64x128xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<64x128xf32>
  %f0 = tensor.empty() : tensor<64x128xf32>
  %r = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]} ins(%p, %v : tensor<64x128xf32>, tensor<128xf32>) outs(%f0 : tensor<64x128xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
// A sum of each row needs all columns, which a tile then has; what is returned too is written.
// CHECK-LABEL: func.func @rows
// CHECK:         %[[R:.+]]:2 = scf.forall (%{{.+}}) = (0) to (64) step (16) shared_outs
// CHECK:           iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:           iterator_types = ["parallel", "reduction"]
// CHECK:         return %[[R]]#{{.}}, %[[R]]#{{.}}
func.func @rows(%a: tensor<64x8xf32>, %b: tensor<8x32xf32>, %s: tensor<64xf32>) -> (tensor<64x32xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x32xf32>
  %z0 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e0 : tensor<64x32xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64x32xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z0 : tensor<64x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<64x32xf32>
  %r = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<64x32xf32>) outs(%s : tensor<64xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  return %p, %r : tensor<64x32xf32>, tensor<64xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
// Near misses: nothing reads the product; rows that are too long for a tile of as many as a product
// wants; an operand whose extent is not known.
// CHECK-LABEL: func.func @alone
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @long
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT:     scf.forall
func.func @alone(%a: tensor<64x8xf32>, %b: tensor<8x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x32xf32>
  %z0 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e0 : tensor<64x32xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64x32xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z0 : tensor<64x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<64x32xf32>
  return %p : tensor<64x32xf32>
}
func.func @long(%a: tensor<64x8xf32>, %b: tensor<8x512xf32>) -> tensor<64x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x512xf32>
  %z0 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e0 : tensor<64x512xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64x512xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x8xf32>, tensor<8x512xf32>) outs(%z0 : tensor<64x512xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<64x512xf32>
  %r = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i, 511 - j)>, #ij], iterator_types = ["parallel", "parallel"]} ins(%p, %p : tensor<64x512xf32>, tensor<64x512xf32>) outs(%e0 : tensor<64x512xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}
func.func @dynamic(%a: tensor<64x?xf32>, %b: tensor<?x128xf32>, %v: tensor<128xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x128xf32>
  %z0 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e0 : tensor<64x128xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64x128xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x?xf32>, tensor<?x128xf32>) outs(%z0 : tensor<64x128xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<64x128xf32>
  %f0 = tensor.empty() : tensor<64x128xf32>
  %r = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]} ins(%p, %v : tensor<64x128xf32>, tensor<128xf32>) outs(%f0 : tensor<64x128xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
// A tile is too small for both products: the second one has a group of its own.
// CHECK-LABEL: func.func @two
// CHECK:         scf.forall
// CHECK:           iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT:       iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:         scf.forall
// CHECK:           iterator_types = ["parallel", "parallel", "reduction"]
func.func @two(%a: tensor<64x8xf32>, %b: tensor<8x32xf32>, %c: tensor<32x32xf32>, %v: tensor<32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x32xf32>
  %z0 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e0 : tensor<64x32xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64x32xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z0 : tensor<64x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<64x32xf32>
  %f0 = tensor.empty() : tensor<64x32xf32>
  %r = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]} ins(%p, %v : tensor<64x32xf32>, tensor<32xf32>) outs(%f0 : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<64x32xf32>
  %e1 = tensor.empty() : tensor<64x32xf32>
  %z1 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e1 : tensor<64x32xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<64x32xf32>
  %q = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%r, %c : tensor<64x32xf32>, tensor<32x32xf32>) outs(%z1 : tensor<64x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<64x32xf32>
  %f1 = tensor.empty() : tensor<64x32xf32>
  %t = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]} ins(%q, %v : tensor<64x32xf32>, tensor<32xf32>) outs(%f1 : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<64x32xf32>
  return %t : tensor<64x32xf32>
}

// -----

// A convolution reads windows, and is left alone.
// CHECK-LABEL: func.func @convolution
// CHECK-NOT:     scf.forall
#ij = affine_map<(i, j) -> (i, j)>
func.func @convolution(%x: tensor<40xf32>, %w: tensor<8x9xf32>, %v: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x32xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<8x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(f, i, k) -> (f, k)>, affine_map<(f, i, k) -> (i + k)>, affine_map<(f, i, k) -> (f, i)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<8x9xf32>, tensor<40xf32>) outs(%z : tensor<8x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<8x32xf32>
  %f = tensor.empty() : tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%c, %v : tensor<8x32xf32>, tensor<8x32xf32>) outs(%f : tensor<8x32xf32>) {
  ^bb0(%x0: f32, %y: f32, %out: f32):
    %0 = arith.addf %x0, %y : f32
    linalg.yield %0 : f32
  } -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
