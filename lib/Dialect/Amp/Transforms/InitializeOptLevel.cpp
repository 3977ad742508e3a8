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
