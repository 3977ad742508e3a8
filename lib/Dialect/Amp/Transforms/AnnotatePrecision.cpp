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
// Whether an argument is half is known only once casts are inserted. What
// depends on it - a promotion, an in-place form, a function that is refused -
// is therefore decided as a class of its own, and carried out there. In-place
// forms go by the type of what they overwrite; which operand that is is written
// beside the class (`amp.self`).
//
// Functions that call each other have no number of a unit in common: one that
// is inlined before casts are inserted keeps its units.
//
// Linear in the number of operations and uses.
//
//===----------------------------------------------------------------------===//

#include "ModulePolicy.h"

#include "amp/Analysis/ComputeKind.h"
#include "amp/Analysis/HalfRange.h"
#include "amp/Analysis/ModelBoundary.h"
#include "amp/Analysis/PrecisionUnits.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "amp/Policy/OpLists.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

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
             const PrecisionUnits &units, const ModelBoundary *boundary)
      : policy(policy), origins(origins), units(units), boundary(boundary) {}

  /// Class of `op` inside `unit`, or failure after a diagnostic.
  FailureOr<Decision> classify(const PrecisionUnits::Unit &unit, Operation *op);

  /// The operand on which the function of `unit` was called; null if it was
  /// none of its operands.
  OpOperand *findSelf(const PrecisionUnits::Unit &unit);

private:
  bool isFromIntegers(Operation *op);
  bool isFromIntegers(const PrecisionUnits::Unit &unit);
  bool usesConstantBeyondHalf(Operation *op);
  Decision classifyInCastModel(Operation *op);
  Decision classifyPatched(const PrecisionUnits::Unit &unit, Operation *op);
  Decision classifyByKind(const PrecisionUnits::Unit &unit, Operation *op);
  bool movesThroughUnit(Operation *op);
  std::optional<PrecisionClass>
  findGivenClass(const PrecisionUnits::Unit &unit);
  Decision decideByKind(const PrecisionUnits::Unit &unit);

  PolicyAttr policy;
  const ValueOrigins &origins;
  const PrecisionUnits &units;
  const ModelBoundary *boundary;
  /// What is the same for all operations of a unit, found once.
  llvm::DenseMap<const PrecisionUnits::Unit *, std::optional<PrecisionClass>>
      givenClass;
  llvm::DenseMap<const PrecisionUnits::Unit *, Decision> byKind;
  llvm::DenseMap<const PrecisionUnits::Unit *, bool> fromIntegers;
};
} // namespace

/// The decision for what has no precision of its own.
static Decision moveElements() {
  return {PrecisionClass::Follow, "moves elements"};
}

/// A user's attribute on any operation of the unit, which decides for those
/// without one. What moves elements says the least about the others.
std::optional<PrecisionClass>
Classifier::findGivenClass(const PrecisionUnits::Unit &unit) {
  auto [it, isNew] = givenClass.try_emplace(&unit, std::nullopt);
  if (!isNew)
    return it->second;
  for (bool moves : {false, true})
    for (Operation *member : unit.ops)
      if (auto given = member->getAttrOfType<ClassAttr>(kClassAttr);
          given && !it->second &&
          (origins.getKind(member) == ComputeKind::Movement) == moves)
        it->second = given.getValue();
  return it->second;
}

FailureOr<Decision> Classifier::classify(const PrecisionUnits::Unit &unit,
                                         Operation *op) {
  auto region = op->getParentOfType<AutocastOp>();
  PolicyAttr inner = region ? region.getPolicyAttr() : PolicyAttr();
  if (inner && inner.getHalfType() &&
      inner.getHalfType() != policy.getHalfType()) {
    region.emitOpError() << "expected a policy with the module's half type "
                         << policy.getHalfType() << ", but got "
                         << inner.getHalfType();
    return failure();
  }
  // Rule 1
  if (auto given = op->getAttrOfType<ClassAttr>(kClassAttr))
    return Decision{given.getValue(), "attribute on the operation"};
  if (std::optional<PrecisionClass> given = findGivenClass(unit))
    return Decision{*given, "attribute on the operation"};

  if (usesConstantBeyondHalf(op))
    return Decision{PrecisionClass::High, "a constant beyond the half type"};

  bool moves = origins.getKind(op) == ComputeKind::Movement;
  if (region) {
    if (!inner || !inner.getHalfType())
      return moves ? moveElements()
                   : Decision{PrecisionClass::High,
                              "region of amp.autocast without half"};
    return classifyPatched(unit, op);
  }
  if (policy.castsModel()) // Rule 2
    return moves ? moveElements() : classifyInCastModel(op);
  if (origins.getPhase(op) == Phase::Optimizer)
    return moves ? moveElements()
                 : Decision{PrecisionClass::High, "optimizer in FP32"};
  return classifyPatched(unit, op);
}

