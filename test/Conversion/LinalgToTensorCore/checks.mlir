// Checks of results that kernels make as they store them: ors of bits into one number. Numbers
// of all functions but the near misses are compared on the emulator (emulator.test).
// RUN: amp-opt %s --split-input-file --convert-linalg-to-tensor-core=always --canonicalize | FileCheck %s

// A product that is rounded. The bits join what was there before.
// CHECK-LABEL: func @checked
// CHECK-SAME:    %[[START:[^ ]*]]: tensor<i32>)
// CHECK:       %[[ZERO:.*]] = linalg.fill ins(%c0_i32 : i32)
// CHECK:       %[[L:.*]]:2 = amp.launch_kernels @gemm_0 ins(a = %{{.*}}, b = %{{.*}}) outs(d = %{{.*}}, output0 = %[[ZERO]]) {partial = ["output0"]}
// CHECK:       %[[BITS:.*]] = linalg.generic {{.*}} ins(%[[L]]#1 : tensor<i32>) outs(%[[START]] : tensor<i32>)
// CHECK:         arith.ori
// CHECK:       return %[[L]]#0, %[[BITS]]
func.func @checked(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %bits : tensor<32x16xf16>, tensor<i32>
}

// -----

// Behind an epilogue, and a reshape between the result and the check, which reads columns first.
// CHECK-LABEL: func @checked_relu
// CHECK:       amp.launch_kernels @gemm_0 {{.*}}operand0 = {{.*}} outs(d = %{{.*}}, output0 = %{{.*}}) {partial = ["output0"]}
// CHECK-NOT:   "reduction"
// CHECK:       return
func.func @checked_relu(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %bias: tensor<16xf32>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %oe = tensor.empty() : tensor<32x16xf16>
  %o = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ds, %bias : tensor<32x16xf32>, tensor<16xf32>) outs(%oe : tensor<32x16xf16>) {
  ^bb0(%x: f32, %y: f32, %out: f16):
    %1 = arith.addf %x, %y : f32
    %2 = arith.maximumf %1, %c0 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<32x16xf16>
  %e = tensor.expand_shape %o [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf16> into tensor<4x8x16xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, k, i)>, affine_map<(i, j, k) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%e : tensor<4x8x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %o, %bits : tensor<32x16xf16>, tensor<i32>
}

// -----

// What is stored in f32 is checked as it is.
// CHECK-LABEL: func @checked_wide
// CHECK:       outs(d = %{{.*}}, output0 = %{{.*}}) {partial = ["output0"]} : {{.*}}tensor<32x16xf32>, tensor<i32>)
func.func @checked_wide(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>) -> (tensor<32x16xf32>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %wide = arith.constant 24.0 : f32
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%ds : tensor<32x16xf32>) outs(%start : tensor<i32>) {
  ^bb0(%in: f32, %out: i32):
    %big = arith.cmpf ogt, %in, %wide : f32
    %n = arith.bitcast %in : f32 to i32
    %s = arith.select %big, %n, %none : i32
    %r = arith.ori %s, %out : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %ds, %bits : tensor<32x16xf32>, tensor<i32>
}

// -----

// The result is rounded, transposed by the kernel, and checked there.
// CHECK-LABEL: func @checked_transposed
// CHECK:       %[[L:.*]]:2 = amp.launch_kernels {{.*}} outs(d = %{{.*}}, output0 = %{{.*}}) {partial = ["output0"]} : {{.*}} -> (tensor<16x32xf16>, tensor<i32>)
// CHECK-NOT:   linalg.transpose
// CHECK:       return %[[L]]#0
func.func @checked_transposed(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>) -> (tensor<16x32xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %te = tensor.empty() : tensor<16x32xf16>
  %t = linalg.transpose ins(%d : tensor<32x16xf16>) outs(%te : tensor<16x32xf16>) permutation = [1, 0]
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%t : tensor<16x32xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %t, %bits : tensor<16x32xf16>, tensor<i32>
}

// -----

