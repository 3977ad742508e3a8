// RUN: amp-opt %s --split-input-file --convert-loops-to-kernels=most-update-blocks=0 --canonicalize | FileCheck %s
// RUN: amp-opt %s --split-input-file --convert-loops-to-kernels --canonicalize | FileCheck %s --check-prefix=UPDATES

// Loops that threads share, without blocks of updates (loops-updates.mlir) and with them where they are proved.
// loops-emulator.test runs them, too, both ways.

// Rows of a table, as JAX writes the gradient of an embedding: a thread for each column and part of
// the table. The check of the index is the program's.
// CHECK-LABEL: func @embedding
// CHECK:       amp.launch_kernels @loop_0
// CHECK:       gpu.module @loop_0
// CHECK:       block = array<i64: 32, 1, 1>
// CHECK-SAME:  grid = array<i64: 1, 1, 1>
// Five rows are five parts, of six columns.
// CHECK-DAG:   %[[ITEMS:.*]] = arith.constant 30 : i32
// CHECK-DAG:   %[[COLUMNS:.*]] = arith.constant 6 : i32
// CHECK-DAG:   %[[ROWS:.*]] = arith.constant 5 : index
// CHECK-DAG:   %[[PARTS:.*]] = arith.constant 5 : i32
// CHECK:       scf.for %[[ITEM:.*]] = %{{.*}} to %[[ITEMS]] step
// CHECK:         %[[COLUMN:.*]] = arith.remui %[[ITEM]], %[[COLUMNS]] : i32
// CHECK:         %[[PART:.*]] = arith.divui %[[ITEM]], %[[COLUMNS]] : i32
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:         scf.for
// CHECK:             arith.cmpi ult, %{{.*}}, %[[ROWS]] : index
// CHECK:             %[[OWNER:.*]] = arith.remui %{{.*}}, %[[PARTS]] : i32
// CHECK:             %[[OWN:.*]] = arith.cmpi eq, %[[OWNER]], %[[PART]] : i32
// CHECK:             arith.andi %{{.*}}, %[[OWN]] : i1
// CHECK:             scf.if
// CHECK:               arith.addf
// CHECK:               llvm.store
// UPDATES-LABEL: func @embedding
// UPDATES:     nvvm.vote.sync
func.func @embedding(%at: memref<4x8xi32>, %rows: memref<4x8x6xf32>, %table: memref<5x6xf32>) {
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

// An index that nobody checks, into one dimension: what is outside is left out. 32 is the most parts.
// CHECK-LABEL: func @histogram
// CHECK-DAG:   %[[PARTS:.*]] = arith.constant 32 : i32
// CHECK-DAG:   %[[PLACES:.*]] = arith.constant 40 : index
// CHECK:       arith.cmpi ult, %{{.*}}, %[[PLACES]] : index
// CHECK:       arith.remui %{{.*}}, %[[PARTS]] : i32
// UPDATES-LABEL: func @histogram
// UPDATES:     nvvm.vote.sync
func.func @histogram(%at: memref<64xi64>, %from: memref<64xf16>, %to: memref<40xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %w = memref.load %at[%i] : memref<64xi64>
    %j = arith.index_cast %w : i64 to index
    %x = memref.load %from[%i] : memref<64xf16>
    %y = memref.load %to[%j] : memref<40xf16>
    %z = arith.addf %y, %x : f16
    memref.store %z, %to[%j] : memref<40xf16>
  }
  return
}

// -----

// An index that is clamped; the last of several writers stays.
// CHECK-LABEL: func @clamped_set
// CHECK:       arith.remui
// CHECK:       arith.cmpi eq
// UPDATES-LABEL: func @clamped_set
// UPDATES:     nvvm.vote.sync
func.func @clamped_set(%at: memref<32xi32>, %from: memref<32x3xf32>, %to: memref<9x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %low = arith.constant 0 : i32
  %high = arith.constant 8 : i32
  scf.for %i = %c0 to %c32 step %c1 {
    %w = memref.load %at[%i] : memref<32xi32>
    %v = arith.maxsi %w, %low : i32
    %u = arith.minsi %v, %high : i32
    %r = arith.index_cast %u : i32 to index
    scf.for %k = %c0 to %c3 step %c1 {
      %x = memref.load %from[%i, %k] : memref<32x3xf32>
      memref.store %x, %to[%r, %k] : memref<9x3xf32>
    }
  }
  return
}

