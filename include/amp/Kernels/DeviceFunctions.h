//===- DeviceFunctions.h - Functions that device code has -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operations of the math dialect amp-convert-kernels-to-nvvm lowers: what
// asks before it makes a kernel and what lowers one read the same list.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_DEVICEFUNCTIONS_H
#define AMP_KERNELS_DEVICEFUNCTIONS_H

#include "mlir/IR/Operation.h"

namespace mlir::amp {

/// Whether NVPTX has instructions for a function.
bool hasInstructions(Operation *op);

/// Whether a function has a polynomial in kernels: exp, tanh and erf, of f32.
bool hasPolynomial(Operation *op);

/// Whether kernels have code for a function, one way or the other.
inline bool hasDeviceCode(Operation *op) {
  return hasInstructions(op) || hasPolynomial(op);
}

} // namespace mlir::amp

#endif // AMP_KERNELS_DEVICEFUNCTIONS_H
