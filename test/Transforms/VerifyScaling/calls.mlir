// A function is summed up once, in terms of its arguments' degrees: helpers that
// are used forward and backward, under two scalers and with zeros get the degree
// of each call, and nothing is inlined.
//
// RUN: amp-opt %s --amp-verify-scaling=print-degrees -verify-diagnostics -o /dev/null

amp.scaler @s {initial_scale = 4.0 : f64, static_scale}
amp.scaler @t {initial_scale = 8.0 : f64, static_scale}

// A condition on the arguments: they have to agree.
func.func private @weighted(%x: tensor<f32>, %w: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-remark@below {{degree: 1 of argument 0 and 1 of argument 1}}
  %p = arith.mulf %x, %w : tensor<f32>
  // expected-remark@below {{degree: 1 of argument 0 and 1 of argument 1}}
  %q = arith.addf %p, %y : tensor<f32>
  return %q, %p : tensor<f32>, tensor<f32>
}

func.func private @ratio(%x: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{degree: 1/2 of argument 0}}
  %r = math.sqrt %x : tensor<f32>
  // expected-remark@below {{degree: 1/2 of argument 0}}
  %q = arith.divf %x, %r : tensor<f32>
  return %q : tensor<f32>
}

func.func private @softplus(%x: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{degree: 0}}
  %e = math.exp %x : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %l = math.log1p %e : tensor<f32>
  return %l : tensor<f32>
}

func.func private @same(%x: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{degree: 0}}
  %q = arith.divf %x, %x : tensor<f32>
  return %q : tensor<f32>
}

func.func @calls(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 1 in @t}}
  %b = amp.scale_loss %x using @t : tensor<f32>
  // expected-remark@below {{degree: any}}
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-remark@below {{degree: 0, 0}}
  %0:2 = call @weighted(%x, %x, %x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // expected-remark@below {{degree: 1 in @s, 1 in @s}}
  %1:2 = call @weighted(%x, %a, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // expected-remark@below {{degree: 1 in @t, 1 in @t}}
  %2:2 = call @weighted(%b, %x, %b) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // Two scales are added.
  // expected-remark@below {{degree: none, 1 in @s}}
  %3:2 = call @weighted(%x, %a, %b) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // A zero fits where it is added, and the product with it stays one.
  // expected-remark@below {{degree: 1 in @s, 1 in @s}}
  %4:2 = call @weighted(%x, %a, %zero) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // expected-remark@below {{degree: 1 in @s, any}}
  %5:2 = call @weighted(%x, %zero, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // expected-remark@below {{degree: 1/2 in @s}}
  %6 = call @ratio(%a) : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: 0}}
  %7 = call @softplus(%x) : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %8 = call @softplus(%a) : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %bad = arith.addf %a, %x : tensor<f32>
  // The degree cancels; what has none does not.
  // expected-remark@below {{degree: 0}}
  %9 = call @same(%a) : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %10 = call @same(%bad) : (tensor<f32>) -> tensor<f32>
  // Only results that depend on it.
  // expected-remark@below {{degree: none, 0}}
  %11:2 = call @weighted(%x, %x, %bad) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// Conditions go on through a caller that does not fulfil them itself.
func.func private @middle(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{degree: 0}}
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-remark@below {{degree: 1 of argument 0, 1 of argument 0}}
  %0:2 = call @weighted(%x, %one, %y) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0 : tensor<f32>
}

