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
// Gradients are the results with that role, and what else of the results that
// the step uses carries the scale of the seed once: the gradient of an input.
// Replacing every use of a gradient by its unscaled value makes accumulation,
// clipping and logging in the caller right without knowing them. What an
// overflow then skips is for amp-guard-updates to find.
//
// The order is the program's: a scaler advanced after the first backward pass
// gives the second its new scale, as in Apex, where the update is part of
// leaving the scope.
//
//===----------------------------------------------------------------------===//

#include "Callees.h"
#include "HiddenBackward.h"
#include "ModulePolicy.h"
#include "OverflowReach.h"
#include "UnscaledSteps.h"

#include "amp/Analysis/ScaleDegreeAnalysis.h"
#include "amp/Analysis/ValueOrigins.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

#define DEBUG_TYPE "amp-insert-loss-scaling"

namespace mlir::amp {
#define GEN_PASS_DEF_INSERTLOSSSCALINGPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

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
  /// Operand numbers of the seeds, and the losses' names. Gradients of several
  /// losses that were added inside the call can have one scale only.
  SmallVector<unsigned, 1> seeds;
  SmallVector<StringRef, 1> losses;
  bool delaysUnscale, delaysCheck;
  /// Set once unscaled.
  Value foundInf;
};
} // namespace

static bool canUnscale(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : Type();
  return tensor && (element.isF32() || element.isF16() || element.isBF16());
}

static SmallVector<BackwardPass> findBackwardPasses(func::FuncOp function) {
  SmallVector<BackwardPass> passes;
  function.walk([&](func::CallOp call) {
    func::FuncOp callee = getCallee(call);
    if (!callee || getFunctionKind(callee) != FunctionKind::ForwardBackward)
      return;
    BackwardPass pass{call,
                      callee,
                      {},
                      {},
                      isFlagSet(call, kDelayUnscaleAttr),
                      isFlagSet(call, kDelayOverflowCheckAttr),
                      Value()};
    for (unsigned i = 0, e = callee.getNumArguments(); i != e; ++i)
      if (RoleInfo info = getArgRole(callee, i); info.is(Role::LossSeed)) {
        pass.seeds.push_back(i);
        pass.losses.push_back(info.name);
      }
    passes.push_back(std::move(pass));
  });
  return passes;
}

/// The gradient itself: amp-cast-model may have widened it after the call.
static Value lookThroughWidening(Value value) {
  if (auto widening = value.getDefiningOp<CastOp>())
    return widening.getInput();
  return value;
}

