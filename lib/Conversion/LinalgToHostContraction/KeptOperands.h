//===- KeptOperands.h - Operands that a loop reads again --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product in a loop over tiles reads the same rows of A for each tile of
// columns, or all of B for each tile of rows. What it has packed can be kept
// from one iteration to the next, if nothing in the loop writes the operand.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_KEPTOPERANDS_H
#define AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_KEPTOPERANDS_H

#include "amp/Analysis/Contraction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::amp {

/// The operands of a product whose buffers stay as they are in the loop that
/// the product stands in.
struct KeptOperands {
  /// Null if the product stands in no loop, or neither operand stays.
  scf::ForOp loop;
  bool a = false, b = false;

  /// Of `product`, on buffers. Has to be asked before operations of the loop
  /// become calls.
  static KeptOperands find(const Contraction &product);
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOHOSTCONTRACTION_KEPTOPERANDS_H
