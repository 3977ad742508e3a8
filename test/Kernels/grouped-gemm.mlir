// Groups: a table of tiles is written first, tiles are looked up in it, and B has a matrix
// for each group.
// RUN: amp-opt %s --amp-generate-gemm="m=300 n=512 k=64 layout=nt groups=4" | FileCheck %s
// RUN: amp-opt %s --amp-generate-gemm="chip=sm_80 m=300 n=512 k=64 layout=nn groups=4 epilogue=amax" | FileCheck %s --check-prefix=SM80

// At most 300 / 128 + 4 tiles of rows, of four numbers each.
// CHECK: gpu.module @gemm attributes {amp.problem = {{.*}}family = "grouped-gemm", groups = 4
// CHECK: llvm.func @gemm_tiles(
// CHECK-SAME: {elements = 5 : i64, kind = "buffer", name = "offsets", type = i32}, {elements = 24 : i64, kind = "buffer", name = "tiles", type = i32}
// CHECK-SAME: order = 0
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK: llvm.func @gemm(
// CHECK-SAME: name = "a", shape = array<i64: 64, 300>,
// CHECK-SAME: box = array<i64: 64, 128, 1>, kind = "tensor-map", name = "b", shape = array<i64: 64, 512, 4>
// CHECK-SAME: kind = "buffer", name = "d"
// CHECK-SAME: name = "tiles"
// CHECK-SAME: name = "groups", value = 4
// Six tiles of rows by four.
// CHECK-SAME: grid = array<i64: 24, 1, 1>
// CHECK-SAME: order = 1
// CHECK: llvm.load {{.*}} invariant {{.*}} vector<4xi32>
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk.tensor.global

// SM80: llvm.func @gemm_tiles(
// SM80: llvm.func @gemm(
// SM80-SAME: {elements = 131072 : i64, kind = "buffer", name = "b"
// SM80: llvm.load {{.*}} invariant {{.*}} vector<4xi32>
// SM80: nvvm.mma.sync
// SM80: llvm.atomicrmw umax
func.func @amax(%sum: f32) -> (bf16, f32) attributes {amp.epilogue_outputs = ["amax"]} {
  %result = arith.truncf %sum : f32 to bf16
  return %result, %sum : bf16, f32
}
