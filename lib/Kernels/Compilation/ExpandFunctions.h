//===- ExpandFunctions.h - Functions as arithmetic in kernels ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What becomes of the functions that have an expansion (hasExpansion): after
// these patterns only those with instructions are left of them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_COMPILATION_EXPANDFUNCTIONS_H
#define AMP_LIB_KERNELS_COMPILATION_EXPANDFUNCTIONS_H

#include "amp/Kernels/DeviceFunctions.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::amp {

void populateExpandFunctionsPatterns(RewritePatternSet &patterns,
                                     KernelFunctions functions);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_COMPILATION_EXPANDFUNCTIONS_H
