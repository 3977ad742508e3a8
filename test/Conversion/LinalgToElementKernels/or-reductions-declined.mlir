// Checks that have no part in a launch stay as they are; `report` says why. Beside each kind stand two that have:
// functions have one launch of %x and %y each, but for those named alone_*, which have none.
// RUN: amp-opt %s --split-input-file --verify-diagnostics --convert-or-reductions-to-multi-tensor-kernels=report | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-or-reductions-to-multi-tensor-kernels=parameter-bytes=16 | FileCheck %s --check-prefix=TINY
// TINY-NOT: amp.launch_kernels

// A sum is no or.
// CHECK-LABEL: func @near_sum
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_sum(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<60xi32>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  // expected-remark @+1 {{not of a kernel for many tensors: expected an or with the result so far}}
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<60xi32>) outs(%s : tensor<i32>) {
  ^bb0(%e: i32, %found: i32):
    %any = arith.addi %found, %e : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// The result so far is read by more than the or.
// CHECK-LABEL: func @near_twice
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_twice(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<60xi32>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  // expected-remark @+1 {{not of a kernel for many tensors: expected an or with the result so far}}
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<60xi32>) outs(%s : tensor<i32>) {
  ^bb0(%e: i32, %found: i32):
    %all = arith.andi %found, %e : i32
    %any = arith.ori %found, %all : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// Numbers that are not known are read by nobody.
// CHECK-LABEL: func @near_captured
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_captured(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<60xi32>, %k: i32) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  // expected-remark @+1 {{not of a kernel for many tensors: expected a body of constants and an element, but got one that reads i32}}
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<60xi32>) outs(%s : tensor<i32>) {
  ^bb0(%e: i32, %found: i32):
    %both = arith.andi %k, %e : i32
    %any = arith.ori %found, %both : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// An element's place is lost where tensors are cut into chunks.
// CHECK-LABEL: func @near_index
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_index(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<60xi32>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  // expected-remark @+1 {{not of a kernel for many tensors: expected elements that depend on elements with their number, but got ones that depend on indices}}
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<60xi32>) outs(%s : tensor<i32>) {
  ^bb0(%e: i32, %found: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %both = arith.andi %j, %e : i32
    %any = arith.ori %found, %both : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// No kernel has code for this.
// CHECK-LABEL: func @near_function
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_function(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<60xf32>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  // expected-remark @+1 {{not of a kernel for many tensors: expected a body of operations that kernels have code for, but got 'math.ipowi'}}
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<60xf32>) outs(%s : tensor<i32>) {
  ^bb0(%e: f32, %found: i32):
    %t = arith.bitcast %e : f32 to i32
    %n = arith.index_cast %t : i32 to index
    %p = math.ipowi %n, %n : index
    %b = arith.index_cast %p : index to i32
    %any = arith.ori %found, %b : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// Two tensors are read at once.
// CHECK-LABEL: func @near_two_tensors
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_two_tensors(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<60xi32>, %w: tensor<60xi32>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  // expected-remark @+1 {{not of a kernel for many tensors: expected one tensor whose dimensions are the loops}}
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%z, %w : tensor<60xi32>, tensor<60xi32>) outs(%s : tensor<i32>) {
  ^bb0(%e: i32, %f: i32, %found: i32):
    %both = arith.andi %e, %f : i32
    %any = arith.ori %found, %both : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// Not each element is visited.
// CHECK-LABEL: func @near_diagonal
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_diagonal(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<6x6xi32>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  // expected-remark @+1 {{not of a kernel for many tensors: expected one tensor whose dimensions are the loops}}
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<6x6xi32>) outs(%s : tensor<i32>) {
  ^bb0(%e: i32, %found: i32):
    %any = arith.ori %found, %e : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// Elements of a slice do not follow one another.
// CHECK-LABEL: func @near_slice
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_slice(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %w: tensor<6x9xi32>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  %z = tensor.extract_slice %w[0, 0] [6, 5] [1, 1] : tensor<6x9xi32> to tensor<6x5xi32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected tensors whose elements follow one another in memory, but got a slice of one}}
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%z : tensor<6x5xi32>) outs(%s : tensor<i32>) {
  ^bb0(%e: i32, %found: i32):
    %any = arith.ori %found, %e : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// Extents are known when a step is compiled.
// CHECK-LABEL: func @near_dynamic
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_dynamic(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<?xi32>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  // expected-remark @+1 {{not of a kernel for many tensors: expected tensors of static shape with elements of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got tensor<?xi32>}}
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<?xi32>) outs(%s : tensor<i32>) {
  ^bb0(%e: i32, %found: i32):
    %any = arith.ori %found, %e : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// A check that may not run is no part of what follows it.
// CHECK-LABEL: func @near_condition
// CHECK:       linalg.generic
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %arg1, in1 = %arg2, start0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_condition(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<60xi32>, %k: i1) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  %c = scf.if %k -> tensor<i32> {
  %v = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<60xi32>) outs(%s : tensor<i32>) {
  ^bb0(%e: i32, %found: i32):
    %any = arith.ori %found, %e : i32
    linalg.yield %any : i32
  } -> tensor<i32>
    scf.yield %v : tensor<i32>
  } else {
    scf.yield %s : tensor<i32>
  }
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%c : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%m : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}

// -----

// Alone, between two others; a flag of one bit, which has no atomic; and what reads the result in between.
// CHECK-LABEL: func @alone_
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @alone_(%s: tensor<i32>, %x: tensor<40xf16>, %y: tensor<50xf16>, %z: tensor<60xi1>, %no: tensor<i1>) -> (tensor<i32>, tensor<i32>, tensor<i1>) {
  %f16 = arith.constant 31744 : i16
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%x : tensor<40xf16>) outs(%s : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%y : tensor<50xf16>) outs(%a : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  // expected-remark @+1 {{not of a kernel for many tensors: expected one result of one i32}}
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<60xi1>) outs(%no : tensor<i1>) {
  ^bb0(%e: i1, %found: i1):
    %any = arith.ori %found, %e : i1
    linalg.yield %any : i1
  } -> tensor<i1>
  // expected-remark @+1 {{not of a kernel for many tensors: expected one result of one i32}}
  %d = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%z : tensor<60xi1>) outs(%c : tensor<i1>) {
  ^bb0(%e: i1, %found: i1):
    %any = arith.ori %found, %e : i1
    linalg.yield %any : i1
  } -> tensor<i1>
  return %a, %b, %d : tensor<i32>, tensor<i32>, tensor<i1>
}
