// RUN: amp-opt %s --convert-linalg-to-element-kernels --canonicalize | FileCheck %s

// A power of f64, as Adam's is, and an angle. What they compute is expand-functions.test's.
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

// CHECK-LABEL: func @angle
// CHECK:       amp.launch_kernels
// CHECK-NOT:   linalg.generic
func.func @angle(%x: tensor<4xf64>, %e: tensor<4xf64>) -> tensor<4xf64> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f64, %out: f64):
    %s = math.sin %a : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
