// RUN: amp-opt %s --split-input-file --verify-diagnostics --amp-store-indices-as-integers --canonicalize | FileCheck %s

#each = affine_map<(i) -> (i)>

// Labels become places of a table: what reads them casts each of them.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[LABELS:.*]]: tensor<4xi32>, %[[TABLE:.*]]: tensor<8xf32>
func.func @rows(%labels: tensor<4xi32>, %table: tensor<8xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[PLACES:.*]] = arith.extsi %[[LABELS]] : tensor<4xi32> to tensor<4xi64>
  %places = arith.index_cast %labels : tensor<4xi32> to tensor<4xindex>
  // CHECK: linalg.generic {{.*}} ins(%[[PLACES]] : tensor<4xi64>)
  // CHECK-NEXT: ^bb0(%[[STORED:.*]]: i64, %{{.*}}: f32):
  // CHECK-NEXT: %[[PLACE:.*]] = arith.index_cast %[[STORED]] : i64 to index
  // CHECK-NEXT: tensor.extract %[[TABLE]][%[[PLACE]]]
  %r = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]}
      ins(%places : tensor<4xindex>) outs(%out : tensor<4xf32>) {
  ^bb0(%place: index, %o: f32):
    %x = tensor.extract %table[%place] : tensor<8xf32>
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// What a body yields; a scalar operand stays what it is.
// CHECK-LABEL: func @numbered
// CHECK-SAME: (%{{.*}}: index, %[[OUT:.*]]: tensor<4xi64>) -> tensor<4xi64>
func.func @numbered(%n: index, %out: tensor<4xindex>) -> tensor<4xindex> {
  // CHECK: linalg.generic {{.*}} outs(%[[OUT]] : tensor<4xi64>)
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[I]], %{{.*}} : index
  // CHECK: %[[STORED:.*]] = arith.index_cast %[[SUM]] : index to i64
  // CHECK: linalg.yield %[[STORED]] : i64
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #each], iterator_types = ["parallel"]}
      ins(%n : index) outs(%out : tensor<4xindex>) {
  ^bb0(%m: index, %o: index):
    %i = linalg.index 0 : index
    %s = arith.addi %i, %m : index
    linalg.yield %s : index
  } -> tensor<4xindex>
  return %r : tensor<4xindex>
}

// Casts of tensors, with a sign and without; to what is as wide, none.
// CHECK-LABEL: func @casts
// CHECK-SAME: %[[A:.*]]: tensor<4xi8>, %[[B:.*]]: tensor<4xi64>
func.func @casts(%a: tensor<4xi8>, %b: tensor<4xi64>) -> (tensor<4xi32>, tensor<4xi64>, tensor<4xi64>) {
  // CHECK-DAG: %[[WIDE:.*]] = arith.extui %[[A]] : tensor<4xi8> to tensor<4xi64>
  %wide = arith.index_castui %a : tensor<4xi8> to tensor<4xindex>
  %same = arith.index_cast %b : tensor<4xi64> to tensor<4xindex>
  // CHECK-DAG: %[[NARROW:.*]] = arith.trunci %[[B]] : tensor<4xi64> to tensor<4xi32>
  %narrow = arith.index_cast %same : tensor<4xindex> to tensor<4xi32>
  %back = arith.index_castui %wide : tensor<4xindex> to tensor<4xi64>
  %sum = arith.addi %same, %wide : tensor<4xindex>
  // CHECK-DAG: %[[SUM:.*]] = arith.addi %[[B]], %[[WIDE]] : tensor<4xi64>
  %other = arith.index_cast %sum : tensor<4xindex> to tensor<4xi64>
  // CHECK: return %[[NARROW]], %[[WIDE]], %[[SUM]]
  return %narrow, %back, %other : tensor<4xi32>, tensor<4xi64>, tensor<4xi64>
}

