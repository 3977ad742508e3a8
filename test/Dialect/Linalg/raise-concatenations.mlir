// RUN: amp-opt %s --amp-raise-concatenations --split-input-file | FileCheck %s

// Columns of a product beside those of a tensor.
// CHECK-LABEL: func @side_by_side
// CHECK-SAME:    %{{.*}}, %{{.*}}, %{{.*}}, %[[D:[^ ]*]]: tensor<4x3xf32>)
// CHECK:       %[[P:.*]] = linalg.matmul
// CHECK:       %[[ALL:.*]] = tensor.concat dim(1) %[[P]], %[[D]] :
// CHECK-NEXT:  return %[[ALL]]
func.func @side_by_side(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
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

// -----

// Three parts along rows, one of them behind operations on its elements and a reshape; the
// comparisons are of signed numbers.
// CHECK-LABEL: func @rows
// CHECK-SAME:    %{{.*}}, %{{.*}}, %{{.*}}, %[[D:[^ ]*]]: tensor<1x2xf32>, %[[E:[^ ]*]]: tensor<3x2xf32>)
// CHECK:       %[[R:.*]] = tensor.expand_shape
// CHECK:       %[[ALL:.*]] = tensor.concat dim(0) %[[D]], %[[R]], %[[E]] :
// CHECK-NEXT:  return %[[ALL]]
func.func @rows(%a: tensor<8x4xf32>, %b: tensor<4xf32>, %c: tensor<8xf32>, %d: tensor<1x2xf32>, %f: tensor<3x2xf32>) -> tensor<8x2xf32> {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %m1 = arith.constant -1 : index
  %product = linalg.matvec ins(%a, %b : tensor<8x4xf32>, tensor<4xf32>) outs(%c : tensor<8xf32>) -> tensor<8xf32>
  %abs = math.absf %product : tensor<8xf32>
  %part = tensor.expand_shape %abs [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
  %e = tensor.empty() : tensor<8x2xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi slt, %i, %c1 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %d[%i, %j] : tensor<1x2xf32>
      scf.yield %l : f32
    } else {
      %less = arith.addi %i, %m1 : index
      %second = arith.cmpi slt, %i, %c5 : index
      %y = scf.if %second -> (f32) {
        %m = tensor.extract %part[%less, %j] : tensor<4x2xf32>
        scf.yield %m : f32
      } else {
        %k = arith.subi %i, %c5 : index
        %r = tensor.extract %f[%k, %j] : tensor<3x2xf32>
        scf.yield %r : f32
      }
      scf.yield %y : f32
    }
    linalg.yield %x : f32
  } -> tensor<8x2xf32>
  return %all : tensor<8x2xf32>
}

// -----

// Both branches widen: the concatenation is of narrow tensors.
// CHECK-LABEL: func @widened
// CHECK:       %[[ALL:.*]] = tensor.concat dim(1) %{{.*}}, %{{.*}} : (tensor<4x2xbf16>, tensor<4x3xbf16>) -> tensor<4x5xbf16>
// CHECK:       %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[ALL]] : tensor<4x5xbf16>)
// CHECK:         arith.extf
// CHECK:       return %[[WIDE]]
func.func @widened(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xbf16>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %half = arith.truncf %product : tensor<4x2xf32> to tensor<4x2xbf16>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %half[%i, %j] : tensor<4x2xbf16>
      %lw = arith.extf %l : bf16 to f32
      scf.yield %lw : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xbf16>
      %rw = arith.extf %r : bf16 to f32
      scf.yield %rw : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}

// -----

// A near miss: only one branch widens.
// CHECK-LABEL: func @widened_in_part
// CHECK-NOT:   tensor.concat
func.func @widened_in_part(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %half = arith.truncf %product : tensor<4x2xf32> to tensor<4x2xbf16>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %half[%i, %j] : tensor<4x2xbf16>
      %lw = arith.extf %l : bf16 to f32
      scf.yield %lw : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}

// -----

