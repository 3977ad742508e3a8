// RUN: amp-opt %s --amp-generate-convolution="chip=sm_80 batch=8 height=28 width=30 channels=64 filters=96 filter=3x5 stride=2x1 padding=1x2 groups=2 epilogue=bias" | FileCheck %s
// RUN: amp-opt %s --amp-generate-convolution="chip=sm_80 kind=data-gradient batch=8 height=28 width=30 channels=64 filters=96 filter=3x5 stride=2x1 padding=1,0,2,1 tile=64x64 name=gradient" | FileCheck %s --check-prefix=DATA
// RUN: amp-opt %s --amp-generate-convolution="chip=sm_80 kind=weight-gradient batch=8 height=28 width=30 channels=64 filters=96 filter=3x5 d-type=f32 split-k=4" | FileCheck %s --check-prefix=WEIGHT
// RUN: amp-opt %s --amp-generate-convolution="chip=sm_80 batch=8 height=28 width=30 channels=3 filters=96 filter=3x5" | FileCheck %s --check-prefix=ELEMENTS
// RUN: amp-opt %s --amp-generate-convolution="chip=sm_80 batch=8 height=28 width=30 channels=64 filters=96 access=threads" | FileCheck %s --check-prefix=CHUNKS
// RUN: amp-opt %s --amp-generate-convolution="batch=8 height=28 width=30 channels=64 filters=96 access=threads" | FileCheck %s --check-prefix=SM90
// RUN: amp-opt %s --amp-generate-convolution="batch=8 height=28 width=30 channels=64 filters=96 filter=3x5 stride=2x1 padding=1,0,2,1" | FileCheck %s --check-prefix=GATHER
// RUN: amp-opt %s --amp-generate-convolution="kind=data-gradient batch=8 height=28 width=30 channels=64 filters=96 filter=3x5 stride=2x1 padding=1,0,2,1" | FileCheck %s --check-prefix=CLASSES
// RUN: amp-opt %s --amp-generate-convolution="kind=weight-gradient batch=8 height=28 width=30 channels=72 filters=96 filter=3x5 split-k=2" | FileCheck %s --check-prefix=REST
// RUN: amp-opt %s --amp-generate-convolution="batch=8 height=28 width=30 channels=72 filters=96 groups=2" | FileCheck %s --check-prefix=FALLBACK
// RUN: amp-opt %s --amp-generate-convolution="batch=8 height=28 width=30 channels=72 filters=72 groups=72 filter=3x3 padding=1x1 epilogue=bias" | FileCheck %s --check-prefix=DEPTHWISE
// RUN: amp-opt %s --amp-generate-convolution="kind=weight-gradient batch=8 height=28 width=30 channels=72 filters=72 groups=72 filter=3x3" | FileCheck %s --check-prefix=PARTS
// RUN: amp-opt %s --amp-generate-convolution="batch=8 height=28 width=30 channels=1 filters=72 filter=3x3" | FileCheck %s --check-prefix=ONE

func.func @bias(%sum: f32, %bias: f32) -> bf16 attributes {amp.epilogue = ["column"]} {
  %biased = arith.addf %sum, %bias : f32
  %result = arith.truncf %biased : f32 to bf16
  return %result : bf16
}

