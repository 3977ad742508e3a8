// What the plan for a GPU has together. Sums of a product are in registers, and what
// needs them one by one is in its group.
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-annotate-fusion-plan))" | FileCheck %s
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-annotate-fusion-plan{chip=sm_86}))" | FileCheck %s --check-prefix=SM86
// A second run leaves nothing of the first.
// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-annotate-fusion-plan,amp-annotate-fusion-plan{chip=sm_86}))" | FileCheck %s --check-prefix=SM86
// RUN: not amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-annotate-fusion-plan{chip=sm_75}))" 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: expected 'chip' to be one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, but got 'sm_75'

#mn = affine_map<(b, m, n) -> (b, m, n)>
#n = affine_map<(b, m, n) -> (n)>

// A reshape that divides rows is no obstacle, however many rows there are.
// CHECK-LABEL: func @rows_divided
// CHECK-SAME:    amp.fusion_bytes = {after = 34738176 : i64, before = 236064768 : i64}
// CHECK:       linalg.fill {amp.fusion_group = 0 : i64}
// CHECK:       linalg.matmul {amp.fusion_group = 0 : i64}
// CHECK:       tensor.expand_shape
// CHECK:       linalg.generic {{.*}} attrs = {amp.fusion_group = 0 : i64}
// CHECK:       math.tanh %{{.*}} {amp.fusion_group = 0 : i64}
func.func @rows_divided(%a: tensor<8192x64xf16>, %b: tensor<64x1024xf16>, %bias: tensor<1024xf32>)
    -> tensor<8x1024x1024xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192x1024xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8192x64xf16>, tensor<64x1024xf16>)
      outs(%z : tensor<8192x1024xf32>) -> tensor<8192x1024xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [8, 1024, 1024]
      : tensor<8192x1024xf32> into tensor<8x1024x1024xf32>
  %f = tensor.empty() : tensor<8x1024x1024xf32>
  %2 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%1, %bias : tensor<8x1024x1024xf32>, tensor<1024xf32>) outs(%f : tensor<8x1024x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %7 = arith.addf %x, %y : f32
    linalg.yield %7 : f32
  } -> tensor<8x1024x1024xf32>
  %3 = math.tanh %2 : tensor<8x1024x1024xf32>
  return %3 : tensor<8x1024x1024xf32>
}

// -----

// Another order is each element once; more elements are not.
// CHECK-LABEL: func @other_orders
// CHECK:       linalg.matmul {amp.fusion_group = 0 : i64}
// CHECK:       linalg.transpose {{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       linalg.matmul ins
// CHECK:       linalg.broadcast ins
// CHECK-NOT:   amp.fusion_group
// CHECK:       return
func.func @other_orders(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %c: tensor<32x128xf32>)
    -> (tensor<128x32xf32>, tensor<4x32x128xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %e = tensor.empty() : tensor<128x32xf32>
  %1 = linalg.transpose ins(%0 : tensor<32x128xf32>) outs(%e : tensor<128x32xf32>) permutation = [1, 0]
  %2 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %f = tensor.empty() : tensor<4x32x128xf32>
  %3 = linalg.broadcast ins(%2 : tensor<32x128xf32>) outs(%f : tensor<4x32x128xf32>) dimensions = [0]
  return %1, %3 : tensor<128x32xf32>, tensor<4x32x128xf32>
}

// -----

// Two elements of a product are one too many: a matrix and its transpose. Twice the same is
// one, also of the transpose.
// CHECK-LABEL: func @mirror
// CHECK:       linalg.matmul {amp.fusion_group = 0 : i64}
// CHECK:       linalg.transpose {{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       arith.addf %{{[^{]*}} : tensor<64x64xf32>
// CHECK:       math.tanh %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       arith.mulf %{{.*}} {amp.fusion_group = 0 : i64}
func.func @mirror(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x64xf16>)
      outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.transpose ins(%0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
  %2 = arith.addf %0, %1 : tensor<64x64xf32>
  %3 = math.tanh %1 : tensor<64x64xf32>
  %4 = arith.mulf %1, %3 : tensor<64x64xf32>
  return %2, %4 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// The same in one operation.
// CHECK-LABEL: func @mirror_in_one
// CHECK-NOT:   amp.fusion_group
// CHECK:       return
func.func @mirror_in_one(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x64xf16>)
      outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>,
                                        affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %7 = arith.addf %x, %y : f32
    linalg.yield %7 : f32
  } -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

