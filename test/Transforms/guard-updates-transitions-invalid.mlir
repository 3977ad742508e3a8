// RUN: amp-opt %s --amp-guard-updates --split-input-file --verify-diagnostics

// What an overflow cuts short or leaves out would not tell the scaler of it. The same
// mended: guard-updates-transitions.mlir.

// A loop that a gradient ends joins what was found.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @ended_by_gradient(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
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
  %zero = arith.constant 0.0 : f32
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %isLarge = arith.cmpf ogt, %e, %zero : f32
  // expected-error @below {{expected 'scf.while', which ends at once where a gradient of '@ended_by_gradient' overflows, neither to advance a scaler nor to give what one is advanced with, for that would be lost; do so outside of it}}
  %any, %rounds = scf.while (%a = %false, %i = %c0) : (i1, index) -> (i1, index) {
    %more = arith.cmpi ult, %i, %c2 : index
    %none = arith.xori %a, %true : i1
    %go = arith.andi %more, %isLarge : i1
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

// -----

// One that a gradient ends advances the scaler.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @advanced_inside(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
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
  %zero = arith.constant 0.0 : f32
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %isLarge = arith.cmpf ogt, %e, %zero : f32
  // expected-error @below {{expected 'scf.while', which ends at once where a gradient of '@advanced_inside' overflows, neither to advance a scaler nor to give what one is advanced with, for that would be lost; do so outside of it}}
  %any, %rounds = scf.while (%a = %false, %i = %c0) : (i1, index) -> (i1, index) {
    %more = arith.cmpi ult, %i, %c2 : index
    %none = arith.xori %a, %true : i1
    %go = arith.andi %more, %isLarge : i1
    scf.condition(%go) %a, %i : i1, index
  } do {
  ^bb0(%a: i1, %i: index):
    amp.update_scale @s, %f
    %y = arith.ori %a, %fi : i1
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : i1, index
  }
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// One whose rounds a gradient counts.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func @counted_by_gradient(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
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
  %k = arith.fptosi %e : f32 to i32
  %times = arith.index_cast %k : i32 to index
  // expected-error @below {{expected 'scf.for', which ends at once where a gradient of '@counted_by_gradient' overflows, neither to advance a scaler nor to give what one is advanced with, for that would be lost; do so outside of it}}
  %any = scf.for %i = %c0 to %times step %c1 iter_args(%a = %f) -> (tensor<i1>) {
    %y = arith.ori %a, %f : tensor<i1>
    scf.yield %y : tensor<i1>
  }
  amp.update_scale @s, %any
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// A function of such a loop.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @joined(%fi: i1, %isLarge: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %false = arith.constant false
  %any, %rounds = scf.while (%a = %false, %i = %c0) : (i1, index) -> (i1, index) {
    %more = arith.cmpi ult, %i, %c2 : index
    %none = arith.xori %a, %true : i1
    %go = arith.andi %more, %isLarge : i1
    scf.condition(%go) %a, %i : i1, index
  } do {
  ^bb0(%a: i1, %i: index):
    %y = arith.ori %a, %fi : i1
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : i1, index
  }
  return %any : i1
}
func.func @ended_in_function(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
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
  %zero = arith.constant 0.0 : f32
  %e = tensor.extract %u[%c0] : tensor<4xf32>
  %isLarge = arith.cmpf ogt, %e, %zero : f32
  // expected-error @below {{expected '@joined', which is left out where a gradient of '@ended_in_function' overflows, neither to advance a scaler nor to give what one is advanced with, for that would be lost; do so outside of it}}
  %any = call @joined(%fi, %isLarge) : (i1, i1) -> i1
  %all = tensor.from_elements %any : tensor<i1>
  amp.update_scale @s, %all
  %n = arith.subf %w, %u : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// An optimizer step that keeps what was found in the window.
amp.scaler @s {initial_scale = 1024.0 : f64}
func.func private @fb(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
func.func private @step(tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "grad", amp.name = "w"},
    tensor<i1> {amp.role = "opt_state", amp.name = "seen"}, tensor<i1> {amp.role = "hyper", amp.name = "f"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "seen"})
func.func @joined_in_step(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}, %seen: tensor<i1> {amp.role = "opt_state", amp.name = "seen"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<i1> {amp.role = "opt_state", amp.name = "seen"}) {
  %t = amp.scale_loss %s using @s : tensor<f32>
  %g = call @fb(%w, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %u, %f = amp.unscale %g using @s : (tensor<4xf32>) -> (tensor<4xf32>)
  %any = arith.ori %seen, %f : tensor<i1>
  amp.update_scale @s, %any
  // expected-error @below {{expected 'opt_state' 'seen', which a scaler of '@joined_in_step' is advanced with, to be computed outside of optimizer step '@step', which is left out where a gradient overflows; what was found would be lost with it, so join that in the train step}}
  %n, %seen1 = call @step(%w, %u, %seen, %f) : (tensor<4xf32>, tensor<4xf32>, tensor<i1>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>)
  return %n, %seen1 : tensor<4xf32>, tensor<i1>
}
