//===- DoubleFunctions.h - Functions of f64 in kernels ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_COMPILATION_DOUBLEFUNCTIONS_H
#define AMP_LIB_KERNELS_COMPILATION_DOUBLEFUNCTIONS_H

#include "Compilation/FunctionTerms.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::amp {

/// x^n of an x of f64 and an n of i64.
Term raiseDouble(Term x, Term n);

template <typename Op, auto function>
using ExpandDouble = ReplaceFunction<Op, function, Float64Type>;

/// Powers, logarithms, roots and hyperbolic functions (DoubleFunctions.cpp).
void populateDoubleFunctionsPatterns(RewritePatternSet &patterns);
/// DoubleAngles.cpp.
void populateDoubleAnglesPatterns(RewritePatternSet &patterns);
/// DoubleErrorFunctions.cpp.
void populateDoubleErrorFunctionsPatterns(RewritePatternSet &patterns);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_COMPILATION_DOUBLEFUNCTIONS_H
