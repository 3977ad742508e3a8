// Loops that compute the same become one launch; functions named near_* have one that does not join.
// multi-tensor-emulator.test runs the functions of which Inputs/run_multi_tensor.py has a reference.
// RUN: amp-opt %s --split-input-file --convert-elementwise-to-multi-tensor-kernels | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-elementwise-to-multi-tensor-kernels=parameter-bytes=96 | FileCheck %s --check-prefix=SMALL

// Extents and ranks are no part of what is computed, nor are loops of one iteration. A chunk has 4096
// elements: 2 + 1 + 1 + 1 of them.
// CHECK-LABEL: func @scale
// CHECK-SAME:  %[[A:.*]]: tensor<73x69xf32>, %[[B:.*]]: tensor<1xf32>, %[[C:.*]]: tensor<1x5x1xf32>, %[[D:.*]]: tensor<4096xf32>, %[[S:.*]]: tensor<f32>
// CHECK:       %[[R:.*]]:4 = amp.launch_kernels @multi_tensor_0 ins(shared0 = %[[S]], in0_0 = %[[A]], in1_0 = %[[B]], in2_0 = %[[C]], in3_0 = %[[D]]) outs(out0_0 = %{{.*}}, out1_0 = %{{.*}}, out2_0 = %{{.*}}, out3_0 = %{{.*}})
// CHECK-NOT:   linalg.generic
// CHECK:       return %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3
// CHECK:       llvm.mlir.global internal constant @multi_tensor_chunks(dense<[0, 2, 3, 4]> : tensor<4xi32>)
// CHECK:       llvm.mlir.global internal constant @multi_tensor_counts(dense<[5037, 1, 5, 4096]> : tensor<4xi32>)
// CHECK:       llvm.func @multi_tensor_0(%{{.*}}: !llvm.ptr<1>, %[[TABLE:.*]]: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<8 x ptr<1>>, nvvm.grid_constant})
// CHECK-SAME:  blocks_per_multiprocessor
// CHECK-SAME:  grid = array<i64: 5, 1, 1>
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:       llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:       llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// SMALL-LABEL: func @scale
// SMALL:       amp.launch_kernels @multi_tensor_0
func.func @scale(%a: tensor<73x69xf32>, %b: tensor<1xf32>, %c: tensor<1x5x1xf32>, %d: tensor<4096xf32>, %s: tensor<f32>)
    -> (tensor<73x69xf32>, tensor<1xf32>, tensor<1x5x1xf32>, tensor<4096xf32>) {
  %ea = tensor.empty() : tensor<73x69xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %s : tensor<73x69xf32>, tensor<f32>) outs(%ea : tensor<73x69xf32>) {
  ^bb0(%in: f32, %n: f32, %out: f32):
    %p = arith.mulf %in, %n : f32
    linalg.yield %p : f32
  } -> tensor<73x69xf32>
  %eb = tensor.empty() : tensor<1xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%b, %s : tensor<1xf32>, tensor<f32>) outs(%eb : tensor<1xf32>) {
  ^bb0(%in: f32, %n: f32, %out: f32):
    %p = arith.mulf %in, %n : f32
    linalg.yield %p : f32
  } -> tensor<1xf32>
  %ec = tensor.empty() : tensor<1x5x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j, i)>, affine_map<(i, j, k) -> ()>,
                                        affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %s : tensor<1x5x1xf32>, tensor<f32>) outs(%ec : tensor<1x5x1xf32>) {
  ^bb0(%in: f32, %n: f32, %out: f32):
    %p = arith.mulf %in, %n : f32
    linalg.yield %p : f32
  } -> tensor<1x5x1xf32>
  %ed = tensor.empty() : tensor<4096xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%d, %s : tensor<4096xf32>, tensor<f32>) outs(%ed : tensor<4096xf32>) {
  ^bb0(%in: f32, %n: f32, %out: f32):
    %p = arith.mulf %in, %n : f32
    linalg.yield %p : f32
  } -> tensor<4096xf32>
  return %0, %1, %2, %3 : tensor<73x69xf32>, tensor<1xf32>, tensor<1x5x1xf32>, tensor<4096xf32>
}

// -----

