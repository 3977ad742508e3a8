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
// The gradient of a ReLU's input, the sum of its columns for a bias, the sums of its rows,
// and the greatest magnitude before it is scaled.
func.func @gradient(%sum: f32, %scale: f32, %output: bf16) -> (bf16, f32, f32, f32)
    attributes {amp.epilogue = ["scalar", "matrix"], amp.epilogue_outputs = ["column-sum", "amax", "row-sum"]} {
  %zero = arith.constant 0.0 : f32
  %o = arith.extf %output : bf16 to f32
  %positive = arith.cmpf ogt, %o, %zero : f32
  %g = arith.select %positive, %sum, %zero : f32
  %s = arith.mulf %g, %scale : f32
  %result = arith.truncf %s : f32 to bf16
  return %result, %s, %g, %s : bf16, f32, f32, f32
}
func.func @amax_f32(%sum: f32) -> (f32, f32) attributes {amp.epilogue_outputs = ["amax"]} {
  return %sum, %sum : f32, f32
}
// The bits of large sums, as they lie in memory.
func.func @bits(%sum: f32) -> (f32, i32) attributes {amp.epilogue_outputs = ["or"]} {
  %limit = arith.constant 30.0 : f32
  %none = arith.constant 0 : i32
  %large = arith.cmpf ogt, %sum, %limit : f32
  %number = arith.bitcast %sum : f32 to i32
  %bits = arith.select %large, %number, %none : i32
  return %sum, %bits : f32, i32
}
// An activation, and what it is the function of.
func.func @kept(%sum: f32, %bias: bf16) -> (bf16, bf16)
    attributes {amp.epilogue = ["column"], amp.epilogue_outputs = ["matrix"]} {
  %zero = arith.constant 0.0 : f32
  %b = arith.extf %bias : bf16 to f32
  %x = arith.addf %sum, %b : f32
  %y = arith.maximumf %x, %zero : f32
  %kept = arith.truncf %x : f32 to bf16
  %result = arith.truncf %y : f32 to bf16
  return %result, %kept : bf16, bf16
}
// Of another type, beside bits.
func.func @kept_and_bits(%sum: f32) -> (f32, f16, i32) attributes {amp.epilogue_outputs = ["matrix", "or"]} {
  %limit = arith.constant 30.0 : f32
  %none = arith.constant 0 : i32
  %large = arith.cmpf ogt, %sum, %limit : f32
  %number = arith.bitcast %sum : f32 to i32
  %bits = arith.select %large, %number, %none : i32
  %kept = arith.truncf %sum : f32 to f16
  return %sum, %kept, %bits : f32, f16, i32
}
// Nothing of what comes later is seen: the columns after a row's own number are masked.
func.func @causal(%sum: f32, %row: i32, %column: i32, %bias: f32) -> f32
    attributes {amp.epilogue = ["row-index", "column-index", "row"]} {
  %zero = arith.constant 0.0 : f32
  %later = arith.cmpi ugt, %column, %row : i32
  %s = arith.addf %sum, %bias : f32
  %result = arith.select %later, %zero, %s : f32
  return %result : f32
}
