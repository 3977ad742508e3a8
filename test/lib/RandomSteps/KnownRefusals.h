//===- KnownRefusals.h - Right steps that are refused -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics that a right step may get, each with the reason. Any other is a
// failure.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_KNOWNREFUSALS_H
#define AMP_TEST_RANDOMSTEPS_KNOWNREFUSALS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::amp {

struct KnownRefusal {
  /// A part of the diagnostic's text.
  llvm::StringLiteral text;
  llvm::StringLiteral reason;
  /// A part of the pipeline that it needs; empty for any.
  llvm::StringLiteral pipeline = "";
};

constexpr KnownRefusal kKnownRefusals[] = {
    {"to stand in scf.for, scf.if or no region",
     "the predicate of an overflow is not handed out of an scf.while"},
    {"expected one value that brings the loss scale into the update of",
     "without marks, a parameter of one element has the type of values on the "
     "way to its gradient; the error names both"},
    {"to be unscaled, but one is still scaled; take 'amp.delay_unscale'",
     "gradients of half parameters are rounded between delayed additions",
     "master-weights=False"},
    {"to be unscaled, but one is still scaled; take 'amp.delay_unscale'",
     "the same", "opt-level=O3"},
};

inline bool isKnownRefusal(llvm::StringRef diagnostic,
                           llvm::StringRef pipeline) {
  for (const KnownRefusal &known : kKnownRefusals)
    if (diagnostic.contains(known.text) && pipeline.contains(known.pipeline))
      return true;
  return false;
}

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_KNOWNREFUSALS_H
