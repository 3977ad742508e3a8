//===- AmpAttributes.td - Attributes of the amp dialect ----*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPATTRIBUTES_TD
#define AMP_DIALECT_AMP_IR_AMPATTRIBUTES_TD

include "amp/Dialect/Amp/IR/AmpDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Amp_Attr<string name, string attrMnemonic> : AttrDef<Amp_Dialect, name> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def Amp_PrecisionClass : I32EnumAttr<"PrecisionClass", "class of a unit of decision", [
    I32EnumAttrCase<"Low", 0, "low">,
    I32EnumAttrCase<"High", 1, "high">,
    I32EnumAttrCase<"Promote", 2, "promote">,
    I32EnumAttrCase<"Follow", 3, "follow">,
    I32EnumAttrCase<"MatchSelf", 4, "match_self">,
    I32EnumAttrCase<"RefuseHalf", 5, "refuse_half">,
    I32EnumAttrCase<"RefuseHalfSelf", 6, "refuse_half_self">,
  ]> {
  let cppNamespace = "::mlir::amp";
  let genSpecializedAttr = 0;
}

def Amp_ScalerPreset : I32EnumAttr<"ScalerPreset", "whose state machine a scaler runs", [
    I32EnumAttrCase<"Apex", 0, "apex">,
  ]> {
  let cppNamespace = "::mlir::amp";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Amp_PolicyAttr : Amp_Attr<"Policy", "policy"> {
  let summary = "opt level with its resulting properties";
  let description = [{
    What a module is to be compiled for: the opt level and the properties that
    Apex AMP derives from it (`apex.amp.initialize`), after the user's overrides.
    `amp-initialize-opt-level` writes it on the module as `amp.policy`; every
    later pass reads it there and has no level of its own.

    | key | meaning | absent |
    | --- | --- | --- |
    | level | `O0` to `O5`, the first entry | required |
    | `cast_model_type` | `f32`, `f16` or `bf16`: type the model is cast to | the model is not cast |
    | `patch_type` | `f16` or `bf16`: operations on the lists are patched (O1, O4) | nothing is patched |
    | `keep_batchnorm_fp32` | `true` or `false` | not asked |
    | `master_weights` | `true` or `false` | not asked |
    | `loss_scale` | `dynamic`, or an f64 | required |
    | `cast_model_outputs` | type of the model's outputs | f32 where the model is cast |
    | `num_losses` | number of loss scalers | 1 |
    | `min_loss_scale` | f64 | no floor |
    | `max_loss_scale` | f64 | 2^24, Apex's default |

    1. The level is `O0` to `O5`.
    2. The types are among those named above.
    3. `num_losses` is from 1 to 2^32 - 1.
    4. `loss_scale` stands there; a number is finite and positive.
    5. `max_loss_scale` is positive; inf is no ceiling.
    6. `min_loss_scale` is finite, not negative, and at most `max_loss_scale`
       and the initial scale.

    Example:

    ```mlir
    module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
        keep_batchnorm_fp32 = true, master_weights = true,
        loss_scale = dynamic>} {}
    ```
  }];
  let parameters = (ins
    "unsigned":$level,
    "::mlir::Type":$castModelType,
    "::mlir::Type":$patchType,
    "std::optional<bool>":$keepBatchnormFP32,
    "std::optional<bool>":$masterWeights,
    "::mlir::FloatAttr":$lossScale,
    "::mlir::Type":$castModelOutputs,
    "unsigned":$numLosses,
    "::mlir::FloatAttr":$minLossScale,
    "::mlir::FloatAttr":$maxLossScale);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// "O2".
    std::string getLevelName() const { return "O" + std::to_string(getLevel()); }
    bool isDynamic() const { return !getLossScale(); }
    /// The half type in use, f16 or bf16, or null at O0.
    ::mlir::Type getHalfType() const;
    /// True where the model's parameters and activations are cast to half (O2,
    /// O3, O5).
    bool castsModel() const;
    /// True where single operations are patched (O1, O4).
    bool patchesFunctions() const { return static_cast<bool>(getPatchType()); }
    bool keepsBatchnormFP32() const { return getKeepBatchnormFP32().value_or(false); }
    bool hasMasterWeights() const { return getMasterWeights().value_or(false); }
    /// Apex's short circuit: without master weights, a static scale of 1 means
    /// that no gradient is scaled, tested or unscaled.
    bool scalesLoss() const;
    /// Scale at the first step: min(max, 2^16) where dynamic.
    double getInitialScale() const;
  }];
}

def Amp_ClassAttr : Amp_Attr<"Class", "class"> {
  let summary = "precision class of an operation, its unit, and why";
  let description = [{
    Written by `amp-annotate-precision` on each operation that computes on
    floating tensors, or by a user who wants to decide for himself.

    | class | operands of the unit | inside | results |
    | --- | --- | --- | --- |
    | `low` | half | f32, contractions take half operands | half |
    | `high` | f32 | f32 | f32 |
    | `promote` | as they are | f32 | widest type of the operands |
    | `follow` | as they are | f32 | type of the unit's activations, or of self |
    | `match_self` | type of self | as `low` or `high` | type of self |
    | `refuse_half` | f32, an error where one is half | f32 | f32 |
    | `refuse_half_self` | f32, an error where self is half | f32 | f32 |

    Self is the operand that `amp.self` numbers on an operation of the unit: what
    an in-place form (`torch.Tensor.add_`) overwrites. Of tensors nothing is
    overwritten, but the result has the type that a buffer would keep.

    Operations with the same `unit` are one operation of the framework: it
    rounds once, at its results. `backward` marks the half of the unit that
    computes gradients. The reason says which rule decided.

    Example:

    ```mlir
    func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %0 = linalg.square {amp.class = #amp.class<high, unit = 3, "listed FP32: torch.pow">}
             ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let parameters = (ins
    EnumParameter<Amp_PrecisionClass>:$value,
    OptionalParameter<"std::optional<int64_t>">:$unit,
    "bool":$backward,
    OptionalParameter<"::mlir::StringAttr">:$reason);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilder<(ins "PrecisionClass":$value, "int64_t":$unit,
                                   "bool":$backward, "const ::llvm::Twine &":$reason), [{
    return $_get($_ctxt, value, std::optional<int64_t>(unit), backward,
                 ::mlir::StringAttr::get($_ctxt, reason));
  }]>];
}

#endif // AMP_DIALECT_AMP_IR_AMPATTRIBUTES_TD
