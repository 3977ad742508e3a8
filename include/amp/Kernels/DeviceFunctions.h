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

#include <string>

namespace mlir::amp {

/// How kernels compute exp, tanh and erf of f32 and of halves, and quotients
/// that are rounded to halves.
enum class KernelFunctions {
  /// By the hardware's approximations of 2^x, 1/x and x/y, with errors that the
  /// documentation of amp-convert-kernels-to-nvvm bounds.
  Hardware,
  /// By the host's polynomials: the same bits on all of them.
  Portable,
};

/// Whether NVPTX has instructions for a function, of its type.
bool hasInstructions(Operation *op);

/// Whether kernels have arithmetic for a function: of f32, of f16 and bf16 by
/// way of it, and of f64; of integers of up to 64 bits.
bool hasExpansion(Operation *op);

/// Whether kernels have code for a function, one way or the other.
inline bool hasDeviceCode(Operation *op) {
  return hasInstructions(op) || hasExpansion(op);
}

/// The names of both, for a user: 'absf, absi, ..., tanh'.
std::string listDeviceFunctions();

} // namespace mlir::amp

#endif // AMP_KERNELS_DEVICEFUNCTIONS_H
