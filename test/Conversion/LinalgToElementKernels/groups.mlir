// Each form of a loop over tiles, its kernel's arguments, memory and barriers.
// RUN: amp-opt %s --split-input-file --convert-fusion-groups-to-kernels --convert-linalg-to-element-kernels --canonicalize | FileCheck %s

// Sums of rows by lanes that follow one another: a warp for each, and its parts are shuffled.
// All of it knows the sum, and has the elements that it read: they are read once, nothing is
// shared, and nobody waits. 25 lanes have 4 elements each.
// CHECK-LABEL: func @center
// CHECK-SAME:    (%[[X:.*]]: tensor<12x100xf32>)
// CHECK-NEXT:  %[[EMPTY:.*]] = tensor.empty() : tensor<12x100xf32>
// CHECK-NEXT:  %[[R:.*]] = amp.launch_kernels @group_0 ins(in0 = %[[X]]) outs(out0 = %[[EMPTY]])
// CHECK-NEXT:  return %[[R]]
// CHECK:       gpu.module @group_0
// CHECK:         llvm.func @group_0
// CHECK-SAME:      {elements = 1200 : i64, kind = "buffer", name = "in0", type = f32}
// CHECK-SAME:      block = array<i64: 256, 1, 1>, blocks_per_multiprocessor = 8 : i64, {{.*}} grid = array<i64: 2, 1, 1>
// CHECK-SAME:      shared_memory = 0 : i64
// CHECK-NOT:         nvvm.barrier
// CHECK:           scf.for
// CHECK:             %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %c25_i32
// CHECK:             llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT:         llvm.load
// CHECK-COUNT-4:     arith.addf
// CHECK:             arith.select %[[EXISTS]]
// CHECK-COUNT-5:     nvvm.shfl.sync bfly
// CHECK-NOT:         nvvm.shfl
// CHECK-COUNT-4:     arith.subf
// CHECK:             scf.if
// CHECK:               llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT:         nvvm.barrier
// CHECK:             llvm.return
func.func @center(%x: tensor<12x100xf32>) -> tensor<12x100xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 100.0 : f32
  %empty = tensor.empty() : tensor<12x100xf32>
  %0 = scf.forall (%row) = (0) to (12) step (6) shared_outs(%result = %empty) -> (tensor<12x100xf32>) {
    %rows = tensor.extract_slice %x[%row, 0] [6, 100] [1, 1] : tensor<12x100xf32> to tensor<6x100xf32>
    %z_e = tensor.empty() : tensor<6xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%z_e : tensor<6xf32>) {
    ^bb0(%o: f32):
      linalg.yield %zero : f32
    } -> tensor<6xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%rows : tensor<6x100xf32>) outs(%z : tensor<6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %o, %a : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    %part = tensor.empty() : tensor<6x100xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%rows, %sum : tensor<6x100xf32>, tensor<6xf32>) outs(%part : tensor<6x100xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %mean = arith.divf %b, %n : f32
      %d = arith.subf %a, %mean : f32
      linalg.yield %d : f32
    } -> tensor<6x100xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %result[%row, 0] [6, 100] [1, 1] : tensor<6x100xf32> into tensor<12x100xf32>
    }
  }
  return %0 : tensor<12x100xf32>
}

// -----

// Sums of columns: threads that add one stand 4 apart, so that neighbours read neighbours. Those of a
// warp exchange parts, 16, 8 and 4 lanes apart, the four warps meet in shared memory, and four
// lanes for each sum exchange what they read there. A tile begins at a multiple of 6 columns, so that a thread has two.
// CHECK-LABEL: func @columns
// CHECK:       gpu.module @group_0
// CHECK:         shared_memory = 128 : i64
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-COUNT-6: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl
// CHECK:         nvvm.barrier0
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl
// CHECK:         llvm.return
func.func @columns(%x: tensor<33x24xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<24xf32>
  %0 = scf.forall (%column) = (0) to (24) step (6) shared_outs(%result = %empty) -> (tensor<24xf32>) {
    %columns = tensor.extract_slice %x[0, %column] [33, 6] [1, 1] : tensor<33x24xf32> to tensor<33x6xf32>
    %z_e = tensor.empty() : tensor<6xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%z_e : tensor<6xf32>) {
    ^bb0(%o: f32):
      linalg.yield %zero : f32
    } -> tensor<6xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%columns : tensor<33x6xf32>) outs(%z : tensor<6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %result[%column] [6] [1] : tensor<6xf32> into tensor<24xf32>
    }
  }
  return %0 : tensor<24xf32>
}

// -----

// Elements alone: nothing is shared, so that nobody waits.
// CHECK-LABEL: func @elements
// CHECK:       gpu.module @group_0
// CHECK:       shared_memory = 0 : i64
// CHECK-NOT:   nvvm.barrier
// CHECK-NOT:   nvvm.shfl
// CHECK:       llvm.return
func.func @elements(%x: tensor<100xf16>) -> (tensor<100xf32>, tensor<100xf16>) {
  %e0 = tensor.empty() : tensor<100xf32>
  %e1 = tensor.empty() : tensor<100xf16>
  %0:2 = scf.forall (%i) = (0) to (100) step (50) shared_outs(%r0 = %e0, %r1 = %e1) -> (tensor<100xf32>, tensor<100xf16>) {
    %part = tensor.extract_slice %x[%i] [50] [1] : tensor<100xf16> to tensor<50xf16>
    %p0 = tensor.empty() : tensor<50xf32>
    %p1 = tensor.empty() : tensor<50xf16>
    %1:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%part : tensor<50xf16>) outs(%p0, %p1 : tensor<50xf32>, tensor<50xf16>) {
    ^bb0(%a: f16, %o: f32, %p: f16):
      %w = arith.extf %a : f16 to f32
      %m = arith.mulf %w, %w : f32
      %h = arith.addf %a, %a : f16
      linalg.yield %m, %h : f32, f16
    } -> (tensor<50xf32>, tensor<50xf16>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1#0 into %r0[%i] [50] [1] : tensor<50xf32> into tensor<100xf32>
      tensor.parallel_insert_slice %1#1 into %r1[%i] [50] [1] : tensor<50xf16> into tensor<100xf16>
    }
  }
  return %0#0, %0#1 : tensor<100xf32>, tensor<100xf16>
}

