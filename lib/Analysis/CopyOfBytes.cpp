//===- CopyOfBytes.cpp - Copies without gaps ------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By the types: of extents that are not known, only the identity is known to
// have no gaps.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/CopyOfBytes.h"

#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isCopyOfBytes(memref::CopyOp copy) {
  auto hasNoGaps = [](Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return type.getLayout().isIdentity() ||
           (type.hasStaticShape() &&
            (type.getNumElements() == 0 ||
             memref::isStaticShapeAndContiguousRowMajor(type)));
  };
  return hasNoGaps(copy.getSource()) && hasNoGaps(copy.getTarget());
}
