//===- BufferRoots.cpp - Which buffer a memref belongs to -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A root is compared by where it comes from; values are not followed through
// control flow.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/BufferRoots.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::amp;

Value mlir::amp::getViewedBuffer(Value memref) {
  if (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    return view.getViewSource();
  if (auto transpose = memref.getDefiningOp<memref::TransposeOp>())
    return transpose.getIn();
  return {};
}

Value mlir::amp::getBufferRoot(Value memref) {
  while (Value viewed = getViewedBuffer(memref))
    memref = viewed;
  return memref;
}

BufferOrigin mlir::amp::getBufferOrigin(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    bool isEntry = argument.getOwner()->isEntryBlock() &&
                   isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return isEntry ? BufferOrigin::Argument : BufferOrigin::Unknown;
  }
  Operation *op = root.getDefiningOp();
  if (isa<memref::AllocOp, memref::AllocaOp>(op))
    return BufferOrigin::Allocation;
  return isa<memref::GetGlobalOp>(op) ? BufferOrigin::Global
                                      : BufferOrigin::Unknown;
}

bool mlir::amp::areBuffersApart(Value a, Value b) {
  a = getBufferRoot(a);
  b = getBufferRoot(b);
  BufferOrigin first = getBufferOrigin(a), second = getBufferOrigin(b);
  if (a == b || first == BufferOrigin::Unknown ||
      second == BufferOrigin::Unknown)
    return false;
  if (first == BufferOrigin::Global && second == BufferOrigin::Global)
    return a.getDefiningOp<memref::GetGlobalOp>().getName() !=
           b.getDefiningOp<memref::GetGlobalOp>().getName();
  return true;
}
