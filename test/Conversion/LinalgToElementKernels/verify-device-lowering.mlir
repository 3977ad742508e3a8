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
  // expected-error @below {{expected operations on numbers that kernels have code for, but got 'complex.add'; keep the real and the imaginary parts in tensors of their own, or run the step on the host}}
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

// -----

// Extents that 'extents' cannot give: an element is the size of a part, here through a conversion, a choice and a branch.
func.func @size_from_data(%x: memref<8xf32>, %sizes: memref<2xi32>, %n: index, %is: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{this element is what the extent is computed from}}
  %read = memref.load %sizes[%c1] : memref<2xi32>
  %size = arith.index_cast %read : i32 to index
  %chosen = scf.if %is -> index {
    scf.yield %size : index
  } else {
    scf.yield %c1 : index
  }
  %least = arith.minsi %chosen, %n : index
  %part = memref.subview %x[0] [%least] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  // expected-error @below {{expected a buffer of known extents and strides, but got memref<?xf32, strided<[1]>>; this extent is computed from an element of a tensor, so 'extents' cannot give it: compute with a tensor of the greatest extent, and choose what counts by its index ('linalg.index', 'arith.select'), or run the step on the host}}
  scf.for %i = %c0 to %least step %c1 {
    %v = memref.load %part[%i] : memref<?xf32, strided<[1]>>
    %w = math.exp %v : f32
    memref.store %w, %part[%i] : memref<?xf32, strided<[1]>>
  }
  return
}

// -----

// A condition of data decides between two parts.
func.func @part_by_data(%x: memref<?xf32>, %flags: memref<2xi1>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-note @below {{this element is what the extent is computed from}}
  %is = memref.load %flags[%c1] : memref<2xi1>
  %part = scf.if %is -> memref<?xf32> {
    scf.yield %x : memref<?xf32>
  } else {
    %all = memref.cast %y : memref<8xf32> to memref<?xf32>
    scf.yield %all : memref<?xf32>
  }
  // expected-error @below {{this extent is computed from an element of a tensor}}
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %part[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// What a while hands on, whatever it started with.
func.func @handed_on(%x: memref<?xf32>, %y: memref<8xf32>, %is: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-note @below {{'scf.while' decides on the extent}}
  %r = scf.while (%a = %x) : (memref<?xf32>) -> memref<?xf32> {
    scf.condition(%is) %a : memref<?xf32>
  } do {
  ^bb0(%a: memref<?xf32>):
    memref.copy %y, %y : memref<8xf32> to memref<8xf32>
    scf.yield %a : memref<?xf32>
  }
  // expected-error @below {{but got memref<?xf32>; this extent is one of a loop, a block or a call, so 'extents' cannot give it: compute with a tensor of the greatest extent, and choose what counts by its index ('linalg.index', 'arith.select'), or run the step on the host}}
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %r[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// The loop's own index, a call, and a block.
func.func @rounds(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-note @below {{'scf.for' decides on the extent}}
  scf.for %i = %c0 to %c8 step %c1 {
    %part = memref.subview %x[0] [%i] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
    // expected-error @below {{this extent is one of a loop, a block or a call}}
    scf.for %j = %c0 to %i step %c1 {
      %v = memref.load %part[%j] : memref<?xf32, strided<[1]>>
      memref.store %v, %part[%c0] : memref<?xf32, strided<[1]>>
    }
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  }
  // expected-note @below {{'func.call' decides on the extent}}
  %called = func.call @called() : () -> memref<?xf32>
  // expected-error @below {{this extent is one of a loop, a block or a call}}
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %called[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<8xf32>
  }
  return
}
func.func private @called() -> memref<?xf32>

// -----

// An scf.for that carries what only it makes shorter; one that carries as much as the batch has is the batch's (the near miss).
func.func @shorter(%x: memref<8xf32>, %batch: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %all = memref.cast %x : memref<8xf32> to memref<?xf32, strided<[1]>>
  // expected-note @below {{'scf.for' decides on the extent}}
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %all) -> (memref<?xf32, strided<[1]>>) {
    %n = memref.dim %a, %c0 : memref<?xf32, strided<[1]>>
    %less = arith.subi %n, %c1 : index
    %part = memref.subview %a[0] [%less] [1] : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
    memref.copy %x, %x : memref<8xf32> to memref<8xf32>
    scf.yield %part : memref<?xf32, strided<[1]>>
  }
  // expected-error @below {{this extent is one of a loop, a block or a call}}
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.load %r[%i] : memref<?xf32, strided<[1]>>
    memref.store %v, %x[%i] : memref<8xf32>
  }
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %batch) -> (memref<?xf32>) {
    %n = memref.dim %a, %c0 : memref<?xf32>
    %new = memref.alloc(%n) : memref<?xf32>
    memref.copy %a, %new : memref<?xf32> to memref<?xf32>
    scf.yield %new : memref<?xf32>
  }
  // expected-error @below {{but got memref<?xf32>; give the extents of the batch ('extents'), or run the step on the host}}
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.load %s[%i] : memref<?xf32>
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}
