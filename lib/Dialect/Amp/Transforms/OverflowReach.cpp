//===- OverflowReach.cpp - Which overflows reach a value ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A worklist over uses: a value whose set has grown hands it to what its uses
// define. The first value in the program goes first, so that a long sum of
// gradients is followed once and not once for each of them. Structured control
// flow is followed value by value, so that two gradients in one loop stay
// apart; of any other operation with regions, all results take what goes into
// it. A condition counts as data: a branch on the norm of gradients depends on
// them.
//
//===----------------------------------------------------------------------===//

#include "OverflowReach.h"
#include "Callees.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringMap.h"

#include <queue>

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isKeptOnSkip(std::optional<Role> role) {
  return role == Role::Param || role == Role::Master ||
         role == Role::OptState || role == Role::Hyper;
}

bool mlir::amp::isUpdated(std::optional<Role> role) {
  return isKeptOnSkip(role) || role == Role::Accumulator;
}

bool mlir::amp::isUpdatedResult(func::FuncOp step, unsigned number) {
  RoleInfo info = getResultRole(step, number);
  if (!info.is(Role::Hyper))
    return isUpdated(info.role);
  return llvm::any_of(step.getArguments(), [&](BlockArgument argument) {
    RoleInfo given = getArgRole(step, argument.getArgNumber());
    return given.is(Role::Hyper) && given.name == info.name;
  });
}

bool mlir::amp::isElementwiseAdd(Operation *op) {
  if (isa<arith::AddFOp>(op))
    return true;
  // Named, mapped, or written out; of two inputs, or of one to what it is
  // written over.
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops() != 0 ||
      op->getNumOperands() < 2 || op->getNumResults() != 1 ||
      !llvm::all_of(structured.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  Block *body = structured.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || !llvm::hasSingleElement(body->without_terminator()))
    return false;
  for (OpOperand &operand : op->getOpOperands().take_front(2)) {
    BlockArgument argument = structured.getMatchingBlockArgument(&operand);
    if (argument != add.getLhs() && argument != add.getRhs())
      return false;
  }
  return true;
}

void mlir::amp::appendRegionArguments(Operation *op,
                                      SmallVectorImpl<Value> &to) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      llvm::append_range(to, block.getArguments());
      if (block.mightHaveTerminator())
        appendRegionArguments(block.getTerminator(), to);
    }
}

/// What a terminator hands on to its parent or its successors.
static void appendHandedOn(OpOperand &use, SmallVectorImpl<Value> &to) {
  Operation *end = use.getOwner(), *parent = end->getParentOp();
  unsigned number = use.getOperandNumber();
  if (auto branch = dyn_cast<BranchOpInterface>(end)) {
    if (std::optional<BlockArgument> argument =
            branch.getSuccessorBlockArgument(number)) {
      to.push_back(*argument);
      return;
    }
  }
  if (end->getNumSuccessors() != 0) {
    for (Block *successor : end->getSuccessors())
      llvm::append_range(to, successor->getArguments());
    return;
  }
  if (isa<FunctionOpInterface>(parent))
    return;
  // Inside of what combines the rounds of a loop: it is the loop's.
  while (parent->hasTrait<OpTrait::IsTerminator>())
    parent = parent->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    to.push_back(loop.getRegionIterArg(number));
    to.push_back(loop.getResult(number));
    return;
  }
  if (isa<scf::IfOp, ApplyIfFiniteOp, AutocastOp>(parent)) {
    to.push_back(parent->getResult(number));
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (isa<scf::YieldOp>(end)) {
      to.push_back(loop.getBeforeArguments()[number]);
      return;
    }
    if (number > 0) {
      to.push_back(loop.getResult(number - 1));
      to.push_back(loop.getAfterArguments()[number - 1]);
      return;
    }
  }
  llvm::append_range(to, parent->getResults());
  if (!isa<linalg::LinalgOp>(parent))
    appendRegionArguments(parent, to);
}

