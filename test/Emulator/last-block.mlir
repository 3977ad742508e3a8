// The block that finishes last adds up what all have written. Each thread fences its own
// word, then the block meets, and thread 0 alone counts the block and looks whether it was
// the last; after a second barrier the block reads. No thread both fences and counts in
// that order, so release and acquire patterns, which are of one thread, order nothing:
// the total order of fence.sc does, as what comes after the one fence is observed by what
// comes before the other (PTX, Memory Consistency Model, Fence-SC and Causality).
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --grid=2 --arg=part=i32:64:uninit --arg=count=i32:1:zero --arg=sum=i32:32:uninit
// RUN: %{emu} %s --seeds=4 --print=sum | FileCheck %s
// CHECK: sum = [32, 34, 36,
// RUN: sed 's/nvvm.memory.barrier .*>/llvm.fence seq_cst/' %s | %{emu} - | count 0
//
// The counting thread may fence instead, on either side.
// RUN: sed '/@written/d; s/^    .. @count$/    nvvm.memory.barrier #nvvm.mem_scope<gpu>/' %s | %{emu} - | count 0
// RUN: sed '/@reading/d; s/^    .. @counted/    nvvm.memory.barrier #nvvm.mem_scope<gpu>/' %s | %{emu} - | count 0
//
// Without one of the fences, with one that has no place in the order or too small a scope,
// or without a barrier in between, the words race.
// RUN: sed '/@written/d' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@reading/d' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@written/s/nvvm.*>/llvm.fence acq_rel/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@reading/s/nvvm.*>/llvm.fence acq_rel/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@written/s/<gpu>/<cta>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@reading/s/<gpu>/<cta>/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed '/@first/d' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=RACE
gpu.module @m {
  llvm.mlir.global internal @last() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<1 x i32>
  llvm.func @k(%part: !llvm.ptr<1>, %count: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %last = llvm.mlir.addressof @last : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %t0 = llvm.icmp "eq" %tid, %c0 : i32
    %start = llvm.mul %block, %c32 : i32
    %i = llvm.add %start, %tid : i32
    %p = llvm.getelementptr %part[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %i, %p : i32, !llvm.ptr<1>
    nvvm.memory.barrier #nvvm.mem_scope<gpu> // @written
    nvvm.barrier0 // @first
    llvm.cond_br %t0, ^one, ^meet
  ^one:
    // @count
    %before = llvm.atomicrmw add %count, %c1 syncscope("device") monotonic : !llvm.ptr<1>, i32
    // @counted
    %is = llvm.icmp "eq" %before, %c1 : i32
    %word = llvm.zext %is : i1 to i32
    llvm.store %word, %last : i32, !llvm.ptr<3>
    llvm.br ^meet
  ^meet:
    nvvm.barrier0
    %found = llvm.load %last : !llvm.ptr<3> -> i32
    %mine = llvm.icmp "eq" %found, %c1 : i32
    llvm.cond_br %mine, ^sum, ^end
  ^sum:
    nvvm.memory.barrier #nvvm.mem_scope<gpu> // @reading
    // RACE: error: race: read of global memory that is not ordered after its write
    %q = llvm.getelementptr %part[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %q : !llvm.ptr<1> -> i32
    %j = llvm.add %tid, %c32 : i32
    %r = llvm.getelementptr %part[%j] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %y = llvm.load %r : !llvm.ptr<1> -> i32
    %s = llvm.add %x, %y : i32
    %d = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %s, %d : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
