// What has no part in a kernel for many tensors stays as it is; `report` says why. Beside each kind stands
// what has one: functions named near_*, of which each has a launch.
// RUN: amp-opt %s --split-input-file --verify-diagnostics --convert-elementwise-to-multi-tensor-kernels=report | FileCheck %s
// RUN: not amp-opt %s --split-input-file --convert-elementwise-to-multi-tensor-kernels=chip=sm_10 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: amp-opt %s --split-input-file --convert-elementwise-to-multi-tensor-kernels=small-bytes=4194304 | FileCheck %s --check-prefix=LARGE
// CHIP: error: expected 'chip' to be one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, but got 'sm_10'

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
// CHECK-LABEL: func @bodies
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @bodies(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected elements that depend on elements with their number, but got sums}}
  %0 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%s : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %in, %out : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected elements that depend on elements with their number, but got ones that depend on indices}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %n = arith.addf %in, %k : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected results that start from nothing, but got one that starts from a tensor}}
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %in, %out : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  // What is full of a constant may be read as that constant, and not be there.
  // expected-remark @+1 {{not of a kernel for many tensors: expected elements that depend on those of a tensor, but got ones that do not}}
  %3 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<4xf32>
  // Another kernel's reason.
  // expected-remark @+1 {{not of a kernel for many tensors: expected operations on numbers that kernels have code for, but got 'math.ipowi'}}
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %whole = arith.fptosi %in : f32 to i32
    %i = arith.index_cast %whole : i32 to index
    %p = math.ipowi %i, %i : index
    %power = arith.index_cast %p : index to i32
    %n = arith.sitofp %power : i32 to f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#none = affine_map<() -> ()>
// CHECK-LABEL: func @operands
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @operands(%n: tensor<f32>, %row: tensor<4xf32>, %x: tensor<4x4xf32>, %z: tensor<0xf32>)
    -> (tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>) {
  %s = tensor.empty() : tensor<f32>
  %e = tensor.empty() : tensor<4x4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %g = tensor.empty() : tensor<0xf32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected tensors of elements, but got numbers alone}}
  %0 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%n : tensor<f32>) outs(%s : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<f32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected operands that are numbers, or have the elements of the results in their order, but got tensor<4xf32>}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%row : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<4x4xf32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected operands that are numbers, or have the elements of the results in their order, but got tensor<4x4xf32>}}
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<4x4xf32>
  // Elements with gaps.
  %slice = tensor.extract_slice %x[0, 1] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4x1xf32>
  %column = tensor.collapse_shape %slice [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected tensors whose elements follow one another in memory, but got a slice of one}}
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%column : tensor<4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<4xf32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected tensors with elements, but got a tensor.empty}}
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%f : tensor<4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<4xf32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected loops with iterations, but one has none}}
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%z : tensor<0xf32>) outs(%g : tensor<0xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<0xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>
}

// The same body, without a remark: each visits its tensors alike.
// CHECK-LABEL: func @near_operands
// CHECK:       amp.launch_kernels @multi_tensor_0 ins(in0_0 = %arg0, in1_0 = %arg1)
func.func @near_operands(%x: tensor<4xf32>, %y: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<4x4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4x4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @tiles
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @tiles(%x: tensor<8xf32>, %y: tensor<9xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<9xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<9xf32>
  // One element further than what it writes.
  // expected-remark @+1 {{not of a kernel for many tensors: expected operands in the tiles of the results, but got others}}
  %0 = scf.forall (%t) = (0) to (8) step (4) shared_outs(%o = %e) -> (tensor<8xf32>) {
    %u = affine.apply affine_map<(i) -> (i + 1)>(%t)
    %a = tensor.extract_slice %y[%u] [4] [1] : tensor<9xf32> to tensor<4xf32>
    %b = tensor.empty() : tensor<4xf32>
    %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %k = arith.negf %in : f32
      linalg.yield %k : f32
    } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%t] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  // expected-remark @+1 {{not of a kernel for many tensors: expected results that the loop computes, but got another tensor}}
  %1 = scf.forall (%t) = (0) to (8) step (4) shared_outs(%o = %e) -> (tensor<8xf32>) {
    %a = tensor.extract_slice %x[%t] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%t] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  // expected-remark @+1 {{not of a kernel for many tensors: expected results of one shape that are written in the same tiles, but got others}}
  %2:2 = scf.forall (%t) = (0) to (8) step (4) shared_outs(%o = %e, %p = %f) -> (tensor<8xf32>, tensor<9xf32>) {
    %a = tensor.extract_slice %x[%t] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %b = tensor.empty() : tensor<4xf32>
    %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %k = arith.negf %in : f32
      linalg.yield %k : f32
    } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%t] [4] [1] : tensor<4xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %c into %p[%t] [4] [1] : tensor<4xf32> into tensor<9xf32>
    }
  }
  // expected-remark @+1 {{not of a kernel for many tensors: expected results that are written once, but got one that is written in parts}}
  %3 = scf.forall (%t) = (0) to (4) step (2) shared_outs(%o = %e) -> (tensor<8xf32>) {
    %u = affine.apply affine_map<(i) -> (i + 4)>(%t)
    %a = tensor.extract_slice %x[%t] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %b = tensor.empty() : tensor<2xf32>
    %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<2xf32>) outs(%b : tensor<2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %k = arith.negf %in : f32
      linalg.yield %k : f32
    } -> tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%t] [2] [1] : tensor<2xf32> into tensor<8xf32>
      tensor.parallel_insert_slice %c into %o[%u] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  // expected-remark @+1 {{not of a kernel for many tensors: expected numbers from outside of the loop, but got one that depends on the tile}}
  %4 = scf.forall (%t) = (0) to (8) step (4) shared_outs(%o = %e) -> (tensor<8xf32>) {
    %i = arith.index_cast %t : index to i32
    %n = arith.sitofp %i : i32 to f32
    %a = tensor.extract_slice %x[%t] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %b = tensor.empty() : tensor<4xf32>
    %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %k = arith.addf %in, %n : f32
      linalg.yield %k : f32
    } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%t] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %0, %1, %2#0, %2#1, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<9xf32>, tensor<8xf32>, tensor<8xf32>
}

