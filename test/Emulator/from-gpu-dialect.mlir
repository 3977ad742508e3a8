// Kernels as upstream's lowering of the gpu dialect leaves them: memrefs as several
// values each, sizes at run time, the block's size as an attribute.
// REQUIRES: amp-emu
// DEFINE: %{lower} = amp-opt %s --pass-pipeline='builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm,canonicalize,cse,reconcile-unrealized-casts))'
// DEFINE: %{emu} = amp-emu - --grid=3 --seeds=5
// RUN: %{lower} | %{emu} --kernel=row_sums --arg=x=memref:f32:3x96:iota --arg=out=memref:f32:3:uninit --print=out | FileCheck %s --check-prefix=SUMS
// RUN: %{lower} | sed 's/nvvm.barrier.*//' | not %{emu} --kernel=row_sums --arg=x=memref:f32:3x96:iota --arg=out=memref:f32:3:uninit 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %{lower} | not %{emu} --kernel=row_sums --arg=x=memref:f32:3x95:iota --arg=out=memref:f32:3:uninit 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: %{lower} | not %{emu} --kernel=all_reduce --arg=x=memref:f32:3x64:iota --arg=out=memref:f32:3x64:uninit 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %{lower} | not %{emu} --kernel=all_reduce 2>&1 | FileCheck %s --check-prefix=VALUES

// VALUES: error: kernel 'all_reduce' takes 14 values (!llvm.ptr, !llvm.ptr, i64, {{.*}}), but --arg gives 0

gpu.module @kernels {
  // The sum of each row of 96: each warp by shuffles, then the first thread.
  // 0 + 1 + ... + 95 and so on.
  // SUMS: out = [4560, 13776, 22992]
  // RACE: error: race: write to shared memory that is not ordered after a read of the old value
  // BOUNDS: error: access outside of global memory: byte 1140 of 'x' with 1140
  gpu.func @row_sums(%x: memref<?x96xf32>, %out: memref<?xf32>)
      workgroup(%partial: memref<3xf32, #gpu.address_space<workgroup>>)
      kernel attributes {gpu.known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %width = arith.constant 32 : i32
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %thread = gpu.thread_id x
    %lane = arith.remui %thread, %c32 : index
    %warp = arith.divui %thread, %c32 : index
    %v0 = memref.load %x[%row, %thread] : memref<?x96xf32>
    %d1 = arith.constant 1 : i32
    %s1, %p1 = gpu.shuffle xor %v0, %d1, %width : f32
    %v1 = arith.addf %v0, %s1 : f32
    %d2 = arith.constant 2 : i32
    %s2, %p2 = gpu.shuffle xor %v1, %d2, %width : f32
    %v2 = arith.addf %v1, %s2 : f32
    %d4 = arith.constant 4 : i32
    %s4, %p4 = gpu.shuffle xor %v2, %d4, %width : f32
    %v4 = arith.addf %v2, %s4 : f32
    %d8 = arith.constant 8 : i32
    %s8, %p8 = gpu.shuffle xor %v4, %d8, %width : f32
    %v8 = arith.addf %v4, %s8 : f32
    %d16 = arith.constant 16 : i32
    %s16, %p16 = gpu.shuffle xor %v8, %d16, %width : f32
    %sum = arith.addf %v8, %s16 : f32
    %leads = arith.cmpi eq, %lane, %c0 : index
    scf.if %leads {
      memref.store %sum, %partial[%warp] : memref<3xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %first = arith.cmpi eq, %thread, %c0 : index
    scf.if %first {
      %total = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (f32) {
        %part = memref.load %partial[%i] : memref<3xf32, #gpu.address_space<workgroup>>
        %next = arith.addf %acc, %part : f32
        scf.yield %next : f32
      }
      memref.store %total, %out[%row] : memref<?xf32>
    }
    gpu.return
  }

  // Upstream's lowering of gpu.all_reduce: every lane of the first warp that has a
  // partial sum stores the total over the first of them, with nothing but shuffles
  // between that and the load by another lane. They store the same value.
  // ALL: error: race: write to shared memory that is not ordered after a read of the old value
  // ALL: error: race: two unordered writes to shared memory
  gpu.func @all_reduce(%x: memref<?x64xf32>, %out: memref<?x64xf32>)
      kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
    %row = gpu.block_id x
    %thread = gpu.thread_id x
    %v = memref.load %x[%row, %thread] : memref<?x64xf32>
    %sum = gpu.all_reduce add %v uniform {} : (f32) -> (f32)
    memref.store %sum, %out[%row, %thread] : memref<?x64xf32>
    gpu.return
  }
}
