// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" | FileCheck %s --check-prefix=O2
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0" | FileCheck %s --check-prefix=O1
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O3 verbosity=0" | FileCheck %s --check-prefix=O3

// A whole training step through the pipeline: a linear model, a sum of squared errors,
// gradient descent. The signatures say what changed.

// Twice changes nothing, at every level.
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O0 verbosity=0" > %t.once
// RUN: amp-opt %t.once --amp-mixed-precision="opt-level=O0 verbosity=0" | diff %t.once -
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0" > %t.once
// RUN: amp-opt %t.once --amp-mixed-precision="opt-level=O1 verbosity=0" | diff %t.once -
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" > %t.once
// RUN: amp-opt %t.once --amp-mixed-precision="opt-level=O2 verbosity=0" | diff %t.once -
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O3 verbosity=0" > %t.once
// RUN: amp-opt %t.once --amp-mixed-precision="opt-level=O3 verbosity=0" | diff %t.once -
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O4 verbosity=0" > %t.once
// RUN: amp-opt %t.once --amp-mixed-precision="opt-level=O4 verbosity=0" | diff %t.once -
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O5 verbosity=0" > %t.once
// RUN: amp-opt %t.once --amp-mixed-precision="opt-level=O5 verbosity=0" | diff %t.once -

// The same level with an option of its default is the same; another level is refused.
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" > %t.once
// RUN: amp-opt %t.once --amp-mixed-precision="opt-level=O2 loss-scale=dynamic verbosity=0" | diff %t.once -
// RUN: not amp-opt %t.once --amp-mixed-precision="opt-level=O1 verbosity=0" 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: expected the module's policy to be #amp.policy<O1, {{.*}}>, but it was already compiled for #amp.policy<O2, {{.*}}>; start from the FP32 module again