bool mlir::amp::dividesIntegers(Operation *op) {
  bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
                     arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemSIOp,
                     arith::RemUIOp, linalg::DivOp, linalg::DivUnsignedOp>(op);
  if (auto elementwise = dyn_cast<linalg::ElementwiseOp>(op))
    divides = llvm::is_contained(
        {linalg::ElementwiseKind::div, linalg::ElementwiseKind::div_unsigned},
        elementwise.getKind());
  return divides && getElementTypeOrSelf(op->getOperand(1)).isIntOrIndex();
}

/// True if something in the body of `op` may not come to its end, or read
/// outside of a tensor.
static bool mayBeHazardous(linalg::LinalgOp op) {
  return llvm::any_of(
      op.getBlock()->without_terminator(), [](Operation &inner) {
        return inner.getNumRegions() != 0 || dividesIntegers(&inner) ||
               isa<tensor::TensorDialect, vector::VectorDialect>(
                   inner.getDialect()) ||
               !isPure(&inner);
      });
}

/// True if `op` makes a tensor by sizes that it is given as numbers.
static bool takesSizes(Operation *op) {
  return isa<tensor::EmptyOp, tensor::GenerateOp, tensor::SplatOp,
             tensor::ExtractSliceOp>(op);
}

/// An operand that has the sizes of `result`; null if none surely has.
static Value getSameSized(OpResult result) {
  Operation *op = result.getOwner();
  if (auto unscale = dyn_cast<UnscaleOp>(op)) {
    unsigned number = result.getResultNumber();
    return number < unscale.getGradients().size()
               ? unscale.getGradients()[number]
               : Value();
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    if (OpOperand *init = destination.getTiedOpOperand(result))
      return init->get();
  if (isa<CastOp, CastOpInterface>(op) && op->getNumOperands() == 1)
    return op->getOperand(0);
  auto select = dyn_cast<arith::SelectOp>(op);
  if (OpTrait::hasElementwiseMappableTraits(op) &&
      !(select && select.getCondition().getType().isInteger(1)))
    return op->getOperand(0);
  return {};
}

namespace {
/// Sizes that are what they are whatever a gradient is, looked for backwards
/// and once for each value: those of an argument, of a gradient, of a tensor
/// that is made by numbers, and what is computed in their places. A branch may
/// choose among tensors of several sizes.
class FixedSizes {
public:
  explicit FixedSizes(const SymbolTable &symbols) : symbols(symbols) {}

  bool areFixed(Value value) {
    SmallVector<Value> path;
    bool fixed = false;
    while (value) {
      auto [it, isNew] = known.try_emplace(value, false);
      if (!isNew) {
        fixed = it->second;
        break;
      }
      path.push_back(value);
      if ((fixed = isOrigin(value)))
        break;
      auto result = dyn_cast<OpResult>(value);
      value = result ? getSameSized(result) : Value();
    }
    for (Value visited : path)
      known[visited] = fixed;
    return fixed;
  }

private:
  bool isOrigin(Value value) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    if (shaped && shaped.hasStaticShape())
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Block *block = argument.getOwner();
      return block->isEntryBlock() &&
             isa<FunctionOpInterface>(block->getParentOp());
    }
    Operation *def = value.getDefiningOp();
    if (auto call = dyn_cast<func::CallOp>(def)) {
      func::FuncOp callee = getCallee(call, symbols);
      return callee &&
             getFunctionKind(callee) == FunctionKind::ForwardBackward &&
             getResultRole(callee, cast<OpResult>(value).getResultNumber())
                 .is(Role::Grad);
    }
    return takesSizes(def);
  }

  const SymbolTable &symbols;
  llvm::DenseMap<Value, bool> known;
};

/// What calls hand on of their operands, looked at once for each call.
class CallFlow {
public:
  explicit CallFlow(const SymbolTable &symbols) : symbols(symbols) {}