func.func @outer(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %0 = call @middle(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %1 = call @middle(%a, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// A recursive function: its sum is found by repetition.
func.func private @recursive(%x: tensor<f32>, %c: i1) -> tensor<f32> {
  // expected-remark@below {{degree: 1 of argument 0}}
  %r = scf.if %c -> tensor<f32> {
    // expected-remark@below {{degree: 1 of argument 0}}
    %s = func.call @recursive(%x, %c) : (tensor<f32>, i1) -> tensor<f32>
    scf.yield %s : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %r : tensor<f32>
}

// One whose degree grows with its depth.
func.func private @growing(%x: tensor<f32>, %c: i1) -> tensor<f32> {
  // expected-remark@below {{degree: 1 of argument 0}}
  %r = scf.if %c -> tensor<f32> {
    // expected-remark@below {{degree: 1 of argument 0}}
    %s = func.call @growing(%x, %c) : (tensor<f32>, i1) -> tensor<f32>
    // expected-remark@below {{degree: 2 of argument 0}}
    %p = arith.mulf %s, %x : tensor<f32>
    scf.yield %p : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %r : tensor<f32>
}

func.func @recursion(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}, %c: i1) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %0 = call @recursive(%a, %c) : (tensor<f32>, i1) -> tensor<f32>
  // expected-remark@below {{degree: undecided}}
  %1 = call @growing(%a, %c) : (tensor<f32>, i1) -> tensor<f32>
  // expected-remark@below {{degree: 0}}
  %2 = call @growing(%x, %c) : (tensor<f32>, i1) -> tensor<f32>
  return
}

// Nothing is known of a function without body but what it is given.
func.func private @external(tensor<f32>) -> tensor<f32>
// One with roles is taken at their word: gradients carry what the seed does.
func.func private @external_gradient(
    tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    tensor<f32>) -> (tensor<f32> {amp.role = "grad", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "loss"})

func.func @externals(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %0 = call @external(%x) : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: undecided}}
  %1 = call @external(%a) : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: 1 in @s, 0}}
  %2:2 = call @external_gradient(%x, %a, %x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // The parameter is scaled, which all results depend on.
  // expected-remark@below {{degree: none, none}}
  %3:2 = call @external_gradient(%a, %a, %x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  // Of an argument without role nothing is promised.
  // expected-remark@below {{degree: undecided, undecided}}
  %4:2 = call @external_gradient(%x, %a, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}
// An optimizer step elsewhere takes gradients that are unscaled.
func.func private @external_step(
    tensor<f32> {amp.role = "param", amp.name = "w"}, tensor<f32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<f32> {amp.role = "param", amp.name = "w"})

func.func @external_steps(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %0 = call @external_step(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %1 = call @external_step(%x, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// Conditions stay with what is multiplied, indexed and handed on.
func.func private @factor(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{degree: 1 of argument 0}}
  %s = arith.addf %x, %y : tensor<f32>
  // expected-remark@below {{degree: 1 of argument 0 and 1 of argument 2}}
  %p = arith.mulf %s, %z : tensor<f32>
  return %p : tensor<f32>
}

func.func private @indexed(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<4xf32>) -> f32 {
  // expected-remark@below {{degree: 0}}
  %m = arith.cmpf ogt, %x, %y : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %b = tensor.extract %m[] : tensor<i1>
  // expected-remark@below {{degree: 0}}
  %i = arith.index_castui %b : i1 to index
  // expected-remark@below {{degree: 1 of argument 2}}
  %e = tensor.extract %z[%i] : tensor<4xf32>
  return %e : f32
}

func.func private @cancelled(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{degree: 1 of argument 0}}
  %s = arith.addf %x, %y : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %r = call @same(%s) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// Two conditions on one argument, which a zero fulfils only with the others alike.
func.func private @chained(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{degree: 1 of argument 0}}
  %p = arith.addf %x, %y : tensor<f32>
  // expected-remark@below {{degree: 1 of argument 1}}
  %q = arith.addf %y, %z : tensor<f32>
  // expected-remark@below {{degree: 1 of argument 0}}
  %r = arith.addf %p, %q : tensor<f32>
  return %r : tensor<f32>
}

func.func private @two_returns(%x: tensor<f32>, %y: tensor<f32>, %c: i1) -> tensor<f32> {
  cf.cond_br %c, ^one, ^two
^one:
  return %x : tensor<f32>
^two:
  return %y : tensor<f32>
}

func.func @conditions(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"},
                      %y: tensor<4xf32> {amp.role = "batch", amp.name = "x1"}, %c: i1) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: any}}
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %0 = call @factor(%a, %a, %x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %1 = call @factor(%a, %x, %x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: 0}}
  %2 = call @indexed(%a, %a, %y) : (tensor<f32>, tensor<f32>, tensor<4xf32>) -> f32
  // expected-remark@below {{degree: undecided}}
  %3 = call @indexed(%a, %x, %y) : (tensor<f32>, tensor<f32>, tensor<4xf32>) -> f32
  // expected-remark@below {{degree: 0}}
  %4 = call @cancelled(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %5 = call @cancelled(%a, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %6 = call @chained(%a, %zero, %a) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %7 = call @chained(%a, %zero, %x) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %8 = call @two_returns(%a, %a, %c) : (tensor<f32>, tensor<f32>, i1) -> tensor<f32>
  // expected-remark@below {{degree: undecided}}
  %9 = call @two_returns(%a, %x, %c) : (tensor<f32>, tensor<f32>, i1) -> tensor<f32>
  return
}

// What has no degree does not get one on its way through memory or by a choice.
func.func private @through_memory(%x: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{degree: any}}
  %m = memref.alloc() : memref<f32>
  // expected-remark@below {{degree: 1 of argument 0}}
  %e = tensor.extract %x[] : tensor<f32>
  memref.store %e, %m[] : memref<f32>
  // expected-remark@below {{degree: 1 of argument 0}}
  %l = memref.load %m[] : memref<f32>
  // expected-remark@below {{degree: 1 of argument 0}}
  %r = tensor.from_elements %l : tensor<f32>
  return %r : tensor<f32>
}

func.func private @by_choice(%x: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{degree: 1 of argument 0}}
  %e = tensor.extract %x[] : tensor<f32>
  // expected-remark@below {{degree: any}}
  %z = arith.constant 0.0 : f32
  // expected-remark@below {{degree: 0}}
  %c = arith.cmpf ogt, %e, %z : f32
  // expected-remark@below {{degree: 0}}
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-remark@below {{degree: 0}}
  %two = arith.constant dense<2.0> : tensor<f32>
  cf.cond_br %c, ^end, ^other
^other:
  return %two : tensor<f32>
^end:
  return %one : tensor<f32>
}

