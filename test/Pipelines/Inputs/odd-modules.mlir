// Input that is odd and valid, and what becomes of it at O2 (O2), or why it is refused
// (ERROR, at O1 as well). Every pass and pipeline leaves it alone or refuses it.
module {}
// O2: module attributes {amp.casts_inserted, amp.policy = #amp.policy<O2,
// O2-NEXT: {{^}$}}

// -----
// No body, and the types that the level gives: without a body nothing can take others.
func.func private @f(%x: tensor<4xf16> {amp.role = "param", amp.name = "w"}) -> (tensor<4xf16> {amp.role = "param", amp.name = "w"})
func.func private @train(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
func.func private @fb(tensor<4xf16> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf16> {amp.role = "grad", amp.name = "w"})
func.func private @step(tensor<4xf32> {amp.role = "master", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "master", amp.name = "w"}, tensor<4xf16> {amp.role = "param", amp.name = "w"})
// O2: func.func private @f(tensor<4xf16> {{.*}}) -> (tensor<4xf16> {{.*}})
// O2: func.func private @train(tensor<4xf32> {{.*}}"param"}, tensor<f32> {{.*}}) -> (tensor<4xf32> {{.*}}"param"})
// O2: func.func private @fb(tensor<4xf16> {{.*}}) -> (tensor<4xf16> {{.*}}"grad"})
// O2: func.func private @step(tensor<4xf32> {{.*}}"master"}, tensor<4xf32> {{.*}}"grad"}) -> (tensor<4xf32> {{.*}}"master"}, tensor<4xf16> {{.*}}"param"})

// -----
// A train step that calls functions that compute nothing.
func.func private @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  return %b : tensor<4xf32>
}
func.func private @step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  return %g : tensor<4xf32>
}
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = call @step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
// Scaled, unscaled to f32, guarded: what bodies compute is not asked for.
// O2: func.func @train(%[[M:.*]]: tensor<4xf32> {{.*}}, %[[S:.*]]: tensor<f32> {{.*}}, %[[H:.*]]: tensor<4xf16>
// O2: %[[SS:.*]] = amp.scale_loss %[[S]]
// O2: %[[G:.*]] = call @fb(%[[H]], %[[SS]])
// O2: %[[U:.*]], %[[F:.*]] = amp.unscale %[[G]] using @loss_scaler0 : (tensor<4xf16>) -> tensor<4xf32>
// O2: %[[N:.*]]:2 = amp.apply_if_finite %[[F]] keep(%[[M]], %[[H]])
// O2-NEXT: func.call @step(%[[M]], %[[U]])
// O2: return %[[N]]#0, %[[N]]#1

// -----
// Unranked tensors.
func.func @unranked(%x: tensor<*xf32>, %y: tensor<*xf32> {amp.role = "batch", amp.name = "x0"}) -> tensor<*xf32> {
  %0 = arith.addf %x, %y : tensor<*xf32>
  %1 = math.exp %0 : tensor<*xf32>
  %2 = tensor.cast %1 : tensor<*xf32> to tensor<?x?xf32>
  %3 = linalg.exp ins(%2 : tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %4 = tensor.cast %3 : tensor<?x?xf32> to tensor<*xf32>
  return %4 : tensor<*xf32>
}
// What has no rank is not cast.
// O2: func.func @unranked(
// O2-NOT: amp.cast
// O2: linalg.exp {{.*}} ins(%{{.*}} : tensor<?x?xf32>)
// O2-NOT: amp.cast
// O2: return %{{.*}} : tensor<*xf32>

// -----
// Memrefs: linalg on buffers has no results.
func.func @memrefs(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<4x4xf32>)
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  linalg.exp ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  %i = arith.constant 0 : index
  %v = memref.load %a[%i, %i] : memref<4x4xf32>
  memref.store %v, %c[%i, %i] : memref<4x4xf32>
  return
}
// O2: func.func @memrefs(
// O2: linalg.matmul ins(%{{.*}}, %{{.*}} : memref<4x4xf32>, memref<4x4xf32>) outs(%{{.*}} : memref<4x4xf32>)
// O2-NEXT: linalg.exp ins(%{{.*}} : memref<4x4xf32>)
// O2: return

