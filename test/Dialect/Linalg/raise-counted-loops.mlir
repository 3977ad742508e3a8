// RUN: amp-opt %s --amp-raise-counted-loops --canonicalize --split-input-file | FileCheck %s

#scalar = affine_map<() -> ()>

// As JAX writes a loop from 0 to 5, whose body counts once more for itself; both counters are results.
// CHECK-LABEL: func @jax
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
// CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:   %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:   %[[C5:.*]] = arith.constant 5 : index
// CHECK-DAG:   %[[END:.*]] = arith.constant dense<5> : tensor<i32>
// CHECK-DAG:   %[[OTHER:.*]] = arith.constant dense<10> : tensor<i32>
// CHECK:       %[[Y:.*]] = scf.for %[[K:.*]] = %[[C0]] to %[[C5]] step %[[C1]] iter_args(%[[A:.*]] = %[[X]]) -> (tensor<4xf32>) {
// CHECK:         %[[N:.*]] = arith.index_cast %[[K]] : index to i32
// CHECK:         %[[TWICE:.*]] = arith.muli %[[N]], %{{.*}} : i32
// CHECK:         %[[I:.*]] = tensor.from_elements %[[TWICE]] : tensor<i32>
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[I]] :
// CHECK:         scf.yield
// CHECK:       return %[[END]], %[[OTHER]], %[[Y]]
func.func @jax(%x: tensor<4xf32>) -> (tensor<i32>, tensor<i32>, tensor<4xf32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %c5 = arith.constant 5 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r:3 = scf.while (%i = %zero, %j = %zero, %y = %x) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<i32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<i1>
    %c = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i1>) {
    ^bb0(%a: i32, %o: i1):
      %t = arith.cmpi slt, %a, %c5 : i32
      linalg.yield %t : i1
    } -> tensor<i1>
    %more = tensor.extract %c[] : tensor<i1>
    scf.condition(%more) %i, %j, %y : tensor<i32>, tensor<i32>, tensor<4xf32>
  } do {
  ^bb0(%i: tensor<i32>, %j: tensor<i32>, %y: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
        ins(%y, %j : tensor<4xf32>, tensor<i32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %b: i32, %o: f32):
      %f = arith.sitofp %b : i32 to f32
      %t = arith.addf %a, %f : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    %n = tensor.empty() : tensor<i32>
    %i1 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%n : tensor<i32>) {
    ^bb0(%a: i32, %o: i32):
      %t = arith.addi %a, %c1 : i32
      linalg.yield %t : i32
    } -> tensor<i32>
    %j1 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%j : tensor<i32>) outs(%n : tensor<i32>) {
    ^bb0(%a: i32, %o: i32):
      %t = arith.addi %c2, %a : i32
      linalg.yield %t : i32
    } -> tensor<i32>
    scf.yield %i1, %j1, %z : tensor<i32>, tensor<i32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<i32>, tensor<i32>, tensor<4xf32>
}

// -----

// Counters that are numbers: what is compared with stands first, and steps are subtracted. 20, 17, ... 5: 6 rounds.
// CHECK-LABEL: func @down
// CHECK-DAG:   %[[C6:.*]] = arith.constant 6 : index
// CHECK-DAG:   %[[LAST:.*]] = arith.constant 2 : i64
// CHECK:       %[[Y:.*]] = scf.for %[[K:.*]] = %{{.*}} to %[[C6]]
// CHECK:         %[[N:.*]] = arith.index_cast %[[K]] : index to i64
// CHECK:         %[[M:.*]] = arith.muli %[[N]], %{{.*}} : i64
// CHECK:         %[[I:.*]] = arith.addi %[[M]], %{{.*}} : i64
// CHECK:         arith.sitofp %[[I]]
// CHECK:       return %[[LAST]], %[[Y]]
func.func @down(%x: f32) -> (i64, f32) {
  %start = arith.constant 20 : i64
  %end = arith.constant 3 : i64
  %step = arith.constant 3 : i64
  %r:2 = scf.while (%i = %start, %y = %x) : (i64, f32) -> (i64, f32) {
    %more = arith.cmpi sle, %end, %i : i64
    scf.condition(%more) %i, %y : i64, f32
  } do {
  ^bb0(%i: i64, %y: f32):
    %f = arith.sitofp %i : i64 to f32
    %z = arith.addf %y, %f : f32
    %next = arith.subi %i, %step : i64
    scf.yield %next, %z : i64, f32
  }
  return %r#0, %r#1 : i64, f32
}

// -----

