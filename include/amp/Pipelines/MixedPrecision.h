//===- MixedPrecision.h - The pipeline amp-mixed-precision ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From an FP32 training step to a mixed-precision one, at an opt level.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PIPELINES_MIXEDPRECISION_H
#define AMP_PIPELINES_MIXEDPRECISION_H

#include "amp/Dialect/Amp/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace mlir::amp {

/// What `amp-verify-scaling` does at the end of the pipeline.
enum class ScalingCheck { Error, Warning, Off };

/// Options of `amp-mixed-precision`; text values as in
/// `amp-initialize-opt-level`, empty for the level's default.
struct MixedPrecisionOptions
    : public PassPipelineOptions<MixedPrecisionOptions> {
  Option<std::string> optLevel{*this, "opt-level", llvm::cl::init("O1"),
                               llvm::cl::desc("O0 to O5")};
  Option<std::string> enabled{
      *this, "enabled", llvm::cl::desc("False: leave the program as it is")};
  Option<std::string> castModelType{
      *this, "cast-model-type",
      llvm::cl::desc("type of the model's parameters")};
  Option<std::string> patchTorchFunctions{
      *this, "patch-torch-functions",
      llvm::cl::desc("cast at listed functions")};
  Option<std::string> patchTorchFunctionsType{
      *this, "patch-torch-functions-type",
      llvm::cl::desc("half type of patched functions")};
  Option<std::string> keepBatchnormFP32{
      *this, "keep-batchnorm-fp32", llvm::cl::desc("keep batch norm in FP32")};
  Option<std::string> masterWeights{*this, "master-weights",
                                    llvm::cl::desc("keep FP32 master weights")};
  Option<std::string> lossScale{*this, "loss-scale",
                                llvm::cl::desc("dynamic, or a number")};
  Option<std::string> castModelOutputs{
      *this, "cast-model-outputs",
      llvm::cl::desc("type of the model's outputs")};
  Option<std::string> numLosses{*this, "num-losses",
                                llvm::cl::desc("number of loss scalers")};
  Option<std::string> minLossScale{*this, "min-loss-scale",
                                   llvm::cl::desc("floor of a dynamic scale")};
  Option<std::string> maxLossScale{
      *this, "max-loss-scale", llvm::cl::desc("ceiling of a dynamic scale")};
  Option<std::string> verbosity{*this, "verbosity",
                                llvm::cl::desc("0 prints nothing")};
  ListOption<std::string> extents{
      *this, "extents",
      llvm::cl::desc("extents of batch arguments, such as x0=32x64, which are "
                     "unknown in the module (amp-fix-extents)")};
  Option<int64_t> microBatches{
      *this, "micro-batches", llvm::cl::init(1),
      llvm::cl::desc("parts that the batch of a step is divided into, whose "
                     "gradients are added")};
  Option<bool> skipOnOverflow{
      *this, "skip-on-overflow", llvm::cl::init(false),
      llvm::cl::desc("skip overflowed steps with a static scale too")};
  Option<bool> keepFiniteSums{
      *this, "keep-finite-sums", llvm::cl::init(false),
      llvm::cl::desc("leave a bad micro-batch out of its accumulator instead "
                     "of dropping the window")};
  Option<CastPlacement> placement{
      *this, "placement", llvm::cl::init(CastPlacement::Apex),
      llvm::cl::desc("where casts are placed"),
      llvm::cl::values(
          clEnumValN(CastPlacement::Apex, "apex",
                     "operation by operation, as Apex casts"),
          clEnumValN(
              CastPlacement::MinCut, "min-cut",
              "by the bytes that kernels read and write; not available yet"))};

  Option<ScalingCheck> verifyScaling{
      *this, "verify-scaling", llvm::cl::init(ScalingCheck::Error),
      llvm::cl::desc("what a loss scale is that reaches a parameter, a state "
                     "or a result of the step"),
      llvm::cl::values(
          clEnumValN(ScalingCheck::Error, "error", "an error"),
          clEnumValN(ScalingCheck::Warning, "warning", "a warning"),
          clEnumValN(ScalingCheck::Off, "off", "not looked for"))};
  Option<bool> verifyEach{
      *this, "verify-each", llvm::cl::init(false),
      llvm::cl::desc("verify the module after each pass and not only after the "
                     "last one that changes it; slower")};

  /// Where the selection is printed: no option, for it is the caller's.
  raw_ostream *screen = &llvm::errs();
};

/// Appends the passes of `amp-mixed-precision` to `pm`, which runs on a module.
void buildMixedPrecisionPipeline(OpPassManager &pm,
                                 const MixedPrecisionOptions &options);

/// Appends those passes of `amp-mixed-precision` that decide how many rows a
/// step takes.
void buildMicroBatchPipeline(OpPassManager &pm,
                             const MixedPrecisionOptions &options);

/// Makes `amp-mixed-precision` known to the pipeline parser.
void registerMixedPrecisionPipeline();

} // namespace mlir::amp

#endif // AMP_PIPELINES_MIXEDPRECISION_H