/// True if `op` reads no floating value that a parameter or an input of the
/// model enters.
bool Classifier::isFromIntegers(Operation *op) {
  return llvm::none_of(origins.getReadValues(op), [&](Value value) {
    return origins.lookup(value).floating;
  });
}

/// True if no operation of `unit` that computes reads such a value, and none is
/// a product. A mask of dropout shares its unit with what it is multiplied by.
bool Classifier::isFromIntegers(const PrecisionUnits::Unit &unit) {
  auto [it, isNew] = fromIntegers.try_emplace(&unit, false);
  if (isNew)
    it->second = llvm::all_of(unit.ops, [&](Operation *member) {
      ComputeKind kind = origins.getKind(member);
      return kind == ComputeKind::Neutral || kind == ComputeKind::Movement ||
             (kind != ComputeKind::Contraction && isFromIntegers(member));
    });
  return it->second;
}

bool Classifier::usesConstantBeyondHalf(Operation *op) {
  ComputeKind kind = origins.getKind(op);
  return (kind == ComputeKind::Follow || kind == ComputeKind::Promote) &&
         usesConstantBeyond(op, cast<FloatType>(policy.getHalfType()));
}

Decision Classifier::classifyInCastModel(Operation *op) {
  if (origins.getPhase(op) == Phase::Optimizer) {
    if (policy.hasMasterWeights())
      return {PrecisionClass::High, "optimizer on master weights"};
    return {PrecisionClass::Promote, "optimizer on half parameters"};
  }
  if (policy.keepsBatchnormFP32() && boundary->isBatchNorm(op))
    return {PrecisionClass::Follow, "batch normalisation kept in FP32"};
  // Apex casts what the model is handed, and its parameters: positions, masks
  // and counts that forward() makes of integers are f32 until they meet those.
  if (boundary->isInModel(op) && isFromIntegers(op))
    return {PrecisionClass::High, "computed from integers alone"};
  if (boundary->isInModel(op))
    return {PrecisionClass::Low, "inside the model"};
  if (Type outputs = policy.getCastModelOutputs(); outputs && !outputs.isF32())
    return {PrecisionClass::Promote, "after the model's half outputs"};
  return {PrecisionClass::High, "after the model's end"};
}

/// True if `op` moves what its unit was given to somebody outside of it.
bool Classifier::movesThroughUnit(Operation *op) {
  std::optional<unsigned> unit = units.lookup(op);
  Operation *source = origins.getMovedValue(op->getResult(0)).getDefiningOp();
  return (!source || source == op || units.lookup(source) != unit) &&
         llvm::any_of(op->getUsers(), [&](Operation *user) {
           return units.lookup(user) != unit;
         });
}

Decision Classifier::classifyPatched(const PrecisionUnits::Unit &unit,
                                     Operation *op) {
  ComputeKind kind = origins.getKind(op);
  FloatKind half =
      policy.getHalfType().isF16() ? FloatKind::Float16 : FloatKind::BFloat16;
  std::optional<ListEntry> entry;
  if (!unit.function.empty())
    entry = lookupFunction(unit.function, half);
  std::string function = unit.function.str();
  Decision listedFloat32{PrecisionClass::High, "listed FP32: " + function};
  bool isFloat32 = entry && entry->listClass == ListClass::Float32 &&
                   entry->inPlace == InPlaceRule::NotInPlace;

  // A function that only moves elements returns FP32 if it is listed so (cpu,
  // interpolate); views inside others are no results.
  if (kind == ComputeKind::Movement)
    return isFloat32 && origins.getPhase(op) == Phase::Forward &&
                   movesThroughUnit(op)
               ? listedFloat32
               : moveElements();
  // A mask that is turned into numbers is f32 until it meets a half.
  if (origins.getPhase(op) == Phase::Forward &&
      !(entry && entry->listClass == ListClass::Half) && isFromIntegers(unit))
    return {PrecisionClass::High, "computed from integers alone"};
  if (unit.function.empty())
    return classifyByKind(unit, op);
  if (isFloat32)
    return listedFloat32;
  if (entry && entry->listClass == ListClass::Banned)
    return {PrecisionClass::RefuseHalf, "banned on half: " + function};
  switch (entry ? entry->inPlace : InPlaceRule::NotInPlace) {
  case InPlaceRule::RefuseHalf:
    return {PrecisionClass::RefuseHalf, "listed FP32, in place: " + function};
  case InPlaceRule::RefuseHalfSelf:
    return {PrecisionClass::RefuseHalfSelf,
            "listed FP32, in place: " + function};
  case InPlaceRule::MatchSelf:
    return {PrecisionClass::MatchSelf, "in place: " + function};
  case InPlaceRule::NotInPlace:
    break;
  }
  if (!entry && keepsTypeOfSelf(unit.function)) // Rule 4
    return {PrecisionClass::Follow,
            "on no list, type of its first argument: " + function};
  if (entry && entry->listClass != ListClass::Half)
    return {PrecisionClass::Promote, "listed to promote: " + function};
  // Rule 3
  if (kind == ComputeKind::Contraction)
    return {PrecisionClass::Low, "contraction in " + function};
  if (!entry) // Rule 4
    return {PrecisionClass::Follow, "on no list: " + function};
  return {PrecisionClass::Low, "listed half: " + function};
}

