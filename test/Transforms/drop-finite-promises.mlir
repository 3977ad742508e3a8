// RUN: amp-opt %s --split-input-file --amp-drop-finite-promises | FileCheck %s

// CHECK-LABEL: func.func @scaled
amp.scaler @s {initial_scale = 4.0 : f64}
func.func @scaled(%x: tensor<4xf32>, %init: tensor<f32>, %v: vector<4xf32>) -> (tensor<4xf32>, tensor<f32>, f32) {
  // CHECK: arith.maximumf %{{.*}}, %{{.*}} : tensor<4xf32>
  // CHECK: math.exp %{{.*}} fastmath<reassoc,nsz,arcp,contract,afn> : tensor<4xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nsz> : tensor<4xf32>
  %a = arith.maximumf %x, %x fastmath<nnan,ninf> : tensor<4xf32>
  %b = math.exp %a fastmath<fast> : tensor<4xf32>
  %c = arith.addf %a, %b fastmath<nsz> : tensor<4xf32>
  // CHECK: linalg.reduce
  // CHECK-NOT: fastmath
  %r = linalg.reduce ins(%c : tensor<4xf32>) outs(%init : tensor<f32>) dimensions = [0]
    (%e: f32, %o: f32) {
      %m = arith.maximumf %e, %o fastmath<nnan> : f32
      linalg.yield %m : f32
    }
  // CHECK: vector.reduction <maximumf>, %{{.*}} : vector<4xf32> into f32
  %s = vector.reduction <maximumf>, %v fastmath<nnan> : vector<4xf32> into f32
  return %c, %r, %s : tensor<4xf32>, tensor<f32>, f32
}

// -----

// Near miss: no loss is scaled.
// CHECK-LABEL: func.func @unscaled
func.func @unscaled(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.maximumf {{.*}} fastmath<nnan>
  %a = arith.maximumf %x, %x fastmath<nnan> : tensor<4xf32>
  return %a : tensor<4xf32>
}
