// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{product-rows=128 product-columns=32 product-bytes=1048576 product-tiles=4}))" \
// RUN:   | FileCheck %s --check-prefix=ROWS
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{product-rows=16 product-columns=32 product-bytes=16384 product-tiles=2}))" \
// RUN:   | FileCheck %s --check-prefix=WALK
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{product-rows=16 product-columns=32 product-bytes=16384 product-tiles=4}))" \
// RUN:   | FileCheck %s --check-prefix=FEW
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{product-rows=16 product-columns=32 product-bytes=16384 product-tiles=4}))" \
// RUN:   | FileCheck %s --check-prefix=FRONT
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{product-rows=32 product-columns=32 product-bytes=1048576 product-tiles=8}))" \
// RUN:   | FileCheck %s --check-prefix=ORDER
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{product-rows=128}))" \
// RUN:   | FileCheck %s --check-prefix=SEVERAL
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{product-rows=16 product-columns=32 product-bytes=16384 product-tiles=4 packed-bytes=4096}))" \
// RUN:   | FileCheck %s --check-prefix=WHOLE

// How large the tiles of products are, and in which order: one set of numbers for each function.

// Rows make up for what of B is read again: few of a short sum, but as many as a kernel multiplies
// at a time, and no more than product-rows of a long one.
// ROWS-LABEL: func.func @short_sum
// ROWS: scf.forall (%{{.+}}) = (0) to (64) step (32)
// ROWS-LABEL: func.func @long_sum
// ROWS: scf.forall (%{{.+}}) = (0) to (256) step (128)
// ROWS-LABEL: func.func @mid_sum
// ROWS: scf.forall (%{{.+}}) = (0) to (256) step (64)
func.func @short_sum(%a: tensor<64x8xf32>, %b: tensor<8x32xf32>, %v: tensor<32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %ep = tensor.empty() : tensor<64x32xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%zp : tensor<64x32xf32>) -> tensor<64x32xf32>
  %er = tensor.empty() : tensor<64x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %v : tensor<64x32xf32>, tensor<32xf32>) outs(%er : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
func.func @long_sum(%a: tensor<256x512xf32>, %b: tensor<512x32xf32>, %v: tensor<32xf32>) -> tensor<256x32xf32> {
  %zero = arith.constant 0.0 : f32
  %ep = tensor.empty() : tensor<256x32xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<256x32xf32>) -> tensor<256x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<256x512xf32>, tensor<512x32xf32>) outs(%zp : tensor<256x32xf32>) -> tensor<256x32xf32>
  %er = tensor.empty() : tensor<256x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %v : tensor<256x32xf32>, tensor<32xf32>) outs(%er : tensor<256x32xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<256x32xf32>
  return %r : tensor<256x32xf32>
}
func.func @mid_sum(%a: tensor<256x128xf32>, %b: tensor<128x32xf32>, %v: tensor<32xf32>) -> tensor<256x32xf32> {
  %zero = arith.constant 0.0 : f32
  %ep = tensor.empty() : tensor<256x32xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<256x32xf32>) -> tensor<256x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<256x128xf32>, tensor<128x32xf32>) outs(%zp : tensor<256x32xf32>) -> tensor<256x32xf32>
  %er = tensor.empty() : tensor<256x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %v : tensor<256x32xf32>, tensor<32xf32>) outs(%er : tensor<256x32xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<256x32xf32>
  return %r : tensor<256x32xf32>
}

// -----

// A loop that walks columns of one product and rows of the other is one loop.
// WALK-LABEL: func.func @columns_are_rows
// WALK: scf.forall (%{{.+}}) = (0) to (64) step (32)
// WALK-LABEL: func.func @rows_are_columns
// WALK: scf.forall (%{{.+}}) = (0) to (64) step (32)
func.func @columns_are_rows(%a: tensor<16x8xf32>, %b: tensor<8x64xf32>, %z: tensor<16x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<16x64xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<16x8xf32>, tensor<8x64xf32>) outs(%z0 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %e1 = tensor.empty() : tensor<64x32xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %z : tensor<16x64xf32>, tensor<16x32xf32>) outs(%z1 : tensor<64x32xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<64x32xf32>
  return %q : tensor<64x32xf32>
}
func.func @rows_are_columns(%a: tensor<64x8xf32>, %b: tensor<8x32xf32>, %w: tensor<16x32xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x32xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z0 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %e1 = tensor.empty() : tensor<16x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %p : tensor<16x32xf32>, tensor<64x32xf32>) outs(%z1 : tensor<16x64xf32>) {
  ^bb0(%in0: f32, %in1: f32, %acc: f32):
    %m = arith.mulf %in0, %in1 : f32
    %n = arith.addf %acc, %m : f32
    linalg.yield %n : f32
  } -> tensor<16x64xf32>
  return %q : tensor<16x64xf32>
}