// Filters are rounded, moved by another kernel because their order is not that of kernels, and
// checked there: as they are stored in the kernel's order.
// CHECK-LABEL: func @checked_filters
// CHECK:       %[[L:.*]]:2 = amp.launch_kernels @convolution_0 {{.*}} outs(f = %{{.*}}, output0 = %{{.*}}) {partial = ["output0"]} : {{.*}} -> (tensor<16x3x3x8xf16>, tensor<i32>)
// CHECK:       linalg.generic {{.*}} ins(%[[L]]#0 : tensor<16x3x3x8xf16>)
func.func @checked_filters(%x: tensor<2x8x8x8xf16>, %g: tensor<2x6x6x16xf16>, %start: tensor<i32>) -> (tensor<16x8x3x3xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %e = tensor.empty() : tensor<16x3x3x8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<16x3x3x8xf32>) -> tensor<16x3x3x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(k, r, s, c, n, p, q) -> (n, p + r, q + s, c)>, affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>, affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<2x8x8x8xf16>, tensor<2x6x6x16xf16>) outs(%z : tensor<16x3x3x8xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16x3x3x8xf32>
  %d = arith.truncf %0 : tensor<16x3x3x8xf32> to tensor<16x3x3x8xf16>
  %te = tensor.empty() : tensor<16x8x3x3xf16>
  %t = linalg.generic {indexing_maps = [affine_map<(k, c, r, s) -> (k, r, s, c)>, affine_map<(k, c, r, s) -> (k, c, r, s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%d : tensor<16x3x3x8xf16>) outs(%te : tensor<16x8x3x3xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<16x8x3x3xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> ()>], iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%t : tensor<16x8x3x3xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %t, %bits : tensor<16x8x3x3xf16>, tensor<i32>
}

// -----

// The checks of a chain in another order than the products: the launches have one number, in
// the order in which they run.
// CHECK-LABEL: func @two_in_a_chain
// CHECK:       %[[ZERO:.*]] = linalg.fill ins(%c0_i32 : i32)
// CHECK:       %[[D:.*]]:2 = amp.launch_kernels {{.*}} ins(a = %[[A:.*]], b = {{.*}}output0 = %[[ZERO]])
// CHECK:       %[[F:.*]]:2 = amp.launch_kernels {{.*}}output0 = %[[D]]#1)
// CHECK:       %[[BITS:.*]] = linalg.generic {{.*}} ins(%[[F]]#1 : tensor<i32>)
// CHECK:       return %[[D]]#0, %[[F]]#0, %[[BITS]]
func.func @two_in_a_chain(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %c: tensor<32x24xf16>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %fe = tensor.empty() : tensor<32x16xf32>
  %fz = linalg.fill ins(%c0 : f32) outs(%fe : tensor<32x16xf32>) -> tensor<32x16xf32>
  %fs = linalg.matmul ins(%c, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%fz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %f = arith.truncf %fs : tensor<32x16xf32> to tensor<32x16xf16>
  %first = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%f : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<32x16xf16>) outs(%first : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %f, %bits : tensor<32x16xf16>, tensor<32x16xf16>, tensor<i32>
}

// -----

// Two chains are two numbers: each has its own.
// CHECK-LABEL: func @two_chains
// CHECK:       %[[Z:.*]] = linalg.fill
// CHECK:       %[[D:.*]]:2 = amp.launch_kernels {{.*}}output0 = %[[Z]])
// CHECK:       %[[Y:.*]] = linalg.fill
// CHECK:       %[[F:.*]]:2 = amp.launch_kernels {{.*}}output0 = %[[Y]])
// CHECK-DAG:   %[[ONE:.*]] = linalg.generic {{.*}} ins(%[[D]]#1 : tensor<i32>)
// CHECK-DAG:   %[[TWO:.*]] = linalg.generic {{.*}} ins(%[[F]]#1 : tensor<i32>)
// CHECK:       return %[[ONE]], %[[TWO]]
func.func @two_chains(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %c: tensor<32x24xf16>, %start: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %fe = tensor.empty() : tensor<32x16xf32>
  %fz = linalg.fill ins(%c0 : f32) outs(%fe : tensor<32x16xf32>) -> tensor<32x16xf32>
  %fs = linalg.matmul ins(%c, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%fz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %f = arith.truncf %fs : tensor<32x16xf32> to tensor<32x16xf16>
  %one = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  %two = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%f : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %one, %two : tensor<i32>, tensor<i32>
}

// -----

// The check of an argument, between those of two products, stays in the chain.
// CHECK-LABEL: func @one_is_left
// CHECK:       %[[D:.*]]:2 = amp.launch_kernels
// CHECK:       %[[REST:.*]] = linalg.generic {{.*}}"reduction", "reduction"]} ins(%arg3 : tensor<32x16xf16>) outs(%arg4 : tensor<i32>)
// CHECK:       linalg.generic {{.*}} ins(%{{.*}}#1 : tensor<i32>) outs(%[[REST]] : tensor<i32>)
func.func @one_is_left(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %c: tensor<32x24xf16>, %x: tensor<32x16xf16>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %fe = tensor.empty() : tensor<32x16xf32>
  %fz = linalg.fill ins(%c0 : f32) outs(%fe : tensor<32x16xf32>) -> tensor<32x16xf32>
  %fs = linalg.matmul ins(%c, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%fz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %f = arith.truncf %fs : tensor<32x16xf32> to tensor<32x16xf16>
  %first = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%f : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  %second = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<32x16xf16>) outs(%first : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<32x16xf16>) outs(%second : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %f, %bits : tensor<32x16xf16>, tensor<32x16xf16>, tensor<i32>
}

// -----

// A near miss: a check of more than the product.
// CHECK-LABEL: func @put_in
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @gemm_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @put_in(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %x: tensor<32x48xf16>, %start: tensor<i32>) -> (tensor<32x48xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %all = tensor.insert_slice %d into %x[0, 16] [32, 16] [1, 1] : tensor<32x16xf16> into tensor<32x48xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%all : tensor<32x48xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %all, %bits : tensor<32x48xf16>, tensor<i32>
}

// -----

// A near miss: a check of less than the product.
// CHECK-LABEL: func @in_part
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @gemm_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @in_part(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %part = tensor.extract_slice %d[0, 0] [16, 16] [1, 1] : tensor<32x16xf16> to tensor<16x16xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%part : tensor<16x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %bits : tensor<32x16xf16>, tensor<i32>
}

// -----

// A near miss: a check of what was computed before it was rounded for another reader.
// CHECK-LABEL: func @of_sums
// CHECK:       outs(d = %{{.*}}) :
// CHECK:       return
func.func @of_sums(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %wide = arith.constant 24.0 : f32
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %dw = math.absf %ds : tensor<32x16xf32>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%dw : tensor<32x16xf32>) outs(%start : tensor<i32>) {
  ^bb0(%in: f32, %out: i32):
    %big = arith.cmpf ogt, %in, %wide : f32
    %s = arith.extui %big : i1 to i32
    %r = arith.ori %s, %out : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %bits : tensor<32x16xf16>, tensor<i32>
}

// -----

// A near miss: an and, which has no place in an or.
// CHECK-LABEL: func @anded
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @gemm_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @anded(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.andi %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %bits : tensor<32x16xf16>, tensor<i32>
}

// -----

// A near miss: bits that depend on those so far.
// CHECK-LABEL: func @of_bits_so_far
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @gemm_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @of_bits_so_far(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %out : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %bits : tensor<32x16xf16>, tensor<i32>
}

// -----

// A near miss: kernels have no function of 64 bits in their epilogues.
// CHECK-LABEL: func @of_many_bits
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @gemm_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @of_many_bits(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %l = arith.extui %w : i32 to i64
    %t = arith.trunci %l : i64 to i32
    %s = arith.select %big, %t, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %bits : tensor<32x16xf16>, tensor<i32>
}

// -----

// A near miss: a check under a condition.
// CHECK-LABEL: func @under_a_condition
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @gemm_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @under_a_condition(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>, %ask: i1) -> (tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %bits = scf.if %ask -> (tensor<i32>) {
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
    scf.yield %c : tensor<i32>
  } else {
    scf.yield %start : tensor<i32>
  }
  return %d, %bits : tensor<32x16xf16>, tensor<i32>
}

// -----

// A near miss: each channel by itself has kernels without outputs.
// CHECK-LABEL: func @depthwise_checked
// CHECK:       amp.launch_kernels @convolution_0 {{.*}} outs(y = %{{.*}}) :
// CHECK:       return
func.func @depthwise_checked(%x: tensor<2x6x6x16xf16>, %f: tensor<3x3x16xf16>, %start: tensor<i32>) -> (tensor<2x4x4x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %e = tensor.empty() : tensor<2x4x4x16xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %f : tensor<2x6x6x16xf16>, tensor<3x3x16xf16>) outs(%z : tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32>
  %d = arith.truncf %0 : tensor<2x4x4x16xf32> to tensor<2x4x4x16xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> ()>], iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%d : tensor<2x4x4x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %bits : tensor<2x4x4x16xf16>, tensor<i32>
}

// -----

// The second product of the text ends first: the launches are in the order in which they run.
// CHECK-LABEL: func @ends_in_another_order
// CHECK:       %[[ZERO:.*]] = linalg.fill ins(%c0_i32 : i32)
// CHECK:       %[[F:.*]]:2 = amp.launch_kernels {{.*}}output0 = %[[ZERO]])
// CHECK:       %[[D:.*]]:2 = amp.launch_kernels {{.*}}output0 = %[[F]]#1)
// CHECK:       return %[[D]]#0, %[[F]]#0
func.func @ends_in_another_order(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %c: tensor<32x24xf16>, %start: tensor<i32>) -> (tensor<32x16xf16>, tensor<32x16xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %fe = tensor.empty() : tensor<32x16xf32>
  %fz = linalg.fill ins(%c0 : f32) outs(%fe : tensor<32x16xf32>) -> tensor<32x16xf32>
  %fs = linalg.matmul ins(%c, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%fz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %f = arith.truncf %fs : tensor<32x16xf32> to tensor<32x16xf16>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %first = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<32x16xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%f : tensor<32x16xf16>) outs(%first : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %d, %f, %bits : tensor<32x16xf16>, tensor<32x16xf16>, tensor<i32>
}

// -----

// A near miss: of more than the product, where that is not put in by the kernel: a part that does not begin at a multiple of 16 bytes.
// CHECK-LABEL: func @put_in_by_a_copy
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @gemm_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @put_in_by_a_copy(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %x: tensor<32x48xf16>, %start: tensor<i32>) -> (tensor<32x48xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %d = arith.truncf %ds : tensor<32x16xf32> to tensor<32x16xf16>
  %all = tensor.insert_slice %d into %x[0, 1] [32, 16] [1, 1] : tensor<32x16xf16> into tensor<32x48xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%all : tensor<32x48xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %all, %bits : tensor<32x48xf16>, tensor<i32>
}

// -----

// A near miss: of what another operation rounds while it moves it, and the kernel does not store.
// CHECK-LABEL: func @rounded_elsewhere
// CHECK-NOT:   output0
// CHECK:       amp.launch_kernels @gemm_0
// CHECK-NOT:   output0
// CHECK:       return
func.func @rounded_elsewhere(%a: tensor<32x24xf16>, %b: tensor<24x16xf16>, %start: tensor<i32>) -> (tensor<32x16xf32>, tensor<16x32xf16>, tensor<i32>) {
  %c0 = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %limit = arith.constant 24.0 : f16
  %de = tensor.empty() : tensor<32x16xf32>
  %dz = linalg.fill ins(%c0 : f32) outs(%de : tensor<32x16xf32>) -> tensor<32x16xf32>
  %ds = linalg.matmul ins(%a, %b : tensor<32x24xf16>, tensor<24x16xf16>) outs(%dz : tensor<32x16xf32>) -> tensor<32x16xf32>
  %te = tensor.empty() : tensor<16x32xf16>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ds : tensor<32x16xf32>) outs(%te : tensor<16x32xf16>) {
  ^bb0(%in: f32, %out: f16):
    %1 = arith.truncf %in : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<16x32xf16>
  %bits = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%t : tensor<16x32xf16>) outs(%start : tensor<i32>) {
  ^bb0(%in: f16, %out: i32):
    %big = arith.cmpf ogt, %in, %limit : f16
    %n = arith.bitcast %in : f16 to i16
    %w = arith.extui %n : i16 to i32
    %s = arith.select %big, %w, %none : i32
    %r = arith.ori %out, %s : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %ds, %t, %bits : tensor<32x16xf32>, tensor<16x32xf16>, tensor<i32>
}
