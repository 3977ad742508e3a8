// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-separate-fills{constants}))" | FileCheck %s
// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,amp-separate-fills{constants}))" \
// RUN:   | FileCheck %s --check-prefix=GENERIC

// Two sums and a reader: three fills, of which each sum has one.
// CHECK-LABEL: func.func @sums
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: %[[FIRST:.*]] = linalg.fill
// CHECK-NEXT: linalg.reduce {{.*}} outs(%[[FIRST]] :
// CHECK: %[[SECOND:.*]] = linalg.fill
// CHECK-NEXT: linalg.reduce {{.*}} outs(%[[SECOND]] :
// CHECK: arith.addf %{{.*}}, %[[ZEROS]]
// CHECK-NOT: linalg.fill
// GENERIC-LABEL: func.func @sums
// GENERIC: %[[ZEROS:.*]] = linalg.generic
// GENERIC: %[[FIRST:.*]] = linalg.generic
// GENERIC: linalg.generic {{.*}} outs(%[[FIRST]] :
// GENERIC: %[[SECOND:.*]] = linalg.generic
// GENERIC: linalg.generic {{.*}} outs(%[[SECOND]] :
// GENERIC: arith.addf %{{.*}}, %[[ZEROS]]
func.func @sums(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  %b = linalg.reduce {arith.addf} ins(%y : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  %c = arith.addf %a, %zeros : tensor<4xf32>
  return %c, %b : tensor<4xf32>, tensor<4xf32>
}

// The shared one goes where nobody reads it.
// CHECK-LABEL: func.func @only_sums
// CHECK-COUNT-2: linalg.fill
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @only_sums(%x: tensor<4x8xf32>, %n: tensor<?x8xf32>, %s: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  %b = linalg.reduce {arith.mulf} ins(%x : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Near misses: one use; a start that is no fill; a fill over what was there; a
// broadcast of a tensor.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: linalg.fill
// CHECK-NOT: linalg.fill
// CHECK: return
// GENERIC-LABEL: func.func @kept
// GENERIC-COUNT-3: linalg.generic {{.*}}iterator_types = ["parallel"]
// GENERIC-NOT: iterator_types = ["parallel"]
// GENERIC: return
func.func @kept(%x: tensor<4x8xf32>, %start: tensor<4xf32>, %v: tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %one = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%one : tensor<4xf32>) dimensions = [1]
  %b = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
  %c = linalg.reduce {arith.mulf} ins(%x : tensor<4x8xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
  %over = linalg.fill ins(%zero : f32) outs(%start : tensor<4xf32>) -> tensor<4xf32>
  %d = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%over : tensor<4xf32>) dimensions = [1]
  %e = linalg.reduce {arith.mulf} ins(%x : tensor<4x8xf32>) outs(%over : tensor<4xf32>) dimensions = [1]
  %wide = linalg.broadcast ins(%v : tensor<f32>) outs(%empty : tensor<4xf32>) dimensions = [0]
  %f = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%wide : tensor<4xf32>) dimensions = [1]
  %g = linalg.reduce {arith.mulf} ins(%x : tensor<4x8xf32>) outs(%wide : tensor<4xf32>) dimensions = [1]
  return %a, %b, %c, %d, %e, %f, %g
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A result that is computed in parts: the slices where they start follow the
// tensor that they are inserted into; another slice of the zeros stays.
// CHECK-LABEL: func.func @parts
// CHECK:         %[[SHARED:.*]] = linalg.fill
// CHECK:         %[[OWN:.*]] = linalg.fill
// CHECK-NEXT:    %[[S0:.*]] = tensor.extract_slice %[[OWN]][0] [2] [2]
// CHECK-NEXT:    %[[P0:.*]] = linalg.add {{.*}} outs(%[[S0]] :
// CHECK-NEXT:    %[[HALF:.*]] = tensor.insert_slice %[[P0]] into %[[OWN]][0] [2] [2]
// CHECK-NEXT:    %[[S1:.*]] = tensor.extract_slice %[[HALF]][1] [2] [2]
// CHECK:         %[[READ:.*]] = tensor.extract_slice %[[SHARED]][0] [2] [1]
// CHECK:         %[[OWN2:.*]] = linalg.fill
// CHECK-NEXT:    tensor.insert_slice %[[READ]] into %[[OWN2]][2] [2] [1]
func.func @parts(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %s0 = tensor.extract_slice %zeros[0] [2] [2] : tensor<4xf32> to tensor<2xf32>
  %p0 = linalg.add ins(%x, %y : tensor<2xf32>, tensor<2xf32>) outs(%s0 : tensor<2xf32>) -> tensor<2xf32>
  %half = tensor.insert_slice %p0 into %zeros[0] [2] [2] : tensor<2xf32> into tensor<4xf32>
  %s1 = tensor.extract_slice %half[1] [2] [2] : tensor<4xf32> to tensor<2xf32>
  %p1 = linalg.mul ins(%x, %y : tensor<2xf32>, tensor<2xf32>) outs(%s1 : tensor<2xf32>) -> tensor<2xf32>
  %whole = tensor.insert_slice %p1 into %half[1] [2] [2] : tensor<2xf32> into tensor<4xf32>
  %read = tensor.extract_slice %zeros[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %other = tensor.insert_slice %read into %zeros[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %whole, %other, %read : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// What reads zeros in another shape starts from zeros of that shape.
// CHECK-LABEL: func.func @shapes
// CHECK:         %[[FLAT:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<32xf32>)
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         linalg.reduce {{.*}} outs(%[[FLAT]] : tensor<32xf32>)
func.func @shapes(%x: tensor<32x8xf32>, %y: tensor<4x8x8xf32>) -> (tensor<32xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  %flat = tensor.collapse_shape %zeros [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<32x8xf32>) outs(%flat : tensor<32xf32>) dimensions = [1]
  %b = linalg.reduce {arith.addf} ins(%y : tensor<4x8x8xf32>) outs(%zeros : tensor<4x8xf32>) dimensions = [2]
  return %a, %b : tensor<32xf32>, tensor<4x8xf32>
}

// Gradients of two tables, to which loops add row by row, start from zeros of their own; who reads zeros shares.
// CHECK-LABEL: func.func @loops
// CHECK:         %[[SHARED:.*]] = linalg.fill
// CHECK:         %[[A:.*]] = linalg.fill
// CHECK-NEXT:    scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK:         %[[B:.*]] = linalg.fill
// CHECK-NEXT:    scf.while (%{{.*}} = %[[B]]
// CHECK:         return %{{.*}}, %{{.*}}, %[[SHARED]]
func.func @loops(%x: tensor<9xf32>, %n: index) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<9xf32>) -> tensor<9xf32>
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (tensor<9xf32>) {
    %e = tensor.extract %x[%i] : tensor<9xf32>
    %next = tensor.insert %e into %sum[%i] : tensor<9xf32>
    scf.yield %next : tensor<9xf32>
  }
  %b:2 = scf.while (%sum = %zeros, %i = %c0) : (tensor<9xf32>, index) -> (tensor<9xf32>, index) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %sum, %i : tensor<9xf32>, index
  } do {
  ^bb0(%sum: tensor<9xf32>, %i: index):
    %e = tensor.extract %x[%i] : tensor<9xf32>
    %next = tensor.insert %e into %sum[%i] : tensor<9xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %next, %j : tensor<9xf32>, index
  }
  return %a, %b#0, %zeros : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
}

// -----

// A constant of one number is a start like a fill; what only reads it reads the
// constant, and so does what overwrites it unread.

// CHECK-LABEL: func.func @constants
// CHECK-SAME:      (%[[X:.*]]: tensor<4x8xf32>
// CHECK-DAG:     %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-DAG:     %[[MIXED:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK:         %[[A:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK:         linalg.reduce {{.*}} ins(%[[X]] : {{.*}}) outs(%[[A]] :
// CHECK:         linalg.reduce {{.*}} ins(%[[X]] : {{.*}}) outs(%[[MIXED]] :
// CHECK:         %[[B:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK:         tensor.insert_slice %{{.*}} into %[[B]]
// CHECK:         linalg.exp ins(%[[ONES]] : tensor<4xf32>) outs(%[[ONES]] : tensor<4xf32>)
func.func @constants(%x: tensor<4x8xf32>, %y: tensor<2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %mixed = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%ones : tensor<4xf32>) dimensions = [1]
  %b = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%mixed : tensor<4xf32>) dimensions = [1]
  %c = tensor.insert_slice %y into %ones[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %d = linalg.exp ins(%ones : tensor<4xf32>) outs(%ones : tensor<4xf32>) -> tensor<4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Constants that arith has no single one of stay: of complex numbers, of
// integers with a sign, of an encoding that a fill would lose.

// CHECK-LABEL: func.func @other_constants
// CHECK-NOT:     linalg.generic
// CHECK-COUNT-3: tensor.insert_slice
func.func @other_constants(%c: tensor<2xcomplex<f32>>, %u: tensor<2xui8>, %x: tensor<2xf32>)
    -> (tensor<4xcomplex<f32>>, tensor<4xui8>, tensor<4xf32, "rows">) {
  %zeros = arith.constant dense<(0.0, 0.0)> : tensor<4xcomplex<f32>>
  %unsigned = arith.constant dense<0> : tensor<4xui8>
  %encoded = arith.constant dense<0.0> : tensor<4xf32, "rows">
  %0 = tensor.insert_slice %c into %zeros[1] [2] [1] : tensor<2xcomplex<f32>> into tensor<4xcomplex<f32>>
  %1 = tensor.insert_slice %u into %unsigned[1] [2] [1] : tensor<2xui8> into tensor<4xui8>
  %2 = tensor.insert_slice %x into %encoded[1] [2] [1] : tensor<2xf32> into tensor<4xf32, "rows">
  return %0, %1, %2 : tensor<4xcomplex<f32>>, tensor<4xui8>, tensor<4xf32, "rows">
}
