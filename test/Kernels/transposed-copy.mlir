// Operands of 8 bits that are not stored with K innermost are copied transposed first.
// RUN: amp-opt %s --amp-generate-gemm="m=304 n=512 k=72 layout=tn a-type=f8E5M2 b-type=f8E4M3FN split-k=2" | FileCheck %s
// RUN: amp-opt %s --amp-generate-gemm="m=304 n=510 k=72 layout=nn a-type=f8E5M2 b-type=f8E5M2" | FileCheck %s --check-prefix=B
// RUN: amp-opt %s --amp-generate-gemm="m=304 n=512 k=80 layout=nt a-type=f8E5M2 b-type=f8E5M2" | FileCheck %s --check-prefix=NONE

// K is rounded up to 80 in the copies; kernels run in the order in which they stand.
// CHECK: amp.problem = {{.*}} layout = "tn"
// CHECK: llvm.func @gemm_copy_a(
// CHECK-SAME: {elements = 21888 : i64, kind = "buffer", name = "a", type = f8E5M2}, {elements = 24320 : i64, kind = "buffer", name = "a_copy", type = f8E5M2}
// CHECK-SAME: {kind = "number", multiple = 16 : i64, name = "lda", value = 304 : i64}
// CHECK-SAME: order = 0
// CHECK: llvm.load {{.*}} vector<4xi32>
// CHECK: nvvm.barrier0
// CHECK-COUNT-16: llvm.load {{.*}} -> i8
// CHECK: llvm.store {{.*}} vector<4xi32>
// CHECK: nvvm.barrier0
// CHECK: llvm.func @gemm_copy_b(
// CHECK-SAME: order = 1
// CHECK: llvm.func @gemm(
// CHECK-SAME: name = "a_copy", shape = array<i64: 72, 304>, strides = array<i64: 80>
// CHECK-SAME: name = "b_copy", shape = array<i64: 72, 512>, strides = array<i64: 80>
// CHECK-SAME: order = 2
// CHECK: llvm.func @gemm_reduce(
// CHECK-SAME: order = 3

// Rows that are not multiples of 16 bytes: byte by byte.
// B-NOT: copy_a
// B: llvm.func @gemm_copy_b(
// B-SAME: {kind = "number", multiple = 1 : i64, name = "ldb", value = 510 : i64}
// B-COUNT-32: llvm.load {{.*}} -> i8
// B: llvm.func @gemm(
// B-SAME: name = "a",
// B-SAME: name = "b_copy",

// NONE-NOT: copy
// NONE: llvm.return
