// RUN: amp-opt %s --split-input-file --amp-store-loop-results | FileCheck %s

// What is stored behind the loop is stored in the kernel to be; what is needed further behind is loaded, once, also an
// index. The product is needed in both places.
// CHECK-LABEL: func @sum(
// CHECK-SAME:    %[[X:.*]]: memref<8xf32>, %[[TO:.*]]: memref<f32>)
// CHECK-DAG:   %[[M:.*]] = memref.alloc() : memref<f32>
// CHECK-DAG:   %[[N:.*]] = memref.alloc() : memref<i64>
// CHECK:       scf.for
// CHECK:         %[[R:.*]]:2 = scf.for
// CHECK:           memref.load %[[X]]
// CHECK:         }
// CHECK:         %[[TWICE:.*]] = arith.addf %[[R]]#0, %[[R]]#0
// CHECK:         memref.store %[[TWICE]], %[[TO]][]
// CHECK-DAG:     memref.store %[[R]]#0, %[[M]][]
// CHECK-DAG:     %[[WIDE:.*]] = arith.index_cast %[[R]]#1 : index to i64
// CHECK-DAG:     memref.store %[[WIDE]], %[[N]][]
// CHECK:       }
// CHECK-NEXT:  %[[W:.*]] = memref.load %[[N]][]
// CHECK-NEXT:  %[[COUNT:.*]] = arith.index_cast %[[W]] : i64 to index
// CHECK-NEXT:  %[[V:.*]] = memref.load %[[M]][]
// CHECK-NEXT:  %[[AGAIN:.*]] = arith.addf %[[V]], %[[V]]
// CHECK-DAG:   memref.dealloc %[[N]]
// CHECK-DAG:   memref.dealloc %[[M]]
// CHECK:       return %[[AGAIN]], %[[COUNT]]
func.func @sum(%x: memref<8xf32>, %to: memref<f32>) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %sum, %count = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero, %n = %c0) -> (f32, index) {
    %v = memref.load %x[%i] : memref<8xf32>
    %t = arith.addf %s, %v : f32
    %m = arith.addi %n, %c1 : index
    scf.yield %t, %m : f32, index
  }
  %twice = arith.addf %sum, %sum : f32
  memref.store %twice, %to[] : memref<f32>
  return %twice, %count : f32, index
}

// -----

// The memory of what is stored behind the loop, too, comes from in front of it. A store to what is allocated by a number of
// the loop is no part (the near miss).
// CHECK-LABEL: func @memory_behind(
// CHECK:       %[[M:.*]] = memref.alloc() : memref<f32>
// CHECK:       scf.for
// CHECK:         %[[R:.*]]:2 = scf.for
// CHECK:         memref.store %[[R]]#0, %[[M]][]
// CHECK:       }
// CHECK:       %[[N:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK:       memref.store %{{.*}}, %[[N]][%{{.*}}]
func.func @memory_behind(%x: memref<8xf32>, %zero: f32) -> (memref<f32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum, %count = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero, %n = %c0) -> (f32, index) {
    %v = memref.load %x[%i] : memref<8xf32>
    %t = arith.addf %s, %v : f32
    %m = arith.addi %n, %c1 : index
    scf.yield %t, %m : f32, index
  }
  %one = memref.alloc() : memref<f32>
  memref.store %sum, %one[] : memref<f32>
  %many = memref.alloc(%count) : memref<?xf32>
  memref.store %sum, %many[%c0] : memref<?xf32>
  return %one, %many : memref<f32>, memref<?xf32>
}

// -----

// Near misses: a branch, a loop that launches, one that gives a buffer, one on numbers alone, an f128, and one
// without results.
// CHECK-LABEL: func @others(
// CHECK-NOT:   memref.alloc
// CHECK:       return
func.func @others(%x: memref<8xf32>, %y: memref<8xf32>, %wide: memref<8xf128>, %c: i1, %n: index) -> (f32, f32, f128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f128
  %a = scf.if %c -> f32 {
    %v = memref.load %x[%c0] : memref<8xf32>
    scf.yield %v : f32
  } else {
    scf.yield %zero : f32
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    func.call @other() : () -> ()
    %v = memref.load %x[%i] : memref<8xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> memref<8xf32> {
    %v = memref.load %s[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
    scf.yield %y : memref<8xf32>
  }
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  }
  %f = scf.for %i = %c0 to %n step %c1 iter_args(%s = %none) -> f128 {
    %v = memref.load %wide[%i] : memref<8xf128>
    %t = arith.addf %s, %v : f128
    scf.yield %t : f128
  }
  scf.for %i = %c0 to %n step %c1 {
    memref.store %b, %d[%i] : memref<8xf32>
  }
  return %b, %e, %f : f32, f32, f128
}
func.func private @other()

// -----

// A loop in a loop goes with the outer one, which gives nothing; of two, the outer one that does is wrapped alone. A store
// behind a call stays there.
// CHECK-LABEL: func @nested(
// CHECK:       scf.for
// CHECK-NEXT:    scf.for
// CHECK-NOT:   memref.alloc
// CHECK:       memref.alloc() : memref<f32>
// CHECK-NOT:   memref.alloc
// CHECK:       call @other
// CHECK-NEXT:  memref.store
func.func @nested(%x: memref<8x8xf32>, %to: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %b = scf.for %j = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %x[%i, %j] : memref<8x8xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %b, %to[%i] : memref<8xf32>
  }
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%q = %zero) -> f32 {
    %b = scf.for %j = %c0 to %n step %c1 iter_args(%s = %q) -> f32 {
      %v = memref.load %x[%i, %j] : memref<8x8xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    scf.yield %b : f32
  }
  func.call @other() : () -> ()
  memref.store %all, %to[%c0] : memref<8xf32>
  return
}
func.func private @other()
