//===- StridedNest.cpp - Operations as addresses and strides --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stride of an operand along a loop is the sum, over its dimensions, of the
// loop's coefficient in the indexing map times the stride in memory. Two
// neighbouring loops are one where, for every operand, the outer stride is the
// inner stride times the inner extent.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/StridedNest.h"
#include "amp/Analysis/LinearMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::amp;

Value NestOperand::flatten(OpBuilder &builder, Location loc) const {
  auto type = cast<MemRefType>(memref.getType());
  Value source = memref;
  OpFoldResult begin = builder.getIndexAttr(offset);
  int64_t knownOffset = offset;
  if (isMoved) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, source);
    source = metadata.getBaseBuffer();
    Value start = metadata.getOffset();
    if (offset != 0)
      start = arith::AddIOp::create(
          builder, loc, start,
          arith::ConstantIndexOp::create(builder, loc, offset));
    begin = start;
    knownOffset = ShapedType::kDynamic;
  }
  auto flat = MemRefType::get(
      {span}, type.getElementType(),
      StridedLayoutAttr::get(builder.getContext(), knownOffset, {1}),
      type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, flat, source, begin,
      ArrayRef<OpFoldResult>{builder.getIndexAttr(span)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

FailureOr<StridedNest> StridedNest::get(linalg::LinalgOp op,
                                        bool allowsBackwards) {
  StridedNest nest;
  nest.numInputs = op.getNumDpsInputs();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (!op.hasPureBufferSemantics() || ShapedType::isDynamicShape(extents))
    return failure();

  SmallVector<SmallVector<int64_t>> strides;
  Block *body = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    NestOperand access;
    access.memref = operand.get();
    access.isRead = !body->getArgument(operand.getOperandNumber()).use_empty();
    SmallVector<int64_t> steps(extents.size(), 0);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (type) {
      SmallVector<int64_t> memory;
      if (failed(type.getStridesAndOffset(memory, access.offset)) ||
          ShapedType::isDynamicShape(memory))
        return failure();
      access.isMoved = ShapedType::isDynamic(access.offset);
      if (access.isMoved)
        access.offset = 0;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [expr, stride] : llvm::zip_equal(map.getResults(), memory)) {
        std::optional<LinearExpr> index = LinearExpr::get(expr, extents.size());
        if (!index)
          return failure();
        access.offset += stride * index->constant;
        for (auto [step, coefficient] :
             llvm::zip_equal(steps, index->coefficients))
          step += stride * coefficient;
      }
    }
    for (auto [step, extent] : llvm::zip_equal(steps, extents)) {
      int64_t reach = step * std::max<int64_t>(extent - 1, 0);
      access.span += std::abs(reach);
      if (step >= 0)
        continue;
      if (!allowsBackwards || !op.isDpsInput(&operand))
        return failure();
      access.offset += reach;
      access.first -= reach;
    }
    nest.operands.push_back(access);
    strides.push_back(std::move(steps));
  }

  llvm::SmallDenseSet<unsigned> indexed;
  body->walk([&](linalg::IndexOp index) { indexed.insert(index.getDim()); });
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    if (extent == 1 && !indexed.contains(dim))
      continue;
    NestLoop loop{
        extent, kinds[dim] == utils::IteratorType::reduction, std::nullopt, {}};
    if (indexed.contains(dim))
      loop.indexedDim = dim;
    for (ArrayRef<int64_t> steps : strides)
      loop.strides.push_back(steps[dim]);
    nest.loops.push_back(std::move(loop));
  }
  return nest;
}

void amp::sortByStride(SmallVectorImpl<NestLoop> &loops,
                       function_ref<int64_t(const NestLoop &)> getStride) {
  SmallVector<NestLoop> sorted;
  for (NestLoop &loop : loops)
    sorted.insert(llvm::upper_bound(sorted, loop,
                                    [&](const NestLoop &a, const NestLoop &b) {
                                      return getStride(a) > getStride(b);
                                    }),
                  loop);
  loops = std::move(sorted);
}

void StridedNest::mergeLoops() {
  SmallVector<NestLoop> merged;
  for (NestLoop &loop : loops) {
    bool joins = !merged.empty() && !merged.back().indexedDim &&
                 !loop.indexedDim &&
                 merged.back().isReduction == loop.isReduction;
    if (joins)
      for (auto [i, access] : llvm::enumerate(operands)) {
        bool matters = access.isRead || i >= numInputs;
        joins &= !matters ||
                 merged.back().strides[i] == loop.strides[i] * loop.extent;
      }
    if (joins) {
      merged.back().extent *= loop.extent;
      merged.back().strides = loop.strides;
    } else {
      merged.push_back(loop);
    }
  }
  loops = std::move(merged);
}

bool StridedNest::isInjective(unsigned i) const {
  SmallVector<std::pair<int64_t, int64_t>> walks; // stride, extent
  for (const NestLoop &loop : loops)
    if (loop.strides[i] != 0)
      walks.emplace_back(std::abs(loop.strides[i]), loop.extent);
  llvm::sort(walks);
  int64_t reach = 0;
  for (auto [stride, extent] : walks) {
    if (stride <= reach)
      return false;
    reach += stride * (extent - 1);
  }
  return true;
}
