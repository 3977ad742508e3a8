//===- ScaleDegreeAnalysis.cpp - Degrees of all values --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sparse forward propagation in each function, callees first. Where values
// flow without an operation that computes (into regions and out of them, along
// branches, around loops, in and out of linalg bodies) is made explicit first,
// as edges between values; the rest is one rule per operation (ScaleTransfer).
// Operations are visited once in order, and again only where an edge that leads
// back raised one of their operands. A degree rises at most from any to a form,
// by a condition per argument, and to a fault, so that ends.
//
// The roles of a function say which of its arguments never carry a scale: they
// have degree 0 inside, and a call that hands over anything else is a fault of
// the call. A function without body is taken at its roles' word. Memory is one
// cell per function: what is stored anywhere is read anywhere. It starts out as
// any degree, for what is not initialised, or as 0 where a function is handed
// memory or names a global that may be written; constant globals stay outside.
//
// MLIR's data-flow framework is not used: it would look into each of the many
// small bodies of linalg as a region that it knows nothing of, and finds live
// blocks by folding constants, weights included.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ScaleDegreeAnalysis.h"

#include "CallDegrees.h"
#include "ScaleConstants.h"
#include "ScaleTransfer.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Analysis/MemoryOfTensors.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace mlir::amp;

/// Rounds over a recursive component before its results count as undecided.
constexpr unsigned kMaxRounds = 8;

static bool isMemory(Type type) { return isa<BaseMemRefType>(type); }

static bool isFloating(Type type) {
  return isa<FloatType, ComplexType>(getElementTypeOrSelf(type));
}

/// True if `value` is memory of a global that nothing writes.
static bool isConstantMemory(Value value, const SymbolTable &symbols) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  auto get = value.getDefiningOp<memref::GetGlobalOp>();
  auto global = get ? symbols.lookup<memref::GlobalOp>(get.getName())
                    : memref::GlobalOp();
  return global && global.getConstant();
}

/// Operations of ml_program, which the project does not depend on.
static bool storesGlobal(Operation *op) {
  return op->getName().getStringRef().starts_with("ml_program.global_store");
}
static bool loadsGlobal(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name.starts_with("ml_program.global_load") &&
         name != "ml_program.global_load_const";
}

static bool touchesMemory(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isMemory) ||
         llvm::any_of(op->getResultTypes(), isMemory) || storesGlobal(op) ||
         loadsGlobal(op);
}

static bool writesMemory(Operation *op) {
  return storesGlobal(op) || makesMemoryOfTensor(op) ||
         (!loadsGlobal(op) && !hasSingleEffect<MemoryEffects::Read>(op) &&
          !isMemoryEffectFree(op));
}

/// True for an argument that its role says is never scaled.
static bool isUnscaledArgument(func::FuncOp function, FunctionKind kind,
                               unsigned index) {
  std::optional<Role> role = getArgRole(function, index).role;
  if (!role)
    return false;
  switch (*role) {
  case Role::Param:
  case Role::Master:
  case Role::Buffer:
  case Role::OptState:
  case Role::Batch:
  case Role::ScalerState:
  case Role::Rng:
  case Role::Hyper:
    return true;
  case Role::LossSeed:
  case Role::Loss:
  case Role::Grad:
  case Role::Output:
  case Role::Accumulator:
    // Between steps nothing is scaled; between the functions of one it may be.
    if (kind == FunctionKind::TrainStep)
      return true;
    return function.isExternal() && *role != Role::LossSeed;
  }
  llvm_unreachable("all roles are listed");
}

/// What the roles of a function without body promise: gradients carry what the
/// seeds do, and nothing else carries a scale.
static DegreeSummary getContract(func::FuncOp function, DegreeTable &table) {
  DegreeId seeds = DegreeTable::kAny;
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (getArgRole(function, i).is(Role::LossSeed))
      seeds =
          table.join(seeds, table.getArgument(i), function, DegreeFault::Mixes);
  if (seeds == DegreeTable::kAny)
    seeds = DegreeTable::kZero;
  DegreeSummary summary;
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
    summary.results.push_back(
        getResultRole(function, i).is(Role::Grad) ? seeds : DegreeTable::kZero);
  return summary;
}

//===----------------------------------------------------------------------===//
// Dependence
//===----------------------------------------------------------------------===//

