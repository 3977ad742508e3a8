// RUN: amp-opt %s --convert-amp-to-linalg | FileCheck %s

// Each operation that is not the runtime's, in standard dialects. No rounding is lost
// or added.

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @narrow
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @narrow(%x: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xbf16>) {
  // CHECK: arith.truncf %[[X]] : tensor<4xf32> to tensor<4xf16>
  %0 = amp.cast %x : tensor<4xf32> to tensor<4xf16>
  // CHECK: arith.truncf %[[X]] : tensor<4xf32> to tensor<4xbf16>
  %1 = amp.cast %x : tensor<4xf32> to tensor<4xbf16>
  return %0, %1 : tensor<4xf16>, tensor<4xbf16>
}

// CHECK-LABEL: func.func @widen
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>
func.func @widen(%x: tensor<4xf16>) -> tensor<4xf32> {
  // CHECK: arith.extf %[[X]] : tensor<4xf16> to tensor<4xf32>
  %0 = amp.cast %x : tensor<4xf16> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Between the halves through f32, which is exact on the way up: one rounding.
// CHECK-LABEL: func.func @between_halves
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>
func.func @between_halves(%x: tensor<4xf16>) -> tensor<4xbf16> {
  // CHECK: %[[W:.*]] = arith.extf %[[X]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: arith.truncf %[[W]] : tensor<4xf32> to tensor<4xbf16>
  %0 = amp.cast %x : tensor<4xf16> to tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// A rounding that the program states stays: narrowing and widening do not cancel.
// CHECK-LABEL: func.func @rounding_stays
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @rounding_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[H:.*]] = arith.truncf %[[X]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[W:.*]] = arith.extf %[[H]] : tensor<4xf16> to tensor<4xf32>
  // CHECK: return %[[W]]
  %0 = amp.cast %x : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %0 : tensor<4xf16> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Scalars in bodies, and tensors of any shape.
// CHECK-LABEL: func.func @scalar_and_dynamic
func.func @scalar_and_dynamic(%s: f16, %d: tensor<?x?xf32>) -> (f32, tensor<?x?xf16>) {
  // CHECK: arith.extf %{{.*}} : f16 to f32
  %0 = amp.cast %s : f16 to f32
  // CHECK: arith.truncf %{{.*}} : tensor<?x?xf32> to tensor<?x?xf16>
  %1 = amp.cast %d : tensor<?x?xf32> to tensor<?x?xf16>
  return %0, %1 : f32, tensor<?x?xf16>
}

// CHECK-LABEL: func.func @master_copy
// CHECK-SAME: %[[M:.*]]: tensor<4x8xf32>
func.func @master_copy(%m: tensor<4x8xf32>) -> tensor<4x8xbf16> {
  // CHECK: arith.truncf %[[M]] : tensor<4x8xf32> to tensor<4x8xbf16>
  %0 = amp.master_copy %m : tensor<4x8xf32> to tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

// Without a policy on the module nobody asked for casts: the region is FP32.
// CHECK-LABEL: func.func @region
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @region(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[X]]
  // CHECK-NEXT: return %[[E]], %[[X]]
  %0:2 = amp.autocast under <O1, patch_type = f16, loss_scale = dynamic> {
    %1 = math.exp %x : tensor<4xf32>
    amp.yield %1, %x : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Skipping
//===----------------------------------------------------------------------===//

// A skipped step computes nothing, and gives the old values themselves.
// CHECK-LABEL: func.func @guard
// CHECK-SAME: %[[W:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<4xf32>, %[[F:.*]]: tensor<i1>
func.func @guard(%w: tensor<4xf32>, %m: tensor<4xf32>, %found: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[BIT:.*]] = tensor.extract %[[F]][] : tensor<i1>
  // CHECK: %[[R:.*]]:2 = scf.if %[[BIT]] -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: scf.yield %[[W]], %[[M]]
  // CHECK: } else {
  // CHECK:   %[[N:.*]] = arith.subf %[[W]], %[[M]]
  // CHECK:   scf.yield %[[N]], %[[W]]
  // CHECK: }
  // CHECK: return %[[R]]#0, %[[R]]#1
  %0:2 = amp.apply_if_finite %found keep(%w, %m) {
    %n = arith.subf %w, %m : tensor<4xf32>
    amp.yield %n, %w : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// What stands inside a guard is converted with it.
// CHECK-LABEL: func.func @cast_inside_guard
// CHECK-NOT: amp.
// CHECK: return
func.func @cast_inside_guard(%w: tensor<4xf16>, %m: tensor<4xf32>, %found: tensor<i1>) -> tensor<4xf16> {
  %0 = amp.apply_if_finite %found keep(%w) {
    %agreed = amp.all_reduce_found_inf %found
    %n = amp.apply_if_finite %agreed keep(%w) {
      %c = amp.master_copy %m : tensor<4xf32> to tensor<4xf16>
      amp.yield %c : tensor<4xf16>
    } : tensor<4xf16>
    amp.yield %n : tensor<4xf16>
  } : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// One rank agrees with itself.
// CHECK-LABEL: func.func @one_rank
// CHECK-SAME: %[[F:.*]]: tensor<i1>
func.func @one_rank(%found: tensor<i1>) -> tensor<i1> {
  // CHECK: return %[[F]]
  %0 = amp.all_reduce_found_inf %found
  return %0 : tensor<i1>
}

//===----------------------------------------------------------------------===//
// Left alone
//===----------------------------------------------------------------------===//

// Scalers and taps are the runtime's; roles have readers to come.
// CHECK: amp.scaler @s
amp.scaler @s {initial_scale = 128.0 : f64}
// CHECK-LABEL: func.func @left_alone
// CHECK-SAME: {amp.name = "loss", amp.role = "loss_seed"}
func.func @left_alone(%seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
                      %g: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  // CHECK: amp.scale_loss
  // CHECK: amp.tap
  // CHECK: amp.unscale
  // CHECK: amp.update_scale
  %0 = amp.scale_loss %seed using @s : tensor<f32>
  %1 = amp.tap "scaled_grad" "w" %g : tensor<4xf32>
  %2, %found = amp.unscale %1 using @s : (tensor<4xf32>) -> tensor<4xf32>
  amp.update_scale @s, %found
  return %0, %2 : tensor<f32>, tensor<4xf32>
}

// A program's own truncation is its own.
// CHECK-LABEL: func.func @own_truncation
func.func @own_truncation(%x: tensor<4xf64>) -> tensor<4xf16> {
  // CHECK: arith.truncf %{{.*}} : tensor<4xf64> to tensor<4xf16>
  %0 = arith.truncf %x : tensor<4xf64> to tensor<4xf16>
  return %0 : tensor<4xf16>
}
