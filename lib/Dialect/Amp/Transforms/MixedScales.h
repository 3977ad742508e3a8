//===- MixedScales.h - Scales that do not cancel ----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_MIXEDSCALES_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_MIXEDSCALES_H

#include "ScaleVersions.h"
#include "ScaledValues.h"

namespace mlir::amp {

/// An operation that makes a value without scale of several scaled ones, as
/// their ratio, between whose scalings the scaler advances.
struct MixedScale {
  Operation *op;
  /// What was scaled before the transition, and behind it.
  Value before, behind;
  Operation *transition;
};

/// The first one in `function`; nothing if there is none. `settled` are scaled
/// values that carry the scale of the version in which they are made.
std::optional<MixedScale> findMixedScale(func::FuncOp function,
                                         const ScaledValues &carrying,
                                         const ScaleVersions &versions,
                                         ArrayRef<Value> settled);

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_MIXEDSCALES_H
