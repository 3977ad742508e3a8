// cp.async: a block copies a row to shared memory and reads it in reverse. Each
// RUN line after the first leaves out or alters the line with its mark.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --arg=f32:256:iota --arg=B=f32:256:uninit
// RUN: %{emu} %s --seeds=20 --print=B | FileCheck %s
// CHECK: B = [252, 253, 254, 255, 248,
// RUN: sed 's/.*@wait.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed 's/.*@sync.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=SYNC
// RUN: sed 's/.*@commit.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=COMMIT
// RUN: sed '/@wait/s/group 0/group 1/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: sed '/@source/s/%%chunk/%%reverse/; /@copy/s/16, cache/8, cache/; /@copy/s/= cg/= ca/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: sed '/@target/s/%%bytes/%%odd/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// RUN: sed '/@source/s/%%chunk/%%far/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=BOUNDS
//
// The source is read until the wait: it may be overwritten after that, by the thread
// itself or, behind a barrier, by another, and not before, whatever else comes between.
// RUN: sed 's/^    .. @after/\n    llvm.store %%zero, %%src : vector<4xf32>, !llvm.ptr<1>/' %s | %{emu} - --seeds=5 | count 0
// RUN: sed 's/^    .. @last/\n    llvm.store %%zero, %%other : vector<4xf32>, !llvm.ptr<1>/' %s | %{emu} - --seeds=5 | count 0
// RUN: sed 's/^    .. @before/\n    llvm.store %%zero, %%src : vector<4xf32>, !llvm.ptr<1>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: sed 's/^    .. @before/\n    nvvm.barrier0\n    llvm.store %%zero, %%other : vector<4xf32>, !llvm.ptr<1>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: sed 's/^    .. @after/\n    llvm.store %%zero, %%other : vector<4xf32>, !llvm.ptr<1>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=SOURCE
//
// Completion on an mbarrier is told to those who wait for it, and to nobody else.
// RUN: sed '/@commit/d; /@wait/d; s/^    .. @arrive/\n    nvvm.cp.async.mbarrier.arrive %%bar {noinc = true} : !llvm.ptr<3>/; s/^    .. @look/\n    nvvm.mbarrier.try_wait.parity %%bar, %%c0, %%limit : !llvm.ptr<3>, i32, i32/; s/^    .. @after/\n    llvm.store %%zero, %%other : vector<4xf32>, !llvm.ptr<1>/' %s | %{emu} - --seeds=5 | count 0
// RUN: sed '/@commit/d; /@wait/d; s/^    .. @arrive/\n    nvvm.cp.async.mbarrier.arrive %%bar {noinc = true} : !llvm.ptr<3>/; s/^    .. @after/\n    nvvm.mbarrier.try_wait.parity %%bar, %%c0, %%limit : !llvm.ptr<3>, i32, i32/; s/^    .. @look/\n    llvm.store %%zero, %%src : vector<4xf32>, !llvm.ptr<1>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: error: race: write to global memory that is not ordered after the wait for a cp.async that reads it (thread {{[0-9]+}} of block (0,0,0))
// SOURCE-NEXT: note: the copy was issued here (
gpu.module @m {
  llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<1 x i64>
  llvm.mlir.global internal @row() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f32>
  llvm.func @copy(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %limit = llvm.mlir.constant(10000000 : i32) : i32
    %zero = llvm.mlir.zero : vector<4xf32>
    %bar = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c63 = llvm.mlir.constant(63 : i32) : i32
    %row = llvm.mlir.addressof @row : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %bytes = llvm.mul %tid, %c16 : i32
    %odd = llvm.mul %tid, %c4 : i32
    %chunk = llvm.mul %tid, %c4 : i32
    %far = llvm.mul %tid, %c16 : i32
    %mirror = llvm.sub %c63, %tid : i32
    %reverse = llvm.mul %mirror, %c4 : i32
    %src = llvm.getelementptr %in[%chunk] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 // @source
    %dst = llvm.getelementptr %row[%bytes] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8 // @target
    %other = llvm.getelementptr %in[%reverse] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %first = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %first, ^init, ^go
  ^init:
    nvvm.mbarrier.init %bar, %c64 : !llvm.ptr<3>, i32
    llvm.br ^go
  ^go:
    nvvm.barrier0
    // COMMIT: :[[#@LINE+4]]:{{[0-9]+}}: error: thread exits with a cp.async that it has not waited for (thread {{[0-9]+}} of block (0,0,0))
    // GROUPS: :[[#@LINE+3]]:{{[0-9]+}}: error: thread exits with a cp.async that it has not waited for
    // BOUNDS: :[[#@LINE+2]]:{{[0-9]+}}: error: access outside of global memory: byte 1024 of 'arg0' with 1024 (thread {{[0-9]+}} of block (0,0,0))
    // MISALIGNED: :[[#@LINE+1]]:{{[0-9]+}}: error: expected a cp.async aligned to its 16 bytes (thread {{[0-9]+}} of block (0,0,0))
    nvvm.cp.async.shared.global %dst, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1> // @copy
    nvvm.cp.async.commit.group // @commit
    // @arrive
    // @before
    // @look
    nvvm.cp.async.wait.group 0 // @wait
    // @after
    nvvm.barrier0 // @sync
    // @last
    %back = llvm.getelementptr %row[%reverse] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    // WAIT: :[[#@LINE+5]]:{{[0-9]+}}: error: access to shared memory that a cp.async is still writing; wait for its group (thread {{[0-9]+}} of block (0,0,0))
    // WAIT-NEXT: :[[#@LINE-11]]:{{[0-9]+}}: note: the copy was issued here (thread {{[0-9]+}} of block (0,0,0))
    // SYNC: :[[#@LINE+3]]:{{[0-9]+}}: error: race: read of shared memory that is not ordered after its write
    // SYNC-NEXT: :[[#@LINE-13]]:{{[0-9]+}}: note: the write is here
    // HALF: :[[#@LINE+1]]:{{[0-9]+}}: error: read of uninitialised shared memory
    %v = llvm.load %back : !llvm.ptr<3> -> vector<4xf32>
    %to = llvm.getelementptr %out[%chunk] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v, %to : vector<4xf32>, !llvm.ptr<1>
    llvm.return
  }
}
