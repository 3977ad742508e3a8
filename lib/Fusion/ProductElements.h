//===- ProductElements.h - What follows from one sum at a time --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While the sums of a product are in registers, an operation can take part that
// needs one of them for each number that it computes. What shape the tensors
// have does not matter then, nor in which order they are walked, as long as all
// that it needs comes from the same sum.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_FUSION_PRODUCTELEMENTS_H
#define AMP_LIB_FUSION_PRODUCTELEMENTS_H

#include "amp/Fusion/FusionNode.h"

namespace mlir::amp {

/// The tensors with an element for each sum of a product.
class ProductElements {
public:
  /// `product` has sums of a static shape.
  explicit ProductElements(const FusionNode &product);

  /// Adds what `node` gives and returns true, if each element of that follows
  /// from one sum (and from what has nothing to do with the product).
  bool add(const FusionNode &node);

private:
  int64_t count;
  /// Tensors in whose elements sums stand in one order have the same number.
  llvm::DenseMap<Value, unsigned> orderOf;
  unsigned numOrders = 1;
};

} // namespace mlir::amp

#endif // AMP_LIB_FUSION_PRODUCTELEMENTS_H
