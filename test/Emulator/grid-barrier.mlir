// A barrier of the whole grid, made of a counter that every block adds to and waits for,
// twice: each block writes a word, and after each barrier adds that of its neighbour. The
// work grows with the number of blocks alone: a few turns for each, where all looking at
// all the time would be some hundred thousand.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --grid=256 --arg=count=i32:1:zero --arg=A=i32:257:iota --arg=B=i32:257:zero
// RUN: %{emu} %s --print=A --statistics --jobs=1 | FileCheck %s
// RUN: %{emu} %s --jobs=2 --seeds=2 | count 0
// RUN: sed '/@arrive/s/acq_rel/acquire/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@look/s/acquire/monotonic/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@until/s/%%goal/%%one/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// CHECK: 0 collectives, {{[0-9][0-9][0-9][0-9]}} switches
// CHECK: A = [4, 5, 6, 7,
gpu.module @m {
  llvm.func @k(%count: !llvm.ptr<1>, %in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %blocks = nvvm.read.ptx.sreg.nctaid.x : i32
    %next = llvm.add %block, %one : i32
    llvm.br ^round(%zero, %in, %out, %blocks : i32, !llvm.ptr<1>, !llvm.ptr<1>, i32)
  ^round(%i: i32, %from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %goal: i32):
    // The second round reads what the first has written, and the other way round.
    %a = llvm.getelementptr %from[%next] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // RACE: error: race: {{(read|write)}}
    %v = llvm.load %a : !llvm.ptr<1> -> i32
    %plus = llvm.add %v, %one : i32
    %b = llvm.getelementptr %to[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %plus, %b : i32, !llvm.ptr<1>
    %at = llvm.atomicrmw add %count, %one acq_rel : !llvm.ptr<1>, i32 // @arrive
    llvm.br ^wait
  ^wait:
    %seen = llvm.load %count atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32 // @look
    %past = llvm.icmp "uge" %seen, %goal : i32 // @until
    llvm.cond_br %past, ^passed, ^wait
  ^passed:
    %j = llvm.add %i, %one : i32
    %later = llvm.add %goal, %blocks : i32
    %done = llvm.icmp "eq" %j, %two : i32
    llvm.cond_br %done, ^end, ^round(%j, %to, %from, %later : i32, !llvm.ptr<1>, !llvm.ptr<1>, i32)
  ^end:
    llvm.return
  }
}
