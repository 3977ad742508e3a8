//===- FilterMove.h - Filters as they lie somewhere else --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution's filters are often made by an operation that moves each
// element of others: into another order, and with their taps reversed where it
// is a gradient. Kernels read filters in one order, which those others may
// have.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_FILTERMOVE_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_FILTERMOVE_H

#include "amp/Kernels/ConvolutionProblem.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// What a dimension of filters is, in the order in which kernels read them.
enum class FilterDim { Group, Filter, Row, Column, Channel };

/// A dimension of what a move makes: those of the filters that it is split
/// into, nothing for one of size 1, with their sizes.
struct MovedDim {
  SmallVector<std::optional<FilterDim>, 2> dims;
  SmallVector<int64_t, 2> sizes;
};

class FilterMove {
public:
  /// Views what makes `filters`, whose dimensions are `dims`, as a move of the
  /// filters of `problem`. With `isGradient` the problem is the gradient of the
  /// image that a convolution with `filters` computes: their taps are reversed,
  /// filters and channels exchanged. Nothing if they are not made so.
  static std::optional<FilterMove> find(Value filters, ArrayRef<FilterDim> dims,
                                        const ConvolutionProblem &problem,
                                        bool isGradient);

  /// The filters of the problem: where they lie as kernels read them, a reshape
  /// of what is moved; otherwise by an operation of their own, which also
  /// computes what the move does.
  Value build(OpBuilder &b) const;

  /// True if that is a reshape, which moves nothing.
  bool isReshape() const;

private:
  LogicalResult readSource(ArrayRef<MovedDim> moved,
                           ArrayRef<SmallVector<AffineExpr>> loops);

  linalg::GenericOp op;
  /// The sizes of the problem's filters, in the order of kernels.
  SmallVector<int64_t> sizes;
  /// What `op` reads in loops over them: its operand, with dimensions split.
  AffineMap map;
  SmallVector<int64_t> sourceShape;
  SmallVector<ReassociationIndices> sourceSplit;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_FILTERMOVE_H
