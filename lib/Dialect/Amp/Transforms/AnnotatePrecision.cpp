//===- AnnotatePrecision.cpp - Decide precision, unit by unit -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Function by function: origins, the model's boundary where the model is cast,
// units, and then one decision for each unit, written on its operations. All
// decisions are taken before any rewrite, since rewrites lose origins (half of
// the named operations lose theirs when generalised), and all are taken from
// the policy attribute, so that this file knows no level.
//
// Linear in the number of operations and uses.
//
//===----------------------------------------------------------------------===//

#include "ModulePolicy.h"

#include "amp/Analysis/ComputeKind.h"
#include "amp/Analysis/ModelBoundary.h"
#include "amp/Analysis/PrecisionUnits.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "amp/Policy/OpLists.h"
#include "mlir/IR/BuiltinAttributes.h"

#define DEBUG_TYPE "amp-annotate-precision"

namespace mlir::amp {
#define GEN_PASS_DEF_ANNOTATEPRECISIONPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// A class with the rule that gave it.
struct Decision {
  PrecisionClass value;
  std::string reason;
};

/// Decides for the units of one function under one policy.
class Classifier {
public:
  Classifier(PolicyAttr policy, const ValueOrigins &origins,
             const ModelBoundary *boundary)
      : policy(policy), origins(origins), boundary(boundary) {}

  /// Class of `op` inside `unit`, or failure after a diagnostic.
  FailureOr<Decision> classify(const PrecisionUnits::Unit &unit, Operation *op);

private:
  Decision classifyInCastModel(Operation *op);
  FailureOr<Decision> classifyPatched(const PrecisionUnits::Unit &unit,
                                      Operation *op);
  Decision classifyByKind(const PrecisionUnits::Unit &unit, Operation *op);

  PolicyAttr policy;
  const ValueOrigins &origins;
  const ModelBoundary *boundary;
};
} // namespace

FailureOr<Decision> Classifier::classify(const PrecisionUnits::Unit &unit,
                                         Operation *op) {
  // Rule 1: a user's attribute on any operation of the unit decides for it.
  for (Operation *member : unit.ops)
    if (auto given = member->getAttrOfType<ClassAttr>(kClassAttr);
        given && !given.getUnit())
      return Decision{given.getValue(), "attribute on the operation"};

  if (getComputeKind(op) == ComputeKind::Movement)
    return Decision{PrecisionClass::Follow, "moves elements"};
  if (auto region = op->getParentOfType<AutocastOp>()) {
    PolicyAttr inner = region.getPolicyAttr();
    if (!inner || !inner.getHalfType())
      return Decision{PrecisionClass::High,
                      "region of amp.autocast without half"};
    if (inner.getHalfType() != policy.getHalfType()) {
      region.emitOpError() << "expected a policy with the module's half type "
                           << policy.getHalfType() << ", but got "
                           << inner.getHalfType();
      return failure();
    }
    return classifyPatched(unit, op);
  }
  if (policy.castsModel()) // Rule 2
    return classifyInCastModel(op);
  if (origins.getPhase(op) == Phase::Optimizer)
    return Decision{PrecisionClass::High, "optimizer in FP32"};
  return classifyPatched(unit, op);
}

Decision Classifier::classifyInCastModel(Operation *op) {
  if (origins.getPhase(op) == Phase::Optimizer) {
    if (policy.hasMasterWeights())
      return {PrecisionClass::High, "optimizer on master weights"};
    return {PrecisionClass::Promote, "optimizer on half parameters"};
  }
  if (policy.keepsBatchnormFP32() && boundary->isBatchNorm(op))
    return {PrecisionClass::Follow, "batch normalisation kept in FP32"};
  if (boundary->isInModel(op))
    return {PrecisionClass::Low, "inside the model"};
  if (Type outputs = policy.getCastModelOutputs(); outputs && !outputs.isF32())
    return {PrecisionClass::Promote, "after the model's half outputs"};
  return {PrecisionClass::High, "after the model's end"};
}

