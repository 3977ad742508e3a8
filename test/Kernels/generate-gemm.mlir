// RUN: amp-opt %s --amp-generate-gemm="m=300 n=512 k=520 layout=nt epilogue=bias" | FileCheck %s
// RUN: amp-opt %s --amp-generate-gemm="m=304 n=512 k=520 layout=tn tile=128x256 cluster=2" | FileCheck %s --check-prefix=CLUSTER
// RUN: amp-opt %s --amp-generate-gemm="m=300 n=512 k=520 split-k=4 d-type=f32 name=parts" | FileCheck %s --check-prefix=SPLIT
// RUN: amp-opt %s --amp-generate-gemm="m=300 n=511 k=519 layout=nn" | FileCheck %s --check-prefix=PLAIN
// RUN: amp-opt %s --amp-generate-gemm="chip=sm_80 m=300 n=512 k=520 layout=nn epilogue=bias" | FileCheck %s --check-prefix=SM80
// RUN: amp-opt %s --amp-generate-gemm="m=300 n=512 k=528 batch=3 a-type=f8E4M3FN b-type=f8E5M2 layout=nt" | FileCheck %s --check-prefix=BATCH

func.func @bias(%sum: f32, %bias: f32) -> bf16 attributes {amp.epilogue = ["column"]} {
  %biased = arith.addf %sum, %bias : f32
  %result = arith.truncf %biased : f32 to bf16
  return %result : bf16
}

// The module, the kernel, and how to launch it.
// CHECK: gpu.container_module
// CHECK: gpu.module @gemm attributes {amp.problem = {a = bf16, b = bf16, batch = 1 : i64, d = bf16, epilogue = [{op = "add", operand = "operand0"}], family = "gemm", k = 520 : i64, layout = "nt", lda = 0 : i64, ldb = 0 : i64, ldd = 0 : i64, m = 300 : i64, n = 512 : i64, tile = array<i64: 128, 128, 64>}} {
// CHECK-NEXT: llvm.mlir.global external @gemm_memory() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK: llvm.func @gemm(
// CHECK-SAME: {box = array<i64: 64, 128>, kind = "tensor-map", name = "a", shape = array<i64: 520, 300>, strides = array<i64: 1040>, swizzle = 128 : i64, type = bf16}
// CHECK-SAME: {box = array<i64: 64, 128>, kind = "tensor-map", name = "b", shape = array<i64: 520, 512>, strides = array<i64: 1040>
// CHECK-SAME: {box = array<i64: 64, 64>, kind = "tensor-map", name = "d", shape = array<i64: 512, 300>, strides = array<i64: 1024>
// CHECK-SAME: {elements = 512 : i64, kind = "buffer", name = "operand0", operand = "column", type = f32}
// CHECK-SAME: {kind = "number", multiple = 1 : i64, name = "m", value = 300 : i64}
// CHECK-SAME: block = array<i64: 384, 1, 1>, blocks_per_multiprocessor = 1 : i64, cluster = array<i64: 1, 1, 1>, grid = array<i64: 12, 1, 1>, grid_multiple = 1 : i64, order = 0 : i64, shared_memory = 229472 : i64
// CHECK-SAME: gpu.kernel, nvvm.kernel
// One thread prepares the barriers: one producer, two consumers.
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier0
// The producer fills the ring.
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: scf.for
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
// A consumer empties it, one group behind.
// CHECK: nvvm.setmaxregister increase 232
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// The epilogue, on pairs.
// CHECK: llvm.load {{.*}} vector<2xf32>
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : vector<2xf32>
// CHECK: arith.truncf %[[SUM]] : vector<2xf32> to vector<2xbf16>
// CHECK: nvvm.stmatrix
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.wait_group 0

// Each block loads its A, two boxes of 64 of M, and half of B, two boxes of 64 of N.
// CLUSTER: name = "a", shape = array<i64: 304, 520>
// CLUSTER-SAME: box = array<i64: 64, 64>, kind = "tensor-map", name = "b"
// CLUSTER-SAME: cluster = array<i64: 2, 1, 1>, grid = array<i64: 8, 1, 1>, grid_multiple = 2 : i64
// CLUSTER-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CLUSTER: nvvm.cluster.arrive.relaxed {aligned}
// CLUSTER-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[{{[^]]*}}] :
// CLUSTER-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask =
// CLUSTER: nvvm.mapa
// CLUSTER: nvvm.cluster.wait
// CLUSTER: llvm.return