namespace {
/// Which results of a function depend on which arguments, as far as uses tell.
/// Asked for where an argument has no degree, or conditions: degrees alone do
/// not show what cancels.
class ArgumentReach {
public:
  const llvm::BitVector &lookup(func::FuncOp function, unsigned argument) {
    auto [it, isNew] = reached.try_emplace({function, argument});
    if (isNew)
      it->second = compute(function, argument);
    return it->second;
  }

private:
  static llvm::BitVector compute(func::FuncOp function, unsigned argument);

  std::map<std::pair<Operation *, unsigned>, llvm::BitVector> reached;
};
} // namespace

llvm::BitVector ArgumentReach::compute(func::FuncOp function,
                                       unsigned argument) {
  llvm::BitVector results(function.getNumResults());
  SmallVector<Value> worklist;
  llvm::DenseSet<Value> seen;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (seen.insert(value).second)
        worklist.push_back(value);
  };
  add(function.getArgument(argument));
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (llvm::any_of(user->getOperandTypes(), isMemory))
        return results.set(); // may be read anywhere
      if (isa<func::ReturnOp>(user)) {
        results.set(use.getOperandNumber());
        continue;
      }
      if (user->getNumSuccessors() > 1)
        return results.set(); // may choose anything
      for (Block *successor : user->getSuccessors())
        add(successor->getArguments());
      for (Operation *op = user; op != function; op = op->getParentOp()) {
        if (llvm::any_of(op->getOperandTypes(), isMemory))
          return results.set(); // stored by what the region ends with
        add(op->getResults());
        for (Region &region : op->getRegions())
          for (Block &block : region)
            add(block.getArguments());
      }
    }
  }
  return results;
}

namespace {
/// The propagation in one function.
class FunctionDegrees {
public:
  FunctionDegrees(func::FuncOp function, const ScaleDegreeAnalysis &analysis,
                  DegreeTable &table, const ScaleTransfer &transfer,
                  const SymbolTable &symbols, ArgumentReach &reach,
                  AllocationOrderMap<Value, DegreeId> &degrees,
                  std::optional<unsigned> seedScale)
      : function(function), analysis(analysis), table(table),
        transfer(transfer), symbols(symbols), reach(reach), degrees(degrees),
        seedScale(seedScale) {}

  DegreeSummary run();

private:
  /// How the degree at an edge's start raises that at its end.
  enum class EdgeKind {
    Flow,    ///< the same elements
    Guarded, ///< the same elements, but where an overflow came in
    Choice,  ///< which elements come, is chosen by it
    Size,    ///< how many elements come, is chosen by its size
    Unknown, ///< computed from it in an unknown way
  };
  struct Edge {
    Value target;
    EdgeKind kind;
    Operation *op;
  };

  void addEdge(Value from, Value to, EdgeKind kind, Operation *op) {
    edges[isMemory(from.getType()) ? Value() : from].push_back({to, kind, op});
  }
  bool isStart(Value start, BlockArgument carried);
  void addBranches(BranchOpInterface branch);
  void addLinalg(linalg::LinalgOp op);
  void addRegionBranch(RegionBranchOpInterface op);
  void addForall(scf::ForallOp op);
  void addAtomic(memref::GenericAtomicRMWOp op);
  bool looksForOverflow(ApplyIfFiniteOp guard, DegreeId degree);
  void addOpaque(Operation *op);
  void addEdges(Operation *op);

  /// Memory's degree is that of the null value.
  DegreeId get(Value value) const {
    return degrees.lookup(value && isMemory(value.getType()) ? Value() : value);
  }
  void raise(Value value, DegreeId degree);
  std::optional<DegreeFault> getChoiceFault(const Edge &edge) const;
  void drain();
  void visit(Operation *op);
  void findMemory();
  void visitMemory(Operation *op, SmallVectorImpl<DegreeId> &results);
  void visitCall(func::CallOp call);

  func::FuncOp function;
  const ScaleDegreeAnalysis &analysis;
  DegreeTable &table;
  const ScaleTransfer &transfer;
  const SymbolTable &symbols;
  ArgumentReach &reach;
  AllocationOrderMap<Value, DegreeId> &degrees;
  /// The scale that the function's seeds carry, if they do.
  std::optional<unsigned> seedScale;

