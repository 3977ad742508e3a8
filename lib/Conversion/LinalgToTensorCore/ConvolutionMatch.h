//===- ConvolutionMatch.h - A contraction with windows ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions and the gradients of their filters, in the order of dimensions
// that kernels read: images N,H,W,C, filters K,R,S,C. In groups, channels and
// filters are two dimensions each, the group before its own: N,H,W,G,C and
// G,K,R,S,C. A gradient of the image reaches us as a convolution of its own
// (ImageGradient.h).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CONVOLUTIONMATCH_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CONVOLUTIONMATCH_H

#include "FilterMove.h"
#include "MatrixProduct.h"
#include "amp/Analysis/SpreadTensor.h"

namespace mlir::amp {

struct ConvolutionMatch {
  /// All but the type of the result.
  ConvolutionProblem problem;
  /// The image, and the filters or the gradient of the output.
  Value image, other;
  /// Of the filters, or of their gradient; groups of one filter or one channel
  /// may have no dimension for it.
  SmallVector<FilterDim> filterDims;
  /// Filters that do not lie as kernels read them are made anew of what they
  /// were moved from, or else copied in the order of `otherPermutation`.
  std::optional<FilterMove> otherMove;
  SmallVector<int64_t> otherPermutation;
  /// The result as a matrix, for what follows. Without sources.
  MatrixProduct product;
};

/// Views `contraction`, on tensors, as a convolution. Fails if it is none that
/// kernels know; `reason` then says why.
FailureOr<ConvolutionMatch> matchConvolution(const Contraction &contraction,
                                             std::string &reason);

/// The tensor whose rows and columns `image` has and whose other dimensions,
/// behind them, it splits or joins; `image` itself if it is not made so.
Value lookThroughChannels(Value image);

/// What an image has besides zeros, if these are between and around its pixels
/// alone.
std::optional<SpreadTensor> getSpreadPixels(Value image);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CONVOLUTIONMATCH_H
