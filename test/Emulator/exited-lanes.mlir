// Collectives of warps whose other lanes have gone: who has exited is not waited
// for, but has nothing to give either.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
// RUN: amp-emu %s --kernel=broadcast --arg=O=i32:16:uninit --print=O --seeds=5 | FileCheck %s --check-prefix=BROADCAST
// BROADCAST: O = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
// RUN: amp-emu %s --kernel=others --arg=O=i32:16:uninit --arg=i32:1:zero --print=O --seeds=5 | FileCheck %s --check-prefix=OTHERS
// OTHERS: O = [65656, 65656, 65656,
// RUN: amp-emu %s --kernel=scan --arg=O=i32:20:uninit --print=O | FileCheck %s --check-prefix=SCAN
// SCAN: O = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
gpu.module @m {
  llvm.mlir.global internal @memory() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
  // options: --arg=O=i32:16:uninit --seeds=5
  llvm.func @broadcast(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %high = llvm.icmp "uge" %tid, %c16 : i32
    llvm.cond_br %high, ^gone, ^stay
  ^gone:
    llvm.return
  ^stay:
    %x = llvm.add %tid, %c1 : i32
    %v = nvvm.shfl.sync idx %all, %x, %c0, %c31 : i32 -> i32
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  // Lanes 16 to 31 go while the others already wait: ballot 65535, sum of lanes
  // 120, election of lane 0 (which adds 1), match any; the warp's barrier orders
  // what is left of it.
  // options: --arg=O=i32:16:uninit --arg=i32:1:zero --seeds=5
  llvm.func @others(%out: !llvm.ptr<1>, %flag: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c15 = llvm.mlir.constant(15 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %true = llvm.mlir.constant(true) : i1
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %m = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %high = llvm.icmp "uge" %tid, %c16 : i32
    llvm.cond_br %high, ^wait, ^stay
  ^wait:
    %v = llvm.load %flag atomic monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %set = llvm.icmp "eq" %v, %c1 : i32
    llvm.cond_br %set, ^gone, ^wait
  ^gone:
    llvm.return
  ^stay:
    llvm.store %c1, %flag atomic monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1>
    %ballot = nvvm.vote.sync ballot %all, %true -> i32
    %sum = nvvm.redux.sync add %tid, %all : i32 -> i32
    %elected = nvvm.elect.sync -> i1
    %e = llvm.zext %elected : i1 to i32
    %mine = llvm.getelementptr %m[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %e, %mine : i32, !llvm.ptr<3>
    nvvm.bar.warp.sync %all : i32
    %first = llvm.load %m : !llvm.ptr<3> -> i32
    %a = llvm.add %ballot, %sum : i32
    %b = llvm.add %a, %first : i32
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %b, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  // A sum over what is before each of 20 lanes.
  // options: --arg=O=i32:20:uninit
  llvm.func @scan(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // clean
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c20 = llvm.mlir.constant(20 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %high = llvm.icmp "uge" %tid, %c20 : i32
    llvm.cond_br %high, ^gone, ^loop(%c1, %c1 : i32, i32)
  ^gone:
    llvm.return
  ^loop(%d: i32, %x: i32):
    %up = nvvm.shfl.sync up %all, %x, %d, %c0 : i32 -> i32
    %in = llvm.icmp "uge" %tid, %d : i32
    %y = llvm.select %in, %up, %c0 : i1, i32
    %z = llvm.add %x, %y : i32
    %e = llvm.shl %d, %c1 : i32
    %more = llvm.icmp "ult" %e, %c32 : i32
    llvm.cond_br %more, ^loop(%e, %z : i32, i32), ^done
  ^done:
    %p = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %z, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @from_the_gone() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %high = llvm.icmp "uge" %tid, %c16 : i32
    llvm.cond_br %high, ^gone, ^stay
  ^gone:
    llvm.return
  ^stay:
    // error+1: shuffle from a lane that has exited
    %v = nvvm.shfl.sync down %all, %tid, %c1, %c31 : i32 -> i32
    llvm.return
  }
  // What has no mask takes all lanes.
  llvm.func @matrix() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %m = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %high = llvm.icmp "uge" %tid, %c16 : i32
    llvm.cond_br %high, ^gone, ^stay
  ^gone:
    llvm.return
  ^stay:
    // error+1: expected a whole warp of 32 threads, but some of its lanes have exited
    nvvm.stmatrix %m, %c0 {layout = #nvvm.mma_layout<row>, eltType = #nvvm.ld_st_matrix_elt_type<b16>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32
    llvm.return
  }
}
