// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-numbers-to-tensors))" | FileCheck %s

func.func private @tell(f32)

// What a body uses is computed from the tensors, with its constants; the other number of the
// function is a number still.
// CHECK-LABEL: func.func @captured
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<1x1xf32>, %[[N:.*]]: f32
func.func @captured(%x: tensor<4xf32>, %a: tensor<f32>, %b: tensor<1x1xf32>, %n: f32) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = linalg.generic
  // CHECK-SAME: iterator_types = []}
  // CHECK-SAME: ins(%[[A]], %[[B]] : tensor<f32>, tensor<1x1xf32>)
  // CHECK-NEXT: ^bb0(%[[AE:.*]]: f32, %[[BE:.*]]: f32, %{{.*}}: f32)
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2.0
  // CHECK-DAG: %[[P:.*]] = arith.mulf %[[AE]], %[[TWO]]
  // CHECK: %[[Q:.*]] = arith.addf %[[P]], %[[BE]]
  // CHECK: %[[R:.*]] = arith.divf %[[Q]], %[[N]]
  // CHECK: linalg.yield %[[R]]
  // CHECK: %[[S:.*]] = tensor.extract %[[T]][]
  // CHECK: linalg.generic
  // CHECK: arith.mulf %{{.*}}, %[[S]]
  %two = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %a[] : tensor<f32>
  %1 = tensor.extract %b[%c0, %c0] : tensor<1x1xf32>
  %2 = arith.mulf %0, %two : f32
  %3 = arith.addf %2, %1 : f32
  %4 = arith.divf %3, %n : f32
  %e = tensor.empty() : tensor<4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %6 = arith.mulf %in, %4 : f32
    linalg.yield %6 : f32
  } -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// A condition with results, which amp-flatten-conditionals takes as an element of a tensor.
// CHECK-LABEL: func.func @condition
func.func @condition(%a: tensor<i1>, %b: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = linalg.generic
  // CHECK: arith.ori
  // CHECK: %[[C:.*]] = tensor.extract %[[T]][] : tensor<i1>
  // CHECK: scf.if %[[C]]
  %0 = tensor.extract %a[] : tensor<i1>
  %1 = tensor.extract %b[] : tensor<i1>
  %2 = arith.ori %0, %1 : i1
  %3 = scf.if %2 -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %3 : tensor<4xf32>
}

// A number that both want: the host goes on with its own.
// CHECK-LABEL: func.func @both
func.func @both(%a: tensor<f32>) -> tensor<f32> {
  // CHECK: %[[T:.*]] = linalg.generic
  // CHECK: %[[D:.*]] = tensor.extract %[[T]][] : tensor<f32>
  // CHECK: %[[E:.*]] = tensor.extract %arg0[] : tensor<f32>
  // CHECK: %[[H:.*]] = arith.addf %[[E]], %[[E]]
  // CHECK: call @tell(%[[H]])
  // CHECK: tensor.from_elements %[[D]] : tensor<f32>
  %0 = tensor.extract %a[] : tensor<f32>
  %1 = arith.addf %0, %0 : f32
  call @tell(%1) : (f32) -> ()
  %2 = tensor.from_elements %1 : tensor<f32>
  return %2 : tensor<f32>
}

// Near misses: only the host wants it; only the host knows it; one element of several.
// CHECK-LABEL: func.func @for_the_host
// CHECK-NOT: linalg.generic
func.func @for_the_host(%a: tensor<f32>, %b: tensor<i1>) {
  %true = arith.constant true
  %0 = tensor.extract %a[] : tensor<f32>
  %1 = arith.addf %0, %0 : f32
  call @tell(%1) : (f32) -> ()
  %2 = tensor.extract %b[] : tensor<i1>
  %3 = arith.xori %2, %true : i1
  cf.assert %3, "text"
  scf.if %3 {
    func.call @tell(%1) : (f32) -> ()
  }
  return
}
// CHECK-LABEL: func.func @of_the_host
// CHECK-NOT: linalg.generic
func.func @of_the_host(%n: f32) -> tensor<4xf32> {
  %0 = arith.addf %n, %n : f32
  %1 = tensor.splat %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @one_of_several
// CHECK-NOT: linalg.generic
func.func @one_of_several(%a: tensor<3xf32>, %i: index) -> tensor<4xf32> {
  %0 = tensor.extract %a[%i] : tensor<3xf32>
  %1 = arith.addf %0, %0 : f32
  %2 = tensor.splat %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A division by what may be 0 is not moved.
// CHECK-LABEL: func.func @division
// CHECK-NOT: linalg.generic
func.func @division(%a: tensor<i32>, %b: tensor<i32>) -> tensor<4xi32> {
  %0 = tensor.extract %a[] : tensor<i32>
  %1 = tensor.extract %b[] : tensor<i32>
  %2 = arith.divsi %0, %1 : i32
  %3 = tensor.splat %2 : tensor<4xi32>
  return %3 : tensor<4xi32>
}

// A number that is computed from another one reads it from memory: the text does not grow with
// the square.
// CHECK-LABEL: func.func @chain
func.func @chain(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: %[[T:.*]] = linalg.generic
  // CHECK: arith.addf
  // CHECK: %[[U:.*]] = linalg.generic {{.*}} ins(%[[T]] : tensor<f32>)
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: linalg.yield
  // CHECK: tensor.extract %[[U]]
  // CHECK: return
  %0 = tensor.extract %a[] : tensor<f32>
  %1 = arith.addf %0, %0 : f32
  %2 = tensor.from_elements %1 : tensor<f32>
  %3 = arith.mulf %1, %1 : f32
  %4 = tensor.from_elements %3 : tensor<f32>
  return %2, %4 : tensor<f32>, tensor<f32>
}

// As early as what it starts from is there, whoever reads it: here between the two operations.
// CHECK-LABEL: func.func @early
func.func @early(%x: tensor<f32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = arith.negf %{{.*}} : tensor<f32>
  // CHECK-NEXT: tensor.empty
  // CHECK-NEXT: linalg.generic {{.*}} ins(%[[A]] : tensor<f32>)
  // CHECK: arith.addf %{{.*}} : tensor<4xf32>
  // CHECK: tensor.splat
  %two = arith.constant 2.0 : f32
  %a = arith.negf %x : tensor<f32>
  %b = arith.addf %y, %y : tensor<4xf32>
  %0 = tensor.extract %a[] : tensor<f32>
  %1 = arith.mulf %0, %two : f32
  %2 = tensor.splat %1 : tensor<4xf32>
  return %b, %2 : tensor<4xf32>, tensor<4xf32>
}
