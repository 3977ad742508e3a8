// RUN: amp-opt %s --amp-insert-casts | FileCheck %s

// Low contractions: half factors, an f32 accumulator, one rounding at the end.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>

module attributes {amp.policy = #amp.policy<O4, patch_type = bf16, loss_scale = 1.0>} {

// CHECK-LABEL: func.func @named
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x4xf32>
func.func @named(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  // CHECK-DAG: %[[AH:.*]] = amp.cast %[[A]] : tensor<4x8xf32> to tensor<4x8xbf16>
  // CHECK-DAG: %[[BH:.*]] = amp.cast %[[B]] : tensor<8x4xf32> to tensor<8x4xbf16>
  // CHECK: %[[ACC:.*]] = linalg.fill {{.*}} -> tensor<4x4xf32>
  // CHECK: %[[P:.*]] = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
  // CHECK-SAME: ins(%[[AH]], %[[BH]] : tensor<4x8xbf16>, tensor<8x4xbf16>) outs(%[[ACC]] : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<4x4xf32> to tensor<4x4xbf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4x4xbf16> to tensor<4x4xf32>
  // CHECK: return %[[W]]
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// In a generic the body widens the factors, which is exact, and multiplies in f32.
// CHECK-LABEL: func.func @generic
func.func @generic(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>) -> tensor<4x5xf32> {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x8xbf16>, tensor<5x8xbf16>) outs(%{{.*}} : tensor<4x5xf32>)
  // CHECK: ^bb0(%[[X:.*]]: bf16, %[[Y:.*]]: bf16, %[[ACC:.*]]: f32):
  // CHECK-DAG: %[[XW:.*]] = arith.extf %[[X]] : bf16 to f32
  // CHECK-DAG: %[[YW:.*]] = arith.extf %[[Y]] : bf16 to f32
  // CHECK: %[[P:.*]] = arith.mulf %[[XW]], %[[YW]] : f32
  // CHECK: %[[S:.*]] = arith.addf %[[ACC]], %[[P]] : f32
  // CHECK: linalg.yield %[[S]] : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [#mk, #nk, #mn],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<5x8xf32>) outs(%e : tensor<4x5xf32>)
      attrs = {amp.class = #amp.class<low, unit = 0>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// So it does before it multiplies and adds at once.
// CHECK-LABEL: func.func @generic_by_fma
func.func @generic_by_fma(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>) -> tensor<4x5xf32> {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x8xbf16>, tensor<5x8xbf16>) outs(%{{.*}} : tensor<4x5xf32>)
  // CHECK: ^bb0(%[[X:.*]]: bf16, %[[Y:.*]]: bf16, %[[ACC:.*]]: f32):
  // CHECK-DAG: %[[XW:.*]] = arith.extf %[[X]] : bf16 to f32
  // CHECK-DAG: %[[YW:.*]] = arith.extf %[[Y]] : bf16 to f32
  // CHECK: %[[S:.*]] = math.fma %[[XW]], %[[YW]], %[[ACC]] : f32
  // CHECK: linalg.yield %[[S]] : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.generic {indexing_maps = [#mk, #nk, #mn],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<5x8xf32>) outs(%e : tensor<4x5xf32>)
      attrs = {amp.class = #amp.class<low, unit = 0>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %s = math.fma %x, %y, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The bias is added to the f32 accumulator: one rounding for product and sum, as in
// addmm. The bias itself is half, as a parameter of a half function is.
// CHECK-LABEL: func.func @bias_before_rounding
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<4xf32>)
func.func @bias_before_rounding(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %bias: tensor<4xf32>)
    -> tensor<4x4xf32> {
  // CHECK: %[[BH:.*]] = amp.cast %[[BIAS]] : tensor<4xf32> to tensor<4xbf16>
  // CHECK: %[[BW:.*]] = amp.cast %[[BH]] : tensor<4xbf16> to tensor<4xf32>
  // CHECK: %[[P:.*]] = linalg.matmul
  // CHECK-NOT: amp.cast
  // CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[BW]] :
  // CHECK: amp.cast %[[S]] : tensor<4x4xf32> to tensor<4x4xbf16>
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>)
      attrs = {amp.class = #amp.class<low, unit = 0>} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// A chain of contractions hands half values on, with no f32 copy between.
// CHECK-LABEL: func.func @chain
func.func @chain(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[P:.*]] = linalg.matmul
  // CHECK: %[[H:.*]] = amp.cast %[[P]] : tensor<4x4xf32> to tensor<4x4xbf16>
  // CHECK-NOT: amp.cast %[[H]]
  // CHECK: linalg.matmul {{.*}} ins(%[[H]], %[[H]] : tensor<4x4xbf16>, tensor<4x4xbf16>)
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul {amp.class = #amp.class<low, unit = 1>}
      ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Near miss: a contraction of class high stays as it is; half values are widened for it.
// CHECK-LABEL: func.func @high_contraction
// CHECK-SAME: %[[A:.*]]: tensor<4x4xf32>
func.func @high_contraction(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK: %[[TH:.*]] = amp.cast %[[T]] : tensor<4x4xf32> to tensor<4x4xbf16>
  // CHECK: %[[TW:.*]] = amp.cast %[[TH]] : tensor<4x4xbf16> to tensor<4x4xf32>
  // CHECK: %[[P:.*]] = linalg.matmul {{.*}} ins(%[[A]], %[[TW]] : tensor<4x4xf32>, tensor<4x4xf32>)
  // CHECK-NEXT: return %[[P]]
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = math.tanh %a {amp.class = #amp.class<low, unit = 0>} : tensor<4x4xf32>
  %1 = linalg.matmul {amp.class = #amp.class<high, unit = 1>}
      ins(%a, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// A contraction that promotes takes half factors if all of them are half: nothing is
// rounded that was not.
// CHECK-LABEL: func.func @promoted_contraction
// CHECK-SAME: %[[A:.*]]: tensor<4x4xbf16>
func.func @promoted_contraction(%a: tensor<4x4xbf16>) -> tensor<4x4xf32> {
  // CHECK: linalg.matmul {{.*}} ins(%[[A]], %[[A]] : tensor<4x4xbf16>, tensor<4x4xbf16>)
  %e = tensor.empty() : tensor<4x4xf32>
  %w = amp.cast %a : tensor<4x4xbf16> to tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<promote, unit = 0>}
      ins(%w, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Near miss: one is f32.
// CHECK-LABEL: func.func @promoted_mixture
// CHECK-SAME: %{{.*}}: tensor<4x4xbf16>, %[[B:.*]]: tensor<4x4xf32>
func.func @promoted_mixture(%a: tensor<4x4xbf16>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[P:.*]] = linalg.matmul {{.*}} ins(%{{.*}}, %[[B]] : tensor<4x4xf32>, tensor<4x4xf32>)
  // CHECK-NEXT: return %[[P]]
  %e = tensor.empty() : tensor<4x4xf32>
  %w = amp.cast %a : tensor<4x4xbf16> to tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<promote, unit = 0>}
      ins(%w, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Near miss: a factor that the unit made itself is not rounded, as nothing is inside it,
// though what leaves the unit is half.
// CHECK-LABEL: func.func @promoted_raw_factor
// CHECK-SAME: %[[A:.*]]: tensor<4x4xbf16>
func.func @promoted_raw_factor(%a: tensor<4x4xbf16>) -> tensor<4x4xf32> {
  // CHECK: %[[W:.*]] = amp.cast %[[A]] : tensor<4x4xbf16> to tensor<4x4xf32>
  // CHECK: %[[Q:.*]] = arith.mulf %[[W]], %[[W]]
  // CHECK-NOT: amp.cast
  // CHECK: %[[P:.*]] = linalg.matmul {{.*}} ins(%[[Q]], %[[W]] : tensor<4x4xf32>, tensor<4x4xf32>)
  // CHECK: amp.cast %[[P]] : tensor<4x4xf32> to tensor<4x4xbf16>
  %e = tensor.empty() : tensor<4x4xf32>
  %w = amp.cast %a : tensor<4x4xbf16> to tensor<4x4xf32>
  %q = arith.mulf %w, %w {amp.class = #amp.class<promote, unit = 0>} : tensor<4x4xf32>
  %0 = linalg.matmul {amp.class = #amp.class<promote, unit = 0>}
      ins(%q, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Near miss: a low sum of squares is no contraction: it computes in f32 on rounded
// values and is rounded once.
// CHECK-LABEL: func.func @low_reduction
func.func @low_reduction(%a: tensor<4x8xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.reduce ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>)
  // CHECK: amp.cast %{{.*}} : tensor<4xf32> to tensor<4xbf16>
  %0 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {amp.class = #amp.class<low, unit = 0>} (%x: f32, %acc: f32) {
        %q = arith.mulf %x, %x : f32
        %s = arith.addf %q, %acc : f32
        linalg.yield %s : f32
      }
  return %0 : tensor<4xf32>
}

} // module
