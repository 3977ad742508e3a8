//===- ElementReader.cpp - Who computes on elements of a product ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element is computed by itself where every loop walks one dimension of
// the results. It is read once where every loop walks one dimension of what is
// read. Loops of one round are none.
//
//===----------------------------------------------------------------------===//

#include "ElementReader.h"

using namespace mlir;
using namespace mlir::amp;

std::optional<int64_t>
mlir::amp::countSeparateElements(const FusionNode &node) {
  int64_t count = 1;
  for (auto [loop, extent] : llvm::enumerate(node.extents)) {
    if (ShapedType::isDynamic(extent) || (extent != 1 && !node.divisible[loop]))
      return std::nullopt;
    count *= extent;
  }
  return count;
}

bool mlir::amp::readsByElement(const FusionNode &node,
                               llvm::function_ref<bool(Value)> isElements) {
  bool readsAny = false;
  for (const TensorWalk &walk : node.reads) {
    if (!isElements(walk.tensor))
      continue;
    readsAny = true;
    for (auto [loop, extent] : llvm::enumerate(node.extents))
      if (extent != 1 && llvm::count(walk.valueDims, int(loop)) != 1)
        return false;
  }
  return readsAny;
}
