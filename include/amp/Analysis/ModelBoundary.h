//===- ModelBoundary.h - Where the model ends -------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// O2 and O3 cast the model, not functions, so a compiler must find what Apex
// was handed as an object: the model. An operation belongs to it if it combines
// a value that depends on parameters alone with an activation, or if its result
// reaches one that does. What follows, up to the loss, is the loss, and so is
// whatever the front end says came from a loss function.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_MODELBOUNDARY_H
#define AMP_ANALYSIS_MODELBOUNDARY_H

#include "amp/Analysis/ValueOrigins.h"
#include "amp/Support/AllocationOrder.h"

namespace mlir::amp {

class ModelBoundary {
public:
  ModelBoundary(FunctionOpInterface function, const ValueOrigins &origins);

  /// True if `op`, forward or backward, belongs to the model.
  bool isInModel(Operation *op) const { return model.contains(op); }

  /// True if `op` is part of a batch normalisation: it works on parameters or
  /// buffers of kind batch_norm, or computes the statistics for one that does.
  bool isBatchNorm(Operation *op) const { return batchNorm.contains(op); }

  /// The model's outputs: values of the model that the loss reads or that the
  /// function returns as `output`.
  llvm::ArrayRef<Value> getOutputs() const { return outputs; }

  /// True if a forward operation of the model reads `value`, or what is
  /// computed from it.
  bool feedsModel(Value value) const;
  /// True if a forward operation outside of the model reads `value`.
  bool feedsLoss(Value value) const;
  /// True if a forward operation reads `value` that is not there for backward
  /// ones alone.
  bool isReadForward(Value value) const;
  /// True if an operation of the model computed `value`.
  bool isFromModel(Value value) const;

  /// The context and the flow of a call of a helper; none for other calls.
  std::optional<CallContext> getCallContext(func::CallOp call) const;

private:
  /// True if a use of `value`, or of a block argument that branches hand it
  /// to, `isOne`.
  bool anyUse(Value value, llvm::function_ref<bool(OpOperand *)> isOne) const;
  bool isReadBy(Value value, bool PassedValue::*behind,
                llvm::function_ref<bool(Operation *)> isOne) const;
  /// What callers say of an argument of a helper; null for other values.
  const PassedValue *getPassed(BlockArgument argument) const;
  bool updateCall(func::CallOp call, bool isAlone);
  void findForwardModel(FunctionOpInterface function);
  void findBackwardModel();
  void findBatchNorm(FunctionOpInterface function);

  const ValueOrigins &origins;
  /// All but terminators, definitions before uses.
  llvm::SmallVector<Operation *> ops;
  /// True if one block of a region branches to another.
  bool hasBranches = false;
  AllocationOrderSet<Operation *> model;
  /// Forward operations that only backward ones read.
  AllocationOrderSet<Operation *> saved;
  AllocationOrderSet<Operation *> batchNorm;
  llvm::SmallVector<Value> outputs;
  /// The calls of helpers.
  llvm::DenseMap<Operation *, CallContext> calls;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_MODELBOUNDARY_H
