//===- AttentionMatch.h - Attentions in a program ---------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds softmax(scale * Q K^T + mask) V by what it computes, and its gradients
// by being what they are of it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_ATTENTIONMATCH_H
#define AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_ATTENTIONMATCH_H

#include "HeadTensors.h"

#include <memory>
#include <string>

namespace mlir::amp {

/// An attention, and what was found of it.
struct AttentionMatch {
  std::unique_ptr<AttentionLoops> loops;
  /// The products of scores and of the result.
  Contraction scores, product;
  AttentionProblem problem;
  HeadsSource q, k, v;
  /// An additive mask.
  Value mask;
  HeadsTarget result;
  /// An exponential, and the sum of a row's.
  Element exponential, total;
  /// Where a query sees no key, if it has zeros there.
  std::optional<Element> isEmpty;
};

/// Views the product as that of probabilities and V; `reason` says why not.
std::optional<AttentionMatch> matchAttention(linalg::LinalgOp product,
                                             std::string &reason);

/// The gradients of an attention: the products that give them.
struct AttentionGradients {
  HeadsSource resultGradient;
  linalg::LinalgOp qProduct, kProduct, vProduct;
  HeadsTarget q, k, v;
  /// What joins all three to one tensor, if that is all that it does; `layout`s
  /// are those of its parts then.
  Operation *joined = nullptr;
};

/// The gradients among the products of a block. None if one is missing.
std::optional<AttentionGradients>
matchGradients(const AttentionMatch &attention,
               ArrayRef<linalg::LinalgOp> products);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_ATTENTIONTOKERNELS_ATTENTIONMATCH_H
