// RUN: amp-opt %s --split-input-file --verify-diagnostics \
// RUN:   --convert-linalg-to-host-contraction="blas-min-work=0 blas-min-bf16-work=0"
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction=vector-bits=384 2>&1 | FileCheck %s
// CHECK: expected 'vector-bits' to be 128, 256 or 512, but got 384
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction=cpu=znver44 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: expected 'cpu' to be 'native' or an x86-64 CPU that LLVM knows, such as 'znver4', but got 'znver44'
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction="bf16=avx512 vector-bits=256" 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: expected 'vector-bits' to be 512 for 'bf16=avx512', but got 256
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction="bf16=avx512" 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction="cpu=skylake-avx512 bf16=avx512" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: expected a CPU with AVX512-BF16 for 'bf16=avx512', but 'skylake-avx512' has none; leave 'bf16' to the CPU
// One that has it, and where it is slower.
// RUN: amp-opt /dev/null --convert-linalg-to-host-contraction="cpu=sapphirerapids bf16=avx512"
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction="cpu=znver4 bf16=amx" 2>&1 | FileCheck %s --check-prefix=TILES
// TILES: expected a CPU with AMX-BF16, and a system that lets it be used, for 'bf16=amx', but 'znver4' has none; leave it to the CPU, or set 'expand-tiles'
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction="cpu=znver4 f16=amx-parts" 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: for 'f16=amx-parts', but 'znver4' has none
// RUN: amp-opt /dev/null --convert-linalg-to-host-contraction="cpu=znver4 bf16=amx f16=amx-parts expand-tiles"
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction="cpu=sapphirerapids f16=amx" 2>&1 | FileCheck %s --check-prefix=FP16
// FP16: expected a CPU with AMX-FP16, and a system that lets it be used, for 'f16=amx', but 'sapphirerapids' has none; leave it to the CPU, or set 'expand-tiles' or 'f16=amx-parts'
// RUN: amp-opt /dev/null --convert-linalg-to-host-contraction="cpu=sapphirerapids f16=amx expand-tiles"
// RUN: amp-opt /dev/null --convert-linalg-to-host-contraction="cpu=graniterapids bf16=amx f16=amx"
// RUN: amp-opt /dev/null --convert-linalg-to-host-contraction="cpu=sapphirerapids bf16=amx f16=amx-parts"
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction=threads=0 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: expected 'threads' to be at least 1, but got 0
// RUN: not amp-opt /dev/null --convert-linalg-to-host-contraction=part-work=0 2>&1 | FileCheck %s --check-prefix=WORK
// WORK: expected 'part-work' to be at least 1, but got 0

// expected-error@+1 {{expected 'ampRtBlasSgemm' to have type '(i64, i32, i32, i64, i64, i64, f32, i64, i64, i64, i64, f32, i64, i64) -> i32', which the runtime gives it}}
func.func private @ampRtBlasSgemm(i32)
func.func @matmul(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  // expected-note@+1 {{called by this contraction; set 'blas=off' or rename the function}}
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

// A declaration that fits is used.
func.func private @ampRtBlasSgemm(i64, i32, i32, i64, i64, i64, f32, i64, i64, i64, i64, f32, i64, i64) -> i32
func.func @matmul(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

// expected-error@+1 {{expected 'ampRtBlasSbgemm' to have type '(i64, i32, i32, i64, i64, i64, f32, i64, i64, i64, i64, f32, i64, i64) -> i32', which the runtime gives it}}
func.func private @ampRtBlasSbgemm(i32)
func.func @matmul(%a: memref<4x8xbf16>, %b: memref<8x4xbf16>, %c: memref<4x4xf32>) {
  // expected-note@+1 {{called by this contraction; set 'blas=off' or rename the function}}
  linalg.matmul ins(%a, %b : memref<4x8xbf16>, memref<8x4xbf16>) outs(%c : memref<4x4xf32>)
  return
}
