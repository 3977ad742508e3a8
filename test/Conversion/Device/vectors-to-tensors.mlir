// RUN: amp-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(amp-vectors-to-tensors,canonicalize))' | FileCheck %s

// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>

// Inside of the tensor, by numbers or by promise: slices.
// CHECK-LABEL: func @inside
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>, %[[I:.*]]: index
func.func @inside(%x: tensor<8x4xf32>, %i: index) -> tensor<8x4xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 0.0 : f32
  // CHECK: %[[A:.*]] = tensor.extract_slice %[[X]][4, 1] [4, 3] [1, 1] : tensor<8x4xf32> to tensor<4x3xf32>
  %a = vector.transfer_read %x[%c4, %c1], %pad : tensor<8x4xf32>, vector<4x3xf32>
  // CHECK: %[[B:.*]] = tensor.extract_slice %[[X]][%[[I]], 1] [4, 3] [1, 1] : tensor<8x4xf32> to tensor<4x3xf32>
  %b = vector.transfer_read %x[%i, %c1], %pad {in_bounds = [true, false]} : tensor<8x4xf32>, vector<4x3xf32>
  // CHECK: %[[C:.*]] = arith.addf %[[A]], %[[B]] : tensor<4x3xf32>
  %c = arith.addf %a, %b : vector<4x3xf32>
  // CHECK: tensor.insert_slice %[[C]] into %[[X]][%[[I]], 1] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<8x4xf32>
  %r = vector.transfer_write %c, %x[%i, %c1] {in_bounds = [true, false]} : vector<4x3xf32>, tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// What may leave the tensor is chosen for each element; of the tensor where it is written. The near miss of a slice is one element.
// CHECK-LABEL: func @over_the_end
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
func.func @over_the_end(%x: tensor<8xf32>, %pad: f32) -> tensor<8xf32> {
  %c5 = arith.constant 5 : index
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
  // CHECK:   %[[AT:.*]] = arith.addi %{{.*}}, %c5
  // CHECK:   %[[IS:.*]] = arith.cmpi ult, %[[AT]], %c8
  // CHECK:   %[[NEAR:.*]] = arith.select %[[IS]], %[[AT]], %c0
  // CHECK:   %[[E:.*]] = tensor.extract %[[X]][%[[NEAR]]]
  // CHECK:   arith.select %[[IS]], %[[E]], %{{.*}} : f32
  %a = vector.transfer_read %x[%c5], %pad : tensor<8xf32>, vector<4xf32>
  // CHECK: linalg.generic {{.*}} outs(%[[X]] : tensor<8xf32>)
  // CHECK: ^bb0(%[[OLD:.*]]: f32):
  // CHECK:   arith.select %{{.*}}, %{{.*}}, %[[OLD]] : f32
  %r = vector.transfer_write %a, %x[%c5] : vector<4xf32>, tensor<8xf32>
  return %r : tensor<8xf32>
}

