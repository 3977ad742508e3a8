// A chain of steps, and a function that is none.
func.func @bias_relu(%sum: f32, %bias: f32) -> bf16 attributes {amp.epilogue = ["column"]} {
  %zero = arith.constant 0.0 : f32
  %b = arith.addf %sum, %bias : f32
  %v = arith.maximumf %b, %zero : f32
  %result = arith.truncf %v : f32 to bf16
  return %result : bf16
}
func.func @square(%sum: f32) -> bf16 {
  %v = arith.mulf %sum, %sum : f32
  %result = arith.truncf %v : f32 to bf16
  return %result : bf16
}