// Up to a number that is carried and never changed, and one from outside.
// CHECK-LABEL: func @bounds
// CHECK-SAME:    (%[[N:.*]]: tensor<i32>, %[[M:.*]]: i32,
// CHECK:       %[[E:.*]] = tensor.extract %[[N]][] : tensor<i32>
// CHECK:       %[[END:.*]] = arith.index_cast %[[E]] : i32 to index
// CHECK:       %[[LAST:.*]] = arith.maxsi %[[END]], %{{.*}} : index
// CHECK:       %[[ROUNDS:.*]] = arith.subi %[[LAST]], %{{.*}} : index
// CHECK:       scf.for %{{.*}} = %{{.*}} to %[[ROUNDS]] step
// CHECK:       %[[END1:.*]] = arith.index_cast %[[M]] : i32 to index
// CHECK:       %[[ROUNDS1:.*]] = arith.maxsi %[[END1]], %{{.*}} : index
// CHECK:       scf.for %{{.*}} = %{{.*}} to %[[ROUNDS1]] step
// CHECK-NOT:   scf.while
func.func @bounds(%n: tensor<i32>, %m: i32, %x: f32) -> (f32, f32) {
  %two = arith.constant dense<2> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %r:3 = scf.while (%i = %two, %end = %n, %y = %x) : (tensor<i32>, tensor<i32>, f32) -> (tensor<i32>, tensor<i32>, f32) {
    %c = arith.cmpi slt, %i, %end : tensor<i32>
    %more = tensor.extract %c[] : tensor<i1>
    scf.condition(%more) %i, %end, %y : tensor<i32>, tensor<i32>, f32
  } do {
  ^bb0(%i: tensor<i32>, %end: tensor<i32>, %y: f32):
    %z = arith.addf %y, %y : f32
    %next = arith.addi %i, %one : tensor<i32>
    scf.yield %next, %end, %z : tensor<i32>, tensor<i32>, f32
  }
  %zero = arith.constant 0 : i32
  %one1 = arith.constant 1 : i32
  %s:2 = scf.while (%i = %zero, %y = %x) : (i32, f32) -> (i32, f32) {
    %more = arith.cmpi slt, %i, %m : i32
    scf.condition(%more) %i, %y : i32, f32
  } do {
  ^bb0(%i: i32, %y: f32):
    %z = arith.mulf %y, %y : f32
    %next = arith.addi %i, %one1 : i32
    scf.yield %next, %z : i32, f32
  }
  return %r#2, %s#1 : f32, f32
}

// -----

// No round, and a largest number that is just reached.
// CHECK-LABEL: func @ends
// CHECK-DAG:   %[[C2:.*]] = arith.constant 2 : index
// CHECK-NOT:   scf.while
// CHECK:       %[[Y:.*]] = scf.for %{{.*}} = %{{.*}} to %[[C2]]
// CHECK-NOT:   scf.while
func.func @ends(%x: f32) -> (i8, f32, f32) {
  %start = arith.constant 125 : i8
  %most = arith.constant 127 : i8
  %one = arith.constant 1 : i8
  %r:2 = scf.while (%i = %start, %y = %x) : (i8, f32) -> (i8, f32) {
    %more = arith.cmpi ne, %i, %most : i8
    scf.condition(%more) %i, %y : i8, f32
  } do {
  ^bb0(%i: i8, %y: f32):
    %z = arith.addf %y, %y : f32
    %next = arith.addi %i, %one : i8
    scf.yield %next, %z : i8, f32
  }
  %s:2 = scf.while (%i = %most, %y = %x) : (i8, f32) -> (i8, f32) {
    %more = arith.cmpi ult, %i, %start : i8
    scf.condition(%more) %i, %y : i8, f32
  } do {
  ^bb0(%i: i8, %y: f32):
    %z = arith.mulf %y, %y : f32
    %next = arith.addi %i, %one : i8
    scf.yield %next, %z : i8, f32
  }
  return %r#0, %r#1, %s#1 : i8, f32, f32
}

// -----

// Near misses: all loops stay.

// 125, 127, -127, ...: the counter passes the largest number and goes on; past the end without meeting it.
// CHECK-LABEL: func @wraps
// CHECK-NOT:   scf.for
// CHECK:       return
func.func @wraps(%x: f32) -> (f32, f32) {
  %start = arith.constant 125 : i8
  %most = arith.constant 127 : i8
  %two = arith.constant 2 : i8
  %r:2 = scf.while (%i = %start, %y = %x) : (i8, f32) -> (i8, f32) {
    %more = arith.cmpi sle, %i, %most : i8
    scf.condition(%more) %i, %y : i8, f32
  } do {
  ^bb0(%i: i8, %y: f32):
    %z = arith.addf %y, %y : f32
    %next = arith.addi %i, %two : i8
    scf.yield %next, %z : i8, f32
  }
  %even = arith.constant 4 : i8
  %odd = arith.constant 9 : i8
  %s:2 = scf.while (%i = %even, %y = %x) : (i8, f32) -> (i8, f32) {
    %more = arith.cmpi ne, %i, %odd : i8
    scf.condition(%more) %i, %y : i8, f32
  } do {
  ^bb0(%i: i8, %y: f32):
    %z = arith.mulf %y, %y : f32
    %next = arith.addi %i, %two : i8
    scf.yield %next, %z : i8, f32
  }
  return %r#1, %s#1 : f32, f32
}

