//===- GuardedOverflows.cpp - Overflows that a guard is not told ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards from what a guard takes, over values that an overflow may have come
// into, to the uses of scaled ones: there a scale is lost, and an infinity may
// become any number (g / |g * g| is 0). So each such scaled value has to be a
// gradient that an unscaling looked at, of which the guard is surely told, or
// an element, the magnitude or the reciprocal of one. Each chain of calls that
// leads to a guard is gone through by itself: what a helper is handed decides
// whether it loses a scale, and what one call of it found says nothing of
// another. So it is with rounds: what an argument of a loop brings from the
// round before is not what this round looked at. Memory is followed where a
// function allocates it and stores into it by elements; what is read from any
// other is refused.
//
//===----------------------------------------------------------------------===//

#include "GuardedOverflows.h"

#include "Callees.h"
#include "Reachable.h"
#include "ScaledValues.h"
#include "ValueSources.h"

#include "amp/Analysis/CallComponents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/PostOrderIterator.h"

#include <map>

using namespace mlir;
using namespace mlir::amp;

namespace {
using Carried = ScaledFrames::Carried;
/// A value as one chain of calls computes it.
using FramedValue = std::pair<const ScaledFrame *, Value>;

/// A scaled value where its scale is lost, or what is read from memory after
/// it was.
struct Lost {
  FramedValue value;
  Operation *user;
  /// How many of what is around the guard have gone round since.
  unsigned numRounds;
  bool isRead = false;
};

/// What is around a guard, or around a call on the way to it, and may go round:
/// an operation with regions, or the blocks of a region.
struct Around {
  const ScaledFrame *frame;
  Operation *op;
  Region *region;
};

/// A use, and how many of what is around the guard have gone round since.
struct Reached {
  FramedValue value;
  unsigned numRounds;
};

/// A guard of one scaler, as one chain of calls comes to it.
class GuardChecker {
public:
  GuardChecker(const SymbolTable &symbols, ScaledFrames &frames,
               const TransitionFlow &flow, StringRef scaler,
               ApplyIfFiniteOp guard, const ScaledFrame *frame)
      : symbols(symbols), frames(frames), flow(flow), scaler(scaler),
        guard(guard), frame(frame) {}

  std::optional<GuardedOverflow> find();

private:
  void findAround();
  unsigned countRounds(FramedValue value, OpOperand &source) const;
  bool isInside(FramedValue value, const Around &around) const;
  void findLost();
  void add(OpOperand &use, const ScaledFrame *frame, unsigned numRounds);
  void visit(Reached reached);
  void visitCall(func::CallOp call, Reached reached);
  void visitRead(Operation *read, Reached reached);
  SmallVector<SmallVector<func::CallOp>>
  findChains(func::FuncOp function, const ScaledFrame *frame) const;
  bool isHeard(UnscaleOp unscale, ArrayRef<func::CallOp> chain,
               Operation *target, ArrayRef<FlagPart> parts,
               const llvm::SetVector<FlagPart> &sufficient) const;
  const ScaledFrame *enter(func::CallOp call, const ScaledFrame *frame) const;
  FramedValue getReturned(FramedValue value) const;
  Value getDivisor(FramedValue value) const;
  SmallVector<FramedValue> getOverflowSources(FramedValue value,
                                              bool isWhole) const;
  void findTold();
  bool isTold(const Lost &lost) const;

  const SymbolTable &symbols;
  ScaledFrames &frames;
  const TransitionFlow &flow;
  StringRef scaler;
  ApplyIfFiniteOp guard;
  const ScaledFrame *frame;
  /// Innermost first.
  SmallVector<Around> around;
  SmallVector<Lost> lost;
  SmallVector<Reached> worklist;
  /// By the number of rounds since.
  llvm::DenseSet<std::pair<FramedValue, unsigned>> seen;
  std::map<std::pair<const ScaledFrame *, unsigned>, ValueSources> sources;
  /// Wherever one is infinite or NaN, the guard is told.
  llvm::DenseSet<FramedValue> told;
};
} // namespace

