// The dialect and its passes in a stock mlir-opt.
// REQUIRES: plugin
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s \
// RUN:   --pass-pipeline='builtin.module(amp-initialize-opt-level{opt-level=O2 verbosity=0},canonicalize)' \
// RUN:   | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin %s | FileCheck %s --check-prefix=PARSE
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT

// WITHOUT: error: Dialect `amp' not found

// CHECK: amp.policy = #amp.policy<O2
// CHECK-LABEL: func.func @f
// PARSE-LABEL: func.func @f
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // PARSE-COUNT-2: amp.cast
  // CHECK-NOT: amp.cast
  %0 = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %1 = amp.cast %0 : tensor<4xf32> to tensor<4xf16>
  return %1 : tensor<4xf16>
}
