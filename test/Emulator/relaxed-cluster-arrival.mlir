// A block of a cluster writes a word of its own shared memory and one of the other block's;
// after the cluster barrier, at which it arrives relaxed, the other reads both. A relaxed
// arrival hands on what a fence of at least the cluster's scope covered before it, and no
// more. Each RUN line alters the lines with its mark.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --grid=2 --arg=A=i32:4:uninit
// RUN: %{emu} %s --seeds=5 --print=A | FileCheck %s
// CHECK: A = [1, 1, 0, 0]
//
// Wider fences, and arrivals that release by themselves.
// RUN: sed '/@fence/s/"cluster"/"device"/' %s | %{emu} - | count 0
// RUN: sed '/@fence/s/release/acq_rel/' %s | %{emu} - | count 0
// RUN: sed '/@fence/s/llvm.fence.*/nvvm.fence.sc.cluster/' %s | %{emu} - | count 0
// RUN: sed '/@fence/d; /@arrive/s/.relaxed//' %s | %{emu} - | count 0
//
// No fence, one that is narrower, for the other side or after the arrival.
// RUN: sed '/@fence/d' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=OWN,FAR
// RUN: sed '/@fence/s/"cluster"/"block"/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=OWN,FAR
// RUN: sed '/@fence/s/release/acquire/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=OWN,FAR
// RUN: sed '/@fence/s/llvm.fence.*/nvvm.fence.mbarrier.init/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=OWN,FAR
// RUN: sed 's/^    .. @after/    llvm.fence syncscope("cluster") release/; /@fence/d' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=OWN,FAR
//
// One between the writes covers the first.
// RUN: sed 's/^    .. @between/    llvm.fence syncscope("cluster") release/; /@fence/d' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=FAR,ONE
gpu.module @m {
  llvm.mlir.global internal @own() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<1 x i32>
  llvm.mlir.global internal @data() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<1 x i32>
  llvm.func @pair(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %other = llvm.xor %rank, %c1 : i32
    %own = llvm.mlir.addressof @own : !llvm.ptr<3>
    %data = llvm.mlir.addressof @data : !llvm.ptr<3>
    %theirs = nvvm.mapa %own, %other : !llvm.ptr<3> -> !llvm.ptr<7>
    %far = nvvm.mapa %data, %other : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.store %rank, %own : i32, !llvm.ptr<3>
    // @between
    llvm.store %rank, %far : i32, !llvm.ptr<7>
    llvm.fence syncscope("cluster") release // @fence
    nvvm.cluster.arrive.relaxed // @arrive
    // @after
    nvvm.cluster.wait
    // OWN: error: race: read of shared memory that is not ordered after its write
    %a = llvm.load %theirs : !llvm.ptr<7> -> i32
    // FAR: error: race: read of shared memory that is not ordered after its write
    %b = llvm.load %data : !llvm.ptr<3> -> i32
    // ONE: amp-emu: error: 1 findings
    %at = llvm.mul %rank, %c2 : i32
    %to = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %a, %to : i32, !llvm.ptr<1>
    %next = llvm.getelementptr %to[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %b, %next : i32, !llvm.ptr<1>
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }
}
