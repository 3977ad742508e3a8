// Launches of one kernel become one; functions named near_* have one that does not join.
// batch-launches-emulator.test runs the functions of which Inputs/run_batches.py has a reference.
// RUN: amp-opt %s --split-input-file --convert-elementwise-to-linalg --amp-tile-sums --convert-fusion-groups-to-kernels --convert-linalg-to-element-kernels --amp-batch-launches=small-bytes=40000 --canonicalize | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-elementwise-to-linalg --amp-tile-sums --convert-fusion-groups-to-kernels --convert-linalg-to-element-kernels --amp-batch-launches='small-bytes=40000 parameter-bytes=55' --canonicalize | FileCheck %s --check-prefix=SMALL

// Sums by one thread for each result, two blocks a launch: a block has the number that it has in its own launch, and addresses from
// the row of its launch. Three addresses a launch are two launches in 55 bytes: too few for three in one.
// CHECK-LABEL: func @sums
// CHECK-SAME:  %[[X:.*]]: tensor<4x3x301xf32>, %[[Y:.*]]: tensor<4x3x301xf32>, %[[Z:.*]]: tensor<4x3x301xf32>, %[[S:.*]]: tensor<301xf32>
// CHECK:       %[[R:.*]]:3 = amp.launch_kernels @batch_0 ins(in0_0 = %[[X]], start0_0 = %[[S]], in0_1 = %[[Y]], start0_1 = %[[S]], in0_2 = %[[Z]], start0_2 = %[[S]]) outs(out0_0 = %{{.*}}, out0_1 = %{{.*}}, out0_2 = %{{.*}})
// CHECK:       return %[[R]]#0, %[[R]]#1, %[[R]]#2
// CHECK:       gpu.module @batch_0
// CHECK-NOT:   nvvm.read.ptx.sreg.nctaid
// CHECK:       llvm.func @batch_0(%{{.*}}: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<9 x ptr<1>>, nvvm.grid_constant})
// CHECK-NOT:   blocks_per_multiprocessor
// CHECK-SAME:  grid = array<i64: 6, 1, 1>
// SMALL-LABEL: func @sums
// SMALL:       amp.launch_kernels @batch_0 ins(in0_0 = %{{.*}}, start0_0 = %{{.*}}, in0_1 = %{{.*}}, start0_1 = %{{[^,]*}})
// SMALL:       amp.launch_kernels @element_0
#all = affine_map<(i, j, k) -> (j, k, i)>
#sum = affine_map<(i, j, k) -> (i)>
func.func @sums(%x: tensor<4x3x301xf32>, %y: tensor<4x3x301xf32>, %z: tensor<4x3x301xf32>, %s: tensor<301xf32>)
    -> (tensor<301xf32>, tensor<301xf32>, tensor<301xf32>) {
  %0 = linalg.generic {indexing_maps = [#all, #sum], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<4x3x301xf32>) outs(%s : tensor<301xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<301xf32>
  %1 = linalg.generic {indexing_maps = [#all, #sum], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%y : tensor<4x3x301xf32>) outs(%s : tensor<301xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<301xf32>
  %2 = linalg.generic {indexing_maps = [#all, #sum], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%z : tensor<4x3x301xf32>) outs(%s : tensor<301xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<301xf32>
  return %0, %1, %2 : tensor<301xf32>, tensor<301xf32>, tensor<301xf32>
}

// -----

// Blocks that share sums: shared memory is that of the kernel.
// CHECK-LABEL: func @shared
// CHECK:       amp.launch_kernels @batch_0
// CHECK:       return
// CHECK:       gpu.module @batch_0
// CHECK:       llvm.mlir.global external @group_memory() {addr_space = 3
// CHECK:       grid = array<i64: 2, 1, 1>
#rows = affine_map<(i, j) -> (j, i)>
#columns = affine_map<(i, j) -> (i)>
func.func @shared(%x: tensor<100x5xf32>, %y: tensor<100x5xf32>, %s: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = linalg.generic {indexing_maps = [#rows, #columns], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<100x5xf32>) outs(%s : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<5xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #columns], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<100x5xf32>) outs(%s : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<5xf32>
  return %0, %1 : tensor<5xf32>, tensor<5xf32>
}

// -----

// What depends on a launch moves behind the batch, and launches of one level are a batch.
// CHECK-LABEL: func @levels
// CHECK-SAME:  %[[X:.*]]: tensor<600xf32>, %[[Y:.*]]: tensor<600xf32>
// CHECK:       %[[F:.*]]:2 = amp.launch_kernels @batch_0 ins(in0_0 = %[[X]], in0_1 = %[[Y]])
// CHECK:       %[[N:.*]] = amp.launch_kernels @element_{{.*}} ins(in0 = %[[F]]#0)
// CHECK:       %[[S:.*]]:2 = amp.launch_kernels @batch_0 ins(in0_0 = %[[F]]#0, in0_1 = %[[F]]#1)
// CHECK:       return %[[N]], %[[S]]#0, %[[S]]#1
// CHECK:       gpu.module @batch_0
// CHECK:       grid = array<i64: 2, 1, 1>
// CHECK-NOT:   gpu.module @batch
func.func @levels(%x: tensor<600xf32>, %y: tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>, tensor<600xf32>) {
  %0 = math.absf %x : tensor<600xf32>
  %1 = arith.negf %0 : tensor<600xf32>
  %2 = math.absf %0 : tensor<600xf32>
  %3 = math.absf %y : tensor<600xf32>
  %4 = math.absf %3 : tensor<600xf32>
  return %1, %2, %4 : tensor<600xf32>, tensor<600xf32>, tensor<600xf32>
}

// -----

// What is inserted whole is not copied there.
// CHECK-LABEL: func @whole
// CHECK:       %[[R:.*]]:2 = amp.launch_kernels @batch_0
// CHECK-DAG:   tensor.expand_shape %[[R]]#0
// CHECK-DAG:   tensor.expand_shape %[[R]]#1
// CHECK-NOT:   tensor.insert_slice
func.func @whole(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %all = tensor.empty() : tensor<1x8xf32>
  %0 = math.absf %x : tensor<8xf32>
  %1 = tensor.insert_slice %0 into %all[0, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<1x8xf32>
  %2 = math.absf %y : tensor<8xf32>
  %3 = tensor.insert_slice %2 into %all[0, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<1x8xf32>
  return %1, %3 : tensor<1x8xf32>, tensor<1x8xf32>
}

// -----

// What is inserted beside something else stays.
// CHECK-LABEL: func @near_whole
// CHECK:       tensor.insert_slice
func.func @near_whole(%x: tensor<8xf32>, %all: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = math.absf %x : tensor<8xf32>
  %1 = tensor.insert_slice %0 into %all[1, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

// -----

// Each needs the one before.
// CHECK-LABEL: func @near_dependent
// CHECK-NOT:   @batch
func.func @near_dependent(%x: tensor<600xf32>) -> tensor<600xf32> {
  %0 = math.absf %x : tensor<600xf32>
  %1 = math.absf %0 : tensor<600xf32>
  return %1 : tensor<600xf32>
}

// -----

// Another count of elements is another kernel.
// CHECK-LABEL: func @near_shapes
// CHECK-NOT:   @batch
func.func @near_shapes(%x: tensor<600xf32>, %y: tensor<601xf32>) -> (tensor<600xf32>, tensor<601xf32>) {
  %0 = math.absf %x : tensor<600xf32>
  %1 = math.absf %y : tensor<601xf32>
  return %0, %1 : tensor<600xf32>, tensor<601xf32>
}

// -----

// What needs one of two and has an effect, which the other is behind.
// CHECK-LABEL: func @near_effect
// CHECK-NOT:   @batch
func.func private @look(tensor<600xf32>)
func.func @near_effect(%x: tensor<600xf32>, %y: tensor<600xf32>) -> tensor<600xf32> {
  %0 = math.absf %x : tensor<600xf32>
  call @look(%0) : (tensor<600xf32>) -> ()
  %1 = math.absf %y : tensor<600xf32>
  return %1 : tensor<600xf32>
}

// -----

// What needs one of two and is large is not moved away from it: 600 elements and 12,000.
// CHECK-LABEL: func @near_large
// CHECK-NOT:   @batch
func.func @near_large(%x: tensor<600xf32>, %y: tensor<600xf32>) -> (tensor<20x600xf32>, tensor<600xf32>) {
  %0 = math.absf %x : tensor<600xf32>
  %e = tensor.empty() : tensor<20x600xf32>
  %1 = linalg.broadcast ins(%0 : tensor<600xf32>) outs(%e : tensor<20x600xf32>) dimensions = [0]
  %2 = math.absf %y : tensor<600xf32>
  return %1, %2 : tensor<20x600xf32>, tensor<600xf32>
}
