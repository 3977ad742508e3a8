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

// -----

// Near misses, continued: what has no neutral element; products, of which zero in one part and
// infinity in another would be NaN; f16; windows; a sum whose length is not known.
// CHECK-LABEL: func.func @no_neutral
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @multiplied
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @half16
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @window
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @dynamic_sum
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @no_neutral(%x: tensor<8192x512xf32>, %start: tensor<512xf32>) -> (tensor<8192x512xf32>, tensor<512xf32>) {
  %e = tensor.empty() : tensor<8192x512xf32>
  %h = linalg.exp ins(%x : tensor<8192x512xf32>) outs(%e : tensor<8192x512xf32>) -> tensor<8192x512xf32>
  %s = linalg.reduce ins(%h : tensor<8192x512xf32>) outs(%start : tensor<512xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %0 = arith.subf %acc, %in : f32
    linalg.yield %0 : f32
  }
  return %h, %s : tensor<8192x512xf32>, tensor<512xf32>
}
func.func @multiplied(%x: tensor<8192x512xf32>, %start: tensor<512xf32>) -> (tensor<8192x512xf32>, tensor<512xf32>) {
  %e = tensor.empty() : tensor<8192x512xf32>
  %h = linalg.exp ins(%x : tensor<8192x512xf32>) outs(%e : tensor<8192x512xf32>) -> tensor<8192x512xf32>
  %s = linalg.reduce ins(%h : tensor<8192x512xf32>) outs(%start : tensor<512xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %0 = arith.mulf %acc, %in : f32
    linalg.yield %0 : f32
  }
  return %h, %s : tensor<8192x512xf32>, tensor<512xf32>
}
func.func @half16(%x: tensor<8192x512xf16>, %start: tensor<512xf16>) -> (tensor<8192x512xf16>, tensor<512xf16>) {
  %e = tensor.empty() : tensor<8192x512xf16>
  %h = linalg.exp ins(%x : tensor<8192x512xf16>) outs(%e : tensor<8192x512xf16>) -> tensor<8192x512xf16>
  %s = linalg.reduce ins(%h : tensor<8192x512xf16>) outs(%start : tensor<512xf16>) dimensions = [0] (%in: f16, %acc: f16) {
    %0 = arith.addf %acc, %in : f16
    linalg.yield %0 : f16
  }
  return %h, %s : tensor<8192x512xf16>, tensor<512xf16>
}
func.func @window(%v: tensor<4096xf32>, %x: tensor<4351xf32>, %start: tensor<256xf32>) -> (tensor<4096xf32>, tensor<256xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %w = linalg.exp ins(%v : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (i + j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%w, %x : tensor<4096xf32>, tensor<4351xf32>) outs(%start : tensor<256xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256xf32>
  return %w, %s : tensor<4096xf32>, tensor<256xf32>
}
func.func @dynamic_sum(%x: tensor<?x512xf32>, %start: tensor<512xf32>) -> (tensor<?x512xf32>, tensor<512xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x512xf32>
  %e = tensor.empty(%n) : tensor<?x512xf32>
  %h = linalg.exp ins(%x : tensor<?x512xf32>) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
  %s = linalg.reduce ins(%h : tensor<?x512xf32>) outs(%start : tensor<512xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %0 = arith.addf %acc, %in : f32
    linalg.yield %0 : f32
  }
  return %h, %s : tensor<?x512xf32>, tensor<512xf32>
}

// -----

// A loop that goes along one result and walks the other.
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func @rows_and_columns
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @rows_and_columns(%x: tensor<1024x512xf32>, %r: tensor<1024xf32>, %c: tensor<512xf32>)
    -> (tensor<1024x512xf32>, tensor<1024xf32>, tensor<512xf32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %h = linalg.exp ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %s:2 = linalg.generic {indexing_maps = [#ij, #i, #j], iterator_types = ["reduction", "reduction"]}
      ins(%h : tensor<1024x512xf32>) outs(%r, %c : tensor<1024xf32>, tensor<512xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32):
    %0 = arith.addf %in, %a : f32
    %1 = arith.addf %in, %b : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<1024xf32>, tensor<512xf32>)
  return %h, %s#0, %s#1 : tensor<1024x512xf32>, tensor<1024xf32>, tensor<512xf32>
}

// -----

// Two sums of one operation: each has its own neutral element, start and combination.
// CHECK-LABEL: func.func @two_sums
// CHECK-SAME:    %[[START:[a-z0-9]+]]: tensor<512xf32>, %[[LEAST:[a-z0-9]+]]: tensor<512xf32>)
// CHECK:         %[[R:.+]]:3 = scf.forall {{.*}} step (16, 128)
// CHECK:           %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:           linalg.yield %[[ZERO]]
// CHECK:           %[[LOW:.+]] = arith.constant 0xFF800000 : f32
// CHECK:           linalg.yield %[[LOW]]
// CHECK:         linalg.generic {{.*}} ins(%[[R]]#1 : tensor<64x512xf32>) outs(%[[START]] : tensor<512xf32>)
// CHECK-NEXT:    ^bb0(%[[P:[a-z0-9_]+]]: f32, %[[T:[a-z0-9_]+]]: f32):
// CHECK-NEXT:      arith.addf %[[P]], %[[T]]
// CHECK:         linalg.generic {{.*}} ins(%[[R]]#2 : tensor<64x512xf32>) outs(%[[LEAST]] : tensor<512xf32>)
// CHECK-NEXT:    ^bb0(%[[P1:[a-z0-9_]+]]: f32, %[[T1:[a-z0-9_]+]]: f32):
// CHECK-NEXT:      arith.maximumf %[[T1]], %[[P1]]
func.func @two_sums(%x: tensor<1024x512xf32>, %start: tensor<512xf32>, %least: tensor<512xf32>)
    -> (tensor<1024x512xf32>, tensor<512xf32>, tensor<512xf32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %h = linalg.exp ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%h : tensor<1024x512xf32>) outs(%start, %least : tensor<512xf32>, tensor<512xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32):
    %0 = arith.addf %in, %a : f32
    %1 = arith.maximumf %b, %in : f32
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<512xf32>, tensor<512xf32>)
  return %h, %s#0, %s#1 : tensor<1024x512xf32>, tensor<512xf32>, tensor<512xf32>
}

// -----

// Doubles and integers have parts. Where a tile has all of a sum, it is whole.
// CHECK-LABEL: func.func @f64
// CHECK:         scf.forall {{.*}} -> (tensor<1024x512xf64>, tensor<128x512xf64>)
// CHECK-LABEL: func.func @i32
// CHECK:         scf.forall {{.*}} -> (tensor<1024x512xi32>, tensor<128x512xi32>)
// CHECK-LABEL: func.func @small
// CHECK:         scf.forall {{.*}} -> (tensor<128x128xf32>, tensor<128xf32>)
// CHECK-LABEL: func.func @sum_then_more
// CHECK:         scf.forall {{.*}} -> (tensor<1024x512xf32>, tensor<128x512xf32>, tensor<1024x512xf32>)
func.func @f64(%x: tensor<1024x512xf64>, %start: tensor<512xf64>) -> (tensor<1024x512xf64>, tensor<512xf64>) {
  %e = tensor.empty() : tensor<1024x512xf64>
  %h = linalg.exp ins(%x : tensor<1024x512xf64>) outs(%e : tensor<1024x512xf64>) -> tensor<1024x512xf64>
  %s = linalg.reduce ins(%h : tensor<1024x512xf64>) outs(%start : tensor<512xf64>) dimensions = [0] (%in: f64, %acc: f64) {
    %0 = arith.addf %acc, %in : f64
    linalg.yield %0 : f64
  }
  return %h, %s : tensor<1024x512xf64>, tensor<512xf64>
}
func.func @i32(%x: tensor<1024x512xi32>, %start: tensor<512xi32>) -> (tensor<1024x512xi32>, tensor<512xi32>) {
  %e = tensor.empty() : tensor<1024x512xi32>
  %h = linalg.add ins(%x, %x : tensor<1024x512xi32>, tensor<1024x512xi32>) outs(%e : tensor<1024x512xi32>) -> tensor<1024x512xi32>
  %s = linalg.reduce ins(%h : tensor<1024x512xi32>) outs(%start : tensor<512xi32>) dimensions = [0] (%in: i32, %acc: i32) {
    %0 = arith.minsi %acc, %in : i32
    linalg.yield %0 : i32
  }
  return %h, %s : tensor<1024x512xi32>, tensor<512xi32>
}
func.func @small(%x: tensor<128x128xf32>, %start: tensor<128xf32>) -> (tensor<128x128xf32>, tensor<128xf32>) {
  %e = tensor.empty() : tensor<128x128xf32>
  %h = linalg.exp ins(%x : tensor<128x128xf32>) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %s = linalg.reduce ins(%h : tensor<128x128xf32>) outs(%start : tensor<128xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %0 = arith.addf %acc, %in : f32
    linalg.yield %0 : f32
  }
  return %h, %s : tensor<128x128xf32>, tensor<128xf32>
}
func.func @sum_then_more(%x: tensor<1024x512xf32>, %start: tensor<512xf32>) -> (tensor<1024x512xf32>, tensor<512xf32>, tensor<1024x512xf32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %h = linalg.exp ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %s = linalg.reduce ins(%h : tensor<1024x512xf32>) outs(%start : tensor<512xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %0 = arith.addf %acc, %in : f32
    linalg.yield %0 : f32
  }
  %f = tensor.empty() : tensor<1024x512xf32>
  %y = linalg.tanh ins(%h : tensor<1024x512xf32>) outs(%f : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  return %h, %s, %y : tensor<1024x512xf32>, tensor<512xf32>, tensor<1024x512xf32>
}

// -----

// Behind another product, what leaves little joins what it reads; what is as large does not, nor
// does what only reads the same, but what takes all.
// CHECK-LABEL: func.func @life_little
// CHECK:         scf.forall {{.*}} -> (tensor<1024x512xf32>, tensor<128x512xf32>)
// CHECK-LABEL: func.func @life_much
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @life_only_inputs
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func @life_alone
// CHECK:         scf.forall {{.*}} -> (tensor<1024x512xf32>)
func.func @life_little(%x: tensor<1024x512xf32>, %start: tensor<512xf32>, %a: tensor<64x8xf32>, %b: tensor<8x32xf32>, %c: tensor<64x32xf32>) -> (tensor<1024x512xf32>, tensor<64x32xf32>, tensor<512xf32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %h = linalg.exp ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
  %s = linalg.reduce ins(%h : tensor<1024x512xf32>) outs(%start : tensor<512xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %0 = arith.addf %acc, %in : f32
    linalg.yield %0 : f32
  }
  return %h, %p, %s : tensor<1024x512xf32>, tensor<64x32xf32>, tensor<512xf32>
}
func.func @life_much(%x: tensor<1024x512xf32>, %a: tensor<64x8xf32>, %b: tensor<8x32xf32>, %c: tensor<64x32xf32>) -> (tensor<1024x512xf32>, tensor<64x32xf32>, tensor<1024x512xf32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %h = linalg.exp ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
  %f = tensor.empty() : tensor<1024x512xf32>
  %y = linalg.tanh ins(%h : tensor<1024x512xf32>) outs(%f : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  return %h, %p, %y : tensor<1024x512xf32>, tensor<64x32xf32>, tensor<1024x512xf32>
}
func.func @life_only_inputs(%x: tensor<1024x512xf32>, %a: tensor<64x8xf32>, %b: tensor<8x32xf32>, %c: tensor<64x32xf32>) -> (tensor<1024x512xf32>, tensor<64x32xf32>, tensor<1024x512xf32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %h = linalg.exp ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
  %f = tensor.empty() : tensor<1024x512xf32>
  %y = linalg.tanh ins(%x : tensor<1024x512xf32>) outs(%f : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  return %h, %p, %y : tensor<1024x512xf32>, tensor<64x32xf32>, tensor<1024x512xf32>
}
func.func @life_alone(%x: tensor<1024x512xf32>, %a: tensor<64x8xf32>, %b: tensor<8x32xf32>, %c: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<1024x512xf32>) {
  %e = tensor.empty() : tensor<1024x512xf32>
  %h = linalg.exp ins(%x : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x8xf32>, tensor<8x32xf32>) outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
  %f = tensor.empty() : tensor<1024x512xf32>
  %y = linalg.tanh ins(%h : tensor<1024x512xf32>) outs(%f : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  return %p, %y : tensor<64x32xf32>, tensor<1024x512xf32>
}

// -----

// Parts are in front of the dimensions of the sum, whose extents are asked for there. The sum of a
// product is not divided.
// CHECK-LABEL: func.func @dynamic_batch
// CHECK:         %[[D:.+]] = tensor.dim %{{.+}}, %c1 : tensor<512x?x512xf32>
// CHECK:         scf.forall {{.*}} to (%[[D]], 4096, 512)
// CHECK-LABEL: func.func @split_k
// CHECK:         scf.forall (%{{.+}}) = (0) to (16) step (16)
func.func @dynamic_batch(%x: tensor<?x4096x512xf32>, %start: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4096x512xf32>
  %e = tensor.empty(%n) : tensor<?x4096x512xf32>
  %h = linalg.exp ins(%x : tensor<?x4096x512xf32>) outs(%e : tensor<?x4096x512xf32>) -> tensor<?x4096x512xf32>
  %s = linalg.reduce ins(%h : tensor<?x4096x512xf32>) outs(%start : tensor<?x512xf32>) dimensions = [1] (%in: f32, %acc: f32) {
    %0 = arith.addf %acc, %in : f32
    linalg.yield %0 : f32
  }
  return %s : tensor<?x512xf32>
}
func.func @split_k(%x: tensor<16x4096xf32>, %b: tensor<4096x32xf32>) -> (tensor<16x4096xf32>, tensor<16x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<16x4096xf32>
  %t = linalg.exp ins(%x : tensor<16x4096xf32>) outs(%et : tensor<16x4096xf32>) -> tensor<16x4096xf32>
  %ep = tensor.empty() : tensor<16x32xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.matmul ins(%t, %b : tensor<16x4096xf32>, tensor<4096x32xf32>) outs(%zp : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %t, %p : tensor<16x4096xf32>, tensor<16x32xf32>
}