// -----

// What is done with an element may depend on the element.
// CHECK-LABEL: func @largest
// CHECK:       arith.remui
// CHECK:       scf.if
// CHECK:         arith.cmpf ogt
// CHECK:         scf.if
// UPDATES-LABEL: func @largest
// UPDATES:     nvvm.vote.sync
func.func @largest(%at: memref<32xi32>, %from: memref<32xf32>, %to: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %w = memref.load %at[%i] : memref<32xi32>
    %r = arith.index_cast %w : i32 to index
    %x = memref.load %from[%i] : memref<32xf32>
    %y = memref.load %to[%r] : memref<7xf32>
    %is = arith.cmpf ogt, %x, %y : f32
    scf.if %is {
      memref.store %x, %to[%r] : memref<7xf32>
    }
  }
  return
}

// -----

// A loop of an owner's: each thread runs it for its own rows.
// CHECK-LABEL: func @row_sums
// CHECK:       arith.remui
// CHECK:         arith.cmpi eq
// CHECK:         scf.if
// CHECK:           scf.for
// UPDATES-LABEL: func @row_sums
// UPDATES:     nvvm.vote.sync
func.func @row_sums(%at: memref<16xi32>, %from: memref<16x5xf32>, %to: memref<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %w = memref.load %at[%i] : memref<16xi32>
    %r = arith.index_cast %w : i32 to index
    scf.for %k = %c0 to %c5 step %c1 {
      %x = memref.load %from[%i, %k] : memref<16x5xf32>
      %y = memref.load %to[%r] : memref<3xf32>
      %z = arith.addf %y, %x : f32
      memref.store %z, %to[%r] : memref<3xf32>
    }
  }
  return
}

// -----

// Sums and counts with the same index, one part for each.
// CHECK-LABEL: func @sums_and_counts
// CHECK:       arith.remui
// UPDATES-LABEL: func @sums_and_counts
// UPDATES:     nvvm.vote.sync
func.func @sums_and_counts(%at: memref<32xi32>, %from: memref<32xf32>, %sums: memref<7xf32>, %counts: memref<7xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %c32 step %c1 {
    %w = memref.load %at[%i] : memref<32xi32>
    %r = arith.index_cast %w : i32 to index
    %x = memref.load %from[%i] : memref<32xf32>
    %y = memref.load %sums[%r] : memref<7xf32>
    %z = arith.addf %y, %x : f32
    memref.store %z, %sums[%r] : memref<7xf32>
    %n = memref.load %counts[%r] : memref<7xi32>
    %m = arith.addi %n, %one : i32
    memref.store %m, %counts[%r] : memref<7xi32>
  }
  return
}

// -----

// A gather: each element once. Places of an index that is scaled and shifted are different, too.
// CHECK-LABEL: func @gather
// CHECK:       %[[ITEMS:.*]] = arith.constant 12 : i32
// CHECK:       scf.for %{{.*}} to %[[ITEMS]] step
// CHECK-NOT:   scf.for
// CHECK:       llvm.return
// UPDATES-LABEL: func @gather
// UPDATES-NOT: nvvm.vote.sync
func.func @gather(%at: memref<8xi32>, %table: memref<5x3xf32>, %to: memref<10x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c1 to %c8 step %c2 {
    scf.for %k = %c0 to %c3 step %c1 {
      %w = memref.load %at[%i] : memref<8xi32>
      %r = arith.index_cast %w : i32 to index
      %x = memref.load %table[%r, %k] : memref<5x3xf32>
      %j = arith.addi %i, %c2 : index
      memref.store %x, %to[%j, %k] : memref<10x3xf32>
    }
  }
  return
}

