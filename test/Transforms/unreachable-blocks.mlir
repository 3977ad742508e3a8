// Values of blocks that nothing reaches may be made of themselves. Such blocks
// are erased with the choice of the level, before anything is followed.

// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0" | FileCheck %s
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0" | FileCheck %s
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" | FileCheck %s
// RUN: amp-opt %s --amp-initialize-opt-level="enabled=False verbosity=0" | FileCheck %s --check-prefix=DISABLED

// Movements of a product's operand.
// CHECK-LABEL: func.func @movements
// CHECK-NOT: linalg.transpose
// CHECK: return
// DISABLED-LABEL: func.func @movements
// DISABLED-COUNT-2: linalg.transpose
func.func @movements(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
^dead:
  %a = linalg.transpose ins(%b : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) permutation = [1, 0]
  %b = linalg.transpose ins(%a : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) permutation = [1, 0]
  %c = linalg.matmul ins(%b, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// Movements that nothing else reads, in a block that goes on for ever.
// CHECK-LABEL: func.func @endless
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @endless(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^dead:
  %a = tensor.extract_slice %b[0] [4] [1] : tensor<4xf32> to tensor<4xf32>
  %b = tensor.extract_slice %c[0] [4] [1] : tensor<4xf32> to tensor<4xf32>
  %c = tensor.extract_slice %a[0] [4] [1] : tensor<4xf32> to tensor<4xf32>
  cf.br ^dead
}

// The sign of a divisor, what a loop's condition is NaN with, views of memory,
// and the bits of a number, each where a loss scale is followed.
// CHECK-LABEL: func.func @forward_backward
// CHECK-NOT: math.absf
// CHECK-NOT: scf.while
// CHECK-NOT: memref.cast
// CHECK-NOT: arith.andi
// CHECK: return
func.func @forward_backward(%w: tensor<8x8xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<8x8xf32> {amp.role = "batch", amp.name = "x"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}) -> (tensor<8x8xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<8x8xf32>
  %seed = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<8x8xf32>) dimensions = [0, 1]
  %h = arith.mulf %x, %w : tensor<8x8xf32>
  %g = arith.mulf %seed, %h : tensor<8x8xf32>
  return %g : tensor<8x8xf32>
^sign:
  %a0 = arith.negf %b0 : tensor<8x8xf32>
  %b0 = math.absf %a0 : tensor<8x8xf32>
  %c0 = arith.divf %g, %b0 : tensor<8x8xf32>
  return %c0 : tensor<8x8xf32>
^condition:
  %a1 = arith.negf %b1 : f32
  %b1 = math.absf %a1 : f32
  %one = arith.constant 1.0 : f32
  %c1 = scf.while (%q = %g) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %k = arith.cmpf olt, %a1, %one : f32
    scf.condition(%k) %q : tensor<8x8xf32>
  } do {
  ^bb0(%q: tensor<8x8xf32>):
    %d = arith.addf %q, %q : tensor<8x8xf32>
    scf.yield %d : tensor<8x8xf32>
  }
  return %c1 : tensor<8x8xf32>
^views:
  %zero = arith.constant 0 : index
  %a2 = memref.cast %b2 : memref<4xf32> to memref<?xf32>
  %b2 = memref.cast %a2 : memref<?xf32> to memref<4xf32>
  %c2 = memref.load %b2[%zero] : memref<4xf32>
  return %g : tensor<8x8xf32>
^bits:
  %mask = arith.constant dense<2147483647> : tensor<8x8xi32>
  %a3 = arith.andi %b3, %mask : tensor<8x8xi32>
  %b3 = arith.andi %a3, %mask : tensor<8x8xi32>
  %c3 = arith.bitcast %b3 : tensor<8x8xi32> to tensor<8x8xf32>
  return %c3 : tensor<8x8xf32>
}

// A block that is handed a value by one that nothing reaches, and by one that
// is reached, stays.
// CHECK-LABEL: func.func @joined
// CHECK: cf.cond_br %{{.*}}, ^[[LOOP:.*]](%{{.*}} : tensor<8x8xf32>), ^[[END:.*]](%{{.*}} : tensor<8x8xf32>)
// CHECK: ^[[LOOP]](%{{.*}}: tensor<8x8xf32>):
// CHECK: math.tanh
// CHECK: cf.cond_br %{{.*}}, ^[[LOOP]]({{.*}}), ^[[END]]
// CHECK-NOT: arith.negf
// CHECK: ^[[END]](%{{.*}}: tensor<8x8xf32>):
// CHECK: math.absf
func.func @joined(%x: tensor<8x8xf32>, %k: i1) -> tensor<8x8xf32> {
  cf.cond_br %k, ^loop(%x : tensor<8x8xf32>), ^end(%x : tensor<8x8xf32>)
^loop(%a: tensor<8x8xf32>):
  %b = math.tanh %a : tensor<8x8xf32>
  cf.cond_br %k, ^loop(%b : tensor<8x8xf32>), ^end(%b : tensor<8x8xf32>)
^dead(%c: tensor<8x8xf32>):
  %d = arith.negf %c : tensor<8x8xf32>
  cf.cond_br %k, ^dead(%d : tensor<8x8xf32>), ^end(%d : tensor<8x8xf32>)
^end(%y: tensor<8x8xf32>):
  %z = math.absf %y : tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// Blocks of a region in a block that is reached.
// CHECK-LABEL: func.func @nested
// CHECK: cf.br ^[[LAST:.*]]
// CHECK-NOT: arith.negf
// CHECK: ^[[LAST]]:
// CHECK: math.tanh
func.func @nested(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = scf.execute_region -> tensor<8x8xf32> {
    cf.br ^last
  ^dead:
    %a = arith.negf %b : tensor<8x8xf32>
    %b = arith.negf %a : tensor<8x8xf32>
    scf.yield %b : tensor<8x8xf32>
  ^last:
    %c = math.tanh %x : tensor<8x8xf32>
    scf.yield %c : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
