// RUN: amp-opt %s --split-input-file --convert-loops-to-kernels --canonicalize | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-loops-to-kernels=most-update-blocks=79 --canonicalize | FileCheck %s --check-prefix=FEW

// Updates of scatters that have blocks of their own. loops-emulator.test runs them, too.

// Rows of a table: a block for each update and a thread for each column. What a block reads of other updates
// is their index, and what it runs is behind a vote.
// CHECK-LABEL: func @rows
// CHECK:       gpu.module @loop_0
// CHECK:       llvm.mlir.global external @loop_memory() {addr_space = 3
// CHECK:       block = array<i64: 32, 1, 1>
// CHECK-SAME:  grid = array<i64: 32, 1, 1>
// CHECK-SAME:  shared_memory = 4
// CHECK-DAG:   %[[NOBODY:.*]] = arith.constant -1 : i32
// CHECK-DAG:   %[[COLUMNS:.*]] = arith.constant 6 : i32
// CHECK-DAG:   %[[ROWS:.*]] = arith.constant 5 : index
// CHECK:       scf.for
// CHECK:         llvm.load
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %[[ROWS]] : index
// CHECK:         %[[OWNER:.*]] = arith.select %[[INSIDE]], %{{.*}}, %[[NOBODY]]
// CHECK:         scf.for
// CHECK:           llvm.load {{.*}} -> i32
// CHECK-NOT:       llvm.load
// CHECK:           %[[OTHER:.*]] = arith.select
// CHECK:           arith.cmpi eq, %[[OTHER]], %[[OWNER]] : i32
// CHECK:           nvvm.vote.sync ballot
// CHECK:         nvvm.barrier0
// CHECK:         nvvm.vote.sync ballot
// CHECK:         scf.if
// CHECK-NEXT:    } else {
// CHECK:           nvvm.vote.sync ballot
// CHECK:           scf.while
// CHECK:             llvm.intr.cttz
// CHECK:             scf.while
// CHECK:               llvm.intr.cttz
// CHECK:               %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %[[COLUMNS]]
// CHECK:               scf.if %[[IS]] {
// CHECK:                 arith.addf
// CHECK:         nvvm.barrier0
// FEW-LABEL:   func @rows
// FEW:         nvvm.vote.sync
func.func @rows(%at: memref<4x8xi32>, %rows: memref<4x8x6xf32>, %table: memref<5x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      scf.for %k = %c0 to %c6 step %c1 {
        %w = memref.load %at[%i, %j] : memref<4x8xi32>
        %r = arith.index_cast %w : i32 to index
        %inside = arith.cmpi ult, %r, %c5 : index
        %x = memref.load %rows[%i, %j, %k] : memref<4x8x6xf32>
        scf.if %inside {
          %y = memref.load %table[%r, %k] : memref<5x6xf32>
          %z = arith.addf %y, %x : f32
          memref.store %z, %table[%r, %k] : memref<5x6xf32>
        }
      }
    }
  }
  return
}

// -----

// More columns than a block has threads: two blocks for each of 40 updates, which are one too many for FEW.
// Sums are rounded as the loop rounds them.
// CHECK-LABEL: func @wide_rows
// CHECK:       block = array<i64: 256, 1, 1>
// CHECK-SAME:  grid = array<i64: 80, 1, 1>
// CHECK-SAME:  shared_memory = 8
// CHECK:       nvvm.vote.sync
// FEW-LABEL:   func @wide_rows
// FEW-NOT:     nvvm.vote.sync
func.func @wide_rows(%at: memref<40xi64>, %rows: memref<40x300xf16>, %table: memref<45x300xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %c300 = arith.constant 300 : index
  scf.for %i = %c0 to %c40 step %c1 {
    scf.for %k = %c0 to %c300 step %c1 {
      %w = memref.load %at[%i] : memref<40xi64>
      %r = arith.index_cast %w : i64 to index
      %x = memref.load %rows[%i, %k] : memref<40x300xf16>
      %wide = arith.extf %x : f16 to f32
      %y = memref.load %table[%r, %k] : memref<45x300xf32>
      %half = arith.truncf %y : f32 to f16
      %back = arith.extf %half : f16 to f32
      %z = arith.addf %back, %wide : f32
      memref.store %z, %table[%r, %k] : memref<45x300xf32>
    }
  }
  return
}

// -----

// Words of more than one vote, the last of which is not full; few columns still have a block of threads, which look.
// CHECK-LABEL: func @many
// CHECK:       block = array<i64: 256, 1, 1>
// CHECK-SAME:  grid = array<i64: 1100, 1, 1>
// CHECK-SAME:  shared_memory = 140
func.func @many(%at: memref<1100xi32>, %rows: memref<1100x2xf32>, %table: memref<1200x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c1100 = arith.constant 1100 : index
  scf.for %i = %c0 to %c1100 step %c1 {
    scf.for %k = %c0 to %c2 step %c1 {
      %w = memref.load %at[%i] : memref<1100xi32>
      %r = arith.index_cast %w : i32 to index
      %x = memref.load %rows[%i, %k] : memref<1100x2xf32>
      %y = memref.load %table[%r, %k] : memref<1200x2xf32>
      %z = arith.addf %y, %x : f32
      memref.store %z, %table[%r, %k] : memref<1200x2xf32>
    }
  }
  return
}

// -----

