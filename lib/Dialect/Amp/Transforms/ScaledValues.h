//===- ScaledValues.h - Values that carry a loss scale ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of one scaler: which values of a module carry its scale, and which an
// overflow of it may have come into, by the arguments that calls hand over as
// well.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEDVALUES_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEDVALUES_H

#include "amp/Analysis/ScaleDegreeAnalysis.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::amp {

class ScaledValues {
public:
  ScaledValues(ModuleOp module, const SymbolTable &symbols,
               const ScaleDegreeAnalysis &analysis, unsigned scale);

  /// True if `value`, of `function`, carries a power of the scale.
  bool contains(Value value, func::FuncOp function) const;
  DegreeId getDegree(Value value) const { return analysis.lookup(value); }
  /// True if an overflow of the scale may have come into a value of `degree`.
  bool isTouchedBy(DegreeId degree, func::FuncOp function) const;

private:
  /// Arguments of functions, by number.
  using Arguments = llvm::DenseSet<std::pair<Operation *, unsigned>>;

  const ScaleDegreeAnalysis &analysis;
  unsigned scale;
  /// Arguments that a call gives what carries the scale, and those that it
  /// gives what an overflow of it may have come into.
  Arguments carrying, touched;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEDVALUES_H