/// True if `op` gives what memory holds.
static bool readsMemory(Operation *op) {
  return !isa<RegionBranchOpInterface>(op) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
}

/// All that is stored into the memory that `op` loads from, if the function
/// allocates it and stores into it by elements alone.
static std::optional<SmallVector<OpOperand *>> findStored(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load)
    return std::nullopt;
  Value memory = memref::skipViewLikeOps(load.getMemref());
  if (!isa_and_present<memref::AllocOp, memref::AllocaOp>(
          memory.getDefiningOp()))
    return std::nullopt;
  SmallVector<OpOperand *> stored;
  SmallVector<Value> names{memory};
  while (!names.empty())
    for (Operation *user : names.pop_back_val().getUsers()) {
      if (auto store = dyn_cast<memref::StoreOp>(user);
          store && !isa<BaseMemRefType>(store.getValue().getType()))
        stored.push_back(&store.getValueMutable());
      else if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(names, user->getResults());
      else if (!isa<memref::LoadOp, memref::DeallocOp>(user))
        return std::nullopt;
    }
  return stored;
}

static bool isArgument(Value value, func::FuncOp function) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &function.getBody().front();
}

/// True if each finite value of a type with the elements of `from` is finite
/// among those of `to`: of two types of one width, either may reach further.
static bool keepsFinite(Type from, Type to) {
  auto getLargest = [](Type type) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    auto largest = llvm::APFloat::getLargest(element.getFloatSemantics());
    bool isInexact;
    largest.convert(llvm::APFloat::IEEEquad(),
                    llvm::APFloat::rmNearestTiesToEven, &isInexact);
    return largest;
  };
  return !(getLargest(to) < getLargest(from));
}

/// The value that `value` is infinite or NaN with, and only with, its elements
/// or the sign of them apart; `isWhole` leaves out what has a part of them.
static Value getOverflowSource(Value value, bool isWhole) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!op || isWhole)
      return {};
    OpOperand *operand = op.getMatchingOpOperand(argument);
    return op.isDpsInput(operand) ? operand->get() : Value();
  }
  Operation *def = value.getDefiningOp();
  if (isa<arith::NegFOp, math::AbsFOp, tensor::CastOp, tensor::CollapseShapeOp,
          tensor::ExpandShapeOp, tensor::SplatOp>(def))
    return def->getOperand(0);
  if (!isWhole && isa<tensor::ExtractOp, tensor::ExtractSliceOp>(def))
    return def->getOperand(0);
  if (isa<CastOp, arith::ExtFOp>(def) &&
      keepsFinite(def->getOperand(0).getType(), value.getType()))
    return def->getOperand(0);
  auto op = dyn_cast<linalg::LinalgOp>(def);
  if (!op || isWhole || op.getNumReductionLoops() != 0)
    return {};
  auto result = cast<OpResult>(value);
  return op.getIndexingMapMatchingResult(result).isPermutation()
             ? op.getBlock()->getTerminator()->getOperand(
                   result.getResultNumber())
             : Value();
}

/// What the call that enters `frame` hands over for `argument`.
static Value getHanded(Value argument, const ScaledFrame *frame) {
  func::CallOp call = frame->call;
  return call.getOperand(cast<BlockArgument>(argument).getArgNumber());
}

/// What `call`, in `frame`, enters; null if that has no body or calls itself.
const ScaledFrame *GuardChecker::enter(func::CallOp call,
                                       const ScaledFrame *frame) const {
  func::FuncOp callee = getCallee(call, symbols);
  if (!callee || callee.isExternal())
    return nullptr;
  for (const ScaledFrame *at = frame; at; at = at->caller)
    if (at->function == callee)
      return nullptr;
  return frames.enter(frame, call, callee);
}

