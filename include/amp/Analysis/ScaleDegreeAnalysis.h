//===- ScaleDegreeAnalysis.h - Degrees of all values ------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every value of a module, which power of which loss scale it carries (see
// ScaleDegree.h). Functions are summed up bottom-up over the call graph, in
// terms of the degrees of their arguments; nothing is inlined.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_SCALEDEGREEANALYSIS_H
#define AMP_ANALYSIS_SCALEDEGREEANALYSIS_H

#include "amp/Analysis/ScaleDegree.h"
#include "amp/Support/AllocationOrder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace mlir::amp {

/// What a call has to know of a function.
struct DegreeSummary {
  /// Of each result, in terms of the arguments.
  SmallVector<DegreeId> results;
  /// Of what the function leaves in memory.
  DegreeId memory = DegreeTable::kAny;
  /// Whether some of that is global, and may be written.
  bool touchesGlobals = false;
};

class ScaleDegreeAnalysis {
public:
  /// Numbers the scalers of `module` in its order, and computes all degrees.
  /// Time is linear in operations and uses, but for a factor that is the
  /// logarithm of a function's number of arguments, on which values may put
  /// conditions.
  ///
  /// The seeds of `seeded`, a fused train step that does not scale its losses,
  /// count as scaled once, by one scale more, `loss_seed`.
  explicit ScaleDegreeAnalysis(ModuleOp module, func::FuncOp seeded = {});

  DegreeId lookup(Value value) const { return degrees.lookup(value); }
  const DegreeTable &getTable() const { return *table; }
  /// Null for a function with neither body nor roles.
  const DegreeSummary *lookupSummary(func::FuncOp function) const;
  /// True if a function whose reference is taken may scale what it returns.
  bool mayScaleIndirectly() const { return scalesIndirectly; }
  ArrayRef<StringRef> getScales() const { return scales; }

  /// "1 in @loss_scaler0", "any", "undecided".
  void print(DegreeId degree, raw_ostream &os) const;

private:
  SmallVector<StringRef> scales;
  llvm::StringMap<unsigned> scaleNumbers;
  std::unique_ptr<DegreeTable> table;
  AllocationOrderMap<Value, DegreeId> degrees;
  llvm::DenseMap<Operation *, DegreeSummary> summaries;
  bool scalesIndirectly = false;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_SCALEDEGREEANALYSIS_H
