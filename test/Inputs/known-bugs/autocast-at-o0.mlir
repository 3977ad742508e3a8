// RUN: amp-opt %s --amp-mixed-precision="opt-level=O0 verbosity=0" | FileCheck %s
// B11: without a half type amp-insert-casts returns early, so amp.autocast stays, and
// amp-to-host fails on it ("op was not bufferized").
// CHECK-NOT: amp.autocast
// CHECK: math.exp
// CHECK: return
// CHECK-NOT: amp.autocast
func.func @keep(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = amp.autocast {
    %1 = math.exp %x : tensor<4xf32>
    amp.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}
