//===- HostMemory.cpp - Buffers of a host beside a device -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through casts, as amp-keep-memory-on-host leaves them, and through no other
// view. In a block that nothing reaches, casts may be made of themselves.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/HostMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::amp;

Value mlir::amp::getBehindCasts(Value buffer) {
  SmallPtrSet<Operation *, 4> seen;
  while (auto cast = buffer.getDefiningOp<memref::CastOp>()) {
    if (!seen.insert(cast).second)
      break;
    buffer = cast.getSource();
  }
  return buffer;
}

bool mlir::amp::isHostMemory(Value buffer) {
  return getBehindCasts(buffer).getDefiningOp<memref::AllocaOp>() != nullptr;
}
