//===- ScaleTransfer.h - Degrees through an operation -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operation without regions makes of the degrees of its operands, on
// scalars as on tensors. The rules are a table of operations.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_ANALYSIS_SCALETRANSFER_H
#define AMP_LIB_ANALYSIS_SCALETRANSFER_H

#include "amp/Analysis/ScaleDegree.h"
#include "amp/Support/AllocationOrder.h"
#include "mlir/Support/TypeID.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::amp {

class ScaleTransfer {
public:
  /// `scales` numbers the scalers by name; `degrees` are those that values have
  /// so far.
  ScaleTransfer(DegreeTable &table, const llvm::StringMap<unsigned> &scales,
                const AllocationOrderMap<Value, DegreeId> &degrees);

  /// Degrees of the results of `op`, which has neither regions nor successors
  /// and is no call.
  SmallVector<DegreeId, 1> apply(Operation *op,
                                 ArrayRef<DegreeId> operands) const;

  /// The scales whose unscalings make `found` what it is; nothing where it is
  /// handed over, chosen by a region, or read from memory.
  std::optional<SmallVector<unsigned>> findFoundScales(Value found) const;

private:
  enum class Rule {
    Sum,       ///< all operands have the result's degree
    Number,    ///< as Sum; of a number and NaN, the number
    Product,   ///< of two operands
    Quotient,  ///< of two operands
    Remainder, ///< as Sum; of a division by infinity, what is divided
    Ratio,     ///< degree 0, of two operands of the same degree
    Compare,   ///< as Ratio, or undecided
    First,     ///< the first operand's degree
    Sign,      ///< the first operand's degree, with the second one's sign
    Power,     ///< a constant power of the operand
    PowerOf,   ///< the first operand to the power of the second
    MultiplyAdd,
    Select,
    Test,    ///< degree 0, of operands of degree 0; for infinities
    Integer, ///< as of other operations, of a number as an integer
    Count,   ///< as of other operations, of an integer as a number
    Observe, ///< degree 0, whatever the operand's
    Size,    ///< nothing yet, in a size that the operands give
    Reduce,  ///< as Sum, or unknown
    Bits,    ///< a number's, as an integer, or its sign changed
    Move,    ///< elements of operands of the result's element type
  };
  struct Entry {
    Rule rule;
    Rational power = 1;
  };

  template <typename... Ops> void set(Entry entry) {
    (rules.try_emplace(TypeID::get<Ops>(), entry), ...);
  }
  bool mayOverflow(Value value) const {
    return table.mayOverflow(degrees.lookup(value));
  }
  bool boundsOverflow(Operation *op) const;
  DegreeId applyRule(Entry entry, Operation *op,
                     ArrayRef<DegreeId> operands) const;
  DegreeId move(Operation *op, ArrayRef<DegreeId> operands) const;
  /// Of `base` to the constant `power`.
  DegreeId multiply(DegreeId base, Rational power, Operation *op) const;
  DegreeId raise(Operation *op, ArrayRef<DegreeId> operands) const;
  /// Degree 0, of an operation of operands of degree 0.
  DegreeId applyDefault(Operation *op, ArrayRef<DegreeId> operands) const;

  DegreeId requireAllZero(Operation *op, ArrayRef<DegreeId> operands,
                          DegreeFault fault) const;

  DegreeTable &table;
  const llvm::StringMap<unsigned> &scales;
  const AllocationOrderMap<Value, DegreeId> &degrees;
  llvm::DenseMap<TypeID, Entry> rules;
};

} // namespace mlir::amp

#endif // AMP_LIB_ANALYSIS_SCALETRANSFER_H
