// Kernels as programmers write them from the manual: reductions, early exit, barriers by
// name, compaction, locks, rings, look-back. As they stand nothing is wrong with them;
// each RUN line after the first makes a mistake in one, at the line with its mark.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
// RUN: sed '/@turn/d' %s | not amp-emu - --kernel=tree_reduction --arg=O=i32:64:uninit 2>&1 | FileCheck %s --check-prefix=TURN
// RUN: sed '/@part/s/uge/ugt/' %s | not amp-emu - --kernel=named_barrier_of_32_by_one_warp --arg=O=i32:32:uninit 2>&1 | FileCheck %s --check-prefix=PART
// RUN: sed '/@consumer/s/%%c64/%%c32/' %s | not amp-emu - --kernel=producer_arrives_consumer_syncs --arg=O=i32:32:uninit 2>&1 | FileCheck %s --check-prefix=CONSUMER
// RUN: sed '/@below/s/%%lt/%%all/' %s | not amp-emu - --kernel=ballot_compaction_of_a_warp --arg=O=i32:16:uninit 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: sed '/@cleared/d' %s | not amp-emu - --kernel=shared_histogram --arg=O=i32:64:uninit --seeds=5 2>&1 | FileCheck %s --check-prefix=CLEARED
// RUN: sed '/@unlock/s/release/monotonic/' %s | not amp-emu - --kernel=shared_spin_lock --arg=O=i32:64:uninit 2>&1 | FileCheck %s --check-prefix=UNLOCK
// RUN: sed '/@width/s/16 :/12 :/' %s | not amp-emu - --kernel=copy_of_16_bytes_each --arg=i32:256:iota --arg=O=i32:256:uninit 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: sed '/@reuse/d' %s | not amp-emu - --kernel=mbarrier_phases --arg=O=i32:64:uninit 2>&1 | FileCheck %s --check-prefix=REUSE
// RUN: sed 's/^    .. @leave/    %%last = llvm.icmp "eq" %%tid, %%c31 : i32\n    llvm.cond_br %%last, ^gone, ^stay\n  ^gone:\n    llvm.return\n  ^stay:/' %s | not amp-emu - --kernel=butterfly_maximum --arg=O=i32:32:uninit 2>&1 | FileCheck %s --check-prefix=LEAVE
// RUN: sed '/@publish/s/release/monotonic/' %s | not amp-emu - --kernel=look_back_scan --arg=i32:64:zero --arg=O=i32:64:uninit --grid=64 2>&1 | FileCheck %s --check-prefix=PUBLISH
// RUN: sed '/@mask/s/%%m16/%%all/' %s | not amp-emu - --kernel=redux_in_a_branch_own_mask --arg=O=i32:16:uninit 2>&1 | FileCheck %s --check-prefix=MASK
gpu.module @m {
  llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i32>
  // options: --arg=O=i32:64:uninit --seeds=5 --print=O
  llvm.func @tree_reduction(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    // prints: O = [2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016, 2016]
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %p = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %p : i32, !llvm.ptr<3>
    nvvm.barrier0
    llvm.br ^l(%c32 : i32)
  ^l(%d: i32):
    %in = llvm.icmp "ult" %tid, %d : i32
    llvm.cond_br %in, ^a, ^n
  ^a:
    %i = llvm.add %tid, %d : i32
    %q = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %x = llvm.load %p : !llvm.ptr<3> -> i32
    %y = llvm.load %q : !llvm.ptr<3> -> i32
    %z = llvm.add %x, %y : i32
    // TURN: error: race: write to shared memory that is not ordered after a read of the old value
    llvm.store %z, %p : i32, !llvm.ptr<3>
    llvm.br ^n
  ^n:
    nvvm.barrier0 // @turn
    %e = llvm.lshr %d, %c1 : i32
    %m = llvm.icmp "ne" %e, %c0 : i32
    llvm.cond_br %m, ^l(%e : i32), ^w
  ^w:
    %v = llvm.load %s : !llvm.ptr<3> -> i32
    %o = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:48:uninit --seeds=5 --print=O
  llvm.func @exit_of_a_part_then_barrier0(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    // prints: O = [47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c48 = llvm.mlir.constant(48 : i32) : i32
    %h = llvm.icmp "uge" %tid, %c48 : i32
    llvm.cond_br %h, ^x, ^g
  ^x:
    llvm.return
  ^g:
    %p = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %p : i32, !llvm.ptr<3>
    nvvm.barrier0
    %c47 = llvm.mlir.constant(47 : i32) : i32
    %i = llvm.sub %c47, %tid : i32
    %q = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %q : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:32:uninit --seeds=5 --print=O
  llvm.func @named_barrier_of_32_by_one_warp(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    // prints: O = [31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %h = llvm.icmp "uge" %tid, %c32 : i32 // @part
    llvm.cond_br %h, ^x, ^g
  ^x:
    llvm.return
  ^g:
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %p = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %p : i32, !llvm.ptr<3>
    // PART: error: deadlock: the threads that wait here are never woken (thread 32 of block (0,0,0))
    nvvm.barrier id = %c1 number_of_threads = %c32 // @named
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %i = llvm.xor %tid, %c31 : i32
    %q = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %q : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:32:uninit --seeds=5 --print=O
  llvm.func @producer_arrives_consumer_syncs(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    // prints: O = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %prod = llvm.icmp "ult" %tid, %c32 : i32
    llvm.cond_br %prod, ^p, ^c
  ^p:
    %p = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %p : i32, !llvm.ptr<3>
    nvvm.barrier.arrive id = %c1 number_of_threads = %c64
    llvm.return
  ^c:
    // CONSUMER: error: threads disagree on the thread count of a barrier (thread 32 of block (0,0,0))
    // CONSUMER-NEXT: note: another thread waits here
    nvvm.barrier id = %c1 number_of_threads = %c64 // @consumer
    %i = llvm.sub %tid, %c32 : i32
    %q = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %q : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:16:uninit --seeds=5 --print=O
  llvm.func @ballot_compaction_of_a_warp(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    // prints: O = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31]
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %bit = llvm.and %tid, %c1 : i32
    %pred = llvm.icmp "eq" %bit, %c1 : i32
    %b = nvvm.vote.sync ballot %all, %pred -> i32
    %lt = nvvm.read.ptx.sreg.lanemask.lt : i32
    %bl = llvm.and %b, %lt : i32 // @below
    %pos = llvm.intr.ctpop(%bl) : (i32) -> i32
    llvm.cond_br %pred, ^st, ^end
  ^st:
    %o = llvm.getelementptr %out[%pos] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // BELOW: error: access outside of global memory: byte 64 of 'O' with 64
    llvm.store %tid, %o : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5 --print=O
  llvm.func @shared_histogram(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    // prints: O = [16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %p = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    // CLEARED: error: race: two unordered writes to shared memory
    llvm.store %c0, %p : i32, !llvm.ptr<3>
    nvvm.barrier0 // @cleared
    %b = llvm.and %tid, %c3 : i32
    %q = llvm.getelementptr %s[%b] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %o = llvm.atomicrmw add %q, %c1 monotonic : !llvm.ptr<3>, i32
    nvvm.barrier0
    %v = llvm.load %p : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5 --print=O
  llvm.func @shared_spin_lock(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    // prints: O = [64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64]
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %z = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %z, ^i, ^g
  ^i:
    llvm.store %c0, %s : i32, !llvm.ptr<3>
    %d0 = llvm.getelementptr %s[%c1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %c0, %d0 : i32, !llvm.ptr<3>
    llvm.br ^g
  ^g:
    nvvm.barrier0
    %d = llvm.getelementptr %s[%c1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.br ^t
  ^t:
    %old = llvm.atomicrmw xchg %s, %c1 acquire : !llvm.ptr<3>, i32
    %got = llvm.icmp "eq" %old, %c0 : i32
    llvm.cond_br %got, ^in, ^t
  ^in:
    // UNLOCK: error: race: read of shared memory that is not ordered after its write
    %v = llvm.load %d : !llvm.ptr<3> -> i32
    %w = llvm.add %v, %c1 : i32
    llvm.store %w, %d : i32, !llvm.ptr<3>
    %r = llvm.atomicrmw xchg %s, %c0 release : !llvm.ptr<3>, i32 // @unlock
    nvvm.barrier0
    %n = llvm.load %d : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %n, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=i32:256:iota --arg=O=i32:256:uninit --print=O
  llvm.func @copy_of_16_bytes_each(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    // prints: O = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255]
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32 // @width
    %i = llvm.mul %tid, %c16 : i32
    %p = llvm.getelementptr %in[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    // WIDTH: error: misaligned access: expected an address at a multiple of 16 bytes, but it lies 12 past one (thread 1 of block (0,0,0))
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<16xi8>
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    llvm.store %v, %q {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:64:uninit --seeds=5 --print=O
  llvm.func @mbarrier_phases(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    // clean
    // prints: O = [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]
    %s = llvm.mlir.addressof @s : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %z = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %z, ^i, ^g
  ^i:
    nvvm.mbarrier.init %s, %c64 : !llvm.ptr<3>, i32 // @count
    llvm.br ^g
  ^g:
    nvvm.barrier0
    llvm.br ^l(%c0 : i32)
  ^l(%n: i32):
    %at = llvm.add %tid, %c4 : i32
    %p = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %n, %p : i32, !llvm.ptr<3>
    %st = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
    %ph = llvm.and %n, %c1 : i32
    llvm.br ^w
  ^w:
    %done = nvvm.mbarrier.test.wait %s, %st : !llvm.ptr<3>, i64 -> i1
    llvm.cond_br %done, ^r, ^w
  ^r:
    %x = llvm.xor %tid, %c1 : i32
    %xa = llvm.add %x, %c4 : i32
    %q = llvm.getelementptr %s[%xa] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    // REUSE: error: race: read of shared memory that is not ordered after its write
    %v = llvm.load %q : !llvm.ptr<3> -> i32
    nvvm.barrier0 // @reuse
    %m = llvm.add %n, %c1 : i32
    %more = llvm.icmp "ult" %m, %c8 : i32
    llvm.cond_br %more, ^l(%m : i32), ^e
  ^e:
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:32:uninit --seeds=5 --print=O
  llvm.func @butterfly_maximum(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    // prints: O = [31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31]
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    // @leave
    llvm.br ^l(%c16, %tid : i32, i32)
  ^l(%d: i32, %v: i32):
    // LEAVE: error: shuffle from a lane that has exited
    %o = nvvm.shfl.sync bfly %all, %v, %d, %c31 : i32 -> i32
    %w = llvm.intr.smax(%o, %v) : (i32, i32) -> i32
    %e = llvm.lshr %d, %c1 : i32
    %m = llvm.icmp "ne" %e, %c0 : i32
    llvm.cond_br %m, ^l(%e, %w : i32, i32), ^x
  ^x:
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %w, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=i32:64:zero --arg=O=i32:64:uninit --grid=64 --seeds=3 --print=O
  llvm.func @look_back_scan(%fl: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    // prints: O = [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276, 300, 325, 351, 378, 406, 435, 465, 496, 528, 561, 595, 630, 666, 703, 741, 780, 820, 861, 903, 946, 990, 1035, 1081, 1128, 1176, 1225, 1275, 1326, 1378, 1431, 1485, 1540, 1596, 1653, 1711, 1770, 1830, 1891, 1953, 2016]
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %z = llvm.icmp "eq" %b, %c0 : i32
    llvm.cond_br %z, ^f(%c0 : i32), ^w
  ^w:
    %pb = llvm.sub %b, %c1 : i32
    %pp = llvm.getelementptr %fl[%pb] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.br ^sp
  ^sp:
    %v = llvm.load %pp atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %set = llvm.icmp "ne" %v, %c0 : i32
    llvm.cond_br %set, ^got, ^sp
  ^got:
    %dp = llvm.getelementptr %out[%pb] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // PUBLISH: error: race: read of global memory that is not ordered after its write
    %x = llvm.load %dp : !llvm.ptr<1> -> i32
    llvm.br ^f(%x : i32)
  ^f(%base: i32):
    %y = llvm.add %base, %b : i32
    %op = llvm.getelementptr %out[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %y, %op : i32, !llvm.ptr<1>
    %fp = llvm.getelementptr %fl[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %c1, %fp atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1> // @publish
    llvm.return
  }
  // options: --arg=i32:64:zero --arg=O=i32:64:uninit --grid=64 --seeds=3 --print=O
  llvm.func @wait_with_nanosleep(%fl: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    // prints: O = [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276, 300, 325, 351, 378, 406, 435, 465, 496, 528, 561, 595, 630, 666, 703, 741, 780, 820, 861, 903, 946, 990, 1035, 1081, 1128, 1176, 1225, 1275, 1326, 1378, 1431, 1485, 1540, 1596, 1653, 1711, 1770, 1830, 1891, 1953, 2016]
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %z = llvm.icmp "eq" %b, %c0 : i32
    llvm.cond_br %z, ^f(%c0 : i32), ^w
  ^w:
    %pb = llvm.sub %b, %c1 : i32
    %pp = llvm.getelementptr %fl[%pb] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.br ^sp
  ^sp:
    nvvm.nanosleep %c64
    %v = llvm.load %pp atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %set = llvm.icmp "ne" %v, %c0 : i32
    llvm.cond_br %set, ^got, ^sp
  ^got:
    %dp = llvm.getelementptr %out[%pb] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %dp : !llvm.ptr<1> -> i32
    llvm.br ^f(%x : i32)
  ^f(%base: i32):
    %y = llvm.add %base, %b : i32
    %op = llvm.getelementptr %out[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %y, %op : i32, !llvm.ptr<1>
    %fp = llvm.getelementptr %fl[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %c1, %fp atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=O=i32:16:uninit --seeds=5 --print=O
  llvm.func @redux_in_a_branch_own_mask(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    // prints: O = [120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120]
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %m16 = llvm.mlir.constant(65535 : i32) : i32
    %lo = llvm.icmp "ult" %tid, %c16 : i32
    llvm.cond_br %lo, ^a, ^b
  ^a:
    %r = nvvm.redux.sync add %tid, %m16 : i32 -> i32 // @mask
    %to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %to : i32, !llvm.ptr<1>
    llvm.br ^b
  ^b:
    // MASK: error: lanes of one warp or warpgroup are at different collectives
    nvvm.bar.warp.sync %all : i32
    llvm.return
  }
}
