// RUN: amp-opt %s --split-input-file --amp-count-least-traffic | FileCheck %s

// A product, what its result keeps, a loss; backward, another product and an update.
// x is read (128 KiB), w read (1 MiB) and written anew (1 MiB), the loss written (4).
// The product, what is kept of it and the gradient are written and read (256 KiB
// each); so is the gradient of w (2 MiB). The transposed x is x, and what is between
// the loss and the gradient needs no memory.

// Without what the products read and write: w is read by the update (1 MiB), and the new one written; the loss; the product is read
// (128 KiB), what is kept of it written and read, its gradient written; the gradient of w read (1 MiB).

// CHECK: module attributes {amp.least_memory_bound_traffic = 3670020 : i64, amp.least_traffic = 5111812 : i64}

#ij = affine_map<(i, j) -> (i, j)>
func.func @step(%x: tensor<64x512xf32>, %w: tensor<512x512xf32>) -> (tensor<f32>, tensor<512x512xf32>)
    attributes {amp.signature = {kind = "train_step", arguments = [],
                                 results = [{role = "loss"}, {role = "param"}]}} {
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant 0.1 : f32
  %rows = tensor.empty() : tensor<64x512xf32>
  %square = tensor.empty() : tensor<512x512xf32>
  %none = tensor.empty() : tensor<f32>
  %rows0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<64x512xf32>) -> tensor<64x512xf32>
  %square0 = linalg.fill ins(%zero : f32) outs(%square : tensor<512x512xf32>) -> tensor<512x512xf32>
  %none0 = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %h = linalg.matmul ins(%x, %w : tensor<64x512xf32>, tensor<512x512xf32>)
                     outs(%rows0 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %kept = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<64x512xf32>) outs(%rows : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.tanh %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  %squares = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%kept : tensor<64x512xf32>) outs(%rows : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  %loss = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%squares : tensor<64x512xf32>) outs(%none0 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %twice = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%kept : tensor<64x512xf32>) outs(%rows : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  %gradient = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%twice : tensor<64x512xf32>) outs(%rows : tensor<64x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  %long = tensor.empty() : tensor<512x64xf32>
  %xt = linalg.transpose ins(%x : tensor<64x512xf32>) outs(%long : tensor<512x64xf32>) permutation = [1, 0]
  %dw = linalg.matmul ins(%xt, %gradient : tensor<512x64xf32>, tensor<64x512xf32>)
                      outs(%square0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %new = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%w, %dw : tensor<512x512xf32>, tensor<512x512xf32>) outs(%square : tensor<512x512xf32>) {
  ^bb0(%in: f32, %d: f32, %out: f32):
    %0 = arith.mulf %d, %rate : f32
    %1 = arith.subf %in, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<512x512xf32>
  return %loss, %new : tensor<f32>, tensor<512x512xf32>
}

// -----

// A result that is rounded, and not read otherwise, is written as it is rounded: x and w are
// read, 64 KiB and 512 KiB, the half is written and read, and the loss is written. Others than the product
// read the half and write the loss.

#ij = affine_map<(i, j) -> (i, j)>
// CHECK: module attributes {amp.least_memory_bound_traffic = 65540 : i64, amp.least_traffic = 720900 : i64}
func.func @rounded(%x: tensor<64x512xf16>, %w: tensor<512x512xf16>) -> (tensor<f32>, tensor<64x512xf16>)
    attributes {amp.signature = {kind = "train_step", arguments = [{}, {}], results = [{role = "loss"}, {}]}} {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64x512xf32>
  %halves = tensor.empty() : tensor<64x512xf16>
  %none = tensor.empty() : tensor<f32>
  %rows0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<64x512xf32>) -> tensor<64x512xf32>
  %none0 = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %h = linalg.matmul ins(%x, %w : tensor<64x512xf16>, tensor<512x512xf16>)
                     outs(%rows0 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %half = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<64x512xf32>) outs(%halves : tensor<64x512xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<64x512xf16>
  %loss = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%half : tensor<64x512xf16>) outs(%none0 : tensor<f32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %loss, %half : tensor<f32>, tensor<64x512xf16>
}

// -----

// The near miss: as f32 it is read, too, so that it is written and read, and the half is written, by others
// than the product.

#ij = affine_map<(i, j) -> (i, j)>
// CHECK: module attributes {amp.least_memory_bound_traffic = 196612 : i64, amp.least_traffic = 917508 : i64}
func.func @rounded_and_read(%x: tensor<64x512xf16>, %w: tensor<512x512xf16>) -> (tensor<f32>, tensor<64x512xf16>)
    attributes {amp.signature = {kind = "train_step", arguments = [{}, {}], results = [{role = "loss"}, {}]}} {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64x512xf32>
  %halves = tensor.empty() : tensor<64x512xf16>
  %none = tensor.empty() : tensor<f32>
  %rows0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<64x512xf32>) -> tensor<64x512xf32>
  %none0 = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %h = linalg.matmul ins(%x, %w : tensor<64x512xf16>, tensor<512x512xf16>)
                     outs(%rows0 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %half = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<64x512xf32>) outs(%halves : tensor<64x512xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<64x512xf16>
  %loss = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%h : tensor<64x512xf32>) outs(%none0 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %in : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %loss, %half : tensor<f32>, tensor<64x512xf16>
}

// -----

// What is no train step is not counted.

// CHECK-NOT: amp.least_traffic
func.func @other(%x: tensor<64x512xf32>) -> tensor<64x512xf32>
    attributes {amp.signature = {kind = "other", arguments = [], results = []}} {
  return %x : tensor<64x512xf32>
}
