//===- ScaleVersions.h - Versions of a scale in a function ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEVERSIONS_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEVERSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::amp {

/// Versions of one scale in one function, as those of a variable in SSA form:
/// one at its start, a new one behind each operation that advances the scaler
/// or contains one that does, one where different ones meet, and one at the
/// start of each round of a loop that advances it.
class ScaleVersions {
public:
  /// `advancing` are what does by itself or by a call, in order.
  ScaleVersions(func::FuncOp function, DominanceInfo &dominance,
                ArrayRef<Operation *> advancing);

  /// The version behind what makes `value`.
  unsigned getVersion(Value value) const;
  /// What made a version; null of the first one.
  Operation *getCause(unsigned version) const { return causes[version]; }
  /// What advances the scaler last between `value` and its use by `use`; null
  /// if nothing does.
  Operation *findBetween(Value value, Operation *use) const;
  /// The same between `store` and `use`.
  Operation *findBetween(Operation *store, Operation *use) const;
  /// True if the same version holds behind `store` and in front of `use`.
  bool isSame(Operation *store, Operation *use) const {
    return getVersion(store, /*isBehind=*/true) ==
           getVersion(use, /*isBehind=*/false);
  }
  /// The innermost loop around `use`, of blocks as well, that advances the
  /// scaler and in which `memory` is not made; null if there is none.
  Operation *findLoopAround(Operation *use, Value memory) const;

private:
  unsigned makeVersion(Operation *transition);
  void visit(Region &region, unsigned version);
  void visitBlocks(Region &region, unsigned version);
  unsigned getLast(Block *block) const;
  unsigned getVersion(Operation *op, bool isBehind) const;

  func::FuncOp function;
  DominanceInfo &dominance;
  /// What made each version, by its number.
  SmallVector<Operation *> causes{nullptr};
  struct Transition {
    Operation *op;
    /// The version behind it.
    unsigned version;
  };
  /// In the order of each block.
  llvm::DenseMap<Block *, SmallVector<Transition>> transitions;
  llvm::DenseSet<Operation *> isTransition;
  /// At the start of each block of a region with transitions.
  llvm::DenseMap<Block *, unsigned> start;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEVERSIONS_H
