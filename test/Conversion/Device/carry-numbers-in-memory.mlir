// RUN: amp-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(amp-carry-numbers-in-memory))' | FileCheck %s

// Numbers that change places are loaded before either is stored; an index is kept as 64 bits. A count that the host
// knows stays a number (the near miss).
// CHECK-LABEL: func @exchanged(
// CHECK-SAME:      %[[X:.*]]: memref<4xf32>, %[[AT:.*]]: memref<i32>, %[[ONE:.*]]: f32
// CHECK:         %[[A:.*]] = memref.alloc() : memref<f32>
// CHECK-NEXT:    memref.store %[[ONE]], %[[A]][]
// CHECK-NEXT:    %[[B:.*]] = memref.alloc() : memref<f32>
// CHECK-NEXT:    memref.store %[[ONE]], %[[B]][]
// CHECK-NEXT:    %[[PLACE:.*]] = memref.alloc() : memref<i64>
// CHECK:         memref.store %{{.*}}, %[[PLACE]][]
// CHECK-NEXT:    %[[COUNT:.*]] = scf.for {{.*}} iter_args(%[[N:.*]] = %[[ONE]]) -> (f32)
// CHECK-NEXT:      %[[OLDA:.*]] = memref.load %[[A]][]
// CHECK-NEXT:      %[[OLDB:.*]] = memref.load %[[B]][]
// CHECK-NEXT:      memref.load %[[PLACE]][]
// CHECK:           linalg.fill ins(%[[OLDA]]
// CHECK:           %[[NEW:.*]] = arith.addf %{{.*}}, %[[OLDA]]
// CHECK:           memref.store %[[OLDB]], %[[A]][]
// CHECK-NEXT:      memref.store %[[NEW]], %[[B]][]
// CHECK:           memref.store %{{.*}}, %[[PLACE]][]
// CHECK-NEXT:      scf.yield %{{.*}} : f32
// CHECK:         linalg.fill ins(%[[ONE]]
// CHECK-NEXT:    %[[LAST:.*]] = memref.load %[[B]][]
// CHECK-NEXT:    return %[[LAST]], %[[COUNT]]
func.func @exchanged(%x: memref<4xf32>, %at: memref<i32>, %one: f32, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %one, %b = %one, %count = %one, %p = %c0) -> (f32, f32, f32, index) {
    linalg.fill ins(%a : f32) outs(%x : memref<4xf32>)
    %e = memref.load %x[%p] : memref<4xf32>
    %s = arith.addf %e, %a : f32
    %m = arith.addf %count, %one : f32
    %j = memref.load %at[] : memref<i32>
    %q = arith.index_cast %j : i32 to index
    scf.yield %b, %s, %m, %q : f32, f32, f32, index
  }
  linalg.fill ins(%one : f32) outs(%x : memref<4xf32>)
  return %r#1, %r#2 : f32, f32
}

// -----

// What a condition hands on as it came is in one place, another number in one of its own; the host loads what it
// decides by.
// CHECK-LABEL: func @condition(
// CHECK:         %[[A:.*]] = memref.alloc() : memref<f32>
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][]
// CHECK-NEXT:    %[[B:.*]] = memref.alloc() : memref<f32>
// CHECK-NEXT:    scf.while : () -> ()
// CHECK-NEXT:      %[[S:.*]] = memref.load %[[A]][]
// CHECK-NEXT:      %[[HOLDS:.*]] = arith.cmpf olt, %[[S]]
// CHECK-NEXT:      %[[TWICE:.*]] = arith.addf %[[S]], %[[S]]
// CHECK-NEXT:      memref.store %[[TWICE]], %[[B]][]
// CHECK-NEXT:      scf.condition(%[[HOLDS]])
// CHECK:         do
// CHECK-NEXT:      %[[T:.*]] = memref.load %[[A]][]
// CHECK-NEXT:      %[[U:.*]] = memref.load %[[B]][]
// CHECK-NEXT:      linalg.fill ins(%[[T]]
// CHECK:           %[[NEXT:.*]] = arith.addf %{{.*}}, %[[U]]
// CHECK-NEXT:      memref.store %[[NEXT]], %[[A]][]
// CHECK-NEXT:      scf.yield
// CHECK:         %[[R:.*]] = memref.load %[[B]][]
// CHECK-NEXT:    return %[[R]]
func.func @condition(%x: memref<4xf32>, %zero: f32, %most: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %r:2 = scf.while (%s = %zero) : (f32) -> (f32, f32) {
    %holds = arith.cmpf olt, %s, %most : f32
    %twice = arith.addf %s, %s : f32
    scf.condition(%holds) %s, %twice : f32, f32
  } do {
  ^bb0(%t: f32, %u: f32):
    linalg.fill ins(%t : f32) outs(%x : memref<4xf32>)
    %e = memref.load %x[%c0] : memref<4xf32>
    %next = arith.addf %e, %u : f32
    scf.yield %next : f32
  }
  return %r#1 : f32
}

