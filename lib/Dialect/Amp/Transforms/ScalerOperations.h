//===- ScalerOperations.h - What advances and unscales ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a module, by scaler: what advances it and what unscales with it, by itself
// or by what it calls. One walk finds all; a walk for each scaler grows with
// the square where each loss has one of its own.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEROPERATIONS_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEROPERATIONS_H

#include "FunctionsWith.h"

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::amp {

class ScalerOperations {
public:
  ScalerOperations(ModuleOp module, const SymbolTable &symbols);

  ArrayRef<Operation *> getUnscalings(StringRef scaler) const {
    auto it = ofScaler.find(scaler);
    return it == ofScaler.end() ? ArrayRef<Operation *>()
                                : ArrayRef<Operation *>(it->second.unscalings);
  }
  /// What advances `scaler`, calls included, in the order of the module.
  SmallVector<Operation *> findAdvancing(StringRef scaler) const {
    return findLeading(ofScaler.lookup(scaler).updates);
  }
  /// What unscales with `scaler`, calls included, in the order of the module.
  SmallVector<Operation *> findUnscaling(StringRef scaler) const {
    return findLeading(getUnscalings(scaler));
  }
  /// Sorts such operations, and returns of functions.
  void sort(MutableArrayRef<Operation *> operations) const;

private:
  SmallVector<Operation *> findLeading(ArrayRef<Operation *> ones) const;

  struct OfScaler {
    SmallVector<Operation *, 1> updates, unscalings;
  };

  const SymbolTable &symbols;
  ModuleCalls calls;
  llvm::StringMap<OfScaler> ofScaler;
  /// Places in the order of the module.
  llvm::DenseMap<Operation *, unsigned> places;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEROPERATIONS_H
