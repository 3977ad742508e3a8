//===- HeadTensors.h - Where heads lie in a program's tensors ---*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of an attention, and the tensors around it: an operand is followed
// through transposes, slices, reshapes and factors to a tensor in which each
// row of a head lies in one piece; a result is what its reader makes of it,
// rounded and in another order.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_HEADTENSORS_H
#define AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_HEADTENSORS_H

#include "Element.h"
#include "amp/Analysis/Contraction.h"
#include "amp/Kernels/AttentionProblem.h"

namespace mlir::amp {

/// The loops of an attention, as dimensions of indices: the batch's and heads',
/// those over queries, keys and the depth, and one that is free.
class AttentionLoops {
public:
  AttentionLoops(MLIRContext *context, ArrayRef<int64_t> batch, int64_t rows,
                 int64_t columns, int64_t depth);

  Elements elements;
  SmallVector<AffineExpr> batch;
  AffineExpr query, key, depth, other;

  unsigned numBatch() const { return batch.size(); }
  int64_t rows() const { return elements.getExtent(numBatch()); }
  int64_t columns() const { return elements.getExtent(numBatch() + 1); }
  int64_t depthSize() const { return elements.getExtent(numBatch() + 2); }
  int64_t batchSize() const {
    return numBatch() > 1 ? elements.getExtent(0) : 1;
  }
  int64_t headCount() const {
    return numBatch() > 0 ? elements.getExtent(numBatch() - 1) : 1;
  }

  /// The iteration of a contraction with one loop of each kind, or none if its
  /// extents are others.
  std::optional<SmallVector<AffineExpr>>
  getIteration(const Contraction &contraction, AffineExpr m, AffineExpr n,
               AffineExpr k) const;
  /// The steps of an index in a dense tensor along batch, head, query, key and
  /// depth, and where it begins.
  struct Steps {
    int64_t offset, batch, head, query, key, depth;
  };
  std::optional<Steps> getSteps(const Element &element) const;
};

/// The operands of a contraction at an iteration.
Element getOperand(const ContractionOperand &operand,
                   ArrayRef<AffineExpr> iteration);

/// A tensor with the rows of heads, and what its elements are multiplied by.
struct HeadsSource {
  Value tensor;
  HeadsLayout layout;
  double factor = 1;
  /// The f32 tensor that `tensor` rounds and reorders, and where rows lie
  /// there, if that is how it is made.
  Value wide;
  HeadsLayout wideLayout;

  bool operator==(const HeadsSource &other) const;
};
/// Follows rows of queries, or of keys, to a tensor of `type` from which a
/// kernel can read them, the first one in program order; with another factor
/// than 1 only if `hasFactor`.
std::optional<HeadsSource> findSource(const AttentionLoops &loops,
                                      Element element, Type type, bool isKey,
                                      bool hasFactor);

/// What reads a product and nothing else does: it rounds it to half precision,
/// perhaps times a factor, in another order.
struct HeadsTarget {
  linalg::LinalgOp op;
  HeadsLayout layout;
  double factor = 1;
  /// The element that it writes.
  Element written;
};
std::optional<HeadsTarget> findTarget(const AttentionLoops &loops,
                                      const Contraction &product,
                                      ArrayRef<AffineExpr> iteration, Type type,
                                      bool isKey);

/// The layout that a target has in a concatenation that has its result as a
/// part, and nobody else does; perhaps with dimensions merged first.
std::optional<std::pair<Operation *, HeadsLayout>>
findPart(const AttentionLoops &loops, const HeadsTarget &target, bool isKey);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_HEADTENSORS_H
