//===- PadKernel.cpp - A tensor among a number as device code -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads share the elements of the result in its order (RowKernel.h), so that
// each is written once: what a fill and a copy would write twice. A thread asks
// where its element lies in the source, and reads it there or takes the number.
// It has as many elements as one access takes where the source ends only
// between such accesses.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/PadKernel.h"

#include "Elements/ElementRules.h"
#include "Elements/RowKernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

std::optional<PadKernel>
PadKernel::match(RankedTensorType source, RankedTensorType result,
                 ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides,
                 TypedAttr value, std::string &reason) {
  for (RankedTensorType type : {source, result}) {
    reason = checkTensor(type);
    if (!reason.empty())
      return std::nullopt;
  }
  if (source.getNumElements() == 0) {
    reason = llvm::formatv("expected elements to put somewhere, but got {0}",
                           source);
    return std::nullopt;
  }
  if (source.getRank() != result.getRank()) {
    reason = llvm::formatv("expected tensors of one rank, but got {0} and {1}",
                           source, result);
    return std::nullopt;
  }
  for (auto [extent, offset, stride, size] :
       llvm::zip_equal(source.getShape(), offsets, strides, result.getShape()))
    if (offset < 0 || stride < 1 || offset + (extent - 1) * stride >= size) {
      reason = llvm::formatv("expected {0} to be a part of {1}, but got "
                             "offsets [{2:$[, ]}] and strides [{3:$[, ]}]",
                             source, result,
                             llvm::make_range(offsets.begin(), offsets.end()),
                             llvm::make_range(strides.begin(), strides.end()));
      return std::nullopt;
    }
  return PadKernel(source, result, offsets, strides, value);
}

int64_t PadKernel::chooseWidth() const {
  if (result.getRank() == 0)
    return 1;
  const unsigned inner = getInnermost(result.getShape());
  return chooseRowWidth(result.getElementType(), [&](int64_t width) {
    return strides[inner] == 1 && offsets[inner] % width == 0 &&
           source.getDimSize(inner) % width == 0 &&
           result.getDimSize(inner) % width == 0;
  });
}

gpu::GPUModuleOp PadKernel::emit(OpBuilder &builder, Location loc,
                                 StringRef name) const {
  const int64_t width = chooseWidth();
  auto emitRow = [&](DeviceBuilder &b, Value in, Value out, Numbers indices) {
    Value isInside;
    auto require = [&](Value condition) {
      isInside = isInside ? b.both(isInside, condition) : condition;
    };
    SmallVector<Number> at;
    for (auto [dim, index] : llvm::enumerate(indices)) {
      const int64_t extent = source.getDimSize(dim), stride = strides[dim];
      if (extent == result.getDimSize(dim)) {
        at.push_back(index);
        continue;
      }
      // Below the offset it is larger than all: numbers are unsigned.
      Number behind = index - offsets[dim];
      require(behind < (extent - 1) * stride + 1);
      if (stride > 1)
        require(behind % stride == 0);
      at.push_back(stride > 1 ? behind / stride : behind);
    }
    auto load = [&]() -> SmallVector<Value> {
      return loadRow(b, placeTensor(b, in, source), at, width);
    };
    auto fill = [&]() -> SmallVector<Value> {
      return SmallVector<Value>(width, arith::ConstantOp::create(b, value));
    };
    storeRow(b, isInside ? b.either(isInside, load, fill) : load(),
             placeTensor(b, out, result), indices);
  };
  return emitRowKernel(builder, loc, name,
                       {result.getElementType(), result.getShape(), width,
                        source.getNumElements(), result.getNumElements()},
                       emitRow);
}
