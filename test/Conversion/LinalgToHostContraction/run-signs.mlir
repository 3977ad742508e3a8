// Sums of nothing but -0, behind a fill by 0 that the kernels take over: 0 as after the
// fill, and not -0. In f32, pairs of bf16, tiles, f16 in two parts and as it is.
//
// DEFINE: %{contract} = convert-linalg-to-host-contraction
// DEFINE: %{host} = mlir-runner -O1 -e main --entry-point-result=void --shared-libs=%mlir_lib/libmlir_c_runner_utils.so
// RUN: amp-opt %s --pass-pipeline="builtin.module(%{contract}{reference=true},%to_llvm)" | %{host} | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(%{contract}{blas=off bf16=pairs vector-bits=256},%to_llvm)" | %{host} | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(%{contract}{blas=off bf16=widened vector-bits=512},%to_llvm)" | %{host} | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(%{contract}{blas=off bf16=amx f16=amx-parts expand-tiles},func.func(expand-amx-tiles),%to_llvm)" | %{host} | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(%{contract}{blas=off f16=amx expand-tiles},func.func(expand-amx-tiles),%to_llvm)" | %{host} | FileCheck %s

func.func private @printI64(i64)
func.func private @printNewline()

// All bits of all elements, or-ed.
func.func private @show(%c: memref<33x40xf32>) attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 33 : index
  %n = arith.constant 40 : index
  %none = arith.constant 0 : i32
  %all = scf.for %i = %c0 to %m step %c1 iter_args(%row = %none) -> i32 {
    %bits = scf.for %j = %c0 to %n step %c1 iter_args(%before = %row) -> i32 {
      %0 = memref.load %c[%i, %j] : memref<33x40xf32>
      %1 = arith.bitcast %0 : f32 to i32
      %2 = arith.ori %before, %1 : i32
      scf.yield %2 : i32
    }
    scf.yield %bits : i32
  }
  %long = arith.extui %all : i32 to i64
  func.call @printI64(%long) : (i64) -> ()
  func.call @printNewline() : () -> ()
  return
}

// A of -1, B of 0.
func.func private @multiply_f32(%a: memref<33x9xf32>, %b: memref<9x40xf32>, %c: memref<33x40xf32>) attributes {no_inline} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<33x40xf32>)
  linalg.matmul ins(%a, %b : memref<33x9xf32>, memref<9x40xf32>) outs(%c : memref<33x40xf32>)
  return
}
func.func private @multiply_bf16(%a: memref<33x9xbf16>, %b: memref<9x40xbf16>, %c: memref<33x40xf32>) attributes {no_inline} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<33x40xf32>)
  linalg.matmul ins(%a, %b : memref<33x9xbf16>, memref<9x40xbf16>) outs(%c : memref<33x40xf32>)
  return
}
func.func private @multiply_f16(%a: memref<33x9xf16>, %b: memref<9x40xf16>, %c: memref<33x40xf32>) attributes {no_inline} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<33x40xf32>)
  linalg.matmul ins(%a, %b : memref<33x9xf16>, memref<9x40xf16>) outs(%c : memref<33x40xf32>)
  return
}
// Near miss: what -0 are added to is -0.
func.func private @from_negative_zero(%a: memref<33x9xf32>, %b: memref<9x40xf32>, %c: memref<33x40xf32>) attributes {no_inline} {
  %zero = arith.constant -0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<33x40xf32>)
  linalg.matmul ins(%a, %b : memref<33x9xf32>, memref<9x40xf32>) outs(%c : memref<33x40xf32>)
  return
}

func.func @main() {
  %nan = arith.constant 0x7FC00000 : f32
  %c = memref.alloc() : memref<33x40xf32>

  // CHECK: {{^}}0{{$}}
  %a32 = memref.alloc() : memref<33x9xf32>
  %b32 = memref.alloc() : memref<9x40xf32>
  %m32 = arith.constant -1.0 : f32
  %z32 = arith.constant 0.0 : f32
  linalg.fill ins(%m32 : f32) outs(%a32 : memref<33x9xf32>)
  linalg.fill ins(%z32 : f32) outs(%b32 : memref<9x40xf32>)
  linalg.fill ins(%nan : f32) outs(%c : memref<33x40xf32>)
  call @multiply_f32(%a32, %b32, %c) : (memref<33x9xf32>, memref<9x40xf32>, memref<33x40xf32>) -> ()
  call @show(%c) : (memref<33x40xf32>) -> ()

  // CHECK: {{^}}0{{$}}
  %a16 = memref.alloc() : memref<33x9xbf16>
  %b16 = memref.alloc() : memref<9x40xbf16>
  %m16 = arith.constant -1.0 : bf16
  %z16 = arith.constant 0.0 : bf16
  linalg.fill ins(%m16 : bf16) outs(%a16 : memref<33x9xbf16>)
  linalg.fill ins(%z16 : bf16) outs(%b16 : memref<9x40xbf16>)
  linalg.fill ins(%nan : f32) outs(%c : memref<33x40xf32>)
  call @multiply_bf16(%a16, %b16, %c) : (memref<33x9xbf16>, memref<9x40xbf16>, memref<33x40xf32>) -> ()
  call @show(%c) : (memref<33x40xf32>) -> ()

  // CHECK: {{^}}0{{$}}
  %ah = memref.alloc() : memref<33x9xf16>
  %bh = memref.alloc() : memref<9x40xf16>
  %mh = arith.constant -1.0 : f16
  %zh = arith.constant 0.0 : f16
  linalg.fill ins(%mh : f16) outs(%ah : memref<33x9xf16>)
  linalg.fill ins(%zh : f16) outs(%bh : memref<9x40xf16>)
  linalg.fill ins(%nan : f32) outs(%c : memref<33x40xf32>)
  call @multiply_f16(%ah, %bh, %c) : (memref<33x9xf16>, memref<9x40xf16>, memref<33x40xf32>) -> ()
  call @show(%c) : (memref<33x40xf32>) -> ()

  // CHECK: {{^}}2147483648{{$}}
  call @from_negative_zero(%a32, %b32, %c) : (memref<33x9xf32>, memref<9x40xf32>, memref<33x40xf32>) -> ()
  call @show(%c) : (memref<33x40xf32>) -> ()
  return
}