/// What a function that is called gives for a result of the call, if it ends at
/// one place and does not call itself.
FramedValue GuardChecker::getReturned(FramedValue value) const {
  auto [frame, result] = value;
  const ScaledFrame *inside =
      enter(result.getDefiningOp<func::CallOp>(), frame);
  if (!inside)
    return {};
  func::FuncOp callee = inside->function;
  SmallVector<Operation *> ends = getReturns(callee);
  if (ends.size() != 1)
    return {};
  unsigned number = cast<OpResult>(result).getResultNumber();
  return {inside, ends.front()->getOperand(number)};
}

/// What `value` is a quotient by, of what no overflow comes into: one is in the
/// quotient, be it 0, where the divisor is infinite or NaN alone.
Value GuardChecker::getDivisor(FramedValue value) const {
  auto [frame, quotient] = value;
  auto division = quotient.getDefiningOp<arith::DivFOp>();
  return division &&
                 frames.getCarried(division.getLhs(), frame) == Carried::Nothing
             ? division.getRhs()
             : Value();
}

/// Values one of which is infinite or NaN wherever an overflow is in `value`;
/// if `isWhole`, those that `value` is infinite or NaN with.
SmallVector<FramedValue> GuardChecker::getOverflowSources(FramedValue value,
                                                          bool isWhole) const {
  llvm::SetVector<FramedValue> sources;
  while (value.second && sources.insert(value)) {
    auto [frame, inside] = value;
    if (isArgument(inside, frame->function) && frame->caller)
      value = {frame->caller, getHanded(inside, frame)};
    else if (inside.getDefiningOp<func::CallOp>())
      value = getReturned(value);
    else if (Value divisor = isWhole ? Value() : getDivisor(value))
      value.second = divisor;
    else
      value.second = getOverflowSource(inside, isWhole);
  }
  return sources.takeVector();
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

void GuardChecker::findAround() {
  Operation *op = guard;
  for (const ScaledFrame *at = frame; at; op = at->call, at = at->caller)
    for (; op != at->function; op = op->getParentOp()) {
      if (!op->getParentRegion()->hasOneBlock())
        around.push_back({at, nullptr, op->getParentRegion()});
      if (op->getParentOp() != at->function)
        around.push_back({at, op->getParentOp(), nullptr});
    }
}

/// True if an edge from `before` to `block` is the last one of a round.
static bool endsRound(Block *before, Block *block) {
  llvm::ReversePostOrderTraversal<Region *> order(block->getParent());
  for (Block *next : order) {
    if (next == block)
      return true;
    if (next == before)
      return before == block;
  }
  return true;
}

/// How many of what is around the guard may have gone round between `source`
/// and `value`, that it is handed over for.
unsigned GuardChecker::countRounds(FramedValue value, OpOperand &source) const {
  auto argument = dyn_cast<BlockArgument>(value.second);
  if (!argument)
    return 0;
  Block *block = argument.getOwner();
  Region *region = block->getParent();
  Operation *op = nullptr;
  if (!block->isEntryBlock()) {
    if (!endsRound(source.getOwner()->getBlock(), block))
      return 0;
  } else {
    op = region->getParentOp();
    if (!op->isProperAncestor(source.getOwner()))
      return 0;
    Region *from = source.getOwner()->getParentRegion();
    while (from->getParentOp() != op)
      from = from->getParentRegion();
    // The first region of a loop hands over to the next in the same round.
    if (from->getRegionNumber() < region->getRegionNumber())
      return 0;
  }
  for (auto [index, each] : llvm::enumerate(around))
    if (each.frame == value.first &&
        (op ? each.op == op : each.region == region))
      return index + 1;
  return 0;
}

/// True if each round of `around` has a `value` of its own.
bool GuardChecker::isInside(FramedValue value, const Around &around) const {
  auto [at, inside] = value;
  Block *block = inside.getParentBlock();
  for (; at != around.frame; at = at->caller) {
    if (!at->caller)
      return false;
    block = at->call->getBlock();
  }
  if (around.op)
    return around.op->isAncestor(block->getParentOp());
  block = around.region->findAncestorBlockInRegion(*block);
  return block && isInCycle(block);
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

void GuardChecker::add(OpOperand &use, const ScaledFrame *frame,
                       unsigned numRounds) {
  FramedValue value{frame, use.get()};
  switch (frames.getCarried(use.get(), frame)) {
  case Carried::Nothing:
    return;
  case Carried::Overflow:
    worklist.push_back({value, numRounds});
    return;
  case Carried::Scale:
  case Carried::Unknown:
    lost.push_back({value, use.getOwner(), numRounds});
    return;
  }
}

void GuardChecker::visitCall(func::CallOp call, Reached reached) {
  auto [frame, result] = reached.value;
  const ScaledFrame *inside = enter(call, frame);
  if (!inside) {
    for (Value operand : call.getOperands())
      lost.push_back({{frame, operand}, call, reached.numRounds});
    return;
  }
  unsigned number = cast<OpResult>(result).getResultNumber();
  func::FuncOp callee = inside->function;
  for (Operation *end : getReturns(callee))
    add(end->getOpOperand(number), inside, reached.numRounds);
}

void GuardChecker::visitRead(Operation *read, Reached reached) {
  if (std::optional<SmallVector<OpOperand *>> stored = findStored(read))
    // Any round before may have stored it.
    for (OpOperand *use : *stored)
      add(*use, reached.value.first, around.size());
  else
    lost.push_back({reached.value, read, reached.numRounds, /*isRead=*/true});
}

void GuardChecker::visit(Reached reached) {
  auto [frame, value] = reached.value;
  Operation *def = value.getDefiningOp();
  auto addHere = [&, frame = frame](OpOperand &use) {
    add(use, frame,
        std::max(reached.numRounds, countRounds(reached.value, use)));
  };
  if (isArgument(value, frame->function)) {
    if (frame->caller)
      add(frame->call->getOpOperand(cast<BlockArgument>(value).getArgNumber()),
          frame->caller, reached.numRounds);
    else
      lost.push_back({reached.value, frame->function, reached.numRounds});
  } else if (auto call = dyn_cast_if_present<func::CallOp>(def)) {
    visitCall(call, reached);
  } else if (auto unscale = dyn_cast_if_present<UnscaleOp>(def)) {
    for (OpOperand &accumulator : unscale.getAccumulatorsMutable())
      addHere(accumulator);
  } else if (def && readsMemory(def)) {
    visitRead(def, reached);
  } else {
    sources.try_emplace({frame, reached.numRounds}, frame->function)
        .first->second.forEach(value, addHere);
  }
}

/// From what the guard takes without scale, of this round.
void GuardChecker::findLost() {
  for (auto [result, yielded] : llvm::zip_equal(
           guard.getResults(),
           guard.getBody().front().getTerminator()->getOpOperands())) {
    Carried carried = frames.getCarried(result, frame);
    // What is given scaled is lost by nothing here.
    bool isTaken = carried == Carried::Unknown ||
                   (carried == Carried::Nothing &&
                    frames.getCarried(yielded.get(), frame) != Carried::Scale);
    if (isTaken)
      add(yielded, frame, 0);
  }
  while (!worklist.empty()) {
    Reached reached = worklist.pop_back_val();
    if (seen.insert({reached.value, reached.numRounds}).second)
      visit(reached);
  }
}

//===----------------------------------------------------------------------===//
// Told
//===----------------------------------------------------------------------===//

/// The chains of calls by which `frame` enters `function`, the outermost first.
/// Functions that call themselves may have heard it of another call; beyond so
/// many chains, none is known.
SmallVector<SmallVector<func::CallOp>>
GuardChecker::findChains(func::FuncOp function,
                         const ScaledFrame *frame) const {
  constexpr size_t kMaxChains = 64;
  SmallVector<SmallVector<func::CallOp>> chains;
  if (!frame->isKnown)
    return chains;
  SmallVector<func::CallOp> calls; // the innermost first
  llvm::DenseSet<Operation *> entered;
  auto add = [&](auto add, func::FuncOp inside) -> void {
    if (chains.size() > kMaxChains)
      return;
    if (inside == frame->function) {
      chains.emplace_back(calls.rbegin(), calls.rend());
      return;
    }
    if (!entered.insert(inside).second)
      return;
    for (func::CallOp call : flow.getCallers(inside)) {
      calls.push_back(call);
      add(add, call->getParentOfType<func::FuncOp>());
      calls.pop_back();
    }
    entered.erase(inside);
  };
  add(add, function);
  if (chains.size() > kMaxChains)
    chains.clear();
  return chains;
}

/// True if what `unscale`, entered by `chain` from the function of `target`,
/// finds makes one of `parts` true there; `sufficient` are those that do.
bool GuardChecker::isHeard(UnscaleOp unscale, ArrayRef<func::CallOp> chain,
                           Operation *target, ArrayRef<FlagPart> parts,
                           const llvm::SetVector<FlagPart> &sufficient) const {
  FlagFlow &guardFlow = flow.getGuardFlow();
  Operation *after = unscale;
  SmallVector<FlagPart> known{{unscale.getFoundInf(), false}};
  for (func::CallOp call : llvm::reverse(chain)) {
    known = FlagFlow::getParts(call, guardFlow.runToEnd(after, known).results);
    if (known.empty())
      return false;
    after = call;
  }
  return llvm::any_of(
             known, [&](FlagPart part) { return sufficient.contains(part); }) ||
         guardFlow.holdsAt(after, known, target, parts);
}

/// By the guard's function and by those that hand over its predicate: of the
/// unscalings that look at what was lost.
void GuardChecker::findTold() {
  llvm::DenseSet<FramedValue> wanted;
  for (const Lost &each : lost)
    wanted.insert_range(getOverflowSources(each.value, false));
  SmallVector<FlagPart> parts{{guard.getFoundInf(), false}};
  Operation *target = guard;
  for (const ScaledFrame *at = frame; at && !parts.empty();
       target = at->call, at = at->caller) {
    llvm::SetVector<FlagPart> sufficient(parts.begin(), parts.end());
    for (unsigned i = 0; i != sufficient.size(); ++i) {
      SmallVector<FlagPart> more;
      addSufficient(sufficient[i], more);
      sufficient.insert_range(more);
    }
    llvm::DenseMap<Operation *, SmallVector<SmallVector<func::CallOp>>> chains;
    for (Operation *op : flow.getUnscalings(scaler)) {
      auto unscale = cast<UnscaleOp>(op);
      auto function = op->getParentOfType<func::FuncOp>();
      auto [known, isNew] = chains.try_emplace(function);
      if (isNew)
        known->second = findChains(function, at);
      for (ArrayRef<func::CallOp> chain : known->second) {
        const ScaledFrame *home = at;
        for (func::CallOp call : chain)
          home = frames.enter(home, call, getCallee(call, symbols));
        llvm::SetVector<FramedValue> looked;
        for (Value gradient : unscale.getGradients())
          looked.insert_range(getOverflowSources({home, gradient}, true));
        if (llvm::any_of(looked,
                         [&](FramedValue source) {
                           return wanted.contains(source) &&
                                  !told.contains(source);
                         }) &&
            isHeard(unscale, chain, target, parts, sufficient))
          told.insert_range(looked);
      }
    }
    // By what the function is handed.
    SmallVector<FlagPart> handed;
    func::FuncOp function = at->function;
    if (at->caller)
      for (BlockArgument argument : function.getArguments())
        for (unsigned isNegated : {0, 1})
          if (FlagPart part{argument, isNegated};
              isFlagType(argument.getType()) &&
              (sufficient.contains(part) ||
               flow.getGuardFlow().holdsAt(part, target, parts)))
            handed.emplace_back(getHanded(argument, at), isNegated);
    parts = std::move(handed);
  }
}

bool GuardChecker::isTold(const Lost &lost) const {
  ArrayRef<Around> gone = ArrayRef(around).take_front(lost.numRounds);
  return llvm::any_of(getOverflowSources(lost.value, false),
                      [&](FramedValue source) {
                        // Of what each round has of its own, this round's was
                        // looked at.
                        return told.contains(source) &&
                               llvm::none_of(gone, [&](const Around &each) {
                                 return isInside(source, each);
                               });
                      });
}

std::optional<GuardedOverflow> GuardChecker::find() {
  findAround();
  findLost();
  if (lost.empty())
    return std::nullopt;
  findTold();
  for (const Lost &each : lost)
    if (!isTold(each))
      return GuardedOverflow{guard, each.value.second, each.user, scaler,
                             each.isRead};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

namespace {
/// The chains of calls that lead to a function.
class Chains {
public:
  Chains(ScaledFrames &frames, const TransitionFlow &flow,
         const SymbolTable &symbols)
      : frames(frames), flow(flow), symbols(symbols) {}

  SmallVector<const ScaledFrame *> find(func::FuncOp function) {
    found.clear();
    add(function);
    return found;
  }

private:
  /// Helpers of helpers have 2^n; beyond so many, any call is assumed.
  static constexpr unsigned kMaxChains = 4096;

  void add(func::FuncOp function);
  void addFrom(const ScaledFrame *outermost);

  ScaledFrames &frames;
  const TransitionFlow &flow;
  const SymbolTable &symbols;
  SmallVector<const ScaledFrame *> found;
  /// The calls between, the outermost last.
  SmallVector<func::CallOp> calls;
};
} // namespace

void Chains::addFrom(const ScaledFrame *frame) {
  for (func::CallOp call : llvm::reverse(calls))
    frame = frames.enter(frame, call, getCallee(call, symbols));
  found.push_back(frame);
}

void Chains::add(func::FuncOp function) {
  ArrayRef<func::CallOp> callers = flow.getCallers(function);
  bool isRecursive = llvm::any_of(calls, [&](func::CallOp call) {
    return getCallee(call, symbols) == function;
  });
  if (isRecursive || found.size() >= kMaxChains) {
    addFrom(frames.getOutermost(function, /*isKnown=*/false));
    return;
  }
  if (callers.empty() || getFunctionKind(function) == FunctionKind::TrainStep)
    addFrom(frames.getOutermost(function, /*isKnown=*/true));
  for (func::CallOp call : callers) {
    calls.push_back(call);
    add(call->getParentOfType<func::FuncOp>());
    calls.pop_back();
    if (found.size() > kMaxChains)
      return;
  }
}

SmallVector<GuardedOverflow>
mlir::amp::findGuardedOverflows(ModuleOp module,
                                const ScaleDegreeAnalysis &analysis,
                                const TransitionFlow &flow) {
  SmallVector<GuardedOverflow> found;
  SmallVector<ApplyIfFiniteOp> guards;
  for (Operation *function : flow.getReached())
    function->walk([&](ApplyIfFiniteOp guard) { guards.push_back(guard); });
  if (guards.empty())
    return found;
  SymbolTable symbols(module);
  ArrayRef<StringRef> scales = analysis.getScales();
  for (auto scaler : module.getOps<ScalerOp>()) {
    if (scaler.getStaticScale())
      continue;
    unsigned scale = llvm::find(scales, scaler.getSymName()) - scales.begin();
    ScaledFrames frames(analysis, scale);
    Chains chains(frames, flow, symbols);
    for (ApplyIfFiniteOp guard : guards)
      for (const ScaledFrame *frame :
           chains.find(guard->getParentOfType<func::FuncOp>()))
        if (std::optional<GuardedOverflow> overflow =
                GuardChecker(symbols, frames, flow, scaler.getSymName(), guard,
                             frame)
                    .find()) {
          found.push_back(*overflow);
          break;
        }
  }
  return found;
}
