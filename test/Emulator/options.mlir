// The options of amp-emu that other tests of this folder leave out: files in and
// out, comparisons, and what is wrong with an option.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu %s --kernel=double
//
// A file goes in, another comes out, and is what the next run expects.
// RUN: %{emu} --arg=i32:4x8:iota --arg=B=i32:4x8:uninit --out=B=%t.npy
// RUN: %{emu} --arg=A=%t.npy --arg=B=i32:4x8:uninit --print=A --print=B | FileCheck %s --check-prefix=FILES
// FILES: A = [0, 2, 4, 6,
// FILES: B = [0, 4, 8, 12,
// RUN: %{emu} --arg=i32:4x8:iota --arg=B=i32:4x8:uninit --expect=B=%t.npy --block=32 --grid=1 --check=false
// RUN: not %{emu} --arg=i32:4x8:1 --arg=B=i32:4x8:uninit --expect=B=%t.npy 2>&1 | FileCheck %s --check-prefix=DIFFER
// DIFFER: amp-emu: error: expected 'B' to be {{.*}}.npy, but 31 of 32 elements differ, most at [3][7]: 2.000000e+00 instead of 6.200000e+01; replay with --seed=0
// RUN: not %{emu} --arg=i32:32:iota --arg=B=i32:32:uninit --expect=B=%t.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: amp-emu: error: expected '{{.*}}.npy' to have the shape of 'B', {{.*}}, but got
// RUN: not %{emu} --arg=i32:4x8:zero --arg=B=i32:4x8:zero --expect=C=%t.npy 2>&1 | FileCheck %s --check-prefix=EXPECT
// EXPECT: amp-emu: error: --expect names no buffer: 'C'
// RUN: not %{emu} --arg=A=i32:4x8:zero --arg=B=i32:4x8:zero "--expect=B=matmul(A,A)" 2>&1 | FileCheck %s --check-prefix=FIT
// FIT: amp-emu: error: expected the matrices of 'matmul(A,A)' to fit together, but got
// RUN: not %{emu} --arg=i32:4x8:zero --arg=B=i32:4x8:zero --print=C 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: amp-emu: error: --print names no buffer: 'C'
// RUN: not %{emu} --arg=i32:4x8:zero --arg=B=i32:4x8:zero --out=B 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: amp-emu: error: expected --out=NAME=file.npy with the name of a buffer, but got 'B'
//
// Numbers: 32 loads of 4 bytes are 4 sectors, and as many stores.
// RUN: %{emu} --arg=i32:4x8:iota --arg=i32:4x8:uninit --statistics | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: time: {{.*}} s on 1 host threads, {{.*}} s of their cores
// NUMBERS: wgmma: 0 FLOP, 0.000 GFLOP/s per core
// NUMBERS: mma.sync: 0 FLOP, 0.000 GFLOP/s per core
// NUMBERS: matrix loads and stores: 0 passes, 0 more for bank conflicts
// NUMBERS: shared loads and stores: 0 passes, 0 more for bank conflicts
// NUMBERS: global loads and stores: 2 of a warp, 8 sectors of 32 bytes for 256 bytes
// NUMBERS: bulk and tensor copies: 0 bytes
// NUMBERS: emulator: 0 collectives, {{[0-9]+}} switches, 0 shared and 64 global checks
//
// Findings are counted, with the seed that shows them.
// RUN: not %{emu} --arg=i32:31:iota --arg=i32:32:uninit --seed=5 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: amp-emu: error: 1 findings; replay with --seed=5
//
// RUN: echo "nonsense" | not amp-emu - 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: amp-emu: error: '-' cannot be read as MLIR
// RUN: echo "gpu.module @m { gpu.func @k() kernel { gpu.return } }" | not amp-emu - 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: expected a kernel in the NVVM dialect
// GPU: note: this is a gpu.func; lower it with 'convert-gpu-to-nvvm' first
// RUN: not amp-emu %s --buffer=i32:4:zero 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: amp-emu: error: --buffer: expected a name, as in '--buffer=A=i32:4:zero'
// RUN: not amp-emu %s --buffer=A=i32:4:zero --buffer=A=i32:5:zero 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: amp-emu: error: --buffer: buffer 'A' is defined twice
// RUN: not amp-emu %s --arg=i32:five 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: amp-emu: error: --arg: expected a number, but got 'five'
// RUN: not amp-emu %s --arg=i32:4294967296 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: amp-emu: error: --arg: expected a number of 32 bits, but got '4294967296'
// RUN: not amp-emu %s --arg=i32:-4:zero 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: amp-emu: error: --arg: expected a buffer as {{.*}} but got 'i32:-4:zero'
//
// Tables.
// RUN: not amp-emu %s --buffer=A=i32:4:zero --arg=table:A,B 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: amp-emu: error: --arg: expected names of buffers given before in 'table:A,B', but got 'B'
//
// Tensor maps.
// RUN: not amp-emu %s --arg=tma:i32:1x1x1x1x1x16:zero,box=16 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: expected a buffer of rank 1 to 5 for 'tma:i32:1x1x1x1x1x16:zero,box=16', but got rank 6
// RUN: not amp-emu %s --arg=tma:i32:4x16:zero,size=16 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: expected view, strides, box, shape, steps, swizzle, lower, upper, channels, pixels or fill=nan after 'tma:i32:4x16:zero', but got 'size=16'
// RUN: not amp-emu %s --arg=tma:i32:4x16:zero,box=16 2>&1 | FileCheck %s --check-prefix=BOX
// BOX: expected 'box' with 2 numbers like 64x64 (strides: 1 fewer, lower and upper: 2), a shape within the buffer, but got '16'
// RUN: not amp-emu %s --arg=tma:i32:4x16:zero,box=1x16,shape=4x17 2>&1 | FileCheck %s --check-prefix=PART
// PART: expected 'shape' with 2 numbers like 64x64 (strides: 1 fewer, lower and upper: 2), a shape within the buffer, but got '4x17'
// RUN: not amp-emu %s --arg=tma:i32:4x16:zero,view=8x8,strides=32x4,box=8x8 2>&1 | FileCheck %s --check-prefix=STRIDES
// STRIDES: expected 'strides' with 2 numbers like 64x64 (strides: 1 fewer, lower and upper: 2), a shape within the buffer, but got '32x4'
// RUN: not amp-emu %s --arg=tma:i32:4x16:zero,view=5x16,box=1x16 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW: expected 'view' with numbers like 64x64, a tensor within the buffer, but got '5x16'
// RUN: not amp-emu %s --arg=tma:i32:4x16:zero,box=1x16,shape=4x16 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: a shape within
// WHOLE: error: expected '--kernel' to name one of 'static', 'fits',
// RUN: not amp-emu %s --arg=tma:i32:4x16:zero,box=1x16,swizzle=48 2>&1 | FileCheck %s --check-prefix=SWIZZLE
// SWIZZLE: expected a swizzle of 0, 32, 64 or 128 bytes
// RUN: not amp-emu %s --arg=tma:i32:4x16:zero,box=1x16,steps=9x1 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: expected the element strides of a tensor map to be from 1 to 8
// RUN: not amp-emu %s --arg=tma:i32:0x16:zero,box=1x16 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: expected the sizes of a tensor map to be from 1 to 2^32
// RUN: not amp-emu %s --arg=tma:i32:4x16:zero,channels=4,pixels=4 2>&1 | FileCheck %s --check-prefix=IM2COL
// IM2COL: expected a tensor map of rank 1 to 5 (3 to 5 for im2col)
// RUN: not amp-emu %s --arg=tma:i32:2x4x16:zero,channels=300,pixels=4 2>&1 | FileCheck %s --check-prefix=CHANNELS
// CHANNELS: expected 1 to 256 channels and 1 to 1024 pixels of an im2col tile
//
// What no sm_90 launches.
// RUN: not amp-emu %s --kernel=idle --block=2048 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: amp-emu: error: expected at most 1024 threads in a block, but got 2048
// RUN: not amp-emu %s --kernel=idle --block=32 --cluster=32 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: amp-emu: error: expected at most 16 blocks in a cluster, but got 32
// RUN: not amp-emu %s --kernel=idle --block=32 --smem=300000 2>&1 | FileCheck %s --check-prefix=SMEM
// SMEM: amp-emu: error: expected at most 232448 bytes of shared memory (sm_90), but got 300000
// RUN: not amp-emu %s --kernel=idle --block=8,1,128 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: amp-emu: error: expected a block of at most 1024,1024,64 threads, but got 8,1,128
// RUN: amp-emu %s --kernel=idle --block=16,1,64
// RUN: not amp-emu %s --kernel=idle --block=1 --grid=1,65536 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: amp-emu: error: expected a grid of at most 2147483647,65535,65535 blocks, but got 1,65536,1
// RUN: not amp-emu %s --kernel=idle --block=65536,65536 2>&1 | FileCheck %s --check-prefix=WRAP
// WRAP: amp-emu: error: expected at most 1024 threads in a block, but got 4294967296
// RUN: not amp-emu %s --kernel=static --smem=1 2>&1 | FileCheck %s --check-prefix=STATIC
// STATIC: amp-emu: error: expected at most 49152 bytes of static shared memory, but got 49156; make it dynamic
// RUN: amp-emu %s --kernel=fits --smem=100000
// RUN: not amp-emu %s --kernel=wide --block=512 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: amp-emu: error: expected at most 65536 registers in a block, but got 86016: 168 for each thread
// RUN: amp-emu %s --kernel=wide --block=384
gpu.module @m {
  llvm.mlir.global internal @large() {addr_space = 3 : i32} : !llvm.array<12288 x i32>
  llvm.mlir.global internal @word() {addr_space = 3 : i32} : !llvm.array<1 x i32>
  llvm.func @static() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %p = llvm.mlir.addressof @large : !llvm.ptr<3>
    %q = llvm.mlir.addressof @word : !llvm.ptr<3>
    llvm.return
  }
  llvm.func @fits() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %p = llvm.mlir.addressof @large : !llvm.ptr<3>
    llvm.return
  }
  llvm.func @wide() attributes {nvvm.kernel, nvvm.maxnreg = 168 : i32} {
    llvm.return
  }
  llvm.func @double(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %w = llvm.add %v, %v : i32
    llvm.store %w, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @idle() attributes {nvvm.kernel} {
    llvm.return
  }
}
