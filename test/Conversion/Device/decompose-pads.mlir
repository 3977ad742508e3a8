// RUN: amp-opt %s --amp-decompose-pads | FileCheck %s

// CHECK-LABEL: func @pad
// CHECK-NOT:   tensor.pad
// CHECK:       %[[FILL:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<2x9xf32>)
// CHECK:       tensor.insert_slice %{{.*}} into %[[FILL]][0, 1] [2, 4] [1, 1]
func.func @pad(%x: tensor<2x4xf32>) -> tensor<2x9xf32> {
  %c = arith.constant 7.0 : f32
  %0 = tensor.pad %x low[0, 1] high[0, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<2x4xf32> to tensor<2x9xf32>
  return %0 : tensor<2x9xf32>
}

// CHECK-LABEL: func @concat
// CHECK-NOT:   tensor.concat
// CHECK:       tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [2, 4] [1, 1]
// CHECK:       tensor.insert_slice %{{.*}} into %{{.*}}[0, 4] [2, 1] [1, 1]
func.func @concat(%x: tensor<2x4xf32>, %y: tensor<2x1xf32>) -> tensor<2x5xf32> {
  %0 = tensor.concat dim(1) %x, %y : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// What is padded with its own index is computed: it is no fill.
// CHECK-LABEL: func @computed
// CHECK:       tensor.generate
func.func @computed(%x: tensor<4xindex>) -> tensor<6xindex> {
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4xindex> to tensor<6xindex>
  return %0 : tensor<6xindex>
}
