// Kernels as programmers write them from the manual, in which nothing is wrong:
// reductions, early exit, barriers by name, compaction, locks, rings, look-back.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i32>
  // options: --arg=O=i32:64:uninit --seeds=5
  llvm.func @tree_reduction(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %p = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %p : i32, !llvm.ptr<3>
    nvvm.barrier0
    llvm.br ^l(%c32 : i32)
  ^l(%d: i32):
    %in = llvm.icmp "ult" %tid, %d : i32
    llvm.cond_br %in, ^a, ^n
  ^a:
    %i = llvm.add %tid, %d : i32
    %q = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %x = llvm.load %p : !llvm.ptr<3> -> i32
    %y = llvm.load %q : !llvm.ptr<3> -> i32
    %z = llvm.add %x, %y : i32
    llvm.store %z, %p : i32, !llvm.ptr<3>
    llvm.br ^n
  ^n:
    nvvm.barrier0
    %e = llvm.lshr %d, %c1 : i32
    %m = llvm.icmp "ne" %e, %c0 : i32
    llvm.cond_br %m, ^l(%e : i32), ^w
  ^w:
    %v = llvm.load %s : !llvm.ptr<3> -> i32
    %o = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5
  llvm.func @exit_of_a_part_then_barrier0(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c48 = llvm.mlir.constant(48 : i32) : i32
    %h = llvm.icmp "uge" %tid, %c48 : i32
    llvm.cond_br %h, ^x, ^g
  ^x:
    llvm.return
  ^g:
    %p = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %p : i32, !llvm.ptr<3>
    nvvm.barrier0
    %v = llvm.load %s : !llvm.ptr<3> -> i32
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5
  llvm.func @named_barrier_of_32_by_one_warp(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %h = llvm.icmp "uge" %tid, %c32 : i32
    llvm.cond_br %h, ^x, ^g
  ^x:
    llvm.return
  ^g:
    nvvm.barrier id = %c1 number_of_threads = %c32
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5
  llvm.func @producer_arrives_consumer_syncs(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %prod = llvm.icmp "ult" %tid, %c32 : i32
    llvm.cond_br %prod, ^p, ^c
  ^p:
    %p = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %p : i32, !llvm.ptr<3>
    nvvm.barrier.arrive id = %c1 number_of_threads = %c64
    llvm.return
  ^c:
    nvvm.barrier id = %c1 number_of_threads = %c64
    %i = llvm.sub %tid, %c32 : i32
    %q = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %q : !llvm.ptr<3> -> i32
    llvm.return
  }
  // options: --arg=O=i32:16:uninit --seeds=5
  llvm.func @ballot_compaction_of_a_warp(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %bit = llvm.and %tid, %c1 : i32
    %pred = llvm.icmp "eq" %bit, %c1 : i32
    %b = nvvm.vote.sync ballot %all, %pred -> i32
    %lt = nvvm.read.ptx.sreg.lanemask.lt : i32
    %bl = llvm.and %b, %lt : i32
    %pos = llvm.intr.ctpop(%bl) : (i32) -> i32
    llvm.cond_br %pred, ^st, ^end
  ^st:
    %o = llvm.getelementptr %out[%pos] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %tid, %o : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5
  llvm.func @shared_histogram(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %p = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %c0, %p : i32, !llvm.ptr<3>
    nvvm.barrier0
    %b = llvm.and %tid, %c3 : i32
    %q = llvm.getelementptr %s[%b] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %o = llvm.atomicrmw add %q, %c1 monotonic : !llvm.ptr<3>, i32
    nvvm.barrier0
    %v = llvm.load %p : !llvm.ptr<3> -> i32
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5
  llvm.func @shared_spin_lock(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %z = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %z, ^i, ^g
  ^i:
    llvm.store %c0, %s : i32, !llvm.ptr<3>
    %d0 = llvm.getelementptr %s[%c1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %c0, %d0 : i32, !llvm.ptr<3>
    llvm.br ^g
  ^g:
    nvvm.barrier0
    %d = llvm.getelementptr %s[%c1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.br ^t
  ^t:
    %old = llvm.atomicrmw xchg %s, %c1 acquire : !llvm.ptr<3>, i32
    %got = llvm.icmp "eq" %old, %c0 : i32
    llvm.cond_br %got, ^in, ^t
  ^in:
    %v = llvm.load %d : !llvm.ptr<3> -> i32
    %w = llvm.add %v, %c1 : i32
    llvm.store %w, %d : i32, !llvm.ptr<3>
    %r = llvm.atomicrmw xchg %s, %c0 release : !llvm.ptr<3>, i32
    llvm.return
  }
  // options: --arg=i32:256:iota --arg=O=i32:256:uninit
  llvm.func @copy_of_16_bytes_each(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %i = llvm.mul %tid, %c16 : i32
    %p = llvm.getelementptr %in[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<16xi8>
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    llvm.store %v, %q {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5
  llvm.func @mbarrier_phases(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %z = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %z, ^i, ^g
  ^i:
    nvvm.mbarrier.init %s, %c64 : !llvm.ptr<3>, i32
    llvm.br ^g
  ^g:
    nvvm.barrier0
    llvm.br ^l(%c0 : i32)
  ^l(%n: i32):
    %at = llvm.add %tid, %c4 : i32
    %p = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %n, %p : i32, !llvm.ptr<3>
    %st = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
    %ph = llvm.and %n, %c1 : i32
    llvm.br ^w
  ^w:
    %done = nvvm.mbarrier.test.wait %s, %st : !llvm.ptr<3>, i64 -> i1
    llvm.cond_br %done, ^r, ^w
  ^r:
    %x = llvm.xor %tid, %c1 : i32
    %xa = llvm.add %x, %c4 : i32
    %q = llvm.getelementptr %s[%xa] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %q : !llvm.ptr<3> -> i32
    nvvm.barrier0
    %m = llvm.add %n, %c1 : i32
    %more = llvm.icmp "ult" %m, %c8 : i32
    llvm.cond_br %more, ^l(%m : i32), ^e
  ^e:
    llvm.return
  }
  // options: --arg=O=i32:32:uninit --seeds=5
  llvm.func @butterfly_maximum(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    llvm.br ^l(%c16, %tid : i32, i32)
  ^l(%d: i32, %v: i32):
    %o = nvvm.shfl.sync bfly %all, %v, %d, %c31 : i32 -> i32
    %w = llvm.intr.smax(%o, %v) : (i32, i32) -> i32
    %e = llvm.lshr %d, %c1 : i32
    %m = llvm.icmp "ne" %e, %c0 : i32
    llvm.cond_br %m, ^l(%e, %w : i32, i32), ^x
  ^x:
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %w, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=i32:64:zero --arg=O=i32:64:uninit --grid=64 --seeds=3
  llvm.func @look_back_scan(%fl: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %z = llvm.icmp "eq" %b, %c0 : i32
    llvm.cond_br %z, ^f(%c0 : i32), ^w
  ^w:
    %pb = llvm.sub %b, %c1 : i32
    %pp = llvm.getelementptr %fl[%pb] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.br ^sp
  ^sp:
    %v = llvm.load %pp atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %set = llvm.icmp "ne" %v, %c0 : i32
    llvm.cond_br %set, ^got, ^sp
  ^got:
    %dp = llvm.getelementptr %out[%pb] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %dp : !llvm.ptr<1> -> i32
    llvm.br ^f(%x : i32)
  ^f(%base: i32):
    %y = llvm.add %base, %b : i32
    %op = llvm.getelementptr %out[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %y, %op : i32, !llvm.ptr<1>
    %fp = llvm.getelementptr %fl[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %c1, %fp atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=i32:64:zero --arg=O=i32:64:uninit --grid=64 --seeds=3
  llvm.func @wait_with_nanosleep(%fl: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %z = llvm.icmp "eq" %b, %c0 : i32
    llvm.cond_br %z, ^f(%c0 : i32), ^w
  ^w:
    %pb = llvm.sub %b, %c1 : i32
    %pp = llvm.getelementptr %fl[%pb] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.br ^sp
  ^sp:
    nvvm.nanosleep %c64
    %v = llvm.load %pp atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %set = llvm.icmp "ne" %v, %c0 : i32
    llvm.cond_br %set, ^got, ^sp
  ^got:
    %dp = llvm.getelementptr %out[%pb] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %dp : !llvm.ptr<1> -> i32
    llvm.br ^f(%x : i32)
  ^f(%base: i32):
    %y = llvm.add %base, %b : i32
    %op = llvm.getelementptr %out[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %y, %op : i32, !llvm.ptr<1>
    %fp = llvm.getelementptr %fl[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %c1, %fp atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5
  llvm.func @redux_in_a_branch_own_mask(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %m16 = llvm.mlir.constant(65535 : i32) : i32
    %lo = llvm.icmp "ult" %tid, %c16 : i32
    llvm.cond_br %lo, ^a, ^b
  ^a:
    %r = nvvm.redux.sync add %tid, %m16 : i32 -> i32
    llvm.br ^b
  ^b:
    nvvm.bar.warp.sync %all : i32
    llvm.return
  }
}
