//===- ValueOrigins.h - What a value is computed from -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every value of a function, the set of argument roles that it depends on,
// by data flow. It tells forward from backward (the seed), a view of a weight
// from an activation (parameters without the batch), and where front ends give
// no phase it stands in for one.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_VALUEORIGINS_H
#define AMP_ANALYSIS_VALUEORIGINS_H

#include "amp/Analysis/ComputeKind.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::amp {

/// A join semilattice: a set of sources, joined by union.
struct Origins {
  bool param : 1;     ///< a parameter, master or buffer
  bool batchNorm : 1; ///< one of those with kind batch_norm
  bool batch : 1;    ///< the batch, a random state, or an argument without role
  bool seed : 1;     ///< the cotangent of a loss
  bool gradient : 1; ///< a `grad` argument
  /// One of them by way of floating values alone: what is computed from
  /// integers, wherever they come from, is no value of the model's yet.
  bool floating : 1;

  Origins()
      : param(false), batchNorm(false), batch(false), seed(false),
        gradient(false), floating(false) {}
  /// True if that adds a source.
  bool join(Origins other) {
    Origins before = *this;
    param |= other.param;
    batchNorm |= other.batchNorm;
    batch |= other.batch;
    seed |= other.seed;
    gradient |= other.gradient;
    floating |= other.floating;
    return param != before.param || batchNorm != before.batchNorm ||
           batch != before.batch || seed != before.seed ||
           gradient != before.gradient || floating != before.floating;
  }
  /// A weight, or a view of weights.
  bool isParameterOnly() const { return param && !batch && !seed && !gradient; }
  bool isConstant() const { return !param && !batch && !seed && !gradient; }
};

class ValueOrigins {
public:
  /// One walk over `function` in order, a few where it has several blocks;
  /// results of operations with regions depend on everything that the region
  /// sees.
  explicit ValueOrigins(FunctionOpInterface function);

  Origins lookup(Value value) const { return origins.lookup(value); }

  /// Phase of an operation: its attribute, else by data flow (`seed` in its
  /// operands makes it backward) and by the function that it stands in. What
  /// stands in a train step itself, between the calls (accumulation, clipping),
  /// works on gradients that are unscaled, so it is of the optimizer's phase
  /// whatever its attribute.
  Phase getPhase(Operation *op) const;

  /// As the function of this name, but each movement is looked at once, however
  /// long the chains. Valid while no movement of the function changes.
  Value getMovedValue(Value value) const;

  /// Appends the operations of `region`, definitions before uses, with those of
  /// the regions of control flow.
  void collectOperations(Region &region,
                         llvm::SmallVectorImpl<Operation *> &ops) const;

  /// getComputeKind of an operation of the function, found once. Valid while
  /// the operation and what it reads do not change.
  ComputeKind getKind(Operation *op) const;

private:
  void visit(Region &region, Origins entry);
  bool joinBranches(Region &body);

  bool isOptimizer = false, isTrainStep = false;
  llvm::DenseMap<Value, Origins> origins;
  /// Operations that read a value which depends on a seed.
  llvm::DenseSet<Operation *> readsSeed;
  mutable llvm::DenseMap<Value, Value> moved;
  mutable llvm::DenseMap<Operation *, ComputeKind> kinds;
};

/// Values that `op` reads: its operands, and those that its regions capture.
llvm::SmallVector<Value> getReadValues(Operation *op);

/// The value whose elements the operation that defines `value` moves; null
/// where it computes or puts elements of several values together.
Value getMoveSource(Value value);

/// The value whose elements `value` shows: looks through operations that move
/// the elements of a single floating operand.
Value getMovedValue(Value value);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_VALUEORIGINS_H
