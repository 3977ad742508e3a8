//===- OperandTile.cpp - A tile of A or B in shared memory ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of the shared-memory descriptor are those of PTX ISA, "Matrix
// descriptor format" under wgmma: addresses and strides in units of 16 bytes;
// bits 0-13 the start, 16-29 the leading offset, 32-45 the stride offset, 62-63
// the swizzle (1 is 128 bytes). The stride offset is between groups of 8 rows,
// 1 KiB. The leading offset is between boxes, and not read where K is
// innermost.
//
//===----------------------------------------------------------------------===//

#include "OperandTile.h"

#include "amp/Support/ShapedBytes.h"

using namespace mlir;
using namespace mlir::amp;

void OperandTile::loadByTma(DeviceBuilder &b, const OperandSource &source,
                            Value shared, Number position, Number k,
                            ArrayRef<Value> matrix, Value barrier,
                            Value multicast) const {
  auto loadBox = [&](int64_t offset, Number column, Number row) {
    SmallVector<Value> coordinates{column, row};
    llvm::append_range(coordinates, matrix);
    sm90::loadBox(b, b.advance(shared, offset), source.pointer, coordinates,
                  barrier, multicast);
  };
  if (!transposed)
    return loadBox(0, k, position);
  for (int64_t first = 0; first < extent; first += boxColumns())
    loadBox(first * 128, position + first, k);
}

Value OperandTile::loadChunk(DeviceBuilder &b, const OperandSource &source,
                             Number row, Number column, Number batch) const {
  int64_t bytes = getElementBytes(type);
  Type bits = b.getIntegerType(8 * bytes);
  // Loads stay inside the matrix; what does not belong to it becomes zero.
  Number storedRow = batch * source.outer + min(row, source.outer - 1);
  Value rowInside = row < source.outer;
  SmallVector<Value> elements;
  for (int64_t i = 0; i < 16 / bytes; ++i) {
    Number at = column + i;
    Value address = b.element(source.pointer, bits, storedRow, source.stride,
                              min(at, source.inner - 1));
    elements.push_back(
        arith::SelectOp::create(b, b.both(rowInside, at < source.inner),
                                b.load(bits, address, bytes), b.zero(bits)));
  }
  return b.bitcast(VectorType::get(4, b.getI32Type()), b.gather(elements));
}

void OperandTile::copyChunk(DeviceBuilder &b, const OperandSource &source,
                            Value shared, Number row, Number column,
                            Number batch) const {
  int64_t bytes = getElementBytes(type);
  Number left = source.wholeChunks
                    ? b.number(16)
                    : min(source.inner - column, b.number(16 / bytes)) * bytes;
  Value inside = b.both(row < source.outer, column < source.inner);
  // Of a chunk outside nothing is read, so its address may be anywhere.
  Type bits = b.getIntegerType(8 * bytes);
  Value address = b.element(source.pointer, bits, batch * source.outer + row,
                            source.stride, column);
  sm80::copyAsync(b, shared, address, b.select(inside, left, b.number(0)));
}

void OperandTile::loadByThreads(DeviceBuilder &b, const OperandSource &source,
                                Value shared, Number position, Number k,
                                Number batch, Number thread,
                                int64_t threads) const {
  Number chunk = thread % 8, firstRow = thread / 8;
  auto loadBox = [&](Number offset, Number column, Number row) {
    auto loadRow = [&](Number boxRow) {
      Value target = b.advance(shared, chunkPlace(boxRow, chunk) + offset);
      if (source.access == MatrixAccess::Async)
        return copyChunk(b, source, target, row + boxRow,
                         column + chunk * perChunk(), batch);
      Value data = loadChunk(b, source, row + boxRow,
                             column + chunk * perChunk(), batch);
      b.store(data, target, 16);
    };
    int64_t rowsAtOnce = threads / 8;
    if (source.access == MatrixAccess::Async)
      for (int64_t i = 0; i < boxRows(); i += rowsAtOnce)
        loadRow(firstRow + i);
    else
      // A loop whose count the compiler does not know and so does not unroll:
      // the registers of several rows' elements are more than there are.
      b.loop(firstRow, b.number(boxRows()), b.number(rowsAtOnce), ValueRange(),
             [&](Number boxRow, ValueRange) {
               loadRow(boxRow);
               return DeviceBuilder::Values();
             });
  };
  if (!transposed)
    return loadBox(b.number(0), k, position);
  if (source.access == MatrixAccess::Async) {
    for (int64_t first = 0; first < extent; first += boxColumns())
      loadBox(b.number(first * 128), position + first, k);
    return;
  }
  // A loop, unlike for copies: unrolled, its addresses are more than the
  // registers.
  b.loop(b.number(extent / boxColumns()), [&](Number box) {
    loadBox(box * (boxRows() * 128), position + box * boxColumns(), k);
  });
}

