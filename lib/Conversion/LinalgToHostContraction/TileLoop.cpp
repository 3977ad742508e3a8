//===- TileLoop.cpp - Products in a loop over tiles -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// B stays if its buffer is there before the loop and each write in the loop is
// known, and goes to another buffer: an allocation, or an argument that
// overlaps no other (llvm.noalias, see amp-outline-kernels). Buffers are known
// by what they are views of; what a selection, a call or a loop gives is not
// known, and may be any of them. Where B begins is an offset, and so no view
// may move the pointer that it counts from. Of loops in each other it is the
// largest, as far as what B is cut from is there in front of it.
//
// It is columns of one matrix in all tiles if it is a subview that cuts nothing
// but columns.
//
//===----------------------------------------------------------------------===//

#include "TileLoop.h"

#include "amp/Analysis/BufferRoots.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

#include <numeric>

using namespace mlir;
using namespace mlir::amp;

/// True if no other buffer of known origin reaches the memory of `root`.
static bool isApartFromOthers(Value root) {
  if (getBufferOrigin(root) != BufferOrigin::Argument)
    return getBufferOrigin(root) == BufferOrigin::Allocation;
  auto argument = cast<BlockArgument>(root);
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function.getArgAttr(argument.getArgNumber(),
                             LLVM::LLVMDialect::getNoAliasAttrName()) !=
         nullptr;
}

/// Roots of the buffers that operations in `loop` write; nothing if that is not
/// known of one.
static std::optional<SmallVector<Value>> findWritten(Operation *loop) {
  SmallVector<Value> written;
  WalkResult result = loop->walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects) {
      bool isKnown = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                     isMemoryEffectFree(op);
      return isKnown ? WalkResult::advance() : WalkResult::interrupt();
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      if (!isa<MemoryEffects::Write>(effect.getEffect()))
        continue;
      if (!effect.getValue())
        return WalkResult::interrupt();
      written.push_back(getBufferRoot(effect.getValue()));
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return written;
}

/// True if nothing in `tiles` writes B of `product`, and no view moves the
/// pointer that it counts from.
static bool keepsB(const Contraction &product, const TileLoop &tiles) {
  for (Value view = product.b.value; view; view = getViewedBuffer(view))
    if (view.getDefiningOp<memref::ViewOp>() && !tiles.isDefinedOutside(view))
      return false;
  std::optional<SmallVector<Value>> written = findWritten(tiles.outer);
  Value root = getBufferRoot(product.b.value);
  auto isKnown = [](Value of) {
    return getBufferOrigin(of) != BufferOrigin::Unknown;
  };
  auto isElsewhere = [&](Value other) {
    return other != root && isKnown(other) &&
           (isApartFromOthers(root) || isApartFromOthers(other));
  };
  return written && isKnown(root) && tiles.isDefinedOutside(root) &&
         llvm::all_of(*written, isElsewhere);
}

std::optional<TileLoop> TileLoop::find(const Contraction &product) {
  Value source = product.b.value;
  if (auto view = source.getDefiningOp<memref::SubViewOp>())
    source = view.getSource();
  std::optional<TileLoop> largest;
  Operation *inner = product.op;
  while (auto loop = dyn_cast<scf::ForOp>(inner->getParentOp())) {
    TileLoop tiles{loop, loop};
    if (isa<scf::ParallelOp>(loop->getParentOp()))
      tiles.outer = loop->getParentOp();
    if (!keepsB(product, tiles) || (largest && !tiles.isDefinedOutside(source)))
      break;
    largest = tiles;
    inner = loop;
  }
  return largest;
}

/// The largest number known to divide `offset`; 0 divides as any number.
static int64_t getKnownDivisor(OpFoldResult offset) {
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    return *constant;
  auto value = cast<Value>(offset);
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    return apply.getAffineMap().getResult(0).getLargestKnownDivisor();
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument != loop.getInductionVar())
    return 1;
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep());
  return begin && step ? std::gcd(*begin, *step) : 1;
}

std::optional<ColumnsOfMatrix> mlir::amp::findWholeB(const Contraction &product,
                                                     const TileLoop &loop,
                                                     int64_t width) {
  const ContractionOperand &part = product.b;
  auto partType = cast<MemRefType>(part.value.getType());
  if (!part.map.isProjectedPermutation() || !partType.hasStaticShape())
    return std::nullopt;
  auto getDim = [&](unsigned loopOfProduct) {
    return *part.map.getResultPosition(
        getAffineDimExpr(loopOfProduct, part.map.getContext()));
  };
  ColumnsOfMatrix columns{part, {}, {}};
  if (loop.isDefinedOutside(part.value)) {
    for (unsigned loopOfProduct : product.n)
      columns.extents.push_back(partType.getDimSize(getDim(loopOfProduct)));
    return columns;
  }
  auto view = part.value.getDefiningOp<memref::SubViewOp>();
  if (!view || !loop.isDefinedOutside(view.getSource()) ||
      view.getSourceType().getRank() != partType.getRank() ||
      !view.getSourceType().hasStaticShape() || !view.hasUnitStride())
    return std::nullopt;
  columns.whole.value = view.getSource();
  ArrayRef<int64_t> shape = view.getSourceType().getShape();
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  auto isAll = [&](unsigned dim) {
    return getConstantIntValue(offsets[dim]) == 0 &&
           partType.getDimSize(dim) == shape[dim];
  };
  llvm::SmallBitVector isColumn(shape.size());
  for (unsigned loopOfProduct : product.n)
    isColumn.set(getDim(loopOfProduct));
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (!isColumn[dim] && !isAll(dim))
      return std::nullopt;
  // Consecutive in the linear index over the loops: one position of the first
  // ones, a run of one, all of the rest.
  int64_t columnsOfStep = 1, divisor = 0;
  bool isRun = false;
  for (unsigned loopOfProduct : llvm::reverse(product.n)) {
    unsigned dim = getDim(loopOfProduct);
    if (isRun && partType.getDimSize(dim) != 1)
      return std::nullopt;
    isRun |= !isAll(dim);
    columns.extents.insert(columns.extents.begin(), shape[dim]);
    columns.offsets.emplace_back(offsets[dim], columnsOfStep);
    divisor = std::gcd(divisor, getKnownDivisor(offsets[dim]) * columnsOfStep);
    columnsOfStep *= shape[dim];
  }
  if (divisor % width != 0)
    return std::nullopt;
  return columns;
}
