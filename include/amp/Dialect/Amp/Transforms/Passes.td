//===- Passes.td - Passes over the amp dialect -------------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_TRANSFORMS_PASSES_TD
#define AMP_DIALECT_AMP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def InitializeOptLevelPass : Pass<"amp-initialize-opt-level", "::mlir::ModuleOp"> {
  let summary = "choose an opt level and write its policy on the module";
  let description = [{
    Derives the properties of the level, applies the overrides, checks them in
    Apex's order and with Apex's texts, and writes the result on the module as
    `amp.policy`. With `verbosity` above 0 the selection is printed to standard
    error (standard output is the module's), word for word as
    `apex.amp.initialize` prints it.

    Options take what a user of Apex would write in Python: `True`, `None`,
    `torch.float16`, `dynamic`, `128.0`. An option that is not given keeps the
    level's default.

    Blocks of functions that no branch reaches are erased, so that no later pass
    meets an operation that is an operand of itself: such blocks are not held to
    dominance. `enabled=False` leaves them as well.

    Run again with the same result it changes nothing; with another result it is
    an error: the program has been rewritten for the first one. So are marks of
    passes that have not run, which would have them do nothing: `amp.casts_inserted`
    and `amp.context` where there is no policy yet, `amp.updates_guarded` on a function
    that scales no loss; and attributes of the dialect on operands and results of a call,
    where they are not read.

    Before:
    ```mlir
    module {}
    ```
    After `--amp-initialize-opt-level="opt-level=O2 verbosity=0"`:
    ```mlir
    module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
        keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {}
    ```
  }];
  let options = [
    Option<"optLevel", "opt-level", "std::string", "\"O1\"",
           "O0 (FP32), O1 (patched functions), O2 (cast model, FP32 batch norm, "
           "master weights), O3 (cast model); O4 and O5 are O1 and O2 in bfloat16">,
    Option<"enabled", "enabled", "std::string", "", "False: leave the program as it is">,
    Option<"castModelType", "cast-model-type", "std::string", "",
           "type of the model's parameters: float32, float16, bfloat16">,
    Option<"patchTorchFunctions", "patch-torch-functions", "std::string", "",
           "cast at listed functions (O1, O4)">,
    Option<"patchTorchFunctionsType", "patch-torch-functions-type", "std::string", "",
           "half type of patched functions: torch.float16, torch.bfloat16">,
    Option<"keepBatchnormFP32", "keep-batchnorm-fp32", "std::string", "",
           "keep batch normalisation in FP32 where the model is cast">,
    Option<"masterWeights", "master-weights", "std::string", "",
           "keep FP32 master weights beside half parameters">,
    Option<"lossScale", "loss-scale", "std::string", "",
           "dynamic, or a constant factor on the loss">,
    Option<"castModelOutputs", "cast-model-outputs", "std::string", "",
           "type of the model's outputs; float32 where the model is cast">,
    Option<"numLosses", "num-losses", "std::string", "", "number of loss scalers">,
    Option<"minLossScale", "min-loss-scale", "std::string", "",
           "floor of a dynamic scale; None: no floor">,
    Option<"maxLossScale", "max-loss-scale", "std::string", "",
           "ceiling of a dynamic scale (2^24)">,
    Option<"verbosity", "verbosity", "std::string", "", "0 prints nothing">,
  ];
  let dependentDialects = ["::mlir::amp::AmpDialect"];
}