  FunctionKind getKind(func::CallOp call) { return get(call).kind; }
  /// Results of the call of an optimizer step that take something from operand
  /// `number`. What a skipped step keeps is as clean as what it was given.
  void appendUpdated(func::CallOp call, unsigned number,
                     SmallVectorImpl<Value> &to);

private:
  struct Results {
    func::FuncOp callee;
    FunctionKind kind = FunctionKind::Other;
    /// Numbers of those that no guard keeps, and of states by their names.
    SmallVector<unsigned> open;
    llvm::StringMap<SmallVector<unsigned, 1>> states;
  };
  const Results &get(func::CallOp call);

  const SymbolTable &symbols;
  llvm::DenseMap<Operation *, Results> known;
};
} // namespace

const CallFlow::Results &CallFlow::get(func::CallOp call) {
  auto [it, isNew] = known.try_emplace(call);
  Results &results = it->second;
  if (!isNew)
    return results;
  results.callee = getCallee(call, symbols);
  if (!results.callee)
    return results;
  results.kind = getFunctionKind(results.callee);
  for (unsigned i = 0, e = results.callee.getNumResults(); i != e; ++i) {
    RoleInfo info = getResultRole(results.callee, i);
    if (isUpdated(info.role))
      results.states[info.name].push_back(i);
    else
      results.open.push_back(i);
  }
  return results;
}

void CallFlow::appendUpdated(func::CallOp call, unsigned number,
                             SmallVectorImpl<Value> &to) {
  const Results &results = get(call);
  SmallVector<unsigned> numbers(results.open);
  RoleInfo given = getArgRole(results.callee, number);
  if (isKeptOnSkip(given.role))
    llvm::append_range(numbers, results.states.lookup(given.name));
  llvm::sort(numbers);
  for (unsigned result : numbers)
    to.push_back(call.getResult(result));
}

/// Values that take something from the value used at `use`.
static SmallVector<Value> getDestinations(OpOperand &use, CallFlow &calls,
                                          FixedSizes &sizes) {
  SmallVector<Value> to;
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  // A size is no data.
  if (isa<tensor::DimOp, memref::DimOp>(op) && number == 0 &&
      sizes.areFixed(use.get()))
    return to;
  if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumSuccessors() != 0) {
    appendHandedOn(use, to);
    return to;
  }
  if (auto call = dyn_cast<func::CallOp>(op);
      call && calls.getKind(call) == FunctionKind::OptimizerStep) {
    calls.appendUpdated(call, number, to);
    return to;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && number >= 3) {
    to.push_back(loop.getRegionIterArg(number - 3));
    to.push_back(loop.getResult(number - 3));
    return to;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    to.push_back(loop.getBeforeArguments()[number]);
    return to;
  }
  llvm::append_range(to, op->getResults());
  // Values in the body of a structured operation are asked about where they may
  // end a loop or a run.
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (mayBeHazardous(structured))
      to.push_back(structured.getMatchingBlockArgument(&use));
  } else if (op->getNumRegions() != 0) {
    appendRegionArguments(op, to);
  }
  // One that hands on what it takes without a result: a slice that a round of
  // scf.forall writes.
  if (Operation *parent = op->getParentOp();
      op->getNumResults() == 0 && isa<InParallelOpInterface>(parent)) {
    llvm::append_range(to, parent->getParentOp()->getResults());
    appendRegionArguments(parent->getParentOp(), to);
  }
  return to;
}

void OverflowReach::addSource(Value value, unsigned source) {
  llvm::SmallBitVector &set = sources[value];
  if (set.size() <= source)
    set.resize(source + 1);
  set.set(source);
  worklist.push_back(value);
}

void OverflowReach::addFinding(Value predicate, unsigned source) {
  addSource(predicate, source);
  if (findings.size() <= source)
    findings.resize(source + 1);
  findings.set(source);
}