// An update of a step that may be skipped. Of eight elements, f16 go by one access and f32 by two. What
// only a skipped step reads is read in one alone; what is read anyway is not.
// CHECK-LABEL: func @update
// CHECK:       amp.launch_kernels @multi_tensor_0 ins(shared0 = %{{.*}}, shared1 = %{{.*}}, in0_0 = %{{.*}}, in0_1 = %{{.*}}, in0_2 = %{{.*}}, in1_0 =
// CHECK-NOT:   amp.launch_kernels
// CHECK:       llvm.func @multi_tensor_0
// CHECK-SAME:  {elements = 2100 : i64, name = "in0_0", type = f16}, {elements = 2100 : i64, name = "in0_1", type = f32}, {conditional, elements = 2100 : i64, name = "in0_2", type = f16}, {elements = 2100 : i64, name = "out0_0", type = f32}, {elements = 2100 : i64, name = "out0_1", type = f16}, {elements = 4099
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:       llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:       scf.if
// CHECK-NEXT:  llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT:   scf.if
// CHECK:       llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:       llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:       llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// Of 96 bytes two are for shared numbers: 10 addresses are left, those of two loops.
// SMALL-LABEL: func @update
// SMALL:       amp.launch_kernels @multi_tensor_0
func.func @update(%g0: tensor<2100xf16>, %p0: tensor<2100xf32>, %h0: tensor<2100xf16>,
                  %g1: tensor<4099xf16>, %p1: tensor<4099xf32>, %h1: tensor<4099xf16>, %lr: tensor<f32>, %skip: tensor<i1>)
    -> (tensor<2100xf32>, tensor<2100xf16>, tensor<4099xf32>, tensor<4099xf16>) {
  %e0 = tensor.empty() : tensor<2100xf32>
  %f0 = tensor.empty() : tensor<2100xf16>
  %0:2 = scf.forall (%t) = (0) to (2100) step (700) shared_outs(%o = %e0, %q = %f0) -> (tensor<2100xf32>, tensor<2100xf16>) {
    %g = tensor.extract_slice %g0[%t] [700] [1] : tensor<2100xf16> to tensor<700xf16>
    %p = tensor.extract_slice %p0[%t] [700] [1] : tensor<2100xf32> to tensor<700xf32>
    %h = tensor.extract_slice %h0[%t] [700] [1] : tensor<2100xf16> to tensor<700xf16>
    %et = tensor.empty() : tensor<700xf32>
    %ft = tensor.empty() : tensor<700xf16>
    %new = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
        ins(%g, %p, %lr : tensor<700xf16>, tensor<700xf32>, tensor<f32>) outs(%et : tensor<700xf32>) {
    ^bb0(%gg: f16, %pp: f32, %r: f32, %out: f32):
      %w = arith.extf %gg : f16 to f32
      %d = arith.mulf %w, %r : f32
      %n = arith.subf %pp, %d : f32
      linalg.yield %n : f32
    } -> tensor<700xf32>
    %both:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>,
                                               affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                              iterator_types = ["parallel"]}
        ins(%new, %p, %h, %skip : tensor<700xf32>, tensor<700xf32>, tensor<700xf16>, tensor<i1>) outs(%et, %ft : tensor<700xf32>, tensor<700xf16>) {
    ^bb0(%n: f32, %pp: f32, %hh: f16, %s: i1, %out: f32, %out2: f16):
      %c = arith.select %s, %pp, %n : f32
      %k = arith.truncf %n : f32 to f16
      %l = arith.select %s, %hh, %k : f16
      linalg.yield %c, %l : f32, f16
    } -> (tensor<700xf32>, tensor<700xf16>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %both#0 into %o[%t] [700] [1] : tensor<700xf32> into tensor<2100xf32>
      tensor.parallel_insert_slice %both#1 into %q[%t] [700] [1] : tensor<700xf16> into tensor<2100xf16>
    }
  }
  %e1 = tensor.empty() : tensor<4099xf32>
  %f1 = tensor.empty() : tensor<4099xf16>
  %1:2 = scf.forall (%t) = (0) to (4099) step (4099) shared_outs(%o = %e1, %q = %f1) -> (tensor<4099xf32>, tensor<4099xf16>) {
    %g = tensor.extract_slice %g1[%t] [4099] [1] : tensor<4099xf16> to tensor<4099xf16>
    %p = tensor.extract_slice %p1[%t] [4099] [1] : tensor<4099xf32> to tensor<4099xf32>
    %h = tensor.extract_slice %h1[%t] [4099] [1] : tensor<4099xf16> to tensor<4099xf16>
    %et = tensor.empty() : tensor<4099xf32>
    %ft = tensor.empty() : tensor<4099xf16>
    %new = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
        ins(%g, %p, %lr : tensor<4099xf16>, tensor<4099xf32>, tensor<f32>) outs(%et : tensor<4099xf32>) {
    ^bb0(%gg: f16, %pp: f32, %r: f32, %out: f32):
      %w = arith.extf %gg : f16 to f32
      %d = arith.mulf %w, %r : f32
      %n = arith.subf %pp, %d : f32
      linalg.yield %n : f32
    } -> tensor<4099xf32>
    %both:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>,
                                               affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                              iterator_types = ["parallel"]}
        ins(%new, %p, %h, %skip : tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf16>, tensor<i1>) outs(%et, %ft : tensor<4099xf32>, tensor<4099xf16>) {
    ^bb0(%n: f32, %pp: f32, %hh: f16, %s: i1, %out: f32, %out2: f16):
      %c = arith.select %s, %pp, %n : f32
      %k = arith.truncf %n : f32 to f16
      %l = arith.select %s, %hh, %k : f16
      linalg.yield %c, %l : f32, f16
    } -> (tensor<4099xf32>, tensor<4099xf16>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %both#0 into %o[%t] [4099] [1] : tensor<4099xf32> into tensor<4099xf32>
      tensor.parallel_insert_slice %both#1 into %q[%t] [4099] [1] : tensor<4099xf16> into tensor<4099xf16>
    }
  }
  return %0#0, %0#1, %1#0, %1#1 : tensor<2100xf32>, tensor<2100xf16>, tensor<4099xf32>, tensor<4099xf16>
}