// With a mask a promise is not believed; what numbers say is.
// CHECK-LABEL: func @masked
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[I:.*]]: index, %[[MASK:.*]]: tensor<4xi1>
func.func @masked(%x: tensor<8xf32>, %i: index, %mask: vector<4xi1>) -> (vector<4xf32>, vector<4xf32>) {
  %c4 = arith.constant 4 : index
  %pad = arith.constant 0.0 : f32
  // CHECK: linalg.generic
  // CHECK:   arith.cmpi ult
  // CHECK:   tensor.extract %[[MASK]]
  // CHECK:   tensor.extract %[[X]]
  %a = vector.transfer_read %x[%i], %pad, %mask {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  // CHECK: %[[B:.*]] = tensor.extract_slice %[[X]][4] [4] [1]
  // CHECK: linalg.generic {{.*}} ins(%[[MASK]], %[[B]] :
  %b = vector.mask %mask { vector.transfer_read %x[%c4], %pad : tensor<8xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  return %a, %b : vector<4xf32>, vector<4xf32>
}

// Permutations and repetitions; a dimension that the vector has not is one place.
// CHECK-LABEL: func @permuted
// CHECK-SAME:    %[[X:.*]]: tensor<8x4x2xf32>
func.func @permuted(%x: tensor<8x4x2xf32>) -> tensor<8x4x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  // CHECK: %[[A:.*]] = tensor.extract_slice %[[X]][0, 1, 0] [8, 1, 2] [1, 1, 1] : tensor<8x4x2xf32> to tensor<8x2xf32>
  // CHECK: %[[B:.*]] = linalg.generic {indexing_maps = [#[[COLUMNS]], {{.*}}ins(%[[A]] : tensor<8x2xf32>) outs(%{{.*}} : tensor<2x3x8xf32>)
  %a = vector.transfer_read %x[%c0, %c1, %c0], %pad {permutation_map = affine_map<(i, j, k) -> (k, 0, i)>, in_bounds = [true, true, true]}
      : tensor<8x4x2xf32>, vector<2x3x8xf32>
  // CHECK: %[[C:.*]] = tensor.extract_slice %[[B]][0, 2, 0] [2, 1, 8] [1, 1, 1]
  %b = vector.extract_strided_slice %a {offsets = [0, 2], sizes = [2, 1], strides = [1, 1]} : vector<2x3x8xf32> to vector<2x1x8xf32>
  // CHECK: %[[D:.*]] = tensor.{{collapse|expand}}_shape
  %c = vector.shape_cast %b : vector<2x1x8xf32> to vector<2x8xf32>
  // CHECK: %[[E:.*]] = linalg.generic {indexing_maps = [#[[TURNED]], {{.*}}outs(%{{.*}} : tensor<8x2xf32>)
  // CHECK: tensor.insert_slice %[[E]] into %[[X]][0, 0, 0] [8, 1, 2] [1, 1, 1] : tensor<8x2xf32> into tensor<8x4x2xf32>
  %r = vector.transfer_write %c, %x[%c0, %c0, %c0] {permutation_map = affine_map<(i, j, k) -> (k, i)>, in_bounds = [true, true]}
      : vector<2x8xf32>, tensor<8x4x2xf32>
  return %r : tensor<8x4x2xf32>
}

// A product is rounded before it is added, halves are extended first; what a mask leaves out keeps the sum.
// CHECK-LABEL: func @products
func.func @products(%a: vector<4x8xf16>, %b: vector<8xf16>, %c: vector<4xf32>, %mask: vector<4x8xi1>) -> vector<4xf32> {
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8xf16>, tensor<8xf16>, tensor<4x8xi1>) outs(%{{.*}} : tensor<4xf32>)
  // CHECK: ^bb0(%[[L:.*]]: f16, %[[R:.*]]: f16, %[[M:.*]]: i1, %[[O:.*]]: f32):
  // CHECK-DAG: %[[LW:.*]] = arith.extf %[[L]]
  // CHECK-DAG: %[[RW:.*]] = arith.extf %[[R]]
  // CHECK: %[[P:.*]] = arith.mulf %[[LW]], %[[RW]] : f32
  // CHECK: %[[S:.*]] = arith.addf %[[P]], %[[O]] : f32
  // CHECK: arith.select %[[M]], %[[S]], %[[O]] : f32
  %p = vector.mask %mask {
    vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
                     iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
        %a, %b, %c : vector<4x8xf16>, vector<8xf16> into vector<4xf32>
  } : vector<4x8xi1> -> vector<4xf32>
  return %p : vector<4xf32>
}

