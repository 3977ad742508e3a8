//===- InsertCasts.cpp - Casts, operation by operation --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order gives each f32 value a storage: half, wide, or
// neutral (a constant, which has any type). A value is then up to three SSA
// values, made when first asked for and placed right after its definition, so
// that every user shares them and none sits in a loop:
//
//   raw      what the operation computed, f32, unrounded
//   half     amp.cast raw            (or a movement of a half source)
//   rounded  amp.cast half to f32
//
// A use inside the unit that made the value takes `raw`; a use outside takes
// `half` if it is a factor of a low contraction or moves elements, else
// `rounded`. That is the whole invariant: a value is rounded exactly when it
// leaves its unit, whatever the lowering was split into. Rounding every
// operation instead would overflow the sum of squares of a half batch norm.
//
// A backward operation shares the forward unit's inner values: what the unit
// keeps for itself is raw, what it hands to others is what a framework saves,
// the rounded result.
//
// Movements keep their operands: asked for the half of a moved value, the mover
// is cloned on the half of its source, so chains of views carry half elements.
// Only a mixture of half and wide values (concat, insert_slice), which is wide,
// takes the rounded form of its half parts; and a movement that is the result
// of an FP32 function, which is wide too.
//
// Three classes depend on how an argument is stored, so they are resolved here,
// when the walk reaches their unit: an in-place form is low or high as self is
// half or wide (a constant is wide: a fresh buffer is FP32), and a function
// that refuses half arguments is an error or high.
//
// What a call of a helper hands over, and gets, is f32, rounded where it is
// stored in half. So a function without roles that one with roles calls is
// copied once for each way in which its arguments are stored; the copy says how
// its results are. A helper that calls itself is told that they are wide.
//
// Linear in uses.
//
//===----------------------------------------------------------------------===//

#include "Callees.h"
#include "HelperCopies.h"
#include "ModulePolicy.h"
#include "SignatureChange.h"

#include "amp/Analysis/ComputeKind.h"
#include "amp/Analysis/PrecisionUnits.h"
#include "amp/Analysis/ValueOrigins.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "amp/Policy/OpLists.h"
#include "amp/Support/AllocationOrder.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <map>

#define DEBUG_TYPE "amp-insert-casts"

namespace mlir::amp {
#define GEN_PASS_DEF_INSERTCASTSPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
/// How a value is stored between units.
enum class Storage { Neutral, Half, Wide };

/// What the pass reports.
struct Counts {
  unsigned casts = 0, retyped = 0, contractions = 0;
};

/// Storage of each argument or result of a function.
using Storages = SmallVector<Storage>;

class HelperCasts;

class CastInserter {
public:
  /// Calls of helpers go to the copies of `helpers`, where that is given.
  CastInserter(FunctionOpInterface function, Type halfType,
               HelperCasts *helpers)
      : function(function), halfType(halfType), helpers(helpers),
        origins(function), builder(function.getContext()) {}

  /// Fails, after a diagnostic, where a half argument is refused.
  LogicalResult run(ArrayRef<Storage> arguments = {});
  const Counts &getCounts() const { return counts; }
  /// How the results are stored: as all returns have them.
  const Storages &getResults() const { return results; }

private:
  // The walk.
  void findKeptValues();
  LogicalResult visitRegion(Region &region);
  void joinBranches(Block &block);
  void joinRegions(scf::IfOp branch);
  LogicalResult visit(Operation *op);
  void visitMovement(Operation *op);
  LogicalResult visitCompute(Operation *op, ClassAttr given);
  void visitReturn(func::ReturnOp op);
  LogicalResult visitCall(func::CallOp call);
  void setStored(Value value, Storage stored);
  void useStored(Operation *op);

  // What a use gets.
  bool isRawUse(Value value, Operation *user);
  Storage join(Operation *op, PrecisionClass cls);
  std::optional<Storage> getStorageOfSelf(Operation *op);
  FailureOr<PrecisionClass> resolve(Operation *op, ClassAttr cls);
  LogicalResult refuse(Operation *op, Value argument);
  Value choose(Value value, Operation *user, PrecisionClass cls);
  void setFactor(OpOperand &operand);
  void rewriteGathers(Operation *op, PrecisionClass cls);

