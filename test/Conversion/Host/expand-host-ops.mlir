// RUN: amp-opt %s --expand-host-ops --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @tests
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @tests(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: %[[INF:.*]] = arith.constant dense<0x7F800000> : tensor<4xf32>
  // CHECK: %[[A:.*]] = math.absf %[[X]]
  // CHECK: arith.cmpf oeq, %[[A]], %[[INF]]
  %a = math.isinf %x : tensor<4xf32>
  // CHECK: %[[LEAST:.*]] = arith.constant dense<1.17549435E-38> : tensor<4xf32>
  // CHECK: arith.cmpf oge, %{{.*}}, %[[LEAST]]
  // CHECK: arith.cmpf olt
  // CHECK: arith.andi
  %b = math.isnormal %x : tensor<4xf32>
  // CHECK: arith.cmpf uno, %[[X]], %[[X]]
  %c = math.isnan %x : tensor<4xf32>
  return %a, %b, %c : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// Squares, in a body and on tensors of any extents; near misses: another exponent, one that is
// 2 at one place.
// CHECK-LABEL: func.func @squares
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<2xf64>, %[[Z:.*]]: f16
func.func @squares(%x: tensor<?xf32>, %y: tensor<2xf64>, %z: f16) -> (f16, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, f16) {
  %two = arith.constant 2.0 : f16
  %twos = arith.constant dense<2.0> : tensor<2xf64>
  %three = arith.constant dense<3.0> : tensor<2xf64>
  %either = arith.constant dense<[2.0, 3.0]> : tensor<2xf64>
  // CHECK: arith.mulf %[[Z]], %[[Z]] : f16
  %a = math.powf %z, %two : f16
  // CHECK: arith.mulf %[[Y]], %[[Y]] : tensor<2xf64>
  %b = math.powf %y, %twos : tensor<2xf64>
  // CHECK: math.powf %[[Y]]
  %c = math.powf %y, %three : tensor<2xf64>
  // CHECK: math.powf %[[Y]]
  %d = math.powf %y, %either : tensor<2xf64>
  // CHECK: math.powf
  %e = math.powf %two, %z : f16
  return %a, %b, %c, %d, %e : f16, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, f16
}

// Without a constant, whose extents would have to be known.
// CHECK-LABEL: func.func @finite
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
func.func @finite(%x: tensor<?xf32>) -> tensor<?xi1> {
  // CHECK: %[[ZERO:.*]] = arith.subf %[[X]], %[[X]]
  // CHECK: %[[FINITE:.*]] = arith.cmpf ord, %[[ZERO]], %[[ZERO]]
  // CHECK: return %[[FINITE]]
  %r = math.isfinite %x : tensor<?xf32>
  return %r : tensor<?xi1>
}

// CHECK-LABEL: func.func @circle
// CHECK-SAME: %[[X:.*]]: f32
func.func @circle(%x: f32) -> (f32, f32) {
  // CHECK-DAG: %[[SIN:.*]] = math.sin %[[X]] fastmath<afn>
  // CHECK-DAG: %[[COS:.*]] = math.cos %[[X]] fastmath<afn>
  // CHECK: return %[[COS]], %[[SIN]]
  %s, %c = math.sincos %x fastmath<afn> : f32
  return %c, %s : f32, f32
}

// Near miss: what upstream lowers.
// CHECK-LABEL: func.func @sine
func.func @sine(%x: f32) -> f32 {
  // CHECK: math.sin
  %s = math.sin %x : f32
  return %s : f32
}

// Both halves of a product, by one of twice the width, and of a sum.
// CHECK-LABEL: func.func @extended(
// CHECK-SAME:    %[[A:.*]]: tensor<4xi32>, %[[B:.*]]: tensor<4xi32>, %[[C:.*]]: i64, %[[D:.*]]: i64
func.func @extended(%a: tensor<4xi32>, %b: tensor<4xi32>, %c: i64, %d: i64)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, i64, i1) {
  // CHECK:      %[[LOW:.*]] = arith.muli %[[A]], %[[B]] : tensor<4xi32>
  // CHECK:      %[[WIDE_A:.*]] = arith.extui %[[A]] : tensor<4xi32> to tensor<4xi64>
  // CHECK:      %[[WIDE_B:.*]] = arith.extui %[[B]] : tensor<4xi32> to tensor<4xi64>
  // CHECK:      %[[WIDE:.*]] = arith.muli %[[WIDE_A]], %[[WIDE_B]] : tensor<4xi64>
  // CHECK:      %[[UPPER:.*]] = arith.shrui %[[WIDE]], %{{.*}} : tensor<4xi64>
  // CHECK:      %[[HIGH:.*]] = arith.trunci %[[UPPER]] : tensor<4xi64> to tensor<4xi32>
  %low, %high = arith.mului_extended %a, %b : tensor<4xi32>
  // CHECK:      arith.extsi %[[A]]
  %_, %signed = arith.mulsi_extended %a, %b : tensor<4xi32>
  // CHECK:      %[[SUM:.*]] = arith.addi %[[C]], %[[D]] : i64
  // CHECK-NEXT: %[[CARRY:.*]] = arith.cmpi ult, %[[SUM]], %[[C]] : i64
  %sum, %carry = arith.addui_extended %c, %d : i64, i1
  // CHECK: return %[[LOW]], %[[HIGH]], %{{.*}}, %[[SUM]], %[[CARRY]]
  return %low, %high, %signed, %sum, %carry : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, i64, i1
}