// -----

// A sum, a maximum and a count of one pass: a number of 64 bits is not shuffled, and then
// none is; 12 rows are two rounds of 8 teams.
// CHECK-LABEL: func @moments
// CHECK:       gpu.module @group_0
// CHECK:       shared_memory = 4096 : i64
// CHECK-NOT:   nvvm.shfl
// CHECK:       llvm.return
func.func @moments(%x: tensor<12x33xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xi64>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 5 : i64
  %one = arith.constant 1 : i64
  %zero_i64 = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<12xf32>
  %e1 = tensor.empty() : tensor<12xi64>
  %0:3 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%r0 = %e0, %r1 = %e0, %r2 = %e1) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xi64>) {
    %p_e = tensor.empty() : tensor<12xf32>
    %q_e = tensor.empty() : tensor<12xi64>
    %starts:3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%p_e, %p_e, %q_e : tensor<12xf32>, tensor<12xf32>, tensor<12xi64>) {
    ^bb0(%o: f32, %p: f32, %q: i64):
      linalg.yield %zero, %least, %none : f32, f32, i64
    } -> (tensor<12xf32>, tensor<12xf32>, tensor<12xi64>)
    %1:3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<12x33xf32>) outs(%starts#0, %starts#1, %starts#2 : tensor<12xf32>, tensor<12xf32>, tensor<12xi64>) {
    ^bb0(%a: f32, %o: f32, %p: f32, %q: i64):
      %s = arith.addf %o, %a : f32
      %m = arith.maximumf %p, %a : f32
      %is = arith.cmpf ogt, %a, %zero : f32
      %c = arith.select %is, %one, %zero_i64 : i64
      %n = arith.addi %c, %q : i64
      linalg.yield %s, %m, %n : f32, f32, i64
    } -> (tensor<12xf32>, tensor<12xf32>, tensor<12xi64>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1#0 into %r0[0] [12] [1] : tensor<12xf32> into tensor<12xf32>
      tensor.parallel_insert_slice %1#1 into %r1[0] [12] [1] : tensor<12xf32> into tensor<12xf32>
      tensor.parallel_insert_slice %1#2 into %r2[0] [12] [1] : tensor<12xi64> into tensor<12xi64>
    }
  }
  return %0#0, %0#1, %0#2 : tensor<12xf32>, tensor<12xf32>, tensor<12xi64>
}

// -----

