// RUN: amp-opt %s --amp-assign-layouts=remarks=true --split-input-file --verify-diagnostics -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: amp-opt %t.mlir --amp-assign-layouts --split-input-file -o %t.again.mlir
// RUN: diff %t.mlir %t.again.mlir

// What a training step has besides forward convolutions: gradients, residuals, batch
// norm, loops, reshapes, and transpositions of its own.

// A filter's gradient as PyTorch states it: a convolution of transposed tensors whose
// result is transposed. None of the three is needed; the gradient is copied once, into
// the order of the signature, after it was rounded.
// CHECK-LABEL: func.func @filter_gradient
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x6x6x4xf16> {{.*}}, %[[DY:[a-z0-9]*]]: tensor<2x4x4x8xf16>
// CHECK-NOT: linalg.transpose
// CHECK: %[[DW:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[DY]] : tensor<2x6x6x4xf16>, tensor<2x4x4x8xf16>) outs(%{{.*}} : tensor<8x3x3x4xf32>)
// CHECK: %[[HALF:.*]] = amp.cast %[[DW]] : tensor<8x3x3x4xf32> to tensor<8x3x3x4xf16>
// CHECK: %[[G:.*]] = linalg.transpose ins(%[[HALF]] : tensor<8x3x3x4xf16>) outs(%{{.*}} : tensor<8x4x3x3xf16>) permutation = [0, 3, 1, 2]
// CHECK: return %[[G]]
// expected-remark @below {{1 layout changes move 1152 bytes; with each convolution by itself, 2 would move 3456}}
func.func @filter_gradient(%x: tensor<2x6x6x4xf16> {amp.role = "batch", amp.name = "x0"}, %dy: tensor<2x4x4x8xf16> {amp.role = "batch", amp.name = "x1"})
    -> tensor<8x4x3x3xf16> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x2x6x6xf16>
  %xt = linalg.transpose ins(%x : tensor<2x6x6x4xf16>) outs(%e0 : tensor<4x2x6x6xf16>) permutation = [3, 0, 1, 2]
  %e1 = tensor.empty() : tensor<8x2x4x4xf16>
  %dyt = linalg.transpose ins(%dy : tensor<2x4x4x8xf16>) outs(%e1 : tensor<8x2x4x4xf16>) permutation = [3, 0, 1, 2]
  %e2 = tensor.empty() : tensor<4x8x3x3xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x8x3x3xf32>) -> tensor<4x8x3x3xf32>
  %dw = linalg.conv_2d_nchw_fchw ins(%xt, %dyt : tensor<4x2x6x6xf16>, tensor<8x2x4x4xf16>) outs(%f2 : tensor<4x8x3x3xf32>) -> tensor<4x8x3x3xf32>
  %half = amp.cast %dw : tensor<4x8x3x3xf32> to tensor<4x8x3x3xf16>
  %e3 = tensor.empty() : tensor<8x4x3x3xf16>
  %g = linalg.transpose ins(%half : tensor<4x8x3x3xf16>) outs(%e3 : tensor<8x4x3x3xf16>) permutation = [1, 0, 2, 3]
  return %g : tensor<8x4x3x3xf16>
}

// -----

