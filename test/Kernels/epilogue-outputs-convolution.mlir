// A convolution's epilogue gives elements and what is the same in any order, and does not see
// their place.
// DEFINE: %{convolve} = amp-opt %s -o /dev/null --amp-generate-convolution=

// RUN: not %{convolve}"epilogue=total" 2>&1 | FileCheck %s
// CHECK: expected an epilogue without sums and indices for a convolution; reduce its result
func.func @total(%sum: f32) -> (bf16, f32) attributes {amp.epilogue_outputs = ["column-sum"]} {
  %result = arith.truncf %sum : f32 to bf16
  return %result, %sum : bf16, f32
}

// RUN: not %{convolve}"epilogue=first" 2>&1 | FileCheck %s
func.func @first(%sum: f32, %row: i32) -> bf16 attributes {amp.epilogue = ["row-index"]} {
  %result = arith.truncf %sum : f32 to bf16
  return %result : bf16
}

// RUN: amp-opt %s --amp-generate-convolution="epilogue=greatest" | FileCheck %s --check-prefix=AMAX
// AMAX: llvm.atomicrmw umax
// RUN: not %{convolve}"epilogue=greatest channels=64 filters=64 groups=64" 2>&1 | FileCheck %s --check-prefix=DEPTHWISE
// DEPTHWISE: expected an epilogue of one result for a depthwise convolution; reduce its result
func.func @greatest(%sum: f32) -> (bf16, f32) attributes {amp.epilogue_outputs = ["amax"]} {
  %result = arith.truncf %sum : f32 to bf16
  return %result, %sum : bf16, f32
}

// RUN: %{convolve}"epilogue=plain"
func.func @plain(%sum: f32) -> bf16 {
  %result = arith.truncf %sum : f32 to bf16
  return %result : bf16
}
