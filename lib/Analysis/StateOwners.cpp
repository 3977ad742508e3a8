//===- StateOwners.cpp - What the states of a step belong to --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each state, the functions that return another value for it than they were
// given are asked what that value is computed from:
//
//   an optimizer state  from no gradient and no weight: a count of steps, or a
//                       power of a decay, whatever its shape
//   a buffer            from no batch, while nothing that trains the model
//   reads
//                       its old value: an average of weights. Running
//                       statistics come from the batch; a vector that a
//                       spectral norm goes on with is read.
//
// A count is told by floats alone: one that an overflow stops depends on a
// gradient by a condition, and counts all the same. The batch is looked for in
// whatever is read. Calls stand for what the roles of their results say, so
// that functions are looked at one by one. Both facts are booleans that only
// rise, so loops and blocks are walked until nothing changes.
//
// What is no count belongs to the parameter whose name stands in its own,
// between characters that no name is made of. The longest name decides, one of
// the same shape before others; two of one length are no answer.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/StateOwners.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Analysis/ComputeKind.h"
#include "amp/Analysis/ValueOrigins.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::amp;

static bool isState(const RoleInfo &info) {
  return info.is(Role::OptState) || info.is(Role::Buffer);
}

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

namespace {
/// What a value is computed from.
struct Sources {
  bool data = false;  ///< a gradient, a weight, an activation; by floats alone
  bool batch = false; ///< the batch, by whatever is read

  void join(Sources other) {
    data |= other.data;
    batch |= other.batch;
  }
  bool operator==(Sources other) const {
    return data == other.data && batch == other.batch;
  }
};

/// The sources of all values of one function.
class StateFlow {
public:
  StateFlow(FunctionOpInterface function, SymbolTableCollection &symbols)
      : function(function), symbols(symbols) {
    Region &body = function.getFunctionBody();
    for (BlockArgument argument : body.getArguments())
      set(argument,
          getSources(getArgRole(function, argument.getArgNumber()).role));
    do {
      changed = false;
      for (Block &block : body)
        visit(block);
    } while (changed && !body.hasOneBlock());
  }

  /// An integer stands for no number that is added up: it carries no data.
  Sources lookup(Value value) const {
    Sources sources = sourcesOf.lookup(value);
    sources.data &= isa<FloatType>(getElementTypeOrSelf(value.getType()));
    return sources;
  }

  /// The function that `value` is a result of; null for what is none.
  FunctionOpInterface getCallee(Value value) const {
    auto call = value.getDefiningOp<CallOpInterface>();
    return call ? resolve(call) : FunctionOpInterface();
  }

private:
  static Sources getSources(std::optional<Role> role);
  FunctionOpInterface resolve(CallOpInterface call) const;
  Sources joinReads(Operation *op) const;
  void set(Value value, Sources sources);
  void visit(Block &block);
  void visit(Operation *op);
  void visitCall(CallOpInterface call);
  bool visitLoop(Operation *op);
  bool visitBranch(Operation *op);

  FunctionOpInterface function;
  SymbolTableCollection &symbols;
  llvm::DenseMap<Value, Sources> sourcesOf;
  bool changed = false;
};
} // namespace

Sources StateFlow::getSources(std::optional<Role> role) {
  if (!role)
    return {true, true};
  switch (*role) {
  case Role::Param:
  case Role::Master:
  case Role::Grad:
  case Role::Accumulator:
    return {true, false};
  case Role::Batch:
  case Role::LossSeed:
  case Role::Loss:
  case Role::Output:
    return {true, true};
  case Role::Buffer:
  case Role::OptState:
  case Role::ScalerState:
  case Role::Rng:
  case Role::Hyper:
    return {};
  }
  llvm_unreachable("every role is handled");
}

FunctionOpInterface StateFlow::resolve(CallOpInterface call) const {
  return dyn_cast_if_present<FunctionOpInterface>(
      call.resolveCallableInTable(&symbols));
}

Sources StateFlow::joinReads(Operation *op) const {
  Sources sources;
  for (Value value : getReadValues(op))
    sources.join(lookup(value));
  return sources;
}

void StateFlow::set(Value value, Sources sources) {
  Sources &present = sourcesOf[value];
  Sources before = present;
  present.join(sources);
  changed |= !(present == before);
}

