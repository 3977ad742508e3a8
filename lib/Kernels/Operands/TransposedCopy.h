//===- TransposedCopy.h - Operands of 8 bits with K innermost ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma reads operands of 8 bits with K innermost only. One that is stored
// otherwise is copied transposed before the product, by a kernel that reads and
// writes each element once. Its cost is that of 2 bytes of memory traffic an
// element, next to 2 N (or 2 M) operations of the product.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_OPERANDS_TRANSPOSEDCOPY_H
#define AMP_LIB_KERNELS_OPERANDS_TRANSPOSEDCOPY_H

#include "Device/DeviceBuilder.h"
#include "amp/Kernels/GemmProblem.h"

namespace mlir::amp {

/// What is copied: `count` matrices of `rows` x `columns` bytes, with `stride`
/// from one row to the next. They become columns x rows, with rows a multiple
/// of 16 bytes apart.
struct TransposedCopy {
  StringRef from, to;
  Type type;
  int64_t count, rows, columns, stride;
  /// What the kernel calls the sizes.
  StringRef rowsName, columnsName, strideName;
};

/// Adds the kernels that copy what the problem's kernel cannot read.
void emitTransposedCopies(DeviceBuilder &b, StringRef name,
                          const GemmProblem &problem);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_OPERANDS_TRANSPOSEDCOPY_H
