// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction=blas=off | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-linalg-to-host-contraction | FileCheck %s

// What looks like a contraction that the pass takes and is none. No function is
// added to any of these modules.
// CHECK-NOT: @amp

// CHECK-LABEL: @f64
func.func @f64(%a: memref<4x8xf64>, %b: memref<8x4xf64>, %c: memref<4x4xf64>) {
  // CHECK: linalg.matmul
  linalg.matmul ins(%a, %b : memref<4x8xf64>, memref<8x4xf64>) outs(%c : memref<4x4xf64>)
  return
}

// -----

// CHECK-LABEL: @integers
func.func @integers(%a: memref<4x8xi8>, %b: memref<8x4xi8>, %c: memref<4x4xi32>) {
  // CHECK: linalg.matmul
  linalg.matmul ins(%a, %b : memref<4x8xi8>, memref<8x4xi8>) outs(%c : memref<4x4xi32>)
  return
}

// -----

// A half output would round after each product.
// CHECK-LABEL: @half_output
func.func @half_output(%a: memref<4x8xf16>, %b: memref<8x4xf16>, %c: memref<4x4xf16>) {
  // CHECK: linalg.matmul
  linalg.matmul ins(%a, %b : memref<4x8xf16>, memref<8x4xf16>) outs(%c : memref<4x4xf16>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// The product rounds to f16 before it is widened.
// CHECK-LABEL: @half_product
func.func @half_product(%a: memref<4x8xf16>, %b: memref<8x4xf16>, %c: memref<4x4xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf16>, memref<8x4xf16>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %p = arith.mulf %x, %y : f16
    %w = arith.extf %p : f16 to f32
    %s = arith.addf %z, %w : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: @difference
func.func @difference(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.subf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The sum is a factor, not what is added to.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: @fma_of_the_sum
func.func @fma_of_the_sum(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = math.fma %x, %z, %y : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: @square_of_one_input
func.func @square_of_one_input(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %x : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: @more_than_a_product
func.func @more_than_a_product(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>, %d: memref<f32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    memref.store %s, %d[] : memref<f32>
    linalg.yield %s : f32
  }
  return
}

// -----

// A sum of products with no loop of one input alone: normalisations have these.
// CHECK-LABEL: @elementwise_product_summed
func.func @elementwise_product_summed(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<8xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                   affine_map<(i, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
    ins(%a, %b : memref<4x8xf32>, memref<4x8xf32>) outs(%c : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// CHECK-LABEL: @dot
func.func @dot(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<f32>) {
  // CHECK: linalg.dot
  linalg.dot ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%c : memref<f32>)
  return
}

// -----

// CHECK-LABEL: @outer_product_without_a_sum
func.func @outer_product_without_a_sum(%a: memref<4xf32>, %b: memref<8xf32>, %c: memref<4x8xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                                   affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : memref<4xf32>, memref<8xf32>) outs(%c : memref<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Rows of one input repeat with a period: not linear in the loops.
// CHECK-LABEL: @periodic_map
func.func @periodic_map(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<12x4xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m mod 4, k)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<12x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A loop that adds may index the output, and one that does not add need not: neither is
// rows, columns or a batch.
// CHECK-LABEL: @adding_loop_in_output
func.func @adding_loop_in_output(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A loop of the output alone repeats the product.
// CHECK-LABEL: @repeated
func.func @repeated(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4x2xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [affine_map<(m, n, r, k) -> (m, k)>, affine_map<(m, n, r, k) -> (k, n)>,
                                   affine_map<(m, n, r, k) -> (m, n, r)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4x2xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// An element of the output that belongs to several rows.
// CHECK-LABEL: @overlapping_rows
func.func @overlapping_rows(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<7xf32>) {
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m + n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// CHECK-LABEL: @other_memory
func.func @other_memory(%a: memref<4x8xf32, 1>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  // CHECK: linalg.matmul
  linalg.matmul ins(%a, %b : memref<4x8xf32, 1>, memref<8x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

// Not on buffers yet.
// CHECK-LABEL: @tensors
func.func @tensors(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: linalg.matmul
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Code for a device has no functions of the host to call.
// CHECK-LABEL: gpu.module
gpu.module @device {
  func.func @inside(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
    // CHECK: linalg.matmul
    linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>)
    return
  }
}
