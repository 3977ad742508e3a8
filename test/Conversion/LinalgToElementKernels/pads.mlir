// RUN: amp-opt %s --split-input-file --convert-pads-to-kernels=report --verify-diagnostics | FileCheck %s

// Around an image: sixteen bytes at once, since all channels are there.
// CHECK-LABEL: func @around
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3x4x8xf16>)
// CHECK-NOT:   tensor.pad
// CHECK:       %[[E:.*]] = tensor.empty() : tensor<2x5x7x8xf16>
// CHECK:       %[[Y:.*]] = amp.launch_kernels @pad_0 ins(in0 = %[[X]]) outs(out0 = %[[E]])
// CHECK:       return %[[Y]]
// CHECK:       gpu.module @pad_0
// CHECK:         elements = 192 : i64
// CHECK-SAME:    name = "in0"
// CHECK-SAME:    elements = 560 : i64
// CHECK-SAME:    name = "out0"
// CHECK:         arith.cmpi ult
// CHECK:         scf.if
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:         arith.constant 0xFC00 : f16
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
func.func @around(%x: tensor<2x3x4x8xf16>) -> tensor<2x5x7x8xf16> {
  %infinity = arith.constant 0xFC00 : f16
  %0 = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 2, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %infinity : f16
  } : tensor<2x3x4x8xf16> to tensor<2x5x7x8xf16>
  return %0 : tensor<2x5x7x8xf16>
}

// -----

// Between pixels, with a border: what is filled is an operation of linalg in any form. The second is the same kernel.
// CHECK-LABEL: func @between
// CHECK-NOT:   tensor.insert_slice
// CHECK-COUNT-2: amp.launch_kernels @pad_0 ins
// CHECK:       gpu.module @pad_0
// CHECK:         arith.remui
// CHECK:         llvm.load {{.*}} vector<4xf32>
// CHECK-NOT:   gpu.module
func.func @between(%x: tensor<2x3x3x4xf32>) -> (tensor<2x7x8x4xf32>, tensor<2x7x8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7x8x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x8x4xf32>) -> tensor<2x7x8x4xf32>
  %0 = tensor.insert_slice %x into %fill[0, 1, 2, 0] [2, 3, 3, 4] [1, 2, 2, 1] : tensor<2x3x3x4xf32> into tensor<2x7x8x4xf32>
  %body = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>],
                          iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%e : tensor<2x7x8x4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<2x7x8x4xf32>
  %1 = tensor.insert_slice %x into %body[0, 1, 2, 0] [2, 3, 3, 4] [1, 2, 2, 1] : tensor<2x3x3x4xf32> into tensor<2x7x8x4xf32>
  return %0, %1 : tensor<2x7x8x4xf32>, tensor<2x7x8x4xf32>
}

// -----

// Near misses of wide accesses: the tensor begins at an odd place of a row, ends at one, or is spread in it. Each is
// another kernel.
// CHECK-LABEL: func @narrow
// CHECK-COUNT-3: amp.launch_kernels @pad_
// CHECK-COUNT-3: gpu.module @pad_
// CHECK-NOT:   vector<
func.func @narrow(%x: tensor<4x8xf32>, %y: tensor<4x7xf32>) -> (tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 1] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x8xf32> to tensor<4x12xf32>
  %1 = tensor.pad %y low[0, 4] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x7xf32> to tensor<4x12xf32>
  %zeros = arith.constant dense<0.0> : tensor<4x16xf32>
  %2 = tensor.insert_slice %x into %zeros[0, 0] [4, 8] [1, 2] : tensor<4x8xf32> into tensor<4x16xf32>
  return %0, %1, %2 : tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x16xf32>
}

// -----

