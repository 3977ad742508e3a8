//===- AmpRoles.cpp - Roles and origins of values and operations ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Role strings and the classification of functions by them.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpRoles.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isFlagSet(Operation *op, StringRef name) {
  Attribute flag = op->getDiscardableAttr(name);
  auto value = dyn_cast_if_present<BoolAttr>(flag);
  return value ? value.getValue() : flag != nullptr;
}

std::optional<Role> mlir::amp::parseRole(StringRef text) {
  return llvm::StringSwitch<std::optional<Role>>(text)
      .Case("param", Role::Param)
      .Case("master", Role::Master)
      .Case("buffer", Role::Buffer)
      .Case("opt_state", Role::OptState)
      .Case("batch", Role::Batch)
      .Case("loss_seed", Role::LossSeed)
      .Case("loss", Role::Loss)
      .Case("grad", Role::Grad)
      .Case("output", Role::Output)
      .Case("accumulator", Role::Accumulator)
      .Case("scaler_state", Role::ScalerState)
      .Case("rng", Role::Rng)
      .Case("hyper", Role::Hyper)
      .Default(std::nullopt);
}

StringRef mlir::amp::stringifyRole(Role role) {
  switch (role) {
  case Role::Param:
    return "param";
  case Role::Master:
    return "master";
  case Role::Buffer:
    return "buffer";
  case Role::OptState:
    return "opt_state";
  case Role::Batch:
    return "batch";
  case Role::LossSeed:
    return "loss_seed";
  case Role::Loss:
    return "loss";
  case Role::Grad:
    return "grad";
  case Role::Output:
    return "output";
  case Role::Accumulator:
    return "accumulator";
  case Role::ScalerState:
    return "scaler_state";
  case Role::Rng:
    return "rng";
  case Role::Hyper:
    return "hyper";
  }
  llvm_unreachable("every role is handled");
}

static RoleInfo readRole(DictionaryAttr attrs) {
  RoleInfo info;
  if (!attrs)
    return info;
  if (auto role = attrs.getAs<StringAttr>(kRoleAttr))
    info.role = parseRole(role.getValue());
  if (auto name = attrs.getAs<StringAttr>(kNameAttr))
    info.name = name.getValue();
  if (auto kind = attrs.getAs<StringAttr>(kKindAttr))
    info.isBatchNorm = kind.getValue() == kBatchNormKind;
  if (auto of = attrs.getAs<StringAttr>(kOfAttr))
    info.of = of.getValue();
  return info;
}

RoleInfo mlir::amp::getArgRole(FunctionOpInterface function, unsigned index) {
  return readRole(function.getArgAttrDict(index));
}

RoleInfo mlir::amp::getResultRole(FunctionOpInterface function,
                                  unsigned index) {
  return readRole(function.getResultAttrDict(index));
}

/// No role is a key too.
static std::pair<int, StringRef> getKey(std::optional<Role> role,
                                        StringRef name) {
  return {role ? static_cast<int>(*role) : -1, name};
}

ArgumentIndex::ArgumentIndex(FunctionOpInterface function) {
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
    RoleInfo info = getArgRole(function, i);
    numbers[getKey(info.role, info.name)].push_back(i);
  }
}

ArrayRef<unsigned> ArgumentIndex::find(std::optional<Role> role,
                                       StringRef name) const {
  auto it = numbers.find(getKey(role, name));
  return it == numbers.end() ? ArrayRef<unsigned>() : it->second;
}

DictionaryAttr mlir::amp::getRoleAttrs(MLIRContext *context, Role role,
                                       StringRef name, bool isBatchNorm) {
  Builder builder(context);
  NamedAttrList attrs;
  attrs.set(kRoleAttr, builder.getStringAttr(stringifyRole(role)));
  attrs.set(kNameAttr, builder.getStringAttr(name));
  if (isBatchNorm)
    attrs.set(kKindAttr, builder.getStringAttr(kBatchNormKind));
  return attrs.getDictionary(context);
}

FunctionKind mlir::amp::getFunctionKind(FunctionOpInterface function) {
  auto hasArg = [&](Role role) {
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      if (getArgRole(function, i).is(role))
        return true;
    return false;
  };
  auto hasResult = [&](Role role) {
    for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
      if (getResultRole(function, i).is(role))
        return true;
    return false;
  };
  bool updates = hasResult(Role::Param) || hasResult(Role::Master);
  if (hasArg(Role::LossSeed)) {
    if (updates)
      return FunctionKind::TrainStep;
    if (hasResult(Role::Grad))
      return FunctionKind::ForwardBackward;
  }
  if (hasArg(Role::Grad) && updates)
    return FunctionKind::OptimizerStep;
  if (hasResult(Role::Output) && hasArg(Role::Batch) && hasArg(Role::Param))
    return FunctionKind::Evaluate;
  if (hasResult(Role::Loss))
    return FunctionKind::Forward;
  return FunctionKind::Other;
}

bool mlir::amp::hasRoles(FunctionOpInterface function) {
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (getArgRole(function, i).role)
      return true;
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
    if (getResultRole(function, i).role)
      return true;
  return false;
}

std::optional<Phase> mlir::amp::getPhase(Operation *op) {
  auto text = op->getAttrOfType<StringAttr>(kPhaseAttr);
  if (!text)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Phase>>(text.getValue())
      .Case("forward", Phase::Forward)
      .Case("backward", Phase::Backward)
      .Case("optimizer", Phase::Optimizer)
      .Default(std::nullopt);
}
