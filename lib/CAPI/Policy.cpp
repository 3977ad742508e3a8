//===- Policy.cpp - Levels, properties and op lists behind a C ABI --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates between amp/Policy and flat structs. Decides nothing. Includes
// nothing of MLIR: the Python module links this file without it.
//
//===----------------------------------------------------------------------===//

#include "amp-c/Policy.h"

#include "amp/Policy/OpLists.h"
#include "amp/Policy/Properties.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <variant>
#include <vector>

using namespace mlir::amp;
using llvm::StringRef;

// The layouts that programs were compiled against: no hidden padding.
static_assert(sizeof(AmpPolicyOverride) == 16, "the ABI of version 1");
static_assert(sizeof(AmpPolicyRequest) == 32, "the ABI of version 1");
static_assert(sizeof(AmpPolicyProperties) == 104, "the ABI of version 1");
static_assert(offsetof(AmpPolicyProperties, verbosity) == 96,
              "the ABI of version 1");
static_assert(sizeof(AmpPolicyListEntry) == 24, "the ABI of version 1");

struct AmpPolicySelection {
  AmpPolicyStatus status = AMP_POLICY_OK;
  /// Valid if the status is AMP_POLICY_OK.
  Selection selection;
  std::string error;
  std::string text;
};

struct AmpPolicyFunctions {
  std::vector<std::string> names;
};

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

static AmpPolicyStatus toStatus(PolicyErrorKind kind) {
  switch (kind) {
  case PolicyErrorKind::RuntimeError:
    return AMP_POLICY_RUNTIME_ERROR;
  case PolicyErrorKind::AssertionError:
    return AMP_POLICY_ASSERTION_ERROR;
  case PolicyErrorKind::TypeError:
    return AMP_POLICY_TYPE_ERROR;
  case PolicyErrorKind::ValueError:
    return AMP_POLICY_VALUE_ERROR;
  }
  return AMP_POLICY_INVALID_ARGUMENT;
}

static int32_t toType(std::optional<FloatKind> kind) {
  if (!kind)
    return AMP_POLICY_NO_TYPE;
  switch (*kind) {
  case FloatKind::Float32:
    return AMP_POLICY_FLOAT32;
  case FloatKind::Float16:
    return AMP_POLICY_FLOAT16;
  case FloatKind::BFloat16:
    return AMP_POLICY_BFLOAT16;
  }
  return AMP_POLICY_NO_TYPE;
}

static int32_t toBool(std::optional<bool> value) {
  return !value ? AMP_POLICY_NONE : *value ? AMP_POLICY_TRUE : AMP_POLICY_FALSE;
}

/// The half type of that number, if it is one.
static std::optional<FloatKind> getHalf(int32_t type) {
  if (type == AMP_POLICY_FLOAT16)
    return FloatKind::Float16;
  if (type == AMP_POLICY_BFLOAT16)
    return FloatKind::BFloat16;
  return std::nullopt;
}

static int32_t toListClass(ListClass listClass) {
  switch (listClass) {
  case ListClass::Half:
    return AMP_POLICY_LIST_HALF;
  case ListClass::Float32:
    return AMP_POLICY_LIST_FLOAT32;
  case ListClass::Promote:
    return AMP_POLICY_LIST_PROMOTE;
  case ListClass::SequencePromote:
    return AMP_POLICY_LIST_SEQUENCE_PROMOTE;
  case ListClass::Banned:
    return AMP_POLICY_LIST_BANNED;
  }
  return -1;
}

static int32_t toInPlace(InPlaceRule rule) {
  switch (rule) {
  case InPlaceRule::NotInPlace:
    return AMP_POLICY_NOT_IN_PLACE;
  case InPlaceRule::RefuseHalf:
    return AMP_POLICY_REFUSE_HALF;
  case InPlaceRule::RefuseHalfSelf:
    return AMP_POLICY_REFUSE_HALF_SELF;
  case InPlaceRule::MatchSelf:
    return AMP_POLICY_MATCH_SELF;
  }
  return -1;
}

