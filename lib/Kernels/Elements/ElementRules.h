//===- ElementRules.h - What kernels of elements can compute ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of a linalg.generic on tensors, and of what it reads.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_ELEMENTS_ELEMENTRULES_H
#define AMP_LIB_KERNELS_ELEMENTS_ELEMENTRULES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace mlir::amp {

/// A number or index that is known.
bool isConstant(Value value);

/// Elements of a tensor, or tiles of a group, at most: what a thread takes next,
/// one for each thread of a grid further, is a number of 32 bits as well.
inline constexpr int64_t kMostNumbered = (int64_t(1) << 31) - (1 << 20);

/// What is wrong with a tensor, or nothing.
std::string checkTensor(Type type);

/// What is wrong with a tensor or a number that a kernel reads, or nothing.
std::string checkRead(Value value);

/// The tensor whose memory `tensor` is, row by row.
Value getWhole(Value tensor);

/// What is wrong with a tensor that is read whole, or nothing.
std::string checkWhole(Value tensor);

/// Operations of a body that device code has (amp-convert-kernels-to-nvvm).
bool isScalarOperation(Operation &op);

/// Whether the body of an operation with one result ends in an `OpTy` of the
/// result so far, which nothing else in it reads, and something else.
template <typename OpTy> bool endsIn(linalg::GenericOp op) {
  BlockArgument soFar = op.getRegionOutputArgs()[0];
  auto last = op.getBody()
                  ->getTerminator()
                  ->getOperand(0)
                  .template getDefiningOp<OpTy>();
  return last && soFar.hasOneUse() &&
         *soFar.getUsers().begin() == last.getOperation();
}

/// What is wrong with an operation as one that reads each element of one whole
/// tensor, and computes of it what does not depend on its place; or nothing.
std::string checkReadsOneTensor(linalg::GenericOp op);

/// What is wrong with the loops of an operation, or nothing.
std::string checkLoops(linalg::GenericOp op);

/// The type that an element has in memory.
inline Type getStorage(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_ELEMENTS_ELEMENTRULES_H
