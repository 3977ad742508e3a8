//===- DeviceLowering.cpp - The pipeline amp-to-gpu -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As for the host (HostLowering.cpp), but every operation on tensors becomes a
// launch of kernels before bufferization, and what is left around them asks the
// runtime. Loops on elements that have no kernel are refused.
//
//===----------------------------------------------------------------------===//

#include "amp/Pipelines/DeviceLowering.h"

#include "amp/Conversion/Device/Passes.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "amp/Fusion/FusionTarget.h"
#include "amp/Kernels/Chip.h"
#include "amp/Kernels/Passes.h"
#include "amp/Layout/Passes.h"
#include "amp/Pipelines/HostLowering.h"
#include "amp/Pipelines/KernelLowering.h"
#include "amp/Program/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::amp;

/// Bytes from which on a tile does not grow: a kernel shares its tiles among
/// more than a hundred multiprocessors, and several blocks of each.
static constexpr int64_t kTileBytes = 16 * 1024;

static void addCleanup(OpPassManager &pm, ArrayRef<StringRef> without = {}) {
  addCanonicalizer(pm, without);
  pm.addPass(createCSEPass());
}

static void addTensorStage(OpPassManager &pm,
                           const DeviceLoweringOptions &options) {
  // While roles and phases say which tensors are gradients of filters.
  pm.addNestedPass<func::FuncOp>(createAssignLayoutsPass());
  pm.addPass(createStripContractPass());
  // Before anything is said of what was written to what it becomes.
  pm.addNestedPass<func::FuncOp>(createCheckExtentsPass());
  // Of which no pass that makes kernels knows.
  pm.addNestedPass<func::FuncOp>(createVectorsToTensorsPass());
  pm.addNestedPass<func::FuncOp>(createCutNegativePadsPass());
  pm.addNestedPass<func::FuncOp>(createKeepScalersOnDevicePass());
  pm.addNestedPass<func::FuncOp>(createExpandHostOpsPass());
  // Bufferization knows no affine loops.
  pm.addNestedPass<func::FuncOp>(createLowerAffinePass());
  // Which bufferization would get wrong.
  pm.addNestedPass<func::FuncOp>(createConvertIndexSwitchToIfPass());
  // Before choices between tensors are operations on tensors.
  pm.addNestedPass<func::FuncOp>(createMoveCarriedElementsPass());
  // Casts on tensors become loops like all else, so that they can be fused.
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  // Where a body makes and takes apart its numbers, none of them is left.
  pm.addPass(createConvertComplexToStandardPass());
  if (options.countTraffic)
    pm.addPass(createCountLeastTrafficPass());
  pm.addNestedPass<func::FuncOp>(createSeparateAssertsPass());
  pm.addNestedPass<func::FuncOp>(createRaiseExtractsPass());
  pm.addNestedPass<func::FuncOp>(createRaiseConcatenationsPass());
  pm.addNestedPass<func::FuncOp>(createAddInsertedSlicesPass());
  pm.addNestedPass<func::FuncOp>(createBubbleUpSlicesPass());
  pm.addNestedPass<func::FuncOp>(createReadThroughRepeatsPass());
  // Conditions that are computed from flags are elements of tensors, too.
  pm.addNestedPass<func::FuncOp>(createNumbersToTensorsPass());
  // The guard of a step, before fusion, which melts it into the update.
  pm.addNestedPass<func::FuncOp>(createFlattenConditionalsPass());
  // Of which numbers may have come.
  pm.addNestedPass<func::FuncOp>(createNumbersToTensorsPass());
  // Numbers that became tensors are indices, too; from here on widths are
  // asked.
  pm.addPass(createStoreIndicesAsIntegersPass());
  pm.addNestedPass<func::FuncOp>(createChecksToFlagsPass());
  pm.addNestedPass<func::FuncOp>(createDeferAssertsPass());
  // Whose maps keep elementwise fusion from reshapes.
  pm.addNestedPass<func::FuncOp>(createDropUnitDimsPass());
  // Which would keep what they read out of a group.
  pm.addNestedPass<func::FuncOp>(createRecomputeGatheredPass());
  // Which elementwise fusion moves into the readers.
  pm.addNestedPass<func::FuncOp>(createRecomputeWideningsPass());
  pm.addPass(createFuseElementwisePass());
  addCleanup(pm);
  // Of what is one operation by now; and into that.
  pm.addNestedPass<func::FuncOp>(createRecomputeElementsPass());
  pm.addPass(createFuseElementwisePass());
  addCleanup(pm);
  // Slices that were merged may have strides of single elements again.
  pm.addNestedPass<func::FuncOp>(createExpandHostOpsPass());
  // What is a loop's is no group's, and no kernel's of its own.
  pm.addNestedPass<func::FuncOp>(createExpandSliceUpdatesPass());
  pm.addNestedPass<func::FuncOp>(createSeparateFillsPass());
}

