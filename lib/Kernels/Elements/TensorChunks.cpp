//===- TensorChunks.cpp - Many tensors, cut into chunks -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables are constants of the kernel, of a few hundred numbers: they stay in
// the constant cache.
//
//===----------------------------------------------------------------------===//

#include "Elements/TensorChunks.h"

#include "Elements/ElementRules.h"
#include "Elements/TilePlaces.h"
#include "Elements/WideAccess.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

int64_t mlir::amp::getStorageBytes(Type element) {
  return llvm::divideCeil(getStorage(element).getIntOrFloatBitWidth(), 8);
}

void TensorChunks::add(int64_t count, int64_t chunk) {
  firstChunks.push_back(chunks);
  counts.push_back(count);
  chunks += llvm::divideCeil(count, chunk);
}

/// Adds a constant table of numbers in front of the kernel.
static Value addTable(DeviceBuilder &b, const Twine &name,
                      ArrayRef<int32_t> numbers) {
  OpBuilder::InsertionGuard guard(b);
  auto kernel = b.getBlock()->getParent()->getParentOfType<LLVM::LLVMFuncOp>();
  b.setInsertionPoint(kernel);
  auto type = RankedTensorType::get(numbers.size(), b.getI32Type());
  auto table = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(b.getI32Type(), numbers.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, name.str(),
      DenseElementsAttr::get(type, numbers), /*alignment=*/4, /*addrSpace=*/4);
  b.setInsertionPointToStart(&kernel.front());
  return LLVM::AddressOfOp::create(b, b.pointer(4), table.getSymName());
}

void TensorChunks::emitTables(DeviceBuilder &b, StringRef kernel) {
  // What is looked up behind the last tensor is behind each chunk.
  SmallVector<int32_t> firsts = firstChunks;
  firsts.resize(llvm::PowerOf2Ceil(counts.size()), chunks);
  chunkTable = addTable(b, kernel + "_chunks", firsts);
  countTable = addTable(b, kernel + "_counts", counts);
}

static Number lookUp(DeviceBuilder &b, Value table, Number index) {
  return b.number(
      b.load(b.getI32Type(),
             b.element(table, b.getI32Type(), b.number(0), b.number(0), index),
             /*alignment=*/4));
}

Number TensorChunks::findTensor(DeviceBuilder &b, Number chunk) const {
  Number found = b.number(0);
  for (int64_t step = llvm::PowerOf2Ceil(counts.size()) / 2; step > 0;
       step /= 2) {
    Number next = found + step;
    found = b.select(lookUp(b, chunkTable, next) <= chunk, next, found);
  }
  return found;
}

TensorChunks::Part TensorChunks::getPart(DeviceBuilder &b, Number tensor,
                                         Number chunk, int64_t elements) const {
  Number first = (chunk - lookUp(b, chunkTable, tensor)) * elements;
  return {first, min(lookUp(b, countTable, tensor) - first, elements)};
}

TensorChunks::Run TensorChunks::getChunks(DeviceBuilder &b, Number tensor,
                                          int64_t elements) const {
  return {lookUp(b, chunkTable, tensor),
          ceilDiv(lookUp(b, countTable, tensor), elements)};
}

SmallVector<Value> mlir::amp::loadElements(DeviceBuilder &b, Value base,
                                           Type element, Number place,
                                           int64_t count, Value condition) {
  Type storage = getStorage(element);
  const int64_t bytes = getStorageBytes(element),
                width = std::min(count, kWideBytes / bytes);
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; i += width) {
    Value address =
        b.element(base, storage, b.number(0), b.number(0), place + i);
    Type type = width == 1 ? storage : VectorType::get(width, storage);
    Value vector = condition ? b.loadIf(condition, type, address, width * bytes)
                             : b.load(type, address, width * bytes);
    for (int64_t lane = 0; lane < width; ++lane)
      values.push_back(fromStorage(
          b, width == 1 ? vector : b.extract(vector, lane), element));
  }
  return values;
}

int64_t ChunkReader::getLanes() const {
  return kWideBytes / getStorageBytes(element);
}

Value ChunkReader::fold(
    DeviceBuilder &b, const TensorChunks &chunks, Value table, Number tensor,
    Number chunk, Number thread, Value start,
    function_ref<Value(ArrayRef<Value> elements, Value soFar)> fold) const {
  using Values = SmallVector<Value>;
  const int64_t lanes = getLanes(), elements = getElements();
  TensorChunks::Part part = chunks.getPart(b, tensor, chunk, elements);
  Value address =
      b.element(table, b.pointer(1), b.number(0), b.number(0), tensor);
  Value base =
      b.element(b.load(b.pointer(1), address, kPointerBytes),
                getStorage(element), b.number(0), b.number(0), part.first);
  auto load = [&](Number place, int64_t count) {
    return loadElements(b, base, element, place, count);
  };
  return b.either(
      part.count == elements,
      [&]() -> Values {
        Values loaded;
        for (int64_t i = 0; i < accesses; ++i)
          llvm::append_range(loaded,
                             load((thread + i * threads) * lanes, lanes));
        return {fold(loaded, start)};
      },
      [&]() -> Values {
        Number whole = part.count / lanes;
        Values ofWhole =
            b.loop(thread, whole, b.number(threads), start,
                   [&](Number group, ValueRange soFar) -> Values {
                     return {fold(load(group * lanes, lanes), soFar[0])};
                   });
        return b.loop(whole * lanes + thread, part.count, b.number(threads),
                      ofWhole, [&](Number place, ValueRange soFar) -> Values {
                        return {fold(load(place, 1), soFar[0])};
                      });
      })[0];
}