namespace {
struct InsertLossScaling
    : public amp::impl::InsertLossScalingPassBase<InsertLossScaling> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    policy = requirePolicy(module);
    if (!policy)
      return signalPassFailure();
    degrees.reset();
    declared.assign(module.getOps<ScalerOp>().begin(),
                    module.getOps<ScalerOp>().end());
    // A scaler that the user declared is asked for, whatever the level says.
    if (!policy.scalesLoss() && (declared.empty() || !policy.getHalfType()))
      return markAllAnalysesPreserved();
    bool isRefused = false, changed = false;
    reportUnscaledSteps(module, [&](Location loc) {
      isRefused = true;
      return emitError(loc);
    });
    if (isRefused)
      return signalPassFailure();
    if (policy.isDynamic() || policy.getLossScale().getValueAsDouble() != 1.0)
      warnOfCallersElsewhere(module);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (getFunctionKind(function) != FunctionKind::TrainStep ||
          isScaled(function))
        continue;
      changed = true;
      if (failed(scaleTrainStep(function)))
        return signalPassFailure();
    }
    if (!changed)
      markAllAnalysesPreserved();
  }

  /// True if the step scales losses already: an earlier run, or its author.
  static bool isScaled(func::FuncOp function) {
    return function.walk([](ScaleLossOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
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
    if (failed(refuseHiddenBackward(function, SymbolTable(getOperation()))))
      return failure();
    for (BackwardPass &pass : passes)
      if (failed(scaleBackwardPass(pass)))
        return failure();
    return success();
  }

  /// The scaler that the user declared for `losses`: the one of a loss's name,
  /// or the only one where all losses share one. Null for none; failure, after
  /// an error, if it is not clear which.
  FailureOr<StringAttr> getDeclaredScaler(func::CallOp call,
                                          ArrayRef<StringRef> losses) {
    llvm::SetVector<StringAttr> found;
    for (StringRef loss : losses) {
      auto *named = llvm::find_if(declared, [&](ScalerOp scaler) {
        return scaler.getSymName() == loss;
      });
      if (named != declared.end())
        found.insert(named->getSymNameAttr());
      else if (declared.size() == 1 && policy.getNumLosses() == 1)
        found.insert(declared.front().getSymNameAttr());
      else
        found.insert(StringAttr());
    }
    if (found.size() == 1 && found.front())
      return found.front();
    // Named as the scalers that the pass makes: those of an earlier run.
    bool areNumbered = llvm::all_of(declared, [](ScalerOp scaler) {
      return scaler.getSymName().starts_with("loss_scaler");
    });
    if (declared.empty() || (areNumbered && found.size() == 1))
      return StringAttr();
    InFlightDiagnostic diagnostic = call.emitError()
                                    << "expected one declared scaler for ";
    llvm::interleaveComma(losses, diagnostic, [&](StringRef loss) {
      diagnostic << "loss '" << loss << "'";
    });
    diagnostic << ", but the module declares ";
    llvm::interleaveComma(declared, diagnostic, [&](ScalerOp scaler) {
      diagnostic << "'@" << scaler.getSymName() << "'";
    });
    return diagnostic
           << "; give each loss an amp.scaler of its name, or declare "
              "one and set num-losses=1";
  }

  /// The scaler of the losses of one call, declared when first asked for.
  FailureOr<StringAttr> getScaler(func::CallOp call,
                                  ArrayRef<StringRef> losses) {
    FailureOr<StringAttr> given = getDeclaredScaler(call, losses);
    if (failed(given) || *given)
      return given;
    unsigned index = 0;
    if (policy.getNumLosses() > 1) {
      StringRef loss = losses.front();
      index = lossIndex.try_emplace(loss, numScalers).first->second;
      numScalers = std::max(numScalers, index + 1);
      for (StringRef other : losses.drop_front())
        if (lossIndex.try_emplace(other, index).first->second != index)
          return call.emitError()
                 << "expected losses '" << loss << "' and '" << other
                 << "', whose gradients '@" << call.getCallee()
                 << "' adds, to share a scaler, but they have two; set num-losses=1";
      if (index >= policy.getNumLosses())
        return call.emitError()
               << "loss '" << loss << "' is number " << index + 1
               << ", but 'num_losses' is " << policy.getNumLosses()
               << "; give each loss a scaler, or set num-losses=1 to share one";
    }
    // What is of that name and no scaler is the user's: another name then.
    std::string name = "loss_scaler" + std::to_string(index);
    auto symbol = StringAttr::get(&getContext(), name);
    for (unsigned other = 0;
         Operation *taken = getOperation().lookupSymbol(symbol); ++other) {
      if (isa<ScalerOp>(taken))
        return symbol;
      symbol = StringAttr::get(&getContext(), name + "_" + Twine(other));
    }
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    if (lastScaler)
      builder.setInsertionPointAfter(lastScaler);
    auto scaler = ScalerOp::create(
        builder, call.getLoc(), symbol,
        builder.getF64FloatAttr(policy.getInitialScale()),
        builder.getF64FloatAttr(2.0), builder.getF64FloatAttr(0.5),
        builder.getI64IntegerAttr(2000), builder.getI32IntegerAttr(1),
        policy.isDynamic() ? policy.getMinLossScale() : FloatAttr(),
        policy.getMaxLossScale(),
        policy.isDynamic() ? UnitAttr() : builder.getUnitAttr(),
        ScalerPresetAttr::get(&getContext(), ScalerPreset::Apex));
    lastScaler = scaler;
    return symbol;
  }

  LogicalResult scaleBackwardPass(BackwardPass &pass) {
    func::CallOp call = pass.call;
    FailureOr<StringAttr> symbol = getScaler(call, pass.losses);
    if (failed(symbol))
      return failure();
    auto scaler = FlatSymbolRefAttr::get(*symbol);
    OpBuilder builder(call);
    for (unsigned index : pass.seeds) {
      OpOperand &seed = call->getOpOperand(index);
      seed.set(ScaleLossOp::create(builder, call.getLoc(), seed.get().getType(),
                                   seed.get(), scaler));
      ++numScaled;
    }
    for (unsigned i = 0, e = pass.callee.getNumResults(); i != e; ++i)
      if (RoleInfo info = getResultRole(pass.callee, i); info.is(Role::Grad))
        if (Type type = pass.callee.getResultTypes()[i]; !canUnscale(type))
          return call.emitError()
                 << "expected gradient '" << info.name
                 << "' to be a ranked tensor of f32, f16 or bf16, which a loss scale can be "
                    "taken out of, but got "
                 << type
                 << "; give the parameter type f32, or set loss-scale=1.0 at a level "
                    "without master weights";
    SmallVector<Gradient> gradientsOfCall = getGradients(pass);
    if (pass.delaysUnscale) {
      for (Gradient &gradient : gradientsOfCall)
        markDelayed(gradient.value);
      return success();
    }

    // Gradients, each as the value that is to be unscaled: the call's own, or
    // its sum with those whose unscaling was delayed to here.
    SmallVector<Value> values;
    for (Gradient &gradient : gradientsOfCall) {
      Value value = addDelayed(gradient.value);
      values.push_back(value);
      if (value.getDefiningOp()->getBlock() != call->getBlock())
        return call.emitError()
               << "expected gradients whose unscaling was delayed to be added "
                  "to those of this call in its own block";
    }
    llvm::MapVector<Operation *, unsigned> behind = numberBehind(call, values);
    Operation *last = behind.empty() ? call : behind.back().first;
    // Sums of delayed gradients go up to the call: what reads the first of them
    // may stand before the last.
    if (std::optional<Operation *> end = hoistSums(call, values, behind))
      last = *end;
    builder.setInsertionPointAfter(last);
    SmallVector<Value> gradients;
    SmallVector<Type> types;
    for (Value value : values) {
      gradients.push_back(lookThroughWidening(value));
      types.push_back(
          cast<RankedTensorType>(value.getType()).clone(builder.getF32Type()));
    }
    Value already = carried.lookup(*symbol);
    if (already) {
      FailureOr<Value> exported = exportFoundInf(already, last);
      if (failed(exported))
        return failure();
      already = *exported;
    }
    auto unscale =
        UnscaleOp::create(builder, call.getLoc(), types,
                          RankedTensorType::get({}, builder.getI1Type()),
                          gradients, ValueRange(), already, scaler);
    for (auto [gradient, value, unscaled] :
         llvm::zip_equal(gradientsOfCall, values, unscale.getUnscaled())) {
      value.replaceUsesWithIf(
          unscaled, [&](OpOperand &use) { return use.getOwner() != unscale; });
      // Half parameters without masters (O3) take the unscaled gradient
      // rounded.
      if (!gradient.halfUses.empty()) {
        Value rounded = CastOp::create(
            builder, call.getLoc(), gradient.halfUses.front()->get().getType(),
            unscaled);
        for (OpOperand *use : gradient.halfUses)
          use->set(rounded);
      }
      if (auto widening = value.getDefiningOp<CastOp>();
          widening && widening.use_empty())
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

  /// True if result `number` of the backward pass is to be unscaled.
  bool isGradient(BackwardPass &pass, unsigned number) {
    RoleInfo info = getResultRole(pass.callee, number);
    if (info.is(Role::Grad))
      return true;
    Value result = pass.call.getResult(number);
    if ((info.role && !info.is(Role::Output)) || result.use_empty() ||
        !canUnscale(result.getType()))
      return false;
    if (!degrees)
      degrees = std::make_shared<ScaleDegreeAnalysis>(getOperation());
    const DegreeSummary *summary = degrees->lookupSummary(pass.callee);
    if (!summary)
      return false;
    const ScaleDegree &degree = degrees->getTable()[summary->results[number]];
    unsigned numScales = degrees->getScales().size();
    return degree.kind == ScaleDegree::Known &&
           llvm::any_of(pass.seeds, [&](unsigned seed) {
             return degree.form == LinearForm::getAtom(numScales + seed);
           });
  }

  /// Gradients of the call as f32 values, which the rest of the step is made to
  /// use where it used a widening of them.
  SmallVector<Gradient> getGradients(BackwardPass &pass) {
    SmallVector<Gradient> gradients;
    OpBuilder builder(&getContext());
    for (unsigned i = 0, e = pass.callee.getNumResults(); i != e; ++i) {
      if (!isGradient(pass, i))
        continue;
      Value result = pass.call.getResult(i);
      Gradient gradient{result, {}};
      if (!getElementTypeOrSelf(result.getType()).isF32()) {
        builder.setInsertionPointAfterValue(result);
        Type wide = cast<RankedTensorType>(result.getType())
                        .clone(builder.getF32Type());
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

  /// The operations behind `call` up to the last that defines one of `values`,
  /// numbered. Asking the block for their order would number all of it again
  /// for each call, as operations are added after each.
  static llvm::MapVector<Operation *, unsigned>
  numberBehind(func::CallOp call, ArrayRef<Value> values) {
    llvm::DenseSet<Operation *> awaited;
    for (Value value : values)
      if (Operation *def = value.getDefiningOp(); def != call)
        awaited.insert(def);
    llvm::MapVector<Operation *, unsigned> behind;
    for (Operation *op = call->getNextNode(); op && !awaited.empty();
         op = op->getNextNode()) {
      behind.insert({op, behind.size()});
      awaited.erase(op);
    }
    return behind;
  }

  /// Moves what `values` are computed from, among the operations `behind` the
  /// call in its block, to follow the call, in its order. The last of them;
  /// none, and nothing moved, if one has effects.
  static std::optional<Operation *>
  hoistSums(func::CallOp call, ArrayRef<Value> values,
            const llvm::MapVector<Operation *, unsigned> &behind) {
    llvm::SetVector<Operation *> slice;
    SmallVector<Value> worklist(values);
    while (!worklist.empty()) {
      Operation *def = worklist.pop_back_val().getDefiningOp();
      if (!def || !behind.contains(def) || !slice.insert(def))
        continue;
      if (!isPure(def) || def->getNumRegions() > 1)
        return std::nullopt;
      llvm::append_range(worklist, getReadValues(def));
    }
    SmallVector<Operation *> order = slice.takeVector();
    llvm::sort(order, [&](Operation *a, Operation *b) {
      return behind.lookup(a) < behind.lookup(b);
    });
    Operation *last = call;
    for (Operation *op : order) {
      op->moveAfter(last);
      last = op;
    }
    return last;
  }

  /// `gradient` stays scaled, and so do its roundings, and its sums with others
  /// that do.
  void markDelayed(Value gradient) {
    if (!delayed.insert(gradient).second)
      return;
    for (Operation *user : gradient.getUsers())
      if (isa<CastOp>(user))
        markDelayed(user->getResult(0));
      else if (isElementwiseAdd(user) &&
               llvm::all_of(
                   user->getOperands().take_front(2),
                   [&](Value operand) { return delayed.contains(operand); }))
        markDelayed(user->getResult(0));
  }

  /// The sum of `gradient`, rounded or not, and a delayed one; null if it is
  /// added to none.
  Operation *findDelayedSum(Value gradient) {
    Operation *sum = nullptr;
    for (Operation *user : gradient.getUsers()) {
      if (isa<CastOp>(user)) {
        if (Operation *rounded = findDelayedSum(user->getResult(0)))
          sum = rounded;
        continue;
      }
      if (!isElementwiseAdd(user))
        continue;
      bool othersDelayed =
          llvm::all_of(user->getOperands().take_front(2), [&](Value operand) {
            return operand == gradient || delayed.contains(operand);
          });
      if (othersDelayed &&
          llvm::any_of(user->getOperands(), [&](Value operand) {
            return delayed.contains(operand);
          }))
        sum = user;
    }
    return sum;
  }

  /// Follows `gradient` through additions of delayed gradients.
  Value addDelayed(Value gradient) {
    while (Operation *sum = findDelayedSum(gradient))
      gradient = sum->getResult(0);
    return gradient;
  }

  /// `found`, where `user` can read it: out of the loops and branches that
  /// stand around it, as a result of theirs that is true if any round found
  /// one. Blocks of one region hand nothing over but what dominates.
  FailureOr<Value> exportFoundInf(Value found, Operation *user) {
    IRRewriter rewriter(&getContext());
    while (!found.getParentRegion()->isAncestor(user->getParentRegion())) {
      Operation *parent = found.getParentRegion()->getParentOp();
      Location loc = found.getLoc();
      auto none = [&] {
        return arith::ConstantOp::create(
            rewriter, loc,
            DenseElementsAttr::get(cast<ShapedType>(found.getType()), false));
      };
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        rewriter.setInsertionPoint(loop);
        Value init = none();
        FailureOr<LoopLikeOpInterface> replaced =
            loop.replaceWithAdditionalYields(
                rewriter, init, /*replaceInitOperandUsesInLoop=*/false,
                [&](OpBuilder &builder, Location loc,
                    ArrayRef<BlockArgument> arguments) {
                  Value any =
                      arith::OrIOp::create(builder, loc, arguments[0], found);
                  return SmallVector<Value>{any};
                });
        if (failed(replaced))
          return failure();
        found = replaced->getOperation()->getResults().back();
        continue;
      }
      if (auto branch = dyn_cast<scf::IfOp>(parent)) {
        bool inThen = found.getParentRegion() == &branch.getThenRegion();
        SmallVector<Type> types(branch.getResultTypes());
        types.push_back(found.getType());
        rewriter.setInsertionPoint(branch);
        Value otherwise = none();
        auto replaced =
            scf::IfOp::create(rewriter, loc, types, branch.getCondition(),
                              /*addThenBlock=*/false, /*addElseBlock=*/false);
        replaced->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
        replaced.getThenRegion().takeBody(branch.getThenRegion());
        replaced.getElseRegion().takeBody(branch.getElseRegion());
        if (replaced.getElseRegion().empty()) {
          rewriter.createBlock(&replaced.getElseRegion());
          scf::YieldOp::create(rewriter, loc);
        }
        auto yield = [&](Region &region, Value value) {
          Operation *end = region.front().getTerminator();
          end->insertOperands(end->getNumOperands(), value);
        };
        yield(replaced.getThenRegion(), inThen ? found : otherwise);
        yield(replaced.getElseRegion(), inThen ? otherwise : found);
        rewriter.replaceOp(branch, replaced.getResults().drop_back());
        found = replaced.getResults().back();
        continue;
      }
      return parent->emitError()
             << "expected a backward pass whose gradients leave '"
             << parent->getName()
             << "' to stand in scf.for, scf.if or no region, so that its overflow can be "
                "handed to the optimizer step";
    }
    if (!DominanceInfo().properlyDominates(found, user))
      return found.getDefiningOp()->emitError()
             << "expected a backward pass in a block that every way to its "
                "optimizer step goes through, so that its overflow can be "
                "handed to it; write the branch as scf.if";
    return found;
  }

  PolicyAttr policy;
  /// Of the functions as they are without scaling, once asked for.
  std::shared_ptr<ScaleDegreeAnalysis> degrees;
  /// Scalers that were there before.
  SmallVector<ScalerOp> declared;
  /// Number of each loss, in the order of first use.
  llvm::MapVector<StringRef, unsigned> lossIndex;
  unsigned numScalers = 0;
  Operation *lastScaler = nullptr;
  /// Gradients left scaled by amp.delay_unscale.
  llvm::DenseSet<Value> delayed;
  /// What a delayed overflow check found, by scaler.
  llvm::DenseMap<StringAttr, Value> carried;
};
} // namespace
