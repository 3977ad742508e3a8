// Loops that do not end are reported, and long ones, and those that wait for
// somebody, are not.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
// A limit of one's own, and none.
// RUN: not amp-emu %s --kernel=counted --step-limit=100000 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: amp-emu %s --kernel=counted --step-limit=0
gpu.module @m {
  llvm.mlir.global internal @flag() {addr_space = 3 : i32} : !llvm.array<1 x i32>
  // No memory, no instruction: only the loop itself can be interrupted.
  llvm.func @endless() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %big = llvm.mlir.constant(1000 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // error+1: loop without end: the thread has taken 1073741824 steps; if it is meant to, raise the step limit (thread 0 of block (0,0,0))
    %j = llvm.add %i, %c1 : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %more = llvm.icmp "ne" %tid, %big : i32
    llvm.cond_br %more, ^loop(%j : i32), ^done
  ^done:
    llvm.return
  }
  // One lane of one warp, while the others wait for it.
  // options: --step-limit=1000000
  llvm.func @one_lane() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %is = llvm.icmp "eq" %tid, %c7 : i32
    llvm.cond_br %is, ^loop, ^wait
  ^loop:
    // error+1: loop without end: the thread has taken 1000000 steps; if it is meant to, raise the step limit (thread 7 of block (0,0,0))
    llvm.br ^loop
  ^wait:
    nvvm.barrier0
    llvm.return
  }
  // 2^25 rounds are none too many.
  llvm.func @counted() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %n = llvm.mlir.constant(33554432 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // LIMIT: :[[#@LINE+1]]:{{[0-9]+}}: error: loop without end: the thread has taken 100000 steps; if it is meant to, raise the step limit
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "ult" %j, %n : i32
    llvm.cond_br %more, ^loop(%j : i32), ^done
  ^done:
    llvm.return
  }
  // A flag in plain memory: the spinning thread lets the other one write, and
  // then it is a race.
  llvm.func @plain_flag() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %f = llvm.mlir.addressof @flag : !llvm.ptr<3>
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %first, ^init, ^go
  ^init:
    llvm.store %c0, %f : i32, !llvm.ptr<3>
    llvm.br ^go
  ^go:
    nvvm.barrier0
    %second = llvm.icmp "eq" %tid, %c1 : i32
    llvm.cond_br %second, ^set, ^spin
  ^set:
    // error+1: race: write to shared memory that is not ordered after a read of the old value
    llvm.store %c1, %f : i32, !llvm.ptr<3>
    llvm.return
  ^spin:
    // note+1: the read is here
    %v = llvm.load %f : !llvm.ptr<3> -> i32
    %set = llvm.icmp "eq" %v, %c1 : i32
    llvm.cond_br %set, ^done, ^spin
  ^done:
    llvm.return
  }
  // Nobody ever writes it.
  // options: --arg=i32:1:zero --step-limit=10000000
  llvm.func @plain_flag_never(%f: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 2, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^spin
  ^spin:
    // error+1: loop without end
    %v = llvm.load %f : !llvm.ptr<1> -> i32
    %set = llvm.icmp "eq" %v, %c1 : i32
    llvm.cond_br %set, ^done, ^spin
  ^done:
    llvm.return
  }
  // Waiting for a time.
  // options: --step-limit=1000000
  llvm.func @delay() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    %n = llvm.mlir.constant(100000 : i64) : i64
    %start = nvvm.read.ptx.sreg.clock64 : i64
    llvm.br ^loop
  ^loop:
    %now = nvvm.read.ptx.sreg.clock64 : i64
    %passed = llvm.sub %now, %start : i64
    %more = llvm.icmp "ult" %passed, %n : i64
    llvm.cond_br %more, ^loop, ^done
  ^done:
    %low = nvvm.read.ptx.sreg.clock : i32
    llvm.return
  }
  // Barriers for ever: each costs more than a round of a loop.
  // options: --step-limit=1000000
  llvm.func @barriers() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 2, 1, 1>} {
    llvm.br ^loop
  ^loop:
    // error+1: loop without end: the thread has taken 1000000 steps
    nvvm.barrier0
    llvm.br ^loop
  }
  // An addition of 0 waits as a load does, also for a block that has not begun.
  // options: --arg=i32:1:zero --grid=2 --step-limit=100000 --seeds=5
  llvm.func @wait_by_addition(%f: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %first = llvm.icmp "eq" %block, %c0 : i32
    llvm.cond_br %first, ^spin, ^set
  ^set:
    %o = llvm.atomicrmw xchg %f, %c1 monotonic : !llvm.ptr<1>, i32
    llvm.return
  ^spin:
    %v = llvm.atomicrmw add %f, %c0 monotonic : !llvm.ptr<1>, i32
    %set = llvm.icmp "eq" %v, %c1 : i32
    llvm.cond_br %set, ^done, ^spin
  ^done:
    llvm.return
  }
  // A lock that all threads of all blocks take, one after the other.
  // options: --arg=i32:1:zero --arg=O=i32:1:zero --grid=3 --seeds=5 --print=O
  llvm.func @lock(%lock: !llvm.ptr<1>, %sum: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    // prints: O = [192]
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^take
  ^take:
    %r = llvm.cmpxchg %lock, %c0, %c1 acq_rel monotonic : !llvm.ptr<1>, i32
    %got = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>
    llvm.cond_br %got, ^in, ^take
  ^in:
    %v = llvm.load %sum : !llvm.ptr<1> -> i32
    %w = llvm.add %v, %c1 : i32
    llvm.store %w, %sum : i32, !llvm.ptr<1>
    llvm.store %c0, %lock atomic release {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.return
  }
  // The same, and nobody gives it back.
  // options: --arg=i32:1:zero
  llvm.func @lock_kept(%lock: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^take
  ^take:
    // error+1: livelock: the threads that wait here are never woken
    %r = llvm.cmpxchg %lock, %c0, %c1 acq_rel monotonic : !llvm.ptr<1>, i32
    %got = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>
    llvm.cond_br %got, ^in, ^take
  ^in:
    llvm.return
  }
}
