//===- AmpAttributes.cpp - Text and meaning of amp's attributes -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The policy prints as `#amp.policy<O2, key = value, ...>`: keys stand in one
// table below, so that parser and printer cannot disagree; an absent key means
// "not set" and is not printed.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;

#include "amp/Dialect/Amp/IR/AmpEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "amp/Dialect/Amp/IR/AmpAttributes.cpp.inc"

void AmpDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "amp/Dialect/Amp/IR/AmpAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// PolicyAttr
//===----------------------------------------------------------------------===//

/// Apex's start value of a dynamic scale and its default ceiling.
static constexpr double kDynamicInitialScale = 65536.0; // 2^16
static constexpr double kDefaultMaxScale = 16777216.0;  // 2^24
static constexpr unsigned kLastLevel = 5;

static void printDouble(AsmPrinter &printer, FloatAttr value) {
  printer.printAttributeWithoutType(value);
}

static ParseResult parseBool(AsmParser &parser, std::optional<bool> &value) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  if (word != "true" && word != "false")
    return parser.emitError(loc, "expected 'true' or 'false', but got '")
           << word << "'";
  value = word == "true";
  return success();
}

/// Rule 3, where the text still has its sign and all its digits.
static ParseResult parseNumLosses(AsmParser &parser, unsigned &value) {
  int64_t number;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(number))
    return failure();
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  if (number < 1)
    return parser.emitError(loc,
                            "expected 'num_losses' to be at least 1, but got ")
           << number;
  if (number > kMost)
    return parser.emitError(loc, "expected 'num_losses' to be at most ")
           << kMost << ", but got " << number;
  value = static_cast<unsigned>(number);
  return success();
}

static ParseResult parseDouble(AsmParser &parser, FloatAttr &value) {
  double number;
  if (parser.parseFloat(number))
    return failure();
  value = FloatAttr::get(Float64Type::get(parser.getContext()), number);
  return success();
}

Attribute PolicyAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  unsigned level = 0;
  Type castModelType, patchType, castModelOutputs;
  std::optional<bool> keepBatchnorm, masterWeights;
  FloatAttr lossScale, minScale;
  auto maxScale = FloatAttr::get(Float64Type::get(context), kDefaultMaxScale);
  unsigned numLosses = 1;
  bool sawLossScale = false;

  StringRef levelName;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&levelName))
    return {};
  if (levelName.size() != 2 || levelName[0] != 'O' ||
      levelName.drop_front().getAsInteger(10, level) || level > kLastLevel) {
    parser.emitError(start, "expected an opt level 'O0' to 'O5', but got '")
        << levelName << "'"; // Rule 1
    return {};
  }
  llvm::SmallDenseSet<StringRef> seen;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    if (!seen.insert(key).second) {
      parser.emitError(loc, "policy key '") << key << "' is given twice";
      return {};
    }
    ParseResult result = success();
    if (key == "cast_model_type") {
      result = parser.parseType(castModelType);
    } else if (key == "patch_type") {
      result = parser.parseType(patchType);
    } else if (key == "cast_model_outputs") {
      result = parser.parseType(castModelOutputs);
    } else if (key == "keep_batchnorm_fp32") {
      result = parseBool(parser, keepBatchnorm);
    } else if (key == "master_weights") {
      result = parseBool(parser, masterWeights);
    } else if (key == "loss_scale") {
      sawLossScale = true;
      if (failed(parser.parseOptionalKeyword("dynamic")))
        result = parseDouble(parser, lossScale);
    } else if (key == "min_loss_scale") {
      result = parseDouble(parser, minScale);
    } else if (key == "max_loss_scale") {
      result = parseDouble(parser, maxScale);
    } else if (key == "num_losses") {
      result = parseNumLosses(parser, numLosses);
    } else {
      result = parser.emitError(loc, "unknown policy key '") << key << "'";
    }
    if (result)
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (!sawLossScale) {
    parser.emitError(start, "expected policy key 'loss_scale'"); // Rule 4
    return {};
  }
  return PolicyAttr::getChecked(
      [&] { return parser.emitError(start); }, context, level, castModelType,
      patchType, keepBatchnorm, masterWeights, lossScale, castModelOutputs,
      numLosses, minScale, maxScale);
}

void PolicyAttr::print(AsmPrinter &printer) const {
  printer << "<" << getLevelName();
  if (Type type = getCastModelType())
    printer << ", cast_model_type = " << type;
  if (Type type = getPatchType())
    printer << ", patch_type = " << type;
  if (std::optional<bool> keep = getKeepBatchnormFP32())
    printer << ", keep_batchnorm_fp32 = " << (*keep ? "true" : "false");
  if (std::optional<bool> masters = getMasterWeights())
    printer << ", master_weights = " << (*masters ? "true" : "false");
  printer << ", loss_scale = ";
  if (isDynamic())
    printer << "dynamic";
  else
    printDouble(printer, getLossScale());
  if (Type type = getCastModelOutputs())
    printer << ", cast_model_outputs = " << type;
  if (getNumLosses() != 1)
    printer << ", num_losses = " << getNumLosses();
  if (FloatAttr scale = getMinLossScale()) {
    printer << ", min_loss_scale = ";
    printDouble(printer, scale);
  }
  if (getMaxLossScale().getValueAsDouble() != kDefaultMaxScale) {
    printer << ", max_loss_scale = ";
    printDouble(printer, getMaxLossScale());
  }
  printer << ">";
}

