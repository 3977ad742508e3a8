//===- StoredForms.h - Values in the orders that are needed -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a function is rewritten, each value is several SSA values: the form in
// which it was made, and copies in other orders. A copy stands right after the
// form that was made, so that all users share it and none stands in a loop that
// it does not depend on.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_LAYOUT_STOREDFORMS_H
#define AMP_LIB_LAYOUT_STOREDFORMS_H

#include "amp/Layout/OrderPlan.h"
#include "mlir/IR/Builders.h"

namespace mlir::amp {

class StoredForms {
public:
  StoredForms(const OrderPlan &plan, MLIRContext *context)
      : plan(plan), builder(context) {}

  /// `value`, which is of the program as written, in `order`.
  Value get(Value value, ArrayRef<int64_t> order);

  /// `value` as it was made, with the order that this is.
  std::pair<Value, StorageOrder> getMade(Value value);

  /// Notes that `value` was made as `form`, in `order`.
  void setMade(Value value, Value form, ArrayRef<int64_t> order);

  /// Notes a transposition of the program, for users behind it.
  void addTransposed(Value transposed);

  /// An empty tensor of the shape of `value` in `order`.
  Value getEmpty(Value value, ArrayRef<int64_t> order);

private:
  struct Form {
    StorageOrder order;
    Value value;
  };
  SmallVector<Form, 2> &getForms(Value root);
  Value makeAnew(Value root, ArrayRef<int64_t> order);
  Value copy(const Form &from, ArrayRef<int64_t> order);
  Value reshape(const Form &from, ArrayRef<int64_t> order);

  const OrderPlan &plan;
  OpBuilder builder;
  /// The first form is the one that was made.
  llvm::DenseMap<Value, SmallVector<Form, 2>> forms;
};

} // namespace mlir::amp

#endif // AMP_LIB_LAYOUT_STOREDFORMS_H