// -----

// More than one launch's table has: as few as can be, of about as many loops. 96 bytes have 12 addresses,
// 6 loops.
#map = affine_map<(i) -> (i)>
// CHECK-LABEL: func @many
// CHECK:       amp.launch_kernels @multi_tensor_0
// CHECK-NOT:   amp.launch_kernels
// SMALL-LABEL: func @many
// SMALL:       amp.launch_kernels @multi_tensor_0 ins(in0_0 = %{{.*}}, in1_0 = %{{.*}}, in2_0 = %{{.*}}, in3_0 = %{{.*}}) outs
// SMALL:       amp.launch_kernels @multi_tensor_1 ins(in0_0 = %{{.*}}, in1_0 = %{{.*}}, in2_0 = %{{.*}}) outs
func.func @many(%0: tensor<1xi8>, %1: tensor<2xi8>, %2: tensor<3xi8>, %3: tensor<4xi8>, %4: tensor<5xi8>, %5: tensor<16xi8>, %6: tensor<29xi8>)
    -> (tensor<1xi8>, tensor<2xi8>, tensor<3xi8>, tensor<4xi8>, tensor<5xi8>, tensor<16xi8>, tensor<29xi8>) {
  %c1 = arith.constant 1 : i8
  %e0 = tensor.empty() : tensor<1xi8>
  %r0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%0 : tensor<1xi8>) outs(%e0 : tensor<1xi8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.addi %in, %c1 : i8
    linalg.yield %s : i8
  } -> tensor<1xi8>
  %e1 = tensor.empty() : tensor<2xi8>
  %r1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%1 : tensor<2xi8>) outs(%e1 : tensor<2xi8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.addi %in, %c1 : i8
    linalg.yield %s : i8
  } -> tensor<2xi8>
  %e2 = tensor.empty() : tensor<3xi8>
  %r2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%2 : tensor<3xi8>) outs(%e2 : tensor<3xi8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.addi %in, %c1 : i8
    linalg.yield %s : i8
  } -> tensor<3xi8>
  %e3 = tensor.empty() : tensor<4xi8>
  %r3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<4xi8>) outs(%e3 : tensor<4xi8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.addi %in, %c1 : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  %e4 = tensor.empty() : tensor<5xi8>
  %r4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<5xi8>) outs(%e4 : tensor<5xi8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.addi %in, %c1 : i8
    linalg.yield %s : i8
  } -> tensor<5xi8>
  %e5 = tensor.empty() : tensor<16xi8>
  %r5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%5 : tensor<16xi8>) outs(%e5 : tensor<16xi8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.addi %in, %c1 : i8
    linalg.yield %s : i8
  } -> tensor<16xi8>
  %e6 = tensor.empty() : tensor<29xi8>
  %r6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%6 : tensor<29xi8>) outs(%e6 : tensor<29xi8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.addi %in, %c1 : i8
    linalg.yield %s : i8
  } -> tensor<29xi8>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<1xi8>, tensor<2xi8>, tensor<3xi8>, tensor<4xi8>, tensor<5xi8>, tensor<16xi8>, tensor<29xi8>
}

