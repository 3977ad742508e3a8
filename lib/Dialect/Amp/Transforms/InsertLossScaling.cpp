//===- InsertLossScaling.cpp - Scale, unscale, skip -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backward pass is a call with a loss seed. Around it stand what Apex does in
// `with amp.scale_loss(...)`: before, the seed times the scale; after, one
// amp.unscale for all gradients of the call and one transition of the scaler.
// Replacing every use of a gradient by its unscaled value makes accumulation,
// clipping and logging in the caller right without knowing them. An optimizer
// step is guarded by the overflows of all backward passes whose gradients reach
// it, found by data flow, so independent optimizers skip independently.
//
// The order is the program's: a scaler advanced after the first backward pass
// gives the second its new scale, as in Apex, where the update is part of leaving
// the scope.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

#define DEBUG_TYPE "amp-insert-loss-scaling"

namespace mlir::amp {
#define GEN_PASS_DEF_INSERTLOSSSCALINGPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// On a call with a loss seed: Apex's arguments of the same names.
static constexpr StringLiteral kDelayUnscale = "amp.delay_unscale";
static constexpr StringLiteral kDelayOverflowCheck = "amp.delay_overflow_check";

namespace {
/// A gradient that a call returns.
struct Gradient {
  /// It, or its widening, in f32.
  Value value;
  /// Where the step used the half result itself.
  SmallVector<OpOperand *> halfUses;
};

/// A call that computes gradients, in the order of the program.
struct BackwardPass {
  func::CallOp call;
  func::FuncOp callee;
  /// Operand number of the seed, and the loss's name.
  unsigned seed;
  StringRef loss;
  bool delaysUnscale, delaysCheck;
  /// Set once unscaled.
  Value foundInf;
};
} // namespace

static func::FuncOp getCallee(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
}

static SmallVector<BackwardPass> findBackwardPasses(func::FuncOp function) {
  SmallVector<BackwardPass> passes;
  function.walk([&](func::CallOp call) {
    func::FuncOp callee = getCallee(call);
    if (!callee || getFunctionKind(callee) != FunctionKind::ForwardBackward)
      return;
    for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i)
      if (RoleInfo info = getArgRole(callee, i); info.is(Role::LossSeed))
        passes.push_back({call, callee, i, info.name, call->hasAttr(kDelayUnscale),
                          call->hasAttr(kDelayOverflowCheck), Value()});
  });
  return passes;
}

/// The gradient itself: amp-cast-model may have widened it after the call.
static Value lookThroughWidening(Value value) {
  if (auto widening = value.getDefiningOp<CastOp>())
    return widening.getInput();
  return value;
}

/// True if `op` adds its two tensor operands elementwise.
static bool isElementwiseAdd(Operation *op) {
  if (isa<arith::AddFOp, linalg::AddOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumReductionLoops() != 0 || generic.getNumDpsInputs() != 2 ||
      generic.getNumResults() != 1)
    return false;
  Block *body = generic.getBlock();
  auto add = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  return add && isa<BlockArgument>(add.getLhs()) && isa<BlockArgument>(add.getRhs()) &&
         llvm::hasSingleElement(body->without_terminator());
}

