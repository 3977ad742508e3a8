// Variables on a thread's stack: they have ends, begin uninitialised, end with
// their function and are nobody else's.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.mlir.global internal @shared() {addr_space = 3 : i32} : !llvm.array<4 x i64>
  llvm.func @past_the_end() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c4 = llvm.mlir.constant(4 : i32) : i32
    // note+1: the variable is here
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    %p = llvm.getelementptr %a[4] : (!llvm.ptr) -> !llvm.ptr, i32
    // error+1: access outside of local memory: 4 bytes at 16 of 16 (thread 0 of block (0,0,0))
    llvm.store %c4, %p : i32, !llvm.ptr
    llvm.return
  }
  // Far enough to be past all that the thread has; volatile changes nothing.
  llvm.func @far_past_the_end() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    %p = llvm.getelementptr %a[200000] : (!llvm.ptr) -> !llvm.ptr, i32
    // error+1: access outside of local memory: 4 bytes at 800000 of 16
    llvm.store volatile %c4, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @before_the_start() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    %p = llvm.getelementptr %a[-1] : (!llvm.ptr) -> !llvm.ptr, i32
    // error+1: access outside of local memory: 4 bytes at -4 of 16
    %v = llvm.load %p : !llvm.ptr -> i32
    llvm.return
  }
  // From the end of one variable one does not reach the next.
  llvm.func @into_the_next() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    %b = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    %p = llvm.getelementptr %a[5] : (!llvm.ptr) -> !llvm.ptr, i32
    // error+1: access outside of local memory: 4 bytes at 20 of 16
    llvm.store %c4, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @move() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i8) : i8
    %n = llvm.mlir.constant(20 : i64) : i64
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    // error+1: access outside of local memory: 20 bytes at 0 of 16
    "llvm.intr.memset"(%a, %c0, %n) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
    llvm.return
  }
  llvm.func @uninitialised() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    llvm.store %c4, %a : i32, !llvm.ptr
    %p = llvm.getelementptr %a[1] : (!llvm.ptr) -> !llvm.ptr, i32
    // error+1: read of uninitialised local memory
    %v = llvm.load %p : !llvm.ptr -> i32
    llvm.return
  }
  // Another thread's pointer points to nothing here.
  llvm.func @foreign() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 2, 1, 1>} {
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    llvm.store %c4, %a : i32, !llvm.ptr
    %m = llvm.mlir.addressof @shared : !llvm.ptr<3>
    %mine = llvm.getelementptr %m[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    llvm.store %a, %mine : !llvm.ptr, !llvm.ptr<3>
    nvvm.barrier0
    %other = llvm.xor %tid, %c1 : i32
    %theirs = llvm.getelementptr %m[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    %p = llvm.load %theirs : !llvm.ptr<3> -> !llvm.ptr
    // error+1: access to local memory of another thread: its addresses mean nothing outside of it
    %v = llvm.load %p : !llvm.ptr -> i32
    llvm.return
  }
  llvm.func internal @leak() -> !llvm.ptr {
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    llvm.store %c4, %a : i32, !llvm.ptr
    llvm.return %a : !llvm.ptr
  }
  llvm.func @returned() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %p = llvm.call @leak() : () -> !llvm.ptr
    // error+1: access to a local variable of a function that has returned
    %v = llvm.load %p : !llvm.ptr -> i32
    llvm.return
  }
  // A function that calls itself for ever, and one that ends.
  llvm.func internal @recurse(%n: i32) -> i32 {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %end = llvm.icmp "eq" %n, %c0 : i32
    llvm.cond_br %end, ^end, ^next
  ^end:
    llvm.return %c0 : i32
  ^next:
    %m = llvm.sub %n, %c1 : i32
    %v = llvm.call @recurse(%m) : (i32) -> i32
    %s = llvm.lshr %v, %c1 : i32
    %w = llvm.xor %s, %n : i32
    llvm.return %w : i32
  }
  // options: --arg=i32:1:zero
  llvm.func @too_deep(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error-16: calls too deep: the stack of the thread has no room for another frame
    %n = llvm.mlir.constant(-1 : i32) : i32
    %v = llvm.call @recurse(%n) : (i32) -> i32
    llvm.store %v, %out : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=i32:1:zero
  llvm.func @deep(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %n = llvm.mlir.constant(300 : i32) : i32
    %v = llvm.call @recurse(%n) : (i32) -> i32
    llvm.store %v, %out : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @atomic() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %a = llvm.alloca %c1 x i32 : (i32) -> !llvm.ptr
    llvm.store %c1, %a : i32, !llvm.ptr
    // error+1: atomic access to local memory; atomics are for global and shared memory
    %v = llvm.atomicrmw add %a, %c1 monotonic : !llvm.ptr, i32
    llvm.return
  }
  // More than a thread can have, little by little.
  llvm.func @too_much() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c99 = llvm.mlir.constant(99 : i32) : i32
    %n = llvm.mlir.constant(65536 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    // error+1: expected at most 524288 bytes of local memory in a thread, but 65536 more are asked for
    %a = llvm.alloca %n x i8 : (i32) -> !llvm.ptr
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "ult" %j, %c99 : i32
    llvm.cond_br %more, ^loop(%j : i32), ^done
  ^done:
    llvm.return
  }
  // The same, given back in every round, and a function's own variables too.
  llvm.func @enough() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 2, 1, 1>} {
    // clean
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c99 = llvm.mlir.constant(99 : i32) : i32
    %n = llvm.mlir.constant(65536 : i32) : i32
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %saved = llvm.intr.stacksave : !llvm.ptr
    %a = llvm.alloca %n x i8 : (i32) -> !llvm.ptr
    llvm.intr.stackrestore %saved : !llvm.ptr
    %p = llvm.call @leak() : () -> !llvm.ptr
    %j = llvm.add %i, %c1 : i32
    %more = llvm.icmp "ult" %j, %c99 : i32
    llvm.cond_br %more, ^loop(%j : i32), ^done
  ^done:
    llvm.return
  }
  // All of an array, by computed places, in another address space, and a struct
  // whose second field is aligned.
  // options: --arg=O=i32:32:uninit --print=O
  llvm.func @within(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    // prints: O = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %n = llvm.mlir.constant(7 : i64) : i64
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i8) : i8
    %size = llvm.mlir.constant(16 : i64) : i64
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr<5>
    %g = llvm.addrspacecast %a : !llvm.ptr<5> to !llvm.ptr
    "llvm.intr.memset"(%g, %zero, %size) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
    %i = llvm.and %tid, %c3 : i32
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<5>, i32) -> !llvm.ptr<5>, i32
    llvm.store volatile %tid, %p : i32, !llvm.ptr<5>
    %v = llvm.load volatile %p : !llvm.ptr<5> -> i32
    %q = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %q : i32, !llvm.ptr<1>
    %s = llvm.alloca %c1 x !llvm.struct<(i32, i64)> : (i32) -> !llvm.ptr
    %f = llvm.getelementptr %s[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, i64)>
    llvm.store %n, %f : i64, !llvm.ptr
    %w = llvm.load %f : !llvm.ptr -> i64
    llvm.return
  }
}
