// What has no model, and options that do not fit: each an error that names the
// thing and, if there is one, the remedy.
// REQUIRES: amp-emu
// RUN: not amp-emu %s 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: error: expected '--kernel' to name one of 'good', 'unknown', 'function', 'dynamic', 'large', 'shapeless'
// RUN: not amp-emu %s --kernel=bad 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: found no kernel 'bad'; the module has 'good',
// RUN: not amp-emu %s --kernel=good 2>&1 | FileCheck %s --check-prefix=NOARG
// NOARG: amp-emu: error: kernel 'good' takes 2 values (!llvm.ptr<1>, i32), but --arg gives 0
// RUN: not amp-emu %s --kernel=good --arg=i32:1 --arg=i32:1 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: amp-emu: error: parameter 0 of kernel 'good' is !llvm.ptr<1>, but --arg gives i32
// RUN: not amp-emu %s --kernel=good --arg=f17:4:zero 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: amp-emu: error: --arg: expected a buffer as 'TYPE:SHAPE:FILL' (f16:128x64:int), a .npy file or the name of a --buffer, but got 'f17:4:zero'
// RUN: not amp-emu %s --kernel=good --arg=f16:4:ones 2>&1 | FileCheck %s --check-prefix=FILL
// FILL: amp-emu: error: --arg: expected a fill of zero, uninit, nan, iota, int, random or a number, but got 'ones'
// RUN: not amp-emu %s --kernel=good --arg=tma:f16:4x64:zero,box=4x64,swizzle=64 2>&1 | FileCheck %s --check-prefix=MAP
// MAP: amp-emu: error: --arg: expected the rows of a tile to fit into the swizzle: 'tma:f16:4x64:zero,box=4x64,swizzle=64'
// RUN: not amp-emu %s --kernel=good --arg=i32:4:zero --arg=i32:1 --grid=0 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: amp-emu: error: expected --grid as up to three positive numbers like 4,2,1, but got '0'
// RUN: not amp-emu %s --kernel=good --arg=i32:4:zero --arg=i32:1 --block=64 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: amp-emu: error: kernel 'good' requires --block=32,1,1 ('nvvm.reqntid'), but got 64,1,1
// RUN: not amp-emu %s --kernel=shapeless 2>&1 | FileCheck %s --check-prefix=SHAPELESS
// SHAPELESS: amp-emu: error: kernel 'shapeless' has no 'nvvm.reqntid'; give its threads with --block
// RUN: not amp-emu %s --kernel=dynamic 2>&1 | FileCheck %s --check-prefix=SMEM
// SMEM: amp-emu: error: kernel 'dynamic' uses dynamic shared memory; give its size with --smem
// RUN: not amp-emu %s --kernel=large 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: amp-emu: error: expected at most 49152 bytes of static shared memory, but got 2147483648; make it dynamic
// RUN: not amp-emu %s --kernel=unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not amp-emu %s --kernel=function 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: echo "module {}" | not amp-emu - 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: expected a kernel in the NVVM dialect: an llvm.func with the attribute 'nvvm.kernel' in a gpu.module
// RUN: not amp-emu %s --kernel=good --arg=A=i32:4:zero --arg=i32:1 --expect=A=matmul(A,A) 2>&1 | FileCheck %s --check-prefix=EXPECT
// EXPECT: amp-emu: error: expected 'matmul(A,B)' over three matrices, but got 'matmul(A,A)'
gpu.module @m {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // 4 bytes, if 32 bits hold them.
  llvm.mlir.global internal @wraps() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1073741825 x i32>
  llvm.func @work(i32) -> i32
  llvm.func @good(%a: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
  llvm.func @unknown() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // UNKNOWN: :[[#@LINE+1]]:{{[0-9]+}}: error: the emulator has no model of operation 'nvvm.breakpoint'
    nvvm.breakpoint
    llvm.return
  }
  llvm.func @function(%n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // FUNCTION: :[[#@LINE+1]]:{{[0-9]+}}: error: the emulator has no model of function 'work'
    %r = llvm.call @work(%n) : (i32) -> i32
    llvm.return
  }
  llvm.func @dynamic() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %s = llvm.mlir.addressof @smem : !llvm.ptr<3>
    llvm.return
  }
  llvm.func @large() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %s = llvm.mlir.addressof @wraps : !llvm.ptr<3>
    llvm.return
  }
  llvm.func @shapeless() attributes {nvvm.kernel} {
    llvm.return
  }
}
