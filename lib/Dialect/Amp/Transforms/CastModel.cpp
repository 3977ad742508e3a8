//===- CastModel.cpp - Parameters and buffers of the model in half --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The signature of a function is a set of storage decisions by role. Each
// changed argument is widened at the entry, each changed result rounded at the
// exit, and each call does the opposite around itself, so that no body changes
// its meaning and functions can be done in any order; `amp.cast` folds away the
// pairs that meet.
//
// With master weights the train step keeps its parameters in f32 and rounds
// them at the call of the model: those are the masters.
// `amp-insert-master-weights` gives them their name and moves the rounding to
// where they change.
//
// The model's inputs are rounded where the model reads them, by its operations
// of class low. A batch normalisation that is kept in FP32 would read them as
// they are, so it is given them rounded here.
//
//===----------------------------------------------------------------------===//

#include "Callees.h"
#include "ModulePolicy.h"
#include "SignatureChange.h"

#include "amp/Analysis/ComputeKind.h"
#include "amp/Analysis/ModelBoundary.h"
#include "amp/Analysis/StateOwners.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "amp-cast-model"

namespace mlir::amp {
#define GEN_PASS_DEF_CASTMODELPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Says which values of which functions are stored in half.
class SignaturePolicy {
public:
  SignaturePolicy(ModuleOp module, PolicyAttr policy);

  /// Element type that an argument or result of `kind` with this role has after
  /// the pass; null where it keeps its own.
  Type getElementType(FunctionKind kind, const RoleInfo &info, Type type,
                      bool isResult) const;

  /// Remarks on the states whose storage was guessed, and on those that Apex
  /// stores in half although updates of them may get lost.
  void report(ModuleOp module) const;

private:
  bool isKeptNorm(StringRef name) const { return normParams.contains(name); }
  bool isHalfState(const RoleInfo &info, Type type) const;

  PolicyAttr policy;
  StateOwners owners;
  /// Names of the parameters of batch normalisation that stay FP32: gradients
  /// carry no kind of their own.
  llvm::StringSet<> normParams;
};
} // namespace

SignaturePolicy::SignaturePolicy(ModuleOp module, PolicyAttr policy)
    : policy(policy),
      owners(module, /*ofOptimizer=*/!policy.hasMasterWeights()) {
  if (!policy.keepsBatchnormFP32())
    return;
  for (auto function : module.getOps<FunctionOpInterface>())
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      if (RoleInfo info = getArgRole(function, i); info.isBatchNorm)
        normParams.insert(info.name);
}

/// True if a state of this type is stored in half.
bool SignaturePolicy::isHalfState(const RoleInfo &info, Type type) const {
  if (info.is(Role::OptState) && (policy.hasMasterWeights() ||
                                  cast<RankedTensorType>(type).getRank() == 0))
    return false;
  const StateOwner *owner = owners.lookup(info);
  switch (owner->kind) {
  case StateOwner::Kind::Nobody:
    return false;
  case StateOwner::Kind::Model:
    return !isKeptNorm(info.name);
  case StateOwner::Kind::Parameter:
    return !isKeptNorm(owner->parameter);
  case StateOwner::Kind::Unknown:
    return normParams.empty(); // of a parameter that may be kept in FP32
  }
  llvm_unreachable("every kind is handled");
}

Type SignaturePolicy::getElementType(FunctionKind kind, const RoleInfo &info,
                                     Type type, bool isResult) const {
  if (!info.role || !isCastableTensor(type))
    return {};
  if (info.is(Role::Output) && isResult)
    return policy.getCastModelOutputs();
  if (!policy.castsModel())
    return {};
  Type half = policy.getHalfType();
  bool isOptimizer = kind == FunctionKind::OptimizerStep;
  bool isTrainStep = kind == FunctionKind::TrainStep;
  switch (*info.role) {
  case Role::Param:
    if (isKeptNorm(info.name) ||
        ((isOptimizer || isTrainStep) && policy.hasMasterWeights()))
      return {};
    return half;
  case Role::Buffer:
  case Role::OptState:
    return isHalfState(info, type) ? half : Type();
  case Role::Grad:
    // A train step that returns gradients returns what its optimizer takes.
    if (isKeptNorm(info.name) ||
        ((isOptimizer || isTrainStep) && policy.hasMasterWeights()))
      return {};
    return half;
  case Role::Master:
  case Role::Batch:
  case Role::LossSeed:
  case Role::Loss:
  case Role::Output:
  case Role::Accumulator:
  case Role::ScalerState:
  case Role::Rng:
  case Role::Hyper:
    return {};
  }
  llvm_unreachable("every role is handled");
}

