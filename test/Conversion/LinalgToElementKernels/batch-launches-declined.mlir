// RUN: amp-opt %s --split-input-file --amp-batch-launches='report small-bytes=256' --verify-diagnostics | FileCheck %s

// Two launches each that stay apart, and why.
// CHECK-NOT: @batch

func.func @large(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = tensor.empty() : tensor<64xf32>
  // expected-remark @below {{not of a batch: expected at most 256 bytes, but got 512}}
  %1 = amp.launch_kernels @copy ins(x = %x) outs(y = %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  // expected-remark @below {{not of a batch: expected at most 256 bytes, but got 512}}
  %2 = amp.launch_kernels @copy ins(x = %y) outs(y = %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}
gpu.module @copy {
  llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {
      gpu.kernel, amp.launch = {order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>,
      cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
        {kind = "buffer", name = "x", type = f32, elements = 64}, {kind = "buffer", name = "y", type = f32, elements = 64}]}} {
    llvm.return
  }
}

// -----

func.func @in_place(%x: tensor<8xf32>, %to: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{not of a batch: expected results in memory of their own, but got a tensor that is there}}
  %1 = amp.launch_kernels @copy ins(x = %x) outs(y = %to) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
gpu.module @copy {
  llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {
      gpu.kernel, amp.launch = {order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>,
      cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
        {kind = "buffer", name = "x", type = f32, elements = 8}, {kind = "buffer", name = "y", type = f32, elements = 8}]}} {
    llvm.return
  }
}

// -----

func.func @two_kernels(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  // expected-remark @below {{not of a batch: expected one kernel without branches, but got others}}
  %1 = amp.launch_kernels @pair ins(x = %x) outs(y = %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
gpu.module @pair {
  llvm.func @first(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {
      gpu.kernel, amp.launch = {order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>,
      cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
        {kind = "buffer", name = "x", type = f32, elements = 8}, {kind = "buffer", name = "y", type = f32, elements = 8}]}} {
    llvm.return
  }
  llvm.func @second(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {
      gpu.kernel, amp.launch = {order = 1, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>,
      cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
        {kind = "buffer", name = "x", type = f32, elements = 8}, {kind = "buffer", name = "y", type = f32, elements = 8}]}} {
    llvm.return
  }
}

// -----

func.func @number(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  // expected-remark @below {{not of a batch: expected arguments that are memory alone, but got 'count'}}
  %1 = amp.launch_kernels @copy ins(x = %x) outs(y = %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
gpu.module @copy {
  llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %count: i32) attributes {
      gpu.kernel, amp.launch = {order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>,
      cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
        {kind = "buffer", name = "x", type = f32, elements = 8}, {kind = "buffer", name = "y", type = f32, elements = 8},
        {kind = "number", name = "count", value = 8, multiple = 1}]}} {
    llvm.return
  }
}

// -----

// Memory that a launcher has to prepare.
func.func @sums(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  // expected-remark @below {{not of a batch: expected arguments that are memory alone, but got 'y'}}
  %1 = amp.launch_kernels @add ins(x = %x) outs(y = %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
gpu.module @add {
  llvm.func @add(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {
      gpu.kernel, amp.launch = {order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>,
      cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
        {kind = "buffer", name = "x", type = f32, elements = 8},
        {kind = "buffer", name = "y", output = "column_sums", type = f32, elements = 8, initial = 0}]}} {
    llvm.return
  }
}

// -----

func.func @cluster(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  // expected-remark @below {{not of a batch: expected blocks that know of each other by their number alone, but got others}}
  %1 = amp.launch_kernels @copy ins(x = %x) outs(y = %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
gpu.module @copy {
  llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {
      gpu.kernel, amp.launch = {order = 0, grid = array<i64: 2, 1, 1>, block = array<i64: 32, 1, 1>,
      cluster = array<i64: 2, 1, 1>, shared_memory = 0, arguments = [
        {kind = "buffer", name = "x", type = f32, elements = 8}, {kind = "buffer", name = "y", type = f32, elements = 8}]}} {
    llvm.return
  }
}

// -----

// A place in the grid that is no number of a block.
func.func @rows(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  // expected-remark @below {{not of a batch: expected blocks that know of each other by their number alone, but got others}}
  %1 = amp.launch_kernels @copy ins(x = %x) outs(y = %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
gpu.module @copy {
  llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {
      gpu.kernel, amp.launch = {order = 0, grid = array<i64: 2, 1, 1>, block = array<i64: 32, 1, 1>,
      cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
        {kind = "buffer", name = "x", type = f32, elements = 8}, {kind = "buffer", name = "y", type = f32, elements = 8}]}} {
    %row = nvvm.read.ptx.sreg.ctaid.y : i32
    llvm.return
  }
}

// -----

module attributes {amp.launches = {compiled = {main = {order = 0 : i64, arguments = [
    {kind = "buffer", name = "x", type = f32, elements = 8 : i64}, {kind = "buffer", name = "y", type = f32, elements = 8 : i64}]}}}} {
  func.func @known(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = tensor.empty() : tensor<8xf32>
    // expected-remark @below {{not of a batch: expected a kernel that is not compiled, but got one that is}}
    %1 = amp.launch_kernels @compiled ins(x = %x) outs(y = %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  gpu.binary @compiled [#gpu.object<#nvvm.target, "">]
}