// A reduction without a start has its first element.
// CHECK-LABEL: func @reduced
// CHECK-SAME:    %[[V:.*]]: tensor<4xi32>
func.func @reduced(%v: vector<4xi32>) -> i32 {
  // CHECK-DAG: %[[FIRST:.*]] = tensor.extract %[[V]][%c0]
  // CHECK-DAG: %[[START:.*]] = tensor.from_elements %[[FIRST]] : tensor<i32>
  // CHECK-DAG: %[[REST:.*]] = tensor.extract_slice %[[V]][1] [3] [1]
  // CHECK: linalg.generic {{.*}} ins(%[[REST]] : tensor<3xi32>) outs(%[[START]] : tensor<i32>)
  // CHECK:   arith.maxsi
  %r = vector.reduction <maxsi>, %v : vector<4xi32> into i32
  return %r : i32
}

// Loops, branches and functions hand on tensors.
// CHECK-LABEL: func @carried
// CHECK-SAME:    (%{{.*}}: tensor<4xf32>, %{{.*}}: index, %{{.*}}: i1) -> tensor<4xf32>
func.func @carried(%v: vector<4xf32>, %n: index, %is: i1) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} -> (tensor<4xf32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> vector<4xf32> {
    // CHECK: scf.if %{{.*}} -> (tensor<4xf32>)
    %b = scf.if %is -> vector<4xf32> {
      // CHECK: func.call @called(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
      %c = func.call @called(%a) : (vector<4xf32>) -> vector<4xf32>
      scf.yield %c : vector<4xf32>
    } else {
      scf.yield %a : vector<4xf32>
    }
    scf.yield %b : vector<4xf32>
  }
  return %r : vector<4xf32>
}
// CHECK: func private @called(tensor<4xf32>) -> tensor<4xf32>
func.func private @called(vector<4xf32>) -> vector<4xf32>