OpOperand *Classifier::findSelf(const PrecisionUnits::Unit &unit) {
  // Without `amp.self`: the first tensor that the unit is given and that is no
  // factor of a product, as an in-place product adds to it (addmm_).
  OpOperand *first = nullptr, *firstFactor = nullptr;
  for (Operation *op : unit.ops) {
    if (auto number = op->getAttrOfType<IntegerAttr>(kSelfAttr))
      return &op->getOpOperand(number.getInt());
    if (origins.getPhase(op) != Phase::Forward)
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *def = origins.getMovedValue(operand.get()).getDefiningOp();
      if (!isCastableTensor(operand.get().getType()) ||
          (def && (units.lookup(def) == units.lookup(op) ||
                   origins.getKind(def) == ComputeKind::Neutral)))
        continue;
      bool isFactor = origins.getKind(op) == ComputeKind::Contraction &&
                      isContractionFactor(operand);
      OpOperand *&found = isFactor ? firstFactor : first;
      if (!found)
        found = &operand;
    }
  }
  return first ? first : firstFactor;
}

/// Rule 5: the most demanding kind of the unit decides. A contraction is low
/// and takes what shares its unit (its bias) with it.
Decision Classifier::decideByKind(const PrecisionUnits::Unit &unit) {
  static constexpr std::pair<ComputeKind, PrecisionClass> order[] = {
      {ComputeKind::Contraction, PrecisionClass::Low},
      {ComputeKind::Wide, PrecisionClass::High},
      {ComputeKind::Promote, PrecisionClass::Promote},
      {ComputeKind::Follow, PrecisionClass::Follow},
  };
  // Backward operations take the class of their forward ones.
  for (bool forwardOnly : {true, false})
    for (auto [kind, value] : order)
      for (Operation *member : unit.ops)
        if (origins.getKind(member) == kind &&
            (!forwardOnly || origins.getPhase(member) == Phase::Forward))
          return {value, describeComputeKind(member, kind)};
  return {PrecisionClass::Follow, "no floating operand"};
}