// Slices with strides, backwards too, and without dimensions; extents of 1 that come and go;
// a scalar of a tile; and views of a result that leave the loop, at a stride.
// CHECK-LABEL: func @views
// CHECK-NOT:   tensor.{{(extract_slice|expand_shape|collapse_shape)}}
// CHECK:       gpu.module @group_0
func.func @views(%x: tensor<6x2x14xf32>) -> (tensor<3x5xf32>, tensor<3x2x5xf32>, tensor<6xf32>, tensor<3x1x1xf32>) {
  %e0 = tensor.empty() : tensor<3x5xf32>
  %e1 = tensor.empty() : tensor<3x2x5xf32>
  %e2 = tensor.empty() : tensor<6xf32>
  %e3 = tensor.empty() : tensor<3x1x1xf32>
  %two = arith.constant 2 : index
  %0:4 = scf.forall (%i) in (3) shared_outs(%r0 = %e0, %r1 = %e1, %r2 = %e2, %r3 = %e3)
      -> (tensor<3x5xf32>, tensor<3x2x5xf32>, tensor<6xf32>, tensor<3x1x1xf32>) {
    %from = arith.muli %i, %two : index
    %plane = tensor.extract_slice %x[%from, 0, 13] [1, 2, 5] [1, 1, -3] : tensor<6x2x14xf32> to tensor<2x5xf32>
    %flat = tensor.collapse_shape %plane [[0, 1]] : tensor<2x5xf32> into tensor<10xf32>
    %tall = tensor.expand_shape %flat [[0, 1, 2]] output_shape [1, 5, 2] : tensor<10xf32> into tensor<1x5x2xf32>
    %t = tensor.empty() : tensor<1x5x2xf32>
    %double = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%tall : tensor<1x5x2xf32>) outs(%t : tensor<1x5x2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<1x5x2xf32>
    %matrix = tensor.collapse_shape %double [[0, 1], [2]] : tensor<1x5x2xf32> into tensor<5x2xf32>
    %odd = tensor.extract_slice %matrix[0, 1] [5, 1] [1, 1] : tensor<5x2xf32> to tensor<5xf32>
    %some = tensor.extract_slice %double[0, 1, 0] [1, 2, 1] [1, 2, 1] : tensor<1x5x2xf32> to tensor<2xf32>
    %all = tensor.collapse_shape %double [[0, 1, 2]] : tensor<1x5x2xf32> into tensor<10xf32>
    %again = tensor.expand_shape %all [[0, 1]] output_shape [2, 5] : tensor<10xf32> into tensor<2x5xf32>
    %corner = tensor.extract_slice %double[0, 4, 1] [1, 1, 1] [1, 1, 1] : tensor<1x5x2xf32> to tensor<1xf32>
    %scalar = tensor.collapse_shape %corner [] : tensor<1xf32> into tensor<f32>
    %e = tensor.empty() : tensor<f32>
    %square = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%scalar : tensor<f32>) outs(%e : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.mulf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    %ones = tensor.expand_shape %square [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %odd into %r0[%i, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<3x5xf32>
      tensor.parallel_insert_slice %again into %r1[%i, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<3x2x5xf32>
      tensor.parallel_insert_slice %some into %r2[%i] [2] [3] : tensor<2xf32> into tensor<6xf32>
      tensor.parallel_insert_slice %ones into %r3[%i, 0, 0] [1, 1, 1] [1, 1, 1] : tensor<1x1xf32> into tensor<3x1x1xf32>
    }
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<3x5xf32>, tensor<3x2x5xf32>, tensor<6xf32>, tensor<3x1x1xf32>
}

// -----

// A chain of operations of which two hold memory at a time; each reads what other threads
// wrote. Threads wait behind each, also behind the last: the next tile uses the same memory.
// CHECK-LABEL: func @chain
// CHECK:       gpu.module @group_0
// CHECK:       shared_memory = 2080 : i64
// CHECK:       scf.for
// CHECK-COUNT-6: nvvm.barrier
// CHECK-NOT:   nvvm.barrier
// CHECK:       llvm.return
func.func @chain(%x: tensor<20x257xf32>) -> tensor<20x257xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<20x257xf32>
  %0 = scf.forall (%i) in (20) shared_outs(%r = %empty) -> (tensor<20x257xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 257] [1, 1] : tensor<20x257xf32> to tensor<257xf32>
    %e = tensor.empty() : tensor<257xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%row : tensor<257xf32>) outs(%e : tensor<257xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %one : f32
      linalg.yield %s : f32
    } -> tensor<257xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 256)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%1 : tensor<257xf32>) outs(%e : tensor<257xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<257xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 256)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%2 : tensor<257xf32>) outs(%e : tensor<257xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %one : f32
      linalg.yield %s : f32
    } -> tensor<257xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 256)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%3 : tensor<257xf32>) outs(%e : tensor<257xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<257xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 256)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%4 : tensor<257xf32>) outs(%e : tensor<257xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %one : f32
      linalg.yield %s : f32
    } -> tensor<257xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 256)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%5 : tensor<257xf32>) outs(%e : tensor<257xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<257xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %6 into %r[%i, 0] [1, 257] [1, 1] : tensor<257xf32> into tensor<20x257xf32>
    }
  }
  return %0 : tensor<20x257xf32>
}

// -----

// What is read in the tile and leaves it twice, whole and in a transposed place's columns: it is
// written as it is computed, and its memory is free behind the last that reads it.
// CHECK-LABEL: func @written_twice
// CHECK:       gpu.module @group_0
// CHECK:       shared_memory = 800 : i64
func.func @written_twice(%x: tensor<8x100xf32>) -> (tensor<8x100xf32>, tensor<100x16xf32>) {
  %e0 = tensor.empty() : tensor<8x100xf32>
  %e1 = tensor.empty() : tensor<100x16xf32>
  %eight = arith.constant 8 : index
  %0:2 = scf.forall (%i) in (8) shared_outs(%r0 = %e0, %r1 = %e1) -> (tensor<8x100xf32>, tensor<100x16xf32>) {
    %next = arith.addi %i, %eight : index
    %row = tensor.extract_slice %x[%i, 0] [1, 100] [1, 1] : tensor<8x100xf32> to tensor<1x100xf32>
    %e = tensor.empty() : tensor<100xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (0, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%row : tensor<1x100xf32>) outs(%e : tensor<100xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<100xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 99)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%1 : tensor<100xf32>) outs(%e : tensor<100xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.mulf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<100xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 99)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%2 : tensor<100xf32>) outs(%e : tensor<100xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<100xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 99)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%3 : tensor<100xf32>) outs(%e : tensor<100xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<100xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r0[%i, 0] [1, 100] [1, 1] : tensor<100xf32> into tensor<8x100xf32>
      tensor.parallel_insert_slice %1 into %r1[0, %i] [100, 1] [1, 1] : tensor<100xf32> into tensor<100x16xf32>
      tensor.parallel_insert_slice %4 into %r1[0, %next] [100, 1] [1, 1] : tensor<100xf32> into tensor<100x16xf32>
    }
  }
  return %0#0, %0#1 : tensor<8x100xf32>, tensor<100x16xf32>
}

// -----

