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
// an element or the magnitude of one. What a helper loses is looked for in its
// caller as far as it is handed over; so is what is lost or told before the
// function of the guard.
//
//===----------------------------------------------------------------------===//

#include "GuardedOverflows.h"

#include "Callees.h"
#include "ScaledValues.h"
#include "ValueSources.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// A scaled value where its scale is lost, or an argument that was handed over
/// without one.
struct Lost {
  Value value;
  Operation *user;
};

/// The guards of one scaler.
class GuardChecker {
public:
  GuardChecker(const SymbolTable &symbols, const ScaledValues &values,
               const TransitionFlow &flow, StringRef scaler)
      : symbols(symbols), values(values), flow(flow), scaler(scaler) {}

  std::optional<GuardedOverflow> find(ApplyIfFiniteOp guard);

private:
  enum class Carried { Nothing, Overflow, Scale };
  Carried getCarried(Value value, func::FuncOp function) const;
  SmallVector<Lost> findLost(ArrayRef<OpOperand *> uses, func::FuncOp function);
  void addLostInCall(func::CallOp call, SmallVectorImpl<Lost> &lost,
                     llvm::function_ref<void(OpOperand &)> add);
  bool isTold(const Lost &lost, const TransitionFlow::Heard &heard,
              func::FuncOp function);
  bool isToldByCallers(BlockArgument argument,
                       const TransitionFlow::Heard &heard,
                       func::FuncOp function);

  const SymbolTable &symbols;
  const ScaledValues &values;
  const TransitionFlow &flow;
  StringRef scaler;
  /// Functions that are looked through.
  SmallVector<func::FuncOp> entered;
};
} // namespace

GuardChecker::Carried GuardChecker::getCarried(Value value,
                                               func::FuncOp function) const {
  if (values.contains(value, function))
    return Carried::Scale;
  return values.isTouchedBy(values.getDegree(value), function)
             ? Carried::Overflow
             : Carried::Nothing;
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
  if (isa<arith::NegFOp, math::AbsFOp, arith::ExtFOp, tensor::CastOp,
          tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::SplatOp>(def))
    return def->getOperand(0);
  if (!isWhole && isa<tensor::ExtractOp, tensor::ExtractSliceOp>(def))
    return def->getOperand(0);
  auto widening = dyn_cast<CastOp>(def);
  if (widening &&
      getElementTypeOrSelf(widening.getType()).getIntOrFloatBitWidth() >=
          getElementTypeOrSelf(widening.getOperand().getType())
              .getIntOrFloatBitWidth())
    return widening.getOperand();
  auto op = dyn_cast<linalg::LinalgOp>(def);
  if (!op || isWhole || op.getNumReductionLoops() != 0)
    return {};
  auto result = cast<OpResult>(value);
  return op.getIndexingMapMatchingResult(result).isPermutation()
             ? op.getBlock()->getTerminator()->getOperand(
                   result.getResultNumber())
             : Value();
}

/// Values with one of which `value` is infinite or NaN wherever it is.
static llvm::SetVector<Value> getOverflowSources(Value value, bool isWhole) {
  llvm::SetVector<Value> sources;
  for (; value && sources.insert(value);
       value = getOverflowSource(value, isWhole))
    ;
  return sources;
}

/// What `call` loses inside, as far as it is handed over; the rest is lost to
/// the call. Gives `add` what else it is handed.
void GuardChecker::addLostInCall(func::CallOp call, SmallVectorImpl<Lost> &lost,
                                 llvm::function_ref<void(OpOperand &)> add) {
  func::FuncOp callee = getCallee(call, symbols);
  if (!callee || callee.isExternal() || llvm::is_contained(entered, callee)) {
    for (Value operand : call.getOperands())
      lost.push_back({operand, call});
    return;
  }
  SmallVector<OpOperand *> returned;
  callee.walk([&](func::ReturnOp end) {
    for (OpOperand &operand : end->getOpOperands())
      returned.push_back(&operand);
  });
  entered.push_back(callee);
  for (Lost inside : findLost(returned, callee)) {
    Value source = getOverflowSources(inside.value, false).back();
    auto argument = dyn_cast<BlockArgument>(source);
    if (!argument || argument.getOwner() != &callee.getBody().front()) {
      lost.push_back(inside);
      continue;
    }
    OpOperand &operand = call->getOpOperand(argument.getArgNumber());
    func::FuncOp function = call->getParentOfType<func::FuncOp>();
    if (getCarried(operand.get(), function) == Carried::Scale)
      lost.push_back({operand.get(), inside.user});
    else
      add(operand);
  }
  entered.pop_back();
}

