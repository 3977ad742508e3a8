// RUN: amp-opt %s --amp-guard-updates --split-input-file | FileCheck %s
// RUN: amp-opt %s --amp-guard-updates --split-input-file > %t.once
// RUN: amp-opt %t.once --amp-guard-updates --split-input-file | diff %t.once -

// The scaler advances where the step is skipped: what unscalings found comes to it as
// the program hands it on. That it is right is shown by running it:
// Integration/Host/guard-transitions.test.

amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})

// A loop that ends once an infinity was found goes round, and joins what was.
// CHECK-LABEL: func.func @ends_when_found
// CHECK: scf.while
// CHECK: %[[GO:.*]] = arith.andi
// CHECK-NEXT: scf.condition(%[[GO]])
// CHECK: amp.update_scale @s
// CHECK: amp.apply_if_finite
func.func @ends_when_found(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  %fi = tensor.extract %f[] : tensor<i1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %false = arith.constant false
  %any, %rounds = scf.while (%a = %false, %i = %c0) : (i1, index) -> (i1, index) {
    %more = arith.cmpi ult, %i, %c2 : index
    %none = arith.xori %a, %true : i1
    %go = arith.andi %more, %none : i1
    scf.condition(%go) %a, %i : i1, index
  } do {
  ^bb0(%a: i1, %i: index):
    %y = arith.ori %a, %fi : i1
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : i1, index
  }
  %all = tensor.from_elements %any : tensor<i1>
  amp.update_scale @s, %all
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n : tensor<4xf32>
}

// So does one that goes round as often as one was found.
// CHECK-LABEL: func.func @counts_what_was_found
// CHECK: %[[F:.*]] = arith.extui
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[F]] step
// CHECK: amp.apply_if_finite
func.func @counts_what_was_found(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %c: tensor<i32> {amp.role = "buffer", amp.name = "c"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i32> {amp.role = "buffer", amp.name = "c"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  %fi = tensor.extract %f[] : tensor<i1>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %times = arith.extui %fi : i1 to i32
  %k = scf.for %i = %zero to %times step %one iter_args(%r = %c) -> (tensor<i32>) : i32 {
    %ones = arith.constant dense<1> : tensor<i32>
    %next = arith.addi %r, %ones : tensor<i32>
    scf.yield %next : tensor<i32>
  }
  amp.update_scale @s, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n, %k : tensor<4xf32>, tensor<i32>
}

// And a function of one is called.
func.func private @joined(%fi: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %false = arith.constant false
  %any, %rounds = scf.while (%a = %false, %i = %c0) : (i1, index) -> (i1, index) {
    %more = arith.cmpi ult, %i, %c2 : index
    %none = arith.xori %a, %true : i1
    %go = arith.andi %more, %none : i1
    scf.condition(%go) %a, %i : i1, index
  } do {
  ^bb0(%a: i1, %i: index):
    %y = arith.ori %a, %fi : i1
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : i1, index
  }
  return %any : i1
}
// CHECK-LABEL: func.func @joins_in_function
// CHECK-NOT: scf.if
// CHECK: call @joined
// CHECK: amp.apply_if_finite
func.func @joins_in_function(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  %fi = tensor.extract %f[] : tensor<i1>
  %any = call @joined(%fi) : (i1) -> i1
  %all = tensor.from_elements %any : tensor<i1>
  amp.update_scale @s, %all
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n : tensor<4xf32>
}

// One that a gradient ends beside it is cut short, and hands on none of it.
// CHECK-LABEL: func.func @gradient_beside
// CHECK: scf.while
// CHECK: %[[GO:.*]] = arith.select
// CHECK-NEXT: scf.condition(%[[GO]])
// CHECK: amp.update_scale @s, %found_inf
func.func @gradient_beside(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %isLarge = arith.cmpf ogt, %e, %zero : f32
  %r, %rounds = scf.while (%a = %u, %i = %c0) : (tensor<4xf32>, index) -> (tensor<4xf32>, index) {
    %more = arith.cmpi ult, %i, %c2 : index
    %go = arith.andi %more, %isLarge : i1
    scf.condition(%go) %a, %i : tensor<4xf32>, index
  } do {
  ^bb0(%a: tensor<4xf32>, %i: index):
    %y = arith.addf %a, %a : tensor<4xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : tensor<4xf32>, index
  }
  amp.update_scale @s, %f
  %n = arith.subf %w, %r : tensor<4xf32>
  return %n : tensor<4xf32>
}

// Whether one was found in a window is the scaler's state, whatever its role. A count
// of the steps is theirs.
// CHECK-LABEL: func.func @found_before
// CHECK: %[[ANY:.*]] = arith.ori
// CHECK-COUNT-2: amp.apply_if_finite %found_inf
// CHECK-NOT: amp.apply_if_finite
// CHECK: return %{{.*}}, %[[ANY]], %{{.*}} : tensor<4xf32>, tensor<i1>, tensor<i32>
func.func @found_before(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %seen: tensor<i1> {amp.role = "opt_state", amp.name = "seen"}, %k: tensor<i32> {amp.role = "opt_state", amp.name = "k"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "seen"}, tensor<i32> {amp.role = "opt_state", amp.name = "k"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  %one = arith.constant dense<1> : tensor<i32>
  %any = arith.ori %seen, %f : tensor<i1>
  amp.update_scale @s, %any
  %k1 = arith.addi %k, %one : tensor<i32>
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n, %any, %k1 : tensor<4xf32>, tensor<i1>, tensor<i32>
}

// A flag that advances no scaler is a state of the step.
// CHECK-LABEL: func.func @flag_of_step
// CHECK: %[[ANY:.*]] = arith.ori
// CHECK: %[[KEPT:.*]] = amp.apply_if_finite {{.*}} {
// CHECK-NEXT: amp.yield %[[ANY]]
func.func @flag_of_step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %seen: tensor<i1> {amp.role = "opt_state", amp.name = "seen"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "seen"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  %any = arith.ori %seen, %f : tensor<i1>
  amp.update_scale @s, %f
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n, %any : tensor<4xf32>, tensor<i1>
}
