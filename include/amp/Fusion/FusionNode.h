//===- FusionNode.h - How an operation walks its tensors --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that may be computed in parts, as loops and, for each tensor,
// the loop that walks each of its dimensions. Reshapes that only add or drop
// extents of 1 are looked through, so that both sides of one speak of the same
// tensor.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_FUSION_FUSIONNODE_H
#define AMP_FUSION_FUSIONNODE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::amp {

/// True if `op` gives the memory of its first operand another shape.
bool isReshape(Operation *op);

/// The tensor that `value` is a reshape of, through any number of them.
Value getReshapeRoot(Value value);

/// Which loop walks each dimension of the operand of `reshape`, or -1, from
/// those of its result. Where several extents above 1 are merged or divided no
/// loop does.
SmallVector<int> getSourceLoops(Operation *reshape, ArrayRef<int> resultLoops);

/// The loops of an operation by which `map` indexes dimensions, or -1.
SmallVector<int> getIndexedLoops(AffineMap map);

/// What `init` begins as, through operations that write it.
Value getFirstInit(Value init);

/// Which loop walks each dimension of a tensor.
struct TensorWalk {
  /// What is read or written, and for each dimension a loop of the operation;
  /// kWhole if none walks it alone.
  Value value;
  SmallVector<int> valueDims;
  /// The same of the tensor that `value` is a reshape of, or is.
  Value tensor;
  SmallVector<int> dims;
  /// Elements of it are read by computed indices.
  bool isGathered = false;
  /// It is an operand of a product, which reads it in parts that it packs, or
  /// what its sum starts from, which is where it is then.
  bool isPacked = false;

  static constexpr int kWhole = -1;
};

/// Forms of operations that a target computes in parts, beside linalg.generic.
struct FusionForms {
  /// Named operations of linalg, and those that compute on each element of
  /// tensors.
  bool named = false;
  /// Products of windows: convolutions. Whoever computes a part of one reads
  /// windows that overlap those of the next.
  bool windows = false;
  /// Products of a matrix and a vector are sums as any others, and not
  /// products.
  bool vectorsAsSums = false;
};

/// A matrix product: its loops that walk A alone, and B alone, its operands,
/// and what its sums start from.
struct FusionProduct {
  SmallVector<unsigned> rows, columns;
  TensorWalk a, b;
  Value start;
};

struct FusionNode {
  /// A linalg.generic, or what a target's FusionForms have beside it.
  Operation *operation = nullptr;
  /// Extents of the loops; ShapedType::kDynamic before run time.
  SmallVector<int64_t> extents;
  /// Loops that the operation can be cut along: parallel, longer than 1, and
  /// walking one dimension of each result alone.
  llvm::SmallBitVector divisible;
  /// Loops that a sum (or a maximum, or what else has a neutral element) goes
  /// along, and can be cut along if the parts are combined afterwards: longer
  /// than 1, of a known extent. Sums in half precision have none: what they
  /// round depends on the order.
  llvm::SmallBitVector summed;
  /// For each result what combines two parts, in the body; empty if no loop is
  /// summed.
  SmallVector<Operation *> combiners;
  /// Inputs, and results of before that the body uses. Tensors that a body
  /// reads by index are read as a whole.
  SmallVector<TensorWalk> reads;
  /// Results.
  SmallVector<TensorWalk> writes;
  /// Of a contraction.
  std::optional<FusionProduct> product;

  /// Nothing if `op` is not computed in parts: neither a linalg.generic on
  /// tensors nor of `forms`, without results, or with effects.
  static std::optional<FusionNode> get(Operation *op,
                                       const FusionForms &forms = {});
};

} // namespace mlir::amp

#endif // AMP_FUSION_FUSIONNODE_H
