//===- AmpOps.td - Operations of the amp dialect -----------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPOPS_TD
#define AMP_DIALECT_AMP_IR_AMPOPS_TD

include "amp/Dialect/Amp/IR/AmpAttributes.td"
include "amp/Dialect/Amp/IR/AmpKernelOps.td"
include "mlir/Interfaces/CastInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

/// State of the loss scalers: one resource for all of them, so that nothing
/// reorders a read and an update.
def Amp_ScalerState : Resource<"::mlir::amp::ScalerStateResource">;
/// Where taps report to.
def Amp_TapState : Resource<"::mlir::amp::TapResource">;
/// Where assertions on a device report to.
def Amp_Reports : Resource<"::mlir::amp::ReportResource">;

class Amp_Op<string mnemonic, list<Trait> traits = []>
    : Op<Amp_Dialect, mnemonic, traits>;

/// Whether something was found, an infinity or NaN for one, kept on the device:
/// never a host value.
def Amp_FoundInf
    : Type<0DTensorOf<[I1]>.predicate, "tensor<i1>", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI1Type())">;
def Amp_FloatTensor : RankedTensorOf<[F16, BF16, F32]>;
def Amp_F32Tensor : RankedTensorOf<[F32]>;
def Amp_HalfTensor : RankedTensorOf<[F16, BF16]>;
def Amp_CastOperand : AnyTypeOf<[F16, BF16, F32, Amp_FloatTensor]>;

//===----------------------------------------------------------------------===//
// Loss scaling
//===----------------------------------------------------------------------===//

