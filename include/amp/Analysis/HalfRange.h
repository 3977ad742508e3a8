//===- HalfRange.h - Constants that a half type has no number for -*- C++ -*-=//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -1e9, which masks of attentions are filled with, is an infinity in f16, and a
// row of nothing else becomes NaN in a softmax. PyTorch refuses such a fill of
// a half tensor; FP32 is what it means.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_HALFRANGE_H
#define AMP_ANALYSIS_HALFRANGE_H

#include "mlir/IR/Operation.h"

namespace mlir::amp {

/// True if elementwise `op` adds, multiplies or chooses with a finite constant
/// that rounds to an infinity in `half`, whose value thus can reach a result: a
/// scalar of its body, or a tensor of one number. Not what compares with such a
/// constant or bounds by it, where an infinity does the same, nor the start of
/// a reduction.
bool usesConstantBeyond(Operation *op, FloatType half);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_HALFRANGE_H
