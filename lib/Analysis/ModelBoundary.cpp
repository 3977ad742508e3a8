//===- ModelBoundary.cpp - Where the model ends and the loss begins -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that evaluates, and has no loss among its results, is the model
// alone: all of it but what the front end says is a loss, and what follows from
// that. Elsewhere, and where an operation is marked as the model's output,
// forward operations are decided in reverse order (an operation is in the model
// if it combines a weight with an activation or feeds one that is), backward
// ones in order: by the forward operation they are paired with where the front
// end says so, otherwise by what they read. A backward operation that reads a
// weight, an activation from inside the model or what enters it (the batch, for
// the gradient of the first weight), differentiates the model; one that reads
// only the loss's values differentiates the loss. An input that the loss reads
// too, as an autoencoder's does, says something for contractions alone: losses
// are elementwise. A view of an activation is that activation, and constants,
// which both sides share, say nothing. A forward operation whose results only
// backward ones read (a view or a product that is saved for them) is neither
// model nor loss by what it feeds: it is decided as they are.
//
// A call of a helper stands for the operations of the callee: which of its
// arguments go to the model there, and which of its results come from there, is
// asked for once it is known where the results go; in the callee the context
// says that. Calls of other functions are operations like others.
//
// Batch normalisation is found from its parameters outwards. Its statistics are
// computed by operations that touch none of them, so the set is closed under
// "all my users are in it", stopping at contractions and at operations of the
// framework's own: without the stop the convolution or the activation before
// it, whose only user it often is, would stay in FP32 too.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ModelBoundary.h"

#include "amp/Analysis/ComputeKind.h"
#include "amp/Policy/OpLists.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

/// Uses of `value`, and of the block arguments that branches hand it to.
static SmallVector<OpOperand *> getUsesThroughBranches(Value value) {
  SmallVector<OpOperand *> uses;
  SmallVector<Value> worklist{value};
  llvm::SmallDenseSet<Value> seen{value};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      uses.push_back(&use);
      if (auto branch = dyn_cast<BranchOpInterface>(use.getOwner()))
        if (std::optional<BlockArgument> argument =
                branch.getSuccessorBlockArgument(use.getOperandNumber());
            argument && seen.insert(*argument).second)
          worklist.push_back(*argument);
    }
  return uses;
}

/// Users of the results of `op`, with a user inside a region also counted as
/// the operation that has the region.
static SmallVector<Operation *> getUsersOutward(Operation *op) {
  SmallVector<Operation *> users;
  for (Value result : op->getResults())
    for (OpOperand *use : getUsesThroughBranches(result))
      for (Operation *up = use->getOwner();
           up && up->getBlock() && !isa<FunctionOpInterface>(up);
           up = up->getParentOp())
        users.push_back(up);
  return users;
}

bool ModelBoundary::anyUse(Value value,
                           function_ref<bool(OpOperand *)> isOne) const {
  if (hasBranches)
    return llvm::any_of(getUsesThroughBranches(value), isOne);
  return llvm::any_of(value.getUses(),
                      [&](OpOperand &use) { return isOne(&use); });
}

/// True if one of the operations that read `value`, or of those around it,
/// `isOne`; calls and returns of a helper say it of what lies behind them.
bool ModelBoundary::isReadBy(Value value, bool PassedValue::*behind,
                             function_ref<bool(Operation *)> isOne) const {
  return anyUse(value, [&](OpOperand *use) {
    Operation *user = use->getOwner();
    unsigned number = use->getOperandNumber();
    if (auto call = calls.find(user); call != calls.end()) {
      if (call->second.arguments[number].*behind)
        return true;
      user = user->getParentOp();
    } else if (isa<func::ReturnOp>(user) && origins.getContext()) {
      return origins.getContext()->results[number].*behind;
    }
    for (Operation *up = user;
         up && up->getBlock() && !isa<FunctionOpInterface>(up);
         up = up->getParentOp())
      if (isOne(up))
        return true;
    return false;
  });
}

bool ModelBoundary::feedsModel(Value value) const {
  return isReadBy(value, &PassedValue::intoModel, [&](Operation *op) {
    return origins.getPhase(op) == Phase::Forward && model.contains(op);
  });
}

