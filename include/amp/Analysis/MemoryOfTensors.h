//===- MemoryOfTensors.h - Memory that is made of tensors -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a tensor becomes memory, as by bufferization.to_buffer, nothing is
// written by the operation's effects, and all of the tensor can be read behind
// it: who follows what memory holds, has to count it as a store.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_MEMORYOFTENSORS_H
#define AMP_ANALYSIS_MEMORYOFTENSORS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::amp {

/// True if `op` makes memory that holds the elements of a tensor.
inline bool makesMemoryOfTensor(Operation *op) {
  return op->getNumRegions() == 0 &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
}

} // namespace mlir::amp

#endif // AMP_ANALYSIS_MEMORYOFTENSORS_H