static AmpPolicyProperties toProperties(const Properties &properties) {
  AmpPolicyProperties flat = {};
  flat.structSize = sizeof(flat);
  flat.enabled = properties.enabled;
  flat.optLevel =
      properties.optLevel ? static_cast<int32_t>(*properties.optLevel) : -1;
  flat.castModelType = toType(properties.castModelType);
  flat.castModelTypeIsFalse = properties.castModelTypeIsFalse;
  flat.patchTorchFunctions = toBool(properties.patchTorchFunctions);
  flat.patchTorchFunctionsType = toType(properties.patchTorchFunctionsType);
  flat.keepBatchnormFP32 = toBool(properties.keepBatchnormFP32);
  flat.masterWeights = toBool(properties.masterWeights);
  flat.castModelOutputs = toType(properties.castModelOutputs);
  flat.lossScaleIsDynamic = properties.lossScale.isDynamic();
  flat.modelCast = toType(properties.getModelCast());
  flat.functionCast = toType(properties.getFunctionCast());
  if (!properties.lossScale.isDynamic())
    flat.lossScale = properties.lossScale.getFixed();
  flat.minLossScale = properties.minLossScale.value_or(0.0);
  flat.maxLossScale = properties.maxLossScale;
  flat.initialScale = properties.getInitialScale();
  flat.numLosses = properties.numLosses;
  flat.verbosity = properties.verbosity;
  return flat;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// The rule that the request breaks, or null.
static const char *findInvalidArgument(const AmpPolicyRequest *request) {
  if (!request)
    return "expected a request, but got null";
  if (request->structSize != sizeof(AmpPolicyRequest))
    return "expected 'structSize' to be sizeof(AmpPolicyRequest)";
  if (!request->optLevel)
    return "expected 'optLevel' to be the name of a level, but got null";
  if (!request->overrides && request->overrideCount)
    return "expected 'overrides' to be an array, but got null";
  for (uint64_t i = 0; i < request->overrideCount; ++i)
    if (!request->overrides[i].name || !request->overrides[i].value)
      return "expected each override to have a name and a value, but got null";
  return nullptr;
}

static std::variant<Selection, PolicyError>
selectLevel(const AmpPolicyRequest &request) {
  PropertyOverrides overrides;
  for (uint64_t i = 0; i < request.overrideCount; ++i)
    if (std::optional<PolicyError> error = overrides.set(
            request.overrides[i].name, request.overrides[i].value))
      return *error;
  return initialize(request.optLevel, overrides);
}

uint32_t ampPolicyGetApiVersion(void) { return AMP_POLICY_API_VERSION; }

AmpPolicySelection *ampPolicySelect(const AmpPolicyRequest *request) {
  auto *result = new AmpPolicySelection();
  if (const char *rule = findInvalidArgument(request)) {
    result->status = AMP_POLICY_INVALID_ARGUMENT;
    result->error = rule;
    return result;
  }
  std::variant<Selection, PolicyError> outcome = selectLevel(*request);
  if (auto *error = std::get_if<PolicyError>(&outcome)) {
    result->status = toStatus(error->kind);
    result->error = std::move(error->text);
    return result;
  }
  result->selection = std::move(std::get<Selection>(outcome));
  llvm::raw_string_ostream stream(result->text);
  printSelection(stream, result->selection);
  return result;
}

AmpPolicyStatus
ampPolicySelectionGetStatus(const AmpPolicySelection *selection) {
  return selection ? selection->status : AMP_POLICY_INVALID_ARGUMENT;
}

const char *ampPolicySelectionGetError(const AmpPolicySelection *selection) {
  return selection ? selection->error.c_str() : "";
}

/// Whether there are properties to give, and room for them.
static bool canGive(const AmpPolicySelection *selection,
                    const AmpPolicyProperties *properties) {
  return selection && selection->status == AMP_POLICY_OK && properties &&
         properties->structSize == sizeof(AmpPolicyProperties);
}

AmpPolicyStatus
ampPolicySelectionGetProperties(const AmpPolicySelection *selection,
                                AmpPolicyProperties *properties) {
  if (!canGive(selection, properties))
    return AMP_POLICY_INVALID_ARGUMENT;
  *properties = toProperties(selection->selection.properties);
  return AMP_POLICY_OK;
}

AmpPolicyStatus
ampPolicySelectionGetDefaults(const AmpPolicySelection *selection,
                              AmpPolicyProperties *properties) {
  if (!canGive(selection, properties))
    return AMP_POLICY_INVALID_ARGUMENT;
  *properties = toProperties(selection->selection.defaults);
  return AMP_POLICY_OK;
}

const char *ampPolicySelectionGetText(const AmpPolicySelection *selection) {
  return selection ? selection->text.c_str() : "";
}

size_t ampPolicySelectionGetRemarkCount(const AmpPolicySelection *selection) {
  return selection ? selection->selection.remarks.size() : 0;
}

const char *ampPolicySelectionGetRemark(const AmpPolicySelection *selection,
                                        size_t index) {
  if (index >= ampPolicySelectionGetRemarkCount(selection))
    return "";
  return selection->selection.remarks[index].c_str();
}

void ampPolicySelectionDestroy(AmpPolicySelection *selection) {
  delete selection;
}

//===----------------------------------------------------------------------===//
// Op lists
//===----------------------------------------------------------------------===//

AmpPolicyFunctions *ampPolicyFunctionsCreate(void) {
  auto *functions = new AmpPolicyFunctions();
  for (const OpList &list : getOpLists())
    for (StringRef name : list.names) {
      std::string function = (list.nameSpace + "." + name).str();
      // A special method ("__add__") has no form with one more "_"; the lookup
      // knows.
      std::string inPlace = function + "_";
      functions->names.push_back(std::move(function));
      if (list.inPlace != InPlaceRule::NotInPlace && lookupFunction(inPlace))
        functions->names.push_back(std::move(inPlace));
    }
  return functions;
}

size_t ampPolicyFunctionsGetCount(const AmpPolicyFunctions *functions) {
  return functions ? functions->names.size() : 0;
}

const char *ampPolicyFunctionsGetName(const AmpPolicyFunctions *functions,
                                      size_t index) {
  if (index >= ampPolicyFunctionsGetCount(functions))
    return "";
  return functions->names[index].c_str();
}

void ampPolicyFunctionsDestroy(AmpPolicyFunctions *functions) {
  delete functions;
}

int32_t ampPolicyLookupFunction(const char *function, int32_t half,
                                AmpPolicyListEntry *entry) {
  std::optional<FloatKind> kind = getHalf(half);
  if (!function || !kind ||
      (entry && entry->structSize != sizeof(AmpPolicyListEntry)))
    return 0;
  std::optional<ListEntry> found = lookupFunction(function, *kind);
  if (!found)
    return 0;
  if (entry) {
    entry->listClass = toListClass(found->listClass);
    entry->inPlace = toInPlace(found->inPlace);
    entry->origin = found->origin == ListOrigin::Apex ? AMP_POLICY_ORIGIN_APEX
                                                      : AMP_POLICY_ORIGIN_OURS;
    entry->withBFloat16 =
        lookupFunction(function, FloatKind::BFloat16).has_value();
  }
  return 1;
}

size_t ampPolicyGetRefusal(const char *function, int32_t half, char *buffer,
                           size_t capacity) {
  std::optional<FloatKind> kind = getHalf(half);
  std::optional<std::string> text;
  if (function && kind)
    text = getRefusalText(function, *kind);
  if (buffer && capacity) {
    size_t written = text ? std::min(text->size(), capacity - 1) : 0;
    if (written)
      std::memcpy(buffer, text->data(), written);
    buffer[written] = 0;
  }
  return text ? text->size() : 0;
}

int32_t ampPolicyIsLossFunction(const char *function) {
  return function && isLossFunction(function);
}

int32_t ampPolicyKeepsTypeOfSelf(const char *function) {
  return function && keepsTypeOfSelf(function);
}