// What is made larger for a group alone belongs to it: a bias for each row, from which sums
// start, a half value in f32. The near misses: what another reads too, what is smaller than
// what it is made of, and operands of the product.
// CHECK-LABEL: func @made_for
// CHECK:       linalg.broadcast {{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       %[[WIDE:.*]] = arith.extf %arg0 :
// CHECK:       linalg.matmul {amp.fusion_group = 0 : i64} ins(%[[WIDE]]
// CHECK:       arith.extf %arg3 {amp.fusion_group = 0 : i64}
// CHECK:       arith.addf %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       %[[KEPT:.*]] = arith.extf %arg4 :
// CHECK:       arith.mulf %{{.*}}, %[[KEPT]] {amp.fusion_group = 0 : i64}
// CHECK:       %[[SUMS:.*]] = arith.truncf %arg5 :
// CHECK:       arith.mulf %{{.*}}, %[[SUMS]] {amp.fusion_group = 0 : i64}
func.func @made_for(%a: tensor<32x64xf16>, %b: tensor<64x128xf32>, %bias: tensor<128xf32>,
                    %x: tensor<32x128xf16>, %y: tensor<32x128xf16>, %z: tensor<32x128xf64>)
    -> (tensor<32x128xf32>, tensor<32x128xf32>) {
  %e = tensor.empty() : tensor<32x128xf32>
  %0 = linalg.broadcast ins(%bias : tensor<128xf32>) outs(%e : tensor<32x128xf32>) dimensions = [0]
  %1 = arith.extf %a : tensor<32x64xf16> to tensor<32x64xf32>
  %2 = linalg.matmul ins(%1, %b : tensor<32x64xf32>, tensor<64x128xf32>)
      outs(%0 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %3 = arith.extf %x : tensor<32x128xf16> to tensor<32x128xf32>
  %4 = arith.addf %2, %3 : tensor<32x128xf32>
  %5 = arith.extf %y : tensor<32x128xf16> to tensor<32x128xf32>
  %6 = arith.mulf %4, %5 : tensor<32x128xf32>
  %7 = arith.truncf %z : tensor<32x128xf64> to tensor<32x128xf32>
  %8 = arith.mulf %6, %7 : tensor<32x128xf32>
  return %8, %5 : tensor<32x128xf32>, tensor<32x128xf32>
}

// -----

// Behind another product a reader joins if it takes what nobody else needs, also where
// that is read twice.
// CHECK-LABEL: func @behind_another_product
// CHECK:       linalg.matmul {amp.fusion_group = 0 : i64}
// CHECK:       linalg.matmul {amp.fusion_group = 1 : i64}
// CHECK:       math.tanh %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       arith.mulf %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       math.exp %{{.*}} {amp.fusion_group = 1 : i64}
func.func @behind_another_product(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %c: tensor<32x128xf32>)
    -> (tensor<32x128xf32>, tensor<32x128xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %2 = math.tanh %0 : tensor<32x128xf32>
  %3 = arith.mulf %0, %2 : tensor<32x128xf32>
  %4 = math.exp %1 : tensor<32x128xf32>
  return %3, %4 : tensor<32x128xf32>, tensor<32x128xf32>
}

// -----

// The near miss: the second product needs it too. What is computed of it behind that
// would be kept for as long.
// CHECK-LABEL: func @kept_for_later
// CHECK:       linalg.matmul {amp.fusion_group = 0 : i64}
// CHECK:       arith.truncf %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       linalg.matmul ins
// CHECK:       math.tanh %{{[^{]*}} : tensor<32x128xf16>
func.func @kept_for_later(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %c: tensor<32x128xf32>,
                          %w: tensor<128x128xf16>) -> (tensor<32x128xf32>, tensor<32x128xf16>) {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = arith.truncf %0 : tensor<32x128xf32> to tensor<32x128xf16>
  %2 = linalg.matmul ins(%1, %w : tensor<32x128xf16>, tensor<128x128xf16>)
      outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %3 = math.tanh %1 : tensor<32x128xf16>
  return %2, %3 : tensor<32x128xf32>, tensor<32x128xf16>
}

// -----

// What a step returns is kept anyway: the momentum, and the weight that it moves.
// CHECK-LABEL: func @update
// CHECK:       linalg.matmul {amp.fusion_group = 0 : i64}
// CHECK:       linalg.matmul {amp.fusion_group = 1 : i64}
// CHECK:       arith.addf %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       arith.subf %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       arith.subf %{{.*}} {amp.fusion_group = 1 : i64}
func.func @update(%x: tensor<64x32xf16>, %g: tensor<32x128xf16>, %h: tensor<32x256xf16>,
                  %c: tensor<64x128xf32>, %d: tensor<64x256xf32>, %m: tensor<64x128xf32>,
                  %w: tensor<64x128xf32>, %v: tensor<64x256xf32>)
    -> (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x256xf32>) {
  %0 = linalg.matmul ins(%x, %g : tensor<64x32xf16>, tensor<32x128xf16>)
      outs(%c : tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = linalg.matmul ins(%x, %h : tensor<64x32xf16>, tensor<32x256xf16>)
      outs(%d : tensor<64x256xf32>) -> tensor<64x256xf32>
  %2 = arith.addf %m, %0 : tensor<64x128xf32>
  %3 = arith.subf %w, %2 : tensor<64x128xf32>
  %4 = arith.subf %v, %1 : tensor<64x256xf32>
  return %2, %3, %4 : tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x256xf32>
}

// -----

// A softmax is a group of its own, if its rows fit what a chip has: the maximum is there
// after all of a row, and the difference needs both.
// CHECK-LABEL: func @softmax
// CHECK:       linalg.matmul {amp.fusion_group = 0 : i64}
// CHECK:       arith.truncf %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       linalg.reduce { arith.maximumf }{{.*}} {amp.fusion_group = 1 : i64}
// CHECK:       linalg.broadcast {{.*}} {amp.fusion_group = 1 : i64}
// CHECK:       arith.subf %{{.*}} {amp.fusion_group = 1 : i64}
// CHECK:       math.exp %{{.*}} {amp.fusion_group = 1 : i64}
// SM86-LABEL:  func @softmax
// SM86:        linalg.matmul {amp.fusion_group = 0 : i64}
// SM86:        arith.truncf %{{.*}} {amp.fusion_group = 0 : i64}
// SM86:        linalg.reduce
// SM86-NOT:    amp.fusion_group
// SM86:        linalg.broadcast
func.func @softmax(%a: tensor<32x64xf16>, %b: tensor<64x28672xf16>, %c: tensor<32x28672xf32>,
                   %low: tensor<32xf16>) -> tensor<32x28672xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x28672xf16>)
      outs(%c : tensor<32x28672xf32>) -> tensor<32x28672xf32>
  %1 = arith.truncf %0 : tensor<32x28672xf32> to tensor<32x28672xf16>
  %2 = linalg.reduce {arith.maximumf} ins(%1 : tensor<32x28672xf16>) outs(%low : tensor<32xf16>) dimensions = [1]
  %e = tensor.empty() : tensor<32x28672xf16>
  %3 = linalg.broadcast ins(%2 : tensor<32xf16>) outs(%e : tensor<32x28672xf16>) dimensions = [1]
  %4 = arith.subf %1, %3 : tensor<32x28672xf16>
  %5 = math.exp %4 : tensor<32x28672xf16>
  return %5 : tensor<32x28672xf16>
}