/// Every operation on tensors that has a kernel.
static void addKernels(OpPassManager &pm,
                       const DeviceLoweringOptions &options) {
  // Of tensors that one block cannot keep.
  if (const Chip *chip = getChip(options.chip)) {
    FusionTarget target = getFusionTarget(*chip);
    VariancesInPartsPassOptions variances;
    variances.closeBytes = target.closeBytes;
    variances.runBytes = target.runBytes;
    pm.addNestedPass<func::FuncOp>(createVariancesInPartsPass(variances));
  }
  // Whose kernels read halves where they lie.
  pm.addNestedPass<func::FuncOp>(createRoundBeforeSlicesPass());
  // Before their products are kernels of their own.
  ConvertAttentionToKernelsPassOptions attentions;
  attentions.chip = options.chip;
  pm.addPass(createConvertAttentionToKernelsPass(attentions));
  // Of rows that are no attention's.
  if (const Chip *chip = getChip(options.chip)) {
    SoftmaxesInPartsPassOptions softmaxes;
    softmaxes.closeBytes = getFusionTarget(*chip).closeBytes;
    pm.addNestedPass<func::FuncOp>(createSoftmaxesInPartsPass(softmaxes));
  }
  // Groups know no named fills.
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  // Of what is a product's own now.
  pm.addNestedPass<func::FuncOp>(createRoundBeforeMovesPass());
  ConvertLinalgToTensorCorePassOptions products;
  products.chip = options.chip;
  products.tf32 = options.tf32;
  pm.addPass(createConvertLinalgToTensorCorePass(products));
  // What Tensor Cores have not taken, no other kernel has numbers of.
  pm.addNestedPass<func::FuncOp>(createStoreF8AsI8Pass());
  addCleanup(pm);
  // Those of products are parts of their kernels by now.
  pm.addNestedPass<func::FuncOp>(createReadThroughPadsPass());
  pm.addPass(createConvertPadsToKernelsPass());
  pm.addNestedPass<func::FuncOp>(createDecomposePadsPass());
  // A check of each gradient would be a group and a combination of numbers.
  pm.addPass(createConvertOrReductionsToMultiTensorKernelsPass());
  // So would a norm of each.
  pm.addPass(createConvertSumsToMultiTensorKernelsPass());
  // Which leave each norm as a number by itself.
  pm.addNestedPass<func::FuncOp>(createUnstackNumbersPass());
  // What products left goes by tiles where it shares a pass over memory.
  pm.addNestedPass<func::FuncOp>(createSeparateFillsPass());
  TileFusionGroupsPassOptions tiles;
  // Kernels write their results whole.
  tiles.carriedInPlace = false;
  if (const Chip *chip = getChip(options.chip)) {
    FusionTarget target = getFusionTarget(*chip);
    tiles.closeBytes = target.closeBytes;
    tiles.runBytes = target.runBytes;
    tiles.tiles = target.tiles;
    tiles.tileBytes = kTileBytes;
    // The sum of a product in a tile is in shared memory while it grows, where
    // a host has caches for it.
    tiles.productBytes = target.closeBytes;
    tiles.productTiles = target.tiles;
    tiles.sumsAlone = true;
  }
  pm.addNestedPass<func::FuncOp>(createTileFusionGroupsPass(tiles));
  pm.addNestedPass<func::FuncOp>(createLowerAffinePass());
  // A loop of one tile is a group as well: the threads of a block share it. It
  // has to be a kernel before the next cleanup, which takes it apart.
  addCleanup(pm, /*without=*/{"ForallOpSingleOrZeroIterationDimsFolder"});
  // Before each gets a kernel of its own.
  ConvertElementwiseToMultiTensorKernelsPassOptions many;
  many.chip = options.chip;
  pm.addPass(createConvertElementwiseToMultiTensorKernelsPass(many));
  pm.addNestedPass<func::FuncOp>(createTileSumsPass());
  // Before a loop is a kernel, whose rows are as long as its result's.
  pm.addNestedPass<func::FuncOp>(createWriteThroughInsertionsPass());
  ConvertFusionGroupsToKernelsPassOptions groups;
  groups.chip = options.chip;
  pm.addPass(createConvertFusionGroupsToKernelsPass(groups));
  pm.addNestedPass<func::FuncOp>(createReadThroughSlicesPass());
  pm.addNestedPass<func::FuncOp>(createJoinNumbersPass());
  pm.addPass(createConvertLinalgToElementKernelsPass());
  addCleanup(pm);
  // When all have their kernels.
  pm.addPass(createBatchLaunchesPass());
  pm.addNestedPass<func::FuncOp>(createSinkHostReadsPass());
}

