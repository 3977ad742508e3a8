// RUN: amp-opt %s --convert-amp-to-runtime --split-input-file | FileCheck %s

// Loss scaling as calls of the runtime. The state has no global: its handle is an
// argument.

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

// CHECK-DAG: func.func private @ampRtScalerScale(i64) -> f32
// CHECK-DAG: func.func private @ampRtScalerUpdateFromProgram(i64, i1)
// CHECK-NOT: amp.scaler
amp.scaler @s {initial_scale = 65536.0 : f64}

// CHECK-LABEL: func.func @scale
// CHECK-SAME: %[[X:.*]]: tensor<f32>, %[[H:.*]]: i64 {amp.name = "s", amp.role = "scaler_state"}
func.func @scale(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: %[[S:.*]] = call @ampRtScalerScale(%[[H]]) : (i64) -> f32
  // CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<f32>)
  // CHECK: ^bb0(%[[V:.*]]: f32, %{{.*}}: f32):
  // CHECK: %[[P:.*]] = arith.mulf %[[V]], %[[S]] : f32
  // CHECK: linalg.yield %[[P]] : f32
  %0 = amp.scale_loss %x using @s : tensor<f32>
  return %0 : tensor<f32>
}

// A half seed is multiplied in f32 and rounded once.
// CHECK-LABEL: func.func @scale_half
func.func @scale_half(%x: tensor<f16>) -> tensor<f16> {
  // CHECK: ^bb0(%[[V:.*]]: f16, %{{.*}}: f16):
  // CHECK: %[[W:.*]] = arith.extf %[[V]] : f16 to f32
  // CHECK: %[[P:.*]] = arith.mulf %[[W]], %{{.*}} : f32
  // CHECK: %[[R:.*]] = arith.truncf %[[P]] : f32 to f16
  // CHECK: linalg.yield %[[R]] : f16
  %0 = amp.scale_loss %x using @s : tensor<f16>
  return %0 : tensor<f16>
}

// The reciprocal is taken in f64 and rounded, as Apex's is. All gradients are tested
// into one answer: exponent bits all ones, by integers. A half gradient is widened
// before the product.
// CHECK-LABEL: func.func @unscale
// CHECK-SAME: %[[A:.*]]: tensor<4x2xf16>, %[[B:.*]]: tensor<3xf32>, %[[H:.*]]: i64
func.func @unscale(%a: tensor<4x2xf16>, %b: tensor<3xf32>) -> (tensor<4x2xf32>, tensor<3xf32>, tensor<i1>) {
  // CHECK: %[[S:.*]] = call @ampRtScalerScale(%[[H]])
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
  // CHECK-DAG: %[[SW:.*]] = arith.extf %[[S]] : f32 to f64
  // CHECK: %[[Q:.*]] = arith.divf %[[ONE]], %[[SW]] : f64
  // CHECK: %[[INV:.*]] = arith.truncf %[[Q]] : f64 to f32
  // CHECK: %[[T0:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[A]] : tensor<4x2xf16>)
  // CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f16 to i16
  // CHECK: %[[MASK:.*]] = arith.constant 31744 : i16
  // CHECK: %[[EXP:.*]] = arith.andi %[[BITS]], %[[MASK]] : i16
  // CHECK: arith.cmpi eq, %[[EXP]], %[[MASK]] : i16
  // CHECK: %[[T1:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<3xf32>) outs(%[[T0]] : tensor<i32>)
  // CHECK: arith.constant 2139095040 : i32
  // CHECK: %[[FOUND:.*]] = arith.cmpi ne, %[[T1]], %{{.*}} : tensor<i32>
  // CHECK: %[[GA:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<4x2xf16>) outs(%{{.*}} : tensor<4x2xf32>)
  // CHECK: %[[W:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: arith.mulf %[[W]], %[[INV]] : f32
  // CHECK: %[[GB:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<3xf32>) outs(%{{.*}} : tensor<3xf32>)
  // CHECK: arith.mulf %{{.*}}, %[[INV]] : f32
  // CHECK: return %[[GA]], %[[GB]], %[[FOUND]]
  %g:2, %found = amp.unscale %a, %b using @s : (tensor<4x2xf16>, tensor<3xf32>) -> (tensor<4x2xf32>, tensor<3xf32>)
  return %g#0, %g#1, %found : tensor<4x2xf32>, tensor<3xf32>, tensor<i1>
}