// CHECK: gpu.container_module
// CHECK: gpu.module @convolution attributes {amp.problem = {c = 64 : i64, dilation = array<i64: 1, 1>, direction = "forward", epilogue = [{op = "add", operand = "operand0"}], f = bf16, family = "convolution", format = "nhwc", groups = 2 : i64, h = 28 : i64, k = 96 : i64, n = 8 : i64, padding = array<i64: 1, 2>, r = 3 : i64, s = 5 : i64, stride = array<i64: 2, 1>, tile = array<i64: 128, 128, 64>, w = 30 : i64, x = bf16, y = bf16}} {
// CHECK: llvm.func @convolution(
// CHECK-SAME: {elements = 430080 : i64, kind = "buffer", name = "x", type = bf16}
// CHECK-SAME: {elements = 46080 : i64, kind = "buffer", name = "f", type = bf16}
// CHECK-SAME: {elements = 322560 : i64, kind = "buffer", name = "y", type = bf16}
// A bias for each filter, of all groups.
// CHECK-SAME: {elements = 96 : i64, kind = "buffer", name = "operand0", operand = "column", type = f32}
// CHECK-SAME: {kind = "number", multiple = 1 : i64, name = "batch", value = 8 : i64}
// CHECK-SAME: {kind = "number", multiple = 32 : i64, name = "run", value = 32 : i64}
// Four stages ahead of the loop and one in it, four chunks of A and of B in each.
// CHECK-COUNT-40: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: nvvm.mma.sync
// CHECK: llvm.return

// Only the rows of the image have classes; which taps they meet is chosen.
// DATA: gpu.module @gradient attributes {amp.problem = {{.*}}direction = "data-gradient"{{.*}}padding = array<i64: 1, 2, 0, 1>
// DATA: llvm.func @gradient(
// DATA-SAME: name = "y"
// DATA-SAME: name = "f"
// DATA-SAME: name = "x"
// DATA-SAME: {kind = "number", multiple = 96 : i64, name = "run", value = 96 : i64}
// DATA: arith.select
// DATA: nvvm.cp.async.shared.global
// DATA: llvm.return

// Two kernels in their order, with the workspace between them.
// WEIGHT: llvm.func @convolution(
// WEIGHT-SAME: name = "y"
// WEIGHT-SAME: name = "x"
// WEIGHT-SAME: {elements = 491520 : i64, kind = "buffer", name = "workspace", type = f32}
// WEIGHT-SAME: name = "batch"
// WEIGHT-SAME: order = 0
// WEIGHT: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
// WEIGHT: llvm.func @convolution_reduce(
// WEIGHT-SAME: {elements = 92160 : i64, kind = "buffer", name = "f", type = f32}
// WEIGHT-SAME: order = 1

// Three channels: an element of A at a time, none outside; whole chunks of no operand.
// ELEMENTS-NOT: nvvm.cp.async.shared.global
// ELEMENTS: scf.if {{.*}} -> (i16)
// ELEMENTS-NEXT: llvm.load {{.*}} {alignment = 2 : i64}
// ELEMENTS-NOT: nvvm.cp.async.shared.global
// ELEMENTS: llvm.return

// CHUNKS-NOT: nvvm.cp.async.shared.global
// CHUNKS: scf.if {{.*}} -> (vector<4xi32>)
// CHUNKS-NEXT: llvm.load {{.*}} {alignment = 16 : i64}
// CHUNKS: llvm.return

// The warpgroup that loads has 128 threads for it, and fences before it signals.
// SM90: nvvm.setmaxregister decrease 104
// SM90: scf.if {{.*}} -> (vector<4xi32>)
// SM90: nvvm.fence.proxy
// SM90: nvvm.mbarrier.arrive
// SM90: nvvm.wgmma.mma_async
// SM90: llvm.return

// First pixels from (-1, -2) to (28 - 2, 30 - 3), every second row; 64 channels of 128
// pixels in a copy. Filters as taps and channels.
// GATHER: llvm.func @convolution(
// GATHER-SAME: {channels = 64 : i64, kind = "im2col-map", lower = array<i64: -2, -1>, name = "x", pixels = 128 : i64, shape = array<i64: 64, 30, 28, 8>, steps = array<i64: 1, 1, 2, 1>, strides = array<i64: 128, 3840, 107520>, swizzle = 128 : i64, type = bf16, upper = array<i64: -3, -2>}
// GATHER-SAME: {box = array<i64: 64, 1, 128>, kind = "tensor-map", name = "f", shape = array<i64: 64, 15, 96>, strides = array<i64: 128, 1920>
// GATHER-SAME: {box = array<i64: 64, 64>, kind = "tensor-map", name = "y", shape = array<i64: 96, 3248>, strides = array<i64: 192>
// GATHER: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, box[{{[^,]*, [^,]*, [^,]*, [^,]*}}] im2col[{{[^,]*, [^,]*}}] {mode = #nvvm.tma_load_mode<im2col>}
// GATHER: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, box[{{[^,]*, [^,]*, [^,]*}}] :
// GATHER-NOT: nvvm.cp.async.bulk.tensor.shared.cluster.global
// GATHER: nvvm.wgmma.mma_async
// GATHER: nvvm.cp.async.bulk.tensor.global.shared.cta
// GATHER: llvm.return