  AllocationOrderMap<Value, SmallVector<Edge, 1>> edges;
  /// Conditions of branches between blocks, by their region.
  llvm::DenseMap<Value, SmallVector<Region *, 1>> branchConditions;
  llvm::DenseMap<Value, SmallVector<Value, 1>> choosers;
  llvm::DenseMap<Region *, DegreeId> blockChoice;
  /// Operations without edges of their own that have been visited, and those of
  /// them to be visited again.
  AllocationOrderSet<Operation *> visited;
  llvm::SetVector<Operation *> again;
  llvm::SetVector<Operation *> memoryReaders;
  /// Maxima that start at the lowest number, minima at the highest, and calls
  /// of them.
  llvm::SetVector<Operation *> startedExtrema;
  /// Those of them that leave what they started with.
  llvm::DenseSet<Operation *> leftAtStart;
  /// The scales whose overflows each guard looks for; nothing where that is not
  /// seen.
  llvm::DenseMap<Operation *, std::optional<SmallVector<unsigned>>> guardScales;
  SmallVector<Value> raised;
  SmallVector<func::ReturnOp> returns;
  /// Operations whose regions write memory, and what chooses between those.
  llvm::DenseSet<Operation *> memoryWriters;
  DegreeId memoryChoice = DegreeTable::kZero;
  bool touchesGlobals = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

void FunctionDegrees::addBranches(BranchOpInterface branch) {
  llvm::SmallPtrSet<Value, 4> handed;
  for (unsigned i = 0, e = branch->getNumSuccessors(); i != e; ++i) {
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    for (BlockArgument argument : branch->getSuccessor(i)->getArguments())
      if (argument.getArgNumber() < operands.size())
        if (Value operand = operands[argument.getArgNumber()]) {
          addEdge(operand, argument, EdgeKind::Flow, branch);
          handed.insert(operand);
        }
  }
  if (branch->getNumSuccessors() > 1)
    for (Value operand : branch->getOperands())
      if (!handed.contains(operand))
        branchConditions[operand].push_back(branch->getParentRegion());
}

/// True if `carried`, what a loop or a reduction carries or a call hands over,
/// starts where a maximum does; remembers the maxima of this function.
bool FunctionDegrees::isStart(Value start, BlockArgument carried) {
  SmallVector<Operation *> extrema = findStartedExtrema(start, carried);
  for (Operation *extremum : extrema)
    if (function->isProperAncestor(extremum))
      startedExtrema.insert(extremum);
  return !extrema.empty();
}

/// True if an operation of linalg writes each element of `init` by `map`.
static bool writesAll(AffineMap map, Value init) {
  llvm::SmallDenseSet<unsigned, 4> dimensions;
  for (auto [expr, size] : llvm::zip_equal(
           map.getResults(), cast<ShapedType>(init.getType()).getShape())) {
    auto dimension = dyn_cast<AffineDimExpr>(expr);
    if (dimension ? !dimensions.insert(dimension.getPosition()).second
                  : size != 1)
      return false;
  }
  return true;
}

void FunctionDegrees::addLinalg(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (auto type = dyn_cast<ShapedType>(operand.get().getType());
        type && !type.hasStaticShape())
      for (Value result : op->getResults())
        addEdge(operand.get(), result, EdgeKind::Size, op);
    if (!argument || argument.use_empty() ||
        (op.getNumReductionLoops() != 0 && op.isDpsInit(&operand) &&
         isStart(operand.get(), argument)))
      continue;
    if (isMemory(operand.get().getType()) &&
        isConstantMemory(operand.get(), symbols))
      raise(argument, DegreeTable::kZero);
    else
      addEdge(operand.get(), argument, EdgeKind::Flow, op);
  }
  Operation *yield = body->getTerminator();
  for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    Value yielded = yield->getOperand(index);
    BlockArgument carried = op.getMatchingBlockArgument(&init);
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isPermutation() && carried && !carried.use_empty())
      addEdge(yielded, carried, EdgeKind::Flow, op);
    if (isMemory(init.get().getType())) {
      addEdge(yielded, Value(), EdgeKind::Flow, op);
      continue;
    }
    addEdge(yielded, op->getResult(index), EdgeKind::Flow, op);
    // What is not written stays.
    if (!writesAll(map, init.get()))
      addEdge(init.get(), op->getResult(index), EdgeKind::Flow, op);
  }
}

