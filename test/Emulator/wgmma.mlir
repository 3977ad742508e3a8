// wgmma: a warpgroup writes both operands to shared memory, multiplies them and
// stores the accumulators of its first row group. Operands without a swizzle:
// 8x16-byte core matrices. Each RUN line after the first leaves out or alters the
// line with its mark.
// REQUIRES: amp-emu
// DEFINE: %{emu} = amp-emu --arg=C=f32:512:uninit
// RUN: %{emu} %s --seeds=20 --print=C | FileCheck %s
// CHECK: C = [16, 16, 16, 16,
// RUN: sed 's/.*@fence.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: sed 's/.*@wait.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed 's/.*@commit.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed '/@wait/s/aligned 0/aligned 1/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed 's/.*@proxy.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=PROXY
// RUN: sed 's/.*@sync.*//' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=SYNC
// RUN: sed '/@descriptor/s/%%base,/%%mine,/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: sed '/@early/s/%%never/%%always/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: sed '/@fields/s/34360262656/562984313683968/' %s | not %{emu} - 2>&1 | FileCheck %s --check-prefix=BASE
gpu.module @m {
  llvm.mlir.global internal @tiles() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<2048 x f16>
  llvm.func @multiply(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %always = llvm.mlir.constant(true) : i1
    %never = llvm.mlir.constant(false) : i1
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %l4 = llvm.mlir.constant(4 : i64) : i64
    %fields = llvm.mlir.constant(34360262656 : i64) : i64 // @fields: leading and stride of 128 bytes
    %ones = llvm.mlir.constant(dense<1.0> : vector<8xf16>) : vector<8xf16>
    %zero = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %tiles = llvm.mlir.addressof @tiles : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %bytes = llvm.mul %tid, %c16 : i32
    %a = llvm.getelementptr %tiles[%bytes] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %b = llvm.getelementptr %a[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.store %ones, %a : vector<8xf16>, !llvm.ptr<3>
    llvm.store %ones, %b : vector<8xf16>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>} // @proxy
    nvvm.barrier0 // @sync
    %base = llvm.ptrtoint %tiles : !llvm.ptr<3> to i64
    %window = llvm.mlir.constant(262143 : i64) : i64
    %wide = llvm.zext %bytes : i32 to i64
    %mine = llvm.add %base, %wide : i64
    %low = llvm.and %base, %window : i64 // @descriptor
    %start = llvm.lshr %low, %l4 : i64
    %desc = llvm.or %start, %fields : i64
    nvvm.wgmma.fence.aligned // @fence
    // FENCE: :[[#@LINE+7]]:{{[0-9]+}}: error: wgmma without a wgmma.fence since its registers were accessed
    // PROXY: :[[#@LINE+6]]:{{[0-9]+}}: error: asynchronous access to shared memory that was written without a proxy fence since
    // PROXY-NEXT: note: the ordinary write is here
    // SYNC: :[[#@LINE+4]]:{{[0-9]+}}: error: race: read of shared memory that is not ordered after its write
    // SYNC-NEXT: note: the write is here
    // DIFFER: :[[#@LINE+2]]:{{[0-9]+}}: error: threads of a warpgroup give different matrix descriptors
    // BASE: :[[#@LINE+1]]:{{[0-9]+}}: error: a matrix descriptor with a base offset has no model; align the tile to 8 rows of its swizzle
    %d = nvvm.wgmma.mma_async %desc, %desc, %zero, #nvvm.shape<m = 64, n = 8, k = 16>, D [#nvvm.wgmma_type<f32>, #nvvm.wgmma_scale_out<one>], A [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>], B [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned // @commit
    llvm.cond_br %never, ^overwrite, ^wait // @early
  ^overwrite:
    // EARLY: :[[#@LINE+2]]:{{[0-9]+}}: error: race: write to shared memory that is not ordered after a read of the old value
    // EARLY-NEXT: :[[#@LINE-5]]:{{[0-9]+}}: note: the read is here (a wgmma)
    llvm.store %ones, %a : vector<8xf16>, !llvm.ptr<3>
    llvm.br ^wait
  ^wait:
    nvvm.wgmma.wait.group.sync.aligned 0 // @wait
    // WAIT: :[[#@LINE+2]]:{{[0-9]+}}: error: accumulator read before its wgmma has been waited for
    // WAIT-NEXT: :[[#@LINE-11]]:{{[0-9]+}}: note: the wgmma is here
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %at = llvm.mul %tid, %c4 : i32
    %p0 = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %p1 = llvm.getelementptr %p0[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %d0, %p0 : f32, !llvm.ptr<1>
    llvm.store %d1, %p1 : f32, !llvm.ptr<1>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    %p2 = llvm.getelementptr %p0[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p3 = llvm.getelementptr %p0[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    llvm.store %d2, %p2 : f32, !llvm.ptr<1>
    llvm.store %d3, %p3 : f32, !llvm.ptr<1>
    llvm.return
  }
}
