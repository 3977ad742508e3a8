// RUN: amp-opt %s --amp-insert-casts | FileCheck %s

// Values that control flow carries and calls pass are f32; regions with a policy of
// their own dissolve once they are cast.

module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {

// A loop carries f32: half values are rounded on the way in and out, no cast of the
// carried type appears in the loop's signature.
// CHECK-LABEL: func.func @for_carries_f32
func.func @for_carries_f32(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK: %[[TH:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[TW:.*]] = amp.cast %[[TH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[ARG:.*]] = %[[TW]]) -> (tensor<4xf32>)
  // CHECK:   %[[S:.*]] = math.tanh
  // CHECK:   %[[SH:.*]] = amp.cast %[[S]] : tensor<4xf32> to tensor<4xf16>
  // CHECK:   %[[SW:.*]] = amp.cast %[[SH]] : tensor<4xf16> to tensor<4xf32>
  // CHECK:   scf.yield %[[SW]] : tensor<4xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = scf.for %i = %zero to %n step %one iter_args(%h = %0) -> tensor<4xf32> {
    %2 = math.tanh %h {amp.class = #amp.class<low, unit = 1>} : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @if_gives_f32
func.func @if_gives_f32(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: scf.if %{{.*}} -> (tensor<4xf32>)
  // CHECK:   %[[T:.*]] = math.tanh
  // CHECK:   %[[H:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
  // CHECK:   %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK:   scf.yield %[[W]]
  // CHECK: else
  // CHECK:   %[[E:.*]] = math.exp
  // CHECK-NEXT: scf.yield %[[E]]
  %r = scf.if %c -> tensor<4xf32> {
    %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    %1 = math.exp %x {amp.class = #amp.class<high, unit = 1>} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A value from outside that a region reads is cast outside, once.
// CHECK-LABEL: func.func @captured_by_branch
func.func @captured_by_branch(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: scf.if
  // CHECK:   math.exp %[[W]]
  // CHECK: else
  // CHECK:   scf.yield %[[W]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %r = scf.if %c -> tensor<4xf32> {
    %1 = math.exp %0 {amp.class = #amp.class<high, unit = 1>} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Branches of a control flow graph carry f32 as well.
// CHECK-LABEL: func.func @block_arguments
func.func @block_arguments(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: cf.cond_br %{{.*}}, ^[[B:.*]](%[[W]] : tensor<4xf32>), ^[[B]](%{{.*}} : tensor<4xf32>)
  // CHECK: ^[[B]](%[[A:.*]]: tensor<4xf32>):
  // CHECK: math.exp %[[A]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  cf.cond_br %c, ^next(%0 : tensor<4xf32>), ^next(%x : tensor<4xf32>)
^next(%a: tensor<4xf32>):
  %1 = math.exp %a {amp.class = #amp.class<high, unit = 1>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// What is half on every way is half afterwards: it has been rounded, so it is not
// rounded again, and an operation on it is half.
// CHECK-LABEL: func.func @half_on_both_ways
func.func @half_on_both_ways(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = scf.if
  // CHECK: scf.yield
  // CHECK: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[R]], %[[R]]
  // CHECK-NEXT: %[[H:.*]] = amp.cast %[[S]] : tensor<4xf32> to tensor<4xf16>
  // CHECK-NEXT: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK-NEXT: cf.cond_br %{{.*}}, ^[[A:.*]](%[[W]] : tensor<4xf32>), ^[[B:.*]](%[[W]] : tensor<4xf32>)
  %r = scf.if %c -> tensor<4xf32> {
    %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    %1 = math.sqrt %x {amp.class = #amp.class<low, unit = 1>} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %s = arith.addf %r, %r {amp.class = #amp.class<promote, unit = 2>} : tensor<4xf32>
  cf.cond_br %c, ^a(%s : tensor<4xf32>), ^b(%s : tensor<4xf32>)
^a(%l: tensor<4xf32>):
  // CHECK: ^[[A]](%[[L:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[P:.*]] = arith.addf %[[L]], %[[L]]
  // CHECK-NEXT: amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
  %2 = arith.addf %l, %l {amp.class = #amp.class<promote, unit = 3>} : tensor<4xf32>
  cf.br ^b(%2 : tensor<4xf32>)
^b(%m: tensor<4xf32>):
  // CHECK: ^[[B]](%[[M:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[Q:.*]] = arith.addf %[[M]], %[[M]]
  // CHECK-NEXT: amp.cast %[[Q]] : tensor<4xf32> to tensor<4xf16>
  %3 = arith.addf %m, %m {amp.class = #amp.class<promote, unit = 4>} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Not what a loop of blocks hands back: it is not known when the walk comes to it.
// CHECK-LABEL: func.func @loop_of_blocks
func.func @loop_of_blocks(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  cf.br ^loop(%0 : tensor<4xf32>)
^loop(%l: tensor<4xf32>):
  // CHECK: ^{{.*}}(%[[L:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[L]], %[[L]]
  // CHECK-NEXT: cf.cond_br %{{.*}}, ^{{.*}}(%[[S]] : tensor<4xf32>), ^{{.*}}(%[[S]] : tensor<4xf32>)
  %1 = arith.addf %l, %l {amp.class = #amp.class<promote, unit = 1>} : tensor<4xf32>
  cf.cond_br %c, ^loop(%1 : tensor<4xf32>), ^end(%1 : tensor<4xf32>)
^end(%r: tensor<4xf32>):
  return %r : tensor<4xf32>
}

// A callee without roles takes and gives f32.
// CHECK-LABEL: func.func @calls
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: %[[R:.*]] = call @helper(%[[W]]) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: math.exp %[[R]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = func.call @helper(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = math.exp %1 {amp.class = #amp.class<high, unit = 1>} : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @helper(tensor<4xf32>) -> tensor<4xf32>

// A region of amp.autocast has done its work: it is gone, its operations are cast by
// their classes, and its values are shared with the surroundings like all others.
// CHECK-LABEL: func.func @autocast_dissolves
func.func @autocast_dissolves(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: amp.autocast
  // CHECK-NOT: amp.yield
  // CHECK: %[[T:.*]] = math.tanh
  // CHECK: %[[H:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: %[[S:.*]] = math.sqrt %[[W]]
  // CHECK: %[[E:.*]] = math.exp %[[S]]
  // CHECK: return %[[E]]
  %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
  %1 = amp.autocast {
    %2 = math.sqrt %0 {amp.class = #amp.class<high, unit = 1>} : tensor<4xf32>
    amp.yield %2 : tensor<4xf32>
  } : tensor<4xf32>
  %3 = math.exp %1 {amp.class = #amp.class<high, unit = 2>} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Half on one way alone is not half: what reads the result rounds it itself.
// CHECK-LABEL: func.func @half_on_one_way
func.func @half_on_one_way(%c: i1, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[R:.*]] = scf.if
  // CHECK: %[[H:.*]] = amp.cast %[[R]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: math.tanh %[[W]]
  // CHECK: %[[E:.*]] = arith.negf %[[R]]
  // CHECK: return %{{.*}}, %[[E]]
  %r = scf.if %c -> tensor<4xf32> {
    %0 = math.tanh %x {amp.class = #amp.class<low, unit = 0>} : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    %1 = math.exp %x {amp.class = #amp.class<high, unit = 1>} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = math.tanh %r {amp.class = #amp.class<low, unit = 2>} : tensor<4xf32>
  %3 = arith.negf %r {amp.class = #amp.class<promote, unit = 3>} : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

} // module
