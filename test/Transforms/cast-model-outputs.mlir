// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 cast-model-outputs=torch.float16 verbosity=0" --amp-cast-model | FileCheck %s --check-prefix=HALF
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 cast-model-outputs=torch.float32 verbosity=0" --amp-cast-model | FileCheck %s --check-prefix=WIDE
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O0 cast-model-outputs=torch.bfloat16 verbosity=0" --amp-cast-model | FileCheck %s --check-prefix=O0
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 cast-model-outputs=torch.float16 verbosity=0" --amp-cast-model | FileCheck %s --check-prefix=O1

// Rounded once.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 cast-model-outputs=torch.float16 verbosity=0" --amp-cast-model > %t.once
// RUN: amp-opt %t.once --amp-cast-model | diff %t.once -

// Nor after casts, which may be to another half type than the outputs.
// RUN: amp-opt %s --pass-pipeline='builtin.module(amp-mixed-precision{opt-level=O5 cast-model-outputs=torch.float16 verbosity=0})' > %t.casts
// RUN: amp-opt %t.casts --amp-cast-model | diff %t.casts -

// cast_model_outputs: what the model hands on is rounded to it, at any level, as Apex
// wraps forward().

// The loss reads the rounded output; the model's own use of the same value does not.
// HALF-LABEL: func.func @forward_backward
// HALF:     %[[P:.*]] = arith.mulf
// HALF:     %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
// HALF:     %[[O:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
// HALF:     arith.subf %[[O]], %{{.*}} : tensor<4xf32>
//
// f32 is what the outputs are.
// WIDE-LABEL: func.func @forward_backward
// WIDE:     %[[P:.*]] = arith.mulf
// WIDE-NOT: amp.cast
// WIDE:     arith.subf %[[P]], %{{.*}} : tensor<4xf32>
//
// O0-LABEL: func.func @forward_backward
// O0-SAME:  tensor<4xf32> {amp.name = "w", amp.role = "param"}
// O0:       %[[P:.*]] = arith.mulf
// O0:       %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xbf16>
// O0:       %[[O:.*]] = amp.cast %[[H]] : tensor<4xbf16> to tensor<4xf32>
// O0:       arith.subf %[[O]], %{{.*}} : tensor<4xf32>
//
// O1-LABEL: func.func @forward_backward
// O1-SAME:  tensor<4xf32> {amp.name = "w", amp.role = "param"}
// O1:       amp.cast %{{.*}} : tensor<4xf32> to tensor<4xf16>
func.func @forward_backward(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<4xf32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32>, tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  %p = arith.mulf %x, %w : tensor<4xf32>
  %d = arith.subf %p, %y : tensor<4xf32>
  return %d, %x : tensor<4xf32>, tensor<4xf32>
}

// Nor does it where the output is returned beside the loss.
// HALF-LABEL: func.func @loss_and_output
// HALF-SAME:  -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<4xf16> {amp.name = "y0", amp.role = "output"})
// HALF:     %[[P:.*]] = arith.mulf
// HALF:     %[[H:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
// HALF:     %[[O:.*]] = amp.cast %[[H]] : tensor<4xf16> to tensor<4xf32>
// HALF:     arith.subf %[[O]], %{{.*}} : tensor<4xf32>
// HALF:     %[[R:.*]] = amp.cast %[[P]] : tensor<4xf32> to tensor<4xf16>
// HALF:     return %{{.*}}, %[[R]]
// WIDE-LABEL: func.func @loss_and_output
// WIDE:     %[[P:.*]] = arith.mulf
// WIDE:     arith.subf %[[P]], %{{.*}} : tensor<4xf32>
// O0-LABEL: func.func @loss_and_output
// O0:       %[[P:.*]] = arith.mulf
// O0:       amp.cast %[[P]] : tensor<4xf32> to tensor<4xbf16>
// O1-LABEL: func.func @loss_and_output
// O1:       amp.cast %{{.*}} : tensor<4xf32> to tensor<4xf16>
func.func @loss_and_output(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<4xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %p = arith.mulf %x, %w : tensor<4xf32>
  %d = arith.subf %p, %y : tensor<4xf32>
  %e = tensor.empty() : tensor<f32>
  %l = linalg.reduce { arith.addf } ins(%d : tensor<4xf32>) outs(%e : tensor<f32>) dimensions = [0]
  return %l, %p : tensor<f32>, tensor<4xf32>
}

// HALF-LABEL: func.func @evaluate
// HALF-SAME:  -> (tensor<4xf16> {amp.name = "y0", amp.role = "output"})
// WIDE-LABEL: func.func @evaluate
// WIDE-SAME:  -> (tensor<4xf32> {amp.name = "y0", amp.role = "output"})
// O0-LABEL:   func.func @evaluate
// O0-SAME:    tensor<4xf32> {amp.name = "w", amp.role = "param"}
// O0-SAME:    -> (tensor<4xbf16> {amp.name = "y0", amp.role = "output"})
// O1-LABEL:   func.func @evaluate
// O1-SAME:    -> (tensor<4xf16> {amp.name = "y0", amp.role = "output"})
func.func @evaluate(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
  %p = arith.mulf %x, %w : tensor<4xf32>
  return %p : tensor<4xf32>
}

// An output that is not floating stays what it is.
// HALF-LABEL: func.func @predict
// HALF-SAME:  -> (tensor<4xi64> {amp.name = "y0", amp.role = "output"})
func.func @predict(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4xi64> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4xi64> {amp.role = "output", amp.name = "y0"}) {
  return %x : tensor<4xi64>
}