// Single elements, and constants with a sign.
// CHECK-LABEL: func @elements
// CHECK-SAME: %[[I:.*]]: index, %[[T:.*]]: tensor<4xi64>
func.func @elements(%i: index, %t: tensor<4xindex>)
    -> (tensor<4xindex>, tensor<2xindex>, tensor<3xindex>, tensor<6xindex>, tensor<4xindex>, tensor<2xindex>, tensor<2xindex>) {
  // CHECK-DAG: %[[CONSTANT:.*]] = arith.constant dense<[-1, 9223372036854775807]> : tensor<2xi64>
  %constant = arith.constant dense<[-1, 9223372036854775807]> : tensor<2xindex>
  // CHECK: %[[X:.*]] = tensor.extract %[[T]][%[[I]]] : tensor<4xi64>
  // CHECK: %[[PLACE:.*]] = arith.index_cast %[[X]] : i64 to index
  // CHECK: %[[STORED:.*]] = arith.index_cast %[[I]] : index to i64
  %x = tensor.extract %t[%i] : tensor<4xindex>
  // CHECK: tensor.insert %[[STORED]] into %[[T]][%[[PLACE]]] : tensor<4xi64>
  %inserted = tensor.insert %i into %t[%x] : tensor<4xindex>
  // CHECK: tensor.from_elements %{{.*}}, %[[X]] : tensor<2xi64>
  %elements = tensor.from_elements %i, %x : tensor<2xindex>
  // CHECK: tensor.splat %[[X]] : tensor<3xi64>
  %splat = tensor.splat %x : tensor<3xindex>
  // CHECK: tensor.pad %[[T]]
  // CHECK: tensor.yield %{{.*}} : i64
  %pad = tensor.pad %t low[1] high[1] {
  ^bb0(%at: index):
    tensor.yield %i : index
  } : tensor<4xindex> to tensor<6xindex>
  // CHECK: linalg.fill ins(%[[X]] : i64) outs(%[[T]] : tensor<4xi64>)
  %fill = linalg.fill ins(%x : index) outs(%t : tensor<4xindex>) -> tensor<4xindex>
  // CHECK: tensor.generate
  // CHECK: %[[AT:.*]] = arith.index_cast %{{.*}} : index to i64
  // CHECK: tensor.yield %[[AT]] : i64
  %generated = tensor.generate {
  ^bb0(%at: index):
    tensor.yield %at : index
  } : tensor<2xindex>
  return %inserted, %elements, %splat, %pad, %fill, %generated, %constant
      : tensor<4xindex>, tensor<2xindex>, tensor<3xindex>, tensor<6xindex>, tensor<4xindex>, tensor<2xindex>, tensor<2xindex>
}

// Operations with a name become general ones.
// CHECK-LABEL: func @named
func.func @named(%t: tensor<4xindex>, %out: tensor<4xindex>, %start: tensor<index>) -> tensor<index> {
  // CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4xi64>, tensor<4xi64>)
  // CHECK-COUNT-2: arith.index_cast %{{.*}} : i64 to index
  // CHECK: arith.addi %{{.*}}, %{{.*}} : index
  %sums = linalg.map { arith.addi } ins(%t, %t : tensor<4xindex>, tensor<4xindex>) outs(%out : tensor<4xindex>)
  // CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : tensor<4xi64>) outs(%{{.*}} : tensor<i64>)
  // CHECK: arith.maxsi %{{.*}}, %{{.*}} : index
  %most = linalg.reduce { arith.maxsi } ins(%sums : tensor<4xindex>) outs(%start : tensor<index>) dimensions = [0]
  return %most : tensor<index>
}

// Loops, branches, blocks and calls hand them on, of unknown extents and ranks as well.
// CHECK-LABEL: func @carried
// CHECK-SAME: %[[T:.*]]: tensor<?xi64>
func.func @carried(%t: tensor<?xindex>, %n: index, %is: i1) -> tensor<*xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[T]]) -> (tensor<?xi64>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<?xindex>) {
    // CHECK: scf.if %{{.*}} -> (tensor<?xi64>)
    %b = scf.if %is -> (tensor<?xindex>) {
      %c = func.call @called(%a) : (tensor<?xindex>) -> tensor<?xindex>
      scf.yield %c : tensor<?xindex>
    } else {
      scf.yield %a : tensor<?xindex>
    }
    scf.yield %b : tensor<?xindex>
  }
  // CHECK: tensor.cast %{{.*}} : tensor<?xi64> to tensor<*xi64>
  %u = tensor.cast %r : tensor<?xindex> to tensor<*xindex>
  return %u : tensor<*xindex>
}
// CHECK: func private @called(tensor<?xi64>) -> tensor<?xi64>
func.func private @called(tensor<?xindex>) -> tensor<?xindex>

