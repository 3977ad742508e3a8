//===- Passes.td - Conversions of the dialect --------------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_PASSES
#define AMP_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// AmpToLinalg
//===----------------------------------------------------------------------===//

def ConvertAmpToLinalgPass : Pass<"convert-amp-to-linalg", "ModuleOp"> {
  let summary = "lower casts, master copies and guarded updates to standard dialects";
  let description = [{
    | operation | becomes |
    | --- | --- |
    | `amp.cast`, `amp.master_copy` | `arith.extf` or `arith.truncf`, on tensors elementwise |
    | `amp.apply_if_finite` | `scf.if`: a skipped step computes nothing |
    | `amp.all_reduce_found_inf` | its operand: a program for one rank |
    | `amp.autocast` | its operations: a program without a policy is FP32 |

    Attributes of roles stay; operations on scalers are left to
    `convert-amp-to-runtime`.

    ```mlir
    func.func @down(%x: tensor<4xf32>) -> tensor<4xf16> {
      %0 = amp.cast %x : tensor<4xf32> to tensor<4xf16>
      return %0 : tensor<4xf16>
    }
    ```

    becomes

    ```mlir
    func.func @down(%x: tensor<4xf32>) -> tensor<4xf16> {
      %0 = arith.truncf %x : tensor<4xf32> to tensor<4xf16>
      return %0 : tensor<4xf16>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// AmpToRuntime
//===----------------------------------------------------------------------===//

def ConvertAmpToRuntimePass : Pass<"convert-amp-to-runtime", "ModuleOp"> {
  let summary = "lower loss scaling and taps to calls of the runtime";
  let description = [{
    A scaler's state belongs to the runtime, and a compiled step must be usable
    for several trainings at once, so no global holds it: each function that
    reads or advances a scaler takes its handle as an `i64` argument with role
    `scaler_state` and the scaler's name, and hands it to the functions that it
    calls. A function with taps takes the handle of the tap context in an `i64`
    argument with role `hyper` and name `tap`.

    | operation | becomes |
    | --- | --- |
    | `amp.scale_loss` | a call of `@ampRtScalerScale` and a product |
    | `amp.unscale` | the same call, one fused product per gradient, and one chained test of all incoming values for infinities and NaNs |
    | `amp.update_scale` | a call of `@ampRtScalerUpdateFromProgram` |
    | `amp.tap` | the same operation with its handle; bufferization makes the call |
    | `amp.scaler` | nothing: the caller made the scaler |

    The reciprocal of the scale is taken in f64 and rounded to f32, as Apex's
    is. A value is not finite if its exponent bits are all ones, a test on
    integers that vectorises.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // AMP_CONVERSION_PASSES
