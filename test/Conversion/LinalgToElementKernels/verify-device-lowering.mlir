// RUN: amp-opt %s --split-input-file --verify-diagnostics --amp-verify-device-lowering

// Loops on elements, the outermost of them, with what a kernel misses.
func.func @unknown(%x: memref<?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{this has no kernel, and the host would wait for each of its elements: expected a buffer of known extents and strides, but got memref<?x4xf32>; give the extents of the batch ('extents'), or run the step on the host}}
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x4xf32>
      %w = math.exp %v : f32
      memref.store %w, %x[%i, %j] : memref<?x4xf32>
    }
  }
  return
}

// -----

// All of them are told of.
func.func @wide(%x: memref<4xf128>, %y: memref<4xcomplex<f32>>) -> f128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f128
  // expected-error @below {{expected a loop or a branch without results, but got some}}
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f128 {
    %v = memref.load %x[%i] : memref<4xf128>
    %t = arith.addf %s, %v : f128
    scf.yield %t : f128
  }
  // expected-error @below {{expected operations on numbers that kernels have code for, but got 'complex.add'}}
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %v = memref.load %y[%i] : memref<4xcomplex<f32>>
    %w = complex.add %v, %v : complex<f32>
    memref.store %w, %y[%i] : memref<4xcomplex<f32>>
  }
  return %sum : f128
}

// -----

// In a loop that launches kernels, too; a number that it reads itself is none of many (the near miss).
func.func @layers(%x: memref<4xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %y[%i] : memref<?xf32>
    amp.launch_kernels @k ins() outs(out0 = %x) : (memref<4xf32>) -> ()
    // expected-error @below {{this has no kernel}}
    scf.while : () -> () {
      %w = memref.load %y[%c0] : memref<?xf32>
      %more = arith.cmpf olt, %w, %v : f32
      scf.condition(%more)
    } do {
      scf.yield
    }
  }
  return
}
gpu.module @k {
  llvm.func @k(!llvm.ptr<1>) attributes {gpu.kernel, amp.launch = {
    order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 1, 1, 1>,
    shared_memory = 0, arguments = [{kind = "buffer", name = "out0", type = f32, elements = 4}]}}
}

// -----

// What could be one says so.
func.func @forgotten(%x: memref<4xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{this has no kernel, and the host would wait for each of its elements: run the conversions to kernels first}}
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// -----

// Copies: of elements apart, of unknown strides; of bytes, and of none (near misses).
func.func @copies(%x: memref<4xf32, strided<[?]>>, %y: memref<4xf32>, %z: memref<4xf32>, %d: memref<?xf32>,
                  %e: memref<?xf32>, %n: memref<0x2xf32, strided<[5, 1]>>, %m: memref<0x2xf32>) {
  // expected-error @below {{expected a buffer of known extents and strides, but got memref<4xf32, strided<[?]>>}}
  memref.copy %x, %y : memref<4xf32, strided<[?]>> to memref<4xf32>
  memref.copy %y, %z : memref<4xf32> to memref<4xf32>
  memref.copy %d, %e : memref<?xf32> to memref<?xf32>
  memref.copy %n, %m : memref<0x2xf32, strided<[5, 1]>> to memref<0x2xf32>
  return
}

// -----

// Left alone: a loop that copies a tensor, a number for a condition, elements of the host's, loops on tensors without elements, loops on numbers,
// and what a function is called for.
func.func @fine(%x: memref<4xf32>, %y: memref<4xf32>, %other: memref<f32>, %loss: memref<f32>, %none: memref<0x4xf32>, %n: index, %v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %value = memref.load %loss[] : memref<f32>
  %notes = memref.alloca() : memref<4xindex>
  %cast = memref.cast %notes : memref<4xindex> to memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %i, %cast[%i] : memref<?xindex>
  }
  scf.for %i = %c0 to %c0 step %c1 {
    memref.store %v, %none[%i, %i] : memref<0x4xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %w = memref.load %loss[] : memref<f32>
    memref.store %w, %other[] : memref<f32>
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  }
  %power = scf.for %i = %c0 to %n step %c1 iter_args(%p = %value) -> f32 {
    %q = arith.mulf %p, %v : f32
    scf.yield %q : f32
  }
  scf.for %i = %c0 to %n step %c1 {
    %w = memref.load %loss[] : memref<f32>
    func.call @other(%w) : (f32) -> ()
  }
  return %power : f32
}
func.func private @other(f32)

// -----

// Tensors that change places while their elements are read.
func.func @places(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected a loop or a branch that leaves each tensor where it is, as one that inserts into what it carries does, but the one in memref<4xf32> changes; change it, or run the step on the host}}
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %y) -> (memref<4xf32>, memref<4xf32>) {
    %v = memref.load %a[%i] : memref<4xf32>
    memref.store %v, %z[%i] : memref<4xf32>
    scf.yield %b, %a : memref<4xf32>, memref<4xf32>
  }
  return %r#0 : memref<4xf32>
}

// -----

// They may do so in a loop inside.
func.func @places_inside(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{as one that inserts into what it carries does, but the one in memref<4xf32> changes}}
  scf.for %k = %c0 to %c4 step %c1 {
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %y) -> (memref<4xf32>, memref<4xf32>) {
      %v = memref.load %a[%i] : memref<4xf32>
      memref.store %v, %z[%i] : memref<4xf32>
      scf.yield %b, %a : memref<4xf32>, memref<4xf32>
    }
  }
  return
}
