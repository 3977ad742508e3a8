// setmaxnreg: a block has the registers that its threads begin with (168 each
// where 384 threads share 65536), and who asks for more waits until others have
// given some back.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  // A producer gives what two consumers take: (168 - 24) * 128 for twice
  // (240 - 168) * 128.
  // options: --seeds=5
  llvm.func @share() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>} {
    // clean
    %c128 = llvm.mlir.constant(128 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %producer = llvm.icmp "ult" %tid, %c128 : i32
    llvm.cond_br %producer, ^give, ^take
  ^give:
    nvvm.setmaxregister decrease 24
    llvm.return
  ^take:
    nvvm.setmaxregister increase 240
    llvm.return
  }
  // Eight less given are too few.
  llvm.func @too_few() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>} {
    %c128 = llvm.mlir.constant(128 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %producer = llvm.icmp "ult" %tid, %c128 : i32
    llvm.cond_br %producer, ^give, ^take
  ^give:
    nvvm.setmaxregister decrease 32
    llvm.return
  ^take:
    // error+1: deadlock: the threads that wait here are never woken; they want 240 registers each, but no other warp gives enough back
    nvvm.setmaxregister increase 240
    llvm.return
  }
  llvm.func @nobody_gives() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>} {
    // error+1: deadlock: the threads that wait here are never woken; they want 240 registers each
    nvvm.setmaxregister increase 240
    llvm.return
  }
  // Only setmaxnreg gives registers back; the manual says nothing of warps that exit.
  llvm.func @exit_gives_nothing() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>} {
    %c128 = llvm.mlir.constant(128 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %leaves = llvm.icmp "ult" %tid, %c128 : i32
    llvm.cond_br %leaves, ^leave, ^take
  ^leave:
    llvm.return
  ^take:
    // error+1: deadlock: the threads that wait here are never woken; they want 240 registers each, but no other warp gives enough back
    nvvm.setmaxregister increase 240
    llvm.return
  }
  // What the kernel says itself counts before what its size allows.
  llvm.func @given() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>, nvvm.maxnreg = 64 : i32} {
    // clean
    nvvm.setmaxregister increase 64
    llvm.return
  }
  llvm.func @wrong_way() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>} {
    // error+1: expected setmaxnreg to increase registers, but the warp has 168 for each thread and 160 are asked for
    nvvm.setmaxregister increase 160
    // error+1: expected setmaxnreg to decrease registers, but the warp has 168 for each thread and 176 are asked for
    nvvm.setmaxregister decrease 176
    llvm.return
  }
  // A thread of a small block has what it needs, which only the compiler knows.
  llvm.func @unknown() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    // clean
    nvvm.setmaxregister increase 240
    llvm.return
  }
}
