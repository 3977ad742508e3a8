//===- Properties.cpp - What a level and the user's overrides ask ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two tables run one after the other over the values that were given. The first
// holds Apex's checks in Apex's order: each looks at one raw value and the row
// of the level. The second turns raw values into typed properties and refuses
// what has no type. Rules between properties (floor, ceiling, initial scale)
// and remarks look at the typed result. So no refusal of ours ever comes before
// one of Apex's.
//
//===----------------------------------------------------------------------===//

#include "amp/Policy/Properties.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir::amp;
using llvm::StringRef;
using llvm::Twine;

/// A check: nothing, or why the value is refused.
using Refusal = std::optional<PolicyError>;

/// Start of a dynamic scale (apex/amp/scaler.py, init_scale).
constexpr double initialDynamicScale = 65536.0;

static PolicyError refuse(PolicyErrorKind kind, const Twine &text) {
  return PolicyError{kind, text.str()};
}

std::string PolicyError::str() const {
  switch (kind) {
  case PolicyErrorKind::RuntimeError:
    return "RuntimeError: " + text;
  case PolicyErrorKind::AssertionError:
    return "AssertionError: " + text;
  case PolicyErrorKind::TypeError:
    return "TypeError: " + text;
  case PolicyErrorKind::ValueError:
    return "ValueError: " + text;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Derived properties
//===----------------------------------------------------------------------===//

std::optional<FloatKind> Properties::getModelCast() const {
  if (castModelType == FloatKind::Float32)
    return std::nullopt;
  return castModelType;
}

std::optional<FloatKind> Properties::getFunctionCast() const {
  if (!patchTorchFunctions.value_or(false))
    return std::nullopt;
  return patchTorchFunctionsType;
}

double Properties::getInitialScale() const {
  return lossScale.isDynamic() ? std::min(maxLossScale, initialDynamicScale)
                               : lossScale.getFixed();
}

//===----------------------------------------------------------------------===//
// Overrides by name
//===----------------------------------------------------------------------===//

namespace {
/// A property that users can set, by its name in Apex. opt_level is not among
/// them: it is the argument of `initialize`.
struct NamedOverride {
  llvm::StringLiteral name;
  OverrideValue PropertyOverrides::*value;
};
} // namespace

static constexpr NamedOverride namedOverrides[] = {
    {"cast_model_outputs", &PropertyOverrides::castModelOutputs},
    {"cast_model_type", &PropertyOverrides::castModelType},
    {"enabled", &PropertyOverrides::enabled},
    {"hard_override", &PropertyOverrides::hardOverride},
    {"keep_batchnorm_fp32", &PropertyOverrides::keepBatchnormFP32},
    {"loss_scale", &PropertyOverrides::lossScale},
    {"master_weights", &PropertyOverrides::masterWeights},
    {"max_loss_scale", &PropertyOverrides::maxLossScale},
    {"min_loss_scale", &PropertyOverrides::minLossScale},
    {"num_losses", &PropertyOverrides::numLosses},
    {"patch_torch_functions", &PropertyOverrides::patchTorchFunctions},
    {"patch_torch_functions_type", &PropertyOverrides::patchTorchFunctionsType},
    {"verbosity", &PropertyOverrides::verbosity},
};

Refusal PropertyOverrides::set(StringRef name, StringRef value) {
  std::string underscored = name.str();
  std::replace(underscored.begin(), underscored.end(), '-', '_');
  for (const NamedOverride &property : namedOverrides)
    if (property.name == underscored) {
      this->*property.value = OverrideValue::parse(value);
      return std::nullopt;
    }
  // frontend.py, Properties._update_options_dict.
  return refuse(PolicyErrorKind::ValueError,
                "Tried to set unexpected option " + name);
}

//===----------------------------------------------------------------------===//
// Apex's checks
//===----------------------------------------------------------------------===//
//
// frontend.py, Properties.__setattr__, one branch each. A patching level is one
// whose own patch_torch_functions is true: O1 in Apex, O1 and O4 in ROCm.

static bool isPatching(const LevelDefaults &level) {
  return level.patchTorchFunctions.value_or(false);
}

static Refusal checkCastModelType(const OverrideValue &value,
                                  const LevelDefaults &level) {
  if (!isPatching(level) || value.getBool() == false ||
      value.getFloatKind() == FloatKind::Float32)
    return std::nullopt;
  return refuse(PolicyErrorKind::RuntimeError,
                level.name +
                    " inserts casts around Torch functions rather than model "
                    "weights, so with " +
                    level.name +
                    ", the model weights themselves should remain FP32. If you "
                    "wish to cast the model to a different type, use "
                    "opt_level=" +
                    level.castingLevels + ". cast_model_type was " +
                    value.str());
}

static Refusal checkPatchTorchFunctions(const OverrideValue &value,
                                        const LevelDefaults &level) {
  if (isPatching(level) || !value.isTruthy())
    return std::nullopt;
  return refuse(PolicyErrorKind::RuntimeError,
                "Currently, patch_torch_functions=True should only be set by "
                "selecting opt_level=" +
                    level.patchingLevels + ".");
}

/// ROCm's: at a patching level only the type that it patches to anyway.
static Refusal checkPatchTorchFunctionsType(const OverrideValue &value,
                                            const LevelDefaults &level) {
  if (!isPatching(level))
    return refuse(PolicyErrorKind::RuntimeError,
                  "Currently, patch_torch_functions_type should only be set by "
                  "selecting opt_level='O1' or 'O4'.");
  if (value.getFloatKind() == level.patchTorchFunctionsType)
    return std::nullopt;
  return refuse(PolicyErrorKind::RuntimeError,
                "patch_torch_functions_type should only be set to torch." +
                    stringifyFloatKind(*level.patchTorchFunctionsType) +
                    " for opt_level='" + level.name + "'.");
}

static Refusal checkKeepBatchnormFP32(const OverrideValue &value,
                                      const LevelDefaults &level) {
  if (!isPatching(level))
    return std::nullopt;
  return refuse(PolicyErrorKind::RuntimeError,
                "With opt_level " + level.name +
                    ", batchnorm functions are automatically patched to run "
                    "in FP32, so keep_batchnorm_fp32 should be None. "
                    "keep_batchnorm_fp32 was " +
                    value.str());
}

static Refusal checkKeepBatchnormFP32IsBool(const OverrideValue &value,
                                            const LevelDefaults &) {
  if (value.getBool() || value.isString("True") || value.isString("False"))
    return std::nullopt;
  return refuse(PolicyErrorKind::AssertionError,
                "keep_batchnorm_fp32 must be a boolean, the string 'True' or "
                "'False', or None, found keep_batchnorm_fp32=" +
                    value.str());
}

static Refusal checkMasterWeights(const OverrideValue &,
                                  const LevelDefaults &level) {
  if (!isPatching(level))
    return std::nullopt;
  return refuse(PolicyErrorKind::RuntimeError,
                "It doesn't make sense to use master_weights with " +
                    level.name + ". With " + level.name +
                    ", your model weights themselves should be FP32.");
}

/// Python's float(value), with its errors.
static Refusal checkLossScale(const OverrideValue &value,
                              const LevelDefaults &) {
  if (value.isString("dynamic") || value.toFloat())
    return std::nullopt;
  if (value.getKind() == OverrideValue::Kind::DType)
    return refuse(PolicyErrorKind::TypeError,
                  "float() argument must be a string or a real number, not "
                  "'torch.dtype'");
  return refuse(PolicyErrorKind::ValueError,
                "could not convert string to float: " + value.repr());
}

namespace {
struct ApexCheck {
  OverrideValue PropertyOverrides::*value;
  Refusal (*check)(const OverrideValue &, const LevelDefaults &);
};
} // namespace

/// In the order in which initialize assigns the properties; ROCm puts its own
/// one after patch_torch_functions.
static constexpr ApexCheck apexChecks[] = {
    {&PropertyOverrides::castModelType, checkCastModelType},
    {&PropertyOverrides::patchTorchFunctions, checkPatchTorchFunctions},
    {&PropertyOverrides::patchTorchFunctionsType, checkPatchTorchFunctionsType},
    {&PropertyOverrides::keepBatchnormFP32, checkKeepBatchnormFP32},
    {&PropertyOverrides::keepBatchnormFP32, checkKeepBatchnormFP32IsBool},
    {&PropertyOverrides::masterWeights, checkMasterWeights},
    {&PropertyOverrides::lossScale, checkLossScale},
};

//===----------------------------------------------------------------------===//
// From raw values to properties
//===----------------------------------------------------------------------===//

/// "expected 'name' to be RULE, but got 'value'; REMEDY".
static PolicyError refuseValue(StringRef name, StringRef rule,
                               const OverrideValue &value, StringRef remedy) {
  return refuse(PolicyErrorKind::ValueError, "expected '" + name + "' to be " +
                                                 rule + ", but got '" +
                                                 value.str() + "'; " + remedy);
}

static Refusal setCastModelType(const OverrideValue &value,
                                Properties &properties) {
  std::optional<FloatKind> kind = value.getFloatKind();
  bool isFalse = value.getBool() == false;
  if (!kind && !isFalse)
    return refuseValue("cast_model_type",
                       "float32, float16, bfloat16, False or None", value,
                       "leave it out to take the default of the level");
  properties.castModelType = kind;
  properties.castModelTypeIsFalse = isFalse;
  return std::nullopt;
}

static Refusal setPatchTorchFunctions(const OverrideValue &value,
                                      Properties &properties) {
  if (!value.getBool())
    return refuseValue("patch_torch_functions", "True, False or None", value,
                       "leave it out to take the default of the level");
  properties.patchTorchFunctions = value.getBool();
  // By hardOverride, at a level that patches nothing of its own.
  if (properties.patchTorchFunctions == true &&
      !properties.patchTorchFunctionsType)
    properties.patchTorchFunctionsType =
        properties.getModelCast().value_or(FloatKind::Float16);
  return std::nullopt;
}

static Refusal setKeepBatchnormFP32(const OverrideValue &value,
                                    Properties &properties) {
  properties.keepBatchnormFP32 =
      value.getBool().value_or(value.isString("True"));
  return std::nullopt;
}

static Refusal setMasterWeights(const OverrideValue &value,
                                Properties &properties) {
  if (!value.getBool())
    return refuseValue("master_weights", "True, False or None", value,
                       "leave it out to take the default of the level");
  properties.masterWeights = value.getBool();
  return std::nullopt;
}

static Refusal setLossScale(const OverrideValue &value,
                            Properties &properties) {
  if (value.isString("dynamic")) {
    properties.lossScale = LossScale::dynamic();
    return std::nullopt;
  }
  double scale = *value.toFloat();
  if (!std::isfinite(scale) || scale <= 0.0)
    return refuseValue("loss_scale", "a finite number greater than 0", value,
                       "use a power of two such as 128.0, or 'dynamic'");
  properties.lossScale = LossScale::fixed(scale);
  return std::nullopt;
}

static Refusal setCastModelOutputs(const OverrideValue &value,
                                   Properties &properties) {
  if (!value.getFloatKind())
    return refuseValue("cast_model_outputs",
                       "float32, float16, bfloat16 or None", value,
                       "leave it out for the usual type of the outputs");
  properties.castModelOutputs = value.getFloatKind();
  return std::nullopt;
}

static Refusal setNumLosses(const OverrideValue &value,
                            Properties &properties) {
  std::optional<int64_t> count = value.getInteger();
  if (!count || *count < 1)
    return refuseValue("num_losses", "a whole number of at least 1", value,
                       "give the number of losses with a scale of their own");
  // What #amp.policy and scaler names can hold.
  if (*count > std::numeric_limits<uint32_t>::max())
    return refuseValue("num_losses", "at most 4294967295", value,
                       "give the number of losses with a scale of their own");
  properties.numLosses = *count;
  return std::nullopt;
}

static Refusal setMinLossScale(const OverrideValue &value,
                               Properties &properties) {
  std::optional<double> scale = value.toFloat();
  if (!scale || !std::isfinite(*scale) || *scale < 0.0)
    return refuseValue("min_loss_scale", "a finite number of at least 0", value,
                       "leave it out for no floor");
  // scaler.py tests the floor for truth, so 0 counts as none.
  properties.minLossScale = scale;
  if (*scale == 0.0)
    properties.minLossScale.reset();
  return std::nullopt;
}

static Refusal setMaxLossScale(const OverrideValue &value,
                               Properties &properties) {
  std::optional<double> scale = value.toFloat();
  if (!scale || !(*scale > 0.0))
    return refuseValue("max_loss_scale", "a number greater than 0", value,
                       "leave it out for 16777216.0");
  properties.maxLossScale = *scale;
  return std::nullopt;
}

static Refusal setVerbosity(const OverrideValue &value,
                            Properties &properties) {
  if (!value.getInteger())
    return refuseValue("verbosity", "a whole number", value,
                       "use 0 to print nothing");
  properties.verbosity = *value.getInteger();
  return std::nullopt;
}

namespace {
struct Setter {
  OverrideValue PropertyOverrides::*value;
  Refusal (*set)(const OverrideValue &, Properties &);
};
} // namespace

/// patchTorchFunctionsType has none: only the level's own passes its check.
static constexpr Setter setters[] = {
    {&PropertyOverrides::castModelType, setCastModelType},
    {&PropertyOverrides::patchTorchFunctions, setPatchTorchFunctions},
    {&PropertyOverrides::keepBatchnormFP32, setKeepBatchnormFP32},
    {&PropertyOverrides::masterWeights, setMasterWeights},
    {&PropertyOverrides::lossScale, setLossScale},
    {&PropertyOverrides::castModelOutputs, setCastModelOutputs},
    {&PropertyOverrides::numLosses, setNumLosses},
    {&PropertyOverrides::minLossScale, setMinLossScale},
    {&PropertyOverrides::maxLossScale, setMaxLossScale},
    {&PropertyOverrides::verbosity, setVerbosity},
};

//===----------------------------------------------------------------------===//
// Rules between properties
//===----------------------------------------------------------------------===//

static Refusal checkScaleBounds(const Properties &properties,
                                const PropertyOverrides &overrides) {
  if (!properties.minLossScale)
    return std::nullopt;
  double floor = *properties.minLossScale;
  std::string floorText = printPythonFloat(floor);
  if (floor > properties.maxLossScale)
    return refuse(PolicyErrorKind::ValueError,
                  "expected 'min_loss_scale' to be at most 'max_loss_scale', "
                  "but got " +
                      floorText + " above " +
                      printPythonFloat(properties.maxLossScale) +
                      "; lower 'min_loss_scale' or raise 'max_loss_scale'");

  bool isDefaultFixed =
      !properties.lossScale.isDynamic() && overrides.lossScale.isNone();
  double start = properties.getInitialScale();
  if (floor > start && !isDefaultFixed)
    return refuse(PolicyErrorKind::ValueError,
                  "expected 'min_loss_scale' to be at most the initial loss "
                  "scale, but got " +
                      floorText + " above " + printPythonFloat(start) +
                      "; lower 'min_loss_scale' to " + printPythonFloat(start) +
                      " or less");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static StringRef printBool(bool value) { return value ? "True" : "False"; }

/// "torch.float16" or "None".
static std::string printOptionalType(std::optional<FloatKind> kind) {
  return kind ? ("torch." + stringifyFloatKind(*kind)).str() : "None";
}

/// cast_model_type as Python prints it.
static std::string printCastModelType(const Properties &properties) {
  return properties.castModelTypeIsFalse
             ? "False"
             : printOptionalType(properties.castModelType);
}

/// What was accepted without effect: combinations that no branch of Apex's
/// __setattr__ looks at, a floor that is 0, and bounds of a fixed scale (Apex's
/// documentation of min_loss_scale: "ignored").
static std::vector<std::string> collectRemarks(const Properties &properties,
                                               const PropertyOverrides &given,
                                               const LevelDefaults &level) {
  std::vector<std::string> remarks;
  auto remark = [&](const Twine &text) { remarks.push_back(text.str()); };

  if (isPatching(level) && properties.patchTorchFunctions == false)
    remark("'patch_torch_functions=False' at opt_level '" + level.name +
           "' leaves every function in the type of its inputs; use opt_level "
           "'O0' to say so");

  if (!properties.getModelCast()) {
    std::string because = "because the model is not cast to half "
                          "('cast_model_type' is " +
                          printCastModelType(properties) + ")";
    if (properties.masterWeights == true)
      remark("'master_weights=True' at opt_level '" + level.name +
             "' makes no copies, " + because);
    if (!given.keepBatchnormFP32.isNone())
      remark(
          "'keep_batchnorm_fp32=" + printBool(*properties.keepBatchnormFP32) +
          "' at opt_level '" + level.name + "' has no effect, " + because);
  }

  auto remarkBound = [&](StringRef name, const OverrideValue &value) {
    if (!value.isNone() && !properties.lossScale.isDynamic())
      remark("'" + name + "' " + value.str() +
             " has no effect, because the loss scale is fixed at " +
             properties.lossScale.str());
  };
  if (!given.minLossScale.isNone() && !properties.minLossScale)
    remark("'min_loss_scale' " + given.minLossScale.str() +
           " counts as no floor");
  else
    remarkBound("min_loss_scale", given.minLossScale);
  remarkBound("max_loss_scale", given.maxLossScale);
  return remarks;
}

//===----------------------------------------------------------------------===//
// Initialize
//===----------------------------------------------------------------------===//

static Properties makeDefaults(const LevelDefaults &level) {
  Properties properties;
  properties.enabled = true;
  properties.optLevel = level.level;
  properties.castModelType = level.castModelType;
  properties.patchTorchFunctions = level.patchTorchFunctions;
  properties.patchTorchFunctionsType = level.patchTorchFunctionsType;
  properties.keepBatchnormFP32 = level.keepBatchnormFP32;
  properties.masterWeights = level.masterWeights;
  properties.lossScale = level.lossScale;
  return properties;
}

std::variant<Selection, PolicyError>
mlir::amp::initialize(StringRef levelName, const PropertyOverrides &overrides) {
  if (!overrides.enabled.isNone() && !overrides.enabled.getFlag())
    return refuseValue("enabled", "True, False or None", overrides.enabled,
                       "leave it out for True");
  if (overrides.enabled.getFlag() == false)
    return Selection();

  std::optional<OptLevel> parsed = parseOptLevel(levelName);
  if (!parsed)
    return refuse(PolicyErrorKind::RuntimeError,
                  getUnknownLevelText(levelName));
  const LevelDefaults &level = getLevelDefaults(*parsed);

  Selection selection;
  for (const ApexCheck &apex : apexChecks) {
    const OverrideValue &value = overrides.*apex.value;
    if (value.isNone())
      continue;
    Refusal refusal = apex.check(value, level);
    if (!refusal)
      continue;
    if (refusal->kind != PolicyErrorKind::RuntimeError ||
        overrides.hardOverride.getBool() != true)
      return *refusal;
    selection.warnings.push_back(std::move(refusal->text));
  }

  selection.defaults = makeDefaults(level);
  selection.properties = selection.defaults;
  for (const Setter &setter : setters) {
    const OverrideValue &value = overrides.*setter.value;
    if (value.isNone())
      continue;
    if (Refusal refusal = setter.set(value, selection.properties))
      return *refusal;
  }
  if (Refusal refusal = checkScaleBounds(selection.properties, overrides))
    return *refusal;

  selection.remarks = collectRemarks(selection.properties, overrides, level);
  selection.printsPatchType = level.level >= OptLevel::O4 ||
                              !overrides.patchTorchFunctionsType.isNone();
  return selection;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static StringRef printOptionalBool(std::optional<bool> value) {
  return value ? printBool(*value) : "None";
}

/// One line per option, as Python prints Properties.options: names padded to 22
/// by Apex, to 26 by ROCm, which has one option more.
static void printOptions(llvm::raw_ostream &os, const Properties &properties,
                         bool printsPatchType) {
  auto line = [&](StringRef name, const Twine &value) {
    os << llvm::left_justify(name, printsPatchType ? 26 : 22) << " : " << value
       << '\n';
  };
  line("enabled", printBool(properties.enabled));
  line("opt_level", stringifyOptLevel(*properties.optLevel));
  line("cast_model_type", printCastModelType(properties));
  line("patch_torch_functions",
       printOptionalBool(properties.patchTorchFunctions));
  if (printsPatchType)
    line("patch_torch_functions_type",
         printOptionalType(properties.patchTorchFunctionsType));
  line("keep_batchnorm_fp32", printOptionalBool(properties.keepBatchnormFP32));
  line("master_weights", printOptionalBool(properties.masterWeights));
  line("loss_scale", properties.lossScale.str());
}

void mlir::amp::printSelection(llvm::raw_ostream &os,
                               const Selection &selection) {
  const Properties &properties = selection.properties;
  if (!properties.enabled)
    return;
  bool isVerbose = properties.verbosity > 0;
  if (isVerbose) {
    os << "Selected optimization level "
       << getLevelDefaults(*properties.optLevel).brief << '\n'
       << "Defaults for this optimization level are:\n";
    printOptions(os, selection.defaults, selection.printsPatchType);
    os << "Processing user overrides (additional kwargs that are not "
          "None)...\n";
  }
  for (const std::string &warning : selection.warnings)
    os << "Warning:  " << warning << '\n';
  if (isVerbose) {
    os << "After processing overrides, optimization options are:\n";
    printOptions(os, properties, selection.printsPatchType);
  }
}
