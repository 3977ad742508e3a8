// What an instruction does, and what is found about it, does not depend on whether it came
// as an operation of the NVVM dialect or as inline PTX: the two multiply the same, and
// where something is missing both say the same. Tables of all shapes and types
// are in Inputs/check_mma.py and check_wgmma.py.
// REQUIRES: amp-emu
// LEFT: error: expected a whole warp of 32 threads, but some of its lanes have exited (thread 0 of block (0,0,0))
// LEFT-NEXT: 1 findings
// DEFINE: %{args} = --arg=i32:32x8:int --arg=P=f32:32x4:uninit --arg=Q=i32:32:uninit
// RUN: amp-emu %s --kernel=operation %{args} --print=P --print=Q > %t.operation
// RUN: amp-emu %s --kernel=text %{args} --print=P --print=Q > %t.text
// RUN: diff %t.operation %t.text
// RUN: FileCheck %s < %t.text
// CHECK: P = [
// CHECK: Q = [
//
// RUN: sed 's/^    .. @leave/    llvm.cond_br %%high, ^end, ^stay\n  ^stay:/' %s > %t.mlir
// RUN: not amp-emu %t.mlir --kernel=operation %{args} 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not amp-emu %t.mlir --kernel=text %{args} 2>&1 | FileCheck %s --check-prefix=LEFT
//
// wgmma: an operation has A in shared memory, text has it in registers; where all of A is
// alike, both give the same. So do their findings.
// DEFINE: %{row} = --arg=R=f32:128x4:uninit
// RUN: amp-emu %s --kernel=wgmma_operation %{row} --print=R > %t.operation
// RUN: amp-emu %s --kernel=wgmma_text %{row} --print=R > %t.text
// RUN: diff %t.operation %t.text
// RUN: FileCheck %s --check-prefix=WGMMA < %t.text
// WGMMA: R = [36, 36, 36, 36, 37, 37, 37, 37, 38,
//
// RUN: sed '/@fence/d' %s > %t.mlir
// RUN: not amp-emu %t.mlir --kernel=wgmma_operation %{row} 2>&1 | FileCheck %s --check-prefix=UNFENCED
// RUN: not amp-emu %t.mlir --kernel=wgmma_text %{row} 2>&1 | FileCheck %s --check-prefix=UNFENCED
// UNFENCED: error: wgmma without a wgmma.fence
// RUN: sed '/@wait/d' %s > %t.mlir
// RUN: not amp-emu %t.mlir --kernel=wgmma_operation %{row} 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not amp-emu %t.mlir --kernel=wgmma_text %{row} 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: accumulator read before
gpu.module @m {
  llvm.func @operation(%in: !llvm.ptr<1>, %p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %zero32 = llvm.mlir.constant(0 : i32) : i32
    %one32 = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %high = llvm.icmp "uge" %tid, %c16 : i32
    %row = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<8 x i32>
    %r0 = llvm.getelementptr %row[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w0 = llvm.load %r0 : !llvm.ptr<1> -> i32
    %h0 = llvm.trunc %w0 : i32 to i16
    %r1 = llvm.getelementptr %row[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w1 = llvm.load %r1 : !llvm.ptr<1> -> i32
    %h1 = llvm.trunc %w1 : i32 to i16
    %r2 = llvm.getelementptr %row[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w2 = llvm.load %r2 : !llvm.ptr<1> -> i32
    %h2 = llvm.trunc %w2 : i32 to i16
    %r3 = llvm.getelementptr %row[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w3 = llvm.load %r3 : !llvm.ptr<1> -> i32
    %h3 = llvm.trunc %w3 : i32 to i16
    %r4 = llvm.getelementptr %row[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w4 = llvm.load %r4 : !llvm.ptr<1> -> i32
    %h4 = llvm.trunc %w4 : i32 to i16
    %r5 = llvm.getelementptr %row[20] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w5 = llvm.load %r5 : !llvm.ptr<1> -> i32
    %h5 = llvm.trunc %w5 : i32 to i16
    %f0 = llvm.sitofp %h0 : i16 to f16
    %f1 = llvm.sitofp %h1 : i16 to f16
    %f2 = llvm.sitofp %h2 : i16 to f16
    %f3 = llvm.sitofp %h3 : i16 to f16
    %f4 = llvm.sitofp %h4 : i16 to f16
    %f5 = llvm.sitofp %h5 : i16 to f16
    %u = llvm.mlir.undef : vector<2xf16>
    %v0 = llvm.insertelement %f0, %u[%zero32 : i32] : vector<2xf16>
    %a0 = llvm.insertelement %f1, %v0[%one32 : i32] : vector<2xf16>
    %v1 = llvm.insertelement %f1, %u[%zero32 : i32] : vector<2xf16>
    %a1 = llvm.insertelement %f2, %v1[%one32 : i32] : vector<2xf16>
    %v2 = llvm.insertelement %f2, %u[%zero32 : i32] : vector<2xf16>
    %a2 = llvm.insertelement %f3, %v2[%one32 : i32] : vector<2xf16>
    %v3 = llvm.insertelement %f3, %u[%zero32 : i32] : vector<2xf16>
    %a3 = llvm.insertelement %f4, %v3[%one32 : i32] : vector<2xf16>
    %v4 = llvm.insertelement %f4, %u[%zero32 : i32] : vector<2xf16>
    %b0 = llvm.insertelement %f5, %v4[%one32 : i32] : vector<2xf16>
    %v5 = llvm.insertelement %f5, %u[%zero32 : i32] : vector<2xf16>
    %b1 = llvm.insertelement %f0, %v5[%one32 : i32] : vector<2xf16>
    // @leave
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%zero, %zero, %zero, %zero] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %m = nvvm.prmt <f4e> %w2, %w0, %w1 : i32
    %to = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %t0 = llvm.getelementptr %to[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d0, %t0 : f32, !llvm.ptr<1>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %t1 = llvm.getelementptr %to[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d1, %t1 : f32, !llvm.ptr<1>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %t2 = llvm.getelementptr %to[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d2, %t2 : f32, !llvm.ptr<1>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    %t3 = llvm.getelementptr %to[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d3, %t3 : f32, !llvm.ptr<1>
    %qt = llvm.getelementptr %q[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %m, %qt : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @text(%in: !llvm.ptr<1>, %p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %zero32 = llvm.mlir.constant(0 : i32) : i32
    %one32 = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %high = llvm.icmp "uge" %tid, %c16 : i32
    %row = llvm.getelementptr %in[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<8 x i32>
    %r0 = llvm.getelementptr %row[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w0 = llvm.load %r0 : !llvm.ptr<1> -> i32
    %h0 = llvm.trunc %w0 : i32 to i16
    %r1 = llvm.getelementptr %row[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w1 = llvm.load %r1 : !llvm.ptr<1> -> i32
    %h1 = llvm.trunc %w1 : i32 to i16
    %r2 = llvm.getelementptr %row[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w2 = llvm.load %r2 : !llvm.ptr<1> -> i32
    %h2 = llvm.trunc %w2 : i32 to i16
    %r3 = llvm.getelementptr %row[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w3 = llvm.load %r3 : !llvm.ptr<1> -> i32
    %h3 = llvm.trunc %w3 : i32 to i16
    %r4 = llvm.getelementptr %row[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w4 = llvm.load %r4 : !llvm.ptr<1> -> i32
    %h4 = llvm.trunc %w4 : i32 to i16
    %r5 = llvm.getelementptr %row[20] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %w5 = llvm.load %r5 : !llvm.ptr<1> -> i32
    %h5 = llvm.trunc %w5 : i32 to i16
    %f0 = llvm.sitofp %h0 : i16 to f16
    %f1 = llvm.sitofp %h1 : i16 to f16
    %f2 = llvm.sitofp %h2 : i16 to f16
    %f3 = llvm.sitofp %h3 : i16 to f16
    %f4 = llvm.sitofp %h4 : i16 to f16
    %f5 = llvm.sitofp %h5 : i16 to f16
    %u = llvm.mlir.undef : vector<2xf16>
    %v0 = llvm.insertelement %f0, %u[%zero32 : i32] : vector<2xf16>
    %a0 = llvm.insertelement %f1, %v0[%one32 : i32] : vector<2xf16>
    %v1 = llvm.insertelement %f1, %u[%zero32 : i32] : vector<2xf16>
    %a1 = llvm.insertelement %f2, %v1[%one32 : i32] : vector<2xf16>
    %v2 = llvm.insertelement %f2, %u[%zero32 : i32] : vector<2xf16>
    %a2 = llvm.insertelement %f3, %v2[%one32 : i32] : vector<2xf16>
    %v3 = llvm.insertelement %f3, %u[%zero32 : i32] : vector<2xf16>
    %a3 = llvm.insertelement %f4, %v3[%one32 : i32] : vector<2xf16>
    %v4 = llvm.insertelement %f4, %u[%zero32 : i32] : vector<2xf16>
    %b0 = llvm.insertelement %f5, %v4[%one32 : i32] : vector<2xf16>
    %v5 = llvm.insertelement %f5, %u[%zero32 : i32] : vector<2xf16>
    %b1 = llvm.insertelement %f0, %v5[%one32 : i32] : vector<2xf16>
    // @leave
    %d = llvm.inline_asm has_side_effects asm_dialect = att "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f" %a0, %a1, %a2, %a3, %b0, %b1, %zero, %zero, %zero, %zero : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %m = llvm.inline_asm asm_dialect = att "prmt.b32.f4e $0, $1, $2, $3;", "=r,r,r,r" %w0, %w1, %w2 : (i32, i32, i32) -> i32
    %to = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %t0 = llvm.getelementptr %to[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d0, %t0 : f32, !llvm.ptr<1>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %t1 = llvm.getelementptr %to[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d1, %t1 : f32, !llvm.ptr<1>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %t2 = llvm.getelementptr %to[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d2, %t2 : f32, !llvm.ptr<1>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    %t3 = llvm.getelementptr %to[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d3, %t3 : f32, !llvm.ptr<1>
    %qt = llvm.getelementptr %q[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %m, %qt : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.mlir.global internal @a() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<512 x i32>
  llvm.func @wgmma_operation(%r: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %pair = llvm.mlir.constant(1040203264 : i32) : i32 // 1.5 twice
    %fields = llvm.mlir.constant(34363932672 : i64) : i64 // 1024 bytes between halves of K, 128 between eight rows
    %c4 = llvm.mlir.constant(4 : i64) : i64
    %window = llvm.mlir.constant(262143 : i64) : i64
    %a = llvm.mlir.addressof @a : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %mine = llvm.getelementptr %a[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %words = llvm.mlir.constant(dense<1040203264> : vector<4xi32>) : vector<4xi32>
    llvm.store %words, %mine : vector<4xi32>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    %address = llvm.ptrtoint %a : !llvm.ptr<3> to i64
    %low = llvm.and %address, %window : i64
    %start = llvm.lshr %low, %c4 : i64
    %descriptor = llvm.or %start, %fields : i64
    %c = llvm.sitofp %tid : i32 to f32
    nvvm.wgmma.fence.aligned // @fence
    %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
    %u0 = llvm.insertvalue %c, %u[0] : !llvm.struct<(f32, f32, f32, f32)>
    %u1 = llvm.insertvalue %c, %u0[1] : !llvm.struct<(f32, f32, f32, f32)>
    %u2 = llvm.insertvalue %c, %u1[2] : !llvm.struct<(f32, f32, f32, f32)>
    %u3 = llvm.insertvalue %c, %u2[3] : !llvm.struct<(f32, f32, f32, f32)>
    %d = nvvm.wgmma.mma_async %descriptor, %descriptor, %u3, #nvvm.shape<m = 64, n = 8, k = 16>, D [#nvvm.wgmma_type<f32>, #nvvm.wgmma_scale_out<one>], A [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>], B [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0 // @wait
    %row = llvm.getelementptr %r[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %r0 = llvm.getelementptr %row[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d0, %r0 : f32, !llvm.ptr<1>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %r1 = llvm.getelementptr %row[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d1, %r1 : f32, !llvm.ptr<1>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %r2 = llvm.getelementptr %row[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d2, %r2 : f32, !llvm.ptr<1>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    %r3 = llvm.getelementptr %row[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d3, %r3 : f32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @wgmma_text(%r: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %pair = llvm.mlir.constant(1040203264 : i32) : i32 // 1.5 twice
    %fields = llvm.mlir.constant(34363932672 : i64) : i64 // 1024 bytes between halves of K, 128 between eight rows
    %c4 = llvm.mlir.constant(4 : i64) : i64
    %window = llvm.mlir.constant(262143 : i64) : i64
    %a = llvm.mlir.addressof @a : !llvm.ptr<3>
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %mine = llvm.getelementptr %a[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %words = llvm.mlir.constant(dense<1040203264> : vector<4xi32>) : vector<4xi32>
    llvm.store %words, %mine : vector<4xi32>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    %address = llvm.ptrtoint %a : !llvm.ptr<3> to i64
    %low = llvm.and %address, %window : i64
    %start = llvm.lshr %low, %c4 : i64
    %descriptor = llvm.or %start, %fields : i64
    %c = llvm.sitofp %tid : i32 to f32
    nvvm.wgmma.fence.aligned // @fence
    %d = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, 1, 1, 1, 0;", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l" %c, %c, %c, %c, %pair, %pair, %pair, %pair, %descriptor : (f32, f32, f32, f32, i32, i32, i32, i32, i64) -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0 // @wait
    %row = llvm.getelementptr %r[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %r0 = llvm.getelementptr %row[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d0, %r0 : f32, !llvm.ptr<1>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %r1 = llvm.getelementptr %row[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d1, %r1 : f32, !llvm.ptr<1>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %r2 = llvm.getelementptr %row[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d2, %r2 : f32, !llvm.ptr<1>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    %r3 = llvm.getelementptr %row[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %d3, %r3 : f32, !llvm.ptr<1>
    llvm.return
  }
}
