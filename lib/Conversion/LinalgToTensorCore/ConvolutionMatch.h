//===- ConvolutionMatch.h - A contraction with windows ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions and the gradients of their filters, in the order of dimensions
// that kernels read: images N,H,W,C, filters K,R,S,C. A gradient of the image
// reaches us as a convolution of its own (ImageGradient.h).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CONVOLUTIONMATCH_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CONVOLUTIONMATCH_H

#include "MatrixProduct.h"
#include "amp/Kernels/ConvolutionProblem.h"

namespace mlir::amp {

struct ConvolutionMatch {
  /// All but the type of the result.
  ConvolutionProblem problem;
  /// The image, and the filters or the gradient of the output.
  Value image, other;
  /// The result as a matrix, for what follows. Without sources.
  MatrixProduct product;
};

/// Views `contraction`, on tensors, as a convolution. Fails if it is none that
/// kernels know; `reason` then says why.
FailureOr<ConvolutionMatch> matchConvolution(const Contraction &contraction,
                                             std::string &reason);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_CONVOLUTIONMATCH_H
