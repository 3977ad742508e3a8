//===- HostLowering.cpp - The pipeline amp-to-host ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the passes, with the reason for each step beside it. Everything
// on tensors happens before bufferization, everything on buffers before loops.
//
//===----------------------------------------------------------------------===//

#include "amp/Pipelines/HostLowering.h"

#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/Passes.h"
#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "amp/Dialect/Linalg/Transforms/Passes.h"
#include "amp/Program/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

#include <limits>

using namespace mlir;
using namespace mlir::amp;

void mlir::amp::addCanonicalizer(OpPassManager &pm,
                                 ArrayRef<StringRef> without) {
  SmallVector<StringRef> names(without);
  names.push_back("FoldInsertPadIntoFill");
  // Makes a loop whose tensor shrinks carry one that does not.
  names.push_back("ForOpTensorCastFolder");
  // Gives what is masked off the vector's elements, not the accumulator's.
  names.push_back("ElideUnitDimsInMultiDimReduction");
  SmallVector<std::string> disabled;
  // Compilers differ in how they spell the namespace of a pattern.
  for (StringRef name : names)
    for (StringRef scope : {"(anonymous namespace)::", "{anonymous}::"})
      disabled.push_back((scope + name).str());
  pm.addPass(createCanonicalizerPass(GreedyRewriteConfig(), disabled));
}

static void addCleanup(OpPassManager &pm) {
  addCanonicalizer(pm);
  pm.addPass(createCSEPass());
}

void mlir::amp::buildHostPreparationPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createExpandMasksPass());
  // Of which folds, fusion and bufferization forget what the destination keeps.
  pm.addNestedPass<func::FuncOp>(createExpandPartialWritesPass());
  // Bufferization knows no loops of blocks, and the inliner writes one block.
  pm.addPass(createLiftControlFlowToSCFPass());
  // amp operations become standard ones, and the step becomes one function.
  pm.addPass(createConvertAmpToRuntimePass());
  pm.addPass(createConvertAmpToLinalgPass());
  // Before the canonicalizer, which takes what operations ask of extents for
  // what they are.
  pm.addNestedPass<func::FuncOp>(createCheckExtentsPass());
  pm.addPass(createMarkEntryPointsPass());
  // Before inlining, which moves calls to other functions.
  pm.addPass(createVerifyRecursionPass());
  pm.addPass(
      createInlinerPass({}, [](OpPassManager &pm) { addCanonicalizer(pm); }));
  pm.addPass(createSymbolDCEPass());
  // Before anything asks what a loop carries, or reads a number from a device.
  pm.addNestedPass<func::FuncOp>(createRaiseCountedLoopsPass());
  pm.addNestedPass<func::FuncOp>(createRaiseScalarsPass());
  addCleanup(pm);
}

/// Less work, and fewer passes over memory.
static void addFusion(OpPassManager &pm) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createSeparateAssertsPass());
  function.addPass(createRaiseExtractsPass());
  function.addPass(createAddInsertedSlicesPass());
  function.addPass(createBubbleUpSlicesPass());
  function.addPass(createReadThroughRepeatsPass());
  // Before elementwise fusion, which would mix moves with what computes; and
  // before the filters of convolutions are sliced, which hides their moves.
  function.addPass(createFoldMovesIntoContractionsPass());
  function.addPass(createSkipZeroStepsPass());
  function.addPass(createSkipInsertedZerosPass());
  // Whose maps keep elementwise fusion from reshapes.
  DropUnitDimsPassOptions unitDims;
  unitDims.products = true;
  pm.addNestedPass<func::FuncOp>(createDropUnitDimsPass(unitDims));
  // A table of which a few rows are read is not rounded as a whole.
  RecomputeGatheredPassOptions gathered;
  gathered.ofArguments = true;
  pm.addNestedPass<func::FuncOp>(createRecomputeGatheredPass(gathered));
  // Before elementwise fusion puts constants into products.
  pm.addNestedPass<func::FuncOp>(createReduceBeforeBroadcastPass());
  // Before elementwise fusion makes one operation of the additions.
  pm.addNestedPass<func::FuncOp>(createJoinSummedProductsPass());
  // Which elementwise fusion moves into the readers.
  pm.addNestedPass<func::FuncOp>(createRecomputeWideningsPass());
  pm.addPass(createFuseElementwisePass());
  // After it: what rounds a result and what transposes it is one operation now.
  pm.addNestedPass<func::FuncOp>(createOrderContractionResultsPass());
  // Each operation on scores is one now.
  pm.addNestedPass<func::FuncOp>(createSplitMaskedRowsPass());
  // Of the blocks of each row, those that are large.
  pm.addNestedPass<func::FuncOp>(createRecomputeInBlocksPass());
}

