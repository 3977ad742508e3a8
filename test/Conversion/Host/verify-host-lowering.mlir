// RUN: amp-opt %s --finalize-memref-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts \
// RUN:   --amp-verify-host-lowering --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: llvm.func @lowered
func.func @lowered(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

// The cause, and not the casts around it.
func.func @softmax(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error@below {{expected an operation that can be lowered to the host, but got 'linalg.softmax'}}
  linalg.softmax dimension(0) ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

// One error for an operation with others in it.
func.func @loop(%x: memref<4xf32>, %n: index, %m: index) {
  // expected-error@below {{expected an operation that can be lowered to the host, but got 'scf.for'}}
  scf.for %i = %n to %m step %n {
    linalg.softmax dimension(0) ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  }
  return
}

// -----

// No operation is to blame.
llvm.func @types(%x: i64) -> i32 {
  // expected-error@below {{expected types that can be lowered to the host, but got a conversion from 'i64' to 'i32'}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to i32
  llvm.return %0 : i32
}
