// Where a tensor map may lie: the emulator knows those that are arguments of the kernel,
// and reads no other. fence.proxy of the tensormap proxy fences one in global memory.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<64 x f32>
  llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<1 x i64>

  // options: --arg=i8:128:zero
  llvm.func @load_in_memory(%map: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %to = llvm.addrspacecast %tile : !llvm.ptr<3> to !llvm.ptr<7>
    %m = llvm.addrspacecast %map : !llvm.ptr<1> to !llvm.ptr
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    // error+1: expected a tensor map that is an argument of the kernel; the emulator has no model of those that lie in memory
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %m, %bar, box[%c0, %c0] : !llvm.ptr<7>, !llvm.ptr
    llvm.return
  }

  // In shared memory, and nowhere.
  // options: --buffer=A=f32:8x64:zero --arg=tma:A,box=8x8
  llvm.func @store(%map: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %eight = llvm.mlir.constant(8 : i64) : i64
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %in_shared = llvm.addrspacecast %tile : !llvm.ptr<3> to !llvm.ptr
    %nowhere = llvm.inttoptr %eight : i64 to !llvm.ptr
    %inside = llvm.getelementptr %map[8] : (!llvm.ptr) -> !llvm.ptr, i8
    // error+1: expected a tensor map that is an argument of the kernel
    nvvm.cp.async.bulk.tensor.global.shared.cta %in_shared, %tile, box[%c0, %c0] : !llvm.ptr, !llvm.ptr<3>
    // error+1: expected a tensor map that is an argument of the kernel
    nvvm.cp.async.bulk.tensor.reduce %nowhere, %tile, box[%c0, %c0] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
    // error+1: expected a tensor map that is an argument of the kernel
    nvvm.cp.async.bulk.tensor.global.shared.cta %inside, %tile, box[%c0, %c0] : !llvm.ptr, !llvm.ptr<3>
    llvm.return
  }

  // options: --buffer=A=f32:8x8:uninit --arg=tma:A,box=8x8 --arg=O=i32:1:zero
  llvm.func @store_by_argument(%map: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %p = llvm.getelementptr %tile[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %one, %p : f32, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    nvvm.barrier0
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %first, ^store, ^end
  ^store:
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %tile, box[%c0, %c0] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    llvm.br ^end
  ^end:
    llvm.return
  }

  // options: --arg=M=i8:256:zero
  llvm.func @fence(%map: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %size = llvm.mlir.constant(128 : i32) : i32
    %at = llvm.getelementptr %map[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %m = llvm.addrspacecast %at : !llvm.ptr<1> to !llvm.ptr
    nvvm.fence.proxy.release #nvvm.mem_scope<gpu>
    nvvm.fence.proxy.acquire #nvvm.mem_scope<gpu> %m, %size
    llvm.return
  }

  // Half of one, one that is half outside, and one in shared memory.
  // options: --arg=M=i8:256:zero
  llvm.func @fence_of_no_map(%map: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %size = llvm.mlir.constant(128 : i32) : i32
    %half = llvm.mlir.constant(64 : i32) : i32
    %m = llvm.addrspacecast %map : !llvm.ptr<1> to !llvm.ptr
    %past = llvm.getelementptr %m[192] : (!llvm.ptr) -> !llvm.ptr, i8
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %shared = llvm.addrspacecast %tile : !llvm.ptr<3> to !llvm.ptr
    // error+1: expected a fence of 128 bytes of global memory
    nvvm.fence.proxy.acquire #nvvm.mem_scope<gpu> %m, %half
    // error+1: expected a fence of 128 bytes of global memory
    nvvm.fence.proxy.acquire #nvvm.mem_scope<gpu> %past, %size
    // error+1: expected a fence of 128 bytes of global memory
    nvvm.fence.proxy.acquire #nvvm.mem_scope<gpu> %shared, %size
    llvm.return
  }
}
