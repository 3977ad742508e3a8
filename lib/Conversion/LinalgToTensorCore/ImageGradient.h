//===- ImageGradient.h - A convolution that is a data gradient --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends write the gradient of a convolution's image as a convolution
// again, of filters that are copied with their taps in reverse and of an image
// with zeros between its pixels. Kernels compute it from what was copied, of
// both or of the filters alone.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_IMAGEGRADIENT_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_IMAGEGRADIENT_H

#include "ConvolutionMatch.h"

namespace mlir::amp {

struct ImageGradient {
  /// All but the type of the result.
  ConvolutionProblem problem;
  /// The gradient of the output, N,P,Q,K.
  Value output;
  /// The filters of the forward pass, of which this convolution's are the
  /// reversal.
  FilterMove filters;
};

/// Views a convolution as the gradient of another one's image, so that its
/// filters need no copy: of the pixels that have zeros between them, first, and
/// of the image with its zeros. Pixels without zeros are one view.
SmallVector<ImageGradient, 2>
matchImageGradients(const ConvolutionMatch &convolution);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_IMAGEGRADIENT_H
