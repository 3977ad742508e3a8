// RUN: amp-opt %s --pass-pipeline="builtin.module(convert-linalg-to-host-contraction{blas=off bf16=pairs vector-bits=256},%to_llvm)" \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
// Without pairs, in any type: the products one after the other, in five blocks instead of three.
// RUN: sed -e 's/swap = arith.constant 1/swap = arith.constant 0/' -e 's/block = arith.constant 576/block = arith.constant 352/' %s > %t.mlir
// RUN: amp-opt %t.mlir --pass-pipeline="builtin.module(convert-linalg-to-host-contraction{blas=off bf16=widened},%to_llvm)" \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
// The count can tell: another order of additions gives other bits.
// RUN: amp-opt %s --pass-pipeline="builtin.module(convert-linalg-to-host-contraction{blas=off bf16=widened},%to_llvm)" \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s --check-prefix=OTHER

// Which sum a product is, written out. Products are added in as few blocks of one length as
// a panel holds, each from -0, which changes nothing, and the sums of blocks one after the other to what stands in C. In
// pairs of bf16 the second step's product comes first, and a last step alone last. A
// product of two bf16 is exact in f32, so that it makes no difference whether it is fused
// with the addition.

#id = affine_map<(i, j) -> (i, j)>

func.func private @printI64(i64)
func.func private @printNewline()

// Signs and fractions at random, exponents from -4 to 3.
func.func private @random(%i: index, %j: index, %seed: i64, %mask: i64) -> f32 {
  %a = arith.constant 2862933555777941757 : i64
  %b = arith.constant 3202034522624059733 : i64
  %c33 = arith.constant 33 : i64
  %base = arith.constant 0x3D800000 : i64
  %i64 = arith.index_cast %i : index to i64
  %j64 = arith.index_cast %j : index to i64
  %0 = arith.muli %i64, %b : i64
  %1 = arith.addi %0, %j64 : i64
  %2 = arith.addi %1, %seed : i64
  %3 = arith.muli %2, %a : i64
  %4 = arith.shrui %3, %c33 : i64
  %5 = arith.xori %3, %4 : i64
  %6 = arith.muli %5, %a : i64
  %7 = arith.shrui %6, %c33 : i64
  %8 = arith.andi %7, %mask : i64
  %9 = arith.addi %8, %base : i64
  %10 = arith.trunci %9 : i64 to i32
  %11 = arith.bitcast %10 : i32 to f32
  return %11 : f32
}

func.func private @fill_bf16(%x: memref<?x?xbf16>, %seed: i64) {
  %mask = arith.constant 0x81FF0000 : i64
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : memref<?x?xbf16>) {
  ^bb0(%old: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = func.call @random(%i, %j, %seed, %mask) : (index, index, i64, i64) -> f32
    %bits = arith.bitcast %0 : f32 to i32
    %c16 = arith.constant 16 : i32
    %upper = arith.shrui %bits, %c16 : i32
    %short = arith.trunci %upper : i32 to i16
    %1 = arith.bitcast %short : i16 to bf16
    linalg.yield %1 : bf16
  }
  return
}

func.func private @widen(%x: bf16) -> f32 {
  %c16 = arith.constant 16 : i32
  %short = arith.bitcast %x : bf16 to i16
  %bits = arith.extui %short : i16 to i32
  %upper = arith.shli %bits, %c16 : i32
  %0 = arith.bitcast %upper : i32 to f32
  return %0 : f32
}

// s + a[i, l] * b[l, j].
func.func private @step(%s: f32, %a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %i: index, %j: index, %l: index) -> f32 {
  %x = memref.load %a[%i, %l] : memref<?x?xbf16>
  %y = memref.load %b[%l, %j] : memref<?x?xbf16>
  %xw = call @widen(%x) : (bf16) -> f32
  %yw = call @widen(%y) : (bf16) -> f32
  %p = arith.mulf %xw, %yw : f32
  %0 = arith.addf %s, %p : f32
  return %0 : f32
}