// Its image is smaller than the window that the forward convolution has (a late layer):
// the phase tells, and nothing moves.
// CHECK-LABEL: func.func @small_filter_gradient
// CHECK-NOT: linalg.transpose
// CHECK: return
// expected-remark @below {{0 layout changes move 0 bytes; with each convolution by itself, 0 would move 0}}
func.func @small_filter_gradient(%x: tensor<2x4x4x4xf16>, %dy: tensor<2x2x2x8xf16>, %out: tensor<8x3x3x4xf32>) -> tensor<8x3x3x4xf32> {
  %dw = linalg.generic {
      indexing_maps = [affine_map<(k, r, s, c, n, p, q) -> (n, r + p, s + q, c)>,
                       affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>,
                       affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %dy : tensor<2x4x4x4xf16>, tensor<2x2x2x8xf16>) outs(%out : tensor<8x3x3x4xf32>)
      attrs = {amp.phase = "backward"} {
  ^bb0(%a: f16, %b: f16, %acc: f32):
    %aw = arith.extf %a : f16 to f32
    %bw = arith.extf %b : f16 to f32
    %m = arith.mulf %aw, %bw : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x3x3x4xf32>
  return %dw : tensor<8x3x3x4xf32>
}

// -----

// The same loops in the forward phase convolve a large window: what is innermost above
// is now the images, so each tensor is copied.
// CHECK-LABEL: func.func @large_window
// CHECK-COUNT-3: linalg.transpose
// CHECK: return
// expected-remark @below {{3 layout changes move 3072 bytes; with each convolution by itself, 3 would move 3072}}
func.func @large_window(%x: tensor<2x4x4x4xf16>, %dy: tensor<2x2x2x8xf16>, %out: tensor<8x3x3x4xf32>) -> tensor<8x3x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<8x3x3x4xf32>) -> tensor<8x3x3x4xf32>
  %dw = linalg.generic {
      indexing_maps = [affine_map<(k, r, s, c, n, p, q) -> (n, r + p, s + q, c)>,
                       affine_map<(k, r, s, c, n, p, q) -> (n, p, q, k)>,
                       affine_map<(k, r, s, c, n, p, q) -> (k, r, s, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %dy : tensor<2x4x4x4xf16>, tensor<2x2x2x8xf16>) outs(%f : tensor<8x3x3x4xf32>)
      attrs = {amp.phase = "forward"} {
  ^bb0(%a: f16, %b: f16, %acc: f32):
    %aw = arith.extf %a : f16 to f32
    %bw = arith.extf %b : f16 to f32
    %m = arith.mulf %aw, %bw : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x3x3x4xf32>
  return %dw : tensor<8x3x3x4xf32>
}

// -----

// A filter turned around for a data gradient is gathered from any order, so it is
// written as the kernel reads it and costs no layout change; so is JAX's, which is
// read backwards.
// CHECK-LABEL: func.func @turned_filters
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<8x4x3x3xf32>, %[[V:[a-z0-9]*]]: tensor<3x3x4x8xf32>
// CHECK-NOT: linalg.transpose
// CHECK: tensor.extract %[[W]]
// CHECK: } -> tensor<4x3x3x8xf32>
// CHECK: ins(%[[V]] : tensor<3x3x4x8xf32>) outs(%{{.*}} : tensor<8x3x3x4xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
// expected-remark @below {{0 layout changes move 0 bytes; with each convolution by itself, 2 would move 4608}}
func.func @turned_filters(%w: tensor<8x4x3x3xf32>, %v: tensor<3x3x4x8xf32>, %x: tensor<2x8x8x8xf32>, %out: tensor<2x6x6x4xf32>, %out2: tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4x8x3x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j, r, s) -> (i, j, r, s)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%e : tensor<4x8x3x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %r = linalg.index 2 : index
    %s = linalg.index 3 : index
    %r2 = arith.subi %c2, %r : index
    %s2 = arith.subi %c2, %s : index
    %value = tensor.extract %w[%j, %i, %r2, %s2] : tensor<8x4x3x3xf32>
    linalg.yield %value : f32
  } -> tensor<4x8x3x3xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>,
                       affine_map<(n, p, q, k, c, r, s) -> (k, c, r, s)>,
                       affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %t : tensor<2x8x8x8xf32>, tensor<4x8x3x3xf32>) outs(%out : tensor<2x6x6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x6x6x4xf32>
  %e2 = tensor.empty() : tensor<3x3x4x8xf32>
  %t2 = linalg.generic {indexing_maps = [affine_map<(r, s, c, k) -> (-r + 2, -s + 2, c, k)>, affine_map<(r, s, c, k) -> (r, s, c, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<3x3x4x8xf32>) outs(%e2 : tensor<3x3x4x8xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  } -> tensor<3x3x4x8xf32>
  %z = linalg.conv_2d_nhwc_hwcf ins(%y, %t2 : tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) outs(%out2 : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %z : tensor<2x4x4x8xf32>
}

// -----

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>

// Batch norm and a residual: statistics are per channel, in one order, whatever the
// activations' is; the sum of two branches has one order, and so have both.
// CHECK-LABEL: func.func @residual
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}["reduction", "reduction", "reduction", "parallel"]}
// CHECK-SAME: tensor<2x6x6x4xf32>) outs(%{{.*}} : tensor<1x4x1x1xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SUM]] : tensor<2x6x6x4xf32>, tensor<1x4x1x1xf32>)
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<2x6x6x4xf32>
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x6x6x4xf32>) outs(%{{.*}} : tensor<2x4x6x6xf32>)
// CHECK-NEXT: return
// expected-remark @below {{3 layout changes move 5760 bytes; with each convolution by itself, 5 would move 13952}}
func.func @residual(%x: tensor<2x4x6x6xf32>, %w: tensor<4x4x3x3xf32>) -> tensor<2x4x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x6x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %pad = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x4x6x6xf32> to tensor<2x4x8x8xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%pad, %w : tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) outs(%f : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %e1 = tensor.empty() : tensor<1x4x1x1xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %sum = linalg.generic {indexing_maps = [#id, affine_map<(n, c, h, w) -> (0, c, 0, 0)>], iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%y : tensor<2x4x6x6xf32>) outs(%f1 : tensor<1x4x1x1xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %s = arith.addf %acc, %in : f32
    linalg.yield %s : f32
  } -> tensor<1x4x1x1xf32>
  %centred = linalg.generic {indexing_maps = [#id, affine_map<(n, c, h, w) -> (0, c, 0, 0)>, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %sum : tensor<2x4x6x6xf32>, tensor<1x4x1x1xf32>) outs(%e : tensor<2x4x6x6xf32>) {
  ^bb0(%in: f32, %mean: f32, %o: f32):
    %d = arith.subf %in, %mean : f32
    linalg.yield %d : f32
  } -> tensor<2x4x6x6xf32>
  %r = arith.addf %centred, %x : tensor<2x4x6x6xf32>
  %pad2 = tensor.pad %r low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x4x6x6xf32> to tensor<2x4x8x8xf32>
  %z = linalg.conv_2d_nchw_fchw ins(%pad2, %w : tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) outs(%f : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  return %z : tensor<2x4x6x6xf32>
}

// -----

// A classifier reads channels and pixels as one dimension: a fixed point, before which
// the activation is copied.
// CHECK-LABEL: func.func @flattened
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x4x8xf32>)
// CHECK: %[[T:.*]] = linalg.transpose {{.*}} outs(%{{.*}} : tensor<2x8x4x4xf32>)
// CHECK: tensor.collapse_shape %[[T]] {{\[}}[0], [1, 2, 3]]
// expected-remark @below {{1 layout changes move 2048 bytes; with each convolution by itself, 1 would move 2048}}
func.func @flattened(%x: tensor<2x6x6x4xf32>, %w: tensor<8x3x3x4xf32>) -> tensor<2x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, k, p, q, c, r, s) -> (n, p + r, q + s, c)>,
                       affine_map<(n, k, p, q, c, r, s) -> (k, r, s, c)>,
                       affine_map<(n, k, p, q, c, r, s) -> (n, k, p, q)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x6x6x4xf32>, tensor<8x3x3x4xf32>) outs(%f : tensor<2x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x8x4x4xf32>
  %flat = tensor.collapse_shape %y [[0], [1, 2, 3]] : tensor<2x8x4x4xf32> into tensor<2x128xf32>
  return %flat : tensor<2x128xf32>
}

