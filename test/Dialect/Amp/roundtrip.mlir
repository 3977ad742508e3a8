// Print and parse twice, once through the generic form: nothing may be lost.
// RUN: amp-opt %s | amp-opt | FileCheck %s
// RUN: amp-opt %s --mlir-print-op-generic | amp-opt | FileCheck %s

// CHECK-LABEL: module @policies
// CHECK-SAME: amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic, cast_model_outputs = f32, num_losses = 2, min_loss_scale = 1.000000e+00, max_loss_scale = 6.553600e+04>
module @policies attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic,
    cast_model_outputs = f32, num_losses = 2, min_loss_scale = 1.0,
    max_loss_scale = 65536.0>} {
  // Each level by itself; absent keys stay absent and defaults are not printed.
  // CHECK: module attributes {amp.policy = #amp.policy<O0, cast_model_type = f32, keep_batchnorm_fp32 = false, master_weights = false, loss_scale = 1.000000e+00>}
  module attributes {amp.policy = #amp.policy<O0, loss_scale = 1.0, cast_model_type = f32,
      master_weights = false, keep_batchnorm_fp32 = false>} {}
  // CHECK: module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>}
  module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic,
      max_loss_scale = 16777216.0, num_losses = 1>} {}
  // CHECK: module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, loss_scale = 1.280000e+02>}
  module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, loss_scale = 128.0>} {}
  // CHECK: module attributes {amp.policy = #amp.policy<O4, patch_type = bf16, loss_scale = 1.000000e+00>}
  module attributes {amp.policy = #amp.policy<O4, patch_type = bf16, loss_scale = 1.0>} {}
  // CHECK: module attributes {amp.policy = #amp.policy<O5, cast_model_type = bf16, loss_scale = 1.000000e+00>}
  module attributes {amp.policy = #amp.policy<O5, cast_model_type = bf16, loss_scale = 1.0>} {}
  // No ceiling at all, and a scale down among the denormals.
  // CHECK: module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = {{4.94.*e-324}}, max_loss_scale = 0x7FF0000000000000>}
  module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = 4.940660e-324,
      max_loss_scale = 0x7FF0000000000000>} {}
}

// CHECK-LABEL: module @scalers
module @scalers {
  // CHECK: amp.scaler @default {initial_scale = 6.553600e+04 : f64}
  amp.scaler @default {initial_scale = 65536.0 : f64}
  // CHECK: amp.scaler @largest {initial_scale = 3.4028234663852886E+38 : f64}
  amp.scaler @largest {initial_scale = 0x47EFFFFFE0000000 : f64}
  // CHECK: amp.scaler @everything {backoff_factor = 2.500000e-01 : f64, growth_factor = 4.000000e+00 : f64, growth_interval = 10 : i64, hysteresis = 2 : i32, initial_scale = 1.024000e+03 : f64, max_scale = 0x7FF0000000000000 : f64, min_scale = 1.000000e+00 : f64}
  amp.scaler @everything {initial_scale = 1024.0 : f64, growth_factor = 4.0 : f64,
    backoff_factor = 0.25 : f64, growth_interval = 10 : i64, hysteresis = 2 : i32,
    min_scale = 1.0 : f64, max_scale = 0x7FF0000000000000 : f64, preset = 0 : i32}
  // CHECK: amp.scaler @static {initial_scale = 1.280000e+02 : f64, static_scale}
  amp.scaler @static {initial_scale = 128.0 : f64, static_scale}

  // CHECK-LABEL: func.func @scale_loss
  func.func @scale_loss(%seed: tensor<f32>, %half: tensor<f16>, %many: tensor<2x?xbf16>) {
    // CHECK: amp.scale_loss %{{.*}} using @default : tensor<f32>
    %0 = amp.scale_loss %seed using @default : tensor<f32>
    // CHECK: amp.scale_loss %{{.*}} using @static : tensor<f16>
    %1 = amp.scale_loss %half using @static : tensor<f16>
    // CHECK: amp.scale_loss %{{.*}} using @default {tag} : tensor<2x?xbf16>
    %2 = amp.scale_loss %many using @default {tag} : tensor<2x?xbf16>
    return
  }

  // CHECK-LABEL: func.func @unscale
  // CHECK-SAME: %[[G:.*]]: tensor<4x?xf16>, %[[H:.*]]: tensor<0xf32>, %[[A:.*]]: tensor<4x?xf32>, %[[F:.*]]: tensor<i1>
  func.func @unscale(%g: tensor<4x?xf16>, %h: tensor<0xf32>, %a: tensor<4x?xf32>, %f: tensor<i1>) {
    // CHECK: %{{.*}}, %{{.*}} = amp.unscale %[[G]] using @default : (tensor<4x?xf16>) -> tensor<4x?xf32>
    %0, %f0 = amp.unscale %g using @default : (tensor<4x?xf16>) -> tensor<4x?xf32>
    // CHECK: %{{.*}}:2, %{{.*}} = amp.unscale %[[G]], %[[H]] using @default : (tensor<4x?xf16>, tensor<0xf32>) -> (tensor<4x?xf32>, tensor<0xf32>)
    %1:2, %f1 = amp.unscale %g, %h using @default
        : (tensor<4x?xf16>, tensor<0xf32>) -> (tensor<4x?xf32>, tensor<0xf32>)
    // CHECK: amp.unscale %[[G]] using @default accumulate(%[[A]]) : (tensor<4x?xf16>) -> tensor<4x?xf32>
    %2, %f2 = amp.unscale %g using @default accumulate(%a)
        : (tensor<4x?xf16>) -> tensor<4x?xf32>
    // CHECK: amp.unscale %[[G]] using @default found(%[[F]]) : (tensor<4x?xf16>) -> tensor<4x?xf32>
    %3, %f3 = amp.unscale %g using @default found(%f) : (tensor<4x?xf16>) -> tensor<4x?xf32>
    // CHECK: amp.unscale %[[G]] using @default accumulate(%[[A]]) found(%[[F]]) {tag} : (tensor<4x?xf16>) -> tensor<4x?xf32>
    %4, %f4 = amp.unscale %g using @default accumulate(%a) found(%f) {tag}
        : (tensor<4x?xf16>) -> tensor<4x?xf32>
    // A step whose parameters are all frozen.
    // CHECK: amp.unscale using @default : () -> ()
    %f5 = amp.unscale using @default : () -> ()
    return
  }

  // CHECK-LABEL: func.func @update_scale
  // CHECK-SAME: %[[F:.*]]: tensor<i1>
  func.func @update_scale(%f: tensor<i1>) {
    // CHECK: %[[ALL:.*]] = amp.all_reduce_found_inf %[[F]]
    %all = amp.all_reduce_found_inf %f
    // CHECK: amp.update_scale @default, %[[ALL]]
    amp.update_scale @default, %all
    return
  }
}

