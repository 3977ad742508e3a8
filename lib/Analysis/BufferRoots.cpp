//===- BufferRoots.cpp - Which buffer a memref belongs to -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A root is compared by where it comes from; values are not followed through
// control flow. Parts of one arena (amp-plan-buffers) are compared by their
// bytes.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/BufferRoots.h"

#include "amp/Support/ByteCount.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::amp;

Value mlir::amp::getViewedBuffer(Value memref) {
  if (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    return view.getViewSource();
  if (auto transpose = memref.getDefiningOp<memref::TransposeOp>())
    return transpose.getIn();
  return {};
}

/// Visits what `memref` looks through, itself first. In a block that nothing
/// reaches views may be made of themselves, each of which is visited once.
static void walkViews(Value memref, llvm::function_ref<void(Value)> visit) {
  for (llvm::SmallPtrSet<Operation *, 4> seen; memref;
       memref = getViewedBuffer(memref)) {
    Operation *op = memref.getDefiningOp();
    if (op && !seen.insert(op).second)
      return;
    visit(memref);
  }
}

Value mlir::amp::getBufferRoot(Value memref) {
  walkViews(memref, [&](Value viewed) { memref = viewed; });
  return memref;
}

bool mlir::amp::isOnStack(Value memref) {
  return getBufferRoot(memref).getDefiningOp<memref::AllocaOp>() != nullptr;
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

/// The memref.view closest to the root that `memref` looks through, if any: a
/// part of an arena. Views of a view stay inside of it.
static memref::ViewOp getPart(Value memref) {
  memref::ViewOp part;
  walkViews(memref, [&](Value viewed) {
    if (auto view = viewed.getDefiningOp<memref::ViewOp>())
      part = view;
  });
  return part;
}

/// Whether one part of an arena is known to end before another begins.
static bool endsBefore(memref::ViewOp a, memref::ViewOp b) {
  std::optional<int64_t> first = getConstantIntValue(a.getByteShift()),
                         second = getConstantIntValue(b.getByteShift());
  MemRefType type = a.getType();
  if (!first || !second || !type.hasStaticShape() || *first > *second)
    return false;
  std::optional<int64_t> bytes =
      countBytes(type.getShape(), getElementBytes(type));
  return bytes && *bytes <= *second - *first;
}

static bool areBytesApart(Value a, Value b) {
  memref::ViewOp first = getPart(a), second = getPart(b);
  return first && second && first.getSource() == second.getSource() &&
         (endsBefore(first, second) || endsBefore(second, first));
}

bool mlir::amp::areBuffersApart(Value a, Value b) {
  if (areBytesApart(a, b))
    return true;
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

int64_t mlir::amp::countBufferBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.hasStaticShape() ? type.getNumElements() * getElementBytes(type)
                               : 0;
}

int64_t mlir::amp::countViewedBytes(Value buffer) {
  int64_t bytes = countBufferBytes(buffer);
  auto window = buffer.getDefiningOp<memref::ReinterpretCastOp>();
  auto viewed = window ? dyn_cast<MemRefType>(window.getSource().getType())
                       : MemRefType();
  return viewed && viewed.hasStaticShape()
             ? std::min(bytes, countBufferBytes(window.getSource()))
             : bytes;
}