// -----

// Threads of columns carry along what is theirs: running sums.
// CHECK-LABEL: func @running_sums
// CHECK:       %[[ITEMS:.*]] = arith.constant 6 : i32
// CHECK:       scf.for {{.*}} to %[[ITEMS]] step
// CHECK:         scf.for {{.*}}iter_args
// UPDATES-LABEL: func @running_sums
// UPDATES-NOT: nvvm.vote.sync
func.func @running_sums(%x: memref<9x6xf32>, %to: memref<9x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0.0 : f32
  scf.for %k = %c0 to %c6 step %c1 {
    %sum = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%i, %k] : memref<9x6xf32>
      %t = arith.addf %s, %v : f32
      memref.store %t, %to[%i, %k] : memref<9x6xf32>
      scf.yield %t : f32
    }
  }
  return
}

// -----

// One row, one update: nothing to share, and the index is still looked at.
// CHECK-LABEL: func @one
// CHECK-NOT:   ctaid
// CHECK:       scf.if
// CHECK:         arith.cmpi ult
// CHECK:         scf.if
// UPDATES-LABEL: func @one
// UPDATES-NOT: nvvm.vote.sync
func.func @one(%at: memref<1xi32>, %from: memref<1xf32>, %to: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %w = memref.load %at[%i] : memref<1xi32>
    %r = arith.index_cast %w : i32 to index
    %x = memref.load %from[%i] : memref<1xf32>
    %y = memref.load %to[%r] : memref<1xf32>
    %z = arith.addf %y, %x : f32
    memref.store %z, %to[%r] : memref<1xf32>
  }
  return
}

// -----

// No update at all.
// CHECK-LABEL: func @none
// UPDATES-LABEL: func @none
// UPDATES-NOT: nvvm.vote.sync
func.func @none(%at: memref<4xi32>, %to: memref<3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c0 step %c1 {
    %w = memref.load %at[%i] : memref<4xi32>
    %r = arith.index_cast %w : i32 to index
    memref.store %w, %to[%r] : memref<3xi32>
  }
  return
}

// -----

// Parts of an arena that do not meet are apart.
// CHECK-LABEL: func @arena
// CHECK:       ctaid
// UPDATES-LABEL: func @arena
// UPDATES-NOT: nvvm.vote.sync
func.func @arena() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %memory = memref.alloc() : memref<128xi8>
  %x = memref.view %memory[%c0][] : memref<128xi8> to memref<16xf32>
  %y = memref.view %memory[%c64][] : memref<128xi8> to memref<16xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    %v = memref.load %x[%i] : memref<16xf32>
    memref.store %v, %y[%i] : memref<16xf32>
  }
  return
}

// -----

// Those that do are not: one thread, as in all that follow.
// CHECK-LABEL: func @arena_meets
// CHECK:       amp.launch_kernels
// CHECK-NOT:   ctaid
// UPDATES-LABEL: func @arena_meets
// UPDATES-NOT: nvvm.vote.sync
func.func @arena_meets() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c60 = arith.constant 60 : index
  %memory = memref.alloc() : memref<128xi8>
  %x = memref.view %memory[%c0][] : memref<128xi8> to memref<16xf32>
  %y = memref.view %memory[%c60][] : memref<128xi8> to memref<16xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    %v = memref.load %x[%i] : memref<16xf32>
    memref.store %v, %y[%i] : memref<16xf32>
  }
  return
}

// -----

// The same buffer by another view.
// CHECK-LABEL: func @views
// CHECK:       amp.launch_kernels
// CHECK-NOT:   ctaid
// UPDATES-LABEL: func @views
// UPDATES-NOT: nvvm.vote.sync
func.func @views(%x: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %flat = memref.collapse_shape %x [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %flat[%i] : memref<16xf32>
    memref.store %v, %x[%i, %c1] : memref<4x4xf32>
  }
  return
}

