//===- LoopRounds.h - How many rounds a loop runs ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a loop with constant bounds runs a round, for those who prove what it
// hands on.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_LOOPROUNDS_H
#define AMP_ANALYSIS_LOOPROUNDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::amp {

/// How many rounds `loop` runs, where its bounds and its step are constants:
/// their difference, which may be larger than the largest number of their type,
/// counts as unsigned.
inline std::optional<APInt> getTripCount(scf::ForOp loop) {
  APInt first, end, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&end)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.isZero())
    return std::nullopt;
  if (loop.getUnsignedCmp() ? first.uge(end) : first.sge(end))
    return APInt::getZero(first.getBitWidth());
  return (end - first - 1).udiv(step) + 1;
}

/// True or false where that is known, which is where its bounds are constants.
inline std::optional<bool> runsRound(LoopLikeOpInterface loop) {
  if (auto counting = dyn_cast<scf::ForOp>(*loop)) {
    std::optional<APInt> count = getTripCount(counting);
    return count ? std::optional(!count->isZero()) : std::nullopt;
  }
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds();
  if (!lower || !upper)
    return std::nullopt;
  bool areConstant = true;
  for (auto [first, end] : llvm::zip(*lower, *upper)) {
    std::optional<int64_t> from = getConstantIntValue(first),
                           to = getConstantIntValue(end);
    if (from && to && *from >= *to)
      return false;
    areConstant &= from && to;
  }
  return areConstant ? std::optional(true) : std::nullopt;
}

} // namespace mlir::amp

#endif // AMP_ANALYSIS_LOOPROUNDS_H
