// RUN: amp-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(expand-amx-tiles))" | FileCheck %s

// CHECK-LABEL: func.func @product
// CHECK-NOT:   amx.
// Rows of words; a row of bf16 is read as words too.
// CHECK-COUNT-16: vector.load %{{.+}}[%{{.+}}] : memref<?xf32>, vector<16xf32>
// Sums cross the loop as vectors.
// CHECK:       scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}) -> (vector<16x16xf32>)
// CHECK-COUNT-32: vector.bitcast %{{.+}} : vector<16xf32> to vector<32xbf16>
// Even steps from zero, odd steps from zero, both to what is there.
// CHECK:       scf.for
// CHECK:         %[[SUMS:.+]]:2 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-2:   arith.mulf
// CHECK:         %[[SUM:.+]] = arith.addf %[[SUMS]]#0, %[[SUMS]]#1 : vector<16xf32>
// CHECK:         arith.addf %{{.+}}, %[[SUM]] : vector<16xf32>
// CHECK-COUNT-16: vector.store %{{.+}}, %{{.+}}[%{{.+}}] : memref<?xf32>, vector<16xf32>
// CHECK:       return
func.func @product(%p: memref<?xf32>, %c: memref<?xf32>, %n: index, %stride: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = amx.tile_load %c[%c0], %stride : memref<?xf32> into !amx.tile<16x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (!amx.tile<16x16xf32>) {
    %a = amx.tile_load %p[%i], %c16 : memref<?xf32> into !amx.tile<16x32xbf16>
    %b = amx.tile_load %p[%c0], %c16 : memref<?xf32> into !amx.tile<16x32xbf16>
    %u = amx.tile_mulf %a, %b, %t : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
    scf.yield %u : !amx.tile<16x16xf32>
  }
  amx.tile_store %c[%c0], %r, %stride : memref<?xf32>, !amx.tile<16x16xf32>
  return
}

// Words of f16 are widened, the lower half and the upper one.
// CHECK-LABEL: func.func @halves
// CHECK-NOT:   amx.
// CHECK-COUNT-16: vector.load %{{.+}}[%{{.+}}] : memref<?xf16>, vector<32xf16>
// CHECK:       scf.for
// CHECK:         scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4:   arith.extf %{{.+}} : vector<16xf16> to vector<16xf32>
// CHECK:       return
func.func @halves(%a: memref<?xf16>, %c: memref<?xf32>, %stride: index) {
  %c0 = arith.constant 0 : index
  %x = amx.tile_load %a[%c0], %stride : memref<?xf16> into !amx.tile<16x32xf16>
  %s = amx.tile_load %c[%c0], %stride : memref<?xf32> into !amx.tile<16x16xf32>
  %r = amx.tile_mulf %x, %x, %s : !amx.tile<16x32xf16>, !amx.tile<16x32xf16>, !amx.tile<16x16xf32>
  amx.tile_store %c[%c0], %r, %stride : memref<?xf32>, !amx.tile<16x16xf32>
  return
}

// Near miss: a function without tiles.
// CHECK-LABEL: func.func @none
// CHECK-NEXT:  return
func.func @none() {
  return
}

// -----

func.func @smaller(%c: memref<?xf32>, %stride: index) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{failed to legalize operation 'amx.tile_load'}}
  %x = amx.tile_load %c[%c0], %stride : memref<?xf32> into !amx.tile<8x16xf32>
  amx.tile_store %c[%c0], %x, %stride : memref<?xf32>, !amx.tile<8x16xf32>
  return
}

// -----

func.func @without_stride(%c: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{failed to legalize operation 'amx.tile_load'}}
  %x = amx.tile_load %c[%c0, %c0] : memref<16x16xf32> into !amx.tile<16x16xf32>
  amx.tile_store %c[%c0, %c0], %x : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}

// -----

func.func @integers(%a: memref<?xi8>, %c: memref<?xi32>, %stride: index) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{failed to legalize operation 'amx.tile_load'}}
  %x = amx.tile_load %a[%c0], %stride : memref<?xi8> into !amx.tile<16x64xi8>
  %s = amx.tile_load %c[%c0], %stride : memref<?xi32> into !amx.tile<16x16xi32>
  %r = amx.tile_muli %x, %x, %s : !amx.tile<16x64xi8>, !amx.tile<16x64xi8>, !amx.tile<16x16xi32>
  amx.tile_store %c[%c0], %r, %stride : memref<?xi32>, !amx.tile<16x16xi32>
  return
}
