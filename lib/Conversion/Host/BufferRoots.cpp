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

#include "BufferRoots.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::amp;

Value mlir::amp::getBufferRoot(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

namespace {
enum class Origin { Allocation, Argument, Global, Unknown };
} // namespace

static Origin getOrigin(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    bool isEntry = argument.getOwner()->isEntryBlock() &&
                   isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return isEntry ? Origin::Argument : Origin::Unknown;
  }
  Operation *op = root.getDefiningOp();
  if (isa<memref::AllocOp, memref::AllocaOp>(op))
    return Origin::Allocation;
  return isa<memref::GetGlobalOp>(op) ? Origin::Global : Origin::Unknown;
}

bool mlir::amp::areBuffersApart(Value a, Value b) {
  a = getBufferRoot(a);
  b = getBufferRoot(b);
  Origin first = getOrigin(a), second = getOrigin(b);
  if (a == b || first == Origin::Unknown || second == Origin::Unknown)
    return false;
  if (first == Origin::Global && second == Origin::Global)
    return a.getDefiningOp<memref::GetGlobalOp>().getName() !=
           b.getDefiningOp<memref::GetGlobalOp>().getName();
  return true;
}
