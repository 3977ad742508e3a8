//===- ConvolutionProblem.h - A convolution as a product --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution and its two gradients as plain data, and the matrix product
// that each of them is. The images are stored x[batch][height][width][channels]
// and y[batch][outputHeight][outputWidth][filters], the filters
// w[filters][filterHeight][filterWidth][channels / groups]. A tap is one
// (row, column) of a filter. For each group, in C channels and F filters:
//
//   kind            D    rows (M)       columns (N)    summed over (K)
//   Forward         y    pixels of y    F              tap, channel
//   DataGradient    x    pixels of x    C              tap, filter
//   WeightGradient  w    F              tap, channel   pixels of y
//
// A is the image of the forward pass or the gradient of y, B the filters; the
// weight gradient's A is the gradient of y, its B the image. No matrix is laid
// out in memory: an element of A or B is found where it lies.
//
// A data gradient with strides would multiply mostly by zeros if zeros were
// inserted between the pixels of y. Instead the pixels of x are divided into
// classes by their row modulo the stride and their column modulo the stride:
// those of one class meet the same taps, and for them it is a data gradient
// without stride, over these taps alone.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_KERNELS_CONVOLUTIONPROBLEM_H
#define AMP_KERNELS_CONVOLUTIONPROBLEM_H

#include "amp/Kernels/GemmProblem.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::amp {

/// What is computed from the other two of x, w and y.
enum class ConvolutionKind { Forward, DataGradient, WeightGradient };

StringRef stringifyConvolutionKind(ConvolutionKind kind);
/// None if there is no kind of that name.
std::optional<ConvolutionKind> parseConvolutionKind(StringRef name);

/// What its A, B and D are called in `amp.launch`.
struct ConvolutionNames {
  StringRef a, b, d;
};
ConvolutionNames getTensorNames(ConvolutionKind kind);

struct ConvolutionProblem {
  ConvolutionKind kind = ConvolutionKind::Forward;
  /// Of x. A batch of zero images is legal.
  int64_t batch = 1, height = 1, width = 1, channels = 1;
  int64_t filters = 1, filterHeight = 1, filterWidth = 1;
  int64_t strideHeight = 1, strideWidth = 1;
  int64_t dilationHeight = 1, dilationWidth = 1;
  /// Rows and columns of zeros around x.
  int64_t padTop = 0, padBottom = 0, padLeft = 0, padRight = 0;
  /// Filters and channels are divided alike; a group's filters see its
  /// channels.
  int64_t groups = 1;
  /// f16, bf16, f32 or tf32, both the same.
  Type a, b;
  /// f16, bf16 or f32. Sums are f32 always.
  Type d;

  /// Not positive if the filter does not fit.
  int64_t outputHeight() const;
  int64_t outputWidth() const;
  int64_t channelsPerGroup() const { return channels / groups; }
  int64_t filtersPerGroup() const { return filters / groups; }
  int64_t taps() const { return filterHeight * filterWidth; }
  /// A group is one channel of several. Then there is no matrix product in it,
  /// and a kernel of its own.
  bool isDepthwise() const { return groups == channels && groups > 1; }
  int64_t inputPixels() const { return batch * height * width; }
  int64_t outputPixels() const {
    return batch * outputHeight() * outputWidth();
  }
  /// Classes of pixels of D that each are a product of their own: of a data
  /// gradient strideHeight * strideWidth, otherwise one.
  int64_t classes() const;
  /// Rows and columns of the largest class of a data gradient.
  int64_t classHeight() const { return llvm::divideCeil(height, strideHeight); }
  int64_t classWidth() const { return llvm::divideCeil(width, strideWidth); }
  /// How many elements of A, or of B, lie one after the other wherever a tap
  /// meets it.
  int64_t runOfA() const {
    return kind == ConvolutionKind::Forward ? channelsPerGroup()
                                            : filtersPerGroup();
  }
  int64_t runOfB() const { return channelsPerGroup(); }
};

/// Along one dimension, the taps that meet the pixels of one class of a data
/// gradient. The i-th pixel of the class and the j-th tap meet the output
/// i + origin - j * outputStep.
struct TapSequence {
  /// Their numbers in the filter are first, first + step, ...; `count` may be
  /// 0.
  int64_t first, step, count;
  int64_t origin, outputStep;
};

/// Of the pixels that are `residue` modulo `stride`.
TapSequence getTapSequence(int64_t residue, int64_t stride, int64_t dilation,
                           int64_t padding, int64_t filter);

/// The product of one group, or one class of it: `batch` counts all of them.
/// Of a data gradient with strides, m and k are those of the largest class.
/// Row strides are those of D, and of operands that are matrices in memory.
GemmProblem getImplicitProduct(const ConvolutionProblem &problem);

/// Checks the convolution. What is computed from one above relies on this.
LogicalResult verifyConvolution(const ConvolutionProblem &problem,
                                function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::amp

#endif // AMP_KERNELS_CONVOLUTIONPROBLEM_H
