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
  // CHECK: %[[E:.*]] = tensor.extract %arg0[] : tensor<f32>
  // CHECK: %[[H:.*]] = arith.addf %[[E]], %[[E]]
  // CHECK: call @tell(%[[H]])
  // CHECK: return %[[T]]
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

// An element of several, whose place the host knows, is a slice; and a tensor filled with a number reads its memory.
// CHECK-LABEL: func.func @one_of_several
// CHECK-SAME:    (%[[A:.*]]: tensor<3xf32>, %[[I:.*]]: index)
// CHECK:         %[[S:.*]] = tensor.extract_slice %[[A]][%[[I]]] [1] [1] : tensor<3xf32> to tensor<f32>
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<f32>)
// CHECK:           arith.addf
// CHECK-NOT:     tensor.splat
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[T]] : tensor<f32>)
// CHECK:         return %[[R]]
func.func @one_of_several(%a: tensor<3xf32>, %i: index) -> tensor<4xf32> {
  %0 = tensor.extract %a[%i] : tensor<3xf32>
  %1 = arith.addf %0, %0 : f32
  %2 = tensor.splat %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// One that is put somewhere is inserted as a slice.
// CHECK-LABEL: func.func @put
// CHECK-SAME:    (%[[A:.*]]: tensor<3xf32>)
// CHECK:         %[[S:.*]] = tensor.extract_slice %[[A]][2] [1] [1]
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<f32>)
// CHECK:         %[[R:.*]] = tensor.insert_slice %[[T]] into %[[A]][0] [1] [1] : tensor<f32> into tensor<3xf32>
// CHECK:         return %[[R]]
func.func @put(%a: tensor<3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %0 = tensor.extract %a[%c2] : tensor<3xf32>
  %1 = math.exp %0 : f32
  %2 = tensor.insert %1 into %a[%c0] : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// Near misses: one that only the host wants, in an unknown extent, and in a loop on elements, which is one kernel.
// CHECK-LABEL: func.func @left
// CHECK-NOT:     slice
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @left(%a: tensor<3xf32>, %b: tensor<?xf32>, %n: index) -> (tensor<3xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %a[%c1] : tensor<3xf32>
  func.call @tell(%0) : (f32) -> ()
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %a) -> tensor<3xf32> {
    %v = tensor.extract %c[%c0] : tensor<3xf32>
    %w = arith.addf %v, %v : f32
    %p = tensor.insert %w into %c[%i] : tensor<3xf32>
    scf.yield %p : tensor<3xf32>
  }
  %2 = tensor.extract %b[%c0] : tensor<?xf32>
  %3 = tensor.splat %2 : tensor<4xf32>
  return %1, %3 : tensor<3xf32>, tensor<4xf32>
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
  // CHECK: return %[[T]], %[[U]]
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
  // CHECK: return
  %two = arith.constant 2.0 : f32
  %a = arith.negf %x : tensor<f32>
  %b = arith.addf %y, %y : tensor<4xf32>
  %0 = tensor.extract %a[] : tensor<f32>
  %1 = arith.mulf %0, %two : f32
  %2 = tensor.splat %1 : tensor<4xf32>
  return %b, %2 : tensor<4xf32>, tensor<4xf32>
}

// An element at a label, however it is known, is none of a slice, whose place the host would have to read, and is put there as
// it is; one at a loop's index is a slice, as that is known.
// CHECK-LABEL: func.func @at_label
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[LABEL:.*]]: tensor<i32>
func.func @at_label(%x: tensor<8xf32>, %label: tensor<i32>, %n: index) -> tensor<8xf32> {
  // CHECK: %[[I:.*]] = arith.index_cast
  // CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%[[T:.*]] = %[[X]], %[[P:.*]] = %[[I]])
  // CHECK-NEXT: %[[E:.*]] = tensor.extract %[[T]][%[[P]]]
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[T]][%[[J]]]
  // CHECK-NEXT: %[[F:.*]] = tensor.extract %[[S]][]
  // CHECK: linalg.map
  // CHECK: arith.addf %[[E]], %[[F]]
  // CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[P]]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %l = tensor.extract %label[] : tensor<i32>
  %i = arith.index_cast %l : i32 to index
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%t = %x, %p = %i) -> (tensor<8xf32>, index) {
    %a = tensor.extract %t[%p] : tensor<8xf32>
    %b = tensor.extract %t[%j] : tensor<8xf32>
    %u = linalg.map ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) (%in: f32, %out: f32) {
      %s = arith.addf %a, %b : f32
      %m = arith.mulf %in, %s : f32
      linalg.yield %m : f32
    }
    %v = tensor.insert %b into %u[%p] : tensor<8xf32>
    %q = arith.addi %p, %c1 : index
    scf.yield %v, %q : tensor<8xf32>, index
  }
  return %r#0 : tensor<8xf32>
}

// -----

// Left alone: numbers of a block that nothing reaches, which are computed from themselves.
// CHECK-LABEL: func @never(
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.fill
func.func @never(%t: tensor<f32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  return %d : tensor<8xf32>
^never:
  %e = tensor.extract %t[] : tensor<f32>
  %a = arith.addf %e, %b : f32
  %b = arith.addf %a, %a : f32
  %r = linalg.fill ins(%b : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  cf.br ^never
}
