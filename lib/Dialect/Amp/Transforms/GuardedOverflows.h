//===- GuardedOverflows.h - Overflows that a guard is not told --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is computed from scaled values and carries no scale, as a ratio of two,
// may be taken where amp.apply_if_finite is told of each overflow in them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_GUARDEDOVERFLOWS_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_GUARDEDOVERFLOWS_H

#include "TransitionFlow.h"

#include "amp/Analysis/ScaleDegreeAnalysis.h"

namespace mlir::amp {

/// A scaled value that a guard takes without its scale.
struct GuardedOverflow {
  ApplyIfFiniteOp guard;
  /// Of whose overflow the guard may not be told.
  Value scaled;
  /// What makes of it a value without scale.
  Operation *user;
  StringRef scaler;
  /// True if `scaled` is what `user` reads from memory, where losses are not
  /// followed.
  bool isRead = false;
};

/// The first of each guard and for each scaler with a dynamic scale. A guard
/// whose results show the overflow (see ScaleDegreeAnalysis) is left out.
SmallVector<GuardedOverflow>
findGuardedOverflows(ModuleOp module, const ScaleDegreeAnalysis &analysis,
                     const TransitionFlow &flow);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_GUARDEDOVERFLOWS_H
