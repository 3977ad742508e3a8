// RUN: amp-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(amp-store-numbers-by-kernels))' | FileCheck %s

// The ways of loads to their stores are not walked once for each store, nor what writes on them looked into for each buffer: minutes, here.
// RUN: %python %S/Inputs/many_stores.py 800 | amp-opt --pass-pipeline='builtin.module(func.func(amp-store-numbers-by-kernels))' | FileCheck %s --check-prefix=MANY
// RUN: %python %S/Inputs/many_stores.py 800 apart | amp-opt --pass-pipeline='builtin.module(func.func(amp-store-numbers-by-kernels))' | FileCheck %s --check-prefix=MANY
// MANY-LABEL: func @many(
// MANY-COUNT-25: scf.for
// MANY-NOT:     scf.for
// MANY:         return

// An element at a label, which is clamped to its buffer, and a number that was there before a launch of something else.
// The loop's index is a place that the host knows: a view.
// CHECK-LABEL: func @at_label(
// CHECK-SAME:      %[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<10x4xf32>, %[[AT:.*]]: memref<i32>
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}}
// CHECK-NOT:       memref.load
// CHECK:           linalg.fill
// CHECK:           %[[COLUMN:.*]] = memref.subview %[[Y]][0, %[[I]]] [10, 1] [1, 1]
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        %[[NUMBER:.*]] = memref.load %[[X]][]
// CHECK-NEXT:        %[[LABEL:.*]] = memref.load %[[AT]][]
// CHECK-NEXT:        %[[J:.*]] = arith.index_cast %[[LABEL]]
// CHECK:             %[[LOW:.*]] = arith.maxsi %[[J]], %{{.*}} : index
// CHECK-NEXT:        %[[PLACE:.*]] = arith.minsi %[[LOW]], %{{.*}} : index
// CHECK-NEXT:        %[[ELEMENT:.*]] = memref.load %[[COLUMN]][%[[PLACE]]]
// CHECK-NEXT:        %[[SUM:.*]] = arith.addf %[[ELEMENT]], %[[NUMBER]]
// CHECK-NEXT:        memref.store %[[SUM]], %{{.*}}[] : memref<f32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @at_label(%x: memref<f32>, %y: memref<10x4xf32>, %at: memref<i32>, %sum: memref<f32>, %other: memref<8xf32>, %zero: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.load %x[] : memref<f32>
    linalg.fill ins(%zero : f32) outs(%other : memref<8xf32>)
    %l = memref.load %at[] : memref<i32>
    %j = arith.index_cast %l : i32 to index
    %a = memref.load %y[%j, %i] : memref<10x4xf32>
    %s = arith.addf %a, %b : f32
    memref.store %s, %sum[] : memref<f32>
  }
  return
}

// -----

// Several numbers share a kernel, with a constant. One that the host knows goes where it stood (a near miss), and what
// reads what was stored ends the group.
// CHECK-LABEL: func @several(
// CHECK-SAME:      %[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<4xf32>, %[[Z:.*]]: memref<f32>, %[[KNOWN:.*]]: f32
// CHECK:         memref.store %[[KNOWN]], %[[Y]][%{{.*}}]
// CHECK:         scf.for
// CHECK-NEXT:      %[[A:.*]] = memref.load %[[X]][]
// CHECK-NEXT:      memref.store %[[A]], %[[Y]][%{{.*}}]
// CHECK-NEXT:      memref.store %{{.*}}, %[[Y]][%{{.*}}]
// CHECK-NEXT:      %[[B:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT:      memref.store %[[B]], %[[Y]][%{{.*}}]
// CHECK-NEXT:    }
// CHECK-NEXT:    linalg.exp ins(%[[Y]]
// CHECK:         scf.for
// CHECK-NEXT:      %[[C:.*]] = memref.load %[[X]][]
// CHECK-NEXT:      memref.store %[[C]], %[[Z]][]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @several(%x: memref<f32>, %y: memref<4xf32>, %z: memref<f32>, %known: f32, %e: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %a = memref.load %x[] : memref<f32>
  memref.store %known, %y[%c3] : memref<4xf32>
  memref.store %a, %y[%c0] : memref<4xf32>
  memref.store %one, %y[%c1] : memref<4xf32>
  %b = arith.mulf %a, %a : f32
  memref.store %b, %y[%c2] : memref<4xf32>
  linalg.exp ins(%y : memref<4xf32>) outs(%e : memref<4xf32>)
  memref.store %a, %z[] : memref<f32>
  return
}

// -----