// Near misses: places, and extents that are not known.
// CHECK-LABEL: func.func @extended_places
func.func @extended_places(%a: index, %b: tensor<?xi32>) -> (index, tensor<?xi32>) {
  // CHECK: arith.mului_extended
  %_, %high = arith.mului_extended %a, %a : index
  // CHECK: arith.mului_extended
  %__, %more = arith.mului_extended %b, %b : tensor<?xi32>
  return %high, %more : index, tensor<?xi32>
}

// A scalar in a body, and a tensor of unknown extent.
// CHECK-LABEL: func.func @clamp
func.func @clamp(%x: tensor<?xf16>, %lo: f16, %hi: f16, %los: tensor<?xf16>, %his: tensor<?xf16>) -> (tensor<?xf16>, tensor<?xf16>) {
  // CHECK: linalg.map
  // CHECK: %[[M:.*]] = arith.maximumf %{{.*}}, %{{.*}} : f16
  // CHECK: arith.minimumf %[[M]], %{{.*}} : f16
  %r = linalg.map ins(%x : tensor<?xf16>) outs(%x : tensor<?xf16>) (%in: f16, %out: f16) {
    %c = math.clampf %in to [%lo, %hi] : f16
    linalg.yield %c : f16
  }
  // CHECK: %[[N:.*]] = arith.maximumf %{{.*}}, %{{.*}} : tensor<?xf16>
  // CHECK: arith.minimumf %[[N]], %{{.*}} : tensor<?xf16>
  %s = math.clampf %x to [%los, %his] : tensor<?xf16>
  return %r, %s : tensor<?xf16>, tensor<?xf16>
}

// CHECK-LABEL: func.func @bits
func.func @bits(%x: tensor<?x4xf32>) -> tensor<?x4xi32> {
  // CHECK: arith.bitcast %{{.*}} : tensor<?x4xf32> to tensor<?x4xi32>
  %r = tensor.bitcast %x : tensor<?x4xf32> to tensor<?x4xi32>
  return %r : tensor<?x4xi32>
}

// The middle of three dimensions, kept and left out; two dimensions in an order of their
// own.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[X:.*]]: tensor<2x8x3xf32>, %[[I:.*]]: tensor<5x1xi32>, %[[J:.*]]: tensor<5x2xindex>
func.func @gather(%x: tensor<2x8x3xf32>, %i: tensor<5x1xi32>, %j: tensor<5x2xindex>)
    -> (tensor<5x2x1x3xf32>, tensor<5x2x3xf32>, tensor<5x8xf32>) {
  // CHECK: linalg.generic
  // CHECK-DAG: %[[B:.*]] = linalg.index 0
  // CHECK-DAG: %[[P:.*]] = linalg.index 1
  // CHECK-DAG: %[[AT:.*]] = tensor.extract %[[I]][%[[B]], %{{.*}}]
  // CHECK-DAG: %[[PLACE:.*]] = arith.index_cast %[[AT]] : i32 to index
  // CHECK-DAG: %[[Q:.*]] = linalg.index 3
  // CHECK: tensor.extract %[[X]][%[[P]], %[[PLACE]], %[[Q]]]
  %r = tensor.gather %x[%i] gather_dims([1]) : (tensor<2x8x3xf32>, tensor<5x1xi32>) -> tensor<5x2x1x3xf32>
  // CHECK: linalg.generic
  // CHECK-DAG: %[[Q:.*]] = linalg.index 2
  // CHECK: tensor.extract %[[X]][%{{.*}}, %{{.*}}, %[[Q]]]
  %s = tensor.gather %x[%i] gather_dims([1]) : (tensor<2x8x3xf32>, tensor<5x1xi32>) -> tensor<5x2x3xf32>
  // CHECK: linalg.generic
  // CHECK-DAG: %[[K0:.*]] = tensor.extract %[[J]][%{{.*}}, %c0{{.*}}]
  // CHECK-DAG: %[[K1:.*]] = tensor.extract %[[J]][%{{.*}}, %c1{{.*}}]
  // CHECK: tensor.extract %[[X]][%[[K0]], %{{.*}}, %[[K1]]]
  %t = tensor.gather %x[%j] gather_dims([0, 2]) : (tensor<2x8x3xf32>, tensor<5x2xindex>) -> tensor<5x8xf32>
  return %r, %s, %t : tensor<5x2x1x3xf32>, tensor<5x2x3xf32>, tensor<5x8xf32>
}

