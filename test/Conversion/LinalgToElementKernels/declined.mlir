// What has no such kernel stays as it is; `report` says why. Beside each stands, in
// elements.mlir (of f64 in doubles.mlir), what has one.
// RUN: amp-opt %s --split-input-file --verify-diagnostics --convert-linalg-to-element-kernels=report | FileCheck %s --implicit-check-not=amp.launch_kernels

// CHECK-LABEL: func @dynamic
// CHECK:       linalg.generic
func.func @dynamic(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{not a kernel: expected tensors of static shape with elements of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got tensor<?xf32>}}
  %0 = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @strange_elements(%x: tensor<4xi7>, %e: tensor<4xi7>) -> tensor<4xi7> {
  // expected-remark @+1 {{not a kernel: expected tensors of static shape with elements of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got tensor<4xi7>}}
  %0 = linalg.add ins(%x, %x : tensor<4xi7>, tensor<4xi7>) outs(%e : tensor<4xi7>) -> tensor<4xi7>
  return %0 : tensor<4xi7>
}

// -----

func.func @large(%x: tensor<65536x32768xi8>, %e: tensor<65536x32768xi8>) -> tensor<65536x32768xi8> {
  // expected-remark @+1 {{not a kernel: expected tensors of at most 2^31 - 2^20 elements, but got tensor<65536x32768xi8>}}
  %0 = linalg.add ins(%x, %x : tensor<65536x32768xi8>, tensor<65536x32768xi8>) outs(%e : tensor<65536x32768xi8>) -> tensor<65536x32768xi8>
  return %0 : tensor<65536x32768xi8>
}

// -----

func.func @nothing(%x: tensor<4x0xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @+1 {{not a kernel: expected loops with iterations, but one has none}}
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<4x0xf32>) outs(%e : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

func.func @quotient(%x: tensor<4xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @+1 {{not a kernel: expected indices that are sums of loops, but got quotients}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Which iteration is the last, loops do not say.
func.func @overwritten(%x: tensor<4x8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @+1 {{not a kernel: expected each parallel loop to be a dimension of each result, but one is not}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Whose exponent is an index (expand-host-ops casts it).
func.func @power_of_index(%x: tensor<4xf64>, %e: tensor<4xf64>) -> tensor<4xf64> {
  // expected-remark @+1 {{not a kernel: expected operations on numbers that kernels have code for, but got 'math.fpowi'}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f64, %out: f64):
    %i = linalg.index 0 : index
    %s = math.fpowi %a, %i : f64, index
    linalg.yield %s : f64
  } -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @whole_power(%x: tensor<4xi32>, %e: tensor<4xi32>) -> tensor<4xi32> {
  // expected-remark @+1 {{not a kernel: expected operations on numbers that kernels have code for, but got 'math.ipowi'}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %out: i32):
    %n = arith.index_cast %a : i32 to index
    %p = math.ipowi %n, %n : index
    %s = arith.index_cast %p : index to i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @buffers(%x: memref<4xf32>, %e: memref<4xf32>) {
  // expected-remark @+1 {{not a kernel: expected an operation whose results are tensors, but got one without}}
  linalg.exp ins(%x : memref<4xf32>) outs(%e : memref<4xf32>)
  return
}

// -----

// A number whose memory a kernel cannot read.
func.func @index_number(%i: index, %e: tensor<4xi64>) -> tensor<4xi64> {
  // expected-remark @+1 {{not a kernel: expected numbers of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got one of index}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<4xi64>) {
  ^bb0(%out: i64):
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
