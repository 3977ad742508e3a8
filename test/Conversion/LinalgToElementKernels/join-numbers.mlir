// RUN: amp-opt %s --amp-join-numbers --split-input-file | FileCheck %s

#n = affine_map<() -> ()>
#third = affine_map<() -> (3)>

// A chain is one operation; what only it reads is a value in it. Starts are operands that are read, and so are numbers
// that a body takes from outside.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    (%[[X:.*]]: tensor<17xf32>, %[[START:.*]]: tensor<f32>, %[[N:.*]]: f32)
// CHECK:       %[[R:.*]]:2 = linalg.generic {{.*}} ins(%[[X]], %[[START]] : tensor<17xf32>, tensor<f32>) outs({{.*}} : tensor<f32>, tensor<f32>)
// CHECK-NEXT:  ^bb0(%[[IN:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT:    %[[A:.*]] = arith.addf %[[S]], %[[IN]]
// CHECK-NEXT:    %[[B:.*]] = math.sqrt %[[A]]
// CHECK-NEXT:    %[[C:.*]] = arith.mulf %[[B]], %[[N]]
// CHECK-NEXT:    %[[D:.*]] = arith.divf %[[C]], %[[B]]
// CHECK-NEXT:    linalg.yield %[[B]], %[[D]]
// CHECK-NOT:   linalg.generic
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @chain(%x: tensor<17xf32>, %start: tensor<f32>, %n: f32) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [#third, #n], iterator_types = []} ins(%x : tensor<17xf32>) outs(%start : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%a : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.sqrt %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %c = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%b : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %n : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %d = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = []} ins(%c, %b : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %0 = arith.divf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %b, %d : tensor<f32>, tensor<f32>
}

// -----

