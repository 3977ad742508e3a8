// RUN: amp-opt %s --amp-guard-updates --split-input-file | FileCheck %s
// Twice is as once.
// RUN: amp-opt %s --amp-guard-updates --split-input-file > %t.once
// RUN: amp-opt %t.once --amp-guard-updates --split-input-file | diff %t.once -
// RUN: amp-opt %s --amp-guard-updates=skip-on-overflow --split-input-file | FileCheck %s --check-prefix=SKIP
// RUN: amp-opt %s --amp-guard-updates=keep-finite-sums --split-input-file | FileCheck %s --check-prefix=SUMS

// Which states are kept on a skipped step, and by which overflows. Calls of optimizer
// steps: insert-loss-scaling.mlir and -several.mlir. That it is right is shown by
// running it: Integration/Host/guard-updates.test.

amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "output", amp.name = "update"})

// An update that is written out: its states are one unit, with the count that only
// stands beside them.
// CHECK-LABEL: func.func @written_out
// CHECK-SAME: %[[W:.*]]: tensor<4xf32> {{{[^}]*}}}, %[[M:.*]]: tensor<4xf32> {{{[^}]*}}}, %[[N:.*]]: tensor<i32> {{{[^}]*}}}, %[[S:.*]]: tensor<f32>
// CHECK-SAME: attributes {amp.updates_guarded}
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[M1:.*]] = arith.addf %[[M]], %[[U]]
// CHECK: %[[W1:.*]] = arith.subf %[[W]], %[[M1]]
// CHECK: amp.apply_if_finite %[[F]] keep(%[[W]], %[[M]])
// CHECK: arith.addi %[[N]]
// CHECK: amp.apply_if_finite %[[F]] keep(%[[N]])
// CHECK: return
func.func @written_out(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "w.m"},
                       %n: tensor<i32> {amp.role = "opt_state", amp.name = "n"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "opt_state", amp.name = "w.m"},
        tensor<i32> {amp.role = "opt_state", amp.name = "n"}) {
  %one = arith.constant dense<1> : tensor<i32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %m1 = arith.addf %m, %u : tensor<4xf32>
  %w1 = arith.subf %w, %m1 : tensor<4xf32>
  %n1 = arith.addi %n, %one : tensor<i32>
  return %w1, %m1, %n1 : tensor<4xf32>, tensor<4xf32>, tensor<i32>
}