// CHECK-LABEL: func.func @apply_if_finite
// CHECK-SAME: %[[W:.*]]: tensor<4xf32>, %[[N:.*]]: i64, %[[F:.*]]: tensor<i1>
func.func @apply_if_finite(%w: tensor<4xf32>, %n: i64, %f: tensor<i1>) {
  // CHECK: amp.apply_if_finite %[[F]] keep(%[[W]], %[[N]]) {
  // CHECK:   %[[W1:.*]] = arith.negf %[[W]]
  // CHECK:   amp.yield %[[W1]], %[[N]] : tensor<4xf32>, i64
  // CHECK: } : tensor<4xf32>, i64
  %0:2 = amp.apply_if_finite %f keep(%w, %n) {
    %w1 = arith.negf %w : tensor<4xf32>
    amp.yield %w1, %n : tensor<4xf32>, i64
  } : tensor<4xf32>, i64
  // CHECK: amp.apply_if_finite %[[F]] keep() {
  // CHECK-NEXT: amp.yield
  // CHECK-NEXT: } {tag}
  amp.apply_if_finite %f keep() {
    amp.yield
  } {tag}
  return
}

// CHECK-LABEL: func.func @precision
func.func @precision(%x: tensor<4x?xf32>, %h: tensor<2xf16>, %s: bf16) {
  // CHECK: amp.cast %{{.*}} : tensor<4x?xf32> to tensor<4x?xbf16>
  %0 = amp.cast %x : tensor<4x?xf32> to tensor<4x?xbf16>
  // CHECK: amp.cast %{{.*}} : tensor<2xf16> to tensor<2xf32>
  %1 = amp.cast %h : tensor<2xf16> to tensor<2xf32>
  // CHECK: amp.cast %{{.*}} : tensor<2xf16> to tensor<2xbf16>
  %2 = amp.cast %h : tensor<2xf16> to tensor<2xbf16>
  // CHECK: amp.cast %{{.*}} {tag} : bf16 to f32
  %3 = amp.cast %s {tag} : bf16 to f32
  // CHECK: amp.master_copy %{{.*}} : tensor<4x?xf32> to tensor<4x?xf16>
  %4 = amp.master_copy %x : tensor<4x?xf32> to tensor<4x?xf16>
  return
}