// -----

#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>

// A convolution is a product: its windows are read by its kernel.
// CHECK-LABEL: func @convolution
// CHECK:       linalg.generic {{.*}} attrs = {amp.fusion_group = 0 : i64}
// CHECK:       math.absf %{{.*}} {amp.fusion_group = 0 : i64}
func.func @convolution(%x: tensor<2x8x8x16xf16>, %f: tensor<32x3x3x16xf16>, %c: tensor<2x6x6x32xf32>)
    -> tensor<2x6x6x32xf32> {
  %0 = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x8x8x16xf16>, tensor<32x3x3x16xf16>) outs(%c : tensor<2x6x6x32xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x6x6x32xf32>
  %5 = math.absf %0 : tensor<2x6x6x32xf32>
  return %5 : tensor<2x6x6x32xf32>
}

// -----

// What two products are added in goes with the first; the second is a product alone, and
// so is one of which it is not known how many elements it has.
// CHECK-LABEL: func @sum_of_two
// CHECK:       linalg.matmul {amp.fusion_group = 0 : i64}
// CHECK:       linalg.matmul ins
// CHECK:       arith.addf %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       linalg.matmul ins
// CHECK:       math.absf %{{[^{]*}} : tensor<?x128xf32>
func.func @sum_of_two(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %c: tensor<32x128xf32>,
                      %rows: tensor<?x64xf16>, %d: tensor<?x128xf32>) -> (tensor<32x128xf32>, tensor<?x128xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>)
      outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %2 = arith.addf %0, %1 : tensor<32x128xf32>
  %3 = linalg.matmul ins(%rows, %b : tensor<?x64xf16>, tensor<64x128xf16>)
      outs(%d : tensor<?x128xf32>) -> tensor<?x128xf32>
  %4 = math.absf %3 : tensor<?x128xf32>
  return %2, %4 : tensor<32x128xf32>, tensor<?x128xf32>
}

