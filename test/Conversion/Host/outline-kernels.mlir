// RUN: amp-opt %s --amp-outline-kernels | FileCheck %s

// Equal operations share a kernel; the constant is inside it.
// CHECK-LABEL: func.func @equal
// CHECK-SAME:    %[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>
// CHECK:         call @[[FILL:amp_kernel_[0-9]+]](%[[A]])
// CHECK:         call @[[FILL]](%[[B]])
func.func @equal(%a: memref<8xf32>, %b: memref<8xf32>) {
  %c0 = arith.constant 0.0 : f32
  linalg.fill ins(%c0 : f32) outs(%a : memref<8xf32>)
  linalg.fill ins(%c0 : f32) outs(%b : memref<8xf32>)
  return
}

// A different constant, a different shape: different kernels.
// CHECK-LABEL: func.func @different
// CHECK:         call @[[ONE:amp_kernel_[0-9]+]](
// CHECK-NOT:     call @[[ONE]](
// CHECK:         call @[[SHAPE:amp_kernel_[0-9]+]](
// CHECK-NOT:     call @[[SHAPE]](
// CHECK:         return
func.func @different(%a: memref<8xf32>, %b: memref<9xf32>) {
  %c1 = arith.constant 1.0 : f32
  linalg.fill ins(%c1 : f32) outs(%a : memref<8xf32>)
  linalg.fill ins(%c1 : f32) outs(%b : memref<9xf32>)
  return
}

// A scalar that is not a constant is an argument, also when the body captures it.
// CHECK-LABEL: func.func @captured
// CHECK-SAME:    %[[S:.*]]: f32,
// CHECK:         call @{{amp_kernel_[0-9]+}}(%{{.*}}, %{{.*}}, %[[S]])
func.func @captured(%s: f32, %a: memref<8xf32>, %b: memref<8xf32>) {
  linalg.map ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) (%x: f32, %init: f32) {
    %y = arith.mulf %x, %s : f32
    linalg.yield %y : f32
  }
  return
}

// Inside branches, too.
// CHECK-LABEL: func.func @branch
// CHECK:         scf.if
// CHECK:           call @{{amp_kernel_[0-9]+}}
func.func @branch(%c: i1, %a: memref<8xf32>, %b: memref<8xf32>) {
  scf.if %c {
    memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  }
  return
}

// The halves of one buffer may overlap for all that is known here.
// CHECK-LABEL: func.func @overlapping
// CHECK:         call @[[OVERLAP:amp_kernel_[0-9]+]]
func.func @overlapping(%a: memref<16xf32>) {
  %low = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %high = memref.subview %a[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  linalg.map { arith.negf } ins(%low : memref<8xf32, strided<[1]>>)
    outs(%high : memref<8xf32, strided<[1], offset: 8>>)
  return
}

// A dynamic shape needs its descriptor.
// CHECK-LABEL: func.func @dynamic
// CHECK:         call @[[DYNAMIC:amp_kernel_[0-9]+]]
func.func @dynamic(%a: memref<?xf32>) {
  %c0 = arith.constant 0.0 : f32
  linalg.fill ins(%c0 : f32) outs(%a : memref<?xf32>)
  return
}

// Tiles of several operations are one kernel; what they write apart from all else is
// said of the buffers that parts are of.
// CHECK-LABEL: func @tiles
// CHECK:         call @[[TILES:amp_kernel_[0-9]+]](%arg0, %{{.*}}, %arg1)
func.func @tiles(%x: memref<8x16xf32>, %n: f32) {
  %y = memref.alloc() : memref<8x16xf32>
  scf.forall (%i) in (8) {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1]
        : memref<8x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    %out = memref.subview %y[%i, 0] [1, 16] [1, 1]
        : memref<8x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    linalg.exp ins(%row : memref<1x16xf32, strided<[16, 1], offset: ?>>)
               outs(%out : memref<1x16xf32, strided<[16, 1], offset: ?>>)
    linalg.fill ins(%n : f32) outs(%row : memref<1x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

// CHECK:       func.func private @[[FILL]](%{{.*}}: memref<8xf32> {llvm.noalias}) attributes {
// CHECK-SAME:    llvm.bareptr
// CHECK-NEXT:    arith.constant 0.000000e+00
// CHECK-NEXT:    linalg.fill

// CHECK:       func.func private @[[OVERLAP]](
// CHECK-NOT:     llvm.noalias
// CHECK-SAME:    ) attributes {

// CHECK:       func.func private @[[DYNAMIC]](
// CHECK-NOT:     llvm.bareptr
// CHECK:         linalg.fill

// CHECK:       func.func private @[[TILES]](%{{.*}}: memref<8x16xf32> {llvm.noalias}, %{{.*}}: memref<8x16xf32> {llvm.noalias}, %{{.*}}: f32)
// CHECK:         scf.forall
