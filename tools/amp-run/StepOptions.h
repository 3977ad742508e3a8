//===- StepOptions.h - Options of tools that compile a step --- -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What amp-run and amp-compile are told in the same words. The options of
// precision are handed on by name; the pipeline's own parser reads them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMP_RUN_STEPOPTIONS_H
#define AMP_TOOLS_AMP_RUN_STEPOPTIONS_H

#include "amp/Execution/BlasReport.h"
#include "amp/Pipelines/HostLowering.h"
#include "amp/Pipelines/MixedPrecision.h"
#include "llvm/Support/CommandLine.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir::amp {

/// An option under a heading of --help; `value` names what it takes.
template <typename T> struct ToolOption : llvm::cl::opt<T> {
  ToolOption(llvm::cl::OptionCategory &category, StringRef name, StringRef help,
             StringRef value = "", const T &initial = T())
      : llvm::cl::opt<T>(name, llvm::cl::desc(help),
                         llvm::cl::value_desc(value), llvm::cl::init(initial),
                         llvm::cl::cat(category)) {}
};
using TextOption = ToolOption<std::string>;

/// Options of a pipeline by name and value.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// Options of the pipeline amp-mixed-precision, under its names.
struct PrecisionOptions {
  llvm::cl::OptionCategory category{"Precision, as in apex.amp.initialize"};
  TextOption options[19] = {
      {category, "opt-level", "O0 to O5 (O1)", "level"},
      {category, "enabled", "False: train the program as it is", "bool"},
      {category, "cast-model-type", "type of the model", "type"},
      {category, "patch-torch-functions", "cast at listed functions", "bool"},
      {category, "patch-torch-functions-type", "half type of patched functions",
       "type"},
      {category, "keep-batchnorm-fp32", "keep batch norm in FP32", "bool"},
      {category, "master-weights", "keep FP32 master weights", "bool"},
      {category, "loss-scale", "dynamic, or a number", "scale"},
      {category, "cast-model-outputs", "type of the model's outputs", "type"},
      {category, "num-losses", "number of loss scalers", "number"},
      {category, "min-loss-scale", "floor of a dynamic scale", "scale"},
      {category, "max-loss-scale", "ceiling of a dynamic scale", "scale"},
      {category, "verbosity", "0 prints no selection", "number"},
      {category, "placement", "who places casts: apex", "name"},
      {category, "micro-batches", "batches whose gradients make a step",
       "number"},
      {category, "extents",
       "extents of batch arguments that are unknown in the module, with commas "
       "between them: x0=32x64,x1=32",
       "name=extents"},
      {category, "skip-on-overflow", "skip with a static scale too", "bool"},
      {category, "keep-finite-sums",
       "leave bad micro-batches out of accumulators", "bool"},
      {category, "verify-scaling",
       "where a loss scale reaches what a step keeps: error, warning or off",
       "name"},
  };

  /// Fails for an empty value, as from a variable that is not set.
  llvm::Error checkNames() const;
  NamedValues getGiven() const;
};

/// Sets the options of the pipeline, later ones over earlier ones. It shows its
/// selection on `screen`.
llvm::Error setPrecision(MixedPrecisionOptions &pipeline,
                         const NamedValues &given, raw_ostream &screen);

/// Whether and when large products go to the library that was chosen.
void setBlas(HostLoweringOptions &lowering, const BlasReport &blas);

/// An option of LLVM's linker plugin, which a shared libLLVM has, leaves its
/// name to ours.
void freeThreads();

/// Fails for an option that is there twice: one of its values would be ignored.
/// `list`, if there is one, takes many.
llvm::Error checkOccurrences(const llvm::cl::Option *list = nullptr);

} // namespace mlir::amp

#endif // AMP_TOOLS_AMP_RUN_STEPOPTIONS_H
