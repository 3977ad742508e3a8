// RUN: amp-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(amp-expand-slice-updates,canonicalize))" | FileCheck %s

// Rows of a table, as torch-mlir writes the gradient of an embedding.
// CHECK-LABEL: func @rows
// CHECK-SAME:    (%[[AT:.*]]: tensor<8xi64>, %[[ROWS:.*]]: tensor<8x4xf16>, %[[TABLE:.*]]: tensor<9x4xf32>)
// CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
// CHECK:       scf.for %[[I:.*]] = {{.*}} iter_args(%[[TO:.*]] = %[[TABLE]])
// CHECK:         %[[N:.*]] = arith.index_cast
// CHECK:         %[[R:.*]] = scf.for %[[J:.*]] = %{{.*}} to %[[C4]] step {{.*}} iter_args(%[[WHOLE:.*]] = %[[TO]])
// CHECK-DAG:       %[[X:.*]] = tensor.extract %[[ROWS]][%[[I]], %[[J]]]
// CHECK-DAG:       %[[Y:.*]] = tensor.extract %[[WHOLE]][%[[N]], %[[J]]]
// CHECK:           %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK:           %[[Z:.*]] = arith.addf %[[Y]], %[[WIDE]]
// CHECK:           %[[PUT:.*]] = tensor.insert %[[Z]] into %[[WHOLE]][%[[N]], %[[J]]]
// CHECK:           scf.yield %[[PUT]]
// CHECK:         scf.yield %[[R]]
#id = affine_map<(i, j) -> (i, j)>
func.func @rows(%at: tensor<8xi64>, %rows: tensor<8x4xf16>, %table: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %table) -> (tensor<9x4xf32>) {
    %w = tensor.extract %at[%i] : tensor<8xi64>
    %n = arith.index_cast %w : i64 to index
    %x = tensor.extract_slice %rows[%i, 0] [1, 4] [1, 1] : tensor<8x4xf16> to tensor<1x4xf16>
    %y = tensor.extract_slice %to[%n, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<1x4xf32>
    %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<1x4xf16>) outs(%y : tensor<1x4xf32>) {
    ^bb0(%a: f16, %b: f32):
      %v = arith.extf %a : f16 to f32
      %s = arith.addf %b, %v : f32
      linalg.yield %s : f32
    } -> tensor<1x4xf32>
    %next = tensor.insert_slice %z into %to[%n, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<9x4xf32>
    scf.yield %next : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}

// -----

// Strides, dropped dimensions, an order of its own, indices, a tensor as a whole, and no old value.
// CHECK-LABEL: func @places
// CHECK-SAME:    (%[[X:.*]]: tensor<5x3xf32>, %[[ROW:.*]]: tensor<3xf32>, %[[INIT:.*]]: tensor<4x6x9xf32>)
// CHECK:       scf.for %[[I:.*]] = {{.*}} iter_args
// CHECK:         scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK:           scf.for %[[J:.*]] = {{.*}} iter_args(%[[WHOLE:.*]] = %{{.*}})
// CHECK-DAG:         tensor.extract %[[X]][%[[J]], %[[K]]]
// CHECK-DAG:         tensor.extract %[[ROW]][%[[K]]]
// CHECK-DAG:         %[[TWICE:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK-DAG:         %[[THRICE:.*]] = arith.addi %[[J]], %{{.*}}
// CHECK:             tensor.insert %{{.*}} into %[[WHOLE]][%[[I]], %[[TWICE]], %[[THRICE]]]
func.func @places(%x: tensor<5x3xf32>, %row: tensor<3xf32>, %init: tensor<4x6x9xf32>) -> tensor<4x6x9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<3x5xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%to = %init) -> (tensor<4x6x9xf32>) {
    %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j, i)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%x, %row : tensor<5x3xf32>, tensor<3xf32>) outs(%e : tensor<3x5xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %n = linalg.index 0 : index
      %m = arith.index_cast %n : index to i32
      %f = arith.sitofp %m : i32 to f32
      %s = arith.addf %a, %b : f32
      %t = arith.addf %s, %f : f32
      linalg.yield %t : f32
    } -> tensor<3x5xf32>
    %next = tensor.insert_slice %z into %to[%i, 0, 3] [1, 3, 5] [1, 2, 1] : tensor<3x5xf32> into tensor<4x6x9xf32>
    scf.yield %next : tensor<4x6x9xf32>
  }
  return %r : tensor<4x6x9xf32>
}