Decision Classifier::classifyByKind(const PrecisionUnits::Unit &unit,
                                    Operation *op) {
  if (origins.getKind(op) == ComputeKind::Contraction)
    return {PrecisionClass::Low, "contraction"};
  auto it = byKind.find(&unit);
  if (it == byKind.end())
    it = byKind.try_emplace(&unit, decideByKind(unit)).first;
  return it->second;
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
      return markAllAnalysesPreserved(); // O0: nothing is half
    // Decided, and done: what later passes added is not to be decided again.
    if (isFlagSet(getOperation(), kCastsInsertedAttr))
      return markAllAnalysesPreserved();
    joinCallers();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(annotate(function, policy)))
        return signalPassFailure();
  }

  /// Puts functions together that call each other, and counts the units that
  /// they have had so far.
  void joinCallers() {
    SymbolTableCollection symbols;
    related = llvm::EquivalenceClasses<Operation *>();
    numbered.clear();
    llvm::MapVector<Operation *, int64_t> numberedIn;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      related.insert(function);
      int64_t next = 0;
      function->walk([&](Operation *op) {
        if (auto given = op->getAttrOfType<ClassAttr>(kClassAttr))
          next = std::max(next, given.getUnit().value_or(-1) + 1);
        auto call = dyn_cast<CallOpInterface>(op);
        Operation *called =
            call ? call.resolveCallableInTable(&symbols) : nullptr;
        if (isa_and_present<FunctionOpInterface>(called))
          related.unionSets(function, called);
      });
      numberedIn[function] = next;
    }
    for (auto [function, next] : numberedIn)
      if (next != 0) {
        int64_t &all = numbered[related.getLeaderValue(function)];
        all = std::max(all, next);
      }
  }

  /// True if each operation that has a decision to get has one of ours, with
  /// its unit. A class with a unit among others without is a user's, copied
  /// from what an earlier run printed.
  static bool isAnnotated(const PrecisionUnits &units,
                          const ValueOrigins &origins) {
    return llvm::all_of(units.getUnits(), [&](const auto &unit) {
      return llvm::all_of(unit.ops, [&](Operation *op) {
        auto given = op->getAttrOfType<ClassAttr>(kClassAttr);
        return (given && given.getUnit()) ||
               origins.getKind(op) == ComputeKind::Neutral;
      });
    });
  }

  /// A mark that says where the model ends stands in the forward pass: with one
  /// elsewhere, the model would be empty and all of it FP32.
  static LogicalResult checkModelOutputs(FunctionOpInterface function,
                                         const ValueOrigins &origins) {
    WalkResult walk = function->walk([&](Operation *op) {
      if (!isFlagSet(op, kModelOutputAttr))
        return WalkResult::advance();
      StringRef other;
      switch (origins.getPhase(op)) {
      case Phase::Backward:
        other = "an operation of the backward pass";
        break;
      case Phase::Optimizer:
        other = "an operation of an optimizer step";
        break;
      case Phase::Forward:
        if (llvm::all_of(op->getResults(), [&](Value result) {
              return origins.lookup(result).isConstant();
            }))
          other = "a constant";
        break;
      }
      if (other.empty())
        return WalkResult::advance();
      op->emitOpError() << "expected '" << kModelOutputAttr
                        << "' on a forward operation, but this is " << other
                        << "; put it on the forward operation whose result the "
                           "loss reads";
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  LogicalResult annotate(FunctionOpInterface function, PolicyAttr policy) {
    if (function.isExternal())
      return success();
    ValueOrigins origins(function);
    std::optional<ModelBoundary> boundary;
    if (policy.castsModel()) {
      if (failed(checkModelOutputs(function, origins)))
        return failure();
      boundary.emplace(function, origins);
    }
    PrecisionUnits units(function, origins, boundary ? &*boundary : nullptr);
    if (isAnnotated(units, origins))
      return success(); // nothing is to be changed
    Classifier classifier(policy, origins, units,
                          boundary ? &*boundary : nullptr);

    // A number is one function's, and stays with its operations when that is
    // inlined into another.
    int64_t &next = numbered[related.getLeaderValue(function)];
    int64_t first = next;
    next += units.getUnits().size();

    // Decide first, write afterwards: a decision reads the attributes that were
    // there before.
    SmallVector<std::pair<Operation *, ClassAttr>> decisions;
    SmallVector<OpOperand *> selves;
    for (auto [number, unit] : llvm::enumerate(units.getUnits())) {
      numUnits += !unit.ops.empty();
      bool needsSelf = false;
      for (Operation *op : unit.ops) {
        if (origins.getKind(op) == ComputeKind::Neutral) {
          // No precision of its own, but inside the unit.
          continue;
        }
        FailureOr<Decision> decision = classifier.classify(unit, op);
        if (failed(decision))
          return failure();
        numLow += decision->value == PrecisionClass::Low;
        numHigh += decision->value == PrecisionClass::High;
        needsSelf |= decision->value == PrecisionClass::MatchSelf ||
                     decision->value == PrecisionClass::RefuseHalfSelf ||
                     (decision->value == PrecisionClass::Follow &&
                      origins.getKind(op) != ComputeKind::Movement &&
                      keepsTypeOfSelf(unit.function));
        bool backward = origins.getPhase(op) == Phase::Backward;
        decisions.emplace_back(
            op, ClassAttr::get(&getContext(), decision->value, first + number,
                               backward, decision->reason));
      }
      if (OpOperand *self = needsSelf ? classifier.findSelf(unit) : nullptr)
        selves.push_back(self);
    }
    for (auto [op, attr] : decisions)
      op->setAttr(kClassAttr, attr);
    for (OpOperand *self : selves)
      self->getOwner()->setAttr(
          kSelfAttr, IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                      self->getOperandNumber()));
    return success();
  }

  /// Functions that call each other, directly or not, and the next number of
  /// a unit in each such set.
  llvm::EquivalenceClasses<Operation *> related;
  llvm::DenseMap<Operation *, int64_t> numbered;
};
} // namespace