void StateFlow::visit(Block &block) {
  for (Block *before : block.getPredecessors()) {
    Operation *terminator = before->getTerminator();
    auto branch = dyn_cast<BranchOpInterface>(terminator);
    for (unsigned i = 0, e = terminator->getNumSuccessors(); i != e; ++i) {
      if (terminator->getSuccessor(i) != &block)
        continue;
      for (BlockArgument argument : block.getArguments()) {
        Value value =
            branch ? branch.getSuccessorOperands(i)[argument.getArgNumber()]
                   : Value();
        set(argument, value ? lookup(value) : Sources{true, true});
      }
    }
  }
  for (Operation &op : block)
    visit(&op);
}

void StateFlow::visitCall(CallOpInterface call) {
  FunctionOpInterface callee = resolve(call);
  Sources read = joinReads(call);
  for (OpResult result : call->getResults()) {
    RoleInfo info =
        callee ? getResultRole(callee, result.getResultNumber()) : RoleInfo();
    set(result, info.role ? getSources(info.role) : read);
  }
}

/// A loop whose results are what its body yields in the end.
bool StateFlow::visitLoop(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop || loop.getLoopRegions().size() != 1 || !loop.getLoopResults() ||
      !loop.getLoopRegions().front()->hasOneBlock() ||
      loop.getYieldedValues().size() != loop.getRegionIterArgs().size() ||
      loop.getInits().size() != loop.getRegionIterArgs().size())
    return false;
  for (auto [argument, init] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInits()))
    set(argument, lookup(init));
  bool before = changed;
  do {
    changed = false;
    visit(loop.getLoopRegions().front()->front());
    for (auto [argument, yielded] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
      set(argument, lookup(yielded));
    before |= changed;
  } while (changed);
  changed = before;
  for (auto [result, argument] :
       llvm::zip_equal(*loop.getLoopResults(), loop.getRegionIterArgs()))
    set(result, lookup(argument));
  return true;
}

/// A choice between regions: each result is what one of them yields, and what
/// chooses is read too.
bool StateFlow::visitBranch(Operation *op) {
  if (!isa<RegionBranchOpInterface>(op) || isa<LoopLikeOpInterface>(op))
    return false;
  for (Region &region : op->getRegions())
    if (!region.empty() &&
        (!region.hasOneBlock() || region.getNumArguments() != 0 ||
         region.front().getTerminator()->getNumOperands() !=
             op->getNumResults()))
      return false;
  Sources chooser;
  for (Value operand : op->getOperands())
    chooser.join(lookup(operand));
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    visit(region.front());
    for (auto [result, yielded] : llvm::zip_equal(
             op->getResults(), region.front().getTerminator()->getOperands())) {
      Sources sources = lookup(yielded);
      sources.batch |= chooser.batch;
      set(result, sources);
    }
  }
  return true;
}

void StateFlow::visit(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op))
    return visitCall(call);
  if (op->getNumRegions() != 0 && (visitLoop(op) || visitBranch(op)))
    return;
  Sources read = joinReads(op);
  for (Value result : op->getResults())
    set(result, read);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Names of the buffers of `function` that its results are computed from, the
/// new values of states left aside.
static llvm::DenseSet<StringRef> findReadBuffers(FunctionOpInterface function) {
  llvm::DenseSet<StringRef> read;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> pending;
  auto push = [&](Value value) {
    if (seen.insert(value).second)
      pending.push_back(value);
  };
  for (Operation *returnOp : getReturns(function))
    for (OpOperand &operand : returnOp->getOpOperands())
      if (!isState(getResultRole(function, operand.getOperandNumber())))
        push(operand.get());
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Block *owner = argument.getOwner();
      if (owner == &function.getFunctionBody().front()) {
        RoleInfo info = getArgRole(function, argument.getArgNumber());
        if (info.is(Role::Buffer))
          read.insert(info.name);
        continue;
      }
      def = owner->getParentOp();
      if (def == function.getOperation()) {
        for (Block *before : owner->getPredecessors())
          for (Value operand : before->getTerminator()->getOperands())
            push(operand);
        continue;
      }
    }
    for (Value operand : getReadValues(def))
      push(operand);
  }
  return read;
}

