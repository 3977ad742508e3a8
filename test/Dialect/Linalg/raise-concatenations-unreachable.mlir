// A value of a block that nothing reaches may be made of itself: it is not followed for ever.
// RUN: amp-opt %s --amp-raise-concatenations | FileCheck %s
// RUN: amp-opt %s --amp-raise-extracts | FileCheck %s

// CHECK-LABEL: func @part
// CHECK:       return
func.func @part(%d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %e0 = tensor.empty() : tensor<4x5xf32>
  return %e0 : tensor<4x5xf32>
^bb1:
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4x5xf32>
  %o = tensor.empty() : tensor<4x2xf32>
  %p:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%p#1 : tensor<4x2xf32>) outs(%o, %o : tensor<4x2xf32>, tensor<4x2xf32>) {
    ^bb0(%x: f32, %y: f32, %w: f32):
      linalg.yield %x, %x : f32, f32
  } -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %p#0[%i, %j] : tensor<4x2xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}

// CHECK-LABEL: func @index
// CHECK:       return
func.func @index(%d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %e0 = tensor.empty() : tensor<4x5xf32>
  return %e0 : tensor<4x5xf32>
^bb1:
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4x5xf32>
  %q = arith.addi %q, %c2 : index
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %q, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %d[%i, %j] : tensor<4x3xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}
