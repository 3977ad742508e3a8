// RUN: amp-opt %s --pass-pipeline='builtin.module(amp-to-host)' | FileCheck %s
// RUN: amp-opt %s --pass-pipeline='builtin.module(amp-to-host{reference})' \
// RUN:   | FileCheck %s --check-prefix=REFERENCE

// Equal fills and equal reductions are one kernel each, called with addresses, and
// nothing is copied; all buffers are in one
// allocation, which the run counts.
// CHECK-LABEL: llvm.func internal @forward(
// CHECK:         llvm.call @ampRtRunAllocate(
// CHECK-NOT:     llvm.call @ampRtRunAllocate(
// CHECK:         llvm.call @[[SUM:amp_kernel_1]](%{{[^,]*}}, %{{[^,]*}}) : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK:         llvm.call @[[SUM]](
// CHECK:         llvm.return

// Regrouping of sums is confined to the accumulation; the reference has none, and no
// polynomial instead of libm.
// CHECK:       llvm.func internal @[[SUM]](
// CHECK-NOT:     {{llvm.intr.exp|@expf}}
// CHECK:         llvm.fadd %{{.*}} {fastmathFlags = #llvm.fastmath<reassoc>}
// CHECK-NOT:     reassoc
// REFERENCE-NOT: reassoc
// REFERENCE:     llvm.intr.exp
// REFERENCE-NOT: reassoc
func.func @forward(%x: tensor<4x64xf32> {amp.role = "batch", amp.name = "x0"},
                   %y: tensor<4x64xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zero = linalg.fill ins(%c0 : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %e = math.exp %a : f32
    %s = arith.addf %e, %sum : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<4x64xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %e = math.exp %a : f32
    %s = arith.addf %e, %sum : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %2 = arith.mulf %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
