//===- SplitTrainStep.cpp - A fused train step in two functions -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which train steps are split: those that neither call a backward pass nor
// scale a loss, where something has to stand between gradients and update.
// StepSplitter does it. What cannot be cut is refused here by its form: calls
// of train steps, blocks, references to parts of a step, marks in helpers and
// of no parameter, a backward pass that is written out beside one that is
// called (OwnBackward).
//
//===----------------------------------------------------------------------===//

#include "HiddenBackward.h"
#include "ModulePolicy.h"
#include "OwnBackward.h"
#include "StepSplitter.h"

#include "amp/Analysis/CallComponents.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "amp-split-train-step"

namespace mlir::amp {
#define GEN_PASS_DEF_SPLITTRAINSTEPPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct SplitTrainStep
    : public amp::impl::SplitTrainStepPassBase<SplitTrainStep> {
  using SplitTrainStepPassBase::SplitTrainStepPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    PolicyAttr policy = requirePolicy(module);
    if (!policy)
      return signalPassFailure();
    SymbolTable symbols(module);
    hasChanged = false;
    bool needsSplit = policy.getHalfType() || policy.scalesLoss();
    // Master weights take a scaler as well, but at O5 it only stands there.
    bool hasScale =
        policy.isDynamic() || policy.getLossScale().getValueAsDouble() != 1.0;
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (getFunctionKind(function) == FunctionKind::TrainStep &&
          !function.isExternal() &&
          failed(visit(function, symbols, needsSplit, hasScale)))
        return signalPassFailure();
    if (failed(checkMarks(module)))
      return signalPassFailure();
    if (!hasChanged)
      markAllAnalysesPreserved();
  }

  /// Calls by reference, of what is named beside them, become calls by name.
  /// Refuses references to parts of a step that stay, where `needsNames`: no
  /// use of the call shows whose gradients it gives.
  LogicalResult nameCallees(func::FuncOp step, SymbolTable &symbols,
                            bool needsNames) {
    SmallVector<func::ConstantOp> references;
    step.walk([&](func::ConstantOp op) { references.push_back(op); });
    for (func::ConstantOp reference : references) {
      auto callee = symbols.lookup<func::FuncOp>(reference.getValue());
      if (!callee)
        continue;
      for (Operation *user :
           llvm::make_early_inc_range(reference->getUsers())) {
        auto indirect = dyn_cast<func::CallIndirectOp>(user);
        if (!indirect || indirect.getCallee() != reference.getResult() ||
            llvm::is_contained(indirect.getCalleeOperands(),
                               reference.getResult()))
          continue;
        OpBuilder builder(indirect);
        auto call = func::CallOp::create(builder, indirect.getLoc(), callee,
                                         indirect.getCalleeOperands());
        call->setDiscardableAttrs(indirect->getDiscardableAttrDictionary());
        indirect.replaceAllUsesWith(call.getResults());
        indirect.erase();
        hasChanged = true;
      }
      if (reference.use_empty()) {
        reference.erase();
        hasChanged = true;
        continue;
      }
      FunctionKind kind = getFunctionKind(callee);
      if (needsNames && (kind == FunctionKind::ForwardBackward ||
                         kind == FunctionKind::OptimizerStep)) {
        InFlightDiagnostic diagnostic =
            reference.emitError()
            << "expected train step '@" << step.getName() << "' to call '@"
            << callee.getName()
            << "' by its name, so that its gradients are found, but it takes "
               "a reference to it; write a func.call in each branch that "
               "chooses a function";
        diagnostic.attachNote(reference->user_begin()->getLoc())
            << "the reference is used here";
        return diagnostic;
      }
    }
    return success();
  }

