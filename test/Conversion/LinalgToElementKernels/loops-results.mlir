// RUN: amp-opt %s --split-input-file --amp-store-loop-results --convert-loops-to-kernels --canonicalize | FileCheck %s

// Loops that give numbers are kernels, whose one thread stores them. loops-emulator.test runs them, too.

// A running sum, and its last value, of which something is computed before it is stored.
// CHECK-LABEL: func @total
// CHECK-NOT:   scf.for
// CHECK:       amp.launch_kernels @loop_0
// CHECK-NOT:   memref.load
// CHECK:       return
func.func @total(%x: memref<33xf32>, %to: memref<33xf32>, %last: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %sum = scf.for %i = %c0 to %c33 step %c1 iter_args(%s = %zero) -> f32 {
    %v = memref.load %x[%i] : memref<33xf32>
    %t = arith.addf %s, %v : f32
    memref.store %t, %to[%i] : memref<33xf32>
    scf.yield %t : f32
  }
  %twice = arith.mulf %sum, %two : f32
  memref.store %twice, %last[%c0] : memref<1xf32>
  return
}

// -----

// The first number above 1, and where it is, by a loop without known end.
// CHECK-LABEL: func @search
// CHECK-NOT:   scf.while
// CHECK:       amp.launch_kernels @loop_0
// CHECK-NOT:   memref.load
// CHECK:       return
func.func @search(%x: memref<40xf32>, %at: memref<1xi64>, %found: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.while (%i = %c0) : (index) -> (index, f32) {
    %inside = arith.cmpi ult, %i, %c40 : index
    %v = scf.if %inside -> f32 {
      %w = memref.load %x[%i] : memref<40xf32>
      scf.yield %w : f32
    } else {
      scf.yield %zero : f32
    }
    %small = arith.cmpf ole, %v, %one : f32
    %more = arith.andi %inside, %small : i1
    scf.condition(%more) %i, %v : index, f32
  } do {
  ^bb0(%i: index, %v: f32):
    %n = arith.addi %i, %c1 : index
    scf.yield %n : index
  }
  %n = arith.index_cast %r#0 : index to i64
  memref.store %n, %at[%c0] : memref<1xi64>
  memref.store %r#1, %found[%c0] : memref<1xf32>
  return
}