// -----

// Pixels parted into windows are no obstacle: channels stay whole.
// CHECK-LABEL: func.func @windows
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2], [3, 4], [5]] output_shape [2, 2, 2, 2, 2, 8] : tensor<2x4x4x8xf32>
// CHECK-NOT: linalg.transpose
// CHECK: return
// expected-remark @below {{0 layout changes move 0 bytes; with each convolution by itself, 1 would move 2048}}
func.func @windows(%x: tensor<2x6x6x4xf32>, %w: tensor<8x3x3x4xf32>, %sum: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, k, p, q, c, r, s) -> (n, p + r, q + s, c)>,
                       affine_map<(n, k, p, q, c, r, s) -> (k, r, s, c)>,
                       affine_map<(n, k, p, q, c, r, s) -> (n, k, p, q)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x6x6x4xf32>, tensor<8x3x3x4xf32>) outs(%f : tensor<2x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x8x4x4xf32>
  %windows = tensor.expand_shape %y [[0], [1], [2, 3], [4, 5]] output_shape [2, 8, 2, 2, 2, 2] : tensor<2x8x4x4xf32> into tensor<2x8x2x2x2x2xf32>
  %pooled = linalg.reduce ins(%windows : tensor<2x8x2x2x2x2xf32>) outs(%sum : tensor<2x8xf32>) dimensions = [2, 3, 4, 5]
    (%in: f32, %acc: f32) {
      %s = arith.addf %acc, %in : f32
      linalg.yield %s : f32
    }
  return %pooled : tensor<2x8xf32>
}

