// RUN: amp-opt %s --amp-assign-layouts=remarks=true --split-input-file --verify-diagnostics -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: amp-opt %t.mlir --amp-assign-layouts --split-input-file -o %t.again.mlir
// RUN: diff %t.mlir %t.again.mlir

// One case for each kind of operation: what goes along with the convolutions, and,
// next to it, what must stay as written. The second run changes nothing.

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>

// A relu between two convolutions computes with channels innermost. Left are the two
// filters, what comes in and what goes out.
// CHECK-LABEL: func.func @elementwise
// CHECK-COUNT-3: linalg.transpose
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x6x6x8xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
// CHECK-SAME: ins(%[[Y]] : tensor<2x6x6x8xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x4x8xf32>)
// CHECK: %[[OUT:.*]] = linalg.transpose {{.*}} permutation = [0, 3, 1, 2]
// CHECK-NEXT: return %[[OUT]]
// expected-remark @below {{4 layout changes move 13056 bytes; with each convolution by itself, 6 would move 22272}}
func.func @elementwise(%x: tensor<2x4x8x8xf32>, %w1: tensor<8x4x3x3xf32>, %w2: tensor<8x8x3x3xf32>) -> tensor<2x8x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2x8x6x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w1 : tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) outs(%f1 : tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %relu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<2x8x6x6xf32>) outs(%e1 : tensor<2x8x6x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %in, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x8x6x6xf32>
  %e2 = tensor.empty() : tensor<2x8x4x4xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %z = linalg.conv_2d_nchw_fchw ins(%relu, %w2 : tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) outs(%f2 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  return %z : tensor<2x8x4x4xf32>
}

// -----

// Near miss: without a convolution nobody asks for anything, transposed or not.
// CHECK-LABEL: func.func @no_convolution
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x4x6x8xf32>) {{.*}} permutation = [0, 2, 1, 3]
// CHECK: linalg.batch_matmul
// expected-remark @below {{1 layout changes move 3072 bytes; with each convolution by itself, 1 would move 3072}}
func.func @no_convolution(%x: tensor<2x4x6x8xf32>, %a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x3x5xf32>) -> (tensor<2x6x4x8xf32>, tensor<2x3x5xf32>) {
  %e = tensor.empty() : tensor<2x6x4x8xf32>
  %t = linalg.transpose ins(%x : tensor<2x4x6x8xf32>) outs(%e : tensor<2x6x4x8xf32>) permutation = [0, 2, 1, 3]
  %d = linalg.batch_matmul ins(%a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%c : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %t, %d : tensor<2x6x4x8xf32>, tensor<2x3x5xf32>
}

// -----

// A convolution as NHWC with a filter K,R,S,C is as kernels want it, whatever it is
// called.
// CHECK-LABEL: func.func @as_wanted
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_2d_nhwc_fhwc
// expected-remark @below {{0 layout changes move 0 bytes; with each convolution by itself, 0 would move 0}}
func.func @as_wanted(%x: tensor<2x6x6x4xf32>, %w: tensor<8x3x3x4xf32>, %out: tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %y = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<2x6x6x4xf32>, tensor<8x3x3x4xf32>) outs(%out : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %y : tensor<2x4x4x8xf32>
}

// -----

// JAX's filter R,S,C,K alone has to be copied.
// CHECK-LABEL: func.func @filter_only
// CHECK: linalg.transpose ins(%{{.*}} : tensor<3x3x4x8xf32>) outs(%{{.*}} : tensor<8x3x3x4xf32>) permutation = [3, 0, 1, 2]
// CHECK-NOT: linalg.transpose
// CHECK: return
// expected-remark @below {{1 layout changes move 2304 bytes; with each convolution by itself, 1 would move 2304}}
func.func @filter_only(%x: tensor<2x6x6x4xf32>, %w: tensor<3x3x4x8xf32>, %out: tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) outs(%out : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %y : tensor<2x4x4x8xf32>
}

// -----

// One filter for two convolutions is copied once, where it comes in.
// CHECK-LABEL: func.func @shared_filter
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x4x3x3xf32>)
// CHECK-NOT: tensor<4x4x3x3xf32>
// CHECK: return
// expected-remark @below {{3 layout changes move 3712 bytes; with each convolution by itself, 3 would move 3712}}
func.func @shared_filter(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) -> tensor<1x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<1x4x6x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) outs(%f1 : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %e2 = tensor.empty() : tensor<1x4x4x4xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %z = linalg.conv_2d_nchw_fchw ins(%y, %w : tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32>) outs(%f2 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %z : tensor<1x4x4x4xf32>
}

// -----

// One channel: the same bytes in both orders, so a reshape and no layout change.
// CHECK-LABEL: func.func @one_channel
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x1x6x6xf32>
// CHECK-DAG: %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1], [2], [3]]
// CHECK-DAG: tensor.expand_shape %[[C]] {{\[}}[0], [1], [2, 3]] {{.*}} into tensor<2x6x6x1xf32>
// CHECK-NOT: linalg.transpose ins(%[[X]]
// CHECK: return
// expected-remark @below {{1 layout changes move 2048 bytes; with each convolution by itself, 2 would move 4096}}
func.func @one_channel(%x: tensor<2x1x6x6xf32>, %w: tensor<8x1x3x3xf32>, %bias: tensor<8xf32>) -> tensor<2x8x4x4xf32> {
  %e = tensor.empty() : tensor<2x8x4x4xf32>
  %b = linalg.broadcast ins(%bias : tensor<8xf32>) outs(%e : tensor<2x8x4x4xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x1x6x6xf32>, tensor<8x1x3x3xf32>) outs(%b : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  return %y : tensor<2x8x4x4xf32>
}

// -----

// A half copy is made first and reordered then: half of the bytes.
// CHECK-LABEL: func.func @changes_the_smaller
// CHECK: %[[H:.*]] = amp.cast %{{.*}} : tensor<8x4x3x3xf32> to tensor<8x4x3x3xf16>
// CHECK: linalg.transpose ins(%[[H]] : tensor<8x4x3x3xf16>)
// CHECK-NOT: linalg.transpose
// CHECK: return
// expected-remark @below {{1 layout changes move 1152 bytes; with each convolution by itself, 1 would move 1152}}
func.func @changes_the_smaller(%x: tensor<2x6x6x4xf16>, %w: tensor<8x4x3x3xf32>, %out: tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %h = amp.cast %w : tensor<8x4x3x3xf32> to tensor<8x4x3x3xf16>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>,
                       affine_map<(n, p, q, k, c, r, s) -> (k, c, r, s)>,
                       affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %h : tensor<2x6x6x4xf16>, tensor<8x4x3x3xf16>) outs(%out : tensor<2x4x4x8xf32>) {
  ^bb0(%a: f16, %b: f16, %acc: f32):
    %aw = arith.extf %a : f16 to f32
    %bw = arith.extf %b : f16 to f32
    %p = arith.mulf %aw, %bw : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x4x8xf32>
  return %y : tensor<2x4x4x8xf32>
}

// -----

// Pooling, a pad, and a sum per channel go along: the loops of the sum stay in their
// order, so that it keeps its bits.
// CHECK-LABEL: func.func @pooling
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x4x8xf32>)
// CHECK: %[[POOL:.*]] = linalg.generic {{.*}}"parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]}
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<2x4x4x8xf32>, tensor<2x2xf32>)
// CHECK: %[[PAD:.*]] = tensor.pad %[[POOL]] low[0, 1, 1, 0] high[0, 2, 1, 0]
// CHECK: tensor<2x2x2x8xf32> to tensor<2x5x4x8xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "reduction", "reduction", "parallel"]}
// CHECK-SAME: ins(%[[PAD]] : tensor<2x5x4x8xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
// expected-remark @below {{2 layout changes move 4608 bytes; with each convolution by itself, 3 would move 6656}}
func.func @pooling(%x: tensor<2x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %sum: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2x8x4x4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%f1 : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %e2 = tensor.empty() : tensor<2x8x2x2xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x8x2x2xf32>) -> tensor<2x8x2x2xf32>
  %pool = linalg.pooling_nchw_max {strides = dense<2> : vector<2xi64>} ins(%y, %window : tensor<2x8x4x4xf32>, tensor<2x2xf32>) outs(%f2 : tensor<2x8x2x2xf32>) -> tensor<2x8x2x2xf32>
  %pad = tensor.pad %pool low[0, 0, 1, 1] high[0, 0, 2, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %inner = arith.constant 0.0 : f32
    tensor.yield %inner : f32
  } : tensor<2x8x2x2xf32> to tensor<2x8x5x4xf32>
  %total = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>], iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%pad : tensor<2x8x5x4xf32>) outs(%sum : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %s = arith.addf %acc, %in : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %total : tensor<8xf32>
}

