// TMA: one thread loads a tile, waits for it on an mbarrier, all threads double
// it in a second buffer, one thread stores that. Each RUN line after the first
// leaves out or alters the line with its mark.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --buffer=A=f32:8x64:iota --buffer=B=f32:8x64:uninit --arg=tma:A,box=8x32 --arg=tma:B,box=8x32
// RUN: %{emu} %s --seeds=20 --print=B | FileCheck %s
// CHECK: B = [-nan, -nan
// CHECK-SAME: , 0, 2, 4, 6,
// RUN: sed 's/.*@initfence.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=INITFENCE
// RUN: sed 's/.*@init$//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=NOINIT
// RUN: sed '/@init$/s/%%c1 :/%%c2 :/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=HANGS
// RUN: sed '/@expect/s/%%size/%%less/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=HANGS
// RUN: sed '/@expect/s/%%size/%%more/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: sed 's/.*@wait.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed '/@phase/s/(0/(1/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed '/@tile/s/\[0\]/[16]/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed '/@mapped/s/, %%c0\]/]/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: sed 's/.*@proxy.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=PROXY
// RUN: sed 's/.*@written.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: sed 's/.*@drain.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=DRAIN
gpu.module @m {
  llvm.mlir.global internal @in() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<320 x f32>
  llvm.mlir.global internal @out() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<256 x f32>
  llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<1 x i64>
  llvm.func @double(%a: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %b: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %size = llvm.mlir.constant(1024 : i32) : i32
    %less = llvm.mlir.constant(1008 : i32) : i32
    %more = llvm.mlir.constant(2097152 : i32) : i32
    %ticks = llvm.mlir.constant(1000 : i32) : i32
    %phase = llvm.mlir.constant(0 : i32) : i32 // @phase
    %in = llvm.mlir.addressof @in : !llvm.ptr<3>
    %out = llvm.mlir.addressof @out : !llvm.ptr<3>
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %target = llvm.getelementptr %in[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8 // @tile
    %cluster = llvm.addrspacecast %target : !llvm.ptr<3> to !llvm.ptr<7>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %lead = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %lead, ^init, ^inited
  ^init:
    // INITFENCE: note: the init is here; follow it by fence.mbarrier_init
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32 // @init
    nvvm.fence.mbarrier.init // @initfence
    llvm.br ^inited
  ^inited:
    nvvm.barrier0 // @ready
    llvm.cond_br %lead, ^load, ^wait
  ^load:
    // NOINIT: error: mbarrier used before its init
    // RANGE: :[[#@LINE+1]]:{{[0-9]+}}: error: transaction count of an mbarrier rises above its range of 2^20 - 1 bytes
    nvvm.mbarrier.arrive.expect_tx %bar, %size : !llvm.ptr<3>, i32 // @expect
    // TILE: :[[#@LINE+2]]:{{[0-9]+}}: error: expected a tile at a multiple of 128 bytes
    // RANK: :[[#@LINE+1]]:{{[0-9]+}}: error: expected as many coordinates as the tensor map has dimensions
    nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %a, %bar, box[%c0, %c0] : !llvm.ptr<7>, !llvm.ptr // @mapped
    llvm.br ^wait
  ^wait:
    // HANGS: :[[#@LINE+1]]:{{[0-9]+}}: error: deadlock: the threads that wait here are never woken
    nvvm.mbarrier.try_wait.parity %bar, %phase, %ticks : !llvm.ptr<3>, i32, i32 // @wait
    %at = llvm.mul %tid, %c4 : i32
    %from = llvm.getelementptr %in[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    // WAIT: :[[#@LINE+2]]:{{[0-9]+}}: error: race: read of shared memory that is not ordered after its write
    // WAIT-NEXT: :[[#@LINE-8]]:{{[0-9]+}}: note: the write is here (a bulk copy)
    %v = llvm.load %from : !llvm.ptr<3> -> vector<4xf32>
    %w = llvm.fadd %v, %v : vector<4xf32>
    %to = llvm.getelementptr %out[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    // WRITTEN: :[[#@LINE+2]]:{{[0-9]+}}: error: race: write to shared memory that is not ordered after a read of the old value
    // WRITTEN-NEXT: note: the read is here (a bulk store reading)
    llvm.store %w, %to : vector<4xf32>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>} // @proxy
    nvvm.barrier0 // @written
    llvm.cond_br %lead, ^store, ^done
  ^store:
    // PROXY: :[[#@LINE+3]]:{{[0-9]+}}: error: asynchronous access to shared memory that was written without a proxy fence since
    // PROXY-NEXT: :[[#@LINE-6]]:{{[0-9]+}}: note: the ordinary write is here
    // DRAIN: :[[#@LINE+1]]:{{[0-9]+}}: error: thread exits with a bulk store that it has not waited for
    nvvm.cp.async.bulk.tensor.global.shared.cta %b, %out, box[%c32, %c0] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read} // @drain
    llvm.br ^done
  ^done:
    llvm.return
  }
}