// A flag is a byte in memory; rows that begin and end at multiples of four are copied and padded by fours.
// CHECK-LABEL: func @others
// CHECK-COUNT-2: amp.launch_kernels @pad_
// CHECK:       gpu.module @pad_0
// CHECK:         arith.constant true
// CHECK:         llvm.store %{{.*}} : i8, !llvm.ptr<1>
// CHECK:       gpu.module @pad_1
// CHECK:         llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<1>
func.func @others(%x: tensor<3xi1>, %y: tensor<2x4xi32>) -> (tensor<5xi1>, tensor<3x12xi32>) {
  %true = arith.constant true
  %number = arith.constant -1 : i32
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %true : i1
  } : tensor<3xi1> to tensor<5xi1>
  %1 = tensor.pad %y low[1, 4] high[0, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %number : i32
  } : tensor<2x4xi32> to tensor<3x12xi32>
  return %0, %1 : tensor<5xi1>, tensor<3x12xi32>
}

// -----

// What stays is amp-decompose-pads'.
func.func @not_known(%x: tensor<4xf32>, %n: f32, %t: tensor<8xf32>, %i: index) -> (tensor<6xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<8xf32>
  // expected-remark @below {{not a kernel: expected a constant around the tensor, but got other values}}
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%at: index):
    tensor.yield %n : f32
  } : tensor<4xf32> to tensor<6xf32>
  // expected-remark @below {{not a kernel: expected a constant around the tensor, but got other values}}
  %1 = tensor.insert_slice %x into %t[1] [4] [1] : tensor<4xf32> into tensor<8xf32>
  // expected-remark @below {{not a kernel: expected a known place, but got one that a run computes}}
  %2 = tensor.insert_slice %x into %zeros[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %0, %1, %2 : tensor<6xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @indexed(%x: tensor<4xf32>) -> tensor<6xf32> {
  // expected-remark @below {{not a kernel: expected a constant around the tensor, but got other values}}
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%at: index):
    %1 = arith.index_cast %at : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    tensor.yield %2 : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @shapes(%x: tensor<?xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<?xf32>, tensor<2x4xf32>, tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{not a kernel: expected tensors of static shape with elements of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got tensor<?xf32>}}
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%at: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %zeros = arith.constant dense<0.0> : tensor<2x4xf32>
  // expected-remark @below {{not a kernel: expected tensors of one rank, but got tensor<4xf32> and tensor<2x4xf32>}}
  %1 = tensor.insert_slice %y into %zeros[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<2x4xf32>
  // expected-remark @below {{not a kernel: expected tensor<4xf32> to be a part of tensor<2xf32>, but got offsets [-1] and strides [1]}}
  %2 = tensor.pad %z low[-1] high[-1] {
  ^bb0(%at: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<2xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<2x4xf32>, tensor<2xf32>
}

// -----

// Nothing to put anywhere: a fill. Its numbers are not all the same; no kernel has complex ones; more than a thread
// can count.
func.func @refused(%x: tensor<2x0xf32>, %y: tensor<4xf32>, %z: tensor<2xcomplex<f32>>, %w: tensor<2147483646xi8>)
    -> (tensor<2x4xf32>, tensor<8xf32>, tensor<4xcomplex<f32>>, tensor<2147483647xi8>) {
  %three = arith.constant 3.0 : f32
  %byte = arith.constant 1 : i8
  // expected-remark @below {{not a kernel: expected elements to put somewhere, but got tensor<2x0xf32>}}
  %0 = tensor.pad %x low[0, 2] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %three : f32
  } : tensor<2x0xf32> to tensor<2x4xf32>
  %numbers = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
  // expected-remark @below {{not a kernel: expected a constant around the tensor, but got other values}}
  %1 = tensor.insert_slice %y into %numbers[1] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %zeros = arith.constant dense<(0.0, 0.0)> : tensor<4xcomplex<f32>>
  // expected-remark @below {{not a kernel: expected a constant around the tensor, but got other values}}
  %2 = tensor.insert_slice %z into %zeros[1] [2] [1] : tensor<2xcomplex<f32>> into tensor<4xcomplex<f32>>
  // expected-remark @below {{not a kernel: expected tensors of at most 2^31 - 2^20 elements, but got tensor<2147483646xi8>}}
  %3 = tensor.pad %w low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %byte : i8
  } : tensor<2147483646xi8> to tensor<2147483647xi8>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<8xf32>, tensor<4xcomplex<f32>>, tensor<2147483647xi8>
}
