//===- UnmarkedGradients.h - Gradients that nobody named --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A train step that was captured as one function does not say which of its
// values are gradients. What scaling the loss would do says it: a gradient is a
// value that carries the loss scale once, and through which alone the scale
// comes to where the new parameter is computed from values without it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_UNMARKEDGRADIENTS_H
#define AMP_ANALYSIS_UNMARKEDGRADIENTS_H

#include "amp/Analysis/ScaleDegreeAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {

/// A value of a train step that is the gradient of a parameter.
struct UnmarkedGradient {
  /// The parameter's `amp.name`.
  llvm::StringRef name;
  /// Of the parameter's type where there is such a value.
  Value value;
  /// Otherwise the views and widenings between it and the update, in order.
  llvm::SmallVector<Operation *> views;
};

/// The gradients of the parameters that `step`, a fused train step of one
/// block, updates, in the order of its results; parameters whose update the
/// loss does not reach have none. Fails, after an error that names both, where
/// two values bring the scale into one update and no value of the parameter's
/// type or number of elements stands for them, and where an operation between
/// them is unknown. `degrees` are those with the seeds of `step` scaled.
FailureOr<llvm::SmallVector<UnmarkedGradient>>
findUnmarkedGradients(func::FuncOp step, const ScaleDegreeAnalysis &degrees);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_UNMARKEDGRADIENTS_H
