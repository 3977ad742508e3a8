//===- IndependentOps.h - What can run at one place -------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Horizontal fusion: operations of a block that do not depend on each other,
// where the last of them stands.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOELEMENTKERNELS_INDEPENDENTOPS_H
#define AMP_LIB_CONVERSION_LINALGTOELEMENTKERNELS_INDEPENDENTOPS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

namespace mlir::amp {

/// Blocks of the functions of a module in which operations on tensors have
/// kernels of their own: not those of loops over tiles.
SmallVector<Block *> getBlocksOfTensors(ModuleOp module);

/// Puts operations of one block into its order.
void sortInBlock(MutableArrayRef<Operation *> ops);

/// Sets of at least two of `ops` that do not depend on each other, in the order
/// of the block. What depends on one of a set and stands before its last can
/// move.
SmallVector<SmallVector<Operation *>>
groupIndependent(Block &block, SmallVector<Operation *> ops,
                 function_ref<bool(Operation *)> canMove);

/// As few parts of `count` things as can be, none of more than `most`, of about
/// as many: the first of each, and how many they are.
void forEachPart(int64_t count, int64_t most,
                 function_ref<void(int64_t first, int64_t size)> visit);

/// Moves what depends on one of `ops`, and stands before the last, behind that,
/// in its order; or nothing, if something of that cannot move.
bool moveDependentBehind(ArrayRef<Operation *> ops,
                         function_ref<bool(Operation *)> canMove);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOELEMENTKERNELS_INDEPENDENTOPS_H
