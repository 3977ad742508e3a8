//===- Element.h - Elements of tensors, as numbers --------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program on tensors as the numbers that it computes: an element is followed
// from a tensor into the body that computes it, and from there to the elements
// that the body reads. So a chain of operations is one expression, however
// elementwise fusion has cut it.
//
// Indices are affine expressions of loops that the caller has named by
// dimensions. Rounding to 16 bits or more is looked through: what is compared
// here is meant to be computed anew.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_ELEMENT_H
#define AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_ELEMENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

#include <optional>

namespace mlir::amp {

/// A tensor's element at an index, or a number inside of an operation's body at
/// an iteration of its loops, or a number outside, without an index.
struct Element {
  Value value;
  SmallVector<AffineExpr> at;

  bool operator==(const Element &other) const {
    return value == other.value && at == other.at;
  }
  /// An operand of the operation that computes the number.
  Element operand(unsigned index) const {
    return {value.getDefiningOp()->getOperand(index), at};
  }
};

/// The operation that computes the number, if it is of that kind.
template <typename OpTy> OpTy getComputed(const Element &element) {
  return isa<ShapedType>(element.value.getType())
             ? OpTy()
             : element.value.getDefiningOp<OpTy>();
}

/// A sum, maximum, ... over one loop: elements that are combined with a start
/// value.
struct Reduction {
  Operation *combiner;
  Element each, start;
  /// Of the loop.
  int64_t extent;
};

/// Follows elements in loops of known extents.
class Elements {
public:
  /// The extent of a loop that stands for one of any extent.
  static constexpr int64_t kAnyExtent = int64_t(1) << 31;

  /// Dimension i of indices runs up to `extents[i]`.
  explicit Elements(ArrayRef<int64_t> extents) : extents(extents) {}

  unsigned getNumLoops() const { return extents.size(); }
  int64_t getExtent(unsigned loop) const { return extents[loop]; }

  /// The least and the greatest value of a linear expression of the loops.
  std::optional<std::pair<int64_t, int64_t>> getRange(AffineExpr index) const;

  /// The element that this one is, perhaps rounded, one step before; none where
  /// something is computed.
  std::optional<Element> stepBack(const Element &element) const;
  /// The first one, which is computed or given.
  Element lookBack(Element element) const;

  /// The constant that an element is.
  std::optional<APFloat> getFloat(const Element &element) const;
  /// The same, as a double.
  std::optional<double> getNumber(const Element &element) const;

  /// Views an element as a reduction, the loop of which is called `loop`. The
  /// reduction has to be over as many elements as that runs over.
  std::optional<Reduction> matchReduction(const Element &element,
                                          AffineExpr loop) const;

  /// Whether both are the same expression. `loop` is a name for what they
  /// reduce over, which neither uses.
  bool isSame(Element x, Element y, AffineExpr loop) const;

private:
  std::optional<std::pair<AffineExpr, AffineExpr>>
  splitIndex(AffineExpr index, int64_t inner) const;
  std::optional<Element> stepThroughShape(const Element &element, Value source,
                                          ArrayRef<ReassociationIndices> groups,
                                          bool isMerged) const;
  std::optional<Element> stepIntoBody(const Element &element,
                                      linalg::LinalgOp op) const;
  AffineExpr simplify(AffineExpr index) const {
    return simplifyAffineExpr(index, extents.size(), 0);
  }

  SmallVector<int64_t> extents;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_ELEMENT_H
