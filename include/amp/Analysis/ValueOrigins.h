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

#include "amp/Analysis/CallContext.h"
#include "amp/Analysis/ComputeKind.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Support/AllocationOrder.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::amp {

class ValueOrigins {
public:
  /// One walk over `function` in order, a few where blocks form loops;
  /// results of operations with regions depend on everything that the region
  /// sees. A helper is looked at in the context that it stands in; what its own
  /// calls of helpers return is read off them.
  explicit ValueOrigins(FunctionOpInterface function);

  /// The same in `context`, where that stands nowhere yet; `flows` is asked
  /// about calls, and by a ModelBoundary on top of this as well.
  ValueOrigins(FunctionOpInterface function, std::optional<CallContext> context,
               CallFlowSource *flows);

  /// That of the function; none where it has roles or nobody calls it.
  const std::optional<CallContext> &getContext() const { return context; }
  CallFlowSource *getFlows() const { return flows; }

  /// The context in which the function calls a helper: what goes in, and the
  /// origins of what comes out. None for other calls.
  std::optional<CallContext> getCallContext(func::CallOp call) const;

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

  /// As the function of this name, but regions are looked into once. Valid
  /// while what `op` has regions for does not change.
  llvm::SmallVector<Value> getReadValues(Operation *op) const;

private:
  /// What is known of an operation. It is asked for often, by the operations
  /// around: one line of a table instead of several of the operation.
  struct Facts {
    std::optional<ComputeKind> kind;
    Phase phase = Phase::Forward;
    /// Its regions use values from above.
    bool captures = false;
  };

  void visit(Region &region, Origins entry);
  void visit(Block &block, Origins entry);
  Phase findPhase(Operation *op, bool readsSeed) const;
  bool visitCall(func::CallOp call);
  bool handOn(Block &block, const llvm::SmallPtrSetImpl<Block *> &visited);

  bool isOptimizer = false, isTrainStep = false;
  std::optional<CallContext> context;
  CallFlowSource *flows = nullptr;
  llvm::DenseMap<Operation *, CallContext> calls;
  AllocationOrderMap<Value, Origins> origins;
  mutable AllocationOrderMap<Operation *, Facts> facts;
  /// What the regions of operations use from above, in order, each once.
  llvm::DenseMap<Operation *, llvm::SmallVector<Value>> captured;
  mutable AllocationOrderMap<Value, Value> moved;
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