// What is read in front of the store that writes it does not end a group.
// CHECK-LABEL: func @read_before(
// CHECK:         linalg.exp
// CHECK-NEXT:    %{{.*}} = arith.constant
// CHECK:         scf.for
// CHECK-COUNT-3:   memref.store
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @read_before(%x: memref<f32>, %y: memref<4xf32>, %z: memref<4xf32>, %e: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.load %x[] : memref<f32>
  memref.store %a, %y[%c0] : memref<4xf32>
  linalg.exp ins(%z : memref<4xf32>) outs(%e : memref<4xf32>)
  memref.store %a, %z[%c0] : memref<4xf32>
  memref.store %a, %z[%c1] : memref<4xf32>
  return
}

// -----

// What a launch writes over before it is stored is kept aside, as is what another round of the loop would find changed.
// CHECK-LABEL: func @written_over(
// CHECK-SAME:      %[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<f32>, %[[Z:.*]]: memref<f32>
// CHECK:         %[[ASIDE:.*]] = memref.alloc() : memref<f32>
// CHECK:         scf.for
// CHECK-NEXT:      %[[A:.*]] = memref.load %[[X]][]
// CHECK-NEXT:      memref.store %[[A]], %[[ASIDE]][]
// CHECK:         linalg.fill {{.*}} outs(%[[X]]
// CHECK:         scf.for
// CHECK-NEXT:      %[[B:.*]] = memref.load %[[ASIDE]][]
// CHECK-NEXT:      %[[C:.*]] = arith.mulf %[[B]], %[[B]]
// CHECK-NEXT:      memref.store %[[C]], %[[Y]][]
// CHECK:         %[[START:.*]] = memref.alloc() : memref<f32>
// CHECK:         scf.for
// CHECK-NEXT:      %[[D:.*]] = memref.load %[[Z]][]
// CHECK-NEXT:      memref.store %[[D]], %[[START]][]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}}
// CHECK:           scf.for
// CHECK-DAG:         %[[E:.*]] = memref.load %[[START]][]
// CHECK-DAG:         %[[F:.*]] = memref.load %[[Z]][]
// CHECK:             %[[G:.*]] = arith.addf %[[F]], %[[E]]
// CHECK-NEXT:        memref.store %[[G]], %[[Z]][]
// CHECK:         memref.dealloc
// CHECK:         return
func.func @written_over(%x: memref<f32>, %y: memref<f32>, %z: memref<f32>, %zero: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.load %x[] : memref<f32>
  linalg.fill ins(%zero : f32) outs(%x : memref<f32>)
  %b = arith.mulf %a, %a : f32
  memref.store %b, %y[] : memref<f32>
  %start = memref.load %z[] : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%x : memref<f32>)
    %c = memref.load %z[] : memref<f32>
    %d = arith.addf %c, %start : f32
    memref.store %d, %z[] : memref<f32>
  }
  return
}

// -----

// A condition of two numbers is loaded as one, in front of the branch; one of a single number as it is.
// CHECK-LABEL: func @conditions(
// CHECK-SAME:      %[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<f32>
// CHECK:         %[[M:.*]] = memref.alloc() : memref<i1>
// CHECK:         scf.for
// CHECK-DAG:       memref.load %[[X]][]
// CHECK-DAG:       memref.load %[[Y]][]
// CHECK:           %[[LESS:.*]] = arith.cmpf olt
// CHECK-NEXT:      memref.store %[[LESS]], %[[M]][]
// CHECK:         %[[HOLDS:.*]] = memref.load %[[M]][]
// CHECK-NEXT:    scf.if %[[HOLDS]]
// CHECK:         %[[A:.*]] = memref.load %[[X]][]
// CHECK-NEXT:    %[[NONE:.*]] = arith.cmpf oeq, %[[A]]
// CHECK-NEXT:    scf.if %[[NONE]]
func.func @conditions(%x: memref<f32>, %y: memref<f32>, %zero: f32, %other: memref<8xf32>) {
  %a = memref.load %x[] : memref<f32>
  %b = memref.load %y[] : memref<f32>
  %less = arith.cmpf olt, %a, %b : f32
  scf.if %less {
    linalg.fill ins(%zero : f32) outs(%other : memref<8xf32>)
  }
  %c = memref.load %x[] : memref<f32>
  %none = arith.cmpf oeq, %c, %zero : f32
  scf.if %none {
    linalg.fill ins(%zero : f32) outs(%other : memref<8xf32>)
  }
  return
}

// -----