  // The forms of a value.
  Storage getStorage(Value value);
  void setRounded(Value value);
  Value getMoved(Value value);
  bool isMovedInHalf(Value value);
  SmallVector<Value> getSourcesOfHalf(Value value);
  Value getHalf(Value value);
  Value makeHalf(Value value);
  Value getRounded(Value value);
  Value cloneInHalf(Operation *mover);
  Value castAfter(Value value, Type element);
  Value castScalar(Value scalar);
  Type toHalf(Type tensor) {
    return cast<RankedTensorType>(tensor).clone(halfType);
  }

  FunctionOpInterface function;
  Type halfType;
  HelperCasts *helpers;
  ValueOrigins origins;
  OpBuilder builder;
  Counts counts;
  Storages results;
  bool hasReturned = false;
  AllocationOrderSet<Value> kept;
  llvm::DenseSet<Block *> visited;
  /// The operand that an in-place unit overwrites (`amp.self`), by unit.
  llvm::DenseMap<int64_t, OpOperand *> selfOf;
  /// Those of amp.autocast, inner ones first.
  SmallVector<AutocastOp> regions;
  AllocationOrderMap<Value, Storage> storage;
  AllocationOrderMap<Value, Value> halfOf, roundedOf;
  /// What the results show of the movements and computations that the walk has
  /// passed, whose operands change no more: a body is not read again for each
  /// use of each of its results.
  AllocationOrderMap<Value, Value> movedOf;
};

/// The copies of the helpers of a module, each made and given its casts when a
/// call first asks for it.
class HelperCasts {
public:
  HelperCasts(ModuleOp module, Type halfType)
      : module(module), symbols(module), inserted(module, symbols),
        halfType(halfType) {}

  /// Lets `call` go to the copy for arguments that are stored so, and says how
  /// its results are; null where the call stays as it is.
  FailureOr<const Storages *> specialize(func::CallOp call,
                                         const Storages &arguments);
  /// Erases the helpers that were replaced, and gives the others their casts.
  LogicalResult finish();
  const Counts &getCounts() const { return counts; }
  void count(const Counts &more);
  bool hasCopies() const { return !copies.empty(); }

private:
  struct Copy {
    func::FuncOp function;
    Storages results;
  };

  ModuleOp module;
  SymbolTable symbols;
  HelperCopies inserted;
  Type halfType;
  Counts counts;
  unsigned depth = 0;
  std::map<std::pair<Operation *, Storages>, Copy> copies;
  llvm::DenseMap<Operation *, unsigned> numCopies;
};
} // namespace

static ClassAttr getClass(Operation *op) {
  return op ? op->getAttrOfType<ClassAttr>(kClassAttr) : ClassAttr();
}

static std::optional<int64_t> getUnit(Operation *op) {
  ClassAttr cls = getClass(op);
  return cls ? cls.getUnit() : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The forms of a value
//===----------------------------------------------------------------------===//

Storage CastInserter::getStorage(Value value) {
  auto it = storage.find(value);
  return it == storage.end() ? Storage::Wide : it->second;
}

/// As getMovedValue, without a walk through what the walk has passed.
Value CastInserter::getMoved(Value value) {
  auto it = movedOf.find(value);
  return it == movedOf.end() ? getMovedValue(value) : it->second;
}

/// amp.cast of `value`, right after its definition.
Value CastInserter::castAfter(Value value, Type element) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Type type = cast<RankedTensorType>(value.getType()).clone(element);
  Value result = builder.createOrFold<CastOp>(value.getLoc(), type, value);
  counts.casts += isa_and_present<CastOp>(result.getDefiningOp());
  return result;
}

Value CastInserter::castScalar(Value scalar) {
  return builder.createOrFold<CastOp>(scalar.getLoc(), halfType, scalar);
}

/// Half elements are moved. A slice or a mixture that is stored wide is cast
/// after it was made: that casts fewer elements, or is the only way.
bool CastInserter::isMovedInHalf(Value value) {
  // What the walk knows to be computed shows itself.
  Operation *def = value.getDefiningOp();
  auto shown = movedOf.find(value);
  return def && (shown == movedOf.end() || shown->second != value) &&
         getComputeKind(def) == ComputeKind::Movement &&
         (getStorage(value) == Storage::Half ||
          !isa<tensor::ExtractSliceOp, tensor::ConcatOp, tensor::InsertSliceOp>(
              def));
}

/// True if `extract`, in the body of `mover`, gathers from a tensor that has a
/// half form of its own. One that the body makes stays as it is.
static bool gathersFromOutside(tensor::ExtractOp extract, Operation *mover) {
  Value gathered = extract.getTensor();
  return isCastableTensor(gathered.getType()) &&
         !mover->isAncestor(gathered.getParentBlock()->getParentOp());
}

