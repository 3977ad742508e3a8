// RUN: amp-opt %s --amp-measure-workspace --split-input-file --verify-diagnostics | FileCheck %s

// What an entry point and its callees allocate, each callee once; what has a size
// that the caller chooses is not known.
// CHECK: func.func @step(
// CHECK-SAME: amp.workspace_bytes = 1088 : i64
func.func @step(%n: index) attributes {amp.signature = {}} {
  %0 = memref.alloc() : memref<64xi8>
  %1 = memref.alloc(%n) : memref<?x8xf32>
  call @callee() : () -> ()
  call @callee() : () -> ()
  return
}
func.func private @callee() {
  %0 = memref.alloc() : memref<16x16xf32>
  return
}
// Near miss: nobody calls it.
func.func private @other() {
  %0 = memref.alloc() : memref<99xi8>
  return
}

// -----

// An extent of 0 leaves no bytes, whatever the others are.
// CHECK: func.func @empty(
// CHECK-SAME: amp.workspace_bytes = 64 : i64
func.func @empty() attributes {amp.signature = {}} {
  %0 = memref.alloc() : memref<4611686018427387904x4611686018427387904x0xf32>
  %1 = memref.alloc() : memref<64xi8>
  return
}

// -----

func.func @large() attributes {amp.signature = {}} {
  // expected-error @+1 {{expected the buffers of 'large' to take less than 2^63 bytes, but one is 'memref<4611686018427387904x4611686018427387904xf32>'}}
  %0 = memref.alloc() : memref<4611686018427387904x4611686018427387904xf32>
  return
}

// -----

// Each is possible by itself.
func.func @together() attributes {amp.signature = {}} {
  %0 = memref.alloc() : memref<4611686018427387904xi8>
  // expected-error @+1 {{expected the buffers of 'together' to take less than 2^63 bytes, but one is 'memref<4611686018427387904xi8>'}}
  %1 = memref.alloc() : memref<4611686018427387904xi8>
  return
}