// Sums that start from a tensor of outside, from a result of the tile, and from a fill that
// is read beside.
// CHECK-LABEL: func @starts
// CHECK:       amp.launch_kernels @group_0 ins(in0 = %{{.*}}, in1 = %{{.*}}) outs(out0 = %{{.*}}, out1 = %{{.*}})
func.func @starts(%x: tensor<6x70xf32>, %start: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %three = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<6xf32>
  %0:3 = scf.forall (%i) = (0) to (6) step (2) shared_outs(%r0 = %empty, %r1 = %empty, %r2 = %empty) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
    %rows = tensor.extract_slice %x[%i, 0] [2, 70] [1, 1] : tensor<6x70xf32> to tensor<2x70xf32>
    %from = tensor.extract_slice %start[%i] [2] [1] : tensor<6xf32> to tensor<2xf32>
    %f_e = tensor.empty() : tensor<2xf32>
    %f = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%f_e : tensor<2xf32>) {
    ^bb0(%o: f32):
      linalg.yield %three : f32
    } -> tensor<2xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%rows : tensor<2x70xf32>) outs(%from : tensor<2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
    } -> tensor<2xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%rows : tensor<2x70xf32>) outs(%1 : tensor<2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
    } -> tensor<2xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%rows : tensor<2x70xf32>) outs(%f : tensor<2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
    } -> tensor<2xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%3, %f : tensor<2xf32>, tensor<2xf32>) outs(%f_e : tensor<2xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.mulf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r0[%i] [2] [1] : tensor<2xf32> into tensor<6xf32>
      tensor.parallel_insert_slice %2 into %r1[%i] [2] [1] : tensor<2xf32> into tensor<6xf32>
      tensor.parallel_insert_slice %4 into %r2[%i] [2] [1] : tensor<2xf32> into tensor<6xf32>
    }
  }
  return %0#0, %0#1, %0#2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// -----

// Tensors read by index, one from outside and one of the tile, which is needed as long as
// somebody reads it so. Indices below and above are those of the last row.
// CHECK-LABEL: func @gather
// CHECK:       gpu.module @group_0
// CHECK:       arith.minui
func.func @gather(%table: tensor<9x5xf32>, %index: tensor<40xi32>) -> tensor<40x5xf32> {
  %empty = tensor.empty() : tensor<40x5xf32>
  %0 = scf.forall (%i) = (0) to (40) step (10) shared_outs(%r = %empty) -> (tensor<40x5xf32>) {
    %rows = tensor.extract_slice %index[%i] [10] [1] : tensor<40xi32> to tensor<10xi32>
    %e = tensor.empty() : tensor<9x5xf32>
    %f = tensor.empty() : tensor<10x5xf32>
    %double = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%table : tensor<9x5xf32>) outs(%e : tensor<9x5xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<9x5xf32>
    %picked = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%rows : tensor<10xi32>) outs(%f : tensor<10x5xf32>) {
    ^bb0(%a: i32, %o: f32):
      %k = arith.index_cast %a : i32 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %table[%k, %j] : tensor<9x5xf32>
      linalg.yield %v : f32
    } -> tensor<10x5xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%picked, %rows : tensor<10x5xf32>, tensor<10xi32>) outs(%f : tensor<10x5xf32>) {
    ^bb0(%a: f32, %b: i32, %o: f32):
      %k = arith.index_cast %b : i32 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %double[%k, %j] : tensor<9x5xf32>
      %s = arith.addf %v, %a : f32
      linalg.yield %s : f32
    } -> tensor<10x5xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%rows, %1 : tensor<10xi32>, tensor<10x5xf32>) outs(%f : tensor<10x5xf32>) {
    ^bb0(%a: i32, %b: f32, %o: f32):
      %k = arith.index_cast %a : i32 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %double[%k, %j] : tensor<9x5xf32>
      %s = arith.addf %v, %b : f32
      linalg.yield %s : f32
    } -> tensor<10x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %2 into %r[%i, 0] [10, 5] [1, 1] : tensor<10x5xf32> into tensor<40x5xf32>
    }
  }
  return %0 : tensor<40x5xf32>
}

// -----

// Bounds from below 0 and not from 0, steps, and more tiles than blocks; the tile's place is
// computed, and read in a body.
// CHECK-LABEL: func @bounds
// CHECK:       gpu.module @group_0
// CHECK:       grid = array<i64: 35, 1, 1>
func.func @bounds(%x: tensor<7x20xi32>) -> tensor<7x20xi32> {
  %three = arith.constant 3 : index
  %eight = arith.constant 8 : index
  %empty = tensor.empty() : tensor<7x20xi32>
  %0 = scf.forall (%i, %j) = (-3, 8) to (4, 28) step (1, 4) shared_outs(%r = %empty) -> (tensor<7x20xi32>) {
    %row = arith.addi %i, %three : index
    %column = arith.subi %j, %eight : index
    %part = tensor.extract_slice %x[%row, %column] [1, 4] [1, 1] : tensor<7x20xi32> to tensor<4xi32>
    %e = tensor.empty() : tensor<4xi32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%part : tensor<4xi32>) outs(%e : tensor<4xi32>) {
    ^bb0(%a: i32, %o: i32):
      %q = arith.divsi %i, %three : index
      %n = arith.index_cast %q : index to i32
      %k = arith.index_cast %j : index to i32
      %p = arith.muli %n, %k : i32
      %s = arith.addi %a, %p : i32
      linalg.yield %s : i32
    } -> tensor<4xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r[%row, %column] [1, 4] [1, 1] : tensor<4xi32> into tensor<7x20xi32>
    }
  }
  return %0 : tensor<7x20xi32>
}

// -----

