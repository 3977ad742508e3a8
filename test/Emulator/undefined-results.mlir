// What a kernel must not come to: quotients that do not exist, on which the host's own
// processor would raise a signal, places that are never reached, false assumptions, and
// sizes that wrap.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.mlir.global internal @words() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i32>
  // options: --arg=i32:1:zero
  llvm.func @by_zero(%in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %d = llvm.load %in : !llvm.ptr<1> -> i32
    // error+1: division by zero, whose result is undefined (thread 0 of block (0,0,0))
    %q = llvm.udiv %c7, %d : i32
    llvm.store %q, %in : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=i32:1:zero
  llvm.func @signed_by_zero(%in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %d = llvm.load %in : !llvm.ptr<1> -> i32
    // error+1: division by zero, whose result is undefined
    %q = llvm.srem %c7, %d : i32
    llvm.store %q, %in : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=i32:1:-1
  llvm.func @overflow(%in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %least = llvm.mlir.constant(-2147483648 : i32) : i32
    %d = llvm.load %in : !llvm.ptr<1> -> i32
    // error+1: division of the least number by -1, whose result is undefined
    %q = llvm.sdiv %least, %d : i32
    llvm.store %q, %in : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=i32:4:iota
  llvm.func @a_lane_by_zero(%in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c7 = llvm.mlir.constant(dense<7> : vector<2xi32>) : vector<2xi32>
    %d = llvm.load %in : !llvm.ptr<1> -> vector<2xi32>
    // error+1: division by zero, whose result is undefined
    %q = llvm.urem %c7, %d : vector<2xi32>
    llvm.store %q, %in : vector<2xi32>, !llvm.ptr<1>
    llvm.return
  }
  // Quotients that exist, each kind in one block with others.
  // options: --arg=O=i32:4:uninit --arg=i32:1:-1 --print=O
  llvm.func @quotients(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // prints: O = [-7, 1, 2, 1]
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %m7 = llvm.mlir.constant(-7 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %least = llvm.mlir.constant(-2147483648 : i32) : i32
    %d = llvm.load %in : !llvm.ptr<1> -> i32
    %q0 = llvm.sdiv %c7, %d : i32
    %q1 = llvm.udiv %least, %least : i32
    %q2 = llvm.udiv %c7, %c3 : i32
    %q3 = llvm.srem %c7, %c3 : i32
    llvm.store %q0, %out : i32, !llvm.ptr<1>
    %p1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %q1, %p1 : i32, !llvm.ptr<1>
    %p2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %q2, %p2 : i32, !llvm.ptr<1>
    %p3 = llvm.getelementptr %out[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %q3, %p3 : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @unreachable() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error+1: the thread is where the kernel says that it never comes
    llvm.unreachable
  }
  llvm.func @assumption() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %low = llvm.icmp "ult" %tid, %c16 : i32
    // error+1: what the kernel assumes here is false (thread 16 of block (0,0,0))
    llvm.intr.assume %low : i1
    llvm.return
  }
  llvm.func @true_assumption() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %low = llvm.icmp "ult" %tid, %c32 : i32
    llvm.intr.assume %low : i1
    llvm.return
  }
  llvm.func @debug_trap() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error+1: kernel trapped
    "llvm.intr.debugtrap"() : () -> ()
    llvm.return
  }
  // 2^62 + 1 words are 4 bytes, if 64 bits hold them.
  llvm.func @many_words() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %n = llvm.mlir.constant(4611686018427387905 : i64) : i64
    // error+1: expected at most 524288 bytes of local memory in a thread, but
    %a = llvm.alloca %n x i32 : (i64) -> !llvm.ptr
    llvm.store %c1, %a : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @large_type() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    // error+1: expected at most 524288 bytes of local memory in a thread, but
    %a = llvm.alloca %c1 x !llvm.array<4611686018427387905 x i32> : (i32) -> !llvm.ptr
    llvm.store %c1, %a : i32, !llvm.ptr
    llvm.return
  }
  // An address of global memory in a pointer into shared memory.
  // options: --arg=i32:4:zero
  llvm.func @other_memory(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %g = llvm.addrspacecast %out : !llvm.ptr<1> to !llvm.ptr
    %s = llvm.addrspacecast %g : !llvm.ptr to !llvm.ptr<3>
    // error+1: access outside of shared memory
    llvm.store %c1, %s : i32, !llvm.ptr<3>
    llvm.return
  }
  // An atomic that adds needs what was there; one that replaces does not.
  llvm.func @adds_to_nothing() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %m = llvm.mlir.addressof @words : !llvm.ptr<3>
    // error+1: read of uninitialised shared memory
    %o = llvm.atomicrmw add %m, %c1 monotonic : !llvm.ptr<3>, i32
    llvm.return
  }
  // options: --arg=O=i32:1:uninit --print=O
  llvm.func @replaces(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // prints: O = [2]
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %o = llvm.atomicrmw xchg %out, %c1 monotonic : !llvm.ptr<1>, i32
    %p = llvm.atomicrmw add %out, %c1 monotonic : !llvm.ptr<1>, i32
    llvm.return
  }
}
