// The bytes of an mbarrier are its own from its init to its inval, and an inval comes
// after every use (PTX ISA, mbarrier: Lifecycle of the mbarrier object).
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i64>
  llvm.func @written() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %c32 = llvm.mlir.constant(32 : i32) : i32
    llvm.cond_br %first, ^init, ^begin
  ^init:
    nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32
    llvm.br ^begin
  ^begin:
    nvvm.barrier0
    llvm.cond_br %first, ^write, ^end
  ^write:
    // error+2: access to the bytes of a live mbarrier; put it elsewhere or invalidate it first
    // note-7: its init is here
    llvm.store %c1, %bar : i32, !llvm.ptr<3>
    llvm.br ^end
  ^end:
    llvm.return
  }
  // The upper half, by a thread that did not write it.
  llvm.func @read() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %c32 = llvm.mlir.constant(32 : i32) : i32
    llvm.cond_br %first, ^init, ^begin
  ^init:
    nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32
    llvm.br ^begin
  ^begin:
    nvvm.barrier0
    %half = llvm.getelementptr %bar[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    // error+1: access to the bytes of a live mbarrier; put it elsewhere or invalidate it first
    %v = llvm.load %half : !llvm.ptr<3> -> i32
    llvm.return
  }
  // A copy of 16 bytes, of which the mbarrier is the second half.
  // options: --arg=i32:4:zero
  llvm.func @copied_over(%in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %upper = llvm.getelementptr %bar[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.init %upper, %c1 : !llvm.ptr<3>, i32
    // error+1: access to the bytes of a live mbarrier; put it elsewhere or invalidate it first
    nvvm.cp.async.shared.global %bar, %in, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    llvm.return
  }
  llvm.func @beside() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %c32 = llvm.mlir.constant(32 : i32) : i32
    llvm.cond_br %first, ^init, ^begin
  ^init:
    nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32
    llvm.br ^begin
  ^begin:
    nvvm.barrier0
    // clean
    llvm.cond_br %first, ^write, ^go
  ^write:
    %next = llvm.getelementptr %bar[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.store %c1, %next : i32, !llvm.ptr<3>
    %v = llvm.load %next : !llvm.ptr<3> -> i32
    llvm.br ^go
  ^go:
    %t = llvm.mlir.constant(10000000 : i32) : i32
    %s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
    nvvm.mbarrier.try_wait.parity %bar, %c0, %t : !llvm.ptr<3>, i32, i32
    llvm.return
  }
  llvm.func @memory_again() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %c32 = llvm.mlir.constant(32 : i32) : i32
    llvm.cond_br %first, ^init, ^begin
  ^init:
    nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32
    llvm.br ^begin
  ^begin:
    nvvm.barrier0
    %t = llvm.mlir.constant(10000000 : i32) : i32
    %s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
    nvvm.mbarrier.try_wait.parity %bar, %c0, %t : !llvm.ptr<3>, i32, i32
    nvvm.barrier0
    llvm.cond_br %first, ^inval, ^go
  ^inval:
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    llvm.br ^go
  ^go:
    nvvm.barrier0
    // clean
    %slot = llvm.getelementptr %bar[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %byte = llvm.trunc %tid : i32 to i8
    llvm.store %byte, %slot : i8, !llvm.ptr<3>
    %v = llvm.load %slot : !llvm.ptr<3> -> i8
    llvm.return
  }
  // What an inval leaves is nobody's.
  llvm.func @garbage() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %c32 = llvm.mlir.constant(32 : i32) : i32
    llvm.cond_br %first, ^init, ^begin
  ^init:
    nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32
    llvm.br ^begin
  ^begin:
    nvvm.barrier0
    %t = llvm.mlir.constant(10000000 : i32) : i32
    %s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
    nvvm.mbarrier.try_wait.parity %bar, %c0, %t : !llvm.ptr<3>, i32, i32
    nvvm.barrier0
    llvm.cond_br %first, ^inval, ^go
  ^inval:
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    llvm.br ^go
  ^go:
    nvvm.barrier0
    // error+1: read of uninitialised shared memory
    %v = llvm.load %bar : !llvm.ptr<3> -> i32
    llvm.return
  }
  llvm.func @barrier_again() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %c32 = llvm.mlir.constant(32 : i32) : i32
    llvm.cond_br %first, ^init, ^begin
  ^init:
    nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32
    llvm.br ^begin
  ^begin:
    nvvm.barrier0
    %t = llvm.mlir.constant(10000000 : i32) : i32
    %s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
    nvvm.mbarrier.try_wait.parity %bar, %c0, %t : !llvm.ptr<3>, i32, i32
    nvvm.barrier0
    llvm.cond_br %first, ^inval, ^go
  ^inval:
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    llvm.br ^go
  ^go:
    nvvm.barrier0
    // clean
    llvm.cond_br %first, ^again, ^then
  ^again:
    nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32
    llvm.br ^then
  ^then:
    nvvm.barrier0
    %s2 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
    nvvm.mbarrier.try_wait.parity %bar, %c0, %t : !llvm.ptr<3>, i32, i32
    llvm.return
  }
  llvm.func @init_twice() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    // error+1: access to the bytes of a live mbarrier; put it elsewhere or invalidate it first
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    llvm.return
  }
  // The wait of other threads is not over when thread 0 begins anew.
  llvm.func @init_while_used() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %c32 = llvm.mlir.constant(32 : i32) : i32
    llvm.cond_br %first, ^init, ^begin
  ^init:
    nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32
    llvm.br ^begin
  ^begin:
    nvvm.barrier0
    %t = llvm.mlir.constant(10000000 : i32) : i32
    %s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
    nvvm.mbarrier.try_wait.parity %bar, %c0, %t : !llvm.ptr<3>, i32, i32
    llvm.cond_br %first, ^again, ^end
  ^again:
    // error+2: inval of an mbarrier that is not ordered after its last use
    // note-4: it is used here
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    nvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @used_after() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    // error+2: mbarrier used after its inval
    // note-2: the inval is here
    %s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
    llvm.return
  }
  // An init is a write: it must be ordered after what others do there.
  llvm.func @init_over_data() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %slot = llvm.getelementptr %bar[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %byte = llvm.trunc %tid : i32 to i8
    llvm.store %byte, %slot : i8, !llvm.ptr<3>
    %last = llvm.mlir.constant(31 : i32) : i32
    %is = llvm.icmp "eq" %tid, %last : i32
    llvm.cond_br %is, ^init, ^end
  ^init:
    // error+2: race: two unordered writes to shared memory
    // note-6: the other write is here
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    llvm.br ^end
  ^end:
    llvm.return
  }
  // options: --arg=i32:4:zero
  llvm.func @inval_under_copy(%in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    %n = llvm.mlir.constant(16 : i32) : i32
    %to = llvm.getelementptr %bar[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %cl = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.mbarrier.arrive.expect_tx %bar, %n : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %cl, %in, %bar, %n : !llvm.ptr<7>, !llvm.ptr<1>
    // error+1: inval of an mbarrier that copies may still complete on; wait for its phase first
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    llvm.return
  }
  // options: --arg=i32:4:zero
  llvm.func @inval_after_copy(%in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    %n = llvm.mlir.constant(16 : i32) : i32
    %to = llvm.getelementptr %bar[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %cl = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.mbarrier.arrive.expect_tx %bar, %n : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %cl, %in, %bar, %n : !llvm.ptr<7>, !llvm.ptr<1>
    // clean
    %t = llvm.mlir.constant(10000000 : i32) : i32
    nvvm.mbarrier.try_wait.parity %bar, %c0, %t : !llvm.ptr<3>, i32, i32
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    llvm.return
  }
  // options: --grid=2
  llvm.func @inval_of_another() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %far = nvvm.mapa %bar, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
    %g = llvm.addrspacecast %far : !llvm.ptr<7> to !llvm.ptr
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %second = llvm.icmp "eq" %rank, %c1 : i32
    llvm.cond_br %second, ^inval, ^end
  ^inval:
    // error+1: inval of another block's mbarrier
    nvvm.mbarrier.inval %g : !llvm.ptr
    llvm.br ^end
  ^end:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }
}
