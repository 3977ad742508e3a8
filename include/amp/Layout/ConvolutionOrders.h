//===- ConvolutionOrders.h - What convolution kernels read ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The storage orders that convolutions as implicit matrix products ask for.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LAYOUT_CONVOLUTIONORDERS_H
#define AMP_LAYOUT_CONVOLUTIONORDERS_H

#include "amp/Analysis/ValueOrigins.h"
#include "amp/Layout/StorageOrder.h"
#include <optional>

namespace mlir::amp {

/// Orders of the three tensors of a convolution.
struct ConvolutionOrders {
  StorageOrder input, filter, output;
  /// It is the gradient of a filter: summed over images.
  bool isFilterGradient = false;
};

/// The orders for `op`, or nothing if it is no convolution: by its loops and
/// its body, whatever its name. Of N images, groups G, channels C and K, image
/// P, Q and window R, S:
///
///   forward, data gradient  input N,H,W,G,C  filter G,K,R,S,C  output
///   N,P,Q,G,K depthwise               input N,H,W,C    filter R,S,C output
///   N,P,Q,C filter gradient         input N,H,W,G,C  "filter" N,P,Q,G,K output
///   G,K,R,S,C
///
/// The gradient of a filter has the form of a convolution, too. A convolution
/// is one if the backward pass computes it from data alone; where neither
/// origins nor parameters tell, if its window is larger than the image that it
/// makes.
std::optional<ConvolutionOrders>
getConvolutionOrders(Operation *op, const ValueOrigins &origins);

} // namespace mlir::amp

#endif // AMP_LAYOUT_CONVOLUTIONORDERS_H
