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
  // Lanes that a mask switches off would divide by zero on the host.
  // options: --arg=i32:4:zero --arg=i32:4
  llvm.func @masked_division(%out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %mask = llvm.mlir.constant(dense<false> : vector<4xi1>) : vector<4xi1>
    %v = llvm.load %out {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xi32>
    // error+1: the emulator has no model of operation 'llvm.intr.vp.sdiv'
    %q = "llvm.intr.vp.sdiv"(%v, %v, %mask, %n) : (vector<4xi32>, vector<4xi32>, vector<4xi1>, i32) -> vector<4xi32>
    llvm.store %q, %out {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr<1>
    llvm.return
  }
  // A value of so many numbers keeps LLVM busy for hours; one of fewer does not.
  // options: --arg=i32:5000:zero
  llvm.func @large_value(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error+1: the emulator has no model of values of more than 1024 elements, but this has 5000; move them one by one, or with 'llvm.intr.memcpy'
    %v = llvm.load %out : !llvm.ptr<1> -> !llvm.array<5000 x i32>
    llvm.store %v, %out : !llvm.array<5000 x i32>, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @large_struct() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error+1: the emulator has no model of values of more than 1024 elements, but this has 1025
    %v = llvm.mlir.undef : !llvm.struct<(array<64 x vector<16xi8>>, i64)>
    llvm.return
  }
  // options: --arg=i32:1024:zero
  llvm.func @value(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    %v = llvm.load %out : !llvm.ptr<1> -> !llvm.array<1024 x i32>
    llvm.store %v, %out : !llvm.array<1024 x i32>, !llvm.ptr<1>
    llvm.return
  }
  // The machine's own functions are not a kernel's to call or to define.
  llvm.func @ampEmuShared() -> !llvm.ptr<3>
  llvm.func @calls_the_machine() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error-2: expected no name that begins with 'ampEmu', as the emulator's own do, but got 'ampEmuShared'
    %p = llvm.call @ampEmuShared() : () -> !llvm.ptr<3>
    llvm.return
  }
  llvm.func internal @ampEmulate() {
    llvm.return
  }
  llvm.func @defines_the_machine() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error-4: expected no name that begins with 'ampEmu', as the emulator's own do, but got 'ampEmulate'
    llvm.call @ampEmulate() : () -> ()
    llvm.return
  }
  llvm.func internal @ampEm() {
    llvm.return
  }
  llvm.func @another_name() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    llvm.call @ampEm() : () -> ()
    llvm.return
  }
  // 64 GiB, a size that 64 bits do not hold, and a size that two have together.
  llvm.mlir.global internal @huge() {addr_space = 1 : i32} : !llvm.array<17179869184 x i32>
  llvm.func @large_global() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error-2: expected at most 1073741824 bytes of global variables, but 'huge' has 68719476736; pass large memory as an argument
    %p = llvm.mlir.addressof @huge : !llvm.ptr<1>
    llvm.return
  }
  llvm.mlir.global internal @wraps() {addr_space = 1 : i32} : !llvm.array<4611686018427387905 x i32>
  llvm.func @wrapping_global() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error-2: expected at most 1073741824 bytes of global variables, but 'wraps' has 18446744073709551615
    %p = llvm.mlir.addressof @wraps : !llvm.ptr<1>
    llvm.return
  }
  llvm.mlir.global internal @half() {addr_space = 1 : i32} : !llvm.array<536870912 x i8>
  llvm.mlir.global internal @rest() {addr_space = 1 : i32} : !llvm.array<536870913 x i8>
  llvm.func @two_globals() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error-2: expected at most 1073741824 bytes of global variables, but 'rest' has 536870913
    %p = llvm.mlir.addressof @half : !llvm.ptr<1>
    %q = llvm.mlir.addressof @rest : !llvm.ptr<1>
    llvm.return
  }
  llvm.mlir.global external @elsewhere() {addr_space = 1 : i32} : i32
  llvm.func @declared_global() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // error-2: the emulator has no model of global variables of another module, such as 'elsewhere'
    %p = llvm.mlir.addressof @elsewhere : !llvm.ptr<1>
    llvm.return
  }
  // One of a few pages begins as zeros, as one with a value begins with it.
  llvm.mlir.global internal @small() {addr_space = 1 : i32} : !llvm.array<1048576 x i32>
  llvm.mlir.global external @seven(7 : i32) {addr_space = 1 : i32} : i32
  // options: --arg=O=i32:2:uninit --print=O
  llvm.func @small_global(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    // prints: O = [0, 7]
    %p = llvm.mlir.addressof @small : !llvm.ptr<1>
    %q = llvm.getelementptr %p[1048575] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %v = llvm.load %q : !llvm.ptr<1> -> i32
    llvm.store %v, %out : i32, !llvm.ptr<1>
    llvm.store %c7, %q : i32, !llvm.ptr<1>
    %s = llvm.mlir.addressof @seven : !llvm.ptr<1>
    %w = llvm.load %s : !llvm.ptr<1> -> i32
    %r = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w, %r : i32, !llvm.ptr<1>
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
