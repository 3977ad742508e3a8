//===- ExtentRequirements.h - What extents an operation needs ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_LINALG_TRANSFORMS_EXTENTREQUIREMENTS_H
#define AMP_LIB_DIALECT_LINALG_TRANSFORMS_EXTENTREQUIREMENTS_H

namespace mlir {
class Operation;

namespace amp {

/// Asserts in front of `op` (`cf.assert`) what the extents of its tensors have
/// to be for it to be defined, if one of them is unknown. What is asserted may
/// hold whatever they are.
void assertExtents(Operation *op);

} // namespace amp
} // namespace mlir

#endif // AMP_LIB_DIALECT_LINALG_TRANSFORMS_EXTENTREQUIREMENTS_H
