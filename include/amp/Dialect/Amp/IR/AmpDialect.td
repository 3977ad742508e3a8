//===- AmpDialect.td - The amp dialect ---------------------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPDIALECT_TD
#define AMP_DIALECT_AMP_IR_AMPDIALECT_TD

include "mlir/IR/OpBase.td"

def Amp_Dialect : Dialect {
  let name = "amp";
  let cppNamespace = "::mlir::amp";
  let summary = "Automatic mixed precision of training steps";
  let description = [{
    The amp dialect makes mixed-precision training part of the program: casts
    that were put in by a policy, loss scaling, master weights, and the skipping
    of optimizer steps whose gradients overflowed. It works beside linalg,
    tensor, arith, math, scf and func on ranked tensors.

    ### Roles

    What each value of a training step is for stands in attributes on function
    arguments and results. A function is recognised by its roles, never by its
    name: one with a `loss_seed` argument and `grad` results computes gradients,
    one with `grad` arguments and `param` results is an optimizer step, one with
    a `loss_seed` argument and `param` results is a train step, one with
    `param` and `batch` arguments and an `output` result evaluates.

    | attribute | value |
    | --- | --- |
    | `amp.role` | one of the roles below |
    | `amp.name` | a string, unique inside a role of one function's arguments or results |
    | `amp.kind` | `batch_norm`: the value belongs to a batch normalisation |
    | `amp.of` | of a state: the name of the parameter that it belongs to, or empty |
    | `amp.init` | how `amp-run` makes a start value |

    | role | argument | result |
    | --- | --- | --- |
    | `param` | a parameter; without a `grad` of its name it is frozen | its new value |
    | `master` | the f32 master weight of a parameter; passes make it | its new value |
    | `buffer` | state that is not trained, such as running statistics | its new value |
    | `opt_state` | state of the optimizer: momentum, a count of steps | its new value |
    | `batch` | input or target, `x0`, `x1`... | |
    | `loss_seed` | the cotangent of the loss of that name; 1 for plain gradients | |
    | `loss` | | the loss |
    | `grad` | gradient of the parameter of that name | the gradient |
    | `output` | | what the model gives, or another value that the caller wants |
    | `accumulator` | a gradient so far, to which another backward pass adds | its new value |
    | `scaler_state` | the state of a loss scaler, for callers that keep it | its new value |
    | `rng` | state of a random generator | its new value |
    | `hyper` | a value from outside, such as a learning rate | its new value, where the step adapts it |

    **What states belong to.** Levels that cast the model store a state as what it
    belongs to: momentum as its parameter, running statistics as the model. What
    belongs to neither sticks where it is rounded (in f16, 2048 + 1 is 2048; an
    average that moves by a thousandth stays). `amp.of` says it:

    | state | `amp.of` | stored |
    | --- | --- | --- |
    | `opt_state` | a parameter's name | as the optimizer has that parameter: half, or f32 for a master weight or a batch normalisation kept in FP32 |
    | `opt_state` | `""`: of no parameter, a count or a schedule | as it is |
    | `buffer` | a parameter's name: an average of it | as it is |
    | `buffer` | `""`: of the step and not of the model | as it is |

    Without it, `amp-cast-model` goes by what a state is computed from and by its
    name, and leaves a remark where that decides (`StateOwners`).

    ```mlir
    func.func @step(
        %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
        %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"},
        %m: tensor<4xf32> {amp.role = "opt_state", amp.name = "trace0", amp.of = "w"},
        %t: tensor<1xf32> {amp.role = "opt_state", amp.name = "count", amp.of = ""},
        %a: tensor<4xf32> {amp.role = "buffer", amp.name = "average0", amp.of = "w"})
        -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
      %new = arith.subf %w, %g : tensor<4xf32>
      return %new : tensor<4xf32>
    }
    ```

    The dialect verifies them:

    1. `amp.role` is one of the strings above.
    2. `amp.role` stands on an argument or result of a function, with an
       `amp.name`.
    3. No two arguments, and no two results, of a function share role and name.
    4. `param`, `master`, `buffer`, `grad`, `accumulator`, `loss_seed`, `loss`
       and `output` are ranked tensors; `loss` and `loss_seed` are
       `tensor<f32>`, or a half type after the pipeline.
    5. A `master` is an f32 tensor.
    6. `amp.kind` is `batch_norm` and stands beside a `param`, `master` or
       `buffer` role.

    ### Origin of operations

    A front end may say where an operation came from: `amp.scope` (operation of
    the framework), `amp.function` (function of the user's program), `amp.phase`
    (`forward`, `backward` or `optimizer`), `amp.scope_id` (an `i64` that pairs
    backward with forward operations of one function), `amp.layer`, and `amp.self` (an `i64`: the
    number of the operand on which an in-place form, such as `torch.Tensor.add_`,
    was called). Passes use them and never need them.

    7. `amp.scope`, `amp.function` and `amp.layer` are strings, `amp.phase` is
       one of its three values, `amp.scope_id` is an `i64`.
    8. `amp.policy` is a `#amp.policy`, `amp.class` a `#amp.class`, and
       `amp.context` (`amp-specialize-helpers`) a dictionary with `arguments` and
       `results`, arrays of strings. `amp.signature` (`amp-mark-entry-points`) is
       a dictionary, of which `kind` is a string, and `arguments` and `results`
       are arrays of dictionaries.
    9. `amp.self` is an `i64` that numbers an operand which is a ranked tensor.
    10. `amp.micro_batches` is an `i64` of at least 1.
    11. An attribute whose name begins with `amp.` is one that the project knows: a
       misspelt one would be a decision of the user's that nobody reads.

    ### Flags

    `amp.delay_unscale` and `amp.delay_overflow_check` on a call with a loss seed,
    `amp.model_output` on an operation, `amp.updates_guarded` on a train step and
    `amp.casts_inserted` on a module are flags: there, or `true`, they hold; left
    out, or `false`, they do not.

    12. A flag is a unit attribute or a boolean; `amp.parallel` is a unit
        attribute.
    13. `amp.of` stands beside an `opt_state` or `buffer` role. (That it names a
        parameter is looked at by `amp-cast-model`, which sees all functions.)
    14. `amp.policy` and `amp.casts_inserted` stand on a module,
        `amp.micro_batches` and `amp.updates_guarded` on a function,
        `amp.delay_unscale` and `amp.delay_overflow_check` on a call,
        `amp.context` and `amp.parallel` on a function or a call, and
        `amp.model_output` on an operation with a result.
    15. `amp.grad` is an array of strings, one for each result.

    The dialect is not asked about attributes that a call gives its operands and
    results (`arg_attrs`, `res_attrs`), nor about one named `amp.` alone:
    `amp-initialize-opt-level` refuses these.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // AMP_DIALECT_AMP_IR_AMPDIALECT_TD
