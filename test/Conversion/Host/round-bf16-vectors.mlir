// A rounding to bf16 stays one of vectors where masks are vectors: with AVX2, and without.
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-expand-arith),%to_llvm)" | mlir-translate --mlir-to-llvmir -o %t.ll
// DEFINE: %{cpu} = x86-64-v3
// DEFINE: %{compile} = opt -O3 -mtriple=x86_64-linux-gnu -mcpu=%{cpu} %t.ll | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=%{cpu} | FileCheck %s --implicit-check-not=ucomiss --implicit-check-not=cmovp
// RUN: %{compile}
// REDEFINE: %{cpu} = x86-64-v2
// RUN: %{compile}
// REDEFINE: %{cpu} = znver4
// RUN: %{compile}

// CHECK-LABEL: {{^}}round:
// CHECK: {{psrld|vpsrld}}
// CHECK: ret
func.func @round(%x: vector<8xf32>) -> vector<8xbf16> {
  %y = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %y : vector<8xbf16>
}

// That it judges: upstream's expansion, whose halves are selected one by one.
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(arith-expand{include-bf16=true}),%to_llvm)" | mlir-translate --mlir-to-llvmir | opt -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: ucomiss
