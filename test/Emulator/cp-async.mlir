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
// RUN: sed '/@target/s/i8$/i8/; /@target/s/%%bytes/%%odd/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// RUN: sed '/@source/s/%%chunk/%%far/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=BOUNDS
gpu.module @m {
  llvm.mlir.global internal @row() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f32>
  llvm.func @copy(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
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
    // COMMIT: :[[#@LINE+4]]:{{[0-9]+}}: error: thread exits with a cp.async that it has not waited for (thread {{[0-9]+}} of block (0,0,0))
    // GROUPS: :[[#@LINE+3]]:{{[0-9]+}}: error: thread exits with a cp.async that it has not waited for
    // BOUNDS: :[[#@LINE+2]]:{{[0-9]+}}: error: access outside of global memory: byte 1024 of 'arg0' with 1024 (thread {{[0-9]+}} of block (0,0,0))
    // MISALIGNED: :[[#@LINE+1]]:{{[0-9]+}}: error: expected a cp.async aligned to its 16 bytes (thread {{[0-9]+}} of block (0,0,0))
    nvvm.cp.async.shared.global %dst, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1> // @copy
    nvvm.cp.async.commit.group // @commit
    nvvm.cp.async.wait.group 0 // @wait
    nvvm.barrier0 // @sync
    %back = llvm.getelementptr %row[%reverse] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    // WAIT: :[[#@LINE+5]]:{{[0-9]+}}: error: access to shared memory that a cp.async is still writing; wait for its group (thread {{[0-9]+}} of block (0,0,0))
    // WAIT-NEXT: :[[#@LINE-6]]:{{[0-9]+}}: note: the copy was issued here (thread {{[0-9]+}} of block (0,0,0))
    // SYNC: :[[#@LINE+3]]:{{[0-9]+}}: error: race: read of shared memory that is not ordered after its write
    // SYNC-NEXT: :[[#@LINE-8]]:{{[0-9]+}}: note: the write is here
    // HALF: :[[#@LINE+1]]:{{[0-9]+}}: error: read of uninitialised shared memory
    %v = llvm.load %back : !llvm.ptr<3> -> vector<4xf32>
    %to = llvm.getelementptr %out[%chunk] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v, %to : vector<4xf32>, !llvm.ptr<1>
    llvm.return
  }
}