void FunctionDegrees::addRegionBranch(RegionBranchOpInterface op) {
  RegionBranchSuccessorMapping mapping;
  op.getSuccessorOperandInputMapping(mapping);
  SmallVector<OpOperand *> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(&operand);
  SmallVector<Value> targets(op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      if (&block == &region.front())
        llvm::append_range(targets, block.getArguments());
      if (block.mightHaveTerminator())
        for (OpOperand &operand : block.getTerminator()->getOpOperands())
          operands.push_back(&operand);
    }
  // In the order of the program: a map of pointers has none.
  for (OpOperand *operand : operands) {
    // Between blocks of a region.
    if (auto branch = dyn_cast<BranchOpInterface>(operand->getOwner());
        branch && branch.getSuccessorBlockArgument(operand->getOperandNumber()))
      continue;
    auto it = mapping.find(operand);
    if (it == mapping.end()) {
      for (Value target : targets)
        addEdge(operand->get(), target, EdgeKind::Choice, op);
      if (memoryWriters.contains(op))
        addEdge(operand->get(), Value(), EdgeKind::Choice, op);
      continue;
    }
    SmallVector<Value> inputs = it->second;
    llvm::sort(inputs, [&](Value a, Value b) {
      return llvm::find(targets, a) < llvm::find(targets, b);
    });
    BlockArgument carried;
    if (auto loop = dyn_cast<LoopLikeOpInterface>(operand->getOwner()))
      carried = loop.getTiedLoopRegionIterArg(operand);
    if (carried && isStart(operand->get(), carried))
      continue;
    // What a guard keeps is not of a step that it skips.
    EdgeKind kind = isa<ApplyIfFiniteOp>(op) && operand->getOwner() != op
                        ? EdgeKind::Guarded
                        : EdgeKind::Flow;
    for (Value input : inputs)
      addEdge(operand->get(), input, kind, op);
  }
}

void FunctionDegrees::addForall(scf::ForallOp op) {
  // Bounds, and places that each thread writes to.
  auto addChoices = [&](Operation *chooser, ValueRange targets) {
    for (Value operand : chooser->getOperands())
      if (operand.getType().isIndex())
        for (Value target : targets)
          addEdge(operand, target, EdgeKind::Choice, chooser);
  };
  addChoices(op, op.getInductionVars());
  addChoices(op, op.getResults());
  if (memoryWriters.contains(op))
    addChoices(op, Value());
  for (auto [init, carried, result] : llvm::zip_equal(
           op.getOutputs(), op.getRegionIterArgs(), op.getResults())) {
    addEdge(init, carried, EdgeKind::Flow, op);
    addEdge(init, result, EdgeKind::Flow, op);
    for (Operation *user : carried.getUsers())
      if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(user);
          insert && insert.getDest() == carried) {
        addEdge(insert.getSource(), result, EdgeKind::Flow, op);
        addChoices(insert, result);
      }
  }
}

/// An element of memory is what the region yields of it, and the result is
/// that.
void FunctionDegrees::addAtomic(memref::GenericAtomicRMWOp op) {
  Value current = op.getCurrentValue();
  addEdge(op.getMemref(), current, EdgeKind::Flow, op);
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  for (Value target : {Value(), Value(op.getResult())})
    addEdge(yielded, target, EdgeKind::Flow, op);
  for (Value index : op.getIndices())
    for (Value target : {Value(), Value(op.getResult()), current})
      addEdge(index, target, EdgeKind::Choice, op);
}

void FunctionDegrees::addOpaque(Operation *op) {
  SmallVector<Value> targets(op->getResults());
  if (touchesMemory(op) && writesMemory(op))
    targets.push_back(Value());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(targets, block.getArguments());
  llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  // What it yields may be scaled inside.
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator()) {
        Operation *end = block.getTerminator();
        read.insert_range(end->getOperands());
        for (Region &nested : end->getRegions())
          nested.walk([&](Operation *inner) {
            read.insert_range(inner->getOperands());
          });
      }
  for (Value target : targets) {
    raise(target, DegreeTable::kZero);
    for (Value value : read)
      addEdge(value, target, EdgeKind::Unknown, op);
  }
}

