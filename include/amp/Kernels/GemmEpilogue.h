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
// "matrix" (one for each element) or "scalar" (one in all) are in memory;
// "row-index" and "column-index" are the element's place in D, i32. Its first
// result is the element of D. The body is elementwise operations on scalars,
// and constants.
//
// Results after the first make outputs of their own, one for each word of
// `amp.epilogue_outputs`:
//
//     func.func @gradient(%sum: f32) -> (bf16, f32, i32)
//         attributes {amp.epilogue_outputs = ["column-sum", "or"]}
//
// "column-sum" is the sum over the rows for each column of each matrix of the
// batch, "row-sum" over the columns for each row, and "amax" the greatest
// magnitude in all, of f32. "or" is the bits that any i32 has, or that were in
// memory before. "matrix" is a second matrix of the results as they are, of
// f16, bf16 or f32: dense, in the order of the batch, rows and columns.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_GEMMEPILOGUE_H
#define AMP_KERNELS_GEMMEPILOGUE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {

/// Names of the attributes.
inline constexpr StringLiteral kEpilogueOperandsAttr = "amp.epilogue";
inline constexpr StringLiteral kEpilogueOutputsAttr = "amp.epilogue_outputs";

struct EpilogueOperand {
  enum class Kind { Column, Row, Matrix, Scalar, RowIndex, ColumnIndex };
  Kind kind;
  Type type;

  bool isIndex() const {
    return kind == Kind::RowIndex || kind == Kind::ColumnIndex;
  }
};

enum class EpilogueOutput { Amax, Or, Matrix, ColumnSum, RowSum };

/// Whether it is a sum for each row or column, not one number.
inline bool isSum(EpilogueOutput output) {
  return output == EpilogueOutput::ColumnSum ||
         output == EpilogueOutput::RowSum;
}

struct GemmEpilogue {
  /// Null if the sum is rounded to the type of D and no more.
  Region *body = nullptr;
  /// The arguments after the first.
  SmallVector<EpilogueOperand> operands;
  /// The results after the first, and the type of one of them.
  SmallVector<EpilogueOutput> outputs;
  Type getOutputType(unsigned index) const {
    return body->front().getTerminator()->getOperand(index + 1).getType();
  }
};

StringRef stringifyOperandKind(EpilogueOperand::Kind kind);
StringRef stringifyOutput(EpilogueOutput output);

/// Reads `func` as the epilogue of a product whose elements are of type
/// `result`. Diagnostics say what does not fit.
FailureOr<GemmEpilogue> readGemmEpilogue(func::FuncOp func, Type result);

} // namespace mlir::amp

#endif // AMP_KERNELS_GEMMEPILOGUE_H
