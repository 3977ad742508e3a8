// RUN: amp-opt %s --pass-pipeline="builtin.module(convert-linalg-to-host-contraction{blas=off vector-bits=256},%to_llvm)" \
// RUN:   | mlir-runner -O1 -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(convert-linalg-to-host-contraction{reference=true},%to_llvm)" \
// RUN:   | mlir-runner -O1 -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s

// In a loop over tiles, B has columns whose number its type does not say, though a cast in front of it does: it is
// packed by what is known of the product's loops, not by the type. Each element is 1 and two sums of three ones.

// CHECK-COUNT-14: 7
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c7 = arith.constant 7 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<7x3xf32>
  %b_known = memref.alloc() : memref<2x16x3xf32>
  %c_known = memref.alloc() : memref<7x2x16xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<7x3xf32>)
  linalg.fill ins(%one : f32) outs(%b_known : memref<2x16x3xf32>)
  linalg.fill ins(%one : f32) outs(%c_known : memref<7x2x16xf32>)
  %b_strided = memref.reinterpret_cast %b_known to offset: [0], sizes: [2, 16, 3], strides: [48, 3, 1]
      : memref<2x16x3xf32> to memref<2x16x3xf32, strided<[48, 3, 1]>>
  %c_strided = memref.reinterpret_cast %c_known to offset: [0], sizes: [7, 2, 16], strides: [32, 16, 1]
      : memref<7x2x16xf32> to memref<7x2x16xf32, strided<[32, 16, 1]>>
  %b = memref.cast %b_strided : memref<2x16x3xf32, strided<[48, 3, 1]>> to memref<?x16x3xf32, strided<[48, 3, 1]>>
  %c = memref.cast %c_strided : memref<7x2x16xf32, strided<[32, 16, 1]>> to memref<7x?x16xf32, strided<[32, 16, 1]>>
  scf.for %i = %c0 to %c2 step %c1 {
    linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, n, k)>,
                                     affine_map<(m, p, n, k) -> (m, p, n)>],
                    iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<7x3xf32>, memref<?x16x3xf32, strided<[48, 3, 1]>>)
        outs(%c : memref<7x?x16xf32, strided<[32, 16, 1]>>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %product = arith.mulf %x, %y : f32
      %sum = arith.addf %z, %product : f32
      linalg.yield %sum : f32
    }
  }
  scf.for %m = %c0 to %c7 step %c1 {
    scf.for %p = %c0 to %c2 step %c1 {
      %sum = memref.load %c_known[%m, %p, %p] : memref<7x2x16xf32>
      vector.print %sum : f32
    }
  }
  return
}