// bf16 has f32's exponent.
// CHECK-LABEL: func.func @unscale_bf16
func.func @unscale_bf16(%a: tensor<4xbf16>) -> tensor<4xf32> {
  // CHECK: arith.bitcast %{{.*}} : bf16 to i16
  // CHECK: arith.constant 32640 : i16
  %g, %found = amp.unscale %a using @s : (tensor<4xbf16>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// Accumulators are added to the unscaled value and not tested; what was found before
// stays found.
// CHECK-LABEL: func.func @unscale_accumulate
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[ACC:.*]]: tensor<4xf32>, %[[OLD:.*]]: tensor<i1>
func.func @unscale_accumulate(%a: tensor<4xf32>, %acc: tensor<4xf32>, %old: tensor<i1>)
    -> (tensor<4xf32>, tensor<i1>) {
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[A]] :
  // CHECK-NOT: ["reduction"]} ins(%[[ACC]]
  // CHECK: %[[NEW:.*]] = arith.cmpi ne
  // CHECK: %[[FOUND:.*]] = arith.ori %[[NEW]], %[[OLD]] : tensor<i1>
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[ACC]] :
  // CHECK: ^bb0(%[[G:.*]]: f32, %[[SUM:.*]]: f32, %{{.*}}: f32):
  // CHECK: %[[P:.*]] = arith.mulf %[[G]], %{{.*}} : f32
  // CHECK: arith.addf %[[P]], %[[SUM]] : f32
  // CHECK: return %{{.*}}, %[[FOUND]]
  %g, %found = amp.unscale %a using @s accumulate(%acc) found(%old)
      : (tensor<4xf32>) -> tensor<4xf32>
  return %g, %found : tensor<4xf32>, tensor<i1>
}

// Each gradient has its own accumulator.
// CHECK-LABEL: func.func @unscale_accumulate_two
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[SUM_A:.*]]: tensor<4xf32>, %[[SUM_B:.*]]: tensor<4xf32>
func.func @unscale_accumulate_two(%a: tensor<4xf32>, %b: tensor<4xf32>, %sum_a: tensor<4xf32>, %sum_b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[SUM_A]] :
  // CHECK: linalg.generic {{.*}} ins(%[[B]], %[[SUM_B]] :
  %g:2, %found = amp.unscale %a, %b using @s accumulate(%sum_a, %sum_b)
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %g#0, %g#1 : tensor<4xf32>, tensor<4xf32>
}

