// RUN: amp-opt %s --amp-generate-attention="batch=2 heads=4 rows=100 columns=70 depth=64 mask=causal layout=rows sums=true" | FileCheck %s
// RUN: amp-opt %s --amp-generate-attention="kind=backward heads=4 rows=100 columns=70 depth=32 mask=f16 type=f16 name=gradients" | FileCheck %s --check-prefix=BACKWARD

// A block for 64 queries of each head, five tiles of shared memory, no memory for a causal
// mask; whole rows of all heads in one tensor.
// CHECK: gpu.module @attention
// CHECK: llvm.func @attention(
// CHECK-SAME: {elements = 153600 : i64, kind = "buffer", name = "q", type = bf16}
// CHECK-SAME: {elements = 107520 : i64, kind = "buffer", name = "k", type = bf16}
// CHECK-SAME: {elements = 107520 : i64, kind = "buffer", name = "v", type = bf16}
// CHECK-SAME: {elements = 51200 : i64, kind = "buffer", name = "o", type = bf16}
// CHECK-SAME: {elements = 800 : i64, kind = "buffer", name = "exponents", type = f32}
// CHECK-SAME: {elements = 800 : i64, kind = "buffer", name = "inverses", type = f32}]
// CHECK-SAME: block = array<i64: 128, 1, 1>
// CHECK-SAME: grid = array<i64: 16, 1, 1>
// CHECK-SAME: shared_memory = 40960
// CHECK: nvvm.mma.sync
// CHECK: math.exp2
// CHECK-NOT: llvm.func

// The kernel of queries leaves `delta` for that of keys; both read the mask.
// BACKWARD: gpu.module @gradients
// BACKWARD: llvm.func @gradients_queries(
// BACKWARD-SAME: name = "exponents"
// BACKWARD-SAME: name = "inverses"
// BACKWARD-SAME: name = "delta"
// BACKWARD-SAME: name = "dq"
// BACKWARD-SAME: {elements = 28000 : i64, kind = "buffer", name = "mask", type = f16}]
// BACKWARD-SAME: grid = array<i64: 8, 1, 1>
// BACKWARD-SAME: order = 0
// BACKWARD: llvm.func @gradients_keys(
// BACKWARD-SAME: name = "delta"
// BACKWARD-SAME: name = "dk"
// BACKWARD-SAME: name = "dv"
// BACKWARD-SAME: name = "mask"
// BACKWARD-SAME: grid = array<i64: 8, 1, 1>
// BACKWARD-SAME: order = 1