void FunctionDegrees::addEdges(Operation *op) {
  if (op->getNumRegions() == 0) {
    if (auto branch = dyn_cast<BranchOpInterface>(op))
      addBranches(branch);
    if (auto end = dyn_cast<func::ReturnOp>(op))
      returns.push_back(end);
    return;
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return addLinalg(linalgOp);
  if (auto forall = dyn_cast<scf::ForallOp>(op))
    return addForall(forall);
  if (auto atomic = dyn_cast<memref::GenericAtomicRMWOp>(op))
    return addAtomic(atomic);
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ExecuteRegionOp,
          scf::IndexSwitchOp, affine::AffineForOp, affine::AffineIfOp,
          ApplyIfFiniteOp, AutocastOp>(op))
    return addRegionBranch(cast<RegionBranchOpInterface>(op));
  if (isa<tensor::PadOp, tensor::GenerateOp>(op)) {
    Value result = op->getResult(0);
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      addEdge(pad.getSource(), result, EdgeKind::Flow, op);
    for (Value yielded :
         op->getRegion(0).front().getTerminator()->getOperands())
      addEdge(yielded, result, EdgeKind::Flow, op);
    for (Value size : op->getOperands())
      if (size.getType().isIndex())
        addEdge(size, result, EdgeKind::Choice, op);
    return;
  }
  addOpaque(op);
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

void FunctionDegrees::raise(Value value, DegreeId degree) {
  DegreeId &slot = degrees[value];
  if (slot == degree && value)
    return;
  if (!value)
    degree = table.control(degree, memoryChoice);
  if (auto it = choosers.find(value); it != choosers.end())
    for (Value chooser : it->second)
      degree = table.control(degree, get(chooser));
  if (auto argument = dyn_cast_if_present<BlockArgument>(value);
      argument && !argument.getOwner()->isEntryBlock())
    if (auto it = blockChoice.find(argument.getOwner()->getParent());
        it != blockChoice.end())
      degree = table.control(degree, it->second);
  if (slot == degree)
    return;
  slot = degree;
  raised.push_back(value);
}

/// What is wrong with a choice that an overflow makes; none for the condition
/// of a loop that ends all the same, and what it leaves shows the overflow.
/// Inside of the loop nothing is chosen.
std::optional<DegreeFault>
FunctionDegrees::getChoiceFault(const Edge &edge) const {
  auto loop = dyn_cast<scf::WhileOp>(edge.op);
  if (!loop || !edge.target)
    return DegreeFault::Chooses;
  auto mayOverflow = [&](Value value) { return table.mayOverflow(get(value)); };
  auto result = dyn_cast<OpResult>(edge.target);
  if (!result)
    return std::nullopt;
  if (!showsOverflow(loop, result.getResultNumber(), mayOverflow))
    return DegreeFault::Chooses;
  if (!endsWithOverflow(loop, mayOverflow))
    return DegreeFault::Endless;
  return std::nullopt;
}

/// True if what `guard` asks for says of each scale whose overflow may be in
/// `degree`, whether one of its unscalings found one, as far as its function
/// shows; what a caller hands over may say it of any.
bool FunctionDegrees::looksForOverflow(ApplyIfFiniteOp guard, DegreeId degree) {
  auto [it, isNew] = guardScales.try_emplace(guard);
  const std::optional<SmallVector<unsigned>> &looked =
      isNew ? it->second = transfer.findFoundScales(guard.getFoundInf())
            : it->second;
  return !looked ||
         llvm::all_of(table.getOverflows(degree), [&](unsigned scale) {
           return llvm::is_contained(*looked, scale);
         });
}

void FunctionDegrees::drain() {
  while (!raised.empty()) {
    Value value = raised.pop_back_val();
    DegreeId degree = degrees.lookup(value);
    if (auto it = edges.find(value); it != edges.end()) {
      for (const Edge &edge : it->second) {
        DegreeId old = degrees.lookup(edge.target);
        DegreeId now = old;
        switch (edge.kind) {
        case EdgeKind::Flow:
        case EdgeKind::Guarded: {
          bool isLookedFor =
              edge.kind == EdgeKind::Guarded &&
              looksForOverflow(cast<ApplyIfFiniteOp>(edge.op), degree);
          now = table.join(
              old, isLookedFor ? table.clearOverflow(degree) : degree, edge.op,
              edge.target ? DegreeFault::Meets : DegreeFault::Memory);
          break;
        }
        case EdgeKind::Size:
          now = table.control(old, table.getOfSize(degree));
          break;
        case EdgeKind::Choice: {
          DegreeId chooser =
              table.requireZero(degree, edge.op, DegreeFault::Compares);
          if (std::optional<DegreeFault> fault = getChoiceFault(edge))
            chooser = table.hideOverflow(chooser, edge.op, *fault);
          if (!edge.target) {
            memoryChoice = table.control(memoryChoice, chooser);
            break;
          }
          auto &list = choosers[edge.target];
          if (!llvm::is_contained(list, value))
            list.push_back(value);
          now = table.control(old, chooser);
          break;
        }
        case EdgeKind::Unknown:
          now = table.join(
              old, table.requireZero(degree, edge.op, DegreeFault::Unknown),
              edge.op, DegreeFault::Unknown);
          break;
        }
        raise(edge.target, now);
      }
    }
    if (!value) {
      again.insert_range(memoryReaders);
      continue;
    }
    if (auto it = branchConditions.find(value); it != branchConditions.end())
      for (Region *region : it->second) {
        auto [entry, isNew] =
            blockChoice.try_emplace(region, DegreeTable::kZero);
        Operation *parent = region->getParentOp();
        DegreeId choice = table.control(
            entry->second,
            table.hideOverflow(
                table.requireZero(degree, parent, DegreeFault::Compares),
                parent, DegreeFault::Chooses));
        // One condition more among thousands mostly changes nothing, and what
        // is raised takes the choice in.
        if (!isNew && choice == entry->second)
          continue;
        entry->second = choice;
        for (Block &block : llvm::drop_begin(*region))
          for (BlockArgument argument : block.getArguments())
            raise(argument, table.control(degrees.lookup(argument), choice));
        if (memoryWriters.contains(region->getParentOp())) {
          memoryChoice = table.control(memoryChoice, choice);
          raise(Value(), get(Value()));
        }
      }
    for (Operation *user : value.getUsers())
      if (visited.contains(user))
        again.insert(user);
  }
}

/// Operations on memory read and write the one cell that stands for all of it.
void FunctionDegrees::visitMemory(Operation *op,
                                  SmallVectorImpl<DegreeId> &results) {
  memoryReaders.insert(op);
  bool writes = writesMemory(op), readsConstants = !loadsGlobal(op);
  DegreeId memory = get(Value()), padding = DegreeTable::kAny,
           places = DegreeTable::kZero;
  for (Value operand : op->getOperands()) {
    DegreeId degree = get(operand);
    if (isMemory(operand.getType())) {
      if (!isConstantMemory(operand, symbols))
        readsConstants = false;
      else if (writes)
        memory =
            table.join(memory, DegreeTable::kZero, op, DegreeFault::Memory);
    } else if (isFloating(operand.getType())) {
      if (writes)
        memory = table.join(memory, degree, op, DegreeFault::Memory);
      else // padding
        padding = table.join(padding, degree, op, DegreeFault::Memory);
    } else {
      places = table.control(
          places, table.requireZero(degree, op, DegreeFault::Memory));
    }
  }
  if (writes)
    raise(Value(), table.control(memory, places));
  DegreeId read = readsConstants ? DegreeTable::kZero : get(Value());
  read = table.join(read, padding, op, DegreeFault::Memory);
  for (Type type : op->getResultTypes())
    results.push_back(table.control(
        isFloating(type) ? read : table.control(DegreeTable::kZero, read),
        places));
}

void FunctionDegrees::visitCall(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  const DegreeSummary *summary =
      callee ? analysis.lookupSummary(callee) : nullptr;
  SmallVector<DegreeId> arguments;
  bool handsMemory = false;
  for (Value operand : call.getOperands()) {
    arguments.push_back(get(operand));
    handsMemory |= isMemory(operand.getType());
  }
  if (!summary) {
    // Nothing is known of it but what it is given.
    DegreeId all = DegreeTable::kZero;
    for (DegreeId argument : arguments)
      all = table.join(all,
                       table.requireZero(argument, call, DegreeFault::Unknown),
                       call, DegreeFault::Unknown);
    for (Value result : call.getResults())
      raise(result, all);
    return;
  }
  FunctionKind kind = getFunctionKind(callee);
  llvm::BitVector fixed(arguments.size());
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (!isFloating(call.getOperand(index).getType()) ||
        isUnscaledArgument(callee, kind, index))
      fixed.set(index);
    if (!isFloating(call.getOperand(index).getType()))
      argument = table.hideOverflow(
          table.requireZero(argument, call, DegreeFault::Compares), call,
          DegreeFault::Chooses);
    else if (isUnscaledArgument(callee, kind, index))
      argument = table.hideOverflow(
          table.requireZero(argument, call, DegreeFault::Enters), call,
          DegreeFault::Escapes);
    else if (callee.isExternal() && !getArgRole(callee, index).role)
      argument = table.requireZero(argument, call, DegreeFault::Unknown);
  }
  // The number that a maximum of the callee starts from.
  bool handsStart = false, hidesInfinity = false;
  for (OpOperand &operand : call->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (arguments[index] != DegreeTable::kZero || callee.isExternal() ||
        !isFloating(operand.get().getType()))
      continue;
    SmallVector<Operation *> extrema =
        findStartedExtrema(operand.get(), callee.getArgument(index));
    if (extrema.empty())
      continue;
    arguments[index] = DegreeTable::kAny;
    handsStart = true;
    hidesInfinity |= llvm::any_of(extrema, mayHideInfinity);
  }
  if (handsStart)
    startedExtrema.insert(call);
  DegreeId memory = get(Value());
  // Its conditions and faults come with the memory that is handed over; that it
  // is not scaled, the callee's memory asks for.
  if (handsMemory)
    memoryReaders.insert(call);
  CallDegrees inCall(table, arguments, fixed, call);
  for (OpResult result : call.getResults()) {
    unsigned index = result.getResultNumber();
    DegreeId degree =
        inCall.get(summary->results[index], [&](unsigned argument) {
          return callee.isExternal() ||
                 reach.lookup(callee, argument).test(index);
        });
    if (leftAtStart.contains(call) && table[degree].kind == ScaleDegree::Any)
      degree = table.join(degree, DegreeTable::kZero, call, DegreeFault::Mixes);
    if (hidesInfinity)
      degree = table.hideOverflow(degree, call, DegreeFault::Hides);
    raise(result, degree);
  }
  touchesGlobals |= summary->touchesGlobals;
  if (summary->memory != DegreeTable::kAny)
    raise(Value(),
          table.join(memory,
                     inCall.get(summary->memory, [](unsigned) { return true; }),
                     call, DegreeFault::Memory));
}

