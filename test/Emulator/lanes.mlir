// Shuffles, votes, reductions, matches, atomics, printf, assert and trap.
// REQUIRES: amp-emu
// RUN: amp-emu %s --kernel=lanes --arg=A=i32:5x32:uninit --print=A | FileCheck %s
// CHECK: A = [1, 0, 3, 2,
// CHECK-SAME: 65535, 65535,
// CHECK-SAME: 496, 496,
// RUN: amp-emu %s --kernel=count --grid=8 --jobs=2 --arg=N=i32:1:zero --print=N | FileCheck %s --check-prefix=COUNT
// COUNT: N = [512]
// RUN: amp-emu %s --kernel=say | FileCheck %s --check-prefix=SAY
// SAY: thread 0 has 0.500
// SAY: thread 1 has 1.500
// RUN: not amp-emu %s --kernel=stop 2>&1 | FileCheck %s --check-prefix=STOP
// RUN: sed '/@mask/s/-1/65535/' %s | not amp-emu - --kernel=lanes --arg=A=i32:5x32:uninit 2>&1 | FileCheck %s --check-prefix=MASK
// RUN: not amp-emu %s --kernel=apart 2>&1 | FileCheck %s --check-prefix=APART
gpu.module @m {
  llvm.mlir.global internal constant @text("thread %d has %.3f\0A\00")
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.func @lanes(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %all = llvm.mlir.constant(-1 : i32) : i32 // @mask
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    // MASK: :[[#@LINE+1]]:{{[0-9]+}}: error: lane is not in the mask of its own collective (thread {{[0-9]+}} of block (0,0,0))
    %s = nvvm.shfl.sync bfly %all, %tid, %c1, %c31 : i32 -> i32
    %low = llvm.icmp "ult" %tid, %c16 : i32
    %ballot = nvvm.vote.sync ballot %all, %low -> i32
    %sum = nvvm.redux.sync add %tid, %all : i32 -> i32
    %p0 = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %s, %p0 : i32, !llvm.ptr<1>
    %p1 = llvm.getelementptr %p0[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %ballot, %p1 : i32, !llvm.ptr<1>
    %p2 = llvm.getelementptr %p0[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %sum, %p2 : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @count(%n: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %old = llvm.atomicrmw add %n, %c1 monotonic : !llvm.ptr<1>, i32
    llvm.return
  }
  llvm.func @say() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 2, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %half = llvm.mlir.constant(5.000000e-01 : f64) : f64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %f = llvm.sitofp %tid : i32 to f64
    %v = llvm.fadd %f, %half : f64
    %args = llvm.alloca %c1 x !llvm.struct<(i32, f64)> : (i32) -> !llvm.ptr
    %second = llvm.getelementptr %args[8] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %tid, %args : i32, !llvm.ptr
    llvm.store %v, %second : f64, !llvm.ptr
    %text = llvm.mlir.addressof @text : !llvm.ptr
    %r = llvm.call @vprintf(%text, %args) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @stop() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // STOP: :[[#@LINE+1]]:{{[0-9]+}}: error: kernel trapped (thread 0 of block (0,0,0))
    "llvm.intr.trap"() : () -> ()
    llvm.return
  }
  llvm.func @apart() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %low = llvm.icmp "ult" %tid, %c16 : i32
    llvm.cond_br %low, ^a, ^b
  ^a:
    nvvm.bar.warp.sync %all : i32
    llvm.return
  ^b:
    // APART: :[[#@LINE+2]]:{{[0-9]+}}: error: lanes of one warp or warpgroup are at different collectives
    // APART-NEXT: :[[#@LINE-4]]:{{[0-9]+}}: note: another lane waits here
    nvvm.bar.warp.sync %all : i32
    llvm.return
  }
}