// -----

// An iteration reads what the one before wrote.
// CHECK-LABEL: func @prefix_sums
// CHECK:       amp.launch_kernels
// CHECK-NOT:   ctaid
// UPDATES-LABEL: func @prefix_sums
// UPDATES-NOT: nvvm.vote.sync
func.func @prefix_sums(%x: memref<16xf32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c1 to %c16 step %c1 {
    %j = arith.subi %i, %c1 : index
    %v = memref.load %x[%j] : memref<16xf32>
    %w = memref.load %x[%i] : memref<16xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %x[%i] : memref<16xf32>
  }
  return
}

// -----

// Different iterations of both loops have the same sum.
// CHECK-LABEL: func @diagonals
// CHECK:       amp.launch_kernels
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             arith.remui
// UPDATES-LABEL: func @diagonals
// UPDATES:     nvvm.vote.sync
func.func @diagonals(%x: memref<4x4xf32>, %to: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %k = arith.addi %i, %j : index
      %v = memref.load %x[%i, %j] : memref<4x4xf32>
      %w = memref.load %to[%k] : memref<7xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %to[%k] : memref<7xf32>
    }
  }
  return
}

// -----

// Moved from one element to another: two owners.
// CHECK-LABEL: func @moved
// CHECK:       amp.launch_kernels
// CHECK-NOT:   ctaid
// UPDATES-LABEL: func @moved
// UPDATES-NOT: nvvm.vote.sync
func.func @moved(%at: memref<16xi32>, %x: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %w = memref.load %at[%i] : memref<16xi32>
    %r = arith.index_cast %w : i32 to index
    %v = memref.load %x[%i] : memref<9xf32>
    memref.store %v, %x[%r] : memref<9xf32>
  }
  return
}

// -----

// What is read of the target goes on to the next iteration.
// CHECK-LABEL: func @carried
// CHECK:       amp.launch_kernels
// CHECK-NOT:   ctaid
// UPDATES-LABEL: func @carried
// UPDATES-NOT: nvvm.vote.sync
func.func @carried(%at: memref<16xi32>, %x: memref<9xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.if %c {
    %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %zero) -> (f32) {
      %w = memref.load %at[%i] : memref<16xi32>
      %r = arith.index_cast %w : i32 to index
      %v = memref.load %x[%r] : memref<9xf32>
      memref.store %s, %x[%r] : memref<9xf32>
      scf.yield %v : f32
    }
  }
  return
}

// -----

// The place depends on what was written before.
// CHECK-LABEL: func @chain
// CHECK:       amp.launch_kernels
// CHECK-NOT:   ctaid
// UPDATES-LABEL: func @chain
// UPDATES-NOT: nvvm.vote.sync
func.func @chain(%x: memref<9xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %c8 step %c1 {
    %w = memref.load %x[%i] : memref<9xi32>
    %r = arith.index_cast %w : i32 to index
    memref.store %one, %x[%r] : memref<9xi32>
  }
  return
}

// -----

// Two targets with indices of their own.
// CHECK-LABEL: func @two_indices
// CHECK:       amp.launch_kernels
// CHECK-NOT:   ctaid
// UPDATES-LABEL: func @two_indices
// UPDATES-NOT: nvvm.vote.sync
func.func @two_indices(%at: memref<16x2xi32>, %from: memref<16xf32>, %a: memref<9xf32>, %b: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %v = memref.load %at[%i, %c0] : memref<16x2xi32>
    %w = memref.load %at[%i, %c1] : memref<16x2xi32>
    %r = arith.index_cast %v : i32 to index
    %s = arith.index_cast %w : i32 to index
    %x = memref.load %from[%i] : memref<16xf32>
    memref.store %x, %a[%r] : memref<9xf32>
    memref.store %x, %b[%s] : memref<9xf32>
  }
  return
}
