//===- KernelChoice.h - Choose the kernel for a problem ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a problem to a configuration: of all that the emitters take, the one
// with the least expected time, unless a table says otherwise. The table is
// text, so that measurements overrule the model without a new compiler:
//
//     # chip  m n k batch layout a b d   tile cluster split-k raster-group
//     sm_90a  4096 4096 4096 1 nt bf16 bf16 bf16  128x256 2 1 8
//
// A line stands for problems with these sizes, layout and types. Where the same
// problem stands in it twice, the last line counts.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_KERNELCHOICE_H
#define AMP_KERNELS_KERNELCHOICE_H

#include "amp/Kernels/ConvolutionProblem.h"
#include "amp/Kernels/KernelCost.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::amp {

/// Configurations that were chosen by measurement.
class KernelTable {
public:
  /// Adds the lines of a file. Diagnostics name the line and what does not fit.
  LogicalResult read(StringRef path,
                     function_ref<InFlightDiagnostic()> emitError);

  /// The tile, cluster, split and raster for `problem`, or nothing.
  std::optional<GemmConfig> find(const GemmProblem &problem,
                                 const Chip &chip) const;

private:
  llvm::StringMap<GemmConfig> configs;
};

struct KernelChoice {
  GemmConfig config;
  KernelCost cost;
};

/// The complete and verified configuration with the least expected time for
/// `problem` on `chip`, or the one that `table` has. For operands that the
/// chip's kernels do not take, kernels of an earlier chip are tried that run on
/// it too. Fails if there is none; `reason` then says why.
FailureOr<KernelChoice> chooseGemm(const GemmProblem &problem, const Chip &chip,
                                   const EpilogueWork &epilogue,
                                   const KernelTable &table,
                                   std::string &reason);

/// The same for a convolution, as the product that it is; no table has any.
FailureOr<KernelChoice> chooseConvolution(const ConvolutionProblem &problem,
                                          const Chip &chip,
                                          const EpilogueWork &epilogue,
                                          std::string &reason);

/// How much faster a plain kernel must be expected to be for it to be
/// preferred. The model is not exact enough for less.
constexpr double kPlainMargin = 2;

} // namespace mlir::amp

#endif // AMP_KERNELS_KERNELCHOICE_H