SmallVector<Value> OperandTile::loadMatrices(DeviceBuilder &b, Value shared,
                                             Number position, int64_t offset,
                                             int64_t step, Number lane,
                                             MatrixOrder order) const {
  Number first = lane / 8 % 2, second = lane / 16, rowInEight = lane % 8;
  bool positionFirst = order == MatrixOrder::PositionFirst;
  Number upper = positionFirst ? first : second; // of M or N
  Number later = positionFirst ? second : first; // in K
  if (!transposed) {
    Number row = position + upper * 8 + rowInEight;
    Number chunk = (later ^ rowInEight) ^ (step * 2);
    Value lanePlace = b.advance(shared, row * 128 + chunk * 16);
    return sm80::loadMatrices(b, b.advance(lanePlace, offset * 128), false);
  }
  // `offset` changes bits of the chunk that are 0 before, so it may come last:
  // what is before is the same for all offsets.
  Number chunk = ((position / 8 % 8 + upper) ^ rowInEight) ^ (offset / 8);
  Number box = position / 64 * (64 * 128);
  Value lanePlace =
      b.advance(shared, (later * 8 + rowInEight) * 128 + chunk * 16 + box);
  return sm80::loadMatrices(b, b.advance(lanePlace, step * 16 * 128), true);
}

SmallVector<Value> OperandTile::loadWords(DeviceBuilder &b, Value shared,
                                          Number position, int64_t offset,
                                          int64_t step, Number lane,
                                          MatrixOrder order) const {
  // The four lanes of a row have k = 0, 3, 5, 6 of a step, then 1, 2, 4, 7. So
  // each bank is met once, whatever is innermost: where K is, the words of a
  // chunk are k % 4, where M or N is, two of a row's chunks go with k / 2.
  Number place = lane / 4, turn = lane % 4;
  Number even = turn * 2 + (turn ^ (turn / 2)) % 2;
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i) {
    bool positionFirst = order == MatrixOrder::PositionFirst;
    int64_t upper = positionFirst ? i % 2 : i / 2; // of M or N
    int64_t later = positionFirst ? i / 2 : i % 2; // in K
    int64_t at = offset + upper * 8;
    Number k = even ^ later;
    Value lanePlace;
    if (!transposed) {
      Number chunk = (k / 4 ^ place) ^ (step * 2);
      lanePlace =
          b.advance(shared, (position + place) * 128 + chunk * 16 + k % 4 * 4);
      lanePlace = b.advance(lanePlace, at * 128);
    } else {
      int64_t inBox = at % boxColumns();
      Number chunk = (place / 4 ^ k) ^ (inBox / 4);
      lanePlace = b.advance(shared, position * 128 + k * 128 + chunk * 16 +
                                        place % 4 * 4);
      lanePlace = b.advance(lanePlace, (at - inBox) * 128 + step * 8 * 128);
    }
    words.push_back(b.load(b.getI32Type(), lanePlace, 4));
  }
  return words;
}

Value OperandTile::descriptor(DeviceBuilder &b, Value address) const {
  auto wide = [&](uint64_t x) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(x));
  };
  constexpr uint64_t swizzle128 = uint64_t(1) << 62, strideOffset = 1024 / 16;
  uint64_t leadingOffset = transposed ? 64 * 128 / 16 : 1;
  Value start = LLVM::PtrToIntOp::create(b, b.getI64Type(), address);
  start = arith::ShRUIOp::create(b, start, wide(4));
  start = arith::AndIOp::create(b, start, wide(0x3fff));
  return arith::OrIOp::create(
      b, start, wide(swizzle128 | strideOffset << 32 | leadingOffset << 16));
}

Value OperandTile::advance(DeviceBuilder &b, Value descriptor,
                           int64_t step) const {
  if (step == 0)
    return descriptor;
  int64_t bytes = step * (transposed ? 16 * 128 : 32);
  return arith::AddIOp::create(
      b, descriptor,
      arith::ConstantOp::create(b, b.getI64IntegerAttr(bytes / 16)));
}