namespace {
/// What the functions say of one state.
struct Facts {
  std::optional<StringRef> of;
  bool isBatchNorm = false;
  std::optional<ArrayRef<int64_t>> shape;
  bool isUpdated = false;
  Sources sources;            ///< of its new values
  bool isReadByModel = false; ///< its old value, by what trains
};
} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef StateOwners::guessByName(StringRef state,
                                   ArrayRef<int64_t> shape) const {
  // A name begins and ends where the state's does, or beside a character that
  // no identifier has; failing that, beside an underscore.
  for (StringRef inside : {"_", ""}) {
    auto isInside = [&](char c) {
      return llvm::isAlnum(c) || inside.contains(c);
    };
    // The boundaries of a path in brackets are part of its names.
    auto isBoundary = [&](size_t i) {
      return i == 0 || i == state.size() || !isInside(state[i - 1]) ||
             !isInside(state[i]);
    };
    StringRef best;
    bool bestFits = false, isTie = false;
    for (size_t begin = 0; begin < state.size(); ++begin) {
      if (!isBoundary(begin))
        continue;
      for (size_t length : nameLengths) {
        if (length > state.size() - begin)
          break;
        if (!isBoundary(begin + length))
          continue;
        StringRef name = state.substr(begin, length);
        auto it = parameters.find(name);
        if (it == parameters.end())
          continue;
        bool fits = it->second == shape;
        auto rank = std::pair(fits, name.size());
        auto bestRank = std::pair(bestFits, best.size());
        if (best.empty() || rank > bestRank) {
          best = it->first();
          bestFits = fits;
          isTie = false;
        } else if (rank == bestRank && name != best) {
          isTie = true;
        }
      }
    }
    if (!best.empty())
      return isTie ? StringRef() : best;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

StateOwners::StateOwners(ModuleOp module, bool ofOptimizer) {
  SymbolTableCollection symbols;
  llvm::DenseMap<Key, Facts> facts;
  // Whether what a state is computed from decides anything.
  auto asks = [&](const RoleInfo &info, Type type) {
    if (!isState(info) || !isCastableTensor(type))
      return false;
    const Facts &fact = facts[Key(*info.role, info.name)];
    if (info.is(Role::Buffer))
      return !fact.of && !fact.isBatchNorm;
    return ofOptimizer && cast<RankedTensorType>(type).getRank() != 0 &&
           !(fact.of && fact.of->empty());
  };
  auto note = [&](const RoleInfo &info, Type type, Location loc) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (info.is(Role::Param) || info.is(Role::Master)) {
      if (tensor)
        parameters.try_emplace(info.name, tensor.getShape());
      return;
    }
    if (!isState(info))
      return;
    Key key(*info.role, info.name);
    states.insert(
        {key, StateOwner{StateOwner::Kind::Model, StateOwner::Basis::Given,
                         StringRef(), false, loc}});
    Facts &fact = facts[key];
    if (info.of && !fact.of)
      fact.of = info.of;
    fact.isBatchNorm |= info.isBatchNorm;
    if (tensor && !fact.shape)
      fact.shape = tensor.getShape();
  };
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool asksArgument = false, asksResult = false;
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      note(getArgRole(function, i), function.getArgumentTypes()[i],
           function.isExternal() ? function.getLoc()
                                 : function.getArgument(i).getLoc());
    for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
      note(getResultRole(function, i), function.getResultTypes()[i],
           function.getLoc());
    if (function.isExternal())
      continue;
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      if (RoleInfo info = getArgRole(function, i); info.is(Role::Buffer))
        asksArgument |= asks(info, function.getArgumentTypes()[i]);
    for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
      asksResult |=
          asks(getResultRole(function, i), function.getResultTypes()[i]);
    FunctionKind kind = getFunctionKind(function);
    if (asksArgument && kind != FunctionKind::OptimizerStep &&
        kind != FunctionKind::TrainStep && kind != FunctionKind::Evaluate)
      for (StringRef name : findReadBuffers(function))
        facts[Key(Role::Buffer, name)].isReadByModel = true;
    if (!asksResult)
      continue;
    StateFlow flow(function, symbols);
    for (Operation *returnOp : getReturns(function))
      for (OpOperand &operand : returnOp->getOpOperands()) {
        RoleInfo info = getResultRole(function, operand.getOperandNumber());
        if (!isState(info))
          continue;
        auto isSame = [&](const RoleInfo &other) {
          return other.role == info.role && other.name == info.name;
        };
        Value value = operand.get();
        if (auto argument = dyn_cast<BlockArgument>(value);
            argument &&
            argument.getOwner() == &function.getFunctionBody().front() &&
            isSame(getArgRole(function, argument.getArgNumber())))
          continue; // as it was
        if (FunctionOpInterface callee = flow.getCallee(value);
            callee && isSame(getResultRole(
                          callee, cast<OpResult>(value).getResultNumber())))
          continue; // the callee's to say
        Facts &fact = facts[Key(*info.role, info.name)];
        fact.isUpdated = true;
        fact.sources.join(flow.lookup(value));
      }
  }

  for (StringRef name : parameters.keys())
    if (!name.empty())
      nameLengths.push_back(name.size());
  llvm::sort(nameLengths);
  nameLengths.erase(llvm::unique(nameLengths), nameLengths.end());
  for (auto &[key, owner] : states) {
    const Facts &fact = facts[key];
    owner.isUpdated = fact.isUpdated;
    auto decide = [&owner = owner](StateOwner::Kind kind,
                                   StateOwner::Basis basis) {
      owner.kind = kind;
      owner.basis = basis;
    };
    using Kind = StateOwner::Kind;
    using Basis = StateOwner::Basis;
    if (key.first == Role::Buffer) {
      if (fact.of)
        decide(Kind::Nobody, Basis::Given);
      else if (fact.isBatchNorm || !fact.isUpdated)
        decide(Kind::Model, Basis::Given);
      else
        decide(fact.isReadByModel || fact.sources.batch ? Kind::Model
                                                        : Kind::Nobody,
               Basis::Flow);
      continue;
    }
    if (!ofOptimizer || (fact.of && fact.of->empty())) {
      decide(Kind::Nobody, Basis::Given);
      continue;
    }
    if (fact.isUpdated && !fact.sources.data) {
      decide(Kind::Nobody, Basis::Flow);
      continue;
    }
    ArrayRef<int64_t> shape = fact.shape.value_or(ArrayRef<int64_t>());
    owner.parameter = fact.of ? *fact.of : guessByName(key.second, shape);
    if (owner.parameter.empty())
      decide(Kind::Unknown, Basis::Name);
    else
      decide(Kind::Parameter, fact.of ? Basis::Given : Basis::Name);
    auto it = parameters.find(owner.parameter);
    if (llvm::all_of(shape, [](int64_t size) { return size == 1; }) &&
        (it == parameters.end() || it->second != shape))
      decide(Kind::Nobody, Basis::Shape);
  }
}

