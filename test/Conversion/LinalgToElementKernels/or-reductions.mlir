// Chains of checks become one launch; functions named near_* have one that does not join.
// or-reductions-emulator.test runs the functions of which Inputs/run_or_reductions.py has a reference.
// RUN: amp-opt %s --split-input-file --convert-or-reductions-to-multi-tensor-kernels | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-or-reductions-to-multi-tensor-kernels=parameter-bytes=32 | FileCheck %s --check-prefix=SMALL

// Extents and ranks are no part of what is computed. A chunk has 8 KiB: 4096 elements, of which each thread
// takes two times eight, and 2 + 1 + 1 + 1 of them are here.
// CHECK-LABEL: func @halves
// CHECK-SAME:  %[[A:.*]]: tensor<73x69xf16>, %[[B:.*]]: tensor<1xf16>, %[[C:.*]]: tensor<2x3x5xf16>, %[[D:.*]]: tensor<4096xf16>
// CHECK:       %[[R:.*]] = amp.launch_kernels @or_reduction_0 ins(in0 = %[[A]], in1 = %[[B]], in2 = %[[C]], in3 = %[[D]]) outs(out0 = %{{.*}})
// CHECK-NOT:   linalg.generic
// CHECK:       return %[[R]]
// CHECK:       llvm.func @or_reduction_0_start(%[[OUT:.*]]: !llvm.ptr<1>)
// CHECK-SAME:  grid = array<i64: 1, 1, 1>, order = 0
// CHECK:       %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT:  llvm.store %[[ZERO]], %[[OUT]] {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK:       llvm.mlir.global internal constant @or_reduction_chunks(dense<[0, 2, 3, 4]> : tensor<4xi32>)
// CHECK:       llvm.mlir.global internal constant @or_reduction_counts(dense<[5037, 1, 30, 4096]> : tensor<4xi32>)
// CHECK:       llvm.func @or_reduction_0(%[[OUT:.*]]: !llvm.ptr<1>, %{{.*}}: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<4 x ptr<1>>, nvvm.grid_constant})
// CHECK-SAME:  grid = array<i64: 5, 1, 1>
// CHECK-SAME:  order = 1
// CHECK:       %[[FOUND:.*]] = scf.for
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:       llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK:       %[[WARP:.*]] = nvvm.redux.sync or %[[FOUND]]
// CHECK:       scf.if
// CHECK-NEXT:  llvm.atomicrmw _or %[[OUT]], %[[WARP]] monotonic : !llvm.ptr<1>, i32
// Four addresses are 32 bytes, of which one is the result's: two launches, of which the second begins with
// what the first has found.
// SMALL-LABEL: func @halves
// SMALL:       %[[R:.*]] = amp.launch_kernels @or_reduction_0 ins(in0 = %arg0, in1 = %arg1) outs
// SMALL:       amp.launch_kernels @or_reduction_1 ins(in0 = %arg2, in1 = %arg3, start0 = %[[R]]) outs
// SMALL:       llvm.func @or_reduction_1_start(%[[START:.*]]: !llvm.ptr<1>, %[[OUT:.*]]: !llvm.ptr<1>)
// SMALL:       %[[BEFORE:.*]] = llvm.load %[[START]] {alignment = 4 : i64}
// SMALL-NEXT:  llvm.store %[[BEFORE]], %[[OUT]]
func.func @halves(%a: tensor<73x69xf16>, %b: tensor<1xf16>, %c: tensor<2x3x5xf16>, %d: tensor<4096xf16>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  %none = arith.constant dense<0> : tensor<i32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%a : tensor<73x69xf16>) outs(%none : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%b : tensor<1xf16>) outs(%0 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i, j)>, affine_map<(i, j, k) -> ()>],
                       iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%c : tensor<2x3x5xf16>) outs(%1 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%d : tensor<4096xf16>) outs(%2 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %3 : tensor<i32>
}

// -----

