// RUN: amp-opt %s --amp-expand-masks | FileCheck %s

// What changes no result, for each kind. Sums of -0 stay -0; minnumf prefers whatever is a number.
// CHECK-LABEL: func @floats
// CHECK-DAG:   arith.constant dense<-0.000000e+00> : vector<4x1xf32>
// CHECK-DAG:   arith.constant dense<1.000000e+00> : vector<4x1xf32>
// CHECK-DAG:   arith.constant dense<0x7F800000> : vector<4x1xf32>
// CHECK-DAG:   arith.constant dense<0xFF800000> : vector<4x1xf32>
// CHECK-DAG:   arith.constant dense<0x7FC00000> : vector<4x1xf32>
// CHECK-NOT:   vector.mask
// CHECK:       return
func.func @floats(%m: vector<4x1xi1>, %v: vector<4x1xf32>, %acc: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %0 = vector.mask %m { vector.multi_reduction <add>, %v, %acc [1] : vector<4x1xf32> to vector<4xf32> } : vector<4x1xi1> -> vector<4xf32>
  %1 = vector.mask %m { vector.multi_reduction <mul>, %v, %acc [1] : vector<4x1xf32> to vector<4xf32> } : vector<4x1xi1> -> vector<4xf32>
  %2 = vector.mask %m { vector.multi_reduction <minimumf>, %v, %acc [1] : vector<4x1xf32> to vector<4xf32> } : vector<4x1xi1> -> vector<4xf32>
  %3 = vector.mask %m { vector.multi_reduction <maximumf>, %v, %acc [1] : vector<4x1xf32> to vector<4xf32> } : vector<4x1xi1> -> vector<4xf32>
  %4 = vector.mask %m { vector.multi_reduction <minnumf>, %v, %acc [1] : vector<4x1xf32> to vector<4xf32> } : vector<4x1xi1> -> vector<4xf32>
  return %0, %1, %2, %3, %4 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// CHECK-LABEL: func @integers
// CHECK-DAG:   arith.constant dense<0> : vector<2x2xi8>
// CHECK-DAG:   arith.constant dense<-1> : vector<2x2xi8>
// CHECK-DAG:   arith.constant dense<127> : vector<2x2xi8>
// CHECK-DAG:   arith.constant dense<-128> : vector<2x2xi8>
// CHECK-NOT:   vector.mask
// CHECK:       return
func.func @integers(%m: vector<2x2xi1>, %v: vector<2x2xi8>, %acc: vector<2xi8>) -> (vector<2xi8>, vector<2xi8>, vector<2xi8>, vector<2xi8>) {
  %0 = vector.mask %m { vector.multi_reduction <xor>, %v, %acc [0] : vector<2x2xi8> to vector<2xi8> } : vector<2x2xi1> -> vector<2xi8>
  %1 = vector.mask %m { vector.multi_reduction <minui>, %v, %acc [0] : vector<2x2xi8> to vector<2xi8> } : vector<2x2xi1> -> vector<2xi8>
  %2 = vector.mask %m { vector.multi_reduction <minsi>, %v, %acc [0] : vector<2x2xi8> to vector<2xi8> } : vector<2x2xi1> -> vector<2xi8>
  %3 = vector.mask %m { vector.multi_reduction <maxsi>, %v, %acc [0] : vector<2x2xi8> to vector<2xi8> } : vector<2x2xi1> -> vector<2xi8>
  return %0, %1, %2, %3 : vector<2xi8>, vector<2xi8>, vector<2xi8>, vector<2xi8>
}

// Near miss: a reduction of one vector to a number, which upstream lowers as it is.
// CHECK-LABEL: func @one
// CHECK:       vector.mask
func.func @one(%m: vector<4xi1>, %v: vector<4xf32>, %acc: f32) -> f32 {
  %0 = vector.mask %m { vector.reduction <add>, %v, %acc : vector<4xf32> into f32 } : vector<4xi1> -> f32
  return %0 : f32
}

// Masks of transfers are their operands; that one which writes the whole of a tensor has a mask is not forgotten.
// CHECK-LABEL: func @transfers
// CHECK:       %[[R:.*]] = vector.transfer_read %{{.*}}, %{{.*}}, %[[M:.*]] : tensor<4xf32>, vector<4xf32>
// CHECK:       vector.transfer_write %[[R]], %{{.*}}, %[[M]] {{.*}}: vector<4xf32>, tensor<4xf32>
func.func @transfers(%m: vector<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.mask %m { vector.transfer_read %x[%c0], %zero : tensor<4xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  %w = vector.mask %m { vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32> } : vector<4xi1> -> tensor<4xf32>
  return %w : tensor<4xf32>
}
