//===- OverflowReach.h - Which overflows reach a value ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a train step: for every value, the set of places where an infinity may
// have come into it (an amp.unscale, an accumulator from an earlier call), and
// whether it is a gradient that still carries a scale. A union over data flow
// in any direction that MLIR has: results, regions, branches, loops. What a
// guard keeps clean ends the flow: the new values of an optimizer step, and
// the places that the caller names.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_OVERFLOWREACH_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_OVERFLOWREACH_H

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::amp {

/// True for roles whose new value a skipped step does not take: parameters,
/// masters, the optimizer's states, and a learning rate that a step hands to
/// the next.
bool isKeptOnSkip(std::optional<Role> role);

/// True for roles whose new value an update computes: those, and accumulators.
bool isUpdated(std::optional<Role> role);

/// True if result `number` of `step` is one of those. A learning rate that the
/// next call is not given is only told.
bool isUpdatedResult(func::FuncOp step, unsigned number);

/// True if `op` adds its first two tensor operands elementwise.
bool isElementwiseAdd(Operation *op);

/// Appends the arguments of the blocks in the regions of `op`, and of those in
/// what ends the blocks: scf.reduce combines the rounds of a loop.
void appendRegionArguments(Operation *op, SmallVectorImpl<Value> &to);

/// True if `op` divides integers by its second operand.
bool dividesIntegers(Operation *op);

class OverflowReach {
public:
  /// Operand `index` of a terminator or loop: a value that will be guarded
  /// there, so that nothing flows on from it.
  using Guarded = llvm::DenseSet<std::pair<Operation *, unsigned>>;

  /// `symbols` are those of the module.
  OverflowReach(const Guarded &guarded, const SymbolTable &symbols)
      : guarded(guarded), symbols(symbols) {}

  /// Source number `source` comes in at `value`.
  void addSource(Value value, unsigned source);
  /// `predicate` is what an unscaling found: it says whether source number
  /// `source` came in, and so does what is computed of it as a truth value.
  void addFinding(Value predicate, unsigned source);
  /// Nothing comes into `value`: a guard keeps it clean.
  void keepClean(Value value) { clean.insert(value); }
  /// `gradient` carries a scale.
  void addScaled(Value gradient);
  /// Follows the flow from all sources; linear in uses times sources.
  void propagate();

  /// Sources that reach `value`, by number; empty if none does.
  llvm::SmallBitVector getSources(Value value) const {
    return sources.lookup(value);
  }
  bool isReached(Value value) const { return sources.contains(value); }
  /// Not by findings alone, which are truth values whatever overflowed.
  bool isReachedByGradient(Value value) const {
    return getSources(value).test(findings);
  }
  /// The gradient that left its scale in `value`; null if none did.
  Value getScaledOrigin(Value value) const { return scaled.lookup(value); }

  /// `to` takes the place of `from`.
  void replace(Value from, Value to);

private:
  const Guarded &guarded;
  const SymbolTable &symbols;
  llvm::DenseMap<Value, llvm::SmallBitVector> sources;
  llvm::SmallBitVector findings;
  llvm::DenseSet<Value> clean;
  llvm::DenseMap<Value, Value> scaled;
  SmallVector<Value> worklist, scaledWorklist;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_OVERFLOWREACH_H