// Each type has a computation of its own, and so has an f16 that is widened first. Those of one stand together,
// in the order of their first, and chunks of each have 8 KiB: 2 + 1, 3, 1 and 2 of them.
// CHECK-LABEL: func @types
// CHECK-SAME:  %[[A:.*]]: tensor<5001xf16>, %[[B:.*]]: tensor<4099xf32>, %[[C:.*]]: tensor<3xf16>, %[[D:.*]]: tensor<4096xbf16>, %[[E:.*]]: tensor<2x2101xf16>
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %[[A]], in1 = %[[C]], in2 = %[[B]], in3 = %[[D]], in4 = %[[E]]) outs
// CHECK-NOT:   linalg.generic
// CHECK:       llvm.mlir.global internal constant @or_reduction_chunks(dense<[0, 2, 3, 6, 7, 9, 9, 9]> : tensor<8xi32>)
// CHECK:       scf.for
// CHECK:       arith.cmpi ult, %{{.*}}, %c3_i32
// CHECK:       arith.cmpi ult, %{{.*}}, %c6_i32
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:       arith.cmpi ult, %{{.*}}, %c7_i32
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:       nvvm.redux.sync or
// CHECK-NOT:   nvvm.redux.sync
func.func @types(%a: tensor<5001xf16>, %b: tensor<4099xf32>, %c: tensor<3xf16>, %d: tensor<4096xbf16>, %e: tensor<2x2101xf16>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  %f32 = arith.constant 2139095040 : i32
  %bf16 = arith.constant 32640 : i16
  %none = arith.constant dense<0> : tensor<i32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%a : tensor<5001xf16>) outs(%none : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%b : tensor<4099xf32>) outs(%0 : tensor<i32>) {
  ^bb0(%element: f32, %found: i32):
    %bits = arith.bitcast %element : f32 to i32
    %masked = arith.andi %bits, %f32 : i32
    %is = arith.cmpi eq, %masked, %f32 : i32
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%c : tensor<3xf16>) outs(%1 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%d : tensor<4096xbf16>) outs(%2 : tensor<i32>) {
  ^bb0(%element: bf16, %found: i32):
    %bits = arith.bitcast %element : bf16 to i16
    %masked = arith.andi %bits, %bf16 : i16
    %is = arith.cmpi eq, %masked, %bf16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%e : tensor<2x2101xf16>) outs(%3 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %wide = arith.extf %element : f16 to f32
    %bits = arith.bitcast %wide : f32 to i32
    %masked = arith.andi %bits, %f32 : i32
    %is = arith.cmpi eq, %masked, %f32 : i32
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %4 : tensor<i32>
}

// -----

