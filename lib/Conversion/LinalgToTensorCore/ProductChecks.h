//===- ProductChecks.h - Checks of what products store ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a gradient is finite is asked of each of its elements, and a step
// asks it of every gradient: an or of bits into one number. Whoever computes
// the gradient has its elements in registers, and can answer without a pass
// over memory.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_PRODUCTCHECKS_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_PRODUCTCHECKS_H

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::amp {

class ProductChecks {
public:
  /// The operation that ors what it makes of each element of `result`, where it
  /// is or where it is moved, as OrReduction says, in the block of `result`;
  /// null if there is none.
  static linalg::GenericOp find(Value result);

  /// `launch` ors the bits of `check` into `output`, by its number: nothing
  /// else is left of the check.
  void add(linalg::GenericOp check, LaunchKernelsOp launch, unsigned output);

  /// Has the launches of each chain of checks or into one number, in their
  /// order, and the chain end in that.
  void finish();

private:
  struct Launch {
    LaunchKernelsOp op;
    unsigned output;
  };
  /// The operation behind the chain that `check` is in which ors in what the
  /// launches found; made for the first.
  linalg::GenericOp getEnd(linalg::GenericOp check);

  /// By the ends of their chains.
  llvm::MapVector<Operation *, SmallVector<Launch>> launchesOf;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_PRODUCTCHECKS_H
