//===- LoopExtents.cpp - What is known of extents of loops ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/LoopExtents.h"

using namespace mlir;
using namespace mlir::amp;

bool amp::haveLoopsOneExtent(linalg::LinalgOp op) {
  SmallVector<std::optional<int64_t>> extents(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type || !type.hasRank())
      continue;
    for (auto [index, extent] : llvm::zip_equal(
             op.getMatchingIndexingMap(&operand).getResults(), type.getShape()))
      if (auto loop = dyn_cast<AffineDimExpr>(index)) {
        std::optional<int64_t> &known = extents[loop.getPosition()];
        if (known && known != extent)
          return false;
        known = extent;
      }
  }
  return true;
}