// O0 and a disabled run leave the program as it is, but for O0's policy.
// RUN: amp-opt %s > %t.plain
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 enabled=False" | diff %t.plain -
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O0 verbosity=0" | sed "s/^module attributes .*/module {/" | diff %t.plain -

// O2-LABEL: func.func {{.*}}@forward_backward(
// O2-SAME:  tensor<8x4xf16> {amp.name = "w", amp.role = "param"}
// O2-SAME:  -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<8x4xf16> {amp.name = "w", amp.role = "grad"})
// O2:       linalg.matmul {{.*}} : tensor<2x8xf16>, tensor<8x4xf16>) outs(%{{.*}} : tensor<2x4xf32>)
//
// At O1 weights are cast in the function, at its entry.
// O1-LABEL: func.func {{.*}}@forward_backward(
// O1-SAME:  %[[W:[a-z0-9]+]]: tensor<8x4xf32> {amp.name = "w", amp.role = "param"}
// O1-SAME:  tensor<8x4xf32> {amp.name = "w", amp.role = "grad"})
// O1:       %[[WH:.*]] = amp.cast %[[W]] : tensor<8x4xf32> to tensor<8x4xf16>
// O1:       linalg.matmul {{.*}} ins(%{{.*}}, %[[WH]] : tensor<2x8xf16>, tensor<8x4xf16>) outs(%{{.*}} : tensor<2x4xf32>)
func.func @forward_backward(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<2x4xf32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<8x4xf32> {amp.role = "grad", amp.name = "w"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %p = linalg.matmul {amp.scope = "aten.mm", amp.function = "torch.nn.functional.linear",
                      amp.phase = "forward", amp.scope_id = 0 : i64}
      ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%f : tensor<2x4xf32>) -> tensor<2x4xf32>
  %d = arith.subf %p, %y {amp.function = "torch.nn.functional.mse_loss", amp.phase = "forward", amp.scope_id = 1 : i64} : tensor<2x4xf32>
  %es = tensor.empty() : tensor<f32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %l = linalg.reduce ins(%d : tensor<2x4xf32>) outs(%fs : tensor<f32>) dimensions = [0, 1]
      {amp.function = "torch.nn.functional.mse_loss", amp.phase = "forward", amp.scope_id = 1 : i64}
      (%a: f32, %acc: f32) {
        %q = arith.mulf %a, %a : f32
        %s = arith.addf %q, %acc : f32
        linalg.yield %s : f32
      }
  %sb = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<2x4xf32>) dimensions = [0, 1]
  %g = arith.mulf %sb, %d {amp.function = "torch.nn.functional.mse_loss", amp.phase = "backward", amp.scope_id = 1 : i64} : tensor<2x4xf32>
  %et = tensor.empty() : tensor<8x2xf32>
  %xt = linalg.transpose ins(%x : tensor<2x8xf32>) outs(%et : tensor<8x2xf32>) permutation = [1, 0]
  %ew = tensor.empty() : tensor<8x4xf32>
  %fw = linalg.fill ins(%zero : f32) outs(%ew : tensor<8x4xf32>) -> tensor<8x4xf32>
  %gw = linalg.matmul {amp.scope = "aten.mm", amp.function = "torch.nn.functional.linear",
                       amp.phase = "backward", amp.scope_id = 0 : i64}
      ins(%xt, %g : tensor<8x2xf32>, tensor<2x4xf32>) outs(%fw : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %l, %gw : tensor<f32>, tensor<8x4xf32>
}

// O2-LABEL: func.func {{.*}}@optimizer_step(
// O2-SAME:  tensor<8x4xf32> {amp.name = "w", amp.role = "master"}
// O2-SAME:  tensor<8x4xf32> {amp.name = "w", amp.role = "grad"}
// O2:       amp.master_copy
//
// Without masters the optimizer computes in f32 between half values, and every
// operation rounds.
// O3-LABEL: func.func {{.*}}@optimizer_step(
// O3-SAME:  tensor<8x4xf16> {amp.name = "w", amp.role = "param"}
// O3-SAME:  tensor<8x4xf16> {amp.name = "w", amp.role = "grad"}
// O3:       %[[U:.*]] = arith.mulf {{.*}} : tensor<8x4xf32>
// O3:       %[[UH:.*]] = amp.cast %[[U]] : tensor<8x4xf32> to tensor<8x4xf16>
// O3:       %[[UW:.*]] = amp.cast %[[UH]] : tensor<8x4xf16> to tensor<8x4xf32>
// O3:       %[[N:.*]] = arith.subf %{{.*}}, %[[UW]]
// O3:       %[[NH:.*]] = amp.cast %[[N]] : tensor<8x4xf32> to tensor<8x4xf16>
// O3:       return %[[NH]]
func.func @optimizer_step(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %g: tensor<8x4xf32> {amp.role = "grad", amp.name = "w"})
    -> (tensor<8x4xf32> {amp.role = "param", amp.name = "w"}) {
  %lr = arith.constant dense<0.1> : tensor<8x4xf32>
  %u = arith.mulf %g, %lr {amp.phase = "optimizer", amp.scope = "aten.mul"} : tensor<8x4xf32>
  %n = arith.subf %w, %u {amp.phase = "optimizer", amp.scope = "aten.sub"} : tensor<8x4xf32>
  return %n : tensor<8x4xf32>
}

// O2-LABEL: func.func {{.*}}@train_step(
// O2-SAME:  %[[M:[a-z0-9]+]]: tensor<8x4xf32> {amp.name = "w", amp.role = "master"}
// O2-SAME:  %[[W:[a-z0-9]+]]: tensor<8x4xf16> {amp.name = "w", amp.role = "param"})
// O2-SAME:  -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<8x4xf32> {amp.name = "w", amp.role = "master"}, tensor<8x4xf16> {amp.name = "w", amp.role = "param"})
// O2:       %[[S:.*]] = amp.scale_loss %{{.*}} using @loss_scaler0
// O2:       %[[FB:.*]]:2 = call @forward_backward(%[[W]], {{.*}}, %[[S]])
// O2:       %[[G:.*]], %[[F:.*]] = amp.unscale %[[FB]]#1 using @loss_scaler0 : (tensor<8x4xf16>) -> tensor<8x4xf32>
// O2:       amp.update_scale @loss_scaler0, %[[F]]
// O2:       %[[NEW:.*]]:2 = amp.apply_if_finite %[[F]] keep(%[[M]], %[[W]]) {
// O2:         func.call @optimizer_step(%[[M]], %[[G]])
// O2:       return %[[FB]]#0, %[[NEW]]#0, %[[NEW]]#1
//
// At O3 the scale is a static 1 and there is nothing to scale or to skip.
// O3-LABEL: func.func {{.*}}@train_step(
// O3-SAME:  %[[W:[a-z0-9]+]]: tensor<8x4xf16> {amp.name = "w", amp.role = "param"}
// O3:       %[[FB:.*]]:2 = call @forward_backward(%[[W]],
// O3-NEXT:  %[[NEW:.*]] = call @optimizer_step(%[[W]], %[[FB]]#1)
// O3-NEXT:  return %[[FB]]#0, %[[NEW]]
func.func @train_step(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<2x4xf32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<8x4xf32> {amp.role = "param", amp.name = "w"}) {
  %fb:2 = call @forward_backward(%w, %x, %y, %seed)
      : (tensor<8x4xf32>, tensor<2x8xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<f32>, tensor<8x4xf32>)
  %n = call @optimizer_step(%w, %fb#1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %fb#0, %n : tensor<f32>, tensor<8x4xf32>
}
