// Operations that the emulator has no model of are errors, never no-ops.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.mlir.global internal @memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<1024 x i8>
  // options: --arg=i32:4:zero
  llvm.func @indirect(%f: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of indirect calls
    llvm.call %f() : !llvm.ptr, () -> ()
    llvm.return
  }
  llvm.func @register() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of special register 'envreg3'
    %r = nvvm.read.ptx.sreg.envreg3 : i32
    llvm.return
  }
  llvm.func @dialect() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of operation 'arith.constant'; lower the kernel to the llvm and nvvm dialects
    %r = arith.constant 1 : i32
    llvm.return
  }
  // options: --arg=i32:4:zero
  llvm.func @unseen_memory(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %mask = llvm.mlir.constant(dense<true> : vector<4xi1>) : vector<4xi1>
    %ones = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    // error+1: the emulator has no model of operation 'llvm.intr.masked.store'
    llvm.intr.masked.store %ones, %out, %mask {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr<1>
    llvm.return
  }
  llvm.func @assembly() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of inline PTX other than wgmma with A in registers, mma.sync and prmt.b32
    llvm.inline_asm has_side_effects asm_dialect = att "membar.gl;", "" : () -> ()
    llvm.return
  }
  llvm.func @intrinsic() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of operation 'llvm.call_intrinsic'
    llvm.call_intrinsic "llvm.nvvm.membar.gl"() : () -> ()
    llvm.return
  }
  llvm.func @mma_text(%i: i32, %f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of mma.sync of these operand types
    %d = llvm.inline_asm asm_dialect = att "mma.sync.aligned.m16n8k64.row.col.f32.e2m1.e2m1.f32 {$0, $1}, {$2}, {$3}, {$4, $5};", "=f,=f,r,r,f,f" %i, %i, %f, %f : (i32, i32, f32, f32) -> !llvm.struct<(f32, f32)>
    llvm.return
  }
  llvm.func @mma_shape_text(%i: i32, %f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of mma.sync of this shape and these types
    %d = llvm.inline_asm asm_dialect = att "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {$0, $1}, {$2}, {$3}, {$4, $5};", "=f,=f,r,r,f,f" %i, %i, %f, %f : (i32, i32, f32, f32) -> !llvm.struct<(f32, f32)>
    llvm.return
  }
  llvm.func @wgmma_shape_text(%i: i32, %d: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    // error+1: the emulator has no model of wgmma of this shape and these types
    %r = llvm.inline_asm "wgmma.mma_async.sync.aligned.m64n8k32.f32.f16.f16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, 1, 1, 1, 0;", "=r,=r,=r,=r,r,r,r,r,l" %i, %i, %i, %i, %d : (i32, i32, i32, i32, i64) -> !llvm.struct<(i32, i32, i32, i32)>
    llvm.return
  }
  llvm.func @mma_registers(%i: i32, %f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of mma.sync with these registers
    %d = llvm.inline_asm asm_dialect = att "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {$0, $1}, {$2}, {$3}, {$4, $5};", "=f,=f,r,r,f,f" %i, %i, %f, %f : (i32, i32, f32, f32) -> !llvm.struct<(f32, f32)>
    llvm.return
  }
  llvm.func @mma_outputs(%i: i32, %f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of inline PTX other than wgmma with A in registers, mma.sync and prmt.b32
    %d = llvm.inline_asm asm_dialect = att "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {$1, $0}, {$2}, {$3}, {$4, $5};", "=f,=f,r,r,f,f" %i, %i, %f, %f : (i32, i32, f32, f32) -> !llvm.struct<(f32, f32)>
    llvm.return
  }
  llvm.func @permute_mode(%i: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of prmt.b32 of mode 'what'
    %d = llvm.inline_asm asm_dialect = att "prmt.b32.what $0, $1, $2, $3;", "=r,r,r,r" %i, %i, %i : (i32, i32, i32) -> i32
    llvm.return
  }
  llvm.func @missing_operand(%i: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of inline PTX with more operands than it is given
    %d = llvm.inline_asm asm_dialect = att "prmt.b32 $0, $1, $2, $9;", "=r,r,r,r" %i, %i, %i : (i32, i32, i32) -> i32
    llvm.return
  }
  llvm.func @stochastic(%f: f32, %i: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of conversion that does not round to nearest
    %d = nvvm.convert.f32x2.to.f16x2 %f, %f, %i {rnd = #nvvm.fp_rnd_mode<rs>} : vector<2xf16>
    llvm.return
  }
  llvm.func @towards_zero(%f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of conversion that does not round to nearest
    %d = nvvm.convert.f32x2.to.bf16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rz>} : vector<2xbf16>
    llvm.return
  }
  llvm.func @saturating_pair(%f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of conversion that saturates to this type
    %d = nvvm.convert.f32x2.to.f16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xf16>
    llvm.return
  }
  llvm.func @vector(%v: vector<4xf32>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error-1: expected parameters that are pointers, integers or floats, but got vector<4xf32>
    llvm.return
  }
  llvm.func @register_types(%d: i64, %i: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    // error+1: the emulator has no model of wgmma of these types
    %r = llvm.inline_asm "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, 1, 1, 1;", "=r,=r,=r,=r,r,r,r,r,l" %i, %i, %i, %i, %d : (i32, i32, i32, i32, i64) -> !llvm.struct<(i32, i32, i32, i32)>
    llvm.return
  }
  llvm.func @ldmatrix() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    // error+1: the emulator has no model of ldmatrix of elements other than b16
    %r = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<col>, eltType = #nvvm.ld_st_matrix_elt_type<b8>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    llvm.return
  }
  llvm.func @stmatrix(%v: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    // error+1: the emulator has no model of stmatrix of elements other than b16
    nvvm.stmatrix %p, %v {layout = #nvvm.mma_layout<col>, eltType = #nvvm.ld_st_matrix_elt_type<b8>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 8>} : !llvm.ptr<3>, i32
    llvm.return
  }
  llvm.func @mma_layouts() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %h = llvm.mlir.undef : vector<2xf16>
    // error+1: the emulator has no model of mma.sync of layouts other than row.col
    %d = nvvm.mma.sync A[%h, %h] B[%h, %h] C[%h, %h, %h, %h] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<row>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
    llvm.return
  }
  llvm.func @mma_small() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %h = llvm.mlir.undef : vector<2xf16>
    // error+1: the emulator has no model of mma.sync m8n8k4 of f16
    %d = nvvm.mma.sync A[%h, %h] B[%h, %h] C[%h, %h, %h, %h] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>)>
    llvm.return
  }
  llvm.func @mma_types(%i: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of mma.sync of these operand types
    %d = nvvm.mma.sync A[%i] B[%i] C[%i, %i] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s4>, multiplicandBPtxType = #nvvm.mma_type<s4>, intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, shape = #nvvm.shape<m = 8, n = 8, k = 32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
    llvm.return
  }
  llvm.func @mma_saturates(%i: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of mma.sync that saturates
    %d = nvvm.mma.sync A[%i] B[%i] C[%i, %i] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>, shape = #nvvm.shape<m = 8, n = 8, k = 16>} : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
    llvm.return
  }
  llvm.func @wgmma_types(%d: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %c = llvm.mlir.zero : !llvm.struct<(i32, i32, i32, i32)>
    // error+1: the emulator has no model of wgmma of these types
    %r = nvvm.wgmma.mma_async %d, %d, %c, #nvvm.shape<m = 64, n = 8, k = 256>, D [#nvvm.wgmma_type<s32>, #nvvm.wgmma_scale_out<one>], A [#nvvm.wgmma_type<b1>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>], B [#nvvm.wgmma_type<b1>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<col>] : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
    llvm.return
  }
  llvm.func @wgmma_saturates(%d: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %c = llvm.mlir.zero : !llvm.struct<(i32, i32, i32, i32)>
    // error+1: the emulator has no model of wgmma that saturates
    %r = nvvm.wgmma.mma_async %d, %d, %c, #nvvm.shape<m = 64, n = 8, k = 32>, D [#nvvm.wgmma_type<s32>, #nvvm.wgmma_scale_out<one>, <satfinite>], A [#nvvm.wgmma_type<s8>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>], B [#nvvm.wgmma_type<s8>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<col>] : !llvm.struct<(i32, i32, i32, i32)> -> !llvm.struct<(i32, i32, i32, i32)>
    llvm.return
  }
  llvm.func @redux(%f: f32, %m: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of redux.sync with abs or nan
    %r = nvvm.redux.sync fmin %f, %m {abs = true} : f32 -> f32
    llvm.return
  }
  llvm.func @relaxed() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    // error+1: the emulator has no model of relaxed mbarrier operation
    %r = nvvm.mbarrier.arrive %p {relaxed = true} : !llvm.ptr<3> -> i64
    llvm.return
  }
  llvm.func @conversion(%f: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    // error+1: the emulator has no model of conversion to this type
    %r = nvvm.convert.f32x2.to.f8x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rp>, sat = #nvvm.sat_mode<satfinite>} : i16 (f8E8M0FNU)
    llvm.return
  }
  llvm.func @mode(%map: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %c: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    %w = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
    // error+1: the emulator has no model of tensor copy of this mode
    nvvm.cp.async.bulk.tensor.shared.cluster.global %w, %map, %p, box[%c, %c, %c, %c, %c] {mode = #nvvm.tma_load_mode<tile_gather4>} : !llvm.ptr<7>, !llvm.ptr
    llvm.return
  }
  llvm.func @group(%map: !llvm.ptr {llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %c: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    // error+1: the emulator has no model of tensor copy with a cta group
    nvvm.cp.async.bulk.tensor.shared.cluster.global %p, %map, %p, box[%c] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    llvm.return
  }
  llvm.func @byte_mask(%g: !llvm.ptr<1>, %n: i32, %mask: i16) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %p = llvm.mlir.addressof @memory : !llvm.ptr<3>
    // error+1: the emulator has no model of bulk copy with a byte mask
    nvvm.cp.async.bulk.global.shared.cta %g, %p, %n byte_mask = %mask : !llvm.ptr<1>, !llvm.ptr<3>
    llvm.return
  }
}
