// One-shot bufferization gives launches their memory.
// RUN: amp-opt %s --empty-tensor-to-alloc-tensor --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --cse --canonicalize | FileCheck %s

module attributes {gpu.container_module} {
  // The result is written where it is wanted; nothing is copied.
  // CHECK-LABEL: func @plain
  // CHECK-SAME:    (%[[A:.*]]: memref<8xf16>)
  // CHECK:       %[[D:.*]] = memref.alloc() {{.*}}: memref<2x4xf32>
  // CHECK-NEXT:  amp.launch_kernels @product ins(a = %[[A]]) outs(d = %[[D]]) : (memref<8xf16>, memref<2x4xf32>) -> ()
  // CHECK-NEXT:  return %[[D]]
  func.func @plain(%a: tensor<8xf16>) -> tensor<2x4xf32> {
    %d = tensor.empty() : tensor<2x4xf32>
    %0 = amp.launch_kernels @product ins(a = %a) outs(d = %d)
        : (tensor<8xf16>, tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }

  // What is written is not what is read, even if the program names one tensor.
  // CHECK-LABEL: func @in_place
  // CHECK-SAME:    (%[[X:.*]]: memref<8xf32>)
  // CHECK:       %[[D:.*]] = memref.alloc()
  // CHECK-NOT:   memref.copy
  // CHECK:       amp.launch_kernels @update ins(x = %[[X]]) outs(d = %[[D]])
  func.func @in_place(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = amp.launch_kernels @update ins(x = %x) outs(d = %x)
        : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }

  // A part whose rows do not follow one another is copied; so is one that starts
  // where TMA cannot.
  // CHECK-LABEL: func @parts
  // CHECK-SAME:    (%[[X:.*]]: memref<8x4xf16>, %[[Y:.*]]: memref<32xf16>)
  // CHECK:       memref.copy
  // CHECK:       amp.launch_kernels
  // CHECK:       memref.copy
  // CHECK:       amp.launch_kernels
  // CHECK-NOT:   memref.copy
  // CHECK:       amp.launch_kernels @product ins(a = %{{.*}}) outs(d = %{{.*}}) : (memref<8xf16, strided<[1], offset: 16>>, memref<8xf32>) -> ()
  func.func @parts(%x: tensor<8x4xf16>, %y: tensor<32xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %d = tensor.empty() : tensor<8xf32>
    %columns = tensor.extract_slice %x[0, 0] [4, 2] [1, 1] : tensor<8x4xf16> to tensor<4x2xf16>
    %0 = amp.launch_kernels @product ins(a = %columns) outs(d = %d)
        : (tensor<4x2xf16>, tensor<8xf32>) -> tensor<8xf32>
    %odd = tensor.extract_slice %y[3] [8] [1] : tensor<32xf16> to tensor<8xf16>
    %e = tensor.empty() : tensor<8xf32>
    %1 = amp.launch_kernels @product ins(a = %odd) outs(d = %e)
        : (tensor<8xf16>, tensor<8xf32>) -> tensor<8xf32>
    %even = tensor.extract_slice %y[16] [8] [1] : tensor<32xf16> to tensor<8xf16>
    %f = tensor.empty() : tensor<8xf32>
    %2 = amp.launch_kernels @product ins(a = %even) outs(d = %f)
        : (tensor<8xf16>, tensor<8xf32>) -> tensor<8xf32>
    return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }

  // Kernels that leave elements as they were write into what is there; if somebody reads
  // that afterwards, into a copy with its elements.
  // CHECK-LABEL: func @partial
  // CHECK:       %[[D:.*]] = memref.alloc() {{.*}}: memref<16xf32>
  // CHECK-NOT:   memref.copy
  // CHECK:       amp.launch_kernels @product ins(a = %{{.*}}) outs(d = %{{.*}}) {partial = ["d"]} : (memref<8xf16>, memref<8xf32, strided<[1], offset: 8>>) -> ()
  // CHECK-NEXT:  return %[[D]]
  func.func @partial(%a: tensor<8xf16>) -> tensor<16xf32> {
    %d = tensor.empty() : tensor<16xf32>
    %part = tensor.extract_slice %d[8] [8] [1] : tensor<16xf32> to tensor<8xf32>
    %0 = amp.launch_kernels @product ins(a = %a) outs(d = %part) {partial = ["d"]}
        : (tensor<8xf16>, tensor<8xf32>) -> tensor<8xf32>
    %all = tensor.insert_slice %0 into %d[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
    return %all : tensor<16xf32>
  }

  // CHECK-LABEL: func @partial_of_a_copy
  // CHECK-SAME:    %[[X:[^ ]*]]: memref<8xf32>
  // CHECK:       %[[D:.*]] = memref.alloc()
  // CHECK-NEXT:  memref.copy %[[X]], %[[D]]
  // CHECK-NEXT:  amp.launch_kernels @product ins(a = %{{.*}}) outs(d = %[[D]]) {partial = ["d"]}
  func.func @partial_of_a_copy(%a: tensor<8xf16>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = amp.launch_kernels @product ins(a = %a) outs(d = %x) {partial = ["d"]}
        : (tensor<8xf16>, tensor<8xf32>) -> tensor<8xf32>
    return %0, %x : tensor<8xf32>, tensor<8xf32>
  }

  // A part of a tensor whose rows do not follow one another goes by a copy, there and back.
  // CHECK-LABEL: func @partial_of_rows
  // CHECK:       %[[COPY:.*]] = memref.alloc() {{.*}}: memref<4x2xf32>
  // CHECK-NEXT:  memref.copy %[[PART:.*]], %[[COPY]]
  // CHECK-NEXT:  amp.launch_kernels @product ins(a = %{{.*}}) outs(d = %[[COPY]]) {partial = ["d"]}
  // CHECK-NEXT:  memref.copy %[[COPY]], %[[PART]]
  func.func @partial_of_rows(%a: tensor<8xf16>, %d: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32> {
    %part = tensor.extract_slice %d[0, 0] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
    %0 = amp.launch_kernels @product ins(a = %a) outs(d = %part) {partial = ["d"]}
        : (tensor<8xf16>, tensor<4x2xf32>) -> tensor<4x2xf32>
    %all = tensor.insert_slice %0 into %d[0, 0] [4, 2] [1, 1] : tensor<4x2xf32> into tensor<4x4xf32>
    return %all : tensor<4x4xf32>
  }

  gpu.module @product {
    llvm.func @product(!llvm.ptr<1>, !llvm.ptr<1>) attributes {
      amp.launch = {order = 0, arguments = [
        {kind = "buffer", name = "a", type = f16, elements = 8},
        {kind = "buffer", name = "d", type = f32, elements = 8}]}}
  }
  gpu.module @update {
    llvm.func @update(!llvm.ptr<1>, !llvm.ptr<1>) attributes {
      amp.launch = {order = 0, arguments = [
        {kind = "buffer", name = "x", type = f32, elements = 8},
        {kind = "buffer", name = "d", type = f32, elements = 8}]}}
  }
}