def Amp_ScalerOp : Amp_Op<"scaler", [Symbol]> {
  let summary = "declare a loss scaler";
  let description = [{
    A loss scaler with its start values. The state itself (scale, growth
    counter, hysteresis counter) belongs to the runtime and lives between steps;
    operations refer to it by this symbol. Scales are f64, as Apex's are.

    With preset `apex` one `amp.update_scale` does, on an overflow of a dynamic
    scaler, `scale = max(scale * backoff_factor, min_scale)` and
    `unskipped = 0`; otherwise `unskipped += 1`, and once that reaches
    `growth_interval`, `scale = min(scale * growth_factor, max_scale)` and
    `unskipped = 0`. A scaler with `static_scale` counts and never changes, but
    for `unskipped = 0` where a program skips its overflows as well.

    Rules:

    1. `initial_scale` is positive, and finite in f32.
    2. `growth_factor` > 1 and 0 < `backoff_factor` < 1.
    3. `growth_interval` and `hysteresis` are positive.
    4. `min_scale`, where given, is finite, not negative, and at most
       `max_scale` and `initial_scale`.
    5. `max_scale` is positive and not NaN.

    Made by `amp-insert-loss-scaling`, one for each loss; removed by
    `convert-amp-to-runtime`.

    Example:

    ```mlir
    amp.scaler @loss {initial_scale = 65536.0 : f64}
    amp.scaler @adversarial {initial_scale = 128.0 : f64, static_scale}
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    F64Attr:$initial_scale,
    DefaultValuedAttr<F64Attr, "2.0">:$growth_factor,
    DefaultValuedAttr<F64Attr, "0.5">:$backoff_factor,
    DefaultValuedAttr<I64Attr, "2000">:$growth_interval,
    DefaultValuedAttr<I32Attr, "1">:$hysteresis,
    OptionalAttr<F64Attr>:$min_scale,
    DefaultValuedAttr<F64Attr, "16777216.0">:$max_scale,
    UnitAttr:$static_scale,
    DefaultValuedAttr<Amp_ScalerPreset, "::mlir::amp::ScalerPreset::Apex">:$preset);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
}

def Amp_ScaleLossOp : Amp_Op<"scale_loss", [
    MemoryEffects<[MemRead<Amp_ScalerState>]>, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "multiply a loss, or its cotangent, by the current scale";
  let description = [{
    `result = value * s`, where `s` is the scaler's scale rounded to f32 and no
    smaller than 2^-126, the smallest normal f32. The product is rounded once to
    the type of `value`; it may overflow to inf, which the gradients then carry.

    1. The symbol is an `amp.scaler` of the module.

    Reads the scaler's state. Made by `amp-insert-loss-scaling`; removed by
    `convert-amp-to-runtime`.

    Example:

    ```mlir
    amp.scaler @loss {initial_scale = 65536.0 : f64}
    func.func @scaled(%seed: tensor<f32>) -> tensor<f32> {
      %0 = amp.scale_loss %seed using @loss : tensor<f32>
      return %0 : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$value,
                       FlatSymbolRefAttr:$scaler);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$value `using` $scaler attr-dict `:` type($value)";
}

def Amp_UnscaleOp : Amp_Op<"unscale", [
    MemoryEffects<[MemRead<Amp_ScalerState>]>, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "divide gradients by the scale and test them for infinities";
  let description = [{
    For every gradient `g_i` of the step, in FP32:

        result_i = float(g_i) * (1 / s) [+ accumulator_i]
        found_inf = already_found or any element of any g_i is inf or NaN

    where `s` is the scaler's effective scale. The test is on the incoming
    values, before the product, as in Apex's fused kernel; infinities and NaNs
    are written to the results all the same. Accumulators are trusted and not
    tested. One operation takes all gradients of a step, so that it becomes one
    kernel. A tensor without elements is finite.

    1. There are as many results as gradients, each the f32 tensor of its
       gradient's shape.
    2. There are no accumulators, or as many as gradients, of the results'
       types.
    3. The symbol is an `amp.scaler` of the module.

    Reads the scaler's state. Made by `amp-insert-loss-scaling`; removed by
    `convert-amp-to-linalg`.

    Example:

    ```mlir
    amp.scaler @loss {initial_scale = 65536.0 : f64}
    func.func @grads(%w: tensor<4x8xf16>, %b: tensor<8xf32>)
        -> (tensor<4x8xf32>, tensor<8xf32>, tensor<i1>) {
      %g:2, %found = amp.unscale %w, %b using @loss
          : (tensor<4x8xf16>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
      return %g#0, %g#1, %found : tensor<4x8xf32>, tensor<8xf32>, tensor<i1>
    }
    ```
  }];
  let arguments = (ins Variadic<Amp_FloatTensor>:$gradients,
                       Variadic<Amp_F32Tensor>:$accumulators,
                       Optional<Amp_FoundInf>:$already_found,
                       FlatSymbolRefAttr:$scaler);
  let results = (outs Variadic<Amp_F32Tensor>:$unscaled, Amp_FoundInf:$found_inf);
  let assemblyFormat = [{
    $gradients `using` $scaler
    (`accumulate` `(` $accumulators^ `)`)?
    (`found` `(` $already_found^ `)`)?
    attr-dict custom<UnscaleTypes>(ref($accumulators), type($gradients),
                                   type($accumulators), type($unscaled))
  }];
  let hasVerifier = 1;
}

def Amp_ApplyIfFiniteOp : Amp_Op<"apply_if_finite", [
    RecursiveMemoryEffects, SingleBlock, NoRegionArguments,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "take the optimizer's new values unless an infinity was found";
  let description = [{
    `results = found_inf ? kept : region()`. The kept values come out bit for
    bit. The region may or may not run when an infinity was found: it must not
    have effects that matter, and whatever NaNs it computes are dropped. No host
    round trip is needed.

    1. As many kept values as yielded values as results, of the same types.
    2. The region has no arguments and ends with `amp.yield`.

    Made by `amp-guard-updates`; removed by `convert-amp-to-linalg`.

    Example:

    ```mlir
    func.func @step(%w: tensor<4xf32>, %g: tensor<4xf32>, %found: tensor<i1>)
        -> tensor<4xf32> {
      %0 = amp.apply_if_finite %found keep(%w) {
        %e = tensor.empty() : tensor<4xf32>
        %new = linalg.sub ins(%w, %g : tensor<4xf32>, tensor<4xf32>)
                          outs(%e : tensor<4xf32>) -> tensor<4xf32>
        amp.yield %new : tensor<4xf32>
      } : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Amp_FoundInf:$found_inf, Variadic<AnyType>:$kept);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $found_inf `keep` `(` $kept `)` $body attr-dict custom<KeptTypes>(type($kept), type($results))
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Amp_UpdateScaleOp : Amp_Op<"update_scale", [
    MemoryEffects<[MemRead<Amp_ScalerState>, MemWrite<Amp_ScalerState>]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "advance a loss scaler by one transition";
  let description = [{
    One transition of the scaler's state machine (see `amp.scaler`), with
    `found_inf` as its input. Apex makes one for each backward pass that does
    not delay it.

    1. The symbol is an `amp.scaler` of the module.

    Reads and writes the scaler's state. Made by `amp-insert-loss-scaling`;
    removed by `convert-amp-to-runtime`.

    Example:

    ```mlir
    amp.scaler @loss {initial_scale = 65536.0 : f64}
    func.func @advance(%found: tensor<i1>) {
      amp.update_scale @loss, %found
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$scaler, Amp_FoundInf:$found_inf);
  let assemblyFormat = "$scaler `,` $found_inf attr-dict";
}

def Amp_AllReduceFoundInfOp : Amp_Op<"all_reduce_found_inf", [Pure]> {
  let summary = "agree on an overflow between ranks";
  let description = [{
    The logical or of `found_inf` over all ranks that train together, so that
    they skip the same steps. In a program for one rank it is the identity.

    Made by front ends for distributed training; removed by
    `convert-amp-to-runtime`.

    Example:

    ```mlir
    func.func @agree(%found: tensor<i1>) -> tensor<i1> {
      %0 = amp.all_reduce_found_inf %found
      return %0 : tensor<i1>
    }
    ```
  }];
  let arguments = (ins Amp_FoundInf:$found_inf);
  let results = (outs Amp_FoundInf:$result);
  let assemblyFormat = "$found_inf attr-dict";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Precision
//===----------------------------------------------------------------------===//

def Amp_CastOp : Amp_Op<"cast", [Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable,
    DeclareOpInterfaceMethods<CastOpInterface>]> {
  let summary = "change the floating type, as a policy asked";
  let description = [{
    The value in another floating type: exact where the target is wider,
    otherwise rounded to nearest, ties to even; beyond the largest finite value
    of the target it is inf, NaN stays NaN. It differs from `arith.truncf` and
    `arith.extf` in saying who put it there, so that it can be counted, moved,
    merged and explained.

    1. Operand and result have the same shape and different element types, one
       of `f16`, `bf16`, `f32`.

    Folds: a cast to half of an exactly widened half value of that type; a cast
    of a constant. Never a cast to f32 of a rounded value: that rounding is
    part of the program.

    Made by `amp-insert-casts` and `amp-cast-model`; removed by
    `convert-amp-to-linalg`.

    Example:

    ```mlir
    func.func @down(%x: tensor<4xf32>) -> tensor<4xf16> {
      %0 = amp.cast %x : tensor<4xf32> to tensor<4xf16>
      return %0 : tensor<4xf16>
    }
    ```
  }];
  let arguments = (ins Amp_CastOperand:$input);
  let results = (outs Amp_CastOperand:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
}

def Amp_MasterCopyOp : Amp_Op<"master_copy", [Pure]> {
  let summary = "round a master weight to the model's half copy";
  let description = [{
    The half-precision parameter that the model uses in the next step, from its
    FP32 master weight: rounded to nearest, ties to even.

    1. Operand and result have the same shape.

    Made by `amp-insert-master-weights`; removed by `convert-amp-to-linalg`.

    Example:

    ```mlir
    func.func @refresh(%m: tensor<4x8xf32>) -> tensor<4x8xf16> {
      %0 = amp.master_copy %m : tensor<4x8xf32> to tensor<4x8xf16>
      return %0 : tensor<4x8xf16>
    }
    ```
  }];
  let arguments = (ins Amp_F32Tensor:$master);
  let results = (outs Amp_HalfTensor:$result);
  let assemblyFormat = "$master attr-dict `:` type($master) `to` type($result)";
  let hasVerifier = 1;
}

def Amp_AutocastOp : Amp_Op<"autocast", [RecursiveMemoryEffects, SingleBlock, NoRegionArguments,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "compute a region under another policy";
  let description = [{
    The operations of the region are classified by the policy given here, not by
    the module's; without a policy they stay FP32. Values that enter and leave
    are FP32 for the region's surroundings: `amp-insert-casts` casts at the
    border, and the region is gone. In a module without a half type (O0) every
    region is FP32, whatever its policy; so is one that `convert-amp-to-linalg`
    meets, for nobody has asked for casts.

    1. As many yielded values as results, of the same types.
    2. The region has no arguments and ends with `amp.yield`.
    3. The policy, where given, does not cast the model: a region has no
       parameters of its own (O1 or O4, or O0).

    Example:

    ```mlir
    func.func @keep(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = amp.autocast {
        %e = tensor.empty() : tensor<4xf32>
        %s = linalg.square ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        amp.yield %s : tensor<4xf32>
      } : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<Amp_PolicyAttr>:$policy);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`under` $policy^)? $body attr-dict (`:` type($results)^)?";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Amp_YieldOp : Amp_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["ApplyIfFiniteOp", "AutocastOp"]>]> {
  let summary = "end a region with its values";
  let description = [{
    The values of the enclosing `amp.apply_if_finite` or `amp.autocast`.

    Example:

    ```mlir
    func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = amp.autocast {
        amp.yield %x : tensor<4xf32>
      } : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
}

//===----------------------------------------------------------------------===//
// What a host is told of a device
//===----------------------------------------------------------------------===//

/// The members of AmpRtScalerRecord (amp-rt/Scaler.h), 8 bytes each.
def Amp_ScalerRecord
    : Type<And<[RankedTensorOf<[I64]>.predicate,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getShape() == "
                      "::llvm::ArrayRef<int64_t>{17}">]>,
           "tensor<17xi64>, the record of a scaler", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({17}, $_builder.getI64Type())">;

def Amp_ReadScalerOp : Amp_Op<"read_scaler", [MemoryEffects<[MemRead<Amp_ScalerState>]>]> {
  let summary = "the record of a scaler, in a device's memory";
  let description = [{
    State and configuration of the scaler with this handle, in the order of
    `AmpRtScalerRecord` (`amp-rt/Scaler.h`): integers, and the bits of f64. A copy
    on the device, for which nobody waits; it becomes a call of
    `ampRtRunReadScaler` during bufferization.

    Made by `amp-keep-scalers-on-device`.

    Example:

    ```mlir
    func.func @unskipped(%scaler: i64) -> i64 {
      %record = amp.read_scaler %scaler
      %c1 = arith.constant 1 : index
      %0 = tensor.extract %record[%c1] : tensor<17xi64>
      return %0 : i64
    }
    ```
  }];
  let arguments = (ins I64:$handle);
  let results = (outs Amp_ScalerRecord:$record);
  let assemblyFormat = "$handle attr-dict";
}

def Amp_WriteScalerOp : Amp_Op<"write_scaler", [MemoryEffects<[MemWrite<Amp_ScalerState>]>]> {
  let summary = "give a scaler its next state, in a device's memory";
  let description = [{
    The counterpart of `amp.read_scaler`: what the host asks of the scaler from
    here on is answered by this record. It becomes a call of
    `ampRtRunWriteScaler` during bufferization.

    Made by `amp-keep-scalers-on-device`.

    Example:

    ```mlir
    func.func @put_back(%from: i64, %to: i64) {
      %record = amp.read_scaler %from
      amp.write_scaler %to, %record
      return
    }
    ```
  }];
  let arguments = (ins I64:$handle, Amp_ScalerRecord:$record);
  let assemblyFormat = "$handle `,` $record attr-dict";
}

def Amp_ReportViolationOp : Amp_Op<"report_violation", [MemoryEffects<[MemWrite<Amp_Reports>]>]> {
  let summary = "an assertion that a device has checked";
  let description = [{
    Tells the runtime that an assertion failed if the element is true, without a wait:
    the host hears of it when it synchronizes. It becomes a call of
    `ampRtRunReportViolation` during bufferization.

    Made by `amp-defer-asserts`.

    Example:

    ```mlir
    func.func @check(%violated: tensor<i1>) {
      amp.report_violation %violated, "index must be smaller than dim size"
      return
    }
    ```
  }];
  let arguments = (ins Amp_FoundInf:$violated, StrAttr:$message);
  let assemblyFormat = "$violated `,` $message attr-dict";
}

//===----------------------------------------------------------------------===//
// Observation
//===----------------------------------------------------------------------===//

def Amp_TapOp : Amp_Op<"tap", [
    MemoryEffects<[MemRead<Amp_TapState>, MemWrite<Amp_TapState>]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "show a tensor to the host while the step runs";
  let description = [{
    Hands the tensor to the host's callback under `point` and `name`. The
    callback may read it and may overwrite elements; the result is what it
    leaves. Without a callback the result is the operand. The handle of the tap's
    context is an argument of the function, given by `convert-amp-to-runtime`.
    This is how `amp-run`
    measures gradients and injects infinities into them.

    Writes the tap resource, so taps keep their order. Made by
    `amp-insert-taps`; removed by `convert-amp-to-runtime`.

    Example:

    ```mlir
    func.func @show(%g: tensor<4xf32>) -> tensor<4xf32> {
      %0 = amp.tap "grad" "fc.bias" %g : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$point, StrAttr:$name, AnyRankedTensor:$value,
                       Optional<I64>:$handle);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$point $name $value (`via` $handle^)? attr-dict `:` type($value)";
  let builders = [OpBuilder<(ins "::mlir::StringRef":$point, "::mlir::StringRef":$name,
                                 "::mlir::Value":$value), [{
    build($_builder, $_state, value.getType(), point, name, value, ::mlir::Value());
  }]>];
}

#endif // AMP_DIALECT_AMP_IR_AMPOPS_TD
