// Bank conflicts of ordinary accesses to shared memory, as --statistics counts them:
// by the numbers of the lanes, whatever order a schedule runs them in.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu %s --statistics --kernel
// RUN: %{emu}=pairs | FileCheck %s --check-prefix=PAIRS
// RUN: %{emu}=pairs --seed=1 | FileCheck %s --check-prefix=PAIRS
// RUN: %{emu}=pairs --seed=2 | FileCheck %s --check-prefix=PAIRS
// RUN: %{emu}=strided --seed=1 | FileCheck %s --check-prefix=STRIDED
// RUN: %{emu}=some --seed=1 | FileCheck %s --check-prefix=SOME
gpu.module @m {
  llvm.mlir.global internal @cells() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<64 x i32>

  // Sixteen lanes of 8 bytes are a pass over all banks. The second sixteen meet the
  // same banks backwards, in a pass of their own: any other sixteen would meet some
  // of them twice.
  // PAIRS: shared loads and stores: 2 passes, 0 more for bank conflicts
  llvm.func @pairs() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %cells = llvm.mlir.addressof @cells : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c15 = llvm.mlir.constant(15 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %first = llvm.icmp "ult" %tid, %c16 : i32
    %turn = llvm.select %first, %zero, %c15 : i1, i32
    %slot = llvm.xor %tid, %turn : i32
    %wide = llvm.zext %tid : i32 to i64
    %at = llvm.getelementptr %cells[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    llvm.store %wide, %at : i64, !llvm.ptr<3>
    llvm.return
  }

  // Every second word: lanes i and i + 16 meet in a bank.
  // STRIDED: shared loads and stores: 1 passes, 1 more for bank conflicts
  llvm.func @strided() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %cells = llvm.mlir.addressof @cells : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %at = llvm.getelementptr %cells[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    llvm.store %tid, %at : i32, !llvm.ptr<3>
    llvm.return
  }

  // The same by the first sixteen lanes alone, who meet nobody.
  // SOME: shared loads and stores: 1 passes, 0 more for bank conflicts
  llvm.func @some() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %cells = llvm.mlir.addressof @cells : !llvm.ptr<3>
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %first = llvm.icmp "ult" %tid, %c16 : i32
    %at = llvm.getelementptr %cells[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    llvm.cond_br %first, ^store, ^end
  ^store:
    llvm.store %tid, %at : i32, !llvm.ptr<3>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