// All of a tensor in one tile: a sum of one result by all threads, two warps of which exchange
// in shared memory. The factor is a number of outside.
// CHECK-LABEL: func @norm
// CHECK-SAME:    (%[[X:.*]]: tensor<10x100xf32>, %[[FACTOR:.*]]: tensor<f32>)
// CHECK-NOT:   tensor.extract
// CHECK:       amp.launch_kernels @group_0 ins(in0 = %[[X]], number0 = %[[FACTOR]])
// CHECK:       gpu.module @group_0
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK:       nvvm.barrier
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT:   nvvm.barrier
func.func @norm(%x: tensor<10x100xf32>, %factor: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %number = tensor.extract %factor[] : tensor<f32>
  %empty = tensor.empty() : tensor<f32>
  %0 = scf.forall (%i) in (1) shared_outs(%r = %empty) -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %z = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
        outs(%e : tensor<f32>) {
    ^bb0(%o: f32):
      linalg.yield %zero : f32
    } -> tensor<f32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%x : tensor<10x100xf32>) outs(%z : tensor<f32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.mulf %a, %number : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r[] [] [] : tensor<f32> into tensor<f32>
    }
  }
  return %0 : tensor<f32>
}

// -----

// What leaves a loop is a part of a tensor from outside, and a result of an operation outside.
// CHECK-LABEL: func @from_outside
// CHECK-SAME:    (%[[X:.*]]: tensor<4x6xf32>)
// CHECK:       %[[Y:.*]] = amp.launch_kernels @element_0
// CHECK-NOT:   tensor.collapse_shape
// CHECK:       amp.launch_kernels @group_0 ins(in0 = %[[X]], in1 = %[[Y]])
func.func @from_outside(%x: tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<24xf32>) {
  %e0 = tensor.empty() : tensor<4x3xf32>
  %e1 = tensor.empty() : tensor<24xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  %flat = tensor.collapse_shape %y [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %0:2 = scf.forall (%i) in (1) shared_outs(%r0 = %e0, %r1 = %e1) -> (tensor<4x3xf32>, tensor<24xf32>) {
    %half = tensor.extract_slice %x[0, 1] [4, 3] [1, 2] : tensor<4x6xf32> to tensor<4x3xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %half into %r0[0, 0] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x3xf32>
      tensor.parallel_insert_slice %flat into %r1[0] [24] [1] : tensor<24xf32> into tensor<24xf32>
    }
  }
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<24xf32>
}

// -----

// The same, of a result itself.
// CHECK-LABEL: func @result_of_outside
// CHECK:       amp.launch_kernels @element_0
// CHECK:       amp.launch_kernels @group_0
func.func @result_of_outside(%x: tensor<24xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<24xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %r[0] [24] [1] : tensor<24xf32> into tensor<24xf32>
    }
  }
  return %0 : tensor<24xf32>
}

// -----

// Copies of views read what the next tile's threads write: they wait for each other.
// CHECK-LABEL: func @copies
// CHECK:       gpu.module @group_0
// CHECK-COUNT-2: nvvm.barrier
// CHECK-NOT:   nvvm.barrier
// CHECK:       llvm.return
func.func @copies(%x: tensor<20x257xf32>) -> tensor<20x256xf32> {
  %empty = tensor.empty() : tensor<20x256xf32>
  %0 = scf.forall (%i) in (20) shared_outs(%r = %empty) -> (tensor<20x256xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 257] [1, 1] : tensor<20x257xf32> to tensor<257xf32>
    %e = tensor.empty() : tensor<257xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%row : tensor<257xf32>) outs(%e : tensor<257xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<257xf32>
    %rest = tensor.extract_slice %1[1] [256] [1] : tensor<257xf32> to tensor<256xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %rest into %r[%i, 0] [1, 256] [1, 1] : tensor<256xf32> into tensor<20x256xf32>
    }
  }
  return %0 : tensor<20x256xf32>
}

// -----

// Sums whose order matters have one thread each, in order: half precision, and a maximum of
// sums so far.
// CHECK-LABEL: func @in_order
// CHECK:       gpu.module @group_0
// CHECK:       shared_memory = 0 : i64
// CHECK-NOT:   nvvm.shfl
// CHECK:       llvm.return
func.func @in_order(%x: tensor<33x50xf16>, %y: tensor<33x50xbf16>) -> (tensor<33xf16>, tensor<33xbf16>, tensor<33xf16>, tensor<33xf16>) {
  %zero = arith.constant 0.0 : f16
  %zero_b = arith.constant 0.0 : bf16
  %e0 = tensor.empty() : tensor<33xf16>
  %e1 = tensor.empty() : tensor<33xbf16>
  %0:4 = scf.forall (%i) = (0) to (33) step (11) shared_outs(%r0 = %e0, %r1 = %e1, %r2 = %e0, %r3 = %e0)
      -> (tensor<33xf16>, tensor<33xbf16>, tensor<33xf16>, tensor<33xf16>) {
    %rows = tensor.extract_slice %x[%i, 0] [11, 50] [1, 1] : tensor<33x50xf16> to tensor<11x50xf16>
    %wide = tensor.extract_slice %y[%i, 0] [11, 50] [1, 1] : tensor<33x50xbf16> to tensor<11x50xbf16>
    %z_e = tensor.empty() : tensor<11xf16>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%z_e : tensor<11xf16>) {
    ^bb0(%o: f16):
      linalg.yield %zero : f16
    } -> tensor<11xf16>
    %w_e = tensor.empty() : tensor<11xbf16>
    %w = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%w_e : tensor<11xbf16>) {
    ^bb0(%o: bf16):
      linalg.yield %zero_b : bf16
    } -> tensor<11xbf16>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%rows : tensor<11x50xf16>) outs(%z : tensor<11xf16>) {
    ^bb0(%a: f16, %o: f16):
      %s = arith.addf %o, %a : f16
      linalg.yield %s : f16
    } -> tensor<11xf16>
    %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%wide : tensor<11x50xbf16>) outs(%w : tensor<11xbf16>) {
    ^bb0(%a: bf16, %o: bf16):
      %s = arith.addf %o, %a : bf16
      linalg.yield %s : bf16
    } -> tensor<11xbf16>
    %3:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%rows : tensor<11x50xf16>) outs(%z, %z : tensor<11xf16>, tensor<11xf16>) {
    ^bb0(%a: f16, %o: f16, %p: f16):
      %s = arith.addf %o, %a : f16
      %m = arith.maximumf %p, %s : f16
      linalg.yield %s, %m : f16, f16
    } -> (tensor<11xf16>, tensor<11xf16>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r0[%i] [11] [1] : tensor<11xf16> into tensor<33xf16>
      tensor.parallel_insert_slice %2 into %r1[%i] [11] [1] : tensor<11xbf16> into tensor<33xbf16>
      tensor.parallel_insert_slice %3#0 into %r2[%i] [11] [1] : tensor<11xf16> into tensor<33xf16>
      tensor.parallel_insert_slice %3#1 into %r3[%i] [11] [1] : tensor<11xf16> into tensor<33xf16>
    }
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<33xf16>, tensor<33xbf16>, tensor<33xf16>, tensor<33xf16>
}

