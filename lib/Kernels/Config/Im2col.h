//===- Im2col.h - What TMA can gather of a convolution ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copy engine's view of an image: first pixels, which are the places of a
// filter's tap with offset 0, in a box between two corners, and an offset for
// each tap. Its fields are small, so not every convolution fits.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_CONFIG_IM2COL_H
#define AMP_LIB_KERNELS_CONFIG_IM2COL_H

#include "amp/Kernels/ConvolutionProblem.h"
#include "amp/Kernels/Schedule.h"
#include "amp/Support/ShapedBytes.h"

namespace mlir::amp {

/// Channels of a tap in a stage of K: 128 bytes.
inline int64_t getIm2colChannels(const ConvolutionProblem &problem) {
  return 128 / getElementBytes(problem.a);
}

/// Rows or columns of the image that is gathered: x, for a data gradient y.
struct Im2colAxis {
  int64_t size;
  /// First pixels are lower, lower + step, ... up to size + upper, exclusive:
  /// `places` of them.
  int64_t lower, upper, step, places;
  /// The largest distance from a first pixel to that of a tap.
  int64_t reach;
};
Im2colAxis getIm2colRows(const ConvolutionProblem &problem);
Im2colAxis getIm2colColumns(const ConvolutionProblem &problem);

/// Copies along a run of channels or filters, the last of which may have fewer.
inline int64_t getIm2colBlocks(const ConvolutionProblem &problem, int64_t run) {
  return llvm::divideCeil(run, getIm2colChannels(problem));
}

/// As getImplicitProduct, with K in whole stages. The columns of a weight
/// gradient are whole copies, too; `ldd` says how many there are.
GemmProblem getIm2colProduct(const ConvolutionProblem &problem);

/// TMA where D's rows, and its groups, lie on multiples of 16 bytes and its
/// columns and pixels are in the product's order, else threads.
MatrixAccess chooseIm2colStore(const ConvolutionProblem &problem);

/// What keeps TMA from gathering the operands, or an empty text.
std::string explainIm2colObstacle(const ConvolutionProblem &problem);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_CONFIG_IM2COL_H
