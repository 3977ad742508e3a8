// What is read where it lies is what the slice has: parts of rows in the order of heads, and every third of
// every second element of a row.

// RUN: amp-opt %s --pass-pipeline="builtin.module(%tensors_to_llvm)" | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so > %t.slices
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-read-through-slices),%tensors_to_llvm)" | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so | diff %t.slices -
// RUN: FileCheck %s < %t.slices
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-read-through-slices,canonicalize))" | FileCheck %s --check-prefix=READ
// READ-NOT: tensor.extract_slice

// Element (h, t, e) is 100 t + 4 + 2 h + e.
// CHECK:      4
// CHECK-NEXT: 5
// CHECK-NEXT: 104
// CHECK-NEXT: 105
// CHECK-NEXT: 6
// CHECK-NEXT: 7
// CHECK-NEXT: 106
// CHECK-NEXT: 107
// CHECK-NEXT: 103
// CHECK-NEXT: 109
func.func private @heads(%x: tensor<2x12xf32>) -> tensor<2x2x2xf32> {
  %q = tensor.extract_slice %x[0, 4] [2, 4] [1, 1] : tensor<2x12xf32> to tensor<2x4xf32>
  %q4 = tensor.expand_shape %q [[0], [1, 2]] output_shape [2, 2, 2] : tensor<2x4xf32> into tensor<2x2x2xf32>
  %e = tensor.empty() : tensor<2x2x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, t, e) -> (t, h, e)>, affine_map<(h, t, e) -> (h, t, e)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q4 : tensor<2x2x2xf32>) outs(%e : tensor<2x2x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x2x2xf32>
  return %r : tensor<2x2x2xf32>
}

func.func private @strides(%x: tensor<2x12xf32>) -> tensor<2xf32> {
  %a = tensor.extract_slice %x[1, 1] [1, 5] [1, 2] : tensor<2x12xf32> to tensor<5xf32>
  %b = tensor.extract_slice %a[1] [2] [3] : tensor<5xf32> to tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%b : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0],
                             [100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0, 110.0, 111.0]]> : tensor<2x12xf32>
  %0 = call @heads(%x) : (tensor<2x12xf32>) -> tensor<2x2x2xf32>
  %1 = call @strides(%x) : (tensor<2x12xf32>) -> tensor<2xf32>
  scf.for %h = %c0 to %c2 step %c1 {
    scf.for %t = %c0 to %c2 step %c1 {
      scf.for %e = %c0 to %c2 step %c1 {
        %element = tensor.extract %0[%h, %t, %e] : tensor<2x2x2xf32>
        vector.print %element : f32
      }
    }
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %element = tensor.extract %1[%i] : tensor<2xf32>
    vector.print %element : f32
  }
  return
}
