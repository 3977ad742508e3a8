// Ordinary shared memory: threads exchange values twice, through a barrier each
// time. Each RUN line after the first leaves out or alters the line with its
// mark.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --arg=A=i32:64:uninit
// RUN: %{emu} %s --seeds=20 --print=A | FileCheck %s
// CHECK: A = [0, 1, 2, 3,
// RUN: sed 's/.*@write.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=UNINIT
// RUN: sed 's/.*@first.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: sed 's/.*@second.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: sed '/@slot/s/%%tid/%%half/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: sed '/@slot/s/%%tid/%%far/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: sed '/@first/s/%%c1 number/%%c16 number/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: sed '/@first/s/= %%c64/= %%c33/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: sed '/@first/s/= %%c64/= %%c32/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: sed '/@first/s/= %%c64/= %%some/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=DISAGREE
gpu.module @m {
  llvm.mlir.global internal @cells() {addr_space = 3 : i32} : !llvm.array<64 x i32>
  llvm.func @exchange(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c33 = llvm.mlir.constant(33 : i32) : i32
    %c63 = llvm.mlir.constant(63 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %cells = llvm.mlir.addressof @cells : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %half = llvm.udiv %tid, %c2 : i32
    %far = llvm.add %tid, %c1 : i32
    %upper = llvm.icmp "uge" %tid, %c32 : i32
    %some = llvm.select %upper, %c32, %c64 : i1, i32
    %mirror = llvm.sub %c63, %tid : i32
    %mine = llvm.getelementptr %cells[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32 // @slot
    %other = llvm.getelementptr %cells[%mirror] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    // BOUNDS: :[[#@LINE+3]]:{{[0-9]+}}: error: access outside of shared memory: 4 bytes at 256 of 256 (thread {{[0-9]+}} of block (0,0,0))
    // SAME: :[[#@LINE+2]]:{{[0-9]+}}: error: race: two unordered writes to shared memory (thread {{[0-9]+}} of block (0,0,0))
    // SAME-NEXT: :[[#@LINE+1]]:{{[0-9]+}}: note: the other write is here (thread {{[0-9]+}} of block (0,0,0))
    llvm.store %tid, %mine : i32, !llvm.ptr<3> // @write
    // NUMBER: :[[#@LINE+4]]:{{[0-9]+}}: error: barrier number 16 is above 15
    // COUNT: :[[#@LINE+3]]:{{[0-9]+}}: error: expected a barrier's thread count to be whole warps of the block, but got 33
    // DISAGREE: :[[#@LINE+2]]:{{[0-9]+}}: error: threads disagree on the thread count of a barrier (thread {{[0-9]+}} of block (0,0,0))
    // DISAGREE-NEXT: :[[#@LINE+1]]:{{[0-9]+}}: note: another thread waits here
    nvvm.barrier id = %c1 number_of_threads = %c64 // @first
    // UNINIT: :[[#@LINE+4]]:{{[0-9]+}}: error: read of uninitialised shared memory (thread {{[0-9]+}} of block (0,0,0))
    // FIRST: :[[#@LINE+3]]:{{[0-9]+}}: error: race: read of shared memory that is not ordered after its write (thread {{[0-9]+}} of block (0,0,0))
    // FIRST-NEXT: :[[#@LINE-8]]:{{[0-9]+}}: note: the write is here (thread {{[0-9]+}} of block (0,0,0))
    // FEW: :[[#@LINE+1]]:{{[0-9]+}}: error: race: read of shared memory that is not ordered after its write
    %v = llvm.load %other : !llvm.ptr<3> -> i32
    nvvm.barrier0 // @second
    // SECOND: :[[#@LINE+1]]:{{[0-9]+}}: error: race: write to shared memory that is not ordered after a read of the old value
    llvm.store %v, %mine : i32, !llvm.ptr<3>
    nvvm.barrier0
    %back = llvm.load %other : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %back, %to : i32, !llvm.ptr<1>
    llvm.return
  }
}
