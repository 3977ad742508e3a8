// Accesses at addresses that are no multiples of their size, in every kind of
// memory, and next to each what the hardware takes.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.mlir.global internal @memory() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
  // A vector of 16 bytes, 4 past a multiple.
  // options: --arg=f32:64:iota
  llvm.func @global_vector(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %p = llvm.getelementptr %g[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    // error+1: misaligned access: expected an address at a multiple of 16 bytes, but it lies 4 past one (thread 0 of block (0,0,0))
    %v = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>
    llvm.return
  }
  // The same where the compiler knows, and loads four words.
  // options: --arg=f32:64:iota
  llvm.func @global_vector_of_words(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %p = llvm.getelementptr %g[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf32>
    llvm.store %v, %p {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr<1>
    llvm.return
  }
  // Three words are twelve bytes, up to the last of the buffer.
  // options: --arg=i32:12:uninit
  llvm.func @global_three_words(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 4, 1, 1>} {
    // clean
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %i = llvm.mul %tid, %c3 : i32
    %p = llvm.getelementptr %g[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.mlir.zero : vector<3xi32>
    llvm.store %v, %p {alignment = 4 : i64} : vector<3xi32>, !llvm.ptr<1>
    llvm.return
  }
  // No access is wider than 16 bytes.
  // options: --arg=f32:64:iota
  llvm.func @global_two_vectors(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %p = llvm.getelementptr %g[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %v = llvm.load %p : !llvm.ptr<1> -> vector<8xf32>
    llvm.store %v, %p : vector<8xf32>, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=f32:64:iota
  llvm.func @global_word(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %f = llvm.mlir.constant(1.0 : f32) : f32
    %p = llvm.getelementptr %g[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    // error+1: misaligned access: expected an address at a multiple of 4 bytes, but it lies 3 past one
    llvm.store %f, %p : f32, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=f32:64:iota
  llvm.func @global_bytes(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %i = llvm.mlir.constant(1 : i8) : i8
    %p = llvm.getelementptr %g[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %i, %p : i8, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @shared_vector() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %v = llvm.mlir.zero : vector<2xf32>
    %m = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %p = llvm.getelementptr %m[12] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    // error+1: misaligned access: expected an address at a multiple of 8 bytes, but it lies 4 past one
    llvm.store %v, %p : vector<2xf32>, !llvm.ptr<3>
    llvm.return
  }
  llvm.func @shared_pairs() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %v = llvm.mlir.zero : vector<2xf32>
    %m = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %p = llvm.getelementptr %m[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.store %v, %p : vector<2xf32>, !llvm.ptr<3>
    llvm.return
  }
  // A volatile access, and atomics, which have no slower form.
  // options: --arg=i32:64:zero
  llvm.func @volatile(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %p = llvm.getelementptr %g[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    // error+1: misaligned access: expected an address at a multiple of 4 bytes, but it lies 2 past one
    %v = llvm.load volatile %p : !llvm.ptr<1> -> i32
    llvm.return
  }
  // options: --arg=i32:64:zero
  llvm.func @atomic(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %p = llvm.getelementptr %g[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    // error+1: misaligned access: expected an address at a multiple of 8 bytes, but it lies 4 past one
    %v = llvm.atomicrmw add %p, %c1 monotonic : !llvm.ptr<1>, i64
    llvm.return
  }
  // options: --arg=i32:64:zero
  llvm.func @atomic_in_place(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %p = llvm.getelementptr %g[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %v = llvm.atomicrmw add %p, %c1 monotonic : !llvm.ptr<1>, i64
    llvm.return
  }
  // A local array of words is where words may lie; eight of them are not where a
  // vector may.
  llvm.func @local_vector() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %v = llvm.mlir.zero : vector<4xf32>
    %a = llvm.alloca %c8 x f32 : (i32) -> !llvm.ptr
    // error+1: misaligned access: expected an address at a multiple of 16 bytes, but it lies 4 past one
    llvm.store %v, %a : vector<4xf32>, !llvm.ptr
    llvm.return
  }
  llvm.func @local_vector_aligned() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %n = llvm.mlir.constant(1 : i64) : i64
    %v = llvm.mlir.zero : vector<4xf32>
    %a = llvm.alloca %c8 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr
    llvm.store %v, %a : vector<4xf32>, !llvm.ptr
    %b = llvm.alloca %c8 x i64 : (i32) -> !llvm.ptr
    llvm.store %n, %b : i64, !llvm.ptr
    llvm.return
  }
}