// -----

// What depends on a loop moves behind the launch. Of a chain each second loop waits for a first: two
// launches of one kernel, and none for the third loop, which has nobody.
// CHECK-LABEL: func @chain
// CHECK-SAME:  %[[X:.*]]: tensor<2x3xf64>, %[[Y:.*]]: tensor<5xf64>
// CHECK-NOT:   tensor.collapse_shape
// CHECK:       %[[FIRST:.*]]:2 = amp.launch_kernels @multi_tensor_0 ins(in0_0 = %[[X]], in1_0 = %[[Y]])
// CHECK:       %[[FLAT:.*]] = tensor.collapse_shape %[[FIRST]]#0
// CHECK:       %[[SECOND:.*]]:2 = amp.launch_kernels @multi_tensor_0 ins(in0_0 = %[[FIRST]]#0, in1_0 = %[[FIRST]]#1)
// CHECK:       linalg.generic {{.*}} ins(%[[SECOND]]#1
// CHECK:       return %[[SECOND]]#0
#id = affine_map<(i) -> (i)>
func.func @chain(%x: tensor<2x3xf64>, %y: tensor<5xf64>) -> (tensor<6xf64>, tensor<5xf64>) {
  %e = tensor.empty() : tensor<2x3xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x3xf64>) outs(%e : tensor<2x3xf64>) {
  ^bb0(%in: f64, %out: f64):
    %n = arith.negf %in : f64
    linalg.yield %n : f64
  } -> tensor<2x3xf64>
  %flat = tensor.collapse_shape %0 [[0, 1]] : tensor<2x3xf64> into tensor<6xf64>
  %f = tensor.empty() : tensor<6xf64>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%flat : tensor<6xf64>) outs(%f : tensor<6xf64>) {
  ^bb0(%in: f64, %out: f64):
    %n = arith.negf %in : f64
    linalg.yield %n : f64
  } -> tensor<6xf64>
  %g = tensor.empty() : tensor<5xf64>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<5xf64>) outs(%g : tensor<5xf64>) {
  ^bb0(%in: f64, %out: f64):
    %n = arith.negf %in : f64
    linalg.yield %n : f64
  } -> tensor<5xf64>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%2 : tensor<5xf64>) outs(%g : tensor<5xf64>) {
  ^bb0(%in: f64, %out: f64):
    %n = arith.negf %in : f64
    linalg.yield %n : f64
  } -> tensor<5xf64>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%3 : tensor<5xf64>) outs(%g : tensor<5xf64>) {
  ^bb0(%in: f64, %out: f64):
    %n = arith.negf %in : f64
    linalg.yield %n : f64
  } -> tensor<5xf64>
  return %1, %4 : tensor<6xf64>, tensor<5xf64>
}

// -----

// Two forms, of which each has a loop that depends on one of the other: two launches would need each
// other, so there is one.
// CHECK-LABEL: func @near_circle
// CHECK:       linalg.generic
// CHECK:       arith.sitofp
// CHECK:       amp.launch_kernels @multi_tensor_0
// CHECK:       linalg.generic
// CHECK:       arith.sitofp
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
#id = affine_map<(i) -> (i)>
func.func @near_circle(%x: tensor<4xf32>, %y: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %e = tensor.empty() : tensor<4xi32>
  %f = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xi32>) {
  ^bb0(%in: f32, %out: i32):
    %n = arith.fptosi %in : f32 to i32
    linalg.yield %n : i32
  } -> tensor<4xi32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<4xi32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: i32, %out: f32):
    %n = arith.sitofp %in : i32 to f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<4xi32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: i32, %out: f32):
    %n = arith.sitofp %in : i32 to f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%2 : tensor<4xf32>) outs(%e : tensor<4xi32>) {
  ^bb0(%in: f32, %out: i32):
    %n = arith.fptosi %in : f32 to i32
    linalg.yield %n : i32
  } -> tensor<4xi32>
  return %1, %3 : tensor<4xf32>, tensor<4xi32>
}

// -----