/// Buffers of known places, and copies that are kernels.
static void addBuffers(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createCarryInPlacePass());
  buildBufferizationPipeline(pm);
  pm.addNestedPass<func::FuncOp>(createWriteResultsInPlacePass());
  // While memory has no place yet.
  pm.addNestedPass<func::FuncOp>(createCarryNumbersInMemoryPass());
  pm.addNestedPass<func::FuncOp>(createCopyByElementsPass());
  pm.addPass(createConvertCopiesToKernelsPass());
  pm.addNestedPass<func::FuncOp>(createPlanBuffersPass());
  buildDeallocationPipeline(pm);
}

/// What the host does itself, and what it asks the runtime for.
static void addHostCode(OpPassManager &pm,
                        const DeviceLoweringOptions &options) {
  // Loops over tiles that have no kernel.
  pm.addPass(createForallToForLoopPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  // Indices that are quotients or remainders of loops.
  pm.addNestedPass<func::FuncOp>(createLowerAffinePass());
  pm.addNestedPass<func::FuncOp>(createStoreLoopResultsPass());
  pm.addPass(createConvertLoopsToKernelsPass());
  // Of which some want numbers that others give.
  pm.addNestedPass<func::FuncOp>(createStoreNumbersByKernelsPass());
  pm.addPass(createConvertLoopsToKernelsPass());
  pm.addPass(createKeepMemoryOnHostPass());
  pm.addPass(createVerifyDeviceLoweringPass());
  if (options.countTraffic) {
    pm.addPass(createCountLaunchTrafficPass());
    EstimateStepPassOptions estimate;
    estimate.chip = options.chip;
    pm.addPass(createEstimateStepPass(estimate));
  }
  pm.addPass(createConvertAssertToRuntimePass());
  // Of launches that were dead.
  pm.addPass(createEraseUnusedKernelsPass());
  pm.addPass(createRecordLaunchesPass());
  pm.addPass(createConvertDeviceToRuntimePass());
}

/// Kernels as images of the program.
static void addImages(OpPassManager &pm, const DeviceLoweringOptions &options) {
  EmbedKernelsPassOptions embed;
  if (options.format == KernelFormat::NVVM) {
    KernelsToNVVMOptions kernels;
    kernels.functions = options.functions;
    buildKernelsToNVVMPipeline(pm, kernels);
  } else {
    KernelLoweringOptions kernels;
    kernels.chip = options.chip;
    kernels.format = options.format == KernelFormat::PTX ? "isa" : "bin";
    kernels.toolkit = options.toolkit;
    kernels.cache = options.cache;
    kernels.functions = options.functions;
    buildKernelsToCubinPipeline(pm, kernels);
    embed.chip = options.chip;
  }
  pm.addPass(createEmbedKernelsPass(embed));
}

void mlir::amp::buildDeviceLoweringPipeline(
    OpPassManager &pm, const DeviceLoweringOptions &options) {
  addTensorStage(pm, options);
  addKernels(pm, options);
  addBuffers(pm);
  addHostCode(pm, options);
  addImages(pm, options);
  buildHostProgramPipeline(pm, /*hasTiles=*/false);
}

void mlir::amp::registerDeviceLoweringPipeline() {
  PassPipelineRegistration<DeviceLoweringOptions>(
      "amp-to-gpu",
      "Lower a mixed-precision training step to kernels of a GPU and a program "
      "that runs them",
      [](OpPassManager &pm, const DeviceLoweringOptions &options) {
        buildHostPreparationPipeline(pm);
        buildDeviceLoweringPipeline(pm, options);
      });
}