/// A remark on `states`: what is done with them, and the first few by name.
static void
remarkOn(ArrayRef<const std::pair<StateOwners::Key, StateOwner> *> states,
         StringRef what, StringRef why) {
  constexpr unsigned kShown = 3;
  if (states.empty())
    return;
  InFlightDiagnostic remark = emitRemark(states.front()->second.loc);
  remark << what << ' ';
  llvm::interleaveComma(
      states.take_front(kShown), remark, [&](const auto *state) {
        remark << '\'' << stringifyRole(state->first.first) << "' '"
               << state->first.second << '\'';
        if (!state->second.parameter.empty())
          remark << " of '" << state->second.parameter << '\'';
      });
  if (states.size() > kShown)
    remark << " and " << states.size() - kShown << " more";
  remark << why;
}

void SignaturePolicy::report(ModuleOp module) const {
  using Kind = StateOwner::Kind;
  using Basis = StateOwner::Basis;
  llvm::MapVector<StateOwners::Key, Type> types;
  auto note = [&](const RoleInfo &info, Type type) {
    if (owners.lookup(info) && isCastableTensor(type))
      types.insert({{*info.role, info.name}, type});
  };
  for (auto function : module.getOps<FunctionOpInterface>()) {
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      note(getArgRole(function, i), function.getArgumentTypes()[i]);
    for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
      note(getResultRole(function, i), function.getResultTypes()[i]);
  }
  using States = SmallVector<const std::pair<StateOwners::Key, StateOwner> *>;
  States averages, counts, single, ofNorms, unknown, rounded;
  for (const auto &state : owners.getStates()) {
    const auto &[key, owner] = state;
    auto type = types.find(key);
    if (type == types.end())
      continue;
    bool isBuffer = key.first == Role::Buffer;
    RoleInfo info;
    info.role = key.first;
    info.name = key.second;
    if (isHalfState(info, type->second)) {
      if (owner.isUpdated)
        rounded.push_back(&state);
      continue;
    }
    if (owner.basis == Basis::Given ||
        (!isBuffer && (policy.hasMasterWeights() ||
                       cast<RankedTensorType>(type->second).getRank() == 0)))
      continue; // no guess
    if (owner.kind == Kind::Nobody)
      (isBuffer                      ? averages
       : owner.basis == Basis::Shape ? single
                                     : counts)
          .push_back(&state);
    else if (owner.kind == Kind::Parameter)
      ofNorms.push_back(&state);
    else if (owner.kind == Kind::Unknown)
      unknown.push_back(&state);
  }
  auto keep = [](const States &states, const std::string &why) {
    remarkOn(states, "keeps in f32",
             ": " + why + "; say what it belongs to with 'amp.of'");
  };
  keep(averages, "nothing that trains the model reads it, and it comes from no "
                 "batch, as an average of weights");
  keep(counts, "it comes from no gradient, as a count of steps");
  keep(single, "it has one element, and no parameter of that shape stands in "
               "its name");
  keep(ofNorms, "by its name it belongs to a batch normalisation, which is "
                "kept so");
  keep(unknown, "no parameter stands in its name, and it may be a batch "
                "normalisation's");
  std::string half;
  llvm::raw_string_ostream(half) << "stores in " << policy.getHalfType();
  remarkOn(rounded, half,
           ", as Apex does at " + policy.getLevelName() +
               ": an update below half a unit in the last place is lost; "
               "'amp.of' set to \"\" keeps a state as it is");
}

static Type withElement(Type tensor, Type element) {
  return cast<RankedTensorType>(tensor).clone(element);
}