bool ModelBoundary::feedsLoss(Value value) const {
  return anyUse(value, [&](OpOperand *use) {
    Operation *user = use->getOwner();
    unsigned number = use->getOperandNumber();
    if (auto call = calls.find(user); call != calls.end())
      return call->second.arguments[number].intoLoss;
    if (isa<func::ReturnOp>(user))
      return origins.getContext() &&
             origins.getContext()->results[number].intoLoss;
    return !user->hasTrait<OpTrait::IsTerminator>() &&
           origins.getPhase(user) == Phase::Forward && !model.contains(user) &&
           !saved.contains(user);
  });
}

bool ModelBoundary::isReadForward(Value value) const {
  return isReadBy(value, &PassedValue::readForward, [&](Operation *op) {
    return !saved.contains(op) && (op->hasTrait<OpTrait::IsTerminator>() ||
                                   origins.getPhase(op) != Phase::Backward);
  });
}

const PassedValue *ModelBoundary::getPassed(BlockArgument argument) const {
  Block *block = argument.getOwner();
  if (!origins.getContext() || !block->isEntryBlock() ||
      !isa<FunctionOpInterface>(block->getParentOp()))
    return nullptr;
  return &origins.getContext()->arguments[argument.getArgNumber()];
}

bool ModelBoundary::isFromModel(Value value) const {
  Value shown = origins.getMovedValue(value);
  Operation *def = shown.getDefiningOp();
  if (!def) {
    const PassedValue *passed = getPassed(cast<BlockArgument>(shown));
    return passed && passed->inModel;
  }
  if (auto call = calls.find(def); call != calls.end()) {
    unsigned number = cast<OpResult>(shown).getResultNumber();
    return call->second.results[number].inModel ||
           (origins.getPhase(def) == Phase::Backward && model.contains(def));
  }
  return model.contains(def);
}

std::optional<CallContext>
ModelBoundary::getCallContext(func::CallOp call) const {
  auto it = calls.find(call);
  if (it == calls.end())
    return std::nullopt;
  return it->second;
}

/// Says where the results of `call` go, all to the model where it stands in it
/// alone, and finds out where that leads the arguments. True if something is
/// new.
bool ModelBoundary::updateCall(func::CallOp call, bool isAlone) {
  CallContext &context = calls.find(call)->second;
  std::vector<unsigned> before = context.getKey();
  for (auto [result, passed] :
       llvm::zip_equal(call.getResults(), context.results)) {
    passed.intoModel |= isAlone || feedsModel(result);
    passed.intoLoss = feedsLoss(result);
    passed.readForward = isReadForward(result);
  }
  if (CallFlowSource *flows = origins.getFlows();
      flows && (before != context.getKey() || !model.contains(call)))
    flows->findFlow(call, context);
  bool isInside =
      isAlone ||
      llvm::any_of(context.arguments,
                   [](PassedValue &passed) { return passed.intoModel; }) ||
      llvm::any_of(context.results,
                   [](PassedValue &passed) { return passed.inModel; });
  bool isNew = isInside && model.insert(call).second;
  return isNew || before != context.getKey();
}

static bool isLoss(Operation *op) {
  auto function = op->getAttrOfType<StringAttr>(kFunctionAttr);
  return function && isLossFunction(function.getValue());
}

/// True if `function` is the model alone, without a loss of its own.
static bool isModelAlone(FunctionOpInterface function) {
  if (getFunctionKind(function) != FunctionKind::Evaluate)
    return false;
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
    if (getResultRole(function, i).is(Role::Loss))
      return false;
  return true;
}

ModelBoundary::ModelBoundary(FunctionOpInterface function,
                             const ValueOrigins &origins)
    : origins(origins) {
  if (function.isExternal())
    return;
  origins.collectOperations(function.getFunctionBody(), ops);
  hasBranches = llvm::any_of(
      ops, [](Operation *op) { return op->getNumSuccessors() != 0; });
  llvm::erase_if(
      ops, [](Operation *op) { return op->hasTrait<OpTrait::IsTerminator>(); });
  for (Operation *op : ops)
    if (auto call = dyn_cast<func::CallOp>(op))
      if (std::optional<CallContext> context = origins.getCallContext(call))
        calls[op] = std::move(*context);
  findForwardModel(function);
  findBackwardModel();
  findBatchNorm(function);
}