// A gradient of rank 0, and one of unknown shape.
// CHECK-LABEL: func.func @unscale_shapes
func.func @unscale_shapes(%a: tensor<f32>, %b: tensor<?x4xf16>) -> (tensor<f32>, tensor<?x4xf32>) {
  // CHECK: linalg.generic {{.*}} iterator_types = []} ins(%{{.*}} : tensor<f32>)
  // CHECK: tensor.empty(%{{.*}}) : tensor<?x4xf32>
  %g:2, %found = amp.unscale %a, %b using @s : (tensor<f32>, tensor<?x4xf16>) -> (tensor<f32>, tensor<?x4xf32>)
  return %g#0, %g#1 : tensor<f32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @update
// CHECK-SAME: %[[F:.*]]: tensor<i1>, %[[H:.*]]: i64
func.func @update(%found: tensor<i1>) {
  // CHECK: %[[BIT:.*]] = tensor.extract %[[F]][] : tensor<i1>
  // CHECK: call @ampRtScalerUpdateFromProgram(%[[H]], %[[BIT]]) : (i64, i1) -> ()
  amp.update_scale @s, %found
  return
}

// The scale is read anew after an update: the order of the program is kept.
// CHECK-LABEL: func.func @order
func.func @order(%x: tensor<f32>, %found: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: call @ampRtScalerScale
  // CHECK: call @ampRtScalerUpdateFromProgram
  // CHECK: call @ampRtScalerScale
  %0 = amp.scale_loss %x using @s : tensor<f32>
  amp.update_scale @s, %found
  %1 = amp.scale_loss %x using @s : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

// Whoever needs a handle takes it, after the arguments that it had, and whoever calls
// him hands it on; two scalers, two handles, in the order of first use.

amp.scaler @a {initial_scale = 2.0 : f64}
amp.scaler @b {initial_scale = 4.0 : f64}

// CHECK-LABEL: func.func @uses_b
// CHECK-SAME: %{{.*}}: tensor<f32>, %[[B:.*]]: i64 {amp.name = "b", amp.role = "scaler_state"})
func.func @uses_b(%x: tensor<f32>) -> tensor<f32> {
  %0 = amp.scale_loss %x using @b : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @uses_both
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<f32>, %[[A:[a-z0-9]+]]: i64 {amp.name = "a", amp.role = "scaler_state"}, %[[B:[a-z0-9]+]]: i64 {amp.name = "b", amp.role = "scaler_state"})
func.func @uses_both(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: call @ampRtScalerScale(%[[A]])
  // CHECK: call @uses_b(%{{.*}}, %[[B]]) : (tensor<f32>, i64) -> tensor<f32>
  %0 = amp.scale_loss %x using @a : tensor<f32>
  %1 = call @uses_b(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// Over two calls.
// CHECK-LABEL: func.func @calls_caller
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<f32>, %[[A:[a-z0-9]+]]: i64 {amp.name = "a", amp.role = "scaler_state"}, %[[B:[a-z0-9]+]]: i64 {amp.name = "b", amp.role = "scaler_state"})
func.func @calls_caller(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: call @uses_both(%[[X]], %[[A]], %[[B]])
  %0 = call @uses_both(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// A call inside a region gets the handle of the function around it.
// CHECK-LABEL: func.func @inside_region
// CHECK-SAME: %[[B:[a-z0-9]+]]: i64 {amp.name = "b", amp.role = "scaler_state"})
func.func @inside_region(%c: i1, %x: tensor<f32>) -> tensor<f32> {
  // CHECK: scf.if
  // CHECK: call @uses_b(%{{.*}}, %[[B]])
  %r = scf.if %c -> tensor<f32> {
    %0 = func.call @uses_b(%x) : (tensor<f32>) -> tensor<f32>
    scf.yield %0 : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %r : tensor<f32>
}

// Near miss: who needs none, gets none.
// CHECK-LABEL: func.func @needs_none
// CHECK-SAME: (%{{.*}}: tensor<f32>) -> tensor<f32>
func.func @needs_none(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

// All taps of a program share one handle; bufferization makes the call.

// CHECK-LABEL: func.func @taps
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<4xf32>, %[[H:[a-z0-9]+]]: i64 {amp.name = "tap", amp.role = "hyper"})
func.func @taps(%g: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = amp.tap "scaled_grad" "w" %[[G]] via %[[H]] : tensor<4xf32>
  // CHECK: amp.tap "grad" "w" %[[T]] via %[[H]] : tensor<4xf32>
  %0 = amp.tap "scaled_grad" "w" %g : tensor<4xf32>
  %1 = amp.tap "grad" "w" %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @caller_of_taps
// CHECK-SAME: %[[H:[a-z0-9]+]]: i64 {amp.name = "tap", amp.role = "hyper"})
func.func @caller_of_taps(%g: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: call @taps(%{{.*}}, %[[H]])
  %0 = call @taps(%g) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