static void addTensorStage(OpPassManager &pm,
                           const HostLoweringOptions &options) {
  pm.addPass(createStripContractPass());
  // Before anything is said of what was written to what it becomes.
  pm.addNestedPass<func::FuncOp>(createCheckExtentsPass());
  pm.addNestedPass<func::FuncOp>(createCutNegativePadsPass());
  pm.addNestedPass<func::FuncOp>(createExpandHostOpsPass());
  // Bufferization knows no affine loops.
  pm.addNestedPass<func::FuncOp>(createLowerAffinePass());
  // Which bufferization would get wrong.
  pm.addNestedPass<func::FuncOp>(createConvertIndexSwitchToIfPass());
  // Casts on tensors become loops like all else, so that they can be fused.
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  // Of which LLVM has no numbers.
  pm.addNestedPass<func::FuncOp>(createStoreF8AsI8Pass());
  if (options.countTraffic)
    pm.addPass(createCountLeastTrafficPass());
  if (!options.reference)
    addFusion(pm);
  addCleanup(pm);
  // Slices that were merged may have strides of single elements again.
  pm.addNestedPass<func::FuncOp>(createExpandHostOpsPass());
  SeparateFillsPassOptions fills;
  fills.constants = true;
  pm.addNestedPass<func::FuncOp>(createSeparateFillsPass(fills));
  if (!options.reference) {
    pm.addNestedPass<func::FuncOp>(createTileFusionGroupsPass());
    addCleanup(pm);
    // Loops over one tile are none now.
    PackSharedOperandsPassOptions packing;
    packing.cpu = options.cpu;
    packing.vectorBits = options.vectorBits;
    packing.bf16 = options.bf16;
    packing.f16 = options.f16;
    pm.addNestedPass<func::FuncOp>(createPackSharedOperandsPass(packing));
  }
}

/// Buffers of known places, and a step that is a list of kernel calls.
static void addKernels(OpPassManager &pm, const HostLoweringOptions &options) {
  pm.addNestedPass<func::FuncOp>(createWriteResultsInPlacePass());
  if (options.updateInPlace)
    pm.addNestedPass<func::FuncOp>(createUpdateInPlacePass());
  // While each buffer is an allocation of its own: which arguments of a kernel
  // overlap is read from that.
  pm.addPass(createOutlineKernelsPass());
  if (options.countTraffic)
    pm.addPass(createCountKernelTrafficPass());
  if (options.profile || options.describeKernels) {
    ProfileKernelsPassOptions profile;
    profile.timed = options.profile;
    pm.addPass(createProfileKernelsPass(profile));
  }
  LowerTileLoopsPassOptions tiles;
  tiles.threads = options.threads;
  if (options.partWork != 0)
    tiles.partWork = options.partWork;
  pm.addNestedPass<func::FuncOp>(createLowerTileLoopsPass(tiles));
  pm.addNestedPass<func::FuncOp>(createPlanBuffersPass());
}