// -----

// Each element of the source is inserted where the indices say; dimensions of one element that they say it of may be left out.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>, %[[I:.*]]: tensor<3x1xindex>, %[[S:.*]]: tensor<3x1x4xf32>
func.func @scatter(%x: tensor<8x4xf32>, %i: tensor<3x1xindex>, %s: tensor<3x1x4xf32>, %y: tensor<8x4x5xf32>,
                   %j: tensor<3x2xi32>, %t: tensor<3x4xf32>) -> (tensor<8x4xf32>, tensor<8x4x5xf32>) {
  // CHECK: scf.for %[[A:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[R0:.*]] = %[[X]])
  // CHECK: scf.for %[[B:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[R1:.*]] = %[[R0]])
  // CHECK: scf.for %[[C:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[R2:.*]] = %[[R1]])
  // CHECK: %[[PLACE:.*]] = tensor.extract %[[I]][%[[A]], %{{.*}}] : tensor<3x1xindex>
  // CHECK: %[[V:.*]] = tensor.extract %[[S]][%[[A]], %[[B]], %[[C]]]
  // CHECK: tensor.insert %[[V]] into %[[R2]][%[[PLACE]], %[[C]]]
  %r = tensor.scatter %s into %x[%i] scatter_dims([0]) unique : (tensor<3x1x4xf32>, tensor<8x4xf32>, tensor<3x1xindex>) -> tensor<8x4xf32>
  // CHECK: scf.for
  // CHECK: scf.for %[[C:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
  // CHECK: %[[P0:.*]] = arith.index_cast %{{.*}} : i32 to index
  // CHECK: %[[P2:.*]] = arith.index_cast %{{.*}} : i32 to index
  // CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[P0]], %[[C]], %[[P2]]]
  %q = tensor.scatter %t into %y[%j] scatter_dims([0, 2]) unique : (tensor<3x4xf32>, tensor<8x4x5xf32>, tensor<3x2xi32>) -> tensor<8x4x5xf32>
  return %r, %q : tensor<8x4xf32>, tensor<8x4x5xf32>
}

// -----