/// The values whose half forms that of `value` is made of.
SmallVector<Value> CastInserter::getSourcesOfHalf(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return {fill.output()};
  SmallVector<Value> sources;
  if (!isMovedInHalf(value))
    return sources;
  Operation *mover = value.getDefiningOp();
  for (Value operand : mover->getOperands())
    if (isCastableTensor(operand.getType()))
      sources.push_back(operand);
  for (Region &region : mover->getRegions())
    region.walk([&](tensor::ExtractOp extract) {
      if (gathersFromOutside(extract, mover))
        sources.push_back(extract.getTensor());
    });
  return sources;
}

/// Sources first, each once: chains of movements are longer than the stack.
Value CastInserter::getHalf(Value value) {
  SmallVector<Value> pending{value};
  llvm::SmallDenseSet<Value> entered;
  while (!pending.empty()) {
    Value next = pending.back();
    if (!halfOf.contains(next) && entered.insert(next).second) {
      SmallVector<Value> sources = getSourcesOfHalf(next);
      for (Value source : llvm::reverse(sources))
        if (!halfOf.contains(source))
          pending.push_back(source);
      continue;
    }
    pending.pop_back();
    if (!halfOf.contains(next)) {
      Value half = makeHalf(next);
      halfOf[next] = half;
    }
  }
  return halfOf.lookup(value);
}

/// The half form of `value`, whose sources have theirs.
Value CastInserter::makeHalf(Value value) {
  Operation *def = value.getDefiningOp();
  if (auto widening = dyn_cast_or_null<CastOp>(def);
      widening &&
      getElementTypeOrSelf(widening.getInput().getType()) == halfType)
    return widening.getInput();
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(def)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(empty);
    return tensor::EmptyOp::create(builder, empty.getLoc(),
                                   toHalf(empty.getType()),
                                   empty.getDynamicSizes());
  }
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(def)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(fill);
    Value scalar = castScalar(fill.value());
    auto created = linalg::FillOp::create(builder, fill.getLoc(), scalar,
                                          halfOf.lookup(fill.output()));
    created->setDiscardableAttrs(fill->getDiscardableAttrDictionary());
    return created.getResult(0);
  }
  return isMovedInHalf(value) ? cloneInHalf(def) : castAfter(value, halfType);
}

Value CastInserter::getRounded(Value value) {
  if (Value known = roundedOf.lookup(value))
    return known;
  Value half = getHalf(value);
  // A parameter that amp-cast-model widened is its own rounded form.
  Value rounded = value;
  if (auto widening = value.getDefiningOp<CastOp>();
      !widening || widening.getInput() != half)
    rounded = castAfter(half, builder.getF32Type());
  roundedOf[value] = rounded;
  halfOf.try_emplace(rounded, half);
  storage[rounded] = Storage::Half;
  return rounded;
}

/// `mover` on half operands, with a half result, after `mover`:
///   %r = linalg.transpose ins(%x : f32)
///   becomes
///   %h = linalg.transpose ins(%xh : f16)
Value CastInserter::cloneInHalf(Operation *mover) {
  SmallVector<Value> operands;
  for (Value operand : mover->getOperands())
    operands.push_back(
        isCastableTensor(operand.getType()) ? halfOf.lookup(operand) : operand);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(mover);
  Operation *clone = mover->clone();
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (operand.getType().isF32())
      operand = castScalar(operand);
    clone->setOperand(index, operand);
  }
  builder.insert(clone);
  clone->getResult(0).setType(toHalf(mover->getResult(0).getType()));

  // Bodies go on in f32 between exact widenings and a rounding of what was not
  // rounded: both fold away where an element is just handed on.
  auto widen = [&](Value element) {
    element.setType(halfType);
    builder.setInsertionPointAfterValue(element);
    auto wide = CastOp::create(builder, element.getLoc(), builder.getF32Type(),
                               element);
    element.replaceAllUsesExcept(wide, wide);
  };
  for (Region &region : clone->getRegions()) {
    Block &body = region.front();
    for (BlockArgument argument : body.getArguments())
      if (argument.getType().isF32())
        widen(argument);
    body.walk([&](tensor::ExtractOp extract) {
      if (!gathersFromOutside(extract, clone))
        return;
      extract.getTensorMutable().assign(halfOf.lookup(extract.getTensor()));
      widen(extract.getResult());
    });
    for (OpOperand &yielded : body.getTerminator()->getOpOperands()) {
      if (!yielded.get().getType().isF32())
        continue;
      builder.setInsertionPoint(body.getTerminator());
      yielded.set(castScalar(yielded.get()));
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isa<CastOp>(op) && op.use_empty())
        op.erase();
  }
  ++counts.retyped;
  return clone->getResult(0);
}

