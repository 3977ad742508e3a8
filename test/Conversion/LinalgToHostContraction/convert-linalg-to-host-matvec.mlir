// Products of one column are vectors of operands where they lie, and sums in registers.
//
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-matvec),canonicalize,cse)" | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-matvec{vector-bits=512}),canonicalize,cse)" \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-matvec{threads=2 part-work=1000}),canonicalize,cse)" \
// RUN:   | FileCheck %s --check-prefix=THREADS
// RUN: not amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-matvec{threads=0}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-matvec{cpu=znver44}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CPU
// RUN: not amp-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-host-matvec{vector-bits=64}))" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BITS

// NONE: expected 'threads' to be at least 1, but got 0
// CPU: expected 'cpu' to be 'native' or an x86-64 CPU that LLVM knows, such as 'znver4', but got 'znver44'
// BITS: expected 'vector-bits' to be 128, 256 or 512, but got 64

// The filter's element is one number for a vector of pixels, and for six rows of two: 108
// products, for which no pixel is read twice: 8 rows of 2 vectors at 3 places.
// CHECK-LABEL: func.func @depthwise
// CHECK:         scf.for %{{.*}} = %c0 to %c16 step %c1
// CHECK:           scf.for %{{.*}} = %c0 to %c8 step %c1
// CHECK:             scf.for %{{.*}} = %c0 to %c12 step %c6
// CHECK-COUNT-12:      vector.load %{{.*}} : memref<32768xf32, strided<[1]>>, vector<8xf32>
// CHECK:               vector.load %{{.*}} : memref<41472xf32, strided<[1]>>, vector<8xf32>
// CHECK:               %[[ELEMENT:.*]] = memref.load %{{.*}} : memref<144xf32, strided<[1]>>
// CHECK:               vector.broadcast %[[ELEMENT]] : f32 to vector<8xf32>
// CHECK:               arith.mulf %{{.*}} fastmath<contract> : vector<8xf32>
// CHECK:               arith.addf %{{.*}} fastmath<contract> : vector<8xf32>
// CHECK-COUNT-107:     arith.mulf
// CHECK-NOT:           arith.mulf
// CHECK-COUNT-12:      vector.store
// CHECK:             }
// What is left of 16 rows.
// CHECK-COUNT-72:    arith.mulf
// CHECK-NOT:         arith.mulf
// CHECK-COUNT-8:     vector.store
// CHECK-NOT:     linalg.generic

// One vector a row, 24 sums.
// WIDE-LABEL: func.func @depthwise
// WIDE-COUNT-16:   vector.load %{{.*}} : memref<32768xf32, strided<[1]>>, vector<16xf32>
// WIDE-COUNT-144:  arith.mulf
// WIDE-NOT:        arith.mulf
// WIDE-COUNT-16:   vector.store

