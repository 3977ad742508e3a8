//===- SplitKReduction.h - Add up the parts of a split K --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With K split, each part's product lies in the workspace as f32: for each
// matrix of the batch and each part, rows rounded up to whole tiles, columns to
// four. A second kernel adds the parts in their order, so that the result is
// the same in each run, and applies the epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_EPILOGUE_SPLITKREDUCTION_H
#define AMP_LIB_KERNELS_EPILOGUE_SPLITKREDUCTION_H

#include "Device/DeviceBuilder.h"
#include "amp/Kernels/GemmConfig.h"
#include "amp/Kernels/GemmEpilogue.h"

namespace mlir::amp {

/// Columns of the workspace: its rows are multiples of 16 bytes.
inline int64_t getWorkspaceColumns(const GemmProblem &problem) {
  return llvm::alignTo(problem.n, 4);
}
inline int64_t getWorkspaceRows(const GemmProblem &problem,
                                const GemmConfig &config) {
  return problem.batch * config.splitK * getPaddedRows(problem, config);
}

/// Where the workspace has more columns than D.
struct WorkspaceColumns {
  /// Columns of D, an even number.
  int64_t count = 0;
  /// Where an even column and the next are in the workspace. Null if it has the
  /// same columns.
  std::function<Number(Number)> locate = nullptr;
};

/// `result` is what D is called in `amp.launch`.
void emitSplitKReduction(DeviceBuilder &b, StringRef name,
                         const GemmProblem &problem, const GemmConfig &config,
                         const GemmEpilogue &epilogue, StringRef result = "d",
                         const WorkspaceColumns &columns = {});

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_EPILOGUE_SPLITKREDUCTION_H
