//===- Concatenations.h - Results put side by side --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What several contractions give is often one tensor: the gradients of queries,
// keys and values are columns of one matrix. Kernels write a part of a tensor
// where it is inserted.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CONCATENATIONS_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CONCATENATIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// Takes apart into insertions each tensor.concat of what becomes of a result
/// of `contractions`.
void insertConcatenated(ArrayRef<linalg::LinalgOp> contractions);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CONCATENATIONS_H