// -----

// One element.
// CHECK-LABEL: func @element
// CHECK:       scf.for
// CHECK-NOT:     scf.for
// CHECK:         tensor.extract
// CHECK:         tensor.extract
// CHECK:         arith.addf
// CHECK:         tensor.insert
func.func @element(%at: tensor<8xindex>, %x: tensor<8xf32>, %init: tensor<9xf32>) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %init) -> (tensor<9xf32>) {
    %n = tensor.extract %at[%i] : tensor<8xindex>
    %a = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<f32>
    %b = tensor.extract_slice %to[%n] [1] [1] : tensor<9xf32> to tensor<f32>
    %z = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%a : tensor<f32>) outs(%b : tensor<f32>) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %q, %p : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    %next = tensor.insert_slice %z into %to[%n] [1] [1] : tensor<f32> into tensor<9xf32>
    scf.yield %next : tensor<9xf32>
  }
  return %r : tensor<9xf32>
}

// -----

// Another slice of what is written: its elements may have been written over.
// CHECK-LABEL: func @other_slice
// CHECK:       linalg.generic
// CHECK:       tensor.insert_slice
func.func @other_slice(%init: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %init) -> (tensor<9x4xf32>) {
    %j = arith.addi %i, %c1 : index
    %x = tensor.extract_slice %to[%i, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %y = tensor.extract_slice %to[%j, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %b, %a : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %next = tensor.insert_slice %z into %to[%j, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<9x4xf32>
    scf.yield %next : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}

// -----

// The same slice in another order.
// CHECK-LABEL: func @transposed
// CHECK:       linalg.generic
// CHECK:       tensor.insert_slice
func.func @transposed(%init: tensor<9x4x4xf32>) -> tensor<9x4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%to = %init) -> (tensor<9x4x4xf32>) {
    %x = tensor.extract_slice %to[%i, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<9x4x4xf32> to tensor<4x4xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    } -> tensor<4x4xf32>
    %next = tensor.insert_slice %z into %to[%i, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<4x4xf32> into tensor<9x4x4xf32>
    scf.yield %next : tensor<9x4x4xf32>
  }
  return %r : tensor<9x4x4xf32>
}

// -----

// A sum, and a loop with other work.
// CHECK-LABEL: func @others
// CHECK:       linalg.generic
// CHECK:       tensor.insert_slice
// CHECK:       linalg.generic
// CHECK:       tensor.insert_slice
func.func private @work()
func.func @others(%x: tensor<8x4xf32>, %init: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %init) -> (tensor<8xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %b = tensor.extract_slice %to[%i] [1] [1] : tensor<8xf32> to tensor<f32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%a : tensor<4xf32>) outs(%b : tensor<f32>) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %q, %p : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    %next = tensor.insert_slice %z into %to[%i] [1] [1] : tensor<f32> into tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  %q = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %x) -> (tensor<8x4xf32>) {
    func.call @work() : () -> ()
    %a = tensor.extract_slice %to[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%a : tensor<4xf32>) {
    ^bb0(%p: f32):
      %s = arith.addf %p, %p : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %next = tensor.insert_slice %z into %to[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
    scf.yield %next : tensor<8x4xf32>
  }
  return %r, %q : tensor<8xf32>, tensor<8x4xf32>
}

// -----

// What the loop computes for an update is computed with it: the second of two results is put in.
// CHECK-LABEL: func @chain
// CHECK:       scf.for
// CHECK-NOT:     linalg.generic
// CHECK:         scf.for {{.*}} iter_args(%[[WHOLE:.*]] = %{{.*}})
// CHECK:           %[[OLD:.*]] = tensor.extract %[[WHOLE]]
// CHECK:           %[[HALF:.*]] = arith.truncf %[[OLD]]
// CHECK:           %[[WIDE:.*]] = arith.extf %[[HALF]]
// CHECK:           %[[NEXT:.*]] = arith.negf %[[WIDE]]
// CHECK:           tensor.insert %[[NEXT]] into %[[WHOLE]]
#row = affine_map<(i) -> (i)>
func.func @chain(%at: tensor<8xindex>, %table: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %table) -> (tensor<9x4xf32>) {
    %n = tensor.extract %at[%i] : tensor<8xindex>
    %y = tensor.extract_slice %to[%n, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %h = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.truncf %a : f32 to f16
      %w = arith.extf %s : f16 to f32
      linalg.yield %w : f32
    } -> tensor<4xf32>
    %z:2 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
        outs(%h, %e : tensor<4xf32>, tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.negf %a : f32
      linalg.yield %a, %s : f32, f32
    } -> (tensor<4xf32>, tensor<4xf32>)
    %next = tensor.insert_slice %z#1 into %to[%n, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<9x4xf32>
    scf.yield %next : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}

// -----

// Near misses of a chain: what is put back is read in another order on the way; a sum on the way.
// CHECK-LABEL: func @chain_turned
// CHECK:       tensor.insert_slice
func.func @chain_turned(%at: tensor<8xindex>, %table: tensor<9x4x4xf32>) -> tensor<9x4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %table) -> (tensor<9x4x4xf32>) {
    %n = tensor.extract %at[%i] : tensor<8xindex>
    %y = tensor.extract_slice %to[%n, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<9x4x4xf32> to tensor<4x4xf32>
    %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%y : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    } -> tensor<4x4xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%h : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.negf %a : f32
      linalg.yield %s : f32
    } -> tensor<4x4xf32>
    %next = tensor.insert_slice %z into %to[%n, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<4x4xf32> into tensor<9x4x4xf32>
    scf.yield %next : tensor<9x4x4xf32>
  }
  return %r : tensor<9x4x4xf32>
}
// CHECK-LABEL: func @chain_of_a_sum
// CHECK:       tensor.insert_slice
func.func @chain_of_a_sum(%at: tensor<8xindex>, %x: tensor<4x4xf32>, %table: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %table) -> (tensor<9x4xf32>) {
    %n = tensor.extract %at[%i] : tensor<8xindex>
    %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x4xf32>) outs(%zero : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%h : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.negf %a : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %next = tensor.insert_slice %z into %to[%n, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<9x4xf32>
    scf.yield %next : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}

// -----

// What two operations of the loop need is computed once.
// CHECK-LABEL: func @diamond
// CHECK-NOT:     linalg.generic
// CHECK:         math.exp
// CHECK-NOT:     math.exp
// CHECK:         arith.mulf
// CHECK:         tensor.insert
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return
#at = affine_map<(i) -> (i)>
func.func @diamond(%at: tensor<8xindex>, %table: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %table) -> (tensor<9x4xf32>) {
    %n = tensor.extract %at[%i] : tensor<8xindex>
    %y = tensor.extract_slice %to[%n, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
    %p = linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel"]}
        ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = math.exp %a : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %q = linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel"]}
        ins(%p, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %c: f32, %b: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %g = linalg.generic {indexing_maps = [#at, #at, #at], iterator_types = ["parallel"]}
        ins(%p, %q : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %c: f32, %b: f32):
      %s = arith.mulf %a, %c : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %next = tensor.insert_slice %g into %to[%n, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<9x4xf32>
    scf.yield %next : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}
