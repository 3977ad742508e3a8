// RUN: amp-opt %s --amp-to-gpu=format=nvvm --split-input-file --verify-diagnostics

// What has no kernel is refused where it stands in the source, through the whole pipeline: the host would read and write
// each element by itself.

func.func @extents(%x: tensor<?xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<?xf32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  // expected-error @below {{this has no kernel, and the host would wait for each of its elements: expected a buffer of known extents and strides, but got memref<?xf32>; give the extents of the batch ('extents'), or run the step on the host}}
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @quadruple(%x: tensor<8x8xf128> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8x8xf128> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<8x8xf128>
  %zero = arith.constant 0.0 : f128
  // expected-error @below {{expected tensors of static shape with elements of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got tensor<8x8xf128>; change it, or run the step on the host}}
  %f = linalg.fill ins(%zero : f128) outs(%e : tensor<8x8xf128>) -> tensor<8x8xf128>
  // expected-error @below {{expected tensors of static shape with elements of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got tensor<8x8xf128>; change it, or run the step on the host}}
  %r = linalg.matmul ins(%x, %x : tensor<8x8xf128>, tensor<8x8xf128>) outs(%f : tensor<8x8xf128>) -> tensor<8x8xf128>
  return %r : tensor<8x8xf128>
}

// -----

func.func @complex(%x: tensor<8xcomplex<f32>> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<8xcomplex<f32>> {amp.role = "output", amp.name = "y0"}) {
  %e = tensor.empty() : tensor<8xcomplex<f32>>
  // expected-error @below {{expected operations on numbers that kernels have code for, but got 'complex.re'; keep the real and the imaginary parts in tensors of their own, or run the step on the host}}
  %r = linalg.add ins(%x, %x : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) outs(%e : tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return %r : tensor<8xcomplex<f32>>
}

// -----

// A single element of them is no loop, and no number that a device has.
func.func @element(%x: tensor<8xcomplex<f32>> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<f32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected elements of a number, which can be copied from a device, but got 'complex<f32>'; give its parts tensors of their own}}
  %0 = tensor.extract %x[%c0] : tensor<8xcomplex<f32>>
  %re = complex.re %0 : complex<f32>
  %r = tensor.from_elements %re : tensor<f32>
  return %r : tensor<f32>
}

// -----

// Rows that are all written to one row.
func.func @one_row(%x: tensor<4x6xf32> {amp.role = "batch", amp.name = "x0"}, %z: tensor<4x6xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<4x6xf32> {amp.role = "output", amp.name = "y0"}) {
  %y = math.tanh %z : tensor<4x6xf32>
  // expected-error @below {{expected a place for each element, but got memref<4x6xf32, strided<[0, 1], offset: 6>>, with a stride of 0; change it, or run the step on the host}}
  %r = tensor.insert_slice %y into %x[1, 0] [4, 6] [0, 1] : tensor<4x6xf32> into tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

// A part whose size is an element of the batch: no extent of the batch helps.
func.func @counted(%x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"}, %count: tensor<2xi32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<f32> {amp.role = "output", amp.name = "y0"}) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-note @below {{this element is what the extent is computed from}}
  %n = tensor.extract %count[%c1] : tensor<2xi32>
  %size = arith.index_cast %n : i32 to index
  %part = tensor.extract_slice %x[0] [%size] [1] : tensor<8xf32> to tensor<?xf32>
  // expected-error @below {{this extent is computed from an element of a tensor, so 'extents' cannot give it}}
  %r = linalg.reduce { arith.addf } ins(%part : tensor<?xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}
