//===- CopyOfBytes.h - Copies without gaps ----------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy between buffers whose elements follow one another is one of bytes,
// which any device can do; others need a kernel, or a loop.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_COPYOFBYTES_H
#define AMP_ANALYSIS_COPYOFBYTES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::amp {

/// Whether both buffers are known to have their elements in the same order
/// without gaps, or to have none.
bool isCopyOfBytes(memref::CopyOp copy);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_COPYOFBYTES_H
