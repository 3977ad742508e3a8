//===- ProductReaders.h - What is planned with each product -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the fusion plan that kernels of products need: which operations
// it computes with each. Read once, before anything is rewritten.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_PRODUCTREADERS_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_PRODUCTREADERS_H

#include "amp/Fusion/FusionPlan.h"

namespace mlir::amp {

class ProductReaders {
public:
  /// Plans the blocks of `contractions`.
  ProductReaders(ArrayRef<linalg::LinalgOp> contractions,
                 const FusionTarget &target);

  /// Operations of its group that need what `contraction` gives, and reshapes
  /// of that and of what they give, in the order of the block.
  ArrayRef<Operation *> get(Operation *contraction) const;

private:
  void add(const FusionGroup &group);

  llvm::DenseMap<Operation *, SmallVector<Operation *>> readersOf;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_PRODUCTREADERS_H
