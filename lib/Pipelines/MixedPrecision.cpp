//===- MixedPrecision.cpp - The pipeline amp-mixed-precision --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the passes, with the reason for each step beside it.
//
//===----------------------------------------------------------------------===//

#include "amp/Pipelines/MixedPrecision.h"

#include "amp/Policy/OverrideValue.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::amp;

/// A policy that is not enabled leaves the precision as it is, without a policy
/// for the passes to follow.
static bool isEnabled(const MixedPrecisionOptions &options) {
  return OverrideValue::parse(options.enabled).getFlag() != false;
}

void mlir::amp::buildMicroBatchPipeline(OpPassManager &pm,
                                        const MixedPrecisionOptions &options) {
  // Extents before all that asks how many rows there are.
  if (!options.extents.empty())
    pm.addPass(createFixExtentsPass({llvm::to_vector(options.extents)}));
  // The policy stands on the module from here on; no later pass has a level.
  InitializeOptLevelPassOptions level;
  level.optLevel = options.optLevel;
  level.enabled = options.enabled;
  level.castModelType = options.castModelType;
  level.patchTorchFunctions = options.patchTorchFunctions;
  level.patchTorchFunctionsType = options.patchTorchFunctionsType;
  level.keepBatchnormFP32 = options.keepBatchnormFP32;
  level.masterWeights = options.masterWeights;
  level.lossScale = options.lossScale;
  level.castModelOutputs = options.castModelOutputs;
  level.numLosses = options.numLosses;
  level.minLossScale = options.minLossScale;
  level.maxLossScale = options.maxLossScale;
  level.verbosity = options.verbosity;
  pm.addPass(createInitializeOptLevelPass(level, *options.screen));
  // Calls around which losses are scaled, even where there was one function.
  if (isEnabled(options))
    pm.addPass(createSplitTrainStepPass({options.microBatches > 1}));
  // Such calls are what micro-batches repeat, before anything stands around
  // them.
  pm.addPass(createAccumulateGradientsPass({options.microBatches}));
}

/// The passes that change the module.
static void addRewrites(OpPassManager &pm,
                        const MixedPrecisionOptions &options) {
  buildMicroBatchPipeline(pm, options);
  if (!isEnabled(options))
    return;
  // Helpers before decisions, which are taken function by function.
  pm.addPass(createInlineHelpersPass());
  // Those that stay, once for each context that they are called in.
  pm.addPass(createSpecializeHelpersPass());
  // Decisions before any rewrite: rewrites lose the origins of operations.
  pm.addPass(createAnnotatePrecisionPass());
  // Signatures before casts: what arrives in half need not be cast.
  pm.addPass(createCastModelPass());
  // Under another placement than Apex's, what places the free casts would stand
  // here, between the decisions and the casts that follow from them.
  pm.addPass(createInsertCastsPass({options.placement}));
  // Masters before guards: a skipped step keeps the half copies as well.
  pm.addPass(createInsertMasterWeightsPass());
  pm.addPass(createInsertLossScalingPass());
  // After whatever changes a state.
  pm.addPass(
      createGuardUpdatesPass({options.skipOnOverflow, options.keepFiniteSums}));
  // Once it is known whether a loss is scaled.
  pm.addPass(createDropFinitePromisesPass());
}

void mlir::amp::buildMixedPrecisionPipeline(
    OpPassManager &pm, const MixedPrecisionOptions &options) {
  auto rewrites = [&](OpPassManager &inner) { addRewrites(inner, options); };
  if (options.verifyEach)
    rewrites(pm);
  else
    pm.addPass(createVerifyOncePass(rewrites));
  if (!isEnabled(options) || options.verifyScaling == ScalingCheck::Off)
    return;
  // The proof at the end, about the program that comes out.
  VerifyScalingPassOptions verify;
  verify.warnOnly = options.verifyScaling == ScalingCheck::Warning;
  pm.addPass(createVerifyScalingPass(verify));
}

void mlir::amp::registerMixedPrecisionPipeline() {
  PassPipelineRegistration<MixedPrecisionOptions>(
      "amp-mixed-precision",
      "Turn an FP32 training step into a mixed-precision one at an opt level",
      buildMixedPrecisionPipeline);
}