void ModelBoundary::findForwardModel(FunctionOpInterface function) {
  bool marked = llvm::any_of(
      ops, [](Operation *op) { return isFlagSet(op, kModelOutputAttr); });
  bool wholeFunction = isModelAlone(function) && !marked;
  llvm::DenseSet<Operation *> afterLoss;
  if (wholeFunction) {
    SmallVector<Operation *> pending(
        llvm::make_filter_range(ops, [](Operation *op) { return isLoss(op); }));
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val();
      if (afterLoss.insert(op).second)
        llvm::append_range(pending, getUsersOutward(op));
    }
  }

  auto combines = [&](Operation *op) {
    if (marked)
      return isFlagSet(op, kModelOutputAttr);
    bool weight = false, activation = false;
    for (Value value : origins.getReadValues(op)) {
      Origins from = origins.lookup(value);
      weight |=
          from.isParameterOnly() && isa<RankedTensorType>(value.getType());
      activation |= from.batch;
    }
    return weight && activation;
  };

  // A loop of blocks hands values back to operations that come before.
  bool grown = true;
  for (bool first = true; first || (grown && hasBranches); first = false) {
    grown = false;
    for (Operation *op : llvm::reverse(ops)) {
      bool isAlone = wholeFunction && !afterLoss.contains(op);
      if (calls.count(op)) {
        grown |= updateCall(cast<func::CallOp>(op), isAlone);
        continue;
      }
      if (origins.getPhase(op) != Phase::Forward || model.contains(op))
        continue;
      if (!isAlone && isLoss(op) && !marked)
        continue;
      auto feeds = [&] {
        return !isFlagSet(op, kModelOutputAttr) &&
               llvm::any_of(op->getResults(),
                            [&](Value result) { return feedsModel(result); });
      };
      if (isAlone || feeds() || combines(op)) {
        model.insert(op);
        grown = true;
      }
    }
  }
  // An operation inside a region belongs where the region does: half of a loop
  // cannot be the loss.
  for (Operation *op : ops)
    if (op->getParentOp() != function.getOperation() &&
        model.contains(op->getParentOp())) {
      model.insert(op);
      if (calls.count(op))
        updateCall(cast<func::CallOp>(op), /*isAlone=*/true);
    }

  for (Operation *op : llvm::reverse(ops)) {
    if (calls.count(op))
      updateCall(cast<func::CallOp>(op), /*isAlone=*/false);
    if (origins.getPhase(op) == Phase::Forward && !model.contains(op) &&
        !op->use_empty() && llvm::none_of(op->getResults(), [&](Value result) {
          return isReadForward(result);
        }))
      saved.insert(op);
  }

  bool evaluates = isModelAlone(function);
  llvm::DenseSet<Value> seen;
  for (Operation *op : ops) {
    if (!model.contains(op))
      continue;
    for (Value result : op->getResults()) {
      bool leaves =
          feedsLoss(result) || (evaluates && anyUse(result, [](OpOperand *use) {
                                  return isa<func::ReturnOp>(use->getOwner());
                                }));
      if (leaves && (!calls.count(op) || isFromModel(result)) &&
          isCastableTensor(result.getType()) &&
          !origins.lookup(result).isConstant() && seen.insert(result).second)
        outputs.push_back(result);
    }
  }
}