// -----

// What joins a product that has few tiles leaves it those.
// FEW-LABEL: func.func @few_tiles
// FEW: scf.forall {{.*}} step (16) {{.*}} -> (tensor<32x32xf32>, tensor<32x32xf32>)
func.func @few_tiles(%a: tensor<32x8xf32>, %b: tensor<8x32xf32>, %v: tensor<32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %ep = tensor.empty() : tensor<32x32xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<32x8xf32>, tensor<8x32xf32>) outs(%zp : tensor<32x32xf32>) -> tensor<32x32xf32>
  %er = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %v : tensor<32x32xf32>, tensor<32xf32>) outs(%er : tensor<32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<32x32xf32>
  %et = tensor.empty() : tensor<32x32xf32>
  %t = linalg.exp ins(%r : tensor<32x32xf32>) outs(%et : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r, %t : tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// What a reader of the product reads besides may be in front of it.
// FRONT-LABEL: func.func @front_and_behind
// FRONT: scf.forall (%{{.+}}) = (0) to (64) step (16)
func.func @front_and_behind(%x: tensor<64x32xf32>, %a: tensor<64x8xf32>, %b: tensor<8x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<64x32xf32>
  %t = linalg.exp ins(%x : tensor<64x32xf32>) outs(%et : tensor<64x32xf32>) -> tensor<64x32xf32>
  %ep = tensor.empty() : tensor<64x32xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%zp : tensor<64x32xf32>) -> tensor<64x32xf32>
  %er = tensor.empty() : tensor<64x32xf32>
  %r = linalg.add ins(%p, %t : tensor<64x32xf32>, tensor<64x32xf32>) outs(%er : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// A is packed once more for two tiles of columns, B three times for four of rows.
// ORDER-LABEL: func.func @order
// ORDER: = (0, 0) to (64, 128) step (32, 32)
func.func @order(%a: tensor<128x8xf32>, %b: tensor<8x64xf32>, %v: tensor<64xf32>) -> tensor<128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ep = tensor.empty() : tensor<128x64xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<128x64xf32>) -> tensor<128x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<128x8xf32>, tensor<8x64xf32>) outs(%zp : tensor<128x64xf32>) -> tensor<128x64xf32>
  %er = tensor.empty() : tensor<128x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %v : tensor<128x64xf32>, tensor<64xf32>) outs(%er : tensor<128x64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<128x64xf32>
  return %r : tensor<128x64xf32>
}

// -----

// The bytes of all products count.
// SEVERAL-LABEL: func.func @several
// SEVERAL: scf.forall (%{{.+}}) = (0) to (512) step (128)
func.func @several(%a: tensor<512x8xf32>, %b: tensor<8x512xf32>, %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %ep = tensor.empty() : tensor<512x512xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<512x512xf32>) -> tensor<512x512xf32>
  %p = linalg.matmul ins(%a, %b : tensor<512x8xf32>, tensor<8x512xf32>) outs(%zp : tensor<512x512xf32>) -> tensor<512x512xf32>
  %eq = tensor.empty() : tensor<512x512xf32>
  %zq = linalg.fill ins(%zero : f32) outs(%eq : tensor<512x512xf32>) -> tensor<512x512xf32>
  %q = linalg.matmul ins(%p, %c : tensor<512x512xf32>, tensor<512x512xf32>) outs(%zq : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %q : tensor<512x512xf32>
}

// -----

// B is not read again where a tile has all rows, however large it is.
// WHOLE-LABEL: func.func @few_rows
// WHOLE: scf.forall (%{{.+}}) = (0) to (128) step (32)
func.func @few_rows(%a: tensor<16x64xf32>, %b: tensor<64x128xf32>, %v: tensor<128xf32>) -> tensor<16x128xf32> {
  %zero = arith.constant 0.0 : f32
  %ep = tensor.empty() : tensor<16x128xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<16x128xf32>) -> tensor<16x128xf32>
  %p = linalg.matmul ins(%a, %b : tensor<16x64xf32>, tensor<64x128xf32>) outs(%zp : tensor<16x128xf32>) -> tensor<16x128xf32>
  %er = tensor.empty() : tensor<16x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %v : tensor<16x128xf32>, tensor<128xf32>) outs(%er : tensor<16x128xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}
