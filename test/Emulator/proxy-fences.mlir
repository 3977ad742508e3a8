// Two blocks of a cluster. A thread of block 0 writes a word of global memory, one of its
// own shared memory and one of block 1's; after a cluster barrier block 1 copies from all
// three, and block 0 from its own shared memory, in the asynchronous proxy. The fence is
// the writer's, before the barrier, or the copier's, after it; each RUN line alters the
// lines with its mark. PTX, membar/fence: a proxy fence orders objects in the state space
// that it names, or in all.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --grid=2 --arg=A=i32:4:uninit --arg=B=i32:16:uninit
// RUN: %{emu} %s --seeds=5 --print=B | FileCheck %s
// CHECK: B = [8, 8, 8, 8, 9, 9, 9, 9, 7, 7, 7, 7,
//
// No fence; one of another kind; and one for each space alone.
// RUN: sed '/@writer/d' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=GLOBAL,OWN,OTHER
// RUN: sed '/@writer/s/<async>/<alias>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=GLOBAL,OWN,OTHER
// RUN: sed '/@writer/s/nvvm.*}/nvvm.fence.mbarrier.init/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=GLOBAL,OWN,OTHER
// RUN: sed '/@writer/s/nvvm.*}/nvvm.fence.proxy.release #nvvm.mem_scope<gpu>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=GLOBAL,OWN,OTHER
// RUN: sed '/@writer/s/nvvm.*}/llvm.fence seq_cst/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=GLOBAL,OWN,OTHER
// RUN: sed '/@writer/s/<async>/<async.global>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=OWN,OTHER --implicit-check-not="global memory"
// RUN: sed '/@writer/s/<async>/<async.shared>, space = #nvvm.shared_space<cluster>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=GLOBAL --implicit-check-not="shared memory"
// RUN: sed '/@writer/s/<async>/<async.shared>, space = #nvvm.shared_space<cta>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=GLOBAL,OTHER --implicit-check-not="(thread 0 of block (0,0,0))"
//
// Two fences that together name what is needed, by the writer or on the way.
// RUN: sed 's/^\(.*\)<async>\(.*@writer\)/\1<async.global>\2\n\1<async.shared>, space = #nvvm.shared_space<cluster>\2/' %s | %{emu} - | count 0
// RUN: sed '/@writer/d; s/^    .. @copier/    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}/' %s | %{emu} - | count 0
// RUN: sed '/@writer/s/<async>/<async.global>/; s/^    .. @copier/    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}/' %s | %{emu} - | count 0
//
// A fence before the write, or one that is not ordered after it, fences nothing.
// RUN: sed '/@writer/d; s/^    .. @early/    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefixes=GLOBAL,OWN,OTHER
gpu.module @m {
  llvm.mlir.global internal @word() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
  llvm.mlir.global internal @slot() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
  llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<1 x i64>
  llvm.func @k(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %bytes = llvm.mlir.constant(16 : i32) : i32
    %limit = llvm.mlir.constant(10000000 : i32) : i32
    %seven = llvm.mlir.constant(dense<7> : vector<4xi32>) : vector<4xi32>
    %eight = llvm.mlir.constant(dense<8> : vector<4xi32>) : vector<4xi32>
    %nine = llvm.mlir.constant(dense<9> : vector<4xi32>) : vector<4xi32>
    %word = llvm.mlir.addressof @word : !llvm.ptr<3>
    %slot = llvm.mlir.addressof @slot : !llvm.ptr<3>
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %first = llvm.icmp "eq" %rank, %c0 : i32
    llvm.cond_br %first, ^write, ^prepare
  ^prepare:
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    llvm.br ^meet
  ^write:
    %far = nvvm.mapa %word, %c1 : !llvm.ptr<3> -> !llvm.ptr<7>
    // @early
    llvm.store %seven, %in : vector<4xi32>, !llvm.ptr<1>
    llvm.store %eight, %word : vector<4xi32>, !llvm.ptr<3>
    llvm.store %nine, %far : vector<4xi32>, !llvm.ptr<7>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>} // @writer
    llvm.br ^meet
  ^meet:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    // @copier
    // OWN-DAG: error: asynchronous access to shared memory that was written without a proxy fence since; fence.proxy.async must name this space, or none (thread 0 of block (0,0,0))
    // OTHER-DAG: error: asynchronous access to shared memory that was written without a proxy fence since; fence.proxy.async must name this space, or none (thread 0 of block (1,0,0))
    // GLOBAL-DAG: error: asynchronous access to global memory that was written without a proxy fence since; fence.proxy.async must name this space, or none (thread 0 of block (1,0,0))
    %four = llvm.mul %rank, %bytes : i32
    %to = llvm.getelementptr %out[%four] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    llvm.cond_br %first, ^store_own, ^store_other
  ^store_own:
    nvvm.cp.async.bulk.global.shared.cta %to, %word, %bytes : !llvm.ptr<1>, !llvm.ptr<3>
    llvm.br ^stored
  ^store_other:
    nvvm.cp.async.bulk.global.shared.cta %to, %word, %bytes : !llvm.ptr<1>, !llvm.ptr<3>
    llvm.br ^stored
  ^stored:
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    llvm.cond_br %first, ^end, ^load
  ^load:
    %cl = llvm.addrspacecast %slot : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %cl, %in, %bar, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
    nvvm.mbarrier.try_wait.parity %bar, %c0, %limit : !llvm.ptr<3>, i32, i32
    %got = llvm.load %slot : !llvm.ptr<3> -> vector<4xi32>
    %last = llvm.getelementptr %out[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %got, %last : vector<4xi32>, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }
}
