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
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<8x4xf32>, tensor<5xf32>) {
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
  // CHECK: %[[FIVE:.*]] = tensor.cast %[[ROW]] {amp.scope = "s"} : tensor<?xf32> to tensor<5xf32>
  %five = tensor.cast %row {amp.scope = "s"} : tensor<?xf32> to tensor<5xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %arg0, %[[FIVE]]
  return %f, %w, %two, %eight, %five : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<8x4xf32>, tensor<5xf32>
}
