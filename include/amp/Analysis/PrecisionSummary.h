//===- PrecisionSummary.h - What was decided, in numbers --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A count of the decisions in a module that amp-mixed-precision has rewritten,
// for people who want to see at a glance what a level did.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_PRECISIONSUMMARY_H
#define AMP_ANALYSIS_PRECISIONSUMMARY_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace mlir::amp {

struct PrecisionSummary {
  /// Operations by class and reason: {"low", "inside the model"} -> 16.
  /// Operations that only move elements have no precision and are left out.
  std::map<std::pair<std::string, std::string>, int64_t> classes;
  /// Contractions with half operands, and all of them.
  int64_t halfContractions = 0, contractions = 0;
  /// amp.cast operations, and the bytes that they write where shapes are
  /// static.
  int64_t casts = 0, castBytes = 0;
  int64_t masters = 0;
  int64_t scalers = 0;

  explicit PrecisionSummary(ModuleOp module);

  /// A few lines; nothing for a module without decisions (O0).
  void print(llvm::raw_ostream &os) const;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_PRECISIONSUMMARY_H
