// RUN: amp-opt %s --amp-inline-helpers | FileCheck %s
// RUN: amp-opt %s --amp-inline-helpers --amp-inline-helpers | FileCheck %s

// A helper of a helper goes in as well, and both are gone.
// CHECK-LABEL: func @evaluate(
// CHECK-NOT:     call
// CHECK:         %[[Y:.*]] = arith.maximumf
// CHECK-NEXT:    return %[[Y]]
// CHECK-NOT:   @relu
// CHECK-NOT:   @maximum
func.func @evaluate(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %0 = call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @maximum(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @maximum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = arith.maximumf %x, %zero : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Near misses: what calls itself, through another too, what has no body or several
// blocks, and what has roles.
// CHECK-LABEL: func @others(
// CHECK:         call @itself
// CHECK:         call @even
// CHECK:         call @outside
// CHECK:         call @branches
// CHECK:         call @backward
func.func @others(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
                  %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
  %0 = call @itself(%w) : (tensor<f32>) -> tensor<f32>
  %1 = call @even(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @outside(%1) : (tensor<f32>) -> tensor<f32>
  %3 = call @branches(%2) : (tensor<f32>) -> tensor<f32>
  %4 = call @backward(%3, %seed) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
func.func private @itself(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @itself(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @even(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @odd(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @odd(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @even(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @outside(tensor<f32>) -> tensor<f32>
func.func private @branches(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<f32>
}
func.func private @backward(tensor<f32> {amp.role = "param", amp.name = "w"},
                            tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "grad", amp.name = "w"})

// A public helper is inlined and kept; a caller without roles keeps its call.
// CHECK-LABEL: func @twice(
// CHECK:         arith.addf
// CHECK-LABEL: func @plain(
// CHECK:         call @twice
// CHECK-LABEL: func @uses_twice(
// CHECK-NEXT:    arith.addf
func.func @twice(%x: tensor<f32>) -> tensor<f32> {
  %0 = arith.addf %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func @plain(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @twice(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @uses_twice(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) -> tensor<f32> {
  %0 = call @twice(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Helpers that call each other twice: copies up to a bound, calls beyond, and an answer
// at once. 2^20 copies otherwise.
// CHECK-LABEL: func @doubling(
// CHECK:         call @twice{{[0-9]+}}
func.func @doubling(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %0 = call @twice20(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// Near miss: the same two levels deep.
// CHECK-LABEL: func @doubled(
// CHECK-NOT:     call
// CHECK:         return
func.func @doubled(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                   %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %0 = call @twice2(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @twice0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @twice1(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice0(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice2(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice1(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice1(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice3(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice2(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice2(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice4(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice3(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice3(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice5(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice4(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice4(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice6(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice5(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice5(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice7(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice6(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice6(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice8(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice7(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice7(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice9(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice8(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice8(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice10(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice9(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice9(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice11(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice10(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice10(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice12(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice11(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice11(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice13(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice12(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice12(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice14(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice13(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice13(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice15(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice14(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice14(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice16(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice15(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice15(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice17(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice16(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice16(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice18(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice17(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice17(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice19(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice18(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice18(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice20(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice19(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice19(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// An origin's number counts in the function that it was written for. What is inlined
// twice, or has a number of its caller, is numbered anew: other operations of the
// framework. Near misses: another function with that number, and a number that the
// caller does not have.
// CHECK-LABEL: func @copies(
func.func @copies(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                  %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: arith.mulf {{.*}}amp.function = "torch.mul", amp.scope_id = 1 : i64
  %0 = arith.mulf %w, %x {amp.function = "torch.mul", amp.scope_id = 1 : i64} : tensor<4xf32>
  // CHECK: arith.mulf {{.*}}amp.function = "torch.mul", amp.scope_id = 0 : i64
  // CHECK: arith.mulf {{.*}}amp.function = "torch.mul", amp.scope_id = 0 : i64
  // CHECK: math.tanh {{.*}}amp.function = "torch.tanh", amp.scope_id = 1 : i64
  // CHECK: math.absf {{.*}}amp.function = "torch.abs", amp.scope_id = 7 : i64
  %1 = call @origins(%0) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: arith.mulf {{.*}}amp.function = "torch.mul", amp.scope_id = 2 : i64
  // CHECK: arith.mulf {{.*}}amp.function = "torch.mul", amp.scope_id = 2 : i64
  // CHECK: math.tanh {{.*}}amp.function = "torch.tanh", amp.scope_id = 3 : i64
  // CHECK: math.absf {{.*}}amp.function = "torch.abs", amp.scope_id = 4 : i64
  %2 = call @origins(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @origins(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %x, %x {amp.function = "torch.mul", amp.scope_id = 1 : i64} : tensor<4xf32>
  %1 = arith.mulf %0, %x {amp.function = "torch.mul", amp.scope_id = 1 : i64} : tensor<4xf32>
  %2 = math.tanh %1 {amp.function = "torch.tanh", amp.scope_id = 1 : i64} : tensor<4xf32>
  %3 = math.absf %2 {amp.function = "torch.abs", amp.scope_id = 7 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Halves stay together: in one copy, between a copy and the caller, and between copies
// of two helpers, the backward ones in the order of a backward pass.
// CHECK-LABEL: func @halves(
func.func @halves(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                  %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
                  %s: tensor<4xf32>)
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: math.exp {{.*}}amp.scope_id = 1 : i64
  // CHECK: math.exp {{.*}}amp.scope_id = 0 : i64
  %0 = call @forward(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @forward(%0) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: arith.mulf {{.*}}"backward", amp.scope_id = 0 : i64
  // CHECK: arith.mulf {{.*}}"backward", amp.scope_id = 1 : i64
  %2 = call @gradient(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @gradient(%2) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: math.tanh {{.*}}amp.scope_id = 2 : i64
  // CHECK: arith.subf {{.*}}"backward", amp.scope_id = 2 : i64
  // CHECK: math.tanh {{.*}}amp.scope_id = 3 : i64
  // CHECK: arith.subf {{.*}}"backward", amp.scope_id = 3 : i64
  %4 = call @both(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = call @both(%4) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: math.absf {{.*}}amp.scope_id = 4 : i64
  %6 = call @once(%5) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: arith.negf {{.*}}"backward", amp.scope_id = 4 : i64
  %7 = arith.negf %6 {amp.phase = "backward", amp.scope_id = 4 : i64} : tensor<4xf32>
  return %7 : tensor<4xf32>
}
func.func private @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x {amp.phase = "forward", amp.scope_id = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @gradient(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %x, %x {amp.phase = "backward", amp.scope_id = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @both(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.tanh %x {amp.phase = "forward", amp.scope_id = 2 : i64} : tensor<4xf32>
  %1 = arith.subf %0, %x {amp.phase = "backward", amp.scope_id = 2 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @once(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.absf %x {amp.phase = "forward", amp.scope_id = 4 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// As many forward halves as backward ones there are not: those go by themselves.
// CHECK-LABEL: func @halves_without_another(
func.func @halves_without_another(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
                                  %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: math.exp {{.*}}amp.scope_id = 1 : i64
  // CHECK: arith.mulf {{.*}}"backward", amp.scope_id = 0 : i64
  // CHECK: arith.mulf {{.*}}"backward", amp.scope_id = 2 : i64
  %0 = call @forward(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @gradient(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @gradient(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Operations of amp go where they are called.
amp.scaler @s {initial_scale = 4.0 : f64}
func.func private @unscaled(%g: tensor<4xf32>) -> tensor<4xf32> {
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> tensor<4xf32>
  amp.update_scale @s, %f
  return %u : tensor<4xf32>
}
func.func private @addedTwice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func @with_unscaling
// CHECK: amp.unscale
// CHECK-NEXT: amp.update_scale
func.func @with_unscaling(%g: tensor<4xf32> {amp.role = "grad", amp.name = "w"}) -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %u = call @unscaled(%g) : (tensor<4xf32>) -> tensor<4xf32>
  return %u : tensor<4xf32>
}
// Near miss: a region with a policy of its own takes in nothing that was written
// elsewhere; one that guards does.
// CHECK-LABEL: func.func @in_regions
// CHECK: amp.autocast
// CHECK-NEXT: func.call @addedTwice
// CHECK: amp.apply_if_finite
// CHECK-NEXT: arith.addf
func.func @in_regions(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %f: tensor<i1>) -> (tensor<4xf32> {amp.role = "output", amp.name = "y"}) {
  %a = amp.autocast {
    %y = func.call @addedTwice(%x) : (tensor<4xf32>) -> tensor<4xf32>
    amp.yield %y : tensor<4xf32>
  } : tensor<4xf32>
  %b = amp.apply_if_finite %f keep(%a) {
    %y = func.call @addedTwice(%a) : (tensor<4xf32>) -> tensor<4xf32>
    amp.yield %y : tensor<4xf32>
  } : tensor<4xf32>
  return %b : tensor<4xf32>
}