// Two kernels in their order, with the workspace between them.
// SPLIT: gpu.module @parts
// SPLIT: llvm.func @parts(
// SPLIT-SAME: name = "workspace", shape = array<i64: 512, 1536>
// SPLIT-SAME: order = 0
// SPLIT: llvm.func @parts_reduce(
// SPLIT-SAME: elements = 786432 : i64, kind = "buffer", name = "workspace", type = f32
// SPLIT-SAME: order = 1
// SPLIT-COUNT-4: llvm.load {{.*}} vector<2xf32>
// SPLIT: llvm.return

// Rows that are no multiples of 16 bytes: no TMA, and no pairs of columns.
// PLAIN: kind = "buffer", name = "a"
// PLAIN-SAME: kind = "buffer", name = "b"
// PLAIN-SAME: kind = "buffer", name = "d"
// PLAIN-SAME: name = "lda", value = 519
// PLAIN-NOT: nvvm.cp.async.bulk
// PLAIN: nvvm.setmaxregister decrease 104
// PLAIN: nvvm.fence.proxy
// PLAIN: nvvm.wgmma.mma_async
// PLAIN: llvm.return

// A tensor map of rank 3, and a stage twice as deep.
// BATCH: box = array<i64: 128, 128, 1>, kind = "tensor-map", name = "a", shape = array<i64: 528, 300, 3>, strides = array<i64: 528, 158400>
// BATCH-SAME: name = "batch", value = 3
// BATCH: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 32>, {{.*}}A[<e4m3>, {{.*}}B[<e5m2>

// Four slots are filled before the loop, each by a group of copies. A turn fills a
// slot and computes four steps of 4x4 products, 64x32 of the tile; before the last it
// waits for one group, never for all.
// SM80: llvm.func @gemm(
// SM80-SAME: {elements = 156000 : i64, kind = "buffer", name = "a", type = bf16}
// SM80-SAME: {kind = "number", multiple = 8 : i64, name = "lda", value = 520 : i64}
// SM80-SAME: block = array<i64: 256, 1, 1>, blocks_per_multiprocessor = 1 : i64, cluster = array<i64: 1, 1, 1>, grid = array<i64: 12, 1, 1>, grid_multiple = 1 : i64, order = 0 : i64, shared_memory = 163840 : i64
// SM80: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// SM80-COUNT-4: nvvm.cp.async.commit.group
// SM80: nvvm.cp.async.wait.group 3
// SM80: nvvm.barrier0
// SM80: scf.for
// SM80: nvvm.cp.async.commit.group
// SM80: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
// SM80: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
// SM80-COUNT-48: nvvm.mma.sync
// SM80-NOT: nvvm.mma.sync
// SM80: nvvm.cp.async.wait.group 3
// SM80: nvvm.barrier0
// SM80: nvvm.ldmatrix
// SM80-COUNT-16: nvvm.mma.sync
// SM80: scf.yield
// SM80: nvvm.cp.async.wait.group 0
// SM80: nvvm.barrier0
// SM80: arith.addf {{.*}} : vector<2xf32>
// SM80: llvm.store {{.*}} : vector<2xbf16>

// The grid is all tiles, however many: how many blocks walk over them, the device says
// that runs them. Two of a small tile have room on a multiprocessor.
// RUN: amp-opt %s --amp-generate-gemm="m=8192 n=8192 k=64 layout=nt tile=64x128" | FileCheck %s --check-prefix=LARGE
// LARGE: block = array<i64: 256, 1, 1>, blocks_per_multiprocessor = 2 : i64, cluster = array<i64: 1, 1, 1>, grid = array<i64: 8192, 1, 1>, grid_multiple = 1 : i64
// RUN: amp-opt %s --amp-generate-gemm="m=0 n=64 k=64 tile=128x256 cluster=2" | FileCheck %s --check-prefix=EMPTY
// EMPTY: cluster = array<i64: 2, 1, 1>, grid = array<i64: 2, 1, 1>, grid_multiple = 2 : i64