//===----------------------------------------------------------------------===//
// What a use gets
//===----------------------------------------------------------------------===//

/// Which values stay inside their units, looked at through movements, is read
/// off the uses, so before the first of them is rewritten. Values are taken to
/// stay until a use says otherwise, and what a movement moves leaves with it:
/// each value is looked at once, however often the movements use it. The same
/// walk finds what units overwrite, and regions with a policy.
void CastInserter::findKeptValues() {
  SmallVector<Value> leaving;
  function->walk([&](Operation *op) {
    if (auto region = dyn_cast<AutocastOp>(op))
      regions.push_back(region);
    std::optional<int64_t> unit = getUnit(op);
    if (!unit)
      return;
    if (auto number = op->getAttrOfType<IntegerAttr>(kSelfAttr))
      selfOf[*unit] = &op->getOpOperand(number.getInt());
    for (Value result : op->getResults()) {
      kept.insert(result);
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return getUnit(user) != unit; }))
        leaving.push_back(result);
    }
  });
  while (!leaving.empty()) {
    Value value = leaving.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!kept.erase(value) || value != def->getResult(0) ||
        getComputeKind(def) != ComputeKind::Movement)
      continue;
    for (Value operand : def->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && getUnit(maker) == getUnit(def))
        leaving.push_back(operand);
  }
}

bool CastInserter::isRawUse(Value value, Operation *user) {
  Value moved = getMoved(value);
  Operation *def = moved.getDefiningOp();
  std::optional<int64_t> unit = getUnit(def);
  if (!unit || unit != getUnit(user))
    return false;
  if (getClass(def).getBackward() == getClass(user).getBackward())
    return true;
  return kept.contains(moved);
}

/// Storage of what the unit of `op` overwrites, if it overwrites something.
std::optional<Storage> CastInserter::getStorageOfSelf(Operation *op) {
  std::optional<int64_t> unit = getUnit(op);
  OpOperand *self = unit ? selfOf.lookup(*unit) : nullptr;
  if (!self)
    return std::nullopt;
  return getStorage(getMoved(self->get())) == Storage::Half ? Storage::Half
                                                            : Storage::Wide;
}

/// Apex's refusal of a half argument of the function that `op` belongs to.
LogicalResult CastInserter::refuse(Operation *op, Value argument) {
  auto name = op->getAttrOfType<StringAttr>(kFunctionAttr);
  std::optional<std::string> text;
  if (name)
    text =
        getRefusalText(name.getValue(), halfType.isF16() ? FloatKind::Float16
                                                         : FloatKind::BFloat16);
  InFlightDiagnostic error = op->emitOpError();
  error << text.value_or("expected arguments in FP32, but got a half one");
  error.attachNote(argument.getLoc()) << "this argument is half";
  return error;
}

/// The class of `op` once the storage of the unit's arguments is known: one
/// that a walk over operands can follow.
FailureOr<PrecisionClass> CastInserter::resolve(Operation *op, ClassAttr cls) {
  switch (cls.getValue()) {
  case PrecisionClass::Low:
  case PrecisionClass::High:
  case PrecisionClass::Promote:
  case PrecisionClass::Follow:
    return cls.getValue();
  case PrecisionClass::MatchSelf: {
    std::optional<Storage> stored = getStorageOfSelf(op);
    if (!stored)
      return PrecisionClass::Promote;
    return *stored == Storage::Half ? PrecisionClass::Low
                                    : PrecisionClass::High;
  }
  case PrecisionClass::RefuseHalf:
    // Gradients are no arguments.
    if (!cls.getBackward())
      for (Value value : getReadValues(op))
        if (isCastableTensor(value.getType()) &&
            getStorage(value) == Storage::Half && !isRawUse(value, op))
          return refuse(op, value);
    return PrecisionClass::High;
  case PrecisionClass::RefuseHalfSelf:
    if (!cls.getBackward() && getStorageOfSelf(op) == Storage::Half)
      return refuse(op, selfOf.lookup(*getUnit(op))->get());
    return PrecisionClass::High;
  }
  llvm_unreachable("every class is resolved");
}