// -----
// Tensors and memrefs in one operation's neighbourhood.
func.func @between(%m: memref<4xf32>, %p: tensor<4xf32> {amp.role = "param", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %0 = arith.mulf %t, %p : tensor<4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return %0 : tensor<4xf32>
}
// The product is the model's: half factors, a half result, stored as f32.
// O2: func.func @between(%[[B:.*]]: memref<4xf32>, %[[P:.*]]: tensor<4xf16>
// O2: %[[PW:.*]] = amp.cast %[[P]] :
// O2: %[[T:.*]] = bufferization.to_tensor %[[B]]
// O2: %[[TH:.*]] = amp.cast %[[T]] : tensor<4xf32> to tensor<4xf16>
// O2: %[[TW:.*]] = amp.cast %[[TH]]
// O2: %[[Y:.*]] = arith.mulf %[[TW]], %[[PW]]
// O2: %[[YH:.*]] = amp.cast %[[Y]] : tensor<4xf32> to tensor<4xf16>
// O2: %[[YW:.*]] = amp.cast %[[YH]]
// O2: bufferization.materialize_in_destination %[[YW]] in restrict writable %[[B]]
// O2: return %[[YW]]

// -----
// Vectors and scalars.
func.func @vectors(%v: vector<4xf32>, %s: f32, %t: tensor<4xf32>, %c: complex<f32>) -> (vector<4xf32>, f32, tensor<4xvector<2xf32>>) {
  %0 = arith.addf %v, %v : vector<4xf32>
  %1 = math.exp %s : f32
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %2 = vector.transfer_read %t[%i], %z : tensor<4xf32>, vector<4xf32>
  %3 = vector.transfer_write %2, %t[%i] : vector<4xf32>, tensor<4xf32>
  %4 = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %0, %2, %1 : vector<4xf32>, vector<4xf32> into f32
  %5 = tensor.empty() : tensor<4xvector<2xf32>>
  return %2, %4, %5 : vector<4xf32>, f32, tensor<4xvector<2xf32>>
}
// O2: func.func @vectors(
// O2-NOT: amp.c
// O2: return

// -----
// Modules in modules.
module @outer {
  module @inner attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
    func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    }
  }
  module {
    module {}
  }
}
// A module's policy is its own: the inner one has not been run on.
// O2: module @outer attributes {amp.casts_inserted, amp.policy = #amp.policy<O2,
// O2: module @inner attributes {amp.policy = #amp.policy<O1,
// O2: linalg.matmul ins(%[[X:.*]], %[[X]] : tensor<4x4xf32>, tensor<4x4xf32>)

