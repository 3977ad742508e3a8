// A cluster of two blocks: each writes to the other's memory, arrives on its mbarrier
// and waits for its own. Each RUN line after the first leaves out or alters the line
// with its mark. Cta scope hands on nothing that threads wrote, and is fine without.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --grid=4 --arg=A=i32:4:uninit
// RUN: %{emu} %s --seeds=20 --jobs=2 --print=A | FileCheck %s
// RUN: sed 's/<cluster>/<cta>/; s/%%got = .*/%%got = llvm.add %%other, %%c0 : i32/; s/.*@write.*//' %s | %{emu} - --seeds=20 --print=A | FileCheck %s
// CHECK: A = [1, 0, 1, 0]
// RUN: sed '/@arrive/s/<cluster>/<cta>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=ARRIVE
// RUN: sed '/@wait/s/<cluster>/<cta>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed 's/.*@last.*//; s/.*@wait.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=EXIT
// RUN: sed 's/.*@last.*//; s/.*@begin.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=INIT
// RUN: sed '/@peer/s/%%other/%%c7/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not %{emu} %s --grid=3 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: amp-emu: error: expected a grid that is a multiple of the cluster 2,1,1, but got 3,1,1
gpu.module @m {
  llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<1 x i64>
  llvm.mlir.global internal @data() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<1 x i32>
  llvm.func @pair(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %other = llvm.xor %rank, %c1 : i32
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    nvvm.cluster.arrive // @begin
    nvvm.cluster.wait // @begin
    // RANK: :[[#@LINE+1]]:{{[0-9]+}}: error: mapa to block 7 of a cluster of 2
    %remote = nvvm.mapa %bar, %other : !llvm.ptr<3> -> !llvm.ptr<7> // @peer
    %data = llvm.mlir.addressof @data : !llvm.ptr<3>
    %far = nvvm.mapa %data, %other : !llvm.ptr<3> -> !llvm.ptr<7>
    llvm.store %rank, %far : i32, !llvm.ptr<7> // @write
    // EXIT: :[[#@LINE+2]]:{{[0-9]+}}: error: {{block may exit before this remote arrival on it|arrival on an mbarrier of a block that has exited}}
    // INIT: :[[#@LINE+1]]:{{[0-9]+}}: error: mbarrier used before its init
    nvvm.mbarrier.arrive %remote {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7> // @arrive
    // WAIT: :[[#@LINE+1]]:{{[0-9]+}}: error: wait with cta scope for arrivals of cluster scope from another block; use cluster scope
    %done = nvvm.mbarrier.try_wait %bar, %c0 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1 // @wait
    // ARRIVE: :[[#@LINE+1]]:{{[0-9]+}}: error: race: read of shared memory that is not ordered after its write
    %got = llvm.load %data : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %got, %to : i32, !llvm.ptr<1>
    nvvm.cluster.arrive // @last
    nvvm.cluster.wait // @last
    llvm.return
  }
}
