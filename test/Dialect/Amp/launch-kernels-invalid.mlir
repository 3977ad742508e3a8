// Rules are numbered as in the operation's description.
// RUN: amp-opt %s --split-input-file --verify-diagnostics

// Rule 1
func.func @mixed(%a: memref<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'amp.launch_kernels' op expected tensors alone or buffers alone, but got 'tensor<4xf32>' beside a buffer}}
  amp.launch_kernels @kernels ins(a = %a) outs(b = %b) : (memref<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return
}

// -----

// Rule 1
func.func @dynamic(%a: memref<?xf32>) {
  // expected-error @below {{expected operand 0 to have a static shape, but got 'memref<?xf32>'}}
  amp.launch_kernels @kernels ins() outs(a = %a) : (memref<?xf32>) -> ()
  return
}

// -----

// Rule 1
func.func @strided(%a: memref<4x2xf32, strided<[4, 1]>>) {
  // expected-error @below {{expected the elements of operand 0 to follow one another, but got 'memref<4x2xf32, strided<[4, 1]>>'; copy it first}}
  amp.launch_kernels @kernels ins() outs(a = %a) : (memref<4x2xf32, strided<[4, 1]>>) -> ()
  return
}

// -----

// Rule 2
func.func @names(%a: memref<4xf32>) {
  // expected-error @below {{expected a name for each of 1 operands, but got 0 names}}
  "amp.launch_kernels"(%a) <{kernels = @kernels, names = [], operandSegmentSizes = array<i32: 0, 1>}> : (memref<4xf32>) -> ()
  return
}

// -----

// Rule 2
func.func @twice(%a: memref<4xf32>) {
  // expected-error @below {{expected one operand for each name, but got 'a' twice}}
  amp.launch_kernels @kernels ins(a = %a) outs(a = %a) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Rule 7
func.func @partial_input(%a: memref<4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{expected 'partial' to name one of outs, but got 'a'}}
  amp.launch_kernels @kernels ins(a = %a) outs(b = %b) {partial = ["a"]} : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Rule 7
func.func @partial_twice(%a: memref<4xf32>, %b: memref<4xf32>) {
  // expected-error @below {{expected 'partial' to name one of outs, but got 'b'}}
  amp.launch_kernels @kernels ins(a = %a) outs(b = %b) {partial = ["b", "b"]} : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Rule 3
func.func @absent(%a: memref<4xf32>) {
  // expected-error @below {{expected 'kernels' to be a module of kernels that carry 'amp.launch'}}
  amp.launch_kernels @kernels ins() outs(a = %a) : (memref<4xf32>) -> ()
  return
}

// -----

// Rule 3: a function is there, but it is no kernel.
module attributes {gpu.container_module} {
  func.func @plain(%a: memref<4xf32>) {
    // expected-error @below {{expected 'kernels' to be a module of kernels that carry 'amp.launch'}}
    amp.launch_kernels @kernels ins() outs(a = %a) : (memref<4xf32>) -> ()
    return
  }
  gpu.module @kernels {
    llvm.func @helper(!llvm.ptr<1>)
  }
}

// -----

module attributes {gpu.container_module} {
  // Rule 4
  func.func @unknown(%a: memref<4xf32>) {
    // expected-error @below {{expected the kernels of 'kernels' to have an argument 'b'}}
    amp.launch_kernels @kernels ins(b = %a) outs(a = %a) : (memref<4xf32>, memref<4xf32>) -> ()
    return
  }
  gpu.module @kernels {
    llvm.func @one(!llvm.ptr<1>) attributes {
      amp.launch = {order = 0, arguments = [{kind = "buffer", name = "a", type = f32, elements = 4}]}}
  }
}

// -----

module attributes {gpu.container_module} {
  // Rule 4: each kernel of the module has its own arguments.
  func.func @missing(%a: memref<4xf32>) {
    // expected-error @below {{expected an operand 'workspace', which the kernels of 'kernels' take}}
    amp.launch_kernels @kernels ins() outs(a = %a) : (memref<4xf32>) -> ()
    return
  }
  gpu.module @kernels {
    llvm.func @one(!llvm.ptr<1>) attributes {
      amp.launch = {order = 0, arguments = [{kind = "buffer", name = "workspace", type = f32, elements = 4}]}}
    llvm.func @two(!llvm.ptr<1>, !llvm.ptr<1>) attributes {
      amp.launch = {order = 1, arguments = [{kind = "buffer", name = "workspace", type = f32, elements = 4},
                                            {kind = "buffer", name = "a", type = f32, elements = 4}]}}
  }
}

// -----

module attributes {gpu.container_module} {
  // Rule 5: as many elements, but of another type.
  func.func @bytes(%a: memref<4xf16>) {
    // expected-error @below {{expected 'a' to have 16 bytes, but got 8 in 'memref<4xf16>'}}
    amp.launch_kernels @kernels ins() outs(a = %a) : (memref<4xf16>) -> ()
    return
  }
  gpu.module @kernels {
    llvm.func @one(!llvm.ptr<1>) attributes {
      amp.launch = {order = 0, arguments = [{kind = "buffer", name = "a", type = f32, elements = 4}]}}
  }
}

// -----

module attributes {gpu.container_module} {
  // Rule 4: of a table each entry is an operand.
  func.func @entry(%a: memref<4xf32>) {
    // expected-error @below {{expected an operand 'b', which the kernels of 'kernels' take}}
    amp.launch_kernels @kernels ins() outs(a = %a) : (memref<4xf32>) -> ()
    return
  }
  // Near: there are both, and the table itself is none.
  func.func @near_entry(%a: memref<4xf32>, %b: memref<8xf16>) {
    amp.launch_kernels @kernels ins(b = %b) outs(a = %a) : (memref<8xf16>, memref<4xf32>) -> ()
    return
  }
  gpu.module @kernels {
    llvm.func @one(!llvm.ptr) attributes {
      amp.launch = {order = 0, arguments = [{kind = "table", name = "t", entries = [
          {name = "a", type = f32, elements = 4}, {name = "b", type = f16, elements = 8}]}]}}
  }
}

// -----

module attributes {gpu.container_module} {
  // Rule 6: an entry and a pointer.
  func.func @shared(%a: memref<4xf32>) {
    // expected-error @below {{expected a name of its own for each entry of a table of the kernels of 'kernels', but got 'a' twice}}
    amp.launch_kernels @kernels ins() outs(a = %a) : (memref<4xf32>) -> ()
    return
  }
  gpu.module @kernels {
    llvm.func @one(!llvm.ptr<1>, !llvm.ptr) attributes {
      amp.launch = {order = 0, arguments = [{kind = "buffer", name = "a", type = f32, elements = 4},
          {kind = "table", name = "t", entries = [{name = "a", type = f32, elements = 4}]}]}}
  }
}

// -----

module attributes {gpu.container_module} {
  // Rule 6: entries of two tables.
  func.func @tables(%a: memref<4xf32>) {
    // expected-error @below {{expected a name of its own for each entry of a table of the kernels of 'kernels', but got 'a' twice}}
    amp.launch_kernels @kernels ins() outs(a = %a) : (memref<4xf32>) -> ()
    return
  }
  gpu.module @kernels {
    llvm.func @one(!llvm.ptr) attributes {
      amp.launch = {order = 0, arguments = [{kind = "table", name = "t", entries = [{name = "a", type = f32, elements = 4}]}]}}
    llvm.func @two(!llvm.ptr) attributes {
      amp.launch = {order = 1, arguments = [{kind = "table", name = "t", entries = [{name = "a", type = f32, elements = 4}]}]}}
  }
}