// Launches read a number where it is; not if it is written over before, by one of them, or in another round.
// CHECK-LABEL: func @moved(
// CHECK-SAME:      %[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<f32>
// CHECK-NOT:     memref.store
// CHECK:         amp.launch_kernels @a ins(in0 = %[[X]]) outs(out0 = %[[Y]])
// CHECK:         scf.for
// CHECK-NEXT:      %[[A:.*]] = memref.load %[[X]][]
// CHECK-NEXT:      memref.store %[[A]], %[[COPY:.*]][] : memref<f32>
// CHECK:         amp.launch_kernels @a ins(in0 = %[[COPY]]) outs(out0 = %[[X]])
// CHECK:         return
module attributes {gpu.container_module} {
  func.func @moved(%x: memref<f32>, %y: memref<f32>) {
    %m = memref.alloc() : memref<f32>
    %a = memref.load %x[] : memref<f32>
    memref.store %a, %m[] : memref<f32>
    amp.launch_kernels @a ins(in0 = %m) outs(out0 = %y) : (memref<f32>, memref<f32>) -> ()
    memref.dealloc %m : memref<f32>
    %n = memref.alloc() : memref<f32>
    %b = memref.load %x[] : memref<f32>
    memref.store %b, %n[] : memref<f32>
    amp.launch_kernels @a ins(in0 = %n) outs(out0 = %x) : (memref<f32>, memref<f32>) -> ()
    memref.dealloc %n : memref<f32>
    return
  }
  gpu.module @a {
    llvm.func @a(!llvm.ptr<1>, !llvm.ptr<1>) attributes {gpu.kernel, amp.launch = {
      order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 1, 1, 1>,
      shared_memory = 0, arguments = [{kind = "buffer", name = "in0", type = f32, elements = 1},
                                      {kind = "buffer", name = "out0", type = f32, elements = 1}]}}
  }
}

// -----

// Near misses: what a loop carries, numbers without device code, a buffer of the host and one of the stack, unknown
// extents, and a loop on elements, which is a kernel or refused.
// CHECK-LABEL: func @others(
// CHECK-NOT:     scf.for %{{.*}} = %c0_
// CHECK:         return
func.func @others(%x: memref<4xf32>, %wide: memref<f128>, %any: memref<?xf32>, %n: index, %zero: f32) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i64
  %a = memref.load %wide[] : memref<f128>
  memref.store %a, %wide[] : memref<f128>
  %m = memref.alloc() : memref<i64>
  memref.store %seven, %m[] : memref<i64>
  %k = memref.load %m[] : memref<i64>
  memref.store %k, %m[] : memref<i64>
  memref.dealloc %m : memref<i64>
  %s = memref.alloca() : memref<f32>
  %e = memref.load %x[%c0] : memref<4xf32>
  memref.store %e, %s[] : memref<f32>
  %f = memref.load %any[%c0] : memref<?xf32>
  memref.store %f, %any[%c1] : memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> f32 {
    linalg.fill ins(%t : f32) outs(%x : memref<4xf32>)
    %u = memref.load %x[%c0] : memref<4xf32>
    memref.store %t, %x[%c1] : memref<4xf32>
    scf.yield %u : f32
  }
  scf.for %i = %c0 to %n step %c1 {
    %u = memref.load %x[%c0] : memref<4xf32>
    memref.store %u, %x[%i] : memref<4xf32>
  }
  return %k : i64
}

// -----

