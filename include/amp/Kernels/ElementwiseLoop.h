//===- ElementwiseLoop.h - Elements that become others ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg.generic, or a loop over tiles of such, of which each element of the
// results depends on the elements with its number and on single numbers alone:
// shapes are no part of what it computes.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_ELEMENTWISELOOP_H
#define AMP_KERNELS_ELEMENTWISELOOP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace mlir::amp {

class DeviceBuilder;

class ElementwiseLoop {
public:
  /// Views an operation that has a kernel of elements or of tiles; or says in
  /// `reason` why it is none: "expected ..., but got ...".
  static std::optional<ElementwiseLoop> match(linalg::GenericOp op,
                                              std::string &reason);
  static std::optional<ElementwiseLoop> match(scf::ForallOp op,
                                              std::string &reason);

  /// What is read, each value once.
  struct Column {
    /// A tensor of all elements, row by row; or a number, or a tensor of one.
    Value value;
    bool isNumber;
    /// Of a tensor whose elements matter only if a number is true, or false:
    /// the column of that number.
    std::optional<unsigned> condition = std::nullopt;
    bool isWanted = true;

    Type getElement() const { return getElementTypeOrSelf(value.getType()); }
  };
  ArrayRef<Column> getColumns() const { return columns; }

  Operation *getOperation() const { return op; }
  int64_t getCount() const { return count; }

  /// What is computed, without shapes and names: the same text for loops whose
  /// columns and results correspond.
  StringRef getForm() const { return form; }

  /// The elements of the results, from those of the columns.
  SmallVector<Value> emitElement(DeviceBuilder &b,
                                 ArrayRef<Value> elements) const;

private:
  explicit ElementwiseLoop(Operation *op) : op(op) {}

  /// The number of a column, which is added if it is not there yet.
  unsigned addColumn(Value value, bool isNumber);
  /// The column of a number that a body reads, or nothing.
  std::optional<unsigned> getNumber(linalg::GenericOp op, Value value) const;
  void findConditions();
  /// What is wrong with all of the columns, or nothing.
  std::string checkReads() const;
  void writeForm();

  Operation *op;
  int64_t count = 0;
  SmallVector<Column, 0> columns;
  SmallVector<linalg::GenericOp, 1> body;
  /// Columns of the operands and captured numbers of the body.
  llvm::DenseMap<Value, unsigned> columnOf;
  /// Results of the body that leave it.
  SmallVector<Value> yielded;
  std::string form;
};

} // namespace mlir::amp

#endif // AMP_KERNELS_ELEMENTWISELOOP_H
