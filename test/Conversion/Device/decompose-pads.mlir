// RUN: amp-opt %s --amp-cut-negative-pads --amp-decompose-pads | FileCheck %s

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

// Nothing is inserted nowhere: parts of no elements go, and a pad of no elements is a fill.
// CHECK-LABEL: func @nothing
// CHECK-NOT:   tensor.insert_slice %arg1
// CHECK:       %[[ALL:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0] [4, 3] [1, 1]
// CHECK:       %[[FILL:.*]] = linalg.fill
// CHECK-NOT:   tensor.insert_slice
// CHECK:       %[[EMPTY:.*]] = tensor.empty() : tensor<0x5xf32>
// CHECK:       return %[[ALL]], %[[FILL]], %[[EMPTY]]
func.func @nothing(%x: tensor<4x3xf32>, %none: tensor<0x3xf32>, %more: tensor<0x2xf32>)
    -> (tensor<4x3xf32>, tensor<2x4xf32>, tensor<0x5xf32>) {
  %c = arith.constant 7.0 : f32
  %0 = tensor.concat dim(0) %x, %none : (tensor<4x3xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  %1 = tensor.pad %none low[0, 1] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<0x3xf32> to tensor<2x4xf32>
  %2 = tensor.concat dim(1) %none, %more : (tensor<0x3xf32>, tensor<0x2xf32>) -> tensor<0x5xf32>
  return %0, %1, %2 : tensor<4x3xf32>, tensor<2x4xf32>, tensor<0x5xf32>
}

// A pad of less than nothing cuts: rows from the second on, and a column more.
// CHECK-LABEL: func @cut
// CHECK:       %[[PART:.*]] = tensor.extract_slice %arg0[1, 0] [2, 8] [1, 1]
// CHECK:       %[[FILL:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<2x9xf32>)
// CHECK:       tensor.insert_slice %[[PART]] into %[[FILL]][0, 0] [2, 8] [1, 1]
func.func @cut(%x: tensor<4x8xf32>) -> tensor<2x9xf32> {
  %c = arith.constant 7.0 : f32
  %0 = tensor.pad %x low[-1, 0] high[-1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<4x8xf32> to tensor<2x9xf32>
  return %0 : tensor<2x9xf32>
}