// THREADS-LABEL: func.func @depthwise
// THREADS:       scf.parallel (%{{.*}}) = (%c0) to (%c8)
// THREADS:         %[[END:.*]] = arith.minsi %{{.*}}, %c16
// THREADS:         scf.for %{{.*}} = %{{.*}} to %[[END]] step %c1
func.func @depthwise(%image: memref<8x16x18x18xf32>, %filter: memref<16x3x3xf32>, %out: memref<8x16x16x16xf32>) {
  linalg.generic {indexing_maps = [
      affine_map<(n, c, y, x, i, j) -> (n, c, y + i, x + j)>,
      affine_map<(n, c, y, x, i, j) -> (c, i, j)>,
      affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%image, %filter : memref<8x16x18x18xf32>, memref<16x3x3xf32>) outs(%out : memref<8x16x16x16xf32>) {
  ^bb0(%p: f32, %f: f32, %sum: f32):
    %product = arith.mulf %p, %f : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}

// The gradient of its filter: lanes of a sum, nine vectors at once through all images and
// rows, of which each is a number in the end. The fill goes. Nothing is cut: there is
// one piece.
// CHECK-LABEL: func.func @filter
// CHECK-NOT:     linalg.fill
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK:         %[[SUMS:.*]]:9 = scf.for %{{.*}} = %c0 to %c9 step %c1 iter_args(%{{.*}} = %[[ZERO]],
// CHECK-COUNT-18:  arith.mulf %{{.*}} : vector<8xf32>
// CHECK-NOT:       arith.mulf
// CHECK:         vector.extract_strided_slice %[[SUMS]]#0 {offsets = [0], sizes = [4], strides = [1]}
// CHECK:         vector.extract_strided_slice %[[SUMS]]#0 {offsets = [4], sizes = [4], strides = [1]}
// CHECK:         arith.addf %{{.*}} : vector<4xf32>
// CHECK:         arith.addf %{{.*}} : vector<2xf32>
// CHECK:         arith.addf %{{.*}} : vector<1xf32>
// CHECK:         memref.store
// THREADS-LABEL: func.func @filter
// THREADS-NOT:   scf.parallel
func.func @filter(%image: memref<9x3x18xf32>, %out: memref<9x16xf32>, %filter: memref<3x3xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%filter : memref<3x3xf32>)
  linalg.generic {indexing_maps = [
      affine_map<(i, j, y, x) -> (y, i, x + j)>,
      affine_map<(i, j, y, x) -> (y, x)>,
      affine_map<(i, j, y, x) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%image, %out : memref<9x3x18xf32>, memref<9x16xf32>) outs(%filter : memref<3x3xf32>) {
  ^bb0(%p: f32, %f: f32, %sum: f32):
    %product = arith.mulf %p, %f : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}

// Every second pixel, in halves: two loads, the second one no further than to the last
// lane. The last vector of a row of 11 begins three lanes earlier than the first one ends:
// what stands in C there stays.
// CHECK-LABEL: func.func @strided
// CHECK-DAG:     %[[NEW:.*]] = arith.constant dense<[false, false, false, false, false, true, true, true]>
// CHECK:         %[[LOWER:.*]] = vector.load %[[IMAGE:.*]][%c0] : memref<{{.*}}xbf16, {{.*}}>, vector<8xbf16>
// CHECK:         %[[UPPER:.*]] = vector.load %[[IMAGE]][%c7] : memref<{{.*}}xbf16, {{.*}}>, vector<8xbf16>
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [0, 2, 4, 6, 9, 11, 13, 15] : vector<8xi16>, vector<8xi16>
// CHECK:         arith.extui %{{.*}} : vector<8xi16> to vector<8xi32>
// CHECK:         vector.store %{{.*}}, %[[OUT:.*]][%c0]
// CHECK:         %[[OLD:.*]] = vector.load %[[OUT]][%c3]
// CHECK:         arith.select %[[NEW]], %{{.*}}, %[[OLD]]
// CHECK:         vector.store %{{.*}}, %[[OUT]][%c3]
func.func @strided(%image: memref<23xbf16>, %filter: memref<3xf32>, %out: memref<11xf32>) {
  linalg.generic {indexing_maps = [
      affine_map<(x, j) -> (x * 2 + j)>, affine_map<(x, j) -> (j)>, affine_map<(x, j) -> (x)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%image, %filter : memref<23xbf16>, memref<3xf32>) outs(%out : memref<11xf32>) {
  ^bb0(%p: bf16, %f: f32, %sum: f32):
    %wide = arith.extf %p : bf16 to f32
    %product = arith.mulf %wide, %f : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}

// More than 2048 additions to a lane are partial sums, from zero each.
// CHECK-LABEL: func.func @long
// CHECK:         scf.for %{{.*}} = %c0 to %c10 step %c1 iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK:           %[[PART:.*]] = scf.for %{{.*}} = %c0 to %c2000 step %c1 iter_args(%{{.*}} = %cst)
// CHECK:           arith.addf %[[SUM]], %[[PART]] : vector<8xf32>
func.func @long(%x: memref<20000xf32>, %w: memref<20000x8xf32>, %y: memref<8xf32>) {
  linalg.vecmat ins(%x, %w : memref<20000xf32>, memref<20000x8xf32>) outs(%y : memref<8xf32>)
  return
}

// A row of a batch that begins anywhere.
// CHECK-LABEL: func.func @moved
// CHECK-NOT:     linalg.matmul
func.func @moved(%x: memref<1x16xf32, strided<[64, 1], offset: ?>>, %w: memref<16x32xf32>, %y: memref<1x32xf32>) {
  linalg.matmul ins(%x, %w : memref<1x16xf32, strided<[64, 1], offset: ?>>, memref<16x32xf32>)
                outs(%y : memref<1x32xf32>)
  return
}

// Near misses: two columns, pixels that are three apart, rows of three, a row that is read
// backwards, shapes and strides that are not known, sums of products of three, bytes.
// CHECK-LABEL: func.func @two_columns
// CHECK:         linalg.matmul
func.func @two_columns(%x: memref<2x16xf32>, %w: memref<16x32xf32>, %y: memref<2x32xf32>) {
  linalg.matmul ins(%x, %w : memref<2x16xf32>, memref<16x32xf32>) outs(%y : memref<2x32xf32>)
  return
}
// CHECK-LABEL: func.func @three_apart
// CHECK:         linalg.generic
func.func @three_apart(%image: memref<48xf32>, %filter: memref<3xf32>, %out: memref<16xf32>) {
  linalg.generic {indexing_maps = [
      affine_map<(x, j) -> (x * 3 + j)>, affine_map<(x, j) -> (j)>, affine_map<(x, j) -> (x)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%image, %filter : memref<48xf32>, memref<3xf32>) outs(%out : memref<16xf32>) {
  ^bb0(%p: f32, %f: f32, %sum: f32):
    %product = arith.mulf %p, %f : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}
// CHECK-LABEL: func.func @rows_of_three
// CHECK:         linalg.matvec
func.func @rows_of_three(%w: memref<3x3xf32>, %x: memref<3xf32>, %y: memref<3xf32>) {
  linalg.matvec ins(%w, %x : memref<3x3xf32>, memref<3xf32>) outs(%y : memref<3xf32>)
  return
}
// CHECK-LABEL: func.func @backwards
// CHECK:         linalg.generic
func.func @backwards(%w: memref<8x16xf32>, %x: memref<16xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [
      affine_map<(m, k) -> (m, 15 - k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%w, %x : memref<8x16xf32>, memref<16xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%p: f32, %f: f32, %sum: f32):
    %product = arith.mulf %p, %f : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}
// CHECK-LABEL: func.func @unknown
// CHECK:         linalg.matvec
func.func @unknown(%w: memref<?x16xf32>, %x: memref<16xf32>, %y: memref<?xf32>) {
  linalg.matvec ins(%w, %x : memref<?x16xf32>, memref<16xf32>) outs(%y : memref<?xf32>)
  return
}
// CHECK-LABEL: func.func @integers
// CHECK:         linalg.matvec
func.func @integers(%w: memref<8x16xi32>, %x: memref<16xi32>, %y: memref<8xi32>) {
  linalg.matvec ins(%w, %x : memref<8x16xi32>, memref<16xi32>) outs(%y : memref<8xi32>)
  return
}

// The output is an input: the fill stays, and sums start from what stands there.
// CHECK-LABEL: func.func @in_place
// CHECK:         linalg.fill
func.func @in_place(%w: memref<16x16xf32>, %x: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<16xf32>)
  linalg.matvec ins(%w, %x : memref<16x16xf32>, memref<16xf32>) outs(%x : memref<16xf32>)
  return
}

// A quarter of a transposed convolution: every second pixel of a row is lanes, of which the last
// vector leaves out what it has in common with the one before, and the filter is read backwards.
// CHECK-LABEL: func.func @every_second_pixel
// CHECK-DAG:     %[[APART:.*]] = arith.constant dense<[0, 2, 4, 6, 8, 10, 12, 14]> : vector<8xindex>
// CHECK-DAG:     %[[NEW:.*]] = arith.constant dense<[false, false, true, true, true, true, true, true]> : vector<8xi1>
// CHECK:         %[[SUMS:.*]] = vector.gather %[[Y:.*]][%{{.*}}] [%[[APART]]], %{{.*}}, %{{.*}}
// CHECK:         vector.load
// CHECK-NOT:     linalg.generic
// CHECK:         vector.scatter %[[Y]][%{{.*}}] [%[[APART]]], %{{.*}}, %{{.*}}
// CHECK:         vector.scatter %[[Y]][%{{.*}}] [%[[APART]]], %[[NEW]], %{{.*}}
func.func @every_second_pixel(%x: memref<4x3x15xf32>, %w: memref<4x2x2xf32>,
                              %y: memref<2x14xf32, strided<[56, 2]>>) {
  linalg.generic {indexing_maps = [affine_map<(y, x, k, i, j) -> (k, y - i + 1, x - j + 1)>,
                                   affine_map<(y, x, k, i, j) -> (k, i, j)>, affine_map<(y, x, k, i, j) -> (y, x)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<4x3x15xf32>, memref<4x2x2xf32>) outs(%y : memref<2x14xf32, strided<[56, 2]>>) {
  ^bb0(%p: f32, %f: f32, %sum: f32):
    %product = arith.mulf %p, %f : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}
