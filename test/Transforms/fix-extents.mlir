// RUN: amp-opt %s --split-input-file --amp-fix-extents="extents=x0=8x4,x1=8" | FileCheck %s
// RUN: amp-opt %s --split-input-file --amp-fix-extents="extents=x0=8x4,x1=8" | amp-opt --split-input-file --amp-fix-extents="extents=x0=?x4,x1=8" | FileCheck %s
// RUN: amp-opt %s --split-input-file --amp-fix-extents > %t.without && amp-opt %s --split-input-file | diff - %t.without

// What elementwise operations, linalg, branches and regions give of a batch is as long as it is; numbers of rows
// are constants. Another function's batch of the same name is the same; another batch stays unknown.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: tensor<8x4xf32> {amp.name = "x0", amp.role = "batch"}
// CHECK-SAME: tensor<8xi64> {amp.name = "x1", amp.role = "batch"}
// CHECK-SAME: tensor<?xf32> {amp.name = "x2", amp.role = "batch"}
// CHECK-SAME: -> (tensor<8x4xf32> {amp.name = "y", amp.role = "output"}, tensor<8x4xf32>, tensor<8x4xi1>, tensor<8x4xf32>, index, tensor<?xf32>)
func.func @forward(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
                   %l: tensor<?xi64> {amp.role = "batch", amp.name = "x1"},
                   %other: tensor<?xf32> {amp.role = "batch", amp.name = "x2"}, %c: i1)
    -> (tensor<?x4xf32> {amp.role = "output", amp.name = "y"}, tensor<?x4xf32>, tensor<?x4xi1>, tensor<?x4xf32>, index, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %half = arith.divsi %n, %c2 : index
  // CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : index
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} fastmath<contract> {amp.scope = "s"} : tensor<8x4xf32>
  %sum = arith.addf %x, %x fastmath<contract> {amp.scope = "s"} : tensor<?x4xf32>
  // CHECK: arith.cmpf ogt, %[[SUM]], %{{.*}} : tensor<8x4xf32>
  %more = arith.cmpf ogt, %sum, %x : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  // CHECK: linalg.exp {{.*}} -> tensor<8x4xf32>
  %exp = linalg.exp ins(%sum : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: scf.if %{{.*}} -> (tensor<8x4xf32>)
  %one = scf.if %c -> tensor<?x4xf32> {
    %a = arith.mulf %exp, %x : tensor<?x4xf32>
    scf.yield %a : tensor<?x4xf32>
  } else {
    scf.yield %x : tensor<?x4xf32>
  }
  // CHECK: amp.autocast
  // CHECK: } : tensor<8x4xf32>
  %cast = amp.autocast {
    %s = math.tanh %one : tensor<?x4xf32>
    amp.yield %s : tensor<?x4xf32>
  } : tensor<?x4xf32>
  // CHECK: math.absf %{{.*}} : tensor<?xf32>
  %abs = math.absf %other : tensor<?xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[FOUR]], %{{.*}} : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi1>, tensor<8x4xf32>, index, tensor<?xf32>
  return %one, %exp, %more, %cast, %half, %abs : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xi1>, tensor<?x4xf32>, index, tensor<?xf32>
}

// CHECK-LABEL: func.func @evaluate(
// CHECK-SAME: tensor<8x4xf32> {amp.name = "x0"
func.func @evaluate(%x: tensor<?x?xf32> {amp.role = "batch", amp.name = "x0"}) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

// A declaration is code that nobody sees, and a parameter of the name is no batch.

