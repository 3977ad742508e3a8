//===- BatchExtents.h - What sizes the batches of a run have ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TOOLS_AMP_RUN_BATCHEXTENTS_H
#define AMP_TOOLS_AMP_RUN_BATCHEXTENTS_H

#include "RunOptions.h"
#include "amp/Execution/Program.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::amp {

/// `extents` of amp-mixed-precision: "x=32x784" for each batch argument that
/// the module leaves open.
using ExtentList = std::vector<std::string>;

/// The extents that the batches of a run have where `module` does not say them,
/// each list once, that of the first batch with elements first. An evaluate
/// function takes as many rows, of which the test data say the other extents.
/// Nothing where all are known or given, and on the host, which needs none. No
/// elements are read.
llvm::Expected<std::vector<ExtentList>>
findBatchExtents(ModuleOp module, const RunOptions &options,
                 int64_t microBatches);

/// Forgets the extents of batch arguments that `module` leaves open.
llvm::Error openBatchExtents(FunctionSignature &trainStep, ModuleOp module);

} // namespace mlir::amp

#endif // AMP_TOOLS_AMP_RUN_BATCHEXTENTS_H