func.func private @more(tensor<4xindex>) -> i1
// CHECK-LABEL: func @blocks
func.func @blocks(%t: tensor<4xindex>, %is: i1) -> tensor<4xindex> {
  // CHECK: cf.cond_br %{{.*}}, ^[[ONE:bb1]](%{{.*}} : tensor<4xi64>), ^bb1(%{{.*}} : tensor<4xi64>)
  %b = arith.addi %t, %t : tensor<4xindex>
  cf.cond_br %is, ^one(%t : tensor<4xindex>), ^one(%b : tensor<4xindex>)
^one(%a: tensor<4xindex>):
  // CHECK: ^[[ONE]](%[[A:.*]]: tensor<4xi64>):
  // CHECK: arith.addi %[[A]], %{{.*}} : tensor<4xi64>
  %c = arith.addi %a, %t : tensor<4xindex>
  %more = func.call @more(%c) : (tensor<4xindex>) -> i1
  cf.cond_br %more, ^one(%c : tensor<4xindex>), ^two
^two:
  return %c : tensor<4xindex>
}

// Near misses: other tensors, numbers, and buffers of the host.
// CHECK-LABEL: func @others
func.func @others(%t: tensor<4xi32>, %i: index, %notes: memref<4xindex>) -> (tensor<4xi32>, index) {
  // CHECK: tensor.extract %{{.*}} : tensor<4xi32>
  %x = tensor.extract %t[%i] : tensor<4xi32>
  // CHECK: arith.index_cast %{{.*}} : i32 to index
  %y = arith.index_cast %x : i32 to index
  // CHECK: memref.store %{{.*}}, %{{.*}} : memref<4xindex>
  memref.store %y, %notes[%i] : memref<4xindex>
  return %t, %y : tensor<4xi32>, index
}

// -----

// Whose numbers are no attributes, or are elsewhere: resources, paddings, types of functions.
// CHECK-LABEL: func private @handle(
func.func private @handle(%t: tensor<4xindex>) -> tensor<4xindex> {
  return %t : tensor<4xindex>
}
// CHECK-LABEL: func @elsewhere
// CHECK-SAME: %[[T:.*]]: tensor<5xi64>, %[[TO:.*]]: tensor<3x2xi64>, %[[P:.*]]: index
func.func @elsewhere(%t: tensor<5xindex>, %to: tensor<3x2xindex>, %p: index, %four: tensor<4xindex>) -> (tensor<2xindex>, tensor<3x2xindex>, tensor<4xindex>) {
  // CHECK: arith.constant dense_resource<places> : tensor<2xi64>
  %places = arith.constant dense_resource<places> : tensor<2xindex>
  // CHECK: %[[PADDING:.*]] = arith.index_cast %[[P]] : index to i64
  // CHECK: linalg.pack %[[T]] padding_value(%[[PADDING]] : i64) {{.*}} : tensor<5xi64> -> tensor<3x2xi64>
  %packed = linalg.pack %t padding_value(%p : index) inner_dims_pos = [0] inner_tiles = [2] into %to : tensor<5xindex> -> tensor<3x2xindex>
  // CHECK: call @handle(%{{.*}}) : (tensor<4xi64>) -> tensor<4xi64>
  %h = func.constant @handle : (tensor<4xindex>) -> tensor<4xindex>
  %r = func.call_indirect %h(%four) : (tensor<4xindex>) -> tensor<4xindex>
  return %places, %packed, %r : tensor<2xindex>, tensor<3x2xindex>, tensor<4xindex>
}
{-# dialect_resources: { builtin: { places: "0x0800000003000000000000000300000000000000" } } #-}

// -----

func.func @sparse() -> tensor<2xindex> {
  // expected-error @below {{for what is stored of 'tensor<2xindex>', but got 'arith.constant'}}
  %t = arith.constant sparse<[[1]], [3]> : tensor<2xindex>
  return %t : tensor<2xindex>
}

// -----

func.func @buffer(%m: memref<4xindex>) -> tensor<4xindex> {
  // expected-error @below {{expected an operation that can take integers of 64 bits for what is stored of 'tensor<4xindex>', but got 'bufferization.to_tensor'; cast it to i64 before ('arith.index_cast')}}
  %t = bufferization.to_tensor %m restrict : memref<4xindex> to tensor<4xindex>
  return %t : tensor<4xindex>
}

// -----

func.func @vector(%t: tensor<4xindex>, %i: index) -> vector<4xindex> {
  // expected-error @below {{but got 'vector.transfer_read'}}
  %v = vector.transfer_read %t[%i], %i : tensor<4xindex>, vector<4xindex>
  return %v : vector<4xindex>
}

// -----

func.func @shape(%t: tensor<2xindex>) -> index {
  // expected-error @below {{but got 'shape.num_elements'}}
  %n = shape.num_elements %t : tensor<2xindex> -> index
  return %n : index
}
