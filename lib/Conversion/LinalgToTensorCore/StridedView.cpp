//===- StridedView.cpp - Elements of a dense tensor, in some order --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splitting is the only step with a case that fails: a loop whose stride does
// not divide a dimension's, or whose end lies inside a dimension, is no nest of
// loops over dimensions.
//
//===----------------------------------------------------------------------===//

#include "StridedView.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::amp;

SmallVector<int64_t> mlir::amp::getDenseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}

StridedView mlir::amp::getIdentityView(int64_t numElements) {
  return {{numElements, 1}};
}

StridedView mlir::amp::mergeLoops(ArrayRef<StridedLoop> view) {
  StridedView merged;
  for (const StridedLoop &loop : view) {
    if (loop.size == 1)
      continue;
    if (!merged.empty() && merged.back().stride == loop.stride * loop.size)
      merged.back() = {merged.back().size * loop.size, loop.stride};
    else
      merged.push_back(loop);
  }
  return merged;
}

/// Adds `loop`, a walk over a tensor of `shape`, to `result` as loops with the
/// strides of the other tensor.
static bool mapLoop(StridedLoop loop, ArrayRef<int64_t> shape,
                    ArrayRef<int64_t> strides, StridedView &result) {
  if (loop.stride == 0) {
    result.push_back(loop);
    return true;
  }
  SmallVector<int64_t> dense = getDenseStrides(shape);
  // Inner parts first.
  StridedView parts;
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1;
       dim >= 0 && loop.size > 1; --dim) {
    int64_t span = dense[dim] * shape[dim];
    if (shape[dim] == 1 || loop.stride >= span)
      continue;
    if (loop.stride % dense[dim] != 0)
      return false;
    int64_t step = loop.stride / dense[dim];
    int64_t mapped = step * strides[dim];
    if (loop.stride * loop.size <= span) {
      parts.push_back({loop.size, mapped});
      loop.size = 1;
      break;
    }
    if (span % loop.stride != 0 || loop.size % (span / loop.stride) != 0)
      return false;
    int64_t inside = span / loop.stride;
    parts.push_back({inside, mapped});
    loop = {loop.size / inside, span};
  }
  if (loop.size > 1)
    return false;
  llvm::append_range(result, llvm::reverse(parts));
  return true;
}

std::optional<StridedView> mlir::amp::mapView(ArrayRef<StridedLoop> view,
                                              ArrayRef<int64_t> shape,
                                              ArrayRef<int64_t> strides) {
  StridedView result;
  for (const StridedLoop &loop : view)
    if (loop.size != 1 && !mapLoop(loop, shape, strides, result))
      return std::nullopt;
  return result;
}

std::optional<SmallVector<StridedView>>
mlir::amp::alignLoops(ArrayRef<StridedView> views) {
  // From the innermost loops on, parts of equal sizes.
  SmallVector<StridedView> rest = llvm::map_to_vector(
      views, [](const StridedView &view) { return mergeLoops(view); });
  SmallVector<StridedView> aligned(views.size());
  while (llvm::any_of(rest,
                      [](const StridedView &view) { return !view.empty(); })) {
    int64_t size = INT64_MAX;
    for (const StridedView &view : rest)
      size = view.empty() ? 1 : std::min(size, view.back().size);
    for (auto [view, parts] : llvm::zip_equal(rest, aligned)) {
      if (size == 1 || view.back().size % size != 0)
        return std::nullopt;
      StridedLoop &loop = view.back();
      parts.insert(parts.begin(), {size, loop.stride});
      loop = {loop.size / size, loop.stride * size};
      if (loop.size == 1)
        view.pop_back();
    }
  }
  // Neighbours that are one loop in each of them.
  size_t count = aligned.empty() ? 0 : aligned.front().size();
  for (size_t i = count; i > 1; --i) {
    bool areOne = llvm::all_of(aligned, [&](const StridedView &view) {
      return view[i - 2].stride == view[i - 1].stride * view[i - 1].size;
    });
    if (!areOne)
      continue;
    for (StridedView &view : aligned) {
      view[i - 2] = {view[i - 2].size * view[i - 1].size, view[i - 1].stride};
      view.erase(view.begin() + (i - 1));
    }
  }
  return aligned;
}

std::optional<std::pair<StridedView, StridedView>>
mlir::amp::splitView(ArrayRef<StridedLoop> view, int64_t outer) {
  StridedView first, second;
  for (StridedLoop loop : view) {
    if (outer == 1) {
      second.push_back(loop);
    } else if (outer % loop.size == 0) {
      first.push_back(loop);
      outer /= loop.size;
    } else if (loop.size % outer == 0) {
      int64_t inner = loop.size / outer;
      first.push_back({outer, loop.stride * inner});
      second.push_back({inner, loop.stride});
      outer = 1;
    } else {
      return std::nullopt;
    }
  }
  return std::pair(first, second);
}