// The host is told of the first before the second is computed: no launch. The next two are one.
// CHECK-LABEL: func @near_effect
// CHECK:       linalg.generic
// CHECK:       call @tell
// CHECK:       amp.launch_kernels @multi_tensor_0 ins(in0_0 = %arg1, in1_0 = %arg2)
#id = affine_map<(i) -> (i)>
func.func private @tell(f32)
func.func @near_effect(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %first = tensor.extract %0[%c0] : tensor<4xf32>
  call @tell(%first) : (f32) -> ()
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%z : tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  return %1, %2 : tensor<4xf32>, tensor<8xf32>
}

// -----

// Other bodies: a constant, a type, an operation's attribute, and an operand twice instead of two.
// CHECK-LABEL: func @near_bodies
// CHECK-NOT:   amp.launch_kernels
// CHECK:       return
#id = affine_map<(i) -> (i)>
func.func @near_bodies(%x: tensor<4xf32>, %y: tensor<4xf32>, %h: tensor<4xf16>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %g = tensor.empty() : tensor<4xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.mulf %in, %two : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.mulf %in, %three : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.mulf %in, %two fastmath<contract> : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%h : tensor<4xf16>) outs(%g : tensor<4xf16>) {
  ^bb0(%in: f16, %out: f16):
    %n = arith.negf %in : f16
    linalg.yield %n : f16
  } -> tensor<4xf16>
  %5 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %n = arith.subf %in, %in2 : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %6 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%y, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %n = arith.subf %in, %in2 : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Numbers of its own each loop takes by the table, and those that are values of the function as memory.
// Tensors that all visit by the same other order are in order; a choice whose other side is read elsewhere
// is read always, and one by a condition of elements too.
// CHECK-LABEL: func @numbers
// CHECK:       %[[M:.*]] = tensor.from_elements %arg5
// CHECK:       amp.launch_kernels @multi_tensor_0 ins(shared0 = %[[M]], in0_0 = %arg0, in0_1 = %arg3, in1_0 = %arg1, in1_1 = %arg4)
// CHECK:       llvm.func @multi_tensor_0
// CHECK-NOT:   conditional
// CHECK:       scf.for
#t = affine_map<(i, j) -> (j, i)>
#n = affine_map<(i, j) -> ()>
func.func @numbers(%x: tensor<3x5xf32>, %y: tensor<11x2xf32>, %z: tensor<3x5xf32>, %s: tensor<f32>, %u: tensor<1x1xf32>, %v: f32)
    -> (tensor<3x5xf32>, tensor<11x2xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.generic {indexing_maps = [#t, #n, #t], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<3x5xf32>, tensor<f32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%in: f32, %k: f32, %out: f32):
    %p = arith.mulf %in, %k : f32
    %q = arith.addf %p, %v : f32
    %c = arith.cmpf olt, %in, %k : f32
    %r = arith.select %c, %in, %q : f32
    linalg.yield %r : f32
  } -> tensor<3x5xf32>
  %f = tensor.empty() : tensor<11x2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y, %u : tensor<11x2xf32>, tensor<1x1xf32>) outs(%f : tensor<11x2xf32>) {
  ^bb0(%in: f32, %k: f32, %out: f32):
    %p = arith.mulf %in, %k : f32
    %q = arith.addf %p, %v : f32
    %c = arith.cmpf olt, %in, %k : f32
    %r = arith.select %c, %in, %q : f32
    linalg.yield %r : f32
  } -> tensor<11x2xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<11x2xf32>
}

// -----

// What became one launch before moves what comes behind it: %b stands behind %aa then, which it
// needs by way of that launch. The two are none.
// CHECK-LABEL: func @levels
// CHECK: amp.launch_kernels
// CHECK: return
func.func @levels(%a: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e_x1 = tensor.empty() : tensor<8xf32>
  %x1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e_x1 : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %in, %in : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %e_b = tensor.empty() : tensor<8xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x1 : tensor<8xf32>) outs(%e_b : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.addf %in, %in : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %e_cc = tensor.empty() : tensor<8xf32>
  %cc = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%c : tensor<8xf32>) outs(%e_cc : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.addf %in, %in : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %e_aa = tensor.empty() : tensor<8xf32>
  %aa = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%cc : tensor<8xf32>) outs(%e_aa : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.addf %in, %in : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %e_x2 = tensor.empty() : tensor<8xf32>
  %x2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%aa : tensor<8xf32>) outs(%e_x2 : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %in, %in : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  return %b, %x2 : tensor<8xf32>, tensor<8xf32>
}