// A near miss: no part is of a contraction.
// CHECK-LABEL: func @of_arguments
// CHECK-NOT:   tensor.concat
func.func @of_arguments(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %c[%i, %j] : tensor<4x2xf32>
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

// -----

// A near miss: what the contraction gives is read elsewhere, too.
// CHECK-LABEL: func @read_elsewhere
// CHECK-NOT:   tensor.concat
func.func @read_elsewhere(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> (tensor<4x5xf32>, tensor<4x2xf32>) {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all, %product : tensor<4x5xf32>, tensor<4x2xf32>
}

// -----

// A near miss: the second part is read from its second column on.
// CHECK-LABEL: func @in_part
// CHECK-NOT:   tensor.concat
func.func @in_part(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d4: tensor<4x4xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c1 : index
      %r = tensor.extract %d4[%i, %k] : tensor<4x4xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}

// -----

// A near miss: the second part is read from its last column on.
// CHECK-LABEL: func @turned
// CHECK-NOT:   tensor.concat
func.func @turned(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %c4, %j : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}

// -----

// A near miss: the second part is read in a row that is not the loop.
// CHECK-LABEL: func @another_row
// CHECK-NOT:   tensor.concat
func.func @another_row(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%k, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}

// -----

// A near miss: a comparison that is true of the last columns.
// CHECK-LABEL: func @other_side
// CHECK-NOT:   tensor.concat
func.func @other_side(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi uge, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
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

// -----

// A near miss: one branch computes.
// CHECK-LABEL: func @computed
// CHECK-NOT:   tensor.concat
func.func @computed(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
      %m = arith.negf %l : f32
      scf.yield %m : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}

// -----

// A near miss: one branch asserts.
// CHECK-LABEL: func @asserted
// CHECK-NOT:   tensor.concat
func.func @asserted(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %same = arith.cmpi ult, %i, %c2 : index
      cf.assert %same, "expected the first two rows"
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
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

// -----

// A near miss: the result is written in another order.
// CHECK-LABEL: func @transposed
// CHECK-NOT:   tensor.concat
func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<5x4xf32> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<5x4xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<5x4xf32>
  return %all : tensor<5x4xf32>
}

// -----

// A near miss: the second comparison is of another loop.
// CHECK-LABEL: func @of_both_loops
// CHECK-NOT:   tensor.concat
func.func @of_both_loops(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %upper = arith.cmpi ult, %i, %c2 : index
      %y = scf.if %upper -> (f32) {
        %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
        scf.yield %r : f32
      } else {
        %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
        scf.yield %r : f32
      }
      scf.yield %y : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}

// -----

// A near miss: a branch that no column reaches leaves one tensor.
// CHECK-LABEL: func @of_one_part
// CHECK-NOT:   tensor.concat
func.func @of_one_part(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>, %w: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %c4 = arith.constant 9 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c4 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %w[%i, %j] : tensor<4x5xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c4 : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %all : tensor<4x5xf32>
}

// -----

// A near miss: a number below 0, which is large where it counts as unsigned.
// CHECK-LABEL: func @unsigned_below_zero
// CHECK-NOT:   tensor.concat
func.func @unsigned_below_zero(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %less = arith.subi %j, %c1 : index
    %first = arith.cmpi ult, %less, %c1 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
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

// -----

// A near miss: rows that only a run knows.
// CHECK-LABEL: func @of_unknown_rows
// CHECK-NOT:   tensor.concat
func.func @of_unknown_rows(%a: tensor<?x8xf32>, %b: tensor<8x2xf32>, %c: tensor<?x2xf32>, %d: tensor<?x3xf32>) -> tensor<?x5xf32> {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : index
  %rows = tensor.dim %a, %zero : tensor<?x8xf32>
  %product = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x2xf32>) outs(%c : tensor<?x2xf32>) -> tensor<?x2xf32>
  %e = tensor.empty(%rows) : tensor<?x5xf32>
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<?x2xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%i, %k] : tensor<?x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<?x5xf32>
  return %all : tensor<?x5xf32>
}

// -----

// A near miss: a result with an encoding, which a concatenation does not have.
// CHECK-LABEL: func @encoded
// CHECK-NOT:   tensor.concat
func.func @encoded(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32, "x"> {
  %c2 = arith.constant 2 : index
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x5xf32, "x">
  %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x5xf32, "x">) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c2 : index
    %x = scf.if %first -> (f32) {
      %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
      scf.yield %l : f32
    } else {
      %k = arith.subi %j, %c2 : index
      %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
      scf.yield %r : f32
    }
    linalg.yield %x : f32
  } -> tensor<4x5xf32, "x">
  return %all : tensor<4x5xf32, "x">
}