// What stands in C: -0 in the first row.
func.func private @start(%i: index, %j: index) -> f32 {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i64
  %all = arith.constant 0x81FFFFFF : i64
  %negative = arith.constant -0.0 : f32
  %0 = call @random(%i, %j, %three, %all) : (index, index, i64, i64) -> f32
  %isFirst = arith.cmpi eq, %i, %c0 : index
  %1 = arith.select %isFirst, %negative, %0 : f32
  return %1 : f32
}

// Elements of an m x k by k x n product that have other bits.
func.func private @count_others(%m: index, %n: index, %k: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %a = memref.alloc(%m, %k) : memref<?x?xbf16>
  %b = memref.alloc(%k, %n) : memref<?x?xbf16>
  %c = memref.alloc(%m, %n) : memref<?x?xf32>
  call @fill_bf16(%a, %one) : (memref<?x?xbf16>, i64) -> ()
  call @fill_bf16(%b, %two) : (memref<?x?xbf16>, i64) -> ()
  // A row of A and of C that only -0 comes from: nothing is added that is not
  // there.
  %none = arith.constant 0.0 : bf16
  scf.for %l = %c0 to %k step %c1 {
    memref.store %none, %a[%c0, %l] : memref<?x?xbf16>
  }
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %0 = func.call @start(%i, %j) : (index, index) -> f32
      memref.store %0, %c[%i, %j] : memref<?x?xf32>
    }
  }

  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%c : memref<?x?xf32>)

  // Indices from the last whole pair on stay where they are.
  %swap = arith.constant 1 : index
  %block = arith.constant 576 : index
  %nothing = arith.constant -0.0 : f32
  %pairs = arith.divui %k, %c2 : index
  %even = arith.muli %pairs, %c2 : index
  %count = scf.for %i = %c0 to %m step %c1 iter_args(%x = %zero) -> i64 {
    %row = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> i64 {
      %start = func.call @start(%i, %j) : (index, index) -> f32
      %sum = scf.for %first = %c0 to %k step %block iter_args(%before = %start) -> f32 {
        %whole = arith.addi %first, %block : index
        %end = arith.minui %whole, %k : index
        %products = scf.for %l = %first to %end step %c1 iter_args(%s = %nothing) -> f32 {
          %other = arith.xori %l, %swap : index
          %isPaired = arith.cmpi ult, %l, %even : index
          %turn = arith.select %isPaired, %other, %l : index
          %0 = func.call @step(%s, %a, %b, %i, %j, %turn) : (f32, memref<?x?xbf16>, memref<?x?xbf16>, index, index, index) -> f32
          scf.yield %0 : f32
        }
        %after = arith.addf %before, %products : f32
        scf.yield %after : f32
      }
      %got = memref.load %c[%i, %j] : memref<?x?xf32>
      %gotBits = arith.bitcast %got : f32 to i32
      %sumBits = arith.bitcast %sum : f32 to i32
      %differs = arith.cmpi ne, %gotBits, %sumBits : i32
      %more = arith.extui %differs : i1 to i64
      %1 = arith.addi %y, %more : i64
      scf.yield %1 : i64
    }
    scf.yield %row : i64
  }
  memref.dealloc %a : memref<?x?xbf16>
  memref.dealloc %b : memref<?x?xbf16>
  memref.dealloc %c : memref<?x?xf32>
  return %count : i64
}

func.func @main() {
  // CHECK: {{^0$}}
  // OTHER: {{^[1-9][0-9]*$}}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i64
  // The last one is more than two blocks of the sum.
  %sizes = arith.constant dense<[1, 2, 17, 96, 1601]> : vector<5xindex>
  %m = arith.constant 19 : index
  %n = arith.constant 35 : index
  %total = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %zero) -> i64 {
    %k = vector.extract %sizes[%i] : index from vector<5xindex>
    %count = func.call @count_others(%m, %n, %k) : (index, index, index) -> i64
    %sum = arith.addi %x, %count : i64
    scf.yield %sum : i64
  }
  call @printI64(%total) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