// One map for both classes of rows, whose results are stored pixel by pixel; filters with
// their channels innermost.
// CLASSES: llvm.func @convolution(
// CLASSES-SAME: kind = "im2col-map", lower = array<i64: -2, 0>, name = "y", pixels = 128 : i64, shape = array<i64: 96, 29, 14, 8>, steps = array<i64: 1, 1, 1, 1>
// CLASSES-SAME: upper = array<i64: -1, 0>}
// CLASSES-SAME: {box = array<i64: 64, 1, 64>, kind = "tensor-map", name = "f"
// CLASSES-SAME: {elements = 430080 : i64, kind = "buffer", name = "x", type = bf16}
// CLASSES: im2col[
// CLASSES-NOT: im2col[
// CLASSES-NOT: nvvm.cp.async.bulk.tensor.global.shared.cta
// CLASSES: llvm.return

// 72 channels are two copies: in the workspace, 128 columns for each of 15 taps.
// REST: llvm.func @convolution(
// REST-SAME: kind = "tensor-map", name = "y"
// REST-SAME: kind = "im2col-map"
// REST-SAME: name = "x", pixels = 64 : i64
// REST-SAME: {box = array<i64: 32, 64>, kind = "tensor-map", name = "workspace", shape = array<i64: 1920, 256>, strides = array<i64: 7680>
// REST: llvm.func @convolution_reduce(
// REST-SAME: {elements = 103680 : i64, kind = "buffer", name = "f", type = bf16}
// REST-SAME: name = "n", value = 1080

// 36 channels of a group are no multiple of 16 bytes.
// FALLBACK-NOT: im2col
// FALLBACK: llvm.return

// Eight channels of a pixel in a load and in a store.
// DEPTHWISE: gpu.module @convolution attributes {amp.problem = {c = 72 : i64
// DEPTHWISE-NOT: tile =
// DEPTHWISE: llvm.func @convolution(
// DEPTHWISE-SAME: name = "x"
// DEPTHWISE-SAME: name = "f"
// DEPTHWISE-SAME: name = "y"
// DEPTHWISE-SAME: name = "operand0"
// 72 channels are two slabs, each of which a grid has to have alike.
// DEPTHWISE-SAME: blocks_per_multiprocessor = 2 : i64, cluster = array<i64: 1, 1, 1>, grid = array<i64: 112, 1, 1>, grid_multiple = 2 : i64
// Nine taps of 64 channels.
// DEPTHWISE-SAME: shared_memory = 1152
// DEPTHWISE: nvvm.barrier0
// DEPTHWISE: llvm.load {{.*}} -> vector<8xbf16>
// DEPTHWISE: math.fma {{.*}} : vector<8xf32>
// DEPTHWISE: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xbf16>
// DEPTHWISE-NOT: nvvm.barrier0
// DEPTHWISE: llvm.return

// The parts are the kernel's: no device may have more or fewer.
// PARTS: llvm.func @convolution(
// PARTS-SAME: name = "workspace"
// PARTS-SAME: block = array<i64: 256, 1, 1>, cluster = array<i64: 1, 1, 1>, grid = array<i64: 92, 1, 1>, order = 0
// PARTS: llvm.func @convolution_reduce(
// PARTS-SAME: name = "workspace"
// PARTS-SAME: name = "f"
// PARTS-SAME: order = 1

// A single channel in all is no group among others.
// ONE: nvvm.wgmma.mma_async