// CHECK-LABEL: func.func @autocast
func.func @autocast(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: amp.autocast {
  // CHECK:   amp.yield %{{.*}} : tensor<4xf32>
  // CHECK: } : tensor<4xf32>
  %0 = amp.autocast {
    amp.yield %x : tensor<4xf32>
  } : tensor<4xf32>
  // CHECK: amp.autocast under <O1, patch_type = f16, loss_scale = dynamic> {
  // CHECK: } {tag} : tensor<4xf32>
  %1 = amp.autocast under #amp.policy<O1, patch_type = f16, loss_scale = dynamic> {
    amp.yield %0 : tensor<4xf32>
  } {tag} : tensor<4xf32>
  // CHECK: amp.autocast {
  // CHECK-NEXT: amp.yield
  // CHECK-NEXT: }
  amp.autocast {
    amp.yield
  }
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @tap
func.func @tap(%g: tensor<4x?xi8>) -> tensor<4x?xi8> {
  // CHECK: amp.tap "grad" "a \22name\22" %{{.*}} : tensor<4x?xi8>
  %0 = amp.tap "grad" "a \"name\"" %g : tensor<4x?xi8>
  return %0 : tensor<4x?xi8>
}

// CHECK-LABEL: func.func @classes
func.func @classes(%x: f32) {
  // CHECK: arith.negf %{{.*}} {amp.class = #amp.class<low>}
  %0 = arith.negf %x {amp.class = #amp.class<low>} : f32
  // CHECK: arith.negf %{{.*}} {amp.class = #amp.class<high, unit = 3, "listed FP32: torch.pow">}
  %1 = arith.negf %x {amp.class = #amp.class<high, unit = 3, "listed FP32: torch.pow">} : f32
  // CHECK: arith.negf %{{.*}} {amp.class = #amp.class<promote, unit = 0>}
  %2 = arith.negf %x {amp.class = #amp.class<promote, unit = 0>} : f32
  // CHECK: arith.negf %{{.*}} {amp.class = #amp.class<follow, "one operand">}
  %3 = arith.negf %x {amp.class = #amp.class<follow, "one operand">} : f32
  return
}

// Where an operation came from.
// CHECK-LABEL: func.func @origins
func.func @origins(%x: f32) {
  // CHECK: arith.negf %{{.*}} {amp.function = "torch.relu", amp.layer = "net.0", amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 7 : i64}
  %0 = arith.negf %x {amp.scope = "aten.relu", amp.function = "torch.relu", amp.layer = "net.0",
                      amp.phase = "forward", amp.scope_id = 7 : i64} : f32
  // CHECK: amp.phase = "backward"
  %1 = arith.negf %x {amp.phase = "backward"} : f32
  // CHECK: amp.phase = "optimizer"
  %2 = arith.negf %x {amp.phase = "optimizer"} : f32
  return
}

// Every role, on arguments and results; a name may return in another role and
// on the other side.
// CHECK-LABEL: func.func private @roles
// CHECK-SAME: tensor<4xf16> {amp.init = "zeros", amp.kind = "batch_norm", amp.name = "w", amp.role = "param"}
// CHECK-SAME: tensor<4xf32> {amp.kind = "batch_norm", amp.name = "w", amp.role = "master"}
// CHECK-SAME: amp.role = "buffer"
// CHECK-SAME: amp.role = "opt_state"
// CHECK-SAME: amp.role = "batch"
// CHECK-SAME: amp.role = "loss_seed"
// CHECK-SAME: amp.role = "grad"
// CHECK-SAME: amp.role = "accumulator"
// CHECK-SAME: amp.role = "scaler_state"
// CHECK-SAME: amp.role = "rng"
// CHECK-SAME: amp.role = "hyper"
// CHECK-SAME: -> (
// CHECK-SAME: amp.role = "loss"
// CHECK-SAME: amp.role = "output"
// CHECK-SAME: amp.role = "param"
func.func private @roles(
    tensor<4xf16> {amp.role = "param", amp.name = "w", amp.kind = "batch_norm", amp.init = "zeros"},
    tensor<4xf32> {amp.role = "master", amp.name = "w", amp.kind = "batch_norm"},
    tensor<4xf32> {amp.role = "buffer", amp.name = "mean", amp.kind = "batch_norm"},
    tensor<i32> {amp.role = "opt_state", amp.name = "step"},
    tensor<2x?xi64> {amp.role = "batch", amp.name = "x0"},
    tensor<f32> {amp.role = "loss_seed", amp.name = "loss"},
    tensor<4xf16> {amp.role = "grad", amp.name = "w"},
    tensor<4xf32> {amp.role = "accumulator", amp.name = "w"},
    tensor<f64> {amp.role = "scaler_state", amp.name = "loss.scale"},
    tensor<2xui32> {amp.role = "rng", amp.name = "key"},
    f32 {amp.role = "hyper", amp.name = "lr"})
  -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
      tensor<2x10xf32> {amp.role = "output", amp.name = "y0"},
      tensor<4xf16> {amp.role = "param", amp.name = "w"})

// CHECK-LABEL: func.func @scaler_record
func.func @scaler_record(%h: i64) {
  // CHECK: %[[R:.*]] = amp.read_scaler %{{.*}}{{$}}
  // CHECK: amp.write_scaler %{{.*}}, %[[R]]{{$}}
  %0 = amp.read_scaler %h
  amp.write_scaler %h, %0
  return
}

// CHECK-LABEL: func.func @report_violation
func.func @report_violation(%v: tensor<i1>) {
  // CHECK: amp.report_violation %{{.*}}, "a \22text\22"{{$}}
  amp.report_violation %v, "a \"text\""
  return
}