// -----

// Near miss: a pad whose value depends on the place stays as written.
// CHECK-LABEL: func.func @pad_by_place
// CHECK: tensor.pad %{{.*}} low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: linalg.transpose
// CHECK: return
// expected-remark @below {{2 layout changes move 3456 bytes; with each convolution by itself, 2 would move 3456}}
func.func @pad_by_place(%x: tensor<1x4x4x4xf32>, %w: tensor<8x4x3x3xf32>, %out: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %pad = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    %int = arith.index_cast %k : index to i64
    %value = arith.sitofp %int : i64 to f32
    tensor.yield %value : f32
  } : tensor<1x4x4x4xf32> to tensor<1x4x6x6xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, p, q, k, c, r, s) -> (n, c, p + r, q + s)>,
                       affine_map<(n, p, q, k, c, r, s) -> (k, c, r, s)>,
                       affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%pad, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%out : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}

// No order of a tensor with one extent that is not 1 says anything, but offsets of its slice, of a
// pad around it and of where it is inserted are those of the written order.
// CHECK-LABEL: func.func @one_row
// CHECK:         tensor.extract_slice %{{.*}}[0, 1, 2, 0] [1, 3, 1, 1] [1, 1, 1, 1] : tensor<2x4x5x6xf32> to tensor<1x3x1x1xf32>
// CHECK-LABEL: func.func @some_rows
// CHECK:         tensor.extract_slice %{{.*}}[0, 2, 0, 1] [1, 2, 1, 3] [1, 1, 1, 1] : tensor<2x5x6x4xf32> to tensor<1x2x1x3xf32>
// expected-remark@+1 {{2 layout changes move 3840 bytes; with each convolution by itself, 2 would move 3840}}
func.func @one_row(%x: tensor<2x1x5x6xf32>, %w: tensor<4x1x1x1xf32>, %out: tensor<2x4x5x6xf32>) -> tensor<1x3x1x1xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x1x5x6xf32>, tensor<4x1x1x1xf32>) outs(%out : tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32>
  %a = math.absf %c : tensor<2x4x5x6xf32>
  %s = tensor.extract_slice %a[0, 1, 2, 0] [1, 3, 1, 1] [1, 1, 1, 1] : tensor<2x4x5x6xf32> to tensor<1x3x1x1xf32>
  return %s : tensor<1x3x1x1xf32>
}
// expected-remark@+1 {{2 layout changes move 1968 bytes; with each convolution by itself, 2 would move 3840}}
func.func @some_rows(%x: tensor<2x1x5x6xf32>, %w: tensor<4x1x1x1xf32>, %out: tensor<2x4x5x6xf32>) -> tensor<1x3x2x1xf32> {
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x1x5x6xf32>, tensor<4x1x1x1xf32>) outs(%out : tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32>
  %a = math.absf %c : tensor<2x4x5x6xf32>
  %s = tensor.extract_slice %a[0, 1, 2, 0] [1, 3, 2, 1] [1, 1, 1, 1] : tensor<2x4x5x6xf32> to tensor<1x3x2x1xf32>
  return %s : tensor<1x3x2x1xf32>
}
