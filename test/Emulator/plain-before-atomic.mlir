// Thread 0 writes a word plainly and adds to it, and then thread 32 adds to it too, or
// first: its own atomic comes after the plain write, but orders it before nobody else's.
// A race, whichever thread comes first. The same with a plain read, and between blocks,
// where the second waits for the first by relaxed atomics, which order nothing. Each RUN
// line alters the lines with its mark.
// REQUIRES: amp-emu
// DEFINE: %{shared} = amp-emu --kernel=shared
// DEFINE: %{global} = amp-emu --kernel=global --grid=2 --arg=n=i32:2:zero
// RUN: not %{shared} %s --seed=0 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not %{shared} %s --seed=1 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not %{shared} %s --seed=2 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not %{shared} %s --seed=3 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not %{global} %s --seed=0 --jobs=1 2>&1 | FileCheck %s --check-prefix=GLOBAL
// RUN: not %{global} %s --seed=1 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not %{global} %s --seed=2 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not %{global} %s --seed=3 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@plain/s/llvm.store .*/%%old = llvm.load %%s : !llvm.ptr<3> -> i32/' %s | not %{shared} - --seed=0 2>&1 | FileCheck %s --check-prefix=READ
// RUN: sed '/@plain/s/llvm.store .*/%%old = llvm.load %%s : !llvm.ptr<3> -> i32/' %s | not %{shared} - --seed=1 2>&1 | FileCheck %s --check-prefix=RACE
//
// An atomic of the block hides nothing from one of the device in another block either.
// RUN: sed '/@written/s/llvm.store .*/%%w = llvm.atomicrmw add %%n, %%c1 syncscope("block") monotonic : !llvm.ptr<1>, i32/' %s | not %{global} - --seed=0 --jobs=1 2>&1 | FileCheck %s --check-prefix=NARROW
//
// A barrier after the plain write orders it, whoever meets there; a plain write before
// the barrier is ordered already. Between blocks a release of the same word that the other
// acquires does, or one of the flag.
// RUN: sed '/@barrier/s/.. @barrier/nvvm.barrier0/' %s | %{shared} - --seeds=6 | count 0
// RUN: sed '/@plain/d' %s | %{shared} - --seeds=6 | count 0
// RUN: sed '/@mine/s/monotonic/release/; /@theirs/s/monotonic/acquire/' %s | %{global} - --seeds=6 | count 0
// RUN: sed '/@raise/s/monotonic/release/; /@look/s/monotonic/acquire/' %s | %{global} - --seeds=6 | count 0
//
// Half of it orders nothing.
// RUN: sed '/@mine/s/monotonic/release/' %s | not %{global} - --seed=0 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@theirs/s/monotonic/acquire/' %s | not %{global} - --seed=0 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: race: {{two unordered writes to|.* that is not ordered after}}
gpu.module @m {
  llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i32>
  llvm.func @shared() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %first, ^initialise, ^meet
  ^initialise:
    llvm.store %c0, %s : i32, !llvm.ptr<3>
    llvm.br ^meet
  ^meet:
    nvvm.barrier0
    llvm.cond_br %first, ^one, ^next
  ^one:
    // FIRST: :[[#@LINE+12]]:{{[0-9]+}}: error: race: two unordered writes to shared memory (thread 32 of block (0,0,0))
    // FIRST-NEXT: :[[#@LINE+3]]:{{[0-9]+}}: note: the other write is here (thread 0 of block (0,0,0))
    // READ: :[[#@LINE+10]]:{{[0-9]+}}: error: race: write to shared memory that is not ordered after a read of the old value (thread 32 of block (0,0,0))
    // READ-NEXT: :[[#@LINE+1]]:{{[0-9]+}}: note: the read is here (thread 0 of block (0,0,0))
    llvm.store %c1, %s : i32, !llvm.ptr<3> // @plain
    %x = llvm.atomicrmw add %s, %c1 syncscope("block") monotonic : !llvm.ptr<3>, i32
    llvm.br ^next
  ^next:
    // @barrier
    %other = llvm.icmp "eq" %tid, %c32 : i32
    llvm.cond_br %other, ^two, ^end
  ^two:
    %y = llvm.atomicrmw add %s, %c1 syncscope("block") monotonic : !llvm.ptr<3>, i32
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @global(%n: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %first = llvm.icmp "eq" %block, %c0 : i32
    %flag = llvm.getelementptr %n[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.cond_br %first, ^one, ^wait
  ^one:
    // GLOBAL: :[[#@LINE+13]]:{{[0-9]+}}: error: race: two unordered writes to global memory (thread 0 of block (1,0,0))
    // GLOBAL-NEXT: :[[#@LINE+3]]:{{[0-9]+}}: note: the other write is here (thread 0 of block 0 of cluster 0)
    // NARROW: :[[#@LINE+11]]:{{[0-9]+}}: error: race: unordered atomics on global memory of which one's scope leaves out the other's thread; use a wider scope (thread 0 of block (1,0,0))
    // NARROW-NEXT: :[[#@LINE+1]]:{{[0-9]+}}: note: the other atomic is here (thread 0 of block 0 of cluster 0)
    llvm.store %c1, %n : i32, !llvm.ptr<1> // @written
    %x = llvm.atomicrmw add %n, %c1 syncscope("device") monotonic : !llvm.ptr<1>, i32 // @mine
    llvm.store %c1, %flag atomic syncscope("device") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1> // @raise
    llvm.br ^end
  ^wait:
    %f = llvm.load %flag atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32 // @look
    %raised = llvm.icmp "eq" %f, %c1 : i32
    llvm.cond_br %raised, ^two, ^wait
  ^two:
    %y = llvm.atomicrmw add %n, %c1 syncscope("device") monotonic : !llvm.ptr<1>, i32 // @theirs
    llvm.br ^end
  ^end:
    llvm.return
  }
}
