// RUN: amp-opt %s --convert-attention-to-kernels=report --verify-diagnostics | FileCheck %s
// RUN: not amp-opt %s --convert-attention-to-kernels=chip=sm_70 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: expected 'chip' to be one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, but got 'sm_70'

// A product of two matrices is none of an attention.
// CHECK-LABEL: func.func @product
// CHECK-NOT: amp.launch_kernels
func.func @product(%a: tensor<16x32xbf16>, %b: tensor<32x8xbf16>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<16xf32>) -> tensor<16xf32>
  // expected-remark@+1 {{not an attention with a kernel: expected a product of matrices for each head of a batch}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<16x32xbf16>, tensor<32x8xbf16>) outs(%zeros : tensor<16xf32>) {
  ^bb0(%l: bf16, %r: bf16, %out: f32):
    %1 = arith.extf %l : bf16 to f32
    %2 = arith.extf %r : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
