//===- StridedView.h - Elements of a tensor in some order ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over elements of a tensor that lies densely in memory, as loops with
// one stride each. Reshapes do not change it, a transpose or a broadcast
// changes strides, and loops that follow one another in memory are one loop. So
// whether a chain of such operations is a matrix with a row stride is a
// question of what is left after merging.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_LINALGTOTENSORCORE_STRIDEDVIEW_H
#define AMP_LIB_CONVERSION_LINALGTOTENSORCORE_STRIDEDVIEW_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir::amp {

/// One loop: `size` elements, each `stride` after the one before.
struct StridedLoop {
  int64_t size, stride;

  bool operator==(const StridedLoop &other) const {
    return size == other.size && stride == other.stride;
  }
};

/// Loops from the outermost to the innermost.
using StridedView = SmallVector<StridedLoop, 4>;

/// Strides of a dense tensor.
SmallVector<int64_t> getDenseStrides(ArrayRef<int64_t> shape);

/// All elements of a dense tensor in their order.
StridedView getIdentityView(int64_t numElements);

/// Leaves out loops of one element, and merges neighbours that are one loop.
StridedView mergeLoops(ArrayRef<StridedLoop> view);

/// The same walk over a tensor of the same elements elsewhere: `view` walks a
/// dense tensor of `shape`, and a step in its dimension i is one of
/// `strides[i]` in the other. Loops are split where they cross dimensions. None
/// if one does not split evenly.
std::optional<StridedView> mapView(ArrayRef<StridedLoop> view,
                                   ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> strides);

/// The same walks as loops of equal sizes, as few as there can be. None if
/// loops of one do not divide those of another.
std::optional<SmallVector<StridedView>> alignLoops(ArrayRef<StridedView> views);

/// Splits the walk into one over the outer loops, in all `outer` iterations,
/// and the rest. None if a loop does not split evenly.
std::optional<std::pair<StridedView, StridedView>>
splitView(ArrayRef<StridedLoop> view, int64_t outer);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_LINALGTOTENSORCORE_STRIDEDVIEW_H