// -----

// A branch of launches, and one on elements, each of which is a kernel then.
// CHECK-LABEL: func @branches(
// CHECK:         %[[A:.*]] = memref.alloc() : memref<f32>
// CHECK:         scf.if
// CHECK:           memref.store %{{.*}}, %[[A]][]
// CHECK:         } else {
// CHECK:           memref.store %{{.*}}, %[[A]][]
// CHECK:         %[[B:.*]] = memref.alloc() : memref<f32>
// CHECK:         scf.if
// CHECK:           memref.store %{{.*}}, %[[B]][]
// CHECK-DAG:     %[[R:.*]] = memref.load %[[A]][]
// CHECK-DAG:     %[[S:.*]] = memref.load %[[B]][]
// CHECK:         arith.addf %[[R]], %[[S]]
func.func @branches(%x: memref<4xf32>, %c: i1, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %r = scf.if %c -> f32 {
    linalg.fill ins(%zero : f32) outs(%x : memref<4xf32>)
    %e = memref.load %x[%c0] : memref<4xf32>
    scf.yield %e : f32
  } else {
    scf.yield %zero : f32
  }
  %s = scf.if %c -> f32 {
    %e = memref.load %x[%c0] : memref<4xf32>
    scf.yield %e : f32
  } else {
    scf.yield %zero : f32
  }
  %sum = arith.addf %r, %s : f32
  return %sum : f32
}

// -----

// Near misses: a loop on elements is a kernel, and one of numbers arithmetic; what the host computes is its own, whatever decides.
// CHECK-LABEL: func @others(
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @others(%x: memref<4xf32>, %zero: f32, %n: index) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    %e = memref.load %x[%i] : memref<4xf32>
    %t = arith.addf %e, %s : f32
    scf.yield %t : f32
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> f32 {
    %t = arith.mulf %s, %s : f32
    scf.yield %t : f32
  }
  %flag = arith.cmpf olt, %a, %zero : f32
  %c = scf.if %flag -> f32 {
    linalg.fill ins(%zero : f32) outs(%x : memref<4xf32>)
    scf.yield %zero : f32
  } else {
    %t = arith.negf %zero : f32
    scf.yield %t : f32
  }
  return %a, %b, %c : f32, f32, f32
}

// -----

// Left alone: a function of several blocks, one of which nothing reaches.
// CHECK-LABEL: func @blocks(
// CHECK-NOT:     memref.alloc
func.func @blocks(%x: memref<f32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    linalg.fill ins(%s : f32) outs(%x : memref<f32>)
    %e = memref.load %x[] : memref<f32>
    scf.yield %e : f32
  }
  cf.br ^next
^next:
  return %r : f32
^never:
  %a = arith.addf %r, %b : f32
  %b = arith.addf %a, %a : f32
  cf.br ^never
}

// -----

// Nor one with a region of several blocks.
// CHECK-LABEL: func @region_blocks(
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @region_blocks(%x: memref<f32>, %y: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.execute_region {
    %a = memref.load %x[] : memref<f32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> f32 {
      linalg.fill ins(%s : f32) outs(%x : memref<f32>)
      %e = memref.load %x[] : memref<f32>
      scf.yield %e : f32
    }
    cf.br ^next
  ^next:
    memref.store %r, %y[] : memref<f32>
    scf.yield
  }
  return
}
