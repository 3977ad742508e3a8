// What is no sum of one whole tensor stays as it is.
// RUN: amp-opt %s --split-input-file --convert-sums-to-multi-tensor-kernels=report --verify-diagnostics | FileCheck %s
// CHECK-NOT: amp.launch_kernels

// One sum has a kernel of its own.
func.func @alone(%a: tensor<64x32xf16>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%a : tensor<64x32xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A start that is not 0 would be added to each part.
func.func @starts(%a: tensor<8xf16>, %b: tensor<9xf16>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected a sum that begins with 0}}
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%a : tensor<8xf16>) outs(%one : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected a sum that begins with 0}}
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%b : tensor<9xf16>) outs(%one : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// A product of all elements.
func.func @products(%a: tensor<8xf32>, %b: tensor<9xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected a sum with the result so far}}
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%a : tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %next = arith.mulf %sum, %x : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected a sum with the result so far}}
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%b : tensor<9xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %next = arith.mulf %sum, %x : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// The sum so far is more than added to.
func.func @read_again(%a: tensor<8xf32>, %b: tensor<9xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected a sum with the result so far}}
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%a : tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %twice = arith.addf %sum, %x : f32
    %next = arith.addf %twice, %sum : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected a sum with the result so far}}
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%b : tensor<9xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %twice = arith.addf %sum, %x : f32
    %next = arith.addf %twice, %sum : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// What becomes of an element depends on its place.
func.func @indices(%a: tensor<8xf32>, %b: tensor<9xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected elements that depend on elements with their number, but got ones that depend on indices}}
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%a : tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.mulf %f, %x : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected elements that depend on elements with their number, but got ones that depend on indices}}
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%b : tensor<9xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.mulf %f, %x : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// Sums of rows, sums of f64, and of nothing.
func.func @others(%a: tensor<8x4xf32>, %b: tensor<9xf64>, %c: tensor<0xf32>) -> (tensor<8xf32>, tensor<f64>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %rows = arith.constant dense<0.0> : tensor<8xf32>
  %wide = arith.constant dense<0.0> : tensor<f64>
  // expected-remark@+1 {{not of a kernel for many tensors: expected one result of one f32}}
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : tensor<8x4xf32>) outs(%rows : tensor<8xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %next = arith.addf %sum, %x : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected one result of one f32}}
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%b : tensor<9xf64>) outs(%wide : tensor<f64>) {
  ^bb0(%x: f64, %sum: f64):
    %next = arith.addf %sum, %x : f64
    linalg.yield %next : f64
  } -> tensor<f64>
  // expected-remark@+1 {{not of a kernel for many tensors: expected elements, but got none}}
  %2 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%c : tensor<0xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1, %2 : tensor<8xf32>, tensor<f64>, tensor<f32>
}

// -----

// One depends on the other: near misses of a launch.
func.func @dependent(%a: tensor<8xf16>, %b: tensor<9xf16>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%a : tensor<8xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %scale = tensor.extract %0[] : tensor<f32>
  %e = tensor.empty() : tensor<9xf16>
  %c = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } ins(%b : tensor<9xf16>) outs(%e : tensor<9xf16>) {
  ^bb0(%x: f16, %o: f16):
    %half = arith.truncf %scale : f32 to f16
    %y = arith.mulf %x, %half : f16
    linalg.yield %y : f16
  } -> tensor<9xf16>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%c : tensor<9xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Numbers that differ, and types of elements.
func.func @unlike(%s: f32, %t: f32, %a: tensor<8xf16>, %b: tensor<9xf16>, %c: tensor<8xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%a : tensor<8xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %scaled = arith.mulf %wide, %s : f32
    %square = arith.mulf %scaled, %scaled : f32
    %next = arith.addf %square, %sum : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%b : tensor<9xf16>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f16, %sum: f32):
    %wide = arith.extf %x : f16 to f32
    %scaled = arith.mulf %wide, %t : f32
    %square = arith.mulf %scaled, %scaled : f32
    %next = arith.addf %square, %sum : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %2 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%c : tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A number of a type that kernels do not read.
func.func @narrow_numbers(%a: tensor<8xf32>, %b: tensor<9xf32>, %n: i4) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected numbers of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got one of i4}}
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%a : tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %scaled = arith.mulf %x, %x : f32
    %m = arith.sitofp %n : i4 to f32
    %p = arith.mulf %scaled, %m : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  // expected-remark@+1 {{not of a kernel for many tensors: expected numbers of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got one of i4}}
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%b : tensor<9xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %scaled = arith.mulf %x, %x : f32
    %m = arith.sitofp %n : i4 to f32
    %p = arith.mulf %scaled, %m : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// Sums of values that are made of themselves, in a block that nothing reaches: it is no more.
// CHECK-LABEL: func @unreachable
// CHECK-NEXT:  return
func.func @unreachable() {
  return
^bb1:
  %zero = arith.constant dense<0.0> : tensor<f32>
  %line = tensor.collapse_shape %grid [[0, 1]] : tensor<3x3xf32> into tensor<9xf32>
  %grid = tensor.expand_shape %line [[0, 1]] output_shape [3, 3] : tensor<9xf32> into tensor<3x3xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%line : tensor<9xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%grid : tensor<3x3xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%x: f32, %sum: f32):
    %square = arith.mulf %x, %x : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return
}