SmallVector<Lost> GuardChecker::findLost(ArrayRef<OpOperand *> uses,
                                         func::FuncOp function) {
  SmallVector<Lost> lost;
  ValueSources sources(function);
  llvm::SetVector<Value> reached;
  llvm::DenseSet<Operation *> calls;
  auto add = [&](OpOperand &use) {
    switch (getCarried(use.get(), function)) {
    case Carried::Nothing:
      break;
    case Carried::Overflow:
      reached.insert(use.get());
      break;
    case Carried::Scale:
      lost.push_back({use.get(), use.getOwner()});
      break;
    }
  };
  // What is returned or handed over scaled, is lost by nothing here.
  for (OpOperand *use : uses)
    if (getCarried(use->get(), function) == Carried::Overflow)
      reached.insert(use->get());
  for (unsigned i = 0; i != reached.size(); ++i) {
    Value value = reached[i];
    Operation *def = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &function.getBody().front()) {
      lost.push_back({value, function});
    } else if (auto call = dyn_cast_if_present<func::CallOp>(def)) {
      if (calls.insert(call).second)
        addLostInCall(call, lost, add);
    } else if (auto unscale = dyn_cast_if_present<UnscaleOp>(def)) {
      for (OpOperand &accumulator : unscale.getAccumulatorsMutable())
        add(accumulator);
    } else {
      sources.forEach(value, add);
    }
  }
  return lost;
}

/// True if what hands over `argument` of `function` tells the guard by what it
/// hands over for its predicate.
bool GuardChecker::isToldByCallers(BlockArgument argument,
                                   const TransitionFlow::Heard &heard,
                                   func::FuncOp function) {
  ArrayRef<func::CallOp> callers = flow.getCallers(function);
  if (heard.arguments.empty() || callers.empty() ||
      llvm::is_contained(entered, function))
    return false;
  entered.push_back(function);
  bool isTold = llvm::all_of(callers, [&](func::CallOp call) {
    TransitionFlow::Heard told;
    for (auto [predicate, isNegated] : heard.arguments) {
      Value handed =
          call.getOperand(cast<BlockArgument>(predicate).getArgNumber());
      TransitionFlow::Heard some = flow.findHeard({handed, isNegated}, scaler);
      told.gradients.insert_range(some.gradients);
      told.arguments.insert_range(some.arguments);
    }
    auto caller = call->getParentOfType<func::FuncOp>();
    OpOperand &operand = call->getOpOperand(argument.getArgNumber());
    SmallVector<Lost> lost;
    if (values.contains(operand.get(), caller))
      lost.push_back({operand.get(), call});
    else
      lost = findLost(&operand, caller);
    return llvm::all_of(lost, [&](const Lost &each) {
      return this->isTold(each, told, caller);
    });
  });
  entered.pop_back();
  return isTold;
}

bool GuardChecker::isTold(const Lost &lost, const TransitionFlow::Heard &heard,
                          func::FuncOp function) {
  llvm::SetVector<Value> sources = getOverflowSources(lost.value, false);
  for (Value gradient : heard.gradients)
    if (llvm::any_of(getOverflowSources(gradient, true),
                     [&](Value value) { return sources.contains(value); }))
      return true;
  auto argument = dyn_cast<BlockArgument>(sources.back());
  return argument && argument.getOwner() == &function.getBody().front() &&
         isToldByCallers(argument, heard, function);
}

std::optional<GuardedOverflow> GuardChecker::find(ApplyIfFiniteOp guard) {
  auto function = guard->getParentOfType<func::FuncOp>();
  SmallVector<OpOperand *> taken;
  for (auto [result, yielded] : llvm::zip_equal(
           guard.getResults(),
           guard.getBody().front().getTerminator()->getOpOperands()))
    if (getCarried(result, function) == Carried::Nothing)
      taken.push_back(&yielded);
  std::optional<TransitionFlow::Heard> heard;
  for (const Lost &lost : findLost(taken, function)) {
    if (!heard)
      heard = flow.findHeard({guard.getFoundInf(), false}, scaler);
    if (!isTold(lost, *heard, function))
      return GuardedOverflow{guard, lost.value, lost.user, scaler};
  }
  return std::nullopt;
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
    ScaledValues values(module, symbols, analysis, scale);
    GuardChecker checker(symbols, values, flow, scaler.getSymName());
    for (ApplyIfFiniteOp guard : guards)
      if (std::optional<GuardedOverflow> overflow = checker.find(guard))
        found.push_back(*overflow);
  }
  return found;
}
