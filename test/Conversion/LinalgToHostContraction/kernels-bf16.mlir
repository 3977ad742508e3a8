// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=znver4" --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s --implicit-check-not=ampRtBlasSgemm < %t.mlir
// RUN: amp-opt %t.mlir --pass-pipeline="builtin.module(%to_llvm)" | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -O2 -mtriple=x86_64-linux-gnu -mcpu=znver4 | llc -O2 -mtriple=x86_64-linux-gnu -mcpu=znver4 \
// RUN:   | FileCheck %s --check-prefix=ASM
// RUN: amp-opt %s --convert-linalg-to-host-contraction="vector-bits=256 bf16=pairs" --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=PAIRS

// Tiles are another kernel: kernels-amx.mlir. The CPU's dot product is not there, or slower than f32 arithmetic; vectors are
// narrower than it; it is not wanted.
// DEFINE: %{widened} = --implicit-check-not=_pairs --implicit-check-not=x86vector
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=cooperlake" | FileCheck %s --check-prefix=WIDE %{widened}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=haswell" | FileCheck %s --check-prefix=HASWELL %{widened}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=x86-64" | FileCheck %s --check-prefix=SSE %{widened}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=znver4 vector-bits=256" | FileCheck %s --check-prefix=HASWELL %{widened}
// RUN: amp-opt %s --convert-linalg-to-host-contraction="cpu=znver4 bf16=widened" | FileCheck %s --check-prefix=WIDE %{widened}
// RUN: amp-opt %s --convert-linalg-to-host-contraction | FileCheck %s --check-prefix=HASWELL %{widened}
// SSE:         scf.for {{.*}} -> (vector<4xf32>
// HASWELL:     scf.for {{.*}} -> (vector<8xf32>
// WIDE:        scf.for {{.*}} -> (vector<16xf32>

func.func @bf16(%a: memref<32x64xbf16>, %b: memref<64x128xbf16>, %c: memref<32x128xf32>) {
  linalg.matmul ins(%a, %b : memref<32x64xbf16>, memref<64x128xbf16>) outs(%c : memref<32x128xf32>)
  return
}

// Products of other types stay in panels of f32.
func.func @mixed(%a: memref<32x64xf16>, %b: memref<64x128xf16>, %x: memref<32x64xbf16>, %y: memref<64x128xf32>, %c: memref<32x128xf32>) {
  linalg.matmul ins(%a, %b : memref<32x64xf16>, memref<64x128xf16>) outs(%c : memref<32x128xf32>)
  linalg.matmul ins(%x, %y : memref<32x64xbf16>, memref<64x128xf32>) outs(%c : memref<32x128xf32>)
  return
}

// Large enough for BLAS, which would multiply it as f32.
func.func @large(%a: memref<2048x2048xbf16>, %b: memref<2048x2048xbf16>, %c: memref<2048x2048xf32>) {
  linalg.matmul ins(%a, %b : memref<2048x2048xbf16>, memref<2048x2048xbf16>) outs(%c : memref<2048x2048xf32>)
  return
}

// CHECK-LABEL: func.func @bf16
// Panels of words: (128 + 32) * 32 and eight that packing may write past.
// CHECK:         memref.alloc() {{.*}} : memref<5128xf32>
// CHECK:         call @amp_host_product_bf16_bf16(
// CHECK-LABEL: func.func @mixed
// CHECK:         memref.alloc() {{.*}} : memref<10248xf32>
// CHECK:         call @amp_host_product_f16_f16(
// CHECK:         call @amp_host_product_bf16_f32(
// CHECK-LABEL: func.func @large
// CHECK:         call @amp_host_product_bf16_bf16(

// CHECK-LABEL: func.func private @amp_host_pack_bf16_pairs
// CHECK:         vector.load {{.*}} : memref<?xbf16>, vector<8xbf16>
// CHECK:         vector.interleave %{{.+}}, %{{.+}} : vector<8xi16> -> vector<16xi16>
// CHECK:         vector.bitcast %{{.+}} : vector<16xi16> to vector<8xf32>
// CHECK-LABEL: func.func private @amp_host_tiles_pairs
// CHECK:         scf.for {{.*}} -> ({{((vector<16xf32>, ){15})}}vector<16xf32>)
// CHECK:         vector.bitcast %{{.+}} : vector<16xf32> to vector<32xbf16>
// CHECK-COUNT-16: x86vector.avx512.dot %{{.+}}, %{{.+}}, %{{.+}} : vector<32xbf16> -> vector<16xf32>
// CHECK-NOT:     x86vector.avx512.dot
// CHECK:         scf.yield
// CHECK-LABEL: func.func private @amp_host_product_f16_f16
// CHECK:         call @amp_host_pack_f16(
// CHECK:         call @amp_host_tiles(

// Two f32 multiplications for each word.
// PAIRS-LABEL: func.func private @amp_host_tiles_pairs
// PAIRS:         scf.for {{.*}} -> ({{((vector<8xf32>, ){11})}}vector<8xf32>)
// PAIRS-COUNT-24: arith.mulf %{{.+}}, %{{.+}} fastmath<contract> : vector<8xf32>
// PAIRS-NOT:     arith.mulf
// PAIRS:         scf.yield

// LLVM makes an instruction of each.
// ASM-LABEL: amp_host_tiles_pairs:
// ASM-COUNT-16: vdpbf16ps {{.*}}%zmm