void mlir::amp::buildBufferizationPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSeparateFillsPass());
  // Which the next one and bufferization would get wrong.
  pm.addNestedPass<func::FuncOp>(createCopySharedStartsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  // Which bufferization would get wrong.
  pm.addNestedPass<func::FuncOp>(createCopySharedYieldsPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.bufferAlignment = 64;
  // What a loop carries may be a new buffer each time round.
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // The caller allocates results.
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  // A part that was computed in its place is copied to the same place: seen as
  // such once there is one view of it.
  pm.addPass(createCSEPass());
  addCleanup(pm);
}

void mlir::amp::buildDeallocationPipeline(OpPassManager &pm) {
  bufferization::BufferDeallocationPipelineOptions deallocation;
  bufferization::buildBufferDeallocationPipeline(pm, deallocation);
  pm.addPass(createMeasureWorkspacePass());
}

static void addLoopStage(OpPassManager &pm,
                         const HostLoweringOptions &options) {
  if (!options.reference) {
    ConvertLinalgToHostMatvecPassOptions products;
    products.cpu = options.cpu;
    products.vectorBits = options.vectorBits;
    products.threads = options.threads;
    if (options.partWork != 0)
      products.partWork = options.partWork;
    pm.addNestedPass<func::FuncOp>(
        createConvertLinalgToHostMatvecPass(products));
  }
  ConvertLinalgToHostContractionPassOptions contraction;
  contraction.blas = options.blas;
  contraction.blasMinWork = options.blasMinWork;
  contraction.blasMinBf16Work = options.blasMinBf16Work;
  contraction.cpu = options.cpu;
  contraction.vectorBits = options.vectorBits;
  contraction.bf16 = options.bf16;
  contraction.f16 = options.f16;
  contraction.expandTiles = options.expandTiles;
  contraction.threads = options.threads;
  if (options.partWork != 0)
    contraction.partWork = options.partWork;
  contraction.reference = options.reference;
  pm.addPass(createConvertLinalgToHostContractionPass(contraction));
  if (options.expandTiles)
    pm.addNestedPass<func::FuncOp>(createExpandAmxTilesPass());
  if (!options.reference) {
    ConvertLinalgToHostLoopsPassOptions loops;
    loops.threads = options.threads;
    if (options.partWork != 0)
      loops.partWork = options.partWork;
    pm.addNestedPass<func::FuncOp>(createConvertLinalgToHostLoopsPass(loops));
    pm.addNestedPass<func::FuncOp>(createApproximateMathPass());
  }
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  if (options.threads > 1)
    pm.addPass(createOutlineParallelLoopsPass());
  pm.addPass(createConvertAssertToRuntimePass());
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  addCleanup(pm);
}

void mlir::amp::buildHostProgramPipeline(OpPassManager &pm, bool hasTiles) {
  pm.addPass(createConvertComplexToStandardPass());
  pm.addPass(createExpandArithPass());
  // Of more than one dimension, which LLVM has no reductions of.
  pm.addNestedPass<func::FuncOp>(vector::createLowerVectorMultiReductionPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  addCleanup(pm);
  // Integer powers become functions; other operations are left to what follows.
  ConvertMathToFuncsOptions functions;
  functions.minWidthOfFPowIExponent = std::numeric_limits<unsigned>::max();
  pm.addPass(createConvertMathToFuncs(functions));
  // Which the next one would compute by exp and log.
  pm.addPass(createCallLibmPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  ConvertVectorToLLVMPassOptions vector;
  vector.x86Vector = true; // products of bf16
  pm.addPass(createConvertVectorToLLVMPass(vector));
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  FinalizeMemRefToLLVMConversionPassOptions memref;
  memref.useGenericFunctions = true; // names that amp-return-status knows
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  ConvertToLLVMPassOptions blocks;
  blocks.filterDialects = {"cf"};
  // Together: a tile's type crosses branches.
  if (hasTiles)
    blocks.filterDialects.push_back("amx");
  pm.addPass(createConvertToLLVMPass(blocks));
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  // Those conversions leave what they do not know.
  pm.addPass(createVerifyHostLoweringPass());
  pm.addPass(createStoreBooleansAsBytesPass());
  pm.addPass(createConvertParallelCallsPass());
  // Calls of the runtime are all there now, and last are told of the run.
  pm.addPass(createReturnStatusPass());
  pm.addPass(createDescribeProgramPass());
}

void mlir::amp::buildHostLoweringPipeline(OpPassManager &pm,
                                          const HostLoweringOptions &options) {
  auto stages = [&](OpPassManager &inner) {
    addTensorStage(inner, options);
    inner.addNestedPass<func::FuncOp>(createSeparateEmptiesPass());
    buildBufferizationPipeline(inner);
    addKernels(inner, options);
    buildDeallocationPipeline(inner);
    addLoopStage(inner, options);
    buildHostProgramPipeline(inner, /*hasTiles=*/true);
  };
  if (options.verifyEach)
    stages(pm);
  else
    pm.addPass(createVerifyOncePass(stages));
}

void mlir::amp::registerHostLoweringPipeline() {
  PassPipelineRegistration<HostLoweringOptions>(
      "amp-to-host",
      "Lower a mixed-precision training step to the LLVM dialect for a CPU",
      [](OpPassManager &pm, const HostLoweringOptions &options) {
        buildHostPreparationPipeline(pm);
        buildHostLoweringPipeline(pm, options);
      });
}