FailureOr<Decision>
Classifier::classifyPatched(const PrecisionUnits::Unit &unit, Operation *op) {
  bool contracts = getComputeKind(op) == ComputeKind::Contraction;
  if (unit.function.empty())
    return classifyByKind(unit, op);

  FloatKind half =
      policy.getHalfType().isF16() ? FloatKind::Float16 : FloatKind::BFloat16;
  std::optional<ListEntry> entry = lookupFunction(unit.function, half);
  std::string function = unit.function.str();
  if (entry && entry->listClass == ListClass::Float32)
    return Decision{PrecisionClass::High, "listed FP32: " + function};
  if (entry && entry->listClass == ListClass::Banned) {
    op->emitOpError() << *getRefusalText(unit.function, half);
    return failure();
  }
  // Rule 3
  if (contracts)
    return Decision{PrecisionClass::Low, "contraction in " + function};
  if (!entry) // Rule 4
    return Decision{PrecisionClass::Follow, "on no list: " + function};
  if (entry->listClass == ListClass::Half)
    return Decision{PrecisionClass::Low, "listed half: " + function};
  return Decision{PrecisionClass::Promote, "listed to promote: " + function};
}

Decision Classifier::classifyByKind(const PrecisionUnits::Unit &unit,
                                    Operation *op) {
  // Rule 5: the most demanding kind of the unit decides. A contraction is low
  // and takes what shares its unit (its bias) with it.
  static constexpr std::pair<ComputeKind, PrecisionClass> order[] = {
      {ComputeKind::Contraction, PrecisionClass::Low},
      {ComputeKind::Wide, PrecisionClass::High},
      {ComputeKind::Promote, PrecisionClass::Promote},
      {ComputeKind::Follow, PrecisionClass::Follow},
  };
  // Backward operations take the class of their forward ones.
  auto decide = [&](bool forwardOnly) -> std::optional<Decision> {
    for (auto [kind, value] : order)
      for (Operation *member : unit.ops)
        if (getComputeKind(member) == kind &&
            (!forwardOnly || origins.getPhase(member) == Phase::Forward))
          return Decision{value, describeComputeKind(member, kind)};
    return std::nullopt;
  };
  if (getComputeKind(op) == ComputeKind::Contraction)
    return {PrecisionClass::Low, "contraction"};
  if (std::optional<Decision> forward = decide(/*forwardOnly=*/true))
    return *forward;
  if (std::optional<Decision> any = decide(/*forwardOnly=*/false))
    return *any;
  return {PrecisionClass::Follow, "no floating operand"};
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct AnnotatePrecision
    : public amp::impl::AnnotatePrecisionPassBase<AnnotatePrecision> {
  void runOnOperation() override {
    PolicyAttr policy = requirePolicy(getOperation());
    if (!policy)
      return signalPassFailure();
    if (!policy.getHalfType())
      return; // O0: nothing is half
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(annotate(function, policy)))
        return signalPassFailure();
  }

  LogicalResult annotate(FunctionOpInterface function, PolicyAttr policy) {
    if (function.isExternal())
      return success();
    ValueOrigins origins(function);
    std::optional<ModelBoundary> boundary;
    if (policy.castsModel())
      boundary.emplace(function, origins);
    PrecisionUnits units(function, origins, boundary ? &*boundary : nullptr);
    Classifier classifier(policy, origins, boundary ? &*boundary : nullptr);

    // Decide first, write afterwards: a decision reads the attributes that were
    // there before.
    SmallVector<std::pair<Operation *, ClassAttr>> decisions;
    for (auto [number, unit] : llvm::enumerate(units.getUnits())) {
      numUnits += !unit.ops.empty();
      for (Operation *op : unit.ops) {
        if (auto given = op->getAttrOfType<ClassAttr>(kClassAttr);
            given && given.getUnit())
          return success(); // annotated before: nothing is to be changed
        if (getComputeKind(op) == ComputeKind::Neutral) {
          // No precision of its own, but inside the unit.
          continue;
        }
        FailureOr<Decision> decision = classifier.classify(unit, op);
        if (failed(decision))
          return failure();
        numLow += decision->value == PrecisionClass::Low;
        numHigh += decision->value == PrecisionClass::High;
        bool backward = origins.getPhase(op) == Phase::Backward;
        decisions.emplace_back(op,
                               ClassAttr::get(&getContext(), decision->value,
                                              static_cast<int64_t>(number),
                                              backward, decision->reason));
      }
    }
    for (auto [op, attr] : decisions)
      op->setAttr(kClassAttr, attr);
    return success();
  }
};
} // namespace