const StateOwner *StateOwners::lookup(const RoleInfo &info) const {
  if (!isState(info))
    return nullptr;
  auto it = states.find(Key(*info.role, info.name));
  return it == states.end() ? nullptr : &it->second;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult mlir::amp::verifyStateOwners(ModuleOp module) {
  SmallVector<StringRef> parameters;
  llvm::DenseMap<StateOwners::Key, std::pair<StringRef, FunctionOpInterface>>
      given;
  auto forEach = [&](llvm::function_ref<LogicalResult(
                         FunctionOpInterface, StringRef, unsigned, RoleInfo)>
                         visit) -> LogicalResult {
    for (auto function : module.getOps<FunctionOpInterface>()) {
      for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
        if (failed(visit(function, "argument", i, getArgRole(function, i))))
          return failure();
      for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
        if (failed(visit(function, "result", i, getResultRole(function, i))))
          return failure();
    }
    return success();
  };
  bool hasOwners = false;
  (void)forEach([&](FunctionOpInterface, StringRef, unsigned, RoleInfo info) {
    hasOwners |= info.of.has_value();
    if (info.is(Role::Param) || info.is(Role::Master))
      parameters.push_back(info.name);
    return success();
  });
  if (!hasOwners)
    return success();
  llvm::DenseSet<StringRef> known(parameters.begin(), parameters.end());
  return forEach([&](FunctionOpInterface function, StringRef where,
                     unsigned index, RoleInfo info) -> LogicalResult {
    if (!info.of)
      return success();
    if (!info.of->empty() && !known.contains(*info.of)) {
      InFlightDiagnostic error = function->emitError()
                                 << "expected 'amp.of' of " << where << " "
                                 << index << " to name a parameter, but got '"
                                 << *info.of << "'";
      if (!parameters.empty())
        error << "; did you mean '"
              << *llvm::min_element(parameters,
                                    [&](StringRef a, StringRef b) {
                                      return info.of->edit_distance(a) <
                                             info.of->edit_distance(b);
                                    })
              << "'?";
      return error;
    }
    auto [it, isNew] = given.try_emplace(
        StateOwners::Key(*info.role, info.name), *info.of, function);
    if (isNew || it->second.first == *info.of)
      return success();
    InFlightDiagnostic error =
        function->emitError()
        << "expected 'amp.of' of " << where << " " << index << " ('"
        << stringifyRole(*info.role) << "' '" << info.name << "') to be '"
        << it->second.first << "', but got '" << *info.of << "'";
    error.attachNote(it->second.second->getLoc()) << "it is given here";
    return error;
  });
}