namespace {
struct InsertLossScaling
    : public amp::impl::InsertLossScalingPassBase<InsertLossScaling> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    policy = module->getAttrOfType<PolicyAttr>(kPolicyAttr);
    if (!policy) {
      module.emitError()
          << "expected a module with 'amp.policy'; run amp-initialize-opt-level first";
      return signalPassFailure();
    }
    if (!policy.scalesLoss() || !module.getOps<ScalerOp>().empty())
      return;
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (getFunctionKind(function) == FunctionKind::TrainStep &&
          failed(scaleTrainStep(function)))
        return signalPassFailure();
  }

  LogicalResult scaleTrainStep(func::FuncOp function) {
    SmallVector<BackwardPass> passes = findBackwardPasses(function);
    if (passes.empty()) {
      if (function.isExternal())
        return success();
      return function.emitError()
             << "expected train step '@" << function.getName()
             << "' to call a function with a 'loss_seed' argument and 'grad' results, "
                "but found none; a fused step is split by amp-split-train-step";
    }
    for (BackwardPass &pass : passes)
      if (failed(scaleBackwardPass(pass)))
        return failure();
    if (!policy.isDynamic())
      return success(); // a static scale never skips
    SmallVector<func::CallOp> steps;
    function.walk([&](func::CallOp call) {
      if (func::FuncOp callee = getCallee(call);
          callee && getFunctionKind(callee) == FunctionKind::OptimizerStep)
        steps.push_back(call);
    });
    for (func::CallOp step : steps)
      if (failed(guardOptimizerStep(step, passes)))
        return failure();
    return success();
  }

  /// The scaler of a loss, declared when first asked for.
  FailureOr<StringAttr> getScaler(func::CallOp call, StringRef loss) {
    unsigned index = 0;
    if (policy.getNumLosses() > 1) {
      auto [it, isNew] = lossIndex.try_emplace(loss, lossIndex.size());
      index = it->second;
      if (index >= policy.getNumLosses())
        return call.emitError()
               << "loss '" << loss << "' is number " << index + 1
               << ", but 'num_losses' is " << policy.getNumLosses()
               << "; give each loss a scaler, or set num-losses=1 to share one";
    }
    std::string name = "loss_scaler" + std::to_string(index);
    auto symbol = StringAttr::get(&getContext(), name);
    if (getOperation().lookupSymbol(symbol))
      return symbol;
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    if (lastScaler)
      builder.setInsertionPointAfter(lastScaler);
    auto scaler = ScalerOp::create(
        builder, call.getLoc(), symbol, builder.getF64FloatAttr(policy.getInitialScale()),
        builder.getF64FloatAttr(2.0), builder.getF64FloatAttr(0.5),
        builder.getI64IntegerAttr(2000), builder.getI32IntegerAttr(1),
        policy.isDynamic() ? policy.getMinLossScale() : FloatAttr(),
        policy.getMaxLossScale(), policy.isDynamic() ? UnitAttr() : builder.getUnitAttr(),
        ScalerPresetAttr::get(&getContext(), ScalerPreset::Apex));
    lastScaler = scaler;
    return symbol;
  }

  LogicalResult scaleBackwardPass(BackwardPass &pass) {
    func::CallOp call = pass.call;
    FailureOr<StringAttr> symbol = getScaler(call, pass.loss);
    if (failed(symbol))
      return failure();
    auto scaler = FlatSymbolRefAttr::get(*symbol);
    OpBuilder builder(call);
    OpOperand &seed = call->getOpOperand(pass.seed);
    seed.set(ScaleLossOp::create(builder, call.getLoc(), seed.get().getType(),
                                 seed.get(), scaler));
    ++numScaled;
    SmallVector<Gradient> gradientsOfCall = getGradients(pass);
    if (pass.delaysUnscale) {
      for (Gradient &gradient : gradientsOfCall)
        delayed.insert(gradient.value);
      return success();
    }

    // Gradients, each as the value that is to be unscaled: the call's own, or
    // its sum with those whose unscaling was delayed to here.
    SmallVector<Value> values;
    Operation *last = call;
    for (Gradient &gradient : gradientsOfCall) {
      Value value = addDelayed(gradient.value);
      values.push_back(value);
      Operation *def = value.getDefiningOp();
      if (last->isBeforeInBlock(def))
        last = def;
    }
    builder.setInsertionPointAfter(last);
    SmallVector<Value> gradients;
    SmallVector<Type> types;
    for (Value value : values) {
      gradients.push_back(lookThroughWidening(value));
      types.push_back(cast<RankedTensorType>(value.getType()).clone(builder.getF32Type()));
    }
    Value already = carried.lookup(*symbol);
    auto unscale = UnscaleOp::create(builder, call.getLoc(), types,
                                     RankedTensorType::get({}, builder.getI1Type()),
                                     gradients, ValueRange(), already, scaler);
    for (auto [gradient, value, unscaled] :
         llvm::zip_equal(gradientsOfCall, values, unscale.getUnscaled())) {
      value.replaceUsesWithIf(unscaled, [&](OpOperand &use) {
        return use.getOwner() != unscale;
      });
      // Half parameters without masters (O3) take the unscaled gradient rounded.
      if (!gradient.halfUses.empty()) {
        Value rounded = CastOp::create(builder, call.getLoc(),
                                       gradient.halfUses.front()->get().getType(), unscaled);
        for (OpOperand *use : gradient.halfUses)
          use->set(rounded);
      }
      if (auto widening = value.getDefiningOp<CastOp>(); widening && widening.use_empty())
        widening.erase();
    }
    pass.foundInf = unscale.getFoundInf();
    if (pass.delaysCheck) {
      carried[*symbol] = pass.foundInf;
      return success();
    }
    carried.erase(*symbol);
    UpdateScaleOp::create(builder, call.getLoc(), scaler, pass.foundInf);
    return success();
  }

  /// Results of the call with role grad as f32 values, which the rest of the step
  /// is made to use where it used a widening of them.
  SmallVector<Gradient> getGradients(BackwardPass &pass) {
    SmallVector<Gradient> gradients;
    OpBuilder builder(&getContext());
    for (unsigned i = 0, e = pass.callee.getNumResults(); i != e; ++i) {
      if (!getResultRole(pass.callee, i).is(Role::Grad))
        continue;
      Value result = pass.call.getResult(i);
      Gradient gradient{result, {}};
      if (!getElementTypeOrSelf(result.getType()).isF32()) {
        builder.setInsertionPointAfterValue(result);
        Type wide = cast<RankedTensorType>(result.getType()).clone(builder.getF32Type());
        SmallVector<OpOperand *> uses;
        for (OpOperand &use : result.getUses())
          uses.push_back(&use);
        gradient.value = CastOp::create(builder, result.getLoc(), wide, result);
        for (OpOperand *use : uses) {
          auto widening = dyn_cast<CastOp>(use->getOwner());
          if (!widening || widening.getType() != wide) {
            gradient.halfUses.push_back(use);
            continue;
          }
          widening.replaceAllUsesWith(gradient.value);
          widening.erase();
        }
      }
      gradients.push_back(std::move(gradient));
    }
    return gradients;
  }

  /// Follows `gradient` through additions of delayed gradients.
  Value addDelayed(Value gradient) {
    while (true) {
      Operation *next = nullptr;
      for (Operation *user : gradient.getUsers()) {
        if (!isElementwiseAdd(user))
          continue;
        bool othersDelayed = llvm::all_of(user->getOperands().take_front(2), [&](Value operand) {
          return operand == gradient || delayed.contains(operand);
        });
        if (othersDelayed && llvm::any_of(user->getOperands(), [&](Value operand) {
              return delayed.contains(operand);
            }))
          next = user;
      }
      if (!next)
        return gradient;
      gradient = next->getResult(0);
    }
  }

  /// new = step(old, grads)  ->  new = apply_if_finite found keep(old) { step }
  LogicalResult guardOptimizerStep(func::CallOp step, ArrayRef<BackwardPass> passes) {
    func::FuncOp callee = getCallee(step);
    // Overflows of the passes whose gradients reach this step.
    SetVector<Value> found;
    SmallVector<Value> worklist;
    for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i)
      if (getArgRole(callee, i).is(Role::Grad))
        worklist.push_back(step.getOperand(i));
    llvm::DenseSet<Value> seen;
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      Operation *def = value.getDefiningOp();
      if (!def)
        continue;
      if (auto unscale = dyn_cast<UnscaleOp>(def)) {
        bool delayedCheck = llvm::any_of(passes, [&](const BackwardPass &pass) {
          return pass.foundInf == unscale.getFoundInf() && pass.delaysCheck;
        });
        if (!delayedCheck)
          found.insert(unscale.getFoundInf());
      }
      llvm::append_range(worklist, def->getOperands());
    }
    if (found.empty())
      return success();

    SmallVector<Value> kept;
    for (unsigned i = 0, e = callee.getNumResults(); i != e; ++i) {
      RoleInfo result = getResultRole(callee, i);
      Value old;
      for (unsigned j = 0, n = callee.getNumArguments(); j != n && !old; ++j)
        if (RoleInfo argument = getArgRole(callee, j);
            argument.role == result.role && argument.name == result.name &&
            step.getOperand(j).getType() == step.getResult(i).getType())
          old = step.getOperand(j);
      // The half copy of a master is kept as the copy that the step was given.
      if (!old && result.is(Role::Param))
        old = findHalfCopy(step, result.name, step.getResult(i).getType());
      if (!old)
        return step.emitError()
               << "expected an old value to keep for result " << i << " ('"
               << (result.role ? stringifyRole(*result.role) : "no role") << "' '"
               << result.name << "') of optimizer step '@" << callee.getName()
               << "' when the step is skipped; give it an argument of the same role, "
                  "name and type";
      kept.push_back(old);
    }
    ++numGuarded;
    OpBuilder builder(step);
    Value any = found.front();
    for (Value other : llvm::drop_begin(found))
      any = arith::OrIOp::create(builder, step.getLoc(), any, other);
    auto guard = ApplyIfFiniteOp::create(builder, step.getLoc(), step.getResultTypes(), any, kept);
    step.replaceAllUsesWith(guard.getResults());
    Block *body = builder.createBlock(&guard.getBody());
    step->moveBefore(body, body->end());
    builder.setInsertionPointToEnd(body);
    YieldOp::create(builder, step.getLoc(), step.getResults());
    return success();
  }

  /// The train step's own half parameter of this name.
  Value findHalfCopy(func::CallOp step, StringRef name, Type type) {
    auto function = step->getParentOfType<func::FuncOp>();
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      if (RoleInfo info = getArgRole(function, i);
          info.is(Role::Param) && info.name == name &&
          function.getArgumentTypes()[i] == type)
        return function.getArgument(i);
    return {};
  }

  PolicyAttr policy;
  /// Number of each loss, in the order of first use.
  llvm::MapVector<StringRef, unsigned> lossIndex;
  Operation *lastScaler = nullptr;
  /// Gradients left scaled by amp.delay_unscale.
  llvm::DenseSet<Value> delayed;
  /// What a delayed overflow check found, by scaler.
  llvm::DenseMap<StringAttr, Value> carried;
};
} // namespace
