// RUN: amp-opt %s --split-input-file --amp-narrow-results="results=0,2,3" | FileCheck %s

// Only what is numbered, and only what was half before. A result that is returned
// twice may be half in one place.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<4xf16> {amp.name = "a", amp.role = "output"}, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>)
func.func @forward(%x: tensor<4xf16>, %b: tensor<4xbf16>, %y: tensor<4xf32>)
    -> (tensor<4xf32> {amp.role = "output", amp.name = "a"}, tensor<4xf32>,
        tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[WIDE:.+]] = amp.cast %arg0
  %0 = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  %1 = amp.cast %b : tensor<4xbf16> to tensor<4xf32>
  // CHECK: return %arg0, %[[WIDE]], %arg1, %arg2
  return %0, %0, %1, %y
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
