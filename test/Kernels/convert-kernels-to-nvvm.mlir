// RUN: amp-opt %s --amp-kernels-to-nvvm | FileCheck %s

// Loops and branches become blocks.
// CHECK-LABEL: llvm.func @loop
gpu.module @kernels {
  llvm.func @loop(%n: i32, %x: f32, %out: !llvm.ptr<1>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // CHECK: llvm.br
    // CHECK: llvm.cond_br
    // CHECK: llvm.fadd
    // CHECK: llvm.intr.sqrt
    // CHECK-NOT: {{arith|cf|scf|math}}.
    // CHECK: llvm.return
    %sum = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (f32) : i32 {
      %b = arith.addf %a, %x : f32
      %c = math.sqrt %b : f32
      scf.yield %c : f32
    }
    llvm.store %sum, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// Functions become polynomials, the same as on the host.
// CHECK-LABEL: llvm.func @functions
gpu.module @more_kernels {
  llvm.func @functions(%x: vector<2xf32>, %out: !llvm.ptr<1>) {
    // CHECK-NOT: math.
    // CHECK-NOT: llvm.intr.exp
    // CHECK-NOT: vector.
    // CHECK: llvm.return
    %a = math.exp %x : vector<2xf32>
    %b = math.tanh %a : vector<2xf32>
    %c = math.erf %b : vector<2xf32>
    llvm.store %c, %out : vector<2xf32>, !llvm.ptr<1>
    llvm.return
  }
}

// Host code stays.
// CHECK-LABEL: func.func @host
func.func @host(%x: f32) -> f32 {
  // CHECK: arith.addf
  %sum = arith.addf %x, %x : f32
  return %sum : f32
}