void ModelBoundary::findBackwardModel() {
  // Forward operations by scope id: is any, is none, in the model?
  llvm::DenseMap<int64_t, bool> forwardSide;
  auto getScopeId = [](Operation *op) -> std::optional<int64_t> {
    if (auto id = op->getAttrOfType<IntegerAttr>(kScopeIdAttr))
      return id.getInt();
    return std::nullopt;
  };
  for (Operation *op : ops)
    if (origins.getPhase(op) == Phase::Forward)
      if (std::optional<int64_t> id = getScopeId(op))
        forwardSide[*id] |= model.contains(op);

  // What the model reads and does not compute, and what the loss reads.
  AllocationOrderSet<Value> inputs, readByLoss;
  for (auto &[call, context] : calls)
    for (auto [value, passed] :
         llvm::zip_equal(call->getOperands(), context.arguments))
      if (isCastableTensor(value.getType()) &&
          !origins.lookup(value).isConstant()) {
        Value shown = origins.getMovedValue(value);
        if (passed.intoModel)
          inputs.insert(shown);
        if (passed.intoLoss)
          readByLoss.insert(shown);
      }
  for (Operation *op : ops)
    if (!calls.count(op) && origins.getPhase(op) == Phase::Forward &&
        !saved.contains(op))
      for (Value value : origins.getReadValues(op))
        if (isCastableTensor(value.getType()) &&
            !origins.lookup(value).isConstant())
          (model.contains(op) ? inputs : readByLoss)
              .insert(origins.getMovedValue(value));

  llvm::DenseSet<Value> isOutput(outputs.begin(), outputs.end());
  // What is said of `value` to a helper that it is handed to.
  auto describe = [&](Value value, PassedValue &passed) {
    Value shown = origins.getMovedValue(value);
    if (isOutput.contains(shown))
      return;
    bool isInput = inputs.contains(shown), isRead = readByLoss.contains(shown);
    passed.inModel = isFromModel(shown) || (isInput && !isRead);
    passed.modelInput = isInput && isRead;
  };
  auto passModelValues = [&](Operation *op) {
    if (auto it = calls.find(op); it != calls.end())
      for (auto [value, passed] :
           llvm::zip_equal(op->getOperands(), it->second.arguments))
        if (isa<RankedTensorType>(value.getType()))
          describe(value, passed);
  };
  for (Operation *op : ops) {
    passModelValues(op);
    if (origins.getPhase(op) != Phase::Backward && !saved.contains(op))
      continue;
    std::optional<int64_t> id = getScopeId(op);
    if (id && forwardSide.count(*id)) {
      if (forwardSide.lookup(*id))
        model.insert(op);
      continue;
    }
    bool readsModel = llvm::any_of(origins.getReadValues(op), [&](Value value) {
      if (!isa<RankedTensorType>(value.getType()))
        return false;
      Origins from = origins.lookup(value);
      if (from.isConstant())
        return false;
      if (from.isParameterOnly())
        return true;
      Value shown = origins.getMovedValue(value);
      if (isOutput.contains(shown))
        return false;
      if (shown.getDefiningOp() || isFromModel(shown))
        return isFromModel(shown);
      const PassedValue *passed = getPassed(cast<BlockArgument>(shown));
      if (passed && passed->modelInput)
        return origins.getKind(op) == ComputeKind::Contraction;
      return inputs.contains(shown) &&
             (!readByLoss.contains(shown) ||
              origins.getKind(op) == ComputeKind::Contraction);
    });
    if (readsModel)
      model.insert(op);
  }
}

