//===- Properties.h - What a level and the user's overrides ask -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The properties are the whole policy of a compilation apart from the op lists:
// the defaults of a level, then the user's overrides, checked. Which
// combinations are refused, in which order, and in which words is Apex's
// (apex/amp/frontend.py, Properties.__setattr__ and initialize). For O4 and O5
// the outcome is that of ROCm's fork; its messages are put in Apex's words.
//
// On top of that come refusals of our own, for values that Apex stores and
// trips over later (a scale of 0, a floor above the ceiling), and remarks about
// combinations that Apex accepts in silence although they ask for nothing.
//
// A loss scale, its minimum and its maximum are factors without a unit.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_POLICY_PROPERTIES_H
#define AMP_POLICY_PROPERTIES_H

#include "amp/Policy/OptLevel.h"
#include "amp/Policy/OverrideValue.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mlir::amp {

/// The exception that Apex raises; ours are ValueError.
enum class PolicyErrorKind {
  RuntimeError,
  AssertionError,
  TypeError,
  ValueError
};

/// A refusal.
struct PolicyError {
  PolicyErrorKind kind;
  /// The message alone.
  std::string text;

  /// "RuntimeError: ...", as a Python traceback ends.
  std::string str() const;
};

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

/// The properties in force. The initial values are Apex's bare Properties,
/// which stay where amp is not enabled.
struct Properties {
  bool enabled = false;
  std::optional<OptLevel> optLevel;

  /// Type that the model is cast to; none: it is not cast. float32 names the
  /// type that the model has.
  std::optional<FloatKind> castModelType;
  /// The user wrote cast_model_type=False. It acts as None does, and prints as
  /// "False".
  bool castModelTypeIsFalse = false;

  /// Whether listed functions get casts (O1, O4); none acts as false.
  std::optional<bool> patchTorchFunctions = false;
  /// Low type of patched functions; kept, but without effect, where nothing is
  /// patched.
  std::optional<FloatKind> patchTorchFunctionsType;
  std::optional<bool> keepBatchnormFP32;
  std::optional<bool> masterWeights;
  LossScale lossScale = LossScale::fixed(1.0);

  /// Type of the model's outputs; none: float32 where the model is cast,
  /// untouched elsewhere.
  std::optional<FloatKind> castModelOutputs;
  /// Number of loss scalers, at least 1.
  int64_t numLosses = 1;
  /// Floor of a dynamic scale; none: it may halve without end.
  std::optional<double> minLossScale;
  /// Ceiling of a dynamic scale.
  double maxLossScale = 16777216.0; // 2^24, Apex's max_loss_scale
  /// Above 0: the selection is printed.
  int64_t verbosity = 1;

  /// The half type that the model is cast to, if it is.
  std::optional<FloatKind> getModelCast() const;
  /// The type that listed functions are patched to, if they are.
  std::optional<FloatKind> getFunctionCast() const;
  /// Scale at the first step: the fixed one, or min(maxLossScale, 2^16). As in
  /// Apex, the floor is not applied here; initialize refuses a floor above it.
  double getInitialScale() const;
};

/// The user's values as given; None where one was not given. As in Apex, None
/// cannot take a default back.
struct PropertyOverrides {
  OverrideValue enabled;
  OverrideValue castModelType;
  OverrideValue patchTorchFunctions;
  OverrideValue patchTorchFunctionsType;
  OverrideValue keepBatchnormFP32;
  OverrideValue masterWeights;
  OverrideValue lossScale;
  OverrideValue castModelOutputs;
  OverrideValue numLosses;
  OverrideValue minLossScale;
  OverrideValue maxLossScale;
  OverrideValue verbosity;
  /// Not a property: True turns Apex's RuntimeErrors about properties into
  /// warnings (apex/amp/_amp_state.py: hard_override, warn_or_err).
  OverrideValue hardOverride;

  /// Sets the property that Apex calls `name` ("keep_batchnorm_fp32"; the
  /// spelling of pass options, "keep-batchnorm-fp32", is the same property) to
  /// what `value` reads as. Refuses other names with Apex's ValueError.
  std::optional<PolicyError> set(llvm::StringRef name, llvm::StringRef value);
};

//===----------------------------------------------------------------------===//
// Initialize
//===----------------------------------------------------------------------===//

/// What `initialize` selected.
struct Selection {
  /// The level's own properties, before the overrides.
  Properties defaults;
  /// The properties in force.
  Properties properties;
  /// The line for patch_torch_functions_type, which Apex's own levels do not
  /// know, is printed: at O4 and O5, and wherever it was given.
  bool printsPatchType = false;
  /// Refusals that hardOverride let pass, in their order.
  std::vector<std::string> warnings;
  /// Texts about what was accepted although it has no effect. First letter
  /// lower case, no full stop.
  std::vector<std::string> remarks;
};

/// Selects `level` ("O2") and applies the overrides.
///
/// With enabled=False the bare Properties come back and nothing else is looked
/// at, the level included (frontend.py: initialize returns first). Otherwise
/// the first failing check decides:
///
///  1. the level: RuntimeError, getUnknownLevelText;
///  2. Apex's checks of castModelType, patchTorchFunctions,
///     patchTorchFunctionsType, keepBatchnormFP32, masterWeights and lossScale,
///     in this order, against the level;
///  3. our own, ValueError:
///     - castModelType is float32, float16, bfloat16 or False; castModelOutputs
///       one of the three types; patchTorchFunctions, masterWeights a boolean
///       (so is `enabled`, before everything else);
///     - numLosses is a whole number from 1 to 2^32 - 1, verbosity a whole
///       number;
///     - the loss scale is finite and greater than 0;
///     - minLossScale is finite and not negative, maxLossScale greater than 0;
///     - minLossScale is at most maxLossScale;
///     - minLossScale is at most the initial scale, getInitialScale(). A fixed
///       scale that is the level's default is exempt: it stands for "no
///       scaling", and a script may give its floor at every level.
///
/// With hardOverride, what 2. refuses as a RuntimeError is in force, with a
/// warning; only a refused patchTorchFunctionsType gives way to the level's, as
/// in ROCm. Functions that are patched at a level without such a type get the
/// model's half type, or float16.
///
/// Accepted with a remark (Apex is silent): a patching level with
/// patchTorchFunctions=False; masterWeights or a given keepBatchnormFP32 where
/// the model is not cast to half; a minLossScale or maxLossScale that a fixed
/// scale ignores; a minLossScale of 0, which counts as none.
std::variant<Selection, PolicyError>
initialize(llvm::StringRef level, const PropertyOverrides &overrides);

/// Prints what Apex prints (frontend.py, initialize at rank 0): the level, its
/// defaults, warnings, and the options after the overrides. Only the warnings
/// if verbosity is not above 0; nothing if amp is not enabled.
void printSelection(llvm::raw_ostream &os, const Selection &selection);

} // namespace mlir::amp

#endif // AMP_POLICY_PROPERTIES_H
