// Epilogues for kernels under test: a bias under a ReLU, and every kind of operand.

func.func @bias_relu(%sum: f32, %bias: f32) -> bf16 attributes {amp.epilogue = ["column"]} {
  %zero = arith.constant 0.0 : f32
  %b = arith.addf %sum, %bias : f32
  %v = arith.maximumf %b, %zero : f32
  %result = arith.truncf %v : f32 to bf16
  return %result : bf16
}
func.func @linear(%sum: f32, %alpha: f32, %bias: f32, %row: f32, %residual: bf16) -> bf16
    attributes {amp.epilogue = ["scalar", "column", "row", "matrix"]} {
  %zero = arith.constant 0.0 : f32
  %s = arith.mulf %sum, %alpha : f32
  %t = arith.addf %s, %bias : f32
  %u = arith.addf %t, %row : f32
  %p = arith.maximumf %u, %zero : f32
  %r = arith.extf %residual : bf16 to f32
  %v = arith.addf %p, %r : f32
  %result = arith.truncf %v : f32 to bf16
  return %result : bf16
}
func.func @linear_f16(%sum: f32, %alpha: f32, %bias: f32, %row: f32, %residual: f16) -> f16
    attributes {amp.epilogue = ["scalar", "column", "row", "matrix"]} {
  %zero = arith.constant 0.0 : f32
  %s = arith.mulf %sum, %alpha : f32
  %t = arith.addf %s, %bias : f32
  %u = arith.addf %t, %row : f32
  %p = arith.maximumf %u, %zero : f32
  %r = arith.extf %residual : f16 to f32
  %v = arith.addf %p, %r : f32
  %result = arith.truncf %v : f32 to f16
  return %result : f16
}
func.func @linear_f32(%sum: f32, %alpha: f32, %bias: f32, %row: f32, %residual: f32) -> f32
    attributes {amp.epilogue = ["scalar", "column", "row", "matrix"]} {
  %zero = arith.constant 0.0 : f32
  %s = arith.mulf %sum, %alpha : f32
  %t = arith.addf %s, %bias : f32
  %u = arith.addf %t, %row : f32
  %p = arith.maximumf %u, %zero : f32
  %r = arith.addf %residual, %zero : f32
  %v = arith.addf %p, %r : f32
  return %v : f32
}
// GELU by its tanh formula: a long function on every element.
func.func @gelu(%sum: f32, %bias: f32) -> bf16 attributes {amp.epilogue = ["column"]} {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %cubic = arith.constant 0.044715 : f32
  %scale = arith.constant 0.797884561 : f32
  %x = arith.addf %sum, %bias : f32
  %square = arith.mulf %x, %x : f32
  %factor = math.fma %cubic, %square, %one : f32
  %y = arith.mulf %x, %factor : f32
  %z = arith.mulf %y, %scale : f32
  %t = math.tanh %z : f32
  %u = arith.addf %t, %one : f32
  %v = arith.mulf %x, %u : f32
  %w = arith.mulf %v, %half : f32
  %result = arith.truncf %w : f32 to bf16
  return %result : bf16
}
