// RUN: amp-opt %s --split-input-file --convert-loops-to-kernels=report --verify-diagnostics | FileCheck %s

// A scatter: what is written may be read, a number from outside is memory of one element.
// CHECK-LABEL: func @scatter
// CHECK-SAME:    (%[[AT:.*]]: memref<32xi64>, %[[FROM:.*]]: memref<32xf32>, %[[TO:.*]]: memref<10xf32>, %[[N:.*]]: index)
// CHECK-DAG:   %[[A:.*]] = memref.reinterpret_cast %[[AT]] to offset: [0], sizes: [32], strides: [1]
// CHECK-DAG:   %[[F:.*]] = memref.reinterpret_cast %[[FROM]]
// CHECK-DAG:   %[[WIDE:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK:       memref.store %[[WIDE]], %[[NUMBER:.*]][] : memref<i64>
// CHECK-NEXT:  %[[T:.*]] = memref.reinterpret_cast %[[TO]]
// CHECK:       amp.launch_kernels @loop_0 ins(in0 = %[[A]], in1 = %[[F]], number0 = %[[NUMBER]]) outs(out0 = %[[T]])
// CHECK-NEXT:  memref.dealloc %[[NUMBER]]
// CHECK-NOT:   scf.for
// CHECK:       gpu.module @loop_0
// CHECK:         llvm.func @loop_0
// CHECK-SAME:      block = array<i64: 32, 1, 1>
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               scf.if
// CHECK:                 arith.addf
func.func @scatter(%at: memref<32xi64>, %from: memref<32xf32>, %to: memref<10xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %w = memref.load %at[%i] : memref<32xi64>
    %j = arith.index_cast %w : i64 to index
    %x = memref.load %from[%i] : memref<32xf32>
    %y = memref.load %to[%j] : memref<10xf32>
    %z = arith.addf %y, %x : f32
    memref.store %z, %to[%j] : memref<10xf32>
  }
  return
}

// -----

// What a host has to see stays, and what is in it is looked at.
// CHECK-LABEL: func @inner
// CHECK:       scf.for
// CHECK:         amp.launch_kernels @loop_0
// CHECK:         func.call @report
// CHECK:       amp.launch_kernels @loop_0
func.func private @report()
func.func @inner(%x: memref<4xf32>, %c: i1, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-remark @below {{not a kernel: expected operations on numbers that kernels have code for, but got 'func.call'}}
  scf.for %i = %c0 to %c4 step %c1 {
    scf.if %c {
      memref.store %v, %x[%c0] : memref<4xf32>
    }
    func.call @report() : () -> ()
  }
  scf.if %c {
    memref.store %v, %x[%c0] : memref<4xf32>
  }
  return
}

// -----

// CHECK-LABEL: func @declined
// CHECK:       scf.if
// CHECK:       scf.for
// CHECK-NOT:   amp.launch_kernels
func.func @declined(%x: memref<4xf32>, %d: memref<?xf32>, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{not a kernel: expected a loop or a branch without results, but got some}}
  %r = scf.if %c -> (f32) {
    %v = memref.load %x[%c0] : memref<4xf32>
    scf.yield %v : f32
  } else {
    scf.yield %zero : f32
  }
  // expected-remark @below {{not a kernel: expected a buffer of known extents and strides, but got memref<?xf32>}}
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %zero, %d[%i] : memref<?xf32>
  }
  return %r : f32
}

// -----

// Loops that touch no element are the host's.
// CHECK-LABEL: func @nothing
// CHECK:       scf.for
func.func private @report()
func.func @nothing(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @report() : () -> ()
  }
  return
}

// -----

// A branch that reads or writes what has no elements is never run: the kernel has no operand for it.
// CHECK-LABEL: func @nothing
// CHECK-SAME:    (%[[NONE:.*]]: memref<0x4xf32>, %[[AT:.*]]: memref<4xi1>, %[[TO:.*]]: memref<4xf32>)
// CHECK-DAG:   %[[A:.*]] = memref.reinterpret_cast %[[AT]]
// CHECK-DAG:   %[[T:.*]] = memref.reinterpret_cast %[[TO]]
// CHECK:       amp.launch_kernels @loop_0 ins(in0 = %[[A]]) outs(out0 = %[[T]])
func.func @nothing(%none: memref<0x4xf32>, %at: memref<4xi1>, %to: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %is = memref.load %at[%i] : memref<4xi1>
    %x = memref.load %to[%i] : memref<4xf32>
    scf.if %is {
      %y = memref.load %none[%c0, %i] : memref<0x4xf32>
      memref.store %x, %none[%c0, %i] : memref<0x4xf32>
      memref.store %y, %to[%i] : memref<4xf32>
    }
  }
  return
}