/// True if `to`, which `op` computes of a finding, is one: a truth value, or
/// one as an integer. A count of them is none.
static bool handsOnFinding(Operation *op, Value to) {
  Type type = getElementTypeOrSelf(to);
  return type.isInteger(1) || (isa<CastOpInterface>(op) && type.isInteger());
}

void OverflowReach::addScaled(Value gradient) {
  if (scaled.try_emplace(gradient, gradient).second)
    scaledWorklist.push_back(gradient);
}

namespace {
/// Values, the first of the program first, each at most once.
class ValueQueue {
public:
  explicit ValueQueue(Region *region) {
    if (region)
      number(*region);
  }

  void push(Value value) {
    if (queued.insert(value).second)
      heap.push({getNumber(value), value});
  }
  bool empty() const { return heap.empty(); }
  Value pop() {
    Value value = heap.top().second;
    heap.pop();
    queued.erase(value);
    return value;
  }

private:
  using Entry = std::pair<unsigned, Value>;
  struct IsLater {
    bool operator()(const Entry &a, const Entry &b) const {
      return a.first > b.first;
    }
  };

  /// Arguments before their block, results after what is inside.
  void number(Region &region) {
    for (Block &block : region) {
      numbers[&block] = next++;
      for (Operation &op : block) {
        for (Region &nested : op.getRegions())
          number(nested);
        numbers[&op] = next++;
      }
    }
  }
  unsigned getNumber(Value value) const {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return numbers.lookup(argument.getOwner());
    return numbers.lookup(value.getDefiningOp());
  }

  unsigned next = 0;
  llvm::DenseMap<void *, unsigned> numbers;
  llvm::DenseSet<Value> queued;
  std::priority_queue<Entry, std::vector<Entry>, IsLater> heap;
};
} // namespace

/// The outermost region around `value` that is inside a function.
static Region *getFunctionBody(Value value) {
  Region *region = value.getParentRegion();
  while (!isa<FunctionOpInterface>(region->getParentOp()))
    region = region->getParentRegion();
  return region;
}

void OverflowReach::propagate() {
  CallFlow calls(symbols);
  FixedSizes sizes(symbols);
  // All values are of one function.
  ValueQueue queue(worklist.empty() ? nullptr
                                    : getFunctionBody(worklist.front()));
  for (Value source : worklist)
    queue.push(source);
  worklist.clear();
  while (!queue.empty()) {
    Value value = queue.pop();
    llvm::SmallBitVector set = sources.lookup(value);
    for (OpOperand &use : value.getUses()) {
      if (guarded.contains({use.getOwner(), use.getOperandNumber()}))
        continue;
      for (Value to : getDestinations(use, calls, sizes)) {
        if (clean.contains(to))
          continue;
        llvm::SmallBitVector joined = set;
        if (!handsOnFinding(use.getOwner(), to))
          joined.reset(findings);
        if (joined.none())
          continue;
        llvm::SmallBitVector &known = sources[to];
        joined |= known;
        if (joined == known)
          continue;
        known = std::move(joined);
        queue.push(to);
      }
    }
  }
  while (!scaledWorklist.empty()) {
    Value value = scaledWorklist.pop_back_val();
    Value origin = scaled.lookup(value);
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<UnscaleOp>(user))
        continue;
      if (auto call = dyn_cast<func::CallOp>(user);
          call && calls.getKind(call) == FunctionKind::ForwardBackward)
        continue;
      for (Value to : getDestinations(use, calls, sizes))
        if (scaled.try_emplace(to, origin).second)
          scaledWorklist.push_back(to);
    }
  }
}

void OverflowReach::replace(Value from, Value to) {
  if (auto it = sources.find(from); it != sources.end()) {
    llvm::SmallBitVector set = it->second;
    sources.erase(it);
    sources[to] = std::move(set);
  }
  if (Value origin = scaled.lookup(from)) {
    scaled.erase(from);
    scaled[to] = origin;
  }
}