void FunctionDegrees::visit(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() != 0)
    return; // edges
  visited.insert(op);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    visitCall(call);
  } else {
    SmallVector<DegreeId> operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    SmallVector<DegreeId> results;
    if (touchesMemory(op))
      visitMemory(op, results);
    else
      results = transfer.apply(op, operands);
    if (isa<func::CallIndirectOp>(op) && analysis.mayScaleIndirectly())
      results.assign(op->getNumResults(),
                     table.getFault({op, DegreeFault::Unknown, {}, {}, {}}));
    if (leftAtStart.contains(op))
      results.front() = table.join(results.front(), DegreeTable::kZero, op,
                                   DegreeFault::Mixes);
    if (startedExtrema.contains(op) && mayHideInfinity(op))
      results.front() =
          table.hideOverflow(results.front(), op, DegreeFault::Hides);
    for (auto [result, degree] : llvm::zip_equal(op->getResults(), results))
      if (!isMemory(result.getType()))
        raise(result, degree);
  }
  drain();
}

/// What writes memory, and whether that outlives the function.
void FunctionDegrees::findMemory() {
  function.getBody().walk([&](Operation *op) {
    if (storesGlobal(op)) {
      touchesGlobals = true;
    } else if (loadsGlobal(op)) {
      auto name = op->getAttrOfType<FlatSymbolRefAttr>("global");
      Operation *global = name ? symbols.lookup(name.getValue()) : nullptr;
      touchesGlobals |= !global || global->hasAttr("is_mutable");
    } else if (isa<memref::GetGlobalOp>(op)) {
      touchesGlobals |= !isConstantMemory(op->getResult(0), symbols);
    }
    const DegreeSummary *callee = nullptr;
    if (auto call = dyn_cast<func::CallOp>(op))
      if (auto function = symbols.lookup<func::FuncOp>(call.getCallee()))
        callee = analysis.lookupSummary(function);
    if ((touchesMemory(op) && writesMemory(op)) ||
        (callee && callee->touchesGlobals))
      for (Operation *parent = op->getParentOp();
           parent && memoryWriters.insert(parent).second && parent != function;
           parent = parent->getParentOp())
        ;
  });
}