func.func @scatter_unknown(%x: tensor<?x4xf32>, %i: tensor<3x1xindex>, %s: tensor<3x1x4xf32>) -> tensor<?x4xf32> {
  // expected-error@below {{expected 'tensor.scatter' to be of ranked tensors with known extents, to lower it to the host, but got 'tensor<?x4xf32>'}}
  %r = tensor.scatter %s into %x[%i] scatter_dims([0]) unique : (tensor<3x1x4xf32>, tensor<?x4xf32>, tensor<3x1xindex>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

func.func @unknown_extent(%x: tensor<?xf32>) -> tensor<?xi1> {
  // expected-error@below {{expected 'math.isinf' to be of ranked tensors with known extents, to lower it to the host, but got 'tensor<?xi1>'}}
  %r = math.isinf %x : tensor<?xf32>
  return %r : tensor<?xi1>
}

// -----

// What nobody reads: a place for a tensor, of no elements where its extent is
// not known. A scalar is left to upstream.
// CHECK-LABEL: @poison
func.func @poison() -> (tensor<4xf32>, tensor<?x2xf32>, f32) {
  // CHECK: tensor.empty() : tensor<4xf32>
  %a = ub.poison : tensor<4xf32>
  // CHECK: %[[NONE:.*]] = arith.constant 0 : index
  // CHECK: tensor.empty(%[[NONE]]) : tensor<?x2xf32>
  %b = ub.poison : tensor<?x2xf32>
  // CHECK: ub.poison : f32
  %c = ub.poison : f32
  return %a, %b, %c : tensor<4xf32>, tensor<?x2xf32>, f32
}

// -----

func.func @poison_unranked() -> tensor<*xf32> {
  // expected-error@below {{expected 'ub.poison' to be of ranked tensors with known extents, to lower it to the host, but got 'tensor<*xf32>'}}
  %r = ub.poison : tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// The stride of one element is 1, for the lowering of views that drop a dimension;
// that of two stays.
// CHECK-LABEL: func.func @strides
// CHECK:         tensor.extract_slice %{{.*}}[3, 0] [1, 2] [1, 4] : tensor<5x8xf32> to tensor<2xf32>
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[3, 0] [1, 2] [1, 4] : tensor<2xf32> into tensor<5x8xf32>
func.func @strides(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %0 = tensor.extract_slice %x[3, 0] [1, 2] [2, 4] : tensor<5x8xf32> to tensor<2xf32>
  %1 = tensor.insert_slice %0 into %x[3, 0] [1, 2] [2, 4] : tensor<2xf32> into tensor<5x8xf32>
  return %1 : tensor<5x8xf32>
}

// -----

// In parts that are fused, of extents that are not known.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     linalg.softmax
// CHECK:         arith.maxnumf
// CHECK:         %[[SHIFTED:.*]] = arith.subf
// CHECK:         math.exp %[[SHIFTED]] : f32
// CHECK:         arith.addf
// CHECK:         %[[P:.*]] = arith.divf
// CHECK-NOT:     linalg.softmax
func.func @softmax(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Sums of f16 would end at 2048 of them.
// CHECK-LABEL: func.func @softmax_half
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x?xf16>
// CHECK:         arith.extf %[[X]] : tensor<4x?xf16> to tensor<4x?xf32>
// CHECK:         math.exp %{{.*}} : f32
// CHECK:         arith.addf %{{.*}} : f32
// CHECK:         %[[P:.*]] = arith.truncf %{{.*}} : tensor<4x?xf32> to tensor<4x?xf16>
// CHECK:         return %[[P]]
func.func @softmax_half(%x: tensor<4x?xf16>, %e: tensor<4x?xf16>) -> tensor<4x?xf16> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x?xf16>) outs(%e : tensor<4x?xf16>) -> tensor<4x?xf16>
  return %0 : tensor<4x?xf16>
}

// CHECK-LABEL: func.func @winograd
// CHECK-NOT:     linalg.winograd
// CHECK-COUNT-2: linalg.matmul
// CHECK-NOT:     linalg.winograd
func.func @winograd(%filter: tensor<2x3x3x5xf32>, %e: tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32> {
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%filter : tensor<2x3x3x5xf32>) outs(%e : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return %0 : tensor<6x6x5x2xf32>
}

// CHECK-LABEL: func.func @pack
// CHECK:         tensor.pad
// CHECK:         tensor.expand_shape
// CHECK:         linalg.transpose
// CHECK:         linalg.transpose
// CHECK:         tensor.collapse_shape
// CHECK:         tensor.extract_slice
func.func @pack(%x: tensor<5x7xf32>, %e: tensor<3x2x2x4xf32>, %f: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<5x7xf32> -> tensor<3x2x2x4xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %f : tensor<3x2x2x4xf32> -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// -----

func.func @softmax_of_integers(%x: tensor<4xi32>, %e: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@below {{expected an operation that can be lowered to the host, but got 'linalg.softmax' of 'tensor<4xi32>'; convert its elements to floating point}}
  %0 = linalg.softmax dimension(0) ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @softmax_of_buffers(%x: memref<4xf32>, %e: memref<4xf32>) {
  // expected-error@below {{expected an operation that can be lowered to the host, but got 'linalg.softmax' of 'memref<4xf32>'; write it on tensors}}
  linalg.softmax dimension(0) ins(%x : memref<4xf32>) outs(%e : memref<4xf32>)
  return
}

// -----

func.func @pack_unknown_tiles(%x: tensor<8x8xf32>, %e: tensor<?x2x?x4xf32>, %tile: index) -> tensor<?x2x?x4xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error@below {{expected an operation that can be lowered to the host, but got 'linalg.pack' of 'tensor<8x8xf32>'; make its extents and tiles static, or write it as linalg.generic}}
  %0 = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [%tile, 4] into %e : tensor<8x8xf32> -> tensor<?x2x?x4xf32>
  return %0 : tensor<?x2x?x4xf32>
}

// -----

// Near miss: one unknown extent, and two of two dimensions.
func.func @divided(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x2x3x?xf32> {
  %0 = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [%n, 2, 3, %m] : tensor<?x?xf32> into tensor<?x2x3x?xf32>
  return %0 : tensor<?x2x3x?xf32>
}

// -----

func.func @divided_into_two(%x: tensor<?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  // expected-error@below {{expected a dimension to be divided into one unknown extent at most, to lower it to the host, but got 'tensor<?x?xf32>'; make the others known}}
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%n, %m] : tensor<?xf32> into tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// An exponent that LLVM's powi has not: narrower, a number, and others; and near miss, one that it has.
// CHECK-LABEL: func.func @exponents
// CHECK:         %[[SAME:.*]] = math.fpowi %arg0, %arg2 : f32, i32
// CHECK:         %[[WIDE:.*]] = arith.extsi %arg1 : i8 to i32
// CHECK:         math.fpowi %arg0, %[[WIDE]] : f32, i32
// CHECK:         %[[THREE:.*]] = arith.constant 3 : i32
// CHECK:         math.fpowi %arg0, %[[THREE]] : f32, i32
// CHECK:         %[[SIZE:.*]] = math.absf %arg0
// CHECK:         %[[WIDER:.*]] = arith.extf %[[SIZE]] : f32 to f64
// CHECK:         %[[N:.*]] = arith.sitofp %arg3 : i64 to f64
// CHECK:         %[[POWER:.*]] = math.powf %[[WIDER]], %[[N]] : f64
// CHECK:         %[[ROUNDED:.*]] = arith.truncf %[[POWER]] : f64 to f32
// CHECK:         %[[ODD:.*]] = arith.andi %arg3, %
// CHECK:         %[[IS_ODD:.*]] = arith.cmpi eq, %[[ODD]], %
// CHECK:         %[[SIGNED:.*]] = math.copysign %[[ROUNDED]], %arg0
// CHECK:         arith.select %[[IS_ODD]], %[[SIGNED]], %[[ROUNDED]]
// CHECK:         arith.index_cast %arg4 : index to i64
func.func @exponents(%x: f32, %a: i8, %b: i32, %c: i64, %d: index) -> (f32, f32, f32, f32, f32) {
  %three = arith.constant 3 : i64
  %0 = math.fpowi %x, %b : f32, i32
  %1 = math.fpowi %x, %a : f32, i8
  %2 = math.fpowi %x, %three : f32, i64
  %3 = math.fpowi %x, %c : f32, i64
  %4 = math.fpowi %x, %d : f32, index
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// -----

// Of a tensor whose extent is not known, an exponent whose extent is.
// CHECK-LABEL: func.func @exponent_of_unknown_extents
// CHECK:         %[[THREE:.*]] = arith.constant dense<3> : tensor<4xi32>
// CHECK:         math.fpowi %arg0, %[[THREE]] : tensor<?xf32>, tensor<4xi32>
func.func @exponent_of_unknown_extents(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = arith.constant dense<3> : tensor<4xi64>
  %0 = math.fpowi %x, %n : tensor<?xf32>, tensor<4xi64>
  return %0 : tensor<?xf32>
}

// -----

func.func @exponent_of_128_bits(%x: f32, %n: i128) -> f32 {
  // expected-error@below {{expected an exponent of 64 bits at most, but got one of 'i128'}}
  %0 = math.fpowi %x, %n : f32, i128
  return %0 : f32
}

// -----

// A near miss begins at a place that data say.
func.func @in_front(%x: tensor<8xf32>, %v: vector<4xf32>, %at: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %front = arith.constant -1 : index
  %a = vector.transfer_write %v, %x[%at] : vector<4xf32>, tensor<8xf32>
  // expected-error@below {{expected a transfer that does not begin in front of its tensor, to lower it to the host, but got a negative place; begin at 0, with a mask}}
  %b = vector.transfer_write %v, %x[%front] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
