// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-widenings))" | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-recompute-widenings),amp-fuse-elementwise)" \
// RUN:   | FileCheck %s --check-prefix=FUSED

#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>

// A chain that widens and scales, for an elementwise reader, a sum, and one in a branch.
// CHECK-LABEL: func.func @unscaled
// CHECK-COUNT-3: arith.extf
// FUSED-LABEL: func.func @unscaled
// FUSED: linalg.generic {{.*}} ins(%{{.*}}, %arg0 : tensor<4x8xf32>, tensor<4x8xf16>)
// FUSED: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x8xf16>)
// FUSED: scf.if
// FUSED: linalg.generic {{.*}} ins(%arg0 : tensor<4x8xf16>)
func.func @unscaled(%g: tensor<4x8xf16>, %scale: f32, %p: tensor<4x8xf32>, %s: tensor<4xf32>, %c: i1)
    -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  %empty = tensor.empty() : tensor<4x8xf32>
  %w = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<4x8xf16>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %u = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%p, %u : tensor<4x8xf32>, tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.subf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %b = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%u : tensor<4x8xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %d = scf.if %c -> tensor<4x8xf32> {
    %1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%u : tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) {
    ^bb0(%x: f32, %out: f32):
      %0 = math.exp %x : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  } else {
    scf.yield %p : tensor<4x8xf32>
  }
  return %a, %b, %d : tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>
}

// -----

#i = affine_map<(i) -> (i)>

// Not: of the same size as what it reads; by a quotient; a result too; read at one place only
// (elementwise fusion takes that by itself).
// CHECK-LABEL: func.func @near_misses
// CHECK-COUNT-1: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK-COUNT-1: arith.divf
// CHECK-NOT: arith.divf
// CHECK-COUNT-1: arith.addf
// CHECK-NOT: arith.addf
// CHECK-COUNT-1: arith.subf
// CHECK-NOT: arith.subf
// CHECK: return
func.func @near_misses(%x: tensor<8xf32>, %h: tensor<8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %same = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %quotient = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%h : tensor<8xf16>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.divf %0, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %given = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%h : tensor<8xf16>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.addf %0, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %once = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%h : tensor<8xf16>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.subf %0, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %r0 = linalg.generic {indexing_maps = [#i, #i, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%same, %quotient, %given, %once : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %out: f32):
    %0 = arith.maximumf %a, %b : f32
    %1 = arith.maximumf %0, %c : f32
    %2 = arith.maximumf %1, %d : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %r1 = linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel"]}
      ins(%same, %quotient, %given : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %0 = arith.minimumf %a, %b : f32
    %1 = arith.minimumf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %r0, %r1, %given, %x, %x, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

#i = affine_map<(i) -> (i)>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#ij = affine_map<(i, j) -> (i, j)>

// A product reads it: it is in memory anyway. So is what a body reads by index.
// CHECK-LABEL: func.func @in_memory
// CHECK-COUNT-2: arith.extf
// CHECK-NOT: arith.extf
func.func @in_memory(%h: tensor<4x4xf16>, %t: tensor<4x4xf32>, %v: tensor<8xf16>, %k: index)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %w = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<4x4xf16>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%t : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  %q = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %g = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%e8 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %at = tensor.extract %v[%k] : tensor<8xf16>
    %0 = arith.extf %at : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%g : tensor<8xf32>) outs(%e8 : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%g : tensor<8xf32>) outs(%e8 : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.absf %in : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %p, %q, %r, %s : tensor<4x4xf32>, tensor<4x4xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// A number that is broadcast costs nothing to read. Each value is read twice by the next, so that
// there are 2, 4 and 8 of the last three; with 16 readers the fourth from the end stays one, and
// what is before it has two again.
// CHECK-LABEL: func.func @doubling
// CHECK-COUNT-18: arith.addf
// CHECK-NOT: arith.addf
// CHECK: return
#i = affine_map<(i) -> (i)>
#0 = affine_map<(i) -> ()>
func.func @doubling(%x: tensor<f32>) -> tensor<65536xf32> {
  %e = tensor.empty() : tensor<65536xf32>
  %w0 = linalg.generic {indexing_maps = [#0, #i], iterator_types = ["parallel"]} ins(%x : tensor<f32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<65536xf32>
  %n0 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%w0 : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %w1 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%w0, %n0 : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %n1 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%w1 : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %w2 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%w1, %n1 : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %n2 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%w2 : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %w3 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%w2, %n2 : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %n3 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%w3 : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %w4 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%w3, %n3 : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %n4 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%w4 : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %w5 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%w4, %n4 : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %n5 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%w5 : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  %w6 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%w5, %n5 : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<65536xf32>
  return %w6 : tensor<65536xf32>
}
