// What stays in f32 although tf32 is asked for says why.
// RUN: amp-opt %s --split-input-file --verify-diagnostics --convert-linalg-to-tensor-core="report tf32"

// Taken, with a copy: no note.
func.func @taken(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %zero = arith.constant dense<0.0> : tensor<2048x2048xf32>
  // expected-remark @below {{runs as 'gemm_0': 2048x2048x2048 in}}
  %0 = linalg.matmul ins(%a, %b : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%zero : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// -----

// A copy of a large operand for short sums.
func.func @slower(%a: tensor<64x16384xf32>, %b: tensor<64x64xf32>) -> tensor<16384x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<16384x64xf32>
  // expected-remark @below {{runs as 'gemm_0': 16384x64x64 in}}
  // expected-note-re @below {{not in tf32: it is expected to take {{[0-9.]+}} us with its copies, in f32 {{[0-9.]+}} us}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x16384xf32>, tensor<64x64xf32>) outs(%zero : tensor<16384x64xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<16384x64xf32>
  return %0 : tensor<16384x64xf32>
}

// -----

// Taken: no note.
func.func @convolution(%x: tensor<8x32x32x64xf32>, %f: tensor<64x3x3x64xf32>) -> tensor<8x30x30x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<8x30x30x64xf32>
  // expected-remark @below {{runs as 'convolution_0'}}
  %0 = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<8x32x32x64xf32>, tensor<64x3x3x64xf32>) outs(%zero : tensor<8x30x30x64xf32>) -> tensor<8x30x30x64xf32>
  return %0 : tensor<8x30x30x64xf32>
}

// -----

// f16 is no f32: no note.
func.func @half(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf32> {
  %zero = arith.constant dense<0.0> : tensor<512x512xf32>
  // expected-remark @below {{runs as 'gemm_0'}}
  %0 = linalg.matmul ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%zero : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

// Results that threads store one by one, since rows are no multiple of 16 bytes, of very short sums.
func.func @many_results(%x: tensor<64x32x32x4xf32>, %f: tensor<255x1x1x4xf32>) -> tensor<64x32x32x255xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x32x32x255xf32>
  // expected-remark @below {{runs as 'convolution_0'}}
  // expected-note-re @below {{not in tf32: it is expected to take {{[0-9.]+}} us with its copies, in f32 {{[0-9.]+}} us}}
  %0 = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<64x32x32x4xf32>, tensor<255x1x1x4xf32>) outs(%zero : tensor<64x32x32x255xf32>) -> tensor<64x32x32x255xf32>
  return %0 : tensor<64x32x32x255xf32>
}
