// RUN: amp-opt %s --amp-insert-casts | FileCheck %s

// How the results of promote and follow are stored, what returns hand out, and what is
// never touched.

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

//===----------------------------------------------------------------------===//
// Promote: the widest operand
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @half_with_half
func.func @half_with_half(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[S:.*]] = arith.addf
  // CHECK: %[[H:.*]] = amp.cast %[[S]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: return %[[W]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = math.absf %0 {amp.class = #amp.class<follow, unit = 1>} : tensor<4xf32>
  %2 = arith.addf %0, %1 {amp.class = #amp.class<promote, unit = 2>} : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @half_with_f32
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @half_with_f32(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[H:.*]] = amp.cast %{{.*}} : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK: %[[TH:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[TW:.*]] = amp.cast %[[TH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: %[[S:.*]] = arith.addf %[[TW]], %[[X]]
  // CHECK-NEXT: return %[[S]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = arith.addf %0, %x {amp.class = #amp.class<promote, unit = 1>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A constant has any type: half plus one is half.
// CHECK-LABEL: func.func @half_with_constant
func.func @half_with_constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[S:.*]] = arith.addf
  // CHECK: amp.cast %[[S]] : tensor<4xf32> to tensor<4xf16>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = arith.addf %0, %one {amp.class = #amp.class<promote, unit = 1>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// As in torch, a rank-0 tensor yields to one with dimensions.
// CHECK-LABEL: func.func @half_with_f32_scalar
func.func @half_with_f32_scalar(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  // CHECK: %[[S:.*]] = linalg.generic
  // CHECK: amp.cast %[[S]] : tensor<4xf32> to tensor<4xf16>
  %e = tensor.empty() : tensor<4xf32>
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      ins(%0, %s : tensor<4xf32>, tensor<f32>) outs(%e : tensor<4xf32>)
      attrs = {amp.class = #amp.class<promote, unit = 1>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Near miss: between rank-0 tensors the wider one wins.
// CHECK-LABEL: func.func @scalars_among_themselves
func.func @scalars_among_themselves(%x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
  // CHECK: %[[S:.*]] = arith.mulf
  // CHECK-NEXT: return %[[S]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<f32>
  %1 = arith.mulf %0, %s {amp.class = #amp.class<promote, unit = 1>} : tensor<f32>
  return %1 : tensor<f32>
}

//===----------------------------------------------------------------------===//
// Follow: the type of the activations
//===----------------------------------------------------------------------===//

// Batch norm at O1: half activations, f32 weights, half result; weights unrounded.
// CHECK-LABEL: func.func @follow_ignores_parameters
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {amp.name = "bn.weight", amp.role = "param"}
func.func @follow_ignores_parameters(
    %x: tensor<4xf32>, %w: tensor<4xf32> {amp.role = "param", amp.name = "bn.weight"}) -> tensor<4xf32> {
  // CHECK-NOT: amp.cast %[[W]]
  // CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %[[W]]
  // CHECK: amp.cast %[[S]] : tensor<4xf32> to tensor<4xf16>
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = arith.mulf %0, %w {amp.class = #amp.class<follow, unit = 1>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Near miss: promote does not.
// CHECK-LABEL: func.func @promote_counts_parameters
func.func @promote_counts_parameters(
    %x: tensor<4xf32>, %w: tensor<4xf32> {amp.role = "param", amp.name = "w"}) -> tensor<4xf32> {
  // CHECK: %[[S:.*]] = arith.mulf
  // CHECK-NEXT: return %[[S]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = arith.mulf %0, %w {amp.class = #amp.class<promote, unit = 1>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Near miss: parameters alone are what there is to follow.
// CHECK-LABEL: func.func @follow_parameters_alone
// CHECK-NOT: amp.cast
// CHECK: return
func.func @follow_parameters_alone(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}) -> tensor<4xf32> {
  %0 = math.absf %w {amp.class = #amp.class<follow, unit = 0>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A choice between f32 and half is f32, and a comparison reads what is stored.
// CHECK-LABEL: func.func @follow_takes_the_wider_activation
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @follow_takes_the_wider_activation(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK: %[[TH:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[TW:.*]] = amp.cast %[[TH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: arith.cmpf ogt, %[[TW]], %[[X]]
  // CHECK: %[[M:.*]] = arith.maximumf %[[TW]], %[[X]]
  // CHECK-NEXT: return %[[M]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = arith.cmpf ogt, %0, %x {amp.class = #amp.class<follow, unit = 1>} : tensor<4xf32>
  %2 = arith.maximumf %0, %x {amp.class = #amp.class<follow, unit = 2>} : tensor<4xf32>
  return %2, %1 : tensor<4xf32>, tensor<4xi1>
}

//===----------------------------------------------------------------------===//
// High
//===----------------------------------------------------------------------===//

// FP32 operands are read as they are, half ones widened; the result is not rounded.
// CHECK-LABEL: func.func @high
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @high(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK: %[[TH:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[TW:.*]] = amp.cast %[[TH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: %[[E:.*]] = math.exp %[[TW]]
  // CHECK: %[[F:.*]] = math.exp %[[X]]
  // CHECK: return %[[E]], %[[F]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = math.exp %0 {amp.class = #amp.class<high, unit = 1>} : tensor<4xf32>
  %2 = math.exp %x {amp.class = #amp.class<high, unit = 2>} : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Returns
//===----------------------------------------------------------------------===//

// New running statistics and gradients of f32 weights leave a batch norm as it
// computed them: they were never half.
// CHECK-LABEL: func.func @buffers_and_gradients_unrounded
func.func @buffers_and_gradients_unrounded(%x: tensor<4xf32>)
    -> (tensor<4xf32> {amp.role = "buffer", amp.name = "mean"},
        tensor<4xf32> {amp.role = "grad", amp.name = "w"},
        tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: %[[N:.*]] = math.absf
  // CHECK: %[[H:.*]] = amp.cast %[[N]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: return %[[N]], %[[N]], %[[W]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = math.absf %0 {amp.class = #amp.class<follow, unit = 1>} : tensor<4xf32>
  return %1, %1, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Near miss: a low unit has rounded its gradient.
// CHECK-LABEL: func.func @gradient_of_low_unit
func.func @gradient_of_low_unit(%x: tensor<4xf32>) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  // CHECK: %[[N:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[N]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: return %[[W]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Left alone
//===----------------------------------------------------------------------===//

// f64, f16 and integers that the program had before.
// CHECK-LABEL: func.func @other_types
// CHECK-NOT: amp.cast
// CHECK: return
func.func @other_types(%d: tensor<4xf64>, %h: tensor<4xf16>, %i: tensor<4xi32>)
    -> (tensor<4xf64>, tensor<4xf16>, tensor<4xi32>) {
  %0 = math.exp %d : tensor<4xf64>
  %1 = arith.addf %h, %h : tensor<4xf16>
  %2 = arith.addi %i, %i : tensor<4xi32>
  return %0, %1, %2 : tensor<4xf64>, tensor<4xf16>, tensor<4xi32>
}

// Scalars are no tensors.
// CHECK-LABEL: func.func @scalars
// CHECK-NOT: amp.cast
// CHECK: return
func.func @scalars(%a: f32, %b: f32) -> f32 {
  %0 = arith.mulf %a, %b : f32
  return %0 : f32
}

// A shape has no precision: no cast for the sake of tensor.dim.
// CHECK-LABEL: func.func @shape_of_half_value
func.func @shape_of_half_value(%x: tensor<?xf32>) -> index {
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK-NOT: amp.cast %[[T]]
  // CHECK: tensor.dim %[[T]],
  %c = arith.constant 0 : index
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<?xf32>
  %1 = tensor.dim %0, %c : tensor<?xf32>
  return %1 : index
}

// Dynamic shapes are cast as others are.
// CHECK-LABEL: func.func @dynamic_shape
func.func @dynamic_shape(%a: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  // CHECK: %[[H:.*]] = amp.cast %{{.*}} : tensor<?x?xf32> to tensor<?x?xf16>
  // CHECK: linalg.matmul {{.*}} ins(%[[H]], %[[H]] : tensor<?x?xf16>, tensor<?x?xf16>) outs(%{{.*}} : tensor<?x?xf32>)
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
      ins(%a, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A declaration is left alone.
// CHECK: func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>

} // module
