//===- Reachable.h - Blocks behind a block ----------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the blocks of a region, which ones ways from another one come to, and
// which ones lead to each other. A block that is behind itself goes round.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_REACHABLE_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_REACHABLE_H

#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::amp {

/// The blocks that ways from the end of `block` come to.
inline llvm::SetVector<Block *> getReachable(Block *block) {
  llvm::SetVector<Block *> behind(block->succ_begin(), block->succ_end());
  for (unsigned i = 0; i < behind.size(); ++i)
    behind.insert(behind[i]->succ_begin(), behind[i]->succ_end());
  return behind;
}

/// True if `block` is reached from its own end.
inline bool isInCycle(Block *block) {
  return getReachable(block).contains(block);
}

/// For each block of `region`, the number of the cycle that it is in: one of
/// its own for a block that is in none. Those that others lead to have smaller
/// numbers, from 1 on; unreachable blocks have none.
inline void numberCycles(Region &region,
                         llvm::DenseMap<Block *, unsigned> &numbers) {
  unsigned number = 0;
  for (auto it = llvm::scc_begin(&region); !it.isAtEnd(); ++it) {
    ++number;
    for (Block *block : *it)
      numbers[block] = number;
  }
}

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_REACHABLE_H