void ModelBoundary::findBatchNorm(FunctionOpInterface function) {
  auto getLayer = [](Operation *op) {
    return op->getAttrOfType<StringAttr>(kLayerAttr);
  };

  // Seeds: what computes with a parameter or buffer of batch normalisation,
  // directly or through views of it.
  llvm::DenseSet<Attribute> layers;
  for (Operation *op : ops) {
    if (origins.getPhase(op) != Phase::Forward ||
        origins.getKind(op) == ComputeKind::Other)
      continue;
    bool touches = llvm::any_of(origins.getReadValues(op), [&](Value value) {
      Origins from = origins.lookup(value);
      return from.batchNorm && from.isParameterOnly();
    });
    if (!touches)
      continue;
    batchNorm.insert(op);
    if (StringAttr layer = getLayer(op))
      layers.insert(layer);
  }
  if (batchNorm.empty())
    return;
  // What the framework ran as one operation is inside as a whole.
  llvm::DenseSet<Attribute> seedIds;
  for (Operation *op : ops)
    if (batchNorm.contains(op))
      if (Attribute id = op->getAttr(kScopeIdAttr))
        seedIds.insert(id);
  for (Operation *op : ops)
    if (origins.getPhase(op) == Phase::Forward &&
        seedIds.contains(op->getAttr(kScopeIdAttr)))
      batchNorm.insert(op);

  // Statistics: forward operations all of whose users are in, to a fixpoint in
  // one reverse walk. Users in the backward phase do not count: they get the
  // values that the forward phase has; nor does what only they use, or what is
  // returned without a role, for a backward pass in another function. A result
  // that the caller asked for, an output or a loss, is a use.
  auto isResultOfModel = [&](OpOperand &use) {
    RoleInfo info = getResultRole(function, use.getOperandNumber());
    return info.is(Role::Output) || info.is(Role::Loss);
  };
  llvm::DenseSet<Operation *> savedForBackward;
  for (Operation *op : llvm::reverse(ops)) {
    if (batchNorm.contains(op) || origins.getPhase(op) != Phase::Forward)
      continue;
    ComputeKind kind = origins.getKind(op);
    if (kind == ComputeKind::Contraction || kind == ComputeKind::Control ||
        kind == ComputeKind::Other)
      continue;
    if (StringAttr layer = getLayer(op);
        layer && !layers.empty() && !layers.contains(layer))
      continue;
    // A function that the program called is an operation of its own, unless it
    // was called for this layer.
    if (op->hasAttr(kFunctionAttr) && op->hasAttr(kScopeIdAttr) &&
        !layers.contains(getLayer(op)))
      continue;
    // A weight that is not batch normalisation's belongs to another layer.
    if (llvm::any_of(origins.getReadValues(op), [&](Value value) {
          Origins from = origins.lookup(value);
          return from.isParameterOnly() && !from.batchNorm;
        }))
      continue;
    bool used = false, inside = true;
    for (OpOperand &use : op->getUses()) {
      Operation *user = use.getOwner();
      if (isa<func::ReturnOp>(user)) {
        bool leaves =
            isResultOfModel(use) ||
            (origins.getContext() &&
             origins.getContext()->results[use.getOperandNumber()].readForward);
        used |= leaves;
        inside &= !leaves;
        continue;
      }
      if (origins.getPhase(user) != Phase::Forward ||
          savedForBackward.contains(user))
        continue;
      used = true;
      inside &= batchNorm.contains(user);
    }
    if (!used)
      savedForBackward.insert(op);
    else if (inside)
      batchNorm.insert(op);
  }
  // What lies between two of its operations is inside as well.
  llvm::DenseSet<Operation *> below;
  for (Operation *op : ops) {
    if (origins.getPhase(op) != Phase::Forward)
      continue;
    bool reached = llvm::any_of(origins.getReadValues(op), [&](Value value) {
      Operation *def = value.getDefiningOp();
      if (!def || origins.lookup(value).isParameterOnly())
        return false;
      return batchNorm.contains(def) || below.contains(def);
    });
    StringAttr layer = getLayer(op);
    if (reached && layer && layers.contains(layer) &&
        origins.getKind(op) != ComputeKind::Contraction)
      below.insert(op);
  }
  for (Operation *op : llvm::reverse(ops)) {
    if (!below.contains(op) || batchNorm.contains(op))
      continue;
    bool leadsBack = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return batchNorm.contains(user) &&
             origins.getPhase(user) == Phase::Forward;
    });
    if (leadsBack)
      batchNorm.insert(op);
  }

  // Backward: by pairing, else by layer, else by reading a value from inside.
  llvm::DenseSet<int64_t> ids;
  for (Operation *op : ops)
    if (batchNorm.contains(op))
      if (auto id = op->getAttrOfType<IntegerAttr>(kScopeIdAttr))
        ids.insert(id.getInt());
  for (Operation *op : ops) {
    if (origins.getPhase(op) != Phase::Backward && !saved.contains(op))
      continue;
    if (auto id = op->getAttrOfType<IntegerAttr>(kScopeIdAttr)) {
      if (ids.contains(id.getInt()))
        batchNorm.insert(op);
      continue;
    }
    bool readsInside =
        llvm::any_of(origins.getReadValues(op), [&](Value value) {
          Origins from = origins.lookup(value);
          if (from.batchNorm && from.isParameterOnly())
            return true;
          Operation *def = value.getDefiningOp();
          return def && batchNorm.contains(def) &&
                 origins.getPhase(def) == Phase::Forward &&
                 llvm::all_of(def->getUsers(), [&](Operation *user) {
                   return batchNorm.contains(user) || saved.contains(user) ||
                          origins.getPhase(user) == Phase::Backward;
                 });
        });
    if (readsInside && origins.getKind(op) != ComputeKind::Contraction)
      batchNorm.insert(op);
  }
}