// Slices at the places of the results, of whatever size.
// CHECK-LABEL: func @near_tiles
// CHECK:       amp.launch_kernels @multi_tensor_0 ins(in0_0 = %arg0, in1_0 = %arg1)
func.func @near_tiles(%x: tensor<8xf32>, %y: tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<9xf32>
  %0 = scf.forall (%t) = (0) to (8) step (4) shared_outs(%o = %e) -> (tensor<8xf32>) {
    %a = tensor.extract_slice %x[%t] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %b = tensor.empty() : tensor<4xf32>
    %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %k = arith.negf %in : f32
      linalg.yield %k : f32
    } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%t] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<9xf32>) outs(%f : tensor<9xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<9xf32>
  return %0, %1 : tensor<8xf32>, tensor<9xf32>
}

// -----

// Large tensors, of which one is read on; those that leave the function, in whatever shape, are one launch,
// and so are small ones that are read on.
// CHECK-LABEL: func @large
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @multi_tensor_0 ins(in0_0 = %arg0, in1_0 = %arg1)
// CHECK-NOT:   linalg.generic
// CHECK:       amp.launch_kernels @multi_tensor_1 ins(in0_0 = %arg2, in1_0 = %arg3)
// CHECK:       llvm.func @multi_tensor_0
// LARGE-LABEL: func @large
// LARGE:       amp.launch_kernels @multi_tensor_0 ins(in0_0 = %arg0, in1_0 = %arg0, in2_0 = %arg1)
#id = affine_map<(i) -> (i)>
func.func @large(%x: tensor<262144xf32>, %y: tensor<262144xf32>, %u: tensor<131072xf32>, %v: tensor<131072xf32>)
    -> (tensor<262144xf32>, tensor<512x512xf32>, tensor<262144xf64>, tensor<131072xf64>, tensor<131072xf64>) {
  %e = tensor.empty() : tensor<262144xf32>
  %f = tensor.empty() : tensor<131072xf32>
  %g = tensor.empty() : tensor<262144xf64>
  %h = tensor.empty() : tensor<131072xf64>
  // expected-remark @+1 {{not of a kernel for many tensors: expected results that leave the block, or at most 1048576 bytes, but got 2097152 and a result that is read on}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<262144xf32>) outs(%e : tensor<262144xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<262144xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<262144xf32>) outs(%e : tensor<262144xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<262144xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<262144xf32>) outs(%e : tensor<262144xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.negf %in : f32
    linalg.yield %k : f32
  } -> tensor<262144xf32>
  %square = tensor.expand_shape %2 [[0, 1]] output_shape [512, 512] : tensor<262144xf32> into tensor<512x512xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%u : tensor<131072xf32>) outs(%f : tensor<131072xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.addf %in, %in : f32
    linalg.yield %k : f32
  } -> tensor<131072xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%v : tensor<131072xf32>) outs(%f : tensor<131072xf32>) {
  ^bb0(%in: f32, %out: f32):
    %k = arith.addf %in, %in : f32
    linalg.yield %k : f32
  } -> tensor<131072xf32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<262144xf32>) outs(%g : tensor<262144xf64>) {
  ^bb0(%in: f32, %out: f64):
    %k = arith.extf %in : f32 to f64
    linalg.yield %k : f64
  } -> tensor<262144xf64>
  %6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%3 : tensor<131072xf32>) outs(%h : tensor<131072xf64>) {
  ^bb0(%in: f32, %out: f64):
    %k = arith.extf %in : f32 to f64
    linalg.yield %k : f64
  } -> tensor<131072xf64>
  %7 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%4 : tensor<131072xf32>) outs(%h : tensor<131072xf64>) {
  ^bb0(%in: f32, %out: f64):
    %k = arith.extf %in : f32 to f64
    linalg.yield %k : f64
  } -> tensor<131072xf64>
  return %1, %square, %5, %6, %7 : tensor<262144xf32>, tensor<512x512xf32>, tensor<262144xf64>, tensor<131072xf64>, tensor<131072xf64>
}