// Two indices are one place.
// CHECK-LABEL: func @places
// CHECK:       nvvm.vote.sync
// FEW-LABEL:   func @places
// FEW:         nvvm.vote.sync
func.func @places(%at: memref<50x2xi32>, %from: memref<50xf32>, %to: memref<4x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  scf.for %i = %c0 to %c50 step %c1 {
    %v = memref.load %at[%i, %c0] : memref<50x2xi32>
    %w = memref.load %at[%i, %c1] : memref<50x2xi32>
    %r = arith.index_cast %v : i32 to index
    %s = arith.index_cast %w : i32 to index
    %x = memref.load %from[%i] : memref<50xf32>
    %y = memref.load %to[%r, %s] : memref<4x3xf32>
    %z = arith.addf %y, %x : f32
    memref.store %z, %to[%r, %s] : memref<4x3xf32>
  }
  return
}

// -----

// A column outside of the updates, and one element for them all.
// CHECK-LABEL: func @one_element
// CHECK:       grid = array<i64: 3, 1, 1>
// CHECK:       nvvm.vote.sync
func.func @one_element(%at: memref<3xi32>, %from: memref<2x3xf32>, %to: memref<2x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %k = %c0 to %c2 step %c1 {
    scf.for %i = %c0 to %c3 step %c1 {
      %w = memref.load %at[%i] : memref<3xi32>
      %r = arith.index_cast %w : i32 to index
      %x = memref.load %from[%k, %i] : memref<2x3xf32>
      %y = memref.load %to[%k, %r] : memref<2x1xf32>
      %z = arith.addf %y, %x : f32
      memref.store %z, %to[%k, %r] : memref<2x1xf32>
    }
  }
  return
}

// -----

// What an update reads beside its index may come of a branch, and the last of several writers stays.
// CHECK-LABEL: func @last_writer
// CHECK:       nvvm.vote.sync
func.func @last_writer(%at: memref<33xi32>, %from: memref<33xf32>, %to: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0 : i32
  scf.for %i = %c0 to %c33 step %c1 {
    %w = memref.load %at[%i] : memref<33xi32>
    %is = arith.cmpi sge, %w, %low : i32
    %r = scf.if %is -> (index) {
      %inside = arith.index_cast %w : i32 to index
      scf.yield %inside : index
    } else {
      scf.yield %c1 : index
    }
    %x = memref.load %from[%i] : memref<33xf32>
    memref.store %x, %to[%r] : memref<7xf32>
  }
  return
}

// -----

// An index for each column: no block has one owner.
// CHECK-LABEL: func @index_of_column
// CHECK:       arith.remui
// CHECK-NOT:   nvvm.vote.sync
func.func @index_of_column(%at: memref<16x3xi32>, %from: memref<16x3xf32>, %to: memref<9x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %k = %c0 to %c3 step %c1 {
      %w = memref.load %at[%i, %k] : memref<16x3xi32>
      %r = arith.index_cast %w : i32 to index
      %x = memref.load %from[%i, %k] : memref<16x3xf32>
      %y = memref.load %to[%r, %k] : memref<9x3xf32>
      %z = arith.addf %y, %x : f32
      memref.store %z, %to[%r, %k] : memref<9x3xf32>
    }
  }
  return
}

// -----

// Updates that are there on a condition.
// CHECK-LABEL: func @guarded
// CHECK:       arith.remui
// CHECK-NOT:   nvvm.vote.sync
func.func @guarded(%at: memref<16xi32>, %from: memref<16xf32>, %to: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c16 step %c1 {
    %x = memref.load %from[%i] : memref<16xf32>
    %is = arith.cmpf ogt, %x, %zero : f32
    scf.if %is {
      %w = memref.load %at[%i] : memref<16xi32>
      %r = arith.index_cast %w : i32 to index
      %y = memref.load %to[%r] : memref<9xf32>
      %z = arith.addf %y, %x : f32
      memref.store %z, %to[%r] : memref<9xf32>
    }
  }
  return
}

// -----

// As many updates as a number says.
// CHECK-LABEL: func @counted
// CHECK:       arith.remui
// CHECK-NOT:   nvvm.vote.sync
func.func @counted(%at: memref<16xi32>, %from: memref<16xf32>, %to: memref<9xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %w = memref.load %at[%i] : memref<16xi32>
    %r = arith.index_cast %w : i32 to index
    %x = memref.load %from[%i] : memref<16xf32>
    %y = memref.load %to[%r] : memref<9xf32>
    %z = arith.addf %y, %x : f32
    memref.store %z, %to[%r] : memref<9xf32>
  }
  return
}

// -----

// A value that goes on from one update to the next, the index of which does not depend on it.
// CHECK-LABEL: func @numbered
// CHECK:       arith.remui
// CHECK-NOT:   nvvm.vote.sync
func.func @numbered(%at: memref<16xi32>, %to: memref<9xi32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1 : i32
  scf.for %k = %c0 to %c1 step %c1 {
    %count = scf.for %i = %c0 to %c16 step %c1 iter_args(%n = %one) -> (i32) {
      %w = memref.load %at[%i] : memref<16xi32>
      %r = arith.index_cast %w : i32 to index
      memref.store %n, %to[%r] : memref<9xi32>
      %m = arith.addi %n, %one : i32
      scf.yield %m : i32
    }
  }
  return
}

// -----

// Updates that are counted in i32.
// CHECK-LABEL: func @counted
// CHECK:       llvm.func @loop_0
// CHECK:       nvvm.vote.sync
func.func @counted(%at: memref<40xi64>, %values: memref<40xf32>, %to: memref<9xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c40 = arith.constant 40 : i32
  scf.for %k = %c0 to %c40 step %c1 : i32 {
    %i = arith.index_cast %k : i32 to index
    %w = memref.load %at[%i] : memref<40xi64>
    %r = arith.index_cast %w : i64 to index
    %x = memref.load %values[%i] : memref<40xf32>
    %y = memref.load %to[%r] : memref<9xf32>
    %z = arith.addf %y, %x : f32
    memref.store %z, %to[%r] : memref<9xf32>
  }
  return
}
