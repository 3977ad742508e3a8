//===- PadKernel.cpp - A tensor among a number as device code -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads share the elements of the result, in their order, so that each is
// written once: what a fill and a copy would write twice. A thread asks where
// its element lies in the source, and reads it there or takes the number. It
// has as many elements as one access takes where the source ends only between
// such accesses.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/PadKernel.h"

#include "Device/KernelSignature.h"
#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/TilePlaces.h"
#include "Elements/WideAccess.h"
#include "amp/Support/ShapedBytes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kThreads = 256, kBlocksPerMultiprocessor = 8;

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

unsigned PadKernel::getInner() const {
  unsigned inner = 0;
  for (auto [i, extent] : llvm::enumerate(result.getShape()))
    inner = extent > 1 ? i : inner;
  return inner;
}

int64_t PadKernel::chooseWidth() const {
  if (result.getRank() == 0)
    return 1;
  const unsigned inner = getInner();
  int64_t width = kWideBytes / getElementBytes(result);
  auto fits = [&](int64_t width) {
    return strides[inner] == 1 && offsets[inner] % width == 0 &&
           source.getDimSize(inner) % width == 0 &&
           result.getDimSize(inner) % width == 0;
  };
  while (width > 1 && !fits(width))
    width /= 2;
  return width;
}

gpu::GPUModuleOp PadKernel::emit(OpBuilder &builder, Location loc,
                                 StringRef name) const {
  auto module = gpu::GPUModuleOp::create(builder, loc, name);
  DeviceBuilder b(loc, builder);
  b.setInsertionPointToStart(module.getBody());
  Type element = result.getElementType();
  SmallVector<int64_t> extents(result.getShape());
  const unsigned inner = getInner();
  const int64_t width = chooseWidth();
  if (width > 1)
    extents[inner] /= width;
  const int64_t count = result.getNumElements() / width,
                blocks = llvm::divideCeil(count, kThreads);
  KernelSignature signature(b);
  signature.addBuffer("in0", getStorage(element), source.getNumElements());
  signature.addBuffer("out0", getStorage(element), result.getNumElements());
  auto func = signature.createKernel(name, {{blocks, kBlocksPerMultiprocessor},
                                            kThreads,
                                            /*minBlocks=*/1,
                                            /*cluster=*/1,
                                            /*sharedMemory=*/0,
                                            /*order=*/0});
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Place from = placeTensor(b, entry->getArgument(0), source),
        to = placeTensor(b, entry->getArgument(1), result);
  Number first = sm80::blockId(b) * kThreads + sm80::threadId(b),
         step = sm80::blockCount(b) * kThreads;
  b.loop(first, b.number(count), step, [&](Number number) {
    SmallVector<Number> indices = delinearize(b, extents, number);
    if (width > 1)
      indices[inner] = indices[inner] * width;
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
      return loadRow(b, from, at, width);
    };
    auto fill = [&]() -> SmallVector<Value> {
      return SmallVector<Value>(width, arith::ConstantOp::create(b, value));
    };
    storeRow(b, isInside ? b.either(isInside, load, fill) : load(), to,
             indices);
  });
  LLVM::ReturnOp::create(b, ValueRange());
  numberLaunches(module);
  return module;
}