/// Storage of the results of `op`: what its class makes of its operands'.
Storage CastInserter::join(Operation *op, PrecisionClass cls) {
  if (cls == PrecisionClass::Low)
    return Storage::Half;
  if (cls == PrecisionClass::High)
    return Storage::Wide;
  if (cls == PrecisionClass::Follow)
    if (std::optional<Storage> stored = getStorageOfSelf(op))
      return *stored;

  struct Operand {
    Storage stored;
    bool isScalar, isParameter;
  };
  SmallVector<Operand> operands;
  for (Value value : getReadValues(op)) {
    if (!isCastableTensor(value.getType()))
      continue;
    Storage stored = getStorage(value);
    if (stored == Storage::Neutral)
      continue;
    operands.push_back({stored,
                        cast<RankedTensorType>(value.getType()).getRank() == 0,
                        origins.lookup(value).isParameterOnly()});
  }
  // As in torch's promotion, a rank-0 tensor yields to one with dimensions.
  if (llvm::any_of(operands, [](Operand &o) { return !o.isScalar; }))
    llvm::erase_if(operands, [](Operand &o) { return o.isScalar; });
  // An operation that follows returns its activation's type: batch norm at O1
  // takes half activations and f32 weights, and returns half.
  if (cls == PrecisionClass::Follow &&
      llvm::any_of(operands, [](Operand &o) { return !o.isParameter; }))
    llvm::erase_if(operands, [](Operand &o) { return o.isParameter; });

  Storage result = Storage::Neutral;
  for (const Operand &operand : operands)
    result = std::max(result, operand.stored);
  return result;
}

/// The form of `value` that a computation of `user` reads.
Value CastInserter::choose(Value value, Operation *user, PrecisionClass cls) {
  Storage stored = getStorage(value);
  if (stored == Storage::Neutral || isRawUse(value, user))
    return value;
  if (stored == Storage::Half || cls == PrecisionClass::Low)
    return getRounded(value);
  return value;
}

/// A factor of a low contraction: half operand, widened inside the body, where
/// it is exact.
void CastInserter::setFactor(OpOperand &operand) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  operand.set(getHalf(operand.get()));
  BlockArgument argument = op.getMatchingBlockArgument(&operand);
  if (argument.getType() == halfType)
    return;
  argument.setType(halfType);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBlock());
  auto widened = arith::ExtFOp::create(builder, op.getLoc(),
                                       builder.getF32Type(), argument);
  argument.replaceAllUsesExcept(widened, widened);
}

