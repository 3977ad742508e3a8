// RUN: amp-opt %s --amp-to-host --split-input-file --verify-diagnostics

// What no conversion knows is named where it stands; the translation to LLVM would stop
// at a cast beside it.
func.func @magnitude(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<f32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0 : index
  %a = tensor.extract %x[%c0] : tensor<4xf32>
  // expected-error@below {{expected an operation that can be lowered to the host, but got 'complex.create'}}
  %c = complex.create %a, %a : complex<f32>
  // expected-error@below {{expected an operation that can be lowered to the host, but got 'complex.abs'}}
  %r = complex.abs %c : complex<f32>
  %t = tensor.from_elements %r : tensor<f32>
  return %t : tensor<f32>
}
