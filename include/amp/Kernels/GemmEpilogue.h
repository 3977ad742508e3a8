//===- GemmEpilogue.h - What happens to a product's elements ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function on scalars says what becomes of each element of a matrix product
// before it is stored:
//
//     func.func @bias_relu(%sum: f32, %bias: f32) -> bf16
//         attributes {amp.epilogue = ["column"]}
//
// Its first argument is the sum, f32. `amp.epilogue` says where the values of
// each further argument come from: "column" (one for each column of D), "row",
// "matrix" (one for each element) or "scalar" (one in all). Its result is the
// element of D.
// The body is elementwise operations on scalars, and constants.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_GEMMEPILOGUE_H
#define AMP_KERNELS_GEMMEPILOGUE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {

struct EpilogueOperand {
  enum class Kind { Column, Row, Matrix, Scalar };
  Kind kind;
  Type type;
};

struct GemmEpilogue {
  /// Null if the sum is rounded to the type of D and no more.
  Region *body = nullptr;
  /// The arguments after the first.
  SmallVector<EpilogueOperand> operands;
};

StringRef stringifyOperandKind(EpilogueOperand::Kind kind);

/// Reads `func` as the epilogue of a product whose elements are of type
/// `result`. Diagnostics say what does not fit.
FailureOr<GemmEpilogue> readGemmEpilogue(func::FuncOp func, Type result);

} // namespace mlir::amp

#endif // AMP_KERNELS_GEMMEPILOGUE_H
