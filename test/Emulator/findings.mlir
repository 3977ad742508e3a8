// Misuse of instructions that no other test of this folder commits, a kernel each.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.mlir.global internal @memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<1024 x i8>
  llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<2 x i64>
  llvm.mlir.global internal constant @table(5 : i32) {addr_space = 4 : i32} : i32
  llvm.mlir.global internal constant @message("x > 0\00")
  llvm.mlir.global internal constant @file("kernel.cu\00")
  llvm.mlir.global internal constant @function("positive\00")
  llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
  llvm.func @assert() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %message = llvm.mlir.addressof @message : !llvm.ptr
    %file = llvm.mlir.addressof @file : !llvm.ptr
    %function = llvm.mlir.addressof @function : !llvm.ptr
    %line = llvm.mlir.constant(7 : i32) : i32
    %size = llvm.mlir.constant(1 : i64) : i64
    // error+1: assertion failed: x > 0 (kernel.cu:7, positive)
    llvm.call @__assertfail(%message, %file, %line, %function, %size) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
    llvm.return
  }
  llvm.func @constant() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %p = llvm.mlir.addressof @table : !llvm.ptr<4>
    %v = llvm.load %p : !llvm.ptr<4> -> i32
    %g = llvm.addrspacecast %p : !llvm.ptr<4> to !llvm.ptr
    // error+1: write to constant memory: 'table'
    llvm.store %v, %g : i32, !llvm.ptr
    llvm.return
  }
  // Its end wraps to an address that is no more.
  llvm.func @before_null() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %null = llvm.mlir.zero : !llvm.ptr<1>
    %p = llvm.getelementptr %null[-1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    // error+1: access outside of global memory
    %v = llvm.load volatile %p : !llvm.ptr<1> -> i32
    llvm.return
  }
  llvm.func @part_of_a_warp() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 16, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %i = llvm.mlir.constant(0 : i32) : i32
    // error+1: expected a whole warp of 32 threads
    nvvm.stmatrix %p, %i {layout = #nvvm.mma_layout<row>, eltType = #nvvm.ld_st_matrix_elt_type<b16>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32
    llvm.return
  }
  llvm.func @part_of_a_warpgroup() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %d = llvm.mlir.constant(0 : i64) : i64
    nvvm.wgmma.fence.aligned
    // error+1: expected a whole warpgroup of 128 threads
    %r = nvvm.wgmma.mma_async %d, %d, %c, #nvvm.shape<m = 64, n = 8, k = 16>, D [#nvvm.wgmma_type<f32>, #nvvm.wgmma_scale_out<one>], A [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>], B [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    llvm.return
  }
  llvm.func @outside_the_mask() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %low = llvm.mlir.constant(65535 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %in = llvm.icmp "ult" %tid, %c16 : i32
    llvm.cond_br %in, ^a, ^b
  ^a:
    // error+1: shuffle from a lane outside the mask
    %s = nvvm.shfl.sync bfly %low, %tid, %c16, %c31 : i32 -> i32
    llvm.br ^b
  ^b:
    llvm.return
  }
  llvm.func @crooked_row() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %o = llvm.mul %tid, %c8 : i32
    %row = llvm.getelementptr %p[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %i = llvm.mlir.constant(0 : i32) : i32
    // error+1: expected matrix rows at multiples of 16 bytes
    nvvm.stmatrix %row, %i {layout = #nvvm.mma_layout<row>, eltType = #nvvm.ld_st_matrix_elt_type<b16>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32
    llvm.return
  }
  // A block's barrier, met at two places.
  llvm.func @two_barriers() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %low = llvm.icmp "ult" %tid, %c32 : i32
    llvm.cond_br %low, ^a, ^b
  ^a:
    nvvm.barrier0
    llvm.return
  ^b:
    // error+1: threads of one block wait at different barriers
    nvvm.barrier0
    llvm.return
  }
  llvm.func @arrive_twice() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    nvvm.cluster.arrive
    // error+1: second cluster arrival without a wait
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }
  llvm.func @wait_only() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    // error+1: cluster wait without an arrival
    nvvm.cluster.wait
    llvm.return
  }
  // An arrival on mbarriers that are none, crooked, or another block's.
  // options: --arg=i32:4:zero
  llvm.func @no_mbarrier(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %p = llvm.addrspacecast %g : !llvm.ptr<1> to !llvm.ptr
    // error+1: expected an mbarrier in shared memory
    nvvm.mbarrier.init %p, %c1 : !llvm.ptr, i32
    llvm.return
  }
  llvm.func @crooked_mbarrier() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %q = llvm.getelementptr %p[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    // error+1: expected an mbarrier at a multiple of 8 bytes, but got 4
    nvvm.mbarrier.init %q, %c1 : !llvm.ptr<3>, i32
    llvm.return
  }
  llvm.func @count() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %p = llvm.mlir.addressof @bar : !llvm.ptr<3>
    // error+1: expected an mbarrier count from 1 to 2^20 - 1, but got 0
    nvvm.mbarrier.init %p, %c0 : !llvm.ptr<3>, i32
    llvm.return
  }
  llvm.func @too_many() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %p = llvm.mlir.addressof @bar : !llvm.ptr<3>
    nvvm.mbarrier.init %p, %c1 : !llvm.ptr<3>, i32
    // error+1: more arrivals on an mbarrier than its count of 1
    %s = nvvm.mbarrier.arrive %p, %c2 : !llvm.ptr<3> -> i64
    llvm.return
  }
  llvm.func @too_many_bytes() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %many = llvm.mlir.constant(1048575 : i32) : i32
    %p = llvm.mlir.addressof @bar : !llvm.ptr<3>
    nvvm.mbarrier.init %p, %c2 : !llvm.ptr<3>, i32
    nvvm.mbarrier.complete_tx %p, %many : !llvm.ptr<3>, i32
    // error+1: transaction count of an mbarrier falls below its range of 2^20 - 1 bytes
    nvvm.mbarrier.complete_tx %p, %many : !llvm.ptr<3>, i32
    llvm.return
  }
  llvm.func @foreign_wait() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %p = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %other = llvm.xor %rank, %c1 : i32
    nvvm.mbarrier.init %p, %c1 : !llvm.ptr<3>, i32
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %s = nvvm.mbarrier.arrive %p : !llvm.ptr<3> -> i64
    %far = nvvm.mapa %p, %other : !llvm.ptr<3> -> !llvm.ptr<7>
    %g = llvm.addrspacecast %far : !llvm.ptr<7> to !llvm.ptr
    // error+1: wait on another block's mbarrier
    %done = nvvm.mbarrier.try_wait %g, %c0 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr, i32 -> i1
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }
  llvm.func @foreign_init() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %p = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %other = llvm.xor %rank, %c1 : i32
    %far = nvvm.mapa %p, %other : !llvm.ptr<3> -> !llvm.ptr<7>
    %g = llvm.addrspacecast %far : !llvm.ptr<7> to !llvm.ptr
    // error+1: init of another block's mbarrier
    nvvm.mbarrier.init %g, %c1 : !llvm.ptr, i32
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }
  // options: --arg=i32:4:zero
  llvm.func @copy_arrival(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %p = llvm.addrspacecast %g : !llvm.ptr<1> to !llvm.ptr
    // error+1: expected an mbarrier in the block's shared memory
    nvvm.cp.async.mbarrier.arrive %p : !llvm.ptr
    llvm.return
  }
  // Bulk copies: sizes and addresses of 16 bytes, and what is in flight at the end.
  // options: --arg=i32:64:zero
  llvm.func @bulk_size(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %n = llvm.mlir.constant(24 : i32) : i32
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    // error+1: expected a bulk copy of a multiple of 16 bytes
    nvvm.cp.async.bulk.global.shared.cta %g, %p, %n : !llvm.ptr<1>, !llvm.ptr<3>
    llvm.return
  }
  // options: --arg=i32:64:zero
  llvm.func @bulk_address(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %n = llvm.mlir.constant(16 : i32) : i32
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %q = llvm.getelementptr %p[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    // error+1: expected a bulk copy between addresses that are multiples of 16
    nvvm.cp.async.bulk.global.shared.cta %g, %q, %n : !llvm.ptr<1>, !llvm.ptr<3>
    llvm.return
  }
  // options: --arg=i32:64:zero
  llvm.func @bulk_left(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %n = llvm.mlir.constant(64 : i32) : i32
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %w = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
    %b = llvm.mlir.addressof @bar : !llvm.ptr<3>
    // error+1: block exits while copies that nobody has waited for may still write to it
    nvvm.mbarrier.init %b, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.mbarrier.arrive.expect_tx %b, %n : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %w, %g, %b, %n : !llvm.ptr<7>, !llvm.ptr<1>
    llvm.return
  }
  // options: --arg=f32:64:zero
  llvm.func @store_read_back(%g: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %n = llvm.mlir.constant(16 : i32) : i32
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %v = llvm.mlir.zero : vector<4xf32>
    llvm.store %v, %p : vector<4xf32>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    // note+1: the write is here (a bulk store writing)
    nvvm.cp.async.bulk.global.shared.cta %g, %p, %n : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    // error+1: race: read of global memory that is not ordered after its write
    %r = llvm.load %g : !llvm.ptr<1> -> f32
    llvm.return
  }
  // options: --arg=tma:i32:64:zero,box=16
  llvm.func @multicast_too_far(%map: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %n = llvm.mlir.constant(64 : i32) : i32
    %mask = llvm.mlir.constant(3 : i16) : i16
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %w = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
    %b = llvm.mlir.addressof @bar : !llvm.ptr<3>
    nvvm.mbarrier.init %b, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.mbarrier.arrive.expect_tx %b, %n : !llvm.ptr<3>, i32
    // error+1: copy to a block outside of the cluster
    nvvm.cp.async.bulk.tensor.shared.cluster.global %w, %map, %b, box[%c0] multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr
    llvm.return
  }
  // options: --arg=tma:i32:2x4x8x16:zero,lower=0x0,upper=0x0,channels=16,pixels=4
  llvm.func @wrong_mode(%map: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %w = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
    %b = llvm.mlir.addressof @bar : !llvm.ptr<3>
    // error+1: expected a copy of the mode that the tensor map was made for
    nvvm.cp.async.bulk.tensor.shared.cluster.global %w, %map, %b, box[%c0, %c0, %c0, %c0] : !llvm.ptr<7>, !llvm.ptr
    llvm.return
  }
  // The other block has gone by the time that this one writes to it.
  // options: --arg=tma:i32:64:zero,box=16
  llvm.func @gone(%map: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c99 = llvm.mlir.constant(99 : i32) : i32
    %n = llvm.mlir.constant(64 : i32) : i32
    %mask = llvm.mlir.constant(1 : i16) : i16
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %b = llvm.mlir.addressof @bar : !llvm.ptr<3>
    %w = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    nvvm.mbarrier.init %b, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %first = llvm.icmp "eq" %rank, %c0 : i32
    llvm.cond_br %first, ^exit, ^loop(%c0 : i32)
  ^loop(%i: i32):
    nvvm.nanosleep %n
    %next = llvm.add %i, %c1 : i32
    %more = llvm.icmp "ult" %next, %c99 : i32
    llvm.cond_br %more, ^loop(%next : i32), ^copy
  ^copy:
    // error+1: copy to a block that has exited
    nvvm.cp.async.bulk.tensor.shared.cluster.global %w, %map, %b, box[%c0] multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr
    %far = nvvm.mapa %p, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
    // error+1: access to shared memory of a block that has exited
    llvm.store %c1, %far : i32, !llvm.ptr<7>
    llvm.br ^exit
  ^exit:
    llvm.return
  }
  // A tile with rows of 128 bytes that begins in its second row. Along a row, as
  // every GEMM of the other tests goes on in K, it may begin anywhere.
  llvm.func @crooked_descriptor() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %c = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %d = llvm.mlir.constant(4611686018427387912 : i64) : i64
    nvvm.wgmma.fence.aligned
    // error+1: expected the tile of a matrix descriptor to begin in the first row of its swizzle, at a multiple of 1024 bytes, but it lies 128 past one
    %r = nvvm.wgmma.mma_async %d, %d, %c, #nvvm.shape<m = 64, n = 8, k = 16>, D [#nvvm.wgmma_type<f32>, #nvvm.wgmma_scale_out<one>], A [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>], B [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    llvm.return
  }
  llvm.func @wgmma_left() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %c = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %d = llvm.mlir.constant(0 : i64) : i64
    nvvm.wgmma.fence.aligned
    // error+1: thread exits with a wgmma that it has not waited for
    %r = nvvm.wgmma.mma_async %d, %d, %c, #nvvm.shape<m = 64, n = 8, k = 16>, D [#nvvm.wgmma_type<f32>, #nvvm.wgmma_scale_out<one>], A [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>], B [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    llvm.return
  }
}
