// Bytecode gives back what text gives: attributes, default values, regions,
// operand segments.
// RUN: amp-opt %s -o %t.mlir
// RUN: amp-opt %s --emit-bytecode -o %t.mlirbc
// RUN: amp-opt %t.mlirbc -o %t.back.mlir
// RUN: diff %t.mlir %t.back.mlir
// RUN: amp-opt %S/roundtrip.mlir -o %t.all.mlir
// RUN: amp-opt %S/roundtrip.mlir --emit-bytecode | amp-opt -o %t.all.back.mlir
// RUN: diff %t.all.mlir %t.all.back.mlir
// RUN: FileCheck %s --input-file=%t.back.mlir

// CHECK: amp.policy = #amp.policy<O2, cast_model_type = f16, loss_scale = dynamic>
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, loss_scale = dynamic>} {
  amp.scaler @loss {initial_scale = 65536.0 : f64}
  // CHECK: func.func @step(%{{.*}}: tensor<4xf32> {amp.name = "w", amp.role = "master"}
  func.func @step(%m: tensor<4xf32> {amp.role = "master", amp.name = "w"}, %g: tensor<4xf16>)
      -> tensor<4xf32> {
    // CHECK: amp.unscale
    %u, %found = amp.unscale %g using @loss : (tensor<4xf16>) -> tensor<4xf32>
    // CHECK: amp.apply_if_finite
    %new = amp.apply_if_finite %found keep(%m) {
      // CHECK: arith.subf {{.*}} {amp.class = #amp.class<high, unit = 1, "optimizer">}
      %0 = arith.subf %m, %u {amp.class = #amp.class<high, unit = 1, "optimizer">} : tensor<4xf32>
      amp.yield %0 : tensor<4xf32>
    } : tensor<4xf32>
    return %new : tensor<4xf32>
  }
}