// Near misses: tensors and buffers without vectors.
// CHECK-LABEL: func @others
func.func @others(%x: tensor<4xf32>, %m: memref<4xf32>, %i: index) -> tensor<4xf32> {
  // CHECK: memref.load %{{.*}} : memref<4xf32>
  %v = memref.load %m[%i] : memref<4xf32>
  // CHECK: tensor.insert %{{.*}} into %{{.*}} : tensor<4xf32>
  %r = tensor.insert %v into %x[%i] : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A resource is the tensor's; a near miss is a constant that lists only some numbers.
// CHECK-LABEL: func @resource
func.func @resource() -> vector<2xi32> {
  // CHECK: arith.constant dense_resource<numbers> : tensor<2xi32>
  %a = arith.constant dense_resource<numbers> : vector<2xi32>
  return %a : vector<2xi32>
}
{-# dialect_resources: { builtin: { numbers: "0x040000000300000003000000" } } #-}

// -----

func.func @sparse() -> vector<2xi32> {
  // expected-error @below {{expected a constant of a vector to be 'dense' or 'dense_resource', but got another; write it on tensors}}
  %a = arith.constant sparse<[[1]], [3]> : vector<2xi32>
  return %a : vector<2xi32>
}

// -----

// A mask of one element for a vector of no dimensions, or one that only repeats.
// CHECK-LABEL: func @one_place
// CHECK-SAME:    %[[V:.*]]: tensor<f32>, %[[X:.*]]: tensor<8xf32>, %[[MASK:.*]]: tensor<1xi1>, %{{.*}}: index, %[[PAD:.*]]: f32
func.func @one_place(%v: vector<f32>, %x: tensor<8xf32>, %mask: vector<1xi1>, %i: index, %pad: f32) -> (vector<f32>, vector<4xf32>, tensor<8xf32>) {
  // CHECK: %[[ONE:.*]] = tensor.collapse_shape %[[MASK]] [] : tensor<1xi1> into tensor<i1>
  // CHECK: linalg.generic {{.*}} ins(%[[ONE]], %{{.*}} : tensor<i1>, tensor<f32>)
  // CHECK: arith.select %{{.*}}, %{{.*}}, %[[PAD]]
  %a = vector.transfer_read %x[%i], %pad, %mask : tensor<8xf32>, vector<f32>
  // CHECK: %[[TWO:.*]] = tensor.collapse_shape %[[MASK]] []
  // CHECK: linalg.generic {{.*}} ins(%[[TWO]], %{{.*}} : tensor<i1>, tensor<f32>)
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<4xf32>)
  %b = vector.transfer_read %x[%i], %pad, %mask {in_bounds = [true], permutation_map = affine_map<(i) -> (0)>} : tensor<8xf32>, vector<4xf32>
  // CHECK: %[[THREE:.*]] = tensor.collapse_shape %[[MASK]] []
  // CHECK: tensor.extract %[[THREE]][] : tensor<i1>
  // CHECK: tensor.extract %[[V]][] : tensor<f32>
  %c = vector.transfer_write %v, %x[%i], %mask : vector<f32>, tensor<8xf32>
  return %a, %b, %c : vector<f32>, vector<4xf32>, tensor<8xf32>
}

// -----

// Numbers are believed before promises: in front of the tensor, and so far behind it that an end has no number. A near miss ends with the tensor.
// CHECK-LABEL: func @elsewhere
func.func @elsewhere(%x: tensor<8xf32>, %pad: f32) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %front = arith.constant -2 : index
  %far = arith.constant 9223372036854775807 : index
  %last = arith.constant 4 : index
  // CHECK-COUNT-2: linalg.generic
  // CHECK: tensor.extract_slice %{{.*}}[4] [4] [1]
  %a = vector.transfer_read %x[%front], %pad {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  %b = vector.transfer_read %x[%far], %pad : tensor<8xf32>, vector<4xf32>
  %c = vector.transfer_read %x[%last], %pad : tensor<8xf32>, vector<4xf32>
  return %a, %b, %c : vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// -----

func.func @one_in_front(%x: tensor<8x4xf32>, %pad: f32, %i: index) -> vector<4xf32> {
  %front = arith.constant -2 : index
  // expected-error @below {{expected a place in the tensor where the vector has no extent, but got -2 in dimension 0; write it on tensors}}
  %a = vector.transfer_read %x[%front, %i], %pad : tensor<8x4xf32>, vector<4xf32>
  return %a : vector<4xf32>
}

// -----

// What a mask leaves out of a product keeps what it is added to. Without that there is nothing for it.
// CHECK-LABEL: func @masked_outer
// CHECK-SAME:    %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<2x4xf32>, %[[MASK:.*]]: tensor<2x4xi1>
func.func @masked_outer(%a: vector<2xf32>, %b: vector<4xf32>, %c: vector<2x4xf32>, %mask: vector<2x4xi1>) -> vector<2x4xf32> {
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]], %[[MASK]], %[[C]] :
  // CHECK: ^{{.*}}(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[IS:.*]]: i1, %[[Z:.*]]: f32, %{{.*}}: f32):
  // CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[Y]]
  // CHECK: %[[S:.*]] = arith.addf %[[P]], %[[Z]]
  // CHECK: arith.select %[[IS]], %[[S]], %[[Z]]
  %r = vector.mask %mask { vector.outerproduct %a, %b, %c {kind = #vector.kind<add>} : vector<2xf32>, vector<4xf32> } : vector<2x4xi1> -> vector<2x4xf32>
  return %r : vector<2x4xf32>
}

// -----

func.func @masked_product(%a: vector<2xf32>, %b: vector<4xf32>, %mask: vector<2x4xi1>) -> vector<2x4xf32> {
  // expected-error @below {{but got 'vector.outerproduct' with a mask; write it}}
  %r = vector.mask %mask { vector.outerproduct %a, %b {kind = #vector.kind<add>} : vector<2xf32>, vector<4xf32> } : vector<2x4xi1> -> vector<2x4xf32>
  return %r : vector<2x4xf32>
}

// -----

func.func @interleave(%v: vector<4xf32>) -> vector<8xf32> {
  // expected-error @below {{expected an operation on vectors that can be one on tensors, but got 'vector.interleave'; write it on tensors, as 'linalg.generic', or run the step on the host}}
  %r = vector.interleave %v, %v : vector<4xf32> -> vector<8xf32>
  return %r : vector<8xf32>
}

// -----

// Of more than one dimension, of another width, and of a mask where none is taken.
func.func @others(%v: vector<4x2xf32>, %w: vector<4xf32>, %mask: vector<4xi1>) -> (vector<3x2xf32>, vector<8xf16>, f32) {
  // expected-error @below {{but got 'vector.shuffle'; write it}}
  %a = vector.shuffle %v, %v [0, 5, 1] : vector<4x2xf32>, vector<4x2xf32>
  // expected-error @below {{but got 'vector.bitcast'; write it}}
  %b = vector.bitcast %w : vector<4xf32> to vector<8xf16>
  // expected-error @below {{but got 'vector.reduction' with a mask; write it}}
  %c = vector.mask %mask { vector.reduction <add>, %w : vector<4xf32> into f32 } : vector<4xi1> -> f32
  return %a, %b, %c : vector<3x2xf32>, vector<8xf16>, f32
}

// -----

func.func @passthru(%x: tensor<8xf32>, %old: vector<4xf32>, %mask: vector<4xi1>, %i: index, %pad: f32) -> vector<4xf32> {
  // expected-error @below {{expected a mask around an operation, without a 'passthru'; write it on tensors}}
  %a = vector.mask %mask, %old { vector.transfer_read %x[%i], %pad : tensor<8xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  return %a : vector<4xf32>
}

// -----

// expected-error @below {{expected vectors of known extents, but got vector<[4]xf32>; write it on tensors}}
func.func @scalable(%v: vector<[4]xf32>) -> vector<[4]xf32> {
  // expected-error @below {{expected vectors of known extents, but got vector<[4]xf32>; write it on tensors}}
  %r = arith.addf %v, %v : vector<[4]xf32>
  // expected-error @below {{expected vectors of known extents, but got vector<[4]xf32>; write it on tensors}}
  return %r : vector<[4]xf32>
}

// -----

func.func @buffer(%m: memref<8xf32>, %i: index, %pad: f32) -> vector<4xf32> {
  // expected-error @below {{expected a transfer from or to a tensor, but got memref<8xf32>; write it on tensors}}
  %r = vector.transfer_read %m[%i], %pad : memref<8xf32>, vector<4xf32>
  return %r : vector<4xf32>
}

// -----

// expected-error @below {{expected vectors that are no elements, but got tensor<8xvector<4xf32>>; write it on tensors}}
func.func @elements(%t: tensor<8xvector<4xf32>>, %i: index) -> tensor<8xvector<4xf32>> {
  // expected-error @below {{expected vectors that are no elements, but got tensor<8xvector<4xf32>>; write it on tensors}}
  %x = tensor.extract %t[%i] : tensor<8xvector<4xf32>>
  // expected-error @below {{expected vectors that are no elements, but got tensor<8xvector<4xf32>>; write it on tensors}}
  %r = tensor.insert %x into %t[%i] : tensor<8xvector<4xf32>>
  // expected-error @below {{expected vectors that are no elements, but got tensor<8xvector<4xf32>>; write it on tensors}}
  return %r : tensor<8xvector<4xf32>>
}

// -----

// Nothing reads them. A near miss has an extent.
// expected-error @below {{expected vectors of known extents, but got vector<[4]xf32>; write it on tensors}}
func.func @unread(%x: vector<[4]xf32>) {
  return
}
// expected-error @below {{expected vectors that are no elements, but got tensor<2xvector<4xf32>>; write it on tensors}}
func.func @unread_elements(%x: tensor<2xvector<4xf32>>, %y: vector<4xf32>) {
  return
}
func.func @read_by_nobody(%y: vector<4xf32>) {
  return
}
