// What an epilogue gives beside the elements of D: parameters, exchange in a warp, stores
// of sums of parts, an atomic maximum, and the kernel that adds up the parts.
// RUN: amp-opt %s --amp-generate-gemm="m=300 n=512 k=64 layout=nt epilogue=outputs" | FileCheck %s
// RUN: amp-opt %s --amp-generate-gemm="chip=sm_80 m=300 n=512 k=64 split-k=2 epilogue=outputs" | FileCheck %s --check-prefix=SPLIT
// RUN: amp-opt %s --amp-generate-gemm="m=300 n=512 k=64 epilogue=amax" | FileCheck %s --check-prefix=AMAX
// RUN: amp-opt %s --amp-generate-gemm="m=300 n=512 k=64 epilogue=overflow" | FileCheck %s --check-prefix=OR

// Parts of 16 rows, of three tiles of 128: 24 by 512. Parts of 128 columns: 4 by 300.
// CHECK: gpu.module @gemm attributes {amp.problem = {{.*}}epilogue = "other"
// CHECK: llvm.func @gemm(
// CHECK-SAME: {elements = 12288 : i64, kind = "buffer", name = "parts0", type = f32}, {elements = 1 : i64, initial = 0 : i64, kind = "buffer", name = "output1", output = "amax", type = f32}, {elements = 1200 : i64, kind = "buffer", name = "parts2", type = f32}
// CHECK-COUNT-6: nvvm.shfl.sync bfly
// CHECK: nvvm.redux.sync umax
// CHECK: llvm.atomicrmw umax {{.*}} monotonic
// The four lanes of a row.
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: llvm.func @gemm_sums(
// CHECK-SAME: name = "parts0"
// CHECK-SAME: {elements = 512 : i64, kind = "buffer", name = "output0", output = "column-sum", type = f32}
// CHECK-SAME: name = "parts2"
// CHECK-SAME: {elements = 300 : i64, kind = "buffer", name = "output2", output = "row-sum", type = f32}
// CHECK-SAME: order = 1
// CHECK-COUNT-2: arith.addf
// CHECK-NOT: {{atomicrmw|cmpxchg|[^a-z]red[.]}}

// The second kernel applies the epilogue, a third adds up.
// SPLIT: llvm.func @gemm(
// SPLIT-NOT: name = "parts0"
// SPLIT: llvm.func @gemm_reduce(
// SPLIT-SAME: name = "parts0"
// SPLIT-SAME: order = 1
// SPLIT: llvm.atomicrmw umax
// SPLIT: llvm.func @gemm_sums(
// SPLIT-SAME: order = 2
func.func @outputs(%sum: f32) -> (bf16, f32, f32, f32)
    attributes {amp.epilogue_outputs = ["column-sum", "amax", "row-sum"]} {
  %result = arith.truncf %sum : f32 to bf16
  return %result, %sum, %sum, %sum : bf16, f32, f32, f32
}

// A maximum alone needs no kernel after it.
// AMAX: llvm.atomicrmw umax
// AMAX-NOT: @gemm_sums
func.func @amax(%sum: f32) -> (bf16, f32) attributes {amp.epilogue_outputs = ["amax"]} {
  %result = arith.truncf %sum : f32 to bf16
  return %result, %sum : bf16, f32
}

// So does an or, which writes only if there are bits.
// OR: llvm.func @gemm(
// OR-SAME: {elements = 1 : i64, initial = 0 : i64, kind = "buffer", name = "output0", output = "or", type = i32}
// OR: nvvm.redux.sync or
// OR: arith.cmpi ne
// OR: llvm.atomicrmw _or {{.*}} monotonic
// OR-NOT: @gemm_sums
func.func @overflow(%sum: f32) -> (bf16, i32) attributes {amp.epilogue_outputs = ["or"]} {
  %result = arith.truncf %sum : f32 to bf16
  %exponent = arith.constant 0x7F80 : i16
  %bits = arith.bitcast %result : bf16 to i16
  %masked = arith.andi %bits, %exponent : i16
  %is = arith.cmpi eq, %masked, %exponent : i16
  %flag = arith.extui %is : i1 to i32
  return %result, %flag : bf16, i32
}
