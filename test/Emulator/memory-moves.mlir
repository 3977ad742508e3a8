// memcpy, memmove and memset are accesses of their ranges: bounds, races, and bytes that
// nobody wrote. What they move is tested by Inputs/check_scalar.py.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.mlir.global internal @memory() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i8>

  // options: --arg=A=i32:16:iota --arg=B=i32:16:uninit
  llvm.func @past_the_end(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %n = llvm.mlir.constant(68 : i64) : i64
    // error+1: access outside of global memory: byte 0 of 'A' with 64
    "llvm.intr.memcpy"(%b, %a, %n) <{isVolatile = false}> : (!llvm.ptr<1>, !llvm.ptr<1>, i64) -> ()
    llvm.return
  }

  // options: --arg=A=i32:16:iota
  llvm.func @enormous(%a: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %n = llvm.mlir.constant(8589934592 : i64) : i64
    %zero = llvm.mlir.constant(0 : i8) : i8
    // error+1: access outside of global memory: 8589934592 bytes
    "llvm.intr.memset"(%a, %zero, %n) <{isVolatile = false}> : (!llvm.ptr<1>, i8, i64) -> ()
    llvm.return
  }

  llvm.func @past_shared() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %n = llvm.mlir.constant(257 : i64) : i64
    %zero = llvm.mlir.constant(0 : i8) : i8
    // error+1: access outside of shared memory: 257 bytes at 0 of 256
    "llvm.intr.memset"(%p, %zero, %n) <{isVolatile = false}> : (!llvm.ptr<3>, i8, i64) -> ()
    llvm.return
  }

  // options: --arg=A=i32:16:uninit
  llvm.func @nobody_wrote(%a: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %n = llvm.mlir.constant(64 : i64) : i64
    // error+1: read of uninitialised global memory
    "llvm.intr.memcpy"(%p, %a, %n) <{isVolatile = false}> : (!llvm.ptr<3>, !llvm.ptr<1>, i64) -> ()
    llvm.return
  }

  // Two threads set ranges that meet in one byte.
  llvm.func @race() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 2, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %n = llvm.mlir.constant(8 : i64) : i64
    %zero = llvm.mlir.constant(0 : i8) : i8
    %offset = llvm.mul %tid, %c7 : i32
    %mine = llvm.getelementptr %p[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    // error+1: race: two unordered writes to shared memory
    "llvm.intr.memset"(%mine, %zero, %n) <{isVolatile = false}> : (!llvm.ptr<3>, i8, i64) -> ()
    llvm.return
  }

  // options: --arg=A=i32:16:iota
  llvm.func @overlap(%a: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %b = llvm.getelementptr %a[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %n = llvm.mlir.constant(32 : i64) : i64
    // error+1: memcpy of 32 bytes between places that overlap; use memmove
    "llvm.intr.memcpy"(%b, %a, %n) <{isVolatile = false}> : (!llvm.ptr<1>, !llvm.ptr<1>, i64) -> ()
    llvm.return
  }

  // A struct of which the three bytes of padding were never written, and its copies.
  // options: --arg=O=i32:3:uninit --print=O
  llvm.func @padded(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    // prints: O = [7, 9, 7]
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %byte = llvm.mlir.constant(9 : i8) : i8
    %word = llvm.mlir.constant(7 : i32) : i32
    %n = llvm.mlir.constant(8 : i64) : i64
    %a = llvm.alloca %c1 x !llvm.struct<(i32, i8)> : (i32) -> !llvm.ptr
    %b = llvm.alloca %c1 x !llvm.struct<(i32, i8)> : (i32) -> !llvm.ptr
    %s = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %field = llvm.getelementptr %a[4] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %word, %a : i32, !llvm.ptr
    llvm.store %byte, %field : i8, !llvm.ptr
    "llvm.intr.memcpy"(%b, %a, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
    "llvm.intr.memcpy"(%s, %b, %n) <{isVolatile = false}> : (!llvm.ptr<3>, !llvm.ptr, i64) -> ()
    "llvm.intr.memmove"(%out, %s, %n) <{isVolatile = false}> : (!llvm.ptr<1>, !llvm.ptr<3>, i64) -> ()
    %far = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %got = llvm.load %far : !llvm.ptr<1> -> i8
    %wide = llvm.zext %got : i8 to i32
    llvm.store %wide, %far : i32, !llvm.ptr<1>
    %last = llvm.getelementptr %out[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %first = llvm.load %s : !llvm.ptr<3> -> i32
    llvm.store %first, %last : i32, !llvm.ptr<1>
    llvm.return
  }

  // The padding is as uninitialised in each copy, also where something was before.
  // options: --arg=O=i32:2:zero
  llvm.func @padding_read(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %byte = llvm.mlir.constant(9 : i8) : i8
    %word = llvm.mlir.constant(7 : i32) : i32
    %n = llvm.mlir.constant(8 : i64) : i64
    %a = llvm.alloca %c1 x !llvm.struct<(i32, i8)> : (i32) -> !llvm.ptr
    %b = llvm.alloca %c1 x !llvm.struct<(i32, i8)> : (i32) -> !llvm.ptr
    %s = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %field = llvm.getelementptr %a[4] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %word, %a : i32, !llvm.ptr
    llvm.store %byte, %field : i8, !llvm.ptr
    "llvm.intr.memcpy"(%b, %a, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
    "llvm.intr.memcpy"(%s, %b, %n) <{isVolatile = false}> : (!llvm.ptr<3>, !llvm.ptr, i64) -> ()
    "llvm.intr.memcpy"(%out, %s, %n) <{isVolatile = false}> : (!llvm.ptr<1>, !llvm.ptr<3>, i64) -> ()
    %hole = llvm.getelementptr %b[5] : (!llvm.ptr) -> !llvm.ptr, i8
    // error+1: read of uninitialised local memory
    %v = llvm.load %hole : !llvm.ptr -> i8
    %near = llvm.getelementptr %s[5] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    // error+1: read of uninitialised shared memory
    %w = llvm.load %near : !llvm.ptr<3> -> i8
    %far = llvm.getelementptr %out[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    // error+1: read of uninitialised global memory
    %x = llvm.load %far : !llvm.ptr<1> -> i8
    llvm.return
  }

  // A copy of nothing but what nobody wrote.
  // options: --arg=O=i32:2:zero
  llvm.func @nothing_written(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %n = llvm.mlir.constant(8 : i64) : i64
    %a = llvm.alloca %c2 x i32 : (i32) -> !llvm.ptr
    // error+1: read of uninitialised local memory
    "llvm.intr.memcpy"(%out, %a, %n) <{isVolatile = false}> : (!llvm.ptr<1>, !llvm.ptr, i64) -> ()
    llvm.return
  }
}