namespace {
struct CastModel : public amp::impl::CastModelPassBase<CastModel> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    PolicyAttr policy = requirePolicy(module);
    if (!policy || failed(verifyStateOwners(module)))
      return signalPassFailure();
    // Once casts are there, the model's end cannot be told from them.
    if ((!policy.castsModel() && !policy.getCastModelOutputs()) ||
        isFlagSet(module, kCastsInsertedAttr))
      return markAllAnalysesPreserved();
    SignaturePolicy signature(module, policy);
    const auto &references = getAnalysis<FunctionReferences>();
    // Reading the roles of long signatures costs more than changing types.
    llvm::DenseMap<func::FuncOp, FunctionType> newTypes;
    for (auto function : module.getOps<func::FuncOp>()) {
      FunctionType types = getNewTypes(function, signature);
      newTypes[function] = types;
      if (types == function.getFunctionType())
        continue;
      if (std::optional<std::string> change = describeChange(types, function);
          change &&
          failed(references.requireChangeable(function, policy, *change)))
        return signalPassFailure();
    }
    if (policy.castsModel())
      signature.report(module);
    // Calls change, and nothing else that refers to a function.
    markAnalysesPreserved<FunctionReferences>();
    bool changed = false, changedSignature = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (policy.getCastModelOutputs())
        changed |= castModelOutputs(function, policy.getCastModelOutputs());
      if (policy.keepsBatchnormFP32())
        changed |= castNormInputs(function, policy.getHalfType());
      changedSignature |= castSignature(function, newTypes.lookup(function));
    }
    if (!changed && !changedSignature)
      return markAllAnalysesPreserved();
    if (!changedSignature)
      return;
    SymbolTable symbols(module);
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](func::CallOp call) {
        if (func::FuncOp callee = getCallee(call, symbols))
          castAroundCall(call, callee);
      });
  }

  /// The values that the model hands to the loss, rounded to `type`:
  ///   %loss = f(%logits)  ->  %h = cast %logits, %w = cast %h, %loss = f(%w)
  bool castModelOutputs(func::FuncOp function, Type type) {
    if (function.isExternal() || type.isF32())
      return false;
    bool changed = false;
    ValueOrigins origins(function);
    ModelBoundary boundary(function, origins);
    for (Value output : boundary.getOutputs()) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : output.getUses())
        // What is returned is cast with the signature.
        if (!boundary.isInModel(use.getOwner()) &&
            !isa<func::ReturnOp>(use.getOwner()))
          uses.push_back(&use);
      if (uses.empty() || isa<CastOp>(uses.front()->getOwner()))
        continue; // cast by an earlier run
      OpBuilder builder(function.getContext());
      builder.setInsertionPointAfterValue(output);
      Value rounded =
          CastOp::create(builder, output.getLoc(),
                         withElement(output.getType(), type), output);
      Value widened =
          CastOp::create(builder, output.getLoc(), output.getType(), rounded);
      for (OpOperand *use : uses)
        use->set(widened);
      changed = true;
    }
    return changed;
  }

  /// Batch values that a batch normalisation reads, rounded to `half`:
  ///   bn(%x0)  ->  %h = cast %x0, %w = cast %h, bn(%w)
  bool castNormInputs(func::FuncOp function, Type half) {
    bool hasNorm = false;
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      hasNorm |= getArgRole(function, i).isBatchNorm;
    if (function.isExternal() || !hasNorm)
      return false;
    ValueOrigins origins(function);
    ModelBoundary boundary(function, origins);
    llvm::MapVector<Value, SmallVector<OpOperand *>> usesOf;
    function.walk([&](Operation *op) {
      if (!boundary.isBatchNorm(op) ||
          getComputeKind(op) == ComputeKind::Movement)
        return;
      for (OpOperand &operand : op->getOpOperands()) {
        Value value = operand.get();
        auto argument = dyn_cast<BlockArgument>(origins.getMovedValue(value));
        if (argument && isCastableTensor(value.getType()) &&
            argument.getOwner() == &function.getBody().front() &&
            getArgRole(function, argument.getArgNumber()).is(Role::Batch))
          usesOf[value].push_back(&operand);
      }
    });
    OpBuilder builder(function.getContext());
    for (auto &[value, uses] : usesOf) {
      builder.setInsertionPointAfterValue(value);
      Value rounded = CastOp::create(builder, value.getLoc(),
                                     withElement(value.getType(), half), value);
      Value widened =
          CastOp::create(builder, value.getLoc(), value.getType(), rounded);
      for (OpOperand *use : uses)
        use->set(widened);
    }
    return !usesOf.empty();
  }

  /// The types that `function` has after the pass.
  static FunctionType getNewTypes(func::FuncOp function,
                                  const SignaturePolicy &signature) {
    FunctionKind kind = getFunctionKind(function);
    SmallVector<Type> arguments(function.getArgumentTypes());
    SmallVector<Type> results(function.getResultTypes());
    auto change = [&](Type &type, const RoleInfo &info, bool isResult) {
      Type element = signature.getElementType(kind, info, type, isResult);
      if (element && !element.isF32())
        type = withElement(type, element);
    };
    for (auto [i, type] : llvm::enumerate(arguments))
      change(type, getArgRole(function, i), /*isResult=*/false);
    for (auto [i, type] : llvm::enumerate(results))
      change(type, getResultRole(function, i), /*isResult=*/true);
    return FunctionType::get(function.getContext(), arguments, results);
  }

  /// The first argument or result whose type is another in `types`, in words.
  static std::optional<std::string> describeChange(FunctionType types,
                                                   func::FuncOp function) {
    auto describe = [](StringRef what, unsigned index, const RoleInfo &info,
                       Type type) {
      std::string text;
      llvm::raw_string_ostream os(text);
      os << what << ' ' << index << " ('" << stringifyRole(*info.role) << "' '"
         << info.name << "') becomes " << type;
      return text;
    };
    for (unsigned i = 0, e = types.getNumInputs(); i != e; ++i)
      if (types.getInput(i) != function.getArgumentTypes()[i])
        return describe("argument", i, getArgRole(function, i),
                        types.getInput(i));
    for (unsigned i = 0, e = types.getNumResults(); i != e; ++i)
      if (types.getResult(i) != function.getResultTypes()[i])
        return describe("result", i, getResultRole(function, i),
                        types.getResult(i));
    return std::nullopt;
  }

  bool castSignature(func::FuncOp function, FunctionType types) {
    if (types == function.getFunctionType())
      return false;
    OpBuilder builder(function.getContext());
    for (unsigned i = 0, e = types.getNumInputs(); i != e; ++i) {
      Type original = function.getArgumentTypes()[i];
      if (types.getInput(i) == original)
        continue;
      ++numCastArguments;
      BlockArgument argument = function.getArgument(i);
      argument.setType(types.getInput(i));
      builder.setInsertionPointToStart(&function.getBody().front());
      auto widened =
          CastOp::create(builder, argument.getLoc(), original, argument);
      argument.replaceAllUsesExcept(widened, widened);
    }
    numCastResults += llvm::count_if(
        llvm::zip_equal(types.getResults(), function.getResultTypes()),
        [](auto pair) { return std::get<0>(pair) != std::get<1>(pair); });
    function.walk([&](func::ReturnOp returnOp) {
      builder.setInsertionPoint(returnOp);
      for (auto [operand, type] :
           llvm::zip_equal(returnOp->getOpOperands(), types.getResults()))
        if (operand.get().getType() != type)
          operand.set(builder.createOrFold<CastOp>(returnOp.getLoc(), type,
                                                   operand.get()));
    });
    function.setType(types);
    return true;
  }

  /// Restores the types that the caller had before its callee changed.
  void castAroundCall(func::CallOp call, func::FuncOp callee) {
    OpBuilder builder(call);
    for (auto [operand, type] :
         llvm::zip_equal(call->getOpOperands(), callee.getArgumentTypes()))
      if (operand.get().getType() != type)
        operand.set(
            builder.createOrFold<CastOp>(call.getLoc(), type, operand.get()));
    builder.setInsertionPointAfter(call);
    for (auto [result, type] :
         llvm::zip_equal(call.getResults(), callee.getResultTypes())) {
      if (result.getType() == type)
        continue;
      Type original = result.getType();
      result.setType(type);
      auto widened = CastOp::create(builder, call.getLoc(), original, result);
      result.replaceAllUsesExcept(widened, widened);
    }
  }
};
} // namespace