// Buffers are not kept (the forward pass has updated them), nor is what is only shown.
// CHECK-LABEL: func.func @exempt
// CHECK-SAME: %[[W:.*]]: tensor<4xf32> {{{[^}]*}}}, %[[B:.*]]: tensor<4xf32>
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[NEW:.*]]:2 = call @step(%[[W]], %[[U]])
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite %[[F]] keep(%[[W]]) {
// CHECK-NEXT: amp.yield %[[NEW]]#0
// CHECK: %[[B1:.*]] = arith.addf %[[B]], %[[KEPT]]
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %[[KEPT]], %[[B1]], %[[NEW]]#1
func.func @exempt(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %b: tensor<4xf32> {amp.role = "buffer", amp.name = "ema"},
                  %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "buffer", amp.name = "ema"},
        tensor<4xf32> {amp.role = "output", amp.name = "update"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n:2 = call @step(%w, %u) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %b1 = arith.addf %b, %n#0 : tensor<4xf32>
  return %n#0, %b1, %n#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Near miss: nothing new, nothing kept.
// CHECK-LABEL: func.func @unchanged
// CHECK-NOT: amp.updates_guarded
// CHECK-NOT: amp.apply_if_finite
// CHECK: return
func.func @unchanged(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32>) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  return %w, %u : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two losses with an optimizer each, written out: each skips by itself, and the second
// model sees the first one's kept weights.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @d(tensor<4xf32> {amp.role = "param", amp.name = "d"}, tensor<f32> {amp.role = "loss_seed", amp.name = "d"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "d"})
func.func private @g(tensor<4xf32> {amp.role = "param", amp.name = "d"}, tensor<4xf32> {amp.role = "param", amp.name = "g"}, tensor<f32> {amp.role = "loss_seed", amp.name = "g"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "g"})
// CHECK-LABEL: func.func @independent
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[UD:.*]], %[[FD:.*]] = amp.unscale
// CHECK: %[[D1:.*]] = arith.subf %[[D]], %[[UD]]
// CHECK: %[[KD:.*]] = amp.apply_if_finite %[[FD]] keep(%[[D]])
// CHECK: call @g(%[[KD]], %[[G]],
// CHECK: %[[UG:.*]], %[[FG:.*]] = amp.unscale
// CHECK: %[[G1:.*]] = arith.subf %[[G]], %[[UG]]
// CHECK: %[[KG:.*]] = amp.apply_if_finite %[[FG]] keep(%[[G]])
// CHECK: return %[[KD]], %[[KG]]
func.func @independent(%d: tensor<4xf32> {amp.role = "param", amp.name = "d"}, %g: tensor<4xf32> {amp.role = "param", amp.name = "g"},
                       %sd: tensor<f32> {amp.role = "loss_seed", amp.name = "d"}, %sg: tensor<f32> {amp.role = "loss_seed", amp.name = "g"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "d"}, tensor<4xf32> {amp.role = "param", amp.name = "g"}) {
  %td = amp.scale_loss %sd using @s : tensor<f32>
  %gd = call @d(%d, %td) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %ud, %fd = amp.unscale %gd using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %fd
  %d1 = arith.subf %d, %ud : tensor<4xf32>
  %tg = amp.scale_loss %sg using @s : tensor<f32>
  %gg = call @g(%d1, %g, %tg) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %ug, %fg = amp.unscale %gg using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %fg
  %g1 = arith.subf %g, %ug : tensor<4xf32>
  return %d1, %g1 : tensor<4xf32>, tensor<4xf32>
}

// One count that both optimizers go by makes them one.
// CHECK-LABEL: func.func @shared_count
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[G:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[N:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %{{.*}}, %[[FD:.*]] = amp.unscale
// CHECK: %{{.*}}, %[[FG:.*]] = amp.unscale
// CHECK: %[[ANY:.*]] = arith.ori %[[FD]], %[[FG]]
// CHECK: %[[K:.*]]:3 = amp.apply_if_finite %[[ANY]] keep(%[[D]], %[[G]], %[[N]])
// CHECK: return %[[K]]#0, %[[K]]#1, %[[K]]#2
func.func @shared_count(%d: tensor<4xf32> {amp.role = "param", amp.name = "d"}, %g: tensor<4xf32> {amp.role = "param", amp.name = "g"},
                        %n: tensor<4xf32> {amp.role = "opt_state", amp.name = "n"},
                        %sd: tensor<f32> {amp.role = "loss_seed", amp.name = "d"}, %sg: tensor<f32> {amp.role = "loss_seed", amp.name = "g"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "d"}, tensor<4xf32> {amp.role = "param", amp.name = "g"},
        tensor<4xf32> {amp.role = "opt_state", amp.name = "n"}) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %n1 = arith.addf %n, %one : tensor<4xf32>
  %td = amp.scale_loss %sd using @s : tensor<f32>
  %gd = call @d(%d, %td) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %ud, %fd = amp.unscale %gd using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %fd
  %tg = amp.scale_loss %sg using @s : tensor<f32>
  %gg = call @g(%d, %g, %tg) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %ug, %fg = amp.unscale %gg using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %fg
  %ad = arith.divf %ud, %n1 : tensor<4xf32>
  %ag = arith.divf %ug, %n1 : tensor<4xf32>
  %d1 = arith.subf %d, %ad : tensor<4xf32>
  %g1 = arith.subf %g, %ag : tensor<4xf32>
  return %d1, %g1, %n1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The gradients that a round hands to the next bring that round's overflow.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
// CHECK-LABEL: func.func @pipelined
// CHECK: %[[U0:.*]], %[[F0:.*]] = amp.unscale
// CHECK: scf.for {{.*}} iter_args(%[[W:.*]] = %{{.*}}, %[[G:.*]] = %[[U0]], %[[F:.*]] = %[[F0]])
// CHECK: amp.apply_if_finite %[[F]] keep(%[[W]])
// CHECK: func.call @step(%[[W]], %[[G]])
// CHECK: %[[U1:.*]], %[[F1:.*]] = amp.unscale
// CHECK: scf.yield %{{.*}}, %[[U1]], %[[F1]]
func.func @pipelined(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%v = %w, %p = %u) -> (tensor<4xf32>, tensor<4xf32>) {
    %n = func.call @step(%v, %p) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %t1 = amp.scale_loss %s using @s : tensor<f32>
    %h = func.call @fb(%n, %t1) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %u1, %f1 = amp.unscale %h using @s : (tensor<4xf32>) -> (tensor<4xf32>)
    amp.update_scale @s, %f1
    scf.yield %n, %u1 : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}

// A gradient that one of two blocks computes: the block after them takes its overflow
// as an argument.
// CHECK-LABEL: func.func @blocks
// CHECK: cf.cond_br %{{.*}}, ^[[MORE:.*]], ^[[END:.*]](%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i1>)
// CHECK: ^[[MORE]]:
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: cf.br ^[[END]](%[[U]], %[[F]] : tensor<4xf32>, tensor<i1>)
// CHECK: ^[[END]](%[[G:.*]]: tensor<4xf32>, %[[ANY:.*]]: tensor<i1>):
// CHECK: %[[N:.*]] = arith.subf %{{.*}}, %[[G]]
// CHECK: amp.apply_if_finite %[[ANY]]
func.func @blocks(%c: i1, %w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %z: tensor<4xf32> {amp.role = "hyper", amp.name = "z"},
                  %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  cf.cond_br %c, ^more, ^end(%z : tensor<4xf32>)
^more:
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  cf.br ^end(%u : tensor<4xf32>)
^end(%p: tensor<4xf32>):
  %n = arith.subf %w, %p : tensor<4xf32>
  return %n : tensor<4xf32>
}

// A static scale never skips, unless asked for.
// CHECK-LABEL: func.func @static
// CHECK-NOT: amp.apply_if_finite
// CHECK: return
// SKIP-LABEL: func.func @static
// SKIP: amp.apply_if_finite
// SKIP: return
func.func @static(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @fixed : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @fixed : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @fixed, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n : tensor<4xf32>
}
amp.scaler @fixed {initial_scale = 128.0 : f64, static_scale}

// An accumulator from earlier calls is tested where it comes in. An infinity in it stays
// until the window ends, and is dropped there by what resets it. Where finite sums are kept,
// a bad gradient is not added, and the step has nothing to skip for.
// CHECK-LABEL: func.func @accumulator
// SKIP-LABEL: func.func @accumulator
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// CHECK: %[[BAD:.*]] = linalg.generic {{.*}} ins(%[[ACC]] : tensor<4xf32>) outs(%{{.*}} : tensor<i1>)
// CHECK: arith.subf
// CHECK: arith.cmpf uno
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[SUM:.*]] = arith.addf %[[ACC]], %[[U]]
// CHECK: %[[ANY:.*]] = arith.ori %[[BAD]], %[[F]]
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK: amp.apply_if_finite %[[ANY]]
// CHECK: func.call @step(%{{.*}}, %[[SUM]])
// CHECK: %[[REST:.*]] = arith.subf %[[SUM]], %[[SUM]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK: %[[CLEAR:.*]] = amp.apply_if_finite %[[ANY]] keep(%[[ZERO]]) {
// CHECK-NEXT: amp.yield %[[REST]]
// CHECK: scf.yield %{{.*}}, %[[CLEAR]] :
// CHECK: scf.yield %{{.*}}, %[[SUM]] :
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %[[R]]#0, %[[R]]#1
// SUMS-LABEL: func.func @accumulator
// SUMS-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// SUMS: %[[U:.*]], %[[F:.*]] = amp.unscale
// SUMS: %[[SUM:.*]] = arith.addf %[[ACC]], %[[U]]
// SUMS: %[[KEPT:.*]] = amp.apply_if_finite %[[F]] keep(%[[ACC]])
// SUMS: scf.if
// SUMS-NEXT: func.call @step(%{{.*}}, %[[KEPT]])
// SUMS-NOT: amp.apply_if_finite
// SUMS: return
func.func @accumulator(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                       %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %last: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = arith.addf %acc, %u : tensor<4xf32>
  %n, %a = scf.if %last -> (tensor<4xf32>, tensor<4xf32>) {
    %m = func.call @step(%w, %sum) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %rest = arith.subf %sum, %sum : tensor<4xf32>
    scf.yield %m, %rest : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %w, %sum : tensor<4xf32>, tensor<4xf32>
  }
  return %n, %a : tensor<4xf32>, tensor<4xf32>
}

// The sum is mapped: left out of it as well.
// SUMS-LABEL: func.func @mapped_sum
// SUMS-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// SUMS: %[[U:.*]], %[[F:.*]] = amp.unscale
// SUMS: linalg.map { arith.addf } ins(%[[ACC]], %[[U]]
// SUMS: %[[KEPT:.*]] = amp.apply_if_finite %[[F]] keep(%[[ACC]])
// SUMS-NOT: amp.apply_if_finite
// SUMS: return %{{.*}}, %[[KEPT]]
func.func @mapped_sum(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                      %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.empty() : tensor<4xf32>
  %sum = linalg.map { arith.addf } ins(%acc, %u : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  %n = call @step(%w, %sum) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// What is subtracted is left out as well.
// SUMS-LABEL: func.func @subtracted
// SUMS-SAME: %[[ACC:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "accumulator"}
// SUMS: %[[U:.*]], %[[F:.*]] = amp.unscale
// SUMS: %[[SUM:.*]] = arith.subf %[[ACC]], %[[U]]
// SUMS: %[[KEPT:.*]] = amp.apply_if_finite %[[F]] keep(%[[ACC]]) {
// SUMS-NEXT: amp.yield %[[SUM]]
// SUMS: call @step(%{{.*}}, %[[KEPT]])
// SUMS-NOT: amp.apply_if_finite
// SUMS: return %{{.*}}, %[[KEPT]]
func.func @subtracted(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                      %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = arith.subf %acc, %u : tensor<4xf32>
  %n = call @step(%w, %sum) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n, %sum : tensor<4xf32>, tensor<4xf32>
}

// Two branches, each with a step, and a count of steps that goes with both: the
// second hands on what the first gave, and both come to say whether they skipped.
// CHECK-LABEL: func.func @branch_after_branch
// CHECK: %[[A:.*]]:2 = scf.if
// CHECK: %[[B:.*]]:2 = scf.if
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i1>
// CHECK: scf.yield %[[A]]#0, %[[A]]#1 : tensor<4xf32>, tensor<i1>
// CHECK: arith.addi
// CHECK: amp.apply_if_finite %{{.*}} keep(
// CHECK: return
func.func @branch_after_branch(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                               %n: tensor<i32> {amp.role = "opt_state", amp.name = "n"}, %c: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i32> {amp.role = "opt_state", amp.name = "n"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %w1 = scf.if %c -> (tensor<4xf32>) {
    %k = func.call @step(%w, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  %t1 = amp.scale_loss %s using @s : tensor<f32>
  %g1 = call @fb(%w1, %t1) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %g1 using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %w2 = scf.if %c -> (tensor<4xf32>) {
    %k = func.call @step(%w1, %u1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  } else {
    scf.yield %w1 : tensor<4xf32>
  }
  %one = arith.constant dense<1> : tensor<i32>
  %n1 = arith.addi %n, %one : tensor<i32>
  return %w2, %n1 : tensor<4xf32>, tensor<i32>
}

// Two steps that skip by themselves, one in a branch, which carries its half parameter
// in f32: that one goes with its own gradients alone.
func.func private @half_step(tensor<4xf16> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf16> {amp.role = "param", amp.name = "w"})
// CHECK-LABEL: func.func @half_in_a_branch
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %{{.*}}, %[[G:.*]] = amp.unscale
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<4xf32>, tensor<i1>) {
// CHECK: amp.apply_if_finite %[[F]]
// CHECK: scf.yield %{{.*}}, %[[F]] : tensor<4xf32>, tensor<i1>
// CHECK: %[[H:.*]] = amp.cast %[[R]]#0
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite %[[R]]#1 keep(%{{.*}}) {
// CHECK-NEXT: amp.yield %[[H]]
// CHECK: amp.apply_if_finite %[[G]]
// CHECK: return %[[KEPT]],
func.func @half_in_a_branch(%w: tensor<4xf16> {amp.role = "param", amp.name = "w"}, %v: tensor<4xf32> {amp.role = "param", amp.name = "v"},
                            %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %c: i1)
    -> (tensor<4xf16> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "param", amp.name = "v"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%x, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %t1 = amp.scale_loss %s using @s : tensor<f32>
  %g1 = call @fb(%x, %t1) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %g1 using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %wide = amp.cast %w : tensor<4xf16> to tensor<4xf32>
  %r = scf.if %c -> (tensor<4xf32>) {
    %k = func.call @half_step(%w, %u) : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf16>
    %kw = amp.cast %k : tensor<4xf16> to tensor<4xf32>
    scf.yield %kw : tensor<4xf32>
  } else {
    scf.yield %wide : tensor<4xf32>
  }
  %h = amp.cast %r : tensor<4xf32> to tensor<4xf16>
  %n = arith.subf %v, %u1 : tensor<4xf32>
  return %h, %n : tensor<4xf16>, tensor<4xf32>
}

// A loop whose gradients are used by the next round, and an update in a branch: the
// model is called with what the round kept, so that its overflow ends with it.
// CHECK-LABEL: func.func @pipelined_branch
// CHECK: scf.for
// CHECK: %[[R:.*]]:2 = scf.if
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite %[[R]]#1
// CHECK: func.call @fb(%[[KEPT]]
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK-NOT: arith.ori
// CHECK: scf.yield %[[KEPT]], %[[U]], %[[F]]
func.func @pipelined_branch(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %c: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %w, %h = %u) -> (tensor<4xf32>, tensor<4xf32>) {
    %k = scf.if %c -> (tensor<4xf32>) {
      %n = arith.subf %v, %h : tensor<4xf32>
      scf.yield %n : tensor<4xf32>
    } else {
      scf.yield %v : tensor<4xf32>
    }
    %t1 = amp.scale_loss %s using @s : tensor<f32>
    %g1 = func.call @fb(%k, %t1) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %u1, %f1 = amp.unscale %g1 using @s : (tensor<4xf32>) -> (tensor<4xf32>)
    amp.update_scale @s, %f1
    scf.yield %k, %u1 : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}

// Rounds of scf.forall hand on a slice each, without a result of their own. Near miss:
// what no gradient comes into is not looked at.
// CHECK-LABEL: func.func @forall
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[N:.*]] = scf.forall
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite %[[F]] keep(%[[W]]) {
// CHECK-NEXT: amp.yield %[[N]]
// CHECK: %[[X:.*]] = scf.forall
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %[[KEPT]], %[[X]]
func.func @forall(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                  %b: tensor<4xf32> {amp.role = "buffer", amp.name = "b"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "buffer", amp.name = "b"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = scf.forall (%i) in (4) shared_outs(%o = %w) -> (tensor<4xf32>) {
    %p = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %q = tensor.extract_slice %u[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %d = arith.subf %p, %q : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %x = scf.forall (%i) in (4) shared_outs(%o = %b) -> (tensor<4xf32>) {
    %p = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %d = arith.addf %p, %p : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %n, %x : tensor<4xf32>, tensor<4xf32>
}

// A state that takes another's old value: each keeps its own, and the old value stays
// what it is elsewhere. A loss that is a state too is reported as it is.
// CHECK-LABEL: func.func @old_value
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[M:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[N:.*]] = arith.subf %[[W]], %[[U]]
// CHECK: %[[KEPT:.*]]:2 = amp.apply_if_finite %[[F]] keep(%[[W]], %[[M]]) {
// CHECK-NEXT: amp.yield %[[N]], %[[W]]
// CHECK: return %[[KEPT]]#0, %[[KEPT]]#1, %[[W]]
func.func @old_value(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "m"},
                     %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "opt_state", amp.name = "m"}, tensor<4xf32> {amp.role = "output", amp.name = "o"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n, %w, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A state that takes another's new value, which a called step has kept: it keeps its
// own. Near miss: the other is not kept twice.
// CHECK-LABEL: func.func @new_value
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[M:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[N:.*]] = amp.apply_if_finite %[[F]] keep(%[[W]])
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite %[[F]] keep(%[[M]]) {
// CHECK-NEXT: amp.yield %[[N]]
// CHECK: return %[[N]], %[[KEPT]]
func.func @new_value(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "m"},
                     %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "opt_state", amp.name = "m"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = call @step(%w, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n, %n : tensor<4xf32>, tensor<4xf32>
}

// The second optimizer's backward pass is called with what is made of the kept weights:
// it skips by its own gradients alone.
func.func private @second(tensor<4xf16> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "param", amp.name = "v"}, tensor<f32> {amp.role = "loss_seed", amp.name = "k"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "v"})
// CHECK-LABEL: func.func @at_kept_weights
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite %[[F]]
// CHECK: %[[HALF:.*]] = amp.cast %[[KEPT]]
// CHECK: call @second(%[[HALF]]
// CHECK: %{{.*}}, %[[G:.*]] = amp.unscale
// CHECK-NOT: arith.ori
// CHECK: amp.apply_if_finite %[[G]] keep(
// CHECK: return
func.func @at_kept_weights(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %v: tensor<4xf32> {amp.role = "param", amp.name = "v"},
                           %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: tensor<f32> {amp.role = "loss_seed", amp.name = "k"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "param", amp.name = "v"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  %h = amp.cast %n : tensor<4xf32> to tensor<4xf16>
  %t1 = amp.scale_loss %k using @s : tensor<f32>
  %g1 = call @second(%h, %v, %t1) : (tensor<4xf16>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u1, %f1 = amp.unscale %g1 using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f1
  %nv = arith.subf %v, %u1 : tensor<4xf32>
  return %n, %nv : tensor<4xf32>, tensor<4xf32>
}

// -----

// A window that ends in a branch, with selects, in blocks, in a switch: until it ends a
// bad sum goes on, and where it does the program has zeros.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
// CHECK-LABEL: func.func @window_in_a_branch
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[ANY:.*]] = arith.ori
// CHECK: %[[R:.*]]:4 = scf.if
// CHECK: %[[N:.*]] = arith.subf %[[W]], %[[SUM]]
// CHECK: scf.yield %[[N]], %[[ZERO:.*]], %[[ANY]], %[[F:.*]] :
// CHECK: scf.yield %[[W]], %[[SUM]], %{{.*}}, %[[ANY]] :
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite %[[R]]#2 keep(%[[W]]) {
// CHECK-NEXT: amp.yield %[[R]]#0
// CHECK: return %[[KEPT]], %[[R]]#1
func.func @window_in_a_branch(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
    %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %last: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = arith.addf %acc, %u : tensor<4xf32>
  %n, %a = scf.if %last -> (tensor<4xf32>, tensor<4xf32>) {
    %k = arith.subf %w, %sum : tensor<4xf32>
    scf.yield %k, %zero : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %w, %sum : tensor<4xf32>, tensor<4xf32>
  }
  return %n, %a : tensor<4xf32>, tensor<4xf32>
}

// A step that is called on every call and taken at the window's end: its guard is all
// that the state needs.
// CHECK-LABEL: func.func @window_of_selects
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[K:.*]] = amp.apply_if_finite
// CHECK: %[[N:.*]] = arith.select %{{.*}}, %[[K]],
// CHECK: %[[A:.*]] = arith.select %{{.*}}, %{{.*}}, %[[SUM]]
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %[[N]], %[[A]]
func.func @window_of_selects(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
    %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %last: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = arith.addf %acc, %u : tensor<4xf32>
  %k = call @step(%w, %sum) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = arith.select %last, %k, %w : tensor<4xf32>
  %a = arith.select %last, %zero, %sum : tensor<4xf32>
  return %n, %a : tensor<4xf32>, tensor<4xf32>
}

// Blocks: the new weights and the sum have predicates of their own.
// CHECK-LABEL: func.func @window_in_blocks
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[ANY:.*]] = arith.ori
// CHECK: ^bb1:
// CHECK: %[[K:.*]] = arith.subf %[[W]],
// CHECK: cf.br ^[[END:.*]](%[[K]], %{{.*}}, %[[ANY]]
// CHECK: ^[[END]](%[[N:.*]]: tensor<4xf32>, %[[A:.*]]: tensor<4xf32>, %[[BAD:[a-z0-9]+]]: tensor<i1>
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite %[[BAD]] keep(%[[W]]) {
// CHECK-NEXT: amp.yield %[[N]]
// CHECK: return %[[KEPT]], %[[A]]
func.func @window_in_blocks(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
    %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %last: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = arith.addf %acc, %u : tensor<4xf32>
  cf.cond_br %last, ^step, ^end(%w, %sum : tensor<4xf32>, tensor<4xf32>)
^step:
  %k = arith.subf %w, %sum : tensor<4xf32>
  cf.br ^end(%k, %zero : tensor<4xf32>, tensor<4xf32>)
^end(%n: tensor<4xf32>, %a: tensor<4xf32>):
  return %n, %a : tensor<4xf32>, tensor<4xf32>
}

// A switch becomes branches. Near miss: one without results stays.
// CHECK-LABEL: func.func @window_in_a_switch
// CHECK: scf.index_switch %{{.*}}
// CHECK-NEXT: case 1 {
// CHECK: %[[R:.*]]:{{.*}} = scf.if
// CHECK: amp.apply_if_finite
// CHECK-NOT: scf.index_switch
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @window_in_a_switch(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
    %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %last: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = arith.addf %acc, %u : tensor<4xf32>
  scf.index_switch %last
  case 1 {
    scf.yield
  }
  default {
  }
  %n, %a = scf.index_switch %last -> tensor<4xf32>, tensor<4xf32>
  case 1 {
    %k = func.call @step(%w, %sum) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %k, %zero : tensor<4xf32>, tensor<4xf32>
  }
  default {
    scf.yield %w, %sum : tensor<4xf32>, tensor<4xf32>
  }
  return %n, %a : tensor<4xf32>, tensor<4xf32>
}

// A count that decides where the window ends goes on with the window, also when that is
// dropped. Near miss: @written_out, where it only counts.
// CHECK-LABEL: func.func @window_count
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[N:.*]] = arith.addi
// CHECK: scf.if
// CHECK: amp.apply_if_finite %{{.*}} keep(%[[W]]) {
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %{{.*}}, %{{.*}}, %[[N]]
func.func @window_count(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                        %acc: tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, %n: tensor<i32> {amp.role = "opt_state", amp.name = "n"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "accumulator", amp.name = "w"}, tensor<i32> {amp.role = "opt_state", amp.name = "n"}) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %one = arith.constant dense<1> : tensor<i32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %sum = arith.addf %acc, %u : tensor<4xf32>
  %n1 = arith.addi %n, %one : tensor<i32>
  %at = tensor.extract %n1[] : tensor<i32>
  %last = arith.trunci %at : i32 to i1
  %w1, %a = scf.if %last -> (tensor<4xf32>, tensor<4xf32>) {
    %k = arith.subf %w, %sum : tensor<4xf32>
    scf.yield %k, %zero : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %w, %sum : tensor<4xf32>, tensor<4xf32>
  }
  return %w1, %a, %n1 : tensor<4xf32>, tensor<4xf32>, tensor<i32>
}

// A buffer that a gradient is put away in is a state of the step that reads it. Near
// miss: @exempt, an average of weights.
// CHECK-LABEL: func.func @gradient_in_a_buffer
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {{{[^}]*}}}, %[[P:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[N:.*]] = arith.subf %[[W]], %[[P]]
// CHECK: %[[KEPT:.*]]:2 = amp.apply_if_finite %[[F]] keep(%[[W]], %[[P]]) {
// CHECK-NEXT: amp.yield %[[N]], %[[U]]
// CHECK: return %[[KEPT]]#0, %[[KEPT]]#1
func.func @gradient_in_a_buffer(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %p: tensor<4xf32> {amp.role = "buffer", amp.name = "p"},
                                %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "buffer", amp.name = "p"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = arith.subf %w, %p : tensor<4xf32>
  return %n, %u : tensor<4xf32>, tensor<4xf32>
}

// So is a random state, and a learning rate that is given to the next call, by a
// gradient or counted. Near misses: a random state that is only drawn from, a learning
// rate that is handed on as it is, and one that no call is given, which is what it is.
// CHECK-LABEL: func.func @rates_and_random_states
// CHECK-SAME: %[[H:[a-z0-9]+]]: tensor<4xf32> {amp.name = "h"
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[N:.*]] = amp.apply_if_finite %[[F]]
// CHECK: %[[R:.*]] = amp.apply_if_finite %[[F]]
// CHECK: %[[K1:.*]] = arith.mulf
// CHECK-NEXT: %[[K:.*]] = amp.apply_if_finite %[[F]]
// CHECK-NEXT: amp.yield %[[K1]]
// CHECK: %[[P1:.*]] = arith.addf %{{.*}}, %[[U]]
// CHECK-NEXT: %[[P:.*]] = amp.apply_if_finite %[[F]]
// CHECK-NEXT: amp.yield %[[P1]]
// CHECK: %[[D:.*]] = arith.mulf
// CHECK-NEXT: %[[TOLD:.*]] = arith.negf %[[U]]
// CHECK-NEXT: return %[[N]], %[[R]], %[[K]], %[[P]], %[[D]], %[[H]], %[[TOLD]] :
func.func @rates_and_random_states(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                                   %r: tensor<4xf32> {amp.role = "hyper", amp.name = "r"}, %k: tensor<4xf32> {amp.role = "hyper", amp.name = "k"},
                                   %p: tensor<4xf32> {amp.role = "rng", amp.name = "p"}, %d: tensor<4xf32> {amp.role = "rng", amp.name = "d"},
                                   %h: tensor<4xf32> {amp.role = "hyper", amp.name = "h"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "hyper", amp.name = "r"}, tensor<4xf32> {amp.role = "hyper", amp.name = "k"},
        tensor<4xf32> {amp.role = "rng", amp.name = "p"}, tensor<4xf32> {amp.role = "rng", amp.name = "d"}, tensor<4xf32> {amp.role = "hyper", amp.name = "h"},
        tensor<4xf32> {amp.role = "hyper", amp.name = "told"}) {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  %r1 = arith.addf %r, %u : tensor<4xf32>
  %k1 = arith.mulf %k, %half : tensor<4xf32>
  %p1 = arith.addf %p, %u : tensor<4xf32>
  %d1 = arith.mulf %d, %half : tensor<4xf32>
  %told = arith.negf %u : tensor<4xf32>
  return %n, %r1, %k1, %p1, %d1, %h, %told : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Assertions on gradients hold where one overflowed: else the run would end where the
// step is skipped. Near miss: one on the new parameter, which is kept, and one on a loss.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "l"})
func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
// CHECK-LABEL: func.func @checked
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[SMALL:.*]] = arith.cmpf olt
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK: %[[HOLDS:.*]] = arith.ori %[[SMALL]], %[[FOUND]]
// CHECK: cf.assert %[[HOLDS]], "gradient"
// CHECK: scf.if %[[SMALL]] {
// CHECK: %[[NEVER:.*]] = arith.ori %{{.*}}, %{{.*}} : i1
// CHECK: cf.assert %[[NEVER]], "branch"
// CHECK: %[[L:.*]] = arith.cmpf olt
// CHECK-NEXT: cf.assert %[[L]], "loss"
// CHECK: amp.apply_if_finite %[[F]]
// CHECK: %[[W:.*]] = arith.cmpf olt
// CHECK-NEXT: cf.assert %[[W]], "parameter"
func.func @checked(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %big = arith.constant 1.0e+03 : f32
  %false = arith.constant false
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g, %l = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %ge = tensor.extract %u[%c0] : tensor<4xf32>
  %gc = arith.cmpf olt, %ge, %big : f32
  cf.assert %gc, "gradient"
  scf.if %gc {
    cf.assert %false, "branch"
  }
  %le = tensor.extract %l[] : tensor<f32>
  %lc = arith.cmpf olt, %le, %big : f32
  cf.assert %lc, "loss"
  %n = call @step(%w, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ne = tensor.extract %n[%c0] : tensor<4xf32>
  %nc = arith.cmpf olt, %ne, %big : f32
  cf.assert %nc, "parameter"
  return %n : tensor<4xf32>
}

// -----

// One answer of all ranks for two unscalings: both steps take it, behind the last of
// those.
amp.scaler @s {initial_scale = 1024.0 : f64}
amp.scaler @t {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
// CHECK-LABEL: func.func @agreed
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[V:.*]], %[[K:.*]] = amp.unscale
// CHECK-NEXT: %[[ANY:.*]] = arith.ori %[[F]], %[[K]]
// CHECK-NEXT: %[[ALL:.*]] = amp.all_reduce_found_inf %[[ANY]]
// CHECK: amp.apply_if_finite %[[ALL]]
// CHECK: amp.apply_if_finite %[[ALL]]
// CHECK-NOT: arith.ori
// CHECK: return
func.func @agreed(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %a = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %a) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  %b = amp.scale_loss %s using @t : tensor<f32>
  %h = call @fb(%w, %b) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %v, %k = amp.unscale %h using @t : (tensor<4xf32>) -> (tensor<4xf32>)
  %m = call @step(%w, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = call @step(%m, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %any = arith.ori %f, %k : tensor<i1>
  %all = amp.all_reduce_found_inf %any
  amp.update_scale @s, %all
  amp.update_scale @t, %all
  return %n : tensor<4xf32>
}

// -----

// Loops that a gradient ends, end where it overflowed: it may keep them from ending.
// Near miss: one that data ends, and a helper that goes round as often for any gradient.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @endless(%g: tensor<4xf32>) -> (tensor<4xf32>, i32) {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 0.1 : f32
  %n = arith.constant 1 : i32
  cf.br ^head(%g : tensor<4xf32>)
^head(%a: tensor<4xf32>):
  %f = tensor.extract %a[%c0] : tensor<4xf32>
  %more = arith.cmpf ogt, %f, %limit : f32
  %b = arith.subf %a, %g : tensor<4xf32>
  cf.cond_br %more, ^head(%b : tensor<4xf32>), ^end
^end:
  return %a, %n : tensor<4xf32>, i32
}
func.func private @twice(%g: tensor<4xf32>) -> tensor<4xf32> {
  %false = arith.constant false
  %true = arith.constant true
  cf.br ^head(%g, %true : tensor<4xf32>, i1)
^head(%a: tensor<4xf32>, %more: i1):
  %b = arith.addf %a, %g : tensor<4xf32>
  cf.cond_br %more, ^head(%b, %false : tensor<4xf32>, i1), ^end
^end:
  return %b : tensor<4xf32>
}
// CHECK-LABEL: func.func @loops
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: scf.while
// CHECK: %[[MORE:.*]] = arith.cmpf ogt
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK: %[[ON:.*]] = arith.select %[[FOUND]], %false{{.*}}, %[[MORE]] : i1
// CHECK: scf.condition(%[[ON]])
// CHECK: scf.while
// CHECK: %[[DATA:.*]] = arith.cmpf ogt
// CHECK-NEXT: scf.condition(%[[DATA]])
// CHECK: %[[COUNT:.*]] = arith.index_cast
// CHECK: %[[FOUND2:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: %[[END:.*]] = arith.select %[[FOUND2]], %c0, %[[COUNT]]
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[END]] step %c2
// CHECK: %[[FOUND3:.*]] = tensor.extract %[[F]][]
// CHECK: scf.if %[[FOUND3]] -> (tensor<4xf32>, i32) {
// CHECK: scf.yield %{{.*}}, %c0_i32
// CHECK: } else {
// CHECK: func.call @endless
// CHECK: call @twice
// CHECK-NOT: scf.if
// CHECK: amp.apply_if_finite %[[F]]
func.func @loops(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                 %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %limit = arith.constant 0.1 : f32
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %a = scf.while (%b = %u) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.extract %b[%c0] : tensor<4xf32>
    %more = arith.cmpf ogt, %e, %limit : f32
    scf.condition(%more) %b : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %h = arith.mulf %b, %half : tensor<4xf32>
    scf.yield %h : tensor<4xf32>
  }
  %y:2 = scf.while (%b = %x, %v = %a) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.extract %b[%c0] : tensor<4xf32>
    %more = arith.cmpf ogt, %e, %limit : f32
    scf.condition(%more) %b, %v : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>, %v: tensor<4xf32>):
    %h = arith.mulf %b, %half : tensor<4xf32>
    %k = arith.addf %v, %v : tensor<4xf32>
    scf.yield %h, %k : tensor<4xf32>, tensor<4xf32>
  }
  %e = tensor.extract %y#1[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %count = arith.index_cast %i : i32 to index
  %m = scf.for %j = %c0 to %count step %c2 iter_args(%v = %w) -> (tensor<4xf32>) {
    %k = arith.subf %v, %half : tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  }
  %p:2 = call @endless(%u) : (tensor<4xf32>) -> (tensor<4xf32>, i32)
  %q = call @twice(%p#0) : (tensor<4xf32>) -> tensor<4xf32>
  %n = arith.subf %m, %q : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// Loops in the bodies of structured operations. Near miss: a loop that an element of data ends.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
// CHECK-LABEL: func.func @bodies
// CHECK: %[[U:.*]], %[[F:.*]] = amp.unscale
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: linalg.generic
// CHECK: %[[MORE:.*]] = arith.cmpf ogt
// CHECK: %[[ON:.*]] = arith.select %[[FOUND]], %false{{.*}}, %[[MORE]] : i1
// CHECK: scf.condition(%[[ON]])
// CHECK: linalg.generic
// CHECK: %[[DATA:.*]] = arith.cmpf ogt
// CHECK-NEXT: scf.condition(%[[DATA]])
// CHECK: amp.apply_if_finite %[[F]]
func.func @bodies(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                  %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %limit = arith.constant 0.1 : f32
  %half = arith.constant 0.5 : f32
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %init = tensor.empty() : tensor<4xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%u : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = scf.while (%b = %a) : (f32) -> f32 {
      %more = arith.cmpf ogt, %b, %limit : f32
      scf.condition(%more) %b : f32
    } do {
    ^bb0(%b: f32):
      %k = arith.mulf %b, %half : f32
      scf.yield %k : f32
    }
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%h, %x : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%v: f32, %a: f32, %o: f32):
    %r = scf.while (%b = %a) : (f32) -> f32 {
      %more = arith.cmpf ogt, %b, %limit : f32
      scf.condition(%more) %b : f32
    } do {
    ^bb0(%b: f32):
      %k = arith.mulf %b, %half : f32
      scf.yield %k : f32
    }
    %p = arith.mulf %r, %v : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  %n = arith.subf %w, %q : tensor<4xf32>
  return %n : tensor<4xf32>
}

// A loop in a body that an element counts, and a helper that one may keep from ending.
// Near miss: a loop that data counts.
func.func private @round(%a: f32) -> f32 {
  %limit = arith.constant 0.1 : f32
  cf.br ^head(%a : f32)
^head(%b: f32):
  %more = arith.cmpf ogt, %b, %limit : f32
  %c = arith.subf %b, %limit : f32
  cf.cond_br %more, ^head(%c : f32), ^end
^end:
  return %b : f32
}
// CHECK-LABEL: func.func @counted_bodies
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: linalg.generic
// CHECK: %[[COUNT:.*]] = arith.index_cast
// CHECK: %[[END:.*]] = arith.select %[[FOUND]], %c0, %[[COUNT]] : index
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[END]] step %c1
// CHECK: scf.for %{{.*}} = %c0 to %[[K:[a-z0-9]+]] step %c1
// CHECK: scf.if %[[FOUND]] -> (f32) {
// CHECK: } else {
// CHECK-NEXT: func.call @round
// CHECK: linalg.yield
func.func @counted_bodies(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %init = tensor.empty() : tensor<4xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%u : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = arith.fptosi %a : f32 to i32
    %count = arith.index_cast %i : i32 to index
    %x = scf.for %j = %c0 to %count step %c1 iter_args(%v = %a) -> (f32) {
      %n = arith.mulf %v, %half : f32
      scf.yield %n : f32
    }
    %y = scf.for %j = %c0 to %k step %c1 iter_args(%v = %x) -> (f32) {
      %n = arith.mulf %v, %half : f32
      scf.yield %n : f32
    }
    %z = func.call @round(%y) : (f32) -> f32
    linalg.yield %z : f32
  } -> tensor<4xf32>
  %n = arith.subf %w, %h : tensor<4xf32>
  return %n : tensor<4xf32>
}

// Where an overflow came in, integers are divided by 1 and places are the first.
// Near miss: the same by data.
// CHECK-LABEL: func.func @hazards
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[I:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK-NEXT: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[BY:.*]] = arith.select %[[FOUND]], %[[ONE]], %[[I]] : i32
// CHECK-NEXT: arith.divsi %{{.*}}, %[[BY]]
// CHECK-NEXT: arith.remui %{{.*}}, %[[K:[a-z0-9]+]] : i32
// CHECK: %[[AT:.*]] = arith.index_cast %[[I]]
// CHECK: %[[FOUND2:.*]] = tensor.extract %[[F]][]
// CHECK: %[[PLACE:.*]] = arith.select %[[FOUND2]], %{{.*}}, %[[AT]] : index
// CHECK-NEXT: tensor.extract %{{.*}}[%[[PLACE]]]
// CHECK: %[[PLACE2:.*]] = arith.select %{{.*}}, %{{.*}}, %[[AT]] : index
// CHECK-NEXT: tensor.extract_slice %{{.*}}[%[[PLACE2]]] [2] [1]
// CHECK-NEXT: tensor.extract %{{.*}}[%[[J:[a-z0-9]+]]]
// CHECK: %[[INTS:.*]] = arith.fptosi %{{.*}} : tensor<4xf32> to tensor<4xi32>
// CHECK: %[[ONES:.*]] = arith.constant dense<1> : tensor<4xi32>
// CHECK-NEXT: %[[NAMED:.*]] = arith.select %{{.*}}, %[[ONES]], %[[INTS]]
// CHECK-NEXT: linalg.div ins(%{{.*}}, %[[NAMED]] :
// CHECK: %[[FOUND3:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: linalg.generic
// CHECK: ^bb0(%[[V:.*]]: i32, %{{.*}}: i32)
// CHECK: %[[BY3:.*]] = arith.select %[[FOUND3]], %{{.*}}, %[[V]] : i32
// CHECK-NEXT: arith.remsi %{{.*}}, %[[BY3]]
// CHECK: amp.apply_if_finite %[[F]]
func.func @hazards(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                   %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %k: i32, %j: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : i32
  %hundreds = arith.constant dense<100> : tensor<4xi32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %q = arith.divsi %c100, %i : i32
  %r = arith.remui %q, %k : i32
  %at = arith.index_cast %i : i32 to index
  %a = tensor.extract %x[%at] : tensor<4xf32>
  %b = tensor.extract_slice %x[%at] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %c = tensor.extract %b[%j] : tensor<2xf32>
  %ints = arith.fptosi %u : tensor<4xf32> to tensor<4xi32>
  %init = tensor.empty() : tensor<4xi32>
  %d = linalg.div ins(%hundreds, %ints : tensor<4xi32>, tensor<4xi32>) outs(%init : tensor<4xi32>) -> tensor<4xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%ints : tensor<4xi32>) outs(%d : tensor<4xi32>) {
  ^bb0(%v: i32, %o: i32):
    %rest = arith.remsi %o, %v : i32
    linalg.yield %rest : i32
  } -> tensor<4xi32>
  %back = arith.sitofp %m : tensor<4xi32> to tensor<4xf32>
  %rf = arith.sitofp %r : i32 to f32
  %ac = arith.addf %a, %c : f32
  %sum = arith.addf %ac, %rf : f32
  %p = tensor.insert %sum into %back[%c0] : tensor<4xf32>
  %n = arith.subf %w, %p : tensor<4xf32>
  return %n : tensor<4xf32>
}

// An infinity becomes the least integer, which has no quotient by -1: a signed division
// whose dividend overflowed is by 1 as well, also in a body and under a name. Near misses:
// without a sign, and by a constant that is not -1.
// CHECK-LABEL: func.func @least_by_minus_one
// CHECK-SAME: %[[K:[a-z0-9]+]]: i32, %[[KS:[a-z0-9]+]]: tensor<4xi32>
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[MINUS:.*]] = arith.constant -1 : i32
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[I:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK: %[[BY:.*]] = arith.select %{{.*}}, %{{.*}}, %[[K]] : i32
// CHECK-NEXT: arith.divsi %[[I]], %[[BY]]
// CHECK: %[[BY2:.*]] = arith.select %{{.*}}, %{{.*}}, %[[K]] : i32
// CHECK-NEXT: arith.remsi %[[I]], %[[BY2]]
// CHECK: %[[BY3:.*]] = arith.select %{{.*}}, %{{.*}}, %[[K]] : i32
// CHECK-NEXT: arith.floordivsi %[[I]], %[[BY3]]
// CHECK: %[[BY4:.*]] = arith.select %{{.*}}, %{{.*}}, %[[MINUS]] : i32
// CHECK-NEXT: arith.ceildivsi %[[I]], %[[BY4]]
// CHECK-NEXT: arith.divsi %[[I]], %[[THREE]]
// CHECK-NEXT: arith.divui %[[I]], %[[K]]
// CHECK-NEXT: arith.remui %[[I]], %[[K]]
// CHECK: %[[INTS:.*]] = arith.fptosi %{{.*}} : tensor<4xf32> to tensor<4xi32>
// CHECK: %[[NAMED:.*]] = arith.select %{{.*}}, %{{.*}}, %[[KS]]
// CHECK-NEXT: linalg.div ins(%[[INTS]], %[[NAMED]] :
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: linalg.generic
// CHECK: ^bb0(%[[A:.*]]: i32, %{{.*}}: i32)
// CHECK: %[[BY5:.*]] = arith.select %[[FOUND]], %{{.*}}, %[[K]] : i32
// CHECK-NEXT: arith.divsi %[[A]], %[[BY5]]
// CHECK-NEXT: arith.divsi %[[A]], %[[THREE]]
// CHECK-NEXT: arith.divui %[[A]], %[[K]]
// CHECK: amp.apply_if_finite %[[F]]
func.func @least_by_minus_one(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: i32, %ks: tensor<4xi32>)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %minus = arith.constant -1 : i32
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %a = arith.divsi %i, %k : i32
  %b = arith.remsi %i, %k : i32
  %c = arith.floordivsi %i, %k : i32
  %d = arith.ceildivsi %i, %minus : i32
  %a1 = arith.divsi %i, %three : i32
  %b1 = arith.divui %i, %k : i32
  %c1 = arith.remui %i, %k : i32
  %ints = arith.fptosi %u : tensor<4xf32> to tensor<4xi32>
  %init = tensor.from_elements %a, %b, %c, %d : tensor<4xi32>
  %more = tensor.from_elements %a1, %b1, %c1, %k : tensor<4xi32>
  %named = linalg.div ins(%ints, %ks : tensor<4xi32>, tensor<4xi32>) outs(%init : tensor<4xi32>) -> tensor<4xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%ints : tensor<4xi32>) outs(%more : tensor<4xi32>) {
  ^bb0(%v: i32, %o: i32):
    %q = arith.divsi %v, %k : i32
    %q1 = arith.divsi %v, %three : i32
    %q2 = arith.divui %v, %k : i32
    %s1 = arith.addi %q, %q1 : i32
    %s2 = arith.addi %s1, %q2 : i32
    %s3 = arith.addi %s2, %o : i32
    linalg.yield %s3 : i32
  } -> tensor<4xi32>
  %sum = arith.addi %m, %named : tensor<4xi32>
  %both = arith.addi %sum, %init : tensor<4xi32>
  %back = arith.sitofp %both : tensor<4xi32> to tensor<4xf32>
  %n = arith.subf %w, %back : tensor<4xf32>
  return %n : tensor<4xf32>
}

// A helper that divides one argument by another is left out by an overflow of either. Near
// misses: by a constant, and without a sign.
func.func private @quotient(%i: i32, %k: i32) -> i32 {
  %q = arith.divsi %i, %k : i32
  return %q : i32
}
func.func private @third(%i: i32) -> i32 {
  %three = arith.constant 3 : i32
  %q = arith.divsi %i, %three : i32
  return %q : i32
}
func.func private @unsigned(%i: i32, %k: i32) -> i32 {
  %q = arith.divui %i, %k : i32
  return %q : i32
}
// CHECK-LABEL: func.func @dividing_helpers
// CHECK: scf.if
// CHECK: else
// CHECK-NEXT: func.call @quotient(
// CHECK: call @third(
// CHECK-NOT: scf.if
// CHECK: call @unsigned(
// CHECK: amp.apply_if_finite
func.func @dividing_helpers(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: i32)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %a = call @quotient(%i, %k) : (i32, i32) -> i32
  %b = call @third(%i) : (i32) -> i32
  %c = call @unsigned(%i, %k) : (i32, i32) -> i32
  %ab = arith.addi %a, %b : i32
  %abc = arith.addi %ab, %c : i32
  %back = arith.sitofp %abc : i32 to f32
  %n = tensor.insert %back into %w[%c0] : tensor<4xf32>
  return %n : tensor<4xf32>
}

// The place that a round of scf.forall writes to: chosen before the terminator, whose
// region takes no selects. The slice and its destination stay. Near miss: by data.
// CHECK-LABEL: func.func @place_of_a_round
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: %[[J:[a-z0-9]+]]: index
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[AT:.*]] = arith.index_cast
// CHECK: scf.forall {{.*}} shared_outs(%[[O:.*]] = %[[W]])
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK: %[[PLACE:.*]] = arith.select %[[FOUND]], %{{.*}}, %[[AT]] : index
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[D:.*]] into %[[O]][%[[PLACE]]] [1] [1]
// CHECK: scf.forall {{.*}} shared_outs(%[[O2:.*]] = %
// CHECK-NEXT: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %[[D]] into %[[O2]][%[[J]]] [1] [1]
// CHECK: amp.apply_if_finite %[[F]]
func.func @place_of_a_round(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %j: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %d = arith.constant dense<0.5> : tensor<1xf32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %at = arith.index_cast %i : i32 to index
  %m = scf.forall (%r) in (1) shared_outs(%o = %w) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%at] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %n = scf.forall (%r) in (1) shared_outs(%o = %m) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%j] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %n : tensor<4xf32>
}