// What several numbers for a condition share is looked at once, not once for each way there.
// CHECK-LABEL: func @shared(
// CHECK-SAME:      %[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<f32>
// CHECK-NEXT:    memref.load %[[X]][]
// CHECK-NEXT:    memref.load %[[Y]][]
// CHECK-NOT:     scf.for
// CHECK:         scf.if
func.func @shared(%x: memref<f32>, %y: memref<f32>, %known: f32, %other: memref<8xf32>) {
  %a = memref.load %x[] : memref<f32>
  %b = memref.load %y[] : memref<f32>
  %c = arith.mulf %a, %known : f32
  %d = arith.mulf %b, %known : f32
  %s0 = arith.addf %c, %d : f32
  %s1 = arith.addf %s0, %s0 : f32
  %s2 = arith.addf %s1, %s1 : f32
  %s3 = arith.addf %s2, %s2 : f32
  %s4 = arith.addf %s3, %s3 : f32
  %s5 = arith.addf %s4, %s4 : f32
  %s6 = arith.addf %s5, %s5 : f32
  %s7 = arith.addf %s6, %s6 : f32
  %s8 = arith.addf %s7, %s7 : f32
  %s9 = arith.addf %s8, %s8 : f32
  %s10 = arith.addf %s9, %s9 : f32
  %s11 = arith.addf %s10, %s10 : f32
  %s12 = arith.addf %s11, %s11 : f32
  %s13 = arith.addf %s12, %s12 : f32
  %s14 = arith.addf %s13, %s13 : f32
  %s15 = arith.addf %s14, %s14 : f32
  %s16 = arith.addf %s15, %s15 : f32
  %s17 = arith.addf %s16, %s16 : f32
  %s18 = arith.addf %s17, %s17 : f32
  %s19 = arith.addf %s18, %s18 : f32
  %s20 = arith.addf %s19, %s19 : f32
  %s21 = arith.addf %s20, %s20 : f32
  %s22 = arith.addf %s21, %s21 : f32
  %s23 = arith.addf %s22, %s22 : f32
  %s24 = arith.addf %s23, %s23 : f32
  %s25 = arith.addf %s24, %s24 : f32
  %s26 = arith.addf %s25, %s25 : f32
  %s27 = arith.addf %s26, %s26 : f32
  %s28 = arith.addf %s27, %s27 : f32
  %s29 = arith.addf %s28, %s28 : f32
  %s30 = arith.addf %s29, %s29 : f32
  %s31 = arith.addf %s30, %s30 : f32
  %s32 = arith.addf %s31, %s31 : f32
  %s33 = arith.addf %s32, %s32 : f32
  %s34 = arith.addf %s33, %s33 : f32
  %s35 = arith.addf %s34, %s34 : f32
  %s36 = arith.addf %s35, %s35 : f32
  %s37 = arith.addf %s36, %s36 : f32
  %s38 = arith.addf %s37, %s37 : f32
  %s39 = arith.addf %s38, %s38 : f32
  %s40 = arith.addf %s39, %s39 : f32
  %s41 = arith.addf %s40, %s40 : f32
  %s42 = arith.addf %s41, %s41 : f32
  %s43 = arith.addf %s42, %s42 : f32
  %s44 = arith.addf %s43, %s43 : f32
  %s45 = arith.addf %s44, %s44 : f32
  %s46 = arith.addf %s45, %s45 : f32
  %s47 = arith.addf %s46, %s46 : f32
  %s48 = arith.addf %s47, %s47 : f32
  %s49 = arith.addf %s48, %s48 : f32
  %s50 = arith.addf %s49, %s49 : f32
  %s51 = arith.addf %s50, %s50 : f32
  %s52 = arith.addf %s51, %s51 : f32
  %s53 = arith.addf %s52, %s52 : f32
  %s54 = arith.addf %s53, %s53 : f32
  %s55 = arith.addf %s54, %s54 : f32
  %s56 = arith.addf %s55, %s55 : f32
  %s57 = arith.addf %s56, %s56 : f32
  %s58 = arith.addf %s57, %s57 : f32
  %s59 = arith.addf %s58, %s58 : f32
  %s60 = arith.addf %s59, %s59 : f32
  %more = arith.cmpf olt, %s60, %known : f32
  scf.if %more {
    linalg.fill ins(%known : f32) outs(%other : memref<8xf32>)
  }
  return
}

// -----

// A number that no kernel has code for stays the host's; the one beside it does not.
// CHECK-LABEL: func @beside(
// CHECK:         %[[A:.*]] = memref.load %{{.*}}[] : memref<f128>
// CHECK-NEXT:    memref.store %[[A]]
// CHECK:         scf.for
// CHECK-NEXT:      %[[B:.*]] = memref.load %{{.*}}[] : memref<f32>
// CHECK-NEXT:      memref.store %[[B]]
func.func @beside(%x: memref<f128>, %y: memref<f128>, %z: memref<f32>, %w: memref<2xf32>) {
  %c1 = arith.constant 1 : index
  %a = memref.load %x[] : memref<f128>
  %b = memref.load %z[] : memref<f32>
  memref.store %a, %y[] : memref<f128>
  memref.store %b, %w[%c1] : memref<2xf32>
  return
}

// -----

// Left alone: a function of several blocks, one of which nothing reaches.
// CHECK-LABEL: func @blocks(
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @blocks(%x: memref<f32>, %y: memref<f32>) {
  %a = memref.load %x[] : memref<f32>
  cf.br ^next
^next:
  memref.store %a, %y[] : memref<f32>
  return
^never:
  %b = memref.load %x[] : memref<f32>
  %c = arith.addf %b, %d : f32
  %d = arith.addf %c, %c : f32
  memref.store %d, %y[] : memref<f32>
  cf.br ^never
}

// -----

// Nor one with a region of several blocks.
// CHECK-LABEL: func @region_blocks(
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @region_blocks(%x: memref<f32>, %y: memref<f32>) {
  scf.execute_region {
    %a = memref.load %x[] : memref<f32>
    cf.br ^next
  ^next:
    %b = arith.addf %a, %a : f32
    memref.store %b, %y[] : memref<f32>
    scf.yield
  }
  return
}