/// Tensors that a body gathers from: the element is widened, not the tensor.
void CastInserter::rewriteGathers(Operation *op, PrecisionClass cls) {
  op->walk([&](tensor::ExtractOp extract) {
    Value tensor = extract.getTensor();
    if (!isCastableTensor(tensor.getType()))
      return;
    Storage stored = getStorage(tensor);
    if (stored == Storage::Neutral || isRawUse(tensor, op) ||
        (stored == Storage::Wide && cls != PrecisionClass::Low))
      return;
    extract.getTensorMutable().assign(getHalf(tensor));
    extract.getResult().setType(halfType);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(extract);
    auto widened = CastOp::create(builder, extract.getLoc(),
                                  builder.getF32Type(), extract.getResult());
    extract.getResult().replaceAllUsesExcept(widened, widened);
  });
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// A policy region has done its work once its operations are cast, or nothing
/// is half.
static void dissolve(AutocastOp op) {
  Block &body = op.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  op.replaceAllUsesWith(yield.getValues());
  yield.erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
  op.erase();
}

LogicalResult CastInserter::run(ArrayRef<Storage> arguments) {
  for (auto [argument, stored] : llvm::zip(function.getArguments(), arguments))
    setStored(argument, stored);
  findKeptValues();
  if (failed(visitRegion(function.getFunctionBody())))
    return failure();
  llvm::for_each(regions, dissolve);
  // Movements whose half clone replaced them, and inits of theirs.
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  return success();
}

LogicalResult CastInserter::visitRegion(Region &region) {
  for (Block *block : getBlocksSortedByDominance(region)) {
    joinBranches(*block);
    // The walk adds operations after the visited one: do not visit those.
    SmallVector<Operation *> ops;
    for (Operation &op : *block)
      ops.push_back(&op);
    for (Operation *op : ops)
      if (failed(visit(op)))
        return failure();
    visited.insert(block);
  }
  return success();
}

/// An argument of `block` is half where each branch hands it a half value. It
/// carries f32, rounded already. Branches back come later in the walk and are
/// not known yet: what they hand over is wide.
void CastInserter::joinBranches(Block &block) {
  if (block.isEntryBlock())
    return;
  // A switch comes from one block many times.
  llvm::SetVector<Block *> sources(block.pred_begin(), block.pred_end());
  auto handsHalf = [&](Block *from, unsigned number) {
    auto branch = dyn_cast<BranchOpInterface>(from->getTerminator());
    if (!branch || !visited.contains(from))
      return false;
    for (auto [index, successor] : llvm::enumerate(branch->getSuccessors())) {
      if (successor != &block)
        continue;
      Value operand = branch.getSuccessorOperands(index)[number];
      if (!operand || getStorage(operand) != Storage::Half)
        return false;
    }
    return true;
  };
  for (BlockArgument argument : block.getArguments()) {
    if (!isCastableTensor(argument.getType()))
      continue;
    bool isHalf = llvm::all_of(sources, [&](Block *from) {
      return handsHalf(from, argument.getArgNumber());
    });
    if (isHalf)
      setRounded(argument);
  }
}

/// A result of `branch` is half where both regions yield a half value.
void CastInserter::joinRegions(scf::IfOp branch) {
  for (OpResult result : branch.getResults()) {
    auto isHalf = [&](Region &region) {
      Operation *end = region.front().getTerminator();
      return getStorage(end->getOperand(result.getResultNumber())) ==
             Storage::Half;
    };
    if (isCastableTensor(result.getType()) && isHalf(branch.getThenRegion()) &&
        isHalf(branch.getElseRegion()))
      setRounded(result);
  }
}

/// `value` is f32 and has been rounded.
void CastInserter::setRounded(Value value) {
  storage[value] = Storage::Half;
  roundedOf[value] = value;
}

/// `value` came from a call, or is handed over by one.
void CastInserter::setStored(Value value, Storage stored) {
  if (!isCastableTensor(value.getType()))
    return;
  if (stored == Storage::Half)
    setRounded(value);
  else
    storage[value] = stored;
}

LogicalResult CastInserter::visitCall(func::CallOp call) {
  Storages arguments;
  for (Value operand : call.getOperands())
    arguments.push_back(isCastableTensor(operand.getType())
                            ? getStorage(operand)
                            : Storage::Wide);
  useStored(call);
  if (!helpers)
    return success();
  FailureOr<const Storages *> stored = helpers->specialize(call, arguments);
  if (failed(stored))
    return failure();
  if (*stored)
    for (auto [result, kind] : llvm::zip_equal(call.getResults(), **stored))
      setStored(result, kind);
  return success();
}

LogicalResult CastInserter::visit(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  if (auto castOp = dyn_cast<CastOp>(op)) {
    Value input = castOp.getInput(), result = castOp.getResult();
    if (getElementTypeOrSelf(input.getType()) == halfType) {
      storage[result] = Storage::Half;
    } else if (isa<RankedTensorType>(input.getType()) &&
               getElementTypeOrSelf(result.getType()) == halfType &&
               halfOf.lookup(input) != result) {
      result.replaceAllUsesWith(getHalf(input));
      castOp.erase();
    }
    return success();
  }
  if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
    visitReturn(returnOp);
    return success();
  }

  ComputeKind kind = getComputeKind(op);
  switch (kind) {
  case ComputeKind::Neutral:
    for (Value result : op->getResults())
      storage[result] = Storage::Neutral;
    return success();
  case ComputeKind::Movement:
    visitMovement(op);
    if (Value source = getMoveSource(op->getResult(0)))
      movedOf[op->getResult(0)] = getMoved(source);
    return success();
  case ComputeKind::Control:
    useStored(op);
    for (Region &region : op->getRegions())
      if (failed(visitRegion(region)))
        return failure();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      joinRegions(branch);
    return success();
  case ComputeKind::Other:
    useStored(op);
    return success();
  case ComputeKind::Contraction:
  case ComputeKind::Wide:
  case ComputeKind::Promote:
  case ComputeKind::Follow:
    break;
  }
  for (Value result : op->getResults())
    movedOf[result] = result;
  if (ClassAttr cls = getClass(op))
    return visitCompute(op, cls);
  useStored(op);
  return success();
}