LogicalResult PolicyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 unsigned level, Type castModelType,
                                 Type patchType, std::optional<bool>,
                                 std::optional<bool>, FloatAttr lossScale,
                                 Type castModelOutputs, unsigned numLosses,
                                 FloatAttr minLossScale,
                                 FloatAttr maxLossScale) {
  auto isOneOf = [](Type type, bool f32Too) {
    return !type || type.isF16() || type.isBF16() || (f32Too && type.isF32());
  };
  if (level > kLastLevel)
    return emitError() << "expected an opt level 'O0' to 'O5', but got 'O"
                       << level << "'"; // Rule 1
  if (!isOneOf(castModelType, true))
    return emitError()
           << "expected 'cast_model_type' to be f32, f16 or bf16, but got "
           << castModelType; // Rule 2
  if (!isOneOf(patchType, false))
    return emitError() << "expected 'patch_type' to be f16 or bf16, but got "
                       << patchType; // Rule 2
  if (!isOneOf(castModelOutputs, true))
    return emitError()
           << "expected 'cast_model_outputs' to be f32, f16 or bf16, but got "
           << castModelOutputs; // Rule 2
  if (numLosses == 0)
    return emitError()
           << "expected 'num_losses' to be at least 1, but got 0"; // Rule 3
  double maximum = maxLossScale.getValueAsDouble();
  double initial = lossScale ? lossScale.getValueAsDouble()
                             : std::min(maximum, kDynamicInitialScale);
  double minimum = minLossScale ? minLossScale.getValueAsDouble() : 0.0;
  if (!(maximum > 0))
    return emitError() << "expected 'max_loss_scale' to be positive, but got "
                       << maximum; // Rule 5
  if (!std::isfinite(initial) || initial <= 0)
    return emitError()
           << "expected 'loss_scale' to be finite and positive, but got "
           << initial; // Rule 4
  if (!std::isfinite(minimum) || minimum < 0)
    return emitError()
           << "expected 'min_loss_scale' to be finite and at least 0, but got "
           << minimum; // Rule 6
  if (minimum > maximum)
    return emitError()
           << "expected 'min_loss_scale' to be at most 'max_loss_scale' "
           << maximum << ", but got " << minimum; // Rule 6
  if (minimum > initial)
    return emitError()
           << "expected 'min_loss_scale' to be at most the initial scale "
           << initial << ", but got " << minimum; // Rule 6
  return success();
}

Type PolicyAttr::getHalfType() const {
  auto half = [](Type type) { return type && !type.isF32() ? type : Type(); };
  if (Type type = half(getCastModelType()))
    return type;
  return getPatchType();
}

bool PolicyAttr::castsModel() const {
  return getCastModelType() && !getCastModelType().isF32();
}

bool PolicyAttr::scalesLoss() const {
  return hasMasterWeights() || isDynamic() ||
         getLossScale().getValueAsDouble() != 1.0;
}

double PolicyAttr::getInitialScale() const {
  if (isDynamic())
    return std::min(getMaxLossScale().getValueAsDouble(), kDynamicInitialScale);
  return getLossScale().getValueAsDouble();
}

//===----------------------------------------------------------------------===//
// ClassAttr
//===----------------------------------------------------------------------===//

Attribute ClassAttr::parse(AsmParser &parser, Type) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&word))
    return {};
  std::optional<PrecisionClass> value = symbolizePrecisionClass(word);
  if (!value) {
    parser.emitError(
        loc,
        "expected a class 'low', 'high', 'promote', 'follow', 'match_self', "
        "'refuse_half' or 'refuse_half_self', but got '")
        << word << "'";
    return {};
  }
  std::optional<int64_t> unit;
  bool backward = false;
  StringAttr reason;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("unit"))) {
      int64_t number;
      if (parser.parseEqual() || parser.parseInteger(number))
        return {};
      unit = number;
    } else if (succeeded(parser.parseOptionalKeyword("backward"))) {
      backward = true;
    } else if (parser.parseAttribute(reason)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return ClassAttr::get(parser.getContext(), *value, unit, backward, reason);
}

void ClassAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyPrecisionClass(getValue());
  if (getUnit())
    printer << ", unit = " << *getUnit();
  if (getBackward())
    printer << ", backward";
  if (getReason())
    printer << ", " << getReason();
  printer << ">";
}
