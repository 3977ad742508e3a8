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

// A product takes the fill of its output along, past what touches other buffers.
// CHECK-LABEL: func.func @filled_product
// CHECK-SAME:    %[[A:[^:]*]]: memref<8x16xf32>, %[[B:[^:]*]]: memref<16x8xf32>, %[[C:[^:]*]]: memref<8x8xf32>
// CHECK:         memref.alloc
// CHECK-NEXT:    call @{{amp_kernel_[0-9]+}}(%{{.*}}) : (memref<16x8xf32>) -> ()
// CHECK-NEXT:    call @[[PRODUCT:amp_kernel_[0-9]+]](%[[C]], %[[A]], %[[B]])
// CHECK-NEXT:    call @[[PRODUCT]](%{{.*}}, %[[A]], %{{.*}})
func.func @filled_product(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>, %d: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<8x8xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  %other = memref.alloc() : memref<16x8xf32>
  linalg.fill ins(%zero : f32) outs(%other : memref<16x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %other : memref<8x16xf32>, memref<16x8xf32>) outs(%d : memref<8x8xf32>)
  return
}

// Near misses: fills with something else, and somebody who reads the zeros.
// CHECK-LABEL: func.func @other_starts
// CHECK-COUNT-8: call @amp_kernel
func.func @other_starts(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>, %d: memref<8x8xf32>,
                        %e: memref<8x8xf32>, %f: memref<8x8xf32>) {
  %one = arith.constant 1.0 : f32
  %negative = arith.constant -0.0 : f32
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%one : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%c : memref<8x8xf32>)
  linalg.fill ins(%negative : f32) outs(%d : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%d : memref<8x8xf32>)
  linalg.fill ins(%zero : f32) outs(%e : memref<8x8xf32>)
  memref.copy %e, %f : memref<8x8xf32> to memref<8x8xf32>
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%e : memref<8x8xf32>)
  // The rest of the output is not the fill's.
  %rows = memref.subview %f[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  linalg.fill ins(%zero : f32) outs(%rows : memref<4x8xf32, strided<[8, 1]>>)
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x8xf32>) outs(%f : memref<8x8xf32>)
  return
}

// And inputs that the fill may write: the same buffer, or one that is not known.
// CHECK-LABEL: func.func @overlapping_inputs
// CHECK-COUNT-4: call @amp_kernel
func.func @overlapping_inputs(%a: memref<8x8xf32>, %c: memref<16x8xf32>, %condition: i1) {
  %zero = arith.constant 0.0 : f32
  %low = memref.subview %c[0, 0] [8, 8] [1, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  %high = memref.subview %c[8, 0] [8, 8] [1, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 64>>
  linalg.fill ins(%zero : f32) outs(%low : memref<8x8xf32, strided<[8, 1]>>)
  linalg.matmul ins(%a, %high : memref<8x8xf32>, memref<8x8xf32, strided<[8, 1], offset: 64>>)
                outs(%low : memref<8x8xf32, strided<[8, 1]>>)
  %unknown = arith.select %condition, %low, %low : memref<8x8xf32, strided<[8, 1]>>
  linalg.fill ins(%zero : f32) outs(%low : memref<8x8xf32, strided<[8, 1]>>)
  linalg.matmul ins(%a, %unknown : memref<8x8xf32>, memref<8x8xf32, strided<[8, 1]>>)
                outs(%low : memref<8x8xf32, strided<[8, 1]>>)
  return
}

// The number of steps may be none: the fill is needed, and apart.
// CHECK-LABEL: func.func @unknown_steps
// CHECK-COUNT-2: call @amp_kernel
func.func @unknown_steps(%a: memref<8x?xf32>, %b: memref<?x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x?xf32>, memref<?x8xf32>) outs(%c : memref<8x8xf32>)
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

// CHECK:       func.func private @[[PRODUCT]](%[[C:[^:]*]]: memref<8x8xf32> {llvm.noalias}, %{{.*}}: memref<8x16xf32>, %{{.*}}: memref<16x8xf32>)
// CHECK-SAME:    llvm.bareptr
// CHECK:         linalg.fill ins(%{{.*}}) outs(%[[C]]
// CHECK-NEXT:    linalg.matmul {{.*}} outs(%[[C]]
// CHECK-NEXT:    return
