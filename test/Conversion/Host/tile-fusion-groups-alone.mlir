// With sums-alone, a sum that shares a pass with nothing is a loop over tiles: in parts,
// which another sum puts together. What is no sum stays, and so does a sum of halves.
// RUN: amp-opt %s --amp-tile-fusion-groups='sums-alone tile-bytes=16384' | FileCheck %s
// RUN: amp-opt %s --amp-tile-fusion-groups=tile-bytes=16384 | FileCheck %s --check-prefix=OFF

// OFF-LABEL: func @columns
// OFF-NOT:   scf.forall
// OFF-LABEL: func @halves

// CHECK-LABEL: func @columns
// CHECK:       %[[PARTS:.*]] = scf.forall {{.*}} -> (tensor<{{[0-9]+}}x256xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]
// CHECK:         tensor.parallel_insert_slice
// CHECK:       linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]{{.*}} ins(%[[PARTS]]
// CHECK:       return
func.func @columns(%x: tensor<1024x256xf32>, %start: tensor<256xf32>) -> tensor<256xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<1024x256xf32>) outs(%start : tensor<256xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// CHECK-LABEL: func @halves
// CHECK-NOT:   scf.forall
// CHECK:       return
func.func @halves(%x: tensor<1024x256xf16>, %start: tensor<256xf16>) -> tensor<256xf16> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<1024x256xf16>) outs(%start : tensor<256xf16>) {
  ^bb0(%a: f16, %acc: f16):
    %s = arith.addf %acc, %a : f16
    linalg.yield %s : f16
  } -> tensor<256xf16>
  return %0 : tensor<256xf16>
}

// CHECK-LABEL: func @elements
// CHECK-NOT:   scf.forall
// CHECK:       return
func.func @elements(%x: tensor<1024x256xf32>) -> tensor<1024x256xf32> {
  %e = tensor.empty() : tensor<1024x256xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1024x256xf32>) outs(%e : tensor<1024x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<1024x256xf32>
  return %0 : tensor<1024x256xf32>
}

// A product of a matrix and a vector is such a sum here, in one loop with the norm that reads the rows. On a host it is
// a product, which has a kernel.
// CHECK-LABEL: func @matrix_vector
// CHECK:       scf.forall
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK:       scf.forall.in_parallel
// CHECK-NOT:   linalg.generic {{.*}}"reduction"
// CHECK:       return
// OFF-LABEL: func @matrix_vector
// OFF-NOT:   scf.forall
func.func @matrix_vector(%x: tensor<1024x256xf32>, %gain: tensor<256xf32>, %start: tensor<1024xf32>) -> tensor<1024x256xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %gain : tensor<1024x256xf32>, tensor<256xf32>) outs(%start : tensor<1024xf32>) {
  ^bb0(%a: f32, %g: f32, %acc: f32):
    %p = arith.mulf %a, %g : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<1024xf32>
  %e = tensor.empty() : tensor<1024x256xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<1024x256xf32>, tensor<1024xf32>) outs(%e : tensor<1024x256xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  } -> tensor<1024x256xf32>
  return %1 : tensor<1024x256xf32>
}
