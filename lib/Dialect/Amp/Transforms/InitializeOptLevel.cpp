//===- InitializeOptLevel.cpp - From an opt level to a policy -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin pass: the policy library knows the levels, the checks and the texts;
// here its answer becomes an attribute and its refusal a diagnostic. The one
// thing decided here is what a second run means: the same policy is fine,
// another is not, for the program was rewritten for the first.
//
// Every pass that needs the policy comes later, so this is where blocks that
// nothing reaches are dropped: a value in one may be made of itself, and what
// follows the makers of a value would not end.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "amp/Policy/Properties.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::amp {
#define GEN_PASS_DEF_INITIALIZEOPTLEVELPASS
#include "amp/Dialect/Amp/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static Type toType(MLIRContext *context, std::optional<FloatKind> kind) {
  if (!kind)
    return {};
  switch (*kind) {
  case FloatKind::Float32:
    return Float32Type::get(context);
  case FloatKind::Float16:
    return Float16Type::get(context);
  case FloatKind::BFloat16:
    return BFloat16Type::get(context);
  }
  llvm_unreachable("every kind is handled");
}

static PolicyAttr toAttribute(MLIRContext *context,
                              const Properties &properties) {
  Builder builder(context);
  // The policy holds what has an effect: a fixed scale has no bounds.
  FloatAttr lossScale, minLossScale;
  auto maxLossScale = builder.getF64FloatAttr(Properties().maxLossScale);
  if (!properties.lossScale.isDynamic()) {
    lossScale = builder.getF64FloatAttr(properties.lossScale.getFixed());
  } else {
    maxLossScale = builder.getF64FloatAttr(properties.maxLossScale);
    if (properties.minLossScale)
      minLossScale = builder.getF64FloatAttr(*properties.minLossScale);
  }
  return PolicyAttr::get(
      context, static_cast<unsigned>(*properties.optLevel),
      toType(context, properties.castModelType),
      toType(context, properties.getFunctionCast()),
      properties.keepBatchnormFP32, properties.masterWeights, lossScale,
      toType(context, properties.castModelOutputs),
      static_cast<unsigned>(properties.numLosses), minLossScale, maxLossScale);
}