func.func @without_degree(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: none}}
  %bad = arith.addf %a, %x : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %0 = call @through_memory(%a) : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %1 = call @through_memory(%bad) : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: 0}}
  %2 = call @by_choice(%a) : (tensor<f32>) -> tensor<f32>
  // expected-remark@below {{degree: none}}
  %3 = call @by_choice(%bad) : (tensor<f32>) -> tensor<f32>
  return
}

// Memory that a function is handed, to write and to read.
func.func private @put(%m: memref<f32>, %x: f32) {
  memref.store %x, %m[] : memref<f32>
  return
}

func.func private @take(%m: memref<f32>) -> f32 {
  // expected-remark@below {{degree: 0}}
  %e = memref.load %m[] : memref<f32>
  return %e : f32
}

func.func @handed_memory(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %e = tensor.extract %a[] : tensor<f32>
  // expected-remark@below {{degree: any}}
  %m = memref.alloc() : memref<f32>
  func.call @put(%m, %e) : (memref<f32>, f32) -> ()
  // expected-remark@below {{degree: undecided}}
  %l = memref.load %m[] : memref<f32>
  return
}

func.func @read_elsewhere(%x: tensor<f32> {amp.role = "batch", amp.name = "x0"}) {
  // expected-remark@below {{degree: 1 in @s}}
  %a = amp.scale_loss %x using @s : tensor<f32>
  // expected-remark@below {{degree: 1 in @s}}
  %e = tensor.extract %a[] : tensor<f32>
  // expected-remark@below {{degree: any}}
  %m = memref.alloc() : memref<f32>
  memref.store %e, %m[] : memref<f32>
  // expected-remark@below {{degree: undecided}}
  %l = func.call @take(%m) : (memref<f32>) -> f32
  return
}
