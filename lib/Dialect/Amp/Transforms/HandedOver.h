//===- HandedOver.h - What regions end with ---------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A terminator hands its operands over, but for that of scf.forall, which has
// none: the operations that it holds insert into the results.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_HANDEDOVER_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_HANDEDOVER_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

namespace mlir::amp {

/// Calls `handle` with the operands of each operation by which a block in the
/// regions of `op` hands values over.
inline void
forEachHandedOver(Operation *op,
                  function_ref<void(MutableArrayRef<OpOperand>)> handle) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>())
        continue;
      handle(block.back().getOpOperands());
      if (auto parallel = dyn_cast<InParallelOpInterface>(block.back()))
        for (Operation &insert : parallel.getYieldingOps())
          handle(insert.getOpOperands());
    }
}

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_HANDEDOVER_H