namespace {
struct InitializeOptLevel
    : public amp::impl::InitializeOptLevelPassBase<InitializeOptLevel> {
  using InitializeOptLevelPassBase::InitializeOptLevelPassBase;
  InitializeOptLevel(InitializeOptLevelPassOptions options, raw_ostream &screen)
      : InitializeOptLevelPassBase(std::move(options)), screen(&screen) {}

  void runOnOperation() override {
    ModuleOp module = getOperation();
    PropertyOverrides overrides;
    for (auto [name, value] :
         {std::pair<StringRef, StringRef>("enabled", enabled),
          {"cast-model-type", castModelType},
          {"patch-torch-functions", patchTorchFunctions},
          {"patch-torch-functions-type", patchTorchFunctionsType},
          {"keep-batchnorm-fp32", keepBatchnormFP32},
          {"master-weights", masterWeights},
          {"loss-scale", lossScale},
          {"cast-model-outputs", castModelOutputs},
          {"num-losses", numLosses},
          {"min-loss-scale", minLossScale},
          {"max-loss-scale", maxLossScale},
          {"verbosity", verbosity}}) {
      if (value.empty())
        continue;
      if (std::optional<PolicyError> error = overrides.set(name, value))
        return refuse(*error);
    }

    std::variant<Selection, PolicyError> outcome =
        amp::initialize(optLevel, overrides);
    if (const auto *error = std::get_if<PolicyError>(&outcome))
      return refuse(*error);
    const auto &selection = std::get<Selection>(outcome);
    for (const std::string &remark : selection.remarks)
      module.emitRemark() << remark;
    if (!selection.properties.enabled)
      return;

    if (failed(checkAttributes(module)))
      return signalPassFailure();
    PolicyAttr policy = toAttribute(&getContext(), selection.properties);
    if (auto present = module->getAttrOfType<PolicyAttr>(kPolicyAttr);
        present && present != policy) {
      module.emitError() << "expected the module's policy to be " << policy
                         << ", but it was already compiled for " << present
                         << "; start from the FP32 module again";
      return signalPassFailure();
    }
    remarkOnNested(module);
    eraseUnreachable(module);
    printSelection(*screen, selection);
    screen->flush();
    module->setAttr(kPolicyAttr, policy);
  }

  /// Refuses what the dialect's verification is not asked about, where nobody
  /// would read it, and marks of passes that have not run: with these, the
  /// passes would take their work for done.
  static LogicalResult checkAttributes(ModuleOp module) {
    bool isNew = !module->hasAttr(kPolicyAttr);
    if (isNew && failed(checkMarks(module)))
      return failure();
    auto nameless = StringAttr::get(module.getContext(), "amp.");
    WalkResult walk = module.walk([&](Operation *op) {
      bool isNameless = op->getDiscardableAttr(nameless) != nullptr;
      if (auto function = dyn_cast<FunctionOpInterface>(op)) {
        for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
          isNameless |= function.getArgAttr(i, nameless) != nullptr;
        for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
          isNameless |= function.getResultAttr(i, nameless) != nullptr;
      }
      if (isNameless) {
        op->emitOpError() << "expected an attribute's name after 'amp.'; give "
                             "it one that the dialect knows, or remove it";
        return WalkResult::interrupt();
      }
      auto call = dyn_cast<CallOpInterface>(op);
      if (isNew && (call || isa<FunctionOpInterface>(op)) &&
          op->hasAttr(kContextAttr)) {
        op->emitOpError()
            << "expected no '" << kContextAttr
            << "' in a module without 'amp.policy'; "
               "amp-specialize-helpers has not run on it and would "
               "leave its helpers as they are: remove it";
        return WalkResult::interrupt();
      }
      if (!call)
        return WalkResult::advance();
      for (auto [where, dictionaries] :
           {std::pair<StringRef, ArrayAttr>("operand", call.getArgAttrsAttr()),
            {"result", call.getResAttrsAttr()}}) {
        if (!dictionaries)
          continue;
        for (auto [index, attrs] :
             llvm::enumerate(dictionaries.getAsRange<DictionaryAttr>()))
          for (NamedAttribute attr : attrs)
            if (attr.getName().strref().starts_with("amp.")) {
              op->emitOpError()
                  << "expected no '" << attr.getName().strref() << "' on "
                  << where << " " << index
                  << " of a call, where it is not read; put it on the function "
                     "that is called, or on the call itself";
              return WalkResult::interrupt();
            }
      }
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// amp-insert-casts needs a policy; amp-guard-updates a step that scales its
  /// loss.
  static LogicalResult checkMarks(ModuleOp module) {
    if (isFlagSet(module, kCastsInsertedAttr))
      return module.emitError()
             << "expected no '" << kCastsInsertedAttr
             << "' on a module without 'amp.policy'; amp-insert-casts has not "
                "run on it and would leave it in FP32: remove the mark";
    for (auto function : module.getOps<FunctionOpInterface>()) {
      auto isScaled = [&] {
        return function
            ->walk([](Operation *op) {
              return isa<ScaleLossOp, UnscaleOp>(op) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
            })
            .wasInterrupted();
      };
      if (isFlagSet(function, kUpdatesGuardedAttr) && !isScaled())
        return function.emitError()
               << "expected no '" << kUpdatesGuardedAttr << "' on '@"
               << function.getName()
               << "', which scales no loss; amp-guard-updates has not run on it "
                  "and would leave its updates unguarded: remove the mark";
    }
    return success();
  }

  /// The passes that follow look at the functions of this module, not at those
  /// of modules in it: symbols are a module's own, and so is a policy.
  static void remarkOnNested(ModuleOp module) {
    module.walk<WalkOrder::PreOrder>([&](ModuleOp nested) {
      if (nested == module)
        return;
      auto functions = nested.getOps<func::FuncOp>();
      auto it = llvm::find_if(functions, hasRoles);
      if (it != functions.end())
        nested.emitRemark()
            << "leaves this nested module as it is, with the roles of '@"
            << (*it).getName()
            << "'; compile it as a module of its own, or move its functions "
               "into the one around it";
    });
  }

  static void eraseUnreachable(ModuleOp module) {
    IRRewriter rewriter(module.getContext());
    for (auto function : module.getOps<func::FuncOp>())
      (void)eraseUnreachableBlocks(rewriter, function->getRegions());
  }

  void refuse(const PolicyError &error) {
    getOperation().emitError() << error.text;
    signalPassFailure();
  }

  /// Where the selection is printed; standard output is the module's.
  raw_ostream *screen = &llvm::errs();
};
} // namespace

std::unique_ptr<Pass>
mlir::amp::createInitializeOptLevelPass(InitializeOptLevelPassOptions options,
                                        raw_ostream &screen) {
  return std::make_unique<InitializeOptLevel>(std::move(options), screen);
}
