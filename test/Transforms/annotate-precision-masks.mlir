// RUN: amp-opt %s --split-input-file --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-annotate-precision | FileCheck %s --check-prefixes=CHECK,F16
// RUN: amp-opt %s --split-input-file --amp-initialize-opt-level="opt-level=O4 verbosity=0" --amp-annotate-precision | FileCheck %s --check-prefixes=CHECK,BF16

// Masks of attentions: what is added or chosen is no number of f16, and stays FP32;
// bf16 has it.

// CHECK-LABEL: func.func @filled
func.func @filled(%scores: tensor<4x8xf32>, %masked: tensor<4x8xi1>, %x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %far = arith.constant dense<-1.0e9> : tensor<4x8xf32>
  // F16:  arith.select {{.*}} {amp.class = #amp.class<high, unit = {{[0-9]+}}, "a constant beyond the half type">}
  // BF16: arith.select {{.*}} {amp.class = #amp.class<follow
  %0 = arith.select %masked, %far, %scores : tensor<4x8xi1>, tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  // F16:  linalg.generic {{.*}} "a constant beyond the half type"
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
       ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %c = arith.constant -1.0e9 : f64
    %r = arith.truncf %c : f64 to f32
    %s = arith.addf %a, %r : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %k = arith.constant 7.0e4 : f32
  %f = linalg.fill ins(%k : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  // F16:  arith.mulf {{.*}} "a constant beyond the half type"
  %2 = arith.mulf %x, %f : tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Near misses: the largest numbers of f16, infinities, comparisons, bounds, and the
// start of a maximum.
// CHECK-LABEL: func.func @within
// CHECK-NOT:   beyond
// CHECK:       return
func.func @within(%x: tensor<4x8xf32>, %masked: tensor<4x8xi1>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>, tensor<4xf32>) {
  %near = arith.constant dense<-6.0e4> : tensor<4x8xf32>
  %inf = arith.constant dense<0xFF800000> : tensor<4x8xf32>
  %far = arith.constant dense<-1.0e9> : tensor<4x8xf32>
  %lowest = arith.constant -3.40282347E+38 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = arith.select %masked, %near, %x : tensor<4x8xi1>, tensor<4x8xf32>
  %1 = arith.select %masked, %inf, %x : tensor<4x8xi1>, tensor<4x8xf32>
  %2 = arith.cmpf olt, %x, %far : tensor<4x8xf32>
  %3 = arith.maximumf %x, %far : tensor<4x8xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.reduce { arith.maximumf } ins(%x : tensor<4x8xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
  return %0, %1, %2, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>, tensor<4xf32>
}

// -----

// A mask that is turned into numbers is f32, as a tensor of integers with .float() is,
// and what it is added to becomes f32 by it.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%scores: tensor<4x8xf32>, %masked: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
       ins(%masked : tensor<4x8xi1>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: i1, %out: f32):
    %r = arith.uitofp %a : i1 to f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %k = arith.constant dense<-1.0e4> : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}} {amp.class = #amp.class<high, unit = {{[0-9]+}}, "computed from integers alone">}
  %0 = arith.mulf %m, %k : tensor<4x8xf32>
  // CHECK: arith.addf {{.*}} {amp.class = #amp.class<promote
  %1 = arith.addf %scores, %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// Near miss: a mask of dropout is one function with what it is multiplied by.
// CHECK-LABEL: func.func @dropout
// CHECK-NOT:   integers alone
// CHECK:       return
func.func @dropout(%x: tensor<4x8xf32>, %kept: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
       ins(%kept : tensor<4x8xi1>) outs(%e : tensor<4x8xf32>) attrs = {amp.function = "torch.nn.functional.dropout", amp.scope_id = 1 : i64} {
  ^bb0(%a: i1, %out: f32):
    %r = arith.uitofp %a : i1 to f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %k = arith.constant dense<2.0> : tensor<4x8xf32>
  %0 = arith.mulf %m, %k {amp.function = "torch.nn.functional.dropout", amp.scope_id = 1 : i64} : tensor<4x8xf32>
  %1 = arith.mulf %x, %0 {amp.function = "torch.nn.functional.dropout", amp.scope_id = 1 : i64} : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