// What a chain begins with may be known from a fill, and may be another number than 0; what the elements leave
// is any number. A reshape is the same memory.
// CHECK-LABEL: func @bits
// CHECK-SAME:  %[[A:.*]]: tensor<9x515xi32>, %[[B:.*]]: tensor<7xi8>
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %[[A]], in1 = %[[B]]) outs
// CHECK:       llvm.func @or_reduction_0_start
// CHECK:       arith.constant 5 : i32
func.func @bits(%a: tensor<9x515xi32>, %b: tensor<7xi8>) -> tensor<i32> {
  %five = arith.constant 5 : i32
  %e = tensor.empty() : tensor<i32>
  %start = linalg.fill ins(%five : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %flat = tensor.collapse_shape %a [[0, 1]] : tensor<9x515xi32> into tensor<4635xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%flat : tensor<4635xi32>) outs(%start : tensor<i32>) {
  ^bb0(%x: i32, %found: i32):
    %any = arith.ori %x, %found : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%b : tensor<7xi8>) outs(%0 : tensor<i32>) {
  ^bb0(%x: i8, %found: i32):
    %wide = arith.extui %x : i8 to i32
    %any = arith.ori %wide, %found : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %1 : tensor<i32>
}

// -----

// What a chain begins with may be read. A result that something else reads ends a chain, and the next begins
// with it.
// CHECK-LABEL: func @two_chains
// CHECK-SAME:  %[[S:.*]]: tensor<i32>, %[[A:.*]]: tensor<40xf16>, %[[B:.*]]: tensor<50xf16>
// CHECK:       %[[R:.*]] = amp.launch_kernels @or_reduction_0 ins(in0 = %[[A]], in1 = %[[B]], start0 = %[[S]]) outs
// CHECK:       %[[T:.*]] = amp.launch_kernels @or_reduction_1 ins(in0 = %[[B]], in1 = %[[A]], start0 = %[[R]]) outs
// CHECK:       return %[[R]], %[[T]]
func.func @two_chains(%s: tensor<i32>, %a: tensor<40xf16>, %b: tensor<50xf16>) -> (tensor<i32>, tensor<i32>) {
  %f16 = arith.constant 31744 : i16
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%a : tensor<40xf16>) outs(%s : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%b : tensor<50xf16>) outs(%0 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%b : tensor<50xf16>) outs(%1 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%a : tensor<40xf16>) outs(%2 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %1, %3 : tensor<i32>, tensor<i32>
}

// -----

// A chain reads what another chain leaves, as one of its tensors: the launch of that, which takes its place.
// CHECK-LABEL: func @of_other_chain
// CHECK-SAME:  %[[S:.*]]: tensor<i32>, %[[A:.*]]: tensor<40xi32>, %[[B:.*]]: tensor<50xi32>, %[[C:.*]]: tensor<60xi32>
// CHECK:       %[[R:.*]] = amp.launch_kernels @or_reduction_0 ins(in0 = %[[A]], in1 = %[[B]], start0 = %[[S]]) outs
// CHECK:       %[[T:.*]] = amp.launch_kernels @or_reduction_1 ins(in0 = %[[C]], in1 = %[[R]], start0 = %[[S]]) outs
// CHECK:       return %[[R]], %[[T]]
func.func @of_other_chain(%s: tensor<i32>, %a: tensor<40xi32>, %b: tensor<50xi32>, %c: tensor<60xi32>)
    -> (tensor<i32>, tensor<i32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a : tensor<40xi32>) outs(%s : tensor<i32>) {
  ^bb0(%x: i32, %found: i32):
    %any = arith.ori %x, %found : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%b : tensor<50xi32>) outs(%0 : tensor<i32>) {
  ^bb0(%x: i32, %found: i32):
    %any = arith.ori %x, %found : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%c : tensor<60xi32>) outs(%s : tensor<i32>) {
  ^bb0(%x: i32, %found: i32):
    %any = arith.ori %x, %found : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %3 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%1 : tensor<i32>) outs(%2 : tensor<i32>) {
  ^bb0(%x: i32, %found: i32):
    %any = arith.ori %x, %found : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %1, %3 : tensor<i32>, tensor<i32>
}

// -----

// Tensors without elements leave no trace.
// CHECK-LABEL: func @without_elements
// CHECK-SAME:  %[[S:.*]]: tensor<i32>, %[[A:.*]]: tensor<40xf16>, %{{.*}}: tensor<3x0xf16>
// CHECK:       %[[R:.*]] = amp.launch_kernels @or_reduction_0 ins(in0 = %[[A]], start0 = %[[S]]) outs
// CHECK:       return %[[R]], %[[S]]
func.func @without_elements(%s: tensor<i32>, %a: tensor<40xf16>, %b: tensor<3x0xf16>) -> (tensor<i32>, tensor<i32>) {
  %f16 = arith.constant 31744 : i16
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%b : tensor<3x0xf16>) outs(%s : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%a : tensor<40xf16>) outs(%0 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%b : tensor<3x0xf16>) outs(%s : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%b : tensor<3x0xf16>) outs(%2 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %1, %3 : tensor<i32>, tensor<i32>
}

// -----

// A launch in a loop is one for each iteration.
// CHECK-LABEL: func @in_loop
// CHECK:       scf.for
// CHECK:       amp.launch_kernels @or_reduction_0 ins(in0 = %{{.*}}, in1 = %{{.*}}, start0 = %{{.*}}) outs
func.func @in_loop(%s: tensor<i32>, %a: tensor<40xf16>, %b: tensor<50xf16>, %n: index) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %r = scf.for %k = %zero to %n step %step iter_args(%start = %s) -> tensor<i32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%a : tensor<40xf16>) outs(%start : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%b : tensor<50xf16>) outs(%0 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  scf.yield %1 : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

// A check that is no part of the launch comes first, wherever it stands: an or is the same in any order.
// CHECK-LABEL: func @around_slice
// CHECK-SAME:  %[[S:.*]]: tensor<i32>, %[[A:.*]]: tensor<40xf16>, %{{.*}}: tensor<6x9xf16>, %[[C:.*]]: tensor<50xf16>
// CHECK:       %[[K:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<6x5xf16>) outs(%[[S]] : tensor<i32>)
// CHECK:       %[[R:.*]] = amp.launch_kernels @or_reduction_0 ins(in0 = %[[A]], in1 = %[[C]], start0 = %[[K]]) outs
// CHECK:       return %[[R]]
func.func @around_slice(%s: tensor<i32>, %a: tensor<40xf16>, %b: tensor<6x9xf16>, %c: tensor<50xf16>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  %slice = tensor.extract_slice %b[0, 0] [6, 5] [1, 1] : tensor<6x9xf16> to tensor<6x5xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%a : tensor<40xf16>) outs(%s : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%slice : tensor<6x5xf16>) outs(%0 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%c : tensor<50xf16>) outs(%1 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %2 : tensor<i32>
}

// -----

// Also where it is the last one.
// CHECK-LABEL: func @before_slice
// CHECK-SAME:  %[[S:.*]]: tensor<i32>, %[[A:.*]]: tensor<40xf16>, %{{.*}}: tensor<6x9xf16>, %[[C:.*]]: tensor<50xf16>
// CHECK:       %[[K:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<6x5xf16>) outs(%[[S]] : tensor<i32>)
// CHECK:       %[[R:.*]] = amp.launch_kernels @or_reduction_0 ins(in0 = %[[A]], in1 = %[[C]], start0 = %[[K]]) outs
// CHECK:       return %[[R]]
func.func @before_slice(%s: tensor<i32>, %a: tensor<40xf16>, %b: tensor<6x9xf16>, %c: tensor<50xf16>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  %slice = tensor.extract_slice %b[0, 0] [6, 5] [1, 1] : tensor<6x9xf16> to tensor<6x5xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%a : tensor<40xf16>) outs(%s : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%c : tensor<50xf16>) outs(%0 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%slice : tensor<6x5xf16>) outs(%1 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %2 : tensor<i32>
}

// -----

// A sum does not come first: it reads what the or before has found.
// CHECK-LABEL: func @near_sum
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
func.func @near_sum(%s: tensor<i32>, %a: tensor<40xf16>, %b: tensor<7xi32>, %c: tensor<50xf16>) -> tensor<i32> {
  %f16 = arith.constant 31744 : i16
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%a : tensor<40xf16>) outs(%s : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%b : tensor<7xi32>) outs(%0 : tensor<i32>) {
  ^bb0(%element: i32, %found: i32):
    %sum = arith.addi %found, %element : i32
    linalg.yield %sum : i32
  } -> tensor<i32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                       iterator_types = ["reduction"]}
      ins(%c : tensor<50xf16>) outs(%1 : tensor<i32>) {
  ^bb0(%element: f16, %found: i32):
    %bits = arith.bitcast %element : f16 to i16
    %masked = arith.andi %bits, %f16 : i16
    %is = arith.cmpi eq, %masked, %f16 : i16
    %one = arith.extui %is : i1 to i32
    %any = arith.ori %found, %one : i32
    linalg.yield %any : i32
  } -> tensor<i32>
  return %2 : tensor<i32>
}
