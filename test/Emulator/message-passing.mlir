// Blocks 0 to 2 each write a word and raise a flag of their own; block 3 waits for all
// flags, one after the other, and adds up the words. Order comes from a fence on either
// side of relaxed atomics, or from the atomics themselves; each RUN line alters the lines
// with its mark. PTX: the two ends of a pattern synchronise if each scope includes the
// other's thread (Memory Consistency Model, Release and acquire patterns).
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --arg=data=i32:3:uninit --arg=flags=i32:3:zero --arg=sum=i32:1:uninit --grid=4
// RUN: %{emu} %s --seeds=5 --print=sum | FileCheck %s
// CHECK: sum = [63]
//
// Without either fence, or with one that does the other's part, or less than it.
// RUN: sed '/@end/d' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@begin/d' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@end/s/acquire/release/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@begin/s/release/acquire/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@begin/s/"device"/"block"/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@end/s/"device"/"block"/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@end/s/"device"/"cluster"/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@begin/s/llvm.fence.*/nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed 's/llvm.fence.*@.*/nvvm.memory.barrier #nvvm.mem_scope<cta>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
//
// Fences of other names that do; atomics that order; a wider fence before a narrower one.
// RUN: sed 's/llvm.fence.*@.*/nvvm.memory.barrier #nvvm.mem_scope<gpu>/' %s | %{emu} - | count 0
// RUN: sed 's/llvm.fence.*@.*/llvm.fence seq_cst/' %s | %{emu} - | count 0
// RUN: sed '/@begin/d; /@end/d; /@raise/s/monotonic/release/; /@look/s/monotonic/acquire/' %s | %{emu} - | count 0
// RUN: sed '/@end/d; /@raise/s/monotonic/release/; /@look/s/monotonic/acquire/' %s | %{emu} - | count 0
// RUN: sed '/@begin/d; /@raise/s/monotonic/release/' %s | %{emu} - | count 0
// RUN: sed '/@begin/s/$/\n    llvm.fence syncscope("block") release/; /@end/s/$/\n    llvm.fence syncscope("block") acquire/' %s | %{emu} - | count 0
//
// Of one cluster, and of one block, narrower scopes are enough.
// RUN: sed 's/"device"/"cluster"/; s/array<i32: 1, 1, 1>/&, nvvm.cluster_dim = array<i32: 4, 1, 1>/' %s | %{emu} - --seeds=5 | count 0
// RUN: sed 's/"device"/"block"/; s/array<i32: 1, 1, 1>/&, nvvm.cluster_dim = array<i32: 4, 1, 1>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: sed 's/"device"/"block"/; s/array<i32: 1/array<i32: 4/; s/ctaid/tid/' %s | amp-emu - --arg=i32:3:uninit --arg=i32:3:zero --arg=i32:1:uninit | count 0
//
// Atomics whose scopes do not include each other's thread race themselves.
// RUN: sed '/@raise/s/"device"/"block"/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: sed '/@look/s/"device"/"cluster"/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: sed '/@raise/s/"device"//; /@raise/s/syncscope() monotonic {.*}/{volatile_}/' %s | sed 's/llvm.store \(.*\) atomic {volatile_}/llvm.store volatile \1/' | %{emu} - | count 0
// RUN: sed '/@raise/s/"device"/"agent"/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=SCOPE
//
// A relaxed store that overwrites what was released begins anew and hands on nothing.
// RUN: sed '/@raise/s/\(.*\)%%one\(.*\)/\1%%two\2\n\1%%one\2/; /@raise/s/monotonic/release/; /@begin/d' %s | sed '/%%one, .*release/s/release/monotonic/' | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
gpu.module @m {
  llvm.func @sum(%data: !llvm.ptr<1>, %flags: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %twenty = llvm.mlir.constant(20 : i32) : i32
    %who = nvvm.read.ptx.sreg.ctaid.x : i32
    %last = llvm.icmp "eq" %who, %three : i32
    llvm.cond_br %last, ^wait(%zero : i32), ^tell
  ^tell:
    %word = llvm.getelementptr %data[%who] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %value = llvm.add %who, %twenty : i32
    llvm.store %value, %word : i32, !llvm.ptr<1>
    llvm.fence syncscope("device") release // @begin
    %flag = llvm.getelementptr %flags[%who] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // SCOPE: :[[#@LINE+1]]:{{[0-9]+}}: error: the emulator has no model of synchronization scope 'agent'
    llvm.store %one, %flag atomic syncscope("device") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1> // @raise
    llvm.return
  ^wait(%i: i32):
    %mine = llvm.getelementptr %flags[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // NARROW: error: race: unordered atomics on global memory of which one's scope leaves out the other's thread; use a wider scope (thread 0 of block
    // NARROW-NEXT: note: the other atomic is here (thread 0 of block
    %seen = llvm.load %mine atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32 // @look
    %up = llvm.icmp "eq" %seen, %one : i32
    %next = llvm.add %i, %one : i32
    %to = llvm.select %up, %next, %i : i1, i32
    %done = llvm.icmp "eq" %to, %three : i32
    llvm.cond_br %done, ^add, ^wait(%to : i32)
  ^add:
    llvm.fence syncscope("device") acquire // @end
    // RACE: error: race: read of global memory that is not ordered after its write (thread 0 of block (3,0,0))
    %a = llvm.load %data : !llvm.ptr<1> -> i32
    %second = llvm.getelementptr %data[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %b = llvm.load %second : !llvm.ptr<1> -> i32
    %third = llvm.getelementptr %data[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %c = llvm.load %third : !llvm.ptr<1> -> i32
    %ab = llvm.add %a, %b : i32
    %abc = llvm.add %ab, %c : i32
    llvm.store %abc, %out : i32, !llvm.ptr<1>
    llvm.return
  }
}