// -----

// Of integers, a sum so far has one thread too: the second result is no sum of parts.
// CHECK-LABEL: func @so_far
// CHECK:       gpu.module @group_0
// CHECK:       shared_memory = 0 : i64
func.func @so_far(%x: tensor<64xi32>) -> (tensor<i32>, tensor<i32>) {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<i32>
  %0:2 = scf.forall (%i) in (1) shared_outs(%r0 = %empty, %r1 = %empty) -> (tensor<i32>, tensor<i32>) {
    %z = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
        outs(%empty : tensor<i32>) {
    ^bb0(%o: i32):
      linalg.yield %zero : i32
    } -> tensor<i32>
    %1:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%x : tensor<64xi32>) outs(%z, %z : tensor<i32>, tensor<i32>) {
    ^bb0(%a: i32, %o: i32, %p: i32):
      %s = arith.addi %o, %a : i32
      %m = arith.maxsi %p, %s : i32
      linalg.yield %s, %m : i32, i32
    } -> (tensor<i32>, tensor<i32>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1#0 into %r0[] [] [] : tensor<i32> into tensor<i32>
      tensor.parallel_insert_slice %1#1 into %r1[] [] [] : tensor<i32> into tensor<i32>
    }
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}

// -----

// Equal loops share a kernel, others do not.
// CHECK-LABEL: func @equal
// CHECK:       amp.launch_kernels @group_0
// CHECK:       amp.launch_kernels @group_0
// CHECK:       amp.launch_kernels @group_1
// CHECK-COUNT-2: gpu.module
// CHECK-NOT:   gpu.module
func.func @equal(%x: tensor<2x40xf32>) -> tensor<2x40xf32> {
  %empty = tensor.empty() : tensor<2x40xf32>
  %0 = scf.forall (%i) in (2) shared_outs(%r = %empty) -> (tensor<2x40xf32>) {
    %part = tensor.extract_slice %x[%i, 0] [1, 40] [1, 1] : tensor<2x40xf32> to tensor<40xf32>
    %e = tensor.empty() : tensor<40xf32>
    %a1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%part : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    %b1 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 39)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a1 : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.mulf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    %c1 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 39)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%b1, %a1 : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c1 into %r[%i, 0] [1, 40] [1, 1] : tensor<40xf32> into tensor<2x40xf32>
    }
  }
  %1 = scf.forall (%i) in (2) shared_outs(%r = %empty) -> (tensor<2x40xf32>) {
    %part = tensor.extract_slice %0[%i, 0] [1, 40] [1, 1] : tensor<2x40xf32> to tensor<40xf32>
    %e = tensor.empty() : tensor<40xf32>
    %a1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%part : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    %b1 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 39)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a1 : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.mulf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    %c1 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 39)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%b1, %a1 : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c1 into %r[%i, 0] [1, 40] [1, 1] : tensor<40xf32> into tensor<2x40xf32>
    }
  }
  %2 = scf.forall (%i) in (2) shared_outs(%r = %empty) -> (tensor<2x40xf32>) {
    %part = tensor.extract_slice %1[%i, 0] [1, 40] [1, 1] : tensor<2x40xf32> to tensor<40xf32>
    %e = tensor.empty() : tensor<40xf32>
    %a1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%part : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    %b1 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 39)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a1 : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.subf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    %c1 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 39)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%b1, %a1 : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<40xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c1 into %r[%i, 0] [1, 40] [1, 1] : tensor<40xf32> into tensor<2x40xf32>
    }
  }
  return %2 : tensor<2x40xf32>
}

// -----