// -----

// Groups are numbered through the blocks of a function, and their bytes added up.
// CHECK-LABEL: func @branches
// CHECK-SAME:    amp.fusion_bytes = {after = 256 : i64, before = 512 : i64}
// CHECK:       math.absf %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       math.sqrt %{{.*}} {amp.fusion_group = 0 : i64}
// CHECK:       else
// CHECK:       math.exp %{{.*}} {amp.fusion_group = 1 : i64}
// CHECK:       math.sin %{{.*}} {amp.fusion_group = 1 : i64}
func.func @branches(%x: tensor<16xf32>, %c: i1) -> tensor<16xf32> {
  %0 = scf.if %c -> tensor<16xf32> {
    %1 = math.absf %x : tensor<16xf32>
    %2 = math.sqrt %1 : tensor<16xf32>
    scf.yield %2 : tensor<16xf32>
  } else {
    %1 = math.exp %x : tensor<16xf32>
    %2 = math.sin %1 : tensor<16xf32>
    scf.yield %2 : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}

// -----

// A chain that makes something larger for the product alone is made with it.
// CHECK-LABEL: func.func @chain_made
// CHECK:         linalg.matmul {amp.fusion_group = 0 : i64}
// CHECK:         linalg.broadcast {{.*}} {amp.fusion_group = 0 : i64}
// CHECK:         arith.extf {{.*}} {amp.fusion_group = 0 : i64}
// Near misses: what makes nothing larger; what others read too; elements that several sums are
// for, or that are walked in two orders.
// CHECK-LABEL: func.func @made_same_size
// CHECK:         arith.sitofp %arg3 : tensor
// CHECK:         arith.mulf {{.*}} {amp.fusion_group = 0 : i64}
// CHECK-LABEL: func.func @made_for_two
// CHECK-NOT:     linalg.matmul {amp.fusion_group = 0
// CHECK:         arith.extf {{.*}} {amp.fusion_group = 0
// CHECK-LABEL: func.func @diagonal
// CHECK-NOT:     amp.fusion_group
// CHECK-LABEL: func.func @square_orders
// CHECK:         arith.addf %{{[^{]*}} : tensor<8x8x8xf32>
func.func @chain_made(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %c: tensor<32x128xf32>, %y: tensor<128xf16>) -> tensor<32x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>) outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %e0 = tensor.empty() : tensor<32x128xf16>
  %1 = linalg.broadcast ins(%y : tensor<128xf16>) outs(%e0 : tensor<32x128xf16>) dimensions = [0]
  %2 = arith.extf %1 : tensor<32x128xf16> to tensor<32x128xf32>
  %3 = arith.addf %0, %2 : tensor<32x128xf32>
  return %3 : tensor<32x128xf32>
}
func.func @made_same_size(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %c: tensor<32x128xf32>, %x: tensor<32x128xi32>) -> tensor<32x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>) outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = arith.sitofp %x : tensor<32x128xi32> to tensor<32x128xf32>
  %2 = arith.mulf %0, %1 : tensor<32x128xf32>
  return %2 : tensor<32x128xf32>
}
func.func @made_for_two(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %c: tensor<32x128xf32>, %x: tensor<32x128xf16>) -> (tensor<32x128xf32>, tensor<128xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>) outs(%c : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = arith.extf %x : tensor<32x128xf16> to tensor<32x128xf32>
  %2 = arith.mulf %0, %1 : tensor<32x128xf32>
  %z = arith.constant dense<0.0> : tensor<128xf32>
  %3 = linalg.reduce {arith.addf} ins(%1 : tensor<32x128xf32>) outs(%z : tensor<128xf32>) dimensions = [0]
  return %2, %3 : tensor<32x128xf32>, tensor<128xf32>
}
func.func @diagonal(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x32xf16>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  %e = tensor.empty() : tensor<32x32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%l: f32, %o: f32):
    linalg.yield %l : f32
  } -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}
func.func @square_orders(%a: tensor<8x8x64xf16>, %b: tensor<8x64x8xf16>, %c: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<8x8x64xf16>, tensor<8x64x8xf16>) outs(%c : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %e = tensor.empty() : tensor<8x8x8xf32>
  %1 = linalg.transpose ins(%0 : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) permutation = [1, 0, 2]
  %2 = linalg.transpose ins(%0 : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) permutation = [1, 2, 0]
  %3 = arith.addf %1, %2 : tensor<8x8x8xf32>
  return %3 : tensor<8x8x8xf32>
}