DegreeSummary FunctionDegrees::run() {
  degrees[Value()] = DegreeTable::kAny;
  findMemory();
  function.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { addEdges(op); });
  if (touchesGlobals)
    raise(Value(), DegreeTable::kZero);
  FunctionKind kind = getFunctionKind(function);
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    if (isMemory(argument.getType()))
      raise(Value(), DegreeTable::kZero);
    else if (seedScale && getArgRole(function, index).is(Role::LossSeed))
      raise(argument, table.getAtom(*seedScale));
    else
      raise(argument, isFloating(argument.getType()) &&
                              !isUnscaledArgument(function, kind, index)
                          ? table.getArgument(index)
                          : DegreeTable::kZero);
  }
  drain();
  function.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { visit(op); });
  auto settle = [&] {
    while (!again.empty())
      visit(again.pop_back_val());
  };
  settle();
  // A maximum of nothing but -inf leaves the number that it started with.
  for (size_t i = 0; i != startedExtrema.size(); ++i) {
    Operation *extremum = startedExtrema[i];
    if (llvm::none_of(extremum->getResults(), [&](Value result) {
          return table[get(result)].kind == ScaleDegree::Any;
        }))
      continue;
    leftAtStart.insert(extremum);
    visit(extremum);
    settle();
  }

  DegreeSummary summary;
  summary.results.assign(function.getNumResults(), DegreeTable::kAny);
  auto choice = blockChoice.find(&function.getBody());
  for (unsigned i = 0, e = function.getNumResults(); i != e; ++i) {
    DegreeId &result = summary.results[i];
    for (func::ReturnOp end : returns) {
      result =
          table.join(result, get(end.getOperand(i)), end, DegreeFault::Meets);
      // Which return is reached, chooses between their values.
      if (choice != blockChoice.end() &&
          end.getOperand(i) != returns.front().getOperand(i))
        result = table.control(result, choice->second);
    }
  }
  summary.memory = get(Value());
  summary.touchesGlobals = touchesGlobals;
  return summary;
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

