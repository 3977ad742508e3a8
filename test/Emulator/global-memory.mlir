// Global memory between two blocks: the first writes data and raises a flag, the
// second waits for the flag. Each RUN line after the first alters the line with
// its mark. The second block starts spinning while the first has not begun.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --grid=2 --arg=A=i32:32:uninit --arg=flag=i32:1:zero --arg=B=i32:32:uninit
// RUN: %{emu} %s --seeds=20 --print=B | FileCheck %s
// RUN: %{emu} %s --seeds=20 --jobs=2 --print=B | FileCheck %s
// CHECK: B = [0, 1, 2, 3,
// RUN: sed '/@raise/s/release/monotonic/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: sed '/@look/s/acquire/monotonic/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: sed 's/.*@sync.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: sed '/@slot/s/%%tid/%%far/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: sed 's/.*@raise.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: sed 's/.*@data.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=UNINIT
gpu.module @m {
  llvm.func @flag(%data: !llvm.ptr<1>, %flag: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %far = llvm.add %tid, %c1 : i32
    %slot = llvm.getelementptr %data[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32 // @slot
    %second = llvm.icmp "eq" %block, %c0 : i32
    llvm.cond_br %second, ^wait, ^write
  ^write:
    // BOUNDS: :[[#@LINE+1]]:{{[0-9]+}}: error: access outside of global memory: byte 128 of 'A' with 128 (thread {{[0-9]+}} of block (1,0,0))
    llvm.store %tid, %slot : i32, !llvm.ptr<1> // @data
    nvvm.barrier0 // @sync
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %first, ^raise, ^done
  ^raise:
    llvm.store %c1, %flag atomic release {alignment = 4 : i64} : i32, !llvm.ptr<1> // @raise
    llvm.br ^done
  ^done:
    llvm.return
  ^wait:
    // NEVER: :[[#@LINE+1]]:{{[0-9]+}}: error: livelock: the threads that wait here are never woken
    %seen = llvm.load %flag atomic acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32 // @look
    %up = llvm.icmp "eq" %seen, %c1 : i32
    llvm.cond_br %up, ^read, ^wait
  ^read:
    // UNORDERED: :[[#@LINE+3]]:{{[0-9]+}}: error: race: read of global memory that is not ordered after its write
    // UNORDERED-NEXT: :[[#@LINE-16]]:{{[0-9]+}}: note: the write is here (thread {{[0-9]+}} of block 0 of cluster 1)
    // UNINIT: :[[#@LINE+1]]:{{[0-9]+}}: error: read of uninitialised global memory (thread {{[0-9]+}} of block (0,0,0))
    %v = llvm.load %slot : !llvm.ptr<1> -> i32
    %to = llvm.getelementptr %out[%c0] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32 // @result
    %mine = llvm.getelementptr %to[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %mine : i32, !llvm.ptr<1>
    llvm.return
  }
}