// -----
// Several blocks, and a value from a block that stands later.
func.func @blocks(%c: i1, %w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"}) -> (tensor<4x4xf32> {amp.role = "output", amp.name = "y0"}) {
  cf.cond_br %c, ^left(%x : tensor<4x4xf32>), ^right
^join(%j: tensor<4x4xf32>):
  %e = math.exp %j : tensor<4x4xf32>
  return %e : tensor<4x4xf32>
^left(%l: tensor<4x4xf32>):
  %0 = linalg.matmul ins(%l, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  cf.br ^join(%0 : tensor<4x4xf32>)
^right:
  %t = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%t : tensor<4x4xf32>) permutation = [1, 0]
  %2 = linalg.matmul ins(%x, %1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  cf.br ^left(%2 : tensor<4x4xf32>)
}
// Products on half factors in every block, f32 between blocks; what each branch hands
// over half has been rounded.
// O2: func.func @blocks(%{{.*}}: i1, %[[W:.*]]: tensor<4x4xf16> {{.*}}, %[[X:.*]]: tensor<4x4xf32>
// O2: %[[XH:.*]] = amp.cast %[[X]]
// O2: cf.cond_br %{{.*}}, ^[[LEFT:.*]](%[[X]] : tensor<4x4xf32>), ^[[RIGHT:bb[0-9]+]]
// O2: ^[[JOIN:.*]](%[[J:.*]]: tensor<4x4xf32>):
// O2-NEXT: math.exp %[[J]]
// O2: ^[[LEFT]](%[[L:.*]]: tensor<4x4xf32>):
// O2: %[[LH:.*]] = amp.cast %[[L]] : tensor<4x4xf32> to tensor<4x4xf16>
// O2: linalg.matmul {{.*}} ins(%[[LH]], %[[W]] : tensor<4x4xf16>, tensor<4x4xf16>)
// O2: cf.br ^[[JOIN]](%{{.*}} : tensor<4x4xf32>)
// O2: ^[[RIGHT]]:
// O2: %[[T:.*]] = linalg.transpose ins(%[[W]] : tensor<4x4xf16>)
// O2: linalg.matmul {{.*}} ins(%[[XH]], %[[T]] : tensor<4x4xf16>, tensor<4x4xf16>)
// O2: cf.br ^[[LEFT]](%{{.*}} : tensor<4x4xf32>)

// -----
// A train step of several blocks whose calls stand in different ones.
func.func private @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  return %b : tensor<4xf32>
}
func.func private @step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  return %g : tensor<4xf32>
}
func.func @train(%c: i1, %w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g = call @fb(%w, %s) {amp.delay_unscale} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  cf.cond_br %c, ^more, ^end(%g : tensor<4xf32>)
^more:
  %h = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a = arith.addf %g, %h : tensor<4xf32>
  cf.br ^end(%a : tensor<4xf32>)
^end(%b: tensor<4xf32>):
  %n = call @step(%w, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
// On one way the gradient is still scaled.
// ERROR: error: expected the gradients of optimizer step '@step' to be unscaled, but one is still scaled;

// -----
// Backward passes in a branch and in a while loop.
func.func private @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  return %b : tensor<4xf32>
}
func.func private @step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  return %g : tensor<4xf32>
}
func.func @train(%c: i1, %w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g = scf.if %c -> (tensor<4xf32>) {
    %h = func.call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    scf.yield %h : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  %l:2 = scf.while (%a = %g, %b = %c) : (tensor<4xf32>, i1) -> (tensor<4xf32>, i1) {
    scf.condition(%b) %a, %b : tensor<4xf32>, i1
  } do {
  ^bb0(%a: tensor<4xf32>, %b: i1):
    %h = func.call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %k = arith.addf %a, %h : tensor<4xf32>
    scf.yield %k, %b : tensor<4xf32>, i1
  }
  %n = call @step(%w, %l#0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
// ERROR: error: expected a backward pass whose gradients leave 'scf.while' to stand in scf.for, scf.if or no region

// -----
// The optimizer step in a branch, its backward pass outside.
func.func private @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  return %b : tensor<4xf32>
}
func.func private @step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  return %g : tensor<4xf32>
}
func.func @train(%c: i1, %w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %g = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = scf.if %c -> (tensor<4xf32>) {
    %m = func.call @step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  return %n : tensor<4xf32>
}
// The guard is where the step is; the half copy follows whatever came of it.
// O2: func.func @train(%[[C:.*]]: i1, %[[M:.*]]: tensor<4xf32> {{.*}}, %{{.*}}: tensor<f32> {{.*}}, %[[H:.*]]: tensor<4xf16>
// O2: %[[U:.*]], %[[F:.*]] = amp.unscale
// O2: %[[N:.*]] = scf.if %[[C]]
// O2-NEXT: %[[G:.*]]:2 = amp.apply_if_finite %[[F]] keep(%[[M]], %[[H]])
// O2-NEXT: func.call @step(%[[M]], %[[U]])
// O2: scf.yield %[[G]]#0
// O2: scf.yield %[[M]]
// O2: %[[COPY:.*]] = amp.master_copy %[[N]]
// O2-NEXT: return %[[N]], %[[COPY]]

// -----
// A step that calls itself, and two that call each other.
func.func @train(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %n = call @train(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
// ERROR: error: expected train step '@train' to call no other train step, but it calls '@train';

// -----
func.func @fb(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %n = call @fb(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
// O2: func.func @fb(%[[W:.*]]: tensor<4xf16> {{.*}}, %[[S:.*]]: tensor<f32> {{.*}}) -> (tensor<4xf16>
// O2-NEXT: %[[G:.*]] = call @fb(%[[W]], %[[S]]) : (tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
// O2-NEXT: return %[[G]]

// -----
// Functions of another dialect.
llvm.func @l(%x: f32) -> f32 {
  llvm.return %x : f32
}
llvm.func @declared(f32)
llvm.mlir.global internal constant @g(1.0 : f32) : f32
spirv.module Logical GLSL450 {
  spirv.func @s(%x: f32) -> f32 "None" {
    spirv.ReturnValue %x : f32
  }
}
gpu.module @kernels {
  gpu.func @k(%x: memref<4xf32>) kernel {
    gpu.return
  }
}
// O2: llvm.func @l(%[[X:.*]]: f32) -> f32
// O2-NEXT: llvm.return %[[X]]
// O2: spirv.func @s(%{{.*}}: f32) -> f32
// O2: gpu.func @k(%{{.*}}: memref<4xf32>) kernel

// -----
// Operations of dialects that nobody knows.
func.func @unknown(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}) -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %0 = "acme.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = arith.mulf %0, %w : tensor<4xf32>
  %2 = "acme.region"(%1) ({
  ^bb0(%a: tensor<4xf32>):
    %3 = math.exp %a : tensor<4xf32>
    "acme.end"(%3) : (tensor<4xf32>) -> ()
  }, {
  }) : (tensor<4xf32>) -> tensor<4xf32>
  "acme.effect"(%2) : (tensor<4xf32>) -> ()
  "acme.branching"(%2)[^next] : (tensor<4xf32>) -> ()
^next:
  return %2 : tensor<4xf32>
}
"acme.symbol"() {sym_name = "s"} : () -> ()
// They are given and give f32; what is known beside and inside them is the model's.
// O2: func.func @unknown(%{{.*}}: tensor<4xf16> {{.*}}, %[[X:.*]]: tensor<4xf32>
// O2: %[[A:.*]] = "acme.op"(%[[X]]) : (tensor<4xf32>) -> tensor<4xf32>
// O2: %[[AH:.*]] = amp.cast %[[A]] : tensor<4xf32> to tensor<4xf16>
// O2: %[[Y:.*]] = arith.mulf
// O2: %[[YH:.*]] = amp.cast %[[Y]]
// O2: %[[YW:.*]] = amp.cast %[[YH]]
// O2: %[[R:.*]] = "acme.region"(%[[YW]]) ({
// O2: math.exp {{.*}}#amp.class<low,
// O2: "acme.end"(%{{.*}}) : (tensor<4xf32>) -> ()
// O2: "acme.effect"(%[[R]]) : (tensor<4xf32>) -> ()
// O2: return %[[R]]

// -----
// Calls of what is not a func.func, and indirect ones.
llvm.func @native(f32) -> f32
func.func @calls(%f: (tensor<4xf32>) -> tensor<4xf32>, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}) -> tensor<4xf32> {
  %0 = call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %1 = llvm.call @native(%s) : (f32) -> f32
  %g = constant @calls : ((tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// O2: func.func @calls(
// O2-NEXT: %[[R:.*]] = call_indirect %{{.*}}(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// O2-NOT: amp.cast
// O2: return %[[R]]

// -----
// Empty extents, encodings, other element types, rank 0.
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @shapes(%w: tensor<0x4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4x0xf32> {amp.role = "batch", amp.name = "x0"},
                  %sp: tensor<4x4xf32, #csr>, %c: tensor<4xcomplex<f32>>, %q: tensor<4xf8E4M3FN>, %i: tensor<4xindex>, %z: tensor<f32>) -> (tensor<4x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x0xf32>, tensor<0x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%sp, %0 : tensor<4x4xf32, #csr>, tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = arith.extf %q : tensor<4xf8E4M3FN> to tensor<4xf32>
  %3 = math.exp %z : tensor<f32>
  %4 = linalg.softmax dimension(1) ins(%1 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
// No element is an ordinary case; an encoding is left alone.
// O2: func.func @shapes(%[[W:.*]]: tensor<0x4xf16> {{.*}}, %[[X:.*]]: tensor<4x0xf32> {{.*}}, %[[SPARSE:.*]]: tensor<4x4xf32, #sparse>,
// O2: %[[XH:.*]] = amp.cast %[[X]] : tensor<4x0xf32> to tensor<4x0xf16>
// O2: %[[P:.*]] = linalg.matmul {{.*}} ins(%[[XH]], %[[W]] : tensor<4x0xf16>, tensor<0x4xf16>)
// O2: %[[PH:.*]] = amp.cast %[[P]]
// O2: linalg.matmul {{.*}} ins(%[[SPARSE]], %[[PH]] : tensor<4x4xf32, #sparse>, tensor<4x4xf16>)
// O2: linalg.softmax

// -----
// Movements of every kind between a product and its users.
func.func @moves(%w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"}, %n: index) -> (tensor<4x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %p = linalg.matmul ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %pad = tensor.pad %p low[1, %n] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %k = arith.cmpi slt, %i, %j : index
    %v = tensor.extract %p[%i, %i] : tensor<4x4xf32>
    %r = arith.select %k, %v, %zero : f32
    tensor.yield %r : f32
  } : tensor<4x4xf32> to tensor<5x?xf32>
  %g = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %v = tensor.extract %p[%i, %j] : tensor<4x4xf32>
    %m = math.exp %v : f32
    tensor.yield %m : f32
  } : tensor<?x4xf32>
  %s = tensor.extract_slice %pad[0, 0] [4, 4] [1, 1] : tensor<5x?xf32> to tensor<4x4xf32>
  %c = tensor.concat dim(0) %s, %p : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %col = tensor.collapse_shape %c [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
  %exp = tensor.expand_shape %col [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>
  %f = tensor.from_elements %zero, %zero : tensor<2xf32>
  %idx = arith.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xindex>
  %ga = tensor.gather %exp[%idx] gather_dims([0]) : (tensor<8x4xf32>, tensor<4x1xindex>) -> tensor<4x1x4xf32>
  %gc = tensor.collapse_shape %ga [[0, 1], [2]] : tensor<4x1x4xf32> into tensor<4x4xf32>
  %sc = tensor.scatter %ga into %p[%idx] scatter_dims([0]) unique : (tensor<4x1x4xf32>, tensor<4x4xf32>, tensor<4x1xindex>) -> tensor<4x4xf32>
  %in = tensor.insert %zero into %sc[%n, %n] : tensor<4x4xf32>
  %is = tensor.insert_slice %s into %in[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32>
  %b = tensor.bitcast %is : tensor<4x4xf32> to tensor<4x4xi32>
  %bb = tensor.bitcast %b : tensor<4x4xi32> to tensor<4x4xf32>
  %y = linalg.matmul ins(%bb, %gc : tensor<4x4xf32>, tensor<4x4xf32>) outs(%is : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
// Half elements are moved; what only computes on f32 gets them widened.
// O2: func.func @moves(
// O2: %[[P:.*]] = linalg.matmul
// O2: %[[PH:.*]] = amp.cast %[[P]] : tensor<4x4xf32> to tensor<4x4xf16>
// O2: %[[PAD:.*]] = tensor.pad %[[PH]]
// O2: tensor.yield %{{.*}} : f16
// O2: %[[S:.*]] = tensor.extract_slice %[[PAD]]{{.*}} : tensor<5x?xf16> to tensor<4x4xf16>
// O2: %[[C:.*]] = tensor.concat dim(0) %[[S]], %[[PH]]
// O2: tensor.collapse_shape %[[C]] {{.*}} : tensor<8x4xf16> into tensor<32xf16>
// O2: %[[E:.*]] = tensor.expand_shape {{.*}} : tensor<32xf16> into tensor<8x4xf16>
// O2: %[[EW:.*]] = amp.cast %[[E]] : tensor<8x4xf16> to tensor<8x4xf32>
// O2: tensor.gather %[[EW]]
// O2: tensor.bitcast %{{.*}} : tensor<4x4xf32> to tensor<4x4xi32>
// O2: linalg.matmul {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4xf16>, tensor<4x4xf16>)

// -----
// Bodies of linalg.generic that are no plain arithmetic: two results, an index, an
// inner loop, the accumulator read twice, a yielded constant, another's value.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @bodies(%w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"}, %k: f32) -> (tensor<4x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<4x4xf32>
  %r = tensor.empty() : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%r, %r : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %m, %s : f32
    %o = arith.maximumf %t, %n : f32
    linalg.yield %n, %o : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %b = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%a#1 : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %s: f32):
    %i = linalg.index 1 : index
    %sum = scf.for %u = %c0 to %c4 step %c1 iter_args(%acc = %p) -> (f32) {
      %v = tensor.extract %w[%u, %i] : tensor<4x4xf32>
      %n = arith.addf %acc, %v : f32
      scf.yield %n : f32
    }
    linalg.yield %sum : f32
  } -> tensor<4x4xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %s: f32):
    linalg.yield %k : f32
  } -> tensor<4x4xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) {
  ^bb0(%p: f32, %s: f32):
    %cond = arith.cmpf olt, %p, %s : f32
    %v = scf.if %cond -> (f32) {
      scf.yield %p : f32
    } else {
      %z = math.exp %s : f32
      scf.yield %z : f32
    }
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}
// No product of matrices: f32 in the bodies, on rounded values; a weight that a body
// gathers from is read in half.
// O2: func.func @bodies(%[[W:.*]]: tensor<4x4xf16> {{.*}}, %[[X:.*]]: tensor<4x4xf32>
// O2: %[[XH:.*]] = amp.cast %[[X]]
// O2: %[[XW:.*]] = amp.cast %[[XH]]
// O2: linalg.generic {{.*}} ins(%[[XW]], %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>) outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
// O2: %[[E:.*]] = tensor.extract %[[W]][%{{.*}}, %{{.*}}] : tensor<4x4xf16>
// O2-NEXT: amp.cast %[[E]] : f16 to f32
// O2: math.exp %{{.*}} : f32
// O2: amp.cast %{{.*}} : tensor<4x4xf32> to tensor<4x4xf16>

// -----
// Roles without sense: a step without anything, gradients nobody makes.
func.func @train(%w: tensor<?xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %g: tensor<?xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<?xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "l"}) {
  return %w, %s : tensor<?xf32>, tensor<f32>
}
func.func @evaluate(%w: tensor<?xf32> {amp.role = "param", amp.name = "w"}, %x: tensor<4xi32> {amp.role = "batch", amp.name = "x0"}) -> (tensor<4xi32> {amp.role = "output", amp.name = "y0"}) {
  return %x : tensor<4xi32>
}
// ERROR: error: expected an update of fused train step '@train' to read a gradient, a value that carries the scale of its loss, but found none;

// -----
// Parameters and gradients that are not f32.
func.func @fb(%w: tensor<4xf64> {amp.role = "param", amp.name = "w"}, %v: tensor<4xf16> {amp.role = "param", amp.name = "v"}, %u: tensor<4xi8> {amp.role = "param", amp.name = "u"}, %s: tensor<f16> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf64> {amp.role = "grad", amp.name = "w"}, tensor<4xf16> {amp.role = "grad", amp.name = "v"}, tensor<4xi8> {amp.role = "grad", amp.name = "u"}) {
  return %w, %v, %u : tensor<4xf64>, tensor<4xf16>, tensor<4xi8>
}
func.func @step(%w: tensor<4xf64> {amp.role = "param", amp.name = "w"}, %v: tensor<4xf16> {amp.role = "param", amp.name = "v"}, %u: tensor<4xi8> {amp.role = "param", amp.name = "u"},
                %gw: tensor<4xf64> {amp.role = "grad", amp.name = "w"}, %gv: tensor<4xf16> {amp.role = "grad", amp.name = "v"}, %gu: tensor<4xi8> {amp.role = "grad", amp.name = "u"})
    -> (tensor<4xf64> {amp.role = "param", amp.name = "w"}, tensor<4xf16> {amp.role = "param", amp.name = "v"}, tensor<4xi8> {amp.role = "param", amp.name = "u"}) {
  return %gw, %gv, %gu : tensor<4xf64>, tensor<4xf16>, tensor<4xi8>
}
func.func @train(%w: tensor<4xf64> {amp.role = "param", amp.name = "w"}, %v: tensor<4xf16> {amp.role = "param", amp.name = "v"}, %u: tensor<4xi8> {amp.role = "param", amp.name = "u"}, %s: tensor<f16> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf64> {amp.role = "param", amp.name = "w"}, tensor<4xf16> {amp.role = "param", amp.name = "v"}, tensor<4xi8> {amp.role = "param", amp.name = "u"}) {
  %g:3 = call @fb(%w, %v, %u, %s) : (tensor<4xf64>, tensor<4xf16>, tensor<4xi8>, tensor<f16>) -> (tensor<4xf64>, tensor<4xf16>, tensor<4xi8>)
  %n:3 = call @step(%w, %v, %u, %g#0, %g#1, %g#2) : (tensor<4xf64>, tensor<4xf16>, tensor<4xi8>, tensor<4xf64>, tensor<4xf16>, tensor<4xi8>) -> (tensor<4xf64>, tensor<4xf16>, tensor<4xi8>)
  return %n#0, %n#1, %n#2 : tensor<4xf64>, tensor<4xf16>, tensor<4xi8>
}
// ERROR: error: expected gradient 'w' to be a ranked tensor of f32, f16 or bf16, which a loss scale can be taken out of, but got 'tensor<4xf64>';

// -----
// A parameter that is f16 already.
func.func private @fb(tensor<4xf16> {amp.role = "param", amp.name = "v"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf16> {amp.role = "grad", amp.name = "v"})
func.func @step(%v: tensor<4xf16> {amp.role = "param", amp.name = "v"}, %g: tensor<4xf16> {amp.role = "grad", amp.name = "v"}) -> (tensor<4xf16> {amp.role = "param", amp.name = "v"}) {
  %0 = arith.subf %v, %g : tensor<4xf16>
  return %0 : tensor<4xf16>
}
func.func @train(%v: tensor<4xf16> {amp.role = "param", amp.name = "v"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}) -> (tensor<4xf16> {amp.role = "param", amp.name = "v"}) {
  %g = call @fb(%v, %s) : (tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
  %n = call @step(%v, %g) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %n : tensor<4xf16>
}
// It has no master; its gradient is unscaled in f32 and given back in its own type.
// O2: func.func @train(%[[V:.*]]: tensor<4xf16> {{.*}}"param"}, %{{.*}}) -> (tensor<4xf16> {{.*}}"param"})
// O2: %[[U:.*]], %[[F:.*]] = amp.unscale %{{.*}} : (tensor<4xf16>) -> tensor<4xf32>
// O2: %[[UH:.*]] = amp.cast %[[U]] : tensor<4xf32> to tensor<4xf16>
// O2: amp.apply_if_finite %[[F]] keep(%[[V]])
// O2-NEXT: func.call @step(%[[V]], %[[UH]])

// -----
// A fused step with the gradient used by nothing, and one made in a region.
func.func @step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %c: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4xf32>
  %g = scf.if %c -> (tensor<4xf32>) {
    %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
    scf.yield %b : tensor<4xf32>
  } else {
    %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
    %bw = arith.mulf %b, %w : tensor<4xf32>
    scf.yield %bw : tensor<4xf32>
  } {amp.grad = ["w"]}
  cf.assert %c, "a check"
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n : tensor<4xf32>
}
// Cut at the mark: the check goes with the backward pass.
// O2: func.func private @step_forward_backward(%{{.*}}: tensor<4xf16> {{.*}} -> (tensor<4xf16> {{.*}}"grad"})
// O2: cf.assert
// O2: func.func private @step_optimizer_step(%[[M:.*]]: tensor<4xf32> {{.*}}"master"}, %[[G:.*]]: tensor<4xf32>
// O2-NEXT: %[[N:.*]] = arith.subf %[[M]], %[[G]] {amp.class = #amp.class<high,
// O2-NEXT: amp.master_copy %[[N]]
// O2: func.func @step(
// O2: %[[U:.*]], %[[F:.*]] = amp.unscale
// O2: amp.apply_if_finite %[[F]]
// O2-NEXT: func.call @step_optimizer_step(%{{.*}}, %[[U]])

// -----
// Attributes where nobody expects them.
func.func @marked(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {amp.grad = [], amp.scope_id = 3 : i64} {
  %0 = linalg.matmul {amp.class = #amp.class<high>, amp.model_output, amp.grad = [""], amp.scope_id = -1 : i64, amp.function = ""} ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = arith.addf %0, %0 {amp.class = #amp.class<low, unit = 7>} : tensor<4x4xf32>
  %2 = amp.autocast {
    %3 = amp.autocast under #amp.policy<O4, patch_type = bf16, loss_scale = 1.0> {
      %4 = math.exp %1 : tensor<4x4xf32>
      amp.yield %4 : tensor<4x4xf32>
    } : tensor<4x4xf32>
    amp.yield %3 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
// ERROR: error: 'amp.autocast' op expected a policy with the module's half type 'f16', but got 'bf16'
