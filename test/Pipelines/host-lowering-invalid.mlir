// RUN: amp-opt %s --amp-to-host --split-input-file --verify-diagnostics

// What no conversion knows is named where it stands; the translation to LLVM would stop
// at a cast beside it.
func.func @rounded(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<f32> {amp.role = "output", amp.name = "y0"}) {
  %c0 = arith.constant 0 : index
  %a = tensor.extract %x[%c0] : tensor<4xf32>
  // expected-error@below {{expected an operation that can be lowered to the host, but got 'arith.truncf'}}
  %c = arith.truncf %a : f32 to tf32
  // expected-error@below {{expected an operation that can be lowered to the host, but got 'arith.extf'}}
  %r = arith.extf %c : tf32 to f32
  %t = tensor.from_elements %r : tensor<f32>
  return %t : tensor<f32>
}