// A bit is a byte in memory and 32 bits in a shuffle; the result starts from a number that is
// true in a row alone.
// CHECK-LABEL: func @bits
// CHECK:       gpu.module @group_0
// CHECK:       {elements = 4 : i64, kind = "buffer", name = "out0", type = i8}
// CHECK:       nvvm.shfl.sync bfly {{.*}} -> i32
func.func @bits(%x: tensor<4x100xf32>, %start: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %bound = arith.constant 1.9 : f32
  %true = arith.constant true
  %e0 = tensor.empty() : tensor<4xi1>
  %e1 = tensor.empty() : tensor<4xi1>
  %0:2 = scf.forall (%i) = (0) to (4) step (2) shared_outs(%r0 = %e0, %r1 = %e1) -> (tensor<4xi1>, tensor<4xi1>) {
    %rows = tensor.extract_slice %x[%i, 0] [2, 100] [1, 1] : tensor<4x100xf32> to tensor<2x100xf32>
    %from = tensor.extract_slice %start[%i] [2] [1] : tensor<4xi1> to tensor<2xi1>
    %b_e = tensor.empty() : tensor<2x100xi1>
    %large = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%rows : tensor<2x100xf32>) outs(%b_e : tensor<2x100xi1>) {
    ^bb0(%a: f32, %o: i1):
      %s = arith.cmpf ogt, %a, %bound : f32
      linalg.yield %s : i1
    } -> tensor<2x100xi1>
    %any = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%large : tensor<2x100xi1>) outs(%from : tensor<2xi1>) {
    ^bb0(%a: i1, %o: i1):
      %s = arith.ori %o, %a : i1
      linalg.yield %s : i1
    } -> tensor<2xi1>
    %t_e = tensor.empty() : tensor<2xi1>
    %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%t_e : tensor<2xi1>) {
    ^bb0(%o: i1):
      linalg.yield %true : i1
    } -> tensor<2xi1>
    %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%large : tensor<2x100xi1>) outs(%t : tensor<2xi1>) {
    ^bb0(%a: i1, %o: i1):
      %n = arith.xori %a, %true : i1
      %s = arith.andi %n, %o : i1
      linalg.yield %s : i1
    } -> tensor<2xi1>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %any into %r1[%i] [2] [1] : tensor<2xi1> into tensor<4xi1>
      tensor.parallel_insert_slice %all into %r0[%i] [2] [1] : tensor<2xi1> into tensor<4xi1>
    }
  }
  return %0#0, %0#1 : tensor<4xi1>, tensor<4xi1>
}

// -----

// Rows of two warps each: they exchange parts of three sums, in two places in turn, so that one
// barrier is enough for each, and one for the next round or tile. Of 6 rows, 2 are
// the second round. What was read stays in registers, 16 elements a thread.
// CHECK-LABEL: func @three_sums
// CHECK:       gpu.module @group_0
// CHECK:       shared_memory = 64 : i64
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT:   !llvm.ptr<1> ->
// CHECK-COUNT-4: nvvm.barrier
// CHECK-NOT:   nvvm.barrier
// CHECK:       llvm.return
func.func @three_sums(%x: tensor<12x1024xf32>) -> (tensor<12x1024xf32>, tensor<12xf32>) {
  %zero = arith.constant 0.0 : f32
  %part = arith.constant 9.765625e-04 : f32
  %e0 = tensor.empty() : tensor<12x1024xf32>
  %e1 = tensor.empty() : tensor<12xf32>
  %0:2 = scf.forall (%i) = (0) to (12) step (6) shared_outs(%r0 = %e0, %r1 = %e1) -> (tensor<12x1024xf32>, tensor<12xf32>) {
    %rows = tensor.extract_slice %x[%i, 0] [6, 1024] [1, 1] : tensor<12x1024xf32> to tensor<6x1024xf32>
    %z_e = tensor.empty() : tensor<6xf32>
    %e = tensor.empty() : tensor<6x1024xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%z_e : tensor<6xf32>) {
    ^bb0(%o: f32):
      linalg.yield %zero : f32
    } -> tensor<6xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%rows : tensor<6x1024xf32>) outs(%z : tensor<6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %o, %a : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    %mean = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%sum : tensor<6xf32>) outs(%z_e : tensor<6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.mulf %a, %part : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%rows, %mean : tensor<6x1024xf32>, tensor<6xf32>) outs(%e : tensor<6x1024xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.subf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<6x1024xf32>
    %squares = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%d : tensor<6x1024xf32>) outs(%z : tensor<6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %q = arith.mulf %a, %a : f32
      %s = arith.addf %o, %q : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%d, %squares : tensor<6x1024xf32>, tensor<6xf32>) outs(%e : tensor<6x1024xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %q = arith.divf %a, %b : f32
      linalg.yield %q : f32
    } -> tensor<6x1024xf32>
    %sizes = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%y : tensor<6x1024xf32>) outs(%z : tensor<6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %q = math.absf %a : f32
      %s = arith.addf %o, %q : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %r0[%i, 0] [6, 1024] [1, 1] : tensor<6x1024xf32> into tensor<12x1024xf32>
      tensor.parallel_insert_slice %sizes into %r1[%i] [6] [1] : tensor<6xf32> into tensor<12xf32>
    }
  }
  return %0#0, %0#1 : tensor<12x1024xf32>, tensor<12xf32>
}

// -----

