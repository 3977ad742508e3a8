//===- CopyKernel.cpp - Copies between strides ----------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads share the elements in the order of the target (RowKernel.h). A thread
// takes as many as one access does where both buffers have rows of them that
// begin where it may.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/CopyKernel.h"

#include "Elements/ElementRules.h"
#include "Elements/RowKernel.h"
#include "Elements/WideAccess.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

int64_t mlir::amp::getSpan(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    span += (size - 1) * stride;
  return span;
}

/// What is wrong with a buffer, or nothing.
static std::string checkBuffer(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  bool isKnown = type.hasStaticShape() &&
                 succeeded(type.getStridesAndOffset(strides, offset)) &&
                 llvm::none_of(strides, ShapedType::isDynamic);
  if (!isKnown || llvm::any_of(strides, [](int64_t s) { return s < 0; }))
    return llvm::formatv("expected a buffer of known extents and strides, but "
                         "got {0}",
                         type);
  if (type.getNumElements() == 0 || getSpan(type) > kMostNumbered)
    return llvm::formatv(
        "expected a buffer of 1 to 2^31 - 2^20 elements, but got {0}", type);
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
  return checkTensor(tensor);
}

std::optional<CopyKernel>
CopyKernel::match(MemRefType source, MemRefType target, std::string &reason) {
  for (MemRefType type : {source, target}) {
    reason = checkBuffer(type);
    if (!reason.empty())
      return std::nullopt;
  }
  // Which of several elements stays in one place, threads do not agree on.
  auto [strides, offset] = target.getStridesAndOffset();
  for (auto [size, stride] : llvm::zip_equal(target.getShape(), strides))
    if (size > 1 && stride == 0) {
      reason = llvm::formatv("expected a place for each element, but got {0}, "
                             "with a stride of 0",
                             target);
      return std::nullopt;
    }
  return CopyKernel(source, target);
}

/// The elements of a buffer, whose first is the window's.
static ElementLayout getLayout(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  // What it is a part of begins where its launches want it to.
  return {type, ShapedType::isDynamic(offset) ? 1 : offset};
}

/// How many elements of dimension `loop` a thread copies.
static int64_t chooseWidth(MemRefType source, MemRefType target,
                           unsigned loop) {
  Type element = source.getElementType();
  auto isRow = [&](MemRefType type, int64_t width) {
    return getAccess(AffineMap::getMultiDimIdentityMap(type.getRank(),
                                                       type.getContext()),
                     getLayout(type), element, type.getShape(), loop,
                     width) == Access::Row;
  };
  return chooseRowWidth(element, [&](int64_t width) {
    return isRow(source, width) && isRow(target, width);
  });
}

gpu::GPUModuleOp CopyKernel::emit(OpBuilder &builder, Location loc,
                                  StringRef name) const {
  ArrayRef<int64_t> extents = target.getShape();
  const int64_t width =
      extents.empty() ? 1 : chooseWidth(source, target, getInnermost(extents));
  return emitRowKernel(
      builder, loc, name,
      {target.getElementType(), extents, width, getSpan(source),
       getSpan(target)},
      [&](DeviceBuilder &b, Value in, Value out, Numbers indices) {
        storeRow(b, loadRow(b, placeBuffer(b, in, source), indices, width),
                 placeBuffer(b, out, target), indices);
      });
}
