//===- HardwareFunctions.h - By the hardware's functions --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_COMPILATION_HARDWAREFUNCTIONS_H
#define AMP_LIB_KERNELS_COMPILATION_HARDWAREFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::amp {

/// exp, tanh and erf of f32, and quotients that are rounded to f16 or bf16.
void populateHardwareFunctionsPatterns(RewritePatternSet &patterns);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_COMPILATION_HARDWAREFUNCTIONS_H
