// With `report`, each contraction says what became of it. Rules are numbered as
// in the pass's description.
// RUN: amp-opt %s --split-input-file --verify-diagnostics --convert-linalg-to-tensor-core=report

func.func @taken(%a: tensor<512x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<512x4096xbf16> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x4096xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  // expected-remark @below {{runs as 'gemm_0': 512x4096x4096 in 128 tiles of 128x128, 1 operations absorbed, expected}}
  %0 = linalg.matmul ins(%a, %b : tensor<512x4096xbf16>, tensor<4096x4096xbf16>)
      outs(%z : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  %1 = arith.truncf %0 : tensor<512x4096xf32> to tensor<512x4096xbf16>
  return %1 : tensor<512x4096xbf16>
}

// -----

// The kernel computes a part of what is planned with it: a function that device code does
// not have (of such an exponent) is left, and what follows.
func.func @cut(%a: tensor<512x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<512x4096xbf16> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x4096xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  // expected-remark @below {{1 operations absorbed, expected}}
  %0 = linalg.matmul ins(%a, %b : tensor<512x4096xbf16>, tensor<4096x4096xbf16>)
      outs(%z : tensor<512x4096xf32>) -> tensor<512x4096xf32>
  %1 = math.absf %0 : tensor<512x4096xf32>
  %cube = arith.constant dense<3> : tensor<512x4096xi128>
  // expected-note @below {{'math.fpowi' is planned with it, but is not part of its kernel}}
  %2 = math.fpowi %1, %cube : tensor<512x4096xf32>, tensor<512x4096xi128>
  %3 = arith.truncf %2 : tensor<512x4096xf32> to tensor<512x4096xbf16>
  return %3 : tensor<512x4096xbf16>
}

// -----

// A result that is copied into another order leaves all of it.
func.func @copied(%a: tensor<2x16x4xf16>, %b: tensor<16x8xf16>) -> tensor<2x8x4xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x4xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  // expected-remark @below {{0 operations absorbed, expected}}
  %0 = linalg.contract indexing_maps = [affine_map<(b, t, n, k) -> (b, k, t)>,
                                        affine_map<(b, t, n, k) -> (k, n)>,
                                        affine_map<(b, t, n, k) -> (b, n, t)>]
      ins(%a, %b : tensor<2x16x4xf16>, tensor<16x8xf16>)
      outs(%z : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  // expected-note @below {{'math.absf' is planned with it, but is not part of its kernel}}
  %1 = math.absf %0 : tensor<2x8x4xf32>
  return %1 : tensor<2x8x4xf32>
}

// -----

// Rule 1
func.func @dynamic(%a: tensor<?x64xf16>, %b: tensor<64x256xf16>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> {
  // expected-remark @below {{not for Tensor Cores: its shape is not static}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x256xf16>)
      outs(%c : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %0 : tensor<?x256xf32>
}

// -----

// Rule 1
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @sparse(%a: tensor<64x64xf16, #csr>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @below {{not for Tensor Cores: its tensors have an encoding}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16, #csr>, tensor<64x64xf16>)
      outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// Rule 1
func.func @empty(%a: tensor<0x64xf16>, %b: tensor<64x256xf16>, %c: tensor<0x256xf32>) -> tensor<0x256xf32> {
  // expected-remark @below {{not for Tensor Cores: it has no elements}}
  %0 = linalg.matmul ins(%a, %b : tensor<0x64xf16>, tensor<64x256xf16>)
      outs(%c : tensor<0x256xf32>) -> tensor<0x256xf32>
  return %0 : tensor<0x256xf32>
}

// -----

// Rule 2
func.func @half_sums(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-remark @below {{not for Tensor Cores: its sums are not f32}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>)
      outs(%c : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

// -----

// Rule 2
func.func @mixed_halves(%a: tensor<64x64xf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @below {{not for Tensor Cores: expected operands of type f16, of type bf16, of type tf32, or each of type f8E4M3FN or f8E5M2, but got 'f16' and 'bf16'; cast one of them}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xbf16>)
      outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// Rule 3: filters in JAX's order.
func.func @filters_rsck(%x: tensor<2x8x8x16xf16>, %w: tensor<3x3x16x8xf16>, %c: tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution whose filters or outputs are not stored K,R,S,C and N,P,Q,K; run amp-assign-layouts first}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x8x16xf16>, tensor<3x3x16x8xf16>)
      outs(%c : tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
  return %0 : tensor<2x6x6x8xf32>
}

// -----

// Rule 3: images in PyTorch's order.
func.func @images_nchw(%x: tensor<2x16x8x8xf16>, %w: tensor<8x16x3x3xf16>, %c: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution whose images are not stored N,H,W,C; run amp-assign-layouts first}}
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x16x8x8xf16>, tensor<8x16x3x3xf16>)
      outs(%c : tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  return %0 : tensor<2x8x6x6xf32>
}

// -----

// Rule 3
func.func @one_dimension(%x: tensor<2x8x16xf16>, %w: tensor<3x16x8xf16>, %c: tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution of other than two dimensions}}
  %0 = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<2x8x16xf16>, tensor<3x16x8xf16>)
      outs(%c : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %0 : tensor<2x6x8xf32>
}

// -----

// Rule 3
func.func @groups_before_pixels(%x: tensor<2x8x8x4x16xf16>, %w: tensor<4x8x3x3x16xf16>, %c: tensor<2x4x8x6x6xf32>) -> tensor<2x4x8x6x6xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution whose filters or outputs are not stored K,R,S,C and N,P,Q,K; run amp-assign-layouts first}}
  %0 = linalg.generic {indexing_maps = [affine_map<(n, g, k, p, q, c, r, s) -> (n, p + r, q + s, g, c)>,
                                        affine_map<(n, g, k, p, q, c, r, s) -> (g, k, r, s, c)>,
                                        affine_map<(n, g, k, p, q, c, r, s) -> (n, g, k, p, q)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel",
                                         "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x8x8x4x16xf16>, tensor<4x8x3x3x16xf16>) outs(%c : tensor<2x4x8x6x6xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x4x8x6x6xf32>
  return %0 : tensor<2x4x8x6x6xf32>
}

// -----

// Rule 3
func.func @reversed_channels(%x: tensor<2x8x8x8xf16>, %f: tensor<16x3x3x8xf16>, %c: tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution whose images are not stored N,H,W,C; run amp-assign-layouts first}}
  %0 = linalg.generic {indexing_maps = [affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, -c + 7)>,
                                       affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>,
                                       affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x8x8x8xf16>, tensor<16x3x3x8xf16>) outs(%c : tensor<2x6x6x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x6x6x16xf32>
  return %0 : tensor<2x6x6x16xf32>
}

