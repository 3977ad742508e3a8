// RUN: amp-opt %s --split-input-file --amp-write-through-insertions | FileCheck %s
// The loops are kernels afterwards, whose results are as long as the rows.
// RUN: amp-opt %s --split-input-file --amp-write-through-insertions --convert-fusion-groups-to-kernels=chip=sm_90a | FileCheck %s --check-prefix=KERNEL

// Rows of two dimensions, in one: logits of a batch of sequences. Of the other result nothing is
// inserted.

// CHECK-LABEL: func.func @logits
// CHECK:      %[[E:.+]] = tensor.empty() : tensor<2x3x5xf16>
// CHECK:      %[[S:.+]] = tensor.empty() : tensor<2x3xf16>
// CHECK:      %[[LONG:.+]] = tensor.empty() : tensor<2x3x8xf16>
// CHECK:      %[[R:.+]]:2 = scf.forall (%[[I:.+]], %[[J:.+]]) in (2, 3) shared_outs(%[[O:.+]] = %[[LONG]], %{{.+}} = %[[S]]) -> (tensor<2x3x8xf16>, tensor<2x3xf16>) {
// CHECK:        tensor.parallel_insert_slice %{{.+}} into %[[O]][%[[I]], %[[J]], 0] [1, 1, 5] [1, 1, 1] : tensor<1x1x5xf16> into tensor<2x3x8xf16>
// CHECK:      %[[ROWS:.+]] = tensor.collapse_shape %[[R]]#0 {{\[\[}}0, 1], [2]] : tensor<2x3x8xf16> into tensor<6x8xf16>
// CHECK-NOT:  insert_slice
// CHECK:      return %[[ROWS]], %[[R]]#1
// KERNEL-LABEL: func.func @logits
// KERNEL: amp.launch_kernels @group_0 ins({{.*}}) outs(out0 = %{{.+}}, out1 = %{{.+}}) : ({{.*}}) -> (tensor<2x3x8xf16>, tensor<2x3xf16>)
func.func @logits(%x: tensor<2x3x5xf16>) -> (tensor<6x8xf16>, tensor<2x3xf16>) {
  %e = tensor.empty() : tensor<2x3x5xf16>
  %s = tensor.empty() : tensor<2x3xf16>
  %r:2 = scf.forall (%i, %j) in (2, 3) shared_outs(%o = %e, %p = %s) -> (tensor<2x3x5xf16>, tensor<2x3xf16>) {
    %t = tensor.extract_slice %x[%i, %j, 0] [1, 1, 5] [1, 1, 1] : tensor<2x3x5xf16> to tensor<1x1x5xf16>
    %d = tensor.empty() : tensor<1x1x5xf16>
    %n = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>],
                         iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%t : tensor<1x1x5xf16>) outs(%d : tensor<1x1x5xf16>) {
    ^bb0(%in: f16, %out: f16):
      %v = arith.negf %in : f16
      linalg.yield %v : f16
    } -> tensor<1x1x5xf16>
    %f = tensor.extract_slice %x[%i, %j, 0] [1, 1, 1] [1, 1, 1] : tensor<2x3x5xf16> to tensor<1x1xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %n into %o[%i, %j, 0] [1, 1, 5] [1, 1, 1] : tensor<1x1x5xf16> into tensor<2x3x5xf16>
      tensor.parallel_insert_slice %f into %p[%i, %j] [1, 1] [1, 1] : tensor<1x1xf16> into tensor<2x3xf16>
    }
  }
  %rows = tensor.collapse_shape %r#0 [[0, 1], [2]] : tensor<2x3x5xf16> into tensor<6x5xf16>
  %long = tensor.empty() : tensor<6x8xf16>
  %q = tensor.insert_slice %rows into %long[0, 0] [6, 5] [1, 1] : tensor<6x5xf16> into tensor<6x8xf16>
  return %q, %r#1 : tensor<6x8xf16>, tensor<2x3xf16>
}

// -----

