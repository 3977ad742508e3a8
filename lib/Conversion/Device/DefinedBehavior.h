//===- DefinedBehavior.h - What may run where nobody asked ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's isPure says that an operation may run without need, and takes for
// granted what a condition or an assertion in front of it may be there for.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_DEVICE_DEFINEDBEHAVIOR_H
#define AMP_LIB_CONVERSION_DEVICE_DEFINEDBEHAVIOR_H

namespace mlir {
class Operation;

namespace amp {

/// Whether an operation is pure, and it and what its regions hold do what
/// isPure takes for granted: indices and slices lie inside of their tensors, a
/// remainder has a divisor, and extents are those that types say.
bool mayRunUnasked(Operation *op);

} // namespace amp
} // namespace mlir

#endif // AMP_LIB_CONVERSION_DEVICE_DEFINEDBEHAVIOR_H