// Near miss: a thread reads what another has, so that it goes through shared memory, and the
// place of what is read is known to be odd.
// CHECK-LABEL: func @read_reversed
// CHECK:       gpu.module @group_0
// CHECK:       shared_memory = 2400 : i64
// CHECK-NOT:   vector<{{.*}}ptr<1>
// CHECK-COUNT-2: nvvm.barrier
// CHECK-NOT:   nvvm.barrier
// CHECK:       llvm.return
func.func @read_reversed(%x: tensor<12x101xf32>) -> tensor<12x100xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<12x100xf32>
  %0 = scf.forall (%i) = (0) to (12) step (6) shared_outs(%r0 = %e0) -> (tensor<12x100xf32>) {
    %rows = tensor.extract_slice %x[%i, 1] [6, 100] [1, 1] : tensor<12x101xf32> to tensor<6x100xf32>
    %z_e = tensor.empty() : tensor<6xf32>
    %e = tensor.empty() : tensor<6x100xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%z_e : tensor<6xf32>) {
    ^bb0(%o: f32):
      linalg.yield %zero : f32
    } -> tensor<6xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%rows : tensor<6x100xf32>) outs(%z : tensor<6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %o, %a : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%rows, %sum : tensor<6x100xf32>, tensor<6xf32>) outs(%e : tensor<6x100xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.subf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<6x100xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, -j + 99)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%d, %d : tensor<6x100xf32>, tensor<6x100xf32>) outs(%e : tensor<6x100xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %q = arith.subf %a, %b : f32
      linalg.yield %q : f32
    } -> tensor<6x100xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %r0[%i, 0] [6, 100] [1, 1] : tensor<6x100xf32> into tensor<12x100xf32>
    }
  }
  return %0 : tensor<12x100xf32>
}

// -----

// A product of a matrix and a vector is a sum as any other: of rows that a norm's gain weighs.
// CHECK-LABEL: func @matrix_vector
// CHECK:       gpu.module @group_0
// CHECK-NOT:       nvvm.barrier
// CHECK-COUNT-5:   nvvm.shfl.sync bfly
// CHECK-NOT:       nvvm.shfl
// CHECK:           arith.subf
// CHECK-NOT:       nvvm.barrier
// CHECK:           llvm.return
func.func @matrix_vector(%x: tensor<12x100xf16>, %gain: tensor<100xf32>) -> tensor<12x100xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<12x100xf32>
  %0 = scf.forall (%row) = (0) to (12) step (6) shared_outs(%result = %empty) -> (tensor<12x100xf32>) {
    %rows = tensor.extract_slice %x[%row, 0] [6, 100] [1, 1] : tensor<12x100xf16> to tensor<6x100xf16>
    %z_e = tensor.empty() : tensor<6xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%z_e : tensor<6xf32>) {
    ^bb0(%o: f32):
      linalg.yield %zero : f32
    } -> tensor<6xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%rows, %gain : tensor<6x100xf16>, tensor<100xf32>) outs(%z : tensor<6xf32>) {
    ^bb0(%a: f16, %g: f32, %o: f32):
      %w = arith.extf %a : f16 to f32
      %p = arith.mulf %w, %g : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    %part = tensor.empty() : tensor<6x100xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%rows, %sum : tensor<6x100xf16>, tensor<6xf32>) outs(%part : tensor<6x100xf32>) {
    ^bb0(%a: f16, %b: f32, %o: f32):
      %w = arith.extf %a : f16 to f32
      %d = arith.subf %w, %b : f32
      linalg.yield %d : f32
    } -> tensor<6x100xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %result[%row, 0] [6, 100] [1, 1] : tensor<6x100xf32> into tensor<12x100xf32>
    }
  }
  return %0 : tensor<12x100xf32>
}

// -----

// Rows that are inserted in longer ones (amp-write-through-insertions): four rows a tile, of 515 elements, the
// last of which is one of its own.
// CHECK-LABEL: func @padded_rows
// CHECK:       amp.launch_kernels @group_0
func.func @padded_rows(%x: tensor<2x4x515xf16>) -> tensor<8x520xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x515xf16>
  %0 = scf.forall (%i) in (2) shared_outs(%r = %e) -> (tensor<2x4x515xf16>) {
    %t = tensor.extract_slice %x[%i, 0, 0] [1, 4, 515] [1, 1, 1] : tensor<2x4x515xf16> to tensor<4x515xf16>
    %n = tensor.empty() : tensor<4xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%n : tensor<4xf32>) {
    ^bb0(%o: f32):
      linalg.yield %zero : f32
    } -> tensor<4xf32>
    %most = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%t : tensor<4x515xf16>) outs(%z : tensor<4xf32>) {
    ^bb0(%a: f16, %o: f32):
      %w = arith.extf %a : f16 to f32
      %m = arith.maximumf %o, %w : f32
      linalg.yield %m : f32
    } -> tensor<4xf32>
    %h = tensor.empty() : tensor<4x515xf16>
    %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%t, %most : tensor<4x515xf16>, tensor<4xf32>) outs(%h : tensor<4x515xf16>) {
    ^bb0(%a: f16, %b: f32, %o: f16):
      %w = arith.extf %a : f16 to f32
      %s = arith.subf %w, %b : f32
      %c = arith.truncf %s : f32 to f16
      linalg.yield %c : f16
    } -> tensor<4x515xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %r[%i, 0, 0] [1, 4, 515] [1, 1, 1] : tensor<4x515xf16> into tensor<2x4x515xf16>
    }
  }
  %rows = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x4x515xf16> into tensor<8x515xf16>
  %long = tensor.empty() : tensor<8x520xf16>
  %1 = tensor.insert_slice %rows into %long[0, 0] [8, 515] [1, 1] : tensor<8x515xf16> into tensor<8x520xf16>
  return %1 : tensor<8x520xf16>
}
