// RUN: amp-opt %s --amp-verify-recursion --split-input-file --verify-diagnostics

func.func private @self(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  // expected-error @below {{expected a path on which '@self' returns without calling itself, but this call of '@self' never returns; make it under a condition that ends the recursion, as in 'scf.if'}}
  %z = call @self(%y) : (f32) -> f32
  return %z : f32
}
// Behind a helper; what calls an endless function is not at fault.
func.func private @helper(%x: f32) -> f32 {
  %y = call @self(%x) : (f32) -> f32
  return %y : f32
}
func.func @step(%x: f32) -> f32 {
  %y = call @helper(%x) : (f32) -> f32
  return %y : f32
}

// -----

func.func @even(%x: f32) -> f32 {
  // expected-error @below {{expected a path on which '@even' returns without calling itself, but this call of '@odd' never returns; make it}}
  %y = call @odd(%x) : (f32) -> f32
  return %y : f32
}
func.func @odd(%x: f32) -> f32 {
  // expected-note @below {{'@odd' calls '@even' on each path}}
  %y = call @even(%x) : (f32) -> f32
  return %y : f32
}

// -----

// The cycle is told from what leads to it, though both call each other.
func.func @before(%x: f32) -> f32 {
  %y = call @cycle(%x, %x) : (f32, f32) -> f32
  return %y : f32
}
func.func @cycle(%x: f32, %limit: f32) -> f32 {
  %p = arith.cmpf ogt, %x, %limit : f32
  scf.if %p {
    %0 = func.call @before(%x) : (f32) -> f32
  }
  // expected-error @below {{expected a path on which '@cycle' returns without calling itself, but this call of '@cycle' never returns; make it}}
  %y = call @cycle(%x, %limit) : (f32, f32) -> f32
  return %y : f32
}

// -----

// One branch or the other.
func.func @branches(%x: f32, %p: i1) -> f32 {
  %r = scf.if %p -> f32 {
    %y = arith.addf %x, %x : f32
    // expected-error @below {{expected a path on which '@branches' returns without calling itself, but this call of '@branches' never returns; make it}}
    %z = func.call @branches(%y, %p) : (f32, i1) -> f32
    scf.yield %z : f32
  } else {
    %z = func.call @branches(%x, %p) : (f32, i1) -> f32
    scf.yield %z : f32
  }
  return %r : f32
}

// -----

// One block or the other.
func.func @blocks(%x: f32, %p: i1) -> f32 {
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  // expected-error @below {{expected a path on which '@blocks' returns without calling itself, but this call of '@blocks' never returns; make it}}
  %y = call @blocks(%x, %p) : (f32, i1) -> f32
  return %y : f32
^bb2:
  %z = call @blocks(%x, %p) : (f32, i1) -> f32
  return %z : f32
}

// -----

// What decides whether a loop goes on is computed at least once.
func.func @condition(%x: f32, %limit: f32) -> f32 {
  %r = scf.while (%a = %x) : (f32) -> f32 {
    // expected-error @below {{expected a path on which '@condition' returns without calling itself, but this call of '@condition' never returns; make it}}
    %b = func.call @condition(%a, %limit) : (f32, f32) -> f32
    %p = arith.cmpf olt, %b, %limit : f32
    scf.condition(%p) %b : f32
  } do {
  ^bb0(%a: f32):
    scf.yield %a : f32
  }
  return %r : f32
}

// -----

// Near miss: one branch returns.
func.func @ends(%x: f32, %p: i1) -> f32 {
  %r = scf.if %p -> f32 {
    %z = func.call @ends(%x, %p) : (f32, i1) -> f32
    scf.yield %z : f32
  } else {
    scf.yield %x : f32
  }
  return %r : f32
}

// -----

// Near miss: a path goes around the block.
func.func @around(%x: f32, %p: i1) -> f32 {
  cf.cond_br %p, ^bb1, ^bb2(%x : f32)
^bb1:
  %y = call @around(%x, %p) : (f32, i1) -> f32
  cf.br ^bb2(%y : f32)
^bb2(%z: f32):
  return %z : f32
}

// -----

// Near miss: the body of a loop may run no times.
func.func @loop(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f32 {
    %y = func.call @loop(%a, %i) : (f32, index) -> f32
    scf.yield %y : f32
  }
  return %r : f32
}

// -----

// Near miss: each calls the next without a condition, but for the last.
func.func @first(%x: f32, %p: i1) -> f32 {
  %y = call @second(%x, %p) : (f32, i1) -> f32
  return %y : f32
}
func.func @second(%x: f32, %p: i1) -> f32 {
  %y = call @third(%x, %p) : (f32, i1) -> f32
  return %y : f32
}
func.func @third(%x: f32, %p: i1) -> f32 {
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  %y = call @first(%x, %p) : (f32, i1) -> f32
  return %y : f32
^bb2:
  return %x : f32
}

// -----

// Near miss: no public function calls it.
func.func private @unused(%x: f32) -> f32 {
  %y = call @unused(%x) : (f32) -> f32
  return %y : f32
}
func.func @step(%x: f32) -> f32 {
  return %x : f32
}