// The end changes; the counter is doubled; the condition reads what is no counter, or hands on another value.
// CHECK-LABEL: func @changes
// CHECK-NOT:   scf.for
// CHECK:       return
func.func @changes(%x: f32, %m: i32) -> (f32, f32, f32, f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %limit = arith.constant 10.0 : f32
  %r:3 = scf.while (%i = %zero, %end = %ten, %y = %x) : (i32, i32, f32) -> (i32, i32, f32) {
    %more = arith.cmpi slt, %i, %end : i32
    scf.condition(%more) %i, %end, %y : i32, i32, f32
  } do {
  ^bb0(%i: i32, %end: i32, %y: f32):
    %z = arith.addf %y, %y : f32
    %next = arith.addi %i, %one : i32
    %less = arith.subi %end, %one : i32
    scf.yield %next, %less, %z : i32, i32, f32
  }
  %s:2 = scf.while (%i = %one, %y = %x) : (i32, f32) -> (i32, f32) {
    %more = arith.cmpi slt, %i, %ten : i32
    scf.condition(%more) %i, %y : i32, f32
  } do {
  ^bb0(%i: i32, %y: f32):
    %z = arith.mulf %y, %y : f32
    %next = arith.addi %i, %i : i32
    scf.yield %next, %z : i32, f32
  }
  %t:2 = scf.while (%i = %zero, %y = %x) : (i32, f32) -> (i32, f32) {
    %more = arith.cmpf olt, %y, %limit : f32
    scf.condition(%more) %i, %y : i32, f32
  } do {
  ^bb0(%i: i32, %y: f32):
    %z = arith.mulf %y, %y : f32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %z : i32, f32
  }
  %u:2 = scf.while (%i = %zero, %y = %x) : (i32, f32) -> (i32, f32) {
    %more = arith.cmpi slt, %i, %ten : i32
    %w = arith.addf %y, %y : f32
    scf.condition(%more) %i, %w : i32, f32
  } do {
  ^bb0(%i: i32, %y: f32):
    %z = arith.mulf %y, %y : f32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %z : i32, f32
  }
  return %r#2, %s#1, %t#1, %u#1 : f32, f32, f32, f32
}

// Up to a number that only a run knows, from below 0, which 64 bits may not hold the rounds of, and by twos.
// CHECK-LABEL: func @unknown
// CHECK-NOT:   scf.for
// CHECK:       return
func.func @unknown(%x: f32, %m: i64) -> (f32, f32) {
  %below = arith.constant -1 : i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r:2 = scf.while (%i = %below, %y = %x) : (i64, f32) -> (i64, f32) {
    %more = arith.cmpi slt, %i, %m : i64
    scf.condition(%more) %i, %y : i64, f32
  } do {
  ^bb0(%i: i64, %y: f32):
    %z = arith.addf %y, %y : f32
    %next = arith.addi %i, %one : i64
    scf.yield %next, %z : i64, f32
  }
  %s:2 = scf.while (%i = %zero, %y = %x) : (i64, f32) -> (i64, f32) {
    %more = arith.cmpi slt, %i, %m : i64
    scf.condition(%more) %i, %y : i64, f32
  } do {
  ^bb0(%i: i64, %y: f32):
    %z = arith.mulf %y, %y : f32
    %next = arith.addi %i, %two : i64
    scf.yield %next, %z : i64, f32
  }
  return %r#1, %s#1 : f32, f32
}

// -----

// A condition that does something besides.
// CHECK-LABEL: func @writes
// CHECK:       scf.while
func.func @writes(%x: f32, %memory: memref<f32>) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %r:2 = scf.while (%i = %zero, %y = %x) : (i32, f32) -> (i32, f32) {
    %more = arith.cmpi slt, %i, %ten : i32
    memref.store %y, %memory[] : memref<f32>
    scf.condition(%more) %i, %y : i32, f32
  } do {
  ^bb0(%i: i32, %y: f32):
    %z = arith.mulf %y, %y : f32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %z : i32, f32
  }
  return %r#1 : f32
}

// -----

// The end is computed in a body outside of the loop, whose tensor is what can be read there.
// CHECK-LABEL: func @computed_end
// CHECK:       %[[END:.*]] = linalg.generic
// CHECK:       %[[E:.*]] = tensor.extract %[[END]][] : tensor<i32>
// CHECK:       scf.for
// CHECK-NOT:   scf.while
#scalar = affine_map<() -> ()>
func.func @computed_end(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %c1 = arith.constant 1 : i32
  %e = tensor.empty() : tensor<i32>
  %end = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%n : tensor<i32>) outs(%e : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    %t = arith.addi %a, %c1 : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  %r:2 = scf.while (%i = %zero, %y = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %c = arith.cmpi slt, %i, %end : tensor<i32>
    %more = tensor.extract %c[] : tensor<i1>
    scf.condition(%more) %i, %y : tensor<i32>, tensor<4xf32>
  } do {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
    %z = arith.addf %y, %y : tensor<4xf32>
    %j = arith.addi %i, %one : tensor<i32>
    scf.yield %j, %z : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
