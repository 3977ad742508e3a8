//===- HostMemory.cpp - Buffers of a host beside a device -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through casts, as amp-keep-memory-on-host leaves them, and through no other
// view.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/HostMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::amp;

bool mlir::amp::isHostMemory(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer.getDefiningOp<memref::AllocaOp>() != nullptr;
}