// Near misses, whose loops stay. Somebody else reads the rows.

// CHECK-LABEL: func.func @read_too
// CHECK: -> (tensor<4x5xf32>) {
// CHECK: tensor.insert_slice
func.func @read_too(%x: tensor<4x5xf32>) -> (tensor<4x8xf32>, tensor<4x5xf32>) {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  %p = tensor.empty() : tensor<4x8xf32>
  %q = tensor.insert_slice %r into %p[0, 0] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<4x8xf32>
  return %q, %r : tensor<4x8xf32>, tensor<4x5xf32>
}

// -----

// There are elements behind the rows.

// CHECK-LABEL: func.func @not_empty
// CHECK: -> (tensor<4x5xf32>) {
// CHECK: tensor.insert_slice
func.func @not_empty(%x: tensor<4x5xf32>, %p: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  %q = tensor.insert_slice %r into %p[0, 0] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}

// -----

// The rows are not at the front.

// CHECK-LABEL: func.func @behind
// CHECK: -> (tensor<4x5xf32>) {
// CHECK: tensor.insert_slice
func.func @behind(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  %p = tensor.empty() : tensor<4x8xf32>
  %q = tensor.insert_slice %r into %p[0, 3] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}

// -----

// Every other element of a row.

// CHECK-LABEL: func.func @every_other
// CHECK: -> (tensor<4x5xf32>) {
// CHECK: tensor.insert_slice
func.func @every_other(%x: tensor<4x5xf32>) -> tensor<4x10xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  %p = tensor.empty() : tensor<4x10xf32>
  %q = tensor.insert_slice %r into %p[0, 0] [4, 5] [1, 2] : tensor<4x5xf32> into tensor<4x10xf32>
  return %q : tensor<4x10xf32>
}

// -----

// There are more rows, which are not longer alone.

// CHECK-LABEL: func.func @more_rows
// CHECK: -> (tensor<4x5xf32>) {
// CHECK: tensor.insert_slice
func.func @more_rows(%x: tensor<4x5xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  %p = tensor.empty() : tensor<6x8xf32>
  %q = tensor.insert_slice %r into %p[0, 0] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<6x8xf32>
  return %q : tensor<6x8xf32>
}

// -----

// The rows are what is inserted into.

// CHECK-LABEL: func.func @as_destination
// CHECK: -> (tensor<4x5xf32>) {
// CHECK: tensor.insert_slice
func.func @as_destination(%x: tensor<4x5xf32>, %y: tensor<4x2xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  %q = tensor.insert_slice %y into %r[0, 0] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x5xf32>
  return %q : tensor<4x5xf32>
}

// -----

// The loop reads what it began with.

// CHECK-LABEL: func.func @read_inside
// CHECK: -> (tensor<4x5xf32>) {
// CHECK: tensor.insert_slice
func.func @read_inside(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
    %s = tensor.extract_slice %o[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  %p = tensor.empty() : tensor<4x8xf32>
  %q = tensor.insert_slice %r into %p[0, 0] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}

// -----

// The result begins with elements, which stay where no tile is.

// CHECK-LABEL: func.func @begun
// CHECK: -> (tensor<4x5xf32>) {
// CHECK: tensor.insert_slice
func.func @begun(%x: tensor<4x5xf32>, %e: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  %p = tensor.empty() : tensor<4x8xf32>
  %q = tensor.insert_slice %r into %p[0, 0] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}

// -----

// Rows are no dimension of their own.

// CHECK-LABEL: func.func @flat
// CHECK: -> (tensor<4x5xf32>) {
// CHECK: tensor.insert_slice
func.func @flat(%x: tensor<4x5xf32>) -> tensor<24xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<4x5xf32> into tensor<20xf32>
  %p = tensor.empty() : tensor<24xf32>
  %q = tensor.insert_slice %c into %p[0] [20] [1] : tensor<20xf32> into tensor<24xf32>
  return %q : tensor<24xf32>
}
