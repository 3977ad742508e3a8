// A launch is parsed, printed, and taken by bufferization.
// RUN: amp-opt %s | amp-opt | FileCheck %s

module attributes {gpu.container_module,
    amp.launches = {compiled = {main = {order = 0 : i64, arguments = [
      {kind = "buffer", name = "x", type = f32, elements = 4},
      {kind = "number", name = "n", value = 4, multiple = 1}]}}}} {
  // CHECK-LABEL: func @tensors
  // CHECK-SAME:    (%[[A:.*]]: tensor<2x4xf16>, %[[B:.*]]: tensor<4x4xf16>)
  // CHECK:       %[[D:.*]] = tensor.empty
  // CHECK:       amp.launch_kernels @product ins(a = %[[A]], b = %[[B]]) outs(d = %[[D]]) {note = "kept"} : (tensor<2x4xf16>, tensor<4x4xf16>, tensor<8xf32>) -> tensor<8xf32>
  func.func @tensors(%a: tensor<2x4xf16>, %b: tensor<4x4xf16>) -> tensor<8xf32> {
    %d = tensor.empty() : tensor<8xf32>
    %0 = amp.launch_kernels @product ins(a = %a, b = %b) outs(d = %d) {note = "kept"}
        : (tensor<2x4xf16>, tensor<4x4xf16>, tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }

  // CHECK-LABEL: func @part
  // CHECK:       amp.launch_kernels @product ins(a = %{{.*}}, b = %{{.*}}) outs(d = %{{.*}}) {partial = ["d"]} :
  func.func @part(%a: tensor<2x4xf16>, %b: tensor<4x4xf16>, %d: tensor<8xf32>) -> tensor<8xf32> {
    %0 = amp.launch_kernels @product ins(a = %a, b = %b) outs(d = %d) {partial = ["d"]}
        : (tensor<2x4xf16>, tensor<4x4xf16>, tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }

  // Shapes are free, and so is an offset.
  // CHECK-LABEL: func @buffers
  // CHECK:       amp.launch_kernels @product ins(a = %{{.*}}, b = %{{.*}}) outs(d = %{{.*}}) : (memref<8xf16>, memref<4x4xf16, strided<[4, 1], offset: 16>>, memref<2x1x4xf32>) -> ()
  func.func @buffers(%a: memref<8xf16>, %b: memref<4x4xf16, strided<[4, 1], offset: 16>>,
                     %d: memref<2x1x4xf32>) {
    amp.launch_kernels @product ins(a = %a, b = %b) outs(d = %d)
        : (memref<8xf16>, memref<4x4xf16, strided<[4, 1], offset: 16>>, memref<2x1x4xf32>) -> ()
    return
  }

  // What the kernels of a compiled module take stands on the module around it.
  // CHECK-LABEL: func @compiled_kernels
  // CHECK:       amp.launch_kernels @compiled ins() outs(x = %{{.*}}) : (memref<4xf32>) -> ()
  func.func @compiled_kernels(%x: memref<4xf32>) {
    amp.launch_kernels @compiled ins() outs(x = %x) : (memref<4xf32>) -> ()
    return
  }

  // CHECK: gpu.module @product
  gpu.module @product {
    llvm.func @product(!llvm.ptr, !llvm.ptr<1>, !llvm.ptr<1>) attributes {
      amp.launch = {order = 0, arguments = [
        {kind = "tensor-map", name = "a", type = f16, shape = array<i64: 4, 2>,
         strides = array<i64: 8>, box = array<i64: 4, 2>, swizzle = 128},
        {kind = "buffer", name = "b", type = f16, elements = 16},
        {kind = "buffer", name = "d", type = f32, elements = 8}]}}
  }
  gpu.module @compiled {}
}