#n = affine_map<() -> ()>
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// The second cannot move up to the first, for it reads the sum; the first moves down, for nobody has read it before.
// CHECK-LABEL: func.func @down
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK:       %[[R:.*]]:2 = linalg.generic {{.*}} iterator_types = []} ins(%{{.*}}, %[[SUM]] :
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @down(%x: tensor<f32>, %y: tensor<8xf32>, %z: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#i, #none], iterator_types = ["reduction"]} ins(%y : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = []} ins(%a, %sum : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %0 = arith.mulf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// -----

#n = affine_map<() -> ()>
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// Near miss: the sum between them reads the first, and the second the sum.
// CHECK-LABEL: func.func @between
// CHECK:       iterator_types = []}
// CHECK:       iterator_types = ["reduction"]}
// CHECK:       iterator_types = []}
// CHECK:       return
func.func @between(%x: tensor<f32>, %y: tensor<8xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#i, #none], iterator_types = ["reduction"]} ins(%y : tensor<8xf32>) outs(%a : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%sum : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%p: f32, %out: f32):
    %0 = math.sqrt %p : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %b : tensor<f32>
}

// -----

#n = affine_map<() -> ()>
#first = affine_map<() -> (0)>

// Near misses: an element of a large tensor, which would live longer; a result of one dimension; a number alone.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: linalg.generic {{.*}} iterator_types = []}
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @others(%x: tensor<1025xf32>, %y: tensor<1xf32>, %z: tensor<f32>)
    -> (tensor<f32>, tensor<1xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %one = tensor.empty() : tensor<1xf32>
  %a = linalg.generic {indexing_maps = [#first, #n], iterator_types = []} ins(%x : tensor<1025xf32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#first, #first], iterator_types = []} ins(%y : tensor<1xf32>) outs(%one : tensor<1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<1xf32>
  %c = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%z : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %a, %b, %c : tensor<f32>, tensor<1xf32>, tensor<f32>
}

// -----

#n = affine_map<() -> ()>

// Near miss: a body that takes a number out of the other's tensor, which the same operation would make.
// CHECK-LABEL: func.func @table
// CHECK-COUNT-2: linalg.generic {{.*}} iterator_types = []}
// CHECK:       return
func.func @table(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%y : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = tensor.extract %a[] : tensor<f32>
    %1 = arith.mulf %0, %in : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %b : tensor<f32>
}

// -----

#n = affine_map<() -> ()>

// What nothing reaches may be made of itself.
// CHECK-LABEL: func.func @unreachable
// CHECK-NEXT:  return
func.func @unreachable(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
^bb1:
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%b : tensor<f32>) outs(%x : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%a : tensor<f32>) outs(%x : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %b : tensor<f32>
}

// -----

#n = affine_map<() -> ()>
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// Near miss: a reader in another block, behind a number that the first cannot pass.
// CHECK-LABEL: func.func @blocks
// CHECK:       iterator_types = []}
// CHECK:       iterator_types = ["reduction"]}
// CHECK:       iterator_types = []}
// CHECK:       cf.cond_br
func.func @blocks(%x: tensor<f32>, %y: tensor<f32>, %c: i1, %t: tensor<8xf32>) -> tensor<f32> {
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%x : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#i, #none], iterator_types = ["reduction"]} ins(%t : tensor<8xf32>) outs(%y : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%s : tensor<f32>) outs(%y : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.mulf %in, %in : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return %a : tensor<f32>
^bb2:
  return %b : tensor<f32>
}

// -----

#n = affine_map<() -> ()>

// Near misses beside a number: a half (a quotient that is rounded to it alone may be the hardware's), a function without
// code (it would take the other to the host), flags that let bits depend on what is around, an encoding, and what may
// not be done where it was not reached.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-6: linalg.generic {{.*}} iterator_types = []}
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @apart(%x: tensor<f32>, %i: tensor<i32>, %coded: tensor<f32, 1>)
    -> (tensor<f32>, tensor<f16>, tensor<i32>, tensor<f32>, tensor<f32, 1>, tensor<i32>) {
  %e = tensor.empty() : tensor<f32>
  %h = tensor.empty() : tensor<f16>
  %w = tensor.empty() : tensor<i32>
  %number = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %half = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%number : tensor<f32>) outs(%h : tensor<f16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<f16>
  %power = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%i : tensor<i32>) outs(%w : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %n = arith.index_cast %in : i32 to index
    %p = math.ipowi %n, %n : index
    %0 = arith.index_cast %p : index to i32
    linalg.yield %0 : i32
  } -> tensor<i32>
  %fast = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in fastmath<contract> : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %other = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%coded : tensor<f32, 1>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32, 1>
  %quotient = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%i : tensor<i32>) outs(%w : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.divsi %in, %in : i32
    linalg.yield %0 : i32
  } -> tensor<i32>
  return %number, %half, %power, %fast, %other, %quotient
      : tensor<f32>, tensor<f16>, tensor<i32>, tensor<f32>, tensor<f32, 1>, tensor<i32>
}

// -----

#n = affine_map<() -> ()>

// Numbers that nobody reads go.
// CHECK-LABEL: func.func @unread
// CHECK-NEXT:  return
func.func @unread(%x: tensor<f32>) {
  %a = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%x : tensor<f32>) outs(%x : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#n, #n], iterator_types = []} ins(%a : tensor<f32>) outs(%x : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return
}

// -----

#n = affine_map<() -> ()>

// What rounds a number that it reads to a half stays behind the quotient that is this number: together, the quotient would be
// one that is only rounded to a half, and the hardware's. What rounds a number of its own is joined.
// CHECK-LABEL: func.func @rounds
// CHECK:       linalg.generic
// CHECK:         arith.divf
// CHECK-NOT:     arith.truncf
// CHECK:       linalg.generic
// CHECK:         arith.truncf
// CHECK-LABEL: func.func @rounds_its_own
// CHECK:       linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:         arith.divf
// CHECK:         arith.mulf
// CHECK:         arith.truncf
// CHECK:       return
func.func @rounds(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %q = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = []} ins(%x, %y : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = []} ins(%q, %y : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %h = arith.truncf %a : f32 to f16
    %w = arith.extf %h : f16 to f32
    %s = arith.addf %w, %b : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
func.func @rounds_its_own(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %q = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = []} ins(%x, %y : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#n, #n, #n], iterator_types = []} ins(%q, %y : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %h = arith.truncf %p : f32 to f16
    %w = arith.extf %h : f16 to f32
    linalg.yield %w : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