ScaleDegreeAnalysis::ScaleDegreeAnalysis(ModuleOp module, func::FuncOp seeded) {
  for (auto scaler : module.getOps<ScalerOp>()) {
    scaleNumbers[scaler.getSymName()] = scales.size();
    scales.push_back(scaler.getSymName());
  }
  unsigned seedScale = scales.size();
  if (seeded)
    scales.push_back("loss_seed");
  table = std::make_unique<DegreeTable>(scales.size());
  ScaleTransfer transfer(*table, scaleNumbers, degrees);
  SymbolTable symbols(module);
  ArgumentReach reach;
  auto analyze = [&](func::FuncOp function) {
    DegreeSummary summary =
        FunctionDegrees(
            function, *this, *table, transfer, symbols, reach, degrees,
            function == seeded ? std::optional(seedScale) : std::nullopt)
            .run();
    bool changed = summary.results != summaries[function].results ||
                   summary.memory != summaries[function].memory ||
                   summary.touchesGlobals != summaries[function].touchesGlobals;
    summaries[function] = std::move(summary);
    return changed;
  };
  llvm::DenseSet<Operation *> scaling;
  auto scales = [&](func::FuncOp function) {
    return function
        .walk([&](Operation *op) {
          auto call = dyn_cast<func::CallOp>(op);
          bool isFound =
              isa<ScaleLossOp, UnscaleOp>(op) ||
              (call && scaling.contains(symbols.lookup(call.getCallee())));
          return isFound ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  std::vector<CallComponent> components = getCallComponents(module);
  SmallVector<func::ConstantOp> references;
  module.walk([&](func::ConstantOp op) { references.push_back(op); });
  if (!references.empty())
    for (const CallComponent &component : components)
      if (llvm::any_of(component.functions, scales))
        scaling.insert_range(component.functions);
  for (func::ConstantOp reference : references)
    scalesIndirectly |= scaling.contains(symbols.lookup(reference.getValue()));
  for (const CallComponent &component : components) {
    // Before its first round a recursive function returns nothing yet.
    for (func::FuncOp function : component.functions) {
      if (function.isExternal()) {
        if (hasRoles(function))
          summaries[function] = getContract(function, *table);
      } else if (component.isRecursive) {
        summaries[function].results.assign(function.getNumResults(),
                                           DegreeTable::kAny);
      }
    }
    bool changed = true;
    unsigned maxRounds = component.isRecursive ? kMaxRounds : 1;
    for (unsigned round = 0; changed && round < maxRounds; ++round) {
      changed = false;
      for (func::FuncOp function : component.functions)
        if (!function.isExternal())
          changed |= analyze(function);
    }
    if (changed && component.isRecursive)
      for (func::FuncOp function : component.functions)
        for (DegreeId &result : summaries[function].results)
          result = table->getFault(
              {function, DegreeFault::Meets, LinearForm(), LinearForm(), {}});
  }
  degrees.erase(Value());
}

const DegreeSummary *
ScaleDegreeAnalysis::lookupSummary(func::FuncOp function) const {
  auto it = summaries.find(function);
  return it == summaries.end() ? nullptr : &it->second;
}

void ScaleDegreeAnalysis::print(DegreeId id, raw_ostream &os) const {
  const ScaleDegree &degree = (*table)[id];
  switch (degree.kind) {
  case ScaleDegree::Any:
    os << "any";
    return;
  case ScaleDegree::Known:
    table->print(degree.form, scales, os);
    return;
  case ScaleDegree::Undecided:
    os << "undecided";
    return;
  case ScaleDegree::None:
    os << "none";
    return;
  }
  llvm_unreachable("all kinds are listed");
}