void CastInserter::visitMovement(Operation *op) {
  ClassAttr cls = getClass(op);
  Storage stored = cls && cls.getValue() == PrecisionClass::High
                       ? Storage::Wide
                       : join(op, PrecisionClass::Promote);
  storage[op->getResult(0)] = stored;
  if (stored != Storage::Wide)
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (isCastableTensor(operand.get().getType()))
      operand.set(choose(operand.get(), op, PrecisionClass::Promote));
  if (isa<linalg::LinalgOp>(op))
    rewriteGathers(op, PrecisionClass::Promote);
}

LogicalResult CastInserter::visitCompute(Operation *op, ClassAttr given) {
  FailureOr<PrecisionClass> cls = resolve(op, given);
  if (failed(cls))
    return failure();
  Storage stored = join(op, *cls);
  bool isLow = *cls == PrecisionClass::Low;
  bool isContraction = getComputeKind(op) == ComputeKind::Contraction;
  // Which operands are factors is read off the body, so before it is changed.
  SmallVector<OpOperand *> factors;
  if (isContraction)
    for (OpOperand &operand : op->getOpOperands())
      if (isContractionFactor(operand) &&
          isCastableTensor(operand.get().getType()))
        factors.push_back(&operand);
  // Not low, but on factors that are half: nothing is lost by taking them so.
  if (!isLow && !llvm::all_of(factors, [&](OpOperand *factor) {
        return stored == Storage::Half &&
               getStorage(factor->get()) == Storage::Half &&
               !isRawUse(factor->get(), op);
      }))
    factors.clear();
  counts.contractions += !factors.empty();

  for (OpOperand &operand : op->getOpOperands())
    if (isCastableTensor(operand.get().getType()) &&
        !llvm::is_contained(factors, &operand))
      operand.set(choose(operand.get(), op, *cls));
  for (OpOperand *factor : factors)
    setFactor(*factor);
  if (isa<linalg::LinalgOp>(op))
    rewriteGathers(op, *cls);

  for (Value result : op->getResults())
    if (isCastableTensor(result.getType()))
      storage[result] = stored;
  return success();
}

/// Operations without a class read values as they are stored: control flow,
/// calls, scalar accesses.
void CastInserter::useStored(Operation *op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    if (isCastableTensor(extract.getTensor().getType()) &&
        getStorage(extract.getTensor()) == Storage::Half)
      rewriteGathers(op, PrecisionClass::Follow);
    return;
  }
  if (isa<tensor::DimOp>(op))
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (isCastableTensor(operand.get().getType()) &&
        getStorage(operand.get()) == Storage::Half)
      operand.set(getRounded(operand.get()));
}

void CastInserter::visitReturn(func::ReturnOp op) {
  results.resize(op.getNumOperands(), Storage::Wide);
  for (auto [result, value] : llvm::zip_equal(results, op.getOperands())) {
    Storage stored =
        isCastableTensor(value.getType()) ? getStorage(value) : Storage::Wide;
    result = hasReturned && stored != result ? Storage::Wide : stored;
  }
  hasReturned = true;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isCastableTensor(value.getType()) ||
        getStorage(value) != Storage::Half)
      continue;
    // Running statistics and gradients of f32 weights leave a kernel that is
    // not low in f32: they were never rounded. Helpers return them so as well.
    RoleInfo info = getResultRole(function, operand.getOperandNumber());
    ClassAttr cls = getClass(getMoved(value).getDefiningOp());
    const std::optional<CallContext> &context = origins.getContext();
    bool isUnrounded =
        info.is(Role::Buffer) || info.is(Role::Grad) ||
        (context && context->results[operand.getOperandNumber()].isUnrounded);
    if (isUnrounded && cls && cls.getValue() != PrecisionClass::Low)
      continue;
    operand.set(getRounded(value));
  }
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

void HelperCasts::count(const Counts &more) {
  counts.casts += more.casts;
  counts.retyped += more.retyped;
  counts.contractions += more.contractions;
}

FailureOr<const Storages *> HelperCasts::specialize(func::CallOp call,
                                                    const Storages &arguments) {
  func::FuncOp helper = getCallee(call, symbols);
  if (!isHelper(helper) || depth == kMaxHelperDepth)
    return nullptr;
  auto [it, isNew] = copies.try_emplace({helper, arguments});
  Copy &copy = it->second;
  if (isNew && ++numCopies[helper] > kMaxHelperCopies) {
    copies.erase(it);
    return nullptr;
  }
  if (isNew) {
    copy.results.resize(call.getNumResults(), Storage::Wide);
    copy.function = helper.clone();
    inserted.insert(helper, copy.function);
    ++depth;
    CastInserter inserter(copy.function, halfType, this);
    LogicalResult result = inserter.run(arguments);
    --depth;
    if (failed(result))
      return failure();
    count(inserter.getCounts());
    copy.results = inserter.getResults();
  }
  call.setCallee(copy.function.getSymName());
  return &copy.results;
}