def SplitTrainStepPass : Pass<"amp-split-train-step", "::mlir::ModuleOp"> {
  let summary = "split a fused train step into backward pass and optimizer step";
  let description = [{
    A train step that was captured as one function has no call around which a
    loss can be scaled. This pass cuts it at its gradients into a
    forward-backward function and an optimizer-step function, with the roles that
    the other passes look for, and leaves two calls of them.

    Which values are gradients, the front end says: by `amp.grad`, on the operation
    that computes them, an array with a parameter's name for each result (an empty
    string for a result that is none); or by returning them with role `grad`. They
    are the backward pass's own, before clipping. In a step without marks they are
    found by what scaling the loss would do: the gradient of a parameter is the
    value of its type that carries the scale once and through which alone the scale
    comes into the update, before any multiplication by a rate. Where there is none
    of its type, one of as many elements is: it is brought into the parameter's shape
    where it is computed, and views and widenings behind it become the update's.
    Marks stand in the train step's own block: one in what it calls is an error, and
    so is one anywhere that names no parameter.

    What the update reads besides gradients, parameters and states is copied if
    it depends on no data (constants, a learning rate schedule) and handed over
    otherwise. Results that are computed from gradients and are no state, such as
    a returned gradient norm, stay in the train step.

    A train step that calls a function with gradients is left alone, and so is one
    without marks at O0, which has no use for them unless its loss is scaled or
    `infer-gradients` asks for them, to divide its batch. Where the loss has a scale,
    nothing else that is computed from its seed may reach the update: it would be
    neither scaled nor checked for an overflow. Errors:
    no value or several that could be the gradient of a step without marks, a value
    that depends on the seed and reaches the update without a mark, a loss that
    depends on gradients.

    Before:
    ```mlir
    module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
      func.func @step(
          %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
          %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
          %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
          -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
              tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
        %zero = arith.constant dense<0.0> : tensor<f32>
        %e = tensor.empty() : tensor<4xf32>
        %loss = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
        %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
        %g = arith.mulf %s, %x {amp.grad = ["w"]} : tensor<4xf32>
        %new = arith.subf %w, %g : tensor<4xf32>
        return %loss, %new : tensor<f32>, tensor<4xf32>
      }
    }
    ```
    After:
    ```mlir
    module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
      func.func private @step_forward_backward(
          %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
          %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
          %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
          -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"},
              tensor<f32> {amp.role = "loss", amp.name = "loss"}) {
        %zero = arith.constant dense<0.0> : tensor<f32>
        %e = tensor.empty() : tensor<4xf32>
        %loss = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
        %s = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
        %g = arith.mulf %s, %x : tensor<4xf32>
        return %g, %loss : tensor<4xf32>, tensor<f32>
      }
      func.func private @step_optimizer_step(
          %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
          %g: tensor<4xf32> {amp.role = "grad", amp.name = "w"})
          -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
        %new = arith.subf %w, %g : tensor<4xf32>
        return %new : tensor<4xf32>
      }
      func.func @step(
          %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
          %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
          %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
          -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
              tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
        %g, %loss = call @step_forward_backward(%w, %x, %seed)
            : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
        %new = call @step_optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        return %loss, %new : tensor<f32>, tensor<4xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"inferGradients", "infer-gradients", "bool", "false",
           "split steps without marks where nothing is half and nothing scaled too">,
  ];
  let dependentDialects = ["::mlir::amp::AmpDialect", "::mlir::func::FuncDialect"];
  let statistics = [Statistic<"numSplit", "split", "train steps split">];
}

def FixExtentsPass : Pass<"amp-fix-extents", "::mlir::ModuleOp"> {
  let summary = "give batches of unknown size the extents that they will have";
  let description = [{
    A step that is written for a batch of any size (`tensor<?x64xf32>`) runs on the
    host as it is. Kernels of a device are made for known extents. This pass gives
    them: each batch argument that `extents` names, in every function that nothing in
    the module calls, takes these extents in place of its unknown ones, and what follows
    from them is known: types of what is computed, numbers computed from extents, the
    branch of an `scf.if` that such a number chooses, results of functions, and
    callees. Helpers without roles that are called with several sizes are copied, one
    for each, at most 64 copies in all.

    The text of an argument is its `amp.name`, `=`, and its extents with `x` between
    them; `?` leaves one as it is.

    Extents follow forward alone. That a program would be wrong otherwise is no reason
    to take an extent for known: what casts and operands ask of sizes is asserted by
    `amp-check-extents` when the step runs, as without this pass, and an operation that
    the extents contradict stays of unknown extents.

    **Left alone.** Everything without `extents`; declarations; what `scf.while` and
    blocks carry, slices whose size depends on data, results of a recursion. What stays
    unknown there is refused later by a device (`amp-verify-device-lowering`), and
    computed by the host.

    Errors: text of another form, a name twice or one that no batch argument has,
    extents that do not fit the type, a function whose type would change and that is
    taken by reference.

    Before:
    ```mlir
    func.func @forward_backward(
        %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
        %x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"},
        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<?x4xf32> {amp.role = "output", amp.name = "y"},
            tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %e = tensor.empty(%n) : tensor<?x4xf32>
      %y = linalg.exp ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      return %y, %w : tensor<?x4xf32>, tensor<4xf32>
    }
    ```
    After `--amp-fix-extents=extents=x0=32x4`:
    ```mlir
    func.func @forward_backward(
        %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
        %x: tensor<32x4xf32> {amp.role = "batch", amp.name = "x0"},
        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<32x4xf32> {amp.role = "output", amp.name = "y"},
            tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
      %c0 = arith.constant 0 : index
      %n = arith.constant 32 : index
      %e = tensor.empty() : tensor<32x4xf32>
      %y = linalg.exp ins(%x : tensor<32x4xf32>) outs(%e : tensor<32x4xf32>) -> tensor<32x4xf32>
      return %y, %w : tensor<32x4xf32>, tensor<4xf32>
    }
    ```
  }];
  let options = [
    ListOption<"extents", "extents", "std::string",
               "extents of batch arguments, such as x0=32x64">
  ];
  let statistics = [Statistic<"numFixed", "fixed", "Arguments of functions that took known extents">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def AccumulateGradientsPass : Pass<"amp-accumulate-gradients", "::mlir::ModuleOp"> {
  let summary = "run the backward pass on parts of the batch, the optimizer once";
  let description = [{
    A batch that does not fit into memory is divided into `micro-batches` equal
    parts. In each train step, the one call that gives gradients is made once for
    each part, in the order of the rows; the optimizer step takes the sum of the
    gradients. The seed of each loss is divided by the number of parts, and so is
    the sum of the losses: the step trains on the mean over all rows, as with one
    large batch. States that the call changes (statistics of a batch normalisation,
    random numbers) pass from part to part.

    The batch arguments of the train step, and of nothing else, get that many times
    as many rows (their first dimension; scalars stay). The backward function, and
    `@evaluate`, stay as they are.

    With loss scaling each part is scaled, unscaled and tested by itself, and moves
    the scaler, as in Apex; an overflow in any of them skips the step. Gradients are
    added in their own type after unscaling: f32 with master weights, half at O3.

    Code grows with the number of parts, so there are at most 1024. With 1, the
    default, nothing happens. `amp.micro_batches` on the train step says that it is
    done: run again with the same number, the pass changes nothing. Errors: another
    number, a step without such a call (a fused one is cut by `amp-split-train-step`)
    or with several, a batch that something else reads, whose number of rows is not
    known, or that would have 2^63 rows or more.

    Before:
    ```mlir
    func.func private @forward_backward(
        tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
        tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
            tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    func.func private @optimizer_step(
        tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "grad", amp.name = "w"})
        -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
    func.func @train_step(
        %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
        %x: tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
            tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
      %loss, %g = call @forward_backward(%w, %x, %seed)
          : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
      %new = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %loss, %new : tensor<f32>, tensor<4xf32>
    }
    ```
    After `--amp-accumulate-gradients=micro-batches=2`:
    ```mlir
    func.func private @forward_backward(
        tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<2x4xf32> {amp.role = "batch", amp.name = "x0"},
        tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
            tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    func.func private @optimizer_step(
        tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<4xf32> {amp.role = "grad", amp.name = "w"})
        -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
    func.func @train_step(
        %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
        %x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"},
        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
            tensor<4xf32> {amp.role = "param", amp.name = "w"})
        attributes {amp.micro_batches = 2 : i64} {
      %two = arith.constant dense<2.0> : tensor<f32>
      %half = arith.divf %seed, %two : tensor<f32>
      %x0 = tensor.extract_slice %x[0, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
      %l0, %g0 = call @forward_backward(%w, %x0, %half)
          : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
      %x1 = tensor.extract_slice %x[2, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
      %l1, %g1 = call @forward_backward(%w, %x1, %half)
          : (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
      %l = arith.addf %l0, %l1 : tensor<f32>
      %g = arith.addf %g0, %g1 : tensor<4xf32>
      %two_0 = arith.constant dense<2.0> : tensor<f32>
      %loss = arith.divf %l, %two_0 : tensor<f32>
      %new = call @optimizer_step(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %loss, %new : tensor<f32>, tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"microBatches", "micro-batches", "int64_t", "1",
           "parts that the batch of a step is divided into, 1 to 1024">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numAccumulated", "accumulated", "train steps that add gradients">,
  ];
}

def InlineHelpersPass : Pass<"amp-inline-helpers", "::mlir::ModuleOp"> {
  let summary = "inline functions without roles into those that have some";
  let description = [{
    Front ends leave small private functions behind (`@relu`, `@_where` from JAX).
    What a function computes is decided per role function, with the origins of its
    values, so helpers are inlined before anything is decided, transitively, and
    removed if nobody else calls them.

    Calls of functions with roles stay. So do calls of helpers that call themselves,
    that have no body, or have several blocks, and of those whose copy would be more
    than 16 times as large as the text it comes from (beyond 1,000 operations: helpers
    that call each other twice); `amp-specialize-helpers` decides for those. All calls
    stay in a function with roles that would become more than 16 times as large as its
    text (beyond 100,000 operations). After `amp-insert-casts` nothing is inlined.

    `amp.scope_id` is a number within its function. Where a copy brings one that the
    caller or another copy has, with the same `amp.function` and in the same phase, it
    is numbered anew, its backward half with it.

    Before:
    ```mlir
    func.func @evaluate(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}) -> tensor<4xf32> {
      %0 = call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
      %zero = arith.constant dense<0.0> : tensor<4xf32>
      %0 = arith.maximumf %x, %zero : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @evaluate(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}) -> tensor<4xf32> {
      %zero = arith.constant dense<0.0> : tensor<4xf32>
      %0 = arith.maximumf %x, %zero : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numInlined", "inlined", "calls inlined">];
}

def SpecializeHelpersPass : Pass<"amp-specialize-helpers", "::mlir::ModuleOp"> {
  let summary = "copy functions without roles for each context that calls them";
  let description = [{
    What an operation computes in depends on what it works for: the model, the loss,
    the optimizer, forward or backward. A function without roles does not say that, so
    where `amp-inline-helpers` leaves a call of one - it calls itself, has several
    blocks, or its copies would be too large - its callers do.

    Each such function is copied once for each context that it is called in, directly
    or through others, however many calls there are: the number of copies grows with
    contexts, not with paths of calls. `amp.context` on the copy and on its calls says
    for each argument what it is computed from and whether the model reads it, and for
    each result where it comes from and goes to; `amp-annotate-precision` and
    `amp-cast-model` go by it, and `amp-insert-casts` removes it.

    A private function that nobody else calls is replaced by its copies, the first of
    which has its name. Another stays as it is, beside them. A function that has more
    than 64 contexts is called as it is in the others, and computes them outside of the
    model. At O0 nothing is done.

    Before (a function of several blocks is not inlined):
    ```mlir
    module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
      func.func @evaluate(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
                          %w: tensor<4xf32> {amp.role = "param", amp.name = "w"})
          -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
        %0 = call @weigh(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
      func.func private @weigh(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
        cf.br ^end
      ^end:
        %0 = arith.mulf %x, %w : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
    After:
    ```mlir
    module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
      func.func @evaluate(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"},
                          %w: tensor<4xf32> {amp.role = "param", amp.name = "w"})
          -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
        %0 = call @weigh(%x, %w) {amp.context = {
            arguments = ["batch float into_model forward", "param float into_model forward"],
            results = ["param batch float in_model into_model forward"]}}
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
      func.func private @weigh(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {amp.context = {
            arguments = ["batch float into_model forward", "param float into_model forward"],
            results = ["param batch float in_model into_model forward"]}} {
        cf.br ^end
      ^end:
        %0 = arith.mulf %x, %w : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"numContexts", "contexts", "contexts that functions without roles are called in">,
  ];
}

def AnnotatePrecisionPass : Pass<"amp-annotate-precision", "::mlir::ModuleOp"> {
  let summary = "decide the precision class of each operation, with its reason";
  let description = [{
    Groups operations into units (one operation of the framework each) and gives
    each unit a class, written on its operations as `amp.class`. Nothing else is
    changed.

    A unit is what shares `amp.function` and `amp.scope_id`; its forward and
    backward halves have one number. Operations without origin are units of
    their own, except that a bias joins its contraction, and an elementwise
    operation that feeds only FP32 ones joins them. Where an id comes without a
    function it is a place in the source; the places of one `amp.layer` that make
    up a normalisation are one unit. Functions that call each other have no number
    of a unit in common, so that a call may be inlined before `amp-insert-casts`; two
    copies of one function would share its units, and have to be made before this
    pass, as `amp-inline-helpers` does.

    The class, first rule that applies:

    1. an `amp.class` that was there before, on the operation, or on another of
       its unit; its `unit` is numbered anew. A function all of whose operations
       have a class with a unit was annotated before and stays as it is. Below this
       rule, what adds, multiplies or chooses with a finite constant that the half
       type has no number for is high (-1e9 in a mask, which f16 makes an infinity);
    2. where the model is cast (O2, O3, O5): batch normalisation, if it is kept
       in FP32, follows its input; what belongs to the model is low, but for
       what is computed from integers alone (positions, masks, counts), which is
       high until it meets a floating input or a parameter; the loss after the
       model is high; the optimizer is high with master weights and computes
       in the type of its operands without them;
    3. where functions are patched (O1, O4): a contraction is low unless its
       function is listed FP32 or to promote, or writes in place; a unit that computes
       from integers alone is high, as a mask is with `.float()`;
    4. the op lists by `amp.function`; a function on no list follows its input.
       In-place forms (`torch.Tensor.add_`) keep the type of what they overwrite,
       which is the operand that `amp.self` numbers, and are written with it where
       it is missing: the first tensor that the unit is given, factors of a
       product last. Those of FP32 functions, and banned functions, are refused
       where an argument is half, which `amp-insert-casts` sees;
    5. without a function, by what the operation is (`ComputeKind`).

    At O0 nothing is classified.

    Before:
    ```mlir
    module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
      func.func @exp(%x: tensor<4xf32>) -> tensor<4xf32> {
        %e = tensor.empty() : tensor<4xf32>
        %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
    After:
    ```mlir
    module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
      func.func @exp(%x: tensor<4xf32>) -> tensor<4xf32> {
        %e = tensor.empty() : tensor<4xf32>
        %0 = linalg.exp {amp.class = #amp.class<high, unit = 0, "computes math.exp">}
            ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::amp::AmpDialect"];
  let statistics = [
    Statistic<"numUnits", "units", "units of decision">,
    Statistic<"numLow", "low", "operations of class low">,
    Statistic<"numHigh", "high", "operations of class high">,
  ];
}

def CastModelPass : Pass<"amp-cast-model", "::mlir::ModuleOp"> {
  let summary = "store the model's parameters and buffers in half (O2, O3, O5)";
  let description = [{
    Changes the signatures of the functions by their roles, and casts at their
    entries, exits and calls, so that every body still computes what it did.

    | value | with master weights | without |
    | --- | --- | --- |
    | `param`, floating `buffer` of forward-backward and evaluate | half | half |
    | `grad` results | half | half |
    | those of batch normalisation, if kept in FP32 | f32 | f32 |
    | `param`, `grad`, `opt_state` of the optimizer step | f32 | half |
    | states that belong to no parameter, or not to the model | f32 | f32 |
    | `param` of the train step | f32, see `amp-insert-master-weights` | half |

    `output` results take the type `cast_model_outputs`. Batch values, seeds and
    losses keep their types; a batch normalisation that is kept in FP32 reads batch
    values rounded to half, as the operations of the model do. Integer values are
    never touched.

    What a state belongs to is what `amp.of` says. Without it, these stay as they are,
    with a remark where that was a guess:

    - an `opt_state` of rank 0, one that is computed from no gradient (a count of
      steps), and one of one element that is unlike its parameter;
    - a `buffer` that nothing reads which trains the model, and that is computed from
      no batch: an average of weights;
    - where batch normalisation is kept in FP32, an `opt_state` that has the name of
      one of its parameters in its own, and one that has no parameter's.

    A state that is updated in half, as under Apex, is named in a remark: an update
    below half a unit in the last place is lost. An error: an `amp.of` that names no
    parameter, or another one than elsewhere for the same state.

    At levels that do not cast the model it does nothing, except for
    `cast_model_outputs` where that is given.
  }];
  let dependentDialects = ["::mlir::amp::AmpDialect"];
  let statistics = [
    Statistic<"numCastArguments", "cast-arguments", "arguments now in half">,
    Statistic<"numCastResults", "cast-results", "results now in half">,
  ];
}

def InsertCastsPass : Pass<"amp-insert-casts", "::mlir::ModuleOp"> {
  let summary = "insert casts as the precision classes ask";
  let description = [{
    Gives every value that passes from one unit to another its storage type and
    inserts `amp.cast` accordingly, operation by operation as Apex would
    (placement `apex`). Inside a unit everything is computed in f32 and nothing
    is rounded; a unit rounds once, at its results.

    - Contractions of class low take half operands and accumulate in f32.
    - Operations that only move elements are given the type of what they move.
    - All others keep computing in f32: their operands are widened, their
      results rounded.
    - A value is cast once for all its users, next to its definition.

    Values that control flow carries, and arguments and results of functions without
    roles, stay f32, rounded where they are stored in half. Where functions with roles
    call functions without, those are copied once for each way in which their arguments
    are stored; `amp.context` is removed. A half argument of a unit of class `refuse_half`, or a half self of
    class `refuse_half_self`, is an error, with Apex's text. At O0 nothing is cast, and regions of `amp.autocast` dissolve.

    Before:
    ```mlir
    module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
      func.func @mm(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
        %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
            ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
        return %0 : tensor<4x4xf32>
      }
    }
    ```
    After (what the product is added to is an operand as well):
    ```mlir
    module attributes {amp.casts_inserted,
        amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
      func.func @mm(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
        %bh = amp.cast %b : tensor<8x4xf32> to tensor<8x4xf16>
        %ah = amp.cast %a : tensor<4x8xf32> to tensor<4x8xf16>
        %ch = amp.cast %c : tensor<4x4xf32> to tensor<4x4xf16>
        %cw = amp.cast %ch : tensor<4x4xf16> to tensor<4x4xf32>
        %0 = linalg.matmul {amp.class = #amp.class<low, unit = 0>}
            ins(%ah, %bh : tensor<4x8xf16>, tensor<8x4xf16>) outs(%cw : tensor<4x4xf32>) -> tensor<4x4xf32>
        %h = amp.cast %0 : tensor<4x4xf32> to tensor<4x4xf16>
        %w = amp.cast %h : tensor<4x4xf16> to tensor<4x4xf32>
        return %w : tensor<4x4xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"placement", "placement", "::mlir::amp::CastPlacement",
           "::mlir::amp::CastPlacement::Apex", "where casts are placed",
           [{::llvm::cl::values(
             clEnumValN(::mlir::amp::CastPlacement::Apex, "apex",
                        "operation by operation, as Apex casts"),
             clEnumValN(::mlir::amp::CastPlacement::MinCut, "min-cut",
                        "by the bytes that kernels read and write; not available yet"))}]>,
  ];
  let dependentDialects = ["::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numCasts", "casts", "casts inserted">,
    Statistic<"numRetyped", "retyped", "operations that now move half elements">,
    Statistic<"numContractions", "contractions", "contractions with half operands">,
  ];
}

def InsertLossScalingPass : Pass<"amp-insert-loss-scaling", "::mlir::ModuleOp"> {
  let summary = "scale losses, unscale gradients, advance scalers";
  let description = [{
    In each train step, around each call that takes a `loss_seed` and gives
    gradients: the seed is scaled, the gradients are unscaled into FP32 and
    tested, and the scaler is advanced. Gradients are the results with that role,
    and results with role `output` or none that the step uses and that carry the
    scale of the seed once (`amp-verify-scaling`): the gradient of an input. What
    an overflow skips is the work of `amp-guard-updates`. A step that scales a loss
    already is left alone.

    A function that computes gradients and that its roles make neither a train step
    nor a backward pass is an error, as nothing of it would be scaled: one that takes
    a `loss_seed` and gives neither gradients nor new parameters; and one that gives
    new parameters and has neither a `loss_seed` nor gradients among its arguments,
    where it scales a loss, calls a backward pass with a seed of its own, or takes a
    batch and is called by none. A backward pass and an optimizer step that no train
    step calls leave a warning: their caller is elsewhere.

    A scaler that the module declares is used: the `amp.scaler` with the name of
    the loss, or, where all losses share one (`num_losses` is 1), the only one. It
    is an error if scalers are declared and none of them is the loss's. Without
    one there are `num_losses` scalers, `@loss_scaler0` and up: with one, all
    losses share it; otherwise each loss has its own, in the order of first use.
    Losses whose gradients one call adds up share the first one's.

    Without master weights, a static scale of 1 means no scaling at all, and the
    pass does nothing, unless a scaler is declared.

    On a call: `amp.delay_unscale` leaves its gradients scaled, to be added to
    those of a later call and unscaled with them; the sums move up to that call.
    `amp.delay_overflow_check` does not advance the scaler, and hands what it found
    to the scaler's next unscaling.
  }];
  let dependentDialects = ["::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numScaled", "scaled", "losses scaled">];
}

def GuardUpdatesPass : Pass<"amp-guard-updates", "::mlir::ModuleOp"> {
  let summary = "keep every state as it was when its gradients overflowed";
  let description = [{
    After `amp-insert-loss-scaling`. In each train step, new parameters, masters,
    optimizer states, and hyperparameters that the next call is given, are kept as
    they were when an infinity was found in any gradient that they are computed
    from, or in those of a backward pass that gave something else which they are
    computed from (the sign of a gradient):

    - a call of an optimizer step moves into an `amp.apply_if_finite`;
    - any other new state (an update that the train step writes out, or leaves to
      a function without roles; a count of steps) is guarded where it leaves the
      function, or the loop or branch that contains its backward pass.

    New states that are computed from each other, or from each other's old values,
    are one optimizer step and take one predicate, the union of all overflows of
    the gradients that it consumes. A state that is computed from none of them goes
    with all. Each state keeps its own old value, also where its new value is
    another state's old or new one; that value stays what it is as a loss or an
    output. What else reads a new parameter (a second model, an average of weights)
    gets it as the step left it.

    Overflows are handed through additions, clipping, calls, loops, branches and
    blocks; `scf.index_switch` becomes `scf.if` first. A backward pass in an
    operation with regions that is neither `scf.for` nor `scf.if` is an error where
    its gradients leave it, and so is a branch between blocks (`cf.cond_br`) by what
    a gradient comes into. So is whatever writes to memory, in the step or in what it
    calls: an overflow is not seen there, and nothing takes the write back. Buffers,
    random states and outputs are not kept; a buffer or random state that a gradient
    comes into is kept as an optimizer's state. A state that a scaler is advanced with
    (whether an infinity was found in this window) and that no gradient comes into is
    the scaler's and not kept either; an optimizer step that computes it is an error.

    Where `amp.all_reduce_found_inf` asks the other ranks, its answer counts, also
    about a union of what several unscalings found; it moves up to the last of them.
    A step before that is an error: some ranks would skip it and others not.

    An assertion (`cf.assert`) on what an overflow comes into holds where one did.
    A loop that a gradient ends (the condition of `scf.while`, the bounds of
    `scf.for`) ends at once where it overflowed, integers are divided by 1,
    tensors are read and written at their start, and masks of vectors are empty. A
    function without roles that does one of these with a gradient is not called; its
    results are zeros then, and need static shapes. Where such a loop or function
    advances a scaler, or gives what one is advanced with, it is an error: that would
    be lost with it. Any other loop with bounds that a gradient comes into is an error,
    and so is a size that one comes into. What unscalings found is no gradient: a loop
    that ends once one found an infinity goes round as it is written. The size of a
    gradient (`tensor.dim`) is none of its data, unless a gradient chooses among tensors.

    An optimizer step that adds to an `accumulator`, or decides itself whether the
    window ends, is written into the train step before, for a guard around its call
    would know nothing of windows; it has one block.

    An `accumulator` may bring an infinity from an earlier call: it is tested on
    entry, and one bad micro-batch drops the window, as in Apex. The sum stays
    infinite where the program hands it on, or is NaN where what is added may have
    lost the infinity (of whole numbers: an error), and is zero where the program resets it,
    also by what an infinity survives (`sum - sum`). A reset that an infinity
    survives and that reads an argument of the step besides (a mask) is an error. An
    accumulator that no call resets, or every call, is cleared when the step that
    consumes it is skipped. A state that decides whether the window ends, and that no
    gradient comes into, counts calls: it goes on when a step is skipped. Warned of is
    any other `opt_state` that begins anew where the window ends.

    With `keep-finite-sums` a bad gradient is left out of its sum: what it is added
    to stays, behind a reset at the start of the window, and zeros where the sum
    begins with it. A sum is followed through additions (`arith.addf`, the first of
    a difference, the last of `math.fma`, and bodies that end in one), branches, loops
    and whatever else no gradient comes into. One that a gradient comes into
    otherwise (a maximum) is an error, and so is a window that a gradient ends; the
    sum itself, which is clean, may end it.

    A program may skip a step itself by what an unscaling found. States that go with
    that step are kept as well; what counts overflows, in a buffer, counts on.

    A static scaler never skips (Apex): infinities are not looked at. Its scaler
    only counts.

    An optimizer step that takes a gradient whose unscaling was delayed and never
    done is an error. A guarded train step has `amp.updates_guarded` and is left
    alone by a second run.

    Before:
    ```mlir
    amp.scaler @loss {initial_scale = 65536.0 : f64}
    func.func private @gradient(
        tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    func.func @train_step(
        %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
      %s = amp.scale_loss %seed using @loss : tensor<f32>
      %g = call @gradient(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %u, %found = amp.unscale %g using @loss : (tensor<4xf32>) -> (tensor<4xf32>)
      amp.update_scale @loss, %found
      %new = arith.subf %w, %u : tensor<4xf32>
      return %new : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    amp.scaler @loss {initial_scale = 65536.0 : f64}
    func.func private @gradient(
        tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"})
    func.func @train_step(
        %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
        %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<4xf32> {amp.role = "param", amp.name = "w"})
        attributes {amp.updates_guarded} {
      %s = amp.scale_loss %seed using @loss : tensor<f32>
      %g = call @gradient(%w, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %u, %found = amp.unscale %g using @loss : (tensor<4xf32>) -> (tensor<4xf32>)
      amp.update_scale @loss, %found
      %new = arith.subf %w, %u : tensor<4xf32>
      %kept = amp.apply_if_finite %found keep(%w) {
        amp.yield %new : tensor<4xf32>
      } : tensor<4xf32>
      return %kept : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"skipOnOverflow", "skip-on-overflow", "bool", "false",
           "skip with a static scale too; Apex does not">,
    Option<"keepFiniteSums", "keep-finite-sums", "bool", "false",
           "leave a bad micro-batch out of its accumulator, and let the step run "
           "on the sum of the others; Apex drops the window">,
  ];
  let dependentDialects = ["::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numGuarded", "guarded", "guards placed">];
}

def DropFinitePromisesPass : Pass<"amp-drop-finite-promises", "::mlir::ModuleOp"> {
  let summary = "take away nnan and ninf where a loss is scaled";
  let description = [{
    In a module with an `amp.scaler`, operations lose the fast-math flags `nnan` and
    `ninf`, in bodies and in all functions: a scaled gradient overflows on purpose,
    and an operation that was promised no NaN may hide it from `amp.unscale`. All
    other flags stay; so do all of a module without scalers.

    Before:
    ```mlir
    amp.scaler @s {initial_scale = 65536.0 : f64}
    func.func @relu(%x: tensor<4xf32>, %zero: tensor<4xf32>) -> tensor<4xf32> {
      %r = arith.maximumf %x, %zero fastmath<nnan,nsz> : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    amp.scaler @s {initial_scale = 65536.0 : f64}
    func.func @relu(%x: tensor<4xf32>, %zero: tensor<4xf32>) -> tensor<4xf32> {
      %r = arith.maximumf %x, %zero fastmath<nsz> : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numDropped", "dropped", "operations with fewer flags">];
}

def VerifyScalingPass : Pass<"amp-verify-scaling", "::mlir::ModuleOp"> {
  let summary = "prove that no loss scale reaches parameters, states or results";
  let description = [{
    Computes for every value the degree in which it carries the scale of each
    `amp.scaler`: what becomes of it when the scale is multiplied by s is a
    multiplication by s to that power. Degrees are rational; they go through
    linalg bodies, calls, loops, branches and memory:

    | operation | degree of the result |
    | --- | --- |
    | `amp.scale_loss %x using @s` | that of `%x`, and 1 in `@s` |
    | `amp.unscale %g using @s` | 0, of a gradient of degree 1 in `@s`; that of its accumulator, which has to be 0 as well |
    | product, quotient | sum, difference |
    | square root, reciprocal root, cubic root, constant power | half, minus half, a third, a multiple |
    | sum, maximum, minimum, remainder, choice | that of all operands, which have to agree |
    | comparison, atan2 | 0, of operands that agree |
    | cast, sign, movement of elements | the operand's |
    | 0, infinity, NaN, `tensor.empty` | any: the same at every scale |
    | lowest or largest number, where a maximum or minimum of at least one round or element starts | any; undecided where it bounds a scaled value, element by element, or where all that the maximum is taken of may be -inf (of magnitudes it is not) |
    | test of a scaled value for infinity or NaN | undecided: it hides an overflow that the scale makes |
    | loop that nothing but comparisons of scaled values ends | undecided: an infinity may keep it from ending |
    | any other function | 0, of operands of degree 0 |

    In each train step (see `amp.role`) an error is

    1. a parameter, master, optimizer state, buffer, accumulator, loss or other
       result of the step that carries a scale, or has lost its degree on the
       way: gradients that were clipped, decayed or given to the optimizer
       before they were unscaled; gradients of two scales added; a gradient
       that was unscaled twice, with the scaler of another loss, or whose
       backward pass ignores its seed.
    2. such a result of which it cannot be decided; where nothing of the kind is
       reached, a remark.
    3. a dynamic scaler that losses are scaled with and that nothing advances, or
       that is advanced by what another one's gradients or no gradients had. An
       unscaling of which it is not proved that a transition is told whenever it
       finds an infinity, in the same call of the step, or in a later one to which an
       `opt_state`, `buffer` or `accumulator` hands it on. Results are joined
       (`arith.ori`, or negated `arith.andi`; sums that cannot wrap to 0, reductions
       that join), compared with 0, moved as tensors, chosen where all ways have them,
       handed over by calls, branches and blocks, carried from round to round; anything
       else, memory among it, loses them (`Rationale/LossScaling.md`). A scaler that
       is advanced where an infinity was found alone, or in each step with what is
       true. A guard or a choice that takes a negation.
    4. a gradient in which an overflow is hidden from its `amp.unscale`: chosen by
       a comparison of scaled values that drops NaN, left by an `scf.while` that such
       a comparison ends (a solver that tests a scaled residual, unless what it leaves
       is NaN with that), bounded by another scaled value (`arith.minimumf`,
       `math.clampf`), divided by what overflows, the other operand of
       `arith.maxnumf`, multiplied by a flag, in a place or of a size that such a
       comparison chose. Which values
       were scaled stays known where their degree goes (`g - g`, `g * 0`).
    5. a parameter, state, buffer or accumulator that is computed from values which
       lost a dynamic scale without being unscaled (a gradient divided by its
       norm), unless `amp.apply_if_finite` keeps it where an unscaling of that
       scaler found an infinity. What that guard is told has to be surely true where
       one comes into any of the values whose scale is lost: unscalings look at each of
       them (at the norm as well, whose square overflows where the gradient does not),
       or at what it is an element or the magnitude of; seen through calls, bodies and
       choices.
    6. a gradient that was scaled before its dynamic scaler advanced and is unscaled
       after it: unscaling was delayed past a transition, or a seed scaled once for
       a loop that advances the scale; or that was stored before it and loaded behind
       it, in the next round of such a loop as well, unless it was written over. Or one
       that is divided by, or compared with, one that was scaled after that.
    7. a function that computes gradients and is neither a train step nor a backward
       pass by its roles (see `amp-insert-loss-scaling`): nothing of it is proved.

    Warned of is an assertion on a value that overflows with a dynamic scale, and a
    transition that is told again of what another was told of, in the same call or
    in the next: the scale is lowered twice for one overflow. The first 64
    unscalings of a scaler are asked for that.

    That all updates are guarded is the part of `amp-guard-updates`, which guards
    what comes out of a program's own guard again. Here guards are asked for what
    rule 5 names.

    A module without `amp.scaler` is not checked. The degrees are those of real
    numbers: overflow is the guard's part, and rounding is left out. Memory
    (memref) counts as one cell per function, in which a store that a scaled value
    chooses counts as well; constant globals have degree 0.

    Stands at the end of `amp-mixed-precision`
    (`verify-scaling=error|warning|off`). Changes nothing.

    Accepted, the gradient being unscaled before its norm is taken:
    ```mlir
    amp.scaler @s {initial_scale = 65536.0 : f64, static_scale}
    func.func @step(%w: tensor<f32> {amp.role = "param", amp.name = "w"},
                    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
        -> (tensor<f32> {amp.role = "param", amp.name = "w"}) {
      %scaled = amp.scale_loss %seed using @s : tensor<f32>
      %g = arith.mulf %scaled, %w : tensor<f32>
      %u, %found = amp.unscale %g using @s : (tensor<f32>) -> (tensor<f32>)
      %one = arith.constant dense<1.0> : tensor<f32>
      %clipped = arith.minimumf %u, %one : tensor<f32>
      %new = arith.subf %w, %clipped : tensor<f32>
      return %new : tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"warnOnly", "warn-only", "bool", "false", "warnings in the place of errors">,
    Option<"printDegrees", "print-degrees", "bool", "false",
           "a remark with the degrees of each operation's results">,
  ];
}

def InsertMasterWeightsPass : Pass<"amp-insert-master-weights", "::mlir::ModuleOp"> {
  let summary = "make FP32 master weights and their half copies explicit";
  let description = [{
    For each parameter that the model has in half: the f32 parameter of the
    optimizer step and train step is renamed to role `master`, and the half copy
    of its new value becomes their result, and the train step's argument, with
    role `param`. Each weight is cast once a step, by the step that changes it,
    so no cached cast can go stale.

    Parameters that are f32 in the model (batch normalisation) have no master,
    nor have frozen ones, which the train step takes in half and does not return.
    Does nothing at levels without master weights.
  }];
  let dependentDialects = ["::mlir::amp::AmpDialect"];
  let statistics = [Statistic<"numMasters", "masters", "master weights">];
}

def RoundParamsInStepPass : Pass<"amp-round-params-in-step", "::mlir::ModuleOp"> {
  let summary = "a step rounds its masters itself and has no half parameters";
  let description = [{
    After `amp-mixed-precision` a step with master weights takes each parameter twice, as its master and in half,
    and gives both. The half one is the master, rounded. A caller who keeps masters alone (a PyTorch model that
    stays FP32 outside of its steps) would have to round them in front of each call, and the step rounds what it
    has updated for nobody. This pass, behind `amp-mixed-precision`, lets functions that no other one calls round
    their masters where they begin; half parameters are neither arguments nor results then, and a master has the
    role `param`. Numbers are the same for whoever gave half parameters that were their masters, rounded.

    **Left alone.** Half parameters without a master (O3), a master of another shape, and functions that are
    called.

    Before:
    ```mlir
    func.func @train_step(%m: tensor<4xf32> {amp.role = "master", amp.name = "w"},
                          %w: tensor<4xf16> {amp.role = "param", amp.name = "w"})
        -> (tensor<4xf16> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "master", amp.name = "w"}) {
      %wide = arith.extf %w : tensor<4xf16> to tensor<4xf32>
      %new = arith.subf %m, %wide : tensor<4xf32>
      %half = arith.truncf %new : tensor<4xf32> to tensor<4xf16>
      return %half, %new : tensor<4xf16>, tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @train_step(%m: tensor<4xf32> {amp.name = "w", amp.role = "param"})
        -> (tensor<4xf32> {amp.name = "w", amp.role = "param"}) {
      %w = arith.truncf %m : tensor<4xf32> to tensor<4xf16>
      %wide = arith.extf %w : tensor<4xf16> to tensor<4xf32>
      %new = arith.subf %m, %wide : tensor<4xf32>
      %half = arith.truncf %new : tensor<4xf32> to tensor<4xf16>
      return %new : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numRounded", "parameters rounded", "Half parameters that are values of a step now">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def InsertTapsPass : Pass<"amp-insert-taps", "::mlir::ModuleOp"> {
  let summary = "show gradients to the host while a step runs";
  let description = [{
    In each train step: an `amp.tap` at point `scaled_grad` on each gradient that
    a backward pass returns, before it is unscaled, and one at point `grad` on
    each gradient that an optimizer step takes. Names are the parameters'. Used
    by `amp-run` to measure gradient norms and to inject infinities; a step
    without taps runs faster.

    Runs once: a module that has taps is left alone.
  }];
  let dependentDialects = ["::mlir::amp::AmpDialect"];
  let statistics = [Statistic<"numTaps", "taps", "taps inserted">];
}

def NarrowResultsPass : Pass<"amp-narrow-results", "::mlir::ModuleOp"> {
  let summary = "return values in half that are half before they are widened";
  let description = [{
    A front end that compiles forward and backward apart keeps values between the
    two. What amp-insert-casts computes in half it widens where it leaves the
    function, whose types it does not change; kept so, it takes twice the memory
    and has the same bits.

    Of the results that `results` numbers, those that are an `amp.cast` from a
    half type to f32 become what the cast widens, and the signature follows.
    Other results stay as they are; the front end reads the types that came out.

    The module has one function with a body, in which one `func.return` stands at
    the end; others are refused, and so is a number that is no result's. Runs
    after amp-insert-casts.

    Before:
    ```mlir
    func.func @forward(%x: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = amp.cast %x : tensor<4xf16> to tensor<4xf32>
      return %0, %0 : tensor<4xf32>, tensor<4xf32>
    }
    ```

    After `--amp-narrow-results="results=1"`:
    ```mlir
    func.func @forward(%x: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf16>) {
      %0 = amp.cast %x : tensor<4xf16> to tensor<4xf32>
      return %0, %x : tensor<4xf32>, tensor<4xf16>
    }
    ```
  }];
  let options = [
    ListOption<"results", "results", "int64_t",
               "numbers of the results that may be half">
  ];
  let dependentDialects = ["::mlir::amp::AmpDialect"];
  let statistics = [Statistic<"numNarrowed", "narrowed", "results that became half">];
}

def VerifyOncePass : Pass<"amp-verify-once", "::mlir::ModuleOp"> {
  let summary = "run passes and verify the module after the last of them";
  let description = [{
    Runs the passes of `pipeline` without MLIR's verification between them; the
    pass manager verifies what comes out, as after any pass. `amp-mixed-precision`
    and `amp-to-host` take this way, because most of the time of seven small
    rewrites would be seven verifications of the whole module: their option
    `verify-each` brings them back, to find the pass that breaks a module.

    Timing and `--mlir-print-ir-after` see each of the passes. Statistics are
    printed for passes that stand in the outer pipeline alone.

    Before:
    ```mlir
    module {}
    ```
    After `--amp-verify-once="pipeline=amp-initialize-opt-level{opt-level=O0 verbosity=0},canonicalize"`:
    ```mlir
    module attributes {amp.policy = #amp.policy<O0, cast_model_type = f32,
        master_weights = false, loss_scale = 1.000000e+00>} {}
    ```
  }];
  let options = [
    Option<"pipeline", "pipeline", "std::string", "", "passes to run on the module, separated by commas">
  ];
}

#endif // AMP_DIALECT_AMP_TRANSFORMS_PASSES_TD
