// Where the host has no addresses for what a machine has of its own, that is
// what is said.
// REQUIRES: amp-emu
// AddressSanitizer takes more addresses than any limit here leaves.
// UNSUPPORTED: sanitize
// RUN: not sh -c 'ulimit -v 6000000; exec amp-emu %s --kernel=locals' 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not sh -c 'ulimit -v 1500000; exec amp-emu %s --kernel=plain' 2>&1 | FileCheck %s --check-prefix=STACKS
// STACKS: <unknown>: error: the host has no address space for the stacks of 8192 threads; raise its limit (ulimit -v), or use fewer --jobs (thread 0 of block (0,0,0))
// RUN: sh -c 'ulimit -v 6000000; exec amp-emu %s --kernel=plain' 2>&1 | count 0
gpu.module @m {
  llvm.func @plain() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1024, 1, 1>, nvvm.cluster_dim = array<i32: 8, 1, 1>, gpu.known_grid_size = array<i32: 8, 1, 1>} {
    llvm.return
  }
  llvm.func @locals() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1024, 1, 1>, nvvm.cluster_dim = array<i32: 8, 1, 1>, gpu.known_grid_size = array<i32: 8, 1, 1>} {
    %c4 = llvm.mlir.constant(4 : i32) : i32
    // LOCAL: :[[#@LINE+1]]:{{[0-9]+}}: error: the host has no address space for the local memory of 8192 threads; raise its limit (ulimit -v), or use fewer --jobs (thread 0 of block (0,0,0))
    %a = llvm.alloca %c4 x i32 : (i32) -> !llvm.ptr
    llvm.store %c4, %a : i32, !llvm.ptr
    llvm.return
  }
}