LogicalResult HelperCasts::finish() {
  inserted.replaceHelpers();
  llvm::DenseSet<Operation *> made;
  for (auto &[key, copy] : copies)
    made.insert(copy.function);
  for (auto function : module.getOps<FunctionOpInterface>()) {
    auto helper = dyn_cast<func::FuncOp>(function.getOperation());
    if (!isHelper(helper) || made.contains(helper))
      continue;
    CastInserter inserter(function, halfType, /*helpers=*/nullptr);
    if (failed(inserter.run()))
      return failure();
    count(inserter.getCounts());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct InsertCasts : public amp::impl::InsertCastsPassBase<InsertCasts> {
  using InsertCastsPassBase::InsertCastsPassBase;

  void runOnOperation() override {
    if (placement != CastPlacement::Apex) {
      getOperation().emitError()
          << "expected 'placement' to be 'apex', but got 'min-cut', which is not "
             "available yet; leave it out, or set 'placement=apex'";
      return signalPassFailure();
    }
    PolicyAttr policy = requirePolicy(getOperation());
    if (!policy)
      return signalPassFailure();
    Type halfType = policy.getHalfType();
    if (!halfType) { // O0: FP32 everywhere, whatever the policy of a region
      for (auto function : getOperation().getOps<FunctionOpInterface>())
        function->walk(dissolve);
      return;
    }
    if (isFlagSet(getOperation(), kCastsInsertedAttr))
      return markAllAnalysesPreserved();
    getOperation()->setAttr(kCastsInsertedAttr, UnitAttr::get(&getContext()));
    if (!eraseUnreachable())
      markAnalysesPreserved<FunctionReferences>();
    if (llvm::any_of(getOperation().getOps<func::FuncOp>(), isHelper)) {
      if (failed(insertWithHelpers(halfType)))
        signalPassFailure();
      return;
    }
    SmallVector<FunctionOpInterface> functions;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        functions.push_back(function);
    // A function's casts follow from its own classes: functions in parallel,
    // diagnostics in their order.
    ParallelDiagnosticHandler diagnostics(&getContext());
    LogicalResult inserted = failableParallelForEachN(
        &getContext(), 0, functions.size(), [&](size_t number) {
          diagnostics.setOrderIDForThread(number);
          CastInserter inserter(functions[number], halfType,
                                /*helpers=*/nullptr);
          LogicalResult result = inserter.run();
          report(inserter.getCounts());
          diagnostics.eraseOrderIDForThread();
          return result;
        });
    if (failed(inserted))
      signalPassFailure();
  }

  void report(const Counts &counts) {
    numCasts += counts.casts;
    numRetyped += counts.retyped;
    numContractions += counts.contractions;
  }

  /// Values of blocks that nothing reaches may be made of themselves, and would
  /// be followed for ever where this pass runs alone. True if there were any.
  bool eraseUnreachable() {
    IRRewriter rewriter(&getContext());
    bool erased = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      erased |=
          succeeded(eraseUnreachableBlocks(rewriter, function->getRegions()));
    return erased;
  }

  /// Callers first: they say how arguments of helpers are stored.
  LogicalResult insertWithHelpers(Type halfType) {
    ModuleOp module = getOperation();
    HelperCasts helpers(module, halfType);
    SmallVector<FunctionOpInterface> callers;
    for (auto function : module.getOps<FunctionOpInterface>())
      if (!function.isExternal() &&
          !isHelper(dyn_cast<func::FuncOp>(function.getOperation())))
        callers.push_back(function);
    for (FunctionOpInterface function : callers) {
      CastInserter inserter(function, halfType, &helpers);
      if (failed(inserter.run()))
        return failure();
      helpers.count(inserter.getCounts());
    }
    if (failed(helpers.finish()))
      return failure();
    report(helpers.getCounts());
    if (helpers.hasCopies())
      module.walk([](Operation *op) { op->removeAttr(kContextAttr); });
    return success();
  }
};
} // namespace