// -----

// A filter that does not change in a loop is copied before it; an activation that the
// loop carries goes round as the convolution makes it, so it is copied at both ends
// alone.
// CHECK-LABEL: func.func @loop
// CHECK-COUNT-2: linalg.transpose
// CHECK: scf.for {{.*}} -> (tensor<1x8x8x4xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: tensor.pad
// CHECK-NOT: linalg.transpose
// CHECK: scf.yield %{{.*}} : tensor<1x8x8x4xf32>
// CHECK: linalg.transpose
// CHECK-NEXT: return
// expected-remark @below {{3 layout changes move 5248 bytes; with each convolution by itself, 3 would move 53632}}
func.func @loop(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %x) -> (tensor<1x4x8x8xf32>) {
    %pad = tensor.pad %a low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%j: index, %k: index, %l: index, %m: index):
      tensor.yield %zero : f32
    } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
    %y = linalg.conv_2d_nchw_fchw ins(%pad, %w : tensor<1x4x10x10xf32>, tensor<4x4x3x3xf32>) outs(%f : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    scf.yield %y : tensor<1x4x8x8xf32>
  }
  return %r : tensor<1x4x8x8xf32>
}

// -----

// Both branches hand out the order that is wanted behind them. Element accesses and
// sizes follow; a call does not, and gets the value as written.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: %{{.*}}: tensor<?x6x6x4xf32>
// CHECK: %[[IF:.*]] = scf.if {{.*}} -> (tensor<?x4x4x8xf32>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<?x4x4x8xf32>) outs(%{{.*}} : tensor<?x8x4x4xf32>)
// CHECK: tensor.extract %[[IF]][%c0{{.*}}, %c2{{.*}}, %c3{{.*}}, %c1{{.*}}] : tensor<?x4x4x8xf32>
// CHECK: call @elsewhere
func.func private @elsewhere(tensor<?x8x4x4xf32>)
// expected-remark @below {{1 layout changes move 32768 bytes; with each convolution by itself, 2 would move 65536}}
func.func @branches(%x: tensor<?x6x6x4xf32>, %w: tensor<8x3x3x4xf32>, %v: tensor<8x3x3x8xf32>, %which: i1, %out2: tensor<?x2x2x8xf32>) -> (tensor<?x2x2x8xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x6x6x4xf32>
  %e = tensor.empty(%n) : tensor<?x8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x4x4xf32>) -> tensor<?x8x4x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, k, p, q, c, r, s) -> (n, p + r, q + s, c)>,
                       affine_map<(n, k, p, q, c, r, s) -> (k, r, s, c)>,
                       affine_map<(n, k, p, q, c, r, s) -> (n, k, p, q)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x6x6x4xf32>, tensor<8x3x3x4xf32>) outs(%f : tensor<?x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x8x4x4xf32>
  %chosen = scf.if %which -> tensor<?x8x4x4xf32> {
    %neg = arith.negf %y : tensor<?x8x4x4xf32>
    scf.yield %neg : tensor<?x8x4x4xf32>
  } else {
    scf.yield %y : tensor<?x8x4x4xf32>
  }
  %element = tensor.extract %chosen[%c0, %c1, %c2, %c3] : tensor<?x8x4x4xf32>
  func.call @elsewhere(%chosen) : (tensor<?x8x4x4xf32>) -> ()
  %z = linalg.generic {
      indexing_maps = [affine_map<(n, p, q, k, c, r, s) -> (n, c, p + r, q + s)>,
                       affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>,
                       affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%chosen, %v : tensor<?x8x4x4xf32>, tensor<8x3x3x8xf32>) outs(%out2 : tensor<?x2x2x8xf32>)
      attrs = {amp.phase = "forward"} {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x2x2x8xf32>
  return %z, %element : tensor<?x2x2x8xf32>, f32
}

// -----

// Depthwise and grouped convolutions: groups stand before the channels within them.
// CHECK-LABEL: func.func @grouped
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x8x8x4xf32>, tensor<3x3x4xf32>) outs(%{{.*}} : tensor<1x6x6x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<1x8x8x2x4xf32>, tensor<2x5x3x3x4xf32>) outs(%{{.*}} : tensor<1x6x6x2x5xf32>)
// CHECK: return
// expected-remark @below {{6 layout changes move 13344 bytes; with each convolution by itself, 6 would move 13344}}
func.func @grouped(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3xf32>, %g: tensor<1x2x4x8x8xf32>, %v: tensor<2x5x4x3x3xf32>) -> (tensor<1x4x6x6xf32>, tensor<1x2x5x6x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %y = linalg.depthwise_conv_2d_nchw_chw ins(%x, %w : tensor<1x4x8x8xf32>, tensor<4x3x3xf32>) outs(%f : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %e2 = tensor.empty() : tensor<1x2x5x6x6xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x2x5x6x6xf32>) -> tensor<1x2x5x6x6xf32>
  %z = linalg.conv_2d_ngchw_gfchw ins(%g, %v : tensor<1x2x4x8x8xf32>, tensor<2x5x4x3x3xf32>) outs(%f2 : tensor<1x2x5x6x6xf32>) -> tensor<1x2x5x6x6xf32>
  return %y, %z : tensor<1x4x6x6xf32>, tensor<1x2x5x6x6xf32>
}

// -----

// Slices, insertions and concatenations along channels go along.
// CHECK-LABEL: func.func @slices
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 2] [2, 4, 4, 4] [1, 1, 1, 1] : tensor<2x4x4x8xf32>
// CHECK: tensor.concat dim(3)
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 0, 0] [2, 4, 4, 8] [1, 2, 2, 1] : tensor<2x4x4x8xf32> into tensor<2x9x8x8xf32>
// CHECK-NOT: linalg.transpose
// CHECK: return
// expected-remark @below {{0 layout changes move 0 bytes; with each convolution by itself, 1 would move 2048}}
func.func @slices(%x: tensor<2x6x6x4xf32>, %w: tensor<8x3x3x4xf32>, %sum: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, k, p, q, c, r, s) -> (n, p + r, q + s, c)>,
                       affine_map<(n, k, p, q, c, r, s) -> (k, r, s, c)>,
                       affine_map<(n, k, p, q, c, r, s) -> (n, k, p, q)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x6x6x4xf32>, tensor<8x3x3x4xf32>) outs(%f : tensor<2x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x8x4x4xf32>
  %half = tensor.extract_slice %y[0, 2, 0, 0] [2, 4, 4, 4] [1, 1, 1, 1] : tensor<2x8x4x4xf32> to tensor<2x4x4x4xf32>
  %twice = tensor.concat dim(1) %half, %half : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x8x4x4xf32>
  %big = tensor.empty() : tensor<2x8x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%big : tensor<2x8x9x8xf32>) -> tensor<2x8x9x8xf32>
  %spread = tensor.insert_slice %twice into %zeros[0, 0, 1, 0] [2, 8, 4, 4] [1, 1, 2, 2] : tensor<2x8x4x4xf32> into tensor<2x8x9x8xf32>
  %total = linalg.reduce ins(%spread : tensor<2x8x9x8xf32>) outs(%sum : tensor<8xf32>) dimensions = [0, 2, 3]
    (%in: f32, %acc: f32) {
      %s = arith.addf %acc, %in : f32
      linalg.yield %s : f32
    }
  return %total : tensor<8xf32>
}
