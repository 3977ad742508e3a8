//===- StaleScales.h - Scaled values that a scale outruns -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A degree says how often a value carries the scale of a scaler, not which of
// the scales that it has had. A gradient that was scaled before the scaler
// advanced and is unscaled after it is divided by another number.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_STALESCALES_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_STALESCALES_H

#include "amp/Analysis/ScaleDegreeAnalysis.h"

namespace mlir::amp {

/// A use of a scaled value after its scaler has advanced, or of two between
/// which it has.
struct StaleScale {
  Value value;
  /// On the way to an unscaling, or one.
  Operation *use;
  /// What advances the scaler in between: an amp.update_scale, or an operation
  /// that contains or calls one.
  Operation *transition;
  StringRef scaler;
  /// What stored the value in memory that `use` reads; null if it is read as it
  /// is.
  Operation *store = nullptr;
  /// What was scaled after the transition and is used with `value`, if that is
  /// on no way to an unscaling.
  Value other = nullptr;
};

/// The first in each function and for each scaler with a dynamic scale. Linear
/// in operations and uses, and for each such scaler in what carries its scale.
SmallVector<StaleScale> findStaleScales(ModuleOp module,
                                        const ScaleDegreeAnalysis &analysis);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_STALESCALES_H