// A step is replaced only where a gradient comes into it. Near miss: bounds by data.
// CHECK-LABEL: func.func @bounds_alone
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[COUNT:.*]] = arith.index_cast
// CHECK-NEXT: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: %[[END:.*]] = arith.select %[[FOUND]], %c0, %[[COUNT]]
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[END]] step %c1
// CHECK: %[[FOUND2:.*]] = tensor.extract %[[F]][]
// CHECK: %[[STEP:.*]] = arith.select %[[FOUND2]], %{{.*}}, %[[COUNT]]
// CHECK: %[[TO:.*]] = arith.select %[[FOUND2]], %c0, %[[K:[a-z0-9]+]]
// CHECK: scf.for %{{.*}} = %c0 to %[[TO]] step %[[STEP]]
// CHECK: scf.for %{{.*}} = %c0 to %[[K]] step %c1
// CHECK: amp.apply_if_finite %[[F]]
func.func @bounds_alone(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %count = arith.index_cast %i : i32 to index
  %m = scf.for %j = %c0 to %count step %c1 iter_args(%v = %w) -> (tensor<4xf32>) {
    %a = arith.subf %v, %half : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  %n = scf.for %j = %c0 to %k step %count iter_args(%v = %m) -> (tensor<4xf32>) {
    %a = arith.subf %v, %half : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  %o = scf.for %j = %c0 to %k step %c1 iter_args(%v = %n) -> (tensor<4xf32>) {
    %a = arith.subf %v, %half : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

// -----

// Helpers that may not end, one for each kind of loop, and one without results. Near
// miss: a gradient beside the argument that counts.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @while(%g: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 0.1 : f32
  %n = scf.while (%b = %g) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.extract %b[%c0] : tensor<4xf32>
    %more = arith.cmpf ogt, %e, %limit : f32
    scf.condition(%more) %b : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %k = arith.addf %b, %b : tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  }
  return %n : tensor<4xf32>
}
func.func private @count(%g: tensor<4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %g[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %count = arith.index_cast %i : i32 to index
  return %count : index
}
func.func private @for(%g: tensor<4xf32>, %count: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = scf.for %j = %c0 to %count step %c1 iter_args(%v = %g) -> (tensor<4xf32>) {
    %k = arith.addf %v, %v : tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  }
  return %n : tensor<4xf32>
}
func.func private @affine(%g: tensor<4xf32>, %count: index) -> tensor<4xf32> {
  %n = affine.for %j = 0 to %count iter_args(%v = %g) -> (tensor<4xf32>) {
    %k = arith.addf %v, %v : tensor<4xf32>
    affine.yield %k : tensor<4xf32>
  }
  return %n : tensor<4xf32>
}
func.func private @forall(%g: tensor<4xf32>, %count: index) -> tensor<4xf32> {
  %n = scf.forall (%j) in (%count) shared_outs(%o = %g) -> (tensor<4xf32>) {
    %b = tensor.extract_slice %g[0] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %o[%j] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %n : tensor<4xf32>
}
func.func private @parallel(%g: tensor<4xf32>, %count: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%count) step (%c1) {
    scf.reduce
  }
  return %g : tensor<4xf32>
}
func.func private @body(%g: tensor<4xf32>) -> tensor<4xf32> {
  %limit = arith.constant 0.1 : f32
  %init = tensor.empty() : tensor<4xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%g : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = scf.while (%b = %a) : (f32) -> f32 {
      %more = arith.cmpf ogt, %b, %limit : f32
      scf.condition(%more) %b : f32
    } do {
    ^bb0(%b: f32):
      %k = arith.mulf %b, %a : f32
      scf.yield %k : f32
    }
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %h : tensor<4xf32>
}
func.func private @watch(%g: tensor<4xf32>) {
  %r = call @while(%g) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// CHECK-LABEL: func.func @helpers
// CHECK: else
// CHECK-NEXT: func.call @while(
// CHECK: %[[COUNT:.*]] = call @count(
// CHECK: else
// CHECK-NEXT: func.call @for(
// CHECK: else
// CHECK-NEXT: func.call @affine(
// CHECK: else
// CHECK-NEXT: func.call @forall(
// CHECK: else
// CHECK-NEXT: func.call @parallel(
// CHECK: else
// CHECK-NEXT: func.call @body(
// CHECK: else
// CHECK-NEXT: func.call @watch(
// CHECK-NOT: scf.if
// CHECK: call @for(
// CHECK-NOT: scf.if
// CHECK: amp.apply_if_finite
func.func @helpers(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %a = call @while(%u) : (tensor<4xf32>) -> tensor<4xf32>
  %count = call @count(%u) : (tensor<4xf32>) -> index
  %b = call @for(%a, %count) : (tensor<4xf32>, index) -> tensor<4xf32>
  %c = call @affine(%b, %count) : (tensor<4xf32>, index) -> tensor<4xf32>
  %d = call @forall(%c, %count) : (tensor<4xf32>, index) -> tensor<4xf32>
  %e = call @parallel(%d, %count) : (tensor<4xf32>, index) -> tensor<4xf32>
  %h = call @body(%e) : (tensor<4xf32>) -> tensor<4xf32>
  call @watch(%u) : (tensor<4xf32>) -> ()
  %m = call @for(%h, %k) : (tensor<4xf32>, index) -> tensor<4xf32>
  %n = arith.subf %w, %m : tensor<4xf32>
  return %n : tensor<4xf32>
}

// Nothing is kept, and the helper is left out all the same, once: its output alone is read.
// CHECK-LABEL: func.func @output_alone
// CHECK-SAME: amp.updates_guarded
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK: func.call @while
// CHECK-NOT: apply_if_finite
// CHECK: return
func.func @output_alone(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "output", amp.name = "o"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %h = call @while(%u) : (tensor<4xf32>) -> tensor<4xf32>
  return %w, %h : tensor<4xf32>, tensor<4xf32>
}

// Places that are written, and several at a time: the first as well.
// CHECK-LABEL: func.func @places
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[AT:.*]] = arith.index_cast
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: %[[FIRST:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[PLACE:.*]] = arith.select %[[FOUND]], %[[FIRST]], %[[AT]] : index
// CHECK-NEXT: tensor.insert %{{.*}} into %{{.*}}[%[[PLACE]]]
// CHECK: %[[PLACES:.*]] = tensor.from_elements %[[AT]]
// CHECK: %[[FIRSTS:.*]] = arith.constant dense<0> : tensor<1x1xindex>
// CHECK-NEXT: %[[PLACES2:.*]] = arith.select %{{.*}}, %[[FIRSTS]], %[[PLACES]]
// CHECK-NEXT: tensor.gather %{{.*}}[%[[PLACES2]]]
// CHECK: %[[FIRSTS2:.*]] = arith.constant dense<0> : tensor<1x1xindex>
// CHECK-NEXT: %[[PLACES3:.*]] = arith.select %{{.*}}, %[[FIRSTS2]], %[[PLACES]]
// CHECK-NEXT: tensor.scatter %{{.*}} into %{{.*}}[%[[PLACES3]]]
func.func @places(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %at = arith.index_cast %i : i32 to index
  %x = tensor.insert %e into %w[%at] : tensor<4xf32>
  %places = tensor.from_elements %at : tensor<1x1xindex>
  %y = tensor.gather %x[%places] gather_dims([0]) unique : (tensor<4xf32>, tensor<1x1xindex>) -> tensor<1x1xf32>
  %z = tensor.scatter %y into %x[%places] scatter_dims([0]) unique : (tensor<1x1xf32>, tensor<4xf32>, tensor<1x1xindex>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// A helper that divides by what it is given is left out where that overflowed. Near
// miss: one whose blocks form no cycle comes to its end.
// CHECK-LABEL: func.func @helpers_divide
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: %[[Q:.*]] = scf.if %[[FOUND]] -> (i32) {
// CHECK: } else {
// CHECK-NEXT: func.call @divide
// CHECK: }
// CHECK-NEXT: call @choose(%[[Q]])
func.func private @divide(%n: i32) -> i32 {
  %c = arith.constant 100 : i32
  %q = arith.divsi %c, %n : i32
  return %q : i32
}
func.func private @choose(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %above = arith.cmpi sgt, %n, %c0 : i32
  cf.cond_br %above, ^bb1(%n : i32), ^bb1(%c0 : i32)
^bb1(%r: i32):
  return %r : i32
}
func.func @helpers_divide(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %q = call @divide(%i) : (i32) -> i32
  %r = call @choose(%q) : (i32) -> i32
  %b = arith.sitofp %r : i32 to f32
  %d = tensor.splat %b : tensor<4xf32>
  %n = arith.subf %w, %d : tensor<4xf32>
  return %n : tensor<4xf32>
}

// In a body, the step of a loop is no 0.
// CHECK-LABEL: func.func @step_in_body
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK: %[[K:.*]] = arith.index_cast
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[STEP:.*]] = arith.select %[[FOUND]], %[[ONE]], %[[K]] : index
// CHECK-NEXT: %[[END:.*]] = arith.select %[[FOUND]], %{{.*}}, %{{.*}} : index
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %[[END]] step %[[STEP]]
func.func @step_in_body(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %half = arith.constant 0.5 : f32
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %h = linalg.map ins(%u : tensor<4xf32>) outs(%w : tensor<4xf32>) (%x: f32, %o: f32) {
    %i = arith.fptosi %x : f32 to i32
    %k = arith.index_cast %i : i32 to index
    %y = scf.for %j = %c0 to %c4 step %k iter_args(%v = %x) -> (f32) {
      %n = arith.mulf %v, %half : f32
      scf.yield %n : f32
    }
    linalg.yield %y : f32
  }
  %n = arith.subf %w, %h : tensor<4xf32>
  return %n : tensor<4xf32>
}

// Elements that stand apart by what the gradient says are all the first then; those of a
// slice that is read backwards begin at its end. What no gradient comes into stays.
// CHECK-LABEL: func.func @distances
// CHECK-SAME: %[[D:[a-z0-9]+]]: index)
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[K:.*]] = arith.index_cast
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK: %[[APART:.*]] = arith.select %[[FOUND]], %{{.*}}, %[[K]] : index
// CHECK: tensor.extract_slice %{{.*}}[0] [2] [%[[APART]]]
// CHECK: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[LAST:.*]] = arith.select %{{.*}}, %[[C3]], %[[K]] : index
// CHECK: tensor.extract_slice %{{.*}}[%[[LAST]]] [4] [-1]
// CHECK: %[[PLACE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[K]] : index
// CHECK: %[[BY:.*]] = arith.select %{{.*}}, %{{.*}}, %[[D]] : index
// CHECK: tensor.extract_slice %{{.*}}[%[[PLACE]]] [2] [%[[BY]]]
// CHECK: tensor.extract_slice %{{.*}}[0] [2] [%[[D]]]
func.func @distances(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %d: index)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %k = arith.index_cast %i : i32 to index
  %a = tensor.extract_slice %w[0] [2] [%k] : tensor<4xf32> to tensor<2xf32>
  %b = tensor.extract_slice %w[%k] [4] [-1] : tensor<4xf32> to tensor<4xf32>
  %p = tensor.extract_slice %w[%k] [2] [%d] : tensor<4xf32> to tensor<2xf32>
  %q = tensor.extract_slice %w[0] [2] [%d] : tensor<4xf32> to tensor<2xf32>
  %ap = arith.addf %a, %p : tensor<2xf32>
  %apq = arith.addf %ap, %q : tensor<2xf32>
  %n = tensor.insert_slice %apq into %b[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %n : tensor<4xf32>
}

// What combines the rounds of a loop reads what stands around it.
// CHECK-LABEL: func.func @combined
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: scf.reduce
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK: %[[BY:.*]] = arith.select %[[FOUND]]
// CHECK: arith.divsi %{{.*}}, %[[BY]]
// CHECK: arith.divsi %{{.*}}, %c7
// CHECK: amp.apply_if_finite %[[F]]
func.func @combined(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : i32
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %r = scf.parallel (%j) = (%c0) to (%c4) step (%c1) init (%c7) -> i32 {
    scf.reduce(%c7 : i32) {
    ^bb0(%x: i32, %y: i32):
      %a = arith.divsi %x, %i : i32
      %b = arith.divsi %a, %c7 : i32
      scf.reduce.return %b : i32
    }
  }
  %d = arith.sitofp %r : i32 to f32
  %b = tensor.splat %d : tensor<4xf32>
  %n = arith.subf %w, %b : tensor<4xf32>
  return %n : tensor<4xf32>
}

// Helpers that assert, or that a gradient leads to where they do, are left out. Near
// misses: what they are asked is of data, and one that asserts nothing.
// CHECK-LABEL: func.func @asserting_helpers
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[FOUND:.*]] = tensor.extract %[[F]][]
// CHECK: scf.if %[[FOUND]] {
// CHECK: else
// CHECK: func.call @outer
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: %[[HERE:.*]] = tensor.extract %[[F]][]
// CHECK-NEXT: scf.if %[[HERE]] {
// CHECK: else
// CHECK-NEXT: func.call @never()
// CHECK: func.call @nothing()
// CHECK-NOT: scf.if
// CHECK: call @outer(%{{.*}})
func.func private @never() {
  %false = arith.constant false
  cf.assert %false, "never"
  return
}
func.func private @nothing() {
  return
}
func.func private @outer(%c: i1) {
  scf.if %c {
    func.call @never() : () -> ()
  }
  return
}
func.func @asserting_helpers(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %k: i1)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %c = arith.cmpf ogt, %e, %zero : f32
  call @outer(%c) : (i1) -> ()
  scf.if %c {
    func.call @never() : () -> ()
    func.call @nothing() : () -> ()
  }
  call @outer(%k) : (i1) -> ()
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n : tensor<4xf32>
}

// Vectors: integers divided by 1, places that are the first, masks that let nothing
// through, in front of vector.mask where they are in it. Near misses: places, masks and
// divisors of data.
// CHECK-LABEL: func.func @vectors
// CHECK: %{{.*}}, %[[F:.*]] = amp.unscale
// CHECK: %[[AT:.*]] = arith.index_cast
// CHECK: %[[ONES:.*]] = arith.constant dense<1> : vector<4xi32>
// CHECK: %[[BY:.*]] = arith.select %{{.*}}, %[[ONES]], %[[IS:.*]] : vector<4xi32>
// CHECK-NEXT: arith.divsi %{{.*}}, %[[BY]] : vector<4xi32>
// CHECK-NEXT: arith.divui %{{.*}}, %[[KS:.*]] : vector<4xi32>
// CHECK: %[[AT1:.*]] = arith.select %{{.*}}, %c0{{.*}}, %[[AT]] : index
// CHECK-NEXT: vector.transfer_read %{{.*}}[%[[AT1]]]
// CHECK: %[[AT2:.*]] = arith.select %{{.*}}, %c0{{.*}}, %[[AT]] : index
// CHECK: %[[MASK1:.*]] = arith.select %{{.*}}, %{{.*}}, %[[MASK:.*]] : vector<1xi1>
// CHECK-NEXT: vector.transfer_write %{{.*}}, %{{.*}}[%[[AT2]]], %[[MASK1]]
// CHECK-NEXT: vector.transfer_write %{{.*}}, %{{.*}}[%[[J:.*]]], %[[D:.*]] :
// CHECK: %[[MASKS:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi1>
// CHECK: %[[AT3:.*]] = arith.select %{{.*}}, %c0{{.*}}, %[[AT]] : index
// CHECK-NEXT: vector.mask %[[MASKS]] { vector.transfer_read %{{.*}}[%[[AT3]]]
// CHECK: %[[AT4:.*]] = arith.select %{{.*}}, %c0{{.*}}, %[[AT]] : index
// CHECK: %[[PLACES:.*]] = arith.select %{{.*}}, %{{.*}}, %[[IS]] : vector<4xi32>
// CHECK: %[[MASKS2:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi1>
// CHECK-NEXT: vector.gather %{{.*}}[%[[AT4]]] [%[[PLACES]]], %[[MASKS2]]
// CHECK-NEXT: vector.gather %{{.*}}[%[[J]]] [%[[KS]]], %{{[a-z0-9]+}},
// CHECK: vector.load %{{.*}}[%{{[0-9]+}}]
// CHECK: vector.maskedload %{{.*}}[%[[J]]], %{{[0-9]+}}
// CHECK: vector.extract %{{.*}}[%{{[0-9]+}}]
// CHECK: vector.insert %{{.*}}, %{{.*}} [%{{[0-9]+}}]
func.func @vectors(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"},
                   %j: index, %ks: vector<4xi32>, %d: vector<1xi1>, %ds: vector<4xi1>, %m: memref<4xf32>)
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  amp.update_scale @s, %f
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %i = arith.fptosi %e : f32 to i32
  %at = arith.index_cast %i : i32 to index
  %is = vector.broadcast %i : i32 to vector<4xi32>
  %zeros = vector.broadcast %zero : f32 to vector<4xf32>
  %b = arith.cmpf ogt, %e, %zero : f32
  %mask = vector.broadcast %b : i1 to vector<1xi1>
  %masks = vector.broadcast %b : i1 to vector<4xi1>
  %q0 = arith.divsi %ks, %is : vector<4xi32>
  %q1 = arith.divui %q0, %ks : vector<4xi32>
  %v = vector.transfer_read %w[%at], %zero {in_bounds = [true]} : tensor<4xf32>, vector<1xf32>
  %n0 = vector.transfer_write %v, %w[%at], %mask {in_bounds = [true]} : vector<1xf32>, tensor<4xf32>
  %n1 = vector.transfer_write %v, %n0[%j], %d {in_bounds = [true]} : vector<1xf32>, tensor<4xf32>
  %r = vector.mask %masks { vector.transfer_read %n1[%at], %zero : tensor<4xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  %y = vector.gather %w[%at] [%is], %masks, %r : tensor<4xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %z = vector.gather %w[%j] [%ks], %ds, %y : tensor<4xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %l = vector.load %m[%at] : memref<4xf32>, vector<4xf32>
  %k = vector.maskedload %m[%j], %masks, %l : memref<4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %p = vector.extract %k[%at] : f32 from vector<4xf32>
  %o = vector.insert %p, %z[%at] : f32 into vector<4xf32>
  %h = arith.sitofp %q1 : vector<4xi32> to vector<4xf32>
  %a = arith.addf %h, %o : vector<4xf32>
  %n = vector.transfer_write %a, %n1[%c0] : vector<4xf32>, tensor<4xf32>
  return %n : tensor<4xf32>
}
