// RUN: amp-opt %s --convert-linalg-to-element-kernels --canonicalize | FileCheck %s

// A power of f64, as Adam's is. What it computes is expand-functions.test's; angles of f64 are in declined.mlir.
// CHECK-LABEL: func @power
// CHECK:       amp.launch_kernels
// CHECK-NOT:   linalg.generic
func.func @power(%beta: tensor<f64>, %step: tensor<f64>, %e: tensor<f64>) -> tensor<f64> {
  %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%beta, %step : tensor<f64>, tensor<f64>) outs(%e : tensor<f64>) {
  ^bb0(%a: f64, %n: f64, %out: f64):
    %p = math.powf %a, %n : f64
    linalg.yield %p : f64
  } -> tensor<f64>
  return %0 : tensor<f64>
}
