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
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>

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

/// What operations with regions hand over, found once for each: they have many
/// values.
class HandedOver {
public:
  /// What `op` or its regions hand over for `value`, a result of it or an
  /// argument of a region.
  ArrayRef<OpOperand *> getSources(RegionBranchOpInterface op, Value value) {
    const Operands &operands = get(op);
    auto it = operands.sources.find(value);
    return it == operands.sources.end() ? ArrayRef<OpOperand *>()
                                        : ArrayRef<OpOperand *>(it->second);
  }
  /// What is handed over for none, as conditions and bounds: it decides.
  ArrayRef<OpOperand *> getDeciding(RegionBranchOpInterface op) {
    return get(op).deciding;
  }

private:
  struct Operands {
    RegionBranchInverseSuccessorMapping sources;
    SmallVector<OpOperand *> deciding;
  };

  const Operands &get(RegionBranchOpInterface op) {
    std::unique_ptr<Operands> &entry = known[op];
    if (entry)
      return *entry;
    entry = std::make_unique<Operands>();
    Operands &operands = *entry;
    op.getSuccessorInputOperandMapping(operands.sources);
    llvm::DenseSet<OpOperand *> forwarded;
    for (auto &[input, sources] : operands.sources)
      forwarded.insert_range(sources);
    auto addDeciding = [&](MutableArrayRef<OpOperand> all) {
      for (OpOperand &operand : all)
        if (!forwarded.contains(&operand))
          operands.deciding.push_back(&operand);
    };
    addDeciding(op->getOpOperands());
    forEachHandedOver(op, addDeciding);
    return operands;
  }

  /// Each stays where it is: what is handed over is looked at while more is
  /// asked for.
  llvm::DenseMap<Operation *, std::unique_ptr<Operands>> known;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_HANDEDOVER_H
