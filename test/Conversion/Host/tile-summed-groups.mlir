// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups))" | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-tile-fusion-groups{product-rows=16 product-columns=32 product-bytes=16384 product-tiles=4}))" \
// RUN:   | FileCheck %s --check-prefix=PRODUCT

// Sums along the loops of a group: each tile gives a part of them.

// What is written by rows is summed over rows, and its largest element is looked for, before it
// leaves the cache; parts are added to what the sums start from.
// CHECK-DAG:   #[[ROW:.+]] = affine_map<(d0) -> (d0 floordiv 8)>
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %{{.+}}: tensor<1024x512xf32>, %[[START:.+]]: tensor<512xf32>, %[[LEAST:.+]]: tensor<f32>
// CHECK:         %[[R:.+]]:3 = scf.forall (%[[I:.+]], %[[J:.+]]) = (0, 0) to (1024, 512) step (8, 256) shared_outs
// CHECK-SAME:      -> (tensor<1024x512xf32>, tensor<128x512xf32>, tensor<128x{{[0-9]+}}xf32>)
// CHECK:           math.exp
// CHECK:           %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:           %[[Z:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<256xf32>)
// CHECK:             linalg.yield %[[ZERO]]
// CHECK:           %[[S:.+]] = linalg.generic {{.*}}"reduction", "parallel"]} {{.*}} outs(%[[Z]] : tensor<256xf32>)
// CHECK:           arith.constant 0xFF800000 : f32
// CHECK:           %[[M:.+]] = linalg.generic {{.*}}"reduction", "reduction"]} {{.*}} outs(%{{.+}} : tensor<f32>)
// CHECK-DAG:       %[[P:.+]] = affine.apply #[[ROW]](%[[I]])
// CHECK-DAG:       %[[Q:.+]] = affine.apply #{{.+}}(%[[J]])
// CHECK:           tensor.parallel_insert_slice %[[S]] into %{{.+}}[%[[P]], %[[J]]] [1, 256] [1, 1]
// CHECK:           tensor.parallel_insert_slice %[[M]] into %{{.+}}[%[[P]], %[[Q]]] [1, 1] [1, 1]
// CHECK:         %[[SUM:.+]] = linalg.generic {{.*}}"reduction", "parallel"]} ins(%[[R]]#1 : tensor<128x512xf32>) outs(%[[START]] : tensor<512xf32>)
// CHECK:           arith.addf
// CHECK:         %[[MOST:.+]] = linalg.generic {{.*}}"reduction", "reduction"]} ins(%[[R]]#2 : tensor<128x2xf32>) outs(%[[LEAST]] : tensor<f32>)
// CHECK:           arith.maximumf
// CHECK:         return %[[R]]#0, %[[SUM]], %[[MOST]]
func.func @rows(%x: tensor<1024x512xf32>, %start: tensor<512xf32>, %least: tensor<f32>)
    -> (tensor<1024x512xf32>, tensor<512xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %h = linalg.exp ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %s = linalg.reduce ins(%h : tensor<1024x512xf32>) outs(%start : tensor<512xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %0 = arith.addf %in, %acc : f32
    linalg.yield %0 : f32
  }
  %m = linalg.reduce ins(%h : tensor<1024x512xf32>) outs(%least : tensor<f32>) dimensions = [0, 1] (%in: f32, %acc: f32) {
    %0 = math.absf %in : f32
    %1 = arith.maximumf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return %h, %s, %m : tensor<1024x512xf32>, tensor<512xf32>, tensor<f32>
}

// -----

// Behind a product: the gradient of a bias. What reads the sum is behind the loops.
// PRODUCT-LABEL: func.func @bias
// PRODUCT:         %[[R:.+]]:2 = scf.forall (%{{.+}}) = (0) to (64) step (16) shared_outs({{.*}}) -> (tensor<64x32xf32>, tensor<4x32xf32>)
// PRODUCT:           linalg.generic {{.*}} ins({{.*}} : tensor<16x8xf32>, tensor<8x32xf32>)
// PRODUCT:           linalg.generic {{.*}}"reduction", "parallel"]} ins({{.*}} : tensor<16x32xf32>)
// PRODUCT:         %[[S:.+]] = linalg.generic {{.*}} ins(%[[R]]#1 : tensor<4x32xf32>)
// PRODUCT:         linalg.generic {{.*}} ins(%[[S]] : tensor<32xf32>)
// PRODUCT:           arith.negf
// PRODUCT:         return
func.func @bias(%a: tensor<64x8xf32>, %b: tensor<8x32xf32>) -> (tensor<64x32xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  %e1 = tensor.empty() : tensor<32xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.reduce ins(%p : tensor<64x32xf32>) outs(%z1 : tensor<32xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %0 = arith.addf %in, %acc : f32
    linalg.yield %0 : f32
  }
  %n = linalg.negf ins(%s : tensor<32xf32>) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
  return %p, %n : tensor<64x32xf32>, tensor<32xf32>
}

// -----

// Near misses. What is rounded after each addition depends on the order of all; what is not one
// operation has no neutral element; a sum that every row has a part of as large as the rows.
// CHECK-LABEL: func.func @half
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @rounded
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @large_parts
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @half(%x: tensor<8192x512xbf16>, %start: tensor<512xbf16>) -> (tensor<8192x512xbf16>, tensor<512xbf16>) {
  %e = tensor.empty() : tensor<8192x512xbf16>
  %h = linalg.exp ins(%x : tensor<8192x512xbf16>) outs(%e : tensor<8192x512xbf16>) -> tensor<8192x512xbf16>
  %s = linalg.reduce ins(%h : tensor<8192x512xbf16>) outs(%start : tensor<512xbf16>) dimensions = [0] (%in: bf16, %acc: bf16) {
    %0 = arith.addf %in, %acc : bf16
    linalg.yield %0 : bf16
  }
  return %h, %s : tensor<8192x512xbf16>, tensor<512xbf16>
}
func.func @rounded(%x: tensor<8192x512xf32>, %start: tensor<512xf32>) -> (tensor<8192x512xf32>, tensor<512xf32>) {
  %e = tensor.empty() : tensor<8192x512xf32>
  %h = linalg.exp ins(%x : tensor<8192x512xf32>) outs(%e : tensor<8192x512xf32>) -> tensor<8192x512xf32>
  %s = linalg.reduce ins(%h : tensor<8192x512xf32>) outs(%start : tensor<512xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %0 = arith.addf %in, %acc : f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    linalg.yield %2 : f32
  }
  return %h, %s : tensor<8192x512xf32>, tensor<512xf32>
}
func.func @large_parts(%v: tensor<8192xf32>, %w: tensor<8192xf32>) -> (tensor<8192xf32>, tensor<8192xf32>) {
  %e = tensor.empty() : tensor<8192xf32>
  %a = linalg.exp ins(%v : tensor<8192xf32>) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%v, %a : tensor<8192xf32>, tensor<8192xf32>) outs(%w : tensor<8192xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %m = arith.mulf %in, %other : f32
    %s = arith.addf %m, %out : f32
    linalg.yield %s : f32
  } -> tensor<8192xf32>
  return %a, %b : tensor<8192xf32>, tensor<8192xf32>
}