// CHECK: func.func private @elsewhere(tensor<?x4xf32> {amp.name = "x0", amp.role = "batch"})
func.func private @elsewhere(tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"})
// CHECK-LABEL: func.func @state(
// CHECK-SAME: tensor<?x4xf32> {amp.name = "x0", amp.role = "buffer"}
func.func @state(%x: tensor<?x4xf32> {amp.role = "buffer", amp.name = "x0"}) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

// A helper that all calls hand the same takes it; one with two sizes is copied; a public one is copied and stays. Results of
// calls are known too. A recursion is one copy, whose result, which depends on itself, stays unknown.

// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: tensor<8x4xf32>) -> tensor<8xf32>
func.func private @rows(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.reduce ins(%x : tensor<?x4xf32>) outs(%e : tensor<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32  linalg.yield %s : f32 }
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func private @twice(
// CHECK-SAME: tensor<8xf32>) -> tensor<8xf32>
// CHECK-LABEL: func.func private @twice_{{[0-9]+}}(
// CHECK-SAME: tensor<4xf32>) -> tensor<4xf32>
func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %s = arith.addf %x, %x : tensor<?xf32>
  return %s : tensor<?xf32>
}

// CHECK-LABEL: func.func @open(
// CHECK-SAME: tensor<?xf32>) -> tensor<?xf32>
// CHECK-LABEL: func.func private @open_{{[0-9]+}}(
// CHECK-SAME: tensor<8xf32>) -> tensor<8xf32>
func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  %s = arith.mulf %x, %x : tensor<?xf32>
  return %s : tensor<?xf32>
}

// CHECK-LABEL: func.func private @again(
// CHECK-SAME: tensor<?xf32>
// CHECK-LABEL: func.func private @again_{{[0-9]+}}(
// CHECK-SAME: tensor<8xf32>, %{{.*}}: i1) -> tensor<?xf32>
// CHECK: call @[[AGAIN:again_[0-9]+]](%{{.*}}) : (tensor<8xf32>, i1) -> tensor<?xf32>
func.func private @again(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %s = arith.mulf %x, %x : tensor<?xf32>
  %false = arith.constant false
  %r = scf.if %c -> tensor<?xf32> {
    %more = func.call @again(%s, %false) : (tensor<?xf32>, i1) -> tensor<?xf32>
    scf.yield %more : tensor<?xf32>
  } else {
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @step(
// CHECK-SAME: tensor<8x4xf32>
func.func @step(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
                %l: tensor<8xi64> {amp.role = "batch", amp.name = "x1"}, %c: i1) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %half = arith.divsi %n, %c2 : index
  // CHECK: call @rows(%{{.*}}) : (tensor<8x4xf32>) -> tensor<8xf32>
  %r = call @rows(%x) : (tensor<?x4xf32>) -> tensor<?xf32>
  // CHECK: %[[LONG:.*]] = call @twice(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
  %long = call @twice(%r) : (tensor<?xf32>) -> tensor<?xf32>
  %part = tensor.extract_slice %r[0] [%half] [1] : tensor<?xf32> to tensor<?xf32>
  // CHECK: call @twice_{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
  %short = call @twice(%part) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: call @open_{{.*}} : (tensor<8xf32>) -> tensor<8xf32>
  %o = call @open(%long) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: call @[[AGAIN]](%{{.*}}) : (tensor<8xf32>, i1) -> tensor<?xf32>
  %a = call @again(%o, %c) : (tensor<?xf32>, i1) -> tensor<?xf32>
  return %long, %short, %a : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// What a loop carries is known; what scf.while carries, and branches of two sizes give, is not. Of a cast that claims an extent nothing
// is left where it is known to be so; where it is not known, the claim stays, also in front of a slice, whose patterns would believe it.

// CHECK-LABEL: func.func @loops(
func.func @loops(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
                 %l: tensor<8xi64> {amp.role = "batch", amp.name = "x1"}, %y: tensor<4xf32>, %c: i1, %k: index)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<8x4xf32>, tensor<5xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} -> (tensor<8x4xf32>)
  %f = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> tensor<?x4xf32> {
    %m = arith.mulf %a, %x : tensor<?x4xf32>
    scf.yield %m : tensor<?x4xf32>
  }
  // CHECK: scf.while ({{.*}}) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %w = scf.while (%a = %x) : (tensor<?x4xf32>) -> tensor<?x4xf32> {
    scf.condition(%c) %a : tensor<?x4xf32>
  } do {
  ^bb0(%a: tensor<?x4xf32>):
    %m = arith.mulf %a, %a : tensor<?x4xf32>
    scf.yield %m : tensor<?x4xf32>
  }
  // CHECK: %[[ROW:.*]] = tensor.extract_slice {{.*}} to tensor<?xf32>
  %row = tensor.extract_slice %x[0, 0] [%k, 1] [1, 1] : tensor<?x4xf32> to tensor<?xf32>
  // CHECK: scf.if %{{.*}} -> (tensor<?xf32>)
  %two = scf.if %c -> tensor<?xf32> {
    scf.yield %row : tensor<?xf32>
  } else {
    %d = tensor.cast %y : tensor<4xf32> to tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  %eight = tensor.cast %x : tensor<?x4xf32> to tensor<8x4xf32>
  %less = tensor.cast %x : tensor<?x4xf32> to tensor<?x?xf32>
  %more = tensor.cast %less : tensor<?x?xf32> to tensor<?x4xf32>
  // CHECK: math.exp %arg0 : tensor<8x4xf32>
  %exp = math.exp %more : tensor<?x4xf32>
  // CHECK: %[[FIVE:.*]] = tensor.cast %[[ROW]] {amp.scope = "s"} : tensor<?xf32> to tensor<5xf32>
  %five = tensor.cast %row {amp.scope = "s"} : tensor<?xf32> to tensor<5xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %arg0, %[[FIVE]]
  return %f, %w, %two, %eight, %five, %exp : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<8x4xf32>, tensor<5xf32>, tensor<?x4xf32>
}

// -----

// What extents contradict stays as it is, to be asserted: operands of two sizes, also by way of data, a slice that leaves its tensor,
// an insertion of another size, a pad by a computed number below 0, a claim. No cast to known extents is made.

// CHECK-LABEL: func.func @contradictions(
func.func @contradictions(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
                          %l: tensor<8xi64> {amp.role = "batch", amp.name = "x1"}, %k: index, %z: tensor<8x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<8x4xf32>, tensor<?x4xf32>, tensor<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %h = arith.divsi %n, %c2 : index
  %half = tensor.extract_slice %x[0, 0] [%h, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %some = tensor.extract_slice %x[0, 0] [%k, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK-NOT: tensor.cast %{{.*}} to tensor<{{[48]}}x4xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %two = arith.addf %x, %half : tensor<?x4xf32>
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %data = arith.mulf %x, %some : tensor<?x4xf32>
  %m = arith.addi %n, %c2 : index
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [%c10, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %out = tensor.extract_slice %x[0, 0] [%m, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [%c8{{.*}}, 4] [1, 1] : tensor<?x4xf32> into tensor<8x4xf32>
  %in = tensor.insert_slice %half into %z[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<8x4xf32>
  // CHECK: %[[ROOM:.*]] = arith.subi
  // CHECK: tensor.pad {{.*}} low[0, 0] high[%[[ROOM]], 0]
  %room = arith.subi %c6, %n : index
  %six = tensor.pad %x low[0, 0] high[%room, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK: tensor.cast %{{.*}} : tensor<?x4xf32> to tensor<9x4xf32>
  %nine = tensor.cast %x : tensor<?x4xf32> to tensor<9x4xf32>
  return %two, %data, %out, %in, %six, %nine : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<8x4xf32>, tensor<?x4xf32>, tensor<9x4xf32>
}

// -----

// A loop whose tensor shrinks carries one of unknown size, beside one that stays as it is. The branch that extents choose is taken;
// one that data choose, or that the program chose itself, stays. A loop of one round and a product by one are what they were.

// CHECK-LABEL: func.func @loops_and_branches(
func.func @loops_and_branches(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
                              %l: tensor<8xi64> {amp.role = "batch", amp.name = "x1"}, %k: index)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant dense<1.0> : tensor<8x4xf32>
  %true = arith.constant true
  // CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} -> (tensor<?x4xf32>, tensor<8x4xf32>)
  %f:2 = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x, %b = %x) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %d = tensor.dim %a, %c0 : tensor<?x4xf32>
    %h = arith.divui %d, %c2 : index
    %s = tensor.extract_slice %a[0, 0] [%h, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
    %m = arith.addf %b, %b : tensor<?x4xf32>
    scf.yield %s, %m : tensor<?x4xf32>, tensor<?x4xf32>
  }
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %is8 = arith.cmpi eq, %n, %c8 : index
  // CHECK-NOT: math.absf
  // CHECK: %[[TAKEN:.*]] = math.exp %{{.*}} : tensor<8x4xf32>
  %chosen = scf.if %is8 -> tensor<?x4xf32> {
    %e = math.exp %x : tensor<?x4xf32>
    scf.yield %e : tensor<?x4xf32>
  } else {
    %e = math.absf %x : tensor<?x4xf32>
    scf.yield %e : tensor<?x4xf32>
  }
  // CHECK: scf.if %true
  %own = scf.if %true -> tensor<?x4xf32> {
    // CHECK: scf.for
    %once = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> tensor<?x4xf32> {
      %t = tensor.cast %one : tensor<8x4xf32> to tensor<?x4xf32>
      // CHECK: arith.mulf %{{.*}}, %cst : tensor<8x4xf32>
      %m = arith.mulf %a, %t : tensor<?x4xf32>
      scf.yield %m : tensor<?x4xf32>
    }
    scf.yield %once : tensor<?x4xf32>
  } else {
    scf.yield %x : tensor<?x4xf32>
  }
  // CHECK: return %[[LOOP]]#0, %[[LOOP]]#1, %[[TAKEN]]
  return %f#0, %f#1, %chosen, %own : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A function that is called takes what its calls have, whatever its batch is named: here half of the rows.

// CHECK-LABEL: func.func @inner(
// CHECK-SAME: tensor<4x4xf32> {amp.name = "x0", amp.role = "batch"}) -> tensor<4x4xf32>
func.func @inner(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"}) -> tensor<?x4xf32> {
  %r = math.exp %x : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @known(
// CHECK-SAME: tensor<10x4xf32>
func.func @known(%x: tensor<10x4xf32> {amp.role = "batch", amp.name = "x0"}) -> tensor<10x4xf32> {
  return %x : tensor<10x4xf32>
}
func.func @outer(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
                 %l: tensor<8xi64> {amp.role = "batch", amp.name = "x1"}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %h = arith.divsi %n, %c2 : index
  %half = tensor.extract_slice %x[0, 0] [%h, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK: call @inner(%{{.*}}) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = call @inner(%half) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// Shapes: collapsed, expanded, padded, put side by side, generated, of one value, by a list of extents.

// CHECK-LABEL: func.func @shapes(
// CHECK-SAME: -> (tensor<32xf32>, tensor<4x2x4xf32>, tensor<11x4xf32>, tensor<16x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, f32)
func.func @shapes(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
                  %l: tensor<8xi64> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<?xf32>, tensor<?x2x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %h = arith.divsi %n, %c2 : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %twos = tensor.expand_shape %x [[0, 1], [2]] output_shape [%h, 2, 4] : tensor<?x4xf32> into tensor<?x2x4xf32>
  %padded = tensor.pad %x low[%c1, 0] high[%c2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x4xf32> to tensor<?x4xf32>
  %both = tensor.concat dim(0) %x, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %made = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x4xf32>
  %same = tensor.splat %zero[%n] : tensor<?xf32>
  %shape = tensor.from_elements %c4, %n : tensor<2xindex>
  %other = tensor.reshape %x(%shape) : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %put = tensor.insert %zero into %x[%c0, %c0] : tensor<?x4xf32>
  // CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<8x4xf32>
  %e = tensor.extract %x[%c0, %c0] : tensor<?x4xf32>
  return %flat, %twos, %padded, %both, %made, %same, %other, %put, %e : tensor<?xf32>, tensor<?x2x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x4xf32>, f32
}

// -----

// Constants are made where the module has none.

// CHECK-LABEL: func.func @no_constants(
// CHECK: arith.constant 8 : index
// CHECK: tensor.empty() : tensor<8x4xf32>
func.func @no_constants(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
                        %l: tensor<8xi64> {amp.role = "batch", amp.name = "x1"}) -> tensor<?x4xf32> {
  %c0 = index.constant 0
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  return %e : tensor<?x4xf32>
}
