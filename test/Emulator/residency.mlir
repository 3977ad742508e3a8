// A grid whose blocks wait for each other must fit on the chip: 132
// multiprocessors, of which each has room for one block with this much shared
// memory, so that 8 clusters of 16 fit. What waits for blocks before it needs no
// such room.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu %s --smem=200000 --arg=count=i32:1:zero
// RUN: %{emu} --kernel=meet --grid=128
// RUN: %{emu} --kernel=meet --grid=128 --jobs=2
// RUN: not %{emu} --kernel=meet --grid=144 2>&1 | FileCheck %s
// RUN: not %{emu} --kernel=meet --grid=144 --jobs=2 2>&1 | FileCheck %s
// Of half the memory, less 1 KiB that the system takes of each block, two blocks
// fit.
// RUN: amp-emu %s --kernel=meet --grid=144 --smem=115712 --arg=count=i32:1:zero
// RUN: not amp-emu %s --kernel=meet --grid=144 --smem=115713 --arg=count=i32:1:zero 2>&1 | FileCheck %s
// RUN: %{emu} --kernel=follow --grid=200
// RUN: %{emu} --kernel=follow --grid=200 --jobs=2 --seed=3
gpu.module @m {
  llvm.mlir.global external @memory() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.func @meet(%count: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 16, 1, 1>} {
    %m = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %n = nvvm.read.ptx.sreg.nclusterid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %first = llvm.icmp "eq" %rank, %c0 : i32
    llvm.cond_br %first, ^arrive, ^done
  ^arrive:
    %o = llvm.atomicrmw add %count, %c1 acq_rel : !llvm.ptr<1>, i32
    llvm.br ^wait
  ^wait:
    // CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: livelock: the threads that wait here are never woken; of 9 clusters of the grid the chip holds 8 at once, and the others have not begun
    %v = llvm.load %count atomic acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %all = llvm.icmp "eq" %v, %n : i32
    llvm.cond_br %all, ^done, ^wait
  ^done:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }
  llvm.func @follow(%count: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %m = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    llvm.br ^wait
  ^wait:
    %v = llvm.load %count atomic acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %mine = llvm.icmp "eq" %v, %b : i32
    llvm.cond_br %mine, ^done, ^wait
  ^done:
    %o = llvm.atomicrmw add %count, %c1 acq_rel : !llvm.ptr<1>, i32
    llvm.return
  }
}
