//===- VectorTransfers.h - Transfers of vectors as tensors ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_DEVICE_VECTORTRANSFERS_H
#define AMP_LIB_CONVERSION_DEVICE_VECTORTRANSFERS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::amp {

/// The tensor of the shape of the vector that `read` reads from a tensor.
/// `mask`, if there is one, is a tensor in place of the mask.
Value readAsTensor(OpBuilder &b, vector::TransferReadOp read, Value mask);

/// The tensor that `write` leaves if `vector`, a tensor, and `mask` stand for
/// those that it writes.
Value writeAsTensor(OpBuilder &b, vector::TransferWriteOp write, Value vector,
                    Value mask);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_DEVICE_VECTORTRANSFERS_H