// -----

// Rule 3
func.func @every_second_image(%x: tensor<3x8x8x8xf16>, %f: tensor<16x3x3x8xf16>, %c: tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution whose images are not stored N,H,W,C; run amp-assign-layouts first}}
  %0 = linalg.generic {indexing_maps = [affine_map<(n, p, q, k, c, r, s) -> (n * 2, p + r, q + s, c)>,
                                       affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>,
                                       affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<3x8x8x8xf16>, tensor<16x3x3x8xf16>) outs(%c : tensor<2x6x6x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x6x6x16xf32>
  return %0 : tensor<2x6x6x16xf32>
}

// -----

// Rule 3
func.func @channels_before_groups(%x: tensor<2x8x8x8x4xf16>, %f: tensor<4x16x3x3x8xf16>, %c: tensor<2x6x6x4x16xf32>) -> tensor<2x6x6x4x16xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution in groups whose images are not stored N,H,W,G,C; run amp-assign-layouts first}}
  %0 = linalg.generic {indexing_maps = [affine_map<(n, p, q, g, k, c, r, s) -> (n, p + r, q + s, c, g)>,
                                       affine_map<(n, p, q, g, k, c, r, s) -> (g, k, r, s, c)>,
                                       affine_map<(n, p, q, g, k, c, r, s) -> (n, p, q, g, k)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x8x8x8x4xf16>, tensor<4x16x3x3x8xf16>) outs(%c : tensor<2x6x6x4x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x6x6x4x16xf32>
  return %0 : tensor<2x6x6x4x16xf32>
}

// -----

// Rule 3
func.func @filters_of_two_loops(%x: tensor<2x8x8x8xf16>, %f: tensor<4x4x3x3x8xf16>, %c: tensor<2x6x6x4x4xf32>) -> tensor<2x6x6x4x4xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution with loops that are not of filters, channels or windows}}
  %0 = linalg.generic {indexing_maps = [affine_map<(n, p, q, k, l, c, r, s) -> (n, p + r, q + s, c)>,
                                       affine_map<(n, p, q, k, l, c, r, s) -> (k, l, r, s, c)>,
                                       affine_map<(n, p, q, k, l, c, r, s) -> (n, p, q, k, l)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x8x8x8xf16>, tensor<4x4x3x3x8xf16>) outs(%c : tensor<2x6x6x4x4xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x6x6x4x4xf32>
  return %0 : tensor<2x6x6x4x4xf32>
}

// -----

// Rule 3
func.func @filters_that_grow(%x: tensor<2x8x8x16xf16>, %f: tensor<2x6x6x16xf16>, %c: tensor<3x3x16xf32>) -> tensor<3x3x16xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution that adds to filters which are not stored G,R,S}}
  %0 = linalg.generic {indexing_maps = [affine_map<(r, s, g, n, p, q) -> (n, p + r, q + s, g)>,
                                       affine_map<(r, s, g, n, p, q) -> (n, p, q, g)>,
                                       affine_map<(r, s, g, n, p, q) -> (r, s, g)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x8x8x16xf16>, tensor<2x6x6x16xf16>) outs(%c : tensor<3x3x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<3x3x16xf32>
  return %0 : tensor<3x3x16xf32>
}

// -----

// No product, and no tiles.
func.func @depthwise(%x: tensor<2x8x8x16xf16>, %f: tensor<3x3x16xf16>) -> tensor<2x6x6x16xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x6x16xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
  // expected-remark @below {{runs as 'convolution_0': 72x16x9 each channel by itself, 0 operations absorbed}}
  %0 = linalg.generic {indexing_maps = [affine_map<(n, p, q, g, r, s) -> (n, p + r, q + s, g)>,
                                       affine_map<(n, p, q, g, r, s) -> (r, s, g)>,
                                       affine_map<(n, p, q, g, r, s) -> (n, p, q, g)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x8x8x16xf16>, tensor<3x3x16xf16>) outs(%z : tensor<2x6x6x16xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %p0 = arith.extf %l : f16 to f32
    %p1 = arith.extf %r : f16 to f32
    %p2 = arith.mulf %p0, %p1 : f32
    %p3 = arith.addf %o, %p2 : f32
    linalg.yield %p3 : f32
  } -> tensor<2x6x6x16xf32>
  return %0 : tensor<2x6x6x16xf32>
}

// -----

// Rule 3: columns without a window.
func.func @rows_alone(%x: tensor<2x8x8x16xf16>, %w: tensor<8x3x16xf16>, %c: tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32> {
  // expected-remark @below {{not for Tensor Cores: it is a convolution whose windows are not of rows and columns}}
  %0 = linalg.generic {indexing_maps = [affine_map<(n, p, q, k, r, c) -> (n, p + r, q, c)>,
                                        affine_map<(n, p, q, k, r, c) -> (k, r, c)>,
                                        affine_map<(n, p, q, k, r, c) -> (n, p, q, k)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x8x8x16xf16>, tensor<8x3x16xf16>) outs(%c : tensor<2x6x8x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x6x8x8xf32>
  return %0 : tensor<2x6x8x8xf32>
}

// -----

// Rule 3: a gradient of the filters of which the last rows are not asked for, and a
// convolution whose types do not go together.
#x = affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>
#f = affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>
#y = affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>
func.func @part(%x: tensor<2x8x8x16xf16>, %w: tensor<8x3x3x16xf16>, %b: tensor<8x3x3x16xbf16>,
                %c: tensor<2x5x6x8xf32>, %d: tensor<2x6x6x8xf32>) -> (tensor<2x5x6x8xf32>, tensor<2x6x6x8xf32>) {
  // expected-remark @below {{not for Tensor Cores: it is a convolution that does not reach the end of its image}}
  %0 = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x8x8x16xf16>, tensor<8x3x3x16xf16>) outs(%c : tensor<2x5x6x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x5x6x8xf32>
  // expected-remark @below {{not for Tensor Cores: expected operands}}
  %5 = linalg.generic {indexing_maps = [#x, #f, #y],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %b : tensor<2x8x8x16xf16>, tensor<8x3x3x16xbf16>) outs(%d : tensor<2x6x6x8xf32>) {
  ^bb0(%l: f16, %r: bf16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x6x6x8xf32>
  return %0, %5 : tensor<2x5x6x8xf32>, tensor<2x6x6x8xf32>
}

// -----

// Rule 4: columns between two loops of rows. Without the start it is taken (see
// @permuted_result).
func.func @start(%a: tensor<2x16x4xf16>, %b: tensor<16x8xf16>, %c: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  // expected-remark @below {{not for Tensor Cores: its result lies in another order than the kernel's, and its sums do not start with zero}}
  %0 = linalg.contract indexing_maps = [affine_map<(b, t, n, k) -> (b, k, t)>,
                                        affine_map<(b, t, n, k) -> (k, n)>,
                                        affine_map<(b, t, n, k) -> (b, n, t)>]
      ins(%a, %b : tensor<2x16x4xf16>, tensor<16x8xf16>)
      outs(%c : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}

// -----

// A result whose dimension of one element is no loop.
func.func @unit(%a: tensor<2x16x4xf16>, %b: tensor<16x8xf16>, %c: tensor<2x8x1x4xf32>) -> tensor<2x8x1x4xf32> {
  // expected-remark @below {{not for Tensor Cores: its result is not one matrix in memory}}
  %0 = linalg.generic {indexing_maps = [affine_map<(b, t, n, k) -> (b, k, t)>,
                                        affine_map<(b, t, n, k) -> (k, n)>,
                                        affine_map<(b, t, n, k) -> (b, n, 0, t)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x16x4xf16>, tensor<16x8xf16>) outs(%c : tensor<2x8x1x4xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x1x4xf32>
  return %0 : tensor<2x8x1x4xf32>
}

// -----

// Rule 5: products so small that a tile is mostly empty.
func.func @small(%a: tensor<65536x2x4xf16>, %b: tensor<65536x4x2xf16>) -> tensor<65536x2x2xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536x2x2xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<65536x2x2xf32>) -> tensor<65536x2x2xf32>
  // expected-remark @below {{not for Tensor Cores: a plain kernel is expected to take}}
  %0 = linalg.batch_matmul ins(%a, %b : tensor<65536x2x4xf16>, tensor<65536x4x2xf16>)
      outs(%z : tensor<65536x2x2xf32>) -> tensor<65536x2x2xf32>
  return %0 : tensor<65536x2x2xf32>
}

// -----

// Not a contraction: no remark.
func.func @elementwise(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Where a group is cut: at what has a second result; at a widening of what was rounded; not at a
// reshape, which is none of the kernel's operations, at its end or beside it; what is made for a
// reader is no operation of the kernel.
func.func @twice_used(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>) -> (tensor<32x128xf32>, tensor<32x128xf16>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  // expected-remark @below {{0 operations absorbed}}
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>) outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  // expected-note @below {{'math.absf' is planned with it, but is not part of its kernel}}
  %1 = math.absf %0 : tensor<32x128xf32>
  %2 = arith.truncf %1 : tensor<32x128xf32> to tensor<32x128xf16>
  return %0, %2 : tensor<32x128xf32>, tensor<32x128xf16>
}
func.func @rounded_then_wide(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>) -> tensor<32x128xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  // expected-remark @below {{1 operations absorbed}}
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>) outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = arith.truncf %0 : tensor<32x128xf32> to tensor<32x128xf16>
  // expected-note @below {{'arith.extf' is planned with it, but is not part of its kernel}}
  %2 = arith.extf %1 : tensor<32x128xf16> to tensor<32x128xf32>
  return %2 : tensor<32x128xf32>
}
func.func @reshaped_end(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>) -> tensor<8x4x128xf16> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  // expected-remark @below {{3 operations absorbed}}
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>) outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = math.absf %0 : tensor<32x128xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [8, 4, 128] : tensor<32x128xf32> into tensor<8x4x128xf32>
  %3 = arith.truncf %2 : tensor<8x4x128xf32> to tensor<8x4x128xf16>
  return %3 : tensor<8x4x128xf16>
}
func.func @two_ways(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>) -> (tensor<8x4x128xf32>, tensor<32x128xf16>) {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  // expected-remark @below {{0 operations absorbed}}
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>) outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [8, 4, 128] : tensor<32x128xf32> into tensor<8x4x128xf32>
  // expected-note @below {{'arith.truncf' is planned with it, but is not part of its kernel}}
  %2 = arith.truncf %0 : tensor<32x128xf32> to tensor<32x128xf16>
  return %1, %2 : tensor<8x4x128xf32>, tensor<32x128xf16>
}
func.func @made(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %x: tensor<32x128xf16>) -> tensor<32x128xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  // expected-remark @below {{1 operations absorbed}}
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x128xf16>) outs(%z : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = arith.extf %x : tensor<32x128xf16> to tensor<32x128xf32>
  %2 = arith.addf %0, %1 : tensor<32x128xf32>
  return %2 : tensor<32x128xf32>
}

// -----

// A move that the kernel does is not left to another.
func.func @moved(%a: tensor<512x256xf16>, %b: tensor<256x512xf16>) -> tensor<512x512xf16> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  // expected-remark @below {{2 operations absorbed, expected}}
  %0 = linalg.matmul ins(%a, %b : tensor<512x256xf16>, tensor<256x512xf16>)
      outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = arith.truncf %0 : tensor<512x512xf32> to tensor<512x512xf16>
  %te = tensor.empty() : tensor<512x512xf16>
  %t = linalg.transpose ins(%1 : tensor<512x512xf16>) outs(%te : tensor<512x512xf16>) permutation = [1, 0]
  return %t : tensor<512x512xf16>
}