  LogicalResult visit(func::FuncOp step, SymbolTable &symbols, bool needsSplit,
                      bool hasScale) {
    if (failed(nameCallees(step, symbols, needsSplit)))
      return failure();
    func::CallOp backwardCall, updateCall, trainCall;
    step.walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee)
        return;
      FunctionKind kind = getFunctionKind(callee);
      if (kind == FunctionKind::ForwardBackward)
        backwardCall = call;
      else if (kind == FunctionKind::OptimizerStep)
        updateCall = call;
      else if (kind == FunctionKind::TrainStep && !trainCall)
        trainCall = call;
    });
    if (trainCall && needsSplit) {
      InFlightDiagnostic diagnostic =
          trainCall.emitError()
          << "expected train step '@" << step.getName()
          << "' to call no other train step, but it calls '@"
          << trainCall.getCallee()
          << "'; a function without roles may call train steps";
      diagnostic.attachNote(step.getLoc()) << "the caller is here";
      return diagnostic;
    }
    if (backwardCall) // not fused
      return needsSplit
                 ? refuseOwnBackward(step, backwardCall, symbols, hasScale)
                 : success();
    if (updateCall) {
      if (!needsSplit && !inferGradients)
        return success();
      if (failed(refuseHiddenBackward(step, symbols)))
        return failure();
      return updateCall.emitError()
             << "expected train step '@" << step.getName()
             << "', which calls an optimizer step, to call a function with a 'loss_seed' "
                "argument and 'grad' results as well, but found none; write the "
                "backward pass as such a function, or the update without roles";
    }
    if (!llvm::hasSingleElement(step.getBody())) {
      if (!needsSplit && !inferGradients)
        return success();
      return step.emitError()
             << "expected fused train step '@" << step.getName()
             << "' to have one block, but got "
             << step.getBody().getBlocks().size()
             << "; write branches with scf.if";
    }
    if (std::optional<LogicalResult> decided =
            visitHandScaled(step, needsSplit))
      return *decided;
    bool needsGradients = needsSplit || inferGradients;
    if (needsGradients && failed(refuseMarkInHelper(step, symbols)))
      return failure();
    bool anyMark = false;
    StepSplitter splitter(step, symbols);
    if (failed(splitter.findGradients(anyMark)))
      return failure();
    if (!anyMark) {
      if (!needsGradients)
        return success();
      if (failed(splitter.inferGradients()))
        return failure();
    }
    ++numSplit;
    hasChanged = true;
    return splitter.split();
  }

  /// Marks of what is no fused step's own say nothing, but name a parameter.
  static LogicalResult checkMarks(ModuleOp module) {
    llvm::StringSet<> ofModule;
    for (auto function : module.getOps<func::FuncOp>())
      addParameters(function, ofModule);
    for (auto function : module.getOps<func::FuncOp>()) {
      std::optional<llvm::StringSet<>> ofFunction;
      WalkResult walk = function.walk([&](Operation *op) {
        auto names = op->getAttrOfType<ArrayAttr>(kGradAttr);
        if (!names)
          return WalkResult::advance();
        bool isHelper = !hasRoles(function);
        if (!isHelper && !ofFunction)
          addParameters(function, ofFunction.emplace());
        const llvm::StringSet<> &known = isHelper ? ofModule : *ofFunction;
        for (StringAttr name : names.getAsRange<StringAttr>()) {
          if (name.empty() || known.contains(name))
            continue;
          InFlightDiagnostic diagnostic =
              op->emitError() << "expected gradient '" << name.getValue()
                              << "' to be that of a 'param' of ";
          if (isHelper)
            diagnostic << "a function of this module";
          else
            diagnostic << "'@" << function.getName() << "'";
          diagnostic << ", but it has none of this name";
          return WalkResult::interrupt();
        }
        return WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return failure();
    }
    return success();
  }

  static void addParameters(func::FuncOp function, llvm::StringSet<> &names) {
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      if (RoleInfo info = getArgRole(function, i);
          info.is(Role::Param) || info.is(Role::Master))
        names.insert(info.name);
  }

  /// Refuses a mark in what a fused step calls: the step is cut at values of
  /// its own.
  static LogicalResult refuseMarkInHelper(func::FuncOp step,
                                          const SymbolTable &symbols) {
    Operation *mark =
        findReached(step.getOperation(), symbols, [&](Operation *op) {
          return op->hasAttr(kGradAttr) && !step->isProperAncestor(op);
        });
    if (!mark)
      return success();
    auto helper = mark->getParentOfType<func::FuncOp>();
    InFlightDiagnostic diagnostic =
        mark->emitError()
        << "expected 'amp.grad' on an operation of the train step's own block, "
           "but '@"
        << helper.getName() << "' is a function that train step '@"
        << step.getName()
        << "' calls; return the gradient from it, put the mark on the call, and "
           "leave the update to the train step";
    diagnostic.attachNote(step.getLoc()) << "the train step is here";
    return diagnostic;
  }

  /// A fused step that scales its loss itself has no seam: the gradients that
  /// its update reads are unscaled already.
  static std::optional<LogicalResult> visitHandScaled(func::FuncOp step,
                                                      bool needsSplit) {
    Operation *byHand = nullptr;
    step.walk([&](Operation *op) {
      if (!byHand && isa<ScaleLossOp, UnscaleOp, UpdateScaleOp>(op))
        byHand = op;
    });
    if (!byHand)
      return std::nullopt;
    if (!needsSplit)
      return success();
    InFlightDiagnostic diagnostic =
        byHand->emitError()
        << "expected fused train step '@" << step.getName()
        << "' to leave its loss unscaled, because it is split where the scale "
           "is taken out, but found '"
        << byHand->getName()
        << "'; leave out amp.scale_loss, amp.unscale and amp.update_scale, which "
           "are added with the declared scaler, or compute the gradients in a "
           "function with a 'loss_seed' argument and 'grad' results, and call "
           "it between them";
    diagnostic.attachNote(step.getLoc()) << "the train step is here";
    return LogicalResult(diagnostic);
  }

  bool hasChanged = false;
};
} // namespace
