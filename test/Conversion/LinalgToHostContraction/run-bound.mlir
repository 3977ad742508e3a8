// RUN: amp-opt %s --pass-pipeline="builtin.module(convert-linalg-to-host-contraction{blas=off vector-bits=256},%to_llvm)" \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(convert-linalg-to-host-contraction{blas=off vector-bits=512},%to_llvm)" \
// RUN:   | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s

// f32 numbers of full precision: the distance of a product's elements from those
// that f64 gives. Adding k products to c, each product and each sum rounded at
// most once, in any order, is off by at most
//
//   g * (|c| + sum |a| |b|),   g = (k + 1) u / (1 - (k + 1) u),   u = 2^-24
//
// (Higham, Accuracy and Stability of Numerical Algorithms, lemma 3.1 and section
// 3.1). f64's own error is below that by 2^29 and does not count.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

func.func private @printI64(i64)
func.func private @printNewline()

// Signs and fractions at random, exponents from -4 to 3.
func.func private @fill(%x: memref<?x?xf32>, %seed: i64) {
  %a = arith.constant 2862933555777941757 : i64
  %b = arith.constant 3202034522624059733 : i64
  %c33 = arith.constant 33 : i64
  %mask = arith.constant 0x81FFFFFF : i64
  %base = arith.constant 0x3D800000 : i64
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : memref<?x?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
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
    linalg.yield %11 : f32
  }
  return
}

// Elements of an m x k by k x n product that lie outside the bound.
func.func private @count_outside(%m: index, %n: index, %k: index) -> i64 {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %a = memref.alloc(%m, %k) : memref<?x?xf32>
  %b = memref.alloc(%k, %n) : memref<?x?xf32>
  %c = memref.alloc(%m, %n) : memref<?x?xf32>
  call @fill(%a, %c1) : (memref<?x?xf32>, i64) -> ()
  call @fill(%b, %c2) : (memref<?x?xf32>, i64) -> ()
  call @fill(%c, %c3) : (memref<?x?xf32>, i64) -> ()
  %exact = memref.alloc(%m, %n) : memref<?x?xf64>
  %size = memref.alloc(%m, %n) : memref<?x?xf64>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%c : memref<?x?xf32>) outs(%exact, %size : memref<?x?xf64>, memref<?x?xf64>) {
  ^bb0(%x: f32, %0: f64, %1: f64):
    %2 = arith.extf %x : f32 to f64
    %3 = math.absf %2 : f64
    linalg.yield %2, %3 : f64, f64
  }
  linalg.generic {indexing_maps = [#mk, #kn, #mn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%exact, %size : memref<?x?xf64>, memref<?x?xf64>) {
  ^bb0(%x: f32, %y: f32, %s: f64, %t: f64):
    %x64 = arith.extf %x : f32 to f64
    %y64 = arith.extf %y : f32 to f64
    %0 = arith.mulf %x64, %y64 : f64
    %1 = arith.addf %s, %0 : f64
    %2 = math.absf %0 : f64
    %3 = arith.addf %t, %2 : f64
    linalg.yield %1, %3 : f64, f64
  }

  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)

  %one = arith.constant 1.0 : f64
  %u = arith.constant 5.9604644775390625e-8 : f64
  %k64 = arith.index_cast %k : index to i64
  %kf = arith.sitofp %k64 : i64 to f64
  %k1 = arith.addf %kf, %one : f64
  %k1u = arith.mulf %k1, %u : f64
  %rest = arith.subf %one, %k1u : f64
  %g = arith.divf %k1u, %rest : f64
  %count = memref.alloc() : memref<i64>
  %zero = arith.constant 0 : i64
  memref.store %zero, %count[] : memref<i64>
  linalg.generic {indexing_maps = [#id, #id, #id, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%c, %exact, %size : memref<?x?xf32>, memref<?x?xf64>, memref<?x?xf64>) outs(%count : memref<i64>) {
  ^bb0(%x: f32, %e: f64, %s: f64, %old: i64):
    %x64 = arith.extf %x : f32 to f64
    %0 = arith.subf %x64, %e : f64
    %1 = math.absf %0 : f64
    %2 = arith.mulf %g, %s : f64
    %inside = arith.cmpf ole, %1, %2 : f64
    %outside = arith.select %inside, %zero, %c1 : i64
    %3 = arith.addi %old, %outside : i64
    linalg.yield %3 : i64
  }
  %result = memref.load %count[] : memref<i64>
  memref.dealloc %a : memref<?x?xf32>
  memref.dealloc %b : memref<?x?xf32>
  memref.dealloc %c : memref<?x?xf32>
  memref.dealloc %exact : memref<?x?xf64>
  memref.dealloc %size : memref<?x?xf64>
  memref.dealloc %count : memref<i64>
  return %result : i64
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %sizes = memref.alloc() : memref<5xindex>
  %c7 = arith.constant 7 : index
  %c17 = arith.constant 17 : index
  %c65 = arith.constant 65 : index
  %c300 = arith.constant 300 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  memref.store %c1, %sizes[%c0] : memref<5xindex>
  memref.store %c7, %sizes[%c1] : memref<5xindex>
  memref.store %c17, %sizes[%c2] : memref<5xindex>
  memref.store %c65, %sizes[%c3] : memref<5xindex>
  memref.store %c300, %sizes[%c4] : memref<5xindex>
  %zero = arith.constant 0 : i64
  %total = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %zero) -> i64 {
    %m = memref.load %sizes[%i] : memref<5xindex>
    %outer = scf.for %j = %c0 to %c5 step %c1 iter_args(%y = %x) -> i64 {
      %n = memref.load %sizes[%j] : memref<5xindex>
      %inner = scf.for %l = %c0 to %c5 step %c1 iter_args(%z = %y) -> i64 {
        %k = memref.load %sizes[%l] : memref<5xindex>
        %count = func.call @count_outside(%m, %n, %k) : (index, index, index) -> i64
        %sum = arith.addi %z, %count : i64
        scf.yield %sum : i64
      }
      scf.yield %inner : i64
    }
    scf.yield %outer : i64
  }
  // CHECK: {{^0$}}
  memref.dealloc %sizes : memref<5xindex>
  call @printI64(%total) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
